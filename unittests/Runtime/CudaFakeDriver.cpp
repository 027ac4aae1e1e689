//===- CudaFakeDriver.cpp - A CUDA driver in host memory ------------------===//

#include "CudaFakeDriver.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::cudatest;

FakeDriver *cudatest::current = nullptr;
static char primaryContext;
static thread_local std::vector<ContextHandle> contextStack;

size_t FakeDriver::contextDepth() { return contextStack.size(); }

static ContextHandle primary() {
  return reinterpret_cast<ContextHandle>(&primaryContext);
}

DriverResult FakeDriver::enter(const char *function, bool needsContext) {
  ++callCount;
  ++counts[function];
  if (auto it = broken.find(function); it != broken.end())
    return it->second;
  if (stuck != success)
    return stuck;
  if (callCount == failAt) {
    failed = function;
    if (onFailure)
      onFailure();
    if (endsContext(failWith))
      stuck = failWith;
    return failWith;
  }
  if (needsContext &&
      (contextStack.empty() || contextStack.back() != primary()))
    return DriverResult::InvalidContext;
  return success;
}

void FakeDriver::run(FakeKernel &kernel, const FakeLaunch &launch) {
  launches.push_back(launch);
  launched.push_back(kernel.name);
  ++clock;
  if (kernel.body)
    kernel.body(launch);
}

bool FakeDriver::inside(uint64_t address, uint64_t bytes) const {
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin())
    return false;
  --it;
  return address - it->first <= it->second &&
         bytes <= it->second - (address - it->first);
}

namespace tripy::cudatest {

/// The functions of the table.
struct FakeCalls {
  using Lock = DriverLock;

