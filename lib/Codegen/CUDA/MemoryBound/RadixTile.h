//===- RadixTile.h - Tiles ordered by a digit -------------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. What a block does in a pass of a radix sort: it
// orders a tile of pairs by 8 bits of their keys, and pairs with equal digits
// as they were. A pair is an i64 with 32 bits of a key in its upper half, and a
// position in the lower one.
//
// A warp has neighbouring pairs of the tile, of which its lanes take 32 at a
// time. Those with one digit find each other by votes on its bits, so that a
// lane knows how many of them precede it; how many pairs the warp had of a
// digit before is counted in shared memory. Equal keys take no longer than
// others.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_RADIXTILE_H
#define TRIPY_LIB_CODEGEN_CUDA_RADIXTILE_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

#include "Codegen/Emit/SortOrder.h"

namespace tripy::codegen {

class RadixTile {
public:
  /// Tiles of at least `size` pairs, at most maxBlockSorted.
  RadixTile(CUDAKernel &kernel, int64_t size);

  /// Threads of the block: 256, the first of which have a digit each, or 512.
  int64_t threadsOfBlock() const { return threads; }
  int64_t pairsPerThread() const { return perThread; }
  /// Bytes of dynamic shared memory that have the tile's pairs.
  int64_t scratch() const { return threads * perThread * 8; }
  /// Reserves shared memory: behind setConfig(). Tiles are ordered only where
  /// `hasPairs`, which takes the dynamic part.
  void reserve(bool hasPairs);

  /// The place in the tile of this thread's pair `number`.
  Index placeOf(int64_t number);
  /// 8 bits of the pair's key, as i32: those from `shift` (i32) on.
  mlir::Value digitOf(mlir::Value pair, mlir::Value shift);
  /// An element's `key` (i32 or i64) and its position (i64) as a pair: 32 bits
  /// of the key, the upper ones of 64 where `upper`.
  mlir::Value pairOf(mlir::Value key, mlir::Value position, bool upper);
  /// The position of a pair, as i32.
  mlir::Value positionOf(mlir::Value pair);
  /// What comes behind all pairs of the tile: its key is the largest one.
  mlir::Value behind() { return number(-1, 64); }

  /// The counts of the warp's pairs by their digits are 0.
  void clearCounts();
  /// Counts a pair of `digit`; every lane has one. Returns how many of this
  /// digit the warp had before, those of lower lanes among them, as i32.
  mlir::Value count(mlir::Value digit);
  /// Counts a pair of `digit`, in any order.
  void tally(mlir::Value digit);
  /// Whether a digit is this thread's number, and that number modulo 256.
  mlir::Value hasDigit();
  Index digitOfThread();
  /// How many pairs the block counted of the digit that is this thread's; 0
  /// where it has none. Behind a barrier.
  mlir::Value countOfBlock();
  /// The sum of `own` (i32) over the threads before this one. Has a barrier;
  /// between two calls there must be another.
  mlir::Value sumBefore(mlir::Value own);

  /// Where a tile's pairs of the digit that is this thread's lie in it.
  struct Range {
    mlir::Value start, size;
  };
  /// Orders the tile, of which `pairs` are this thread's: then place `i` of it
  /// is at(i). Begins with shared memory that nothing else reads any more, and
  /// ends with a barrier.
  Range order(llvm::ArrayRef<mlir::Value> pairs, mlir::Value shift);
  mlir::Value at(Index place);
  void put(Index place, mlir::Value pair);

  mlir::Value number(int64_t value, unsigned width = 32);
  mlir::Value asIndex(mlir::Value value);
  template <typename OpTy> mlir::Value make(mlir::Value x, mlir::Value y) {
    return OpTy::create(e.b, e.loc, x, y);
  }

private:
  mlir::Value sameDigit(mlir::Value digit);
  /// Where the count of this thread's digit in a warp is.
  Index countOfThread(int64_t ofWarp);
  void syncWarp();
  Index countOf(mlir::Value digit);

  CUDAKernel &kernel;
  KernelEmission &e;
  int64_t threads, warps, perThread;
  Index thread, lane, warp;
  /// By warps and digits; pairs; sums of warps.
  Memory counts, pairs, sums;
};

/// Counts the digits of chunks of rows, and moves elements to where their
/// digits belong.
void emitCUDADigitCounts(CUDAKernel &kernel, kernel::DigitCountsOp op);
void emitCUDADigitScatter(CUDAKernel &kernel, kernel::DigitScatterOp op);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_RADIXTILE_H
