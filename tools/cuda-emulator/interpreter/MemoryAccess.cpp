//===- MemoryAccess.cpp - Addresses, loads and stores -----------*- C++ -*-===//
#include "Decoder.h"
#include "Races.h"

namespace tripy::emulator {

Block *sharedTarget(Block &block, uint64_t address, uint32_t &offset) {
  if (address >= sharedWindow)
    address -= sharedWindow;
  if (address >> 32)
    return nullptr;
  uint32_t rank = address >> rankShift;
  offset = address & ((1u << rankShift) - 1);
  if (offset < sharedStart)
    return nullptr;
  offset -= sharedStart;
  if (rank == 0)
    return &block;
  auto &blocks = block.cluster->blocks;
  return rank <= blocks.size() ? blocks[rank - 1].get() : nullptr;
}

Status SharedSpace::access(uint64_t address, uint64_t bytes, Access how,
                           uint8_t *&place) {
  uint32_t offset = 0;
  Block *target = sharedTarget(block, address, offset);
  if (!target || bytes > target->shared.size() ||
      offset > target->shared.size() - bytes)
    return fault(concat("shared memory at ", hexadecimal(address), " (", bytes,
                        " bytes) is out of bounds: the block has ",
                        target ? target->shared.size() : 0, " bytes from ",
                        hexadecimal(sharedStart)));
  place = target->shared.data() + offset;
  if (RaceChecker *races = block.cluster->races.get()) {
    Status status = races->unitAccess(*target, offset, bytes, how);
    if (!status.isOk())
      return status;
  }
  if (target->written.empty())
    return Status::ok();
  uint8_t *written = target->written.data() + offset;
  bool reads = how == Access::Read || how == Access::ReadWrite;
  if (reads && std::memchr(written, 0, bytes))
    return fault(concat("shared memory at ", hexadecimal(address), " (", bytes,
                        " bytes) was never written"));
  if (how == Access::Write || how == Access::ReadWrite)
    std::memset(written, 1, bytes);
  return Status::ok();
}

uint8_t *SharedSpace::writtenFlags(uint64_t address) {
  uint32_t offset = 0;
  Block *target = sharedTarget(block, address, offset);
  return target && offset < target->written.size()
             ? target->written.data() + offset
             : nullptr;
}

Status GlobalSpace::access(uint64_t address, uint64_t bytes, Access how,
                           uint8_t *&place) {
  if (bytes && !memory.contains(address, bytes))
    return fault(concat("global memory at ", hexadecimal(address), " (", bytes,
                        " bytes) is ", memory.describe(address)));
  place = reinterpret_cast<uint8_t *>(address);
  return Status::ok();
}

namespace {
// Words at a time: this runs for every lane.
bool allWritten(const uint8_t *written, uint32_t bytes) {
  for (; bytes >= 4; bytes -= 4, written += 4) {
    uint32_t flags;
    std::memcpy(&flags, written, 4);
    if (flags != 0x01010101)
      return false;
  }
  for (; bytes; --bytes)
    if (!*written++)
      return false;
  return true;
}
void markWritten(uint8_t *written, uint32_t bytes) {
  constexpr uint32_t flags = 0x01010101;
  for (; bytes >= 4; bytes -= 4, written += 4)
    std::memcpy(written, &flags, 4);
  for (; bytes; --bytes)
    *written++ = 1;
}

const char *verb(Access how) {
  return how == Access::Read    ? "reads"
         : how == Access::Write ? "writes"
                                : "updates";
}

std::string accessText(Access how, uint32_t bytes, std::string_view space,
                       uint64_t address) {
  return concat(verb(how), " ", bytes, " bytes of ", space, " memory at ",
                hexadecimal(address));
}

uint8_t *sharedPlace(Warp &warp, const Instruction &i, uint32_t lane,
                     uint64_t address, uint32_t bytes, Access how) {
  uint32_t offset = 0;
  Block *target = sharedTarget(*warp.block, address, offset);
  if (!target || offset + bytes > target->shared.size() ||
      (target != warp.block && i.space == Space::Shared && !i.cluster)) {
    faultAt(warp, i, lane,
            concat(accessText(how, bytes, "shared", address),
                   target && target != warp.block
                       ? std::string(", which is another block's")
                       : concat(": out of bounds, the block has ",
                                warp.block->shared.size(), " bytes from ",
                                hexadecimal(sharedStart))));
    return nullptr;
  }
  if (target != warp.block && !target->liveWarps) {
    faultAt(warp, i, lane,
            concat(accessText(how, bytes, "shared", address),
                   " of a block that has ended"));
    return nullptr;
  }
  if (!target->written.empty()) {
    uint8_t *written = target->written.data() + offset;
    if (how != Access::Write && !allWritten(written, bytes)) {
      faultAt(warp, i, lane,
              concat(accessText(how, bytes, "shared", address),
                     ", which was never written"));
      return nullptr;
    }
    if (how != Access::Read)
      markWritten(written, bytes);
  }
  if (target->cluster->races && !target->cluster->races->access(
                                    warp, i, lane, *target, offset, bytes, how))
    return nullptr;
  return target->shared.data() + offset;
}

uint8_t *localPlace(Warp &warp, const Instruction &i, uint32_t lane,
                    uint64_t offset, uint32_t bytes, Access how) {
  uint32_t size = launchOf(warp).body.localBytes;
  if (offset > size || bytes > size - offset) {
    faultAt(warp, i, lane,
            concat(accessText(how, bytes, "local", offset), ": the thread has ",
                   size, " bytes"));
    return nullptr;
  }
  return warp.local.data() + uint64_t(size) * lane + offset;
}

uint8_t *parameterPlace(Warp &warp, const Instruction &i, uint32_t lane,
                        uint64_t offset, uint32_t bytes, Access how) {
  Launch &launch = launchOf(warp);
  uint32_t size = launch.function.parameterBytes;
  if (offset > size || bytes > size - offset || how != Access::Read) {
    faultAt(warp, i, lane,
            concat(accessText(how, bytes, "param", offset), ": there are ",
                   size, " bytes that can be read"));
    return nullptr;
  }
  return launch.parameterBase + offset;
}

uint8_t *globalPlace(Warp &warp, const Instruction &i, uint32_t lane,
                     uint64_t address, uint32_t bytes, Access how) {
  Launch &launch = launchOf(warp);
  const Allocation *allocation = launch.memory.find(address, bytes);
  if (allocation) {
    launch.cachedStart = allocation->address;
    launch.cachedEnd = allocation->address + allocation->bytes;
    return reinterpret_cast<uint8_t *>(address);
  }
  auto base = reinterpret_cast<uint64_t>(launch.parameterBase);
  if (i.space == Space::Generic && address >= base &&
      address - base < launch.function.parameterBytes)
    return parameterPlace(warp, i, lane, address - base, bytes, how);
  faultAt(warp, i, lane,
          concat(accessText(how, bytes, "global", address), ": ",
                 launch.memory.describe(address)));
  return nullptr;
}

uint8_t *placeOf(Warp &warp, const Instruction &i, uint32_t lane,
                 uint64_t address, uint32_t bytes, Access how,
                 uint32_t unused) {
  if (address & (bytes - 1)) {
    faultAt(warp, i, lane,
            concat(verb(how), " ", bytes, " bytes at ", hexadecimal(address),
                   ", which is not a multiple of ", bytes));
    return nullptr;
  }
  bytes -= unused;
  switch (i.space) {
  case Space::Shared:
    return sharedPlace(warp, i, lane, address, bytes, how);
  case Space::Local:
    return localPlace(warp, i, lane, address, bytes, how);
  case Space::Param:
    return parameterPlace(warp, i, lane, address, bytes, how);
  case Space::Generic:
    if (address >= localWindow)
      return localPlace(warp, i, lane, address - localWindow, bytes, how);
    if (address >= sharedWindow)
      return sharedPlace(warp, i, lane, address, bytes, how);
    break;
  default:
    break;
  }
  return globalPlace(warp, i, lane, address, bytes, how);
}
/// The place of an access to the block's own shared memory that is in bounds
/// and aligned, with its checks but for races; null: take the slow path.
inline uint8_t *ownPlace(Block &block, uint64_t address, uint32_t bytes,
                         uint32_t unused, Access how) {
  uint64_t offset = address - sharedStart;
  if (offset >= block.shared.size() || block.shared.size() - offset < bytes ||
      (address & (bytes - 1)))
    return nullptr;
  if (!block.written.empty()) {
    uint8_t *written = block.written.data() + offset;
    if (how != Access::Write && !allWritten(written, bytes - unused))
      return nullptr;
    if (how != Access::Read)
      markWritten(written, bytes - unused);
  }
  return block.shared.data() + offset;
}
} // namespace

bool resolveLanes(Warp &warp, const Instruction &i, uint32_t mask,
                  uint32_t bytes, Access how, std::array<uint8_t *, 32> &places,
                  uint32_t unused) {
  Launch &launch = launchOf(warp);
  bool isGlobal = i.space == Space::Global || i.space == Space::Generic;
  bool isOwn = i.space == Space::Shared && !i.cluster;
  Block &own = *warp.block;
  RaceChecker *races = own.cluster->races.get();
  for (; mask; mask &= mask - 1) {
    uint32_t lane = std::countr_zero(mask);
    uint64_t address = addressOf(warp, i, lane);
    // Most accesses are to the allocation of the access before.
    if (isGlobal && address >= launch.cachedStart &&
        address < launch.cachedEnd &&
        bytes - unused <= launch.cachedEnd - address &&
        !(address & (bytes - 1))) {
      places[lane] = reinterpret_cast<uint8_t *>(address);
      continue;
    }
    if (isOwn) {
      places[lane] = ownPlace(own, address, bytes, unused, how);
      if (places[lane] &&
          (!races ||
           races->access(warp, i, lane, own, uint32_t(address - sharedStart),
                         bytes - unused, how)))
        continue;
      if (!launch.error.isOk())
        return false;
    }
    places[lane] = placeOf(warp, i, lane, address, bytes, how, unused);
    if (!places[lane])
      return false;
  }
  return true;
}

} // namespace tripy::emulator
