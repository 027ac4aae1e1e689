//===- Memory.cpp - The emulator's device memory ----------------*- C++ -*-===//
//
// Allocations by address, and what to say about an address that is in none.
//
//===----------------------------------------------------------------------===//
#include "Emulator.h"

#include "tripy/Base/Text.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tripy::emulator {

std::string hexadecimal(uint64_t value) {
  char text[19];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

namespace {
constexpr uint64_t alignment = 512;
constexpr int poison = 0xFD;
constexpr size_t rememberedFrees = 256;

std::string rangeText(const Allocation &range) {
  return concat(range.what, " of ", range.bytes, " bytes at ",
                hexadecimal(range.address));
}
} // namespace

Memory::~Memory() {
  for (auto &[address, entry] : entries)
    if (entry.owned)
      std::free(reinterpret_cast<void *>(address));
}

Result<uint64_t> Memory::allocate(uint64_t bytes, std::string_view what) {
  if (bytes == 0)
    return Status(Code::InvalidArgument, "an allocation of 0 bytes");
  if (bytes > limit || live > limit - bytes || bytes > (uint64_t(1) << 46))
    return Status(Code::DeviceOutOfMemory,
                  concat("no room for ", bytes, " bytes"));
  // Rounded up plus one step, so that two allocations never touch.
  uint64_t rounded = (bytes + 2 * alignment - 1) / alignment * alignment;
  void *data = std::aligned_alloc(alignment, rounded);
  if (!data)
    return Status(Code::DeviceOutOfMemory,
                  concat("no room for ", bytes, " bytes"));
  std::memset(data, poison, bytes);
  auto address = reinterpret_cast<uint64_t>(data);
  entries[address] = {{address, bytes, std::string(what)}, true};
  live += bytes;
  return address;
}

Status Memory::adopt(void *address, uint64_t bytes, std::string_view what) {
  auto start = reinterpret_cast<uint64_t>(address);
  if (!start || bytes == 0)
    return Status(Code::InvalidArgument, "an empty range cannot be adopted");
  auto next = entries.lower_bound(start);
  if (next != entries.end() && next->first < start + bytes)
    return Status(Code::InvalidArgument,
                  "the range overlaps " + rangeText(next->second.range));
  if (next != entries.begin()) {
    const Allocation &before = std::prev(next)->second.range;
    if (before.address + before.bytes > start)
      return Status(Code::InvalidArgument,
                    "the range overlaps " + rangeText(before));
  }
  entries[start] = {{start, bytes, std::string(what)}, false};
  live += bytes;
  return Status::ok();
}

Status Memory::free(uint64_t address) {
  auto found = entries.find(address);
  if (found == entries.end())
    return Status(Code::NotFound,
                  concat(hexadecimal(address),
                         " is not the start of an allocation; it is ",
                         describe(address)));
  latest = nullptr;
  if (found->second.owned)
    std::free(reinterpret_cast<void *>(address));
  live -= found->second.range.bytes;
  if (freed.size() == rememberedFrees)
    freed.erase(freed.begin());
  freed.push_back(std::move(found->second.range));
  entries.erase(found);
  return Status::ok();
}

const Allocation *Memory::find(uint64_t address, uint64_t bytes) const {
  auto holds = [&](const Allocation &range) {
    return address >= range.address && bytes <= range.bytes &&
           address - range.address <= range.bytes - bytes;
  };
  if (latest && holds(*latest))
    return latest;
  auto after = entries.upper_bound(address);
  if (after == entries.begin())
    return nullptr;
  const Allocation &range = std::prev(after)->second.range;
  if (!holds(range))
    return nullptr;
  latest = &range;
  return latest;
}

std::string Memory::describe(uint64_t address) const {
  if (const Allocation *inside = find(address, 1))
    return concat(address - inside->address, " bytes inside the ",
                  rangeText(*inside));
  for (auto range = freed.rbegin(); range != freed.rend(); ++range)
    if (address >= range->address && address - range->address < range->bytes)
      return "in freed memory: the " + rangeText(*range);
  if (entries.empty())
    return "in no allocation (there are none)";
  auto after = entries.upper_bound(address);
  const Allocation *nearest = nullptr;
  uint64_t distance = ~uint64_t(0);
  if (after != entries.begin()) {
    nearest = &std::prev(after)->second.range;
    distance = address - (nearest->address + nearest->bytes);
  }
  if (after != entries.end() && after->first - address < distance)
    return concat(after->first - address, " bytes before the ",
                  rangeText(after->second.range));
  return concat(distance, " bytes after the end of the ", rangeText(*nearest));
}

} // namespace tripy::emulator
