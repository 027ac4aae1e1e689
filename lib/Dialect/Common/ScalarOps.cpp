//===- ScalarOps.cpp - Scalar bodies defined for every input --------------===//
#include "tripy/Dialect/Common/ScalarOps.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/APInt.h"

#include <cmath>

using namespace mlir;
using namespace tripy;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

//===-- helpers -----------------------------------------------------------===//

/// `element` with the shape of `like`.
static Type typeLike(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return vector.clone(element);
  return element;
}

static Value constant(ImplicitLocOpBuilder &b, Type type, TypedAttr attr) {
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

static Value integer(ImplicitLocOpBuilder &b, Type type, const APInt &value) {
  return constant(b, type, b.getIntegerAttr(getElementTypeOrSelf(type), value));
}

static Value integer(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return integer(b, type,
                 APInt(width, value, /*isSigned=*/true, /*truncate=*/true));
}

static Value number(ImplicitLocOpBuilder &b, Type type, double value) {
  return constant(b, type, b.getFloatAttr(getElementTypeOrSelf(type), value));
}

static Value compare(ImplicitLocOpBuilder &b, CmpIPredicate predicate, Value x,
                     int64_t y) {
  return arith::CmpIOp::create(b, predicate, x, integer(b, x.getType(), y));
}

static Value compare(ImplicitLocOpBuilder &b, CmpFPredicate predicate, Value x,
                     double y) {
  return arith::CmpFOp::create(b, predicate, x, number(b, x.getType(), y));
}

static Value bitcast(ImplicitLocOpBuilder &b, Value x, Type element) {
  return arith::BitcastOp::create(b, typeLike(x.getType(), element), x);
}

//===-- integer division --------------------------------------------------===//

namespace {

/// What division needs to be defined.
struct SafeDivision {
  Value x, y;
  /// y, or 1 where x / y is undefined.
  Value divisor;
  Value isZero;
};

} // namespace

static SafeDivision makeSafe(ImplicitLocOpBuilder &b, ValueRange operands) {
  Value x = operands[0], y = operands[1];
  Type type = x.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value isZero = compare(b, CmpIPredicate::eq, y, 0);
  Value lowest = integer(b, type, APInt::getSignedMinValue(width));
  Value isLowest = arith::CmpIOp::create(b, CmpIPredicate::eq, x, lowest);
  Value isMinusOne = compare(b, CmpIPredicate::eq, y, -1);
  Value overflows = arith::AndIOp::create(b, isLowest, isMinusOne);
  Value undefined = arith::OrIOp::create(b, isZero, overflows);
  Value one = integer(b, type, 1);
  return {x, y, arith::SelectOp::create(b, undefined, one, y), isZero};
}

/// Whether a remainder is not 0 and its sign differs from y's.
static Value needsFloor(ImplicitLocOpBuilder &b, Value remainder, Value y) {
  Value inexact = compare(b, CmpIPredicate::ne, remainder, 0);
  Value differs =
      compare(b, CmpIPredicate::slt, arith::XOrIOp::create(b, remainder, y), 0);
  return arith::AndIOp::create(b, inexact, differs);
}

Value tripy::scalar::createDivSI(OpBuilder &builder, Location loc,
                                 ValueRange operands) {
  ImplicitLocOpBuilder b(loc, builder);
  SafeDivision division = makeSafe(b, operands);
  Value quotient = arith::DivSIOp::create(b, division.x, division.divisor);
  Value minusOne = integer(b, quotient.getType(), -1);
  return arith::SelectOp::create(b, division.isZero, minusOne, quotient);
}

Value tripy::scalar::createFloorDivSI(OpBuilder &builder, Location loc,
                                      ValueRange operands) {
  ImplicitLocOpBuilder b(loc, builder);
  SafeDivision division = makeSafe(b, operands);
  Value quotient = arith::DivSIOp::create(b, division.x, division.divisor);
  Value product = arith::MulIOp::create(b, quotient, division.divisor);
  Value remainder = arith::SubIOp::create(b, division.x, product);
  Value minusOne = integer(b, quotient.getType(), -1);
  Value lower = arith::AddIOp::create(b, quotient, minusOne);
  Value floored = arith::SelectOp::create(
      b, needsFloor(b, remainder, division.divisor), lower, quotient);
  return arith::SelectOp::create(b, division.isZero, minusOne, floored);
}

Value tripy::scalar::createModSI(OpBuilder &builder, Location loc,
                                 ValueRange operands) {
  ImplicitLocOpBuilder b(loc, builder);
  SafeDivision division = makeSafe(b, operands);
  Value remainder = arith::RemSIOp::create(b, division.x, division.divisor);
  Value moved = arith::AddIOp::create(b, remainder, division.divisor);
  Value result = arith::SelectOp::create(
      b, needsFloor(b, remainder, division.divisor), moved, remainder);
  return arith::SelectOp::create(b, division.isZero, division.x, result);
}

/// floor(x / y) in the operands' type.
static Value floorDivide(ImplicitLocOpBuilder &b, Value x, Value y) {
  Value floored = math::FloorOp::create(b, arith::DivFOp::create(b, x, y));
  // The quotient may have been rounded up to an integer, as 1 / 0.1f is. Then
  // the remainder, whose sign a fused operation gets right, is not y's.
  Value negated = arith::NegFOp::create(b, floored);
  Value remainder = math::FmaOp::create(b, negated, y, x);
  Value isNegative = compare(b, CmpFPredicate::OLT, y, 0.0);
  Value signedLikeY = arith::SelectOp::create(
      b, isNegative, arith::NegFOp::create(b, remainder), remainder);
  Value isAbove = compare(b, CmpFPredicate::OLT, signedLikeY, 0.0);
  Value one = number(b, x.getType(), 1.0);
  return arith::SelectOp::create(
      b, isAbove, arith::SubFOp::create(b, floored, one), floored);
}

Value tripy::scalar::createFloorDivF(OpBuilder &builder, Location loc,
                                     ValueRange operands) {
  ImplicitLocOpBuilder b(loc, builder);
  Type type = operands[0].getType();
  if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() >= 32)
    return floorDivide(b, operands[0], operands[1]);
  // The quotient is no number of 16 bits before it is an integer.
  Type wide = typeLike(type, b.getF32Type());
  Value result = floorDivide(b, createCast(b, loc, operands[0], wide),
                             createCast(b, loc, operands[1], wide));
  return createCast(b, loc, result, type);
}

