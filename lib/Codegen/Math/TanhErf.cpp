//===- TanhErf.cpp - tanh and erf -----------------------------------------===//
//
// Near zero an odd polynomial, which keeps the relative error; elsewhere one
// minus something small. Both are computed and one is selected. Coefficients
// are printed by utils/fit-math.py under the names in the comments.
//
//===----------------------------------------------------------------------===//
#include "Expr.h"

using namespace mlir;

namespace tripy::codegen::mathexpr {

/// Multiplies an f32 in [1/2, 2) by 2^n; `rounded` holds n in its low bits, as
/// an addition of roundF32 leaves it, and the result is normal.
static Expr addExponent(Expr x, Expr rounded) {
  return (x.asInt() + (rounded.asInt() << 23)).asFloat();
}

/// `large` from `bound` on and `small`, which carries NaN, else; the sign of x.
static Expr joinOdd(Expr x, Expr magnitude, double bound, Expr small,
                    Expr large) {
  Expr isLarge = magnitude.compare(arith::CmpFPredicate::OGE, bound);
  return select(isLarge, large, small).binary<math::CopySignOp>(x);
}

Expr expandTanh(Expr x, const MathOptions &options) {
  Expr a = x.abs();
  Expr z = a * a;
  // "tanh"
  Expr q = polynomial(z, {-0x1.55554ap-2, 0x1.110ceep-3, -0x1.b91e7ep-5,
                          0x1.58e518p-6, -0x1.9921a2p-8});
  Expr small = fma(q * z, a, a);

  // tanh(a) = 1 - 2 / (exp(2 a) + 1); from 9.5 on that is 1.
  Expr c = atMost(a, 9.5, options);
  Expr rounded = fma(c, 0x1.715476p+1, roundF32);
  Expr n = rounded - roundF32;
  Expr half = fma(n, 0x1.05c610p-30, fma(n, -0x1.62e430p-2, c));
  Expr r = half + half;
  Expr exp = addExponent(fma(expTail(r), r * r, r) + 1.0, rounded);
  Expr inverse = 1.0 / (exp + 1.0);
  return joinOdd(x, a, 0.55, small, fma(inverse, -2.0, 1.0));
}

/// erf for results that are rounded to 16 bits: x q(x^2), good to 2^-14.5 up to
/// 2.75, from where on f16 and bf16 have 1.
static Expr expandErf16(Expr x, const MathOptions &options) {
  Expr c = atLeast(atMost(x, 2.75, options), -2.75, options);
  // "erf-fast"
  return c * polynomial(c * c, {0x1.20da42p+0, -0x1.8061a6p-2, 0x1.c5cccap-4,
                                -0x1.93888ep-6, 0x1.02c13ap-8, -0x1.bc0966p-12,
                                0x1.c04dfcp-16, -0x1.8d9c56p-21});
}

Expr expandErf(Expr x, const MathOptions &options) {
  if (options.accuracy == Accuracy::F16 || options.accuracy == Accuracy::BF16)
    return expandErf16(x, options);
  Expr a = x.abs();
  // "erf-small"
  Expr q = polynomial(a * a, {0x1.06eba6p-3, -0x1.8126eap-2, 0x1.ce1b0ep-4,
                              -0x1.b69390p-6, 0x1.476884p-8, -0x1.3ac5a4p-11});
  Expr small = fma(q, a, a);

  // erf(a) = 1 - 2^g; from 3.93 on that is 1.
  Expr c = atMost(a, 3.93, options);
  // "erf-large"
  Expr g = polynomial(c, {-0x1.27fe68p-12, -0x1.a07c00p+0, -0x1.d6a932p-1,
                          -0x1.331498p-3, 0x1.06b0acp-5, -0x1.1fbb38p-8,
                          0x1.2868a2p-12});
  Expr rounded = g + roundF32;
  Expr f = g - (rounded - roundF32);
  Expr large = 1.0 - addExponent(exp2Fraction(f), rounded);
  return joinOdd(x, a, 0.92, small, large);
}

} // namespace tripy::codegen::mathexpr
