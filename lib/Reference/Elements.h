//===- Elements.h - Elements of tensors by type -----------------*- C++ -*-===//
//
// Private to lib/Reference: how elements of each dtype are read as, and made
// from, the type that the evaluator computes in: double, int64_t or bool.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_REFERENCE_ELEMENTS_H
#define TRIPY_LIB_REFERENCE_ELEMENTS_H

#include "tripy/Base/DType.h"
#include "tripy/Base/Float.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tripy::reference {

/// An element type: `Storage` is what lies in memory, `Value` what is computed
/// with, `load` and `store` go from one to the other. A store rounds floats to
/// nearest even and keeps the low bits of integers.
template <DType dtype> struct Element;

template <DType d, typename StorageT, typename ValueT> struct ElementBase {
  static constexpr DType dtype = d;
  using Storage = StorageT;
  using Value = ValueT;
  /// Bits that integers are computed with.
  static constexpr unsigned bits = 8 * sizeof(Storage);
  static const Storage *at(const void *data) {
    return static_cast<const Storage *>(data);
  }
  static Storage *at(void *data) { return static_cast<Storage *>(data); }
  static Value load(Storage value) { return static_cast<Value>(value); }
  static Storage store(Value value) { return static_cast<Storage>(value); }
};

template <>
struct Element<DType::F32> : ElementBase<DType::F32, float, double> {};
template <>
struct Element<DType::F64> : ElementBase<DType::F64, double, double> {};
template <>
struct Element<DType::I32> : ElementBase<DType::I32, int32_t, int64_t> {};
template <>
struct Element<DType::I64> : ElementBase<DType::I64, int64_t, int64_t> {};
template <>
struct Element<DType::Bool> : ElementBase<DType::Bool, uint8_t, bool> {};
template <>
struct Element<DType::F16> : ElementBase<DType::F16, uint16_t, double> {
  static double load(uint16_t bits) { return fromF16(bits); }
  static uint16_t store(double value) { return toF16(value); }
};
template <>
struct Element<DType::BF16> : ElementBase<DType::BF16, uint16_t, double> {
  static double load(uint16_t bits) { return fromBF16(bits); }
  static uint16_t store(double value) { return toBF16(value); }
};

template <>
struct Element<DType::I16> : ElementBase<DType::I16, int16_t, int64_t> {};
template <>
struct Element<DType::I8> : ElementBase<DType::I8, int8_t, int64_t> {};
template <>
struct Element<DType::U8> : ElementBase<DType::U8, uint8_t, int64_t> {
  /// Computed with, in a signed type that has all values.
  static constexpr unsigned bits = 16;
};
/// In a byte of its own, from -8 to 7.
template <>
struct Element<DType::I4> : ElementBase<DType::I4, int8_t, int64_t> {
  static constexpr unsigned bits = 4;
  static int8_t store(int64_t value) {
    return unpackI4(static_cast<uint8_t>(value), 0);
  }
};
template <>
struct Element<DType::F8E5M2> : ElementBase<DType::F8E5M2, uint8_t, double> {
  static double load(uint8_t bits) { return fromF8E5M2(bits); }
  static uint8_t store(double value) { return toF8E5M2(value); }
};
template <>
struct Element<DType::F8E4M3FN>
    : ElementBase<DType::F8E4M3FN, uint8_t, double> {
  static double load(uint8_t bits) { return fromF8E4M3FN(bits); }
  static uint8_t store(double value) { return toF8E4M3FN(value); }
};

/// Calls `fn` with the Element of `dtype`.
template <typename Fn> decltype(auto) withElement(DType dtype, Fn fn) {
  switch (dtype) {
  case DType::F32:
    return fn(Element<DType::F32>());
  case DType::F16:
    return fn(Element<DType::F16>());
  case DType::BF16:
    return fn(Element<DType::BF16>());
  case DType::F8E4M3FN:
    return fn(Element<DType::F8E4M3FN>());
  case DType::I32:
    return fn(Element<DType::I32>());
  case DType::I64:
    return fn(Element<DType::I64>());
  case DType::Bool:
    return fn(Element<DType::Bool>());
  case DType::F64:
    return fn(Element<DType::F64>());
  case DType::I16:
    return fn(Element<DType::I16>());
  case DType::I8:
    return fn(Element<DType::I8>());
  case DType::U8:
    return fn(Element<DType::U8>());
  case DType::F8E5M2:
    return fn(Element<DType::F8E5M2>());
  case DType::I4:
    return fn(Element<DType::I4>());
  }
  llvm_unreachable("no such element type");
}

/// Truncation toward zero that saturates at T's limits; 0 for NaN.
template <typename T> T truncateSaturating(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    return std::numeric_limits<T>::max();
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

/// A double near `value` that rounds to a float of at most 51 bits as the
/// integer itself would: inexact ones become odd.
inline double toDoubleOdd(int64_t value) {
  double nearest = static_cast<double>(value);
  if (truncateSaturating<int64_t>(nearest) == value)
    return nearest;
  // Of the two neighbours one is odd; when `nearest` is not, it is the one on
  // the other side of the value. 2^63 itself is above every value.
  auto bits = std::bit_cast<uint64_t>(nearest);
  if (bits & 1)
    return nearest;
  bool above = nearest >= 0x1p63 || static_cast<int64_t>(nearest) > value;
  return std::nextafter(nearest, above ? -INFINITY : INFINITY);
}

/// flatir.convert between the types computed in. An int64_t that becomes a
/// double is not yet rounded to a float's element type, so that it is once.
template <typename To, typename From> To convertValue(From value) {
  if constexpr (std::is_same_v<To, From>)
    return value;
  else if constexpr (std::is_same_v<To, bool>)
    return value != 0;
  else if constexpr (std::is_same_v<To, int64_t> &&
                     std::is_same_v<From, double>)
    return truncateSaturating<int64_t>(value);
  else if constexpr (std::is_same_v<To, double> &&
                     std::is_same_v<From, int64_t>)
    return toDoubleOdd(value);
  else
    return static_cast<To>(value);
}

/// flatir.convert of a value to a stored element.
template <typename To, typename From>
typename To::Storage convertElement(From value) {
  // An f64 is rounded here and nowhere else.
  if constexpr (To::dtype == DType::F64 && std::is_same_v<From, int64_t>)
    return static_cast<double>(value);
  else if constexpr (To::dtype == DType::I4 && std::is_same_v<From, double>)
    return std::clamp<int8_t>(truncateSaturating<int8_t>(value), -8, 7);
  // Saturation is at the limits of the element type, not of int64_t.
  else if constexpr (std::is_same_v<typename To::Value, int64_t> &&
                     std::is_same_v<From, double>)
    return truncateSaturating<typename To::Storage>(value);
  else
    return To::store(convertValue<typename To::Value>(value));
}

} // namespace tripy::reference

#endif // TRIPY_LIB_REFERENCE_ELEMENTS_H
