//===- FoldWindow.cpp - Windows that are simpler operations ---------------===//

#include "Folds.h"

#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::flatir;

bool WindowOp::isInside() {
  ArrayRef<int64_t> from = getInput().getType().getShape();
  ArrayRef<int64_t> to = getResult().getType().getShape();
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    int64_t size = from[dim], count = to[getDims().size() + dim];
    if (count == 0)
      continue;
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(count) ||
        getInterior()[i] != 1)
      return false;
    int64_t reach = (getWindow()[i] - 1) * getDilations()[i];
    int64_t first = std::min<int64_t>(reach, 0) - getLow()[i];
    int64_t last = (count - 1) * getStrides()[i] + std::max<int64_t>(reach, 0) -
                   getLow()[i];
    if (first < 0 || last >= size)
      return false;
  }
  return true;
}

OpFoldResult WindowOp::fold(FoldAdaptor adaptor) {
  Attribute splat = splatValue(adaptor.getInput());
  if (splat && (splat == getValue() || isInside()))
    return splatOf(getType(), splat);
  return {};
}

/// Whether the result's dimension for `dim` is known to have its size.
static bool keepsSize(WindowOp op, int64_t dim) {
  int64_t place = static_cast<int64_t>(op.getDims().size()) + dim;
  RankedTensorType to = op.getType();
  if (!to.isDynamicDim(place))
    return to.getDimSize(place) == op.getInput().getType().getDimSize(dim);
  int64_t number =
      llvm::count_if(to.getShape().take_front(place), ShapedType::isDynamic);
  return isSizeOf(op.getSizes()[number], op.getInput(), dim);
}

namespace {
/// window of size 1, inside -> reshape(slice), reshape where it takes all
/// elements.
struct WindowOfOne : OpRewritePattern<WindowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WindowOp op,
                                PatternRewriter &rewriter) const override {
    bool isWhole = true;
    for (auto [i, dim] : llvm::enumerate(op.getDims())) {
      if (op.getWindow()[i] != 1)
        return rewriter.notifyMatchFailure(op, "windows of several elements");
      isWhole &= op.getStrides()[i] == 1 && op.getInterior()[i] == 1 &&
                 op.getLow()[i] == 0 && keepsSize(op, dim);
    }
    if (!isWhole && !op.isInside())
      return rewriter.notifyMatchFailure(op, "not known to be inside");
    Value taken = op.getInput();
    if (!isWhole) {
      RankedTensorType type = op.getType();
      int64_t rank = op.getInput().getType().getRank();
      SmallVector<int64_t> offsets(rank, 0), strides(rank, 1);
      for (auto [i, dim] : llvm::enumerate(op.getDims())) {
        bool isEmpty = type.getDimSize(op.getDims().size() + dim) == 0;
        offsets[dim] = isEmpty ? 0 : -op.getLow()[i];
        strides[dim] = op.getStrides()[i];
      }
      Location loc = inserted(
          op.getLoc(), {"window", "take the elements of windows of size 1"});
      taken = SliceOp::create(
          rewriter, loc,
          type.clone(type.getShape().drop_front(op.getDims().size())), taken,
          ValueRange(), op.getSizes(), offsets, strides);
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), taken,
                                           op.getSizes());
    return success();
  }
};
} // namespace

void WindowOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<WindowOfOne>(context);
}
