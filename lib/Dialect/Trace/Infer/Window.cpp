//===- Window.cpp - Rules and shapes of convolutions and pooling ----------===//
//
// Lists have a number for each spatial dimension, or none, which stands for the
// default in all of them. Rules bound all numbers, so that no sum or product of
// them here needs more than 63 bits.
//
//===----------------------------------------------------------------------===//

#include "../TraceRules.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::trace;

/// Of strides, dilations and output paddings.
static constexpr int64_t maxStep = int64_t(1) << 20;

static int64_t at(Sizes list, size_t i, int64_t missing) {
  return list.empty() ? missing : list[i];
}

static bool areWithin(Sizes list, int64_t low, int64_t high) {
  return llvm::all_of(list, [&](int64_t n) { return low <= n && n <= high; });
}

bool trace::hasKernelSizes(Value weight) {
  return areWithin(shapeOf(weight).drop_front(2), 1, maxElements);
}

bool trace::areSpatial(int64_t rank, std::initializer_list<Sizes> lists) {
  return llvm::all_of(lists, [&](Sizes list) {
    return list.empty() || static_cast<int64_t>(list.size()) == rank;
  });
}

std::string trace::describeSpatial(std::initializer_list<Sizes> lists) {
  std::string text = "found";
  for (size_t i = 0; i < lists.size(); ++i)
    text += (i == 0                 ? " "
             : i + 1 < lists.size() ? ", "
                                    : " and ") +
            describeList(lists.begin()[i]);
  return text;
}

bool trace::areWindowSteps(Sizes steps) { return areWithin(steps, 1, maxStep); }

bool trace::areWidths(Sizes widths) {
  return areWithin(widths, 0, maxElements);
}

//===-- sizes -------------------------------------------------------------===//

namespace {
/// One dimension that windows slide over.
struct Sliding {
  int64_t window, stride, dilation, low, high;

  int64_t extent() const { return dilation * (window - 1) + 1; }
  bool fits(int64_t size) const {
    return ShapedType::isDynamic(size) ||
           (size > 0 && size + low + high >= extent());
  }
  /// How many windows there are; 0 where none fits.
  int64_t count(int64_t size, bool ceilMode) const {
    if (ShapedType::isDynamic(size))
      return size;
    if (!fits(size))
      return 0;
    int64_t rest = size + low + high - extent();
    if (!ceilMode)
      return rest / stride + 1;
    return std::min<int64_t>(llvm::divideCeil(rest, stride) + 1,
                             llvm::divideCeil(size + low, stride));
  }
};
} // namespace

WindowSpace trace::poolSpace(Value input, Sizes window, Sizes stride,
                             Sizes dilation, Sizes low, Sizes high,
                             bool ceilMode) {
  WindowSpace space;
  space.spatialRank = static_cast<int64_t>(window.size());
  space.windows.assign(window.begin(), window.end());
  Sizes from = shapeOf(input);
  llvm::append_range(space.windows, from.drop_back(window.size()));
  for (auto [i, size] : llvm::enumerate(from.take_back(window.size()))) {
    Sliding sliding{window[i], at(stride, i, 1), at(dilation, i, 1),
                    at(low, i, 0), at(high, i, 0)};
    space.isLarge &= sliding.fits(size);
    space.windows.push_back(sliding.count(size, ceilMode));
  }
  return space;
}

//===-- convolution -------------------------------------------------------===//

bool trace::hasGroups(Value input, Value weight, int64_t groups) {
  int64_t outputs = shapeOf(weight)[0], channels = shapeOf(weight)[1];
  if (groups < 1 || groups > maxElements ||
      (!ShapedType::isDynamic(outputs) && outputs % groups != 0))
    return false;
  return ShapedType::isDynamic(channels) ||
         mayAgree(shapeOf(input)[1], saturatingMul(channels, groups));
}

