//===- ResultShape.h - Sizes of results from operands -----------*- C++ -*-===//
//
// What the `shape` of an operation's definition is made of. Each function gives
// one size for each dimension: an index attribute where the type of the operand
// says it, else a value, a tensor.dim of the operand or a sum of such.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_DIALECT_FLATIR_RESULTSHAPE_H
#define TRIPY_LIB_DIALECT_FLATIR_RESULTSHAPE_H

#include "tripy/Dialect/FlatIR/FlatIR.h"

namespace tripy::flatir {

class ResultShape {
public:
  using Sizes = llvm::SmallVector<mlir::OpFoldResult>;

  ResultShape(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// `sizes`, but static where the type of `result` is.
  Sizes fitted(mlir::Value result, Sizes sizes);

  /// Those of `tensor`.
  Sizes of(mlir::Value tensor);
  /// `dynamic` in the place of each dynamic size of `result`.
  Sizes declared(mlir::Value result, mlir::ValueRange dynamic);
  /// Dimension `permutation[i]` of `tensor` as dimension `i`.
  Sizes permuted(mlir::Value tensor, llvm::ArrayRef<int64_t> permutation);
  /// Those of `tensor` that `dims` does not name.
  Sizes without(mlir::Value tensor, llvm::ArrayRef<int64_t> dims);
  /// Summed along `dim`, elsewhere those of the first input.
  Sizes concatenated(mlir::ValueRange inputs, int64_t dim);
  /// Those of `index` in the place of `dim` of `tensor`.
  Sizes gathered(mlir::Value tensor, mlir::Value index, int64_t dim);
  /// Batch, left and right dimensions of a contraction.
  Sizes contracted(DotOp dot);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace tripy::flatir

#endif // TRIPY_LIB_DIALECT_FLATIR_RESULTSHAPE_H
