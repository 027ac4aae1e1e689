//===- UnitsWgmmaTest.cpp - Products of a warpgroup -----------------------===//
//
// Operands go through tensor copies into shared memory, as kernels do it, and
// results are compared with sums over the elements.
//
//===----------------------------------------------------------------------===//

#include "UnitsWgmmaUtil.h"

using namespace tripy;
using namespace tripy::emulator;

namespace {

/// An operand in shared memory: `size` rows (of A, or columns of B) by `k`.
struct Operand {
  MatrixDescriptor descriptor;
  /// Bytes between steps of 32 bytes of K.
  uint32_t step = 0;

  uint64_t at(uint32_t number) const {
    MatrixDescriptor moved = descriptor;
    moved.start += number * step;
    return moved.encode();
  }
};

/// Bytes of a row of a box.
uint32_t spanOf(int swizzle) { return swizzle ? 16 << swizzle : 16; }

/// Places `matrix` in boxes of all its rows, one for each span of the
/// contiguous side. Returns the bytes of a box.
uint32_t placeBoxes(const TestMatrix &matrix, MatrixType type, int swizzle,
                    uint32_t at, MemorySpace &shared) {
  uint32_t span = spanOf(swizzle), perBox = span / bytesOf(type);
  std::vector<uint8_t> bytes = matrix.encode(type);
  uint32_t boxBytes = matrix.rows * span;
  for (uint32_t i = 0; i * perBox < matrix.columns; ++i)
    EXPECT_OK(loadBox(bytes, tensorType(type), matrix.rows, matrix.columns,
                      matrix.rows, perBox, swizzle, 0, int32_t(i * perBox),
                      at + i * boxBytes, shared));
  return boxBytes;
}

/// Places `matrix`, [size][k] with K contiguous: one box for each span of K.
Operand placeKMajor(const TestMatrix &matrix, MatrixType type, int swizzle,
                    uint32_t at, MemorySpace &shared) {
  uint32_t span = spanOf(swizzle);
  uint32_t boxBytes = placeBoxes(matrix, type, swizzle, at, shared);
  Operand operand;
  operand.descriptor.start = at;
  operand.descriptor.swizzle = swizzle ? span : 0;
  operand.descriptor.stride = 8 * span;
  operand.descriptor.leading = swizzle ? 16 : boxBytes;
  operand.step = swizzle ? 32 : 2 * boxBytes;
  return operand;
}

/// Places `matrix`, [k][size] with rows contiguous: one box for each span of
/// rows.
Operand placeMnMajor(const TestMatrix &matrix, MatrixType type, int swizzle,
                     uint32_t at, MemorySpace &shared) {
  uint32_t span = spanOf(swizzle);
  uint32_t boxBytes = placeBoxes(matrix, type, swizzle, at, shared);
  Operand operand;
  operand.descriptor.start = at;
  operand.descriptor.swizzle = swizzle ? span : 0;
  // Without a swizzle, the offsets trade places.
  operand.descriptor.leading = swizzle ? boxBytes : 8 * span;
  operand.descriptor.stride = swizzle ? 8 * span : boxBytes;
  operand.step = 16 * span;
  return operand;
}

std::vector<uint32_t> accumulatorsOf(const WgmmaShape &shape) {
  // NaN: without scale-d, the old values do not count.
  return std::vector<uint32_t>(128 * shape.accumulatorRegisters(), 0x7fff7fff);
}

/// Multiplies with K of `steps` instructions, in which operands of one swizzle
/// lie in one box.
void checkProduct(WgmmaShape shape, int swizzleA, int swizzleB,
                  uint32_t steps) {
  SCOPED_TRACE(testing::Message()
               << "types " << int(shape.a) << " " << int(shape.b) << ", n "
               << shape.n << ", swizzles " << swizzleA << " " << swizzleB
               << ", transposed " << shape.transposeA << shape.transposeB);
  TestMatrix a(64, steps * shape.k(), 1), b(shape.n, steps * shape.k(), 2);
  TestSpace shared(128 * 1024, 0x400);
  Operand left =
      shape.transposeA
          ? placeMnMajor(a.transposed(), shape.a, swizzleA, 0x400, shared.space)
          : placeKMajor(a, shape.a, swizzleA, 0x400, shared.space);
  Operand right = shape.transposeB
                      ? placeMnMajor(b.transposed(), shape.b, swizzleB, 0x8000,
                                     shared.space)
                      : placeKMajor(b, shape.b, swizzleB, 0x8000, shared.space);
  std::vector<uint32_t> d = accumulatorsOf(shape);
  for (uint32_t i = 0; i < steps; ++i)
    EXPECT_OK(wgmma(shape, left.at(i), right.at(i), i > 0, shared.space, d));
  expectProduct(shape, d, a, b);
}

/// Steps that fit in the span of a swizzle: with K contiguous, a box ends
/// there.
uint32_t stepsOf(int swizzleA, int swizzleB) {
  auto steps = [](int swizzle) { return swizzle ? 1u << (swizzle - 1) : 4u; };
  return std::min(steps(swizzleA), steps(swizzleB));
}

TEST(Wgmma, EverySwizzleOfBothOperands) {
  for (int swizzleA = 0; swizzleA < 4; ++swizzleA)
    for (int swizzleB = 0; swizzleB < 4; ++swizzleB)
      for (MatrixType type :
           {MatrixType::F16, MatrixType::TF32, MatrixType::E4M3}) {
        WgmmaShape shape;
        shape.n = 40;
        shape.a = shape.b = type;
        checkProduct(shape, swizzleA, swizzleB, stepsOf(swizzleA, swizzleB));
      }
}

TEST(Wgmma, EverySwizzleOfTransposedOperands) {
  // Whole boxes of columns: 64 is a multiple of every span.
  for (int swizzleA = 0; swizzleA < 4; ++swizzleA)
    for (int swizzleB = 0; swizzleB < 4; ++swizzleB)
      for (int which = 1; which < 4; ++which)
        for (MatrixType type : {MatrixType::F16, MatrixType::BF16}) {
          WgmmaShape shape;
          shape.n = 128;
          shape.a = shape.b = type;
          shape.transposeA = which & 1;
          shape.transposeB = which & 2;
          checkProduct(shape, swizzleA, swizzleB, stepsOf(swizzleA, swizzleB));
        }
}

TEST(Wgmma, EveryNumberOfColumns) {
  for (uint32_t n = 8; n <= 256; n += 8) {
    WgmmaShape shape;
    shape.n = n;
    checkProduct(shape, 3, 3, 4);
  }
}

static WgmmaShape shapeOfIntegers(uint32_t n) {
  WgmmaShape shape;
  shape.n = n;
  shape.a = shape.b = MatrixType::S8;
  shape.accumulator = AccumulatorType::S32;
  return shape;
}

TEST(Wgmma, EveryNumberOfColumnsOfIntegers) {
  for (uint32_t n = 8; n <= 256; n += 8)
    if (n <= 24 || n % 16 == 0)
      checkProduct(shapeOfIntegers(n), 3, 3, 4);
    else
      EXPECT_FAULT(checkWgmma(shapeOfIntegers(n)), "multiple of 16");
}

TEST(Wgmma, SumsOfIntegersAreExactAndWrapAround) {
  WgmmaShape shape = shapeOfIntegers(8);
  TestMatrix a(64, 32, 1), b(8, 32, 2);
  // The products of largest size, beside others.
  std::fill_n(a.values.begin(), 64, -128);
  std::fill_n(b.values.begin(), 32, -128);
  std::fill_n(b.values.begin() + 32, 32, 127);
  TestSpace shared(128 * 1024, 0x400);
  Operand left = placeKMajor(a, shape.a, 1, 0x400, shared.space);
  Operand right = placeKMajor(b, shape.b, 1, 0x8000, shared.space);
  for (uint32_t start : {0u, 1u << 24 | 1, 0x7fffffffu, 0x80000000u}) {
    std::vector<uint32_t> d(128 * shape.accumulatorRegisters(), start);
    EXPECT_OK(wgmma(shape, left.at(0), right.at(0), true, shared.space, d));
    for (uint32_t row = 0; row < 64; ++row)
      for (uint32_t column = 0; column < 8; ++column) {
        uint32_t t = row / 16 * 32 + row % 8 * 4 + column / 2;
        EXPECT_EQ(d[t * 4 + row % 16 / 8 * 2 + column % 2],
                  start + uint32_t(product(a, b, row, column)));
      }
  }
}

TEST(Wgmma, EveryPairOfTypes) {
  using T = MatrixType;
  for (auto [a, b] : {std::pair(T::F16, T::F16),
                      {T::BF16, T::BF16},
                      {T::TF32, T::TF32},
                      {T::E4M3, T::E4M3},
                      {T::E4M3, T::E5M2},
                      {T::E5M2, T::E4M3},
                      {T::E5M2, T::E5M2}})
    for (AccumulatorType accumulator :
         {AccumulatorType::F32, AccumulatorType::F16}) {
      WgmmaShape shape;
      shape.n = 16;
      shape.a = a;
      shape.b = b;
      shape.accumulator = accumulator;
      if (checkWgmma(shape).isOk())
        checkProduct(shape, 3, 3, 4);
      else
        EXPECT_TRUE(accumulator == AccumulatorType::F16 &&
                    (a == T::BF16 || a == T::TF32));
    }
}

/// The descriptors of the compiler's kernels, as they are written there: 64 K
/// of 16-bit elements with the 128-byte swizzle, K-major with 8 rows 1024
/// bytes apart; else 64 rows 8192 bytes and 8 steps of K 1024 bytes apart.
TEST(Wgmma, DescriptorsOfOurKernels) {
  auto descriptor = [](bool kMajor, uint32_t address) {
    uint64_t leading = kMajor ? 1 : 8192 >> 4;
    return uint64_t(1) << 62 | uint64_t(1024 >> 4) << 32 | leading << 16 |
           (address & 0x3ffff) >> 4;
  };
  for (int which = 0; which < 4; ++which) {
    bool kMajorA = which & 1, kMajorB = which & 2;
    WgmmaShape shape;
    shape.n = 256;
    shape.transposeA = !kMajorA;
    shape.transposeB = !kMajorB;
    TestMatrix a(64, 64, 3), b(256, 64, 4);
    TestSpace shared(0x20000, 0x400);
    constexpr uint32_t atA = 0x4400, atB = 0x10000;
    kMajorA ? placeKMajor(a, shape.a, 3, atA, shared.space)
            : placeMnMajor(a.transposed(), shape.a, 3, atA, shared.space);
    kMajorB ? placeKMajor(b, shape.b, 3, atB, shared.space)
            : placeMnMajor(b.transposed(), shape.b, 3, atB, shared.space);
    std::vector<uint32_t> d = accumulatorsOf(shape);
    for (uint32_t step = 0; step < 4; ++step)
      EXPECT_OK(wgmma(
          shape,
          descriptor(kMajorA, atA) + (step * (kMajorA ? 32 : 16 * 128) >> 4),
          descriptor(kMajorB, atB) + (step * (kMajorB ? 32 : 16 * 128) >> 4),
          step > 0, shared.space, d));
    expectProduct(shape, d, a, b);
  }
}

TEST(Wgmma, SignsAndOldValues) {
  TestMatrix a(64, 16, 5), b(24, 16, 6);
  TestSpace shared(0x2000, 0x400);
  Operand left = placeKMajor(a, MatrixType::F16, 1, 0x400, shared.space);
  Operand right = placeKMajor(b, MatrixType::F16, 1, 0x1000, shared.space);
  for (int which = 0; which < 8; ++which)
    for (AccumulatorType accumulator :
         {AccumulatorType::F32, AccumulatorType::F16}) {
      WgmmaShape shape;
      shape.n = 24;
      shape.accumulator = accumulator;
      shape.negateA = which & 1;
      shape.negateB = which & 2;
      bool scaleD = which & 4;
      bool wide = accumulator == AccumulatorType::F32;
      std::vector<uint32_t> d(128 * shape.accumulatorRegisters(),
                              wide ? std::bit_cast<uint32_t>(7.0f)
                                   : toF16(7) * 0x10001u);
      EXPECT_OK(wgmma(shape, left.at(0), right.at(0), scaleD, shared.space, d));
      expectProduct(shape, d, a, b, shape.negateA == shape.negateB ? 1 : -1,
                    scaleD ? 7 : 0);
    }
}

/// Row and K of element i of A in the registers of thread t, as the
/// instruction set lists them for 16-bit, 32-bit and 8-bit elements.
std::pair<uint32_t, uint32_t> elementOfA(MatrixType type, uint32_t t,
                                         uint32_t i) {
  uint32_t row = t / 32 * 16 + t % 32 / 4, quad = t % 4;
  switch (bytesOf(type)) {
  case 2:
    return {row + (i % 4 >= 2 ? 8 : 0), quad * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
  case 4:
    return {row + (i % 2 == 1 ? 8 : 0), quad + (i >= 2 ? 4 : 0)};
  default:
    return {row + (i % 8 >= 4 ? 8 : 0), quad * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
  }
}

TEST(Wgmma, AInRegisters) {
  for (MatrixType type : {MatrixType::F16, MatrixType::BF16, MatrixType::TF32,
                          MatrixType::E4M3, MatrixType::E5M2}) {
    WgmmaShape shape;
    shape.n = 72;
    shape.a = shape.b = type;
    TestMatrix a(64, shape.k(), 7), b(72, shape.k(), 8);
    TestSpace shared(0x4000, 0x400);
    Operand right = placeKMajor(b, type, 1, 0x400, shared.space);
    std::vector<int> elements;
    for (uint32_t t = 0; t < 128; ++t)
      for (uint32_t i = 0; i < 16 / bytesOf(type); ++i) {
        auto [row, k] = elementOfA(type, t, i);
        elements.push_back(a.at(row, k));
      }
    std::vector<uint32_t> d = accumulatorsOf(shape);
    EXPECT_OK(wgmma(shape, packRegisters(type, elements), right.at(0), false,
                    shared.space, d));
    expectProduct(shape, d, a, b);
  }
}

/// A pattern that does not begin at a multiple of 1024: the base offset says
/// by how many rows.
TEST(Wgmma, TheBaseOffsetMovesThePattern) {
  TestMatrix a(64, 16, 9), b(8, 16, 10);
  TestSpace shared(0x8000, 0x400);
  Operand right = placeKMajor(b, MatrixType::F16, 1, 0x400, shared.space);
  std::vector<uint8_t> bytes = a.encode(MatrixType::F16);
  constexpr uint32_t at = 0x900;
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t chunk = 0; chunk < 2; ++chunk)
      std::memcpy(shared.at(at + row * 128 + (chunk ^ row % 8) * 16),
                  &bytes[row * 32 + chunk * 16], 16);
  WgmmaShape shape;
  MatrixDescriptor left;
  left.start = at;
  left.stride = 1024;
  left.swizzle = 128;
  left.baseOffset = (at >> 7) & 7;
  std::vector<uint32_t> d = accumulatorsOf(shape);
  EXPECT_OK(wgmma(shape, left.encode(), right.at(0), false, shared.space, d));
  expectProduct(shape, d, a, b);
}

TEST(Wgmma, Tf32IgnoresTheLowestBits) {
  WgmmaShape shape;
  shape.a = shape.b = MatrixType::TF32;
  TestMatrix a(64, 8, 11), b(8, 8, 12);
  TestSpace shared(0x4000, 0x400);
  Operand left = placeKMajor(a, MatrixType::TF32, 1, 0x400, shared.space);
  Operand right = placeKMajor(b, MatrixType::TF32, 1, 0x1000, shared.space);
  for (uint32_t i = 0; i < 64 * 8; ++i) {
    uint8_t *low = shared.at(0x400 + i * 4);
    low[0] = 0xff;
    low[1] |= 0x1f;
  }
  std::vector<uint32_t> d = accumulatorsOf(shape);
  EXPECT_OK(wgmma(shape, left.at(0), right.at(0), false, shared.space, d));
  expectProduct(shape, d, a, b);
}

TEST(Wgmma, DescriptorsSurviveTheirEncoding) {
  MatrixDescriptor d;
  d.start = 0x3fff0;
  d.leading = 0x12340;
  d.stride = 0x2bcd0;
  d.baseOffset = 5;
  for (uint32_t swizzle : {0, 32, 64, 128}) {
    d.swizzle = swizzle;
    MatrixDescriptor back = MatrixDescriptor::decode(d.encode());
    EXPECT_EQ(back.start, d.start);
    EXPECT_EQ(back.leading, d.leading);
    EXPECT_EQ(back.stride, d.stride);
    EXPECT_EQ(back.baseOffset, d.baseOffset);
    EXPECT_EQ(back.swizzle, swizzle);
  }
  // The modes are 0: none, 1: 128, 2: 64, 3: 32 bytes.
  EXPECT_EQ(MatrixDescriptor::decode(uint64_t(1) << 62).swizzle, 128u);
  EXPECT_EQ(MatrixDescriptor::decode(uint64_t(3) << 62).swizzle, 32u);
}

TEST(Wgmma, RefusesWhatDoesNotExist) {
  auto expectRefused = [](const char *text, auto change) {
    WgmmaShape shape;
    change(shape);
    EXPECT_FAULT(checkWgmma(shape), text);
  };
  using Shape = WgmmaShape &;
  expectRefused("multiple of 8 up to 256", [](Shape s) { s.n = 0; });
  expectRefused("multiple of 8 up to 256", [](Shape s) { s.n = 20; });
  expectRefused("multiple of 8 up to 256", [](Shape s) { s.n = 264; });
  expectRefused("these types", [](Shape s) { s.a = MatrixType::BF16; });
  expectRefused("these types", [](Shape s) {
    s.a = s.b = MatrixType::BF16;
    s.accumulator = AccumulatorType::F16;
  });
  expectRefused("these types", [](Shape s) {
    s.a = MatrixType::S8;
    s.accumulator = AccumulatorType::S32;
  });
  expectRefused("these types", [](Shape s) { s.a = s.b = MatrixType::S8; });
  expectRefused("16-bit types", [](Shape s) {
    s.a = s.b = MatrixType::S8;
    s.accumulator = AccumulatorType::S32;
    s.transposeB = true;
  });
  expectRefused("16-bit types", [](Shape s) {
    s.a = s.b = MatrixType::TF32;
    s.transposeB = true;
  });
  WgmmaShape shape;
  TestSpace shared(0x1000, 0x400);
  std::vector<uint32_t> d = accumulatorsOf(shape), few(5);
  MatrixDescriptor inside, outside;
  inside.start = 0x400;
  outside.start = 0x1400 - 16;
  inside.leading = outside.leading = inside.stride = outside.stride = 128;
  uint64_t good = inside.encode(), bad = outside.encode();
  EXPECT_OK(wgmma(shape, good, good, false, shared.space, d));
  EXPECT_FAULT(wgmma(shape, good, bad, false, shared.space, d),
               "out of bounds: 16 bytes");
  EXPECT_FAULT(wgmma(shape, bad, good, false, shared.space, d),
               "out of bounds: 16 bytes");
  EXPECT_FAULT(wgmma(shape, good, good, false, shared.space, few),
               "needs 512 accumulator registers, but has 5");
  EXPECT_FAULT(wgmma(shape, few, good, false, shared.space, d),
               "A in registers");
}

} // namespace
