//===- UnitsTensorCopyTest.cpp - Boxes between global and shared memory ---===//

#include "UnitsTestUtil.h"

using namespace tripy;
using namespace tripy::emulator;

namespace {

/// A tensor in global memory with some bytes between its rows, and a box.
struct Tensor {
  TensorMap map;
  TestSpace memory{0};

  Tensor(TensorType type, std::vector<uint64_t> dims, std::vector<uint32_t> box,
         std::vector<uint32_t> steps = {}, uint32_t swizzle = 0) {
    map.type = type;
    map.rank = uint32_t(dims.size());
    map.address = 0x10000;
    map.swizzle = swizzle;
    uint64_t bytes = bytesOf(type);
    for (uint32_t i = 0; i < map.rank; ++i) {
      map.dims[i] = dims[i];
      map.box[i] = box[i];
      map.elementStrides[i] = steps.empty() ? 1 : steps[i];
      map.strides[i] = bytes;
      bytes = (bytes * dims[i] + 31) / 16 * 16;
    }
    // Exactly to the last element: reading further is a fault.
    uint64_t size = bytesOf(type);
    for (uint32_t i = 0; i < map.rank; ++i)
      size += (dims[i] - 1) * map.strides[i];
    memory = TestSpace(size, map.address);
    std::mt19937 random(size);
    for (uint8_t &byte : memory.bytes)
      byte = uint8_t(random());
  }

