//===- BlockSort.h - Sorts of a block's threads -----------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. What sorts and selections share: keys and
// positions in shared memory, and the bitonic network that sorts them.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_BLOCKSORT_H
#define TRIPY_LIB_CODEGEN_CUDA_BLOCKSORT_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

#include "Codegen/Emit/SortOrder.h"
#include "tripy/Dialect/Common/TensorTypes.h"

namespace tripy::codegen {

/// A position (i32) and the key of the element there.
struct Ranked {
  mlir::Value key, position;
};

class BlockSort {
public:
  explicit BlockSort(CUDAKernel &kernel);

  /// The smallest power of two that is not less than `size`, which is at least
  /// 1; at least 2.
  static int64_t powerOfTwo(int64_t size);

  /// Reserves shared memory for `items` keys and positions.
  void reserve(int64_t items);
  /// The element of `row` at `position`.
  Ranked ranked(llvm::ArrayRef<Index> row, mlir::Value position);
  /// What comes behind every element.
  Ranked behind();
  void put(Index slot, Ranked item);
  mlir::Value positionAt(Index slot);
  /// Sorts each run of 2^log of `items` reserved items. Begins and ends with a
  /// barrier.
  void sortRuns(Index items, Index log);
  /// The last steps of a merge: each run of 2^log items is bitonic.
  void mergeRuns(Index items, Index log);
  /// `body` for each of `count` pairs of items that a step compares, shared
  /// among the threads.
  void forPairs(Index count, llvm::function_ref<void(mlir::Value)> body);
  /// Pair number `pair` of the first step of a merge to runs of 2^log items,
  /// and of one whose items are 2^log apart.
  std::pair<mlir::Value, mlir::Value> mirrored(mlir::Value pair,
                                               mlir::Value log);
  std::pair<mlir::Value, mlir::Value> apart(mlir::Value pair, mlir::Value log);

  mlir::Value indexValue(int64_t value) {
    return e.math.value(e.math.constant(value));
  }
  mlir::Value asPosition(mlir::Value index);
  mlir::Value asIndex(mlir::Value position);

  CUDAKernel &kernel;
  KernelEmission &e;
  kernel::SortOp op;
  SortOrder order;
  int64_t threads = 0;
  Index thread;

private:
  void exchange(std::pair<mlir::Value, mlir::Value> pair);

  Memory keys, positions;
};

/// Selects the first positions of each row: one block for a row.
void emitCUDASelect(CUDAKernel &kernel, int64_t count);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_BLOCKSORT_H
