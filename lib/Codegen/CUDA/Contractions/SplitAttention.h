//===- SplitAttention.h - Few queries and many keys -------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA: how the keys of a head are divided, where its
// queries fit into one warp.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SPLITATTENTION_H
#define TRIPY_LIB_CODEGEN_CUDA_SPLITATTENTION_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

namespace tripy::codegen {

/// What somebody asks for; 0: what the model chooses.
struct AttentionSplitWish {
  int64_t splits = 0, keys = 0, warps = 0, stages = 0;
};
/// Reads "8" or "8,keys=16,warps=4,stages=3", of which the number of splits, 0
/// for the model's, comes first.
std::optional<AttentionSplitWish> parseAttentionSplit(llvm::StringRef text);

/// All queries of the heads that share keys are rows of one tile, or of a few.
/// The keys of a tile are divided into `splits`, one for each block, and there
/// into blocks of `keys`, which the warps take in turn. Each warp has a ring of
/// its own, so that none waits for another.
struct AttentionSplit {
  /// 16 rows each, of a tile.
  int64_t fragments = 1;
  int64_t keys = 16, warps = 4, stages = 3;
  /// Rows of a tile that there are at most, and columns of the value.
  int64_t rows = 1, width = 1;
  /// Tiles, where sizes are static; else -1, and `splits` is the most that
  /// there are: the launch takes as many as `slots` have room for.
  int64_t tiles = -1, splits = 1;
  /// Rows of all tiles of a head of keys; cycles that the model expects, 0
  /// where sizes are not known.
  int64_t allRows = 1;
  double cycles = 0;
  /// Blocks that are resident at a time.
  int64_t slots = 1;
  /// The blocks of a tile are a cluster, the first of which receives the sums
  /// of the others in its shared memory.
  bool joinsInCluster = false;
  /// Bytes of shared memory, `receivedBytes()` last.
  int64_t sharedBytes = 0;

  int64_t tileRows() const { return 16 * fragments; }
  int64_t threads() const { return 32 * warps; }
  bool mayShare() const { return splits > 1; }
  /// Bytes of what the first block of a cluster receives.
  int64_t receivedBytes() const {
    return (splits - 1) * rows * rowFloats() * 4;
  }
  /// Of a row of sums that a block sends; behind them are its maximum and sum
  /// of powers. A multiple of 16 bytes.
  int64_t rowFloats() const { return llvm::alignTo(width, 4) + 4; }
  /// Blocks whose results meet in memory.
  int64_t maxParts() const;
  /// Bytes of the sums of all parts; behind them are maxima and sums of powers.
  int64_t sumBytes() const;
  llvm::SmallVector<int64_t> workspace() const;
};

/// The division for `kernel`, or nothing, where it has no attention with few
/// queries on tensor cores. An illegal wish is an error of `kernel`.
/// chooseSchedule() and emission ask here, the latter with all numbers.
mlir::FailureOr<std::optional<AttentionSplit>>
planSplitAttention(kernel::FuncOp kernel, const CudaChip &chip,
                   const AttentionSplitWish &wish);

/// Cycles of blocks of 64 rows that go through all keys, with mma.sync; nothing
/// where planSplitAttention() has nothing, or sizes are not known.
std::optional<double> cyclesOfMmaAttention(kernel::FuncOp kernel,
                                           const CudaChip &chip);

/// Emits the kernel that `split` was made for.
void emitSplitAttention(CUDAKernel &kernel, const AttentionSplit &split);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_SPLITATTENTION_H
