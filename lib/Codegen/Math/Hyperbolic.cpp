//===- Hyperbolic.cpp - sinh to atanh, expm1, log1p, log10, cbrt ----------===//
//
// By exp and log in f64. Near 0 a few terms of the series, where a difference
// would leave too few bits even of f64. Coefficients are printed by
// utils/fit-math.py under the names in the comments.
//
//===----------------------------------------------------------------------===//
#include "Wide.h"

#include <numbers>

using namespace mlir;

namespace tripy::codegen::mathexpr {

using Predicate = arith::CmpFPredicate;

/// Below this, terms of x^4 and more are too small to count.
static constexpr double nearZero = 0x1p-11;

static Expr isNearZero(Expr x) {
  return x.abs().compare(Predicate::OLT, nearZero);
}

Expr expandExpm1(Expr x, const MathOptions &options) {
  // The sign is that of x, also of a zero.
  return copySign(wideExp(x).minusOne().toF32(), x);
}

Expr expandSinh(Expr x, const MathOptions &options) {
  Expr a = x.abs().toF64(), z = a * a;
  // "sinh"
  Expr q = polynomial(z, {0x1.5555551b3a598p-3, 0x1.111134fbc6dd7p-7,
                          0x1.9ffe9257166f2p-13, 0x1.7a15b7a042b27p-19});
  Expr small = fma(q * z, a, a);
  Expr power = wideExp(x.abs()).value();
  Expr large = (power - 1.0 / power) * 0.5;
  Expr isSmall = a.compare(Predicate::OLT, 1.0);
  return copySign(select(isSmall, small, large).toF32(), x);
}

Expr expandCosh(Expr x, const MathOptions &options) {
  Expr power = wideExp(x.abs()).value();
  return ((power + 1.0 / power) * 0.5).toF32();
}

Expr expandAsinh(Expr x, const MathOptions &options) {
  Expr a = x.abs().toF64(), z = a * a;
  Expr small = fma(z * (-1.0 / 6), a, a);
  Expr large = wideLog(a + sqrt(z + 1.0));
  return copySign(select(isNearZero(a), small, large).toF32(), x);
}

Expr expandAcosh(Expr x, const MathOptions &options) {
  Expr w = x.toF64();
  Expr result = wideLog(w + sqrt((w - 1.0) * (w + 1.0))).toF32();
  // Far below, the sum would be 0.
  Expr isBelow = x.compare(Predicate::OLT, 1.0);
  return select(isBelow, std::numeric_limits<double>::quiet_NaN(), result);
}

Expr expandAtanh(Expr x, const MathOptions &options) {
  Expr a = x.abs().toF64();
  Expr small = fma(a * a * (1.0 / 3), a, a);
  Expr large = wideLog((a + 1.0) / (1.0 - a)) * 0.5;
  return copySign(select(isNearZero(a), small, large).toF32(), x);
}

Expr expandLog1p(Expr x, const MathOptions &options) {
  Expr w = x.toF64();
  Expr small = w * fma(fma(w, 1.0 / 3, -0.5), w, 1.0);
  return select(isNearZero(w), small, wideLog(w + 1.0)).toF32();
}

Expr expandLog10(Expr x, const MathOptions &options) {
  return (wideLog(x.toF64()) * std::numbers::log10e).toF32();
}

Expr expandCbrt(Expr x, const MathOptions &options) {
  Expr a = x.abs().toF64();
  // A third of the exponent, and of the mantissa's first bits: off by 3.2 %.
  auto shiftRight = [](Expr v) { return v >> 32; };
  Expr third = shiftRight(
      shiftRight(a.asInt()).binary<arith::MulIOp>(a.asInt().bits(0x55555556)));
  Expr root = (addBits(third, 0x2a9f762b) << 32).asFloat();
  // Halley's rule cubes the relative error.
  for (int step = 0; step < 2; ++step) {
    Expr cube = root * root * root;
    root = root * (cube + a + a) / (cube + cube + a);
  }
  Expr isOrdinary =
      a.compare(Predicate::OGT, 0.0) &
      x.abs().compare(Predicate::OLT, std::numeric_limits<double>::infinity());
  return select(isOrdinary, copySign(root.toF32(), x), x);
}

} // namespace tripy::codegen::mathexpr
