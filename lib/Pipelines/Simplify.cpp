//===- Simplify.cpp - Canonicalization of programs ------------------------===//
//
// MLIR's canonicalizer without the patterns of integer arithmetic: these move
// constants from one operation to the next modulo 2^64, while sizes are exact,
// and (n + c) - d may have a result where n + (c - d) overflows. Folds of
// single operations are exact where the operation has a result.
//
//===----------------------------------------------------------------------===//

#include "tripy/Pipelines/Pipelines.h"

#include "tripy/Dialect/Common/SizeOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
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
    (void)applyPatternsGreedily(getOperation(), *patterns, config);
  }

private:
  std::shared_ptr<FrozenRewritePatternSet> patterns;
};
} // namespace

std::unique_ptr<Pass> tripy::createSimplifyPass() {
  return std::make_unique<Simplify>();
}

void tripy::registerSimplifyPass() { PassRegistration<Simplify>(); }
