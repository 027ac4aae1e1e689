//===- FoldElementwise.cpp - Folders of element-wise operations -----------===//
//
// Cheap and exact: splats are computed, identities are dropped. Constants with
// different elements are the business of --flatir-fold-constants.
//
//===----------------------------------------------------------------------===//

#include "Folds.h"

#include "tripy/Dialect/Common/ScalarOps.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::flatir;
using scalar::ScalarFn;

//===-- splats ------------------------------------------------------------===//

Attribute flatir::splatValue(Attribute constant) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constant);
  if (!dense || dense.empty() || !dense.isSplat())
    return {};
  return dense.getSplatValue<Attribute>();
}

Attribute flatir::splatOf(Type type, Attribute element) {
  auto tensor = cast<RankedTensorType>(type);
  if (!element || !tensor.hasStaticShape())
    return {};
  return DenseElementsAttr::get(tensor, element);
}

Attribute flatir::floatElement(Type type, double value) {
  APFloat rounded(value);
  bool inexact;
  rounded.convert(cast<FloatType>(type).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &inexact);
  return FloatAttr::get(type, rounded);
}

/// The splat value of an operand, seen through the broadcasts and reshapes
/// that dynamic sizes keep from being folded.
static Attribute operandSplat(Value operand, Attribute constant) {
  if (constant)
    return splatValue(constant);
  Operation *def = operand.getDefiningOp();
  if (!isa_and_nonnull<BroadcastOp, ReshapeOp>(def))
    return {};
  auto source = def->getOperand(0).getDefiningOp<ConstantOp>();
  return source ? splatValue(source.getValue()) : Attribute();
}

static double toDouble(Attribute element) {
  APFloat value = cast<FloatAttr>(element).getValue();
  bool inexact;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
  return value.convertToDouble();
}

static int64_t toInt(Attribute element) {
  auto integer = cast<IntegerAttr>(element);
  return isUnsigned(integer.getType())
             ? static_cast<int64_t>(integer.getValue().getZExtValue())
             : integer.getValue().getSExtValue();
}

/// The low bits of `value`.
static Attribute intElement(Type type, int64_t value) {
  return IntegerAttr::get(type,
                          APInt(64, value).trunc(type.getIntOrFloatBitWidth()));
}

static bool toBool(Attribute element) {
  return !cast<IntegerAttr>(element).getValue().isZero();
}

/// The row's value for scalars of `type`, for which it is defined; y may be
/// null when the arity is 1.
static Attribute evaluateScalar(ScalarFn fn, Type type, Attribute x,
                                Attribute y) {
  if (!y)
    y = x;
  if (isa<FloatType>(type))
    return floatElement(type, scalar::evaluate(fn, toDouble(x), toDouble(y)));
  if (type.isInteger(1))
    return BoolAttr::get(type.getContext(),
                         scalar::evaluate(fn, toBool(x), toBool(y)));
  // Unsigned ones are computed as they are elsewhere, in a wider type.
  unsigned bits = scalar::signedTypeOf(type).getIntOrFloatBitWidth();
  return intElement(type, scalar::evaluate(fn, toInt(x), toInt(y), bits));
}

//===-- identities --------------------------------------------------------===//

/// Whether `element` is exactly `number`; -0.0 is not 0.0.
static bool isExactly(Attribute element, double number) {
  if (auto value = dyn_cast<FloatAttr>(element)) {
    double found = toDouble(value);
    return found == number && std::signbit(found) == std::signbit(number);
  }
  return toInt(element) == static_cast<int64_t>(number);
}

