//===- Work.cpp - What launches have to do --------------------------------===//
//
// Counted from the body of a kernel, which says what it computes, whatever the
// emitter made of it. What cannot be said in the launch's sizes is left out: a
// tensor counts whole then, and an operation not at all.
//
//===----------------------------------------------------------------------===//

#include "TranslateState.h"

#include "tripy/Base/CheckedMath.h"
#include "tripy/Base/Verify.h"
#include "tripy/Base/Work.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/CastInterfaces.h"

#include <map>

using namespace mlir;
using namespace tripy;
using namespace tripy::target;
using tripy::TableIndex;

namespace {

/// factor * the product of the sizes; unknown without `isKnown`.
struct Count {
  uint64_t factor = 1;
  std::vector<TableIndex> sizes;
  bool isKnown = true;

  static Count unknown() { return {0, {}, false}; }
  Count &operator*=(uint64_t value) {
    std::optional<uint64_t> product = checkedMul(factor, value);
    isKnown &= product.has_value();
    factor = product.value_or(0);
    return *this;
  }
  Count &operator*=(const Count &other) {
    isKnown &= other.isKnown;
    sizes.insert(sizes.end(), other.sizes.begin(), other.sizes.end());
    return *this *= other.factor;
  }
};

class WorkCounter {
public:
  WorkCounter(kernel::FuncOp callee, const Launch &launch);
  std::vector<WorkTerm> count();

private:
  Count sizeOf(OpFoldResult size);
  Count sizeOf(Value tensor, unsigned dim);
  Count elementsOf(Value tensor);
  /// Points of the loops in `dims` of `op`; of all loops.
  Count pointsOf(linalg::LinalgOp op, ArrayRef<unsigned> dims);
  Count pointsOf(linalg::LinalgOp op);
  void countOperations(linalg::LinalgOp op);
  void countProducts(kernel::AttentionOp op);
  void countTouched(BlockArgument tensor, TableIndex access);
  std::optional<Count> readBy(OpOperand &use);
  void add(WorkTerm term, Count count);

  kernel::FuncOp callee;
  /// By the number of the callee's argument: the launch's expression.
  DenseMap<unsigned, TableIndex> sizeArguments;
  /// For each tensor argument and then each result, the arguments that hold its
  /// dynamic sizes.
  SmallVector<ArrayRef<int64_t>> tensorSizes;
  std::map<std::tuple<WorkKind, DType, TableIndex, std::vector<TableIndex>>,
           uint64_t>
      terms;
};

} // namespace

WorkCounter::WorkCounter(kernel::FuncOp callee, const Launch &launch)
    : callee(callee) {
  FunctionType type = callee.getFunctionType();
  SmallVector<TableIndex> given;
  for (const Arg &arg : launch.args)
    if (isNumber(arg.kind))
      given.push_back(arg.index);
  size_t next = 0;
  for (auto [i, input] : llvm::enumerate(type.getInputs()))
    if (input.isIndex() && next < given.size())
      sizeArguments[i] = given[next++];
  tensorSizes = kernel::splitSizeArgs(callee.getSizeArgs(), type.getInputs(),
                                      type.getResults());
}

//===-- sizes -------------------------------------------------------------===//

Count WorkCounter::sizeOf(OpFoldResult size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return *known < 0 ? Count::unknown() : Count{uint64_t(*known), {}};
  auto argument = dyn_cast<BlockArgument>(cast<Value>(size));
  auto found = argument ? sizeArguments.find(argument.getArgNumber())
                        : sizeArguments.end();
  return found == sizeArguments.end() ? Count::unknown()
                                      : Count{1, {found->second}};
}

