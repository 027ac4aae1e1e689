//===- RowRing.h - Rows that are fetched ahead into shared memory -*- C++
//-*-===//
//
// Private to lib/Codegen/CUDA. A cluster of blocks that stays takes row after
// row; each block's part of the next rows is copied to its shared memory by
// bulk copies while the block works on the current row.
//
// The ring has `stages` slots. The copy to a slot is announced to the slot's
// mbarrier, for which all threads wait. They take the slot's elements to
// registers in the first reduction, so that the barrier in it frees the slot
// for the row `stages` further on.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_ROWRING_H
#define TRIPY_LIB_CODEGEN_CUDA_ROWRING_H

#include "EmitCUDA.h"

namespace tripy::codegen {

/// The rows of one kernel, and their `blocks` blocks for each row.
struct RowShape {
  llvm::SmallVector<Index> rowSizes, columnSizes;
  int64_t columns, blocks;
};

/// Clusters that stay, and the rows that they take.
///
/// All clusters that fit on the GPU at once should work till the end, but how
/// many fit is not known here: a cluster of 8 blocks, two of them for each
/// processor, lies in one part of the GPU of 14 to 18 processors, so that 28 to
/// 32 clusters fit on 132. Therefore `staying` clusters take a share of the
/// rows each, which leaves a fifteenth of the rows, and those are taken one by
/// one by clusters of their own: by those that fit beside the others from the
/// start, and then by all.
struct RowShares {
  static constexpr int64_t staying = 28, parts = 30;
  /// Rows of a cluster that stays, and the number of such clusters: none where
  /// the share is 0. Expressions of the kernel's index arguments.
  static mlir::AffineExpr clusters(mlir::AffineExpr rows);
};

class RowRing {
public:
  /// Null where no tensor that `first`, the kernel's first reduction, reads is
  /// a plain tensor of the rows whose parts bulk copies can take, where the
  /// ring does not fit, and where the rows are too few for clusters to stay.
  static std::optional<RowRing> plan(CUDAKernel &kernel,
                                     mlir::linalg::GenericOp first,
                                     const RowShape &shape);

  int64_t bytes() const { return stages * slotBytes; }
  /// Columns of a block, and of the last block of the cluster.
  int64_t part() const { return columnsOfPart; }
  int64_t lastPart() const {
    return shape.columns - (shape.blocks - 1) * columnsOfPart;
  }
  /// First column of this block, and their number.
  Index partBegin() const { return begin; }
  Index partSize() const { return size; }

  /// Makes the mbarriers. `rank`: of this block in its cluster.
  void start(Index rank);
  /// Requests the first rows of cluster number `cluster`.
  void requestFirst(Index cluster);
  /// Calls `body` for the cluster's rows in order, each when it has arrived;
  /// `turn` counts them.
  void forEachRow(llvm::function_ref<void(Index row, Index turn)> body);
  /// Between take() and free(), the elements of row `row` that the kernel's
  /// code asks for come from the slot. Others, and what is asked for later,
  /// come from memory as ever.
  void take(llvm::ArrayRef<Index> row);
  /// Behind a barrier of the block: requests the row that follows in the slot.
  void free();

private:
  struct Staged {
    mlir::Value tensor;
    int64_t elementBytes;
    /// Of its part in a slot, bytes.
    int64_t offset;
  };

  RowRing(CUDAKernel &kernel, const RowShape &shape)
      : kernel(&kernel), shape(shape) {}
  bool isRow(mlir::Value argument);
  void chooseStages();
  mlir::Value barrierOf(Index slot);
  mlir::Value slotOf(Index slot, const Staged &staged);
  void request(Index row, Index slot);
  void bind(const Staged &staged);
  void hideOthers();
  mlir::Value i32(Index index);

  CUDAKernel *kernel;
  RowShape shape;
  llvm::SmallVector<Staged> tensors;
  int64_t columnsOfPart = 0, slotBytes = 0, stages = 0;
  mlir::Value base;
  Memory barriers;
  Index begin, size, turn, row, firstRow, end;
  llvm::SmallVector<Index> at;
  bool isTaking = false;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_ROWRING_H
