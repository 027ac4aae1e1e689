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

class HostStream;

/// Done when its stream says so.
class HostWork : public Work {
public:
  HostWork(std::weak_ptr<HostStream> stream, SourceLoc loc)
      : Work(loc), stream(std::move(stream)) {}
  void finish(Status status) {
    std::lock_guard lock(mutex);
    isDone = status.isOk();
    result = std::move(status);
    ended.notify_all();
  }

  bool hasEnded() const {
    std::lock_guard lock(mutex);
    return result.has_value();
  }

protected:
  Status waitForIt() override;
  Result<bool> pollIt() override {
    std::lock_guard lock(mutex);
    if (!result)
      return false;
    return result->isOk() ? Result<bool>(true) : Result<bool>(*result);
  }

private:
  std::weak_ptr<HostStream> stream;
  mutable std::mutex mutex;
  std::condition_variable ended;
  std::optional<Status> result;
};

/// Tasks run one at a time, in the order of their calls: on the stream's
/// thread, or on one that waits for a result, which is there sooner than the
/// stream's thread wakes up.
class HostStream : public StreamState,
                   public std::enable_shared_from_this<HostStream> {
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
  /// Runs what is left up to `work`, unless a task runs already.
  void help(const HostWork &work);

private:
  struct Task {
    std::function<Status()> run;
    std::shared_ptr<HostWork> work;
  };
  std::shared_ptr<HostWork> add(std::function<Status()> run, SourceLoc loc);
  void serve();
  /// Runs the first task, without the lock.
  void runFirst(std::unique_lock<std::mutex> &lock);

  std::mutex mutex;
  std::condition_variable changed, room;
  std::deque<Task> tasks;
  Status failure;
  bool isEnding = false;
  bool isRunning = false;
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
  auto work = std::make_shared<HostWork>(weak_from_this(), loc);
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

void HostStream::runFirst(std::unique_lock<std::mutex> &lock) {
  Task task = std::move(tasks.front());
  tasks.pop_front();
  room.notify_one();
  isRunning = true;
  lock.unlock();
  Status status = runTask(task.run);
  task.run = nullptr; // what it needed goes before its results are read
  lock.lock();
  isRunning = false;
  if (failure.isOk())
    failure = status;
  task.work->finish(std::move(status));
}

/// Ends when there is nothing left to do.
void HostStream::serve() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock,
                 [&] { return !isRunning && (isEnding || !tasks.empty()); });
    if (tasks.empty())
      return;
    runFirst(lock);
  }
}

void HostStream::help(const HostWork &work) {
  std::unique_lock lock(mutex);
  while (!isRunning && !tasks.empty() && !work.hasEnded())
    runFirst(lock);
  if (!isRunning && !tasks.empty())
    changed.notify_one();
}

Status HostWork::waitForIt() {
  // A stream's thread never waits for unfinished work of its own stream: it
  // would be the last owner here, and join itself.
  if (!hasEnded())
    if (std::shared_ptr<HostStream> owner = stream.lock())
      owner->help(*this);
  std::unique_lock lock(mutex);
  ended.wait(lock, [&] { return result.has_value(); });
  return *result;
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
