//===- Remarks.h - Decisions of the fusion pass, reported -------*- C++ -*-===//
//
// Remarks of category "fusion". Internal to the fusion pass.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_FUSION_REMARKS_H
#define TRIPY_CODEGEN_FUSION_REMARKS_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/Twine.h"

namespace tripy::fusion {

class FusionGraph;

/// Reports, at the user's line, something that was done.
void remarkTaken(mlir::Location loc, llvm::StringRef function,
                 const llvm::Twine &text);
/// Reports a step that was not taken on the way, as analysis: what it means for
/// the plan is what remarkNotFused() reports as missed.
void remarkNotTaken(mlir::Location loc, llvm::StringRef function,
                    const llvm::Twine &text);
/// Reports each two kernels of a finished plan of which one reads the other, or
/// that might have shared what they read: why they are two, and what that
/// costs.
void remarkNotFused(const FusionGraph &graph);

} // namespace tripy::fusion

#endif // TRIPY_CODEGEN_FUSION_REMARKS_H