  static DriverResult init(unsigned) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuInit", false);
    return result != success || current->devices > 0 ? result
                                                     : DriverResult::NoDevice;
  }
  static DriverResult driverGetVersion(int *version) {
    Lock lock(current->mutex);
    *version = current->version;
    return current->enter("cuDriverGetVersion", false);
  }
  static DriverResult getErrorName(DriverResult result, const char **name) {
    static thread_local std::string text;
    text = "CUDA_ERROR_" + std::to_string(static_cast<int>(result));
    *name = text.c_str();
    return success;
  }
  static DriverResult getErrorString(DriverResult, const char **text) {
    *text = "a fake error";
    return success;
  }
  static DriverResult deviceGetCount(int *count) {
    Lock lock(current->mutex);
    *count = current->devices;
    return current->enter("cuDeviceGetCount", false);
  }
  static DriverResult deviceGet(DeviceId *device, int ordinal) {
    Lock lock(current->mutex);
    *device = ordinal + 100;
    return current->enter("cuDeviceGet", false);
  }
  static DriverResult deviceGetName(char *name, int length, DeviceId) {
    Lock lock(current->mutex);
    std::strncpy(name, current->name.c_str(), static_cast<size_t>(length));
    return current->enter("cuDeviceGetName", false);
  }
  static DriverResult deviceGetAttribute(int *value, DeviceAttribute attribute,
                                         DeviceId device) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuDeviceGetAttribute", false);
    if (result != success || device < 100)
      return result != success ? result : DriverResult::InvalidDevice;
    switch (attribute) {
    case DeviceAttribute::ComputeMajor:
      *value = current->major;
      break;
    case DeviceAttribute::ComputeMinor:
      *value = current->minor;
      break;
    case DeviceAttribute::MaxThreadsPerBlock:
      *value = 1024;
      break;
    case DeviceAttribute::MaxSharedPerBlockOptin:
      *value = current->maxShared;
      break;
    case DeviceAttribute::ClusterLaunch:
      *value = current->clusters;
      break;
    case DeviceAttribute::ClockRate:
      *value = 1980000;
      break;
    case DeviceAttribute::MemoryClockRate:
      *value = 3201000;
      break;
    case DeviceAttribute::GlobalMemoryBusWidth:
      *value = 6144;
      break;
    case DeviceAttribute::MultiprocessorCount:
      *value = 132;
      break;
    default:
      return invalidValue;
    }
    return success;
  }
  static DriverResult primaryRetain(ContextHandle *context, DeviceId) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuDevicePrimaryCtxRetain", false);
    if (result != success)
      return result;
    ++current->contextUses;
    *context = primary();
    return success;
  }
  static DriverResult primaryRelease(DeviceId) {
    Lock lock(current->mutex);
    --current->contextUses;
    return current->enter("cuDevicePrimaryCtxRelease", false);
  }
  static DriverResult ctxGetCurrent(ContextHandle *context) {
    Lock lock(current->mutex);
    *context = contextStack.empty() ? nullptr : contextStack.back();
    return current->enter("cuCtxGetCurrent", false);
  }
  static DriverResult ctxPushCurrent(ContextHandle context) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuCtxPushCurrent", false);
    if (result == success)
      contextStack.push_back(context);
    return result;
  }
  static DriverResult ctxPopCurrent(ContextHandle *context) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuCtxPopCurrent", false);
    // A pop that fails by injection still pops: what is tested is that it is
    // called.
    if (contextStack.empty())
      return DriverResult::InvalidContext;
    *context = contextStack.back();
    contextStack.pop_back();
    return result;
  }

  static DriverResult memGetInfo(size_t *free, size_t *total) {
    Lock lock(current->mutex);
    *free = current->memory - current->used;
    *total = current->memory;
    return current->enter("cuMemGetInfo");
  }
  static DriverResult memAlloc(DevicePointer *pointer, size_t bytes) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuMemAlloc");
    if (result != success)
      return result;
    if (bytes == 0)
      return invalidValue;
    if (bytes > current->memory - current->used)
      return DriverResult::OutOfMemory;
    void *memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
    std::memset(memory, 0xcd, bytes);
    *pointer = reinterpret_cast<DevicePointer>(memory);
    current->allocations[*pointer] = bytes;
    current->used += bytes;
    return success;
  }
  static DriverResult memFree(DevicePointer pointer) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuMemFree");
    if (result == DriverResult::InvalidContext)
      return result;
    auto it = current->allocations.find(pointer);
    if (it == current->allocations.end())
      return invalidValue;
    current->used -= it->second;
    current->allocations.erase(it);
    std::free(reinterpret_cast<void *>(pointer));
    return result;
  }
  static DriverResult memHostAlloc(void **pointer, size_t bytes, unsigned) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuMemHostAlloc");
    if (result != success)
      return result;
    *pointer = std::malloc(bytes);
    current->pinned.insert(*pointer);
    return success;
  }
  static DriverResult memFreeHost(void *pointer) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuMemFreeHost");
    if (result == DriverResult::InvalidContext)
      return result;
    if (!current->pinned.erase(pointer))
      return invalidValue;
    std::free(pointer);
    return result;
  }
  static DriverResult copy(const char *function, void *to, const void *from,
                           size_t bytes, uint64_t device, StreamHandle stream) {
    Lock lock(current->mutex);
    DriverResult result = current->enter(function);
    if (result != success)
      return result;
    if (!current->streams.count(stream) || !current->inside(device, bytes))
      return invalidValue;
    std::memcpy(to, from, bytes);
    ++current->clock;
    return success;
  }
  static DriverResult memcpyHtoD(DevicePointer to, const void *from,
                                 size_t bytes, StreamHandle stream) {
    return copy("cuMemcpyHtoDAsync", reinterpret_cast<void *>(to), from, bytes,
                to, stream);
  }
  static DriverResult memcpyDtoH(void *to, DevicePointer from, size_t bytes,
                                 StreamHandle stream) {
    return copy("cuMemcpyDtoHAsync", to, reinterpret_cast<void *>(from), bytes,
                from, stream);
  }
  static DriverResult memcpyDtoD(DevicePointer to, DevicePointer from,
                                 size_t bytes, StreamHandle stream) {
    if (!current->inside(to, bytes))
      return invalidValue;
    return copy("cuMemcpyDtoDAsync", reinterpret_cast<void *>(to),
                reinterpret_cast<void *>(from), bytes, from, stream);
  }

  static DriverResult moduleLoad(ModuleHandle *module, const void *image,
                                 unsigned options, JitOption *names,
                                 void **values) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuModuleLoadDataEx");
    if (result != success) {
      if (options == 2 && names[0] == JitOption::ErrorLogBuffer) {
        std::string log = current->jitLog;
        std::strncpy(static_cast<char *>(values[0]), log.c_str(),
                     reinterpret_cast<size_t>(values[1]));
      }
      return result;
    }
    if (!image)
      return invalidValue;
    if (current->refusesMachineCode && std::memcmp(image,
                                                   "\x7f"
                                                   "ELF",
                                                   4) == 0)
      return DriverResult::NoBinaryForGpu;
    void *made = std::malloc(1);
    current->modules.insert(made);
    *module = static_cast<ModuleHandle>(made);
    return success;
  }
  static DriverResult moduleUnload(ModuleHandle module) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuModuleUnload");
    if (result == DriverResult::InvalidContext)
      return result;
    if (!current->modules.erase(module))
      return invalidValue;
    std::free(module);
    return result;
  }
  static DriverResult getFunction(FunctionHandle *function, ModuleHandle module,
                                  const char *name) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuModuleGetFunction");
    if (result != success)
      return result;
    auto it = current->kernels.find(name);
    if (!current->modules.count(module) || it == current->kernels.end())
      return DriverResult::NotFound;
    *function = reinterpret_cast<FunctionHandle>(it->second.get());
    return success;
  }
  static DriverResult funcGet(int *value, FunctionAttribute attribute,
                              FunctionHandle function) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuFuncGetAttribute");
    *value = attribute == FunctionAttribute::MaxThreadsPerBlock
                 ? kernelOf(function)->maxThreads
                 : kernelOf(function)->sharedBytes;
    return result;
  }
  static DriverResult funcSet(FunctionHandle, FunctionAttribute, int) {
    Lock lock(current->mutex);
    return current->enter("cuFuncSetAttribute");
  }
  static DriverResult paramInfo(FunctionHandle function, size_t index,
                                size_t *offset, size_t *bytes) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuFuncGetParamInfo");
    const FakeKernel &kernel = *kernelOf(function);
    if (result != success || index >= kernel.paramBytes.size())
      return result != success ? result : invalidValue;
    *offset = 0;
    *bytes = kernel.paramBytes[index];
    return success;
  }
  static DriverResult streamCreate(StreamHandle *stream, unsigned flags) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuStreamCreate");
    if (result != success)
      return result;
    void *made = std::malloc(1);
    current->streams.insert(made);
    current->streamFlags = flags;
    *stream = static_cast<StreamHandle>(made);
    return success;
  }
  static DriverResult streamDestroy(StreamHandle stream) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuStreamDestroy");
    if (result == DriverResult::InvalidContext)
      return result;
    if (!current->streams.erase(stream))
      return invalidValue;
    std::free(stream);
    return result;
  }
  static DriverResult streamSynchronize(StreamHandle stream) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuStreamSynchronize");
    return result != success || current->streams.count(stream) ? result
                                                               : invalidValue;
  }
  static DriverResult streamIsCapturing(StreamHandle stream, int *status) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuStreamIsCapturing");
    if (result != success)
      return result;
    *status = current->capturing;
    return current->streams.count(stream) ? success : invalidValue;
  }
  static FakeDriver::Event *eventOf(EventHandle event) {
    return reinterpret_cast<FakeDriver::Event *>(event);
  }
  static DriverResult eventCreate(EventHandle *event, unsigned) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuEventCreate");
    if (result != success)
      return result;
    auto *made = new FakeDriver::Event;
    current->events.insert(made);
    *event = reinterpret_cast<EventHandle>(made);
    return success;
  }
  static DriverResult eventDestroy(EventHandle event) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuEventDestroy");
    if (result == DriverResult::InvalidContext)
      return result;
    if (!current->events.erase(eventOf(event)))
      return invalidValue;
    delete eventOf(event);
    return result;
  }
  static DriverResult eventRecord(EventHandle event, StreamHandle stream) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuEventRecord");
    if (result != success || !current->events.count(eventOf(event)) ||
        !current->streams.count(stream))
      return result != success ? result : invalidValue;
    eventOf(event)->time = current->clock;
    return success;
  }
  static DriverResult eventQuery(EventHandle event) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuEventQuery");
    return result != success || current->events.count(eventOf(event))
               ? result
               : invalidValue;
  }
  static DriverResult eventSynchronize(EventHandle event) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuEventSynchronize");
    return result != success || current->events.count(eventOf(event))
               ? result
               : invalidValue;
  }
  static DriverResult eventElapsed(float *milliseconds, EventHandle start,
                                   EventHandle end) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuEventElapsedTime");
    *milliseconds =
        static_cast<float>(eventOf(end)->time - eventOf(start)->time);
    return result;
  }
};

} // namespace tripy::cudatest

