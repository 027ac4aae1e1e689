//===- Contraction.cpp - Rules and shapes of matrix products --------------===//

#include "../TraceRules.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::trace;

/// The leading dimensions of a stack of matrices.
static Sizes batchOf(Value value) {
  Sizes sizes = shapeOf(value);
  return sizes.size() > 2 ? sizes.drop_back(2) : Sizes();
}

bool trace::canContract(Value lhs, Value rhs) {
  Sizes right = shapeOf(rhs);
  int64_t contracted = right.size() == 1 ? right[0] : right[right.size() - 2];
  return mayAgree(shapeOf(lhs).back(), contracted);
}

bool trace::canBroadcastBatch(Value lhs, Value rhs) {
  Sizes left = batchOf(lhs), right = batchOf(rhs);
  size_t common = std::min(left.size(), right.size());
  return llvm::all_of(
      llvm::zip(left.take_back(common), right.take_back(common)),
      [](auto pair) {
        auto [a, b] = pair;
        return a == 1 || b == 1 || mayAgree(a, b);
      });
}

Shape trace::matmulShape(Value lhs, Value rhs) {
  Sizes left = shapeOf(lhs), right = shapeOf(rhs);
  Shape result = broadcastShapes({batchOf(lhs), batchOf(rhs)});
  if (left.size() > 1)
    result.push_back(left[left.size() - 2]);
  if (right.size() > 1)
    result.push_back(right.back());
  return result;
}

bool trace::lastDimsAgree(Value input, Value weight) {
  return mayAgree(shapeOf(input).back(), shapeOf(weight).back());
}

bool trace::isBiasOf(Value bias, Value weight) {
  return rankOf(bias) == 1 &&
         mayAgree(shapeOf(bias).front(), shapeOf(weight).front());
}

Shape trace::linearShape(Value input, Value weight) {
  Shape result(shapeOf(input));
  result.back() = shapeOf(weight).front();
  return result;
}
