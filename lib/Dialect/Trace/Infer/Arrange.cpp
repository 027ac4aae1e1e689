//===- Arrange.cpp - Rules of turned, repeated and cut tensors ------------===//

#include "../TraceRules.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::trace;

bool trace::shiftsValid(Sizes shifts) {
  return llvm::all_of(shifts, [](int64_t shift) {
    return -maxElements <= shift && shift <= maxElements;
  });
}

Shape trace::copiedShape(Value input, Sizes counts) {
  Shape result;
  for (auto [size, count] : llvm::zip(shapeOf(input), counts))
    result.push_back(ShapedType::isDynamic(size) || ShapedType::isDynamic(count)
                         ? ShapedType::kDynamic
                         : saturatingMul(size, count));
  return result;
}
