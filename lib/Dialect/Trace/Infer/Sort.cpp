//===- Sort.cpp - Rules and results of sorting ----------------------------===//

#include "../TraceRules.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::trace;

/// Dimension `dim`, which the rules have checked.
static int64_t sizeOf(Value input, int64_t dim) {
  return shapeOf(input)[normalizeDim(dim, rankOf(input))];
}

bool trace::hasPositions(Value input, int64_t dim) {
  int64_t size = sizeOf(input, dim);
  return ShapedType::isDynamic(size) ||
         size <= std::numeric_limits<int32_t>::max();
}

bool trace::isCount(Value input, int64_t dim, int64_t count) {
  int64_t size = sizeOf(input, dim);
  return 0 <= count && count <= std::numeric_limits<int32_t>::max() &&
         (ShapedType::isDynamic(size) || count <= size);
}

/// The types of values and indices: `type`.
static void addResults(RankedTensorType type, SmallVectorImpl<Type> &out) {
  out.push_back(type);
  out.push_back(type.clone(IntegerType::get(type.getContext(), 32)));
}

void SortOp::inferResults(Adaptor in, SmallVectorImpl<Type> &out) {
  addResults(cast<RankedTensorType>(in.getInput().getType()), out);
}

void TopKOp::inferResults(Adaptor in, SmallVectorImpl<Type> &out) {
  auto type = cast<RankedTensorType>(in.getInput().getType());
  Shape shape(type.getShape());
  shape[normalizeDim(asSigned(in.getDim()), type.getRank())] =
      asSigned(in.getK());
  addResults(type.clone(shape), out);
}
