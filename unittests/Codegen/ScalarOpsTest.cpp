//===- ScalarOpsTest.cpp - Integer division and casts ---------------------===//
//
// Compares the compiled builders of ScalarOps.h with plain C++, where the
// reference rounds in long double, which holds every f64 and i64.
//
//===----------------------------------------------------------------------===//
#include "MathHarness.h"

#include "tripy/Dialect/Common/ScalarOps.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace tripy::test;
using namespace mlir;

namespace {

//===-- integer division
//----------------------------------------------------===//

using Builder = Value (*)(OpBuilder &, Location, ValueRange);

template <typename T> T wrap(__int128 value) { return static_cast<T>(value); }

template <typename T> T divide(T x, T y) {
  return y == 0 ? T(-1) : wrap<T>(__int128(x) / y);
}
template <typename T> T floorDivide(T x, T y) {
  if (y == 0)
    return -1;
  __int128 q = __int128(x) / y;
  return wrap<T>(q - ((__int128(x) % y != 0) && ((x < 0) != (y < 0))));
}
template <typename T> T modulo(T x, T y) {
  if (y == 0)
    return x;
  __int128 r = __int128(x) % y;
  return wrap<T>(r != 0 && ((r < 0) != (y < 0)) ? r + y : r);
}

template <typename T>
void checkIntegers(const char *type, const std::vector<T> &x,
                   const std::vector<T> &y) {
  struct Row {
    const char *name;
    Builder build;
    T (*reference)(T, T);
  };
  const Row rows[] = {
      {"div", tripy::scalar::createDivSI, divide<T>},
      {"floor_div", tripy::scalar::createFloorDivSI, floorDivide<T>},
      {"mod", tripy::scalar::createModSI, modulo<T>},
      {"neg", tripy::scalar::createNegI,
       [](T a, T) { return wrap<T>(-__int128(a)); }},
      {"abs", tripy::scalar::createAbsI,
       [](T a, T) { return wrap<T>(a < 0 ? -__int128(a) : a); }}};
  for (const Row &row : rows) {
    bool unary = row.build == tripy::scalar::createNegI ||
                 row.build == tripy::scalar::createAbsI;
    ScalarFunction function{"", type, type,
                            [&](OpBuilder &b, Value a, Value c) {
                              SmallVector<Value> operands{a};
                              if (!unary)
                                operands.push_back(c);
                              return row.build(b, b.getUnknownLoc(), operands);
                            }};
    CompiledLoop compiled(function, false);
    std::vector<T> got(x.size());
    compiled.loop(x.data(), y.data(), got.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(+got[i], +row.reference(x[i], y[i]))
          << row.name << " " << type << " of " << +x[i] << ", " << +y[i];
  }
}

template <typename T> void checkWideIntegers(const char *type) {
  constexpr T low = std::numeric_limits<T>::min();
  constexpr T high = std::numeric_limits<T>::max();
  const std::vector<T> special = {0, 1,  -1,  2,          -2,   3,          -3,
                                  7, -7, low, T(low + 1), high, T(high - 1)};
  std::vector<T> x, y;
  for (T a : special)
    for (T c : special) {
      x.push_back(a);
      y.push_back(c);
    }
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    x.push_back(T(random()));
    y.push_back(T(random()) >> (random() % (sizeof(T) * 8)));
  }
  checkIntegers(type, x, y);
}

TEST(ScalarOps, DividesEveryPairOfI8) {
  std::vector<int8_t> x, y;
  for (int a = -128; a < 128; ++a)
    for (int c = -128; c < 128; ++c) {
      x.push_back(int8_t(a));
      y.push_back(int8_t(c));
    }
  checkIntegers("i8", x, y);
}
TEST(ScalarOps, DividesI16) { checkWideIntegers<int16_t>("i16"); }
TEST(ScalarOps, DividesI32) { checkWideIntegers<int32_t>("i32"); }
TEST(ScalarOps, DividesI64) { checkWideIntegers<int64_t>("i64"); }

//===-- casts
//-----------------------------------------------------------------===//

/// An element type: integers have precision 0.
struct Element {
  const char *name;
  /// Its type in memory, of LLVM.
  const char *memory;
  int bits, precision, minExponent, maxExponent;
};
const Element elements[] = {{"f64", "f64", 64, 53, -1022, 1023},
                            {"f32", "f32", 32, 24, -126, 127},
                            {"f16", "f16", 16, 11, -14, 15},
                            {"bf16", "bf16", 16, 8, -126, 127},
                            {"f8E4M3FN", "i8", 8, 4, -6, 8},
                            {"f8E5M2", "i8", 8, 3, -14, 15},
                            {"i1", "i8", 1, 0, 0, 0},
                            {"i8", "i8", 8, 0, 0, 0},
                            {"ui8", "i8", 8, 0, 0, 0},
                            {"i16", "i16", 16, 0, 0, 0},
                            {"i32", "i32", 32, 0, 0, 0},
                            {"i64", "i64", 64, 0, 0, 0}};

/// Without infinity.
bool isF8(const Element &e) { return e.precision == 4; }
bool isUnsigned(const Element &e) { return e.name[0] == 'u'; }

/// The value of the low bits; integers are exact.
long double decode(uint64_t bits, const Element &e) {
  if (e.precision == 0)
    return e.bits == 1 ? bits & 1
           : isUnsigned(e)
               ? (long double)(bits << (64 - e.bits) >> (64 - e.bits))
               : (long double)(int64_t(bits << (64 - e.bits)) >> (64 - e.bits));
  int mantissaBits = e.precision - 1;
  int exponentBits = e.bits - e.precision;
  uint64_t mantissa = bits & ((uint64_t(1) << mantissaBits) - 1);
  int exponent = int(bits >> mantissaBits) & ((1 << exponentBits) - 1);
  bool top = exponent == (1 << exponentBits) - 1;
  long double value;
  if (isF8(e) ? top && mantissa == 7 : top && mantissa != 0)
    value = std::numeric_limits<long double>::quiet_NaN();
  else if (top && !isF8(e))
    value = std::numeric_limits<long double>::infinity();
  else
    value = std::ldexp(
        (long double)(exponent ? mantissa | uint64_t(1) << mantissaBits
                               : mantissa),
        std::max(exponent, 1) - 1 + e.minExponent - mantissaBits);
  return bits >> (e.bits - 1) & 1 ? -value : value;
}

/// What `x` must become: rounded to nearest even, or converted to an integer.
long double convert(long double x, const Element &to) {
  if (to.bits == 1)
    return x != 0;
  if (to.precision == 0) {
    long double limit = std::ldexp(1.0L, to.bits - 1);
    if (std::isnan(x))
      return 0;
    // The sum makes -0 a 0.
    return isUnsigned(to)
               ? std::clamp(std::trunc(x), 0.0L, 2 * limit - 1) + 0.0L
               : std::clamp(std::trunc(x), -limit, limit - 1) + 0.0L;
  }
  if (x == 0 || !std::isfinite(x))
    return isF8(to) && std::isinf(x)
               ? std::numeric_limits<long double>::quiet_NaN()
               : x;
  int exponent = std::max(std::ilogb(x), to.minExponent);
  long double unit = std::ldexp(1.0L, exponent - to.precision + 1);
  long double rounded = std::rint(x / unit) * unit;
  if (isF8(to) && std::abs(rounded) > 448)
    return std::numeric_limits<long double>::quiet_NaN();
  if (std::abs(rounded) >= std::ldexp(1.0L, to.maxExponent + 1))
    return std::copysign(std::numeric_limits<long double>::infinity(), x);
  return rounded;
}

/// Integers keep their low bits instead.
long double expected(uint64_t bits, const Element &from, const Element &to) {
  if (from.precision == 0 && to.precision == 0 && to.bits != 1)
    return decode(
        from.bits == 1 ? bits & 1
        : isUnsigned(from)
            ? bits
            : uint64_t(int64_t(bits << (64 - from.bits)) >> (64 - from.bits)),
        to);
  return convert(decode(bits, from), to);
}

std::vector<uint64_t> inputsOf(const Element &e) {
  std::vector<uint64_t> bits;
  if (e.bits <= 16) {
    for (uint64_t i = 0; i < (uint64_t(1) << e.bits); ++i)
      bits.push_back(i);
    return bits;
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    uint64_t value = random();
    if (e.precision == 0) {
      // Of every length, and next to where bf16 and f32 have their ties.
      value = uint64_t(int64_t(value) >> (random() % 64));
      if (i % 2)
        value = (value & ~uint64_t(0xffff)) + (random() % 5) - 2;
    } else if (i % 2) {
      // Results of all formats' normal, denormal and integer ranges.
      double x = std::ldexp(1 + double(random() % 4096) / 4096,
                            int(random() % 200) - 100);
      if (i % 4 == 1)
        x = std::nextafter(x, i % 8 == 1 ? 0 : 1e300);
      if (random() & 1)
        x = -x;
      value = e.bits == 64 ? std::bit_cast<uint64_t>(x)
                           : std::bit_cast<uint32_t>(float(x));
    }
    bits.push_back(value);
  }
  for (double x :
       {0.0, -0.0, double(INFINITY), double(NAN), 2147483647.5, -2147483648.5,
        9223372036854775808.0, 127.5, -128.5, 464.0, 465.0, 65519.99, 65520.0})
    bits.push_back(e.precision == 0 ? uint64_t(int64_t(std::fmin(x, 1e18)))
                   : e.bits == 64   ? std::bit_cast<uint64_t>(x)
                                    : std::bit_cast<uint32_t>(float(x)));
  return bits;
}

Value fromMemory(OpBuilder &b, Value x, Type element) {
  Location loc = b.getUnknownLoc();
  if (element.isInteger(1))
    return arith::TruncIOp::create(b, loc, element, x);
  if (element.isUnsignedInteger())
    return UnrealizedConversionCastOp::create(b, loc, element, x).getResult(0);
  if (x.getType() != element)
    return arith::BitcastOp::create(b, loc, element, x);
  return x;
}

Value toMemory(OpBuilder &b, Value x) {
  Location loc = b.getUnknownLoc();
  if (x.getType().isInteger(1))
    return arith::ExtUIOp::create(b, loc, b.getI8Type(), x);
  if (x.getType().isUnsignedInteger())
    return UnrealizedConversionCastOp::create(b, loc, b.getI8Type(), x)
        .getResult(0);
  if (isa<Float8E4M3FNType, Float8E5M2Type>(x.getType()))
    return arith::BitcastOp::create(b, loc, b.getI8Type(), x);
  return x;
}

Type typeOf(OpBuilder &b, const Element &e) {
  return parseType(e.name, b.getContext());
}

void checkCast(const Element &from, const Element &to) {
  ScalarFunction function{
      "", from.memory, to.memory, [&](OpBuilder &b, Value x, Value) {
        Value in = fromMemory(b, x, typeOf(b, from));
        Value out =
            tripy::scalar::createCast(b, b.getUnknownLoc(), in, typeOf(b, to));
        return toMemory(b, out);
      }};
  CompiledLoop compiled(function, false);
  std::vector<uint64_t> bits = inputsOf(from);
  size_t inSize = std::max(from.bits / 8, 1),
         outSize = std::max(to.bits / 8, 1);
  std::vector<char> in(bits.size() * inSize), out(bits.size() * outSize);
  for (size_t i = 0; i < bits.size(); ++i)
    std::memcpy(&in[i * inSize], &bits[i], inSize);
  compiled.loop(in.data(), in.data(), out.data(), bits.size());
  for (size_t i = 0; i < bits.size(); ++i) {
    uint64_t gotBits = 0;
    std::memcpy(&gotBits, &out[i * outSize], outSize);
    long double got = decode(gotBits, to), want = expected(bits[i], from, to);
    if (std::isnan(want) && std::isnan(got))
      continue;
    ASSERT_TRUE(got == want && std::signbit(got) == std::signbit(want))
        << from.name << " to " << to.name << " of " << decode(bits[i], from)
        << ": got " << got << ", want " << want;
  }
}

TEST(ScalarOps, CastsBetweenAllTypes) {
  for (const Element &from : elements)
    for (const Element &to : elements) {
      checkCast(from, to);
      if (HasFatalFailure())
        return;
    }
}

} // namespace