/// Follows what makes `tensor` to where its sizes are said.
Count WorkCounter::sizeOf(Value tensor, unsigned dim) {
  for (;;) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(dim))
      return {uint64_t(type.getDimSize(dim)), {}};
    if (auto argument = dyn_cast<BlockArgument>(tensor)) {
      unsigned number = llvm::count_if(
          callee.getBody().getArguments().take_front(argument.getArgNumber()),
          [](BlockArgument other) { return !other.getType().isIndex(); });
      int64_t holder = tensorSizes[number][type.getDynamicDimIndex(dim)];
      return sizeOf(callee.getBody().getArgument(holder));
    }
    Operation *op = tensor.getDefiningOp();
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return sizeOf(empty.getMixedSizes()[dim]);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
        slice && slice.getDroppedDims().none())
      return sizeOf(slice.getMixedSizes()[dim]);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return sizeOf(expand.getMixedOutputShape()[dim]);
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      Count product;
      ReassociationIndices group = collapse.getReassociationIndices()[dim];
      for (int64_t from : group)
        product *= sizeOf(collapse.getSrc(), from);
      return product;
    }
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      tensor = linalgOp.getDpsInits()[cast<OpResult>(tensor).getResultNumber()];
    else if (isa<kernel::ScanOp, kernel::AttentionOp, kernel::SortOp,
                 kernel::DigitScatterOp, tensor::CastOp>(op))
      // Of attention, all but the last size, which is static.
      tensor = op->getOperand(0);
    else
      return Count::unknown();
  }
}

Count WorkCounter::elementsOf(Value tensor) {
  Count count;
  for (int64_t dim = 0;
       dim < cast<RankedTensorType>(tensor.getType()).getRank(); ++dim)
    count *= sizeOf(tensor, dim);
  return count;
}

Count WorkCounter::pointsOf(linalg::LinalgOp op, ArrayRef<unsigned> dims) {
  Count count;
  for (unsigned dim : dims) {
    Value tensor;
    unsigned position = 0;
    if (failed(op.mapIterationSpaceDimToOperandDim(dim, tensor, position)))
      return Count::unknown();
    count *= sizeOf(tensor, position);
  }
  return count;
}

Count WorkCounter::pointsOf(linalg::LinalgOp op) {
  return pointsOf(op, llvm::to_vector(llvm::seq<unsigned>(op.getNumLoops())));
}

//===-- operations --------------------------------------------------------===//

/// Whether a scalar operation counts as one of the machine's.
static bool isArithmetic(Operation &op) {
  bool takesFloats =
      llvm::any_of(op.getOperandTypes(), llvm::IsaPred<FloatType>);
  return takesFloats &&
         isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
         !isa<CastOpInterface, arith::SelectOp>(op);
}

void WorkCounter::countOperations(linalg::LinalgOp op) {
  Count points = pointsOf(op);
  if (linalg::isaContractionOpInterface(op)) {
    WorkTerm term;
    std::optional<DType> types[2];
    for (int i : {0, 1})
      types[i] = dtypeOf(
          getElementTypeOrSelf(op.getDpsInputOperand(i)->get().getType()));
    if (!types[0] || !types[1])
      return;
    // Of two types the wider one is multiplied.
    term.dtype =
        dtypeSize(*types[0]) < dtypeSize(*types[1]) ? *types[1] : *types[0];
    bool allowsTF32 =
        term.dtype == DType::F32 && op->hasAttr(allowTF32AttrName);
    term.kind = allowsTF32 ? WorkKind::ProductsTF32 : WorkKind::Products;
    points *= 2;
    return add(term, points);
  }
  points *= llvm::count_if(op->getRegion(0).front(), isArithmetic);
  add({WorkKind::Arithmetic}, points);
}

/// Of queries and keys, and of probabilities and values; hidden keys count.
void WorkCounter::countProducts(kernel::AttentionOp op) {
  unsigned keys = cast<RankedTensorType>(op.getKey().getType()).getRank() - 2;
  WorkTerm term{WorkKind::Products};
  term.dtype = *dtypeOf(getElementTypeOrSelf(op.getQuery().getType()));
  for (Value tensor : {op.getQuery(), op.getResult()}) {
    Count products = elementsOf(tensor);
    products *= sizeOf(op.getKey(), keys);
    products *= 2;
    add(term, products);
  }
}

//===-- bytes -------------------------------------------------------------===//

