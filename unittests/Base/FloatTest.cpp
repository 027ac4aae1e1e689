//===- FloatTest.cpp - Conversions of the small floating-point types ------===//

#include "tripy/Base/Float.h"

#include <bit>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace tripy;

namespace {

/// A format as its two conversions; `maxFinite` is the largest finite pattern.
struct Format {
  const char *name;
  std::function<uint32_t(double)> encode;
  std::function<float(uint32_t)> decode;
  uint32_t maxFinite, sign;
  bool hasInfinity;
};

const Format formats[] = {
    {"f16", toF16, [](uint32_t b) { return fromF16(uint16_t(b)); }, 0x7bff,
     0x8000, true},
    {"bf16", toBF16, [](uint32_t b) { return fromBF16(uint16_t(b)); }, 0x7f7f,
     0x8000, true},
    {"f8E4M3FN", toF8E4M3FN,
     [](uint32_t b) { return fromF8E4M3FN(uint8_t(b)); }, 0x7e, 0x80, false},
    {"f8E5M2", toF8E5M2, [](uint32_t b) { return fromF8E5M2(uint8_t(b)); },
     0x7b, 0x80, true},
};

TEST(Float, EveryFiniteValueComesBack) {
  for (const Format &format : formats)
    for (uint32_t bits = 0; bits <= format.maxFinite; ++bits) {
      EXPECT_EQ(format.encode(format.decode(bits)), bits) << format.name;
      EXPECT_EQ(format.encode(-double(format.decode(bits))),
                bits | format.sign);
    }
}

/// Between each two neighbours: the middle goes to the even one, everything
/// else to the nearer one. Neighbours ascend, so this pins the rounding.
TEST(Float, RoundsToNearestEven) {
  for (const Format &format : formats)
    for (uint32_t bits = 0; bits < format.maxFinite; ++bits) {
      double low = format.decode(bits), high = format.decode(bits + 1);
      ASSERT_LT(low, high);
      double middle = (low + high) / 2;
      EXPECT_EQ(format.encode(middle), bits + (bits & 1)) << format.name;
      EXPECT_EQ(format.encode(std::nextafter(middle, low)), bits);
      EXPECT_EQ(format.encode(std::nextafter(middle, high)), bits + 1);
    }
}

TEST(Float, OverflowAndSpecialValues) {
  double infinity = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Format &format : formats) {
    float largest = format.decode(format.maxFinite);
    float below = format.decode(format.maxFinite - 1);
    double tie = double(largest) + (double(largest) - below) / 2;
    // The first value beyond is odd after an even maximum, and the other way
    // round.
    EXPECT_EQ(format.encode(std::nextafter(tie, 0)), format.maxFinite);
    uint32_t beyond = format.encode(std::nextafter(tie, infinity));
    for (uint32_t bits :
         {beyond, format.encode(infinity), format.encode(1e300)}) {
      if (format.hasInfinity)
        EXPECT_EQ(format.decode(bits), float(infinity)) << format.name;
      else
        EXPECT_TRUE(std::isnan(format.decode(bits)));
    }
    if (format.hasInfinity)
      EXPECT_EQ(format.decode(format.encode(-infinity)), -float(infinity));
    EXPECT_TRUE(std::isnan(format.decode(format.encode(nan))));
    EXPECT_EQ(format.encode(-0.0), format.sign);
    EXPECT_EQ(format.encode(1e-300), 0u);
    EXPECT_EQ(format.encode(-1e-310), format.sign);
  }
}

TEST(Float, KnownPatterns) {
  EXPECT_EQ(toF16(1.0), 0x3c00);
  EXPECT_EQ(toF16(65504.0), 0x7bff);
  EXPECT_EQ(toF16(65520.0), 0x7c00);
  EXPECT_EQ(toF16(5.960464477539063e-08), 1);
  EXPECT_EQ(toBF16(1.0), 0x3f80);
  EXPECT_EQ(toF8E4M3FN(448.0), 0x7e);
  EXPECT_EQ(toF8E4M3FN(464.0), 0x7e);
  EXPECT_EQ(toF8E4M3FN(1.0), 0x38);
  EXPECT_EQ(toF8E5M2(57344.0), 0x7b);
  EXPECT_EQ(fromF8E4M3FN(1), 0x1p-9f);
}

TEST(Float, NoDoubleRounding) {
  // Just above the middle of two f16, but exactly the middle as a float.
  double value = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(toF16(value), 0x3c01);
  EXPECT_EQ(toF16(double(float(value))), 0x3c00);
}

TEST(Float, LoadAndStoreEveryType) {
  for (const DTypeInfo &info : dtypeTable) {
    alignas(8) uint8_t bytes[16] = {};
    for (double value : {0.0, 1.0}) {
      storeFromDouble(info.dtype, bytes, 1, value);
      EXPECT_EQ(loadAsDouble(info.dtype, bytes, 1), value) << info.name;
    }
    if (info.dtype == DType::Bool || info.dtype == DType::U8)
      continue;
    storeFromDouble(info.dtype, bytes, 0, -3.0);
    EXPECT_EQ(loadAsDouble(info.dtype, bytes, 0), -3.0) << info.name;
  }
}

TEST(Float, IntegersClamp) {
  int64_t wide;
  storeFromDouble(DType::I64, &wide, 0, 1e30);
  EXPECT_EQ(wide, INT64_MAX);
  storeFromDouble(DType::I64, &wide, 0, 0x1p63);
  EXPECT_EQ(wide, INT64_MAX);
  storeFromDouble(DType::I64, &wide, 0, -1e30);
  EXPECT_EQ(wide, INT64_MIN);
  int8_t narrow;
  storeFromDouble(DType::I8, &narrow, 0, -128.9);
  EXPECT_EQ(narrow, -128);
  storeFromDouble(DType::I8, &narrow, 0, std::nan(""));
  EXPECT_EQ(narrow, 0);
  uint8_t halves = 0x5a;
  storeFromDouble(DType::I4, &halves, 0, 7.9);
  storeFromDouble(DType::I4, &halves, 1, -1e9);
  EXPECT_EQ(halves, 0x87);
  storeFromDouble(DType::I4, &halves, 1, std::nan(""));
  EXPECT_EQ(halves, 0x07);
  storeFromDouble(DType::I4, &halves, 0, -3.0);
  EXPECT_EQ(halves, 0x0d);
  uint8_t byte;
  storeFromDouble(DType::U8, &byte, 0, 255.9);
  EXPECT_EQ(byte, 255);
  storeFromDouble(DType::U8, &byte, 0, -1.0);
  EXPECT_EQ(byte, 0);
}

} // namespace
