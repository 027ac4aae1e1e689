//===- Resize.cpp - Rules and shapes of interpolation ---------------------===//

#include "../TraceRules.h"

#include "llvm/Support/Format.h"

#include <cmath>
#include <utility>

using namespace mlir;
using namespace tripy;
using namespace tripy::trace;

/// Of a dimension whose size changes: positions are quotients of products of
/// two sizes.
static constexpr int64_t maxResized = int64_t(1) << 30;

bool trace::isAveraged(Value input) {
  return scalar::isOneOf(input.getType(), true, false, false) ||
         elementTypeOf(input).isSignlessInteger(8);
}

bool trace::isResizeMode(StringRef mode) {
  return mode == "nearest" || mode == "linear" || mode == "cubic";
}

bool trace::areCoordinates(StringRef coordinates, StringRef mode) {
  return coordinates == "half_pixel" || coordinates == "asymmetric" ||
         (coordinates == "align_corners" && mode != "nearest");
}

bool trace::hasEither(size_t sizes, size_t scales, int64_t rank) {
  return static_cast<int64_t>(sizes + scales) == rank &&
         (sizes == 0 || scales == 0);
}

bool trace::areResizeSizes(Sizes sizes) {
  return llvm::all_of(sizes, [](int64_t size) {
    return ShapedType::isDynamic(size) || (-1 <= size && size <= maxResized);
  });
}

bool trace::areScales(ArrayRef<double> scales) {
  return llvm::all_of(
      scales, [](double scale) { return 0x1p-20 <= scale && scale <= 0x1p20; });
}

std::string trace::describeScales(ArrayRef<double> scales) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(scales, stream, [&](double scale) {
    stream << llvm::format("%g", scale);
  });
  stream << ']';
  return text;
}

SmallVector<double> trace::scalesOf(ArrayAttr scales) {
  return llvm::map_to_vector(
      scales.getAsRange<FloatAttr>(),
      [](FloatAttr scale) { return scale.getValueAsDouble(); });
}

Fraction trace::nearestFraction(double value) {
  // Convergents p / q of the continued fraction.
  int64_t p = 1, q = 0, lastP = 0, lastQ = 1;
  double rest = value;
  while (true) {
    auto whole = static_cast<int64_t>(rest);
    lastP = std::exchange(p, whole * p + lastP);
    lastQ = std::exchange(q, whole * q + lastQ);
    double error = static_cast<double>(p) / static_cast<double>(q) - value;
    if (p > 0 && std::abs(error) <= value * 0x1p-25)
      return {p, q};
    rest = 1 / (rest - static_cast<double>(whole));
  }
}

/// The size of dimension `i` of the result.
static int64_t resizedSize(int64_t size, size_t i, Sizes sizes,
                           ArrayRef<double> scales) {
  if (scales.empty())
    return sizes[i] == -1 ? size : sizes[i];
  if (scales[i] == 1 || ShapedType::isDynamic(size))
    return size;
  Fraction scale = nearestFraction(scales[i]);
  return saturatingMul(size, scale.numerator) / scale.denominator;
}

bool trace::canResize(Value input, Sizes sizes, ArrayRef<double> scales) {
  Shape to = resizedShape(input, sizes, scales);
  if (llvm::is_contained(to, 0))
    return true;
  for (auto [from, size] : llvm::zip(shapeOf(input), to))
    if (from != size &&
        ((!ShapedType::isDynamic(from) && (from < 1 || from > maxResized)) ||
         size > maxResized))
      return false;
  return true;
}

Shape trace::resizedShape(Value input, Sizes sizes, ArrayRef<double> scales) {
  Shape result;
  for (auto [i, size] : llvm::enumerate(shapeOf(input)))
    result.push_back(resizedSize(size, i, sizes, scales));
  return result;
}
