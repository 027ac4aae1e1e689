//===- PartSums.h - What blocks tell those behind them ----------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_PARTSUMS_H
#define TRIPY_LIB_CODEGEN_CUDA_PARTSUMS_H

#include "ScanParts.h"

namespace tripy::codegen {

/// The sums of the parts of rows in memory, under the numbers of their blocks.
/// The blocks of a row have numbers that follow each other.
class PartSums {
public:
  /// `type`: of the sums, 32 or 64 bits.
  PartSums(CUDAKernel &kernel, const ScanParts &plan, mlir::Type type)
      : kernel(kernel), e(kernel.e), math(e.math), plan(plan), type(type) {}

  /// `blocks`: all of the kernel. Behind setConfig().
  void start(Index thread, Index blocks);
  /// How many blocks have started before this one: its number.
  mlir::Value takeNumber();
  /// Leaves the sums of the block `number` for the blocks behind it, one for
  /// each column, which all threads have.
  void publish(mlir::ValueRange sums, Index number);
  /// This thread's share of the sums of the `rank` parts of the row before that
  /// of block `number`, as soon as they are there. All its words are asked for
  /// at once; instead of a part that is none of them, the block's own, which is
  /// there. `parts`: of a row.
  llvm::SmallVector<mlir::Value> await(Index number, Index rank, Index parts);
  /// Behind a barrier behind await(): counts this block.
  void countReader();
  /// The last block that has counted makes the sums zero. All threads of a
  /// block execute it.
  void clear();

private:
  Memory wordsFrom(int64_t byte, mlir::Type word);
  llvm::SmallVector<mlir::Value> toWords(mlir::Value sum);
  mlir::Value fromWords(mlir::ValueRange words);
  mlir::Value isFirstThread() {
    return kernel.compare(mlir::arith::CmpIPredicate::eq, thread,
                          math.constant(0));
  }

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  const ScanParts &plan;
  mlir::Type type;
  Index thread, blocks;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_PARTSUMS_H
