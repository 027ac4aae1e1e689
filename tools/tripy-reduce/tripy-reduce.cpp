//===- tripy-reduce.cpp - Makes a failing program small -------------------===//
//
// mlir-reduce with Tripy's dialects, and with patterns for straight-line
// programs on tensors: a result of the function is dropped, an operation is
// replaced by an operand of its type or by a constant.
//
//===----------------------------------------------------------------------===//
#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Trace/Trace.h"
#include "tripy/Pipelines/InitAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Reducer/Tester.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

using namespace mlir;

/// Whether the module that holds `op` stays interesting with `change` made to
/// it: tried on a copy, because a test reads the whole module.
static bool
staysInteresting(Operation *op, Tester &tester,
                 llvm::function_ref<void(Operation *, RewriterBase &)> change) {
  auto module = op->getParentOfType<ModuleOp>();
  IRMapping mapping;
  OwningOpRef<Operation *> copy = module->clone(mapping);
  IRRewriter rewriter(op->getContext());
  change(mapping.lookup(op), rewriter);
  return tester.isInteresting(cast<ModuleOp>(*copy)).first ==
         Tester::Interestingness::True;
}

//===-- fewer results -----------------------------------------------------===//

static void dropResult(func::ReturnOp op, unsigned number,
                       RewriterBase &rewriter) {
  auto function = cast<func::FuncOp>(op->getParentOp());
  rewriter.modifyOpInPlace(function,
                           [&] { (void)function.eraseResult(number); });
  rewriter.modifyOpInPlace(op, [&] { op->eraseOperand(number); });
}

namespace {
// return %a, %b -> return %b
class DropResult : public OpRewritePattern<func::ReturnOp> {
public:
  DropResult(MLIRContext *context, Tester &tester)
      : OpRewritePattern(context), tester(tester) {}

  LogicalResult matchAndRewrite(func::ReturnOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<func::FuncOp>(op->getParentOp()))
      return failure();
    for (unsigned number = 0; number < op.getNumOperands(); ++number) {
      auto drop = [&](Operation *where, RewriterBase &with) {
        dropResult(cast<func::ReturnOp>(where), number, with);
      };
      if (!staysInteresting(op, tester, drop))
        continue;
      drop(op, rewriter);
      return success();
    }
    return failure();
  }

private:
  Tester &tester;
};

//===-- simpler values ----------------------------------------------------===//

// an operation -> one of its operands, or a constant of its type
class SimplifyValue : public RewritePattern {
public:
  SimplifyValue(MLIRContext *context, StringRef dialect, Tester &tester)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context), dialect(dialect),
        tester(tester) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getName().getDialectNamespace() != dialect ||
        op->getNumResults() != 1)
      return failure();
    for (OpOperand &operand : op->getOpOperands()) {
      if (operand.get().getType() != op->getResult(0).getType())
        continue;
      auto forward = [&](Operation *where, RewriterBase &with) {
        with.replaceOp(where, where->getOperand(operand.getOperandNumber()));
      };
      if (!staysInteresting(op, tester, forward))
        continue;
      forward(op, rewriter);
      return success();
    }
    auto constant = [&](Operation *where, RewriterBase &with) {
      makeConstant(where, with);
    };
    if (!canBeConstant(op) || !staysInteresting(op, tester, constant))
      return failure();
    constant(op, rewriter);
    return success();
  }

private:
  /// Constants have no operands to get rid of.
  static bool canBeConstant(Operation *op) {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    return type && type.hasStaticShape() &&
           type.getElementType().isIntOrFloat() && op->getNumOperands() > 0;
  }

  static void makeConstant(Operation *op, RewriterBase &rewriter) {
    rewriter.setInsertionPoint(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto ones = DenseElementsAttr::get(
        type, rewriter.getOneAttr(type.getElementType()));
    if (isa<tripy::trace::TraceDialect>(op->getDialect()))
      rewriter.replaceOpWithNewOp<tripy::trace::ConstantOp>(op, type, ones);
    else
      rewriter.replaceOpWithNewOp<tripy::flatir::ConstantOp>(op, type, ones);
  }

  StringRef dialect;
  Tester &tester;
};

class TripyReduction : public DialectReductionPatternInterface {
public:
  explicit TripyReduction(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}
  void populateReductionPatternsWithTester(RewritePatternSet &patterns,
                                           Tester &tester) const override {
    patterns.add<SimplifyValue>(patterns.getContext(),
                                getDialect()->getNamespace(), tester);
  }
};

class FunctionReduction : public DialectReductionPatternInterface {
public:
  explicit FunctionReduction(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}
  void populateReductionPatternsWithTester(RewritePatternSet &patterns,
                                           Tester &tester) const override {
    patterns.add<DropResult>(patterns.getContext(), tester);
  }
};
} // namespace

int main(int argc, char **argv) {
  tripy::registerTripyAndUpstreamPasses();
  DialectRegistry registry;
  tripy::registerTripyAndUpstreamDialects(registry);
  registry.addExtension(
      +[](MLIRContext *, tripy::trace::TraceDialect *dialect) {
        dialect->addInterfaces<TripyReduction>();
      });
  registry.addExtension(
      +[](MLIRContext *, tripy::flatir::FlatIRDialect *dialect) {
        dialect->addInterfaces<TripyReduction>();
      });
  registry.addExtension(+[](MLIRContext *, func::FuncDialect *dialect) {
    dialect->addInterfaces<FunctionReduction>();
  });
  MLIRContext context(registry);
  // The pass asks the loaded dialects for patterns before it sees a module.
  context.loadDialect<tripy::trace::TraceDialect, tripy::flatir::FlatIRDialect,
                      func::FuncDialect>();
  return failed(mlirReduceMain(argc, argv, context));
}
