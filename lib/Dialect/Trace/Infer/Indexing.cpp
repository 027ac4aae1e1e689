//===- Indexing.cpp - Rules and results of gather and embedding -----------===//

#include "../TraceRules.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::trace;

using TypeList = SmallVectorImpl<Type>;

bool trace::isAllowedTensor(Sizes sizes) {
  return static_cast<int64_t>(sizes.size()) <= maxRank && isAllowedShape(sizes);
}

Shape trace::gatheredShape(Value input, Value index, int64_t dim) {
  Sizes from = shapeOf(input);
  dim = normalizeDim(dim, from.size());
  Shape result(from.take_front(dim));
  llvm::append_range(result, shapeOf(index));
  llvm::append_range(result, from.drop_front(dim + 1));
  return result;
}

bool trace::canTake(Value input, Value index, int64_t dim) {
  Sizes sizes = shapeOf(input);
  return sizes[normalizeDim(dim, sizes.size())] != 0 ||
         dynamicCount(shapeOf(index)) || llvm::is_contained(shapeOf(index), 0);
}

bool trace::mayHaveShape(Value tensor, Sizes sizes) {
  Sizes found = shapeOf(tensor);
  return found.size() == sizes.size() &&
         llvm::all_of_zip(found, sizes, mayAgree);
}

void GatherOp::inferResults(Adaptor in, TypeList &out) {
  out.push_back(RankedTensorType::get(
      gatheredShape(in.getInput(), in.getIndex(), in.getDim()),
      elementTypeOf(in.getInput())));
}

void EmbeddingOp::inferResults(Adaptor in, TypeList &out) {
  out.push_back(RankedTensorType::get(
      gatheredShape(in.getWeight(), in.getIndex(), /*dim=*/0),
      elementTypeOf(in.getWeight())));
}