  /// Element `index` of the box at `at`, or null where it is out of bounds.
  uint8_t *element(uint64_t index, const std::vector<int32_t> &at) {
    uint64_t address = map.address;
    for (uint32_t i = 0; i < map.rank; ++i) {
      uint32_t count = map.boxCount(i);
      int64_t position =
          at[i] + int64_t(index % count) * (i == 0 ? 1 : map.elementStrides[i]);
      index /= count;
      if (position < 0 || position >= int64_t(map.dims[i]))
        return nullptr;
      address += uint64_t(position) * map.strides[i];
    }
    return memory.at(address);
  }
};

/// Loads the box and compares it element by element.
void expectLoads(Tensor &tensor, const std::vector<int32_t> &at,
                 const std::vector<uint8_t> &outside) {
  uint64_t size = tensor.map.elementBytes(), total = tensor.map.boxBytes();
  TestSpace shared(total + 32, 0x480 - 16);
  EXPECT_OK(loadTile(tensor.map, at, tensor.memory.space, 0x480, shared.space));
  for (uint64_t i = 0; i < total / size; ++i) {
    const uint8_t *want = tensor.element(i, at);
    ASSERT_EQ(std::memcmp(shared.at(0x480 + i * size),
                          want ? want : outside.data(), size),
              0)
        << "element " << i;
  }
  for (uint64_t i = 0; i < 16; ++i) {
    EXPECT_EQ(*shared.at(0x470 + i), 0xfd);
    EXPECT_EQ(*shared.at(0x480 + total + i), 0xfd);
  }
}

/// Stores a box and expects exactly the elements in bounds to be changed.
void expectStores(Tensor &tensor, const std::vector<int32_t> &at) {
  uint64_t size = tensor.map.elementBytes(), total = tensor.map.boxBytes();
  TestSpace shared(total, 0x400);
  std::mt19937 random(7);
  for (uint8_t &byte : shared.bytes)
    byte = uint8_t(random());
  Tensor want = tensor;
  for (uint64_t i = 0; i < total / size; ++i)
    if (uint8_t *place = want.element(i, at))
      std::memcpy(place, shared.at(0x400 + i * size), size);
  EXPECT_OK(
      storeTile(tensor.map, at, tensor.memory.space, 0x400, shared.space));
  EXPECT_EQ(tensor.memory.bytes, want.memory.bytes);
}

TEST(TensorCopy, BoxesOfEveryRankCrossEveryEdge) {
  Tensor tensors[] = {
      {TensorType::F32, {37}, {12}},
      {TensorType::F16, {19, 11}, {8, 5}},
      {TensorType::U8, {33, 5, 7}, {16, 3, 4}},
      {TensorType::F64, {5, 4, 3, 3}, {2, 3, 2, 2}},
      {TensorType::BF16, {9, 3, 4, 2, 3}, {8, 2, 3, 1, 2}},
      {TensorType::I32, {4, 2}, {8, 4}}, // larger than the tensor
  };
  for (Tensor &tensor : tensors)
    for (int32_t inner : {-20, -9, -3, 0, 1, 4, 12, 30, 40})
      for (int32_t outer : {-4, -1, 0, 1, 2, 6, 100}) {
        std::vector<int32_t> at(tensor.map.rank, outer);
        at[0] = inner;
        at.back() = tensor.map.rank > 2 ? outer - 1 : at.back();
        expectLoads(tensor, at, std::vector<uint8_t>(8, 0));
        expectStores(tensor, at);
      }
}

TEST(TensorCopy, ElementStridesSkip) {
  Tensor tensor(TensorType::F16, {20, 15, 9}, {8, 7, 6}, {3, 2, 4});
  EXPECT_EQ(tensor.map.boxBytes(), 8u * 4 * 2 * 2);
  for (int32_t at : {-3, 0, 2, 9})
    expectLoads(tensor, {at, at, at}, {0, 0});
  expectStores(tensor, {15, 9, 6});
}

TEST(TensorCopy, FillsWithNaN) {
  Tensor tensor(TensorType::F16, {20, 3}, {8, 5});
  tensor.map.fillNaN = true;
  EXPECT_NE(fromF16(0x7fff), fromF16(0x7fff));
  expectLoads(tensor, {15, -1}, {0xff, 0x7f});
  Tensor wide(TensorType::F32, {7, 3}, {4, 2});
  wide.map.fillNaN = true;
  expectLoads(wide, {-2, 2}, {0xff, 0xff, 0xff, 0x7f});
}

TEST(TensorCopy, CoordinatesAtTheLimitsAreOutOfBounds) {
  Tensor tensor(TensorType::F16, {20, 3}, {8, 5});
  for (int32_t limit : {std::numeric_limits<int32_t>::min(),
                        std::numeric_limits<int32_t>::max()}) {
    expectLoads(tensor, {limit, 0}, {0, 0});
    expectLoads(tensor, {0, limit}, {0, 0});
    expectStores(tensor, {limit, limit});
  }
}

/// The documented patterns, by row of the box: its 16-byte chunks are
/// exclusive-ored with the row modulo 8 (128 bytes), with the half of the row
/// modulo 4 (64 bytes), with the quarter of the row modulo 2 (32 bytes).
TEST(TensorCopy, SwizzlesByRow) {
  for (uint32_t span : {32, 64, 128}) {
    uint32_t chunks = span / 16;
    Tensor tensor(TensorType::U8, {span, 40}, {span, 21}, {}, span);
    std::vector<int32_t> at = {0, 3};
    TestSpace shared(21 * 128, 0x800); // 2 KiB: the pattern starts here
    EXPECT_OK(
        loadTile(tensor.map, at, tensor.memory.space, 0x800, shared.space));
    for (uint32_t row = 0; row < 21; ++row)
      for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
        uint32_t moved = chunk ^ (row / (8 / chunks) % chunks);
        EXPECT_EQ(std::memcmp(shared.at(0x800 + row * span + moved * 16),
                              tensor.element(row * span + chunk * 16, at), 16),
                  0)
            << span << " " << row << " " << chunk;
      }
    // The way back.
    Tensor other(TensorType::U8, {span, 40}, {span, 21}, {}, span);
    std::fill(other.memory.bytes.begin(), other.memory.bytes.end(), 0);
    EXPECT_OK(
        storeTile(other.map, at, other.memory.space, 0x800, shared.space));
    for (uint64_t i = 0; i < 21 * span; ++i)
      ASSERT_EQ(*other.element(i, at), *tensor.element(i, at));
  }
}

/// The pattern goes by the address, not by the row: a box that starts 2 rows
/// into the pattern is moved as rows 2, 3, ... are.
TEST(TensorCopy, SwizzlesByAddress) {
  Tensor tensor(TensorType::U8, {128, 16}, {128, 3}, {}, 128);
  std::vector<int32_t> at = {0, 0};
  TestSpace shared(0x400, 0x800);
  EXPECT_OK(loadTile(tensor.map, at, tensor.memory.space, 0x900, shared.space));
  for (uint32_t row = 0; row < 3; ++row)
    for (uint32_t chunk = 0; chunk < 8; ++chunk)
      EXPECT_EQ(
          std::memcmp(shared.at(0x900 + row * 128 + (chunk ^ (row + 2)) * 16),
                      tensor.element(row * 128 + chunk * 16, at), 16),
          0);
}

