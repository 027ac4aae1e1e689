//===- Device.cpp - Devices, contexts and errors of the emulator ----------===//

#include "Driver.h"

#include "tripy/Base/Text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::emulatordriver;

//===-- state -------------------------------------------------------------===//

Driver &Driver::get() {
  static auto *driver = new Driver;
  return *driver;
}

void Driver::report(const std::string &text) {
  if (reported.insert(text).second)
    std::fprintf(stderr, "%s: %s\n", deviceName, text.c_str());
}

bool Driver::hasStream(StreamHandle stream) const {
  // 0, 1 and 2 are the default streams.
  return reinterpret_cast<uintptr_t>(stream) <= 2 || streams.has(stream);
}

bool Driver::hasFunction(FunctionHandle function) const {
  for (const auto &[handle, module] : modules)
    for (const auto &[name, made] : module->functions)
      if (made.get() == function)
        return true;
  return false;
}

emulatordriver::ContextStack &emulatordriver::contextStack() {
  static constinit thread_local ContextStack stack = {};
  return stack;
}

Call::Call(Needs needs) : driver(Driver::get()), lock(driver.mutex) {
  if (needs == NeedsContext)
    driver.flush();
  if (!driver.initialized)
    result = DriverResult::NotInitialized;
  else if (driver.stuck != DriverResult::Success)
    result = driver.stuck;
  else if (needs != NeedsDriver &&
           (contextStack().empty() || !contextStack().back() ||
            driver.contextUses == 0))
    result = DriverResult::InvalidContext;
}

//===-- start -------------------------------------------------------------===//

/// Half of the machine's memory: what is left is for the host's side.
static uint64_t memoryLimit() {
  long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0)
    return uint64_t(4) << 30;
  return static_cast<uint64_t>(pages) * static_cast<uint64_t>(bytes) / 2;
}

TRIPY_DRIVER_CALL cuInit(unsigned flags) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  if (flags != 0)
    return DriverResult::InvalidValue;
  if (driver.initialized)
    return DriverResult::Success;
  Result<Machine> machine = Machine::fromEnvironment();
  if (!machine) {
    driver.report(machine.status().message());
    return DriverResult::NoDevice;
  }
  driver.machine = *machine;
  driver.memoryBytes = memoryLimit();
  driver.initialized = true;
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuDriverGetVersion(int *version) {
  if (!version)
    return DriverResult::InvalidValue;
  *version = driverVersion;
  return DriverResult::Success;
}

//===-- errors ------------------------------------------------------------===//

namespace {
struct ErrorText {
  DriverResult result;
  const char *name, *text;
};
} // namespace

