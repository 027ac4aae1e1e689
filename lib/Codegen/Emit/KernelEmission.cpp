//===- KernelEmission.cpp - State of one kernel's emission ----------------===//

#include "KernelEmission.h"

#include "KernelSizes.h"
#include "ResultViews.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

LogicalResult KernelEmission::bind(ValueRange pointers, ValueRange sizes) {
  Block &body = kernel.getBody().front();
  FunctionType type = kernel.getFunctionType();
  SmallVector<Index> known(sizes.begin(), sizes.end());
  if (kernel::SizesAttr attribute = kernel.getSizesAttr())
    for (auto [number, size] : llvm::enumerate(sizes)) {
      if (std::optional<int64_t> only = onlyValue(kernel, number))
        known[number] = math.constant(*only);
      else
        math.setRange(size,
                      {{attribute.getMin()[number], attribute.getMax()[number]},
                       attribute.getOpt()[number]});
    }
  SmallVector<Index> argumentSizes(body.getNumArguments());
  auto *argumentSize = known.begin();
  for (BlockArgument argument : body.getArguments())
    if (argument.getType().isIndex()) {
      argumentSizes[argument.getArgNumber()] = *argumentSize;
      elements.bindIndex(argument, math.value(*argumentSize++));
    }
  auto split = kernel::splitSizeArgs(kernel.getSizeArgs(), type.getInputs(),
                                     type.getResults());
  size_t number = 0;
  auto memoryOf = [&](RankedTensorType tensor, bool readOnly) {
    Memory memory{pointers[number], tensor.getElementType(), {}, 16, readOnly};
    memory.packed = isInt4(memory.elementType);
    ArrayRef<int64_t> dynamic = split[number++];
    for (int64_t size : tensor.getShape()) {
      if (!ShapedType::isDynamic(size)) {
        memory.sizes.push_back(math.constant(size));
        continue;
      }
      memory.sizes.push_back(argumentSizes[dynamic.front()]);
      dynamic = dynamic.drop_front();
    }
    return memory;
  };
  for (BlockArgument argument : body.getArguments())
    if (auto tensor = dyn_cast<RankedTensorType>(argument.getType()))
      elements.bindMemory(argument, memoryOf(tensor, true));
  for (Type result : type.getResults())
    results.push_back(memoryOf(cast<RankedTensorType>(result), false));
  return elements.prepare(body);
}

SmallVector<Value> KernelEmission::innerSizes() {
  llvm::SetVector<Value> found;
  auto visit = [&](const Memory &memory) {
    if (!memory.sizes.empty())
      if (auto size = dyn_cast<Value>(memory.sizes.back()))
        found.insert(size);
  };
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (Memory *memory = elements.memoryOf(argument))
      visit(*memory);
  for (const Memory &result : results)
    visit(result);
  return found.takeVector();
}

Value KernelEmission::areMultiples(ValueRange sizes, int64_t factor) {
  Value all = sizes.front();
  for (Value size : sizes.drop_front())
    all = arith::OrIOp::create(b, loc, all, size);
  Value mask = math.value(math.constant(factor - 1));
  Value rest = arith::AndIOp::create(b, loc, all, mask);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                               math.value(math.constant(0)));
}

/// `range` of a size, where that is a multiple of `factor`, a power of two, and
/// not below `least`.
static kernel::SizeRange multiplesIn(kernel::SizeRange range, int64_t factor,
                                     int64_t least) {
  int64_t most = range.values.hi & -factor;
  int64_t fewest = llvm::alignTo(std::max(range.values.lo, least), factor);
  if (fewest > most)
    return range; // The size is never one.
  int64_t expected = std::clamp(range.opt & -factor, fewest, most);
  return {{fewest, most}, expected};
}

