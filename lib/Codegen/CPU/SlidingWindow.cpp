//===- SlidingWindow.cpp - Windows that a contraction reads ---------------===//

#include "SlidingWindow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy::codegen;

int64_t SlidingWindow::Part::inner() const {
  int64_t product = 1;
  for (int64_t size : llvm::drop_begin(sizes))
    product *= size;
  return product;
}

/// `form` plus `factor` times `other`.
static void add(LinearForm &form, const LinearForm &other, int64_t factor) {
  for (auto [own, theirs] : llvm::zip(form.factors, other.factors))
    own += factor * theirs;
  form.constant += factor * other.constant;
}

/// What an index in the body of a generic of `loops` loops is.
static std::optional<LinearForm> linearForm(Value index, unsigned loops) {
  LinearForm form{SmallVector<int64_t>(loops, 0)};
  if (auto loop = index.getDefiningOp<linalg::IndexOp>()) {
    form.factors[loop.getDim()] = 1;
    return form;
  }
  if (std::optional<int64_t> number = getConstantIntValue(index)) {
    form.constant = *number;
    return form;
  }
  Operation *op = index.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<LinearForm> left = linearForm(op->getOperand(0), loops);
  std::optional<LinearForm> right = linearForm(op->getOperand(1), loops);
  if (!left || !right)
    return std::nullopt;
  if (!isa<arith::MulIOp>(op)) {
    add(*left, *right, isa<arith::AddIOp>(op) ? 1 : -1);
    return left;
  }
  bool isScaled = llvm::all_of(right->factors, [](int64_t f) { return !f; });
  if (!isScaled)
    return std::nullopt;
  add(form, *left, right->constant);
  return form;
}

/// Collects the comparisons of a conjunction.
static bool collectBounds(Value condition, unsigned loops,
                          SmallVectorImpl<SlidingWindow::Bound> &bounds,
                          llvm::SmallPtrSetImpl<Value> &known) {
  known.insert(condition);
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return collectBounds(both.getLhs(), loops, bounds, known) &&
           collectBounds(both.getRhs(), loops, bounds, known);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult)
    return false;
  std::optional<LinearForm> place = linearForm(compare.getLhs(), loops);
  std::optional<int64_t> size = getConstantIntValue(compare.getRhs());
  if (!place || !size)
    return false;
  bounds.push_back({*place, *size});
  return true;
}

/// Reads of the body, as linear forms of its loops.
static bool matchBody(linalg::GenericOp op, SlidingWindow &window) {
  unsigned loops = op.getNumLoops();
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  llvm::SmallPtrSet<Value, 8> conditions;
  auto select = yielded.getDefiningOp<arith::SelectOp>();
  if (select) {
    auto constant = select.getFalseValue().getDefiningOp<arith::ConstantOp>();
    if (!constant ||
        !collectBounds(select.getCondition(), loops, window.bounds, conditions))
      return false;
    window.outside = constant.getValue();
    yielded = select.getTrueValue();
  }
  auto read = yielded.getDefiningOp<tensor::ExtractOp>();
  if (!read)
    return false;
  window.source = read.getTensor();
  ArrayRef<int64_t> shape = read.getTensor().getType().getShape();
  window.offset.factors.assign(loops, 0);
  int64_t stride = 1;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    Value index = read.getIndices()[dim];
    auto chosen = index.getDefiningOp<arith::SelectOp>();
    if (chosen && conditions.contains(chosen.getCondition()))
      index = chosen.getTrueValue();
    std::optional<LinearForm> form = linearForm(index, loops);
    if (!form || (dim > 0 && ShapedType::isDynamic(shape[dim])))
      return false;
    add(window.offset, *form, stride);
    stride *= std::max<int64_t>(shape[dim], 1);
  }
  return true;
}

/// Whether `op` only gives its input's dimensions another order.
static bool isTransposition(linalg::GenericOp op) {
  return op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
         op.getNumReductionLoops() == 0 &&
         op.getIndexingMapsArray()[0].isPermutation() &&
         op.getIndexingMapsArray()[1].isIdentity() &&
         op.getBody()->getTerminator()->getOperand(0) ==
             op.getBody()->getArgument(0);
}

namespace {
/// What an index adds to: a dimension, in steps of `factor`.
struct Step {
  unsigned dim;
  int64_t size, factor = 1;
};
} // namespace

