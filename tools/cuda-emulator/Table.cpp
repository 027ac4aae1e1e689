//===- Table.cpp - The driver's functions by name -------------------------===//

#include "Driver.h"

#include <string_view>

using namespace tripy::cuda;
using namespace tripy::emulatordriver;

// Defined in the other files; none has a header, as the runtime finds them
// through cuGetProcAddress.
#define TRIPY_DECLARE(Member, Name)                                            \
  extern "C" std::remove_pointer_t<decltype(DriverApi::Member)> Name;
#define TRIPY_DRIVER_FUNCTIONS(X)                                              \
  X(init, cuInit)                                                              \
  X(driverGetVersion, cuDriverGetVersion)                                      \
  X(getErrorName, cuGetErrorName)                                              \
  X(getErrorString, cuGetErrorString)                                          \
  X(deviceGetCount, cuDeviceGetCount)                                          \
  X(deviceGet, cuDeviceGet)                                                    \
  X(deviceGetName, cuDeviceGetName)                                            \
  X(deviceGetAttribute, cuDeviceGetAttribute)                                  \
  X(devicePrimaryCtxRetain, cuDevicePrimaryCtxRetain)                          \
  X(devicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)                     \
  X(ctxGetCurrent, cuCtxGetCurrent)                                            \
  X(ctxPushCurrent, cuCtxPushCurrent_v2)                                       \
  X(ctxPopCurrent, cuCtxPopCurrent_v2)                                         \
  X(memGetInfo, cuMemGetInfo_v2)                                               \
  X(memAlloc, cuMemAlloc_v2)                                                   \
  X(memFree, cuMemFree_v2)                                                     \
  X(memHostAlloc, cuMemHostAlloc)                                              \
  X(memFreeHost, cuMemFreeHost)                                                \
  X(memcpyHtoDAsync, cuMemcpyHtoDAsync_v2)                                     \
  X(memcpyDtoHAsync, cuMemcpyDtoHAsync_v2)                                     \
  X(memcpyDtoDAsync, cuMemcpyDtoDAsync_v2)                                     \
  X(memcpyAsync, cuMemcpyAsync)                                                \
  X(memsetD16Async, cuMemsetD16Async)                                          \
  X(memsetD32Async, cuMemsetD32Async)                                          \
  X(memHostRegister, cuMemHostRegister_v2)                                     \
  X(memHostUnregister, cuMemHostUnregister)                                    \
  X(moduleLoadDataEx, cuModuleLoadDataEx)                                      \
  X(moduleUnload, cuModuleUnload)                                              \
  X(moduleGetFunction, cuModuleGetFunction)                                    \
  X(funcGetAttribute, cuFuncGetAttribute)                                      \
  X(funcSetAttribute, cuFuncSetAttribute)                                      \
  X(funcGetParamInfo, cuFuncGetParamInfo)                                      \
  X(launchKernelEx, cuLaunchKernelEx)                                          \
  X(streamCreate, cuStreamCreate)                                              \
  X(streamDestroy, cuStreamDestroy_v2)                                         \
  X(streamSynchronize, cuStreamSynchronize)                                    \
  X(streamIsCapturing, cuStreamIsCapturing)                                    \
  X(streamBeginCapture, cuStreamBeginCapture_v2)                               \
  X(streamEndCapture, cuStreamEndCapture)                                      \
  X(streamWaitEvent, cuStreamWaitEvent)                                        \
  X(eventCreate, cuEventCreate)                                                \
  X(eventDestroy, cuEventDestroy_v2)                                           \
  X(eventRecord, cuEventRecord)                                                \
  X(eventSynchronize, cuEventSynchronize)                                      \
  X(eventElapsedTime, cuEventElapsedTime)                                      \
  X(graphCreate, cuGraphCreate)                                                \
  X(graphDestroy, cuGraphDestroy)                                              \
  X(graphAddKernelNode, cuGraphAddKernelNode_v2)                               \
  X(graphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute)                \
  X(graphAddDependencies, cuGraphAddDependencies_v2)                           \
  X(graphInstantiate, cuGraphInstantiateWithFlags)                             \
  X(graphExecDestroy, cuGraphExecDestroy)                                      \
  X(graphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2)           \
  X(graphLaunch, cuGraphLaunch)                                                \
  X(tensorMapEncodeTiled, cuTensorMapEncodeTiled)

TRIPY_DRIVER_FUNCTIONS(TRIPY_DECLARE)

/// The functions in the order of the runtime's table.
static DriverApi makeTable() {
  DriverApi api = {};
#define TRIPY_SET(Member, Name) api.Member = Name;
  TRIPY_DRIVER_FUNCTIONS(TRIPY_SET)
  return api;
}

TRIPY_DRIVER_CALL cuGetProcAddress_v2(const char *symbol, void **function,
                                      int version, uint64_t, int *status) {
  /// CUdriverProcAddressQueryResult.
  enum { Found = 0, NoSuchSymbol = 1, VersionTooLow = 2 };
  static DriverApi api = makeTable();
  if (!symbol || !function)
    return DriverResult::InvalidValue;
  *function = nullptr;
  int answer = NoSuchSymbol;
  // The names and versions that the runtime asks for are those there are.
  for (const DriverSlot &slot : driverSlots(api))
    if (std::string_view(slot.name) == symbol) {
      answer = version < slot.version ? VersionTooLow : Found;
      if (answer == Found)
        *function = *slot.place;
    }
  if (status)
    *status = answer;
  return answer == Found ? DriverResult::Success : DriverResult::NotFound;
}
