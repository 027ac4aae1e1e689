//===- FirstPlace.h - Threads of argmax and argmin --------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_FIRSTPLACE_H
#define TRIPY_LIB_CODEGEN_CUDA_FIRSTPLACE_H

#include "RowPlan.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tripy::codegen {

/// The threads of a row whose first extreme element is looked for.
struct FirstPlacePlan {
  /// `threads` of one row, which are a part of a warp, a warp, or all of a
  /// block of one row.
  int64_t threads = 256, rowsPerBlock = 1;
  /// Vectors that a thread loads at once and keeps; 0: it loops over them.
  int64_t held = 0;

  int64_t blockThreads() const { return threads * rowsPerBlock; }
};

/// Whether `reductions`, all of a kernel, are the extremes of the rows of an
/// argument, and the first places of these.
bool findsFirstPlaces(llvm::ArrayRef<mlir::linalg::GenericOp> reductions);

/// None where rows are too short, or where another form is better. `element`:
/// of the rows, in memory.
std::optional<FirstPlacePlan> planFirstPlaces(const RowFacts &facts,
                                              mlir::Type element,
                                              const CudaChip &chip);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_FIRSTPLACE_H
