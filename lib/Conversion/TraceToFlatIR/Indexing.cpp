//===- Indexing.cpp - Lowers gather and embedding of trace ----------------===//

#include "Lowering.h"

using namespace mlir;
using namespace tripy;

/// Takes slices of dimension `dim`; checks that there is one, where only
/// run-time sizes tell.
static Lowered take(Value input, Value index, int64_t dim, Type type,
                    Lowering &b) {
  Size count = b.math.product(b.sizesOf(index));
  b.require("at_most", b.math.minimum(b.math.constant(1), count),
            b.sizesOf(input)[dim],
            "dimension " + Twine(dim) + " of the input of '" + b.sourceName() +
                "' is not empty, unless the index is");
  return {b.primary<flatir::GatherOp>(type, input, index, dim)};
}

// trace.gather %a, %i -> flatir.gather
static Lowered lowerGather(trace::GatherOp op, trace::GatherOp::Adaptor in,
                           Lowering &b) {
  int64_t dim = normalizeDim(asSigned(in.getDim()), rankOf(in.getInput()));
  return take(in.getInput(), in.getIndex(), dim, op.getResult().getType(), b);
}

// trace.embedding %w, %i -> flatir.gather dim = 0
static Lowered lowerEmbedding(trace::EmbeddingOp op,
                              trace::EmbeddingOp::Adaptor in, Lowering &b) {
  return take(in.getWeight(), in.getIndex(), /*dim=*/0,
              op.getResult().getType(), b);
}

void tripy::addIndexingPatterns(PatternAdder &adder) {
  adder.add<trace::GatherOp>(lowerGather)
      .add<trace::EmbeddingOp>(lowerEmbedding);
}
