//===- Streams.cpp - Order of work on a device ----------------------------===//

#include "Streams.h"

#include "Throw.h"

#include <map>

using namespace tripy;
using namespace tripy::frontend;

void tripy::frontend::waitFor(Work &work, SourceLoc loc) {
  checkWork(work.wait(), work, loc);
}

void tripy::frontend::checkWork(const Status &status, const Work &work,
                                SourceLoc loc) {
  if (!status.isOk())
    fail(status.code(), status.message(), loc, {{work.call(), "the call"}});
}

std::vector<runtime::TensorView>
tripy::frontend::viewsOf(const Storages &storages) {
  std::vector<runtime::TensorView> views;
  for (const std::shared_ptr<const Storage> &storage : storages)
    views.push_back(storage->view());
  return views;
}

std::shared_ptr<StreamState> tripy::frontend::makeStream(const Device &device,
                                                         SourceLoc loc) {
  return device.isGpu() ? makeCudaStream(device, nullptr, loc)
                        : makeHostStream();
}

std::shared_ptr<StreamState> tripy::frontend::threadStream(const Device &device,
                                                           SourceLoc loc) {
  // Gone before the objects with static lifetime: work ends with its thread.
  static thread_local std::map<int32_t, std::shared_ptr<StreamState>> streams;
  std::shared_ptr<StreamState> &mine =
      streams[device.isGpu() ? device.index() : -1];
  if (!mine)
    mine = makeStream(device, loc);
  return mine;
}

//===-- the public classes ------------------------------------------------===//

Stream::Stream(const Device &device, SourceLoc loc)
    : state(makeStream(device, loc)) {}

Stream Stream::ofThread(const Device &device, SourceLoc loc) {
  return Stream(threadStream(device, loc));
}

Stream Stream::ofHandle(void *handle, const Device &device, SourceLoc loc) {
  if (!handle || !device.isGpu())
    fail(Code::InvalidArgument,
         "a handle is a CUstream of a GPU; found " +
             std::string(handle ? "one" : "null") + " for " + device.str(),
         loc);
  return Stream(makeCudaStream(device, handle, loc));
}

void Stream::synchronize(SourceLoc loc) const {
  check(state->synchronize(), loc);
}
Event Stream::record(SourceLoc loc) const { return Event(state->record(loc)); }
void Stream::wait(const Event &event, SourceLoc loc) const {
  state->delay(event.work, loc);
}
Device Stream::device() const { return state->device(); }
void *Stream::handle() const { return state->handle(); }

void Event::synchronize(SourceLoc loc) const { waitFor(*work, loc); }
bool Event::isDone(SourceLoc loc) const {
  Result<bool> done = work->poll();
  checkWork(done.status(), *work, loc);
  return *done;
}
