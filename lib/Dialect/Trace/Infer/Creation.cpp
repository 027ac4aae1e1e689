//===- Creation.cpp - Rules of the creation family ------------------------===//

#include "../TraceRules.h"

using namespace mlir;
using namespace tripy;

bool trace::sizesNotNegative(Sizes sizes) {
  return llvm::all_of(sizes, [](int64_t size) {
    return size >= 0 || ShapedType::isDynamic(size);
  });
}