/// Elements that a use of a tensor reads; none: all of them, perhaps.
std::optional<Count> WorkCounter::readBy(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return elementsOf(slice.getResult());
  if (isa<tensor::ExtractOp>(op)) {
    auto loop = op->getParentOfType<linalg::LinalgOp>();
    return loop ? std::optional(pointsOf(loop)) : std::nullopt;
  }
  auto loop = dyn_cast<linalg::LinalgOp>(op);
  if (!loop || !loop.isDpsInput(&use))
    return std::nullopt;
  AffineMap map = loop.getMatchingIndexingMap(&use);
  if (map.isProjectedPermutation())
    return std::nullopt;
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
    if (map.isFunctionOfDim(dim))
      dims.push_back(dim);
  return pointsOf(loop, dims);
}

/// Adds terms where only a part of `tensor` is read.
void WorkCounter::countTouched(BlockArgument tensor, TableIndex access) {
  SmallVector<Value> pending = {tensor};
  std::vector<Count> parts;
  while (!pending.empty())
    for (OpOperand &use : pending.pop_back_val().getUses()) {
      // Other shapes of the same elements.
      if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
              use.getOwner())) {
        pending.push_back(use.getOwner()->getResult(0));
        continue;
      }
      std::optional<Count> part = readBy(use);
      if (!part || !part->isKnown)
        return;
      parts.push_back(*part);
    }
  Type element = getElementTypeOrSelf(tensor.getType());
  for (Count &part : parts) {
    part *= bytesOf(element, 1);
    // A launch touches no more than the whole tensor, whatever is said here.
    if (isInt4(element) && part.factor % 2 == 0)
      part.factor /= 2;
    add({WorkKind::Touched, DType::F32, access}, part);
  }
}

//===-- all ---------------------------------------------------------------===//

void WorkCounter::add(WorkTerm term, Count count) {
  ProgramLimits limits;
  bool isTouched = term.kind == WorkKind::Touched;
  if (!count.isKnown || (count.factor == 0 && !isTouched) ||
      count.sizes.size() > limits.workSizes)
    return;
  llvm::sort(count.sizes);
  uint64_t &factor = terms[{term.kind, term.dtype, term.access, count.sizes}];
  factor = checkedAdd(factor, count.factor).value_or(UINT64_MAX);
}

std::vector<WorkTerm> WorkCounter::count() {
  Block &body = callee.getBody().front();
  TableIndex access = 0;
  for (BlockArgument argument : body.getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      countTouched(argument, access++);
  // What a kernel keeps in its workspace is no work of the program's.
  access += callee.getFunctionType().getNumResults();
  if (std::optional<kernel::ConfigAttr> config = callee.getConfig())
    for (size_t i = 0; i < config->getWorkspace().size(); ++i)
      add({WorkKind::Touched, DType::F32, access++}, {0, {}});
  for (Operation &op : body) {
    if (auto loop = dyn_cast<linalg::LinalgOp>(op))
      countOperations(loop);
    else if (auto scan = dyn_cast<kernel::ScanOp>(op))
      add({WorkKind::Arithmetic}, elementsOf(scan.getResult()));
    else if (auto attention = dyn_cast<kernel::AttentionOp>(op))
      countProducts(attention);
    else if (auto sort = dyn_cast<kernel::SortOp>(op))
      add({WorkKind::Arithmetic}, elementsOf(sort.getInput()));
    else if (auto count = dyn_cast<kernel::DigitCountsOp>(op))
      add({WorkKind::Arithmetic}, elementsOf(count.getRows()));
    else if (auto scatter = dyn_cast<kernel::DigitScatterOp>(op))
      add({WorkKind::Arithmetic}, elementsOf(scatter.getRows()));
  }
  std::vector<WorkTerm> list;
  for (const auto &[key, factor] : terms) {
    auto [kind, dtype, number, sizes] = key;
    if (list.size() < ProgramLimits().arguments)
      list.push_back({kind, dtype, number, factor, sizes});
  }
  return list;
}

std::vector<WorkTerm> target::countWork(kernel::FuncOp callee,
                                        const Launch &launch) {
  return WorkCounter(callee, launch).count();
}
