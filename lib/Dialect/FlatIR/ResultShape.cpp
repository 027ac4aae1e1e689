//===- ResultShape.cpp - Sizes of results from operands -------------------===//

#include "ResultShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::flatir;

using Sizes = ResultShape::Sizes;

Sizes ResultShape::fitted(Value result, Sizes sizes) {
  auto type = cast<RankedTensorType>(result.getType());
  for (auto [size, known] : llvm::zip_equal(sizes, type.getShape()))
    if (!ShapedType::isDynamic(known))
      size = builder.getIndexAttr(known);
  return sizes;
}

Sizes ResultShape::of(Value tensor) {
  return tensor::getMixedSizes(builder, loc, tensor);
}

Sizes ResultShape::declared(Value result, ValueRange dynamic) {
  auto type = cast<RankedTensorType>(result.getType());
  return getMixedValues(type.getShape(), dynamic, builder);
}

Sizes ResultShape::permuted(Value tensor, ArrayRef<int64_t> permutation) {
  Sizes from = of(tensor), to;
  for (int64_t dim : permutation)
    to.push_back(from[dim]);
  return to;
}

Sizes ResultShape::without(Value tensor, ArrayRef<int64_t> dims) {
  Sizes kept;
  for (auto [i, size] : llvm::enumerate(of(tensor)))
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      kept.push_back(size);
  return kept;
}

Sizes ResultShape::concatenated(ValueRange inputs, int64_t dim) {
  Sizes result = of(inputs.front());
  for (Value input : inputs.drop_front()) {
    OpFoldResult size = tensor::getMixedSize(builder, loc, input, dim);
    Value sum = getValueOrCreateConstantIndexOp(builder, loc, result[dim]);
    result[dim] = arith::AddIOp::create(
                      builder, loc, sum,
                      getValueOrCreateConstantIndexOp(builder, loc, size))
                      .getResult();
  }
  return result;
}

Sizes ResultShape::gathered(Value tensor, Value index, int64_t dim) {
  Sizes result = of(tensor), at = of(index);
  auto *place = result.begin() + dim;
  result.insert(result.erase(place), at.begin(), at.end());
  return result;
}

Sizes ResultShape::contracted(DotOp dot) {
  Sizes lhs = of(dot.getLhs()), rhs = of(dot.getRhs()), result;
  // Both operands have the size: one of them may have it in its type.
  for (auto [l, r] : llvm::zip(dot.getLhsBatch(), dot.getRhsBatch()))
    result.push_back(isa<Attribute>(rhs[r]) ? rhs[r] : lhs[l]);
  for (int64_t dim :
       freeDims(lhs.size(), dot.getLhsBatch(), dot.getLhsContract()))
    result.push_back(lhs[dim]);
  for (int64_t dim :
       freeDims(rhs.size(), dot.getRhsBatch(), dot.getRhsContract()))
    result.push_back(rhs[dim]);
  return result;
}

LogicalResult
flatir::PluginOp::reifyResultShapes(OpBuilder &builder,
                                    ReifiedRankedShapedTypeDims &shapes) {
  ResultShape shape(builder, getLoc());
  ValueRange given = getSizes();
  for (Value result : getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    int64_t count = type.getNumDynamicDims();
    shapes.push_back(shape.declared(result, given.take_front(count)));
    given = given.drop_front(count);
  }
  return success();
}

//===-- composites --------------------------------------------------------===//

namespace {

/// Sizes of tensors in a copy of a composite's region, in terms of tensors
/// outside of it.
class RegionSizes {
public:
  /// `copy` is a block of its own, which goes afterwards; what remains is built
  /// with `builder`.
  RegionSizes(Block &copy, OpBuilder &builder)
      : copy(copy), builder(builder), aside(builder.getContext()) {}

  Sizes of(Value tensor) {
    Sizes sizes;
    for (OpFoldResult size : reified(tensor))
      sizes.push_back(outside(size));
    return sizes;
  }

private:
  /// One step: in terms of operands of the operation that makes it.
  Sizes reified(Value tensor) {
    Operation *maker = tensor.getDefiningOp();
    aside.setInsertionPointToEnd(&copy);
    if (!isInside(maker))
      return ResultShape(aside, tensor.getLoc()).of(tensor);
    ReifiedRankedShapedTypeDims shapes;
    auto reify = dyn_cast<ReifyRankedShapedTypeOpInterface>(maker);
    if (reify && succeeded(reify.reifyResultShapes(aside, shapes)))
      return shapes[cast<OpResult>(tensor).getResultNumber()];
    // Arithmetic on tensors of upstream's dialects is element-wise.
    return ResultShape(aside, maker->getLoc()).of(maker->getOperand(0));
  }

  OpFoldResult outside(OpFoldResult size) {
    auto value = dyn_cast<Value>(size);
    if (!value || !isInside(value.getDefiningOp()))
      return size;
    auto [known, isNew] = sizes.try_emplace(value);
    if (!isNew)
      return known->second;
    OpFoldResult found = rebuilt(value);
    return sizes[value] = found;
  }

  OpFoldResult rebuilt(Value value) {
    Operation *maker = value.getDefiningOp();
    if (auto dim = dyn_cast<tensor::DimOp>(maker))
      if (isInside(dim.getSource().getDefiningOp()))
        return outside(reified(dim.getSource())[*dim.getConstantIndex()]);
    if (auto dim = dyn_cast<DimOp>(maker))
      if (isInside(dim.getInput().getDefiningOp()))
        return outside(
            reified(dim.getInput())[static_cast<size_t>(dim.getDim())]);
    IRMapping map;
    for (Value operand : maker->getOperands())
      if (operand.getType().isIndex())
        map.map(operand, getValueOrCreateConstantIndexOp(
                             builder, maker->getLoc(), outside(operand)));
    return builder.clone(*maker, map)->getResult(0);
  }

  bool isInside(Operation *op) const { return op && op->getBlock() == &copy; }

  Block &copy;
  OpBuilder &builder;
  OpBuilder aside;
  DenseMap<Value, OpFoldResult> sizes;
};

} // namespace

LogicalResult
CompositeOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  Block copy;
  OpBuilder aside(getContext());
  aside.setInsertionPointToStart(&copy);
  IRMapping map;
  map.map(getBody().getArguments(), getInputs());
  for (Operation &op : getBody().front().without_terminator())
    aside.clone(op, map);
  RegionSizes sizes(copy, builder);
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  for (auto [result, value] : llvm::zip(getResults(), yield.getValues()))
    shapes.push_back(ResultShape(builder, getLoc())
                         .fitted(result, sizes.of(map.lookupOrDefault(value))));
  return success();
}
