//===- Remainder.cpp - The remainder of floats, powers of integers --------===//
#include "Wide.h"

using namespace mlir;

namespace tripy::codegen::mathexpr {

using Predicate = arith::CmpFPredicate;

/// r modulo m, for f64 0 <= r < 2^50 m, which have few enough bits for the
/// remainder to be exact.
static Expr reduceBy(Expr r, Expr m) {
  Expr nearest = (r / m + roundF64) - roundF64;
  Expr rest = fma(-nearest, m, r);
  return select(rest.compare(Predicate::OLT, 0.0), rest + m, rest);
}

Expr expandRemainder(Expr x, Expr y, const MathOptions &options) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Expr a = x.abs().toF64(), b = y.abs().toF64();
  // The quotient is below 2^278: 48 bits of it at a time.
  Expr rest = a;
  for (int exponent = 240; exponent >= 0; exponent -= 48)
    rest = reduceBy(rest, b * std::ldexp(1.0, exponent));
  Expr isFar =
      a.compare(Predicate::OLT, infinity) & b.compare(Predicate::OEQ, infinity);
  return copySign(select(isFar, a, rest).toF32(), x);
}

namespace {
/// A positive finite f64 as mantissa 2^exponent.
struct Parts {
  /// An integer from 2^52 to 2^53, f64.
  Expr mantissa;
  /// i64.
  Expr exponent;
};
} // namespace

static Parts partsOf(Expr x) {
  Expr isDenormal = x.compare(Predicate::OLT, 0x1p-1022);
  Expr bits = select(isDenormal, x * 0x1p54, x).asInt();
  Expr bias = select(isDenormal, bits.bits(1075 + 54), bits.bits(1075));
  Expr mantissa = (bits & 0xfffffffffffff) | bits.bits(int64_t(1075) << 52);
  return {mantissa.asFloat(), (bits >> 52) - bias};
}

/// An integer of magnitude below 2 m, less the multiple of m that leaves at
/// most half of m.
static Expr nearest(Expr r, Expr m) {
  Expr half = m * 0.5;
  r = select(r.compare(Predicate::OGT, half), r - m, r);
  return select(r.compare(Predicate::OLT, -half), r + m, r);
}

/// x y modulo m, for integers of magnitude up to m / 2 below 2^52: all is exact
/// but the quotient, which is off by less than 1.
static Expr multiplyModulo(Expr x, Expr y, Expr m) {
  Expr product = x * y, low = fma(x, y, -product);
  Expr quotient = (product / m + roundF64) - roundF64;
  return nearest(fma(-quotient, m, product) + low, m);
}

/// 2^n modulo an integer m of 53 bits, for an i64 n in [0, 2200]: square and
/// double from the highest bits on.
static Expr powerModulo(Expr n, Expr m) {
  Expr power = (addBits(n >> 6, 1023) << 52).asFloat();
  for (int bit = 5; bit >= 0; --bit) {
    power = multiplyModulo(power, power, m);
    Expr isSet =
        (n & (int64_t(1) << bit)).compareInt(arith::CmpIPredicate::ne, 0);
    power = select(isSet, nearest(power + power, m), power);
  }
  return power;
}

Expr expandWideRemainder(Expr x, Expr y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Expr a = x.abs(), b = y.abs();
  Expr isOrdinary =
      b.compare(Predicate::OGT, 0.0) & b.compare(Predicate::OLT, infinity) &
      a.compare(Predicate::OLT, infinity) & a.compare(Predicate::OGE, b);
  Parts left = partsOf(select(isOrdinary, a, a.number(1.0)));
  Parts right = partsOf(select(isOrdinary, b, b.number(1.0)));
  Expr m = right.mantissa;
  // Up to 2 m, which takes two steps.
  Expr rest = nearest(nearest(left.mantissa, m), m);
  rest =
      multiplyModulo(rest, powerModulo(left.exponent - right.exponent, m), m);
  rest = select(rest.compare(Predicate::OLT, 0.0), rest + m, rest);
  // Both products are exact: the result is a multiple of the smallest f64.
  Expr half = right.exponent >> 1;
  auto power = [](Expr n) { return (addBits(n, 1023) << 52).asFloat(); };
  rest = rest * power(half) * power(right.exponent - half);
  // x modulo 0, and an infinity modulo anything, are NaN.
  Expr isNaN =
      b.compare(Predicate::UEQ, 0.0) | a.compare(Predicate::UEQ, infinity);
  Expr other = select(isNaN, std::numeric_limits<double>::quiet_NaN(), a);
  return copySign(select(isOrdinary, rest, other), x);
}

Expr expandIntegerPower(Expr x, Expr y) {
  unsigned width =
      getElementTypeOrSelf(x.get().getType()).getIntOrFloatBitWidth();
  auto multiply = [](Expr a, Expr b) { return a.binary<arith::MulIOp>(b); };
  auto isBitSet = [&](unsigned bit) {
    return (y & (int64_t(1) << bit)).compareInt(arith::CmpIPredicate::ne, 0);
  };
  // One bit of the exponent after the other, but for its sign.
  Expr result = x.bits(1), power = x;
  for (unsigned bit = 0; bit + 1 < width; ++bit) {
    result = select(isBitSet(bit), multiply(result, power), result);
    power = multiply(power, power);
  }
  // 1 / x^-y is an integer for 1 and -1 only, and else rounds to 0.
  Expr isOne = x.compareInt(arith::CmpIPredicate::eq, 1);
  Expr isMinusOne = x.compareInt(arith::CmpIPredicate::eq, -1);
  Expr sign = select(isBitSet(0), x, x.bits(1));
  Expr inverse = select(isOne | isMinusOne, sign, x.bits(0));
  Expr isNegative = y.compareInt(arith::CmpIPredicate::slt, 0);
  return select(isNegative, inverse, result);
}

} // namespace tripy::codegen::mathexpr
