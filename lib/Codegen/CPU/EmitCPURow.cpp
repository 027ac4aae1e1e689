//===- EmitCPURow.cpp - Host code of rows and reductions ------------------===//

#include "EmitCPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Outputs that one work item of a reduction accumulates side by side.
static constexpr int64_t reduceBlock = 256;

/// Lets LLVM vectorise a sum or product: the order within the reduction is
/// free, but fixed once compiled.
static void allowReassociation(Value combined) {
  Operation *op = combined.getDefiningOp();
  if (auto fast = dyn_cast_or_null<arith::ArithFastMathInterface>(op))
    if (isa<arith::AddFOp, arith::MulFOp>(op))
      op->setAttr(fast.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(op->getContext(),
                                                arith::FastMathFlags::reassoc));
}

/// Whether `op` is a sum of floats, whose partial sums can be added.
static bool isFloatSum(linalg::GenericOp op) {
  Operation *last =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::AddFOp>(last) &&
         llvm::is_contained(last->getOperands(), op.getRegionOutputArgs()[0]);
}

/// Nested loops over the reduction dims of `op`, carrying the accumulator. A
/// sum has an accumulator of its own in each loop: a single one over all of
/// them would add as many numbers as there are, and its error grows with that.
static Value reduceNest(KernelEmission &e, linalg::GenericOp op,
                        ArrayRef<unsigned> dims, ArrayRef<Index> sizes,
                        SmallVector<Index> &loops, Value accumulator) {
  if (dims.empty()) {
    Value combined = e.step(op, loops, accumulator);
    allowReassociation(combined);
    return combined;
  }
  bool nests = dims.size() > 1 && isFloatSum(op);
  auto combine = [&](Index i, ValueRange carried) -> SmallVector<Value> {
    loops[dims.front()] = i;
    Value from = carried.front();
    if (nests) // -0 changes no sum
      from = arith::ConstantOp::create(e.b, e.loc,
                                       e.b.getFloatAttr(from.getType(), -0.0));
    Value inner = reduceNest(e, op, dims.drop_front(), sizes, loops, from);
    if (!nests)
      return {inner};
    Value sum = arith::AddFOp::create(e.b, e.loc, carried.front(), inner);
    allowReassociation(sum);
    return {sum};
  };
  return e
      .reduceLoop(e.math.constant(0), sizes[dims.front()], e.math.constant(1),
                  accumulator, combine)
      .front();
}

/// Nested loops over `sizes`, calling `body` with the indices.
static void forEach(KernelEmission &e, ArrayRef<Index> sizes,
                    SmallVector<Index> &indices,
                    llvm::function_ref<void()> body) {
  if (sizes.empty())
    return body();
  e.loop(e.math.constant(0), sizes.front(), e.math.constant(1), [&](Index i) {
    indices.push_back(i);
    forEach(e, sizes.drop_front(), indices, body);
    indices.pop_back();
  });
}

void codegen::emitCPURow(KernelEmission &e, const CPUItems &items) {
  SmallVector<linalg::GenericOp> reductions = e.reductions();
  unsigned rowRank = loopDims(reductions.front()).parallel.size();
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.resize(rowRank);
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {1, 1, 1}, 0);
  SmallVector<Index> rowSizes(e.results.front().sizes);
  rowSizes.resize(rowRank);
  e.loop(items.begin, items.end, e.math.constant(1), [&](Index item) {
    SmallVector<Index> row = e.math.delinearize(item, rowSizes);
    for (linalg::GenericOp op : reductions) {
      SmallVector<Index> loops = loopsOfResult(op, row, e.math);
      Value total =
          reduceNest(e, op, loopDims(op).reduction, loopSizes(op, e.elements),
                     loops, e.initialValue(op));
      e.elements.bindSource(op.getResult(0),
                            [total](ArrayRef<Index>, int64_t vectorSize) {
                              return Elements(vectorSize, total);
                            });
    }
    for (unsigned i = 0; i < e.numResults(); ++i) {
      SmallVector<Index> at = row;
      ArrayRef<Index> sizes = e.results[i].sizes;
      forEach(e, sizes.drop_front(rowRank), at, [&] { e.emitResult(i, at); });
    }
  });
}