/// Whether `fn` of x and the constant `y` on its right is x, bit for bit (but
/// for the payload of NaN). x + 0.0 is not: it turns -0.0 into 0.0.
static bool isRightIdentity(ScalarFn fn, Attribute y) {
  if (cast<TypedAttr>(y).getType().isInteger(1))
    return fn == ScalarFn::LogicalAnd || fn == ScalarFn::Minimum
               ? toBool(y)
               : (fn == ScalarFn::LogicalOr || fn == ScalarFn::LogicalXor ||
                  fn == ScalarFn::Maximum) &&
                     !toBool(y);
  switch (fn) {
  case ScalarFn::Add:
    return isExactly(y, isa<FloatAttr>(y) ? -0.0 : 0.0);
  case ScalarFn::Sub:
  case ScalarFn::BitwiseOr:
  case ScalarFn::BitwiseXor:
  case ScalarFn::ShiftLeft:
  case ScalarFn::ShiftRight:
    return isExactly(y, 0.0);
  case ScalarFn::BitwiseAnd:
    return isExactly(y, -1.0);
  case ScalarFn::Mul:
  case ScalarFn::Div:
  case ScalarFn::Pow:
    return isExactly(y, 1.0);
  case ScalarFn::FloorDiv:
    return isa<IntegerAttr>(y) && isExactly(y, 1.0);
  default:
    return false;
  }
}

static bool isCommutative(ScalarFn fn) {
  switch (fn) {
  case ScalarFn::Add:
  case ScalarFn::Mul:
  case ScalarFn::Maximum:
  case ScalarFn::Minimum:
  case ScalarFn::LogicalAnd:
  case ScalarFn::LogicalOr:
  case ScalarFn::LogicalXor:
  case ScalarFn::BitwiseAnd:
  case ScalarFn::BitwiseOr:
  case ScalarFn::BitwiseXor:
    return true;
  default:
    return false;
  }
}

/// Functions with f(x, x) = x.
static bool isIdempotentBinary(ScalarFn fn) {
  return fn == ScalarFn::Maximum || fn == ScalarFn::Minimum ||
         fn == ScalarFn::LogicalAnd || fn == ScalarFn::LogicalOr ||
         fn == ScalarFn::BitwiseAnd || fn == ScalarFn::BitwiseOr;
}

static Value foldUnaryPair(Operation *op, ScalarFn fn) {
  Operation *inner = op->getOperand(0).getDefiningOp();
  if (!inner || inner->getName() != op->getName())
    return {};
  switch (fn) {
  case ScalarFn::Neg:
  case ScalarFn::LogicalNot:
  case ScalarFn::BitwiseNot:
    return inner->getOperand(0);
  case ScalarFn::Abs:
  case ScalarFn::Floor:
  case ScalarFn::Ceil:
  case ScalarFn::Round:
  case ScalarFn::Trunc:
  case ScalarFn::Sign:
    return op->getOperand(0);
  default:
    return {};
  }
}

static Value foldIdentity(Operation *op, ScalarFn fn, Attribute x,
                          Attribute y) {
  if (op->getNumOperands() == 1)
    return foldUnaryPair(op, fn);
  if (op->getOperand(0) == op->getOperand(1) && isIdempotentBinary(fn))
    return op->getOperand(0);
  if (y && isRightIdentity(fn, y))
    return op->getOperand(0);
  if (x && isCommutative(fn) && isRightIdentity(fn, x))
    return op->getOperand(1);
  return {};
}

OpFoldResult flatir::foldElementwise(Operation *op, ScalarFn fn,
                                     ArrayRef<Attribute> operands) {
  Type type = op->getResult(0).getType(), element = elementTypeOf(type);
  if (!scalar::isDefined(fn, element))
    return {};
  Attribute x = operandSplat(op->getOperand(0), operands[0]), y;
  if (op->getNumOperands() == 2)
    y = operandSplat(op->getOperand(1), operands[1]);
  if (x && (y || op->getNumOperands() == 1))
    if (Attribute splat = splatOf(type, evaluateScalar(fn, element, x, y)))
      return splat;
  Value same = foldIdentity(op, fn, x, y);
  // Compatible types may differ in what they know of the shape.
  return same && same.getType() == type ? OpFoldResult(same) : OpFoldResult();
}

