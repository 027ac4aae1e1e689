#include "Above.h"

#include "mlir/IR/PatternMatch.h"
#include "tripy/Dialect/Trace/Trace.h"

// Names of MLIR and of Tripy live beside each other.
using namespace mlir;
using namespace tripy;

#include "Above-dialect-defs.inc"
#define GET_OP_CLASSES
#include "Above-op-defs.inc"

void above::AboveDialect::initialize() { addOperations<SquareOp>(); }

namespace {
struct Lower : PassWrapper<Lower, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Lower)
  StringRef getArgument() const override { return "above-to-trace"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<trace::TraceDialect>();
  }
  void runOnOperation() override {
    getOperation()->walk([](above::SquareOp op) {
      IRRewriter rewriter(op);
      rewriter.replaceOpWithNewOp<trace::MulOp>(op, op.getType(), op.getInput(),
                                                op.getInput());
    });
  }
};
} // namespace

std::unique_ptr<Pass> above::createLowerPass() {
  return std::make_unique<Lower>();
}
