//===- SortOrder.cpp - Numbers in the order of a sort ---------------------===//

#include "SortOrder.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

static Value constant(OpBuilder &b, Location loc, Type type, APInt bits) {
  return arith::ConstantOp::create(b, loc, IntegerAttr::get(type, bits));
}

/// The bits of a float in an integer of the key's type. The own bits of f16 are
/// in its upper half.
Value SortOrder::floatBits(OpBuilder &b, Location loc, Value value) const {
  IntegerType type = keyType();
  if (!isShortF16)
    return arith::BitcastOp::create(b, loc, type, value);
  if (!value.getType().isF16())
    value = arith::TruncFOp::create(b, loc, b.getF16Type(), value);
  Value bits = arith::BitcastOp::create(b, loc, b.getI16Type(), value);
  bits = arith::ExtUIOp::create(b, loc, type, bits);
  return arith::ShLIOp::create(b, loc, bits,
                               constant(b, loc, type, APInt(32, 16)));
}

/// Negative numbers have all their bits turned around, others the sign.
Value SortOrder::floatKey(OpBuilder &b, Location loc, Value value) const {
  IntegerType type = keyType();
  unsigned width = type.getWidth();
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
  Value bits = floatBits(b, loc, value);
  Value none = constant(b, loc, type, APInt::getZero(width));
  // Both zeros are one number.
  Value isZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, value, zero);
  bits = arith::SelectOp::create(b, loc, isZero, none, bits);
  Value sign = arith::ShRSIOp::create(
      b, loc, bits, constant(b, loc, type, APInt(width, width - 1)));
  Value flips = arith::OrIOp::create(
      b, loc, sign, constant(b, loc, type, APInt::getSignMask(width)));
  Value key = arith::XOrIOp::create(b, loc, bits, flips);
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
  Value last = constant(b, loc, type, APInt::getAllOnes(width));
  return arith::SelectOp::create(b, loc, isNaN, last, key);
}

/// In the upper bits, the sign turned around.
static Value integerKey(OpBuilder &b, Location loc, Value value,
                        IntegerType type, bool isSigned) {
  unsigned from = value.getType().getIntOrFloatBitWidth(),
           width = type.getWidth();
  Value key = value;
  if (from < width) {
    key = arith::ExtUIOp::create(b, loc, type, key);
    key = arith::ShLIOp::create(
        b, loc, key, constant(b, loc, type, APInt(width, width - from)));
  }
  if (!isSigned)
    return key;
  return arith::XOrIOp::create(
      b, loc, key, constant(b, loc, type, APInt::getSignMask(width)));
}

Value SortOrder::ascendingKey(OpBuilder &b, Location loc, Value value) const {
  if (isa<FloatType>(element))
    return floatKey(b, loc, value);
  bool isSigned = !element.isInteger(1) && !isUnsigned(element);
  return integerKey(b, loc, value, keyType(), isSigned);
}

Value SortOrder::key(OpBuilder &b, Location loc, Value value) const {
  Value key = ascendingKey(b, loc, value);
  if (!descending)
    return key;
  Value ones =
      constant(b, loc, keyType(), APInt::getAllOnes(keyType().getWidth()));
  return arith::XOrIOp::create(b, loc, key, ones);
}

Value SortOrder::precedes(OpBuilder &b, Location loc, Value aKey,
                          Value aPosition, Value bKey, Value bPosition) {
  using arith::CmpIPredicate;
  Value less = arith::CmpIOp::create(b, loc, CmpIPredicate::ult, aKey, bKey);
  Value equal = arith::CmpIOp::create(b, loc, CmpIPredicate::eq, aKey, bKey);
  Value first =
      arith::CmpIOp::create(b, loc, CmpIPredicate::ult, aPosition, bPosition);
  return arith::OrIOp::create(b, loc, less,
                              arith::AndIOp::create(b, loc, equal, first));
}
