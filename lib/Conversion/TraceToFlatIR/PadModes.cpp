//===- PadModes.cpp - Lowers pads that repeat the tensor ------------------===//
//
// Each dimension that grows is gathered by positions that are computed: with
// one form for all widths, also those beyond the dimension's size.
//
//===----------------------------------------------------------------------===//

#include "Positions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

/// Where the element comes from that is at `at`, counted from the first element
/// of the input. A gather limits what is beyond the last one.
static Value source(StringRef mode, Value at, Size size, Lowering &b) {
  if (mode == "edge")
    return b.step<flatir::MaximumOp>("repeat the first element", at,
                                     b.splat(0, at));
  Size one = b.math.constant(1);
  if (mode == "wrap") {
    Value period = sizeLike(b.math.maximum(size, one), at, b);
    return b.step<flatir::ModOp>("repeat the input", at, period);
  }
  // There and back again: 0 1 2 1 0 1 ... has a period of 2 (size - 1).
  Size back =
      b.math.mul(b.math.maximum(b.math.sub(size, one), b.math.constant(0)),
                 b.math.constant(2));
  Value period = sizeLike(b.math.maximum(back, one), at, b);
  Value turned = b.step<flatir::ModOp>("repeat there and back", at, period);
  Value distance = b.step<flatir::SubOp>("count from the turn", period, turned);
  return b.step<flatir::MinimumOp>("turn at the last element", turned,
                                   distance);
}

/// Gathers dimension `dim` of `input`, with borders of `low` and `high`.
static Value padDim(Value input, StringRef mode, int64_t dim, Size low,
                    Size high, int64_t shown, bool isLast, Lowering &b) {
  SizeList sizes = b.sizesOf(input);
  Size size = sizes[dim];
  Size padded = b.math.add(b.math.add(low, size), high);
  b.require("at_most", b.math.minimum(b.math.constant(1), padded), size,
            "dimension " + Twine(dim) +
                " of the input of 'pad' has elements to repeat");
  Value at = positionsAlong(padded, shown, b);
  at = b.step<flatir::SubOp>("count from the input's first element", at,
                             sizeLike(low, at, b));
  at = source(mode, at, size, b);
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = shown;
  RankedTensorType result = type.clone(shape);
  if (isLast)
    return b.primary<flatir::GatherOp>(result, input, at, dim);
  return b.step<flatir::GatherOp>("pad dimension " + Twine(dim), result, input,
                                  at, dim);
}

Value tripy::padByMode(trace::PadOp op, Value input, StringRef mode,
                       ArrayRef<Size> low, ArrayRef<Size> high, Lowering &b) {
  auto type = op.getResult().getType();
  SmallVector<int64_t> dims;
  for (int64_t dim = 0, rank = type.getRank(); dim < rank; ++dim)
    if (!isConstantIntValue(low[dim], 0) || !isConstantIntValue(high[dim], 0))
      dims.push_back(dim);
  for (int64_t dim : dims)
    input = padDim(input, mode, dim, low[dim], high[dim], type.getDimSize(dim),
                   dim == dims.back(), b);
  return b.reshape(input, b.sizesOf(input), type,
                   {"reshape", "give the result of 'pad' its declared type"});
}
