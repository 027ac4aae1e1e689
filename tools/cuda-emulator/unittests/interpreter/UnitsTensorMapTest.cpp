//===- UnitsTensorMapTest.cpp - Rules of tensor maps ----------------------===//

#include "UnitsTestUtil.h"

using namespace tripy;
using namespace tripy::emulator;

namespace {

/// A map that is right; tests break one thing.
struct Encoding {
  std::vector<uint64_t> dims = {100, 7, 5}, strides = {256, 2048};
  std::vector<uint32_t> box = {64, 3, 2}, steps = {1, 1, 1};
  TensorMapArguments arguments;
  TensorMapValue value;

  Encoding() {
    arguments.dataType = int(TensorType::F16);
    arguments.rank = 3;
    arguments.address = 0x7f0000000010;
    arguments.swizzle = 3;
    arguments.l2Promotion = 3;
  }
  Status encode() {
    arguments.dims = dims.data();
    arguments.strides = strides.data();
    arguments.box = box.data();
    arguments.elementStrides = steps.data();
    return encodeTensorMap(arguments, value);
  }
};

TEST(TensorMap, SurvivesItsEncoding) {
  Encoding e;
  e.steps = {1, 2, 1};
  e.arguments.outOfBoundsFill = 1;
  ASSERT_TRUE(e.encode().isOk());
  TensorMap map;
  ASSERT_TRUE(decodeTensorMap(e.value.bytes.data(), map).isOk());
  EXPECT_EQ(map.type, TensorType::F16);
  EXPECT_EQ(map.rank, 3u);
  EXPECT_EQ(map.address, 0x7f0000000010u);
  EXPECT_EQ(map.dims, (std::array<uint64_t, 5>{100, 7, 5, 0, 0}));
  EXPECT_EQ(map.strides, (std::array<uint64_t, 5>{2, 256, 2048, 0, 0}));
  EXPECT_EQ(map.box, (std::array<uint32_t, 5>{64, 3, 2, 0, 0}));
  EXPECT_EQ(map.elementStrides, (std::array<uint32_t, 5>{1, 2, 1, 0, 0}));
  EXPECT_EQ(map.swizzle, 128u);
  EXPECT_TRUE(map.fillNaN);
  EXPECT_EQ(map.boxBytes(), 64u * 2 * 2 * 2) << "every other of 3 rows";
  // The first element stride is ignored.
  e.steps = {4, 1, 1};
  ASSERT_TRUE(e.encode().isOk());
  ASSERT_TRUE(decodeTensorMap(e.value.bytes.data(), map).isOk());
  EXPECT_EQ(map.boxBytes(), 64u * 3 * 2 * 2);
}

TEST(TensorMap, TheLargestAreEncoded) {
  Encoding e;
  e.dims = {uint64_t(1) << 32, uint64_t(1) << 32, 1, 1, 1};
  e.strides = {(uint64_t(1) << 40) - 16, 16, 0, 16};
  e.box = {64, 256, 256, 256, 256};
  e.steps = {8, 8, 8, 8, 8};
  e.arguments.rank = 5;
  EXPECT_OK(e.encode());
  TensorMap map;
  EXPECT_OK(decodeTensorMap(e.value.bytes.data(), map));
  EXPECT_EQ(map.dims[0], uint64_t(1) << 32);
  EXPECT_EQ(map.strides[1], (uint64_t(1) << 40) - 16);
  EXPECT_EQ(map.boxBytes(), 128u * 32 * 32 * 32 * 32);
}

/// Applies `change` to a right map and expects `text`.
template <typename Change> void expectRefused(const char *text, Change change) {
  Encoding e;
  change(e);
  Status status = e.encode();
  EXPECT_EQ(status.code(), Code::InvalidArgument);
  EXPECT_FAULT(status, text);
  EXPECT_EQ(e.value.bytes, TensorMapValue().bytes) << "nothing is written";
}

TEST(TensorMap, RefusesWhatTheDriverRefuses) {
  using E = Encoding &;
  expectRefused("rank must be 1 to 5", [](E e) { e.arguments.rank = 0; });
  expectRefused("rank must be 1 to 5", [](E e) { e.arguments.rank = 6; });
  expectRefused("multiple of 16", [](E e) { e.arguments.address += 8; });
  expectRefused("multiple of 16", [](E e) { e.arguments.address = 0; });
  expectRefused("1 to 2^32, but number 1", [](E e) { e.dims[1] = 0; });
  expectRefused("1 to 2^32, but number 2",
                [](E e) { e.dims[2] = (uint64_t(1) << 32) + 1; });
  expectRefused("but number 0 is 264", [](E e) { e.strides[0] = 264; });
  expectRefused("but number 1 is 1099511627776",
                [](E e) { e.strides[1] = uint64_t(1) << 40; });
  expectRefused("box sizes must be 1 to 256", [](E e) { e.box[2] = 0; });
  expectRefused("box sizes must be 1 to 256", [](E e) { e.box[1] = 257; });
  expectRefused("multiple of 16 bytes, but is 120", [](E e) { e.box[0] = 60; });
  expectRefused("with a swizzle of 128 bytes", [](E e) { e.box[0] = 72; });
  expectRefused("with a swizzle of 64 bytes",
                [](E e) { e.arguments.swizzle = 2; });
  expectRefused("with a swizzle of 32 bytes",
                [](E e) { e.arguments.swizzle = 1; });
  expectRefused("element strides must be 1 to 8", [](E e) { e.steps[1] = 0; });
  expectRefused("element strides must be 1 to 8", [](E e) { e.steps[2] = 9; });
  expectRefused("unknown data type", [](E e) { e.arguments.dataType = 16; });
  expectRefused("unknown data type", [](E e) { e.arguments.dataType = -1; });
  expectRefused("unknown interleaved", [](E e) { e.arguments.interleave = 3; });
  expectRefused("unknown swizzle", [](E e) { e.arguments.swizzle = 7; });
  expectRefused("unknown promotion", [](E e) { e.arguments.l2Promotion = 4; });
  expectRefused("unknown fill", [](E e) { e.arguments.outOfBoundsFill = 2; });
  expectRefused("only floating-point types", [](E e) {
    e.arguments.outOfBoundsFill = 1;
    e.arguments.dataType = int(TensorType::U16);
  });
}

TEST(TensorMap, SaysWhatTheEmulatorLacks) {
  Encoding e;
  e.arguments.interleave = 1;
  EXPECT_EQ(e.encode().code(), Code::Unsupported);
  e = Encoding();
  e.arguments.swizzle = 4;
  EXPECT_EQ(e.encode().code(), Code::Unsupported);
  e = Encoding();
  e.arguments.dataType = 11;
  EXPECT_EQ(e.encode().code(), Code::Unsupported);
}

TEST(TensorMap, OtherBytesAreNoTensorMap) {
  TensorMap map;
  TensorMapValue value;
  EXPECT_FAULT(decodeTensorMap(value.bytes.data(), map), "not one that was");
  value.bytes.fill(0xfd);
  EXPECT_FAULT(decodeTensorMap(value.bytes.data(), map), "not one that was");
}

} // namespace
