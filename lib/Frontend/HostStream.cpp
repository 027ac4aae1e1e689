//===- HostStream.cpp - A thread that runs programs on the CPU ------------===//

#include "Streams.h"

#include "Throw.h"

#include <condition_variable>
#include <deque>
#include <thread>

using namespace tripy;
using namespace tripy::frontend;

/// Who calls faster than the work is done waits: results take memory.
static constexpr size_t maxTasks = 256;

namespace {

/// Done when its stream's thread says so.
class HostWork : public Work {
public:
  using Work::Work;
  void finish(Status status) {
    std::lock_guard lock(mutex);
    isDone = status.isOk();
    result = std::move(status);
    ended.notify_all();
  }

protected:
  Status waitForIt() override {
    std::unique_lock lock(mutex);
    ended.wait(lock, [&] { return result.has_value(); });
    return *result;
  }
  Result<bool> pollIt() override {
    std::lock_guard lock(mutex);
    if (!result)
      return false;
    return result->isOk() ? Result<bool>(true) : Result<bool>(*result);
  }

private:
  std::mutex mutex;
  std::condition_variable ended;
  std::optional<Status> result;
};

class HostStream : public StreamState {
public:
  ~HostStream() override;
  Device device() const override { return Device::cpu(); }
  std::vector<std::shared_ptr<Storage>>
  start(const std::shared_ptr<CompiledProgram> &program, Storages inputs,
        SourceLoc loc) override;
  std::shared_ptr<Work> record(SourceLoc loc) override {
    return add([] { return Status::ok(); }, loc);
  }
  void delay(const std::shared_ptr<Work> &work, SourceLoc loc) override {
    add([work] { return work->wait(); }, loc);
  }
  Status synchronize() override {
    Status own = record({})->wait();
    std::lock_guard lock(mutex);
    return std::exchange(failure, own);
  }

private:
  struct Task {
    std::function<Status()> run;
    std::shared_ptr<HostWork> work;
  };
  std::shared_ptr<HostWork> add(std::function<Status()> run, SourceLoc loc);
  void serve();

  std::mutex mutex;
  std::condition_variable changed, room;
  std::deque<Task> tasks;
  Status failure;
  bool isEnding = false;
  /// Started with the first task.
  std::thread thread;
};

} // namespace

HostStream::~HostStream() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_one();
  if (thread.joinable())
    thread.join();
}

std::shared_ptr<HostWork> HostStream::add(std::function<Status()> run,
                                          SourceLoc loc) {
  auto work = std::make_shared<HostWork>(loc);
  std::unique_lock lock(mutex);
  room.wait(lock, [&] { return tasks.size() < maxTasks; });
  tasks.push_back({std::move(run), work});
  if (!thread.joinable())
    thread = std::thread([this] { serve(); });
  changed.notify_one();
  return work;
}

static Status runTask(const std::function<Status()> &run) {
  try {
    return run();
  } catch (const std::bad_alloc &) {
    return Status::outOfMemory("to run the program");
  }
}

/// Ends when there is nothing left to do.
void HostStream::serve() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return isEnding || !tasks.empty(); });
    if (tasks.empty())
      return;
    Task task = std::move(tasks.front());
    tasks.pop_front();
    room.notify_one();
    lock.unlock();
    Status status = runTask(task.run);
    task.run = nullptr; // what it needed goes before its results are read
    lock.lock();
    if (failure.isOk())
      failure = status;
    task.work->finish(std::move(status));
  }
}

/// Ok when what computes each input has succeeded.
static Status waitForInputs(const Storages &inputs) {
  for (const std::shared_ptr<const Storage> &input : inputs)
    if (const std::shared_ptr<Work> &work = input->work())
      if (Status status = work->wait(); !status.isOk())
        return status;
  return Status::ok();
}

std::vector<std::shared_ptr<Storage>>
HostStream::start(const std::shared_ptr<CompiledProgram> &program,
                  Storages inputs, SourceLoc loc) {
  const std::vector<OutputDescription> &described = program->program().outputs;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i]->device().isGpu())
      fail(Code::DeviceMismatch,
           "the argument '" + program->argument(i).name +
               "' of a program for the CPU is on the CPU; found it on " +
               inputs[i]->device().str(),
           loc);
  // Values of sizes are read now.
  for (size_t i = 0; i < inputs.size(); ++i)
    if (program->argument(i).kind == InputKind::Size)
      inputs[i]->wait(loc);
  std::vector<runtime::Shape> shapes(described.size());
  check(program->outputShapes(viewsOf(inputs), shapes), loc);
  std::vector<std::shared_ptr<Storage>> results;
  std::vector<runtime::TensorView> outputs;
  for (size_t i = 0; i < described.size(); ++i) {
    results.push_back(
        allocate(Device::cpu(), described[i].dtype, shapes[i], loc));
    outputs.push_back(results.back()->view());
  }
  // Nobody may be left who wants the results when they are written.
  auto run = [program, inputs = std::move(inputs), outputs, results] {
    Status status = waitForInputs(inputs);
    return status.isOk() ? program->run(viewsOf(inputs), outputs) : status;
  };
  std::shared_ptr<Work> work = add(std::move(run), loc);
  for (const std::shared_ptr<Storage> &result : results)
    result->setWork(work);
  return results;
}

std::shared_ptr<StreamState> tripy::frontend::makeHostStream() {
  return std::make_shared<HostStream>();
}
