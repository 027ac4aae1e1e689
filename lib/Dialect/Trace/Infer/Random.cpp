//===- Random.cpp - Rules of random numbers -------------------------------===//

#include "../TraceRules.h"

using namespace mlir;
using namespace tripy;

bool trace::isSeed(Value seed) {
  Sizes sizes = shapeOf(seed);
  return elementTypeOf(seed).isInteger(64) &&
         (sizes.empty() || (sizes.size() == 1 && mayAgree(sizes[0], 2)));
}

bool trace::isProbability(const llvm::APFloat &p) {
  double value = p.convertToDouble();
  return 0.0 <= value && value <= 1.0;
}
