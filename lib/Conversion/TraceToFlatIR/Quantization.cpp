//===- Quantization.cpp - Lowers quantize and dequantize of trace ---------===//
//
// The scale gets the input's shape in front of the composite, so that the
// composite is a function of two elements: whatever moves, splits or fuses
// element-wise operations can do so with it, and what the scale was is read off
// the broadcast (tripy/Dialect/FlatIR/Quantized.h).
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tripy/Dialect/FlatIR/Quantized.h"

using namespace mlir;
using namespace tripy;

/// Checks that a size of the scale is the input's.
static void requireScales(Size input, Size scale, int64_t dim, Lowering &b) {
  b.require("equal", input, scale,
            "the scale of '" + b.sourceName() +
                "' has the size of the input's dimension " + Twine(dim));
}

/// A scale for each block along the last dimension but one: each is repeated
/// for the block's elements.
static Value spreadBlocks(Value input, Value scale, Lowering &b) {
  auto type = cast<RankedTensorType>(input.getType());
  SizeList sizes = b.sizesOf(input), counts = b.sizesOf(scale);
  int64_t rank = type.getRank(), blocked = rank - 2;
  for (int64_t i = 0; i < rank; ++i)
    if (i != blocked)
      requireScales(sizes[i], counts[i], i, b);
  Size block = b.math.floorDiv(sizes[blocked], counts[blocked]);
  b.require("equal", b.math.mul(counts[blocked], block), sizes[blocked],
            "the scale of '" + b.sourceName() +
                "' divides the input's dimension " + Twine(blocked) +
                " into blocks of equal size");
  SmallVector<int64_t> shape(type.getShape()), dims;
  SizeList apart(sizes);
  int64_t known = type.getDimSize(blocked);
  int64_t count = cast<RankedTensorType>(scale.getType()).getDimSize(blocked);
  shape[blocked] = count;
  shape.insert(shape.begin() + blocked + 1,
               ShapedType::isDynamic(known) ? known : known / count);
  apart[blocked] = counts[blocked];
  apart.insert(apart.begin() + blocked + 1, block);
  for (int64_t i = 0; i < rank; ++i)
    dims.push_back(i <= blocked ? i : i + 1);
  Type element = elementTypeOf(scale);
  Value repeated = b.broadcast({scale, "the scale", 1}, dims,
                               RankedTensorType::get(shape, element), apart);
  return b.reshape(
      repeated, sizes, type.clone(element),
      {"scale",
       ("repeat the scale of each block of '" + b.sourceName() + "'").str(),
       1});
}

/// The scale of each of the input's elements.
static Value spreadScale(Value input, Value scale, std::optional<uint64_t> dim,
                         Lowering &b) {
  auto type = cast<RankedTensorType>(input.getType());
  auto scales = type.clone(elementTypeOf(scale));
  SizeList sizes = b.sizesOf(input);
  if (!dim && rankOf(scale) != 0)
    return spreadBlocks(input, scale, b);
  SmallVector<int64_t> dims;
  if (dim) {
    dims.push_back(normalizeDim(asSigned(*dim), type.getRank()));
    requireScales(sizes[dims[0]], b.sizesOf(scale)[0], dims[0], b);
  }
  return b.broadcast({scale, "the scale", 1}, dims, scales, sizes);
}

/// An element and its scale, in f32.
static std::pair<Value, Value> widened(ValueRange args, Lowering &b) {
  Type wide = Float32Type::get(args[0].getContext());
  Value x = b.convert(args[0], wide, "compute in 32 bits");
  return {x, b.convert(args[1], wide, "compute in 32 bits")};
}

// trace.quantize %x, %s -> composite { convert(limit(round(x / s))) }
static Lowered lowerQuantize(trace::QuantizeOp op,
                             trace::QuantizeOp::Adaptor in, Lowering &b) {
  Value input = in.getInput();
  Value scale = spreadScale(input, in.getScale(), in.getDim(), b);
  Type element = op.getDtype();
  return {b.composite(
      flatir::quantizeName, {}, {input, scale},
      [&](ValueRange args) {
        auto [x, s] = widened(args, b);
        Value value = b.step<flatir::DivOp>("divide by the scale", x, s);
        if (auto type = dyn_cast<FloatType>(element)) {
          double limit = flatir::largestOf(type);
          value = b.step<flatir::MaximumOp>("limit to the lowest number", value,
                                            b.splat(-limit, value));
          value = b.step<flatir::MinimumOp>("limit to the largest number",
                                            value, b.splat(limit, value));
        } else {
          value = b.step<flatir::RoundOp>("round to an integer", value);
        }
        return b.convert(value, element, "convert to the quantized type");
      },
      withElementType(input.getType(), element), b.sizesOf(input))};
}

// trace.dequantize %q, %s -> composite { convert(q * s) }
static Lowered lowerDequantize(trace::DequantizeOp op,
                               trace::DequantizeOp::Adaptor in, Lowering &b) {
  Value input = in.getInput();
  Value scale = spreadScale(input, in.getScale(), in.getDim(), b);
  Type element = elementTypeOf(scale);
  return {b.composite(
      flatir::dequantizeName, {}, {input, scale},
      [&](ValueRange args) {
        auto [q, s] = widened(args, b);
        Value value = b.step<flatir::MulOp>("multiply by the scale", q, s);
        return b.convert(value, element, "round the result once");
      },
      withElementType(input.getType(), element), b.sizesOf(input))};
}

void tripy::addQuantizationPatterns(PatternAdder &adder) {
  adder.add<trace::QuantizeOp>(lowerQuantize)
      .add<trace::DequantizeOp>(lowerDequantize);
}
