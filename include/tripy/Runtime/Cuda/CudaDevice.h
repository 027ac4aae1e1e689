//===- CudaDevice.h - What only CUDA devices offer --------------*- C++ -*-===//
//
// Options of the CUDA device, its creation on a given driver table, timing on
// the GPU, events, and the copy bandwidth that benchmarks compare with. The
// device itself is used through Device.h. For the runtime, tools and tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_CUDA_CUDADEVICE_H
#define TRIPY_RUNTIME_CUDA_CUDADEVICE_H

#include "tripy/Base/Status.h"
#include "tripy/Runtime/Cuda/CublasLtApi.h"
#include "tripy/Runtime/Cuda/DriverApi.h"
#include "tripy/Runtime/Device.h"

#include <cstdint>
#include <memory>
#include <string>

namespace tripy::cuda {

struct CudaOptions {
  /// Programs of at most this many launches are launched one by one; longer
  /// ones become a CUDA graph. On an H200 a graph costs the host 1.0 us a run
  /// whatever its length, a launch 2.5 us: graphs win from the first launch.
  uint32_t directLaunches = 0;
  /// Shapes that one execution context keeps launch lists and graphs for.
  uint32_t maxShapes = 16;
  /// Bytes of each of the two pinned buffers that host copies go through.
  uint32_t stagingBytes = 4 << 20;
  /// In place of systemCublasLt(); outlives the device.
  const CublasLtApi *cublasLt = nullptr;
};

/// GPU number `ordinal` of the driver behind `api`, which outlives the device.
/// Errors: DriverMissing, DriverTooOld, NotFound (no GPU, or none of this
/// number), DeviceOutOfMemory, ContextLost, Internal.
Result<std::shared_ptr<runtime::Device>>
createCudaDevice(const DriverApi &api, int32_t ordinal,
                 const CudaOptions &options = {});

/// Starts this machine's driver, and sees whether it has GPU number `ordinal`,
/// which is not opened: that takes as long again. Errors: as above.
Status findCudaDevice(int32_t ordinal);

/// What a program on a CUDA device runs from: "machine code for sm_90a", or
/// "PTX for sm_80, compiled by the driver for sm_90".
/// `program` is from prepare() of a CUDA device.
std::string describeImage(const runtime::DeviceProgram &program);

/// Measures GPU time between two points of a stream. One thread at a time.
/// `device` is a CUDA device and outlives the timer.
class CudaTimer {
public:
  static Result<CudaTimer> create(runtime::Device &device);
  CudaTimer(CudaTimer &&other) noexcept;
  CudaTimer &operator=(CudaTimer &&other) noexcept;
  ~CudaTimer();
  Status start(runtime::Stream stream);
  Status stop(runtime::Stream stream);
  /// Waits for the stop point; seconds between the two, to about 0.5 us.
  Result<double> seconds();

private:
  CudaTimer() = default;
  class CudaDevice *device = nullptr;
  EventHandle first = nullptr, last = nullptr;
};

/// A point in the work of a stream. `device` is a CUDA device and outlives the
/// event. One thread records; any thread waits.
class CudaEvent {
public:
  static Result<CudaEvent> create(runtime::Device &device);
  CudaEvent(CudaEvent &&other) noexcept;
  CudaEvent &operator=(CudaEvent &&other) noexcept;
  ~CudaEvent();
  /// The point is behind all work that `stream` has been given.
  Status record(runtime::Stream stream);
  /// Whether the point is reached. Errors: what the work before it met.
  Result<bool> query();
  /// Waits for the point. Errors: what the work before it met.
  Status synchronize();
  /// Later work on `stream` waits for the point; the host does not.
  Status delay(runtime::Stream stream);

private:
  CudaEvent() = default;
  class CudaDevice *device = nullptr;
  EventHandle event = nullptr;
};

/// Keeps the device's context current for the calling thread, so that the calls
/// in its lifetime need not each ask the driver for it. `device` is a CUDA
/// device. Where the context cannot be made current, those calls say so. No
/// code of somebody else's runs in the lifetime: it may change the context.
class CudaScope {
public:
  explicit CudaScope(runtime::Device &device);
  ~CudaScope();
  CudaScope(const CudaScope &) = delete;
  CudaScope &operator=(const CudaScope &) = delete;

private:
  std::unique_ptr<class ContextScope> scope;
};

/// Bytes read plus bytes written per second by copies of `bytes` within the
/// device: the best of `repeats` timings after one warm-up. `device` is a CUDA
/// device. Takes 2 * `bytes` of its memory for the time of the call.
Result<double> measureCopyBandwidth(runtime::Device &device, uint64_t bytes,
                                    uint32_t repeats = 10);

} // namespace tripy::cuda

#endif // TRIPY_RUNTIME_CUDA_CUDADEVICE_H
