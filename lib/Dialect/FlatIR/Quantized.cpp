//===- Quantized.cpp - quantize and dequantize in flatir ------------------===//

#include "tripy/Dialect/FlatIR/Quantized.h"

#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::flatir;

double flatir::largestOf(FloatType type) {
  APFloat largest = APFloat::getLargest(type.getFloatSemantics());
  bool inexact;
  largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &inexact);
  return largest.convertToDouble();
}

//===-- scales ------------------------------------------------------------===//

/// The splat that a constant is, or null.
static Attribute splatOf(Value value) {
  auto op = value.getDefiningOp<ConstantOp>();
  auto dense =
      op ? dyn_cast<DenseElementsAttr>(op.getValue()) : DenseElementsAttr();
  return dense && dense.isSplat() && !dense.empty()
             ? dense.getSplatValue<Attribute>()
             : Attribute();
}

Scales Scales::of(Value spread) {
  Scales scales;
  scales.spread = spread;
  scales.splat = splatOf(spread);
  auto broadcast = spread.getDefiningOp<BroadcastOp>();
  if (scales.splat || !broadcast || rankOf(broadcast.getInput()) > 1)
    return scales;
  scales.source = broadcast.getInput();
  if (!broadcast.getDims().empty())
    scales.dim = broadcast.getDims().front();
  return scales;
}

bool Scales::equals(const Scales &other) const {
  return spread == other.spread || (splat && splat == other.splat) ||
         (source && source == other.source && dim == other.dim);
}

Attribute Scales::constant() const {
  if (splat)
    return DenseElementsAttr::get(
        RankedTensorType::get({}, cast<TypedAttr>(splat).getType()), splat);
  auto op = source ? source.getDefiningOp<ConstantOp>() : ConstantOp();
  return op ? op.getValue() : Attribute();
}

Value Scales::spreadTo(OpBuilder &b, Location parent, ArrayRef<int64_t> shape,
                       ValueRange sizes, int64_t newDim, Value vector) const {
  Type element = elementTypeOf(spread);
  Location loc =
      inserted(parent, {"scale", "give the scale the shape of the elements"});
  Value from = vector ? vector : source;
  if (!from)
    from = ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(RankedTensorType::get({}, element), splat));
  SmallVector<int64_t> dims;
  if (rankOf(from) == 1)
    dims.push_back(newDim);
  return BroadcastOp::create(b, loc, RankedTensorType::get(shape, element),
                             from, sizes, dims);
}

//===-- composites --------------------------------------------------------===//

/// The operand of a conversion to `element`, or the value itself.
static Value beforeConvert(Value value) {
  auto convert = value.getDefiningOp<ConvertOp>();
  return convert ? convert.getInput() : value;
}

/// What the region of a composite of two tensors yields; null when it is
/// another one.
static Value resultOf(CompositeOp op, StringRef name) {
  if (!op || op.getName() != name || op->getNumResults() != 1 ||
      op.getInputs().size() < 2)
    return {};
  return op.getBody().front().getTerminator()->getOperand(0);
}

/// Whether `op` computes with both arguments of a composite, in f32 and in
/// order; conversions are exact, as they start from 8 or 16 bits.
template <typename OpTy> static bool takesArguments(OpTy op, Block &body) {
  return op && elementTypeOf(op.getResult()).isF32() &&
         beforeConvert(op.getLhs()) == body.getArgument(0) &&
         beforeConvert(op.getRhs()) == body.getArgument(1);
}

static ScaledElements operandsOf(CompositeOp op) {
  return {op.getInputs()[0], Scales::of(op.getInputs()[1])};
}

static bool isQuantized(Type element) {
  return element.isSignlessInteger(8) || isInt4(element) || isFloat8(element);
}

std::optional<ScaledElements> flatir::matchDequantize(Value value) {
  auto op = value.getDefiningOp<CompositeOp>();
  Value result = resultOf(op, dequantizeName);
  if (!result || !isQuantized(elementTypeOf(op.getInputs()[0])))
    return std::nullopt;
  auto product = beforeConvert(result).getDefiningOp<MulOp>();
  if (!takesArguments(product, op.getBody().front()) ||
      !isa<FloatType>(elementTypeOf(result)))
    return std::nullopt;
  return operandsOf(op);
}

/// The input of `value`, a maximum or minimum with a splat of `limit`; null
/// when it is something else.
template <typename OpTy> static Value beforeLimit(Value value, double limit) {
  auto op = value ? value.getDefiningOp<OpTy>() : OpTy();
  if (!op)
    return {};
  Value bound = op.getRhs();
  if (auto broadcast = bound.template getDefiningOp<BroadcastOp>())
    bound = broadcast.getInput();
  auto splat = dyn_cast_or_null<FloatAttr>(splatOf(bound));
  return splat && splat.getValueAsDouble() == limit ? op.getLhs() : Value();
}

std::optional<ScaledElements> flatir::matchQuantize(CompositeOp op) {
  Value result = resultOf(op, quantizeName);
  if (!result || !isQuantized(elementTypeOf(result)))
    return std::nullopt;
  Value value = beforeConvert(result);
  if (auto type = dyn_cast<FloatType>(elementTypeOf(result))) {
    double limit = largestOf(type);
    value =
        beforeLimit<MaximumOp>(beforeLimit<MinimumOp>(value, limit), -limit);
  } else {
    auto round = value.getDefiningOp<RoundOp>();
    value = round ? round->getOperand(0) : Value();
  }
  if (!value ||
      !takesArguments(value.getDefiningOp<DivOp>(), op.getBody().front()))
    return std::nullopt;
  return operandsOf(op);
}

Value flatir::cloneDequantize(OpBuilder &b, CompositeOp op, Value elements,
                              Value scales) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(elements.getType()).getShape();
  auto reshaped = [&](Type type) {
    return RankedTensorType::get(shape, elementTypeOf(type));
  };
  auto clone = CompositeOp::create(
      b, op.getLoc(), TypeRange(reshaped(op->getResult(0).getType())),
      ValueRange{elements, scales}, op.getName(), op.getConfig());
  OpBuilder::InsertionGuard guard(b);
  Block &from = op.getBody().front();
  Block *body = b.createBlock(&clone.getBody(), {},
                              {elements.getType(), scales.getType()},
                              {elements.getLoc(), scales.getLoc()});
  IRMapping map;
  map.map(from.getArguments().take_front(2), body->getArguments());
  for (Operation &each : from) {
    Operation *copy = b.clone(each, map);
    for (Value result : copy->getResults())
      result.setType(reshaped(result.getType()));
  }
  return clone->getResult(0);
}
