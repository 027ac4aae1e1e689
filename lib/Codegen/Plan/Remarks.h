//===- Remarks.h - Decisions of the fusion planner, reported ----*- C++ -*-===//
//
// Remarks of category "fusion". Internal to the planner.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_PLAN_REMARKS_H
#define TRIPY_CODEGEN_PLAN_REMARKS_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/Twine.h"

namespace tripy::fusion {

/// Reports, at the user's line, something that was done.
void remarkTaken(mlir::Location loc, llvm::StringRef function,
                 const llvm::Twine &text);
/// Reports something that could have been done.
void remarkNotTaken(mlir::Location loc, llvm::StringRef function,
                    const llvm::Twine &text);

} // namespace tripy::fusion

#endif // TRIPY_CODEGEN_PLAN_REMARKS_H
