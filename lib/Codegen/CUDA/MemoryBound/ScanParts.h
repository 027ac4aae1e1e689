//===- ScanParts.h - Running sums by blocks that share rows -----*- C++ -*-===//
//
// Private to lib/Codegen/CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SCANPARTS_H
#define TRIPY_LIB_CODEGEN_CUDA_SCANPARTS_H

#include "PartSums.h"

namespace tripy::codegen {

/// How the blocks of the whole GPU share few long rows. A row has `length`
/// steps, the size of the dimension that is summed along, and each step
/// `columns` elements, which lie together.
struct ScanParts {
  static constexpr int64_t threads = 256;

  int64_t columns = 1;
  /// Elements of an access, and neighbouring steps of a thread: whole vectors.
  int64_t vectorSize = 1, steps = 1;
  /// Such groups of steps that a thread has of a tile, spaced by the warp.
  int64_t groups = 1;
  /// Vectors are runs of the tensors in row-major order: rows may have any
  /// length. Else rows are whole vectors.
  bool hasRuns = false;
  /// Blocks that fill the GPU.
  int64_t blocks = 1;
  /// Words of 8 bytes for each sum of a part: 32 bits of it in each.
  int64_t words = 1;

  int64_t tile() const { return threads * steps * groups; }
  /// Steps that divide the places of vectors in the tensors.
  int64_t alignment() const;
  /// Launches of any sizes have twice as many at most.
  PartLayout layout() const { return {threads, columns, words, 2 * blocks}; }
};

/// None where rows are many or short.
std::optional<ScanParts> planScanParts(kernel::FuncOp kernel,
                                       const CudaChip &chip);

/// `parts` is of the kernel.
void emitCUDAScanParts(CUDAKernel &kernel, const ScanParts &parts);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_SCANPARTS_H
