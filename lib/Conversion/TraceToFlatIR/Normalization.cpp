//===- Normalization.cpp - Lowers norms over channels of trace ------------===//

#include "Reductions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

using Dims = SmallVector<int64_t>;

/// Broadcasts a number for each channel, in 32 bits, to the shape of `x`.
static Value spreadChannels(Value vector, StringRef what, int64_t operand,
                            Value x, Lowering &b) {
  Value wide = b.convert(vector, elementTypeOf(x), "compute in 32 bits");
  return b.broadcast({wide, what.str(), operand}, Dims{1},
                     cast<RankedTensorType>(x.getType()), b.sizesOf(x));
}

static void requireChannels(Value input, Value vector, StringRef what,
                            Lowering &b) {
  b.require("equal", b.sizesOf(input)[1], b.sizesOf(vector)[0],
            what + " of '" + b.sourceName() +
                "' has a number for each of the input's channels");
}

/// normal * weight + bias, rounded to `element`.
static Value scaleChannels(Value normal, Value weight, Value bias, Type element,
                           Lowering &b) {
  Value scaled =
      b.step<flatir::MulOp>("multiply by the weight", normal,
                            spreadChannels(weight, "the weight", 1, normal, b));
  Value shifted = b.step<flatir::AddOp>(
      "add the bias", scaled, spreadChannels(bias, "the bias", 2, normal, b));
  return b.convert(shifted, element, "round the result once");
}

//===-- group_norm --------------------------------------------------------===//

namespace {
/// Statistics of groups of channels. They are computed of the input as (batch,
/// groups, channels of a group, all other dimensions), and broadcast to the
/// input as it is, so that nothing puts the result in shape.
class Groups {
public:
  Groups(Value input, int64_t groups, Lowering &b)
      : b(b), input(input), sizes(b.sizesOf(input)),
        count(b.math.constant(groups)),
        channels(b.math.floorDiv(sizes[1], count)) {}

  /// The input, split.
  Value split();
  /// A number for each group, (batch, groups), to the shape of the input.
  Value spread(Value numbers, StringRef what);

private:
  RankedTensorType typeOf(ArrayRef<Size> shape);

  Lowering &b;
  Value input;
  SizeList sizes;
  Size count, channels;
};
} // namespace

RankedTensorType Groups::typeOf(ArrayRef<Size> shape) {
  return typeWith(shape, elementTypeOf(input));
}

Value Groups::split() {
  SizeList apart{sizes[0], count, channels,
                 b.math.product(ArrayRef(sizes).drop_front(2))};
  return b.reshape(input, apart, typeOf(apart),
                   {"groups", "split the channels of 'group_norm' in groups"});
}

Value Groups::spread(Value numbers, StringRef what) {
  SizeList apart{sizes[0], count, channels}, joined{sizes[0], sizes[1]};
  auto type = cast<RankedTensorType>(input.getType());
  Value each =
      b.broadcast({numbers, what.str(), -1}, Dims{0, 1}, typeOf(apart), apart);
  RankedTensorType perChannel = type.clone(type.getShape().take_front(2));
  each = b.reshape(each, joined, perChannel,
                   {"groups", ("give each channel " + what).str()});
  return b.broadcast({each, what.str(), -1}, Dims{0, 1}, type, sizes);
}

/// (x - mean) / sqrt(var + eps), where mean and variance are those of groups.
static Value normalizeGroups(Value x, int64_t groups, double eps, Lowering &b) {
  Groups parts(x, groups, b);
  Dims dims{2, 3};
  Value split = parts.split();
  Value mean = meanStep(split, dims, b);
  Value scale = inverseRootStep(centerStep(split, dims, b), dims, eps, b);
  Value centered = b.step<flatir::SubOp>("subtract the mean", x,
                                         parts.spread(mean, "the mean"));
  return b.step<flatir::MulOp>("normalize", centered,
                               parts.spread(scale, "the scale"));
}

