//===- Wide.cpp - exp, log and angles in f64 ------------------------------===//
//
// Coefficients are printed by utils/fit-math.py under the names in the
// comments.
//
//===----------------------------------------------------------------------===//
#include "Wide.h"

#include <numbers>

using namespace mlir;

namespace tripy::codegen::mathexpr {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

WideExp wideExp(Expr x) {
  Expr c = x.toF64();
  c = select(c.compare(arith::CmpFPredicate::OGT, 110.0), 110.0, c);
  c = select(c.compare(arith::CmpFPredicate::OLT, -110.0), -110.0, c);
  Expr rounded = fma(c, std::numbers::log2e, roundF64);
  Expr r = fma(rounded - roundF64, -std::numbers::ln2, c);
  // "expm1"
  Expr q = polynomial(r, {0x1.0000000017116p-1, 0x1.555555734c39ap-3,
                          0x1.555554f384bd6p-5, 0x1.1110b22a66048p-7,
                          0x1.6c1766b18d7c0p-10, 0x1.a16f5463f5ddap-13,
                          0x1.a003a85996e15p-16});
  Expr scale = (addBits(rounded.asInt(), 1023) << 52).asFloat();
  return {fma(q, r * r, r), scale};
}

Expr wideLog2OfQuotient(Expr s) {
  // "pow-log2"
  Expr q = polynomial(s * s, {0x1.71547652d8523p+1, 0x1.ec709b54d8705p-1,
                              0x1.2778a76556334p-1, 0x1.a512b7a307e48p-2,
                              0x1.64c8d948861d5p-2});
  return q * s;
}

Expr wideLog(Expr v) {
  using Predicate = arith::CmpFPredicate;
  // v = m 2^e with m in [2/3, 4/3).
  constexpr int64_t twoThirds = 0x3fe5555555555555;
  Expr offset = subBits(v.asInt(), twoThirds);
  Expr m = addBits(offset & 0xfffffffffffff, twoThirds).asFloat();
  Expr e = (offset >> 52).convert<arith::TruncIOp>(v.i32());
  Expr log2 = wideLog2OfQuotient((m - 1.0) / (m + 1.0)) +
              e.convert<arith::SIToFPOp>(v.f64());
  Expr result = log2 * std::numbers::ln2;
  result = select(v.compare(Predicate::OEQ, 0.0), -infinity, result);
  result = select(v.compare(Predicate::OLT, 0.0), nan, result);
  return select(v.compare(Predicate::OLT, infinity), result, v);
}

Expr wideAngle(Expr y, Expr x) {
  using Predicate = arith::CmpFPredicate;
  // The angle from the nearest of 0, pi/4 and pi/2 has a tangent t of at most
  // tan(pi/8).
  Expr isSteep = y.compare(Predicate::OGT, x * 0x1.3504f333f9de6p+1);
  Expr isMiddle = y.compare(Predicate::OGT, x * 0x1.a827999fcef32p-2);
  Expr numerator = select(isSteep, -x, select(isMiddle, y - x, y));
  Expr denominator = select(isSteep, y, select(isMiddle, y + x, x));
  Expr base = select(isSteep, std::numbers::pi / 2,
                     select(isMiddle, std::numbers::pi / 4, y.number(0.0)));
  Expr t = numerator / denominator;
  Expr z = t * t;
  // "atan"
  Expr q = polynomial(z, {-0x1.555554c5ef387p-2, 0x1.99991890f7340p-3,
                          -0x1.247ed87c6898ep-3, 0x1.c463ccb1b65ecp-4,
                          -0x1.5b2f0ae96dd81p-4, 0x1.849d4205419cep-5});
  return base + fma(q * z, t, t);
}

} // namespace tripy::codegen::mathexpr
