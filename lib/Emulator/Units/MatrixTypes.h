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

/// Whether values of `type` may be added up in `accumulator`.
bool accumulatesIn(MatrixType type, AccumulatorType accumulator);

/// `count` dense elements as floats; s8 as whole numbers. tf32 ignores the
/// lowest 13 bits.
void toFloats(MatrixType type, const uint8_t *elements, uint64_t count,
              float *values);

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_UNITS_MATRIXTYPES_H
