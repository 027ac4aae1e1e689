//===- Device.h - What a device offers to the runtime -----------*- C++ -*-===//
//
// The interface that the CPU and CUDA devices implement and that Executable
// and ExecutionContext use:
//
//   Device          memory, copies, streams; shared by executables and threads
//   DeviceProgram   a verified Program made ready on one device; immutable and
//                   shared by threads
//   DeviceContext   what one execution context keeps between runs (argument
//                   blocks, CUDA graphs by shape); used by one thread at a time
//
// Every Program that reaches prepare() has passed verifyProgram(): a device
// checks what only it can know (features, limits of the GPU), nothing else.
// Depends on Base only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_DEVICE_H
#define TRIPY_RUNTIME_DEVICE_H

#include "tripy/Base/Program.h"
#include "tripy/Base/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace tripy::runtime {

/// An ordered queue of work on a device: a CUstream on CUDA. Null means the
/// device's own default order; the CPU knows only null and works at once. On
/// CUDA the device's own streams, null among them, keep the order with work on
/// the legacy default stream, as if null were that stream.
using Stream = void *;

/// What one run needs. All spans live as long as the call.
struct RunArguments {
  /// Device address of each of Program::buffers, in order; null for a buffer
  /// without bytes. Aligned to Device::alignment().
  std::span<void *const> buffers;
  /// Value of each of Program::exprs, in order, for this run's sizes.
  std::span<const int64_t> sizes;
  /// Value of each of Program::symbols: two runs with equal symbols have equal
  /// `sizes`, so that this is the key of anything cached by shape.
  std::span<const int64_t> symbols;
};

/// State of one execution context. A device that caches by shape bounds its
/// cache, and reuses an entry when only buffer addresses changed.
class DeviceContext {
public:
  virtual ~DeviceContext() = default;
  /// Runs all launches in order, after earlier work on `stream`. Asynchronous
  /// on CUDA: the caller synchronizes. Allocates nothing when shape and
  /// addresses have been seen before. Launches whose grid has a 0 are skipped.
  /// Errors: LaunchFailed (names the kernel), DeviceOutOfMemory, ContextLost.
  virtual Status run(const RunArguments &arguments, Stream stream) = 0;
  /// The same, launch by launch: waits for each and stores its time in
  /// `seconds` (one entry for each of Program::launches; 0 for skipped ones).
  /// Errors: Unsupported from a device that cannot time launches.
  virtual Status profile(const RunArguments &arguments, Stream stream,
                         std::span<double> seconds) {
    return Status(Code::Unsupported, "this device does not time launches");
  }
};

/// What computes a launch.
struct Backend {
  /// A library; else the program's own kernel.
  bool isLibrary = false;
  /// "cuBLASLt 13.1.0", or "own kernel: " and why the library does not.
  std::string text = {};
};

/// A program on a device: code loaded, constants in memory that kernels can
/// read.
class DeviceProgram {
public:
  virtual ~DeviceProgram() = default;
  /// Device address of Program::constants; null when there are none.
  virtual const uint8_t *constants() const = 0;
  /// For a launch that a library may compute in its kernel's place: how it is
  /// computed on this device. Empty for other launches. Thread-safe.
  virtual Backend backend(TableIndex launch) const { return {}; }
  /// New state for one execution context. `this` outlives it. Thread-safe.
  virtual Result<std::unique_ptr<DeviceContext>> createContext() = 0;
};

/// A machine's peak rate for one kind of work.
struct Peak {
  /// Bytes or floating-point operations in a second; 0: unknown.
  double perSecond = 0;
  /// What it was computed from: "2 x 3201 MHz x 6144 bits".
  std::string source = {};
};

struct PrepareOptions {
  /// Host code of the file may be mapped and executed. Without it a CPU
  /// program is refused with Unsupported.
  bool trustHostCode = false;
};

