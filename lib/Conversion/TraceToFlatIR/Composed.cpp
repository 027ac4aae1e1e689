//===- Composed.cpp - Lowers element-wise operations of others ------------===//

#include "Lowering.h"

#include <limits>

using namespace mlir;
using namespace tripy;

using flatir::ComparisonDirection;

// trace.reciprocal %x -> flatir.div 1, %x
static Lowered lowerReciprocal(trace::ReciprocalOp op,
                               trace::ReciprocalOp::Adaptor in, Lowering &b) {
  Value x = in.getInput();
  return {b.primary<flatir::DivOp>(b.splat(1, x), x)};
}

// trace.isnan %x -> flatir.compare ne %x, %x
static Lowered lowerIsNan(trace::IsNanOp op, trace::IsNanOp::Adaptor in,
                          Lowering &b) {
  return {b.primary<flatir::CompareOp>(op.getResult().getType(),
                                       ComparisonDirection::Ne, in.getInput(),
                                       in.getInput())};
}

/// |x| against infinity.
static Lowered compareSize(Type type, ComparisonDirection direction, Value x,
                           Lowering &b) {
  Value size = b.step<flatir::AbsOp>("compute |x|", x);
  Value limit = b.splat(std::numeric_limits<double>::infinity(), x);
  return {b.primary<flatir::CompareOp>(type, direction, size, limit)};
}

// trace.isinf %x -> flatir.compare eq |%x|, infinity
static Lowered lowerIsInf(trace::IsInfOp op, trace::IsInfOp::Adaptor in,
                          Lowering &b) {
  return compareSize(op.getResult().getType(), ComparisonDirection::Eq,
                     in.getInput(), b);
}

// trace.isfinite %x -> flatir.compare lt |%x|, infinity
static Lowered lowerIsFinite(trace::IsFiniteOp op,
                             trace::IsFiniteOp::Adaptor in, Lowering &b) {
  return compareSize(op.getResult().getType(), ComparisonDirection::Lt,
                     in.getInput(), b);
}

// trace.clamp %x, %low, %high -> flatir.minimum(flatir.maximum)
static Lowered lowerClamp(trace::ClampOp op, trace::ClampOp::Adaptor in,
                          Lowering &b) {
  SmallVector<Value> values =
      b.broadcastTogether({{in.getInput(), "the input", 0},
                           {in.getLow(), "the lower limit", 1},
                           {in.getHigh(), "the upper limit", 2}},
                          op.getResult().getType().getShape());
  Value raised = b.step<flatir::MaximumOp>("raise to the lower limit",
                                           values[0], values[1]);
  return {b.primary<flatir::MinimumOp>(raised, values[2])};
}

void tripy::addComposedPatterns(PatternAdder &adder) {
  adder.add<trace::ReciprocalOp>(lowerReciprocal)
      .add<trace::IsNanOp>(lowerIsNan)
      .add<trace::IsInfOp>(lowerIsInf)
      .add<trace::IsFiniteOp>(lowerIsFinite)
      .add<trace::ClampOp>(lowerClamp);
}
