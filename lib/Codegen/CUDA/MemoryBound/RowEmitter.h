//===- RowEmitter.h - Code of one row kernel --------------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. EmitCUDARow.cpp has the passes over a row,
// RowRuns.cpp rows that are read as whole vectors over their ends,
// RowsInShared.cpp rows that another kernel's block computes for itself.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_ROWEMITTER_H
#define TRIPY_LIB_CODEGEN_CUDA_ROWEMITTER_H

#include "Codegen/CUDA/Common/ClusterExchange.h"
#include "RowPlan.h"
#include "StagedRow.h"

#include <map>

namespace tripy::codegen {

/// A vector of a row that begins or ends within others.
struct RowRun {
  /// Number of its first element in the tensors.
  Index first;
  /// Whether some of it is of the row, and whether all of it is; null where
  /// that is so in any case.
  mlir::Value isAny, isWhole;
  /// Of each element: its column, which is 0 outside of the row, and whether it
  /// is inside, or null.
  llvm::SmallVector<Index> columns;
  llvm::SmallVector<mlir::Value> inside;
  /// Where it may pass the end of the tensors: whether it does not, and the
  /// number of its first element, or of the first of all where it does.
  mlir::Value fits;
  Index firstInside;
};

/// Reductions that one pass over the row computes.
using RowPass = llvm::SmallVector<mlir::linalg::GenericOp>;
/// The passes over a row: a reduction is in the first that follows all it waits
/// for.
llvm::SmallVector<RowPass>
passesOf(llvm::ArrayRef<mlir::linalg::GenericOp> reductions);

/// Emits one row kernel.
class RowEmitter {
public:
  explicit RowEmitter(CUDAKernel &kernel)
      : kernel(kernel), e(kernel.e), math(e.math) {}

  void emit();
  /// emitRowsInShared().
  void emitShared(mlir::Value tensor,
                  llvm::ArrayRef<mlir::linalg::GenericOp> ofRows,
                  int64_t threads, const Memory &memory);

private:
  void planShared(int64_t threads, int64_t rows);
  void emitShared(mlir::Value tensor, Index number, const Memory &memory);
  void choose();
  RowFacts facts();
  void setConfig();
  mlir::AffineExpr rowsExpr();
  std::optional<kernel::SizeRange> columnRange();
  void emitRow();
  void emitPasses();
  void reducePasses();
  void emitSharedBlock();
  Index prefetchedFrom();
  void loadShared();
  using Pass = RowPass;
  Elements reduce(const Pass &pass);
  Elements reduceStraight(const Pass &pass, Elements totals);
  /// The columns that loops have, in steps of so many pieces.
  struct Loop {
    Index begin, end;
    int64_t pieces;
  };
  Elements reduceRest(const Pass &pass, const Loop &rest, Elements totals);
  Elements reduceLooping(const Pass &pass, Elements totals);
  mlir::Value combine(mlir::linalg::GenericOp op, mlir::Value value);
  /// Combines the `count` elements from `column` on into `accumulator`.
  mlir::Value accumulate(mlir::linalg::GenericOp op, Index column,
                         mlir::Value accumulator, int64_t count);
  void emitResult(unsigned number);
  void emitStraight(unsigned number);
  void emitLooping(unsigned number);
  mlir::Value storesWhere(mlir::Value inside);
  llvm::SmallVector<Index> position(Index column) {
    llvm::SmallVector<Index> at(row);
    llvm::append_range(at, math.delinearize(column, columnSizes));
    return at;
  }
  /// First column of this thread's piece number `piece`, and where the row's
  /// end may lie before it, whether it is inside.
  std::pair<Index, mlir::Value> pieceAt(int64_t piece);
  void placePieces();
  int64_t unrolled();
  int64_t loopedPieces();
  llvm::SmallVector<Loop> loops();
  llvm::SmallVector<Index> piecesFrom(Index column, const Loop &loop);
  void loadFirst();
  void prefetchFirst();
  RowPiece placePieceOfPart(int64_t piece);

  mlir::Value columnCount();
  int64_t columnFactor();
  bool mayHaveRuns(Index points);
  mlir::Value columnOfRun(Index start, int64_t piece);
  RowRun runAt(int64_t piece);
  void placeRuns();
  void bindRuns();
  void findEnd(RowRun &run);
  Memory flatMemory(mlir::Value argument);
  Elements loadVector(mlir::Value argument, const RowRun &run);
  Elements vectorToEnd(mlir::Value argument, const RowRun &run);
  Elements loadToEnd(mlir::Value argument, const RowRun &run);
  Elements loadByBranch(mlir::Value argument, const RowRun &run);
  bool hasVectors();
  Elements loadOfRun(mlir::Value argument, llvm::ArrayRef<Index> index,
                     int64_t count);
  Elements reduceRuns(const Pass &pass, Elements totals);
  void emitRuns(unsigned number);
  bool mayPassEnd();
  mlir::Value endsBefore(Index row);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  llvm::SmallVector<mlir::linalg::GenericOp> reductions;
  unsigned rowRank = 0;
  RowPlan plan;
  /// Nothing where it is dynamic, and then not fewer than `minColumns`.
  std::optional<int64_t> columns;
  int64_t minColumns = 0;
  llvm::SmallVector<Index> row, rowSizes, columnSizes;
  /// Whether a result has rows, not one element for each.
  bool writesRows = false;
  Index thread;
  /// Where the lanes of a warp may have a row that is none: whether this one's
  /// is one. They take part in the exchanges, and store nothing.
  mlir::Value isRow;
  /// How the blocks of a cluster exchange their partial results.
  std::optional<ClusterExchange> exchange;
  /// pieceAt() of each piece: the same values in all passes, so that elements
  /// are found again.
  llvm::SmallVector<std::pair<Index, mlir::Value>> places;
  /// Where a cluster's row stays in shared memory.
  std::optional<StagedRow> staged;
  /// runAt() of each piece, where the plan has vectors over the ends of rows;
  /// and for the number of an element, which of them.
  llvm::SmallVector<RowRun> runs;
  std::map<const void *, std::pair<size_t, size_t>> runOf;
  /// Whether the vectors of the warp or block end before the tensors do; null
  /// where they do in any case.
  mlir::Value isBeforeEnd;
  /// Elements of runs are loaded as vectors; of vectors that may pass the end
  /// of the tensors, one by one there.
  bool loadsVectors = true, loadsToEnd = false;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_ROWEMITTER_H
