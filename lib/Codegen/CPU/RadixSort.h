//===- RadixSort.h - Rows sorted digit by digit -----------------*- C++ -*-===//
//
// Private to lib/Codegen/CPU. Sorts the positions of a whole row by the digits
// of their elements' keys, the last digit first. Each pass is stable and goes
// through the row once: rows of n elements take O(n) steps.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CPU_RADIXSORT_H
#define TRIPY_LIB_CODEGEN_CPU_RADIXSORT_H

#include "Codegen/Emit/KernelEmission.h"
#include "Codegen/Emit/SortOrder.h"

namespace tripy::codegen {

class RadixSort {
public:
  /// For rows of at most `capacity` elements.
  RadixSort(KernelEmission &e, const SortOrder &order, int64_t capacity);

  /// Of a worker.
  int64_t scratchBytes() const;
  /// Writes the sorted positions of row `row`, of `columns` elements, to the
  /// kernel's result.
  void emitRow(llvm::ArrayRef<Index> row, Index columns, mlir::Value scratch);

private:
  mlir::Value keyAt(mlir::Value position);
  Index digit(mlir::Value key, int64_t pass);
  void count();
  void accumulate();
  void move(int64_t pass);
  Memory scratchArray(int64_t first, int64_t count);
  /// Whether a pass writes the result, as the last one does.
  bool writesResult(int64_t pass) const { return (passes - pass) % 2 != 0; }

  KernelEmission &e;
  IndexMath &math;
  kernel::SortOp op;
  const SortOrder &order;
  int64_t capacity, bits, passes;
  llvm::SmallVector<Index> row;
  Index columns;
  mlir::Value scratch;
  /// How many elements have each digit, and then where the next one goes, pass
  /// by pass; positions between two passes.
  Memory counts, positions;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CPU_RADIXSORT_H
