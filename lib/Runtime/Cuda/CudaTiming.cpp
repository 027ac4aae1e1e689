//===- CudaTiming.cpp - Timing on the GPU ---------------------------------===//

#include "DeviceImpl.h"

#include "tripy/Base/Text.h"

#include <algorithm>
#include <utility>

using namespace tripy;
using namespace tripy::cuda;

Result<CudaTimer> CudaTimer::create(runtime::Device &base) {
  if (base.kind() != DeviceKind::CUDA)
    return Status(Code::DeviceMismatch, "a CUDA timer needs a CUDA device");
  auto &device = static_cast<CudaDevice &>(base);
  ContextScope scope(device);
  if (!scope.status().isOk())
    return scope.status();
  CudaTimer timer;
  timer.device = &device;
  for (EventHandle *event : {&timer.first, &timer.last})
    if (Status status =
            device.check(device.api.eventCreate(event, 0), "cuEventCreate");
        !status.isOk()) {
      *event = nullptr;
      return status;
    }
  return timer;
}

CudaTimer::CudaTimer(CudaTimer &&other) noexcept { *this = std::move(other); }

CudaTimer &CudaTimer::operator=(CudaTimer &&other) noexcept {
  std::swap(device, other.device);
  std::swap(first, other.first);
  std::swap(last, other.last);
  return *this;
}

CudaTimer::~CudaTimer() {
  if (!device)
    return;
  ContextScope scope(*device, ContextScope::Release);
  if (!scope.mayRelease())
    return;
  for (EventHandle event : {first, last})
    if (event)
      device->api.eventDestroy(event);
}

Status CudaTimer::start(runtime::Stream stream) {
  ContextScope scope(*device);
  if (!scope.status().isOk())
    return scope.status();
  return device->check(device->api.eventRecord(first, device->resolve(stream)),
                       "cuEventRecord");
}

Status CudaTimer::stop(runtime::Stream stream) {
  ContextScope scope(*device);
  if (!scope.status().isOk())
    return scope.status();
  return device->check(device->api.eventRecord(last, device->resolve(stream)),
                       "cuEventRecord");
}

Result<double> CudaTimer::seconds() {
  ContextScope scope(*device);
  if (!scope.status().isOk())
    return scope.status();
  if (Status status = device->check(device->api.eventSynchronize(last),
                                    "cuEventSynchronize", Code::LaunchFailed);
      !status.isOk())
    return status;
  float milliseconds = 0;
  if (Status status = device->check(
          device->api.eventElapsedTime(&milliseconds, first, last),
          "cuEventElapsedTime");
      !status.isOk())
    return status;
  return static_cast<double>(milliseconds) * 1e-3;
}

/// Seconds that one copy takes.
static Result<double> timeCopy(runtime::Device &device, CudaTimer &timer,
                               void *to, const void *from, uint64_t bytes) {
  if (Status status = timer.start(nullptr); !status.isOk())
    return status;
  if (Status status = device.copyOnDevice(to, from, bytes, nullptr);
      !status.isOk())
    return status;
  if (Status status = timer.stop(nullptr); !status.isOk())
    return status;
  return timer.seconds();
}

Result<double> cuda::measureCopyBandwidth(runtime::Device &base, uint64_t bytes,
                                          uint32_t repeats) {
  Result<CudaTimer> timer = CudaTimer::create(base);
  if (!timer)
    return timer.status();
  if (bytes == 0)
    return Status(Code::InvalidArgument, "a copy to time has at least 1 byte");
  auto device = static_cast<CudaDevice &>(base).shared_from_this();
  Result<runtime::DeviceMemory> from =
      runtime::DeviceMemory::allocate(device, bytes);
  if (!from)
    return from.status();
  Result<runtime::DeviceMemory> to =
      runtime::DeviceMemory::allocate(device, bytes);
  if (!to)
    return to.status();
  double best = 0;
  for (uint32_t i = 0; i <= repeats; ++i) {
    Result<double> seconds =
        timeCopy(base, *timer, to->data(), from->data(), bytes);
    if (!seconds)
      return seconds.status();
    if (i > 0 && *seconds > 0)
      best = std::max(best, 2.0 * static_cast<double>(bytes) / *seconds);
  }
  return best;
}