/// Gives a remainder, whose sign is x's, that of y.
static Value withSignOf(ImplicitLocOpBuilder &b, Value remainder, Value y) {
  Value isZero = compare(b, CmpFPredicate::OEQ, remainder, 0.0);
  Value isBelow = compare(b, CmpFPredicate::OLT, remainder, 0.0);
  Value isAbove = compare(b, CmpFPredicate::OGT, remainder, 0.0);
  Value yBelow = compare(b, CmpFPredicate::OLT, y, 0.0);
  Value yAbove = compare(b, CmpFPredicate::OGT, y, 0.0);
  Value differs =
      arith::OrIOp::create(b, arith::AndIOp::create(b, isBelow, yAbove),
                           arith::AndIOp::create(b, isAbove, yBelow));
  Value moved = arith::AddFOp::create(b, remainder, y);
  Value zero = math::CopySignOp::create(b, remainder, y);
  return arith::SelectOp::create(
      b, isZero, zero, arith::SelectOp::create(b, differs, moved, remainder));
}

Value tripy::scalar::createModF(OpBuilder &builder, Location loc,
                                ValueRange operands) {
  ImplicitLocOpBuilder b(loc, builder);
  Value x = operands[0], y = operands[1];
  return withSignOf(b, arith::RemFOp::create(b, x, y), y);
}

Value tripy::scalar::createSignF(OpBuilder &builder, Location loc,
                                 ValueRange operands) {
  ImplicitLocOpBuilder b(loc, builder);
  Value x = operands[0];
  Value isAbove = compare(b, CmpFPredicate::OGT, x, 0.0);
  Value isBelow = compare(b, CmpFPredicate::OLT, x, 0.0);
  Value one = number(b, x.getType(), 1.0);
  Value minusOne = number(b, x.getType(), -1.0);
  Value rest = arith::SelectOp::create(b, isBelow, minusOne, x);
  return arith::SelectOp::create(b, isAbove, one, rest);
}

//===-- integers ----------------------------------------------------------===//

Value tripy::scalar::createSignI(OpBuilder &builder, Location loc,
                                 ValueRange operands) {
  ImplicitLocOpBuilder b(loc, builder);
  Type type = operands[0].getType();
  Value most = arith::MinSIOp::create(b, operands[0], integer(b, type, 1));
  return arith::MaxSIOp::create(b, most, integer(b, type, -1));
}

