//===- F64Hyperbolic.cpp - sinh to atanh, expm1, log1p, cbrt of f64 -------===//
//
// By exp(x) - 1 and log(1 + x), to which arguments come as pairs of f64, so
// that nothing cancels near 0.
//
//===----------------------------------------------------------------------===//
#include "Pairs.h"

using namespace mlir;

namespace tripy::codegen::mathexpr {

using Predicate = arith::CmpFPredicate;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
static constexpr double ln2 = 0x1.62e42fefa39efp-1;
/// log10(2) in two f64.
static constexpr double log102 = 0x1.34413509f79ffp-2,
                        log102Low = -0x1.9dc1da994fd21p-59;
/// From here on, 1 is less than half a unit of exp(x), and of sinh nothing but
/// half of that is left.
static constexpr double large = 40;

static Expr copySign(Expr magnitude, Expr sign) {
  return magnitude.binary<math::CopySignOp>(sign);
}
static Expr isAbove(Expr x, double limit) {
  return x.compare(Predicate::OGT, limit);
}
static Expr atMost(Expr x, double limit) {
  return select(isAbove(x, limit), limit, x);
}

//===-- by exp ------------------------------------------------------------===//

Expr expandWideExpm1(Expr x) {
  Expr c = atMost(x, large);
  c = select(c.compare(Predicate::OLT, -large), -large, c);
  Expr result = select(isAbove(x, large), expandWideExp(x),
                       widePower(c).minusOne().sum());
  return copySign(result, x);
}

/// exp(a) / 2 for large a, which may be more than exp(a) can be.
static Expr halfOfExp(Expr a) {
  WidePower power = widePower(atMost(a, 800));
  return scaleWide(power.value(), addBits(power.n, -1));
}

Expr expandWideSinh(Expr x) {
  Expr a = x.abs();
  // t = exp(a) - 1, sinh(a) = (t + t / (t + 1)) / 2.
  Pair t = widePower(atMost(a, large)).minusOne();
  Pair next = addExact(t.high, t.high.number(1.0));
  Pair quotient = divide(t, {next.high, next.low + t.low});
  Pair sum = addOrdered(t.high, quotient.high);
  Expr small = (sum.high + (sum.low + (t.low + quotient.low))) * 0.5;
  return copySign(select(isAbove(a, large), halfOfExp(a), small), x);
}

Expr expandWideCosh(Expr x) {
  Expr a = x.abs();
  Pair t = widePower(atMost(a, large)).minusOne();
  Pair power = addExact(t.high, t.high.number(1.0));
  power.low = power.low + t.low;
  Expr inverse = 1.0 / power.high;
  Pair sum = addOrdered(power.high, inverse);
  Expr small = (sum.high + (sum.low + power.low)) * 0.5;
  return select(isAbove(a, large), halfOfExp(a), small);
}

//===-- by log ------------------------------------------------------------===//

/// log(1 + x).
static Expr logOfNext(Pair x) {
  Pair next = addExact(x.high.number(1.0), x.high);
  Expr rest = (next.low + x.low) / next.high;
  Expr isOrdinary =
      isAbove(next.high, 0.0) & next.high.compare(Predicate::OLT, infinity);
  return expandWideLog(next.high) + select(isOrdinary, rest, rest.number(0.0));
}

static Expr tooLarge(Expr x) { return isAbove(x, 0x1p30); }

/// log(2 x) for large x.
static Expr logOfTwice(Expr x) { return expandWideLog(x) + ln2; }

Expr expandWideLog1p(Expr x) {
  return copySign(logOfNext({x, x.number(0.0)}), x);
}

Expr expandWideLog10(Expr x) {
  Pair log = wideLog2(x);
  Pair product = multiplyExact(log.high, log.high.number(log102));
  Expr low = product.low + (log.high * log102Low + log.low * log102);
  return logarithmSpecials(x, product.high + low);
}

Expr expandWideAsinh(Expr x) {
  // log(1 + (a + (sqrt(a^2 + 1) - 1)))
  Expr a = x.abs(), c = atMost(a, 0x1p31);
  Pair square = multiplyExact(c, c);
  Pair radicand = addExact(square.high, c.number(1.0));
  Pair root = squareRoot({radicand.high, radicand.low + square.low});
  Pair less = addExact(root.high, c.number(-1.0));
  Pair sum = addExact(c, less.high);
  sum.low = sum.low + (less.low + root.low);
  return copySign(select(tooLarge(a), logOfTwice(a), logOfNext(sum)), x);
}

Expr expandWideAcosh(Expr x) {
  // t = x - 1, log(1 + (t + sqrt(t (t + 2))))
  Expr c = atMost(x, 0x1p31);
  Pair t = addExact(c, c.number(-1.0));
  Pair twice = addExact(t.high, t.high.number(2.0));
  Pair product = multiplyExact(t.high, twice.high);
  Expr low = product.low + (t.high * (twice.low + t.low) + t.low * twice.high);
  Pair root = squareRoot({product.high, low});
  Pair sum = addExact(root.high, t.high);
  sum.low = sum.low + (root.low + t.low);
  Expr result = select(tooLarge(x), logOfTwice(x), logOfNext(sum));
  return select(x.compare(Predicate::OLT, 1.0), nan, result);
}

Expr expandWideAtanh(Expr x) {
  // log(1 + 2 a / (1 - a)) / 2
  Expr a = x.abs();
  Pair quotient = divide({a + a, a.number(0.0)}, addExact(a.number(1.0), -a));
  Expr result = logOfNext(quotient) * 0.5;
  result = select(a.compare(Predicate::OEQ, 1.0), infinity, result);
  result = select(isAbove(a, 1.0), nan, result);
  return copySign(result, x);
}

//===-- cbrt --------------------------------------------------------------===//

Expr expandWideCbrt(Expr x) {
  // Fourth powers of the root neither overflow nor underflow.
  Expr a = x.abs();
  Expr isSmall = a.compare(Predicate::OLT, 0x1p-700);
  Expr isLarge = isAbove(a, 0x1p700);
  a = select(isSmall, a * 0x1p600, select(isLarge, a * 0x1p-600, a));
  // A third of the exponent, and of the mantissa's first bits: off by 3.2 %.
  Expr third =
      ((a.asInt() >> 32).binary<arith::MulIOp>(a.asInt().bits(0x55555556))) >>
      32;
  Expr root = (addBits(third, 0x2a9f762b) << 32).asFloat();
  // Halley's rule cubes the relative error.
  for (int step = 0; step < 2; ++step) {
    Expr cube = root * root * root;
    root = root * (cube + a + a) / (cube + cube + a);
  }
  // What the cube lacks, exactly.
  Pair square = multiplyExact(root, root);
  Pair cube = multiplyExact(square.high, root);
  Expr rest = ((cube.high - a) + cube.low) + square.low * root;
  root = root - rest / (square.high * 3.0);
  Expr factor = select(isSmall, 0x1p-200, root.number(1.0));
  root = root * select(isLarge, 0x1p200, factor);
  Expr isOrdinary =
      isAbove(x.abs(), 0.0) & x.abs().compare(Predicate::OLT, infinity);
  return select(isOrdinary, copySign(root, x), x);
}

} // namespace tripy::codegen::mathexpr
