//===- Wide.h - exp, log and angles in f64 ----------------------*- C++ -*-===//
//
// Private to lib/Codegen/Math. The functions that are less common are computed
// in f64 to some 34 bits, and rounded once: a bit more than f32 needs, so that
// differences near 0 need no care.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_MATH_WIDE_H
#define TRIPY_LIB_CODEGEN_MATH_WIDE_H

#include "Expr.h"

namespace tripy::codegen::mathexpr {

/// e^x = (1 + part) scale, in f64, for an f32 x, limited to [-110, 110].
struct WideExp {
  Expr part, scale;

  Expr value() const { return fma(part, scale, scale); }
  /// e^x - 1.
  Expr minusOne() const { return fma(part, scale, scale - 1.0); }
};
WideExp wideExp(Expr x);

/// log2((1 + s) / (1 - s)) of f64 |s| <= 0.2.
Expr wideLog2OfQuotient(Expr s);
/// The natural logarithm of an f64, whose result f32 can hold.
Expr wideLog(Expr v);

/// The angle in [0, pi/2] of the point (x, y), of f64 that are not negative and
/// neither both 0 nor both infinite.
Expr wideAngle(Expr y, Expr x);

inline Expr sqrt(Expr x) { return x.unary<mlir::math::SqrtOp>(); }
inline Expr copySign(Expr magnitude, Expr sign) {
  return magnitude.binary<mlir::math::CopySignOp>(sign);
}

} // namespace tripy::codegen::mathexpr

#endif // TRIPY_LIB_CODEGEN_MATH_WIDE_H
