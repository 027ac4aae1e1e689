//===- Windows.cpp - Sliding windows of a user's operation ----------------===//

#include "Windows.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

Size tripy::countWindows(Size size, const Sliding &sliding, bool ceilMode,
                         int64_t dim, Lowering &b) {
  SizeMath &math = b.math;
  b.require("at_most", math.constant(1), size,
            "dimension " + Twine(dim) + " of '" + b.sourceName() +
                "' is not empty");
  Size before = math.add(size, math.constant(sliding.low));
  Size padded = math.add(before, math.constant(sliding.high));
  b.require("at_most", math.constant(sliding.extent()), padded,
            "a window of '" + b.sourceName() +
                "' fits into the padded input in dimension " + Twine(dim));
  Size rest = math.sub(padded, math.constant(sliding.extent()));
  Size stride = math.constant(sliding.stride);
  if (!ceilMode)
    return math.add(math.floorDiv(rest, stride), math.constant(1));
  return math.minimum(math.add(math.ceilDiv(rest, stride), math.constant(1)),
                      math.ceilDiv(before, stride));
}

Value tripy::slideWindows(Value input, ArrayRef<Sliding> sliding,
                          ArrayRef<Size> counts, TypedAttr outside,
                          Lowering &b) {
  SizeList from = b.sizesOf(input), sizes;
  size_t first = from.size() - sliding.size();
  SmallVector<int64_t> dims, window, strides, dilations, interior, low;
  for (auto [i, one] : llvm::enumerate(sliding)) {
    dims.push_back(static_cast<int64_t>(first + i));
    window.push_back(one.window);
    sizes.push_back(b.math.constant(one.window));
    strides.push_back(one.stride);
    interior.push_back(one.interior);
    dilations.push_back(one.dilation);
    low.push_back(one.low);
  }
  llvm::append_range(sizes, ArrayRef(from).take_front(first));
  llvm::append_range(sizes, counts);
  RankedTensorType type = typeWith(sizes, elementTypeOf(input));
  Why why{"window", ("slide a window for '" + b.sourceName() + "'").str(), 0};
  return b.insert<flatir::WindowOp>(why, type, input,
                                    b.dynamicSizes(type, sizes), dims, window,
                                    strides, dilations, interior, low, outside);
}
