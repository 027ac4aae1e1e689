//===- Pairs.h - Numbers of two f64 -----------------------------*- C++ -*-===//
//
// Private to lib/Codegen/Math: what the functions of f64 compute with where one
// f64 would round too early.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_MATH_PAIRS_H
#define TRIPY_LIB_CODEGEN_MATH_PAIRS_H

#include "Expr.h"

namespace tripy::codegen::mathexpr {

/// high + low, of which `high` is the nearest f64, or nearly.
struct Pair {
  Expr high, low;

  Expr sum() const { return high + low; }
};

/// The sum of two f64, exactly.
inline Pair addExact(Expr x, Expr y) {
  Expr sum = x + y;
  Expr ofY = sum - x;
  return {sum, (x - (sum - ofY)) + (y - ofY)};
}
/// The same where |x| >= |y|, or x is 0.
inline Pair addOrdered(Expr x, Expr y) {
  Expr sum = x + y;
  return {sum, y - (sum - x)};
}
/// The product of two f64, exactly but for underflow.
inline Pair multiplyExact(Expr x, Expr y) {
  Expr product = x * y;
  return {product, fma(x, y, -product)};
}
/// x / y.
inline Pair divide(Pair x, Pair y) {
  Expr quotient = x.high / y.high;
  Expr rest = fma(-quotient, y.high, x.high) + x.low;
  return {quotient, (rest - quotient * y.low) / y.high};
}
/// The square root; of 0 it is 0.
inline Pair squareRoot(Pair x) {
  Expr root = x.high.unary<mlir::math::SqrtOp>();
  Expr rest = fma(-root, root, x.high) + x.low;
  Expr low = rest / (root + root);
  Expr isZero = root.compare(mlir::arith::CmpFPredicate::OEQ, 0.0);
  return {root, select(isZero, 0.0, low)};
}

/// x 2^n for x in [1/2, 2) and an i64 n in [-2000, 2000]: rounds once.
Expr scaleWide(Expr x, Expr n);

/// exp(x) = exp(r) 2^n, with |r| <= ln(2) / 2 and an i64 n.
struct WidePower {
  Pair r;
  Expr n;

  /// exp(r).
  Expr value() const;
  /// exp(x) - 1, for |x| <= 45.
  Pair minusOne() const;
};
/// For |x| <= 2000.
WidePower widePower(Expr x);

/// log2 of a positive finite x, to some 64 bits.
Pair wideLog2(Expr x);
/// The values of a logarithm at 0, below 0, infinity and NaN.
Expr logarithmSpecials(Expr x, Expr result);

} // namespace tripy::codegen::mathexpr

#endif // TRIPY_LIB_CODEGEN_MATH_PAIRS_H
