//===- Trig.cpp - sin, cos, tan -------------------------------------------===//
//
// The angle is reduced in f64, with one straight-line form for all finite f32:
// x 2/pi is wanted modulo 4 only, and an f32 of at least 2^k is a multiple of
// 2^(k-23), so that the bits of 2/pi from weight 2^(25-k) up add nothing. Five
// ranges of magnitude therefore have 2/pi without those bits, in two f64.
// Coefficients are printed by utils/fit-math.py under the names in the
// comments ("two-over-pi": the ranges).
//
//===----------------------------------------------------------------------===//
#include "Expr.h"

using namespace mlir;

namespace tripy::codegen::mathexpr {

namespace {

/// 2/pi for |x| >= 2^exponent, up to the next row.
struct TwoOverPi {
  int exponent;
  double high, low;
};
constexpr TwoOverPi twoOverPi[] = {
    {-150, 0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55},
    {46, 0x1.b727220a94fe1p-23, 0x1.d5f47d4d37703p-78},
    {68, 0x1.054a7f09d5f48p-46, -0x1.596447e493ad5p-101},
    {90, -0x1.ec54170565912p-71, 0x1.b6c52b3278872p-129},
    {112, -0x1.70565911f924fp-91, 0x1.2b32788720840p-145},
};

/// |x| = (quadrant + a number in [-1/2, 1/2]) pi/2 modulo 2 pi.
struct Reduced {
  /// i32; only the two low bits count.
  Expr quadrant;
  /// sin and cos of the rest, f32.
  Expr sin, cos;
};

} // namespace

static Reduced reduce(Expr x) {
  Expr magnitude = x.asInt() & 0x7fffffff;
  Expr a = magnitude.asFloat().toF64();
  Expr high = a.number(twoOverPi[0].high), low = a.number(twoOverPi[0].low);
  for (const TwoOverPi &row : ArrayRef(twoOverPi).drop_front()) {
    Expr inRow = magnitude.compareInt(arith::CmpIPredicate::sge,
                                      int64_t(127 + row.exponent) << 23);
    high = select(inRow, row.high, high);
    low = select(inRow, row.low, low);
  }
  // The product's two halves are exact; infinity becomes NaN below.
  Expr product = a * high;
  Expr rest = fma(a, high, -product);
  Expr rounded = product + roundF64;
  Expr turn = (product - (rounded - roundF64)) + fma(a, low, rest);
  Expr r = (turn * 0x1.921fb54442d18p+0).toF32();

  Expr z = r * r;
  // "sin", "cos"
  Expr s = polynomial(z, {-0x1.555546p-3, 0x1.110778p-7, -0x1.995402p-13});
  Expr c = polynomial(
      z, {1.0, -0.5, 0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e80cp-16});
  return {rounded.asInt().convert<arith::TruncIOp>(x.i32()), fma(s, z * r, r),
          c};
}

static Expr isOdd(Expr quadrant) {
  return (quadrant & 1).compareInt(arith::CmpIPredicate::ne, 0);
}

/// Flips the sign of x where bit 1 of `quadrant`, or the sign bit of `sign`, is
/// set.
static Expr flip(Expr x, Expr quadrant, Expr sign) {
  Expr flips = ((quadrant << 30) ^ sign) & int64_t(-0x80000000LL);
  return (x.asInt() ^ flips).asFloat();
}

Expr expandSin(Expr x, const MathOptions &options) {
  Reduced reduced = reduce(x);
  Expr value = select(isOdd(reduced.quadrant), reduced.cos, reduced.sin);
  return flip(value, reduced.quadrant, x.asInt());
}

Expr expandCos(Expr x, const MathOptions &options) {
  Reduced reduced = reduce(x);
  Expr value = select(isOdd(reduced.quadrant), reduced.sin, reduced.cos);
  Expr next = addBits(reduced.quadrant, 1);
  return flip(value, next, next.bits(0));
}

Expr expandTan(Expr x, const MathOptions &options) {
  Reduced reduced = reduce(x);
  Expr odd = isOdd(reduced.quadrant);
  Expr value = select(odd, reduced.cos, reduced.sin) /
               select(odd, reduced.sin, reduced.cos);
  // Quadrants 1 and 3 have -cos / sin.
  Expr sign = (reduced.quadrant << 31) ^ x.asInt();
  return flip(value, sign.bits(0), sign);
}

} // namespace tripy::codegen::mathexpr
