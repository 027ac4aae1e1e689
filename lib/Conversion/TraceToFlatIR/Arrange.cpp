//===- Arrange.cpp - Lowers flip, roll, tile, repeat, tril, triu ----------===//

#include "Boxes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

//===-- flip, roll --------------------------------------------------------===//

// trace.flip %a dims = [0] -> flatir.slice with strides of -1, or %a
static Lowered lowerFlip(trace::FlipOp op, trace::FlipOp::Adaptor in,
                         Lowering &b) {
  SizeList sizes = b.sizesOf(in.getInput());
  Box box = Box::whole(sizes, b.math);
  for (int64_t dim : in.getDims()) {
    dim = normalizeDim(dim, sizes.size());
    Size last = b.math.sub(sizes[dim], b.math.constant(1));
    box.offsets[dim] = b.math.maximum(last, b.math.constant(0));
    box.strides[dim] = -1;
  }
  return {takeBox(op.getResult().getType(), in.getInput(), box, b)};
}

/// Where the elements begin that come first: -shift modulo size, or size.
static Size firstTaken(int64_t shift, Size size, SizeMath &math) {
  Size amount = math.constant(std::abs(shift));
  Size divisor = math.maximum(size, math.constant(1));
  Size turns = math.mul(math.floorDiv(amount, divisor), divisor);
  Size rest = math.sub(amount, turns);
  Size first = shift > 0 ? math.sub(size, rest) : rest;
  return math.clamp(first, math.constant(0), size);
}

/// Slices `from` to `to` of dimension `dim`.
static Value takePart(Value input, int64_t dim, Size from, Size to,
                      Lowering &b) {
  Box box = Box::whole(b.sizesOf(input), b.math);
  box.offsets[dim] = from;
  box.sizes[dim] = b.math.sub(to, from);
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  std::optional<int64_t> known = getConstantIntValue(box.sizes[dim]);
  shape[dim] = known.value_or(ShapedType::kDynamic);
  return takeBox(type.clone(shape), input, box, b, "take a part");
}

/// The parts of a dimension in the other order.
static Value roll(Value input, int64_t shift, int64_t dim, bool isLast,
                  Lowering &b) {
  auto type = cast<RankedTensorType>(input.getType());
  SizeList sizes = b.sizesOf(input);
  Size first = firstTaken(shift, sizes[dim], b.math);
  Value parts[] = {takePart(input, dim, first, sizes[dim], b),
                   takePart(input, dim, b.math.constant(0), first, b)};
  // What the parts know of the size, their sum has to know.
  SmallVector<int64_t> shape(type.getShape());
  bool known = llvm::all_of(parts, [&](Value part) {
    return !cast<RankedTensorType>(part.getType()).isDynamicDim(dim);
  });
  if (!known)
    shape[dim] = ShapedType::kDynamic;
  RankedTensorType joined = type.clone(shape);
  Value result =
      isLast ? b.primary<flatir::ConcatenateOp>(joined, parts, dim).getResult()
             : b.step<flatir::ConcatenateOp>("roll dimension " + Twine(dim),
                                             joined, parts, dim);
  b.setSizes(result, sizes);
  return b.reshape(result, sizes, type,
                   {"reshape", "give the result of 'roll' its declared type"});
}

// trace.roll %a by [1] dims = [0] -> flatir.concatenate of two slices for each
// dimension, or %a
static Lowered lowerRoll(trace::RollOp op, trace::RollOp::Adaptor in,
                         Lowering &b) {
  Value value = in.getInput();
  SmallVector<std::pair<int64_t, int64_t>> turns;
  for (auto [shift, given] : llvm::zip(in.getShifts(), in.getDims())) {
    int64_t dim = normalizeDim(given, rankOf(value));
    std::optional<int64_t> size = getConstantIntValue(b.sizesOf(value)[dim]);
    if (shift != 0 && (!size || (*size != 0 && shift % *size != 0)))
      turns.push_back({shift, dim});
  }
  for (auto [i, turn] : llvm::enumerate(turns))
    value = roll(value, turn.first, turn.second, i + 1 == turns.size(), b);
  return {value};
}

//===-- tile, repeat ------------------------------------------------------===//

