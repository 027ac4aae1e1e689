//===- DeviceBlocks.h - Device memory that is used again --------*- C++ -*-===//
//
// The driver's allocation and release take microseconds, and a release waits
// for all work of the device. Memory of results that nobody wants any more is
// therefore kept for the next result of the same size. Private to the frontend.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_DEVICEBLOCKS_H
#define TRIPY_LIB_FRONTEND_DEVICEBLOCKS_H

#include "tripy/Runtime/Device.h"

#include <deque>
#include <mutex>

namespace tripy::frontend {

/// Thread-safe. What is kept is freed when static objects are.
class DeviceBlocks {
public:
  static DeviceBlocks &instance();

  /// `bytes` of memory of a GPU. Before the device is out of memory, what is
  /// kept is freed. Errors: those of runtime::Device::allocate().
  Result<runtime::DeviceMemory>
  allocate(const std::shared_ptr<runtime::Device> &device, uint64_t bytes);
  /// No work uses the memory any more, of nobody.
  void giveBack(runtime::DeviceMemory memory) noexcept;
  /// Frees what is kept.
  void clear();
  /// The same, and keeps nothing from now on.
  void close();

private:
  struct Block {
    const runtime::Device *device;
    runtime::DeviceMemory memory;
  };
  runtime::DeviceMemory find(const runtime::Device &device, uint64_t bytes);

  std::mutex mutex;
  /// The one that came last is last.
  std::deque<Block> blocks;
  uint64_t bytes = 0;
  bool isClosed = false;
};

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_DEVICEBLOCKS_H