/// The innermost dimension is reduced: one output an item.
static void emitScalarReduce(KernelEmission &e, const CPUItems &items,
                             linalg::GenericOp op) {
  e.setConfig({KernelEmission::product(e.sizeExprs(0), e.kernel.getContext())},
              {1, 1, 1}, 0);
  SmallVector<Index> shape(e.results.front().sizes);
  e.loop(items.begin, items.end, e.math.constant(1), [&](Index item) {
    SmallVector<Index> at = e.math.delinearize(item, shape);
    SmallVector<Index> loops = loopsOfResult(op, at, e.math);
    Value total =
        reduceNest(e, op, loopDims(op).reduction, loopSizes(op, e.elements),
                   loops, e.initialValue(op));
    e.elements.bindSource(op.getResult(0),
                          [total](ArrayRef<Index>, int64_t vectorSize) {
                            return Elements(vectorSize, total);
                          });
    e.emitResults(at);
  });
}

/// The innermost dimension stays: a block of outputs side by side, in scratch.
static void emitBlockReduce(KernelEmission &e, const CPUItems &items,
                            linalg::GenericOp op) {
  Value initial = e.initialValue(op);
  int64_t bytes =
      std::max<int64_t>(1, initial.getType().getIntOrFloatBitWidth() / 8);
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.back() = exprs.back().ceilDiv(reduceBlock);
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {1, 1, 1}, reduceBlock * bytes);
  SmallVector<Index> shape(e.results.front().sizes);
  SmallVector<Index> itemSizes(shape);
  Index block = e.math.constant(reduceBlock), one = e.math.constant(1);
  itemSizes.back() = e.math.ceilDiv(shape.back(), block);
  Memory scratch{items.scratch, initial.getType(), {block}, 64, false};
  e.loop(items.begin, items.end, one, [&](Index item) {
    SmallVector<Index> at = e.math.delinearize(item, itemSizes);
    Index from = e.math.mul(at.back(), block);
    Index count = e.math.min(block, e.math.sub(shape.back(), from));
    e.loop(e.math.constant(0), count, one,
           [&](Index i) { e.elements.store(scratch, {i}, {initial}); });
    SmallVector<Index> sizes = loopSizes(op, e.elements), reduced;
    for (unsigned dim : loopDims(op).reduction)
      reduced.push_back(sizes[dim]);
    SmallVector<Index> inner;
    forEach(e, reduced, inner, [&] {
      e.loop(e.math.constant(0), count, one, [&](Index i) {
        SmallVector<Index> out = at;
        out.back() = e.math.add(from, i);
        SmallVector<Index> loops = loopsOfResult(op, out, e.math);
        for (auto [dim, value] : llvm::zip(loopDims(op).reduction, inner))
          loops[dim] = value;
        Value old = e.elements.load(scratch, {i}, 1).front();
        e.elements.store(scratch, {i}, {e.step(op, loops, old)});
      });
    });
    e.elements.bindSource(op.getResult(0), [&](ArrayRef<Index> out, int64_t n) {
      return e.elements.load(scratch, {e.math.sub(out.back(), from)}, n);
    });
    e.loop(e.math.constant(0), count, one, [&](Index i) {
      at.back() = e.math.add(from, i);
      e.emitResults(at);
    });
  });
}

void codegen::emitCPUReduce(KernelEmission &e, const CPUItems &items) {
  linalg::GenericOp op = e.reductions().front();
  LoopDims dims = loopDims(op);
  bool keepsLast =
      !dims.parallel.empty() && dims.parallel.back() + 1 == op.getNumLoops();
  if (keepsLast && !e.results.front().sizes.empty())
    emitBlockReduce(e, items, op);
  else
    emitScalarReduce(e, items, op);
}
