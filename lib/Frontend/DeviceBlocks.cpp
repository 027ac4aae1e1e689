//===- DeviceBlocks.cpp - Device memory that is used again ----------------===//

#include "DeviceBlocks.h"

using namespace tripy;
using namespace tripy::frontend;

/// Other libraries of the process need memory, too; and few blocks are found
/// without a table.
static constexpr uint64_t maxBytes = uint64_t(64) << 20;
static constexpr size_t maxBlocks = 64;

DeviceBlocks &DeviceBlocks::instance() {
  static DeviceBlocks *blocks = new DeviceBlocks; // tensors may outlive statics
  return *blocks;
}

/// One of exactly this size: tests see accesses behind its end.
runtime::DeviceMemory DeviceBlocks::find(const runtime::Device &device,
                                         uint64_t wanted) {
  runtime::DeviceMemory memory;
  std::lock_guard lock(mutex);
  for (size_t i = blocks.size(); i-- > 0;) {
    if (blocks[i].memory.bytes() != wanted || blocks[i].device != &device)
      continue;
    memory = std::move(blocks[i].memory);
    blocks.erase(blocks.begin() + i);
    bytes -= wanted;
    break;
  }
  return memory;
}

Result<runtime::DeviceMemory>
DeviceBlocks::allocate(const std::shared_ptr<runtime::Device> &device,
                       uint64_t wanted) {
  if (runtime::DeviceMemory known = find(*device, wanted); known.data())
    return known;
  auto memory = runtime::DeviceMemory::allocate(device, wanted);
  if (memory || memory.status().code() != Code::DeviceOutOfMemory)
    return memory;
  clear();
  return runtime::DeviceMemory::allocate(device, wanted);
}

void DeviceBlocks::giveBack(runtime::DeviceMemory memory) noexcept {
  // Freed after the lock.
  std::deque<Block> oldest;
  uint64_t size = memory.bytes();
  if (!memory.data() || size > maxBytes)
    return;
  try {
    std::lock_guard lock(mutex);
    if (isClosed)
      return;
    blocks.push_back({memory.device(), runtime::DeviceMemory()});
    blocks.back().memory = std::move(memory);
    bytes += size;
    while (bytes > maxBytes || blocks.size() > maxBlocks) {
      bytes -= blocks.front().memory.bytes();
      oldest.push_back(std::move(blocks.front()));
      blocks.pop_front();
    }
  } catch (const std::bad_alloc &) {
    // Then it is freed.
  }
}

void DeviceBlocks::clear() {
  std::deque<Block> all;
  std::lock_guard lock(mutex);
  all.swap(blocks);
  bytes = 0;
}

void DeviceBlocks::close() {
  {
    std::lock_guard lock(mutex);
    isClosed = true;
  }
  clear();
}
