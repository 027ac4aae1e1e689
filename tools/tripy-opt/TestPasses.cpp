//===- TestPasses.cpp - Passes that only tests run ------------------------===//

#include "TestPasses.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {
/// Fails without a word on operations with the attribute `test.fails`.
struct FailSilently : PassWrapper<FailSilently, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FailSilently)
  StringRef getArgument() const override { return "test-fail-silently"; }
  StringRef getDescription() const override {
    return "Fails without a message where 'test.fails' is set; for tests";
  }
  void runOnOperation() override {
    if (getOperation()->hasAttr("test.fails"))
      signalPassFailure();
  }
};
} // namespace

void tripy::registerTestPasses() { PassRegistration<FailSilently>(); }
