//===- CudaStream.cpp - Programs on a stream of a GPU ---------------------===//
//
// Calls are put on the driver's stream without waiting for it. What they use
// (memory, and the program's context with its arena) is kept until the point
// behind them has been reached.
//
// A call that is read at once needs no event: the copy of its result comes
// behind it on the same stream, and one wait is for both. The event behind a
// call is therefore recorded when somebody asks for it, and at the latest in
// front of the next work of the stream.
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

/// Events that are not in use: to make one takes longer than to record it.
class EventPool {
public:
  explicit EventPool(std::shared_ptr<runtime::Device> device)
      : device(std::move(device)) {}
  Result<cuda::CudaEvent> take() {
    {
      std::lock_guard lock(mutex);
      if (!idle.empty()) {
        cuda::CudaEvent event = std::move(idle.back());
        idle.pop_back();
        return event;
      }
    }
    return cuda::CudaEvent::create(*device);
  }
  /// Nobody waits for it any more, but streams: they wait for the point that it
  /// was when they were told to.
  void giveBack(cuda::CudaEvent event) {
    std::lock_guard lock(mutex);
    if (idle.size() < 2 * maxCallsInFlight)
      idle.push_back(std::move(event));
  }

private:
  /// Outlives the events.
  const std::shared_ptr<runtime::Device> device;
  std::mutex mutex;
  std::vector<cuda::CudaEvent> idle;
};

/// Done when its event is.
class CudaWork : public Work {
public:
  CudaWork(std::shared_ptr<CudaStream> stream, SourceLoc loc);
  ~CudaWork() override;
  /// Records the event where it is not. Null where the work has succeeded
  /// without one.
  Result<cuda::CudaEvent *> event() override;
  Status mark() { return event().status(); }
  std::optional<Status> read(void *host, const void *device,
                             uint64_t bytes) override;
  /// Under the mutex of the stream.
  Status waitLocked();
  bool isOf(const CudaStream &other) const { return number == &other; }
  /// Asks the driver when it must; of a failure, a wait says more.
  bool hasSucceeded() {
    if (isDone)
      return true;
    Result<bool> done = query();
    return done && *done;
  }
  bool isKnownDone() const { return isDone; }
  /// The stream has ended its work: it is not asked any more.
  void setEnded(const Status &status) {
    std::lock_guard lock(mutex);
    isDone = status.isOk();
    lost = status;
  }

protected:
  Status waitForIt() override;
  Result<bool> pollIt() override;

private:
  Result<bool> query();

  /// Which stream it is: where that is gone, the work has ended.
  const CudaStream *const number;
  const std::weak_ptr<CudaStream> stream;
  const std::shared_ptr<EventPool> events;
  const runtime::Stream handle;
  /// Nothing is locked within.
  std::mutex mutex;
  std::optional<cuda::CudaEvent> point;
  Status lost;
};

class CudaStream : public StreamState,
                   public std::enable_shared_from_this<CudaStream> {
public:
  CudaStream(std::shared_ptr<runtime::Device> device, runtime::Stream stream,
             bool isOwner)
      : events(std::make_shared<EventPool>(device)), owner(std::move(device)),
        stream(stream), isOwner(isOwner), isShared(!isOwner) {}
  ~CudaStream() override;
  Device device() const override { return Device::gpu(owner->ordinal()); }
  /// Others may put work on the stream from now on.
  void *handle() const override {
    std::lock_guard lock(mutex);
    isShared = true;
    if (!calls.empty())
      (void)calls.back().work->mark().isOk(); // or later
    return stream;
  }
  std::vector<std::shared_ptr<Storage>>
  start(const std::shared_ptr<CompiledProgram> &program, Storages inputs,
        SourceLoc loc) override;
  std::shared_ptr<const Storage>
  bring(const std::shared_ptr<const Storage> &input, SourceLoc loc) override;
  std::shared_ptr<Work> record(SourceLoc loc) override {
    std::lock_guard lock(mutex);
    Result<std::shared_ptr<CudaWork>> work = mark(loc);
    check(work.status(), loc);
    return *work;
  }
  void delay(const std::shared_ptr<Work> &work, SourceLoc loc) override {
    std::lock_guard lock(mutex);
    settle(loc);
    delayLocked(*work, loc);
  }
  /// Where `work` came last: see Work::read().
  std::optional<Status> read(CudaWork &work, void *host, const void *device,
                             uint64_t bytes);
  Status synchronize() override;
  /// `ended` has, and with it all calls before it: what they used may go.
  void retire(const CudaWork &ended);

  const std::shared_ptr<EventPool> events;

private:
  friend class CudaWork;
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
  void settle(SourceLoc loc);
  void releaseContexts();
  std::deque<Call> endAll(const Status &status);
  void makeRoom(std::deque<Call> &unneeded, SourceLoc loc);
  void waitForInput(Work *work, SourceLoc loc);
  std::shared_ptr<Storage>
  allocateHere(DType dtype, const runtime::Shape &shape, SourceLoc loc);
  std::shared_ptr<const Storage>
  bringHere(const std::shared_ptr<const Storage> &input, SourceLoc loc);
  runtime::ExecutionContext &
  contextOf(const std::shared_ptr<CompiledProgram> &program, SourceLoc loc);

  std::shared_ptr<runtime::Device> owner;
  runtime::Stream stream;
  bool isOwner;
  /// Others may put work on the stream, or capture it: events are recorded at
  /// once, and nothing is copied on it.
  mutable bool isShared;
  mutable std::mutex mutex;
  std::deque<Call> calls;
  /// Of programs whose calls are in flight; one for each, since calls follow
  /// each other.
  std::unordered_map<const CompiledProgram *, BoundContext> contexts;
};

} // namespace

