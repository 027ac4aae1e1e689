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

/// The same for a tensor whose dimensions are several; the last one is one, but
/// for those of size 1.
static Value joinedFrom(KernelEmission &e, tensor::CollapseShapeOp op,
                        SmallVectorImpl<Index> &at) {
  ArrayRef<Index> sizes = e.elements.sizesOf(op.getSrc());
  auto groups = op.getReassociationIndices();
  auto isOne = [&](int64_t dim) {
    return IndexMath::constantOf(sizes[dim]) == int64_t(1);
  };
  if (groups.empty() ||
      !llvm::all_of(ArrayRef(groups.back()).drop_back(), isOne))
    return {};
  SmallVector<Index> from;
  for (auto [index, group] : llvm::drop_end(llvm::zip(at, groups)))
    llvm::append_range(
        from, e.math.delinearize(index, sizes.slice(group[0], group.size())));
  from.append(groups.back().size() - 1, e.math.constant(0));
  from.push_back(at.back());
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

/// Whether operand `number` of `op` is the same along the last loop.
static bool isOfRow(linalg::GenericOp op, unsigned number) {
  auto last = getAffineDimExpr(op.getNumLoops() - 1, op.getContext());
  return llvm::none_of(op.getIndexingMapsArray()[number].getResults(),
                       [&](AffineExpr expr) { return expr == last; });
}

/// The tensor that a generic gathers rows of, and the indices there; null for
/// others. What the indices are computed from is emitted.
static Value gatheredFrom(KernelEmission &e, linalg::GenericOp op,
                          SmallVectorImpl<Index> &at) {
  Block &body = *op.getBlock();
  auto read =
      body.getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  if (!read || op.getNumResults() != 1 || op.getNumReductionLoops() > 0 ||
      !op.getIndexingMapsArray().back().isIdentity())
    return {};
  unsigned lastLoop = op.getNumLoops() - 1;
  auto column = read.getIndices().back().getDefiningOp<linalg::IndexOp>();
  if (!column || column.getDim() != lastLoop)
    return {};
  for (Operation &scalar : body.without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(scalar);
    bool isOfColumn = index && index.getDim() == lastLoop && index != column;
    if (&scalar != read &&
        scalar.getDialect() != e.b.getContext()->getLoadedDialect("arith") &&
        (!index || isOfColumn))
      return {};
  }
  for (unsigned input = 0; input < op.getNumDpsInputs(); ++input)
    if (!isOfRow(op, input))
      return {};
  for (Value index : read.getIndices().drop_back())
    for (Value from : computedFrom(index))
      if (from == column.getResult())
        return {};
  IRMapping mapping;
  for (unsigned input = 0; input < op.getNumDpsInputs(); ++input)
    if (!body.getArgument(input).use_empty())
      mapping.map(body.getArgument(input),
                  e.elements.emitOperand(op, input, at));
  for (Operation &scalar : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(scalar))
      mapping.map(index.getResult(), e.math.value(at[index.getDim()]));
    else if (&scalar != read)
      e.b.clone(scalar, mapping);
  }
  SmallVector<Index> from;
  for (Value index : read.getIndices().drop_back())
    from.push_back(mapping.lookup(index));
  from.push_back(at.back());
  at.assign(from);
  return read.getTensor();
}

static std::optional<ViewedElement>
findGathered(KernelEmission &e, Value tensor, ArrayRef<Index> at) {
  SmallVector<Index> index(at);
  if (auto op = tensor.getDefiningOp<linalg::GenericOp>())
    if (Value from = gatheredFrom(e, op, index))
      return findElement(e, from, index);
  return findElement(e, tensor, at);
}

/// Whether all arguments that `value` is computed from are steady.
static bool isFromSteady(KernelEmission &e, Value value) {
  return llvm::all_of(computedFrom(value), [&](Value from) {
    auto argument = dyn_cast<BlockArgument>(from);
    return !argument || argument.getOwner() != &e.kernel.getBody().front() ||
           isSteady(e.kernel, argument);
  });
}

std::optional<ChosenElement>
codegen::findChoice(KernelEmission &e, Value tensor, ArrayRef<Index> at) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumResults() != 1 || op.getNumReductionLoops() > 0 ||
      op.getNumLoops() == 0)
    return std::nullopt;
  Block &body = *op.getBlock();
  auto choice =
      body.getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  if (!choice || choice != &body.front() ||
      !op.getIndexingMapsArray().back().isIdentity())
    return std::nullopt;
  SmallVector<unsigned> numbers;
  for (Value value : choice->getOperands()) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument ||
        !op.getIndexingMapsArray()[argument.getArgNumber()].isIdentity())
      return std::nullopt;
    numbers.push_back(argument.getArgNumber());
  }
  // The condition of a row: a broadcast, as all maps are of whole tensors.
  auto condition =
      op.getDpsInputs()[numbers[0]].getDefiningOp<linalg::GenericOp>();
  if (!condition || condition.getNumReductionLoops() > 0)
    return std::nullopt;
  for (Operation &scalar : *condition.getBlock())
    if (isa<linalg::IndexOp, tensor::ExtractOp>(scalar))
      return std::nullopt;
  for (unsigned input = 0; input < condition.getNumDpsInputs(); ++input)
    if (!isOfRow(condition, input))
      return std::nullopt;
  std::optional<ViewedElement> chosen = findGathered(
                                   e, op.getDpsInputs()[numbers[1]], at),
                               other = findGathered(
                                   e, op.getDpsInputs()[numbers[2]], at);
  if (!chosen || !other)
    return std::nullopt;
  bool isOtherSteady = isFromSteady(e, op.getDpsInputs()[numbers[0]]) &&
                       isFromSteady(e, op.getDpsInputs()[numbers[2]]);
  return ChosenElement{e.elements.emitOperand(op, numbers[0], at), *chosen,
                       *other, isOtherSteady};
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

/// Iterations of a loop that LLVM may unroll.
static constexpr int64_t maxUnrolled = 8;

Index codegen::endOfSums(KernelEmission &e, Index end, int64_t step) {
  std::optional<int64_t> known = IndexMath::constantOf(end);
  if (!known || *known <= 0 || *known > maxUnrolled * step)
    return end;
  auto constant = [&](int32_t value) {
    return arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(value));
  };
  Value hidden = hideFromLLVM(e.b, e.loc, constant(int32_t(*known)));
  // Else what is made of the sums would be made of those of no iterations too,
  // in front of the wait for them.
  Value some = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sgt,
                                     hidden, constant(0));
  LLVM::AssumeOp::create(e.b, e.loc, some);
  return arith::IndexCastOp::create(e.b, e.loc, e.b.getIndexType(), hidden)
      .getResult();
}
