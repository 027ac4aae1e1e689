//===- Scatter.cpp - Lowers scatter and update_slice of trace -------------===//
//
// The result asks, for each of its positions, which slice of the update it
// takes, if any: nothing is written by an index, so that no index can be out of
// range, and equal ones have an order.
//
//===----------------------------------------------------------------------===//

#include "Positions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

using flatir::ComparisonDirection;

static Type truthOf(Type type) {
  return withElementType(type, IntegerType::get(type.getContext(), 1));
}

static Value compare(const Twine &reason, ComparisonDirection direction,
                     Value x, Value y, Lowering &b) {
  return b.step<flatir::CompareOp>(reason, truthOf(x.getType()), direction, x,
                                   y);
}

/// The slices of `update` at `from`, one for each position of dimension `dim`
/// of `input`, where `taken` is true; those of the input elsewhere.
static Value choose(Value input, Value update, Value from, Value taken,
                    int64_t dim, Lowering &b) {
  auto type = cast<RankedTensorType>(input.getType());
  SizeList sizes = b.sizesOf(input);
  Value zero = b.splat(0, from);
  // A gather counts negative indices from the end.
  Value place = b.step<flatir::MaximumOp>("limit to the update", from, zero);
  // An update that may be empty gets a slice that nothing takes.
  auto updateType = cast<RankedTensorType>(update.getType());
  if (updateType.isDynamicDim(dim)) {
    SizeList one = b.sizesOf(update);
    one[dim] = b.math.constant(1);
    SmallVector<int64_t> shape(updateType.getShape());
    shape[dim] = 1;
    RankedTensorType slice = updateType.clone(shape);
    Value scalar = b.scalar(0, type.getElementType());
    Value rest = b.broadcast({scalar, "a slice that nothing takes", -1},
                             ArrayRef<int64_t>(), slice, one);
    SizeList all = b.sizesOf(update);
    all[dim] = b.math.value(b.math.add(all[dim], b.math.constant(1)));
    update = b.step<flatir::ConcatenateOp>("have a slice to take", updateType,
                                           ValueRange{update, rest}, dim);
    b.setSizes(update, all);
  }
  // Of sizes that are equal, each type may show others.
  SmallVector<int64_t> shape(updateType.getShape());
  shape[dim] = type.getDimSize(dim);
  Value slices = b.step<flatir::GatherOp>(
      "take the update's slices", updateType.clone(shape), update, place, dim);
  slices = b.reshape(
      slices, sizes, type,
      {"reshape",
       ("give the slices of '" + b.sourceName() + "' the input's type").str()});
  Value where = b.broadcast({taken, "the choice", -1}, {dim},
                            cast<RankedTensorType>(type), sizes);
  return b.step<flatir::SelectOp>("keep the input elsewhere", where, slices,
                                  input);
}

/// The composite of an operation that changes its first operand.
static Lowered changed(int64_t dim, ArrayRef<Value> operands, Lowering &b,
                       function_ref<Value(ValueRange)> body) {
  OpBuilder &builder = b.getBuilder();
  NamedAttribute config =
      builder.getNamedAttr("dim", builder.getI64IntegerAttr(dim));
  return {b.composite(b.sourceName(), config, operands, body)};
}

//===-- update_slice ------------------------------------------------------===//

// trace.update_slice %a, %u, %s -> composite { select by the positions }
static Lowered lowerUpdateSlice(trace::UpdateSliceOp op,
                                trace::UpdateSliceOp::Adaptor in, Lowering &b) {
  Value input = in.getInput(), update = in.getUpdate();
  int64_t dim = normalizeDim(asSigned(in.getDim()), rankOf(input));
  SizeList sizes = b.sizesOf(input);
  for (auto [i, size] : llvm::enumerate(b.sizesOf(update)))
    if (static_cast<int64_t>(i) != dim)
      b.require("equal", sizes[i], size,
                "the input and the update of 'update_slice' have equal sizes "
                "in dimension " +
                    Twine(i));
  if (isConstantIntValue(b.sizesOf(update)[dim], 0))
    return {input};
  return changed(dim, {input, update, in.getStart()}, b, [&](ValueRange args) {
    SizeList inside = b.sizesOf(args[0]), part = b.sizesOf(args[1]);
    int64_t shown = cast<RankedTensorType>(args[0].getType()).getDimSize(dim);
    Value at = positionsAlong(inside[dim], shown, b);
    auto line = cast<RankedTensorType>(at.getType());
    Value start = fromFront(args[2], inside[dim], b);
    start = b.broadcast({start, "the start", -1}, ArrayRef<int64_t>(), line,
                        inside[dim]);
    Value from = b.step<flatir::SubOp>("count from the start", at, start);
    Value isBehind =
        compare("find what is behind the start", ComparisonDirection::Ge, from,
                b.splat(0, from), b);
    Value isBefore =
        compare("find what is before the end", ComparisonDirection::Lt, from,
                sizeLike(part[dim], from, b), b);
    Value taken = b.step<flatir::LogicalAndOp>("find what is replaced",
                                               isBehind, isBefore);
    return choose(args[0], args[1], from, taken, dim, b);
  });
}

