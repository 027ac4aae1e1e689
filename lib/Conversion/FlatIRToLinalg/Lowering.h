//===- Lowering.h - State of one body's lowering to linalg ------*- C++ -*-===//
//
// Internal to the conversion: one method per family of flatir operations. Each
// returns the value, of the same type, that replaces the operation's result.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CONVERSION_FLATIRTOLINALG_LOWERING_H
#define TRIPY_CONVERSION_FLATIRTOLINALG_LOWERING_H

#include "tripy/Conversion/TensorSizes.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tripy {

class LinalgLowering {
public:
  LinalgLowering(mlir::OpBuilder &builder, TensorSizes &sizes)
      : b(builder), sizes(sizes) {}

  /// Lowers any flatir primitive that yields a tensor; null when there is no
  /// lowering for it.
  mlir::Value lower(mlir::Operation *op);

  /// A copy of `value`, for results that are arguments.
  mlir::Value copy(mlir::Value value, mlir::Location loc);

private:
  using Sizes = TensorSizes::Sizes;
  struct Input {
    mlir::Value tensor;
    mlir::AffineMap map;
  };
  /// Builds a scalar from the loop body's input elements.
  using Body =
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>;

  // Elementwise.cpp
  mlir::Value elementwise(mlir::Operation *op);
  mlir::Value constant(flatir::ConstantOp op);
  mlir::Value iota(flatir::IotaOp op);
  mlir::Value fromIndex(flatir::FromIndexOp op);

  // Movement.cpp
  mlir::Value broadcast(flatir::BroadcastOp op);
  mlir::Value transpose(flatir::TransposeOp op);
  mlir::Value slice(flatir::SliceOp op);
  mlir::Value concatenate(flatir::ConcatenateOp op);
  mlir::Value gather(flatir::GatherOp op);

  // Random.cpp
  mlir::Value randomBits(flatir::RandomBitsOp op);

  // Window.cpp
  mlir::Value window(flatir::WindowOp op);

  // Reshape.cpp
  mlir::Value reshape(flatir::ReshapeOp op);
  mlir::Value reshapeByIndex(flatir::ReshapeOp op);

  // Reduction.cpp
  mlir::Value reduce(flatir::ReduceOp op);
  mlir::Value scan(flatir::ScanOp op);
  mlir::Value sort(flatir::SortOp op);
  mlir::Value dot(flatir::DotOp op);
  mlir::Value outer(flatir::DotOp op);

  /// A generic over the shape of a tensor of type `type` and sizes `shape`,
  /// all loops parallel and in order.
  mlir::Value generic(mlir::Location loc, mlir::RankedTensorType type,
                      llvm::ArrayRef<mlir::OpFoldResult> shape,
                      llvm::ArrayRef<Input> inputs, Body body);
  /// A generic that accumulates from `identity`. `results` are the loops of
  /// the result's dimensions. The sum is kept in the type of `identity`; the
  /// result is rounded to the element type of `op`'s. The generic carries
  /// `attributes`.
  mlir::Value accumulate(
      mlir::Operation *op, mlir::TypedAttr identity,
      llvm::ArrayRef<Input> inputs, llvm::ArrayRef<int64_t> results,
      unsigned loops,
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> body,
      llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::AffineMap identityMap(int64_t rank) {
    return b.getMultiDimIdentityMap(rank);
  }

  mlir::OpBuilder &b;
  TensorSizes &sizes;
};

/// The number that all elements of a lowered tensor are, or null.
mlir::TypedAttr splatValue(mlir::Value tensor);

/// Converts a number of a loop's body. To and from floats of 8 bits by
/// arith.truncf and extf of f32, as for 16-bit floats: emitters compute in f32.
mlir::Value castScalar(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value, mlir::Type to);

/// A number in a loop's body, of any element type.
mlir::Value scalarConstant(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::TypedAttr value);

/// The type in which values of `element` are summed: f32 for floats of fewer
/// bits, i32 for integers of fewer bits, which wrap around at the end as they
/// would at each step.
mlir::Type accumulatorType(mlir::Type element);

} // namespace tripy

#endif // TRIPY_CONVERSION_FLATIRTOLINALG_LOWERING_H
