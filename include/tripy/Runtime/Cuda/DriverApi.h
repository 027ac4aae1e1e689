//===- DriverApi.h - The CUDA driver as a table of functions ----*- C++ -*-===//
//
// Everything that the runtime asks of the CUDA driver, as one table that is
// filled from libcuda at run time. The few types of the driver's interface are
// declared here, so that the runtime builds without CUDA and runs without a
// driver; tests put a fake in the table's place. Depends on Base only; used by
// Runtime/Cuda, tools and tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_CUDA_DRIVERAPI_H
#define TRIPY_RUNTIME_CUDA_DRIVERAPI_H

#include "tripy/Base/Status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tripy::cuda {

/// CUDA versions as the driver counts them: 1000 * major + 10 * minor.
/// 12.4 is the first driver with everything in the table.
inline constexpr int minDriverVersion = 12040;

/// The driver's result codes that the runtime distinguishes; others are kept as
/// numbers.
enum class DriverResult : int32_t {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  StubLibrary = 34,
  DeviceUnavailable = 46,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  EccUncorrectable = 214,
  InvalidPtx = 218,
  NvlinkUncorrectable = 220,
  JitCompilerNotFound = 221,
  UnsupportedPtxVersion = 222,
  JitDisabled = 223,
  Contained = 226,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  ContextDestroyed = 709,
  Assert = 710,
  HardwareStackError = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidPc = 718,
  LaunchFailed = 719,
  SystemDriverMismatch = 803,
  Unknown = 999,
};

using DevicePointer = uint64_t;
using DeviceId = int;
using ContextHandle = struct OpaqueContext *;
using ModuleHandle = struct OpaqueModule *;
using FunctionHandle = struct OpaqueFunction *;
using StreamHandle = struct OpaqueStream *;
using EventHandle = struct OpaqueEvent *;
using GraphHandle = struct OpaqueGraph *;
using GraphNodeHandle = struct OpaqueGraphNode *;
using GraphExecHandle = struct OpaqueGraphExec *;

/// CUdevice_attribute.
enum class DeviceAttribute : int32_t {
  MaxThreadsPerBlock = 1,
  MaxGridX = 5,
  MaxGridY = 6,
  MaxGridZ = 7,
  ClockRate = 13, ///< kHz
  MultiprocessorCount = 16,
  MemoryClockRate = 36,      ///< kHz
  GlobalMemoryBusWidth = 37, ///< bits
  ComputeMajor = 75,
  ComputeMinor = 76,
  MaxSharedPerBlockOptin = 97,
  ClusterLaunch = 120,
};

/// CUfunction_attribute.
enum class FunctionAttribute : int32_t {
  MaxThreadsPerBlock = 0,
  SharedBytes = 1,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
  NonPortableClusterAllowed = 14,
};

/// CUlaunchAttributeID.
enum class LaunchAttributeId : int32_t {
  ClusterDimension = 4,
  ProgrammaticStreamSerialization = 6,
};

/// CUlaunchAttributeValue: 64 bytes.
union LaunchAttributeValue {
  char pad[64];
  struct {
    unsigned x, y, z;
  } clusterDim;
  int programmaticStreamSerializationAllowed;
};

/// CUlaunchAttribute.
struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[4];
  LaunchAttributeValue value;
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56);

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNodeParams {
  FunctionHandle function;
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  void **params;
  void **extra;
  void *kernel;
  ContextHandle context;
};
static_assert(sizeof(KernelNodeParams) == 72);

/// CUgraphEdgeData. Port 1 of type 1 lets the later kernel start before the
/// earlier one ended.
struct GraphEdgeData {
  unsigned char fromPort, toPort, type, reserved[5];
};
static_assert(sizeof(GraphEdgeData) == 8);

/// CUtensorMap.
struct alignas(128) TensorMapValue {
  uint64_t opaque[16];
};

/// CUjit_option.
enum class JitOption : int32_t {
  ErrorLogBuffer = 5,
  ErrorLogBufferBytes = 6,
};

/// CUstream_flags: whether a stream synchronizes implicitly with the legacy
/// default stream, the null handle.
inline constexpr unsigned streamOrderedWithDefault = 0;
inline constexpr unsigned streamNonBlocking = 1;
inline constexpr unsigned eventDisableTiming = 2;
/// CUstreamCaptureMode: calls that may not be captured, such as those that load
/// a library's code, still work.
inline constexpr int captureRelaxed = 2;

/// One member per driver function, named after it without "cu".
struct DriverApi {
  DriverResult (*init)(unsigned flags);
  DriverResult (*driverGetVersion)(int *version);
  DriverResult (*getErrorName)(DriverResult result, const char **name);
  DriverResult (*getErrorString)(DriverResult result, const char **text);
  DriverResult (*deviceGetCount)(int *count);
  DriverResult (*deviceGet)(DeviceId *device, int ordinal);
  DriverResult (*deviceGetName)(char *name, int length, DeviceId device);
  DriverResult (*deviceGetAttribute)(int *value, DeviceAttribute attribute,
                                     DeviceId device);
  DriverResult (*devicePrimaryCtxRetain)(ContextHandle *context,
                                         DeviceId device);
  DriverResult (*devicePrimaryCtxRelease)(DeviceId device);
  DriverResult (*ctxGetCurrent)(ContextHandle *context);
  DriverResult (*ctxPushCurrent)(ContextHandle context);
  DriverResult (*ctxPopCurrent)(ContextHandle *context);

