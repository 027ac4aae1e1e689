//===- Numbers.h - Floating-point values bit by bit -------------*- C++ -*-===//
//
// Helpers that PTX needs around the host's arithmetic: flushing subnormal
// numbers, saturation, directed rounding, the 16-bit types.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_NUMBERS_H
#define TRIPY_LIB_EMULATOR_NUMBERS_H

#include "tripy/Base/Float.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>

namespace tripy::emulator {

/// Subnormal numbers become zeros of the same sign.
inline float flush(float x) {
  return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
}
template <bool Ftz> inline float flushIf(float x) { return Ftz ? flush(x) : x; }
template <bool Ftz> inline double flushIf(double x) { return x; }

/// [0, 1]; NaN becomes 0.
template <typename T> inline T saturate(T x) {
  return x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
}

/// The sum to double with the last bit set when it was rounded ("round to
/// odd"): rounding it again to a smaller type is then correct.
inline double addToOdd(double a, double b) {
  double sum = a + b;
  double back = sum - a;
  double error = (a - (sum - back)) + (b - back);
  if (error == 0 || !std::isfinite(sum))
    return sum;
  auto bits = std::bit_cast<uint64_t>(sum);
  if (bits & 1)
    return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

struct F16Format {
  static double unpack(uint16_t bits) { return fromF16(bits); }
  static uint16_t pack(double value) { return toF16(value); }
  static constexpr uint16_t smallestNormal = 0x0400;
};
struct BF16Format {
  static double unpack(uint16_t bits) { return fromBF16(bits); }
  static uint16_t pack(double value) { return toBF16(value); }
  static constexpr uint16_t smallestNormal = 0x0080;
};
/// Subnormal bits of a 16-bit format become a zero of the same sign.
template <typename Format> inline uint16_t flushHalf(uint16_t bits) {
  return (bits & 0x7FFF) < Format::smallestNormal ? bits & 0x8000 : bits;
}

/// Runs `f` with another rounding mode of the host (FE_UPWARD, ...).
template <typename F> inline void withRounding(int mode, F f) {
  std::fesetround(mode);
  f();
  std::fesetround(FE_TONEAREST);
}
/// FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD for "rn", "rz", "rm",
/// "rp" by index.
inline int hostRounding(int index) {
  constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  return index < 0 ? FE_TONEAREST : modes[index];
}

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_NUMBERS_H
