//===- ScanTiles.h - Running sums of rows that share vectors ----*- C++ -*-===//
//
// Private to lib/Codegen/CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SCANTILES_H
#define TRIPY_LIB_CODEGEN_CUDA_SCANTILES_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

namespace tripy::codegen {

/// How blocks share running sums of rows that begin anywhere: each has whole
/// rows, which it goes over by tiles.
struct ScanTiles {
  int64_t threads = 256;
  /// Elements of a vector, and vectors of a thread.
  int64_t vectorSize = 1, vectors = 1;
  /// Threads that a multiprocessor has registers for.
  int64_t residentThreads = 1024;
  /// Elements of the first vector that may be in front of a block's rows.
  int64_t maxLead = 0;

  /// Elements of a row at most.
  int64_t longest = 0;
  /// Whether a block has one row alone.
  bool hasOneRow = false;

  int64_t tile() const { return threads * vectors * vectorSize; }
  /// Elements of rows that a tile has room for, wherever they begin.
  int64_t room() const { return tile() - maxLead; }
  /// Rows from which on blocks have multiples of `vectorSize`, so that none
  /// begins within a vector.
  int64_t unit() const { return 8 * vectorSize; }
  /// Rows of a block where each has `columns` elements.
  int64_t rowsOf(int64_t columns) const;
};

/// None where rows are whole vectors, or where nothing is known of their sizes.
std::optional<ScanTiles> planScanTiles(kernel::FuncOp kernel,
                                       const CudaChip &chip);

/// `tiles` is of the kernel.
void emitCUDAScanTiles(CUDAKernel &kernel, const ScanTiles &tiles);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_SCANTILES_H
