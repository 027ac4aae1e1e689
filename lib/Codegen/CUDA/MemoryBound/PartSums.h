//===- PartSums.h - What blocks tell those behind them ----------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_PARTSUMS_H
#define TRIPY_LIB_CODEGEN_CUDA_PARTSUMS_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

namespace tripy::codegen {

/// What the parts of rows have in memory, a block for each part.
struct PartLayout {
  /// Of a block, and sums of a part.
  int64_t threads = 256, sums = 1;
  /// Words of 8 bytes for each sum: 32 bits of it in each.
  int64_t words = 1;
  /// Parts that a launch has at most, where rows have several.
  int64_t maxParts = 1;

  int64_t wordsOfPart() const { return sums * words; }
  /// Where the readers of rows are counted, of which each has two parts.
  int64_t readers() const { return 16 + maxParts * wordsOfPart() * 8; }
  /// A counter of blocks, the sums of all parts, and a counter for each row,
  /// which are zero between launches.
  llvm::SmallVector<int64_t> workspace() const {
    return {16, readers() + maxParts * 2};
  }
};

/// The sums of the parts of rows in memory, under the numbers of their blocks.
/// The blocks of a row have numbers that follow each other.
class PartSums {
public:
  /// `type`: of the sums, 32 or 64 bits.
  PartSums(CUDAKernel &kernel, const PartLayout &layout, mlir::Type type)
      : kernel(kernel), e(kernel.e), math(e.math), layout(layout), type(type) {}

  /// `blocks`: all of the kernel. Behind setConfig().
  void start(Index thread, Index blocks);
  /// How many blocks have started before this one: its number.
  mlir::Value takeNumber();
  /// The same where `isShared` holds; elsewhere the number that it has.
  Index takeNumber(mlir::Value isShared);
  /// Leaves the sums of the block `number` for the blocks behind it, one for
  /// each column, which all threads have.
  void publish(mlir::ValueRange sums, Index number);
  /// The same by the first threads, which have one sum each.
  void publishOwn(mlir::Value sum, Index number);
  /// This thread's share of the sums of the `rank` parts of the row before that
  /// of block `number`, as soon as they are there. All its words are asked for
  /// at once; instead of a part that is none of them, the block's own, which is
  /// there. `parts`: of a row.
  llvm::SmallVector<mlir::Value> await(Index number, Index rank, Index parts);
  /// The same where the threads share the columns: of column `thread % sums`,
  /// the sum of every `threads / sums`-th part from part `thread / sums` on.
  mlir::Value awaitColumn(Index number, Index rank, Index parts);
  /// Behind a barrier behind await(): counts this block.
  void countReader(Index row, Index parts);
  /// The last block of the row that has counted makes its sums zero. All
  /// threads of a block execute it.
  void clear(Index row, Index parts);

private:
  Memory wordsFrom(int64_t byte, mlir::Type word);
  llvm::SmallVector<mlir::Value> toWords(mlir::Value sum);
  mlir::Value fromWords(mlir::ValueRange words);
  void store(mlir::Value sum, Index firstWord);
  /// What is at `pointers`, as soon as all of it is there.
  mlir::ValueRange poll(mlir::ValueRange pointers);
  mlir::Value counterOf(Index row);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value isFirstThread() {
    return kernel.compare(mlir::arith::CmpIPredicate::eq, thread,
                          math.constant(0));
  }

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  const PartLayout layout;
  mlir::Type type;
  Index thread, blocks;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_PARTSUMS_H
