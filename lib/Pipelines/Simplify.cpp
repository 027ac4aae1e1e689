//===- Simplify.cpp - Canonicalization of programs ------------------------===//
//
// MLIR's canonicalizer without the patterns of integer arithmetic: these move
// constants from one operation to the next modulo 2^64, while sizes are exact,
// and (n + c) - d may have a result where n + (c - d) overflows. Folds of
// single operations are exact where the operation has a result. And the merging
// of equal operations. Both keep the lines of what they merge.
//
//===----------------------------------------------------------------------===//

#include "tripy/Pipelines/Pipelines.h"

#include "tripy/Dialect/Common/SizeOps.h"
#include "tripy/Dialect/Tripy/MergedLocations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tripy;

/// Whether an operation of this name computes a number from two.
static bool isBinarySizeOp(StringRef name) {
  return llvm::any_of(sizeOpRows(), [&](const SizeOpRow &row) {
    return row.form == SizeForm::Binary && row.name == name;
  });
}

namespace {
class Simplify : public PassWrapper<Simplify, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Simplify)

  StringRef getName() const override { return "Simplify"; }
  StringRef getArgument() const override { return "tripy-simplify"; }
  StringRef getDescription() const override {
    return "Canonicalizes a program; arithmetic on sizes stays exact";
  }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (!isBinarySizeOp(op.getStringRef()))
        op.getCanonicalizationPatterns(all, context);
    patterns = std::make_shared<FrozenRewritePatternSet>(std::move(all));
    return success();
  }

  void runOnOperation() override {
    // As with MLIR's own: what does not converge is simplified all the same.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal();
    ConstantLocations lines(getOperation());
    (void)applyPatternsGreedily(getOperation(), *patterns, config);
    lines.restore(getOperation());
  }

private:
  std::shared_ptr<FrozenRewritePatternSet> patterns;
};

class Merge : public PassWrapper<Merge, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Merge)

  StringRef getName() const override { return "Merge"; }
  StringRef getArgument() const override { return "tripy-cse"; }
  StringRef getDescription() const override {
    return "Makes equal operations one, which has the lines of all of them";
  }

  void runOnOperation() override {
    MergedLocations lines;
    IRRewriter rewriter(&getContext(), &lines);
    bool changed = false;
    eliminateCommonSubExpressions(rewriter, getAnalysis<DominanceInfo>(),
                                  getOperation(), &changed);
    lines.apply();
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace

std::unique_ptr<Pass> tripy::createSimplifyPass() {
  return std::make_unique<Simplify>();
}

std::unique_ptr<Pass> tripy::createMergePass() {
  return std::make_unique<Merge>();
}

void tripy::registerSimplifyPasses() {
  PassRegistration<Simplify>();
  PassRegistration<Merge>();
}
