//===- CudaDevice.cpp - The CUDA device: memory, copies, streams ----------===//

#include "../NoThrow.h"
#include "DeviceImpl.h"

#include "tripy/Base/Text.h"

#include <cstdlib>
#include <cstring>

using namespace tripy;
using namespace tripy::cuda;
using runtime::Stream;

static DevicePointer toPointer(const void *address) {
  return reinterpret_cast<DevicePointer>(address);
}

//===-- errors ------------------------------------------------------------===//

Status CudaDevice::lost() const {
  auto result =
      static_cast<DriverResult>(lostTo.load(std::memory_order_relaxed));
  return Status(Code::ContextLost,
                concat("GPU ", number, " was lost to ", describe(api, result),
                       " and cannot be used again by this process: start "
                       "it anew"));
}

Status CudaDevice::forked() const {
  return Status(Code::ContextLost,
                concat("GPU ", number,
                       " was opened before fork(), which CUDA "
                       "does not survive: use it in the process that opened "
                       "it, or fork before CUDA is used"));
}

Status CudaDevice::failure(DriverResult result, std::string_view call,
                           Code otherwise) {
  if (isSticky(result)) {
    note(result);
    return std::move(lost()).withContext(call);
  }
  switch (result) {
  case DriverResult::NoDevice:
    return noDevice();
  case DriverResult::OutOfMemory:
    return Status(Code::DeviceOutOfMemory,
                  concat(call, ": GPU ", number, " is out of memory"));
  case DriverResult::StubLibrary:
  case DriverResult::SystemDriverMismatch:
    return Status(Code::DriverMissing,
                  concat(call, ": ", describe(api, result),
                         ": install the driver that belongs to the kernel "
                         "module, or run on the CPU with --device=cpu"));
  default:
    return Status(otherwise, concat(call, " failed: ", describe(api, result)));
  }
}

Status CudaDevice::noDevice() const {
  const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible)
    return Status(Code::NotFound,
                  concat("there is no GPU to be seen, CUDA_VISIBLE_DEVICES is "
                         "'",
                         printable(visible),
                         "': unset it, or run on the CPU with --device=cpu"));
  return Status(Code::NotFound,
                "the NVIDIA driver finds no GPU on this machine: run on the "
                "CPU with --device=cpu");
}

Status CudaDevice::outOfMemory(uint64_t bytes) {
  size_t available = 0, total = 0;
  if (api.memGetInfo(&available, &total) != DriverResult::Success)
    return Status(
        Code::DeviceOutOfMemory,
        concat("GPU ", number, " has no room for ", formatBytes(bytes)));
  return Status(Code::DeviceOutOfMemory,
                concat("GPU ", number, " has no room for ", formatBytes(bytes),
                       ": ", formatBytes(available), " of ", formatBytes(total),
                       " are free"));
}

//===-- context -----------------------------------------------------------===//

thread_local ContextScope *ContextScope::innermost = nullptr;

ContextScope::ContextScope(CudaDevice &device, Purpose purpose)
    : device(device), outer(innermost) {
  innermost = this;
  if (purpose == Work)
    entered = device.alive();
  if (entered.isOk() && !device.isForked())
    enter(purpose);
}

void ContextScope::enter(Purpose purpose) {
  if (outer && &outer->device == &device && outer->isCurrent) {
    isCurrent = true;
    return;
  }
  ContextHandle current = nullptr;
  DriverResult result = device.api.ctxGetCurrent(&current);
  isCurrent = result == DriverResult::Success && current == device.context;
  if (isCurrent)
    return;
  // Tried twice: after a temporary failure, what this scope releases would
  // leak.
  for (int attempt = 0; attempt < 2 && !pushed && !isSticky(result);
       ++attempt) {
    result = device.api.ctxPushCurrent(device.context);
    pushed = result == DriverResult::Success;
  }
  isCurrent = pushed;
  if (!pushed && purpose == Work)
    entered = device.check(result, "cuCtxPushCurrent");
  else if (!pushed)
    device.note(result);
}

ContextScope::~ContextScope() {
  innermost = outer;
  ContextHandle previous = nullptr;
  if (pushed)
    device.api.ctxPopCurrent(&previous);
}

//===-- life --------------------------------------------------------------===//

