//===- OperandSource.cpp - Where operands of contractions lie -------------===//

#include "OperandSource.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Whether the results of `map` have `loops` side by side and in order, so that
/// a position in their common space is an offset in memory.
static bool areNeighbours(AffineMap map, ArrayRef<unsigned> loops) {
  if (loops.size() <= 1)
    return true;
  std::optional<unsigned> first =
      map.getResultPosition(getAffineDimExpr(loops.front(), map.getContext()));
  if (!first || *first + loops.size() > map.getNumResults())
    return false;
  for (auto [i, loop] : llvm::enumerate(loops))
    if (map.getResult(*first + i) != getAffineDimExpr(loop, map.getContext()))
      return false;
  return true;
}

/// The code's pointer for a tensor argument of the kernel: pointers come first,
/// in order.
static Value pointerOf(KernelEmission &e, BlockArgument tensor) {
  unsigned number = llvm::count_if(
      tensor.getOwner()->getArguments().take_front(tensor.getArgNumber()),
      [](Value other) { return isa<RankedTensorType>(other.getType()); });
  Operation *parent = e.b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<gpu::GPUFuncOp>(parent);
  if (!function)
    function = parent->getParentOfType<gpu::GPUFuncOp>();
  return function.getArgument(number);
}

std::optional<OperandSource>
OperandSource::find(KernelEmission &e, linalg::GenericOp op, unsigned number,
                    const ContractionSpace &space, ArrayRef<unsigned> outer) {
  OpOperand &operand = op->getOpOperand(number);
  OperandSource source;
  source.map = op.getMatchingIndexingMap(&operand);
  Value tensor = operand.get();
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (slice)
    tensor = slice.getSource();
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || !source.map.isProjectedPermutation())
    return std::nullopt;
  source.tensor = argument;
  source.sizes = llvm::to_vector(e.elements.sizesOf(argument));
  source.offsets.assign(source.sizes.size(), e.math.constant(0));
  if (slice) {
    ArrayRef<int64_t> offsets = slice.getStaticOffsets();
    bool plain = !slice.getDroppedDims().any() && slice.hasUnitStride() &&
                 !ShapedType::isDynamicShape(offsets) && outer.size() <= 1 &&
                 space.k.size() <= 1;
    if (!plain)
      return std::nullopt;
    for (auto [offset, given] : llvm::zip(source.offsets, offsets))
      offset = e.math.constant(given);
  }
  if (!areNeighbours(source.map, outer) || !areNeighbours(source.map, space.k))
    return std::nullopt;
  source.pointer = pointerOf(e, argument);
  return source;
}

SmallVector<Index> OperandSource::at(IndexMath &math,
                                     ArrayRef<Index> loops) const {
  SmallVector<Index> indices;
  for (auto [expr, offset] : llvm::zip(map.getResults(), offsets))
    indices.push_back(math.add(offset, math.evaluate(expr, loops)));
  return indices;
}

Index OperandSource::strideOf(IndexMath &math, ArrayRef<unsigned> loops) const {
  if (loops.empty())
    return math.constant(0);
  auto expr = getAffineDimExpr(loops.back(), map.getContext());
  std::optional<unsigned> at = map.getResultPosition(expr);
  return at ? math.product(ArrayRef(sizes).drop_front(*at + 1))
            : math.constant(0);
}

/// The operand that a generic copies, and the indices there; null for others.
static Value copiedFrom(IndexMath &math, linalg::GenericOp op,
                        SmallVectorImpl<Index> &at) {
  Block &body = *op.getBlock();
  if (op.getNumResults() != 1 || op.getNumReductionLoops() > 0 ||
      op.getNumDpsInputs() != 1 ||
      body.getTerminator()->getOperand(0) != body.getArgument(0))
    return {};
  AffineMap map = op.getIndexingMapsArray().front();
  unsigned last = op.getNumLoops() - 1;
  AffineMap result = op.getIndexingMapsArray().back();
  auto isLast = [&](AffineMap other) {
    return other.getNumResults() > 0 &&
           other.getResults().back() ==
               getAffineDimExpr(last, map.getContext());
  };
  if (!isLast(map) || !isLast(result))
    return {};
  SmallVector<Index> loops = loopsOfResult(op, at, math);
  at.clear();
  for (AffineExpr expr : map.getResults())
    at.push_back(math.evaluate(expr, loops));
  return op.getDpsInputs().front();
}