/// Dimensions `inner` of a tensor, read as dimensions of sizes `outer` in the
/// same order of elements: for each of these the steps that it is made of,
/// outermost first. Nothing where they do not divide each other.
static std::optional<SmallVector<SmallVector<Step>>>
refine(ArrayRef<Step> inner, ArrayRef<int64_t> outer) {
  SmallVector<SmallVector<Step>> parts(outer.size());
  if (outer.size() == 1) {
    parts.front().assign(inner.begin(), inner.end());
    return parts;
  }
  SmallVector<Step> left(inner);
  for (int64_t part = outer.size() - 1; part >= 0; --part) {
    int64_t size = outer[part];
    while (size != 1 || parts[part].empty()) {
      while (left.size() > 1 && left.back().size == 1)
        left.pop_back();
      Step &step = left.back();
      if (size < 1 || step.size < 1 ||
          (step.size % size != 0 && size % step.size != 0))
        return std::nullopt;
      int64_t taken = std::min(size, step.size);
      parts[part].insert(parts[part].begin(), {step.dim, taken, step.factor});
      step.factor *= taken;
      step.size /= taken;
      size /= taken;
      if (taken == 1 && size != 1)
        return std::nullopt;
    }
  }
  return parts;
}

/// The operand's dimensions as those of the tensor that it is a view of.
static std::optional<SmallVector<SmallVector<Step>>> stepsOf(Value &tensor) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  auto eachAlone = [&](Value value) {
    SmallVector<ReassociationIndices> groups;
    for (size_t dim = 0; dim < shapeOf(value).size(); ++dim)
      groups.push_back({int64_t(dim)});
    return groups;
  };
  ArrayRef<int64_t> shape = shapeOf(tensor);
  SmallVector<ReassociationIndices> outer = eachAlone(tensor);
  if (auto view = tensor.getDefiningOp<tensor::ExpandShapeOp>()) {
    outer = view.getReassociationIndices();
    tensor = view.getSrc();
  }
  SmallVector<ReassociationIndices> inner = eachAlone(tensor);
  if (auto view = tensor.getDefiningOp<tensor::CollapseShapeOp>()) {
    inner = view.getReassociationIndices();
    tensor = view.getSrc();
  }
  SmallVector<SmallVector<Step>> all;
  for (auto [from, to] : llvm::zip(inner, outer)) {
    SmallVector<Step> steps;
    for (int64_t dim : from)
      steps.push_back({unsigned(dim), shapeOf(tensor)[dim]});
    SmallVector<int64_t> sizes;
    for (int64_t dim : to)
      sizes.push_back(shape[dim]);
    auto parts = refine(steps, sizes);
    if (!parts)
      return std::nullopt;
    llvm::append_range(all, *parts);
  }
  return all;
}

/// `form`, of the loops of windows, as a form of the operand's indices.
static LinearForm ofIndices(const LinearForm &form,
                            ArrayRef<SmallVector<Step>> parts) {
  LinearForm result{{}, form.constant};
  for (const SmallVector<Step> &part : parts)
    for (const Step &step : part)
      result.factors.push_back(form.factors[step.dim] * step.factor);
  return result;
}

std::optional<SlidingWindow> SlidingWindow::of(linalg::GenericOp contraction,
                                               unsigned number) {
  Value tensor = contraction->getOperand(number);
  std::optional<SmallVector<SmallVector<Step>>> steps = stepsOf(tensor);
  if (!steps)
    return std::nullopt;
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  for (; op && isTransposition(op);
       op = op.getDpsInputs()[0].getDefiningOp<linalg::GenericOp>()) {
    AffineMap map = op.getIndexingMapsArray()[0];
    for (SmallVector<Step> &part : *steps)
      for (Step &step : part)
        step.dim =
            *map.getResultPosition(getAffineDimExpr(step.dim, op.getContext()));
  }
  if (!op || op.getNumDpsInputs() != 0 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 ||
      !op.getIndexingMapsArray()[0].isIdentity())
    return std::nullopt;
  SlidingWindow window;
  if (!matchBody(op, window))
    return std::nullopt;
  window.offset = ofIndices(window.offset, *steps);
  for (Bound &bound : window.bounds)
    bound.place = ofIndices(bound.place, *steps);
  unsigned position = 0;
  for (const SmallVector<Step> &part : *steps) {
    Part sizes;
    for (const Step &step : part) {
      if (!sizes.sizes.empty() && ShapedType::isDynamic(step.size))
        return std::nullopt;
      sizes.positions.push_back(position++);
      sizes.sizes.push_back(step.size);
    }
    window.parts.push_back(std::move(sizes));
  }
  return window;
}
