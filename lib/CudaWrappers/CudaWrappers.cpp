//===- CudaWrappers.cpp - What MLIR's lowering of GPU code calls ----------===//
//
// Host code that upstream's gpu-to-llvm makes calls functions named mgpu*; the
// packaged MLIR has none for CUDA. These are on the driver alone, like Tripy's
// runtime: nothing of CUDA's toolkit is needed to build or to run.
//
// The functions return no errors, and their callers look for none. So the first
// error is printed, with what was asked and the driver's text, and ends the
// process: results that are not there cannot be told from others.
//
//===----------------------------------------------------------------------===//
#include "TensorMaps.h"

#include "tripy/Base/Text.h"

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>

using namespace tripy;
using namespace tripy::cuda;

[[noreturn]] static void fail(const char *function, const std::string &text) {
  std::fprintf(stderr, "TripyCudaWrappers: error: %s: %s\n", function,
               text.c_str());
  std::fflush(nullptr);
  std::_Exit(EXIT_FAILURE);
}

/// A condition that a program states before it launches anything.
extern "C" void tripyRequire(bool holds, const char *message) {
  if (!holds)
    fail("tripyRequire", message);
}

//===-- the device --------------------------------------------------------===//

namespace {
/// The primary context of one device.
struct Device {
  ContextHandle context = nullptr;
  std::once_flag once;
};

constexpr int maxDevices = 64;
} // namespace

static Device devices[maxDevices];
static thread_local int currentDevice = 0;

static const DriverApi &driver(const char *function) {
  Result<const DriverApi *> api = systemDriver();
  if (!api)
    fail(function, api.status().message());
  return **api;
}

static void check(const char *function, DriverResult result) {
  if (result != DriverResult::Success)
    fail(function, describe(driver(function), result));
}

static ContextHandle contextOf(const char *function, int number) {
  const DriverApi &api = driver(function);
  Device &device = devices[number];
  std::call_once(device.once, [&] {
    check(function, api.init(0));
    DeviceId id = 0;
    check(function, api.deviceGet(&id, number));
    check(function, api.devicePrimaryCtxRetain(&device.context, id));
  });
  return device.context;
}