Status CudaDevice::findDevice(DeviceId &device) {
  int version = 0;
  if (Status status =
          check(api.driverGetVersion(&version), "cuDriverGetVersion");
      !status.isOk())
    return status;
  if (version < minDriverVersion)
    return driverTooOld(version);
  // The driver does not work in a child of a process that has initialized it.
  static std::atomic<int64_t> initializedBy = -1;
  int64_t initializer = -1;
  if (!initializedBy.compare_exchange_strong(initializer,
                                             runtime::forkGeneration()) &&
      initializer != int64_t(runtime::forkGeneration()))
    return forked();
  if (Status status = check(api.init(0), "cuInit"); !status.isOk())
    return status;
  int count = 0;
  if (Status status = check(api.deviceGetCount(&count), "cuDeviceGetCount");
      !status.isOk())
    return status;
  if (count <= 0)
    return noDevice();
  if (number < 0 || number >= count)
    return Status(Code::NotFound,
                  concat("there is no GPU ", number, ": the driver shows ",
                         count, count == 1 ? " GPU, number 0" : " GPUs"));
  return check(api.deviceGet(&device, number), "cuDeviceGet");
}

Status CudaDevice::readLimits(DeviceId device) {
  struct Wanted {
    DeviceAttribute attribute;
    int *place;
  };
  const Wanted wanted[] = {
      {DeviceAttribute::ComputeMajor, &limits.computeMajor},
      {DeviceAttribute::ComputeMinor, &limits.computeMinor},
      {DeviceAttribute::MaxThreadsPerBlock, &limits.maxThreads},
      {DeviceAttribute::MaxSharedPerBlockOptin, &limits.maxShared},
      {DeviceAttribute::ClusterLaunch, &limits.clusters},
  };
  for (const Wanted &w : wanted)
    if (Status status =
            check(api.deviceGetAttribute(w.place, w.attribute, device),
                  "cuDeviceGetAttribute");
        !status.isOk())
      return status;
  char text[256] = {};
  if (Status status = check(api.deviceGetName(text, sizeof(text) - 1, device),
                            "cuDeviceGetName");
      !status.isOk())
    return status;
  model = printable(text);
  return Status::ok();
}

Status CudaDevice::find() {
  if (Status status = findDevice(id); !status.isOk())
    return status;
  return readLimits(id);
}

Status CudaDevice::open() {
  if (Status status = find(); !status.isOk())
    return status;
  if (Status status = check(api.devicePrimaryCtxRetain(&context, id),
                            "cuDevicePrimaryCtxRetain");
      !status.isOk()) {
    context = nullptr;
    return status;
  }
  ContextScope scope(*this);
  if (!scope.status().isOk())
    return scope.status();
  return check(api.streamCreate(&ownStream, streamOrderedWithDefault),
               "cuStreamCreate");
}

CudaDevice::~CudaDevice() {
  if (!context || isForked())
    return;
  {
    ContextScope scope(*this, ContextScope::Release);
    staging.release();
    slots.release();
    if (ownStream)
      api.streamDestroy(ownStream);
  }
  api.devicePrimaryCtxRelease(id);
}

Result<std::shared_ptr<runtime::Device>>
cuda::createCudaDevice(const DriverApi &api, int32_t ordinal,
                       const CudaOptions &options) {
  using Created = Result<std::shared_ptr<runtime::Device>>;
  return runtime::withoutExceptions("for a device", [&]() -> Created {
    auto device = std::make_shared<CudaDevice>(api, ordinal, options);
    if (Status status = device->open(); !status.isOk())
      return status;
    return std::shared_ptr<runtime::Device>(std::move(device));
  });
}

Status cuda::findCudaDevice(int32_t ordinal) {
  return runtime::withoutExceptions("for a device", [&]() -> Status {
    Result<const DriverApi *> api = systemDriver();
    if (!api)
      return api.status();
    return CudaDevice(**api, ordinal, {}).find();
  });
}

Result<std::shared_ptr<runtime::Device>>
runtime::createCudaDevice(int32_t ordinal) {
  using Created = Result<std::shared_ptr<runtime::Device>>;
  return withoutExceptions("for a device", [&]() -> Created {
    Result<const DriverApi *> api = systemDriver();
    if (!api)
      return api.status();
    return cuda::createCudaDevice(**api, ordinal);
  });
}

