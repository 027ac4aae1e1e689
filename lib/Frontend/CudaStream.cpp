//===- CudaStream.cpp - Programs on a stream of a GPU ---------------------===//
//
// Calls are put on the driver's stream without waiting for it. What they use
// (memory, and the program's context with its arena) is kept until the point
// behind them has been reached.
//
//===----------------------------------------------------------------------===//

#include "Streams.h"

#include "Throw.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

using namespace tripy;
using namespace tripy::frontend;

/// Calls whose memory is kept at the same time.
static constexpr size_t maxCallsInFlight = 16;

namespace {

class CudaStream;

/// Done when its event is.
class CudaWork : public Work {
public:
  CudaWork(cuda::CudaEvent event, std::weak_ptr<CudaStream> stream,
           std::shared_ptr<runtime::Device> device, SourceLoc loc)
      : Work(loc), device(std::move(device)), stream(std::move(stream)),
        point(std::move(event)) {}
  cuda::CudaEvent *event() override { return &point; }
  /// Under the mutex of the stream.
  Status waitLocked() {
    Status status = point.synchronize();
    isDone = status.isOk();
    return status;
  }

protected:
  Status waitForIt() override;
  Result<bool> pollIt() override;

private:
  std::shared_ptr<runtime::Device> device;
  std::weak_ptr<CudaStream> stream;
  cuda::CudaEvent point;
};

/// Work whose end cannot be waited for: the device is lost.
class LostWork : public Work {
public:
  LostWork(Status failure, SourceLoc loc)
      : Work(loc), failure(std::move(failure)) {}

protected:
  Status waitForIt() override { return failure; }
  Result<bool> pollIt() override { return failure; }

private:
  Status failure;
};

class CudaStream : public StreamState,
                   public std::enable_shared_from_this<CudaStream> {
public:
  CudaStream(std::shared_ptr<runtime::Device> device, runtime::Stream stream,
             bool isOwner)
      : owner(std::move(device)), stream(stream), isOwner(isOwner) {}
  ~CudaStream() override;
  Device device() const override { return Device::gpu(owner->ordinal()); }
  void *handle() const override { return stream; }
  std::vector<std::shared_ptr<Storage>>
  start(const std::shared_ptr<CompiledProgram> &program, Storages inputs,
        SourceLoc loc) override;
  std::shared_ptr<Work> record(SourceLoc loc) override {
    std::lock_guard lock(mutex);
    Result<std::shared_ptr<CudaWork>> work = mark(loc);
    check(work.status(), loc);
    return *work;
  }
  void delay(const std::shared_ptr<Work> &work, SourceLoc loc) override {
    std::lock_guard lock(mutex);
    delayLocked(*work, loc);
  }
  Status synchronize() override;
  /// `ended` has, and with it all calls before it: what they used may go.
  void retire(const CudaWork &ended);

private:
  struct Call {
    std::shared_ptr<CudaWork> work;
    Storages kept;
  };
  struct BoundContext {
    std::shared_ptr<CompiledProgram> program;
    CompiledProgram::Context context;
  };
  Result<std::shared_ptr<CudaWork>> mark(SourceLoc loc);
  void checkStart(const Status &status, SourceLoc loc);
  void delayLocked(Work &work, SourceLoc loc);
  void releaseContexts();
  void makeRoom(SourceLoc loc);
  std::shared_ptr<Storage>
  allocateHere(DType dtype, const runtime::Shape &shape, SourceLoc loc);
  std::shared_ptr<const Storage>
  bringHere(const std::shared_ptr<const Storage> &input, SourceLoc loc);
  runtime::ExecutionContext &
  contextOf(const std::shared_ptr<CompiledProgram> &program, SourceLoc loc);

  std::shared_ptr<runtime::Device> owner;
  runtime::Stream stream;
  bool isOwner;
  std::mutex mutex;
  std::deque<Call> calls;
  /// Of programs whose calls are in flight; one for each, since calls follow
  /// each other.
  std::unordered_map<const CompiledProgram *, BoundContext> contexts;
};

} // namespace

//===-- waiting -----------------------------------------------------------===//

Status CudaWork::waitForIt() {
  Status status = point.synchronize();
  isDone = status.isOk();
  if (std::shared_ptr<CudaStream> mine = stream.lock())
    mine->retire(*this);
  return status;
}

Result<bool> CudaWork::pollIt() {
  Result<bool> done = point.query();
  if (!done || !*done)
    return done;
  isDone = true;
  if (std::shared_ptr<CudaStream> mine = stream.lock())
    mine->retire(*this);
  return true;
}

CudaStream::~CudaStream() {
  // A failure is reported by those who read results.
  (void)synchronize().isOk();
  if (isOwner)
    owner->destroyStream(stream);
}

Status CudaStream::synchronize() {
  std::lock_guard lock(mutex);
  Status status = owner->synchronize(stream);
  // After a failure the device is lost, and its memory with it.
  calls.clear();
  releaseContexts();
  return status;
}

void CudaStream::retire(const CudaWork &ended) {
  std::deque<Call> unneeded; // goes after the lock: others may hear of it
  std::lock_guard lock(mutex);
  auto last = std::find_if(calls.begin(), calls.end(), [&](const Call &call) {
    return call.work.get() == &ended;
  });
  if (last != calls.end()) {
    std::move(calls.begin(), last + 1, std::back_inserter(unneeded));
    calls.erase(calls.begin(), last + 1);
  }
  releaseContexts();
}

