//===- MmaGemm.h - The emitter of contractions with mma.sync ----*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. EmitCUDAMma.cpp has the loop over K, MmaF32.cpp
// what is special about f32, MmaResults.cpp the epilogue.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_MMAGEMM_H
#define TRIPY_LIB_CODEGEN_CUDA_MMAGEMM_H

#include "Mma.h"

namespace tripy::codegen::mma {

/// What the loop over K carries.
struct State {
  /// Results of this thread, 4 for each instruction: [row][part][column].
  llvm::SmallVector<mlir::Value> sums;
  /// What the warp multiplies next: 4 words for 16 rows of A, 2 for 8 columns
  /// of each part of B.
  llvm::SmallVector<mlir::Value> a, b;
  /// Where copies of the next k-block read.
  llvm::SmallVector<mlir::Value> pointers;
  /// Addresses of stages: the one that is multiplied, and the one before it,
  /// which is filled.
  mlir::Value stage, free;
};

/// Emits the contractions of a group.
class MmaGemm {
public:
  MmaGemm(CUDAKernel &kernel, const ContractionGroup &group,
          const ContractionSpace &space, const Layout &layout, mlir::Value ring,
          Index tailsBefore)
      : kernel(kernel), e(kernel.e), math(e.math), words(e), group(group),
        op(group.ops.front()), space(space), layout(layout),
        schedule(layout.schedule), tile(schedule.tile), ring(ring),
        tail(kernel, schedule.tail, tailsBefore) {}

  /// Emits the work of block `number` of the group.
  void emit(Index number);
  Index numBlocks() { return tail.blocks(numTiles()); }
  mlir::AffineExpr numBlocksExpr();
  /// Tiles that are left behind whole waves.
  Index numTail() { return tail.left(numTiles()); }

private:
  Index numTiles();
  void locate(Index number);
  void prepareCopies();
  bool hasAsyncCopies() {
    return llvm::any_of(copies, [](auto &copy) { return copy.isAsync(); });
  }
  size_t numSums() const {
    return tile.fragmentsM * layout.parts * layout.fragments() * 4;
  }

  llvm::SmallVector<mlir::Value> pack(const State &state);
  State unpack(mlir::ValueRange carried);
  mlir::Value after(mlir::Value stage);
  void startCopies(State &state, Index k, mlir::Value stage);
  llvm::SmallVector<llvm::SmallVector<Elements>> load(State &state, Index k,
                                                      bool mayBeEmpty);
  void store(llvm::ArrayRef<llvm::SmallVector<Elements>> loaded,
             mlir::Value stage);
  void awaitKBlock(int64_t newer);
  llvm::SmallVector<mlir::Value> loadA(mlir::Value stage, int64_t step,
                                       int64_t row);
  llvm::SmallVector<mlir::Value> loadB(mlir::Value stage, int64_t step);
  void multiply(State &state, mlir::Value stage, int64_t step);
  llvm::SmallVector<mlir::Value> initialSums();
  llvm::SmallVector<mlir::Value> firstPointers();
  State start();
  void multiplyKBlock(State &state, Index k);
  llvm::SmallVector<mlir::Value> sumOverK();
  llvm::SmallVector<mlir::Value> addExactly(llvm::ArrayRef<mlir::Value> sums);
  llvm::SmallVector<mlir::Value> sumExactly();
  llvm::SmallVector<mlir::Value>
  exactWhereNotFinite(llvm::ArrayRef<mlir::Value> sums);

  void finish(llvm::ArrayRef<mlir::Value> sums);
  bool readsLikeResult();
  void finishRows(int64_t row, const Memory &staging);
  /// Neighbours of a row of the result, and where their sums are staged.
  struct Run {
    Index atM, atN, stagedRow, stagedColumn;
  };
  Run runAt(int64_t row, Index number);
  llvm::SmallVector<Index> resultAt(Index row, Index column);
  mlir::Value isInside(const Run &run);
  llvm::SmallVector<Index> bindRun(const Run &run, Index atM, Index atN,
                                   const Memory &staging);
  void finishRun(const Run &run, const Memory &staging);
  void finishTogether(llvm::ArrayRef<Run> runs, const Memory &staging);
  int64_t runSize();
  int64_t runsOfRow() {
    return layout.fragments() * fragmentColumns / runSize();
  }
  int64_t stagedFloats() const {
    return layout.parts * layout.fragments() * fragmentColumns + 8;
  }

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  Words words;
  const ContractionGroup &group;
  /// The first of the group: its loops are those of all.
  mlir::linalg::GenericOp op;
  const ContractionSpace &space;
  const Layout &layout;
  const Schedule &schedule;
  const Tile &tile;
  /// Address of the ring, i32.
  mlir::Value ring;

  TailShare tail;
  BlockPlace place;
  /// This thread's warp in the block, and its place there.
  Index warp, warpRow, warpColumn, lane;
  llvm::SmallVector<KBlockCopy, 2> copies;
  llvm::SmallVector<FragmentReader, 2> readers;
};

} // namespace tripy::codegen::mma

#endif // TRIPY_LIB_CODEGEN_CUDA_MMAGEMM_H
