//===- Storage.h - Elements of tensors --------------------------*- C++ -*-===//
//
// Memory with the elements of a tensor, on the host or on a device. It does not
// change once a node has it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_STORAGE_H
#define TRIPY_LIB_FRONTEND_STORAGE_H

#include "Devices.h"

#include "tripy/Frontend/Types.h"
#include "tripy/Runtime/Device.h"
#include "tripy/Runtime/TensorView.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

namespace tripy::frontend {

class Work;

class Storage {
public:
  /// Takes host memory over.
  explicit Storage(runtime::HostTensor tensor);
  /// `memory` is on the device of `view`.
  Storage(runtime::DeviceMemory memory, runtime::TensorView view,
          std::shared_ptr<runtime::Device> owner);
  /// Memory of somebody else; `release` is called when it is not needed.
  Storage(runtime::TensorView view, std::function<void()> release);
  ~Storage();
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;

  const runtime::TensorView &view() const { return place; }
  DType dtype() const { return place.dtype; }
  uint64_t bytes() const { return *place.shape.bytes(place.dtype); }
  Device device() const;
  /// Waits until the elements are there and copies them to host memory. Throws
  /// Error at `loc`.
  void copyToHost(void *data, SourceLoc loc) const;
  /// What computes the elements; null where they are there.
  const std::shared_ptr<Work> &work() const { return pending; }
  void setWork(std::shared_ptr<Work> work) { pending = std::move(work); }
  /// Waits until the elements are there. Throws Error at `loc`.
  void wait(SourceLoc loc) const;
  /// Somebody else reads the memory until the storage goes, and perhaps work
  /// that nobody here knows of after that.
  void lend() const { isLent = true; }
  /// The elements in host memory that kernels of the CPU can read as it is: a
  /// copy where these are less aligned, which is made once. Throws Error.
  runtime::TensorView alignedView(SourceLoc loc) const;
  /// What keepCopy() was given last, if it is on this device: the same
  /// elements, which its work() brings there. Parameters of eager programs are
  /// brought to a GPU once.
  std::shared_ptr<const Storage> copyOn(const Device &device) const;
  void keepCopy(std::shared_ptr<const Storage> copy) const;

private:
  runtime::HostTensor host;
  runtime::DeviceMemory memory;
  runtime::TensorView place;
  std::shared_ptr<runtime::Device> owner;
  std::function<void()> release;
  std::shared_ptr<Work> pending;
  mutable std::atomic<bool> isLent = false;
  mutable std::mutex alignMutex, copyMutex;
  mutable std::shared_ptr<const Storage> copy;
  mutable runtime::HostTensor aligned;
};

/// Memory on a device for a tensor. Throws Error at `loc`.
std::shared_ptr<Storage> allocate(const Device &device, DType dtype,
                                  const runtime::Shape &shape, SourceLoc loc);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_STORAGE_H
