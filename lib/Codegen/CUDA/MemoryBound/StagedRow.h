//===- StagedRow.h - A long row in shared memory ----------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. A cluster of blocks has one row. Each block's
// part of it comes to shared memory by bulk copies that complete on an
// mbarrier, and every pass over the row reads it from there.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_STAGEDROW_H
#define TRIPY_LIB_CODEGEN_CUDA_STAGEDROW_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

namespace tripy::codegen {

/// The rows of one kernel, and their `blocks` blocks for each row.
struct RowShape {
  llvm::SmallVector<Index> rowSizes, columnSizes;
  int64_t columns, blocks;
};

/// Where the kernel's code reads elements: their indices in the tensors of the
/// rows, and their first column in the block's part.
struct RowPiece {
  llvm::SmallVector<Index> at;
  Index local;
};

class StagedRow {
public:
  /// Null where no tensor that `first`, the kernel's first reduction, reads is
  /// a plain tensor of the rows whose parts bulk copies can take, and where the
  /// parts do not fit.
  static std::optional<StagedRow> schedule(CUDAKernel &kernel,
                                           mlir::linalg::GenericOp first,
                                           const RowShape &shape);

  /// Shared memory of a block.
  int64_t bytes() const { return partBytes; }
  /// Blocks that live on a multiprocessor, of which there are `atOnce`, or, for
  /// 0, as many as there is room for.
  int64_t residentBlocks(int64_t atOnce) const;
  /// Columns of a block, and of the last block of the cluster.
  int64_t part() const { return columnsOfPart; }
  int64_t lastPart() const {
    return shape.columns - (shape.blocks - 1) * columnsOfPart;
  }
  /// First column of this block, and their number.
  Index partBegin() const { return begin; }
  Index partSize() const { return size; }

  /// Finds the part of row number `row` that belongs to the block `rank` of the
  /// cluster; the mbarrier is made.
  void locate(Index row, Index rank);
  /// Brings the part to the L2 cache: for CUDAKernel::await().
  void prefetch();
  /// Requests the part.
  void request();
  /// Waits for it. From here on elements at `pieces` come from shared memory,
  /// all others from device memory as ever.
  void await(llvm::ArrayRef<RowPiece> pieces);

private:
  struct Staged {
    mlir::Value tensor;
    int64_t elementBytes;
    /// Of its part in shared memory, bytes.
    int64_t offset;
  };

  StagedRow(CUDAKernel &kernel, const RowShape &shape)
      : kernel(&kernel), shape(shape) {}
  bool isRow(mlir::Value argument);
  mlir::Value placeOf(const Staged &staged);
  /// Address and bytes of the part in device memory.
  std::pair<mlir::Value, mlir::Value> sourceOf(const Staged &staged);
  void copy(const Staged &staged);
  void bind(const Staged &staged, llvm::ArrayRef<RowPiece> pieces);
  mlir::Value i32(Index index);

  CUDAKernel *kernel;
  RowShape shape;
  llvm::SmallVector<Staged> tensors;
  int64_t columnsOfPart = 0, partBytes = 0;
  mlir::Value base, isFirst;
  Memory arrived;
  Index row, begin, size;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_STAGEDROW_H
