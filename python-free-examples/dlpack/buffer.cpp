//===- buffer.cpp - Memory that Tripy knows nothing of --------------------===//
//
// The driver is loaded by its name, so that the program needs no CUDA toolkit
// to be built and no driver on the CPU.
//
//===----------------------------------------------------------------------===//

#include "buffer.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include <dlfcn.h>

//===-- the CPU -----------------------------------------------------------===//

namespace {
class HostBuffer : public Buffer {
public:
  explicit HostBuffer(const std::vector<float> &values) : values(values) {}
  void *data() override { return values.data(); }
  std::vector<float> read(const void *address, size_t count) override {
    std::vector<float> copy(count);
    std::memcpy(copy.data(), address, count * sizeof(float));
    return copy;
  }

private:
  std::vector<float> values;
};
} // namespace

std::unique_ptr<Buffer> makeHostBuffer(const std::vector<float> &values) {
  return std::make_unique<HostBuffer>(values);
}

//===-- a GPU -------------------------------------------------------------===//

namespace {

/// The functions of the driver that are needed here; 0 is success.
struct CudaDriver {
  CudaDriver() : library(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (!library)
      throw std::runtime_error(std::string("there is no NVIDIA driver: ") +
                               dlerror());
    find(init, "cuInit");
    find(deviceGet, "cuDeviceGet");
    find(contextRetain, "cuDevicePrimaryCtxRetain");
    find(contextRelease, "cuDevicePrimaryCtxRelease_v2");
    find(contextPush, "cuCtxPushCurrent_v2");
    find(contextPop, "cuCtxPopCurrent_v2");
    find(allocate, "cuMemAlloc_v2");
    find(release, "cuMemFree_v2");
    find(copyToGpu, "cuMemcpyHtoDAsync_v2");
    find(copyToHost, "cuMemcpyDtoHAsync_v2");
    find(synchronize, "cuStreamSynchronize");
  }
  template <typename F> void find(F &function, const char *name) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function)
      throw std::runtime_error(std::string("the driver lacks ") + name);
  }

  void *library;
  int (*init)(unsigned flags);
  int (*deviceGet)(int *device, int number);
  int (*contextRetain)(void **context, int device);
  int (*contextRelease)(int device);
  int (*contextPush)(void *context);
  int (*contextPop)(void **context);
  int (*allocate)(uint64_t *address, size_t bytes);
  int (*release)(uint64_t address);
  int (*copyToGpu)(uint64_t to, const void *from, size_t bytes, void *stream);
  int (*copyToHost)(void *to, uint64_t from, size_t bytes, void *stream);
  int (*synchronize)(void *stream);
};

void check(int result, const char *what) {
  if (result != 0)
    throw std::runtime_error(std::string(what) + " failed with the error " +
                             std::to_string(result) + " of CUDA");
}

/// The GPU's primary context, which Tripy uses as well.
class CudaBuffer : public Buffer {
public:
  CudaBuffer(const std::vector<float> &values, int32_t gpu) {
    check(cuda.init(0), "cuInit");
    check(cuda.deviceGet(&device, gpu), "cuDeviceGet");
    check(cuda.contextRetain(&context, device), "cuDevicePrimaryCtxRetain");
    size_t bytes = values.size() * sizeof(float);
    within([&] {
      check(cuda.allocate(&address, bytes), "cuMemAlloc");
      check(cuda.copyToGpu(address, values.data(), bytes, nullptr),
            "cuMemcpyHtoDAsync");
      check(cuda.synchronize(nullptr), "cuStreamSynchronize");
    });
  }
  ~CudaBuffer() override {
    // What fails here has nobody to be told.
    try {
      within([&] { cuda.release(address); });
    } catch (const std::runtime_error &) {
    }
    cuda.contextRelease(device);
  }
  void *data() override { return reinterpret_cast<void *>(address); }
  std::vector<float> read(const void *from, size_t count) override {
    std::vector<float> copy(count);
    within([&] {
      check(cuda.copyToHost(copy.data(), reinterpret_cast<uint64_t>(from),
                            count * sizeof(float), nullptr),
            "cuMemcpyDtoHAsync");
      check(cuda.synchronize(nullptr), "cuStreamSynchronize");
    });
    return copy;
  }

private:
  /// Makes the context current meanwhile; any thread may let the buffer go.
  template <typename F> void within(F work) {
    check(cuda.contextPush(context), "cuCtxPushCurrent");
    work();
    void *popped = nullptr;
    cuda.contextPop(&popped);
  }

  CudaDriver cuda;
  int device = 0;
  void *context = nullptr;
  uint64_t address = 0;
};

} // namespace

std::unique_ptr<Buffer> makeCudaBuffer(const std::vector<float> &values,
                                       int32_t gpu) {
  return std::make_unique<CudaBuffer>(values, gpu);
}
