//===- TensorCopy.h - Copies of boxes of tensors ----------------*- C++ -*-===//
//
// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor in .tile mode. Both
// halves of a copy are separate, because a load may go to several blocks
// (multicast), and because a store has read its source before it has written
// its destination (wait_group.read).
//
// A tile is the box as dense bytes, innermost dimension first and not
// swizzled: map.boxBytes() of them.
//
// Swizzle of shared memory by the bits of the address itself: the 16-byte
// chunk (bits 4 to 6) is exclusive-ored with bits 7 to 9 (128 bytes), bits 4
// and 5 with 7 and 8 (64 bytes), bit 4 with bit 7 (32 bytes).
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_UNITS_TENSORCOPY_H
#define TRIPY_LIB_EMULATOR_UNITS_TENSORCOPY_H

#include "MemorySpace.h"
#include "TensorMap.h"

#include <span>
#include <vector>

namespace tripy::emulator {

/// Where byte `address` of an unswizzled layout lies in shared memory.
/// `swizzle` is 0, 32, 64 or 128.
uint64_t swizzled(uint64_t address, uint32_t swizzle);

/// Reads the box at `coordinates` (map.rank of them, innermost first, in
/// elements; may be negative). Out of bounds: 0, or NaN where the map says so.
Status readGlobalTile(const TensorMap &map,
                      std::span<const int32_t> coordinates, MemorySpace &global,
                      std::vector<uint8_t> &tile);
/// Writes the elements of `tile` that are in bounds.
Status writeGlobalTile(const TensorMap &map,
                       std::span<const int32_t> coordinates,
                       std::span<const uint8_t> tile, MemorySpace &global);
/// Adds the elements of `tile` that are in bounds; f32, f16, bf16 and integers
/// of 32 and 64 bits, rounded to the type after each addition.
Status addGlobalTile(const TensorMap &map, std::span<const int32_t> coordinates,
                     std::span<const uint8_t> tile, MemorySpace &global);

/// Between a tile and shared memory at `address`, a multiple of 128.
Status writeSharedTile(const TensorMap &map, std::span<const uint8_t> tile,
                       uint64_t address, MemorySpace &shared);
Status readSharedTile(const TensorMap &map, uint64_t address,
                      MemorySpace &shared, std::vector<uint8_t> &tile);

/// Both halves at once.
Status loadTile(const TensorMap &map, std::span<const int32_t> coordinates,
                MemorySpace &global, uint64_t address, MemorySpace &shared);
Status storeTile(const TensorMap &map, std::span<const int32_t> coordinates,
                 MemorySpace &global, uint64_t address, MemorySpace &shared);
Status reduceTile(const TensorMap &map, std::span<const int32_t> coordinates,
                  MemorySpace &global, uint64_t address, MemorySpace &shared);

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_UNITS_TENSORCOPY_H
