//===- Sort.cpp - Lowers sort and topk of trace ---------------------------===//
//
// flatir.sort gives the positions of rows' elements in order; values are
// gathered by them.
//
//===----------------------------------------------------------------------===//

#include "Positions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

namespace {
/// Sorts along one dimension.
class Sort {
public:
  Sort(Value input, int64_t dim, Lowering &b);

  /// Values and indices, the first `count` of them if that is given; of types
  /// that trace inferred.
  Lowered lower(bool descending, std::optional<int64_t> count);

private:
  /// Swaps `dim` with the last dimension.
  Value swap(Value tensor, const Twine &reason);
  /// `tensor` with its elements in a row.
  Value flatten(Value tensor);
  /// Where each row of the input begins, for each of `positions`, in elements.
  Value starts(Value positions);
  Value take(Value positions);

  Lowering &b;
  int64_t dim;
  /// The input, with the rows along the last dimension.
  Value rows;
};
} // namespace

Sort::Sort(Value input, int64_t dim, Lowering &b) : b(b), dim(dim) {
  b.require("at_most", b.sizesOf(input)[dim],
            b.math.constant(std::numeric_limits<int32_t>::max()),
            "'" + b.sourceName() + "' orders at most 2^31 - 1 elements");
  rows = swap(input, "have the rows in the last dimension");
}

Value Sort::swap(Value tensor, const Twine &reason) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t last = type.getRank() - 1;
  if (dim == last)
    return tensor;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(last + 1));
  std::swap(order[dim], order[last]);
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[dim], shape[last]);
  return b.step<flatir::TransposeOp>(reason, type.clone(shape), tensor, order);
}

Value Sort::flatten(Value tensor) {
  Size all = b.math.product(b.sizesOf(tensor));
  auto type = RankedTensorType::get(
      getConstantIntValue(all).value_or(ShapedType::kDynamic),
      elementTypeOf(tensor));
  return b.reshape(
      tensor, all, type,
      {"flatten",
       ("put all elements of '" + b.sourceName() + "' in a row").str()});
}

Value Sort::starts(Value positions) {
  auto type = cast<RankedTensorType>(positions.getType());
  type = type.clone(b.getBuilder().getI64Type());
  SizeList sizes = b.sizesOf(positions);
  SizeList outer(ArrayRef(sizes).drop_back());
  Size count = b.math.product(outer);
  int64_t shown = getConstantIntValue(count).value_or(ShapedType::kDynamic);
  Value numbers = positionsAlong(count, shown, b);
  Value first =
      b.step<flatir::MulOp>("find where the rows begin", numbers,
                            sizeLike(b.sizesOf(rows).back(), numbers, b));
  first = b.reshape(
      first, outer,
      RankedTensorType::get(type.getShape().drop_back(), type.getElementType()),
      {"reshape",
       ("have a number for each row of '" + b.sourceName() + "'").str()});
  return b.broadcast({first, "the rows' starts", -1},
                     llvm::to_vector(llvm::seq(type.getRank() - 1)), type,
                     sizes);
}

Value Sort::take(Value positions) {
  auto type = cast<RankedTensorType>(positions.getType());
  if (type.getRank() > 1) {
    Value wide =
        b.convert(positions, b.getBuilder().getI64Type(), "compute in 64 bits");
    positions =
        b.step<flatir::AddOp>("find the elements", starts(positions), wide);
  }
  return b.step<flatir::GatherOp>("take the elements in order",
                                  type.clone(elementTypeOf(rows)),
                                  flatten(rows), positions, int64_t(0));
}

Lowered Sort::lower(bool descending, std::optional<int64_t> count) {
  OpBuilder &builder = b.getBuilder();
  auto type = cast<RankedTensorType>(rows.getType());
  SmallVector<int64_t> shape(type.getShape());
  IntegerAttr first;
  if (count && *count != shape.back()) {
    b.require("at_most", b.math.constant(*count), b.sizesOf(rows).back(),
              "'" + b.sourceName() + "' has k elements to choose from");
    first = builder.getI64IntegerAttr(*count);
    shape.back() = *count;
  }
  UnitAttr order = descending ? builder.getUnitAttr() : UnitAttr();
  Value positions = b.primary<flatir::SortOp>(
      RankedTensorType::get(shape, builder.getI32Type()), rows, order, first);
  Value values = take(positions);
  return {swap(values, "have the dimensions in order"),
          swap(positions, "have the dimensions in order")};
}

// trace.sort -> flatir.sort; flatir.gather
static Lowered lowerSort(trace::SortOp op, trace::SortOp::Adaptor in,
                         Lowering &b) {
  int64_t dim = normalizeDim(asSigned(in.getDim()), rankOf(in.getInput()));
  return Sort(in.getInput(), dim, b).lower(in.getDescending(), std::nullopt);
}

// trace.topk -> flatir.sort count = k; flatir.gather
static Lowered lowerTopK(trace::TopKOp op, trace::TopKOp::Adaptor in,
                         Lowering &b) {
  int64_t dim = normalizeDim(asSigned(in.getDim()), rankOf(in.getInput()));
  return Sort(in.getInput(), dim, b)
      .lower(!in.getSmallest(), asSigned(in.getK()));
}

void tripy::addSortPatterns(PatternAdder &adder) {
  adder.add<trace::SortOp>(lowerSort).add<trace::TopKOp>(lowerTopK);
}