void KernelEmission::withMultiples(ValueRange sizes, int64_t factor,
                                   int64_t least,
                                   llvm::function_ref<void()> body) {
  IndexMath::Facts usual = math.facts();
  for (Value size : sizes) {
    math.setFactor(size, std::lcm(math.factorOf(size), factor));
    math.setLeast(size, least);
    if (std::optional<kernel::SizeRange> range = math.rangeOf(size))
      math.setRange(size, multiplesIn(*range, factor, least));
  }
  // All other sizes are computed from these as before, now with their factors.
  // They were prepared before, with the same operations.
  ElementEmitter::Shapes shapes = elements.shapes(), known = shapes;
  known.sizes.clear();
  elements.setShapes(std::move(known));
  [[maybe_unused]] LogicalResult again =
      elements.prepare(kernel.getBody().front());
  assert(succeeded(again));
  body();
  elements.setShapes(std::move(shapes));
  math.setFacts(std::move(usual));
}

void KernelEmission::versions(ValueRange sizes, ArrayRef<Version> versions,
                              llvm::function_ref<void(Version)> body) {
  ElementEmitter::Scope scope(elements);
  if (versions.empty())
    return body({});
  Version first = versions.front();
  Value holds = areMultiples(sizes, first.factor);
  if (first.least > first.factor)
    for (Value size : sizes)
      holds = arith::AndIOp::create(
          b, loc, holds,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, size,
                                math.value(math.constant(first.least))));
  auto branch = scf::IfOp::create(b, loc, holds, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  {
    ElementEmitter::Scope scope(elements);
    withMultiples(sizes, first.factor, first.least, [&] { body(first); });
  }
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  this->versions(sizes, versions.drop_front(), body);
}

SmallVector<linalg::GenericOp> KernelEmission::reductions() {
  SmallVector<linalg::GenericOp> found;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
    if (op.getNumReductionLoops() > 0)
      found.push_back(op);
  return found;
}

kernel::ScanOp KernelEmission::scan() {
  auto scans = kernel.getBody().front().getOps<kernel::ScanOp>();
  return scans.empty() ? kernel::ScanOp() : *scans.begin();
}

kernel::AttentionOp KernelEmission::attention() {
  auto found = kernel.getBody().front().getOps<kernel::AttentionOp>();
  return found.empty() ? kernel::AttentionOp() : *found.begin();
}

kernel::SortOp KernelEmission::sort() {
  auto sorts = kernel.getBody().front().getOps<kernel::SortOp>();
  return sorts.empty() ? kernel::SortOp() : *sorts.begin();
}

kernel::PluginOp KernelEmission::pluginOf(kernel::FuncOp kernel) {
  auto plugins = kernel.getBody().front().getOps<kernel::PluginOp>();
  return plugins.empty() ? kernel::PluginOp() : *plugins.begin();
}

/// Whether the body has a sort, or half of a pass of one.
static bool hasSort(kernel::FuncOp kernel) {
  return llvm::any_of(kernel.getBody().front(), [](Operation &op) {
    return isa<kernel::SortOp, kernel::DigitCountsOp, kernel::DigitScatterOp>(
        op);
  });
}

kernel::FusionRoot KernelEmission::root() {
  kernel::FusionRoot root = kernel.getRoot();
  bool hasRoot = root == kernel::FusionRoot::Scan     ? bool(scan())
                 : root == kernel::FusionRoot::Sort   ? hasSort(kernel)
                 : root == kernel::FusionRoot::Plugin ? bool(plugin())
                 : root == kernel::FusionRoot::Attention
                     ? bool(attention())
                     : !reductions().empty();
  return hasRoot ? root : kernel::FusionRoot::Loop;
}

bool KernelEmission::isPointwise() {
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<tensor::EmptyOp, arith::ConstantOp>(op))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || generic.getNumReductionLoops() > 0)
      return false;
    for (OpOperand &operand : generic->getOpOperands()) {
      AffineMap map = generic.getMatchingIndexingMap(&operand);
      if (!map.isIdentity() && map.getNumResults() != 0)
        return false;
    }
    for (Operation &scalar : *generic.getBlock())
      if (isa<linalg::IndexOp, tensor::ExtractOp>(scalar))
        return false;
  }
  return true;
}

