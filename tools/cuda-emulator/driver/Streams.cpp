//===- Streams.cpp - Streams and events of the emulator -------------------===//

#include "Driver.h"

#include <chrono>

using namespace tripy::cuda;
using namespace tripy::emulatordriver;

//===-- streams -----------------------------------------------------------===//

TRIPY_DRIVER_CALL cuStreamCreate(StreamHandle *stream, unsigned flags) {
  Call call;
  if (!call)
    return call.refusal();
  if (!stream || (flags & ~streamNonBlocking))
    return DriverResult::InvalidValue;
  *stream = call->streams.add(std::make_unique<OpaqueStream>());
  return DriverResult::Success;
}

// NOLINTNEXTLINE(readability-identifier-naming): the driver's name.
TRIPY_DRIVER_CALL cuStreamDestroy_v2(StreamHandle stream) {
  Call call;
  if (!call)
    return call.refusal();
  return call->streams.remove(stream) ? DriverResult::Success : invalidHandle;
}

TRIPY_DRIVER_CALL cuStreamSynchronize(StreamHandle stream) {
  Call call;
  if (!call)
    return call.refusal();
  return call->checkStream(stream);
}

TRIPY_DRIVER_CALL cuStreamWaitEvent(StreamHandle stream, EventHandle event,
                                    unsigned flags) {
  Call call;
  if (!call)
    return call.refusal();
  if (flags != 0)
    return DriverResult::InvalidValue;
  if (!call->events.has(event))
    return invalidHandle;
  // Work that was put on a stream is done: there is nothing to wait for.
  return call->checkStream(stream);
}

//===-- events ------------------------------------------------------------===//

static double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

TRIPY_DRIVER_CALL cuEventCreate(EventHandle *event, unsigned flags) {
  Call call;
  if (!call)
    return call.refusal();
  if (!event)
    return DriverResult::InvalidValue;
  auto made = std::make_unique<OpaqueEvent>();
  made->timed = !(flags & eventDisableTiming);
  *event = call->events.add(std::move(made));
  return DriverResult::Success;
}

// NOLINTNEXTLINE(readability-identifier-naming): the driver's name.
TRIPY_DRIVER_CALL cuEventDestroy_v2(EventHandle event) {
  Call call;
  if (!call)
    return call.refusal();
  return call->events.remove(event) ? DriverResult::Success : invalidHandle;
}

TRIPY_DRIVER_CALL cuEventRecord(EventHandle event, StreamHandle stream) {
  Call call;
  if (!call)
    return call.refusal();
  if (!call->events.has(event))
    return invalidHandle;
  if (DriverResult result = call->checkStream(stream);
      result != DriverResult::Success)
    return result;
  event->recorded = true;
  event->time = now();
  return DriverResult::Success;
}

/// Work is done when the call that starts it returns.
TRIPY_DRIVER_CALL cuEventQuery(EventHandle event) {
  Call call;
  if (!call)
    return call.refusal();
  return call->events.has(event) ? DriverResult::Success : invalidHandle;
}

TRIPY_DRIVER_CALL cuEventSynchronize(EventHandle event) {
  Call call;
  if (!call)
    return call.refusal();
  return call->events.has(event) ? DriverResult::Success : invalidHandle;
}

TRIPY_DRIVER_CALL cuEventElapsedTime(float *milliseconds, EventHandle start,
                                     EventHandle end) {
  Call call;
  if (!call)
    return call.refusal();
  if (!milliseconds)
    return DriverResult::InvalidValue;
  for (EventHandle event : {start, end})
    if (!call->events.has(event) || !event->timed || !event->recorded)
      return invalidHandle;
  *milliseconds = static_cast<float>((end->time - start->time) * 1e3);
  return DriverResult::Success;
}
