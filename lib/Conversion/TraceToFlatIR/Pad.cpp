//===- Pad.cpp - Lowers pad of trace --------------------------------------===//

#include "Positions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

/// A border: a tensor of one value.
static Value border(TypedAttr value, RankedTensorType type,
                    ArrayRef<Size> sizes, Lowering &b) {
  if (type.hasStaticShape())
    return b.step<flatir::ConstantOp>("provide a border",
                                      DenseElementsAttr::get(type, value));
  auto scalarType = RankedTensorType::get({}, type.getElementType());
  Value scalar = b.step<flatir::ConstantOp>(
      "provide the value", DenseElementsAttr::get(scalarType, value));
  return b.step<flatir::BroadcastOp>("provide a border", type, scalar,
                                     b.dynamicSizes(type, sizes),
                                     ArrayRef<int64_t>());
}

namespace {
/// Pads the dimensions one after the other.
class Padding {
public:
  Padding(trace::PadOp op, trace::PadOp::Adaptor in, Lowering &b)
      : b(b), type(op.getResult().getType()),
        value(cast<TypedAttr>(in.getValueAttr())), tensor(in.getInput()),
        sizes(b.sizesOf(tensor)) {}

  /// Joins borders of `low` and `high` slices and the tensor along `dim`.
  void pad(int64_t dim, Size low, Size high, bool isLast) {
    SmallVector<Value> parts;
    appendBorder(parts, dim, low);
    parts.push_back(tensor);
    appendBorder(parts, dim, high);
    Size size = b.math.add(b.math.add(low, sizes[dim]), high);
    sizes[dim] = type.isDynamicDim(dim) ? Size(b.math.value(size)) : size;
    RankedTensorType padded = typeOf(dim, type.getDimSize(dim));
    tensor =
        isLast
            ? b.primary<flatir::ConcatenateOp>(padded, parts, dim).getResult()
            : b.step<flatir::ConcatenateOp>("pad dimension " + Twine(dim),
                                            padded, parts, dim);
    b.setSizes(tensor, sizes);
  }

  /// Of the declared type: sizes that turned out to be known are not in it.
  Value result() {
    return b.reshape(tensor, sizes, type,
                     {"reshape", "give the result of 'pad' its declared type"});
  }

private:
  /// The tensor's type with another size in one dimension.
  RankedTensorType typeOf(int64_t dim, int64_t size) {
    auto now = cast<RankedTensorType>(tensor.getType());
    SmallVector<int64_t> shape(now.getShape());
    shape[dim] = size;
    return now.clone(shape);
  }

  void appendBorder(SmallVectorImpl<Value> &parts, int64_t dim, Size width) {
    std::optional<int64_t> known = getConstantIntValue(width);
    if (known == int64_t(0))
      return;
    SizeList shape(sizes);
    shape[dim] = width;
    parts.push_back(border(
        value, typeOf(dim, known.value_or(ShapedType::kDynamic)), shape, b));
  }

  Lowering &b;
  RankedTensorType type;
  TypedAttr value;
  Value tensor;
  SizeList sizes;
};
} // namespace

// trace.pad %a low [1, 0] high [0, 2] value = v -> flatir.concatenate with
// splats, for each dimension; the last one first, so that the borders of the
// others are contiguous. With a mode: flatir.gather for each.
static Lowered lowerPad(trace::PadOp op, trace::PadOp::Adaptor in,
                        Lowering &b) {
  SizeList low = b.mixedSizes(in.getStaticLow(), in.getLow());
  SizeList high = b.mixedSizes(in.getStaticHigh(), in.getHigh());
  SmallVector<int64_t> dims;
  for (int64_t dim = static_cast<int64_t>(low.size()); dim-- > 0;) {
    for (Size width : {low[dim], high[dim]})
      b.require("at_most", b.math.constant(0), width,
                "the widths of 'pad' in dimension " + Twine(dim) +
                    " are not negative");
    if (getConstantIntValue(low[dim]) != int64_t(0) ||
        getConstantIntValue(high[dim]) != int64_t(0))
      dims.push_back(dim);
  }
  if (in.getMode())
    return {padByMode(op, in.getInput(), *in.getMode(), low, high, b)};
  Padding padding(op, in, b);
  for (int64_t dim : dims)
    padding.pad(dim, low[dim], high[dim], dim == dims.back());
  return {padding.result()};
}

void tripy::addPadPatterns(PatternAdder &adder) {
  adder.add<trace::PadOp>(lowerPad);
}
