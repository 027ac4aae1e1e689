//===- CudaEvent.cpp - Points in the work of streams ----------------------===//

#include "DeviceImpl.h"

#include <utility>

using namespace tripy;
using namespace tripy::cuda;

CudaScope::CudaScope(runtime::Device &device)
    : scope(std::make_unique<ContextScope>(static_cast<CudaDevice &>(device))) {
}
CudaScope::~CudaScope() = default;

Result<CudaEvent> CudaEvent::create(runtime::Device &base) {
  if (base.kind() != DeviceKind::CUDA)
    return Status(Code::DeviceMismatch, "a CUDA event needs a CUDA device");
  auto &device = static_cast<CudaDevice &>(base);
  ContextScope scope(device);
  if (!scope.status().isOk())
    return scope.status();
  CudaEvent created;
  created.device = &device;
  if (Status status = device.check(
          device.api.eventCreate(&created.event, eventDisableTiming),
          "cuEventCreate");
      !status.isOk()) {
    created.event = nullptr;
    return status;
  }
  return created;
}

CudaEvent::CudaEvent(CudaEvent &&other) noexcept { *this = std::move(other); }

CudaEvent &CudaEvent::operator=(CudaEvent &&other) noexcept {
  std::swap(device, other.device);
  std::swap(event, other.event);
  return *this;
}

CudaEvent::~CudaEvent() {
  if (!event)
    return;
  ContextScope scope(*device, ContextScope::Release);
  if (scope.mayRelease())
    device->note(device->api.eventDestroy(event));
}

Status CudaEvent::record(runtime::Stream stream) {
  ContextScope scope(*device);
  if (!scope.status().isOk())
    return scope.status();
  return device->check(device->api.eventRecord(event, device->resolve(stream)),
                       "cuEventRecord");
}

Result<bool> CudaEvent::query() {
  ContextScope scope(*device);
  if (!scope.status().isOk())
    return scope.status();
  DriverResult result = device->api.eventQuery(event);
  if (result == DriverResult::NotReady)
    return false;
  if (Status status = device->check(result, "cuEventQuery", Code::LaunchFailed);
      !status.isOk())
    return status;
  return true;
}

Status CudaEvent::synchronize() {
  ContextScope scope(*device);
  if (!scope.status().isOk())
    return scope.status();
  return device->check(device->api.eventSynchronize(event),
                       "cuEventSynchronize", Code::LaunchFailed);
}

Status CudaEvent::delay(runtime::Stream stream) {
  ContextScope scope(*device);
  if (!scope.status().isOk())
    return scope.status();
  return device->check(
      device->api.streamWaitEvent(device->resolve(stream), event, 0),
      "cuStreamWaitEvent");
}