/// Whether an amount, read as unsigned, is below the width.
static Value isShift(ImplicitLocOpBuilder &b, Value amount) {
  Type type = amount.getType();
  int64_t width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return compare(b, CmpIPredicate::ult, amount, width);
}

Value tripy::scalar::createShiftLeft(OpBuilder &builder, Location loc,
                                     ValueRange operands) {
  ImplicitLocOpBuilder b(loc, builder);
  Type type = operands[0].getType();
  int64_t width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  // Masked, and not chosen by the condition: LLVM's backend for PTX takes such
  // a choice for its shl, which limits the amount, but cuts it to 32 bits.
  Value amount =
      arith::AndIOp::create(b, operands[1], integer(b, type, width - 1));
  Value shifted = arith::ShLIOp::create(b, operands[0], amount);
  return arith::SelectOp::create(b, isShift(b, operands[1]), shifted,
                                 integer(b, type, 0));
}

Value tripy::scalar::createShiftRight(OpBuilder &builder, Location loc,
                                      ValueRange operands) {
  ImplicitLocOpBuilder b(loc, builder);
  Type type = operands[0].getType();
  int64_t width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  // What shifts all but the sign out gives what shifting more would.
  Value amount = arith::SelectOp::create(
      b, isShift(b, operands[1]), operands[1], integer(b, type, width - 1));
  return arith::ShRSIOp::create(b, operands[0], amount);
}

Value tripy::scalar::createBitwiseNot(OpBuilder &builder, Location loc,
                                      ValueRange operands) {
  ImplicitLocOpBuilder b(loc, builder);
  Value ones = integer(b, operands[0].getType(), -1);
  return arith::XOrIOp::create(b, operands[0], ones);
}

Value tripy::scalar::createNegI(OpBuilder &builder, Location loc,
                                ValueRange operands) {
  ImplicitLocOpBuilder b(loc, builder);
  Value zero = integer(b, operands[0].getType(), 0);
  return arith::SubIOp::create(b, zero, operands[0]);
}

Value tripy::scalar::createAbsI(OpBuilder &builder, Location loc,
                                ValueRange operands) {
  ImplicitLocOpBuilder b(loc, builder);
  Value negative = compare(b, CmpIPredicate::slt, operands[0], 0);
  Value negated = createNegI(b, loc, operands);
  return arith::SelectOp::create(b, negative, negated, operands[0]);
}

Value tripy::scalar::createNotI1(OpBuilder &builder, Location loc,
                                 ValueRange operands) {
  ImplicitLocOpBuilder b(loc, builder);
  Value yes = integer(b, operands[0].getType(), 1);
  return arith::XOrIOp::create(b, operands[0], yes);
}

Value tripy::scalar::createDivI1(OpBuilder &b, Location loc,
                                 ValueRange operands) {
  Value isZero = createNotI1(b, loc, operands[1]);
  return arith::OrIOp::create(b, loc, operands[0], isZero);
}

Value tripy::scalar::createModI1(OpBuilder &b, Location loc,
                                 ValueRange operands) {
  Value isZero = createNotI1(b, loc, operands[1]);
  return arith::AndIOp::create(b, loc, operands[0], isZero);
}

//===-- casts -------------------------------------------------------------===//

/// f64 -> f32 toward an odd last bit when inexact, so that rounding once more
/// to at most 22 bits gives what one rounding gives.
static Value roundToOdd(ImplicitLocOpBuilder &b, Value x) {
  Type f32 = typeLike(x.getType(), b.getF32Type());
  Value nearest = arith::TruncFOp::create(b, f32, x);
  Value back = arith::ExtFOp::create(b, x.getType(), nearest);
  Value bits = bitcast(b, nearest, b.getI32Type());
  Value tooLarge = arith::CmpFOp::create(b, CmpFPredicate::OGT,
                                         math::AbsFOp::create(b, back),
                                         math::AbsFOp::create(b, x));
  Value one = integer(b, bits.getType(), 1);
  Value toZero = arith::SelectOp::create(
      b, tooLarge, arith::SubIOp::create(b, bits, one), bits);
  Value odd = arith::OrIOp::create(b, toZero, one);
  Value inexact = arith::CmpFOp::create(b, CmpFPredicate::ONE, back, x);
  return bitcast(b, arith::SelectOp::create(b, inexact, odd, bits),
                 b.getF32Type());
}

