//===- Quantization.cpp - Rules of scales ---------------------------------===//

#include "../TraceRules.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::trace;

bool trace::isScaled(Type element) {
  return element.isF32() || element.isF16() || element.isBF16();
}

bool trace::isQuantized(Type element) {
  return element.isSignlessInteger(8) || isInt4(element) || isFloat8(element);
}

bool trace::isScaleOf(Value scale, Value input, int64_t dim) {
  Sizes sizes = shapeOf(input);
  return rankOf(scale) == 1 &&
         mayAgree(shapeOf(scale)[0],
                  sizes[normalizeDim(dim, static_cast<int64_t>(sizes.size()))]);
}

bool trace::isBlockRank(Value scale, Value input) {
  int64_t rank = rankOf(input);
  return rankOf(scale) == rank && rank >= 2 && rank < maxRank;
}

bool trace::isBlockScale(Value scale, Value input) {
  Sizes sizes = shapeOf(input), scales = shapeOf(scale);
  size_t blocked = sizes.size() - 2;
  for (auto [i, size, count] : llvm::enumerate(sizes, scales)) {
    bool isStatic = !ShapedType::isDynamic(count);
    if (i != blocked && !mayAgree(size, count))
      return false;
    if (i == blocked && !(isStatic && count > 0 &&
                          (ShapedType::isDynamic(size) || size % count == 0)))
      return false;
  }
  return true;
}
