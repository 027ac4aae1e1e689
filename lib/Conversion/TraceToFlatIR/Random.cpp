//===- Random.cpp - Lowers random numbers of trace ------------------------===//
//
// flatir.random_bits, and arithmetic that has the same bits on every device:
// on integers, conversions and products that are exact or rounded once, and the
// functions of f32 and f64.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace tripy;

namespace {
/// Builds the numbers of one operation.
class Random {
public:
  Random(RankedTensorType type, SizeList sizes, Value seed, Lowering &b);

  /// The numbers of a stream: see flatir.random_bits.
  Value bits(int64_t width, int64_t stride = 1, int64_t start = 0);
  /// The upper `kept` bits of numbers of `width` bits.
  Value upper(Value numbers, int64_t width, int64_t kept);
  /// The lower 32 bits.
  Value lower(Value numbers) {
    return both<flatir::BitwiseAndOp>("take the low word", numbers, 0xffffffff);
  }
  /// `numbers` as floats of type `element`, times `factor`.
  Value scaled(Value numbers, Type element, double factor);
  /// sqrt(-2 log((x + 1) / 2^bits)) in type `element`.
  Value distance(Value x, Type element, int64_t bits);
  /// cos(2 pi y / 2^bits) in type `element`.
  Value cosine(Value y, Type element, int64_t bits);

  template <typename OpTy>
  Value both(const Twine &reason, Value numbers, double constant) {
    return b.step<OpTy>(reason, numbers, b.splat(constant, numbers));
  }

private:
  /// Number `i` of a seed of two.
  Value part(Value seed, int64_t i);

  RankedTensorType type;
  SizeList sizes;
  Lowering &b;
  Value key, low, high;
};
} // namespace

Random::Random(RankedTensorType type, SizeList sizes, Value seed, Lowering &b)
    : type(type.clone(b.getBuilder().getI64Type())), sizes(std::move(sizes)),
      b(b), key(seed) {
  low = high = b.scalar(0, this->type.getElementType());
  if (rankOf(seed) == 0)
    return;
  b.require("equal", b.sizesOf(seed)[0], b.math.constant(2),
            "the seed of '" + b.sourceName() + "' has one or two numbers");
  key = part(seed, 0);
  high = part(seed, 1);
}

Value Random::part(Value seed, int64_t i) {
  Type i64 = type.getElementType();
  Value one = b.step<flatir::SliceOp>(
      i ? "take the stream" : "take the key", RankedTensorType::get({1}, i64),
      seed, ValueRange(), ValueRange(), ArrayRef<int64_t>(i),
      ArrayRef<int64_t>(1));
  return b.reshape(
      one, {}, RankedTensorType::get({}, i64),
      {"reshape", ("have one number for '" + b.sourceName() + "'").str()});
}

Value Random::bits(int64_t width, int64_t stride, int64_t start) {
  return b.step<flatir::RandomBitsOp>("make random bits", type, key, low, high,
                                      b.dynamicSizes(type, sizes), width,
                                      stride, start);
}

Value Random::upper(Value numbers, int64_t width, int64_t kept) {
  Value shifted = both<flatir::ShiftRightOp>("take the upper bits", numbers,
                                             double(width - kept));
  if (width < 64)
    return shifted;
  // The sign came in from the left.
  return both<flatir::BitwiseAndOp>("take the upper bits", shifted,
                                    std::ldexp(1.0, int(kept)) - 1);
}

Value Random::scaled(Value numbers, Type element, double factor) {
  Value floats = b.convert(numbers, element, "compute with floats");
  return both<flatir::MulOp>("scale the numbers", floats, factor);
}

Value Random::distance(Value x, Type element, int64_t bits) {
  Value next = both<flatir::AddOp>("leave 0 out", x, 1);
  Value u = scaled(next, element, std::ldexp(1.0, int(-bits)));
  Value square =
      both<flatir::MulOp>("square the distance",
                          b.step<flatir::LogOp>("square the distance", u), -2);
  return b.step<flatir::SqrtOp>("choose a distance", square);
}

Value Random::cosine(Value y, Type element, int64_t bits) {
  double unit = std::ldexp(2 * std::numbers::pi, int(-bits));
  return b.step<flatir::CosOp>("choose an angle", scaled(y, element, unit));
}

/// Checks the sizes, which are then known.
template <typename OpTy>
static Random start(OpTy op, typename OpTy::Adaptor in, Lowering &b) {
  SizeList sizes = b.mixedSizes(in.getStaticSizes(), in.getSizes());
  b.requireSizes(sizes);
  return Random(op.getResult().getType(), sizes, in.getSeed(), b);
}

// trace.random_uniform -> flatir.random_bits; shift, convert, mul
static Lowered lowerUniform(trace::RandomUniformOp op,
                            trace::RandomUniformOp::Adaptor in, Lowering &b) {
  Random random = start(op, in, b);
  auto element = cast<FloatType>(in.getDtype());
  int64_t width = element.isF64() ? 64 : 32;
  // As many as the type has between 1/2 and 1.
  int64_t kept = element.getFPMantissaWidth();
  Value numbers = random.upper(random.bits(width), width, kept);
  Value floats = b.convert(numbers, element, "compute with floats");
  return {b.primary<flatir::MulOp>(
      floats, b.splat(std::ldexp(1.0, int(-kept)), floats))};
}

// trace.random_normal -> flatir.random_bits; the Box-Muller transform
static Lowered lowerNormal(trace::RandomNormalOp op,
                           trace::RandomNormalOp::Adaptor in, Lowering &b) {
  Random random = start(op, in, b);
  Type element = in.getDtype();
  if (element.isF64()) {
    constexpr int64_t kept = 53;
    Value x = random.upper(random.bits(64, 2, 0), 64, kept);
    Value y = random.upper(random.bits(64, 2, 1), 64, kept);
    return {b.primary<flatir::MulOp>(random.distance(x, element, kept),
                                     random.cosine(y, element, kept))};
  }
  Type f32 = b.getBuilder().getF32Type();
  Value pair = random.bits(64);
  Value distance = random.distance(random.lower(pair), f32, 32);
  Value cosine = random.cosine(random.upper(pair, 64, 32), f32, 32);
  if (element == f32)
    return {b.primary<flatir::MulOp>(distance, cosine)};
  Value wide = b.step<flatir::MulOp>("take the coordinate of the point",
                                     distance, cosine);
  return {b.primary<flatir::ConvertOp>(op.getResult().getType(), wide)};
}

// trace.random_bernoulli -> flatir.random_bits; compare
static Lowered lowerBernoulli(trace::RandomBernoulliOp op,
                              trace::RandomBernoulliOp::Adaptor in,
                              Lowering &b) {
  Random random = start(op, in, b);
  Value words = random.bits(32);
  double limit = std::nearbyint(std::ldexp(in.getP().convertToDouble(), 32));
  return {b.primary<flatir::CompareOp>(op.getResult().getType(),
                                       flatir::ComparisonDirection::Lt, words,
                                       b.splat(limit, words))};
}

void tripy::addRandomPatterns(PatternAdder &adder) {
  adder.add<trace::RandomUniformOp>(lowerUniform)
      .add<trace::RandomNormalOp>(lowerNormal)
      .add<trace::RandomBernoulliOp>(lowerBernoulli);
}
