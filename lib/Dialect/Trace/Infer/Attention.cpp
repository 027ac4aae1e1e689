//===- Attention.cpp - Rules and shapes of attention ----------------------===//

#include "../TraceRules.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::trace;

/// Dimension `dim`, counted from the end: 3 are the heads.
static int64_t sizeFromEnd(Value value, int64_t dim) {
  Sizes sizes = shapeOf(value);
  return sizes[sizes.size() - dim];
}

/// What is known of sizes that are equal.
static int64_t known(std::initializer_list<int64_t> sizes) {
  for (int64_t size : sizes)
    if (!ShapedType::isDynamic(size))
      return size;
  return ShapedType::kDynamic;
}

static bool mayAllAgree(int64_t a, int64_t b, int64_t c) {
  return mayAgree(a, b) && mayAgree(a, c) && mayAgree(b, c);
}

bool trace::haveOneBatch(Value query, Value key, Value value) {
  for (int64_t dim = rankOf(query); dim > 3; --dim)
    if (!mayAllAgree(sizeFromEnd(query, dim), sizeFromEnd(key, dim),
                     sizeFromEnd(value, dim)))
      return false;
  return true;
}

bool trace::haveOneKeys(Value key, Value value) {
  return mayAgree(sizeFromEnd(key, 3), sizeFromEnd(value, 3)) &&
         mayAgree(sizeFromEnd(key, 2), sizeFromEnd(value, 2));
}

bool trace::canGroupHeads(Value query, Value key, Value value) {
  int64_t heads = sizeFromEnd(query, 3);
  int64_t shared = known({sizeFromEnd(key, 3), sizeFromEnd(value, 3)});
  if (mayAgree(heads, shared))
    return true;
  return shared > 0 && heads % shared == 0;
}

bool trace::haveHeadSizes(Value query, Value key, Value value) {
  int64_t size = sizeFromEnd(query, 1);
  return size >= 1 && size == sizeFromEnd(key, 1) &&
         !ShapedType::isDynamic(sizeFromEnd(value, 1));
}

bool trace::isAttentionMask(Type mask, Type element) {
  return mask.isInteger(1) || mask == element || mask.isF32();
}

bool trace::canBroadcastTo(Sizes from, Sizes to) {
  if (from.size() > to.size())
    return false;
  return llvm::all_of(llvm::zip(from, to.take_back(from.size())),
                      [](auto pair) {
                        auto [size, target] = pair;
                        return size == 1 || mayAgree(size, target);
                      });
}

Shape trace::attentionBatch(Value query, Value key, Value value) {
  Shape batch;
  for (int64_t dim = rankOf(query); dim > 3; --dim)
    batch.push_back(known({sizeFromEnd(query, dim), sizeFromEnd(key, dim),
                           sizeFromEnd(value, dim)}));
  return batch;
}

/// Heads that are not known are as many as those of the key.
static int64_t headsOf(Value query, Value key, Value value) {
  return known(
      {sizeFromEnd(query, 3), sizeFromEnd(key, 3), sizeFromEnd(value, 3)});
}

Shape trace::scoresShape(Value query, Value key, Value value) {
  Shape shape = attentionBatch(query, key, value);
  shape.push_back(headsOf(query, key, value));
  shape.push_back(sizeFromEnd(query, 2));
  shape.push_back(known({sizeFromEnd(key, 2), sizeFromEnd(value, 2)}));
  return shape;
}

Shape trace::attentionShape(Value query, Value key, Value value) {
  Shape shape = scoresShape(query, key, value);
  shape.back() = sizeFromEnd(value, 1);
  return shape;
}