static const ErrorText *findError(DriverResult result) {
  using R = DriverResult;
  static const ErrorText texts[] = {
      {R::Success, "CUDA_SUCCESS", "no error"},
      {R::InvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
      {R::OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
      {R::NotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "cuInit comes first"},
      {R::NoDevice, "CUDA_ERROR_NO_DEVICE", "there is no device"},
      {R::InvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "no such device"},
      {R::InvalidImage, "CUDA_ERROR_INVALID_IMAGE", "the code is damaged"},
      {R::InvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "no current context"},
      {R::NoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU",
       "no code for this device"},
      {R::InvalidPtx, "CUDA_ERROR_INVALID_PTX", "the PTX cannot be compiled"},
      {invalidHandle, "CUDA_ERROR_INVALID_HANDLE", "no such object"},
      {R::NotFound, "CUDA_ERROR_NOT_FOUND", "no such name"},
      {R::IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS",
       "a kernel used an address outside of all allocations"},
      {R::LaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
       "the kernel needs more than a block may have"},
      {R::LaunchTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT",
       "a kernel ran for too long"},
      {R::IllegalInstruction, "CUDA_ERROR_ILLEGAL_INSTRUCTION",
       "a kernel used an instruction that the device lacks"},
      {R::MisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS",
       "a kernel used an address that is not aligned"},
      {R::LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "a kernel went wrong"},
      {notSupported, "CUDA_ERROR_NOT_SUPPORTED", "not supported"},
      {invalidClusterSize, "CUDA_ERROR_INVALID_CLUSTER_SIZE",
       "the cluster does not fit the device or the grid"},
  };
  for (const ErrorText &row : texts)
    if (row.result == result)
      return &row;
  return nullptr;
}

TRIPY_DRIVER_CALL cuGetErrorName(DriverResult result, const char **name) {
  const ErrorText *row = findError(result);
  if (name)
    *name = row ? row->name : nullptr;
  return row && name ? DriverResult::Success : DriverResult::InvalidValue;
}

TRIPY_DRIVER_CALL cuGetErrorString(DriverResult result, const char **text) {
  const ErrorText *row = findError(result);
  if (text)
    *text = row ? row->text : nullptr;
  return row && text ? DriverResult::Success : DriverResult::InvalidValue;
}

//===-- devices -----------------------------------------------------------===//

TRIPY_DRIVER_CALL cuDeviceGetCount(int *count) {
  Call call(Call::NeedsDriver);
  if (!call)
    return call.refusal();
  *count = 1;
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuDeviceGet(DeviceId *device, int ordinal) {
  Call call(Call::NeedsDriver);
  if (!call)
    return call.refusal();
  if (ordinal != 0)
    return DriverResult::InvalidDevice;
  *device = 0;
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuDeviceGetName(char *name, int length, DeviceId device) {
  Call call(Call::NeedsDriver);
  if (!call)
    return call.refusal();
  if (device != 0)
    return DriverResult::InvalidDevice;
  if (!name || length <= 0)
    return DriverResult::InvalidValue;
  size_t size = std::min(std::strlen(deviceName), size_t(length - 1));
  std::memcpy(name, deviceName, size);
  name[size] = 0;
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuDeviceGetAttribute(int *value, DeviceAttribute attribute,
                                       DeviceId device) {
  Call call(Call::NeedsDriver);
  if (!call)
    return call.refusal();
  if (device != 0)
    return DriverResult::InvalidDevice;
  std::optional<int> found =
      call->machine.attribute(static_cast<int>(attribute));
  if (!found || !value)
    return DriverResult::InvalidValue;
  *value = *found;
  return DriverResult::Success;
}

//===-- contexts ----------------------------------------------------------===//

void Driver::createContext() {
  memory = std::make_unique<emulator::Memory>();
  memory->setLimit(memoryBytes);
}

void Driver::destroyContext() {
  execs.clear();
  graphs.clear();
  events.clear();
  streams.clear();
  modules.clear();
  for (void *buffer : pinned)
    std::free(buffer);
  pinned.clear();
  memory.reset();
}

TRIPY_DRIVER_CALL cuDevicePrimaryCtxRetain(ContextHandle *context,
                                           DeviceId device) {
  Call call(Call::NeedsDriver);
  if (!call)
    return call.refusal();
  if (device != 0)
    return DriverResult::InvalidDevice;
  if (call->contextUses++ == 0)
    call->createContext();
  *context = &call->primary;
  return DriverResult::Success;
}

// NOLINTNEXTLINE(readability-identifier-naming): the driver's name.
TRIPY_DRIVER_CALL cuDevicePrimaryCtxRelease_v2(DeviceId device) {
  Call call(Call::NeedsDriver);
  if (device != 0)
    return DriverResult::InvalidDevice;
  if (call->contextUses == 0)
    return DriverResult::InvalidContext;
  if (--call->contextUses == 0) {
    call->flush();
    call->destroyContext();
  }
  return call.refusal();
}

TRIPY_DRIVER_CALL cuCtxGetCurrent(ContextHandle *context) {
  Call call(Call::NeedsDriver);
  if (!call)
    return call.refusal();
  *context = contextStack().empty() ? nullptr : contextStack().back();
  return DriverResult::Success;
}

// NOLINTNEXTLINE(readability-identifier-naming): the driver's name.
TRIPY_DRIVER_CALL cuCtxPushCurrent_v2(ContextHandle context) {
  Call call(Call::NeedsDriver);
  if (!call)
    return call.refusal();
  if (context != &call->primary || call->contextUses == 0)
    return DriverResult::InvalidContext;
  return contextStack().push(context) ? DriverResult::Success
                                      : DriverResult::OutOfMemory;
}

// NOLINTNEXTLINE(readability-identifier-naming): the driver's name.
TRIPY_DRIVER_CALL cuCtxPopCurrent_v2(ContextHandle *context) {
  Call call(Call::NeedsDriver);
  if (contextStack().empty())
    return DriverResult::InvalidContext;
  if (context)
    *context = contextStack().back();
  contextStack().pop();
  return call.refusal();
}