/// The elements between two products of sizes, `count` times: a reshape, a
/// broadcast along a new dimension, a reshape to `sizes`.
static Value copies(Value input, SizeList outer, SizeList inner, Size count,
                    ArrayRef<Size> sizes, Lowering &b) {
  Type element = elementTypeOf(input);
  SizeList cut{b.math.product(outer), b.math.product(inner)};
  Value two = b.reshape(
      input, cut, typeWith(cut, element),
      {"reshape",
       ("cut at the dimension that '" + b.sourceName() + "' copies").str()});
  SizeList spread{cut[0], count, cut[1]};
  Value copied = b.broadcast({two, "the elements", -1}, {0, 2},
                             typeWith(spread, element), spread);
  return b.reshape(
      copied, sizes, typeWith(sizes, element),
      {"reshape", ("join the copies of '" + b.sourceName() + "'").str()});
}

/// tile and repeat: of the whole dimension, or of each of its elements.
static Value copyAlong(Value input, SizeList counts, bool whole,
                       RankedTensorType type, Lowering &b) {
  b.requireSizes(counts);
  SizeList sizes = b.sizesOf(input);
  for (auto [i, count] : llvm::enumerate(counts)) {
    if (isConstantIntValue(count, 1))
      continue;
    size_t cut = whole ? i : i + 1;
    SizeList outer(ArrayRef(sizes).take_front(cut));
    SizeList inner(ArrayRef(sizes).drop_front(cut));
    sizes[i] = b.math.mul(sizes[i], count);
    input = copies(input, outer, inner, count, sizes, b);
  }
  return b.reshape(input, sizes, type,
                   {"reshape", ("give the result of '" + b.sourceName() +
                                "' its declared type")
                                   .str()});
}

// trace.tile, trace.repeat -> flatir.reshape; flatir.broadcast; flatir.reshape
// for each dimension that is copied, or %a
template <typename OpTy, bool whole>
static Lowered lowerCopies(OpTy op, typename OpTy::Adaptor in, Lowering &b) {
  return {copyAlong(in.getInput(),
                    b.mixedSizes(in.getStaticCounts(), in.getCounts()), whole,
                    op.getResult().getType(), b)};
}

//===-- tril, triu --------------------------------------------------------===//

/// Positions along a dimension of the last two.
static Value positions(RankedTensorType type, ArrayRef<Size> sizes, int64_t dim,
                       Lowering &b) {
  return b.step<flatir::IotaOp>("count along dimension " + Twine(dim), type,
                                b.dynamicSizes(type, sizes), dim);
}

// trace.tril %a -> flatir.select of %a and 0 by the positions
template <typename OpTy, flatir::ComparisonDirection direction>
static Lowered lowerTriangle(OpTy op, typename OpTy::Adaptor in, Lowering &b) {
  Value input = in.getInput();
  auto type = cast<RankedTensorType>(input.getType());
  int64_t rank = type.getRank();
  SizeList sizes = b.sizesOf(input), matrix(ArrayRef(sizes).take_back(2));
  Type i64 = IntegerType::get(op.getContext(), 64);
  auto counts = RankedTensorType::get(type.getShape().take_back(2), i64);
  Value rows = positions(counts, matrix, 0, b);
  Value columns = positions(counts, matrix, 1, b);
  int64_t diagonal = asSigned(in.getDiagonal());
  if (diagonal != 0)
    rows = b.step<flatir::AddOp>("move the diagonal", rows,
                                 b.splat(static_cast<double>(diagonal), rows));
  Value kept = b.step<flatir::CompareOp>(
      "find the triangle",
      withElementType(counts, IntegerType::get(op.getContext(), 1)), direction,
      columns, rows);
  kept = b.broadcast({kept, "the triangle", -1}, {rank - 2, rank - 1}, type,
                     sizes);
  return {b.primary<flatir::SelectOp>(kept, input, b.splat(0, input))};
}

void tripy::addArrangePatterns(PatternAdder &adder) {
  using Direction = flatir::ComparisonDirection;
  adder.add<trace::FlipOp>(lowerFlip)
      .add<trace::RollOp>(lowerRoll)
      .add<trace::TileOp>(lowerCopies<trace::TileOp, true>)
      .add<trace::RepeatOp>(lowerCopies<trace::RepeatOp, false>)
      .add<trace::TrilOp>(lowerTriangle<trace::TrilOp, Direction::Le>)
      .add<trace::TriuOp>(lowerTriangle<trace::TriuOp, Direction::Ge>);
}
