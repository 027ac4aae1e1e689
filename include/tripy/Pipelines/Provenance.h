//===- Provenance.h - Checks that operations say why they exist -*- C++ -*-===//
//
// --verify-provenance: an instrumentation of passes. Tools and the compiler use
// it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_PROVENANCE_H
#define TRIPY_PIPELINES_PROVENANCE_H

#include "mlir/Pass/PassManager.h"

#include <atomic>

namespace tripy {

/// Checks, after each pass of `pm`:
///
/// - operations of trace, flatir and kernel, and all operations within kernels,
///   have a location that leads to a user's line; terminators, and constants,
///   which folding merges, need none;
/// - no location names a line that was in no location before the pass;
/// - an operation of flatir whose location is new says why;
/// - no more operations of flatir carry a user operation's own location than
///   there were results to compute: all others were inserted, and say why.
///
/// Breaches are errors; `broken` becomes true, and must live as long as `pm`.
void verifyProvenance(mlir::PassManager &pm, std::atomic<bool> &broken);

} // namespace tripy

#endif // TRIPY_PIPELINES_PROVENANCE_H
