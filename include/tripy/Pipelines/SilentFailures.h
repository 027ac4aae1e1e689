//===- SilentFailures.h - No failure without a message ----------*- C++ -*-===//
//
// A pass or step that fails has to say why. One that does not is a defect of
// the compiler; what it was and on what it worked is said in its place.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_SILENTFAILURES_H
#define TRIPY_PIPELINES_SILENTFAILURES_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <atomic>

namespace tripy {

/// Sees whether errors are reported while it lives; they are passed on.
class ErrorWatch : public mlir::ScopedDiagnosticHandler {
public:
  explicit ErrorWatch(mlir::MLIRContext *context);
  bool sawError() const { return seen; }

  /// `result`; when it is a failure without an error so far, reports at `loc`
  /// that `step` ("the pass 'x'") failed, on `what`.
  llvm::LogicalResult explain(llvm::LogicalResult result, mlir::Location loc,
                              const llvm::Twine &step,
                              const llvm::Twine &what) const;

private:
  std::atomic<bool> seen = false;
};

/// A pass of `pm` that fails without an error gets one, which names the pass
/// and the operation.
void reportSilentFailures(mlir::PassManager &pm);

} // namespace tripy

#endif // TRIPY_PIPELINES_SILENTFAILURES_H
