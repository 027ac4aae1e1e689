//===- Reduction.cpp - Raises reductions ----------------------------------===//
//
// A reduction of linalg starts from an operand, one of flatir from what changes
// nothing: another start is combined with the result.
//
//===----------------------------------------------------------------------===//

#include "Generic.h"

#include "tripy/Dialect/Common/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::raise;
using flatir::ReduceKind;
using scalar::ScalarFn;

/// The kind of reduction that repeats `op`; none for others. A number of
/// maxnumf and minnumf is never NaN here; unsigned maxima turn the sign bit.
static std::optional<ReduceKind> kindOf(Operation *op) {
  bool isTruth = op->getResult(0).getType().isInteger(1);
  using Kind = std::optional<ReduceKind>;
  auto onTruth = [&](ReduceKind truth, Kind number) {
    return isTruth ? Kind(truth) : number;
  };
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([&](arith::AddFOp) { return ReduceKind::Sum; })
      .Case([&](arith::AddIOp) {
        return isTruth ? Kind() : Kind(ReduceKind::Sum);
      })
      .Case([&](arith::MulFOp) { return ReduceKind::Prod; })
      .Case([&](arith::MulIOp) {
        return onTruth(ReduceKind::And, ReduceKind::Prod);
      })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [&](auto) { return ReduceKind::Max; })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [&](auto) { return ReduceKind::Min; })
      // Of signed truth values, true is -1.
      .Case([&](arith::MaxSIOp) {
        return onTruth(ReduceKind::And, ReduceKind::Max);
      })
      .Case([&](arith::MinSIOp) {
        return onTruth(ReduceKind::Or, ReduceKind::Min);
      })
      .Case([&](arith::MaxUIOp) {
        return onTruth(ReduceKind::Or, ReduceKind::Max);
      })
      .Case([&](arith::MinUIOp) {
        return onTruth(ReduceKind::And, ReduceKind::Min);
      })
      .Case([&](arith::AndIOp) { return onTruth(ReduceKind::And, Kind()); })
      .Case([&](arith::OrIOp) { return onTruth(ReduceKind::Or, Kind()); })
      .Default(Kind());
}

Operation *GenericRaising::combinerOf(unsigned number, Value &element) {
  Value yielded = body.getTerminator()->getOperand(number);
  Operation *combiner = yielded.getDefiningOp();
  BlockArgument sum = op.getMatchingBlockArgument(op.getDpsInitOperand(number));
  bool combines = combiner && combiner->getBlock() == &body &&
                  sum.hasOneUse() && *sum.user_begin() == combiner &&
                  kindOf(combiner);
  if (!combines) {
    written->emitOpError("must reduce by one sum, product, maximum, minimum, "
                         "and, or of an element and the value so far to be "
                         "compiled");
    return nullptr;
  }
  element = combiner->getOperand(combiner->getOperand(0) == sum ? 1 : 0);
  return combiner;
}

//===-- elements ----------------------------------------------------------===//

static bool comparesUnsigned(Operation *combiner) {
  return isa<arith::MaxUIOp, arith::MinUIOp>(combiner) &&
         !combiner->getResult(0).getType().isInteger(1);
}

/// With the sign bit turned, which is turned back the same way.
static Value turnSign(Value x, const Space &space, Lowering &b) {
  Steps s(space, b);
  return s.fn(ScalarFn::Add, {x, s.lowest(x)});
}

/// What maxnumf and minnumf pass over becomes what changes no result.
static Value replaceNaN(Value x, ReduceKind kind, const Space &space,
                        Lowering &b) {
  Steps s(space, b);
  double infinity = std::numeric_limits<double>::infinity();
  Value neutral = s.number(kind == ReduceKind::Max ? -infinity : infinity, x);
  Value isNaN = s.compare(flatir::ComparisonDirection::Ne, x, x);
  return s.select(isNaN, neutral, x);
}

std::optional<View> GenericRaising::reduce(unsigned number, Operation *combiner,
                                           Value element) {
  if (loops.rank() > maxRank) {
    written->emitOpError("must have at most ")
        << maxRank << " loops to be compiled; found " << loops.rank();
    return std::nullopt;
  }
  Value elements = evaluate(element, loops);
  if (!elements)
    return std::nullopt;
  ReduceKind kind = *kindOf(combiner);
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner))
    elements = replaceNaN(elements, kind, loops, b);
  if (comparesUnsigned(combiner))
    elements = turnSign(elements, loops, b);
  Space kept = loops.select(parallel);
  Value made = b.primary<flatir::ReduceOp>(kept.type(elementTypeOf(elements)),
                                           kind, elements, reduced);
  if (comparesUnsigned(combiner))
    made = turnSign(made, kept, b);
  return View{made, parallel};
}

//===-- the start ---------------------------------------------------------===//

/// Combines the number that a reduction by maxnumf or minnumf starts from with
/// its result, which is a number too.
Value GenericRaising::withNumber(TypedAttr start, Operation *combiner,
                                 Value result) {
  auto number = dyn_cast_or_null<FloatAttr>(start);
  if (!number || number.getValue().isNaN()) {
    written->emitOpError("must start from a linalg.fill with a number to be "
                         "compiled, because it reduces by '")
        << combiner->getName().getStringRef() << "'";
    return {};
  }
  bool isMax = isa<arith::MaxNumFOp>(combiner);
  const APFloat &value = number.getValue();
  if (value.isInfinity() && value.isNegative() == isMax)
    return result;
  Space space = spaceOf(result, b);
  Value from = splat(start, space, b);
  return Steps(space, b).fn(isMax ? ScalarFn::Maximum : ScalarFn::Minimum,
                            {from, result});
}

/// Combines the value that the reduction starts from with its result.
Value GenericRaising::withStart(unsigned number, Operation *combiner,
                                View view) {
  OpOperand *init = op.getDpsInitOperand(number);
  Value start = program.valueOf(init->get(), written);
  if (!start)
    return {};
  TypedAttr known = splatOf(start);
  if (known && scalar::isNeutral(combiner, known))
    return view.tensor;
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner))
    return withNumber(known, combiner, view.tensor);
  Space space = spaceOf(view.tensor, b);
  SmallVector<int64_t> used;
  AffineMap map = b.getBuilder().getMultiDimIdentityMap(space.rank());
  start = readThrough(start, map, space, used, b);
  BlockArgument sum = op.getMatchingBlockArgument(init);
  SmallVector<Value> in = {start, view.tensor};
  if (combiner->getOperand(0) != sum)
    std::swap(in[0], in[1]);
  Lowering last = builderFor(combiner);
  return raiseScalar({combiner, in, own}, space, program.table, last);
}
