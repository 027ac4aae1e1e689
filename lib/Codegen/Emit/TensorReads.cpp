//===- TensorReads.cpp - How a kernel's bodies read tensors ---------------===//

#include "TensorReads.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {
/// Goes from a kernel's results to what they are computed from.
class TensorReads {
public:
  void visit(Value tensor, AffineMap map);
  /// Null for tensors that are read in several ways.
  llvm::MapVector<Value, AffineMap> maps;

private:
  void visitGeneric(linalg::GenericOp op, unsigned result, AffineMap map);
  void forget(Value tensor);
};
} // namespace

void TensorReads::visitGeneric(linalg::GenericOp op, unsigned result,
                               AffineMap map) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> loops(op.getNumLoops(),
                                getAffineConstantExpr(0, context));
  AffineMap written = op.getIndexingMapsArray()[op.getNumDpsInputs() + result];
  for (auto [expr, index] : llvm::zip(written.getResults(), map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      loops[dim.getPosition()] = index;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(operand->get().getType()))
      continue;
    AffineMap read = op.getMatchingIndexingMap(operand);
    visit(operand->get(),
          read.replaceDimsAndSymbols(loops, {}, map.getNumDims(), 0));
  }
  op.getBlock()->walk(
      [&](tensor::ExtractOp extract) { forget(extract.getTensor()); });
}

/// `tensor` and all that it is computed from are read in ways not followed.
void TensorReads::forget(Value tensor) {
  auto [it, isNew] = maps.try_emplace(tensor, AffineMap());
  if (!isNew && !it->second)
    return;
  it->second = AffineMap();
  if (Operation *op = tensor.getDefiningOp())
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        forget(operand);
}

void TensorReads::visit(Value tensor, AffineMap map) {
  auto [it, isNew] = maps.try_emplace(tensor, map);
  if (!isNew) {
    if (it->second != map)
      forget(tensor);
    return;
  }
  Operation *op = tensor.getDefiningOp();
  if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op))
    return visitGeneric(generic, cast<OpResult>(tensor).getResultNumber(), map);
  for (Value operand : op ? ValueRange(op->getOperands()) : ValueRange())
    if (isa<RankedTensorType>(operand.getType()))
      forget(operand);
}

llvm::MapVector<Value, AffineMap> codegen::readsOf(KernelEmission &e) {
  TensorReads reads;
  auto identity = AffineMap::getMultiDimIdentityMap(
      e.results.front().sizes.size(), e.kernel.getContext());
  for (Value value : e.yielded())
    reads.visit(value, identity);
  return reads.maps;
}

Value codegen::memoryBehind(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
             tensor::ExtractSliceOp>(op))
      return Value();
    tensor = op->getOperand(0);
  }
  return tensor;
}
