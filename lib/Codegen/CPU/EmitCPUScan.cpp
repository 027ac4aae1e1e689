//===- EmitCPUScan.cpp - Host code of running sums ------------------------===//

#include "EmitCPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Neighbours along the last dimension whose sums one work item keeps.
static constexpr int64_t scanBlock = 256;

static Value add(KernelEmission &e, Value lhs, Value rhs) {
  if (isa<FloatType>(lhs.getType()))
    return arith::AddFOp::create(e.b, e.loc, lhs, rhs);
  return arith::AddIOp::create(e.b, e.loc, lhs, rhs);
}

static Value zeroOf(KernelEmission &e, kernel::ScanOp op) {
  Type type = cast<RankedTensorType>(op.getResult().getType()).getElementType();
  return arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(type));
}

/// Computes the results at `at`, where the running sum is `sum`.
static void finish(KernelEmission &e, kernel::ScanOp op, ArrayRef<Index> at,
                   Value sum) {
  e.elements.bindSource(op.getResult(), [sum](ArrayRef<Index>, int64_t n) {
    return Elements(n, sum);
  });
  e.emitResults(at);
}

/// Along the last dimension: an item is a row.
static void emitAlongLast(KernelEmission &e, const CPUItems &items,
                          kernel::ScanOp op) {
  SmallVector<Index> shape(e.results.front().sizes);
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.pop_back();
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {1, 1, 1}, 0);
  Index zero = e.math.constant(0), one = e.math.constant(1);
  e.loop(items.begin, items.end, one, [&](Index item) {
    SmallVector<Index> at =
        e.math.delinearize(item, ArrayRef(shape).drop_back());
    at.push_back(zero);
    e.reduceLoop(zero, shape.back(), one, zeroOf(e, op),
                 [&](Index i, ValueRange carried) {
                   at.back() = i;
                   Value sum = add(e, carried.front(),
                                   e.elements.emitOne(op.getInput(), at));
                   finish(e, op, at, sum);
                   return SmallVector<Value>{sum};
                 });
  });
}

/// Along another dimension: an item is a block of neighbours in the last one,
/// with their sums in scratch.
static void emitAcross(KernelEmission &e, const CPUItems &items,
                       kernel::ScanOp op) {
  auto dim = static_cast<int64_t>(op.getDim());
  Value none = zeroOf(e, op);
  IndexMath &math = e.math;
  SmallVector<Index> itemSizes(e.results.front().sizes);
  Index length = itemSizes[dim], inner = itemSizes.back();
  Index zero = math.constant(0), one = math.constant(1);
  Index block = math.constant(scanBlock);
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  itemSizes[dim] = one;
  itemSizes.back() = math.ceilDiv(inner, block);
  exprs[dim] = e.constantExpr(1);
  exprs.back() = exprs.back().ceilDiv(scanBlock);
  int64_t bytes = none.getType().getIntOrFloatBitWidth() / 8;
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {1, 1, 1}, scanBlock * bytes);
  Memory sums{items.scratch, none.getType(), {block}, 64, false};
  e.loop(items.begin, items.end, one, [&](Index item) {
    SmallVector<Index> at = math.delinearize(item, itemSizes);
    Index from = math.mul(at.back(), block);
    Index count = math.min(block, math.sub(inner, from));
    e.loop(zero, count, one,
           [&](Index i) { e.elements.store(sums, {i}, {none}); });
    e.loop(zero, length, one, [&](Index position) {
      e.loop(zero, count, one, [&](Index i) {
        at[dim] = position;
        at.back() = math.add(from, i);
        Value old = e.elements.load(sums, {i}, 1).front();
        Value sum = add(e, old, e.elements.emitOne(op.getInput(), at));
        e.elements.store(sums, {i}, {sum});
        finish(e, op, at, sum);
      });
    });
  });
}

void codegen::emitCPUScan(KernelEmission &e, const CPUItems &items) {
  kernel::ScanOp op = e.scan();
  if (static_cast<size_t>(op.getDim()) + 1 == e.results.front().sizes.size())
    emitAlongLast(e, items, op);
  else
    emitAcross(e, items, op);
}