//===-- memory ------------------------------------------------------------===//

Result<void *> CudaDevice::allocate(uint64_t bytes) {
  ContextScope scope(*this);
  if (!scope.status().isOk())
    return scope.status();
  DevicePointer pointer = 0;
  // Code may read all of an aligned word of 16 bytes to use the first of them.
  constexpr uint64_t word = 16;
  if (bytes <= UINT64_MAX - word)
    bytes = (bytes + word - 1) / word * word;
  DriverResult result = api.memAlloc(&pointer, bytes);
  if (result == DriverResult::OutOfMemory)
    return outOfMemory(bytes);
  if (Status status = check(result, "cuMemAlloc"); !status.isOk())
    return status;
  return reinterpret_cast<void *>(pointer);
}

void CudaDevice::free(void *address) {
  ContextScope scope(*this, ContextScope::Release);
  if (scope.mayRelease())
    note(api.memFree(toPointer(address)));
}

Status CudaDevice::copyToDevice(void *to, const void *from, uint64_t bytes,
                                Stream stream) {
  if (bytes == 0)
    return alive();
  ContextScope scope(*this);
  if (!scope.status().isOk())
    return scope.status();
  if (bytes > Staging::threshold)
    return staging.toDevice(toPointer(to), static_cast<const uint8_t *>(from),
                            bytes, resolve(stream));
  return check(api.memcpyHtoDAsync(toPointer(to), from, bytes, resolve(stream)),
               "cuMemcpyHtoDAsync");
}

Status CudaDevice::copyToHost(void *to, const void *from, uint64_t bytes,
                              Stream stream) {
  if (bytes == 0)
    return alive();
  ContextScope scope(*this);
  if (!scope.status().isOk())
    return scope.status();
  if (bytes > Staging::threshold)
    return staging.toHost(static_cast<uint8_t *>(to), toPointer(from), bytes,
                          resolve(stream));
  return check(api.memcpyDtoHAsync(to, toPointer(from), bytes, resolve(stream)),
               "cuMemcpyDtoHAsync");
}

Status CudaDevice::read(void *to, const void *from, uint64_t bytes,
                        Stream stream) {
  ContextScope scope(*this);
  if (!scope.status().isOk())
    return scope.status();
  void *slot =
      bytes > 0 && bytes <= Staging::threshold ? slots.take() : nullptr;
  if (!slot)
    return Device::read(to, from, bytes, stream);
  Status status =
      check(api.memcpyDtoHAsync(slot, toPointer(from), bytes, resolve(stream)),
            "cuMemcpyDtoHAsync");
  if (status.isOk())
    status = synchronize(stream);
  // After a failure nobody knows whether the copy still comes.
  if (!status.isOk())
    return status;
  std::memcpy(to, slot, bytes);
  slots.giveBack(slot);
  return status;
}

Status CudaDevice::copyOnDevice(void *to, const void *from, uint64_t bytes,
                                Stream stream) {
  if (bytes == 0)
    return alive();
  ContextScope scope(*this);
  if (!scope.status().isOk())
    return scope.status();
  return check(api.memcpyDtoDAsync(toPointer(to), toPointer(from), bytes,
                                   resolve(stream)),
               "cuMemcpyDtoDAsync");
}

//===-- streams -----------------------------------------------------------===//

Result<Stream> CudaDevice::createStream() {
  ContextScope scope(*this);
  if (!scope.status().isOk())
    return scope.status();
  StreamHandle stream = nullptr;
  if (Status status = check(api.streamCreate(&stream, streamOrderedWithDefault),
                            "cuStreamCreate");
      !status.isOk())
    return status;
  return static_cast<Stream>(stream);
}

void CudaDevice::destroyStream(Stream stream) {
  if (!stream)
    return;
  ContextScope scope(*this, ContextScope::Release);
  if (scope.mayRelease())
    note(api.streamDestroy(static_cast<StreamHandle>(stream)));
}

Status CudaDevice::synchronize(Stream stream) {
  ContextScope scope(*this);
  if (!scope.status().isOk())
    return scope.status();
  return check(api.streamSynchronize(resolve(stream)), "cuStreamSynchronize",
               Code::LaunchFailed);
}