//===-- waiting -----------------------------------------------------------===//

CudaWork::CudaWork(std::shared_ptr<CudaStream> made, SourceLoc loc)
    : Work(loc), number(made.get()), stream(made), events(made->events),
      handle(made->stream) {}

CudaWork::~CudaWork() {
  if (point)
    events->giveBack(std::move(*point));
}

Result<cuda::CudaEvent *> CudaWork::event() {
  std::lock_guard lock(mutex);
  if (point)
    return &*point;
  if (isDone)
    return nullptr;
  if (!lost.isOk())
    return lost;
  Result<cuda::CudaEvent> event = events->take();
  if (!event)
    return event.status();
  if (Status status = event->record(handle); !status.isOk())
    return status;
  point = std::move(*event);
  return &*point;
}

Status CudaWork::waitLocked() {
  Result<cuda::CudaEvent *> event = this->event();
  if (!event)
    return event.status();
  Status status = *event ? (*event)->synchronize() : Status::ok();
  isDone = status.isOk();
  return status;
}

Status CudaWork::waitForIt() {
  Status status = waitLocked();
  // After other failures the work may go on.
  if (status.isOk() || status.code() == Code::ContextLost)
    if (std::shared_ptr<CudaStream> mine = stream.lock())
      mine->retire(*this);
  return status;
}

Result<bool> CudaWork::query() {
  Result<cuda::CudaEvent *> event = this->event();
  if (!event)
    return event.status();
  Result<bool> done = *event ? (*event)->query() : true;
  if (done && *done)
    isDone = true;
  return done;
}

Result<bool> CudaWork::pollIt() {
  Result<bool> done = query();
  if (done && *done)
    if (std::shared_ptr<CudaStream> mine = stream.lock())
      mine->retire(*this);
  return done;
}

std::optional<Status> CudaWork::read(void *host, const void *device,
                                     uint64_t bytes) {
  std::shared_ptr<CudaStream> mine = isDone ? nullptr : stream.lock();
  return mine ? mine->read(*this, host, device, bytes) : std::nullopt;
}

CudaStream::~CudaStream() {
  // A failure is reported by those who read results.
  Status status = owner->synchronize(stream);
  endAll(status);
  if (isOwner)
    owner->destroyStream(stream);
}

/// What is not needed any more goes after the lock: others may hear of it.
Status CudaStream::synchronize() {
  std::deque<Call> unneeded;
  cuda::CudaScope scope(*owner);
  std::lock_guard lock(mutex);
  Status status = owner->synchronize(stream);
  // After a failure the device is lost, and its memory with it.
  unneeded = endAll(status);
  return status;
}

/// Others may put work on the stream while this thread waits: in front of the
/// copy that is no harm.
std::optional<Status> CudaStream::read(CudaWork &work, void *host,
                                       const void *device, uint64_t bytes) {
  {
    std::lock_guard lock(mutex);
    if (isShared || calls.empty() || calls.back().work.get() != &work)
      return std::nullopt;
  }
  Status status = owner->read(host, device, bytes, stream);
  if (status.isOk())
    work.setEnded(status);
  if (status.isOk() || status.code() == Code::ContextLost)
    retire(work);
  return status;
}