namespace {
/// A float of 8 bits.
struct Float8Format {
  int64_t mantissaBits, bias;
  /// Its codes from this one on are infinity and NaN, or NaN alone.
  int64_t special;
  bool hasInfinity;
  /// Bits of the smallest f32 that rounds to no number of the format.
  int64_t beyond;

  static Float8Format of(Type element) {
    if (isa<Float8E4M3FNType>(element))
      return {3, 7, 0x7f, false, 0x43e80001}; // above 464
    return {2, 15, 0x7c, true, 0x47700000};   // 61440
  }
  /// From its place of the mantissa to that of f32.
  int64_t shift() const { return 23 - mantissaBits; }
  /// The smallest number with a mantissa of full length.
  double smallestNormal() const { return std::ldexp(1.0, 1 - bias); }
};
} // namespace

/// A float of 8 bits -> f32: exponent and mantissa move to f32's place, and a
/// product sets the exponent's bias right, for denormals as well.
static Value decodeF8(ImplicitLocOpBuilder &b, Value x) {
  auto format = Float8Format::of(getElementTypeOrSelf(x));
  Type i32 = typeLike(x.getType(), b.getI32Type());
  Value bits = arith::ExtUIOp::create(b, i32, bitcast(b, x, b.getI8Type()));
  auto field = [&](int64_t mask, int64_t shift) -> Value {
    Value part = arith::AndIOp::create(b, bits, integer(b, i32, mask));
    return arith::ShLIOp::create(b, part, integer(b, i32, shift));
  };
  Value moved = field(0x7f, format.shift());
  Value scaled = bitcast(b, moved, b.getF32Type());
  Value scale = number(b, scaled.getType(), std::ldexp(1.0, 127 - format.bias));
  Value magnitude =
      bitcast(b, arith::MulFOp::create(b, scaled, scale), b.getI32Type());
  Value isSpecial =
      compare(b, CmpIPredicate::sge, field(0x7f, 0), format.special);
  // Of infinity the mantissa is 0, of NaN it is not.
  Value special = arith::OrIOp::create(b, moved, integer(b, i32, 0x7f800000));
  magnitude = arith::SelectOp::create(b, isSpecial, special, magnitude);
  return bitcast(b, arith::OrIOp::create(b, magnitude, field(0x80, 24)),
                 b.getF32Type());
}

/// f32 -> a float of 8 bits, to nearest even; what is too large is infinity, or
/// NaN where there is none.
static Value encodeF8(ImplicitLocOpBuilder &b, Value x, Type to) {
  auto format = Float8Format::of(getElementTypeOrSelf(to));
  Value bits = bitcast(b, x, b.getI32Type());
  Type i32 = bits.getType();
  auto shifted = [&](Value v, int64_t by) -> Value {
    return arith::ShRUIOp::create(b, v, integer(b, i32, by));
  };
  auto add = [&](Value v, int64_t y) -> Value {
    return arith::AddIOp::create(b, v, integer(b, i32, y));
  };
  auto mask = [&](Value v, int64_t y) -> Value {
    return arith::AndIOp::create(b, v, integer(b, i32, y));
  };
  Value magnitude = mask(bits, 0x7fffffff);
  Value even = mask(shifted(magnitude, format.shift()), 1);
  int64_t belowHalf = (int64_t(1) << (format.shift() - 1)) - 1;
  Value rounded = arith::AddIOp::create(b, add(magnitude, belowHalf), even);
  Value normal = add(shifted(rounded, format.shift()),
                     -((127 - format.bias) << format.mantissaBits));
  // Below the smallest normal number a sum aligns the last places, and so
  // rounds: its own last place is theirs.
  Value a = bitcast(b, magnitude, b.getF32Type());
  int64_t exponent = 1 - format.bias - format.mantissaBits + 23;
  Value align = number(b, a.getType(), std::ldexp(1.0, exponent));
  Value sum = arith::AddFOp::create(b, a, align);
  Value denormal =
      add(bitcast(b, sum, b.getI32Type()), -((exponent + 127) << 23));
  Value isDenormal = compare(b, CmpFPredicate::OLT, a, format.smallestNormal());
  Value code = arith::SelectOp::create(b, isDenormal, denormal, normal);
  Value isLarge = compare(b, CmpIPredicate::sge, magnitude, format.beyond);
  code = arith::SelectOp::create(b, isLarge, integer(b, i32, format.special),
                                 code);
  if (format.hasInfinity) {
    Value isNaN = compare(b, CmpIPredicate::sgt, magnitude, 0x7f800000);
    code = arith::SelectOp::create(b, isNaN, integer(b, i32, 0x7e), code);
  }
  code = arith::OrIOp::create(b, code, mask(shifted(bits, 24), 0x80));
  Value byte = arith::TruncIOp::create(b, typeLike(i32, b.getI8Type()), code);
  return arith::BitcastOp::create(b, to, byte);
}

