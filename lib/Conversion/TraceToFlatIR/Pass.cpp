//===- Pass.cpp - Makes trace programs explicit ---------------------------===//

#include "Lowering.h"

#include "tripy/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tripy {
#define GEN_PASS_DEF_TRACETOFLATIRPASS
#include "tripy/Conversion/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;

TraceLowering::TraceLowering() : state(std::make_unique<State>()) {}
TraceLowering::~TraceLowering() = default;

void TraceLowering::populatePatterns(RewritePatternSet &patterns) {
  PatternAdder adder(patterns, *state);
  addElementwisePatterns(adder);
  addActivationPatterns(adder);
  addComposedPatterns(adder);
  addArrangePatterns(adder);
  addAttentionPatterns(adder);
  addScatterPatterns(adder);
  addCreationPatterns(adder);
  addIndexingPatterns(adder);
  addMovementPatterns(adder);
  addPadPatterns(adder);
  addSlicePatterns(adder);
  addRandomPatterns(adder);
  addReductionPatterns(adder);
  addSortPatterns(adder);
  addContractionPatterns(adder);
  addConvolutionPatterns(adder);
  addPoolPatterns(adder);
  addNormalizationPatterns(adder);
  addResizePatterns(adder);
  addPluginPatterns(adder);
  addQuantizationPatterns(adder);
}

namespace {

struct TraceToFlatIRPass
    : public tripy::impl::TraceToFlatIRPassBase<TraceToFlatIRPass> {
  using TraceToFlatIRPassBase::TraceToFlatIRPassBase;

  void runOnOperation() override {
    foldBatchNorms(getOperation());
    ConversionTarget target(getContext());
    target.addIllegalDialect<trace::TraceDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    TraceLowering lowering;
    RewritePatternSet patterns(&getContext());
    lowering.populatePatterns(patterns);
    // Every pattern matches: there is nothing to undo.
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns), config)))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      guardSizes(function, addFlatIRCondition);
  }
};

} // namespace
