//===- Creation.cpp - Lowers trace operations that make tensors -----------===//

#include "Lowering.h"

using namespace mlir;
using namespace tripy;

// trace.constant -> flatir.constant
static Lowered lowerConstant(trace::ConstantOp op,
                             trace::ConstantOp::Adaptor in, Lowering &b) {
  return {b.primary<flatir::ConstantOp>(in.getValue())};
}

// trace.full [2, %n] value = v -> flatir.constant; flatir.broadcast
static Lowered lowerFull(trace::FullOp op, trace::FullOp::Adaptor in,
                         Lowering &b) {
  auto type = op.getResult().getType();
  auto value = cast<TypedAttr>(in.getValueAttr());
  if (type.hasStaticShape())
    return {b.primary<flatir::ConstantOp>(DenseElementsAttr::get(type, value))};
  SizeList sizes = b.mixedSizes(in.getStaticSizes(), in.getSizes());
  b.requireSizes(sizes);
  auto scalarType = RankedTensorType::get({}, type.getElementType());
  Value scalar = b.insert<flatir::ConstantOp>(
      Why{"constant", "provide the value for 'full'"},
      DenseElementsAttr::get(scalarType, value));
  return {b.primary<flatir::BroadcastOp>(
      type, scalar, b.dynamicSizes(type, sizes), ArrayRef<int64_t>())};
}

// trace.iota [2, %n] -> flatir.iota
static Lowered lowerIota(trace::IotaOp op, trace::IotaOp::Adaptor in,
                         Lowering &b) {
  auto type = op.getResult().getType();
  SizeList sizes = b.mixedSizes(in.getStaticSizes(), in.getSizes());
  b.requireSizes(sizes);
  return {b.primary<flatir::IotaOp>(
      type, b.dynamicSizes(type, sizes),
      normalizeDim(asSigned(in.getDim()), type.getRank()))};
}

// trace.dim %x -> the size, as the operations that made %x know it
static Lowered lowerDim(trace::DimOp op, trace::DimOp::Adaptor in,
                        Lowering &b) {
  Value input = in.getInput();
  int64_t dim = normalizeDim(asSigned(in.getDim()), rankOf(input));
  return {b.math.value(b.sizesOf(input)[dim])};
}

// trace.from_index %n -> flatir.from_index
static Lowered lowerFromIndex(trace::FromIndexOp op,
                              trace::FromIndexOp::Adaptor in, Lowering &b) {
  return {
      b.primary<flatir::FromIndexOp>(op.getResult().getType(), in.getValue())};
}

void tripy::addCreationPatterns(PatternAdder &adder) {
  adder.add<trace::ConstantOp>(lowerConstant)
      .add<trace::FullOp>(lowerFull)
      .add<trace::IotaOp>(lowerIota)
      .add<trace::DimOp>(lowerDim)
      .add<trace::FromIndexOp>(lowerFromIndex);
}
