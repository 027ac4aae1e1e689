//===- RunPlaces.h - Where the elements of a run are ------------*- C++ -*-===//
#ifndef TRIPY_LIB_CODEGEN_EMIT_RUNPLACES_H
#define TRIPY_LIB_CODEGEN_EMIT_RUNPLACES_H

#include "ElementEmitter.h"

namespace tripy::codegen {

/// Indices of elements of a run.
struct RunPlaces {
  /// Of each `step`th element. Those of the dimensions that do not change are
  /// the same values.
  llvm::SmallVector<llvm::SmallVector<Index>> at;
  /// Where at most one row ends within the run: whether each of these elements
  /// is behind the end. Their indices but the last one are those of the first
  /// element, or of the last.
  llvm::SmallVector<mlir::Value> isBehind;
  /// There, the first element's indices if the next row had it: the last one is
  /// negative, and the others are those of elements behind the end.
  llvm::SmallVector<Index> next;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_EMIT_RUNPLACES_H
