//===- SimtEmitter.h - Emission of a contraction on CUDA cores --*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. EmitCUDAGemm.cpp has blocks, threads and the
// loop over K, SimtShares.cpp how blocks that share a tile add their sums.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SIMTEMITTER_H
#define TRIPY_LIB_CODEGEN_CUDA_SIMTEMITTER_H

#include "SimtGemm.h"

namespace tripy::codegen::simt {

/// What the loop over K carries.
struct State {
  /// Results of this thread: [contraction][run][column].
  llvm::SmallVector<mlir::Value> sums;
  /// What the thread multiplies next: quads of A, then of B of each
  /// contraction.
  llvm::SmallVector<mlir::Value> fragments;
  /// Where copies of the next k-block read.
  llvm::SmallVector<mlir::Value> pointers;
  /// Starts of stages: the one that is multiplied, and the one before it, which
  /// is filled.
  Index stage, free;
};

/// Emits the contractions of a group.
class SimtGemm {
public:
  SimtGemm(CUDAKernel &kernel, const ContractionGroup &group,
           ContractionSpace space, const Schedule &schedule, const Memory &ring,
           Index tailsBefore)
      : kernel(kernel), e(kernel.e), math(e.math), group(group),
        op(group.ops.front()), space(std::move(space)), schedule(schedule),
        tile(schedule.tile), ring(ring), number(ring.elementType),
        tail(kernel, schedule.tail, tailsBefore) {}

  /// Emits the work of block `number` of the group.
  void emit(Index number);
  Index numBlocks();
  /// Tiles that are left behind whole waves.
  Index numTail() { return tail.left(numTiles()); }
  mlir::AffineExpr numBlocksExpr();

private:
  void locate(Index number);
  Index numTiles();
  void prepareCopies();
  bool hasAsyncCopies() {
    return llvm::any_of(copies, [](auto &copy) { return copy.isAsync(); });
  }

  llvm::SmallVector<mlir::Value> pack(const State &state);
  State unpack(mlir::ValueRange carried);
  Index after(Index stage);
  void startCopies(const State &state, Index k, Index stage, int64_t step,
                   int64_t steps);
  void commitCopies();
  void awaitKBlock(int64_t newer);
  llvm::SmallVector<mlir::Value> loadFragments(Index stage, int64_t depth);
  void multiply(State &state);
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  State start();
  void multiplyKBlock(State &state, Index k);

  void finish(llvm::ArrayRef<mlir::Value> sums);
  void store(llvm::ArrayRef<mlir::Value> sums);
  void finishShare(llvm::ArrayRef<mlir::Value> sums);
  Index partialAt(int64_t pair, Index run);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  const ContractionGroup &group;
  /// The first of the group: its loops are those of all.
  mlir::linalg::GenericOp op;
  ContractionSpace space;
  const Schedule &schedule;
  const Tile &tile;
  Memory ring;
  mlir::Type number;

  BlockPlace place;
  /// This block's number among those that share its tile.
  Index rank;
  TailShare tail;
  /// The thread's first row and column in the tile.
  Index row, column;
  llvm::SmallVector<KBlockCopy, 2> copies;
};

} // namespace tripy::codegen::simt

#endif // TRIPY_LIB_CODEGEN_CUDA_SIMTEMITTER_H
