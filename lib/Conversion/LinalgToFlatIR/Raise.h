//===- Raise.h - What raises linalg to flatir -------------------*- C++ -*-===//
//
// What the files of this folder share. Used in this folder alone.
//
// A tensor stands for each value of a body: one element for each point of the
// iteration space. Values of type index are tensors of i64, scalars outside of
// bodies tensors of rank 0.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CONVERSION_LINALGTOFLATIR_RAISE_H
#define TRIPY_LIB_CONVERSION_LINALGTOFLATIR_RAISE_H

#include "../TraceToFlatIR/Lowering.h"

#include "tripy/Dialect/Common/ScalarOperations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tripy::raise {

//===-- shapes ------------------------------------------------------------===//

/// Sizes, as types know them and at run time: of an iteration space, or of a
/// tensor.
struct Space {
  Shape shape;
  SizeList sizes;

  int64_t rank() const { return shape.size(); }
  mlir::RankedTensorType type(mlir::Type element) const {
    return mlir::RankedTensorType::get(shape, element);
  }
  Space select(llvm::ArrayRef<int64_t> dims) const;
};

/// The space of a tensor's dimensions.
Space spaceOf(mlir::Value tensor, Lowering &b);

/// i64 for index, all others as they are.
mlir::Type elementFor(mlir::Type scalar);

/// `value` at each point.
mlir::Value splat(mlir::TypedAttr value, const Space &space, Lowering &b);
/// The same for a number of type `element`, to which `value` is rounded.
mlir::Value splatNumber(double value, mlir::Type element, const Space &space,
                        Lowering &b);
/// The number that each element of a raised tensor is; null for others.
mlir::TypedAttr splatOf(mlir::Value tensor);
/// `tensor`, whose dimension i is dims[i] of `space`, at each point.
mlir::Value spread(mlir::Value tensor, llvm::ArrayRef<int64_t> dims,
                   const Space &space, Lowering &b);
/// `tensor` with dimension i being dimension permutation[i].
mlir::Value transpose(mlir::Value tensor, llvm::ArrayRef<int64_t> permutation,
                      Lowering &b);
/// The part of `tensor` at `offsets`, of the sizes of `space`. Bounds are the
/// caller's matter.
mlir::Value slice(mlir::Value tensor, llvm::ArrayRef<Size> offsets,
                  llvm::ArrayRef<int64_t> strides, const Space &space,
                  Lowering &b);
/// The elements of `tensor` in the shape of `space`.
mlir::Value reshape(mlir::Value tensor, const Space &space, Lowering &b);
/// `tensor` as one of `type`, which knows more or less of the same sizes; what
/// it knows more is checked.
mlir::Value withType(mlir::Value tensor, mlir::RankedTensorType type,
                     Lowering &b);
/// Tensors joined along `dim`.
mlir::Value concatenate(llvm::ArrayRef<mlir::Value> tensors, int64_t dim,
                        Lowering &b);

//===-- scalars -----------------------------------------------------------===//

/// An operation of arith or math on numbers or on tensors, and what stands for
/// its operands at each point of a space.
struct ScalarStep {
  mlir::Operation *op;
  llvm::SmallVector<mlir::Value> in;
  /// Whether what is made is the operation that the builder's source is, and
  /// needs no other reason.
  bool isOwn;
};

/// What stands for the result. Null, after an error at the builder's source,
/// where kernels cannot compute it.
mlir::Value raiseScalar(const ScalarStep &step, const Space &space,
                        const ScalarOperations &table, Lowering &b);

/// Operations on tensors of one shape, each with a reason.
class Steps {
public:
  Steps(const Space &space, Lowering &b) : space(space), b(b) {}

  mlir::Value fn(scalar::ScalarFn which, mlir::ValueRange in);
  mlir::Value compare(flatir::ComparisonDirection which, mlir::Value x,
                      mlir::Value y);
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y);
  mlir::Value convert(mlir::Value x, mlir::Type element);
  mlir::Value number(double value, mlir::Value like);
  mlir::Value lowest(mlir::Value like);

private:
  const Space &space;
  Lowering &b;
};

//===-- programs ----------------------------------------------------------===//

/// Raises one function.
class Raising {
public:
  Raising(mlir::func::FuncOp function, const ScalarOperations &table);
  llvm::LogicalResult run();

  /// What stands for a value of the function's block: a tensor itself, a number
  /// as a tensor of rank 0. Null, after an error at `user`, where nothing does.
  mlir::Value valueOf(mlir::Value value, mlir::Operation *user);
  /// The same at each point of `space`.
  mlir::Value valueAt(mlir::Value value, const Space &space, Lowering &b);
  Lowering builderFor(mlir::Operation *op) {
    return Lowering(op, builder, state);
  }

  const ScalarOperations &table;

private:
  llvm::LogicalResult decompose(mlir::Operation *op);
  llvm::LogicalResult raise(mlir::Operation *op);
  llvm::LogicalResult raiseTensorOp(mlir::Operation *op);
  llvm::LogicalResult raiseArith(mlir::Operation *op);
  llvm::LogicalResult checkTypes(mlir::Operation *op);
  llvm::LogicalResult checkRest();
  void findNeededScalars();
  void replace(mlir::Operation *op, mlir::ValueRange values);

  mlir::func::FuncOp function;
  mlir::IRRewriter builder;
  TraceLowering::State state;
  /// Numbers of which tensors are computed.
  llvm::DenseSet<mlir::Value> needed;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
};

/// What replaces the results of an operation; empty after an error.
using Raised = llvm::SmallVector<mlir::Value, 1>;

/// A structured operation. `form` is `written`, or the generic form of it.
Raised raiseGeneric(mlir::linalg::GenericOp form, mlir::Operation *written,
                    Raising &program);
/// tensor.generate.
Raised raiseGenerate(mlir::tensor::GenerateOp op, Raising &program);
/// The operations of tensor that move elements; none for others.
std::optional<Raised> raiseMovement(mlir::Operation *op, Raising &program);

/// 0, 1, 2, ... along dimension `dim`, as i64.
mlir::Value countAlong(int64_t dim, const Space &space, Lowering &b);
/// A size as i64, at each point.
mlir::Value sizeAsTensor(Size size, const Space &space, Lowering &b);
/// Slices of dimension `dim` at the positions of `index`, which are clamped.
mlir::Value gather(mlir::Value tensor, mlir::Value index, int64_t dim,
                   Lowering &b);
/// Elements of `tensor` by an affine map from loops to its dimensions. `used`
/// gets the loops that are the result's dimensions, in order.
mlir::Value readThrough(mlir::Value tensor, mlir::AffineMap map,
                        const Space &loops, llvm::SmallVector<int64_t> &used,
                        Lowering &b);
/// `tensor`, whose dimensions are the loops `order`, at each point.
mlir::Value spreadLoops(mlir::Value tensor, llvm::ArrayRef<int64_t> order,
                        const Space &space, Lowering &b);
/// Elements of `tensor` at positions that are computed: a tensor of i64 over
/// `space` for each dimension. Positions are clamped.
mlir::Value readAt(mlir::Value tensor, llvm::ArrayRef<mlir::Value> positions,
                   const Space &space, Lowering &b);

} // namespace tripy::raise

#endif // TRIPY_LIB_CONVERSION_LINALGTOFLATIR_RAISE_H
