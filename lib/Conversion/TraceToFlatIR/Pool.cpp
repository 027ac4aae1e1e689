//===- Pool.cpp - Lowers pooling of trace ---------------------------------===//
//
// A reduction over windows, whose positions are the first dimensions: the
// others, of which the last is contiguous, are columns.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

/// Windows over the last dimensions of `input`, which checks pass.
template <typename Adaptor>
static Value slide(Value input, Adaptor in, ArrayRef<Sliding> sliding,
                   TypedAttr outside, Lowering &b) {
  SizeList sizes = b.sizesOf(input), counts;
  size_t first = sizes.size() - sliding.size();
  for (auto [i, one] : llvm::enumerate(sliding))
    counts.push_back(
        countWindows(sizes[first + i], one, in.getCeilMode(), first + i, b));
  return slideWindows(input, sliding, counts, outside, b);
}

/// Gives a result the type that trace inferred, which may know less.
static Value withType(Value value, RankedTensorType type, Lowering &b) {
  Why why{"pool",
          ("give the result of '" + b.sourceName() + "' its type").str()};
  return b.reshape(value, b.sizesOf(value), type, why);
}

// trace.maxpool -> flatir.reduce max of flatir.window
static Lowered lowerMaxPool(trace::MaxPoolOp op, trace::MaxPoolOp::Adaptor in,
                            Lowering &b) {
  using flatir::ReduceKind;
  Type element = elementTypeOf(in.getInput());
  SmallVector<Sliding> sliding = slidingOf(in, in.getWindow());
  Value windows = slide(in.getInput(), in, sliding,
                        flatir::identityOf(ReduceKind::Max, element), b);
  SmallVector<int64_t> dims = leadingDims(sliding.size());
  Value result = b.primary<flatir::ReduceOp>(
      reducedType(windows.getType(), dims, /*keepdim=*/false), ReduceKind::Max,
      windows, dims);
  return {withType(result, op.getType(), b)};
}

//===-- avgpool -----------------------------------------------------------===//

namespace {
/// Counts the elements of windows along one dimension, in i64: positions `k`
/// with first <= i * stride - low + k * dilation < end.
class WindowCount {
public:
  WindowCount(const Sliding &sliding, Size count, Lowering &b)
      : sliding(sliding), count(count), b(b),
        type(RankedTensorType::get(
            getConstantIntValue(count).value_or(ShapedType::kDynamic),
            b.getBuilder().getI64Type())) {}

  /// A vector with a number for each window.
  Value between(int64_t first, Size end);

private:
  Value number(int64_t value) { return b.splat(value, places); }
  Value sizeNumber(Size size);
  /// How many positions are before `end`, at most all.
  Value countBefore(Value end);

  const Sliding &sliding;
  Size count;
  Lowering &b;
  RankedTensorType type;
  /// Where each window begins.
  Value places;
};
} // namespace

/// A size as a vector.
Value WindowCount::sizeNumber(Size size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return number(*known);
  Value scalar = b.step<flatir::FromIndexOp>(
      "provide a size", RankedTensorType::get({}, type.getElementType()),
      b.math.value(size));
  return b.broadcast({scalar, "a size", -1}, ArrayRef<int64_t>(), type,
                     b.sizesOf(places));
}

Value WindowCount::countBefore(Value end) {
  Value distance =
      b.step<flatir::SubOp>("find the distance to the end", end, places);
  if (sliding.dilation != 1) {
    distance = b.step<flatir::AddOp>("round up", distance,
                                     number(sliding.dilation - 1));
    distance = b.step<flatir::FloorDivOp>("count positions", distance,
                                          number(sliding.dilation));
  }
  distance = b.step<flatir::MaximumOp>("count from 0", distance, number(0));
  return b.step<flatir::MinimumOp>("count to the window's size", distance,
                                   number(sliding.window));
}

