//===- Provenance.h - Checks that operations say why they exist -*- C++ -*-===//
//
// After each pass, as an instrumentation (tripy-opt --verify-provenance), or
// between any two moments. Tools and the compiler use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_PROVENANCE_H
#define TRIPY_PIPELINES_PROVENANCE_H

#include "mlir/IR/Location.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <atomic>

namespace tripy {

/// The locations of a program at one moment.
class ProvenanceSnapshot {
public:
  explicit ProvenanceSnapshot(mlir::Operation *root);

  /// Checks what `step`, a pass or a level, made of the program:
  ///
  /// - operations of trace, flatir and kernel, and all operations within
  ///   kernels, have a location that leads to a user's line; terminators, and
  ///   constants, which folding merges, need none;
  /// - no location names a line that was in no location before; that of a call
  ///   may name two that were;
  /// - an operation of flatir whose location is new says why;
  /// - no more operations of flatir carry a user operation's own location than
  ///   there were results to compute: all others were inserted, and say why.
  ///
  /// Reports the first breach as an error. Without `needsLocations` operations
  /// may have none: what the user left out no step can know.
  mlir::LogicalResult verify(mlir::Operation *root, llvm::StringRef step,
                             bool needsLocations = true) const;

  /// Whether each operation and argument had a location.
  bool isComplete() const { return complete; }

private:
  using Counts = llvm::DenseMap<mlir::Location, int64_t>;
  bool add(mlir::Location location);
  bool isKnown(mlir::Location location) const;
  bool isInlined(mlir::Location user) const;
  mlir::LogicalResult checkLocation(mlir::Operation *op,
                                    llvm::StringRef step) const;
  mlir::LogicalResult checkReason(mlir::Operation *op, Counts &own,
                                  llvm::StringRef step) const;

  /// All locations, and whether each leads to a user's line. Many operations
  /// share one, and finding the lines of a fused one takes long.
  llvm::DenseMap<mlir::Location, bool> locations;
  /// What no lowering made of them.
  llvm::DenseSet<mlir::Location> users;
  /// How many results operations of each location have.
  Counts results;
  bool complete = true;
};

/// Checks after each pass of `pm`. Breaches are errors; `broken` becomes true,
/// and must live as long as `pm`.
void verifyProvenance(mlir::PassManager &pm, std::atomic<bool> &broken);

} // namespace tripy

#endif // TRIPY_PIPELINES_PROVENANCE_H
