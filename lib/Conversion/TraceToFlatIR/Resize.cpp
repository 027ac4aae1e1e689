//===- Resize.cpp - Lowers interpolation of trace -------------------------===//
//
// One dimension after the other: elements at positions along it, taken by
// flatir.gather, times their weights. Positions are quotients of integers, so
// that none is rounded to the wrong side; weights are f32.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tripy/Dialect/Trace/Fractions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

/// The factor of Keys' kernel, and the size that i64 has room for.
static constexpr double keysFactor = -0.75;
static constexpr int64_t maxResized = int64_t(1) << 30;

namespace {
/// Resizes one dimension.
class Resizing {
public:
  Resizing(Value input, int64_t dim, Size to, std::optional<double> scale,
           trace::ResizeOp::Adaptor in, Lowering &b)
      : b(b), input(input), dim(dim), from(b.sizesOf(input)[dim]), to(to),
        scale(scale), in(in),
        vector(RankedTensorType::get(
            getConstantIntValue(to).value_or(ShapedType::kDynamic),
            b.getBuilder().getI64Type())) {}

  /// `isLast`: of the dimensions that change, so that the result is the user's.
  Value run(bool isLast);

private:
  /// f64 for f64, else f32: the input has been converted.
  Type weightType() const { return accumulatorOf(elementTypeOf(input)); }
  Value number(int64_t value) { return b.splat(value, places); }
  Value real(double value) { return b.splat(value, places, weightType()); }
  Value sizeNumber(Size size);
  template <typename OpTy> Value step(StringRef reason, Value x, Value y) {
    return b.step<OpTy>(reason, x, y);
  }

  void findPositions();
  void divide(Value numerator, Value denominator);
  Value indexAt(int64_t distance);
  Value take(int64_t distance, bool isOwn);
  Value weighted(Value element, Value weight);
  SmallVector<Value> linearWeights();
  SmallVector<Value> cubicWeights();
  Value nearWeight(Value distance);
  Value farWeight(Value distance);

  Lowering &b;
  Value input;
  int64_t dim;
  Size from, to;
  std::optional<double> scale;
  trace::ResizeOp::Adaptor in;
  RankedTensorType vector;
  /// Vectors along the dimension: the numbers of the result's elements, the
  /// positions of the elements before them, and how far behind they are, from 0
  /// to 1.
  Value places, before, fraction;
};
} // namespace

//===-- positions ---------------------------------------------------------===//

/// A size as a vector.
Value Resizing::sizeNumber(Size size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return number(*known);
  Value scalar = b.step<flatir::FromIndexOp>(
      "provide a size", RankedTensorType::get({}, vector.getElementType()),
      b.math.value(size));
  return b.broadcast({scalar, "a size", -1}, ArrayRef<int64_t>(), vector,
                     b.sizesOf(places));
}

/// Positions are numerator / denominator.
void Resizing::divide(Value numerator, Value denominator) {
  before = step<flatir::FloorDivOp>("find the element before", numerator,
                                    denominator);
  if (in.getMode() == "nearest")
    return;
  Value whole = step<flatir::MulOp>("find what is left", before, denominator);
  Value rest = step<flatir::SubOp>("find what is left", numerator, whole);
  Type weight = weightType();
  fraction = step<flatir::DivOp>(
      "find how far behind it is", b.convert(rest, weight, "weigh in floats"),
      b.convert(denominator, weight, "weigh in floats"));
}

void Resizing::findPositions() {
  SmallVector<Value> sizes;
  if (vector.isDynamicDim(0))
    sizes.push_back(b.math.value(to));
  places = b.step<flatir::IotaOp>("number the elements", vector, sizes, 0);
  Size one = b.math.constant(1);
  if (in.getCoordinates() == "align_corners") {
    Value steps = sizeNumber(b.math.maximum(b.math.sub(to, one), one));
    Value most = sizeNumber(b.math.sub(from, one));
    return divide(step<flatir::MulOp>("scale positions", places, most), steps);
  }
  Size above = from, below = to;
  if (scale) {
    trace::Fraction fixed = trace::nearestFraction(*scale);
    above = b.math.constant(fixed.denominator);
    below = b.math.constant(fixed.numerator);
  }
  Value factor = sizeNumber(above), divisor = sizeNumber(below);
  if (in.getCoordinates() == "asymmetric")
    return divide(step<flatir::MulOp>("scale positions", places, factor),
                  divisor);
  // In halves: (2 i + 1) * above / (2 * below) - 1 / 2.
  Value centre = step<flatir::AddOp>(
      "find the middle", step<flatir::AddOp>("count in halves", places, places),
      number(1));
  Value scaled = step<flatir::MulOp>("scale positions", centre, factor);
  if (in.getMode() != "nearest")
    scaled = step<flatir::SubOp>("go back by a half", scaled, divisor);
  divide(scaled, step<flatir::AddOp>("count in halves", divisor, divisor));
}

/// Positions of the elements `distance` behind those before, inside.
Value Resizing::indexAt(int64_t distance) {
  Value at = before;
  if (distance != 0)
    at = step<flatir::AddOp>("find a neighbour", at, number(distance));
  // A gather counts from the end below 0, and clamps at the end.
  return step<flatir::MaximumOp>("stay inside", at, number(0));
}

Value Resizing::take(int64_t distance, bool isOwn) {
  Value index = indexAt(distance);
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = vector.getDimSize(0);
  type = type.clone(shape);
  if (isOwn)
    return b.primary<flatir::GatherOp>(type, input, index, dim);
  return b.step<flatir::GatherOp>("take a neighbour", type, input, index, dim);
}

//===-- weights -----------------------------------------------------------===//

