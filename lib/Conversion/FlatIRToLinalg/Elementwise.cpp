//===- Elementwise.cpp - Element-wise operations and creation to linalg ---===//

#include "Lowering.h"

#include "tripy/Dialect/Common/ScalarFns.h"
#include "tripy/Dialect/Common/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;

Value LinalgLowering::generic(Location loc, RankedTensorType type,
                              ArrayRef<OpFoldResult> shape,
                              ArrayRef<Input> inputs, Body body) {
  Value init = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (const Input &input : inputs) {
    operands.push_back(input.tensor);
    maps.push_back(input.map);
  }
  maps.push_back(identityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      b, loc, type, operands, init, maps, iterators,
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        Value made = body(inner, arguments.drop_back());
        linalg::YieldOp::create(inner, loc, made);
      });
  return op.getResult(0);
}

Value LinalgLowering::copy(Value value, Location loc) {
  auto type = cast<RankedTensorType>(value.getType());
  return generic(loc, type, sizes.get(value),
                 {{value, identityMap(type.getRank())}},
                 [](OpBuilder &, ValueRange in) { return in.front(); });
}

TypedAttr tripy::splatValue(Value tensor) {
  SplatElementsAttr splat;
  if (matchPattern(tensor, m_Constant(&splat)))
    return splat.getSplatValue<TypedAttr>();
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 0)
    return nullptr;
  Value yielded = generic.getBlock()->getTerminator()->getOperand(0);
  Value number = yielded;
  if (auto cast = yielded.getDefiningOp<UnrealizedConversionCastOp>())
    number = cast.getInputs().front();
  auto constant = number.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return nullptr;
  if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
    return IntegerAttr::get(yielded.getType(), integer.getValue());
  return constant.getValue();
}

Value tripy::castScalar(OpBuilder &b, Location loc, Value value, Type to) {
  Type f32 = b.getF32Type();
  if (isFloat8(value.getType()))
    value = arith::ExtFOp::create(b, loc, f32, value);
  if (!isFloat8(to))
    return scalar::createCast(b, loc, value, to);
  // f32 has every integer that floats of 8 bits have, and rounds none to
  // another.
  value = isa<FloatType>(value.getType())
              ? scalar::createRoundable(b, loc, value)
              : scalar::createCast(b, loc, value, f32);
  return arith::TruncFOp::create(b, loc, to, value);
}

Value tripy::scalarConstant(OpBuilder &b, Location loc, TypedAttr value) {
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!integer || !isUnsigned(value.getType()))
    return arith::ConstantOp::create(b, loc, value);
  Type bits = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
  Value constant = arith::ConstantOp::create(
      b, loc, IntegerAttr::get(bits, integer.getValue()));
  return UnrealizedConversionCastOp::create(b, loc, value.getType(), constant)
      .getResult(0);
}

/// The scalar code of an element-wise operation.
static Value buildScalar(Operation *op, OpBuilder &b, ValueRange in) {
  Location loc = op->getLoc();
  if (auto compare = dyn_cast<flatir::CompareOp>(op)) {
    StringRef name = stringifyEnum(compare.getDirection());
    return scalar::build(*scalar::lookupComparison(name), b, loc, in);
  }
  if (isa<flatir::SelectOp>(op))
    return arith::SelectOp::create(b, loc, in[0], in[1], in[2]);
  if (isa<flatir::ConvertOp>(op))
    return castScalar(b, loc, in.front(), elementTypeOf(op->getResult(0)));
  if (flatir::isTensorArithmetic(op)) {
    OperationState state(loc, op->getName(), in,
                         elementTypeOf(op->getResult(0)), op->getAttrs());
    return b.create(state)->getResult(0);
  }
  auto fn = scalar::lookupScalarFn(op->getName().stripDialect());
  return fn ? scalar::build(*fn, b, loc, in) : Value();
}

static bool isElementwise(Operation *op) {
  return isa<flatir::CompareOp, flatir::SelectOp, flatir::ConvertOp>(op) ||
         flatir::isTensorArithmetic(op) ||
         scalar::lookupScalarFn(op->getName().stripDialect());
}

// flatir.<fn>, compare, select, convert, arith.<op> -> linalg.generic with
// identity maps; splat operands become constants of the body.
Value LinalgLowering::elementwise(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<Input> inputs;
  SmallVector<TypedAttr> splats;
  for (Value operand : op->getOperands()) {
    splats.push_back(splatValue(operand));
    if (!splats.back())
      inputs.push_back({operand, identityMap(type.getRank())});
  }
  return generic(op->getLoc(), type, sizes.get(op->getResult(0)), inputs,
                 [&](OpBuilder &inner, ValueRange arguments) {
                   SmallVector<Value> operands;
                   for (TypedAttr splat : splats) {
                     if (splat) {
                       operands.push_back(
                           scalarConstant(inner, op->getLoc(), splat));
                       continue;
                     }
                     operands.push_back(arguments.front());
                     arguments = arguments.drop_front();
                   }
                   return buildScalar(op, inner, operands);
                 });
}

// flatir.constant -> arith.constant
Value LinalgLowering::constant(flatir::ConstantOp op) {
  return arith::ConstantOp::create(b, op.getLoc(),
                                   cast<TypedAttr>(op.getValue()));
}

/// An index as a number of type `element`.
static Value indexAs(OpBuilder &b, Location loc, Value index, Type element) {
  Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  return castScalar(b, loc, wide, element);
}

// flatir.iota -> linalg.generic of linalg.index
Value LinalgLowering::iota(flatir::IotaOp op) {
  RankedTensorType type = op.getResult().getType();
  return generic(op.getLoc(), type, sizes.get(op.getResult()), {},
                 [&](OpBuilder &inner, ValueRange) {
                   Value index = linalg::IndexOp::create(
                       inner, op.getLoc(), static_cast<int64_t>(op.getDim()));
                   return indexAs(inner, op.getLoc(), index,
                                  type.getElementType());
                 });
}

// flatir.from_index -> linalg.generic of rank 0
Value LinalgLowering::fromIndex(flatir::FromIndexOp op) {
  RankedTensorType type = op.getResult().getType();
  return generic(op.getLoc(), type, {}, {}, [&](OpBuilder &inner, ValueRange) {
    return indexAs(inner, op.getLoc(), op.getValue(), type.getElementType());
  });
}

Value LinalgLowering::lower(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](flatir::ConstantOp o) { return constant(o); })
      .Case([&](flatir::IotaOp o) { return iota(o); })
      .Case([&](flatir::FromIndexOp o) { return fromIndex(o); })
      .Case([&](flatir::BroadcastOp o) { return broadcast(o); })
      .Case([&](flatir::ReshapeOp o) { return reshape(o); })
      .Case([&](flatir::TransposeOp o) { return transpose(o); })
      .Case([&](flatir::SliceOp o) { return slice(o); })
      .Case([&](flatir::ConcatenateOp o) { return concatenate(o); })
      .Case([&](flatir::GatherOp o) { return gather(o); })
      .Case([&](flatir::WindowOp o) { return window(o); })
      .Case([&](flatir::ReduceOp o) { return reduce(o); })
      .Case([&](flatir::ScanOp o) { return scan(o); })
      .Case([&](flatir::SortOp o) { return sort(o); })
      .Case([&](flatir::RandomBitsOp o) { return randomBits(o); })
      .Case([&](flatir::DotOp o) { return dot(o); })
      .Default([&](Operation *other) {
        return isElementwise(other) ? elementwise(other) : Value();
      });
}
