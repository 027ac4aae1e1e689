//===- StridedOperand.cpp - Operands that TMA can copy --------------------===//

#include "StridedOperand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::tiles;

using Found = std::optional<StridedOperand>;

static Found ofArgument(KernelEmission &e, BlockArgument argument) {
  if (argument.getOwner()->getParentOp() != e.kernel.getOperation())
    return std::nullopt;
  StridedOperand operand;
  operand.tensor = llvm::count_if(
      argument.getOwner()->getArguments().take_front(argument.getArgNumber()),
      [](Value other) { return isa<RankedTensorType>(other.getType()); });
  operand.sizes = e.tensorSizeExprs(operand.tensor);
  AffineExpr stride = e.constantExpr(1);
  for (AffineExpr size : llvm::reverse(operand.sizes)) {
    operand.strides.insert(operand.strides.begin(), stride);
    stride = stride * size;
  }
  operand.offsets.assign(operand.sizes.size(), 0);
  return operand;
}

/// A loop that moves each element of one tensor.
static Found permuted(KernelEmission &e, linalg::GenericOp op) {
  Block &body = *op.getBlock();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (op.getNumResults() != 1 || op.getNumReductionLoops() > 0 ||
      op.getNumDpsInputs() != 1 ||
      body.getTerminator()->getOperand(0) != body.getArgument(0) ||
      !maps[0].isPermutation() || !maps[1].isPermutation())
    return std::nullopt;
  Found from = StridedOperand::find(e, op.getDpsInputs().front());
  if (!from)
    return std::nullopt;
  StridedOperand operand = *from;
  for (auto [i, expr] : llvm::enumerate(maps[1].getResults())) {
    unsigned source = *maps[0].getResultPosition(expr);
    operand.sizes[i] = from->sizes[source];
    operand.strides[i] = from->strides[source];
    operand.offsets[i] = from->offsets[source];
  }
  return operand;
}

static Found cut(KernelEmission &e, tensor::ExtractSliceOp op) {
  Found operand = StridedOperand::find(e, op.getSource());
  if (!operand || op.getDroppedDims().any() || !op.hasUnitStride() ||
      ShapedType::isDynamicShape(op.getStaticOffsets()) ||
      !op.getType().hasStaticShape())
    return std::nullopt;
  for (auto [i, offset] : llvm::enumerate(op.getStaticOffsets())) {
    operand->offsets[i] += offset;
    operand->sizes[i] = e.constantExpr(op.getType().getDimSize(i));
  }
  return operand;
}

/// A dimension as several: what lies in front is a multiple of the outermost.
static Found split(KernelEmission &e, tensor::ExpandShapeOp op) {
  Found from = StridedOperand::find(e, op.getSrc());
  if (!from)
    return std::nullopt;
  StridedOperand operand{from->tensor, {}, {}, {}};
  for (auto [i, group] : llvm::enumerate(op.getReassociationIndices())) {
    ArrayRef<int64_t> sizes =
        op.getType().getShape().slice(group.front(), group.size());
    if (ShapedType::isDynamicShape(sizes.drop_front()))
      return std::nullopt;
    int64_t inner = ShapedType::getNumElements(sizes.drop_front());
    if (inner == 0 || from->offsets[i] % inner != 0)
      return std::nullopt;
    operand.offsets.push_back(from->offsets[i] / inner);
    operand.sizes.push_back(ShapedType::isDynamic(sizes.front())
                                ? from->sizes[i].floorDiv(inner)
                                : e.constantExpr(sizes.front()));
    operand.strides.push_back(from->strides[i] * inner);
    for (int64_t size : sizes.drop_front()) {
      inner /= size;
      operand.offsets.push_back(0);
      operand.sizes.push_back(e.constantExpr(size));
      operand.strides.push_back(from->strides[i] * inner);
    }
  }
  return operand;
}

/// Several dimensions as one, where each is a whole one of the next.
static Found joined(KernelEmission &e, tensor::CollapseShapeOp op) {
  Found from = StridedOperand::find(e, op.getSrc());
  if (!from)
    return std::nullopt;
  StridedOperand operand{from->tensor, {}, {}, {}};
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    AffineExpr size = e.constantExpr(1), stride = from->strides[group.back()];
    for (int64_t dim : llvm::reverse(group)) {
      bool isWhole = from->offsets[dim] == 0 || group.size() == 1;
      bool follows = from->sizes[dim] == e.constantExpr(1) ||
                     from->strides[dim] == stride * size;
      if (!isWhole || !follows)
        return std::nullopt;
      size = size * from->sizes[dim];
    }
    operand.sizes.push_back(size);
    operand.strides.push_back(stride);
    operand.offsets.push_back(group.size() == 1 ? from->offsets[group[0]] : 0);
  }
  return operand;
}

Found StridedOperand::find(KernelEmission &e, Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return ofArgument(e, argument);
  return llvm::TypeSwitch<Operation *, Found>(tensor.getDefiningOp())
      .Case([&](linalg::GenericOp op) { return permuted(e, op); })
      .Case([&](tensor::ExtractSliceOp op) { return cut(e, op); })
      .Case([&](tensor::ExpandShapeOp op) { return split(e, op); })
      .Case([&](tensor::CollapseShapeOp op) { return joined(e, op); })
      .Case([&](tensor::CastOp op) { return find(e, op.getSource()); })
      .Default([](Operation *) { return std::nullopt; });
}

Value tiles::valueOf(OpBuilder &b, Location loc, AffineExpr expr,
                     ValueRange symbols) {
  if (auto known = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(b, loc, known.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto both = cast<AffineBinaryOpExpr>(expr);
  Value lhs = valueOf(b, loc, both.getLHS(), symbols);
  Value rhs = valueOf(b, loc, both.getRHS(), symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(b, loc, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(b, loc, lhs, rhs);
  default:
    return arith::DivUIOp::create(b, loc, lhs, rhs);
  }
}
