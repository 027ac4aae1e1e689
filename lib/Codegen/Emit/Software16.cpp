//===- Software16.cpp - 16-bit floats in integer arithmetic ---------------===//

#include "Software16.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace {
/// i32 arithmetic as it is written.
class Bits {
public:
  Bits(OpBuilder &builder, Location loc) : b(loc, builder) {}

  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(value)));
  }
  Value left(Value x, int64_t by) {
    return arith::ShLIOp::create(b, x, constant(by));
  }
  Value right(Value x, int64_t by) {
    return arith::ShRUIOp::create(b, x, constant(by));
  }
  Value mask(Value x, int64_t by) {
    return arith::AndIOp::create(b, x, constant(by));
  }
  Value set(Value x, int64_t by) {
    return arith::OrIOp::create(b, x, constant(by));
  }
  Value join(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value add(Value x, int64_t y) { return add(x, constant(y)); }
  Value below(Value x, int64_t limit) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x,
                                 constant(limit));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value ofFloat(Value x) {
    return arith::BitcastOp::create(b, b.getI32Type(), x);
  }
  Value asFloat(Value x) {
    return arith::BitcastOp::create(b, b.getF32Type(), x);
  }
  Value number(double x) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(float(x)));
  }
  /// x + half a unit of the bits below `shift`, ties to even.
  Value addHalf(Value x, int64_t shift) {
    Value odd = mask(right(x, shift), 1);
    return add(x, add(odd, (int64_t(1) << (shift - 1)) - 1));
  }

  ImplicitLocOpBuilder b;
};
} // namespace

/// Exponent and mantissa move to f32's place. A number below 2^-14 is an
/// integer times 2^-24.
static Value widenF16(Bits &w, Value bits) {
  Value magnitude = w.mask(bits, 0x7fff);
  Value shifted = w.left(magnitude, 13);
  Value normal = w.add(shifted, (127 - 15) << 23);
  Value special = w.add(shifted, (255 - 31) << 23);
  Value isNaN = arith::CmpIOp::create(w.b, arith::CmpIPredicate::ugt, magnitude,
                                      w.constant(0x7c00));
  special = w.select(isNaN, w.set(special, 0x400000), special);
  Value count = arith::SIToFPOp::create(w.b, w.b.getF32Type(), magnitude);
  Value tiny = w.ofFloat(arith::MulFOp::create(w.b, count, w.number(0x1p-24)));
  Value wide = w.select(w.below(magnitude, 0x400), tiny,
                        w.select(w.below(magnitude, 0x7c00), normal, special));
  return w.join(wide, w.left(w.mask(bits, 0x8000), 16));
}

/// The unit of numbers below 2^-14 is 2^-24, that of f32 between 1/2 and 1: a
/// sum with 1/2 rounds them.
static Value roundToF16(Bits &w, Value number) {
  Value bits = w.ofFloat(number);
  Value magnitude = w.mask(bits, 0x7fffffff);
  Value normal =
      w.right(w.add(w.addHalf(magnitude, 13), -((127 - 15) << 23)), 13);
  Value sum = arith::AddFOp::create(w.b, w.asFloat(magnitude), w.number(0.5));
  Value tiny = w.add(w.ofFloat(sum), -0x3f000000);
  Value infinity = w.constant(0x7c00);
  Value nan = w.set(w.mask(w.right(magnitude, 13), 0x3ff), 0x7e00);
  // 65520 is half way between the largest number and 2^16.
  Value large = w.select(w.below(magnitude, 0x7f800001), infinity, nan);
  Value code =
      w.select(w.below(magnitude, 0x38800000), tiny,
               w.select(w.below(magnitude, 0x477ff000), normal, large));
  return w.join(code, w.mask(w.right(bits, 16), 0x8000));
}

/// Half a unit more, unless that made a NaN an infinity.
static Value roundToBF16(Bits &w, Value number) {
  Value bits = w.ofFloat(number);
  Value rounded = w.right(w.addHalf(bits, 16), 16);
  Value quiet = w.set(w.right(bits, 16), 0x40);
  Value isNaN =
      arith::CmpFOp::create(w.b, arith::CmpFPredicate::UNO, number, number);
  return w.select(isNaN, quiet, rounded);
}

Value tripy::codegen::widenBits(OpBuilder &b, Location loc, Value bits,
                                Type element) {
  Bits w(b, loc);
  Value wide = arith::ExtUIOp::create(w.b, b.getI32Type(), bits);
  return w.asFloat(element.isBF16() ? w.left(wide, 16) : widenF16(w, wide));
}

Value tripy::codegen::widenedBF16(Value number) {
  auto cast = number.getDefiningOp<arith::BitcastOp>();
  auto shift = cast ? cast.getIn().getDefiningOp<arith::ShLIOp>() : nullptr;
  auto wide = shift ? shift.getLhs().getDefiningOp<arith::ExtUIOp>() : nullptr;
  if (wide && wide.getIn().getType().isInteger(16) &&
      getConstantIntValue(shift.getRhs()) == 16)
    return wide.getIn();
  return nullptr;
}

Value tripy::codegen::roundToBits(OpBuilder &b, Location loc, Value number,
                                  Type element) {
  Bits w(b, loc);
  Value code =
      element.isBF16() ? roundToBF16(w, number) : roundToF16(w, number);
  return arith::TruncIOp::create(w.b, b.getI16Type(), code);
}
