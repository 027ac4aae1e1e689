//===- DeviceImpl.h - The CUDA device ---------------------------*- C++ -*-===//
//
// The device object, its context guard and its staging buffers. Private to
// Runtime/Cuda.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_CUDA_DEVICEIMPL_H
#define TRIPY_RUNTIME_CUDA_DEVICEIMPL_H

#include "../Fork.h"
#include "tripy/Runtime/Cuda/CudaDevice.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <string_view>
#include <vector>

namespace tripy::cuda {

/// What kernels of a device may ask for.
struct DeviceLimits {
  int computeMajor = 0, computeMinor = 0;
  int maxThreads = 0, maxShared = 0, clusters = 0;
};

class CudaDevice;

/// Makes the device's context current for its lifetime, and leaves alone a
/// caller that already works in it. A scope within another one of the same
/// device asks nothing of the driver.
class ContextScope {
public:
  /// Releases are tried even when the device is lost, but not in a child of the
  /// device's process; they allocate nothing.
  enum Purpose { Work, Release };
  explicit ContextScope(CudaDevice &device, Purpose purpose = Work);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;
  /// Of a scope for work. Not ok: nothing may be asked of the driver.
  const Status &status() const { return entered; }
  /// Of a scope for releases: whether there is anything to release.
  bool mayRelease() const;

private:
  void enter(Purpose purpose);

  CudaDevice &device;
  Status entered;
  /// Scopes of a thread end in the reverse order.
  ContextScope *const outer;
  bool isCurrent = false, pushed = false;
  static thread_local ContextScope *innermost;
};

/// Copies between pageable host memory and the device through two pinned
/// buffers, so that the host's copying and the bus overlap. Thread-safe.
class Staging {
public:
  Staging(CudaDevice &device, uint64_t chunkBytes)
      : device(device), chunkBytes(chunkBytes) {}
  /// Needs a current context, as do all functions.
  void release();
  Status toDevice(DevicePointer to, const uint8_t *from, uint64_t bytes,
                  StreamHandle stream);
  /// The bytes are at `to` on return.
  Status toHost(uint8_t *to, DevicePointer from, uint64_t bytes,
                StreamHandle stream);

  /// Below this the driver's own buffering is as good.
  static constexpr uint64_t threshold = 64 << 10;

private:
  struct Chunk {
    void *memory = nullptr;
    /// Recorded behind the last copy that uses the memory.
    EventHandle event = nullptr;
  };
  Status prepare();
  Status wait(Chunk &chunk);
  Status mark(Chunk &chunk, StreamHandle stream);

  CudaDevice &device;
  const uint64_t chunkBytes;
  std::mutex mutex;
  std::array<Chunk, 2> chunks;
};

/// Pinned memory that single small copies to the host go through: the driver
/// needs two steps and one more wait for memory that is not pinned. Each copy
/// has memory of its own. Thread-safe.
class PinnedSlots {
public:
  explicit PinnedSlots(CudaDevice &device) : device(device) {}
  /// Needs a current context, as does take().
  void release();
  /// Memory of Staging::threshold bytes; null where there is none.
  void *take();
  /// No copy uses it any more.
  void giveBack(void *slot);

private:
  CudaDevice &device;
  std::mutex mutex;
  std::vector<void *> all, idle;
};

class CudaDevice final : public runtime::Device,
                         public std::enable_shared_from_this<CudaDevice>,
                         public runtime::ForkWatch {
public:
  CudaDevice(const DriverApi &api, int32_t ordinal, const CudaOptions &options)
      : api(api), options(options), number(ordinal),
        staging(*this, std::max(options.stagingBytes, 1u)), slots(*this) {}
  ~CudaDevice() override;
  /// The part of open() that needs no context.
  Status find();
  /// Everything that can fail in making a device. Call once.
  Status open();

  DeviceKind kind() const override { return DeviceKind::CUDA; }
  int32_t ordinal() const override { return number; }
  std::string name() const override { return model; }
  uint32_t alignment() const override { return 256; }
  Result<void *> allocate(uint64_t bytes) override;
  void free(void *address) override;
  Status copyToDevice(void *to, const void *from, uint64_t bytes,
                      runtime::Stream stream) override;
  Status copyToHost(void *to, const void *from, uint64_t bytes,
                    runtime::Stream stream) override;
  Status read(void *to, const void *from, uint64_t bytes,
              runtime::Stream stream) override;
  Status copyOnDevice(void *to, const void *from, uint64_t bytes,
                      runtime::Stream stream) override;
  Result<runtime::Stream> createStream() override;
  void destroyStream(runtime::Stream stream) override;
  runtime::Peak peak(WorkKind kind, DType dtype) override;
  Status synchronize(runtime::Stream stream) override;
  Result<std::unique_ptr<runtime::DeviceProgram>>
  prepare(const Program &program,
          const runtime::PrepareOptions &options) override;

  /// Ok, or what `result` of the driver function `call` means: sticky results
  /// make this and every later call ContextLost, results with an obvious cause
  /// name it, others get `otherwise`.
  Status check(DriverResult result, std::string_view call,
               Code otherwise = Code::Internal) {
    return result == DriverResult::Success ? Status()
                                           : failure(result, call, otherwise);
  }
  /// Remembers a sticky `result` of a release, about which nothing else can be
  /// done.
  void note(DriverResult result) noexcept {
    int32_t none = 0;
    if (isSticky(result))
      lostTo.compare_exchange_strong(none, static_cast<int32_t>(result));
  }
  /// ContextLost once the device is lost, and in a child of its process.
  Status alive() const {
    if (isForked())
      return forked();
    return lostTo.load(std::memory_order_relaxed) == 0 ? Status() : lost();
  }
  StreamHandle resolve(runtime::Stream stream) const {
    return stream ? static_cast<StreamHandle>(stream) : ownStream;
  }

  const DriverApi &api;
  const CudaOptions options;
  DeviceLimits limits;
  ContextHandle context = nullptr;

private:
  Status failure(DriverResult result, std::string_view call, Code otherwise);
  Status lost() const;
  Status forked() const;
  Status noDevice() const;
  Status findDevice(DeviceId &device);
  Status readLimits(DeviceId device);
  double attribute(DeviceAttribute attribute);
  Status outOfMemory(uint64_t bytes);

  int32_t number;
  DeviceId id = 0;
  std::string model;
  StreamHandle ownStream = nullptr;
  /// The first sticky result; 0 while the device is alive.
  std::atomic<int32_t> lostTo{0};
  Staging staging;
  PinnedSlots slots;
};

inline bool ContextScope::mayRelease() const { return !device.isForked(); }

} // namespace tripy::cuda

#endif // TRIPY_RUNTIME_CUDA_DEVICEIMPL_H
