//===- RegisterBlock.h - Products in vector registers -----------*- C++ -*-===//
//
// Private to lib/Codegen/CPU: what contractions and attention multiply with.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CPU_REGISTERBLOCK_H
#define TRIPY_LIB_CODEGEN_CPU_REGISTERBLOCK_H

#include "Codegen/Emit/KernelEmission.h"

namespace tripy::codegen {

/// `rows` x `vectors` sums, which stay in registers over all of K.
struct RegisterBlock {
  KernelEmission &e;
  mlir::VectorType type;
  int64_t rows, vectors;

  int64_t width() const { return type.getNumElements(); }
  int64_t columns() const { return vectors * width(); }

  /// The vector at element `offset` of an array of scratch.
  mlir::Value load(const Memory &array, Index offset) const;
  void store(const Memory &array, Index offset, mlir::Value vector) const;
  /// `number` in all elements.
  mlir::Value broadcast(mlir::Value number) const;

  using Left = llvm::function_ref<mlir::Value(Index k, int64_t row)>;
  using Right = llvm::function_ref<mlir::Value(Index k, int64_t vector)>;
  /// sums[row * vectors + vector] plus the products over k < `count` of numbers
  /// on the left and vectors on the right.
  llvm::SmallVector<mlir::Value> multiply(Index count, mlir::ValueRange sums,
                                          Left left, Right right) const;

private:
  mlir::Value address(const Memory &array, Index offset) const;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CPU_REGISTERBLOCK_H