static std::string describeSize(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

std::string trace::describeChannels(Value input, Value weight,
                                    size_t contracted) {
  return "; the input has " + describeSize(shapeOf(input)[1]) +
         " channels, and dimension " + std::to_string(contracted) +
         " of the weight is " + describeSize(shapeOf(weight)[contracted]);
}

WindowSpace trace::convolutionSpace(Value input, Value weight, Sizes stride,
                                    Sizes dilation, Sizes low, Sizes high) {
  return poolSpace(input, shapeOf(weight).drop_front(2), stride, dilation, low,
                   high, /*ceilMode=*/false);
}

Shape trace::convolutionShape(Value input, Value weight, Sizes stride,
                              Sizes dilation, Sizes low, Sizes high) {
  Shape shape =
      convolutionSpace(input, weight, stride, dilation, low, high).result();
  shape[1] = shapeOf(weight)[0];
  return shape;
}

//===-- transposed convolution --------------------------------------------===//

bool trace::isOutputPadding(Sizes padding, int64_t rank, Sizes stride,
                            Sizes dilation) {
  if (!areSpatial(rank, {padding}))
    return false;
  for (auto [i, size] : llvm::enumerate(padding))
    if (size < 0 || size >= std::max(at(stride, i, 1), at(dilation, i, 1)))
      return false;
  return true;
}

bool trace::hasTransposedGroups(Value input, Value weight, int64_t groups) {
  for (int64_t channels : {shapeOf(input)[1], shapeOf(weight)[0]})
    if (groups < 1 || groups > maxElements ||
        (!ShapedType::isDynamic(channels) && channels % groups != 0))
      return false;
  return mayAgree(shapeOf(input)[1], shapeOf(weight)[0]);
}

/// Output channels of a weight (channels, output channels / groups, ...).
static int64_t transposedOutputs(Value weight, int64_t groups) {
  int64_t each = shapeOf(weight)[1];
  return ShapedType::isDynamic(each) ? each : saturatingMul(each, groups);
}

bool trace::isTransposedBias(Value bias, Value weight, int64_t groups) {
  return rankOf(bias) == 1 &&
         mayAgree(shapeOf(bias)[0], transposedOutputs(weight, groups));
}

WindowSpace trace::transposedSpace(Value input, Value weight, Sizes stride,
                                   Sizes dilation, Sizes low, Sizes high,
                                   Sizes outputPadding) {
  WindowSpace space;
  Sizes window = shapeOf(weight).drop_front(2), from = shapeOf(input);
  space.spatialRank = static_cast<int64_t>(window.size());
  space.windows.assign(window.begin(), window.end());
  llvm::append_range(space.windows, from.take_front(2));
  for (auto [i, size] : llvm::enumerate(from.drop_front(2))) {
    if (ShapedType::isDynamic(size)) {
      space.windows.push_back(size);
      continue;
    }
    int64_t count = (size - 1) * at(stride, i, 1) +
                    at(dilation, i, 1) * (window[i] - 1) + 1 +
                    at(outputPadding, i, 0) - at(low, i, 0) - at(high, i, 0);
    space.isLarge &= size > 0 && count > 0;
    space.windows.push_back(std::max<int64_t>(count, 0));
  }
  return space;
}

Shape trace::transposedShape(Value input, Value weight, Sizes stride,
                             Sizes dilation, Sizes low, Sizes high,
                             Sizes outputPadding, int64_t groups) {
  Shape shape =
      transposedSpace(input, weight, stride, dilation, low, high, outputPadding)
          .result();
  shape[1] = transposedOutputs(weight, groups);
  return shape;
}

//===-- pooling -----------------------------------------------------------===//

bool trace::isPoolWindow(Sizes window, int64_t rank) {
  return !window.empty() && window.size() <= 3 &&
         static_cast<int64_t>(window.size()) <= rank &&
         areWithin(window, 1, maxElements);
}

bool trace::isPoolPadding(Sizes window, Sizes dilation, Sizes widths) {
  for (auto [i, width] : llvm::enumerate(widths))
    if (width < 0 || width > at(dilation, i, 1) * (window[i] - 1))
      return false;
  return true;
}
