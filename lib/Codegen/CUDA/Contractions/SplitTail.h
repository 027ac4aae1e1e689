//===- SplitTail.h - Tiles that blocks share along K ------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. Tiles seldom fill whole waves of blocks. Those
// that are left are split along K: each of their blocks has a part, and leaves
// its sums in memory. The last block of a tile adds the sums of all in the
// order of K, so that the bits are the same every time, and stores the results.
// None waits for another one.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SPLITTAIL_H
#define TRIPY_LIB_CODEGEN_CUDA_SPLITTAIL_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

namespace tripy::codegen {

/// Parts of a tile at most, and k-blocks that one has at least: sums are not
/// moved for less.
inline constexpr int64_t maxTailParts = 16, leastTailKBlocks = 8;
/// Bytes of all parts of a kernel at most.
inline constexpr int64_t maxTailBytes = 32 << 20;

/// How the tail of each group of a kernel's contractions is split.
struct TailSplit {
  /// Parts of K of a tile of the tail; 1: tails are not split. Blocks of a
  /// wave.
  int64_t parts = 1, wave = 1;
  /// Bytes of memory for a part, of any group of the kernel: groups may have
  /// other sums than others, but their tiles are counted together.
  int64_t partBytes = 0;

  /// Tiles of `tiles` that are left behind whole waves; at most, of any number
  /// up to that.
  int64_t left(int64_t tiles) const { return tiles % wave; }
  int64_t maxLeft(int64_t tiles) const { return std::min(tiles, wave - 1); }
  /// Bytes of the parts of `tiles` tiles, and of their counters; empty where
  /// tails are not split.
  llvm::SmallVector<int64_t> workspace(int64_t tiles) const {
    if (parts == 1)
      return {};
    return {tiles * parts * partBytes, tiles * 4};
  }
  /// Whether a kernel with up to `tiles` in tails may split them so.
  bool isLegal(int64_t tiles) const {
    return parts == 1 ||
           (parts <= maxTailParts && workspace(tiles).front() <= maxTailBytes);
  }
};

/// What a kernel whose schedule is legal needs of memory for its tails; empty
/// where none is split.
llvm::SmallVector<int64_t> tailWorkspace(kernel::FuncOp kernel,
                                         const CudaChip &chip);

/// Tiles of a batch, as `rows` by `columns` of them; saturates.
int64_t countTiles(int64_t batch, int64_t rows, int64_t columns);

/// Static shared memory of kernels with a split tail, in bytes.
inline constexpr int64_t tailSharedBytes = 16;

/// What one block of a group has of the group's tiles.
class TailShare {
public:
  /// Groups in front of this one have `before` tiles in tails.
  TailShare(CUDAKernel &kernel, TailSplit split, Index before)
      : kernel(kernel), e(kernel.e), math(e.math), split(split),
        before(before) {}

  /// Of a group of `tiles`: tiles that are left behind whole waves, and blocks.
  Index left(Index tiles);
  Index blocks(Index tiles);
  mlir::AffineExpr blocks(mlir::AffineExpr tiles);

  /// Makes block `number` of a group of `tiles` this one. Returns its tile.
  Index locate(Index number, Index tiles);
  /// The k-blocks of `all` that this block has: the first one, and the end.
  std::pair<Index, Index> kBlocks(Index all);
  /// Calls `store` once, where this block has all sums of its tile: `sums`, or
  /// those of all parts. `opOf`: the contraction that a sum is of. A block has
  /// `threads`, this one's number is `thread`.
  void finish(llvm::ArrayRef<mlir::Value> sums,
              llvm::function_ref<mlir::linalg::GenericOp(size_t)> opOf,
              int64_t threads, Index thread,
              llvm::function_ref<void(llvm::ArrayRef<mlir::Value>)> store);

private:
  using OpOf = llvm::function_ref<mlir::linalg::GenericOp(size_t)>;
  llvm::SmallVector<mlir::Value> join(llvm::ArrayRef<mlir::Value> sums,
                                      OpOf opOf, int64_t threads, Index thread);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  TailSplit split;
  Index before;
  /// Whether this block has a part of a tile; the part's number, that of its
  /// tile among those of all tails, and how many there are up to the end of
  /// this one.
  mlir::Value isPart;
  Index rank, tile, tiles;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_SPLITTAIL_H
