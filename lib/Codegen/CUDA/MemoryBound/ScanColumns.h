//===- ScanColumns.h - Running sums along other dimensions ------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SCANCOLUMNS_H
#define TRIPY_LIB_CODEGEN_CUDA_SCANCOLUMNS_H

#include "PartSums.h"

namespace tripy::codegen {

/// How the blocks of the whole GPU share running sums along a dimension that is
/// not the last, where columns are few. A stripe is some columns that lie side
/// by side; its steps are cut into parts.
struct ScanColumns {
  static constexpr int64_t threads = 512, warps = threads / 32;

  /// Elements of an access, which are columns of a thread.
  int64_t vectorSize = 1;
  /// Steps that a thread loads before it adds them.
  int64_t steps = 1;
  /// Blocks that run at a time.
  int64_t blocks = 1;
  /// Words of 8 bytes for each sum of a part.
  int64_t words = 1;

  int64_t width() const { return 32 * vectorSize; }
  /// Steps that the warps of a block load at once.
  int64_t tile() const { return warps * steps; }
  PartLayout layout() const { return {threads, width(), words, blocks}; }
};

/// None where columns are many, or too few, or short.
std::optional<ScanColumns> planScanColumns(kernel::FuncOp kernel,
                                           const CudaChip &chip);

/// `columns` is of the kernel.
void emitCUDAScanColumns(CUDAKernel &kernel, const ScanColumns &columns);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_SCANCOLUMNS_H