//===-- scatter -----------------------------------------------------------===//

/// For each position, the number of the last index that names it, or a negative
/// number.
static Value lastIndexAt(Value at, Value index, Lowering &b) {
  SizeList rows = b.sizesOf(at), columns = b.sizesOf(index);
  auto line = cast<RankedTensorType>(at.getType());
  auto list = cast<RankedTensorType>(index.getType());
  SizeList table{rows[0], columns[0]};
  auto type = RankedTensorType::get({line.getDimSize(0), list.getDimSize(0)},
                                    line.getElementType());
  Value wanted = b.broadcast({at, "the positions", -1}, {0}, type, table);
  Value named = b.broadcast({index, "the indices", -1}, {1}, type, table);
  Value matches = compare("find the indices of each position",
                          ComparisonDirection::Eq, wanted, named, b);
  Value number = b.step<flatir::IotaOp>(
      "number the indices", type, b.dynamicSizes(type, table), int64_t(1));
  Value candidates = b.step<flatir::SelectOp>("leave the others out", matches,
                                              number, b.splat(-1, number));
  return b.step<flatir::ReduceOp>("take the last one", line,
                                  flatir::ReduceKind::Max, candidates,
                                  ArrayRef<int64_t>(1));
}

/// `value` with the dimensions `dim` to `dim + count` as one.
static Value joinDims(Value value, int64_t dim, int64_t count, Lowering &b) {
  auto type = cast<RankedTensorType>(value.getType());
  SizeList sizes = b.sizesOf(value);
  auto first = sizes.begin() + dim;
  Size joined = b.math.product(SizeList(first, first + count));
  sizes.erase(first, first + count);
  sizes.insert(sizes.begin() + dim, joined);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim, shape.begin() + dim + count);
  shape.insert(shape.begin() + dim,
               getConstantIntValue(joined).value_or(ShapedType::kDynamic));
  return b.reshape(value, sizes, type.clone(shape),
                   {"reshape", "have one dimension of indices for 'scatter'"});
}

// trace.scatter %a, %i, %u -> composite { select by the last index of each }
static Lowered lowerScatter(trace::ScatterOp op, trace::ScatterOp::Adaptor in,
                            Lowering &b) {
  Value input = in.getInput(), index = in.getIndex(), update = in.getUpdate();
  int64_t dim = normalizeDim(asSigned(in.getDim()), rankOf(input));
  SizeList sizes = b.sizesOf(input), indices = b.sizesOf(index), expected;
  llvm::append_range(expected, ArrayRef(sizes).take_front(dim));
  llvm::append_range(expected, indices);
  llvm::append_range(expected, ArrayRef(sizes).drop_front(dim + 1));
  for (auto [i, pair] : llvm::enumerate(llvm::zip(expected, b.sizesOf(update))))
    b.require("equal", std::get<0>(pair), std::get<1>(pair),
              "the update of 'scatter' has the input's and the index's sizes "
              "in dimension " +
                  Twine(i));
  int64_t rank = rankOf(index);
  if (llvm::any_of(indices,
                   [](Size size) { return isConstantIntValue(size, 0); }))
    return {input};
  return changed(dim, {input, index, update}, b, [&](ValueRange args) {
    SizeList inside = b.sizesOf(args[0]);
    int64_t shown = cast<RankedTensorType>(args[0].getType()).getDimSize(dim);
    Value at = positionsAlong(inside[dim], shown, b);
    Value list = joinDims(args[1], 0, rank, b);
    Value last = lastIndexAt(at, fromFront(list, inside[dim], b), b);
    Value taken = compare("find the positions with an index",
                          ComparisonDirection::Ge, last, b.splat(0, last), b);
    return choose(args[0], joinDims(args[2], dim, rank, b), last, taken, dim,
                  b);
  });
}

void tripy::addScatterPatterns(PatternAdder &adder) {
  adder.add<trace::UpdateSliceOp>(lowerUpdateSlice)
      .add<trace::ScatterOp>(lowerScatter);
}
