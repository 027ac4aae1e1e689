//===- DropEmpty.cpp - Tensors of no elements -----------------------------===//
//
// linalg's canonicalization erases an operation on tensors of which a type says
// that it has no elements. A kernel planned around such an operation would lose
// the loops that all its results share. So nothing is planned around it.
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

static bool hasNoElements(Type type) {
  return llvm::is_contained(cast<RankedTensorType>(type).getShape(), 0);
}

/// A tensor of `type` whose elements are `value`, of the same number type or
/// one that is converted to it.
static Value filled(RankedTensorType type, TypedAttr value, ValueRange dynamic,
                    OpBuilder &b, Location loc) {
  auto scalarType = RankedTensorType::get({}, value.getType());
  Value scalar = flatir::ConstantOp::create(
      b, loc, DenseElementsAttr::get(scalarType, value));
  if (value.getType() != type.getElementType())
    scalar = flatir::ConvertOp::create(
        b, loc, scalarType.clone(type.getElementType()), scalar);
  return flatir::BroadcastOp::create(b, loc, type, scalar, dynamic,
                                     ArrayRef<int64_t>());
}

/// The number that all elements of the result are, as it depends on nothing;
/// null if there is none.
static TypedAttr constantOf(Operation &op) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  Builder b(op.getContext());
  if (hasNoElements(type))
    return b.getZeroAttr(type.getElementType());
  if (isa<flatir::DotOp>(op) &&
      llvm::any_of(op.getOperandTypes(), hasNoElements))
    return b.getZeroAttr(type.getElementType());
  if (auto attention = dyn_cast<kernel::AttentionOp>(op);
      attention && hasNoElements(attention.getValue().getType()))
    return b.getZeroAttr(type.getElementType());
  auto reduce = dyn_cast<flatir::ReduceOp>(op);
  if (!reduce || !hasNoElements(reduce.getInput().getType()))
    return {};
  using flatir::ReduceKind;
  Type number = type.getElementType();
  bool needsInf = reduce.getKind() == ReduceKind::Max ||
                  reduce.getKind() == ReduceKind::Min;
  if (auto real = dyn_cast<FloatType>(number);
      real && needsInf && !APFloat::semanticsHasInf(real.getFloatSemantics()))
    number = b.getF32Type();
  return flatir::identityOf(reduce.getKind(), number);
}

void fusion::dropEmpty(func::FuncOp function, TensorSizes &sizes,
                       Composites &composites) {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (!isProgramOp(&op) || op.getNumResults() != 1 ||
        op.getNumOperands() == 0)
      continue;
    Value result = op.getResult(0);
    auto type = dyn_cast<RankedTensorType>(result.getType());
    TypedAttr value = type ? constantOf(op) : TypedAttr();
    if (!value)
      continue;
    OpBuilder b(&op);
    Value constant = filled(type, value, sizes.dynamic(result), b, op.getLoc());
    sizes.infer(constant.getDefiningOp(), b);
    if (StringAttr name = composites.lookup(&op))
      composites[constant.getDefiningOp()] = name;
    result.replaceAllUsesWith(constant);
    sizes.forget(result);
    composites.erase(&op);
    op.erase();
  }
}
