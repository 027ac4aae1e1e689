//===- Gemv.h - Contractions with few rows ----------------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. A matrix times one to eight vectors: the matrix
// is read once, so that only the bandwidth of memory counts.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_GEMV_H
#define TRIPY_LIB_CODEGEN_CUDA_GEMV_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

#include <optional>

namespace tripy::codegen {

/// How a contraction with few rows is cut. "Rows" are those of the vectors, at
/// most eight in number, "columns" those of the result that the matrix brings:
/// it does not matter which of them the program calls M.
///
/// A block computes all rows of a tile of columns. Its threads are
/// `width` x `groups` x `parts`, the first the fastest. The blocks of a cluster
/// have the same tile and a part of K each.
///   matrix contiguous along K: `width` threads lie along K and add up by
///     shuffles; each has `columnsEach` columns, of which it has `depth`
///     accesses of `vectorSize` elements in flight; each group has its own
///     columns.
///   along the columns: each of `width` threads has `vectorSize` columns, of
///   which
///     it has `depth` rows of K in flight; one group.
/// The `parts` have different k-blocks and meet in shared memory.
struct GemvSchedule {
  /// One contraction, or several with the same loops and the same vectors.
  llvm::SmallVector<mlir::linalg::GenericOp> ops;
  /// Reductions of the rows that the vectors are, such as the mean of a norm,
  /// in order. Each block computes all vectors, and keeps them in shared
  /// memory.
  llvm::SmallVector<mlir::linalg::GenericOp> ofRows;
  /// Which operand is the matrix; the other one is the vectors.
  unsigned matrix = 1;
  llvm::SmallVector<unsigned> batch, rows, columns, k;
  /// Rows that there are at most, at least and by the profile's optimum. Of
  /// those that are not there nothing is stored.
  int64_t rowCount = 1, leastRows = 1, expectedRows = 1;
  bool alongK = true;
  /// Elements of one access to the matrix, 16 bytes where its layout allows.
  int64_t vectorSize = 1;
  int64_t width = 32, groups = 1, parts = 1, columnsEach = 1, depth = 1;
  int64_t blocks = 1;
  /// `depth` of the masked round at the end of K.
  int64_t lastDepth = 1;
  /// Blocks that a multiprocessor must have room for: what limits registers.
  int64_t residentBlocks = 1;

  mlir::Value vectors() const {
    mlir::linalg::GenericOp first = ops.front();
    return first->getOperand(1 - matrix);
  }
  int64_t contractions() const { return ops.size(); }
  int64_t sums() const { return contractions() * rowCount; }
  int64_t threads() const { return width * groups * parts; }
  int64_t tile() const {
    return alongK ? groups * columnsEach : width * vectorSize;
  }
  /// Sums of each contraction in a thread.
  int64_t sumsEach() const {
    return rowCount * (alongK ? columnsEach : vectorSize);
  }
  /// K that the threads of a cluster have in flight, `accesses` each.
  int64_t step(int64_t accesses) const {
    return blocks * parts * accesses * (alongK ? width * vectorSize : 1);
  }
  /// Rows whose sums a block's parts bring to shared memory at a time.
  int64_t rowsAtOnce(mlir::Type number) const {
    if (alongK)
      return rowCount;
    int64_t rowBytes = parts * contractions() * tile() *
                       int64_t(number.getIntOrFloatBitWidth()) / 8;
    return std::clamp<int64_t>(24 * 1024 / rowBytes, 1, rowCount);
  }
  /// Bytes for these sums, for those of a block where a cluster shares K, and
  /// for vectors that a block computes.
  int64_t sharedBytes() const;
  /// The loop that the elements of an access lie along.
  unsigned vectorLoop() const { return alongK ? k.back() : columns.back(); }
};

/// The schedule for `kernel`, or nothing when its contractions have or may
/// have more than eight rows and more than eight columns, or have perhaps none
/// where only a run knows, or run faster on the chip's tensor cores.
std::optional<GemvSchedule> scheduleGemv(kernel::FuncOp kernel,
                                         const CudaChip &chip);

/// What `attribute` says; nothing, and the `rule` that it breaks, where that is
/// illegal.
std::optional<GemvSchedule> readGemvSchedule(kernel::FuncOp kernel,
                                             kernel::GemvScheduleAttr attribute,
                                             const CudaChip &chip,
                                             llvm::StringRef &rule);

/// Emits the kernel that `schedule` was made for, with its wait for the kernels
/// before it.
mlir::LogicalResult emitCUDAGemv(CUDAKernel &kernel,
                                 const GemvSchedule &schedule);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_GEMV_H
