//===- Inverse.cpp - asin, acos, atan, atan2 ------------------------------===//
//
// All are angles of a point: asin(x) of (sqrt(1 - x^2), x), and so on. The
// differences are taken in f64, where those of f32 numbers near 1 are exact.
//
//===----------------------------------------------------------------------===//
#include "Wide.h"

#include <numbers>

using namespace mlir;

namespace tripy::codegen::mathexpr {

using Predicate = arith::CmpFPredicate;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// sqrt(1 - x^2); NaN beyond 1.
static Expr otherSide(Expr x) { return sqrt((1.0 - x) * (x + 1.0)); }

Expr expandAsin(Expr x, const MathOptions &options) {
  Expr a = x.abs().toF64();
  return copySign(wideAngle(a, otherSide(a)).toF32(), x);
}

Expr expandAcos(Expr x, const MathOptions &options) {
  Expr w = x.toF64();
  Expr angle = wideAngle(otherSide(w), w.abs());
  Expr isLeft = w.compare(Predicate::OLT, 0.0);
  return select(isLeft, std::numbers::pi - angle, angle).toF32();
}

Expr expandAtan(Expr x, const MathOptions &options) {
  Expr a = x.abs().toF64();
  return copySign(wideAngle(a, a.number(1.0)).toF32(), x);
}

Expr expandAtan2(Expr y, Expr x, const MathOptions &options) {
  Expr up = y.abs().toF64(), right = x.abs().toF64();
  // (0, 0) has the angle of (1, 0), two infinities that of (1, 1).
  Expr isOrigin =
      up.compare(Predicate::OEQ, 0.0) & right.compare(Predicate::OEQ, 0.0);
  Expr isCorner = up.compare(Predicate::OEQ, infinity) &
                  right.compare(Predicate::OEQ, infinity);
  Expr angle = wideAngle(select(isCorner, 1.0, up),
                         select(isOrigin | isCorner, 1.0, right));
  Expr isLeft = x.asInt().compareInt(arith::CmpIPredicate::slt, 0);
  angle = select(isLeft, std::numbers::pi - angle, angle);
  return copySign(angle.toF32(), y);
}

} // namespace tripy::codegen::mathexpr
