//===- AttentionWarp.h - Attention in the registers of a warp ---*- C++ -*-===//
//
// Private to lib/Codegen/CUDA: what a warp does with rows of queries and a
// block of keys and values in shared memory, with mma.sync. Scores, sums and
// the running maximum and sum stay in registers: what an instruction gives as
// results, two neighbours in a row, is what the next one takes as 16-bit
// factors. MmaAttention.cpp gives each warp of a block its own rows,
// SplitAttention.cpp its own keys.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_ATTENTIONWARP_H
#define TRIPY_LIB_CODEGEN_CUDA_ATTENTIONWARP_H

#include "AttentionPanel.h"

#include "Codegen/Emit/AttentionSpace.h"

namespace tripy::codegen::mma {

class AttentionWarp {
public:
  /// `fragments`: 16 rows each, of the warp. `keys`: in shared memory at a
  /// time.
  AttentionWarp(CUDAKernel &kernel, AttentionSpace &space,
                ElementType elementType, int64_t fragments, int64_t keys);

  /// What the loop over keys carries. `totals` are of the thread's scores.
  struct State {
    llvm::SmallVector<mlir::Value> maxima, totals;
    /// 4 of each 16 x 8 results: [fragment][column / 8].
    llvm::SmallVector<mlir::Value> sums;
  };
  State start();
  llvm::SmallVector<mlir::Value> pack(const State &state) const;
  State unpack(mlir::ValueRange all) const;

  /// Rows of the warp. Rows of a thread: lane / 4, and 8 behind, of each
  /// fragment.
  int64_t warpRows() const { return fragments * fragmentRows; }
  int64_t ownRows() const { return 2 * fragments; }
  /// A block of keys and its values in shared memory.
  int64_t stageBytes() const {
    return keys * (depth.lineBytes + width.lineBytes);
  }
  /// Of a row of sums in shared memory: more than there are, so that rows begin
  /// in different banks.
  int64_t stagedFloats() const { return width.read + 8; }

  /// The warp has the rows of `ofBlock` from `row` on, in the lines of queries
  /// at `address`.
  void locate(const AttentionSpace::Block &ofBlock, mlir::Value address,
              Index row);
  /// Starts the copies of `count` rows of queries of the block, by all of its
  /// `threads` threads.
  void startQuery(int64_t count, int64_t threads);
  /// Starts the copies of the keys and values from `first` on, but before
  /// `end`, to `stage`, by `threads` threads of which this one is number
  /// `thread`. They end a group of copies, but for Copied::Steady.
  void startKeys(mlir::Value stage, Index first, Index end, Index thread,
                 int64_t threads, Copied which = Copied::All);
  /// Whether Copied::Steady copies anything of the keys from `first` on.
  bool hasSteadyKeys(Index first);
  /// Multiplies the rows with the keys from `first` on, which are at `stage`,
  /// and what becomes of the scores with the values. `areOfAll`: all rows see
  /// the keys, as far as the mask does not hide them.
  void take(State &state, mlir::Value stage, Index first, bool areOfAll);
  /// The sum of each of the thread's rows over all of the warp's keys.
  llvm::SmallVector<mlir::Value> rowTotals(const State &state);
  /// The row of a thread's number `i` of all that it has of `columns` columns.
  int64_t rowOf(size_t i, int64_t columns) const {
    int64_t ofFragment = columns / fragmentColumns * 4;
    int64_t number = static_cast<int64_t>(i);
    return number / ofFragment * 2 + number % 4 / 2;
  }

  /// What powers are relative to in a row of which `max` is the largest score.
  struct Reference {
    mlir::Value value, scale;
  };
  Reference referenceOf(mlir::Value max);
  /// What sums are multiplied with that are relative to `max` and are to be so
  /// to `reference`.
  mlir::Value rescale(mlir::Value max, const Reference &reference) {
    return powerOf(max, reference, /*isMaximum=*/true);
  }

  AttentionSpace &space;
  int64_t fragments, keys;
  Panel depth, width;

private:
  Index constant(int64_t value) { return math.constant(value); }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return mlir::arith::AddFOp::create(e.b, e.loc, a, b);
  }
  llvm::SmallVector<mlir::Value> multiplyScores(mlir::Value stage);
  void takeScores(Index first, bool areOfAll,
                  llvm::MutableArrayRef<mlir::Value> scores);
  void takePowers(State &state, llvm::MutableArrayRef<mlir::Value> scores);
  mlir::Value factorOf(mlir::Value max);
  mlir::Value powerOf(mlir::Value score, const Reference &reference,
                      bool isMaximum);
  mlir::Value packPair(mlir::Value low, mlir::Value high);
  void addValues(State &state, mlir::Value stage,
                 llvm::ArrayRef<mlir::Value> powers);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  Words words;
  ElementType elementType;
  ExponentScale exponents;
  Lines queryLines, valueLines;
  mlir::Value query;
  AttentionSpace::Block block;
  Index lane;
  llvm::SmallVector<AttentionSpace::Row, 4> rows;
  llvm::SmallVector<FragmentReader, 3> readers;
};

} // namespace tripy::codegen::mma

#endif // TRIPY_LIB_CODEGEN_CUDA_ATTENTIONWARP_H