/// Between floats.
static Value castFloat(ImplicitLocOpBuilder &b, Value x, Type to) {
  Type from = getElementTypeOrSelf(x), element = getElementTypeOrSelf(to);
  if (from == element)
    return x;
  if (isFloat8(from))
    return castFloat(b, decodeF8(b, x), to);
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned width = element.getIntOrFloatBitWidth();
  if (fromWidth < width)
    return arith::ExtFOp::create(b, to, x);
  Type f32 = typeLike(to, b.getF32Type());
  if (fromWidth == 64 && width < 32)
    return castFloat(b, roundToOdd(b, x), to);
  if (fromWidth == 16 && width <= 16)
    return castFloat(b, arith::ExtFOp::create(b, f32, x), to);
  if (isFloat8(element))
    return encodeF8(b, x, to);
  return arith::TruncFOp::create(b, to, x);
}

static Value castFloatToInt(ImplicitLocOpBuilder &b, Value x, Type to) {
  // The signed type has the limits of the unsigned one, which are not its own.
  if (isUnsigned(getElementTypeOrSelf(to))) {
    unsigned bits = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
    Type wide = typeLike(to, scalar::signedTypeOf(getElementTypeOrSelf(to)));
    Value result = castFloatToInt(b, x, wide);
    Value zero = integer(b, wide, 0);
    Value highest = integer(b, wide, (int64_t(1) << bits) - 1);
    result = arith::MaxSIOp::create(b, result, zero);
    result = arith::MinSIOp::create(b, result, highest);
    return scalar::createUnsigned(b, b.getLoc(), result, to);
  }
  if (getElementTypeOrSelf(x).getIntOrFloatBitWidth() < 32)
    x = castFloat(b, x, typeLike(to, b.getF32Type()));
  if (getElementTypeOrSelf(to).isInteger(1))
    return compare(b, CmpFPredicate::UNE, x, 0.0);
  unsigned width = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  double limit = std::ldexp(1.0, width - 1);
  // arith.fptosi is undefined out of range.
  Value notLow = compare(b, CmpFPredicate::OGE, x, -limit);
  Value notHigh = compare(b, CmpFPredicate::OLT, x, limit);
  Value inRange = arith::AndIOp::create(b, notLow, notHigh);
  Value safe =
      arith::SelectOp::create(b, inRange, x, number(b, x.getType(), 0.0));
  Value result = arith::FPToSIOp::create(b, to, safe);
  Value isHigh = compare(b, CmpFPredicate::OGE, x, limit);
  Value isLow = compare(b, CmpFPredicate::OLT, x, -limit);
  Value highest = integer(b, to, APInt::getSignedMaxValue(width));
  Value lowest = integer(b, to, APInt::getSignedMinValue(width));
  result = arith::SelectOp::create(b, isHigh, highest, result);
  return arith::SelectOp::create(b, isLow, lowest, result);
}

/// Where |x| >= 2^24, replaces the 16 low bits by one that stands for all, so
/// that a wide float holds the rest and rounds to bf16 as x does.
static Value squeeze(ImplicitLocOpBuilder &b, Value x) {
  Type type = x.getType();
  Value low = arith::AndIOp::create(b, x, integer(b, type, 0xffff));
  Value high = arith::SubIOp::create(b, x, low);
  Value exact = compare(b, CmpIPredicate::eq, low, 0);
  Value sticky = arith::OrIOp::create(b, high, integer(b, type, 0x8000));
  Value squeezed = arith::SelectOp::create(b, exact, x, sticky);
  Value above = compare(b, CmpIPredicate::sge, x, int64_t(1) << 24);
  Value below = compare(b, CmpIPredicate::sle, x, -(int64_t(1) << 24));
  Value isLarge = arith::OrIOp::create(b, above, below);
  return arith::SelectOp::create(b, isLarge, squeezed, x);
}