static DriverApi makeTable() {
  using F = FakeCalls;
  DriverApi api = {};
  api.init = F::init;
  api.driverGetVersion = F::driverGetVersion;
  api.getErrorName = F::getErrorName;
  api.getErrorString = F::getErrorString;
  api.deviceGetCount = F::deviceGetCount;
  api.deviceGet = F::deviceGet;
  api.deviceGetName = F::deviceGetName;
  api.deviceGetAttribute = F::deviceGetAttribute;
  api.devicePrimaryCtxRetain = F::primaryRetain;
  api.devicePrimaryCtxRelease = F::primaryRelease;
  api.ctxGetCurrent = F::ctxGetCurrent;
  api.ctxPushCurrent = F::ctxPushCurrent;
  api.ctxPopCurrent = F::ctxPopCurrent;
  api.memGetInfo = F::memGetInfo;
  api.memAlloc = F::memAlloc;
  api.memFree = F::memFree;
  api.memHostAlloc = F::memHostAlloc;
  api.memFreeHost = F::memFreeHost;
  api.memcpyHtoDAsync = F::memcpyHtoD;
  api.memcpyDtoHAsync = F::memcpyDtoH;
  api.memcpyDtoDAsync = F::memcpyDtoD;
  api.moduleLoadDataEx = F::moduleLoad;
  api.moduleUnload = F::moduleUnload;
  api.moduleGetFunction = F::getFunction;
  api.funcGetAttribute = F::funcGet;
  api.funcSetAttribute = F::funcSet;
  api.funcGetParamInfo = F::paramInfo;
  api.streamCreate = F::streamCreate;
  api.streamDestroy = F::streamDestroy;
  api.streamSynchronize = F::streamSynchronize;
  api.streamIsCapturing = F::streamIsCapturing;
  api.eventCreate = F::eventCreate;
  api.eventDestroy = F::eventDestroy;
  api.eventRecord = F::eventRecord;
  api.eventQuery = F::eventQuery;
  api.eventSynchronize = F::eventSynchronize;
  api.eventElapsedTime = F::eventElapsed;
  addGraphCalls(api);
  return api;
}

