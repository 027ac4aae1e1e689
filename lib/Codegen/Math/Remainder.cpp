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