void KernelEmission::emitResult(unsigned number, ArrayRef<Index> index,
                                int64_t vectorSize) {
  elements.store(results[number], index,
                 elements.emit(yielded()[number], index, vectorSize));
}

void KernelEmission::emitResults(ArrayRef<Index> index, int64_t vectorSize) {
  emitResults(llvm::to_vector(llvm::seq(numResults())), index, vectorSize);
}

void KernelEmission::emitResults(ArrayRef<unsigned> numbers,
                                 ArrayRef<Index> index, int64_t vectorSize) {
  bool mayBeViews = root() == kernel::FusionRoot::Attention;
  SmallVector<Elements> values;
  SmallVector<SmallVector<Index>> places;
  for (unsigned number : numbers) {
    Value source = yielded()[number];
    places.emplace_back(index);
    if (mayBeViews) {
      ResultViews views = ResultViews::of(source);
      source = views.source;
      places.back() = views.place(index, elements, math);
    }
    values.push_back(elements.emit(source, index, vectorSize));
  }
  for (auto [number, place, elementsOfOne] : llvm::zip(numbers, places, values))
    elements.store(results[number], place, elementsOfOne);
}

Value KernelEmission::initialValue(linalg::GenericOp reduction) {
  Value init = reduction.getDpsInits().front();
  SmallVector<Index> origin(cast<RankedTensorType>(init.getType()).getRank(),
                            math.constant(0));
  return elements.emitOne(init, origin);
}

SmallVector<AffineExpr> KernelEmission::sizeExprs(unsigned result) {
  FunctionType type = kernel.getFunctionType();
  unsigned arguments = llvm::count_if(
      type.getInputs(), [](Type input) { return !input.isIndex(); });
  return tensorSizeExprs(arguments + result);
}

SmallVector<AffineExpr> KernelEmission::tensorSizeExprs(unsigned number) {
  FunctionType type = kernel.getFunctionType();
  auto split = kernel::splitSizeArgs(kernel.getSizeArgs(), type.getInputs(),
                                     type.getResults());
  ArrayRef<int64_t> dynamic = split[number];
  SmallVector<int64_t> symbolOf(type.getNumInputs());
  SmallVector<RankedTensorType> tensors;
  int64_t symbols = 0;
  for (auto [i, input] : llvm::enumerate(type.getInputs())) {
    if (input.isIndex())
      symbolOf[i] = symbols++;
    else
      tensors.push_back(cast<RankedTensorType>(input));
  }
  for (Type result : type.getResults())
    tensors.push_back(cast<RankedTensorType>(result));
  SmallVector<AffineExpr> exprs;
  for (int64_t size : tensors[number].getShape()) {
    if (!ShapedType::isDynamic(size)) {
      exprs.push_back(constantExpr(size));
      continue;
    }
    int64_t symbol = symbolOf[dynamic.front()];
    dynamic = dynamic.drop_front();
    std::optional<int64_t> only = onlyValue(kernel, symbol);
    exprs.push_back(only ? constantExpr(*only)
                         : getAffineSymbolExpr(symbol, kernel.getContext()));
  }
  return exprs;
}

AffineExpr KernelEmission::product(ArrayRef<AffineExpr> factors,
                                   MLIRContext *context) {
  AffineExpr result = getAffineConstantExpr(1, context);
  for (AffineExpr factor : factors)
    result = result * factor;
  return result;
}

void KernelEmission::setConfig(ArrayRef<AffineExpr> grid,
                               ArrayRef<int64_t> block, int64_t scratch,
                               ArrayRef<int64_t> cluster,
                               ArrayRef<kernel::TensorMapAttr> tensorMaps,
                               ArrayRef<int64_t> workspace) {
  SmallVector<AffineExpr> exprs(grid);
  exprs.resize(3, constantExpr(1));
  unsigned symbols = llvm::count_if(kernel.getFunctionType().getInputs(),
                                    [](Type type) { return type.isIndex(); });
  auto map = AffineMap::get(0, symbols, exprs, kernel.getContext());
  kernel.setConfigAttr(kernel::ConfigAttr::get(kernel.getContext(), map, block,
                                               cluster, scratch, workspace,
                                               tensorMaps));
}

