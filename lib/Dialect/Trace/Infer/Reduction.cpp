//===- Reduction.cpp - Rules of reductions and normalizations -------------===//

#include "../TraceRules.h"

using namespace mlir;
using namespace tripy;

bool trace::isCorrection(int64_t correction) {
  return 0 <= correction && correction <= maxElements;
}

bool trace::isTrailingShape(Value weight, Value input) {
  Sizes tail = shapeOf(weight), sizes = shapeOf(input);
  return !tail.empty() && tail.size() <= sizes.size() &&
         llvm::all_of(llvm::zip(tail, sizes.take_back(tail.size())),
                      [](auto pair) {
                        return mayAgree(std::get<0>(pair), std::get<1>(pair));
                      });
}

bool trace::areOfChannels(Value input, ValueRange vectors) {
  return rankOf(input) >= 2 && llvm::all_of(vectors, [&](Value vector) {
           return rankOf(vector) == 1 &&
                  mayAgree(shapeOf(vector)[0], shapeOf(input)[1]);
         });
}

bool trace::dividesChannels(Value input, int64_t groups) {
  int64_t channels = shapeOf(input)[1];
  return groups >= 1 && groups <= maxElements &&
         (ShapedType::isDynamic(channels) || channels % groups == 0);
}

int64_t trace::choices(Value input, std::optional<uint64_t> dim) {
  Sizes sizes = shapeOf(input);
  if (dim)
    return sizes[normalizeDim(asSigned(*dim), sizes.size())];
  if (dynamicCount(sizes))
    return ShapedType::kDynamic;
  int64_t count = 1;
  for (int64_t size : sizes)
    count = saturatingMul(count, size);
  return count;
}

bool trace::isArgCount(int64_t count) {
  return ShapedType::isDynamic(count) ||
         (1 <= count && count <= std::numeric_limits<int32_t>::max());
}

Type trace::argType(Value input, std::optional<uint64_t> dim, bool keepdim) {
  SmallVector<int64_t> dims;
  if (dim)
    dims.push_back(asSigned(*dim));
  auto type = cast<RankedTensorType>(input.getType());
  RankedTensorType reduced = reducedType(type, dims, keepdim);
  return reduced.clone(IntegerType::get(type.getContext(), 32));
}