  DriverResult (*memGetInfo)(size_t *free, size_t *total);
  DriverResult (*memAlloc)(DevicePointer *pointer, size_t bytes);
  DriverResult (*memFree)(DevicePointer pointer);
  DriverResult (*memHostAlloc)(void **pointer, size_t bytes, unsigned flags);
  DriverResult (*memFreeHost)(void *pointer);
  DriverResult (*memcpyHtoDAsync)(DevicePointer to, const void *from,
                                  size_t bytes, StreamHandle stream);
  DriverResult (*memcpyDtoHAsync)(void *to, DevicePointer from, size_t bytes,
                                  StreamHandle stream);
  DriverResult (*memcpyDtoDAsync)(DevicePointer to, DevicePointer from,
                                  size_t bytes, StreamHandle stream);

  /// Either side may be memory of the host or of a device.
  DriverResult (*memcpyAsync)(DevicePointer to, DevicePointer from,
                              size_t bytes, StreamHandle stream);
  DriverResult (*memsetD16Async)(DevicePointer to, unsigned short value,
                                 size_t count, StreamHandle stream);
  DriverResult (*memsetD32Async)(DevicePointer to, unsigned value, size_t count,
                                 StreamHandle stream);
  DriverResult (*memHostRegister)(void *pointer, size_t bytes, unsigned flags);
  DriverResult (*memHostUnregister)(void *pointer);

  DriverResult (*moduleLoadDataEx)(ModuleHandle *module, const void *image,
                                   unsigned optionCount, JitOption *options,
                                   void **values);
  DriverResult (*moduleUnload)(ModuleHandle module);
  DriverResult (*moduleGetFunction)(FunctionHandle *function,
                                    ModuleHandle module, const char *name);
  DriverResult (*funcGetAttribute)(int *value, FunctionAttribute attribute,
                                   FunctionHandle function);
  DriverResult (*funcSetAttribute)(FunctionHandle function,
                                   FunctionAttribute attribute, int value);
  DriverResult (*funcGetParamInfo)(FunctionHandle function, size_t index,
                                   size_t *offset, size_t *bytes);
  DriverResult (*launchKernelEx)(const LaunchConfig *config,
                                 FunctionHandle function, void **params,
                                 void **extra);

  DriverResult (*streamCreate)(StreamHandle *stream, unsigned flags);
  DriverResult (*streamDestroy)(StreamHandle stream);
  DriverResult (*streamSynchronize)(StreamHandle stream);
  /// `status` becomes 0 when the stream is not capturing.
  DriverResult (*streamIsCapturing)(StreamHandle stream, int *status);
  DriverResult (*streamBeginCapture)(StreamHandle stream, int mode);
  /// `graph` becomes null when the capture was invalidated.
  DriverResult (*streamEndCapture)(StreamHandle stream, GraphHandle *graph);
  DriverResult (*streamWaitEvent)(StreamHandle stream, EventHandle event,
                                  unsigned flags);
  DriverResult (*eventCreate)(EventHandle *event, unsigned flags);
  DriverResult (*eventDestroy)(EventHandle event);
  DriverResult (*eventRecord)(EventHandle event, StreamHandle stream);
  /// NotReady where the work before the event is not done.
  DriverResult (*eventQuery)(EventHandle event);
  DriverResult (*eventSynchronize)(EventHandle event);
  DriverResult (*eventElapsedTime)(float *milliseconds, EventHandle start,
                                   EventHandle end);

  DriverResult (*graphCreate)(GraphHandle *graph, unsigned flags);
  DriverResult (*graphDestroy)(GraphHandle graph);
  DriverResult (*graphAddKernelNode)(GraphNodeHandle *node, GraphHandle graph,
                                     const GraphNodeHandle *dependencies,
                                     size_t count,
                                     const KernelNodeParams *params);
  DriverResult (*graphKernelNodeSetAttribute)(
      GraphNodeHandle node, LaunchAttributeId id,
      const LaunchAttributeValue *value);
  DriverResult (*graphAddDependencies)(GraphHandle graph,
                                       const GraphNodeHandle *from,
                                       const GraphNodeHandle *to,
                                       const GraphEdgeData *edges,
                                       size_t count);
  DriverResult (*graphInstantiate)(GraphExecHandle *exec, GraphHandle graph,
                                   unsigned long long flags);
  DriverResult (*graphExecDestroy)(GraphExecHandle exec);
  DriverResult (*graphExecKernelNodeSetParams)(GraphExecHandle exec,
                                               GraphNodeHandle node,
                                               const KernelNodeParams *params);
  DriverResult (*graphLaunch)(GraphExecHandle exec, StreamHandle stream);

  DriverResult (*tensorMapEncodeTiled)(
      TensorMapValue *map, int dataType, uint32_t rank, void *address,
      const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
      const uint32_t *elementStrides, int interleave, int swizzle,
      int l2Promotion, int outOfBoundsFill);
};

/// A driver function as cuGetProcAddress knows it, the version of CUDA at which
/// it got the signature in the table, and its place in a table.
struct DriverSlot {
  const char *name;
  int version;
  void **place;
};

inline constexpr size_t driverFunctionCount = 0
#define TRIPY_DRIVER_FUNCTION(Member, Name, Version, Symbol) +1
#include "tripy/Runtime/Cuda/DriverFunctions.def"
    ;

/// Every function of the table, with its place in `api`.
std::array<DriverSlot, driverFunctionCount> driverSlots(DriverApi &api);

/// The table of this machine's driver, loaded once and never unloaded. Errors:
/// DriverMissing, DriverTooOld, both with what to do.
Result<const DriverApi *> systemDriver();

/// Fills a table from the library of this name. Errors as above.
Result<DriverApi> loadDriver(const char *library);

/// DriverTooOld, naming the versions had and needed.
Status driverTooOld(int version);

/// True for results after which the process cannot use the GPU any more.
bool isSticky(DriverResult result);

/// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
std::string describe(const DriverApi &api, DriverResult result);

} // namespace tripy::cuda

#endif // TRIPY_RUNTIME_CUDA_DRIVERAPI_H
