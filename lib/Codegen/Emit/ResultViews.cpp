//===- ResultViews.cpp - Results that are written in another order --------===//

#include "ResultViews.h"

#include "tripy/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Whether a generic copies the rows of its operand to another order.
static bool isPermutation(linalg::GenericOp op) {
  Block &body = *op.getBlock();
  if (op.getNumResults() != 1 || op.getNumDpsInputs() != 1 ||
      op.getNumReductionLoops() > 0 || body.getOperations().size() != 1 ||
      body.getTerminator()->getOperand(0) != body.getArgument(0))
    return false;
  AffineMap from = op.getIndexingMapsArray().front();
  if (!op.getIndexingMapsArray().back().isIdentity() || !from.isPermutation() ||
      from.isIdentity())
    return false;
  return from.getResults().back() ==
         getAffineDimExpr(from.getNumDims() - 1, from.getContext());
}

/// Whether dimensions of dynamic size stay as they are: the kernel's grid knows
/// sizes by those of its results.
static bool keepsDynamic(tensor::CollapseShapeOp op) {
  return llvm::all_of(
      op.getReassociationIndices(), [&](const ReassociationIndices &group) {
        return group.size() == 1 || llvm::none_of(group, [&](int64_t dim) {
                 return op.getSrcType().isDynamicDim(dim);
               });
      });
}

/// Whether an operation is a view that keeps rows whole.
static bool isView(Operation *op) {
  if (isa_and_nonnull<tensor::CastOp>(op))
    return true;
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
    return keepsDynamic(collapse);
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op)) {
    auto groups = expand.getReassociationIndices();
    return !groups.empty() && groups.back().size() == 1;
  }
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic && isPermutation(generic);
}

static bool comesFromAttention(Value value) {
  llvm::SetVector<Operation *> pending;
  if (Operation *made = value.getDefiningOp())
    pending.insert(made);
  for (size_t i = 0; i < pending.size(); ++i) {
    if (isa<kernel::AttentionOp>(pending[i]))
      return true;
    for (Value operand : pending[i]->getOperands())
      if (Operation *made = operand.getDefiningOp())
        pending.insert(made);
  }
  return false;
}

ResultViews ResultViews::of(Value result) {
  ResultViews found{result, {}};
  while (isView(found.source.getDefiningOp())) {
    found.views.push_back(found.source.getDefiningOp());
    found.source = found.source.getDefiningOp()->getOperand(0);
  }
  if (!found.views.empty() && !comesFromAttention(found.source))
    return {result, {}};
  std::reverse(found.views.begin(), found.views.end());
  return found;
}

SmallVector<Index> ResultViews::place(ArrayRef<Index> at,
                                      ElementEmitter &elements,
                                      IndexMath &math) const {
  SmallVector<Index> index(at);
  for (Operation *view : views) {
    SmallVector<Index> to;
    if (auto generic = dyn_cast<linalg::GenericOp>(view)) {
      AffineMap map = generic.getIndexingMapsArray().front();
      to.resize(index.size());
      for (auto [i, expr] : llvm::enumerate(map.getResults()))
        to[cast<AffineDimExpr>(expr).getPosition()] = index[i];
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view)) {
      ArrayRef<Index> sizes = elements.sizesOf(collapse.getSrc());
      for (const ReassociationIndices &group :
           collapse.getReassociationIndices())
        to.push_back(
            math.linearize(ArrayRef(index).slice(group[0], group.size()),
                           sizes.slice(group[0], group.size())));
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
      ArrayRef<Index> sizes = elements.sizesOf(expand.getResult());
      for (auto [i, group] : llvm::zip(index, expand.getReassociationIndices()))
        llvm::append_range(
            to, math.delinearize(i, sizes.slice(group[0], group.size())));
    } else {
      continue;
    }
    index = std::move(to);
  }
  return index;
}

/// The sizes of dimensions of `type` whose product is `size`: one of them may
/// be dynamic.
static void divide(AffineExpr size, ArrayRef<int64_t> shape,
                   SmallVectorImpl<AffineExpr> &sizes) {
  int64_t known = 1;
  for (int64_t each : shape)
    if (!ShapedType::isDynamic(each))
      known *= each;
  for (int64_t each : shape)
    sizes.push_back(ShapedType::isDynamic(each)
                        ? size.floorDiv(known)
                        : getAffineConstantExpr(each, size.getContext()));
}

SmallVector<AffineExpr>
ResultViews::sizesOfSource(ArrayRef<AffineExpr> sizes) const {
  SmallVector<AffineExpr> all(sizes);
  for (Operation *view : llvm::reverse(views)) {
    SmallVector<AffineExpr> from;
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(view->getOperand(0).getType()).getShape();
    if (auto generic = dyn_cast<linalg::GenericOp>(view)) {
      AffineMap map = generic.getIndexingMapsArray().front();
      for (AffineExpr expr : map.getResults())
        from.push_back(all[cast<AffineDimExpr>(expr).getPosition()]);
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view)) {
      for (auto [size, group] :
           llvm::zip(all, collapse.getReassociationIndices()))
        divide(size, shape.slice(group[0], group.size()), from);
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
      for (const ReassociationIndices &group :
           expand.getReassociationIndices()) {
        AffineExpr size = all[group[0]];
        for (int64_t dim : ArrayRef(group).drop_front())
          size = size * all[dim];
        from.push_back(size);
      }
    } else {
      from = all;
    }
    all = std::move(from);
  }
  return all;
}
