//===- ExpLog.cpp - exp, exp2, log, log2, rsqrt ---------------------------===//
//
// In f32 alone, so that devices with few f64 units stay fast. Coefficients are
// printed by utils/fit-math.py under the names in the comments.
//
//===----------------------------------------------------------------------===//
#include "Expr.h"

using namespace mlir;

namespace tripy::codegen::mathexpr {

static constexpr double log2e = 0x1.715476p+0;
/// ln(2) in two f32; the first is good to 2^-28, enough where it is scaled by
/// the exponent of a logarithm.
static constexpr double ln2High = 0x1.62e430p-1;
static constexpr double ln2Low = -0x1.05c610p-29;

static constexpr int64_t onePointZero = 0x3f800000;
/// The bits of 2/3.
static constexpr int64_t twoThirds = 0x3f2aaaab;

Expr atMost(Expr x, double limit, const MathOptions &options) {
  if (options.cuda)
    return x.binary<arith::MinimumFOp>(x.number(limit));
  return select(x.compare(arith::CmpFPredicate::OGT, limit), limit, x);
}

Expr atLeast(Expr x, double limit, const MathOptions &options) {
  if (options.cuda)
    return x.binary<arith::MaximumFOp>(x.number(limit));
  return select(x.compare(arith::CmpFPredicate::OLT, limit), limit, x);
}

Expr polynomial(Expr x, ArrayRef<double> coefficients) {
  Expr sum = x.number(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, c);
  return sum;
}

/// 2^n as f32, for i32 n in [-127, 128]; -127 gives 0 and 128 infinity.
static Expr powerOfTwo(Expr n) {
  return (addBits(n, onePointZero >> 23) << 23).asFloat();
}

Expr scaleByPowerOfTwo(Expr x, Expr n) {
  // Two factors, each of them normal: the first product is exact, so that only
  // the second rounds.
  Expr half = n >> 1;
  return x * powerOfTwo(half) * powerOfTwo(n - half);
}

Expr exp2Fraction(Expr f) {
  // "exp2"
  Expr tail = polynomial(f, {0x1.62e430p-1, 0x1.ebfbdcp-3, 0x1.c6af7cp-5,
                             0x1.3b2de0p-7, 0x1.5f0830p-10, 0x1.416b4ap-13});
  return fma(tail, f, 1.0);
}

Expr expTail(Expr r) {
  // "exp"
  return polynomial(r, {0x1.fffffcp-2, 0x1.555494p-3, 0x1.5558bep-5,
                        0x1.123856p-7, 0x1.6a3d0ap-10});
}

Split splitExponent(Expr x) {
  Expr denormal = x.compare(arith::CmpFPredicate::OLT, 0x1p-126);
  Expr scaled = select(denormal, x * 0x1p23, x);
  Expr bias = select(denormal, x.asInt().bits(-23), x.asInt().bits(0));
  Expr offset = subBits(scaled.asInt(), twoThirds);
  Expr m = addBits(offset & 0x7fffff, twoThirds).asFloat();
  return {m, (offset >> 23) + bias};
}

Expr expandExp(Expr x, const MathOptions &options) {
  // Beyond these the result is infinity or 0 anyway.
  Expr c = atLeast(atMost(x, 89.0, options), -105.0, options);
  Expr rounded = fma(c, log2e, roundF32);
  Expr n = rounded - roundF32;
  Expr r = fma(n, -ln2Low, fma(n, -ln2High, c));
  Expr p = fma(expTail(r), r * r, r) + 1.0;
  return scaleByPowerOfTwo(p,
                           rounded.asInt() - rounded.number(roundF32).asInt());
}

Expr expandExp2(Expr x, const MathOptions &options) {
  Expr c = atLeast(atMost(x, 129.0, options), -151.0, options);
  Expr rounded = c + roundF32;
  Expr f = c - (rounded - roundF32);
  return scaleByPowerOfTwo(exp2Fraction(f),
                           rounded.asInt() - rounded.number(roundF32).asInt());
}

/// The logarithm's values at 0, below 0, infinity and NaN.
static Expr logarithmSpecials(Expr x, Expr result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  result = select(x.compare(arith::CmpFPredicate::OEQ, 0.0), -infinity, result);
  result = select(x.compare(arith::CmpFPredicate::OLT, 0.0), nan, result);
  return select(x.compare(arith::CmpFPredicate::OLT, infinity), result, x + x);
}

Expr expandLog(Expr x, const MathOptions &options) {
  auto [m, e] = splitExponent(x);
  Expr f = m - 1.0;
  // "log"
  Expr q = polynomial(f, {-0.5, 0x1.555506p-2, -0x1.fffefcp-3, 0x1.99d044p-3,
                          -0x1.559c46p-3, 0x1.1ed660p-3, -0x1.f332a4p-4,
                          0x1.1e67a0p-3, -0x1.07c96ep-3});
  Expr logM = fma(q, f * f, f);
  Expr exponent = e.convert<arith::SIToFPOp>(x.f32());
  return logarithmSpecials(x, fma(exponent, ln2High, logM));
}

Expr expandLog2(Expr x, const MathOptions &options) {
  auto [m, e] = splitExponent(x);
  Expr f = m - 1.0;
  // "log2"
  Expr q = polynomial(f, {-0x1.715476p-1, 0x1.ec718ep-2, -0x1.7154a8p-2,
                          0x1.276338p-2, -0x1.ec8932p-3, 0x1.a433dap-3,
                          -0x1.6c3378p-3, 0x1.81429ap-3, -0x1.6afa7ep-3});
  Expr logM = fma(f, log2e, q * (f * f));
  Expr exponent = e.convert<arith::SIToFPOp>(x.f32());
  return logarithmSpecials(x, exponent + logM);
}

Expr expandRsqrt(Expr x, const MathOptions &options) {
  return 1.0 / x.unary<math::SqrtOp>();
}

} // namespace tripy::codegen::mathexpr
