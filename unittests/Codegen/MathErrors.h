//===- MathErrors.h - Errors of float functions in ULP ----------*- C++ -*-===//
#ifndef TRIPY_UNITTESTS_CODEGEN_MATHERRORS_H
#define TRIPY_UNITTESTS_CODEGEN_MATHERRORS_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tripy::test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();

/// A binary floating-point format of the results.
struct Format {
  int precision;
  int minExponent;
  int maxExponent;
};
inline constexpr Format f32Format{24, -126, 127};
inline constexpr Format f16Format{11, -14, 15};
inline constexpr Format bf16Format{8, -126, 127};

/// |got - want| in units of the last place of `want` in `format`; infinite when
/// NaN, an infinity or the sign of a zero is wrong.
inline double ulpError(double got, double want, const Format &format) {
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : infinity;
  double limit = std::ldexp(1.0, format.maxExponent + 1);
  if (std::isinf(want))
    return got == want ? 0 : infinity;
  if (want == 0)
    return got == 0 && std::signbit(got) == std::signbit(want) ? 0 : infinity;
  if (std::signbit(got) != std::signbit(want))
    return infinity;
  if (std::isinf(got)) {
    // Overflow: counts from where the largest number's successor would be.
    got = std::copysign(limit, got);
    want = std::clamp(want, -limit, limit);
  } else if (std::abs(want) >= limit) {
    return infinity;
  }
  int exponent = std::max(std::ilogb(want), format.minExponent);
  exponent = std::min(exponent, format.maxExponent);
  return std::abs(got - want) /
         std::ldexp(1.0, exponent - format.precision + 1);
}

struct Worst {
  double error = 0;
  float x = 0, y = 0, got = 0;
  void see(double e, float atX, float atY, float value) {
    if (e > error || std::isnan(e))
      *this = {e, atX, atY, value};
  }
};

inline constexpr float specialInputs[] = {0.0f,
                                          -0.0f,
                                          1.0f,
                                          -1.0f,
                                          0.5f,
                                          -0.5f,
                                          2.0f,
                                          -2.0f,
                                          nan32,
                                          0x1p-149f,
                                          -0x1p-149f,
                                          0x1p-126f,
                                          -0x1p-126f,
                                          0x1.fffffep127f,
                                          -0x1.fffffep127f,
                                          0x1.62e42ep6f,
                                          -0x1.9d1da0p6f,
                                          0x1.921fb6p0f,
                                          0x1.921fb6p1f,
                                          9.0f,
                                          INFINITY,
                                          -INFINITY,
                                          0x1.fffffep-127f,
                                          3.92f,
                                          -88.0f};

/// An f16, or a bf16 when `brain`, as a number.
inline double decode(uint16_t bits, bool brain) {
  if (brain)
    return std::bit_cast<float>(uint32_t(bits) << 16);
  int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  double magnitude = exponent == 31
                         ? (mantissa ? nan32 : infinity)
                         : std::ldexp(exponent ? mantissa + 1024 : mantissa,
                                      std::max(exponent, 1) - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

} // namespace tripy::test

#endif // TRIPY_UNITTESTS_CODEGEN_MATHERRORS_H
