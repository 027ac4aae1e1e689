//===- PlannerOptions.cpp - What the planner knows of the emitters --------===//

#include "PlannerOptions.h"

#include "tripy/Codegen/Passes.h"

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
  return std::min(rows, columns) <= vectorRows && !suitsTensorCores(dot);
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

static bool is16Bit(Type element) {
  return element.isF16() || element.isBF16();
}

static bool haveTensorOrder(flatir::DotOp dot) {
  bool wide = is16Bit(elementTypeOf(dot.getLhs()));
  int64_t right = rankOf(dot.getRhs());
  return right == static_cast<int64_t>(dot.getRhsBatch().size()) + 2 &&
         isTensorOperand(rankOf(dot.getLhs()), dot.getLhsBatch(),
                         dot.getLhsContract(), wide) &&
         isTensorOperand(right, dot.getRhsBatch(), dot.getRhsContract(), wide);
}

bool PlannerOptions::onTensorCores(flatir::DotOp dot) const {
  Type element = elementTypeOf(dot.getLhs());
  return tensorCores && !isVector(dot) &&
         (is16Bit(element) || (tensorF8 && isa<Float8E4M3FNType>(element)) ||
          (element.isF32() && dot.getAllowTF32())) &&
         haveTensorOrder(dot);
}

/// Whether rows of the tensor are known to be a multiple of what TMA copies.
static bool hasTensorRows(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t inner = type.getShape().back();
  return !ShapedType::isDynamic(inner) &&
         inner * type.getElementTypeBitWidth() % (tensorRowBytes * 8) == 0;
}

bool PlannerOptions::suitsTensorCores(flatir::DotOp dot) const {
  Type element = elementTypeOf(dot.getLhs());
  if (!fewRowsOnTensorCores ||
      !(is16Bit(element) || isa<Float8E4M3FNType>(element)) ||
      !haveTensorOrder(dot) ||
      dot.getLhsContract()[0] != rankOf(dot.getLhs()) - 1 ||
      !hasTensorRows(dot.getLhs()) || !hasTensorRows(dot.getRhs()))
    return false;
  ArrayRef<int64_t> matrix = dot.getRhs().getType().getShape();
  int64_t rows =
      product(dot.getLhs().getType().getShape().drop_back().drop_front(
          dot.getLhsBatch().size()));
  bool alongK = dot.getRhsContract()[0] == rankOf(dot.getRhs()) - 1;
  return rows >= 1 && rows <= vectorRows &&
         !ShapedType::isDynamicShape(matrix) &&
         codegen::fewRowsSuitTensorCores(
             rows, product(matrix), element.getIntOrFloatBitWidth(), alongK);
}
