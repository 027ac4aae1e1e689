//===- Progress.cpp - How far a compilation is ----------------------------===//

#include "Progress.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLForwardCompat.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::frontend;

/// Each level has a pass manager of its own.
static constexpr size_t allLevels =
    llvm::to_underlying(Level::Plan) - llvm::to_underlying(Level::Trace);

namespace {

/// Stands before the passes of a level: a pass manager ends at a failure alone.
class StopIfCancelled
    : public PassWrapper<StopIfCancelled, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StopIfCancelled)
  explicit StopIfCancelled(const ProgressReporter &progress)
      : progress(&progress) {}
  void runOnOperation() override {
    if (!progress->isCancelled())
      return;
    getOperation().emitError("cancelled");
    signalPassFailure();
  }

private:
  const ProgressReporter *progress;
};

} // namespace

void ProgressReporter::report(llvm::StringRef stage, size_t done,
                              size_t total) {
  if (!cancelled && callback && !callback(stage, done, total))
    cancelled = true;
}

void ProgressReporter::watch(CompileOptions &options) {
  options.configure = [this](PassManager &passes) {
    report("passes", levels++, allLevels);
    passes.addPass(std::make_unique<StopIfCancelled>(*this));
  };
  codeWatch.progress = [this](llvm::StringRef stage, size_t done,
                              size_t total) {
    finish();
    report(stage, done, total);
  };
  codeWatch.isCancelled = [this] { return isCancelled(); };
  options.watch = &codeWatch;
}

/// Passes end where code begins; a program without kernels has no code.
void ProgressReporter::finish() {
  if (levels != allLevels)
    return;
  ++levels;
  report("passes", allLevels, allLevels);
}
