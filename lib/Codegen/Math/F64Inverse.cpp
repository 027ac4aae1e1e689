//===- F64Inverse.cpp - asin, acos, atan, atan2 of f64 --------------------===//
//
// Angles of a point, as those of f32 are; its coordinates, the quotient and the
// angle are pairs of f64. Coefficients are printed by utils/fit-math.py under
// the names in the comments.
//
//===----------------------------------------------------------------------===//
#include "Pairs.h"

using namespace mlir;

namespace tripy::codegen::mathexpr {

using Predicate = arith::CmpFPredicate;

static constexpr double infinity = std::numeric_limits<double>::infinity();
/// pi in two f64; halves and quarters of both are exact.
static constexpr double pi = 0x1.921fb54442d18p+1,
                        piLow = 0x1.1a62633145c07p-53;

static Pair select(Expr condition, Pair x, Pair y) {
  return {mathexpr::select(condition, x.high, y.high),
          mathexpr::select(condition, x.low, y.low)};
}

static Pair negate(Pair x) { return {-x.high, -x.low}; }

static Pair exactly(Expr x) { return {x, x.number(0.0)}; }

static Pair add(Pair x, Pair y) {
  Pair sum = addExact(x.high, y.high);
  return {sum.high, sum.low + (x.low + y.low)};
}

/// The angle in [0, pi/2] of the point (x, y), of numbers that are not negative
/// and neither both 0 nor both infinite, and whose sum is finite or infinite as
/// they are.
static Pair angleOf(Pair y, Pair x) {
  // From the nearest of 0, pi/4 and pi/2 on, the tangent t is at most
  // tan(pi/8).
  Expr isSteep = y.high.compare(Predicate::OGT, x.high * 0x1.3504f333f9de6p+1);
  Expr isMiddle = y.high.compare(Predicate::OGT, x.high * 0x1.a827999fcef32p-2);
  Pair numerator =
      select(isSteep, negate(x), select(isMiddle, add(y, negate(x)), y));
  Pair denominator = select(isSteep, y, select(isMiddle, add(y, x), x));
  auto base = [&](double half, double quarter) {
    return mathexpr::select(
        isSteep, half, mathexpr::select(isMiddle, quarter, y.high.number(0.0)));
  };
  Pair t = divide(numerator, denominator);
  // Of a quotient by infinity, which is 0.
  t.low = mathexpr::select(t.low.compare(Predicate::ORD, t.low), t.low,
                           t.low.number(0.0));
  Expr z = t.high * t.high;
  // "atan-wide"
  Expr q = polynomial(
      z, {-0x1.5555555555555p-2, 0x1.9999999999953p-3, -0x1.249249248d7cap-3,
          0x1.c71c71c30300bp-4, -0x1.745d165d9ee17p-4, 0x1.3b1392d04b71cp-4,
          -0x1.110e875de57ebp-4, 0x1.e19a0439b3b4bp-5, -0x1.ac7a216389ddfp-5,
          0x1.74dbcb5c2167ap-5, -0x1.1b2e7e3386b79p-5, 0x1.0ac7d2dc4c828p-6});
  // What t lacks counts 1 / (1 + z).
  Expr rest = fma(q * z, t.high, t.low / (z + 1.0));
  Pair sum = addOrdered(base(pi / 2, pi / 4), t.high);
  return {sum.high, sum.low + (rest + base(piLow / 2, piLow / 4))};
}

/// pi - angle where `isLeft`.
static Expr turned(Pair angle, Expr isLeft) {
  Pair other = addOrdered(angle.high.number(pi), -angle.high);
  Expr low = other.low + (piLow - angle.low);
  return mathexpr::select(isLeft, other.high + low, angle.sum());
}

/// sqrt(1 - a^2); NaN beyond 1.
static Pair otherSide(Expr a) {
  Pair square = multiplyExact(a, a);
  Pair difference = addExact(a.number(1.0), -square.high);
  return squareRoot({difference.high, difference.low - square.low});
}

static Expr copySign(Expr magnitude, Expr sign) {
  return magnitude.binary<math::CopySignOp>(sign);
}

/// `value`, but NaN where x is beyond 1.
static Expr insideOne(Expr x, Expr value) {
  Expr isInside = x.abs().compare(Predicate::OLE, 1.0);
  return mathexpr::select(isInside, value, (x - x) / (x - x));
}

Expr expandWideAsin(Expr x) {
  Expr a = x.abs();
  return insideOne(x, copySign(angleOf(exactly(a), otherSide(a)).sum(), x));
}

Expr expandWideAcos(Expr x) {
  Expr a = x.abs();
  Pair angle = angleOf(otherSide(a), exactly(a));
  return insideOne(x, turned(angle, x.compare(Predicate::OLT, 0.0)));
}

Expr expandWideAtan(Expr x) {
  Expr a = x.abs();
  return copySign(angleOf(exactly(a), exactly(a.number(1.0))).sum(), x);
}

Expr expandWideAtan2(Expr y, Expr x) {
  Expr up = y.abs(), right = x.abs();
  // (0, 0) has the angle of (1, 0), two infinities that of (1, 1).
  Expr isOrigin =
      up.compare(Predicate::OEQ, 0.0) & right.compare(Predicate::OEQ, 0.0);
  Expr isCorner = up.compare(Predicate::OEQ, infinity) &
                  right.compare(Predicate::OEQ, infinity);
  up = mathexpr::select(isCorner, 1.0, up);
  right = mathexpr::select(isOrigin | isCorner, 1.0, right);
  // Sums do not overflow, and products of quotients are no denormal numbers.
  Expr larger = mathexpr::select(up.compare(Predicate::OGT, right), up, right);
  Expr factor = mathexpr::select(larger.compare(Predicate::OGT, 0x1p900),
                                 0x1p-200, larger.number(1.0));
  factor = mathexpr::select(larger.compare(Predicate::OLT, 0x1p-700), 0x1p300,
                            factor);
  Pair angle = angleOf(exactly(up * factor), exactly(right * factor));
  Expr isLeft = x.asInt().compareInt(arith::CmpIPredicate::slt, 0);
  return copySign(turned(angle, isLeft), y);
}

} // namespace tripy::codegen::mathexpr
