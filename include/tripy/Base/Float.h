//===- Float.h - Conversions of the small floating-point types --*- C++ -*-===//
//
// f16, bf16, f8E4M3FN and f8E5M2 as bit patterns, to and from float and
// double. Conversions to a small type round to nearest, ties to even, from the
// full double: there is no double rounding. Base only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_FLOAT_H
#define TRIPY_BASE_FLOAT_H

#include "tripy/Base/DType.h"

#include <cstdint>

namespace tripy {

/// Overflow gives infinity; NaN stays NaN (quiet).
uint16_t toF16(double value);
uint16_t toBF16(double value);
uint8_t toF8E5M2(double value);
/// The type has no infinity: overflow and infinity give NaN.
uint8_t toF8E4M3FN(double value);

float fromF16(uint16_t bits);
float fromBF16(uint16_t bits);
float fromF8E5M2(uint8_t bits);
float fromF8E4M3FN(uint8_t bits);

/// Element `index` of a dense array of `dtype` as a double; i64 beyond 2^53
/// is rounded. `dtype` is valid.
double loadAsDouble(DType dtype, const void *data, uint64_t index);
/// Stores `value` as element `index`. Integers truncate toward zero and clamp
/// to the type's range (NaN gives 0); bool is value != 0.
void storeFromDouble(DType dtype, void *data, uint64_t index, double value);

} // namespace tripy

#endif // TRIPY_BASE_FLOAT_H