/// All work has ended, or the device is lost.
std::deque<CudaStream::Call> CudaStream::endAll(const Status &status) {
  for (const Call &call : calls)
    call.work->setEnded(status);
  std::deque<Call> ended = std::move(calls);
  calls.clear();
  releaseContexts();
  return ended;
}

void CudaStream::retire(const CudaWork &ended) {
  std::deque<Call> unneeded; // goes after the lock
  std::lock_guard lock(mutex);
  auto last = std::find_if(calls.begin(), calls.end(), [&](const Call &call) {
    return call.work.get() == &ended;
  });
  if (last != calls.end()) {
    if (ended.isKnownDone())
      for (auto call = calls.begin(); call != last; ++call)
        call->work->setEnded(Status::ok());
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

/// Half of them at a time: one wait of several calls.
void CudaStream::makeRoom(std::deque<Call> &unneeded, SourceLoc loc) {
  if (calls.size() < maxCallsInFlight)
    return;
  auto last = calls.begin() + maxCallsInFlight / 2;
  checkStart(last->work->waitLocked(), loc);
  for (auto call = calls.begin(); call != last; ++call)
    call->work->setEnded(Status::ok());
  std::move(calls.begin(), last + 1, std::back_inserter(unneeded));
  calls.erase(calls.begin(), last + 1);
}

/// The event behind a point of the stream, at once.
Result<std::shared_ptr<CudaWork>> CudaStream::mark(SourceLoc loc) {
  auto work = std::make_shared<CudaWork>(shared_from_this(), loc);
  if (Status status = work->mark(); !status.isOk())
    return status;
  return work;
}

/// More work is put on the stream now.
void CudaStream::settle(SourceLoc loc) {
  if (!calls.empty() && !calls.back().work->isKnownDone())
    checkStart(calls.back().work->mark(), loc);
}

void CudaStream::delayLocked(Work &work, SourceLoc loc) {
  Result<cuda::CudaEvent *> event = work.event();
  check(event.status(), loc);
  if (*event)
    check((*event)->delay(stream), loc);
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
  for (const Call &call : calls)
    call.work->setEnded(Status::ok());
  calls.clear();
  return allocate(device(), dtype, shape, loc);
}

/// Work of this stream comes first anyway.
void CudaStream::waitForInput(Work *work, SourceLoc loc) {
  auto *own = dynamic_cast<CudaWork *>(work);
  if (work && !(own && (own->isOf(*this) || own->hasSucceeded())))
    delayLocked(*work, loc);
}

/// An input on the GPU: contexts that are in use take no others.
std::shared_ptr<const Storage>
CudaStream::bringHere(const std::shared_ptr<const Storage> &input,
                      SourceLoc loc) {
  if (input->device().isGpu()) {
    waitForInput(input->work().get(), loc);
    return input;
  }
  input->wait(loc);
  if (std::shared_ptr<const Storage> known = input->copyOn(device())) {
    waitForInput(known->work().get(), loc);
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

std::shared_ptr<const Storage>
CudaStream::bring(const std::shared_ptr<const Storage> &input, SourceLoc loc) {
  if (std::shared_ptr<const Storage> known = input->copyOn(device()))
    return known;
  std::deque<Call> unneeded; // goes after the lock and the scope
  cuda::CudaScope scope(*owner);
  std::lock_guard lock(mutex);
  makeRoom(unneeded, loc);
  settle(loc);
  std::shared_ptr<const Storage> copy = bringHere(input, loc);
  if (auto work = std::dynamic_pointer_cast<CudaWork>(copy->work()))
    calls.push_back({std::move(work), {input, copy}});
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
  std::deque<Call> unneeded; // goes after the lock and the scope
  cuda::CudaScope scope(*owner);
  std::lock_guard lock(mutex);
  makeRoom(unneeded, loc);
  settle(loc);
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
  auto work = std::make_shared<CudaWork>(shared_from_this(), loc);
  // Who reads the results hears of a failure.
  if (isShared)
    (void)work->mark().isOk();
  for (const std::shared_ptr<Storage> &result : results)
    result->setWork(work);
  calls.push_back({std::move(work), std::move(kept)});
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
