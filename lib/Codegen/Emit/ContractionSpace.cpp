//===- ContractionSpace.cpp - Loops of a contraction by role --------------===//

#include "ContractionSpace.h"
#include "tripy/Dialect/Common/TensorTypes.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

int64_t codegen::staticExtent(linalg::GenericOp op, ArrayRef<unsigned> loops,
                              int64_t unknown) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t product = 1;
  for (unsigned loop : loops)
    product = saturatingMul(
        product, ShapedType::isDynamic(ranges[loop]) ? unknown : ranges[loop]);
  return product;
}

FailureOr<ContractionLoops> ContractionLoops::of(linalg::GenericOp op) {
  auto found = linalg::inferContractionDims(op);
  if (failed(found))
    return op.emitOpError("is not a contraction");
  Type element = elementTypeOf(op.getResult(0));
  if (element.getIntOrFloatBitWidth() < 8)
    return op.emitOpError("sums must take whole bytes to be a contraction's; "
                          "found ")
           << element;
  ContractionLoops loops;
  loops.batch.assign(found->batch.begin(), found->batch.end());
  loops.m.assign(found->m.begin(), found->m.end());
  loops.n.assign(found->n.begin(), found->n.end());
  loops.k.assign(found->k.begin(), found->k.end());
  return loops;
}

FailureOr<ContractionSpace> ContractionSpace::of(linalg::GenericOp op,
                                                 KernelEmission &emission,
                                                 unsigned result) {
  FailureOr<ContractionLoops> loops = ContractionLoops::of(op);
  if (failed(loops))
    return failure();
  ContractionSpace space(std::move(*loops), op, emission, result);
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
  SmallVector<AffineExpr> exprs = emission->sizeExprs(result), factors;
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

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Contractions that `value` is computed from, in order.
static SmallVector<linalg::GenericOp>
contractionsOf(Value value, ArrayRef<linalg::GenericOp> all) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> pending;
  auto visit = [&](Value operand) {
    if (Operation *op = operand.getDefiningOp(); op && seen.insert(op).second)
      pending.push_back(op);
  };
  visit(value);
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    // Regions read tensors of the kernel as well: tensor.extract.
    op->walk(
        [&](Operation *inner) { llvm::for_each(inner->getOperands(), visit); });
  }
  return llvm::filter_to_vector(
      all, [&](linalg::GenericOp op) { return seen.contains(op); });
}

/// Rows of tiles that are walked together.
static constexpr int64_t bandRows = 8;

TilePlace TilePlace::of(IndexMath &math, Index number, Index rows,
                        Index columns) {
  Index high = math.constant(bandRows);
  Index perBand = math.mul(columns, high);
  Index firstRow = math.mul(math.div(number, perBand), high);
  Index inBand = math.rem(number, perBand);
  Index ofBand = math.min(math.sub(rows, firstRow), high);
  return {math.add(firstRow, math.rem(inBand, ofBand)),
          math.div(inBand, ofBand)};
}

/// Whether `a` and `b` have the same loops, and the same first operand.
static bool agree(linalg::GenericOp a, linalg::GenericOp b) {
  return a.getInputs().front() == b.getInputs().front() &&
         a.getIndexingMapsArray() == b.getIndexingMapsArray() &&
         a.getResultTypes() == b.getResultTypes();
}

FailureOr<SmallVector<ContractionGroup>>
codegen::contractionGroups(KernelEmission &emission) {
  SmallVector<linalg::GenericOp> all = emission.reductions();
  SmallVector<ContractionGroup> groups;
  for (auto [number, value] : llvm::enumerate(emission.yielded())) {
    ContractionGroup group{contractionsOf(value, all), {unsigned(number)}};
    if (group.ops.empty())
      return emission.kernel.emitOpError(
                 "each result of a gemm kernel must depend on a contraction; "
                 "found none for result ")
             << number;
    // Groups that share a contraction are one.
    SmallVector<ContractionGroup> apart;
    for (ContractionGroup &other : groups) {
      bool shared = llvm::any_of(other.ops, [&](linalg::GenericOp op) {
        return llvm::is_contained(group.ops, op);
      });
      if (!shared) {
        apart.push_back(std::move(other));
        continue;
      }
      for (linalg::GenericOp op : group.ops)
        if (!llvm::is_contained(other.ops, op))
          other.ops.push_back(op);
      llvm::append_range(other.results, group.results);
      group = std::move(other);
    }
    apart.push_back(std::move(group));
    groups = std::move(apart);
  }
  for (ContractionGroup &group : groups)
    for (linalg::GenericOp op : group.ops)
      if (!agree(group.ops.front(), op))
        return op.emitOpError("contractions that one result depends on must "
                              "have the same loops and first operand");
  return groups;
}

FailureOr<Contractions> Contractions::of(KernelEmission &emission) {
  FailureOr<SmallVector<ContractionGroup>> groups = contractionGroups(emission);
  if (failed(groups))
    return failure();
  Contractions all{std::move(*groups), {}};
  for (const ContractionGroup &group : all.groups) {
    FailureOr<ContractionLoops> loops = ContractionLoops::of(group.ops.front());
    if (failed(loops))
      return failure();
    all.loops.push_back(std::move(*loops));
  }
  return all;
}