FakeDriver::FakeDriver() : table(makeTable()) {
  assert(!current);
  current = this;
  contextStack.clear();
}

FakeDriver::~FakeDriver() {
  for (auto &[address, bytes] : allocations)
    std::free(reinterpret_cast<void *>(address));
  for (const std::set<void *> *set : {&pinned, &modules, &streams})
    for (void *pointer : *set)
      std::free(pointer);
  for (Event *event : events)
    delete event;
  current = nullptr;
}

void FakeDriver::addKernel(FakeKernel kernel) {
  std::string key = kernel.name;
  kernels[key] = std::make_unique<FakeKernel>(std::move(kernel));
}

void FakeDriver::failCall(uint64_t nth, DriverResult result) {
  failAt = callCount + nth;
  failWith = result;
  failed.clear();
}

void FakeDriver::failFunction(std::string function, DriverResult result) {
  broken[std::move(function)] = result;
}

void FakeDriver::heal() {
  failAt = 0;
  stuck = success;
  broken.clear();
}

uint64_t FakeDriver::callsOf(const std::string &function) const {
  std::lock_guard lock(mutex);
  auto it = counts.find(function);
  return it == counts.end() ? 0 : it->second;
}

std::map<std::string, int> FakeDriver::live() const {
  std::lock_guard lock(mutex);
  std::map<std::string, int> out;
  auto add = [&](const char *what, size_t count) {
    if (count)
      out[what] = static_cast<int>(count);
  };
  add("memory", allocations.size());
  add("pinned", pinned.size());
  add("module", modules.size());
  add("stream", streams.size());
  add("event", events.size());
  add("graph", graphs.size());
  add("exec", execs.size());
  add("context", static_cast<size_t>(contextUses));
  return out;
}
