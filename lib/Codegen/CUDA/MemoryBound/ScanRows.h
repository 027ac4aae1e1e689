//===- ScanRows.h - Running sums of rows in registers -----------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SCANROWS_H
#define TRIPY_LIB_CODEGEN_CUDA_SCANROWS_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

namespace tripy::codegen {

/// The lanes that have a row in registers.
struct ScanRows {
  int64_t lanes = 32, vectorSize = 1;
  /// Elements of a row, at least and at most.
  int64_t least = 0, most = 0;
  /// Vectors of a lane where rows are whole vectors, and where they begin and
  /// end within some; 0: they are not so.
  int64_t wholePieces = 0, oddPieces = 0;
};

/// None where a row is too short or too long, or cannot be read by vectors.
std::optional<ScanRows> planScanRows(kernel::FuncOp kernel,
                                     const CudaChip &chip);

/// Lengths of rows that are known at run time only after each of which they are
/// planned anew, in order: of those of a thread, where these are expected, of
/// those that blocks go over, and of those in registers.
llvm::SmallVector<int64_t> scanRowLimits(kernel::FuncOp kernel);

/// `rows` is of the kernel.
void emitCUDAScanRows(CUDAKernel &kernel, const ScanRows &rows);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_SCANROWS_H
