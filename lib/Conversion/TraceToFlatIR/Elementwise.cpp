//===- Elementwise.cpp - Lowers element-wise operations of trace ----------===//

#include "Activation.h"

#include "tripy/Dialect/Common/ScalarFns.h"

#include <numbers>

using namespace mlir;
using namespace tripy;

//===-- rows of the table -------------------------------------------------===//

namespace {

/// The operands of a row, with their names.
SmallVector<NamedTensor> nameOperands(ValueRange operands) {
  if (operands.size() == 1)
    return {{operands[0], "the operand", 0}};
  return {{operands[0], "the left operand", 0},
          {operands[1], "the right operand", 1}};
}

SmallVector<Value> broadcastOperands(Operation *op, ValueRange operands,
                                     Lowering &b) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return b.broadcastTogether(nameOperands(operands), type.getShape());
}

// trace.<fn> %a, %b -> flatir.broadcast; flatir.<fn>; of i4 with conversions to
// i8 and back
class ScalarFnPattern : public ConversionPattern {
public:
  ScalarFnPattern(MLIRContext *context, TraceLowering::State &state,
                  StringRef mnemonic)
      : ConversionPattern(("trace." + mnemonic).str(), 1, context),
        state(state), target(("flatir." + mnemonic).str()) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    Lowering b(op, rewriter, state);
    SmallVector<Value> values = broadcastOperands(op, operands, b);
    Type result = op->getResult(0).getType();
    if (!isInt4(elementTypeOf(values[0]))) {
      rewriter.replaceOp(op, b.primary(target, op->getResultTypes(), values));
      return success();
    }
    Type wide = IntegerType::get(op->getContext(), 8);
    for (Value &value : values)
      value = b.convert(value, wide, "compute with 8 bits");
    Value computed =
        b.primary(target, values[0].getType(), values)->getResult(0);
    rewriter.replaceOp(
        op, b.step<flatir::ConvertOp>("keep the low 4 bits", result, computed));
    return success();
  }

private:
  TraceLowering::State &state;
  std::string target;
};

// trace.<cmp> %a, %b -> flatir.broadcast; flatir.compare <cmp>
class ComparisonPattern : public ConversionPattern {
public:
  ComparisonPattern(MLIRContext *context, TraceLowering::State &state,
                    StringRef mnemonic)
      : ConversionPattern(("trace." + mnemonic).str(), 1, context),
        state(state),
        direction(*flatir::symbolizeComparisonDirection(mnemonic)) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    Lowering b(op, rewriter, state);
    SmallVector<Value> values = broadcastOperands(op, operands, b);
    rewriter.replaceOp(
        op, b.primary<flatir::CompareOp>(op->getResult(0).getType(), direction,
                                         values[0], values[1]));
    return success();
  }

private:
  TraceLowering::State &state;
  flatir::ComparisonDirection direction;
};

} // namespace

//===-- where, cast, relu -------------------------------------------------===//

// trace.where %c, %a, %b -> flatir.broadcast; flatir.select
static Lowered lowerWhere(trace::WhereOp op, trace::WhereOp::Adaptor in,
                          Lowering &b) {
  SmallVector<Value> values =
      b.broadcastTogether({{in.getCondition(), "the condition", 0},
                           {in.getInput(), "the first choice", 1},
                           {in.getOther(), "the second choice", 2}},
                          op.getResult().getType().getShape());
  return {b.primary<flatir::SelectOp>(values[0], values[1], values[2])};
}

// trace.cast %a to T -> flatir.convert, or %a
static Lowered lowerCast(trace::CastOp op, trace::CastOp::Adaptor in,
                         Lowering &b) {
  if (op.getResult().getType() == in.getInput().getType())
    return {in.getInput()};
  return {
      b.primary<flatir::ConvertOp>(op.getResult().getType(), in.getInput())};
}

// trace.relu %a -> flatir.maximum %a, 0; of i4 with conversions to i8 and back
static Lowered lowerRelu(trace::ReluOp op, trace::ReluOp::Adaptor in,
                         Lowering &b) {
  Type element = elementTypeOf(in.getInput());
  if (isInt4(element)) {
    Value wide = b.convert(in.getInput(), IntegerType::get(op.getContext(), 8),
                           "compute with 8 bits");
    Value most =
        b.step<flatir::MaximumOp>("limit to 0", wide, b.splat(0, wide));
    return {b.primary<flatir::ConvertOp>(op.getResult().getType(), most)};
  }
  Value zero = b.splat(0, in.getInput());
  return {b.primary<flatir::MaximumOp>(in.getInput(), zero)};
}