TEST(TensorCopy, ReductionsAdd) {
  Tensor tensor(TensorType::F16, {10, 3}, {8, 2});
  std::vector<int32_t> at = {6, 2};
  TestSpace shared(32, 0x400);
  for (uint32_t i = 0; i < 16; ++i) {
    uint16_t two = toF16(i);
    std::memcpy(shared.at(0x400 + i * 2), &two, 2);
  }
  for (size_t i = 0; i + 1 < tensor.memory.bytes.size(); i += 2) {
    uint16_t large = toF16(2048); // of whole numbers, even ones from here on
    std::memcpy(&tensor.memory.bytes[i], &large, 2);
  }
  Tensor before = tensor;
  EXPECT_OK(
      reduceTile(tensor.map, at, tensor.memory.space, 0x400, shared.space));
  // 2048 + 1 rounds to 2048, 2048 + 3 to 2052; 4 of 16 elements are in bounds.
  float want[] = {2048, 2048, 2050, 2052};
  for (uint32_t i = 0; i < 4; ++i) {
    uint16_t bits;
    std::memcpy(&bits, tensor.element(i, at), 2);
    EXPECT_EQ(fromF16(bits), want[i]);
    std::memcpy(before.element(i, at), &bits, 2);
  }
  EXPECT_EQ(tensor.memory.bytes, before.memory.bytes);
}

template <typename T> void expectAdds(TensorType type, T have, T add, T want) {
  Tensor tensor(type, {16}, {16});
  TestSpace shared(tensor.map.boxBytes(), 0x400);
  for (uint32_t i = 0; i < 16; ++i) {
    std::memcpy(&tensor.memory.bytes[i * sizeof(T)], &have, sizeof(T));
    std::memcpy(&shared.bytes[i * sizeof(T)], &add, sizeof(T));
  }
  std::vector<int32_t> at = {0};
  EXPECT_OK(
      reduceTile(tensor.map, at, tensor.memory.space, 0x400, shared.space));
  for (uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(
        std::memcmp(&tensor.memory.bytes[i * sizeof(T)], &want, sizeof(T)), 0);
}

TEST(TensorCopy, EveryTypeAddsInItsOwnPrecision) {
  expectAdds<float>(TensorType::F32, 16777216, 3, 16777220);
  expectAdds<uint16_t>(TensorType::BF16, toBF16(256), toBF16(3), toBF16(260));
  expectAdds<uint32_t>(TensorType::U32, 0xffffffff, 2, 1);
  expectAdds<int32_t>(TensorType::I32, -5, 3, -2);
  expectAdds<uint64_t>(TensorType::U64, uint64_t(1) << 40, 1,
                       (uint64_t(1) << 40) + 1);
  expectAdds<int64_t>(TensorType::I64, -1, -1, -2);
  Tensor bytes(TensorType::U8, {16}, {16});
  TestSpace shared(16, 0x400);
  std::vector<int32_t> at = {0};
  EXPECT_FAULT(
      reduceTile(bytes.map, at, bytes.memory.space, 0x400, shared.space),
      "a reduction must add");
}

TEST(TensorCopy, RefusesWrongAddressesAndSizes) {
  Tensor tensor(TensorType::F16, {20, 11}, {8, 5});
  TestSpace shared(0x200, 0x400);
  std::vector<int32_t> at = {0, 0}, wrong = {0};
  auto load = [&](const std::vector<int32_t> &from, uint64_t to) {
    return loadTile(tensor.map, from, tensor.memory.space, to, shared.space);
  };
  EXPECT_OK(load(at, 0x480));
  EXPECT_FAULT(load(at, 0x440), "multiple of 128, but is 0x440");
  EXPECT_FAULT(load(at, 0x5c0 + 0x40), "out of bounds");
  EXPECT_FAULT(load(wrong, 0x400), "2 dimensions is copied with 1");
  // An allocation that ends before the tensor does.
  tensor.memory = TestSpace(64, tensor.map.address);
  EXPECT_FAULT(load(at, 0x400), "out of bounds");
  std::vector<uint8_t> tile(3);
  EXPECT_FAULT(writeSharedTile(tensor.map, tile, 0x400, shared.space),
               "a tile of 3 bytes");
  Tensor narrow(TensorType::F16, {64, 8}, {16, 8}, {}, 128);
  EXPECT_EQ(
      loadTile(narrow.map, at, narrow.memory.space, 0x400, shared.space).code(),
      Code::Unsupported);
}

} // namespace
