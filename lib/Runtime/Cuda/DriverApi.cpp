//===- DriverApi.cpp - The CUDA driver as a table of functions ------------===//

#include "tripy/Runtime/Cuda/DriverApi.h"

#include "tripy/Base/Text.h"

#include <dlfcn.h>

using namespace tripy;
using namespace tripy::cuda;

template <typename Function>
static DriverSlot slot(const char *name, int version, Function *&member) {
  return {name, version, reinterpret_cast<void **>(&member)};
}

std::array<DriverSlot, 55> cuda::driverSlots(DriverApi &api) {
  return {{
      slot("cuInit", 2000, api.init),
      slot("cuDriverGetVersion", 2020, api.driverGetVersion),
      slot("cuGetErrorName", 6000, api.getErrorName),
      slot("cuGetErrorString", 6000, api.getErrorString),
      slot("cuDeviceGetCount", 2000, api.deviceGetCount),
      slot("cuDeviceGet", 2000, api.deviceGet),
      slot("cuDeviceGetName", 2000, api.deviceGetName),
      slot("cuDeviceGetAttribute", 2000, api.deviceGetAttribute),
      slot("cuDevicePrimaryCtxRetain", 7000, api.devicePrimaryCtxRetain),
      slot("cuDevicePrimaryCtxRelease", 11000, api.devicePrimaryCtxRelease),
      slot("cuCtxGetCurrent", 4000, api.ctxGetCurrent),
      slot("cuCtxPushCurrent", 4000, api.ctxPushCurrent),
      slot("cuCtxPopCurrent", 4000, api.ctxPopCurrent),
      slot("cuMemGetInfo", 3020, api.memGetInfo),
      slot("cuMemAlloc", 3020, api.memAlloc),
      slot("cuMemFree", 3020, api.memFree),
      slot("cuMemHostAlloc", 2020, api.memHostAlloc),
      slot("cuMemFreeHost", 2000, api.memFreeHost),
      slot("cuMemcpyHtoDAsync", 3020, api.memcpyHtoDAsync),
      slot("cuMemcpyDtoHAsync", 3020, api.memcpyDtoHAsync),
      slot("cuMemcpyDtoDAsync", 3020, api.memcpyDtoDAsync),
      slot("cuMemcpyAsync", 4000, api.memcpyAsync),
      slot("cuMemsetD16Async", 3020, api.memsetD16Async),
      slot("cuMemsetD32Async", 3020, api.memsetD32Async),
      slot("cuMemHostRegister", 6050, api.memHostRegister),
      slot("cuMemHostUnregister", 4000, api.memHostUnregister),
      slot("cuModuleLoadDataEx", 2010, api.moduleLoadDataEx),
      slot("cuModuleUnload", 2000, api.moduleUnload),
      slot("cuModuleGetFunction", 2000, api.moduleGetFunction),
      slot("cuFuncGetAttribute", 2020, api.funcGetAttribute),
      slot("cuFuncSetAttribute", 9000, api.funcSetAttribute),
      slot("cuFuncGetParamInfo", 12040, api.funcGetParamInfo),
      slot("cuLaunchKernelEx", 11060, api.launchKernelEx),
      slot("cuStreamCreate", 2000, api.streamCreate),
      slot("cuStreamDestroy", 4000, api.streamDestroy),
      slot("cuStreamSynchronize", 2000, api.streamSynchronize),
      slot("cuStreamIsCapturing", 10000, api.streamIsCapturing),
      slot("cuStreamBeginCapture", 10010, api.streamBeginCapture),
      slot("cuStreamEndCapture", 10000, api.streamEndCapture),
      slot("cuStreamWaitEvent", 3020, api.streamWaitEvent),
      slot("cuEventCreate", 2000, api.eventCreate),
      slot("cuEventDestroy", 4000, api.eventDestroy),
      slot("cuEventRecord", 2000, api.eventRecord),
      slot("cuEventSynchronize", 2000, api.eventSynchronize),
      slot("cuEventElapsedTime", 2000, api.eventElapsedTime),
      slot("cuGraphCreate", 10000, api.graphCreate),
      slot("cuGraphDestroy", 10000, api.graphDestroy),
      slot("cuGraphAddKernelNode", 12000, api.graphAddKernelNode),
      slot("cuGraphKernelNodeSetAttribute", 11000,
           api.graphKernelNodeSetAttribute),
      slot("cuGraphAddDependencies", 12030, api.graphAddDependencies),
      slot("cuGraphInstantiateWithFlags", 11040, api.graphInstantiate),
      slot("cuGraphExecDestroy", 10000, api.graphExecDestroy),
      slot("cuGraphExecKernelNodeSetParams", 12000,
           api.graphExecKernelNodeSetParams),
      slot("cuGraphLaunch", 10000, api.graphLaunch),
      slot("cuTensorMapEncodeTiled", 12000, api.tensorMapEncodeTiled),
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
  // A driver that was missing once is not looked for again: it does not
  // appear while a process runs.
  static const Result<DriverApi> driver = loadDriver("libcuda.so.1");
  if (!driver)
    return driver.status();
  return &*driver;
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
    out = name;
  else
    out = concat("CUDA error ", static_cast<int32_t>(result));
  if (api.getErrorString(result, &text) == DriverResult::Success && text)
    out += concat(" (", text, ")");
  return out;
}
