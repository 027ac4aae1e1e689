//===- Activation.cpp - Lowers activations with parameters of trace -------===//

#include "Activation.h"

using namespace mlir;
using namespace tripy;

Value tripy::activation(StringRef name, ArrayRef<NamedAttribute> config,
                        Value input, Lowering &b,
                        function_ref<Value(Value)> body) {
  return b.composite(name, config, input, [&](ValueRange arguments) {
    Type element = elementTypeOf(arguments[0]);
    Type wideType = isa<FloatType>(element)
                        ? accumulatorOf(element)
                        : Float32Type::get(element.getContext());
    Value wide = b.convert(arguments[0], wideType, "compute in 32 bits");
    return b.convert(body(wide), element, "round the result once");
  });
}

/// x > 0.
static Value isPositive(Value x, Lowering &b) {
  Type truth =
      withElementType(x.getType(), IntegerType::get(x.getContext(), 1));
  return b.step<flatir::CompareOp>("find the positive elements", truth,
                                   flatir::ComparisonDirection::Gt, x,
                                   b.splat(0, x));
}

// trace.elu %x -> composite { x > 0 ? x : alpha expm1(x) }
static Lowered lowerElu(trace::EluOp op, trace::EluOp::Adaptor in,
                        Lowering &b) {
  NamedAttribute config(op.getAlphaAttrName(), in.getAlphaAttr());
  double alpha = in.getAlpha().convertToDouble();
  return {activation("elu", config, in.getInput(), b, [&](Value x) {
    Value power = b.step<flatir::Expm1Op>("compute exp(x) - 1", x);
    Value scaled =
        b.step<flatir::MulOp>("scale by alpha", power, b.splat(alpha, x));
    return b.step<flatir::SelectOp>("keep the positive elements",
                                    isPositive(x, b), x, scaled);
  })};
}

// trace.leaky_relu %x -> composite { x > 0 ? x : slope x }
static Lowered lowerLeakyRelu(trace::LeakyReluOp op,
                              trace::LeakyReluOp::Adaptor in, Lowering &b) {
  NamedAttribute config(op.getSlopeAttrName(), in.getSlopeAttr());
  double slope = in.getSlope().convertToDouble();
  return {activation("leaky_relu", config, in.getInput(), b, [&](Value x) {
    Value scaled =
        b.step<flatir::MulOp>("scale by the slope", x, b.splat(slope, x));
    return b.step<flatir::SelectOp>("keep the positive elements",
                                    isPositive(x, b), x, scaled);
  })};
}

/// maximum(x, 0) + log1p(exp(-|x|)).
static Value softplus(Value x, Lowering &b) {
  Value size = b.step<flatir::AbsOp>("compute |x|", x);
  Value negated = b.step<flatir::NegOp>("negate it", size);
  Value power = b.step<flatir::ExpOp>("compute exp(-|x|)", negated);
  Value rest = b.step<flatir::Log1pOp>("compute log(1 + exp(-|x|))", power);
  Value ramp =
      b.step<flatir::MaximumOp>("compute maximum(x, 0)", x, b.splat(0, x));
  return b.step<flatir::AddOp>("add both", ramp, rest);
}

// trace.softplus %x -> composite { maximum(x, 0) + log1p(exp(-|x|)) }
static Lowered lowerSoftplus(trace::SoftplusOp op,
                             trace::SoftplusOp::Adaptor in, Lowering &b) {
  return {activation("softplus", {}, in.getInput(), b,
                     [&](Value x) { return softplus(x, b); })};
}

// trace.mish %x -> composite { x tanh(softplus(x)) }
static Lowered lowerMish(trace::MishOp op, trace::MishOp::Adaptor in,
                         Lowering &b) {
  return {activation("mish", {}, in.getInput(), b, [&](Value x) {
    Value gate = b.step<flatir::TanhOp>("compute tanh", softplus(x, b));
    return b.step<flatir::MulOp>("scale the input", x, gate);
  })};
}

/// minimum(maximum(alpha x + beta, 0), 1).
static Value hardSigmoid(Value x, double alpha, double beta, Lowering &b) {
  Value scaled = b.step<flatir::MulOp>("scale by alpha", x, b.splat(alpha, x));
  Value moved = b.step<flatir::AddOp>("add beta", scaled, b.splat(beta, x));
  Value low = b.step<flatir::MaximumOp>("limit to 0", moved, b.splat(0, x));
  return b.step<flatir::MinimumOp>("limit to 1", low, b.splat(1, x));
}

// trace.hard_sigmoid %x -> composite { min(max(alpha x + beta, 0), 1) }
static Lowered lowerHardSigmoid(trace::HardSigmoidOp op,
                                trace::HardSigmoidOp::Adaptor in, Lowering &b) {
  NamedAttribute config[] = {{op.getAlphaAttrName(), in.getAlphaAttr()},
                             {op.getBetaAttrName(), in.getBetaAttr()}};
  double alpha = in.getAlpha().convertToDouble();
  double beta = in.getBeta().convertToDouble();
  return {activation("hard_sigmoid", config, in.getInput(), b,
                     [&](Value x) { return hardSigmoid(x, alpha, beta, b); })};
}

// trace.hard_swish %x -> composite { x hard_sigmoid(x) }
static Lowered lowerHardSwish(trace::HardSwishOp op,
                              trace::HardSwishOp::Adaptor in, Lowering &b) {
  return {activation("hard_swish", {}, in.getInput(), b, [&](Value x) {
    return b.step<flatir::MulOp>("scale the input", x,
                                 hardSigmoid(x, 1.0 / 6, 0.5, b));
  })};
}

void tripy::addActivationPatterns(PatternAdder &adder) {
  adder.add<trace::EluOp>(lowerElu)
      .add<trace::LeakyReluOp>(lowerLeakyRelu)
      .add<trace::SoftplusOp>(lowerSoftplus)
      .add<trace::MishOp>(lowerMish)
      .add<trace::HardSigmoidOp>(lowerHardSigmoid)
      .add<trace::HardSwishOp>(lowerHardSwish);
}