//===-- compare, select, convert ------------------------------------------===//

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  Builder builder(getContext());
  auto fn = static_cast<scalar::ComparisonFn>(getDirection());
  Type element = elementTypeOf(getLhs());
  Attribute x = operandSplat(getLhs(), adaptor.getLhs());
  Attribute y = operandSplat(getRhs(), adaptor.getRhs());
  if (x && y) {
    bool value =
        isa<FloatType>(element) ? scalar::evaluate(fn, toDouble(x), toDouble(y))
        : element.isInteger(1)
            ? scalar::evaluate(fn, int64_t(toBool(x)), int64_t(toBool(y)))
            : scalar::evaluate(fn, toInt(x), toInt(y));
    return splatOf(getType(), builder.getBoolAttr(value));
  }
  // A NaN differs from itself, so only for integers and truth values.
  if (getLhs() == getRhs() && !isa<FloatType>(element))
    return splatOf(getType(), builder.getBoolAttr(scalar::evaluate(
                                  fn, int64_t(0), int64_t(0))));
  return {};
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getInput() == getOther())
    return getInput();
  if (Attribute condition =
          operandSplat(getCondition(), adaptor.getCondition()))
    return toBool(condition) ? getInput() : getOther();
  return {};
}

/// Whether every value of `from` is a value of `to`, so that converting to
/// `to` on the way to a third type changes nothing.
static bool isExactConversion(Type from, Type to) {
  if (from.isInteger(1))
    return true;
  bool isWider = to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return isWider && to.getIntOrFloatBitWidth() >= 32;
  return isa<IntegerType>(from) && isa<IntegerType>(to) && isWider &&
         !isUnsigned(to);
}

/// Toward zero; at the limits of the type when beyond, and 0 for NaN.
static APInt saturate(double value, Type to) {
  APSInt result(to.getIntOrFloatBitWidth(), isUnsigned(to));
  bool isExact;
  APFloat(value).convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return result;
}

/// `element` converted as ConvertOp describes.
static Attribute convertScalar(Attribute element, Type to) {
  auto from = cast<TypedAttr>(element).getType();
  if (isa<FloatType>(from)) {
    double value = toDouble(element);
    if (isa<FloatType>(to))
      return floatElement(to, value);
    if (to.isInteger(1))
      return BoolAttr::get(to.getContext(), value != 0);
    return IntegerAttr::get(to, saturate(value, to));
  }
  int64_t value = from.isInteger(1) ? int64_t(toBool(element)) : toInt(element);
  if (to.isInteger(1))
    return BoolAttr::get(to.getContext(), value != 0);
  if (auto type = dyn_cast<FloatType>(to)) {
    APFloat rounded(type.getFloatSemantics());
    rounded.convertFromAPInt(APInt(64, value, true), /*IsSigned=*/true,
                             APFloat::rmNearestTiesToEven);
    return FloatAttr::get(to, rounded);
  }
  return intElement(to, value);
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  Type to = elementTypeOf(getResult());
  if (Attribute element = operandSplat(getInput(), adaptor.getInput()))
    if (Attribute splat = splatOf(getType(), convertScalar(element, to)))
      return splat;
  auto inner = getInput().getDefiningOp<ConvertOp>();
  if (!inner || inner == *this ||
      !isExactConversion(elementTypeOf(inner.getInput()),
                         elementTypeOf(inner.getResult())))
    return {};
  getInputMutable().assign(inner.getInput());
  return getResult();
}

OpFoldResult FromIndexOp::fold(FoldAdaptor adaptor) {
  auto value = dyn_cast_or_null<IntegerAttr>(adaptor.getValue());
  if (!value)
    return {};
  Attribute wide = IntegerAttr::get(IntegerType::get(getContext(), 64),
                                    value.getValue().getSExtValue());
  return splatOf(getType(), convertScalar(wide, elementTypeOf(getResult())));
}
