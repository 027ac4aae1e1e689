//===- Philox.cpp - Random bits from counters -----------------------------===//

#include "tripy/Dialect/Common/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;

namespace {
/// A 64-bit product, in halves.
struct Halves {
  Value high, low;
};
} // namespace

static Value constant(OpBuilder &b, Location loc, Type type, uint64_t value) {
  APInt bits(type.getIntOrFloatBitWidth(), value);
  return arith::ConstantOp::create(b, loc, IntegerAttr::get(type, bits));
}

/// By a product of 64 bits, which LLVM knows to be one of 32 by 32.
static Halves multiply(OpBuilder &b, Location loc, Value word,
                       uint64_t factor) {
  Type i64 = b.getI64Type(), i32 = b.getI32Type();
  Value wide = arith::ExtUIOp::create(b, loc, i64, word);
  Value product =
      arith::MulIOp::create(b, loc, wide, constant(b, loc, i64, factor));
  Value high =
      arith::ShRUIOp::create(b, loc, product, constant(b, loc, i64, 32));
  return {arith::TruncIOp::create(b, loc, i32, high),
          arith::TruncIOp::create(b, loc, i32, product)};
}

std::array<Value, 4> scalar::createPhilox(OpBuilder &b, Location loc,
                                          std::array<Value, 4> counter,
                                          std::array<Value, 2> key) {
  constexpr uint64_t factors[] = {0xd2511f53, 0xcd9e8d57};
  constexpr uint64_t steps[] = {0x9e3779b9, 0xbb67ae85};
  constexpr int rounds = 10;
  auto mix = [&](Value x, Value y, Value z) -> Value {
    return arith::XOrIOp::create(b, loc, arith::XOrIOp::create(b, loc, x, y),
                                 z);
  };
  for (int round = 0; round < rounds; ++round) {
    if (round > 0)
      for (auto [word, step] : llvm::zip(key, steps))
        word = arith::AddIOp::create(b, loc, word,
                                     constant(b, loc, b.getI32Type(), step));
    Halves first = multiply(b, loc, counter[0], factors[0]);
    Halves second = multiply(b, loc, counter[2], factors[1]);
    counter = {mix(second.high, counter[1], key[0]), second.low,
               mix(first.high, counter[3], key[1]), first.low};
  }
  return counter;
}