//===-- sigmoid, silu, gelu -----------------------------------------------===//

/// 1 + exp(-x).
static Value onePlusExpNeg(Value x, Lowering &b) {
  Value negated = b.step<flatir::NegOp>("negate the input", x);
  Value power = b.step<flatir::ExpOp>("compute exp(-x)", negated);
  return b.step<flatir::AddOp>("compute 1 + exp(-x)", b.splat(1, x), power);
}

// trace.sigmoid %x -> composite { 1 / (1 + exp(-x)) }
static Lowered lowerSigmoid(trace::SigmoidOp op, trace::SigmoidOp::Adaptor in,
                            Lowering &b) {
  return {activation("sigmoid", {}, in.getInput(), b, [&](Value x) {
    Value divisor = onePlusExpNeg(x, b);
    return b.step<flatir::DivOp>("compute the reciprocal", b.splat(1, x),
                                 divisor);
  })};
}

// trace.silu %x -> composite { x / (1 + exp(-x)) }
static Lowered lowerSilu(trace::SiluOp op, trace::SiluOp::Adaptor in,
                         Lowering &b) {
  return {activation("silu", {}, in.getInput(), b, [&](Value x) {
    return b.step<flatir::DivOp>("divide the input by 1 + exp(-x)", x,
                                 onePlusExpNeg(x, b));
  })};
}

/// tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)).
static Value geluTanh(Value x, Lowering &b) {
  Value square = b.step<flatir::MulOp>("compute x^2", x, x);
  Value cube = b.step<flatir::MulOp>("compute x^3", square, x);
  Value scaled = b.step<flatir::MulOp>("scale x^3 by 0.044715", cube,
                                       b.splat(0.044715, x));
  Value sum = b.step<flatir::AddOp>("compute x + 0.044715 x^3", x, scaled);
  Value root = b.splat(std::sqrt(2 / std::numbers::pi), x);
  Value inner = b.step<flatir::MulOp>("scale by sqrt(2 / pi)", sum, root);
  return b.step<flatir::TanhOp>("compute tanh", inner);
}

// trace.gelu %x -> composite { 0.5 x (1 + tanh(...)), or erf(x / sqrt(2)) }
static Lowered lowerGelu(trace::GeluOp op, trace::GeluOp::Adaptor in,
                         Lowering &b) {
  bool exact = in.getApproximate() == "erf";
  NamedAttribute config(op.getApproximateAttrName(), in.getApproximateAttr());
  return {activation("gelu", config, in.getInput(), b, [&](Value x) {
    Value gate;
    if (exact) {
      Value scaled = b.step<flatir::MulOp>("compute x / sqrt(2)", x,
                                           b.splat(std::numbers::sqrt2 / 2, x));
      gate = b.step<flatir::ErfOp>("compute erf", scaled);
    } else {
      gate = geluTanh(x, b);
    }
    Value factor =
        b.step<flatir::AddOp>("add 1 to the gate", b.splat(1, x), gate);
    Value half = b.step<flatir::MulOp>("halve the input", b.splat(0.5, x), x);
    return b.step<flatir::MulOp>("scale the halved input", half, factor);
  })};
}

void tripy::addElementwisePatterns(PatternAdder &adder) {
  MLIRContext *context = adder.patterns.getContext();
  for (const scalar::ScalarFnInfo &fn : scalar::scalarFns())
    adder.patterns.add<ScalarFnPattern>(context, adder.state, fn.mnemonic);
  for (const scalar::ComparisonInfo &comparison : scalar::comparisons())
    adder.patterns.add<ComparisonPattern>(context, adder.state,
                                          comparison.mnemonic);
  adder.add<trace::WhereOp>(lowerWhere)
      .add<trace::CastOp>(lowerCast)
      .add<trace::ReluOp>(lowerRelu)
      .add<trace::SigmoidOp>(lowerSigmoid)
      .add<trace::SiluOp>(lowerSilu)
      .add<trace::GeluOp>(lowerGelu);
}
