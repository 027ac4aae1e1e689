//===- UnitsWgmmaUtil.h - Results of a warpgroup ----------------*- C++ -*-===//

#ifndef TRIPY_UNITTESTS_EMULATOR_UNITSWGMMAUTIL_H
#define TRIPY_UNITTESTS_EMULATOR_UNITSWGMMAUTIL_H

#include "../../interpreter/Units/Wgmma.h"
#include "UnitsTestUtil.h"

namespace tripy::emulator {

/// Elements as tensor maps name them: what is copied keeps its bits.
inline TensorType tensorType(MatrixType type) {
  return bytesOf(type) == 1   ? TensorType::U8
         : bytesOf(type) == 2 ? TensorType::U16
                              : TensorType::U32;
}

/// Element (row, column) of D in the registers of 128 threads, by the formula
/// of the instruction set: d[4 j + 2 h + i] of thread t is row
/// 16 (t / 32) + t % 32 / 4 + 8 h, column 8 j + 2 (t % 4) + i.
inline float result(const WgmmaShape &shape,
                    const std::vector<uint32_t> &registers, uint32_t row,
                    uint32_t column) {
  uint32_t t = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
  uint32_t h = row % 16 / 8, j = column / 8, i = column % 2;
  uint32_t index = 4 * j + 2 * h + i;
  if (shape.accumulator == AccumulatorType::F32)
    return std::bit_cast<float>(
        registers[t * shape.accumulatorRegisters() + index]);
  if (shape.accumulator == AccumulatorType::S32)
    return float(int32_t(registers[t * shape.accumulatorRegisters() + index]));
  uint32_t word = registers[t * shape.accumulatorRegisters() + index / 2];
  return fromF16(uint16_t(word >> (i * 16)));
}

/// sum over k of a[row][k] * b[column][k].
inline int product(const TestMatrix &a, const TestMatrix &b, uint32_t row,
                   uint32_t column) {
  int sum = 0;
  for (uint32_t k = 0; k < a.columns; ++k)
    sum += a.at(row, k) * b.at(column, k);
  return sum;
}

inline void expectProduct(const WgmmaShape &shape,
                          const std::vector<uint32_t> &registers,
                          const TestMatrix &a, const TestMatrix &b,
                          int factor = 1, int base = 0) {
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t column = 0; column < shape.n; ++column)
      ASSERT_EQ(result(shape, registers, row, column),
                float(base + factor * product(a, b, row, column)))
          << "row " << row << ", column " << column;
}

} // namespace tripy::emulator

#endif // TRIPY_UNITTESTS_EMULATOR_UNITSWGMMAUTIL_H