/// When no call needs them.
void CudaStream::releaseContexts() {
  if (!calls.empty())
    return;
  for (auto &[key, bound] : contexts)
    bound.program->giveBack(std::move(bound.context));
  contexts.clear();
}

void CudaStream::makeRoom(SourceLoc loc) {
  if (calls.size() < maxCallsInFlight)
    return;
  CudaWork &first = *calls.front().work;
  checkWork(first.waitLocked(), first, loc);
  calls.pop_front();
}

Result<std::shared_ptr<CudaWork>> CudaStream::mark(SourceLoc loc) {
  auto event = cuda::CudaEvent::create(*owner);
  if (!event)
    return event.status();
  if (Status status = event->record(stream); !status.isOk())
    return status;
  return std::make_shared<CudaWork>(std::move(*event), weak_from_this(), owner,
                                    loc);
}

void CudaStream::delayLocked(Work &work, SourceLoc loc) {
  if (cuda::CudaEvent *event = work.event())
    check(event->delay(stream), loc);
  else
    waitFor(work, loc);
}

//===-- calls -------------------------------------------------------------===//

/// When memory runs out, that of ended calls may do.
std::shared_ptr<Storage> CudaStream::allocateHere(DType dtype,
                                                  const runtime::Shape &shape,
                                                  SourceLoc loc) {
  try {
    return allocate(device(), dtype, shape, loc);
  } catch (const Error &error) {
    if (error.code() != Code::DeviceOutOfMemory || calls.empty())
      throw;
  }
  check(owner->synchronize(stream), loc);
  calls.clear();
  return allocate(device(), dtype, shape, loc);
}

/// An input on the GPU: contexts that are in use take no others.
std::shared_ptr<const Storage>
CudaStream::bringHere(const std::shared_ptr<const Storage> &input,
                      SourceLoc loc) {
  if (input->device().isGpu()) {
    if (const std::shared_ptr<Work> &work = input->work())
      delayLocked(*work, loc);
    return input;
  }
  input->wait(loc);
  if (std::shared_ptr<const Storage> known = input->copyOn(device())) {
    delayLocked(*known->work(), loc);
    return known;
  }
  auto copy = allocateHere(input->dtype(), input->view().shape, loc);
  check(owner->copyToDevice(copy->view().data, input->view().data,
                            input->bytes(), stream),
        loc);
  Result<std::shared_ptr<CudaWork>> work = mark(loc);
  checkStart(work.status(), loc);
  copy->setWork(*work);
  input->keepCopy(copy);
  return copy;
}

/// Work cannot be started where earlier work has failed: then that is what is
/// reported.
void CudaStream::checkStart(const Status &status, SourceLoc loc) {
  if (status.isOk())
    return;
  for (const Call &call : calls)
    checkWork(call.work->waitLocked(), *call.work, loc);
  check(status, loc);
}

runtime::ExecutionContext &
CudaStream::contextOf(const std::shared_ptr<CompiledProgram> &program,
                      SourceLoc loc) {
  BoundContext &bound = contexts[program.get()];
  if (!bound.context) {
    Result<CompiledProgram::Context> context = program->take();
    if (!context)
      contexts.erase(program.get());
    check(context.status(), loc);
    bound = {program, std::move(*context)};
  }
  return *bound.context;
}

std::vector<std::shared_ptr<Storage>>
CudaStream::start(const std::shared_ptr<CompiledProgram> &program,
                  Storages inputs, SourceLoc loc) {
  // Values of sizes are read now.
  for (size_t i = 0; i < inputs.size(); ++i)
    if (program->argument(i).kind == InputKind::Size)
      inputs[i]->wait(loc);
  std::lock_guard lock(mutex);
  makeRoom(loc);
  const std::vector<OutputDescription> &described = program->program().outputs;
  runtime::ExecutionContext &context = contextOf(program, loc);
  std::vector<runtime::Shape> shapes(described.size());
  check(context.outputShapes(viewsOf(inputs), shapes), loc);
  // Of a copy that goes on, the host's memory is kept too.
  Storages kept = inputs;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (program->argument(i).kind != InputKind::Size)
      kept.push_back(inputs[i] = bringHere(inputs[i], loc));
  std::vector<std::shared_ptr<Storage>> results;
  std::vector<runtime::TensorView> outputs;
  for (size_t i = 0; i < described.size(); ++i) {
    results.push_back(allocateHere(described[i].dtype, shapes[i], loc));
    outputs.push_back(results.back()->view());
    kept.push_back(results.back());
  }
  checkStart(context.run(viewsOf(inputs), outputs,
                         {.stream = stream, .synchronize = false}),
             loc);
  Result<std::shared_ptr<CudaWork>> work = mark(loc);
  for (const std::shared_ptr<Storage> &result : results)
    if (work)
      result->setWork(*work);
    else // The work was started: who reads its results hears of it.
      result->setWork(std::make_shared<LostWork>(work.status(), loc));
  if (work)
    calls.push_back({*work, std::move(kept)});
  return results;
}

std::shared_ptr<StreamState>
tripy::frontend::makeCudaStream(const Device &device, void *handle,
                                SourceLoc loc) {
  std::shared_ptr<runtime::Device> owner = openDevice(device, loc);
  if (handle)
    return std::make_shared<CudaStream>(owner, handle, /*isOwner=*/false);
  Result<runtime::Stream> stream = owner->createStream();
  check(stream.status(), loc);
  return std::make_shared<CudaStream>(owner, *stream, /*isOwner=*/true);
}
