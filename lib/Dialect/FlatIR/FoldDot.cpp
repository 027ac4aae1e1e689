//===- FoldDot.cpp - Transposed and converted operands of contractions ----===//

#include "tripy/Dialect/FlatIR/FlatIR.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::flatir;

/// Dimensions of a transpose's result as dimensions of its input.
static SmallVector<int64_t> throughTranspose(TransposeOp transpose,
                                             ArrayRef<int64_t> dims) {
  SmallVector<int64_t> mapped;
  for (int64_t dim : dims)
    mapped.push_back(transpose.getPermutation()[dim]);
  return mapped;
}

/// The transpose that makes `operand`, when a dot may name the dimensions of
/// its input instead: the free dimensions keep their order.
static TransposeOp absorbable(Value operand, ArrayRef<int64_t> batch,
                              ArrayRef<int64_t> contract) {
  auto transpose = operand.getDefiningOp<TransposeOp>();
  if (!transpose)
    return nullptr;
  SmallVector<int64_t> free = throughTranspose(
      transpose, freeDims(transpose.getPermutation().size(), batch, contract));
  return llvm::is_sorted(free) ? transpose : nullptr;
}

namespace {
/// dot(transpose(a), transpose(b)) -> dot(a, b) with other dimensions: a
/// contraction reads its operands in any layout.
struct AbsorbTransposes : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op,
                                PatternRewriter &rewriter) const override {
    TransposeOp left =
        absorbable(op.getLhs(), op.getLhsBatch(), op.getLhsContract());
    TransposeOp right =
        absorbable(op.getRhs(), op.getRhsBatch(), op.getRhsContract());
    if (!left && !right)
      return rewriter.notifyMatchFailure(op,
                                         "no operand is a transpose whose "
                                         "free dimensions keep their order");
    SmallVector<int64_t> lhsBatch(op.getLhsBatch()), rhsBatch(op.getRhsBatch());
    SmallVector<int64_t> lhsContract(op.getLhsContract());
    SmallVector<int64_t> rhsContract(op.getRhsContract());
    if (left) {
      lhsBatch = throughTranspose(left, lhsBatch);
      lhsContract = throughTranspose(left, lhsContract);
    }
    if (right) {
      rhsBatch = throughTranspose(right, rhsBatch);
      rhsContract = throughTranspose(right, rhsContract);
    }
    rewriter.replaceOpWithNewOp<DotOp>(
        op, op.getType(), left ? left.getInput() : op.getLhs(),
        right ? right.getInput() : op.getRhs(), lhsBatch, rhsBatch, lhsContract,
        rhsContract, op.getAllowTF32());
    return success();
  }
};

/// dot(convert(a), convert(b)) of floats of 8 bits, to 16 bits -> dot(a, b):
/// the conversion is exact and the sum is in f32 either way. Not to f32, of
/// which more bits matter than the tensor cores' sums of such floats have.
struct AbsorbConversions : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op,
                                PatternRewriter &rewriter) const override {
    auto left = op.getLhs().getDefiningOp<ConvertOp>();
    auto right = op.getRhs().getDefiningOp<ConvertOp>();
    auto isF8 = [](ConvertOp convert) {
      return convert && isFloat8(elementTypeOf(convert.getInput()));
    };
    Type result = elementTypeOf(op.getResult());
    if (!isF8(left) || !isF8(right) || !(result.isF16() || result.isBF16()) ||
        elementTypeOf(left.getInput()) != elementTypeOf(right.getInput()))
      return rewriter.notifyMatchFailure(
          op, "not a product of one float of 8 bits that rounds to 16 bits");
    rewriter.modifyOpInPlace(op, [&] {
      op.getLhsMutable().assign(left.getInput());
      op.getRhsMutable().assign(right.getInput());
    });
    return success();
  }
};
} // namespace

void DotOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<AbsorbTransposes, AbsorbConversions>(context);
}
