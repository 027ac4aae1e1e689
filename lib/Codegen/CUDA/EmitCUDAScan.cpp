//===- EmitCUDAScan.cpp - CUDA code of running sums -----------------------===//
//
// Along the last dimension: a block for each row. The block goes over the row
// piece by piece; within a piece each thread sums its neighbouring elements,
// warps and then the block sum over threads, and what came before is carried
// on. Along other dimensions: a thread for each column. The order of summation
// depends on the shape alone.
//
//===----------------------------------------------------------------------===//

#include "EmitCUDA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {
class ScanEmitter {
public:
  explicit ScanEmitter(CUDAKernel &kernel)
      : kernel(kernel), e(kernel.e), math(e.math), op(e.scan()),
        type(
            cast<RankedTensorType>(op.getResult().getType()).getElementType()) {
  }

  void emit();

private:
  void emitRows();
  void emitColumns();
  Value emitPiece(Index first, Value carry);
  /// The sum over the threads of the warp up to this one.
  Value sumOverWarp(Value value);
  Value shuffleUp(Value value, int32_t distance);
  Value add(Value lhs, Value rhs) {
    if (isa<FloatType>(type))
      return arith::AddFOp::create(e.b, e.loc, lhs, rhs);
    return arith::AddIOp::create(e.b, e.loc, lhs, rhs);
  }
  Value zero() {
    return arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(type));
  }
  /// Computes and stores the results at `at`, where the sums are `sums`.
  void finish(ArrayRef<Index> at, const Elements &sums) {
    e.elements.bindSource(op.getResult(), [sums](ArrayRef<Index>, int64_t n) {
      return n == int64_t(sums.size()) ? sums : Elements(n, sums.front());
    });
    e.emitResults(at, sums.size());
  }

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  kernel::ScanOp op;
  Type type;
  int64_t threads = 256, vectorSize = 1;
  SmallVector<Index> row;
  Index columns, thread, lane, warp;
  Memory partials;
};
} // namespace

/// Threads of a block that scans columns.
static constexpr int64_t columnThreads = 128;

Value ScanEmitter::shuffleUp(Value value, int32_t distance) {
  return kernel.shuffle(value, distance, gpu::ShuffleMode::UP);
}

Value ScanEmitter::sumOverWarp(Value value) {
  for (int32_t distance = 1; distance < 32; distance *= 2) {
    Value before = shuffleUp(value, distance);
    Value inside = kernel.compare(arith::CmpIPredicate::uge, lane,
                                  math.constant(distance));
    value = kernel.select(inside, add(before, value), value);
  }
  return value;
}

/// Sums the piece of the row from column `first` on; returns the sum of the
/// row up to its end.
Value ScanEmitter::emitPiece(Index first, Value carry) {
  Index column = math.add(first, math.mul(thread, math.constant(vectorSize)));
  Value inside = kernel.compare(arith::CmpIPredicate::ult, column, columns);
  SmallVector<Index> at(row);
  at.push_back(kernel.clampTo(inside, column));
  Elements sums = e.elements.emit(op.getInput(), at, vectorSize);
  for (auto [i, value] : llvm::enumerate(sums)) {
    value = kernel.select(inside, value, zero());
    if (i > 0)
      value = add(sums[i - 1], value);
  }
  Value own = sums.back();
  Value upTo = sumOverWarp(own);
  // What precedes this thread: of its warp, then of the warps before.
  Value before = kernel.select(
      kernel.compare(arith::CmpIPredicate::eq, lane, math.constant(0)), zero(),
      shuffleUp(upTo, 1));
  int64_t warps = threads / 32;
  // Two arrays in turn: a warp may be one piece ahead of the others.
  Index piece = math.div(first, math.constant(threads * vectorSize));
  Index array =
      math.mul(math.rem(piece, math.constant(2)), math.constant(warps));
  e.when(kernel.compare(arith::CmpIPredicate::eq, lane, math.constant(31)),
         [&] { e.elements.store(partials, {math.add(array, warp)}, {upTo}); });
  kernel.barrier();
  Value total = carry, start = carry;
  for (int64_t i = 0; i < warps; ++i) {
    Index from = math.add(array, math.constant(i));
    total = add(total, e.elements.load(partials, {from}, 1).front());
    Value precedes =
        kernel.compare(arith::CmpIPredicate::ugt, warp, math.constant(i));
    start = kernel.select(precedes, total, start);
  }
  Value offset = add(start, before);
  for (Value &sum : sums)
    sum = add(offset, sum);
  e.when(inside, [&] { finish(at, sums); });
  return total;
}

void ScanEmitter::emitRows() {
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.pop_back();
  columns = e.results.front().sizes.back();
  std::optional<int64_t> known = IndexMath::constantOf(columns);
  vectorSize = known && *known % vectorSizeOf(e) == 0 ? vectorSizeOf(e) : 1;
  while (known && threads > 32 && threads * vectorSize / 2 >= *known)
    threads /= 2;
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {threads, 1, 1}, 0);
  thread = kernel.threadId();
  lane = math.rem(thread, math.constant(32));
  warp = math.div(thread, math.constant(32));
  SmallVector<Index> rowSizes(e.results.front().sizes);
  rowSizes.pop_back();
  row = math.delinearize(kernel.blockId(), rowSizes);
  partials = kernel.sharedArray("partials", type, {2 * (threads / 32)});
  kernel.await();
  e.reduceLoop(math.constant(0), columns, math.constant(threads * vectorSize),
               zero(), [&](Index first, ValueRange carried) {
                 return SmallVector<Value>{emitPiece(first, carried.front())};
               });
}

void ScanEmitter::emitColumns() {
  auto dim = static_cast<int64_t>(op.getDim());
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  SmallVector<Index> sizes(e.results.front().sizes);
  Index length = sizes[dim];
  sizes[dim] = math.constant(1);
  exprs[dim] = e.constantExpr(1);
  AffineExpr count = KernelEmission::product(exprs, e.kernel.getContext());
  e.setConfig({count.ceilDiv(columnThreads)}, {columnThreads, 1, 1}, 0);
  Index id = math.add(math.mul(kernel.blockId(), math.constant(columnThreads)),
                      kernel.threadId());
  Value inside =
      kernel.compare(arith::CmpIPredicate::ult, id, math.product(sizes));
  kernel.await();
  e.when(inside, [&] {
    SmallVector<Index> at = math.delinearize(id, sizes);
    e.reduceLoop(math.constant(0), length, math.constant(1), zero(),
                 [&](Index i, ValueRange carried) {
                   at[dim] = i;
                   Value sum = add(carried.front(),
                                   e.elements.emitOne(op.getInput(), at));
                   finish(at, {sum});
                   return SmallVector<Value>{sum};
                 });
  });
}

void ScanEmitter::emit() {
  if (static_cast<size_t>(op.getDim()) + 1 == e.results.front().sizes.size())
    emitRows();
  else
    emitColumns();
}

void codegen::emitCUDAScan(CUDAKernel &kernel) { ScanEmitter(kernel).emit(); }
