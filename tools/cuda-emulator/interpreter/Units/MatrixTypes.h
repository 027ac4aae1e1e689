//===- MatrixTypes.h - Element types of matrix instructions -----*- C++ -*-===//

#ifndef TRIPY_LIB_EMULATOR_UNITS_MATRIXTYPES_H
#define TRIPY_LIB_EMULATOR_UNITS_MATRIXTYPES_H

#include <cstdint>

namespace tripy::emulator {

/// Types of A and B.
enum class MatrixType { F16, BF16, TF32, E4M3, E5M2, S8 };

/// Types of C and D.
enum class AccumulatorType { F32, F16, S32 };

/// Size of an element, in bytes.
uint32_t bytesOf(MatrixType type);

bool isF8(MatrixType type);

/// Whether matrix instructions multiply `a` with `b` and add up in
/// `accumulator`.
bool multiplies(MatrixType a, MatrixType b, AccumulatorType accumulator);

/// `count` dense elements as floats; s8 as whole numbers. tf32 ignores the
/// lowest 13 bits.
void toFloats(MatrixType type, const uint8_t *elements, uint64_t count,
              float *values);

/// `count` accumulators (an even number) of F32 or F16 out of 32-bit words,
/// and back. F16 rounds to nearest, ties to even.
void loadAccumulators(AccumulatorType type, const uint32_t *words,
                      float *values, uint32_t count);
void storeAccumulators(AccumulatorType type, const float *values,
                       uint32_t *words, uint32_t count);

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_UNITS_MATRIXTYPES_H
