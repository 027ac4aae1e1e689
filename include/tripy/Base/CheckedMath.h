//===- CheckedMath.h - Arithmetic that reports overflow ---------*- C++ -*-===//
//
// Sums and products that say when they do not fit, and division that rounds
// the way sizes need it. Standard library only; anyone may use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_CHECKEDMATH_H
#define TRIPY_BASE_CHECKEDMATH_H

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

namespace tripy {

/// a + b, or none when the sum does not fit T.
template <std::integral T> constexpr std::optional<T> checkedAdd(T a, T b) {
  T result;
  if (__builtin_add_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

/// a - b, or none when the difference does not fit T.
template <std::integral T> constexpr std::optional<T> checkedSub(T a, T b) {
  T result;
  if (__builtin_sub_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

/// a * b, or none when the product does not fit T.
template <std::integral T> constexpr std::optional<T> checkedMul(T a, T b) {
  T result;
  if (__builtin_mul_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

/// Quotient rounded to minus infinity; none for a zero divisor or overflow.
constexpr std::optional<int64_t> checkedFloorDiv(int64_t a, int64_t b) {
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1))
    return std::nullopt;
  int64_t quotient = a / b;
  return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

/// Quotient rounded to plus infinity; none for a zero divisor or overflow.
constexpr std::optional<int64_t> checkedCeilDiv(int64_t a, int64_t b) {
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1))
    return std::nullopt;
  int64_t quotient = a / b;
  return quotient + ((a % b != 0 && (a < 0) == (b < 0)) ? 1 : 0);
}

/// Remainder with the sign of the divisor; none for a zero divisor.
constexpr std::optional<int64_t> checkedMod(int64_t a, int64_t b) {
  if (b == 0)
    return std::nullopt;
  if (b == -1)
    return 0;
  int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b
                                                      : remainder;
}

/// Quotient rounded to zero; none for a zero divisor or overflow.
constexpr std::optional<int64_t> checkedDiv(int64_t a, int64_t b) {
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1))
    return std::nullopt;
  return a / b;
}

/// Remainder with the sign of the dividend; none for a zero divisor.
constexpr std::optional<int64_t> checkedRem(int64_t a, int64_t b) {
  if (b == 0)
    return std::nullopt;
  return b == -1 ? 0 : a % b;
}

/// `value` rounded up to a multiple of `alignment` (a power of two); none on
/// overflow.
constexpr std::optional<uint64_t> checkedAlignUp(uint64_t value,
                                                 uint64_t alignment) {
  std::optional<uint64_t> sum = checkedAdd<uint64_t>(value, alignment - 1);
  if (!sum)
    return std::nullopt;
  return *sum & ~(alignment - 1);
}

} // namespace tripy

#endif // TRIPY_BASE_CHECKEDMATH_H
