//===- Random.cpp - Random bits to linalg ---------------------------------===//

#include "Lowering.h"

#include "tripy/Dialect/Common/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace tripy;

namespace {
/// The body of a loop over the result of one operation.
class RandomBody {
public:
  RandomBody(flatir::RandomBitsOp op, OpBuilder &b)
      : op(op), b(b), loc(op.getLoc()) {}

  /// `sizes` are the result's; `key`, `low` and `high` the operands' numbers.
  Value build(ArrayRef<OpFoldResult> sizes, Value key, Value low, Value high);

private:
  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value element(ArrayRef<OpFoldResult> sizes);
  /// Words of 32 bits of an i64, and back; the low one first.
  std::array<Value, 2> split(Value value);
  Value join(Value low, Value high);
  Value choose(Value number, int64_t bit, Value ifSet, Value otherwise);

  flatir::RandomBitsOp op;
  OpBuilder &b;
  Location loc;
};
} // namespace

/// The element's number in row-major order.
Value RandomBody::element(ArrayRef<OpFoldResult> sizes) {
  Value linear;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    Value index = linalg::IndexOp::create(b, loc, static_cast<int64_t>(dim));
    if (linear) {
      Value extent = getValueOrCreateConstantIndexOp(b, loc, size);
      index = arith::AddIOp::create(
          b, loc, arith::MulIOp::create(b, loc, linear, extent), index);
    }
    linear = index;
  }
  if (!linear)
    return constant(0);
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), linear);
}

std::array<Value, 2> RandomBody::split(Value value) {
  Type i32 = b.getI32Type();
  Value high = arith::ShRUIOp::create(b, loc, value, constant(32));
  return {arith::TruncIOp::create(b, loc, i32, value),
          arith::TruncIOp::create(b, loc, i32, high)};
}

Value RandomBody::join(Value low, Value high) {
  Type i64 = b.getI64Type();
  Value lower = arith::ExtUIOp::create(b, loc, i64, low);
  Value upper = arith::ShLIOp::create(
      b, loc, arith::ExtUIOp::create(b, loc, i64, high), constant(32));
  return arith::OrIOp::create(b, loc, lower, upper);
}

Value RandomBody::choose(Value number, int64_t bit, Value ifSet,
                         Value otherwise) {
  Value masked = arith::AndIOp::create(b, loc, number, constant(bit));
  Value isSet = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, masked,
                                      constant(0));
  return arith::SelectOp::create(b, loc, isSet, ifSet, otherwise);
}

Value RandomBody::build(ArrayRef<OpFoldResult> sizes, Value key, Value low,
                        Value high) {
  auto bits = static_cast<int64_t>(op.getBits());
  Value number = element(sizes);
  number = arith::MulIOp::create(
      b, loc, number, constant(static_cast<int64_t>(op.getStride())));
  number = arith::AddIOp::create(b, loc, number,
                                 constant(static_cast<int64_t>(op.getStart())));
  Value block =
      arith::ShRUIOp::create(b, loc, number, constant(bits == 32 ? 2 : 1));
  block = arith::AddIOp::create(b, loc, low, block);
  auto [c0, c1] = split(block);
  auto [c2, c3] = split(high);
  auto words = scalar::createPhilox(b, loc, {c0, c1, c2, c3}, split(key));
  if (bits == 64)
    return join(choose(number, 1, words[2], words[0]),
                choose(number, 1, words[3], words[1]));
  Value word = choose(number, 2, choose(number, 1, words[3], words[2]),
                      choose(number, 1, words[1], words[0]));
  return arith::ExtUIOp::create(b, loc, b.getI64Type(), word);
}

// flatir.random_bits -> linalg.generic of linalg.index
Value LinalgLowering::randomBits(flatir::RandomBitsOp op) {
  RankedTensorType type = op.getResult().getType();
  AffineMap all = AffineMap::get(type.getRank(), 0, op.getContext());
  Sizes shape = sizes.get(op.getResult());
  SmallVector<Value, 3> numbers = {op.getKey(), op.getLow(), op.getHigh()};
  SmallVector<Input> inputs;
  for (Value number : numbers)
    if (!splatValue(number))
      inputs.push_back({number, all});
  return generic(op.getLoc(), type, shape, inputs,
                 [&](OpBuilder &inner, ValueRange arguments) {
                   SmallVector<Value, 3> in;
                   for (Value number : numbers) {
                     if (TypedAttr splat = splatValue(number)) {
                       in.push_back(scalarConstant(inner, op.getLoc(), splat));
                       continue;
                     }
                     in.push_back(arguments.front());
                     arguments = arguments.drop_front();
                   }
                   return RandomBody(op, inner).build(shape, in[0], in[1],
                                                      in[2]);
                 });
}