// trace.group_norm -> composite { (x - mean) / sqrt(var + eps) * w + b } of
// the input's groups
static Lowered lowerGroupNorm(trace::GroupNormOp op,
                              trace::GroupNormOp::Adaptor in, Lowering &b) {
  Value input = in.getInput();
  requireChannels(input, in.getWeight(), "the weight", b);
  requireChannels(input, in.getBias(), "the bias", b);
  int64_t groups = asSigned(in.getGroups());
  Size channels = b.sizesOf(input)[1], count = b.math.constant(groups);
  b.require("equal", b.math.mul(b.math.floorDiv(channels, count), count),
            channels, "the groups of 'group_norm' divide its channels");
  double eps = in.getEps().convertToDouble();
  SmallVector<NamedAttribute> config{
      {op.getGroupsAttrName(), in.getGroupsAttr()},
      {op.getEpsAttrName(), in.getEpsAttr()}};
  return {b.composite("group_norm", config,
                      {input, in.getWeight(), in.getBias()},
                      [&](ValueRange args) {
                        Type element = elementTypeOf(args[0]);
                        Value x = b.convert(args[0], accumulatorOf(element),
                                            "compute in 32 bits");
                        return scaleChannels(normalizeGroups(x, groups, eps, b),
                                             args[1], args[2], element, b);
                      })};
}

//===-- instance_norm, batch_norm -----------------------------------------===//

// trace.instance_norm -> composite { (x - mean) / sqrt(var + eps) * w + b }
static Lowered lowerInstanceNorm(trace::InstanceNormOp op,
                                 trace::InstanceNormOp::Adaptor in,
                                 Lowering &b) {
  Value input = in.getInput();
  requireChannels(input, in.getWeight(), "the weight", b);
  requireChannels(input, in.getBias(), "the bias", b);
  double eps = in.getEps().convertToDouble();
  NamedAttribute config(op.getEpsAttrName(), in.getEpsAttr());
  Dims dims = llvm::to_vector(llvm::seq<int64_t>(2, rankOf(input)));
  return {b.composite(
      "instance_norm", config, {input, in.getWeight(), in.getBias()},
      [&](ValueRange args) {
        Type element = elementTypeOf(args[0]);
        Value x =
            b.convert(args[0], accumulatorOf(element), "compute in 32 bits");
        Value centered = centerStep(x, dims, b);
        return scaleChannels(normalize(centered, centered, dims, eps, b),
                             args[1], args[2], element, b);
      })};
}

/// (x - mean) * scale + bias, where scale = weight / sqrt(variance + eps) is
/// computed once for each channel.
static Value applyStatistics(ValueRange args, double eps, Lowering &b) {
  Type element = elementTypeOf(args[0]), wide = accumulatorOf(element);
  SmallVector<Value> in;
  for (Value arg : args)
    in.push_back(b.convert(arg, wide, "compute in 32 bits"));
  Value x = in[0], mean = in[1], variance = in[2], weight = in[3], bias = in[4];
  Value shifted =
      b.step<flatir::AddOp>("add eps", variance, b.splat(eps, variance));
  Value root = b.step<flatir::RsqrtOp>("compute 1 / sqrt", shifted);
  Value centered = b.step<flatir::SubOp>(
      "subtract the mean", x, spreadChannels(mean, "the mean", 1, x, b));
  Value scale = b.step<flatir::MulOp>("scale the weight", root, weight);
  Value scaled = b.step<flatir::MulOp>(
      "normalize", centered, spreadChannels(scale, "the scale", 3, x, b));
  Value result = b.step<flatir::AddOp>(
      "add the bias", scaled, spreadChannels(bias, "the bias", 4, x, b));
  return b.convert(result, element, "round the result once");
}

// trace.batch_norm -> composite { (x - mean) * (w / sqrt(var + eps)) + b }
static Lowered lowerBatchNorm(trace::BatchNormOp op,
                              trace::BatchNormOp::Adaptor in, Lowering &b) {
  Value input = in.getInput();
  std::pair<Value, StringRef> vectors[] = {{in.getMean(), "the mean"},
                                           {in.getVariance(), "the variance"},
                                           {in.getWeight(), "the weight"},
                                           {in.getBias(), "the bias"}};
  SmallVector<Value> tensors{input};
  for (auto [vector, what] : vectors) {
    requireChannels(input, vector, what, b);
    tensors.push_back(vector);
  }
  double eps = in.getEps().convertToDouble();
  NamedAttribute config(op.getEpsAttrName(), in.getEpsAttr());
  return {b.composite("batch_norm", config, tensors, [&](ValueRange args) {
    return applyStatistics(args, eps, b);
  })};
}

void tripy::addNormalizationPatterns(PatternAdder &adder) {
  adder.add<trace::GroupNormOp>(lowerGroupNorm)
      .add<trace::InstanceNormOp>(lowerInstanceNorm)
      .add<trace::BatchNormOp>(lowerBatchNorm);
}
