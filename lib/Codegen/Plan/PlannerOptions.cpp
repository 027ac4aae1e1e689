//===- PlannerOptions.cpp - What the planner knows of the emitters --------===//

#include "PlannerOptions.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// Product of static sizes; a dynamic one counts as more than any.
static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result = ShapedType::isDynamic(size) ? std::numeric_limits<int64_t>::max()
                                         : saturatingMul(result, size);
  return result;
}

bool PlannerOptions::isVector(flatir::DotOp dot) const {
  ArrayRef<int64_t> shape = dot.getResult().getType().getShape();
  size_t batch = dot.getLhsBatch().size();
  size_t left = rankOf(dot.getLhs()) - dot.getLhsContract().size();
  int64_t rows = product(shape.slice(batch, left - batch));
  int64_t columns = product(shape.drop_front(left));
  return std::min(rows, columns) <= vectorRows;
}

/// [batch..., outer..., k], or [batch..., k, outer] with elements of 16 bits.
static bool isTensorOperand(int64_t rank, ArrayRef<int64_t> batch,
                            ArrayRef<int64_t> contract, bool anyOrder) {
  int64_t leading = batch.size();
  if (contract.size() != 1 || rank < leading + 2 ||
      !llvm::equal(batch, llvm::seq(leading)))
    return false;
  return contract[0] == rank - 1 ||
         (anyOrder && contract[0] == leading && rank == leading + 2);
}

bool PlannerOptions::onTensorCores(flatir::DotOp dot) const {
  Type element = elementTypeOf(dot.getLhs());
  bool wide = element.isF16() || element.isBF16();
  if (!tensorCores || isVector(dot) ||
      !(wide || (tensorF8 && isa<Float8E4M3FNType>(element)) ||
        (element.isF32() && dot.getAllowTF32())))
    return false;
  int64_t right = rankOf(dot.getRhs());
  return right == static_cast<int64_t>(dot.getRhsBatch().size()) + 2 &&
         isTensorOperand(rankOf(dot.getLhs()), dot.getLhsBatch(),
                         dot.getLhsContract(), wide) &&
         isTensorOperand(right, dot.getRhsBatch(), dot.getRhsContract(), wide);
}