namespace {
/// A call of function `name`: the current device's context is current while it
/// lasts, unless the caller works in one of his own.
class Call {
public:
  explicit Call(const char *name) : api(driver(name)), name(name) {
    ContextHandle wanted = contextOf(name, currentDevice), found = nullptr;
    require(api.ctxGetCurrent(&found));
    if (found == wanted)
      return;
    require(api.ctxPushCurrent(wanted));
    pushed = true;
  }
  ~Call() {
    ContextHandle popped;
    if (pushed)
      api.ctxPopCurrent(&popped);
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  const DriverApi *operator->() const { return &api; }
  const DriverApi &driverApi() const { return api; }
  void require(DriverResult result) { check(name, result); }
  [[noreturn]] void refuse(const std::string &text) { fail(name, text); }

private:
  const DriverApi &api;
  const char *name;
  bool pushed = false;
};
} // namespace

static DevicePointer pointerOf(const void *pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}

//===-- modules and launches ----------------------------------------------===//

static ModuleHandle loadModule(Call &call, const void *image) {
  char log[4096] = "";
  JitOption options[] = {JitOption::ErrorLogBuffer,
                         JitOption::ErrorLogBufferBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  ModuleHandle module = nullptr;
  DriverResult result =
      call->moduleLoadDataEx(&module, image, 2, options, values);
  if (result != DriverResult::Success)
    call.refuse(concat(describe(call.driverApi(), result), log[0] ? ": " : "",
                       printable(log, 2000)));
  return module;
}

extern "C" void *mgpuModuleLoad(void *image, size_t) {
  Call call("mgpuModuleLoad");
  return loadModule(call, image);
}

/// PTX, which the driver assembles with its default optimisation.
extern "C" void *mgpuModuleLoadJIT(void *image, int, size_t) {
  Call call("mgpuModuleLoadJIT");
  return loadModule(call, image);
}

extern "C" void mgpuModuleUnload(void *module) {
  if (!module)
    return;
  // At the end of a process the driver may be gone already.
  Call call("mgpuModuleUnload");
  DriverResult result = call->moduleUnload(static_cast<ModuleHandle>(module));
  if (result != DriverResult::Deinitialized)
    call.require(result);
}

extern "C" void *mgpuModuleGetFunction(void *module, const char *name) {
  Call call("mgpuModuleGetFunction");
  FunctionHandle function = nullptr;
  DriverResult result = call->moduleGetFunction(
      &function, static_cast<ModuleHandle>(module), name);
  if (result != DriverResult::Success)
    call.refuse(concat("kernel '", printable(name ? name : "", 200),
                       "': ", describe(call.driverApi(), result)));
  return function;
}

static void launch(Call &call, void *function, const LaunchConfig &config,
                   void **params, void **extra) {
  // Beyond 48 KiB, the kernel's own arrays among them, it has to be told how
  // much it may get.
  auto handle = static_cast<FunctionHandle>(function);
  if (config.sharedBytes > 0)
    call.require(
        call->funcSetAttribute(handle, FunctionAttribute::MaxDynamicSharedBytes,
                               static_cast<int>(config.sharedBytes)));
  // Launches with no blocks do nothing; the driver refuses them.
  if (config.gridX == 0 || config.gridY == 0 || config.gridZ == 0)
    return;
  call.require(call->launchKernelEx(&config, handle, params, extra));
}

static unsigned dimension(Call &call, intptr_t size) {
  if (size < 0 || size > static_cast<intptr_t>(UINT32_MAX))
    call.refuse(concat("a grid or block has 0 to 2^32 - 1 in each dimension; "
                       "found ",
                       static_cast<int64_t>(size)));
  return static_cast<unsigned>(size);
}

extern "C" void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                                 intptr_t gridZ, intptr_t blockX,
                                 intptr_t blockY, intptr_t blockZ,
                                 int32_t sharedBytes, void *stream,
                                 void **params, void **extra, size_t) {
  Call call("mgpuLaunchKernel");
  auto at = [&](intptr_t size) { return dimension(call, size); };
  launch(call, function,
         {at(gridX), at(gridY), at(gridZ), at(blockX), at(blockY), at(blockZ),
          static_cast<unsigned>(sharedBytes), static_cast<StreamHandle>(stream),
          nullptr, 0},
         params, extra);
}

extern "C" void mgpuLaunchClusterKernel(void *function, intptr_t clusterX,
                                        intptr_t clusterY, intptr_t clusterZ,
                                        intptr_t gridX, intptr_t gridY,
                                        intptr_t gridZ, intptr_t blockX,
                                        intptr_t blockY, intptr_t blockZ,
                                        int32_t sharedBytes, void *stream,
                                        void **params, void **extra, size_t) {
  Call call("mgpuLaunchClusterKernel");
  auto at = [&](intptr_t size) { return dimension(call, size); };
  LaunchAttribute cluster = {};
  cluster.id = LaunchAttributeId::ClusterDimension;
  cluster.value.clusterDim = {at(clusterX), at(clusterY), at(clusterZ)};
  // More than 8 blocks are not portable, and have to be allowed.
  constexpr int64_t portableCluster = 8;
  if (int64_t(clusterX) * clusterY * clusterZ > portableCluster)
    call.require(call->funcSetAttribute(
        static_cast<FunctionHandle>(function),
        FunctionAttribute::NonPortableClusterAllowed, 1));
  launch(call, function,
         {at(gridX), at(gridY), at(gridZ), at(blockX), at(blockY), at(blockZ),
          static_cast<unsigned>(sharedBytes), static_cast<StreamHandle>(stream),
          &cluster, 1},
         params, extra);
}

namespace {
/// A ranked memref as MLIR passes it: sizes, then strides, behind the offset.
struct MemRefDescriptor {
  char *allocated, *aligned;
  int64_t offset;
  int64_t sizesAndStrides[];
};
} // namespace

//===-- tensor maps -------------------------------------------------------===//

/// Bytes of an element of a CUtensorMapDataType, by its number.
static constexpr int64_t tensorMapElementBytes[] = {1, 2, 4, 4, 8, 8, 2,
                                                    4, 8, 2, 4, 4, 4};

/// cuTensorMapEncodeTiled, as its caller gives the arguments.
extern "C" void mgpuTensorMapEncodeTiled(
    TensorMapValue *map, int32_t dtype, int32_t rank, void *address,
    const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
    const uint32_t *elementStrides, int32_t interleave, int32_t swizzle,
    int32_t l2Promotion, int32_t outOfBoundsFill) {
  Call call("mgpuTensorMapEncodeTiled");
  call.require(call->tensorMapEncodeTiled(
      map, dtype, static_cast<uint32_t>(rank), address, dims, strides, box,
      elementStrides, interleave, swizzle, l2Promotion, outOfBoundsFill));
}

/// What nvgpu.tma.create.descriptor becomes: the map of a memref of device
/// memory, itself in device memory, which nobody frees. `box` has the sizes of
/// a copy, outermost dimension first, as memrefs have theirs.
extern "C" void *
mgpuTensorMapEncodeTiledMemref(int64_t rank, MemRefDescriptor *descriptor,
                               int32_t dtype, int32_t interleave,
                               int32_t swizzle, int32_t l2Promotion,
                               int32_t outOfBoundsFill, const int64_t *box) {
  Call call("mgpuTensorMapEncodeTiledMemref");
  if (rank < 1 || rank > static_cast<int64_t>(maxTensorMapRank))
    call.refuse(concat("a tensor map has 1 to ", maxTensorMapRank,
                       " dimensions; found ", rank));
  if (dtype < 0 ||
      static_cast<size_t>(dtype) >= std::size(tensorMapElementBytes))
    call.refuse(
        concat("no element type of tensor maps has the number ", dtype));
  int64_t bytes = tensorMapElementBytes[dtype];
  const int64_t *sizes = descriptor->sizesAndStrides, *strides = sizes + rank;
  if (strides[rank - 1] != 1)
    call.refuse(concat("the innermost dimension of a tensor map is contiguous; "
                       "found a stride of ",
                       strides[rank - 1], " elements"));
  uint64_t dims[maxTensorMapRank], steps[maxTensorMapRank];
  uint32_t copied[maxTensorMapRank], each[maxTensorMapRank];
  for (int64_t i = 0, outer = rank - 1; i < rank; ++i, --outer) {
    dims[i] = static_cast<uint64_t>(sizes[outer]);
    copied[i] = static_cast<uint32_t>(box[outer]);
    each[i] = 1;
    // The driver reads those of all dimensions but the first.
    if (i > 0)
      steps[i - 1] = static_cast<uint64_t>(strides[outer] * bytes);
  }
  TensorMapValue map;
  call.require(call->tensorMapEncodeTiled(
      &map, dtype, static_cast<uint32_t>(rank),
      descriptor->aligned + descriptor->offset * bytes, dims, steps, copied,
      each, interleave, swizzle, l2Promotion, outOfBoundsFill));
  DevicePointer kept = 0;
  call.require(call->memAlloc(&kept, sizeof(map)));
  call.require(call->memcpyAsync(kept, pointerOf(&map), sizeof(map), nullptr));
  call.require(call->streamSynchronize(nullptr));
  return reinterpret_cast<void *>(kept);
}

/// A tensor map by value for a kernel's parameter. `dtype` is the number of
/// Base/DType.h; sizes and strides are as cuTensorMapEncodeTiled has them.
extern "C" void tripyEncodeTensorMap(void *map, int32_t dtype, int32_t rank,
                                     void *address, const uint64_t *dims,
                                     const uint64_t *strides,
                                     const uint32_t *box, int32_t swizzle) {
  Call call("tripyEncodeTensorMap");
  auto count = static_cast<size_t>(rank);
  if (rank < 1 || count > maxTensorMapRank)
    call.refuse(badTensorMap);
  TensorMapValue value;
  const char *text = nullptr;
  DriverResult result = encodeTensorMap(call.driverApi(),
                                        {static_cast<DType>(dtype),
                                         swizzle,
                                         pointerOf(address),
                                         {dims, count},
                                         {strides, count - 1},
                                         {box, count}},
                                        value, text);
  if (text)
    call.refuse(text);
  call.require(result);
  *static_cast<TensorMapValue *>(map) = value;
}

//===-- streams and events ------------------------------------------------===//

extern "C" void *mgpuStreamCreate() {
  Call call("mgpuStreamCreate");
  StreamHandle stream = nullptr;
  call.require(call->streamCreate(&stream, streamNonBlocking));
  return stream;
}

extern "C" void mgpuStreamDestroy(void *stream) {
  Call call("mgpuStreamDestroy");
  call.require(call->streamDestroy(static_cast<StreamHandle>(stream)));
}

extern "C" void mgpuStreamSynchronize(void *stream) {
  Call call("mgpuStreamSynchronize");
  call.require(call->streamSynchronize(static_cast<StreamHandle>(stream)));
}

extern "C" void mgpuStreamWaitEvent(void *stream, void *event) {
  Call call("mgpuStreamWaitEvent");
  call.require(call->streamWaitEvent(static_cast<StreamHandle>(stream),
                                     static_cast<EventHandle>(event), 0));
}

extern "C" void *mgpuEventCreate() {
  Call call("mgpuEventCreate");
  EventHandle event = nullptr;
  call.require(call->eventCreate(&event, eventDisableTiming));
  return event;
}

extern "C" void mgpuEventDestroy(void *event) {
  Call call("mgpuEventDestroy");
  call.require(call->eventDestroy(static_cast<EventHandle>(event)));
}

extern "C" void mgpuEventSynchronize(void *event) {
  Call call("mgpuEventSynchronize");
  call.require(call->eventSynchronize(static_cast<EventHandle>(event)));
}

extern "C" void mgpuEventRecord(void *event, void *stream) {
  Call call("mgpuEventRecord");
  call.require(call->eventRecord(static_cast<EventHandle>(event),
                                 static_cast<StreamHandle>(stream)));
}

//===-- memory ------------------------------------------------------------===//

/// Null for no bytes. Memory that the host shares is not offered: the driver's
/// managed memory can hang a GPU that has too little of its own.
extern "C" void *mgpuMemAlloc(uint64_t bytes, void *, bool hostShared) {
  Call call("mgpuMemAlloc");
  if (hostShared)
    call.refuse("memory is either the host's or the device's; found "
                "host_shared");
  if (bytes == 0)
    return nullptr;
  DevicePointer pointer = 0;
  DriverResult result = call->memAlloc(&pointer, bytes);
  if (result != DriverResult::Success)
    call.refuse(concat(bytes, " bytes: ", describe(call.driverApi(), result)));
  return reinterpret_cast<void *>(pointer);
}

extern "C" void mgpuMemFree(void *pointer, void *) {
  Call call("mgpuMemFree");
  if (pointer)
    call.require(call->memFree(pointerOf(pointer)));
}

extern "C" void mgpuMemcpy(void *to, void *from, size_t bytes, void *stream) {
  Call call("mgpuMemcpy");
  if (bytes != 0)
    call.require(call->memcpyAsync(pointerOf(to), pointerOf(from), bytes,
                                   static_cast<StreamHandle>(stream)));
}

extern "C" void mgpuMemset16(void *to, unsigned short value, size_t count,
                             void *stream) {
  Call call("mgpuMemset16");
  if (count != 0)
    call.require(call->memsetD16Async(pointerOf(to), value, count,
                                      static_cast<StreamHandle>(stream)));
}

extern "C" void mgpuMemset32(void *to, unsigned value, size_t count,
                             void *stream) {
  Call call("mgpuMemset32");
  if (count != 0)
    call.require(call->memsetD32Async(pointerOf(to), value, count,
                                      static_cast<StreamHandle>(stream)));
}

extern "C" void mgpuMemHostRegister(void *pointer, uint64_t bytes) {
  Call call("mgpuMemHostRegister");
  call.require(call->memHostRegister(pointer, bytes, 0));
}

extern "C" void mgpuMemHostUnregister(void *pointer) {
  Call call("mgpuMemHostUnregister");
  call.require(call->memHostUnregister(pointer));
}

extern "C" void mgpuMemHostRegisterMemRef(int64_t rank,
                                          MemRefDescriptor *descriptor,
                                          int64_t elementBytes) {
  const int64_t *sizes = descriptor->sizesAndStrides, *strides = sizes + rank;
  int64_t count = 1;
  for (int64_t i = rank; i-- > 0; count *= sizes[i])
    if (strides[i] != count && sizes[i] > 1)
      fail("mgpuMemHostRegisterMemRef",
           "a memref that is registered must be dense");
  mgpuMemHostRegister(descriptor->aligned + descriptor->offset * elementBytes,
                      static_cast<uint64_t>(count * elementBytes));
}

extern "C" void mgpuMemHostUnregisterMemRef(int64_t,
                                            MemRefDescriptor *descriptor,
                                            int64_t elementBytes) {
  mgpuMemHostUnregister(descriptor->aligned +
                        descriptor->offset * elementBytes);
}

extern "C" void mgpuSetDefaultDevice(int32_t device) {
  if (device < 0 || device >= maxDevices)
    fail("mgpuSetDefaultDevice", concat("devices have numbers from 0 to ",
                                        maxDevices - 1, "; found ", device));
  currentDevice = device;
}