class Device {
public:
  virtual ~Device() = default;
  virtual DeviceKind kind() const = 0;
  /// Number of the GPU; 0 for the CPU.
  virtual int32_t ordinal() const = 0;
  /// Model of the machine for benchmark output: "NVIDIA H200".
  virtual std::string name() const = 0;
  /// Alignment in bytes that kernels may rely on for every buffer; allocate()
  /// returns at least this. Tensors of the caller that are less aligned are
  /// staged.
  virtual uint32_t alignment() const = 0;

  /// `bytes` > 0 of device memory with unspecified contents. Errors:
  /// HostOutOfMemory or DeviceOutOfMemory, naming needed and free bytes.
  virtual Result<void *> allocate(uint64_t bytes) = 0;
  /// `address` is from allocate() and no work uses it any more.
  virtual void free(void *address) = 0;

  /// Copies in stream order between host and device memory, or within the
  /// device. Host memory stays valid until the stream is synchronized.
  virtual Status copyToDevice(void *device, const void *host, uint64_t bytes,
                              Stream stream) = 0;
  virtual Status copyToHost(void *host, const void *device, uint64_t bytes,
                            Stream stream) = 0;
  virtual Status copyOnDevice(void *to, const void *from, uint64_t bytes,
                              Stream stream) = 0;
  /// copyToHost() and synchronize() in one, which is faster for few bytes.
  virtual Status read(void *host, const void *device, uint64_t bytes,
                      Stream stream) {
    Status status = copyToHost(host, device, bytes, stream);
    return status.isOk() ? synchronize(stream) : status;
  }

  /// The device's peak rate for this kind of work; Touched stands for bytes of
  /// its memory. Unknown where the device does not report it.
  virtual Peak peak(WorkKind kind, DType dtype) { return {}; }

  /// Null on the CPU.
  virtual Result<Stream> createStream() = 0;
  virtual void destroyStream(Stream stream) = 0;
  /// Waits for all work on `stream`; reports its failure.
  virtual Status synchronize(Stream stream) = 0;

  /// Makes a verified program ready. `program` and its image and constant
  /// bytes outlive the result. Errors: ArchMismatch, DriverTooOld,
  /// DeviceOutOfMemory, Unsupported (host code that is not trusted).
  virtual Result<std::unique_ptr<DeviceProgram>>
  prepare(const Program &program, const PrepareOptions &options) = 0;
};

/// The CPU with `threads` threads at most, the caller's included; 0 takes one
/// for each processor this process may use. Threads start with the first
/// launch that has work for them.
Result<std::shared_ptr<Device>> createCpuDevice(uint32_t threads = 0);

/// GPU number `ordinal` through the driver found on this machine. Errors:
/// DriverMissing, DriverTooOld, NotFound (no such GPU), each with what to do.
/// Implemented in CudaDevice.cpp.
Result<std::shared_ptr<Device>> createCudaDevice(int32_t ordinal = 0);

/// Device memory that is freed with the object. Movable.
class DeviceMemory {
public:
  DeviceMemory() = default;
  /// `bytes` may be 0: then there is no address.
  static Result<DeviceMemory> allocate(std::shared_ptr<Device> device,
                                       uint64_t bytes) {
    DeviceMemory memory;
    if (bytes == 0)
      return memory;
    Result<void *> address = device->allocate(bytes);
    if (!address)
      return address.status();
    memory.owner = std::move(device);
    memory.start = *address;
    memory.size = bytes;
    return memory;
  }
  DeviceMemory(DeviceMemory &&other) noexcept { *this = std::move(other); }
  DeviceMemory &operator=(DeviceMemory &&other) noexcept {
    std::swap(owner, other.owner);
    std::swap(start, other.start);
    std::swap(size, other.size);
    return *this;
  }
  ~DeviceMemory() {
    if (start)
      owner->free(start);
  }

  /// Null where there is no memory.
  const Device *device() const { return owner.get(); }
  uint8_t *data() const { return static_cast<uint8_t *>(start); }
  uint64_t bytes() const { return size; }

private:
  std::shared_ptr<Device> owner;
  void *start = nullptr;
  uint64_t size = 0;
};

} // namespace tripy::runtime

#endif // TRIPY_RUNTIME_DEVICE_H
