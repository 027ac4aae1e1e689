//===- DriverApi.cpp - The CUDA driver as a table of functions ------------===//

#include "tripy/Runtime/Cuda/DriverApi.h"

#include "tripy/Base/Text.h"

#include <dlfcn.h>
#include <mutex>

using namespace tripy;
using namespace tripy::cuda;

std::array<DriverSlot, driverFunctionCount> cuda::driverSlots(DriverApi &api) {
  return {{
#define TRIPY_DRIVER_FUNCTION(Member, Name, Version, Symbol)                   \
  {#Name, Version, reinterpret_cast<void **>(&api.Member)},
#include "tripy/Runtime/Cuda/DriverFunctions.def"
  }};
}

static constexpr const char *whatToDo =
    "install the NVIDIA driver, version 550 or later, or run on the CPU: "
    "compile with --target=cpu and run with --device=cpu";

Status cuda::driverTooOld(int version) {
  auto text = [](int v) { return concat(v / 1000, ".", v % 1000 / 10); };
  return Status(Code::DriverTooOld,
                concat("the NVIDIA driver supports CUDA ", text(version),
                       ", Tripy needs ", text(minDriverVersion),
                       " or later: ", whatToDo));
}

/// Says which of the two reasons it is that `symbol` is not in the driver.
static Status missingFunction(void *library, const char *symbol) {
  using GetVersion = DriverResult(int *);
  auto *getVersion =
      reinterpret_cast<GetVersion *>(dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  if (getVersion && getVersion(&version) == DriverResult::Success &&
      version < minDriverVersion)
    return driverTooOld(version);
  return Status(Code::DriverMissing,
                concat("libcuda has no function ", symbol,
                       ", so it is not a usable NVIDIA driver: ", whatToDo));
}

Result<DriverApi> cuda::loadDriver(const char *name) {
  // Never closed: the driver does not survive being unloaded.
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return Status(Code::DriverMissing,
                  concat("no NVIDIA driver was found (",
                         printable(reason ? reason : "no reason given", 200),
                         "): ", whatToDo));
  }
  using GetProcAddress =
      DriverResult(const char *, void **, int, uint64_t, int *);
  auto *getProcAddress =
      reinterpret_cast<GetProcAddress *>(dlsym(library, "cuGetProcAddress_v2"));
  if (!getProcAddress)
    return missingFunction(library, "cuGetProcAddress_v2");
  DriverApi api = {};
  for (const DriverSlot &slot : driverSlots(api)) {
    int found = 0;
    DriverResult result =
        getProcAddress(slot.name, slot.place, slot.version, 0, &found);
    if (result != DriverResult::Success || !*slot.place)
      return missingFunction(library, slot.name);
  }
  return api;
}

Result<const DriverApi *> cuda::systemDriver() {
  static std::mutex mutex;
  static DriverApi driver;
  static bool found = false;
  std::lock_guard lock(mutex);
  if (found)
    return &driver;
  // A failure is not kept: it may have been for want of memory.
  Result<DriverApi> loaded = loadDriver("libcuda.so.1");
  if (!loaded)
    return loaded.status();
  driver = *loaded;
  found = true;
  return &driver;
}

bool cuda::isSticky(DriverResult result) {
  switch (result) {
  case DriverResult::Deinitialized:
  case DriverResult::DeviceUnavailable:
  case DriverResult::EccUncorrectable:
  case DriverResult::NvlinkUncorrectable:
  case DriverResult::Contained:
  case DriverResult::IllegalAddress:
  case DriverResult::LaunchTimeout:
  case DriverResult::ContextDestroyed:
  case DriverResult::Assert:
  case DriverResult::HardwareStackError:
  case DriverResult::IllegalInstruction:
  case DriverResult::MisalignedAddress:
  case DriverResult::InvalidAddressSpace:
  case DriverResult::InvalidPc:
  case DriverResult::LaunchFailed:
    return true;
  default:
    return false;
  }
}

std::string cuda::describe(const DriverApi &api, DriverResult result) {
  const char *name = nullptr, *text = nullptr;
  std::string out;
  if (api.getErrorName(result, &name) == DriverResult::Success && name)
    out = printable(name);
  else
    out = concat("CUDA error ", static_cast<int32_t>(result));
  if (api.getErrorString(result, &text) == DriverResult::Success && text)
    out += concat(" (", printable(text, 200), ")");
  return out;
}
