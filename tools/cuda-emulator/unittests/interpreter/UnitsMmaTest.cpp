//===- UnitsMmaTest.cpp - Products and matrix moves of a warp -------------===//

#include "../../interpreter/Units/Mma.h"
#include "UnitsTestUtil.h"

#include <limits>

using namespace tripy;
using namespace tripy::emulator;

namespace {

/// Row and K of element i of A in lane t, as the instruction set lists them.
/// The lower half of K comes before the upper one, and rows 0 to 7 before 8 to
/// 15.
std::pair<uint32_t, uint32_t> elementOfA(MatrixType type, uint32_t t,
                                         uint32_t i) {
  uint32_t row = t / 4, quad = t % 4;
  switch (bytesOf(type)) {
  case 2:
    return {row + (i % 4 >= 2 ? 8 : 0), quad * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
  case 4:
    return {row + (i % 2 == 1 ? 8 : 0), quad + (i >= 2 ? 4 : 0)};
  default:
    return {row + (i % 8 >= 4 ? 8 : 0), quad * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
  }
}

/// K of element i of B in lane t; its column is t / 4.
uint32_t kOfB(MatrixType type, uint32_t t, uint32_t i) {
  switch (bytesOf(type)) {
  case 2:
    return t % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0);
  case 4:
    return t % 4 + (i >= 1 ? 4 : 0);
  default:
    return t % 4 * 4 + (i & 3) + (i >= 4 ? 16 : 0);
  }
}

/// The operands of an instruction and what must come out.
struct Product {
  Product(const MmaShape &shape, uint32_t seed)
      : shape(shape), a(16, shape.k, seed), b(8, shape.k, seed + 1),
        c(16, 8, seed + 2) {
    std::vector<int> elementsA, elementsB;
    for (uint32_t t = 0; t < 32; ++t) {
      for (uint32_t i = 0; i < 16 * shape.k / 32; ++i) {
        auto [row, k] = elementOfA(shape.a, t, i);
        elementsA.push_back(a.at(row, k));
      }
      for (uint32_t i = 0; i < 8 * shape.k / 32; ++i)
        elementsB.push_back(b.at(t / 4, kOfB(shape.b, t, i)));
    }
    registersA = packRegisters(shape.a, elementsA);
    registersB = packRegisters(shape.b, elementsB);
    for (uint32_t t = 0; t < 32; ++t)
      for (uint32_t i = 0; i < 4; ++i)
        push(registersC, i, c.at(rowOf(t, i), columnOf(t, i)));
  }

  static uint32_t rowOf(uint32_t t, uint32_t i) {
    return t / 4 + (i >= 2 ? 8 : 0);
  }
  static uint32_t columnOf(uint32_t t, uint32_t i) {
    return t % 4 * 2 + (i & 1);
  }
  void push(std::vector<uint32_t> &registers, uint32_t i, int value) const {
    if (shape.accumulator == AccumulatorType::S32)
      registers.push_back(uint32_t(value));
    else if (shape.accumulator == AccumulatorType::F32)
      registers.push_back(std::bit_cast<uint32_t>(float(value)));
    else if (i % 2 == 0)
      registers.push_back(toF16(value));
    else
      registers.back() |= uint32_t(toF16(value)) << 16;
  }
  std::vector<uint32_t> expected() const {
    std::vector<uint32_t> registers;
    for (uint32_t t = 0; t < 32; ++t)
      for (uint32_t i = 0; i < 4; ++i) {
        uint32_t row = rowOf(t, i), column = columnOf(t, i);
        int sum = c.at(row, column);
        for (uint32_t k = 0; k < shape.k; ++k)
          sum += a.at(row, k) * b.at(column, k);
        push(registers, i, sum);
      }
    return registers;
  }

  MmaShape shape;
  TestMatrix a, b, c;
  std::vector<uint32_t> registersA, registersB, registersC;
};

TEST(Mma, EveryShapeOfEveryType) {
  using T = MatrixType;
  using S = AccumulatorType;
  const MmaShape shapes[] = {
      {16, T::F16, T::F16, S::F32},   {16, T::F16, T::F16, S::F16},
      {8, T::F16, T::F16, S::F32},    {8, T::F16, T::F16, S::F16},
      {16, T::BF16, T::BF16, S::F32}, {8, T::BF16, T::BF16, S::F32},
      {8, T::TF32, T::TF32, S::F32},  {4, T::TF32, T::TF32, S::F32},
      {32, T::E4M3, T::E4M3, S::F32}, {32, T::E5M2, T::E5M2, S::F32},
      {32, T::E4M3, T::E5M2, S::F32}, {32, T::E5M2, T::E4M3, S::F16},
      {32, T::S8, T::S8, S::S32},     {16, T::S8, T::S8, S::S32},
  };
  uint32_t seed = 20;
  for (const MmaShape &shape : shapes) {
    Product product(shape, seed += 3);
    std::vector<uint32_t> d(product.registersC.size());
    EXPECT_OK(mma(shape, product.registersA, product.registersB,
                  product.registersC, d));
    EXPECT_EQ(d, product.expected()) << seed;
    // D in the place of C.
    EXPECT_OK(mma(shape, product.registersA, product.registersB,
                  product.registersC, product.registersC));
    EXPECT_EQ(product.registersC, d);
  }
}

TEST(Mma, SumsOfWholeNumbersWrapOrSaturate) {
  for (bool saturate : {false, true}) {
    MmaShape shape{32, MatrixType::S8, MatrixType::S8, AccumulatorType::S32,
                   saturate};
    std::vector<uint32_t> a(128, 0x80808080), b(64, 0x80808080), d(128);
    std::vector<uint32_t> c(128, 0x7fffffff);
    EXPECT_OK(mma(shape, a, b, c, d));
    uint32_t sum = 32 * 128 * 128;
    EXPECT_EQ(d[0], saturate ? 0x7fffffff : 0x7fffffff + sum);
    std::fill(b.begin(), b.end(), 0x7f7f7f7f);
    std::fill(c.begin(), c.end(), 0x80000000);
    EXPECT_OK(mma(shape, a, b, c, d));
    sum = 32 * 128 * 127;
    EXPECT_EQ(d[127], saturate ? 0x80000000 : 0x80000000 - sum);
  }
}

TEST(Mma, HalfAccumulatorsRoundOnce) {
  // 2048 + 1 is a tie, which goes to 2048; 2048 + 1 + 2 is another, to 2052.
  for (auto [ones, want] : {std::pair(1, 2048), {3, 2052}}) {
    MmaShape shape{16, MatrixType::F16, MatrixType::F16, AccumulatorType::F16};
    std::vector<uint32_t> a(128), b(64, toF16(1) * 0x10001u), d(64);
    std::vector<uint32_t> c(64, toF16(2048) * 0x10001u);
    for (uint32_t row = 0; row < 8; ++row)
      a[row * 4 * 4] = toF16(ones);
    EXPECT_OK(mma(shape, a, b, c, d));
    EXPECT_EQ(fromF16(uint16_t(d[0])), float(want));
  }
}

TEST(Mma, RefusesWhatDoesNotExist) {
  auto refused = [](uint32_t k, MatrixType a, MatrixType b, AccumulatorType c,
                    bool saturate = false) {
    return checkMma({k, a, b, c, saturate});
  };
  using T = MatrixType;
  using S = AccumulatorType;
  EXPECT_FAULT(refused(32, T::F16, T::F16, S::F32), "m16n8k32");
  EXPECT_FAULT(refused(12, T::F16, T::F16, S::F32), "m16n8k12");
  EXPECT_FAULT(refused(16, T::F16, T::BF16, S::F32), "these types");
  EXPECT_FAULT(refused(16, T::BF16, T::BF16, S::F16), "these types");
  EXPECT_FAULT(refused(32, T::S8, T::S8, S::F32), "these types");
  EXPECT_FAULT(refused(16, T::F16, T::F16, S::S32), "these types");
  EXPECT_FAULT(refused(16, T::F16, T::F16, S::F32, true), "whole numbers");
  std::vector<uint32_t> right(128), wrong(127), b(64);
  EXPECT_FAULT(mma({}, wrong, b, right, right), "needs 128 registers");
  EXPECT_FAULT(mma({}, right, right, right, right), "needs 64 registers");
}

/// Shared memory whose 16-bit element at address x is x / 2, and row addresses
/// in no order.
struct Rows {
  TestSpace shared{4096, 0};
  std::vector<uint64_t> addresses;

  Rows() {
    for (uint32_t i = 0; i < 2048; ++i)
      set(i * 2, uint16_t(i));
    for (uint32_t i = 0; i < 32; ++i)
      addresses.push_back((i * 37 + 5) % 256 * 16);
  }
  void set(uint64_t address, uint16_t value) {
    std::memcpy(shared.at(address), &value, 2);
  }
  uint16_t element(uint32_t matrix, uint32_t row, uint32_t column) {
    uint16_t value;
    std::memcpy(&value, shared.at(addresses[matrix * 8 + row] + column * 2), 2);
    return value;
  }
};

/// Register m of lane t holds elements (t / 4, 2 (t % 4)) and its right
/// neighbour of matrix m; transposed, the element below.
TEST(Ldmatrix, FragmentsOfEveryForm) {
  for (uint32_t count : {1, 2, 4})
    for (bool transposed : {false, true}) {
      Rows rows;
      std::vector<uint32_t> registers(32 * count);
      EXPECT_OK(ldmatrix(count, transposed, rows.addresses, rows.shared.space,
                         registers));
      for (uint32_t t = 0; t < 32; ++t)
        for (uint32_t m = 0; m < count; ++m) {
          uint32_t i = t / 4, j = t % 4 * 2;
          uint32_t low =
              transposed ? rows.element(m, j, i) : rows.element(m, i, j);
          uint32_t high = transposed ? rows.element(m, j + 1, i)
                                     : rows.element(m, i, j + 1);
          EXPECT_EQ(registers[t * count + m], low | high << 16);
        }
    }
}

TEST(Stmatrix, UndoesLdmatrix) {
  for (uint32_t count : {1, 2, 4})
    for (bool transposed : {false, true}) {
      Rows rows;
      std::vector<uint8_t> before = rows.shared.bytes;
      std::vector<uint32_t> registers(32 * count);
      EXPECT_OK(ldmatrix(count, transposed, rows.addresses, rows.shared.space,
                         registers));
      for (uint32_t i = 0; i < 8 * count; ++i)
        std::memset(rows.shared.at(rows.addresses[i]), 0xee, 16);
      EXPECT_NE(rows.shared.bytes, before);
      EXPECT_OK(stmatrix(count, transposed, rows.addresses, registers,
                         rows.shared.space));
      EXPECT_EQ(rows.shared.bytes, before);
    }
}

TEST(Ldmatrix, RefusesWrongRows) {
  Rows rows;
  std::vector<uint32_t> registers(32);
  auto load = [&](uint32_t count) {
    return ldmatrix(count, false, rows.addresses, rows.shared.space, registers);
  };
  EXPECT_FAULT(load(3), "1, 2 or 4 matrices, not 3");
  EXPECT_FAULT(load(2), "needs 64 registers");
  rows.addresses[8] = 5; // the ninth row belongs to no matrix
  EXPECT_OK(load(1));
  rows.addresses[7] = 24;
  EXPECT_FAULT(load(1), "multiples of 16, but one is at 0x18");
  rows.addresses[7] = 4096;
  EXPECT_FAULT(load(1), "out of bounds");
  EXPECT_FAULT(stmatrix(1, false, rows.addresses, registers, rows.shared.space),
               "out of bounds");
}

} // namespace