static Value castIntToFloat(ImplicitLocOpBuilder &b, Value x, Type to) {
  Type from = getElementTypeOrSelf(x), element = getElementTypeOrSelf(to);
  if (from.isInteger(1)) {
    Value one = number(b, to, 1.0), zero = number(b, to, 0.0);
    return arith::SelectOp::create(b, x, one, zero);
  }
  if (element.isF32() || element.isF64())
    return arith::SIToFPOp::create(b, to, x);
  // f16 and f8 have no number that f32 would round first: 2^24 is beyond them.
  Type wide = b.getF32Type();
  if (element.isBF16() && from.getIntOrFloatBitWidth() > 16) {
    x = squeeze(b, x);
    if (from.isInteger(64))
      wide = b.getF64Type();
  }
  wide = typeLike(to, wide);
  return castFloat(b, arith::SIToFPOp::create(b, wide, x), to);
}

static Value castInt(ImplicitLocOpBuilder &b, Value x, Type to) {
  Type from = getElementTypeOrSelf(x), element = getElementTypeOrSelf(to);
  if (from == element)
    return x;
  if (element.isInteger(1))
    return compare(b, CmpIPredicate::ne, x, 0);
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, to, x);
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(b, to, x);
  return arith::TruncIOp::create(b, to, x);
}

Value tripy::scalar::createCast(OpBuilder &builder, Location loc, Value value,
                                Type to) {
  ImplicitLocOpBuilder b(loc, builder);
  if (value.getType() == to)
    return value;
  value = createSigned(b, loc, value);
  bool fromFloat = isa<FloatType>(getElementTypeOrSelf(value));
  bool toFloat = isa<FloatType>(getElementTypeOrSelf(to));
  if (!fromFloat && isUnsigned(getElementTypeOrSelf(to)))
    return createUnsigned(b, loc, value, to);
  if (fromFloat)
    return toFloat ? castFloat(b, value, to) : castFloatToInt(b, value, to);
  return toFloat ? castIntToFloat(b, value, to) : castInt(b, value, to);
}

Value tripy::scalar::createRoundable(OpBuilder &builder, Location loc,
                                     Value value) {
  ImplicitLocOpBuilder b(loc, builder);
  if (getElementTypeOrSelf(value).isF64())
    return roundToOdd(b, value);
  return createCast(b, loc, value, f32Like(value.getType()));
}

Type tripy::scalar::f32Like(Type type) {
  return typeLike(type, Float32Type::get(type.getContext()));
}

//===-- unsigned integers -------------------------------------------------===//

Type tripy::scalar::signedTypeOf(Type element) {
  return isUnsigned(element)
             ? IntegerType::get(element.getContext(),
                                2 * element.getIntOrFloatBitWidth())
             : element;
}

/// Signless integers of as many bits as `type` has.
static Type bitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return typeLike(type, IntegerType::get(type.getContext(),
                                         element.getIntOrFloatBitWidth()));
}

Value tripy::scalar::createSigned(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType(), element = getElementTypeOrSelf(type);
  if (!isUnsigned(element))
    return value;
  Value bits = UnrealizedConversionCastOp::create(b, loc, bitsOf(type), value)
                   .getResult(0);
  return arith::ExtUIOp::create(b, loc, typeLike(type, signedTypeOf(element)),
                                bits);
}

Value tripy::scalar::createUnsigned(OpBuilder &b, Location loc, Value value,
                                    Type to) {
  if (!isUnsigned(getElementTypeOrSelf(to)))
    return value;
  ImplicitLocOpBuilder builder(loc, b);
  Value bits = castInt(builder, value, bitsOf(to));
  return UnrealizedConversionCastOp::create(b, loc, to, bits).getResult(0);
}

//===-- reductions --------------------------------------------------------===//

bool tripy::scalar::isNeutral(Operation *combiner, TypedAttr value) {
  auto number = dyn_cast<FloatAttr>(value);
  if (number && isa<arith::AddFOp>(combiner))
    return number.getValue().isZero();
  return arith::getNeutralElement(combiner) == value;
}
