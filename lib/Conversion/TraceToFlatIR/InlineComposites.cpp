//===- InlineComposites.cpp - Takes decompositions out of composites ------===//

#include "tripy/Conversion/Passes.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

#include "mlir/IR/PatternMatch.h"

namespace tripy {
#define GEN_PASS_DEF_INLINECOMPOSITESPASS
#include "tripy/Conversion/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;

namespace {

struct InlineCompositesPass
    : public tripy::impl::InlineCompositesPassBase<InlineCompositesPass> {
  using InlineCompositesPassBase::InlineCompositesPassBase;

  void runOnOperation() override {
    SmallVector<flatir::CompositeOp> composites;
    // Inner ones come first.
    getOperation()->walk(
        [&](flatir::CompositeOp op) { composites.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (flatir::CompositeOp op : composites) {
      Block *body = &op.getBody().front();
      Operation *yield = body->getTerminator();
      rewriter.inlineBlockBefore(body, op, op.getInputs());
      rewriter.replaceOp(op, yield->getOperands());
      rewriter.eraseOp(yield);
    }
  }
};

} // namespace
