//===- Pow.cpp - powf -----------------------------------------------------===//
//
// 2^(y log2 |x|), with the special cases of C99's powf. The product needs about
// 34 good bits, so the logarithm is computed in f64.
//
//===----------------------------------------------------------------------===//
#include "Wide.h"

using namespace mlir;

namespace tripy::codegen::mathexpr {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// log2 of positive f32 a, as f64; -infinity at 0.
static Expr wideLog2(Expr a) {
  auto [m, e] = splitExponent(a);
  // s = (m - 1) / (m + 1): an f32 quotient and one step of correction, because
  // a division in f64 is slow on many devices.
  Expr wide = m.toF64();
  Expr numerator = wide - 1.0, denominator = wide + 1.0;
  Expr inverse = 1.0 / denominator.toF32();
  Expr estimate = (numerator.toF32() * inverse).toF64();
  Expr error = fma(-estimate, denominator, numerator);
  Expr s = fma(error, inverse.toF64(), estimate);
  Expr log = wideLog2OfQuotient(s) + e.convert<arith::SIToFPOp>(a.f64());
  log = select(a.compare(arith::CmpFPredicate::OEQ, 0.0), -infinity, log);
  return select(a.compare(arith::CmpFPredicate::OEQ, infinity), infinity, log);
}

/// 2^(y log2 a), rounded once.
static Expr magnitude(Expr a, Expr y) {
  Expr t = wideLog2(a) * y.toF64();
  t = select(t.compare(arith::CmpFPredicate::OGT, 160.0), 160.0, t);
  t = select(t.compare(arith::CmpFPredicate::OLT, -160.0), -160.0, t);
  Expr rounded = t + roundF64;
  Expr f = (t - (rounded - roundF64)).toF32();
  Expr n = rounded.asInt().convert<arith::TruncIOp>(a.i32());
  return scaleByPowerOfTwo(exp2Fraction(f), n);
}

/// The same in f32: the exponent's error, at most 2^-16, is nothing in 16 bits.
static Expr magnitude16(Expr a, Expr y, const MathOptions &options) {
  return expandExp2(expandLog2(a, options) * y, options);
}

Expr expandPow(Expr x, Expr y, const MathOptions &options) {
  Expr a = x.abs();
  bool is16 =
      options.accuracy == Accuracy::F16 || options.accuracy == Accuracy::BF16;
  return finishPow(x, y, is16 ? magnitude16(a, y, options) : magnitude(a, y));
}

Expr finishPow(Expr x, Expr y, Expr result) {
  using Predicate = arith::CmpFPredicate;
  Expr a = x.abs();
  // 0 times infinity above.
  result = select(a.compare(Predicate::OEQ, 1.0), 1.0, result);

  Expr half = y * 0.5;
  Expr isInteger = y.floor().compare(Predicate::OEQ, y);
  Expr isOdd = isInteger & half.floor().compare(Predicate::UNE, half);
  Expr isNegative = x.asInt().compareInt(arith::CmpIPredicate::slt, 0);
  result = select(isOdd & isNegative, -result, result);

  // No real power: a finite negative number to no integer, and NaN.
  Expr isFraction = y.floor().compare(Predicate::UNE, y);
  Expr isFiniteNegative =
      x.compare(Predicate::OLT, 0.0) & a.compare(Predicate::OLT, infinity);
  Expr isNaN = x.compare(Predicate::UNO, y);
  result = select((isFraction & isFiniteNegative) | isNaN, nan, result);
  // These hold for NaN, too.
  Expr isOne = x.compare(Predicate::OEQ, 1.0) | y.compare(Predicate::OEQ, 0.0);
  return select(isOne, 1.0, result);
}

} // namespace tripy::codegen::mathexpr
