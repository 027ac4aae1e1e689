//===- ContractionSpace.cpp - Loops of a contraction by role --------------===//

#include "tripy/Codegen/ContractionSpace.h"

using namespace mlir;
using namespace tripy::codegen;

FailureOr<ContractionSpace> ContractionSpace::of(linalg::GenericOp op,
                                                 KernelEmission &emission) {
  auto found = linalg::inferContractionDims(op);
  if (failed(found))
    return op.emitOpError("is not a contraction");
  ContractionSpace space(op, emission);
  space.batch.assign(found->batch.begin(), found->batch.end());
  space.m.assign(found->m.begin(), found->m.end());
  space.n.assign(found->n.begin(), found->n.end());
  space.k.assign(found->k.begin(), found->k.end());
  space.sizes = loopSizes(op, emission.elements);
  return space;
}

Index ContractionSpace::sizeOf(ArrayRef<unsigned> loops) const {
  SmallVector<Index> factors;
  for (unsigned loop : loops)
    factors.push_back(sizes[loop]);
  return emission->math.product(factors);
}

AffineExpr ContractionSpace::extentOf(ArrayRef<unsigned> loops) const {
  linalg::GenericOp contraction = op;
  AffineMap map = contraction.getIndexingMapsArray().back();
  SmallVector<AffineExpr> exprs = emission->sizeExprs(0), factors;
  for (auto [expr, size] : llvm::zip(map.getResults(), exprs))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      if (llvm::is_contained(loops, dim.getPosition()))
        factors.push_back(size);
  return KernelEmission::product(factors, contraction.getContext());
}

void ContractionSpace::spread(Index linear, ArrayRef<unsigned> loops,
                              SmallVectorImpl<Index> &point) const {
  SmallVector<Index> box;
  for (unsigned loop : loops)
    box.push_back(sizes[loop]);
  SmallVector<Index> parts = emission->math.delinearize(linear, box);
  for (auto [loop, index] : llvm::zip(loops, parts))
    point[loop] = index;
}

SmallVector<Index> ContractionSpace::resultAt(ArrayRef<Index> point) const {
  linalg::GenericOp contraction = op;
  SmallVector<Index> at;
  for (AffineExpr expr : contraction.getIndexingMapsArray().back().getResults())
    at.push_back(emission->math.evaluate(expr, point));
  return at;
}