/// The same for a part of a tensor.
static Value cutFrom(IndexMath &math, tensor::ExtractSliceOp op,
                     SmallVectorImpl<Index> &at) {
  ArrayRef<int64_t> offsets = op.getStaticOffsets(),
                    strides = op.getStaticStrides();
  if (op.getDroppedDims().any() || ShapedType::isDynamicShape(offsets) ||
      ShapedType::isDynamicShape(strides) || strides.back() != 1)
    return {};
  for (auto [index, offset, stride] : llvm::zip(at, offsets, strides))
    index =
        math.add(math.mul(index, math.constant(stride)), math.constant(offset));
  return op.getSource();
}

/// The same for a tensor whose dimensions are parts of others.
static Value splitFrom(KernelEmission &e, tensor::ExpandShapeOp op,
                       SmallVectorImpl<Index> &at) {
  ArrayRef<Index> sizes = e.elements.sizesOf(op.getResult());
  SmallVector<Index> from;
  for (const ReassociationIndices &group : op.getReassociationIndices())
    from.push_back(e.math.linearize(ArrayRef(at).slice(group[0], group.size()),
                                    sizes.slice(group[0], group.size())));
  at.assign(from);
  return op.getSrc();
}

/// The same for a tensor whose dimensions are several, but for the last one.
static Value joinedFrom(KernelEmission &e, tensor::CollapseShapeOp op,
                        SmallVectorImpl<Index> &at) {
  ArrayRef<Index> sizes = e.elements.sizesOf(op.getSrc());
  auto groups = op.getReassociationIndices();
  if (groups.empty() || groups.back().size() != 1)
    return {};
  SmallVector<Index> from;
  for (auto [index, group] : llvm::zip(at, groups))
    llvm::append_range(
        from, e.math.delinearize(index, sizes.slice(group[0], group.size())));
  at.assign(from);
  return op.getSrc();
}

std::optional<ViewedElement>
codegen::findElement(KernelEmission &e, Value tensor, ArrayRef<Index> at) {
  SmallVector<Index> index(at);
  while (tensor && !index.empty()) {
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      return ViewedElement{argument, index};
    tensor = llvm::TypeSwitch<Operation *, Value>(tensor.getDefiningOp())
                 .Case([&](linalg::GenericOp op) {
                   return copiedFrom(e.math, op, index);
                 })
                 .Case([&](tensor::ExtractSliceOp op) {
                   return cutFrom(e.math, op, index);
                 })
                 .Case([&](tensor::ExpandShapeOp op) {
                   return splitFrom(e, op, index);
                 })
                 .Case([&](tensor::CollapseShapeOp op) {
                   return joinedFrom(e, op, index);
                 })
                 .Case([](tensor::CastOp op) { return op.getSource(); })
                 .Default([](Operation *) { return Value(); });
  }
  return std::nullopt;
}

Value codegen::offsetPointer(KernelEmission &e, Value pointer, Type element,
                             Index offset) {
  if (IndexMath::constantOf(offset) == int64_t(0))
    return pointer;
  Value wide = arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(),
                                          e.math.value(offset));
  // Not inbounds: nothing is read where the offset leaves the tensor.
  return LLVM::GEPOp::create(e.b, e.loc, pointer.getType(), element, pointer,
                             ArrayRef<LLVM::GEPArg>{wide});
}

void codegen::bindNeighbours(CUDAKernel &kernel, Value tensor,
                             const Elements &values, ArrayRef<Index> at) {
  IndexMath &math = kernel.e.math;
  Index first = at.empty() ? Index(math.constant(0)) : at.back();
  kernel.e.elements.bindSource(tensor, [&kernel, &math, values,
                                        first](ArrayRef<Index> index,
                                               int64_t vectorSize) {
    if (values.size() == 1 || static_cast<size_t>(vectorSize) == values.size())
      return values;
    // One of them, for code that goes number by number.
    Value chosen = values.front();
    Index element = math.sub(index.back(), first);
    for (size_t i = 1; i < values.size(); ++i) {
      Value isThis =
          kernel.compare(arith::CmpIPredicate::eq, element, math.constant(i));
      chosen = kernel.select(isThis, values[i], chosen);
    }
    return Elements(vectorSize, chosen);
  });
}

void codegen::bindNeighbours(CUDAKernel &kernel,
                             ArrayRef<linalg::GenericOp> ops,
                             ArrayRef<Elements> values, ArrayRef<Index> at) {
  for (auto [op, own] : llvm::zip(ops, values)) {
    linalg::GenericOp each = op;
    bindNeighbours(kernel, each.getResult(0), own, at);
  }
}
