//===- TensorCopy.cpp - Copies of boxes of tensors ------------------------===//

#include "TensorCopy.h"

#include "../Emulator.h"
#include "tripy/Base/Float.h"
#include "tripy/Base/Text.h"

#include <algorithm>
#include <cstring>

using namespace tripy;
using namespace tripy::emulator;

uint64_t emulator::swizzled(uint64_t address, uint32_t swizzle) {
  // Of 128, 64, 32 bytes: the lowest 3, 2, 1 bits of the number of the row.
  uint64_t mask = swizzle / 16 - (swizzle != 0);
  return address ^ (((address >> 7) & mask) << 4);
}

namespace {
/// One row of the box: `count` elements in bounds, which start `skipped`
/// elements into the row.
struct Row {
  uint64_t address = 0;
  uint64_t skipped = 0, count = 0;
};

/// Of the row of the box with outer position `at` (in elements of the box).
Row rowAt(const TensorMap &map, std::span<const int32_t> coordinates,
          const std::array<uint32_t, TensorMap::maxRank> &at) {
  Row row;
  uint64_t address = map.address;
  for (uint32_t i = 1; i < map.rank; ++i) {
    int64_t index =
        int64_t(coordinates[i]) + int64_t(at[i]) * map.elementStrides[i];
    if (index < 0 || uint64_t(index) >= map.dims[i])
      return row;
    address += uint64_t(index) * map.strides[i];
  }
  int64_t first = coordinates[0];
  int64_t begin = std::max<int64_t>(first, 0);
  int64_t end = std::min<int64_t>(first + map.box[0], int64_t(map.dims[0]));
  if (begin >= end)
    return row;
  row.address = address + uint64_t(begin) * map.elementBytes();
  row.skipped = uint64_t(begin - first);
  row.count = uint64_t(end - begin);
  return row;
}

/// Calls `visit` for each row of the box, in the order of the tile, with the
/// offset of the row in the tile.
template <typename Visit>
Status forEachRow(const TensorMap &map, std::span<const int32_t> coordinates,
                  Visit visit) {
  if (coordinates.size() != map.rank)
    return fault(concat("a tensor of ", map.rank, " dimensions is copied with ",
                        coordinates.size(), " coordinates"));
  uint64_t rowBytes = uint64_t(map.box[0]) * map.elementBytes();
  std::array<uint32_t, TensorMap::maxRank> at = {};
  for (uint64_t offset = 0; offset < map.boxBytes(); offset += rowBytes) {
    if (Status status = visit(rowAt(map, coordinates, at), offset);
        !status.isOk())
      return status;
    for (uint32_t i = 1; i < map.rank && ++at[i] == map.boxCount(i); ++i)
      at[i] = 0;
  }
  return Status::ok();
}

/// A quiet NaN for floating-point types that ask for it, else 0.
void fill(const TensorMap &map, std::span<uint8_t> bytes) {
  std::fill(bytes.begin(), bytes.end(), map.fillNaN ? 0xff : 0);
  if (map.fillNaN) // a positive one: the highest byte of an element is 0x7f
    for (size_t i = map.elementBytes() - 1; i < bytes.size();
         i += map.elementBytes())
      bytes[i] = 0x7f;
}

template <typename T> T load(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <typename T> void store(uint8_t *to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

/// `to` += `from`; false where the type has no addition.
bool addElement(TensorType type, uint8_t *to, const uint8_t *from) {
  switch (type) {
  case TensorType::F32:
    store(to, load<float>(to) + load<float>(from));
    return true;
  case TensorType::F16:
    store(to, toF16(double(fromF16(load<uint16_t>(to))) +
                    fromF16(load<uint16_t>(from))));
    return true;
  case TensorType::BF16:
    store(to, toBF16(double(fromBF16(load<uint16_t>(to))) +
                     fromBF16(load<uint16_t>(from))));
    return true;
  case TensorType::U32:
  case TensorType::I32:
    store(to, load<uint32_t>(to) + load<uint32_t>(from));
    return true;
  case TensorType::U64:
  case TensorType::I64:
    store(to, load<uint64_t>(to) + load<uint64_t>(from));
    return true;
  case TensorType::U8:
  case TensorType::U16:
  case TensorType::F64:
    return false;
  }
  return false;
}

Status checkShared(const TensorMap &map, uint64_t address) {
  if (address % 128 != 0)
    return fault(concat("the shared address of a tensor copy must be a "
                        "multiple of 128, but is ",
                        hexadecimal(address)));
  if (map.swizzle != 0 && map.box[0] * map.elementBytes() != map.swizzle)
    return Status(Code::Unsupported,
                  concat("the emulator copies swizzled boxes only with rows "
                         "as long as the swizzle of ",
                         map.swizzle, " bytes, but a row is ",
                         map.box[0] * map.elementBytes()));
  return Status::ok();
}

/// Calls `copy(place, offset, bytes)` for the pieces of the tile that are
/// contiguous in shared memory.
template <typename Copy>
Status forEachPiece(const TensorMap &map, uint64_t address, MemorySpace &shared,
                    Access how, Copy copy) {
  if (Status status = checkShared(map, address); !status.isOk())
    return status;
  uint64_t total = map.boxBytes(), bytes = map.swizzle == 0 ? total : 16;
  for (uint64_t offset = 0; offset < total; offset += bytes) {
    uint8_t *place = nullptr;
    if (Status status = shared.access(swizzled(address + offset, map.swizzle),
                                      bytes, how, place);
        !status.isOk())
      return status;
    copy(place, offset, bytes);
  }
  return Status::ok();
}

Status checkTile(const TensorMap &map, std::span<const uint8_t> tile) {
  if (tile.size() != map.boxBytes())
    return fault(concat("a tile of ", tile.size(), " bytes for a box of ",
                        map.boxBytes()));
  return Status::ok();
}
} // namespace

Status emulator::readGlobalTile(const TensorMap &map,
                                std::span<const int32_t> coordinates,
                                MemorySpace &global,
                                std::vector<uint8_t> &tile) {
  tile.resize(map.boxBytes());
  fill(map, tile);
  uint64_t size = map.elementBytes();
  return forEachRow(map, coordinates, [&](const Row &row, uint64_t offset) {
    uint8_t *place = nullptr;
    if (row.count == 0)
      return Status::ok();
    Status status =
        global.access(row.address, row.count * size, Access::Read, place);
    if (status.isOk())
      std::memcpy(tile.data() + offset + row.skipped * size, place,
                  row.count * size);
    return status;
  });
}

Status emulator::writeGlobalTile(const TensorMap &map,
                                 std::span<const int32_t> coordinates,
                                 std::span<const uint8_t> tile,
                                 MemorySpace &global) {
  if (Status status = checkTile(map, tile); !status.isOk())
    return status;
  uint64_t size = map.elementBytes();
  return forEachRow(map, coordinates, [&](const Row &row, uint64_t offset) {
    uint8_t *place = nullptr;
    if (row.count == 0)
      return Status::ok();
    Status status =
        global.access(row.address, row.count * size, Access::Write, place);
    if (status.isOk())
      std::memcpy(place, tile.data() + offset + row.skipped * size,
                  row.count * size);
    return status;
  });
}

Status emulator::addGlobalTile(const TensorMap &map,
                               std::span<const int32_t> coordinates,
                               std::span<const uint8_t> tile,
                               MemorySpace &global) {
  if (Status status = checkTile(map, tile); !status.isOk())
    return status;
  uint64_t size = map.elementBytes();
  return forEachRow(map, coordinates, [&](const Row &row, uint64_t offset) {
    uint8_t *place = nullptr;
    if (row.count == 0)
      return Status::ok();
    if (Status status = global.access(row.address, row.count * size,
                                      Access::ReadWrite, place);
        !status.isOk())
      return status;
    const uint8_t *from = tile.data() + offset + row.skipped * size;
    for (uint64_t i = 0; i < row.count; ++i)
      if (!addElement(map.type, place + i * size, from + i * size))
        return fault("a reduction must add f32, f16, bf16, or integers of 32 "
                     "or 64 bits");
    return Status::ok();
  });
}

Status emulator::writeSharedTile(const TensorMap &map,
                                 std::span<const uint8_t> tile,
                                 uint64_t address, MemorySpace &shared) {
  if (Status status = checkTile(map, tile); !status.isOk())
    return status;
  return forEachPiece(map, address, shared, Access::Write,
                      [&](uint8_t *place, uint64_t offset, uint64_t bytes) {
                        std::memcpy(place, tile.data() + offset, bytes);
                      });
}

Status emulator::readSharedTile(const TensorMap &map, uint64_t address,
                                MemorySpace &shared,
                                std::vector<uint8_t> &tile) {
  tile.resize(map.boxBytes());
  return forEachPiece(map, address, shared, Access::Read,
                      [&](uint8_t *place, uint64_t offset, uint64_t bytes) {
                        std::memcpy(tile.data() + offset, place, bytes);
                      });
}

Status emulator::loadTile(const TensorMap &map,
                          std::span<const int32_t> coordinates,
                          MemorySpace &global, uint64_t address,
                          MemorySpace &shared) {
  std::vector<uint8_t> tile;
  if (Status status = readGlobalTile(map, coordinates, global, tile);
      !status.isOk())
    return status;
  return writeSharedTile(map, tile, address, shared);
}

Status emulator::storeTile(const TensorMap &map,
                           std::span<const int32_t> coordinates,
                           MemorySpace &global, uint64_t address,
                           MemorySpace &shared) {
  std::vector<uint8_t> tile;
  if (Status status = readSharedTile(map, address, shared, tile);
      !status.isOk())
    return status;
  return writeGlobalTile(map, coordinates, tile, global);
}

Status emulator::reduceTile(const TensorMap &map,
                            std::span<const int32_t> coordinates,
                            MemorySpace &global, uint64_t address,
                            MemorySpace &shared) {
  std::vector<uint8_t> tile;
  if (Status status = readSharedTile(map, address, shared, tile);
      !status.isOk())
    return status;
  return addGlobalTile(map, coordinates, tile, global);
}
