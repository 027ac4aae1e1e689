//===- Float.cpp - Conversions of the small floating-point types ----------===//

#include "tripy/Base/Float.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tripy;

namespace {

/// A binary format with a sign bit. Without infinity, the all-ones pattern is
/// the only NaN of each sign and the rest of the top exponent are numbers.
template <int exponentBits, int mantissaBits, bool hasInfinity>
struct SmallFloat {
  static constexpr int bias = (1 << (exponentBits - 1)) - 1;
  static constexpr uint32_t signBit = 1u << (exponentBits + mantissaBits);
  static constexpr uint32_t infinity = ((1u << exponentBits) - 1)
                                       << mantissaBits;
  static constexpr uint32_t maxFinite =
      hasInfinity ? infinity - 1 : (signBit - 1) - 1;
  static constexpr uint32_t nan =
      hasInfinity ? infinity | (1u << (mantissaBits - 1)) : signBit - 1;
  static constexpr uint32_t overflow = hasInfinity ? infinity : nan;

  static uint32_t encode(double value) {
    uint64_t bits = std::bit_cast<uint64_t>(value);
    uint32_t sign = bits >> 63 ? signBit : 0;
    if (std::isnan(value))
      return sign | nan;
    if (std::isinf(value))
      return sign | overflow;
    int exponent = int((bits >> 52) & 0x7ff) - 1023;
    // Zero, and doubles so small that every format here rounds them to zero.
    if (exponent < -bias - mantissaBits - 2)
      return sign;
    if (exponent > bias + 1)
      return sign | overflow;
    uint64_t significand =
        (bits & ((uint64_t(1) << 52) - 1)) | (uint64_t(1) << 52);
    int minExponent = 1 - bias;
    bool subnormal = exponent < minExponent;
    int shift = 52 - mantissaBits + (subnormal ? minExponent - exponent : 0);
    uint64_t quotient = significand >> shift;
    uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
    uint64_t half = uint64_t(1) << (shift - 1);
    if (rest > half || (rest == half && (quotient & 1)))
      ++quotient;
    // A carry out of the mantissa raises the exponent by itself.
    uint64_t magnitude =
        subnormal ? quotient
                  : (uint64_t(exponent + bias - 1) << mantissaBits) + quotient;
    return sign | (magnitude > maxFinite ? overflow : uint32_t(magnitude));
  }

  static float decode(uint32_t bits) {
    uint32_t magnitude = bits & (signBit - 1);
    float sign = bits & signBit ? -1.0f : 1.0f;
    if (magnitude > maxFinite)
      return hasInfinity && magnitude == infinity
                 ? sign * std::numeric_limits<float>::infinity()
                 : std::copysign(std::numeric_limits<float>::quiet_NaN(), sign);
    int exponent = int(magnitude >> mantissaBits);
    uint32_t mantissa = magnitude & ((1u << mantissaBits) - 1);
    if (exponent == 0)
      return sign * std::ldexp(float(mantissa), 1 - bias - mantissaBits);
    return sign * std::ldexp(float(mantissa | (1u << mantissaBits)),
                             exponent - bias - mantissaBits);
  }
};

using F16 = SmallFloat<5, 10, true>;
using BF16 = SmallFloat<8, 7, true>;
using F8E5M2 = SmallFloat<5, 2, true>;
using F8E4M3FN = SmallFloat<4, 3, false>;

template <typename T> T load(const void *data, uint64_t index) {
  T value;
  std::memcpy(&value, static_cast<const uint8_t *>(data) + index * sizeof(T),
              sizeof(T));
  return value;
}

template <typename T> void store(void *data, uint64_t index, T value) {
  std::memcpy(static_cast<uint8_t *>(data) + index * sizeof(T), &value,
              sizeof(T));
}

/// Truncation toward zero that is defined for every double.
template <typename T> T clampToInt(double value) {
  if (std::isnan(value))
    return 0;
  // The upper limit of a 64-bit type is not a double; 2^63 itself is.
  if (value >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    return std::numeric_limits<T>::max();
  if (value <= double(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

} // namespace

uint16_t tripy::toF16(double value) { return F16::encode(value); }
uint16_t tripy::toBF16(double value) { return BF16::encode(value); }
uint8_t tripy::toF8E5M2(double value) { return F8E5M2::encode(value); }
uint8_t tripy::toF8E4M3FN(double value) { return F8E4M3FN::encode(value); }
float tripy::fromF16(uint16_t bits) { return F16::decode(bits); }
float tripy::fromBF16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}
float tripy::fromF8E5M2(uint8_t bits) { return F8E5M2::decode(bits); }
float tripy::fromF8E4M3FN(uint8_t bits) { return F8E4M3FN::decode(bits); }

double tripy::loadAsDouble(DType dtype, const void *data, uint64_t index) {
  switch (dtype) {
  case DType::F32:
    return load<float>(data, index);
  case DType::F64:
    return load<double>(data, index);
  case DType::F16:
    return fromF16(load<uint16_t>(data, index));
  case DType::BF16:
    return fromBF16(load<uint16_t>(data, index));
  case DType::F8E4M3FN:
    return fromF8E4M3FN(load<uint8_t>(data, index));
  case DType::F8E5M2:
    return fromF8E5M2(load<uint8_t>(data, index));
  case DType::I64:
    return double(load<int64_t>(data, index));
  case DType::I32:
    return load<int32_t>(data, index);
  case DType::I16:
    return load<int16_t>(data, index);
  case DType::I8:
    return load<int8_t>(data, index);
  case DType::U8:
    return load<uint8_t>(data, index);
  case DType::Bool:
    return load<uint8_t>(data, index) != 0;
  case DType::I4:
    return unpackI4(load<uint8_t>(data, index / 2), index % 2);
  }
  return 0;
}

void tripy::storeFromDouble(DType dtype, void *data, uint64_t index,
                            double value) {
  switch (dtype) {
  case DType::F32:
    return store<float>(data, index, float(value));
  case DType::F64:
    return store<double>(data, index, value);
  case DType::F16:
    return store<uint16_t>(data, index, toF16(value));
  case DType::BF16:
    return store<uint16_t>(data, index, toBF16(value));
  case DType::F8E4M3FN:
    return store<uint8_t>(data, index, toF8E4M3FN(value));
  case DType::F8E5M2:
    return store<uint8_t>(data, index, toF8E5M2(value));
  case DType::I64:
    return store<int64_t>(data, index, clampToInt<int64_t>(value));
  case DType::I32:
    return store<int32_t>(data, index, clampToInt<int32_t>(value));
  case DType::I16:
    return store<int16_t>(data, index, clampToInt<int16_t>(value));
  case DType::I8:
    return store<int8_t>(data, index, clampToInt<int8_t>(value));
  case DType::U8:
    return store<uint8_t>(data, index, clampToInt<uint8_t>(value));
  case DType::Bool:
    return store<uint8_t>(data, index, value != 0);
  case DType::I4: {
    int8_t limited = std::clamp<int8_t>(clampToInt<int8_t>(value), -8, 7);
    uint8_t byte = load<uint8_t>(data, index / 2);
    return store(data, index / 2, packI4(byte, index % 2, limited));
  }
  }
}