Value WindowCount::between(int64_t first, Size end) {
  SmallVector<Value> sizes;
  if (type.isDynamicDim(0))
    sizes.push_back(b.math.value(count));
  places = b.step<flatir::IotaOp>("number the windows", type, sizes, 0);
  places = b.step<flatir::MulOp>("find where windows begin", places,
                                 number(sliding.stride));
  places = b.step<flatir::SubOp>("count from the input's first element", places,
                                 number(sliding.low));
  Value all = countBefore(sizeNumber(end));
  Value before = countBefore(number(first));
  return b.step<flatir::SubOp>("count the elements of windows", all, before);
}

/// The divisors of the sums over windows, of the type of `sums`.
static Value divisors(trace::AvgPoolOp::Adaptor in, ArrayRef<Sliding> sliding,
                      Value sums, Lowering &b) {
  bool isPadded = llvm::any_of(
      sliding, [](const Sliding &one) { return one.low > 0 || one.high > 0; });
  bool countsPadding = in.getCountIncludePad() || !isPadded;
  if (countsPadding && !in.getCeilMode()) {
    double volume = 1;
    for (const Sliding &one : sliding)
      volume *= static_cast<double>(one.window);
    return b.splat(volume, sums);
  }
  SizeList from = b.sizesOf(in.getInput()), to = b.sizesOf(sums);
  int64_t first = static_cast<int64_t>(from.size() - sliding.size());
  Value product;
  for (auto [i, one] : llvm::enumerate(sliding)) {
    int64_t dim = first + static_cast<int64_t>(i);
    Size end = from[dim];
    if (countsPadding)
      end = b.math.add(end, b.math.constant(one.high));
    Value counts =
        WindowCount(one, to[dim], b).between(countsPadding ? -one.low : 0, end);
    counts = b.convert(counts, elementTypeOf(sums), "divide in floats");
    counts = b.broadcast({counts, "the number of elements", -1}, dim,
                         cast<RankedTensorType>(sums.getType()), to);
    product = product ? b.step<flatir::MulOp>("count elements of windows",
                                              product, counts)
                      : counts;
  }
  return product;
}

/// Of the integers that hold sums of i8.
static unsigned sumBits(ArrayRef<Sliding> sliding) {
  double most = 128;
  for (const Sliding &one : sliding)
    most *= static_cast<double>(one.window);
  return most < 0x1p31 ? 32 : 64;
}

// trace.avgpool -> flatir.reduce sum of flatir.window; flatir.div
static Lowered lowerAvgPool(trace::AvgPoolOp op, trace::AvgPoolOp::Adaptor in,
                            Lowering &b) {
  Type element = elementTypeOf(in.getInput());
  bool isFloat = isa<FloatType>(element);
  SmallVector<Sliding> sliding = slidingOf(in, in.getWindow());
  Value wide = isFloat
                   ? b.convert(in.getInput(), accumulatorOf(element),
                               "compute in 32 bits")
                   : b.convert(in.getInput(),
                               b.getBuilder().getIntegerType(sumBits(sliding)),
                               "sum without overflow");
  Value windows = slide(wide, in, sliding,
                        b.getBuilder().getZeroAttr(elementTypeOf(wide)), b);
  SmallVector<int64_t> dims = leadingDims(sliding.size());
  Value sums = b.step<flatir::ReduceOp>(
      "sum the elements", reducedType(windows.getType(), dims, false),
      flatir::ReduceKind::Sum, windows, dims);
  if (!isFloat)
    sums = b.convert(sums, b.getBuilder().getF32Type(), "divide in floats");
  Value means = b.primary<flatir::DivOp>(sums, divisors(in, sliding, sums, b));
  if (!isFloat)
    means = b.step<flatir::RoundOp>("round to an integer", means);
  return {withType(b.convert(means, element, "round the result once"),
                   op.getType(), b)};
}

void tripy::addPoolPatterns(PatternAdder &adder) {
  adder.add<trace::MaxPoolOp>(lowerMaxPool).add<trace::AvgPoolOp>(lowerAvgPool);
}
