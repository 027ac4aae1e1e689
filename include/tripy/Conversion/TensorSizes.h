//===- TensorSizes.h - Run-time sizes of tensors ----------------*- C++ -*-===//
//
// Gives the sizes of any tensor of a straight-line flatir program as constants
// or `index` values, by following operations from tensors whose sizes are known
// (arguments). Values that are equal by construction are the same SSA value, so
// that shapes can be compared. Conversion and Codegen use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CONVERSION_TENSORSIZES_H
#define TRIPY_CONVERSION_TENSORSIZES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"

namespace tripy {

class TensorSizes {
public:
  using Sizes = llvm::SmallVector<mlir::OpFoldResult>;
  using Lookup = llvm::function_ref<Sizes(mlir::Value)>;

  /// States the sizes of `tensor`: one for each dimension. Static dimensions
  /// of its type become constants whatever `sizes` says.
  void set(mlir::Value tensor, llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// States the sizes of `tensor` by those of its dynamic dimensions.
  void setDynamic(mlir::Value tensor, mlir::ValueRange dynamic);

  /// Records the sizes of the results of `op`, a flatir operation whose
  /// operands' sizes are known. Builds index arithmetic (for concatenations,
  /// and constants) with `builder`.
  void infer(mlir::Operation *op, mlir::OpBuilder &builder);
  /// The same, of operands whose sizes `sizesOf` gives: it is asked for those
  /// alone that the result's depend on.
  void infer(mlir::Operation *op, mlir::OpBuilder &builder, Lookup sizesOf);

  /// Sizes of `tensor`: an index attribute for each static dimension, a value
  /// for each other one. Tensors of static shape are always known; a dynamic
  /// tensor must have been recorded.
  Sizes get(mlir::Value tensor) const;
  bool contains(mlir::Value tensor) const { return sizes.contains(tensor); }
  /// To be called before the operation that makes `tensor` is erased.
  void forget(mlir::Value tensor) { sizes.erase(tensor); }

  /// Values of the dynamic dimensions of `tensor`, in order.
  llvm::SmallVector<mlir::Value> dynamic(mlir::Value tensor) const;

  /// Whether two tensors are known to have one shape.
  bool sameShape(mlir::Value a, mlir::Value b) const {
    return get(a) == get(b);
  }

private:
  llvm::SmallVector<Sizes>
  inferResults(mlir::Operation *op, mlir::OpBuilder &builder, Lookup sizesOf);

  llvm::DenseMap<mlir::Value, Sizes> sizes;
};

} // namespace tripy

#endif // TRIPY_CONVERSION_TENSORSIZES_H