void KernelEmission::loop(Index begin, Index end, Index step,
                          llvm::function_ref<void(Index)> body) {
  reduceLoop(begin, end, step, {}, [&](Index i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  });
}

SmallVector<Value> KernelEmission::reduceLoop(
    Index begin, Index end, Index step, ValueRange initial,
    llvm::function_ref<SmallVector<Value>(Index, ValueRange)> body) {
  auto made = scf::ForOp::create(b, loc, math.value(begin), math.value(end),
                                 math.value(step), initial);
  OpBuilder::InsertionGuard guard(b);
  ElementEmitter::Scope scope(elements);
  if (made.getBody()->mightHaveTerminator())
    b.setInsertionPoint(made.getBody()->getTerminator());
  else
    b.setInsertionPointToEnd(made.getBody());
  std::optional<int64_t> from = IndexMath::constantOf(begin);
  std::optional<int64_t> by = IndexMath::constantOf(step);
  int64_t beginFactor = from ? *from : math.factorOf(begin);
  if (by)
    math.setFactor(made.getInductionVar(), std::gcd(beginFactor, *by));
  SmallVector<Value> carried =
      body(made.getInductionVar(), made.getRegionIterArgs());
  if (!made.getBody()->mightHaveTerminator())
    scf::YieldOp::create(b, loc, carried);
  return SmallVector<Value>(made.getResults());
}

void KernelEmission::when(Value condition, llvm::function_ref<void()> body,
                          llvm::function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(b, loc, condition,
                                  /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  auto emit = [&](Block *block, llvm::function_ref<void()> part) {
    ElementEmitter::Scope scope(elements);
    b.setInsertionPoint(block->getTerminator());
    part();
  };
  emit(branch.thenBlock(), body);
  if (otherwise)
    emit(branch.elseBlock(), otherwise);
}

Value KernelEmission::step(linalg::GenericOp reduction, ArrayRef<Index> loops,
                           Value accumulator) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < reduction.getNumDpsInputs(); ++i)
    operands.push_back(elements.emitOperand(reduction, i, loops));
  operands.push_back(accumulator);
  return elements.emitBody(reduction, operands, loops).front();
}

Value KernelEmission::combine(linalg::GenericOp reduction, Value lhs,
                              Value rhs) {
  Value accumulator = reduction.getBlock()->getArguments().back();
  Operation *combiner = combinerOf(reduction);
  IRMapping mapping;
  for (Value operand : combiner->getOperands())
    mapping.map(operand, operand == accumulator ? lhs : rhs);
  Operation *combined = b.clone(*combiner, mapping);
  // Floats of 16 bits are combined in the type that they are computed in.
  combined->getResult(0).setType(lhs.getType());
  return combined->getResult(0);
}

LoopDims codegen::loopDims(linalg::GenericOp op) {
  LoopDims dims;
  op.getParallelDims(dims.parallel);
  op.getReductionDims(dims.reduction);
  return dims;
}

SmallVector<Index> codegen::loopSizes(linalg::GenericOp op,
                                      ElementEmitter &elements) {
  SmallVector<Index> sizes(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    ArrayRef<Index> operandSizes = elements.sizesOf(operand.get());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [expr, size] : llvm::zip(map.getResults(), operandSizes))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (!sizes[dim.getPosition()] || IndexMath::constantOf(size))
          sizes[dim.getPosition()] = size;
  }
  return sizes;
}

SmallVector<Index> codegen::loopsOfResult(linalg::GenericOp op,
                                          ArrayRef<Index> result,
                                          IndexMath &math) {
  AffineMap map = op.getIndexingMapsArray().back();
  SmallVector<Index> loops(op.getNumLoops(), math.constant(0));
  for (auto [expr, index] : llvm::zip(map.getResults(), result))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      loops[dim.getPosition()] = index;
  return loops;
}
