//===- Baseline.cpp - What old processors have no instruction for ---------===//
//
// x86-64 has fused multiply-add since FMA and rounding to integers since
// SSE4.1. Before, LLVM calls a library, which host code has none of: the same
// bits are computed with what every processor has.
//
//===----------------------------------------------------------------------===//
#include "Expr.h"

using namespace mlir;
using namespace tripy::codegen;
using namespace tripy::codegen::mathexpr;

namespace {
/// high + low, of which `high` is the nearest float.
struct Pair {
  Expr high, low;
};
} // namespace

/// x + y without error (Knuth).
static Pair twoSum(Expr x, Expr y) {
  Expr sum = x + y;
  Expr ofY = sum - x;
  return {sum, (x - (sum - ofY)) + (y - ofY)};
}

/// The 26 upper bits of an f64, and the rest (Veltkamp).
static Pair split(Expr x) {
  Expr scaled = x * 0x1.0000002p+27;
  Expr high = scaled - (scaled - x);
  return {high, x - high};
}

/// x * y without error, for f64 (Dekker).
static Pair twoProduct(Expr x, Expr y) {
  Pair a = split(x), b = split(y);
  Expr product = x * y;
  Expr error = a.high * b.high - product;
  error = error + a.high * b.low + a.low * b.high;
  return {product, error + a.low * b.low};
}

/// x + y of f64; when inexact, of its two neighbours the one with an odd last
/// bit. Rounded once more to fewer bits, that is what one rounding gives.
static Expr sumToOdd(Expr x, Expr y) {
  Pair sum = twoSum(x, y);
  Expr bits = sum.high.asInt();
  Expr inexact = sum.low.compare(arith::CmpFPredicate::ONE, 0.0);
  Expr even = (bits & 1).compareInt(arith::CmpIPredicate::eq, 0);
  // Away from zero when the error has the sum's sign.
  Expr sameSign =
      (bits ^ sum.low.asInt()).compareInt(arith::CmpIPredicate::sge, 0);
  Expr odd = select(sameSign, addBits(bits, 1), subBits(bits, 1));
  return select(inexact & even, odd, bits).asFloat();
}

/// The f64 product of f32 is exact.
static Expr fmaF32(Expr x, Expr y, Expr z) {
  return sumToOdd(x.toF64() * y.toF64(), z.toF64()).toF32();
}

/// S. Boldo and G. Melquiond, "Emulation of a FMA and correctly rounded sums:
/// proved algorithms using rounding to odd", 2008. Exact while no intermediate
/// result overflows or is denormal.
static Expr fmaF64(Expr x, Expr y, Expr z) {
  Pair product = twoProduct(x, y);
  Pair lower = twoSum(z, product.low);
  Pair upper = twoSum(product.high, lower.high);
  Expr exact = upper.high + sumToOdd(upper.low, lower.low);
  Expr isNumber = exact.compare(arith::CmpFPredicate::ORD, exact);
  return select(isNumber, exact, x * y + z);
}

static Expr copySign(Expr magnitude, Expr sign) {
  return magnitude.binary<math::CopySignOp>(sign);
}

/// `nearest`, the integer nearest to x, the even one of two, moved by 1 where
/// OpT asks for another.
template <typename OpT> static Expr correct(Expr x, Expr nearest) {
  using arith::CmpFPredicate;
  if constexpr (std::is_same_v<OpT, math::FloorOp>)
    return select(nearest.compare(CmpFPredicate::OGT, x), nearest - 1.0,
                  nearest);
  if constexpr (std::is_same_v<OpT, math::CeilOp>)
    return select(nearest.compare(CmpFPredicate::OLT, x), nearest + 1.0,
                  nearest);
  // Of these the sign is set afterwards.
  if constexpr (std::is_same_v<OpT, math::TruncOp>)
    return select(nearest.abs().compare(CmpFPredicate::OGT, x.abs()),
                  nearest.abs() - 1.0, nearest);
  if constexpr (std::is_same_v<OpT, math::RoundOp>)
    return select((x.abs() - nearest.abs()).compare(CmpFPredicate::OEQ, 0.5),
                  nearest.abs() + 1.0, nearest);
  return nearest;
}

/// x rounded to an integer as OpT does.
template <typename OpT> static Expr roundAs(Expr x) {
  bool wide = getElementTypeOrSelf(x.get().getType()).isF64();
  // From here on all numbers are integers, and sums round to them.
  double integers = wide ? 0x1p52 : 0x1p23;
  Expr nearest = copySign((x.abs() + integers) - integers, x);
  Expr isSmall = x.abs().compare(arith::CmpFPredicate::OLT, integers);
  // The sign of a zero is that of x.
  return select(isSmall, copySign(correct<OpT>(x, nearest), x), x);
}

static bool isF32OrF64(Operation *op) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  return type.isF32() || type.isF64();
}

namespace {

/// math.fma => products and sums whose errors are computed as well
struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32OrF64(op))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    bool wide = getElementTypeOrSelf(op.getType()).isF64();
    Expr x(b, op.getA()), y(b, op.getB()), z(b, op.getC());
    rewriter.replaceOp(op, (wide ? fmaF64(x, y, z) : fmaF32(x, y, z)).get());
    return success();
  }
};

/// math.floor and its kin => a sum that rounds to the nearest, corrected
template <typename OpT> struct ExpandRounding : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!isF32OrF64(op))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, roundAs<OpT>(Expr(b, op.getOperand())).get());
    return success();
  }
};

} // namespace

void tripy::codegen::populateBaselinePatterns(RewritePatternSet &patterns,
                                              bool fma, bool rounding) {
  MLIRContext *context = patterns.getContext();
  if (!fma)
    patterns.add<ExpandFma>(context);
  if (!rounding)
    patterns.add<ExpandRounding<math::FloorOp>, ExpandRounding<math::CeilOp>,
                 ExpandRounding<math::TruncOp>, ExpandRounding<math::RoundOp>,
                 ExpandRounding<math::RoundEvenOp>>(context);
}