Value Resizing::weighted(Value element, Value weight) {
  auto type = cast<RankedTensorType>(element.getType());
  Value wide =
      b.broadcast({weight, "the weights", -1}, dim, type, b.sizesOf(element));
  return step<flatir::MulOp>("weigh an element", element, wide);
}

SmallVector<Value> Resizing::linearWeights() {
  return {step<flatir::SubOp>("weigh by the distance", real(1), fraction),
          fraction};
}

/// ((a + 2) d - (a + 3)) d^2 + 1, for a distance of at most 1.
Value Resizing::nearWeight(Value distance) {
  StringRef reason = "compute Keys' kernel";
  Value sum = step<flatir::MulOp>(reason, distance, real(keysFactor + 2));
  sum = step<flatir::SubOp>(reason, sum, real(keysFactor + 3));
  Value square = step<flatir::MulOp>(reason, distance, distance);
  return step<flatir::AddOp>(reason, step<flatir::MulOp>(reason, sum, square),
                             real(1));
}

/// a (((d - 5) d + 8) d - 4), for a distance from 1 to 2.
Value Resizing::farWeight(Value distance) {
  StringRef reason = "compute Keys' kernel";
  Value sum = step<flatir::SubOp>(reason, distance, real(5));
  sum = step<flatir::MulOp>(reason, sum, distance);
  sum = step<flatir::AddOp>(reason, sum, real(8));
  sum = step<flatir::MulOp>(reason, sum, distance);
  sum = step<flatir::SubOp>(reason, sum, real(4));
  return step<flatir::MulOp>(reason, sum, real(keysFactor));
}

SmallVector<Value> Resizing::cubicWeights() {
  StringRef reason = "find a neighbour's distance";
  return {farWeight(step<flatir::AddOp>(reason, fraction, real(1))),
          nearWeight(fraction),
          nearWeight(step<flatir::SubOp>(reason, real(1), fraction)),
          farWeight(step<flatir::SubOp>(reason, real(2), fraction))};
}

Value Resizing::run(bool isLast) {
  findPositions();
  if (in.getMode() == "nearest")
    return take(0, /*isOwn=*/isLast);
  bool isCubic = in.getMode() == "cubic";
  SmallVector<Value> weights = isCubic ? cubicWeights() : linearWeights();
  Value sum;
  for (auto [i, weight] : llvm::enumerate(weights)) {
    Value term =
        weighted(take(static_cast<int64_t>(i) - isCubic, false), weight);
    if (!sum)
      sum = term;
    else if (!isLast || i + 1 < weights.size())
      sum = step<flatir::AddOp>("add the elements", sum, term);
    else
      sum = b.primary<flatir::AddOp>(sum, term);
  }
  return sum;
}

//===-- resize ------------------------------------------------------------===//

/// The size of the result for dimension `i` of the input, of `size`.
static Size resizedSize(Size size, size_t i, ArrayRef<Size> sizes,
                        ArrayRef<double> scales, Lowering &b) {
  if (scales.empty())
    return getConstantIntValue(sizes[i]) == int64_t(-1) ? size : sizes[i];
  if (scales[i] == 1)
    return size;
  trace::Fraction scale = trace::nearestFraction(scales[i]);
  return b.math.floorDiv(b.math.mul(size, b.math.constant(scale.numerator)),
                         b.math.constant(scale.denominator));
}

/// Checks what the rules say of sizes that only the run knows.
static void requireSizes(Size from, Size to, size_t dim, Lowering &b) {
  Size most = b.math.constant(maxResized), one = b.math.constant(1);
  std::string where = " dimension " + std::to_string(dim) + " of 'resize'";
  b.require("at_most", b.math.constant(0), to,
            "the size of" + where + " is not negative");
  b.require("at_most", b.math.minimum(one, to), from, where + " is not empty");
  for (Size size : {from, to})
    b.require("at_most", size, most,
              "a size of" + where + ", which changes, is at most 2^30");
}

// trace.resize -> flatir.gather, weighted, along each dimension
static Lowered lowerResize(trace::ResizeOp op, trace::ResizeOp::Adaptor in,
                           Lowering &b) {
  Value input = in.getInput();
  Type element = elementTypeOf(input);
  SizeList sizes = b.mixedSizes(in.getStaticSizes(), in.getSizes());
  SmallVector<double> scales = trace::scalesOf(in.getScales());
  SizeList from = b.sizesOf(input), to;
  for (auto [i, size] : llvm::enumerate(from)) {
    to.push_back(resizedSize(size, i, sizes, scales, b));
    if (to.back() != size)
      requireSizes(size, to.back(), i, b);
  }
  bool isAverage = in.getMode() != "nearest", isFloat = isa<FloatType>(element);
  Type wide = isFloat ? accumulatorOf(element) : b.getBuilder().getF32Type();
  Value value =
      isAverage ? b.convert(input, wide, "compute in 32 bits") : input;
  SmallVector<size_t> changed;
  for (auto [i, size] : llvm::enumerate(from))
    if (scales.empty() ? to[i] != size : scales[i] != 1)
      changed.push_back(i);
  for (size_t i : changed) {
    std::optional<double> scale;
    if (!scales.empty())
      scale = scales[i];
    value = Resizing(value, static_cast<int64_t>(i), to[i], scale, in, b)
                .run(/*isLast=*/i == changed.back());
  }
  if (isAverage && !isFloat)
    value = b.step<flatir::RoundOp>("round to an integer", value);
  value = b.convert(value, element, "round the result once");
  return {b.reshape(value, to, op.getType(),
                    {"resize", "give the result of 'resize' its type"})};
}

void tripy::addResizePatterns(PatternAdder &adder) {
  adder.add<trace::ResizeOp>(lowerResize);
}
