//===- EmitCUDAColumn.cpp - CUDA code of reductions down columns ----------===//
//
// Reductions that keep the last dimension. A block covers a strip of columns:
// its threads side by side read 16 bytes each of one row, those below each
// other take different rows, and shared memory joins them. Where the strips
// alone would not fill the GPU, the blocks of a cluster share the rows of one
// strip and send their sums to the first. The order of the sum is
// fixed by the kernel alone.
//
//===----------------------------------------------------------------------===//

#include "ClusterExchange.h"

#include "tripy/Codegen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Threads of a block.
static constexpr int64_t columnThreads = 256;
/// Rows that a thread reads before it adds them up.
static constexpr int64_t rowsInFlight = 8;

namespace {
class ColumnEmitter {
public:
  ColumnEmitter(CUDAKernel &kernel, linalg::GenericOp op)
      : kernel(kernel), e(kernel.e), math(e.math), op(op), dims(loopDims(op)) {}
  void emit();

private:
  void choose();
  void locate();
  Lanes accumulate();
  SmallVector<Lanes> fetch(Index row, SmallVector<Index> &loops);
  void loadFirst();
  Lanes add(const SmallVector<Lanes> &inputs, ArrayRef<Index> loops,
            ValueRange totals);
  void joinRows(const Memory &shared);
  Lanes joinBlocks(const Memory &shared);
  void send(const Memory &shared);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  linalg::GenericOp op;
  LoopDims dims;
  int64_t lanes = 1, width = columnVectors, height = 8, blocks = 1;
  /// Sizes of the outputs in vectors of `lanes`, and of the reduced space.
  SmallVector<Index> vectors, box;
  /// This thread's first output, its place in the block, and its block's in
  /// the cluster.
  SmallVector<Index> at;
  Index x, y, rank;
  Value inside;
  /// Of the blocks of a cluster; `parts`: what each of the others has summed.
  std::optional<ClusterExchange> exchange;
  Memory parts;
};
} // namespace

void ColumnEmitter::choose() {
  vectors.assign(e.results.front().sizes.begin(),
                 e.results.front().sizes.end());
  AffineMap map = op.getIndexingMapsArray().back();
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  std::optional<int64_t> inner = IndexMath::constantOf(vectors.back());
  lanes = vectorLanes(e);
  if (!inner || *inner % lanes != 0 || !last ||
      last.getPosition() + 1 != op.getNumLoops())
    lanes = 1;
  vectors.back() = math.div(vectors.back(), math.constant(lanes));
  SmallVector<Index> sizes = loopSizes(op, e.elements);
  for (unsigned dim : dims.reduction)
    box.push_back(sizes[dim]);
  std::optional<int64_t> count = IndexMath::constantOf(math.product(vectors));
  std::optional<int64_t> rows = IndexMath::constantOf(math.product(box));
  if (count)
    width = std::min<int64_t>(width, llvm::PowerOf2Ceil(*count));
  height = columnThreads / std::max<int64_t>(1, width);
  if (rows)
    height = std::min<int64_t>(height,
                               llvm::PowerOf2Ceil(std::max<int64_t>(1, *rows)));
  width = columnThreads / height;
  if (!kernel.hasClusters)
    return;
  int64_t strips = count ? llvm::divideCeil(*count, width) : columnBlocks / 4;
  while (blocks < 8 && strips * blocks < columnBlocks &&
         (!rows || *rows >= 2 * blocks * height * rowsInFlight))
    blocks *= 2;
}

void ColumnEmitter::locate() {
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.back() = exprs.back().floorDiv(lanes);
  AffineExpr strips =
      KernelEmission::product(exprs, e.kernel.getContext()).ceilDiv(width);
  e.setConfig({strips * blocks}, {columnThreads, 1, 1}, 0, {blocks, 1, 1});
  Index id = kernel.threadId(), block = kernel.blockId();
  x = math.rem(id, math.constant(width));
  y = math.div(id, math.constant(width));
  rank = math.rem(block, math.constant(blocks));
  Index strip = math.div(block, math.constant(blocks));
  Index vector = math.add(math.mul(strip, math.constant(width)), x);
  inside =
      kernel.compare(arith::CmpIPredicate::ult, vector, math.product(vectors));
  at = math.delinearize(kernel.clampTo(inside, vector), vectors);
  at.back() = math.mul(at.back(), math.constant(lanes));
}

/// The operands at row `row` of the reduced space; `loops` becomes its point.
SmallVector<Lanes> ColumnEmitter::fetch(Index row, SmallVector<Index> &loops) {
  for (auto [dim, index] :
       llvm::zip(dims.reduction, math.delinearize(row, box)))
    loops[dim] = index;
  SmallVector<Lanes> inputs;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
    inputs.push_back(
        e.elements.emitOperandLanes(op, i, loops, op.getNumLoops() - 1, lanes));
  return inputs;
}

Lanes ColumnEmitter::add(const SmallVector<Lanes> &inputs,
                         ArrayRef<Index> loops, ValueRange totals) {
  Lanes result;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> operands;
    for (const Lanes &input : inputs)
      operands.push_back(input[lane]);
    operands.push_back(totals[lane]);
    SmallVector<Index> point(loops);
    if (lane > 0)
      point.back() = math.add(point.back(), math.constant(lane));
    result.push_back(e.elements.emitBody(op, operands, point).front());
  }
  return result;
}

/// The first rows in flight, where there are so many.
void ColumnEmitter::loadFirst() {
  Index first = math.add(math.mul(rank, math.constant(height)), y);
  Index last =
      math.add(first, math.constant(height * blocks * (rowsInFlight - 1)));
  Value fits =
      kernel.compare(arith::CmpIPredicate::ult, last, math.product(box));
  e.when(fits, [&] {
    SmallVector<Index> loops = loopsOfResult(op, at, math);
    for (int64_t i = 0; i < rowsInFlight; ++i)
      fetch(math.add(first, math.constant(i * height * blocks)), loops);
  });
}

/// This thread's rows: several at a time, then those left over.
Lanes ColumnEmitter::accumulate() {
  Index count = math.product(box), step = math.constant(height * blocks);
  Index first = math.add(math.mul(rank, math.constant(height)), y);
  Index stride = math.constant(height * blocks * rowsInFlight);
  Index reach = math.constant(height * blocks * (rowsInFlight - 1));
  // Where the last of the rows in flight is inside.
  Index bound = math.sub(count, math.min(count, reach));
  Index rounds = math.ceilDiv(math.sub(bound, math.min(bound, first)), stride);
  Lanes totals(lanes, e.initialValue(op));
  SmallVector<Index> start = loopsOfResult(op, at, math);
  totals = e.reduceLoop(
      first, bound, stride, totals, [&](Index row, ValueRange carried) {
        SmallVector<SmallVector<Lanes>> inputs;
        SmallVector<SmallVector<Index>> points;
        for (int64_t i = 0; i < rowsInFlight; ++i) {
          SmallVector<Index> loops(start);
          Index at = math.add(row, math.constant(i * height * blocks));
          inputs.push_back(fetch(at, loops));
          points.push_back(loops);
        }
        Lanes sums(carried.begin(), carried.end());
        for (auto [input, point] : llvm::zip(inputs, points))
          sums = add(input, point, sums);
        return sums;
      });
  return e.reduceLoop(math.add(first, math.mul(rounds, stride)), count, step,
                      totals, [&](Index row, ValueRange carried) {
                        SmallVector<Index> loops(start);
                        SmallVector<Lanes> inputs = fetch(row, loops);
                        return add(inputs, loops, carried);
                      });
}

/// Halves the rows of `shared` until row 0 has the block's results.
void ColumnEmitter::joinRows(const Memory &shared) {
  Index column = math.mul(x, math.constant(lanes));
  for (int64_t half = height / 2; half > 0; half /= 2) {
    kernel.barrier();
    e.when(kernel.compare(arith::CmpIPredicate::ult, y, math.constant(half)),
           [&] {
             Lanes own = e.elements.load(shared, {y, column}, lanes);
             Index below = math.add(y, math.constant(half));
             Lanes other = e.elements.load(shared, {below, column}, lanes);
             for (auto [mine, theirs] : llvm::zip(own, other))
               mine = e.combine(op, mine, theirs);
             e.elements.store(shared, {y, column}, own);
           });
  }
}

/// The blocks but the first send the sums that their row 0 has.
void ColumnEmitter::send(const Memory &shared) {
  exchange->awaitStart();
  Index zero = math.constant(0);
  Value sends = arith::AndIOp::create(
      e.b, e.loc, kernel.compare(arith::CmpIPredicate::eq, y, zero),
      kernel.compare(arith::CmpIPredicate::ne, rank, zero));
  e.when(sends, [&] {
    Index column = math.mul(x, math.constant(lanes));
    Lanes own = e.elements.load(shared, {zero, column}, lanes);
    Index row = math.mul(rank, math.constant(width * lanes));
    exchange->sendToFirst(own, kernel.elementOf(parts, math.add(row, column)));
  });
}

Lanes ColumnEmitter::joinBlocks(const Memory &shared) {
  Index column = math.mul(x, math.constant(lanes));
  Lanes totals = e.elements.load(shared, {math.constant(0), column}, lanes);
  if (blocks > 1)
    exchange->await();
  for (int64_t block = 1; block < blocks; ++block) {
    Index first = math.add(math.constant(block * width * lanes), column);
    Lanes part = e.elements.load(parts, {first}, lanes);
    for (auto [total, more] : llvm::zip(totals, part))
      total = e.combine(op, total, exchange->fromWord(more, total.getType()));
  }
  return totals;
}

void ColumnEmitter::emit() {
  choose();
  locate();
  kernel.streamArguments(loopSizes(op, e.elements));
  kernel.await([&] { loadFirst(); });
  Type type = e.initialValue(op).getType();
  if (blocks > 1) {
    exchange.emplace(kernel, blocks, 1);
    exchange->start(rank);
    exchange->expect(width, lanes, type);
    parts = kernel.sharedArray("parts", exchange->wordType(type),
                               {blocks * width * lanes});
  }
  Lanes totals = accumulate();
  Memory shared = kernel.sharedArray("partials", type, {height, width * lanes});
  e.elements.store(shared, {y, math.mul(x, math.constant(lanes))}, totals);
  joinRows(shared);
  if (blocks > 1)
    send(shared);
  Index place = math.add(math.mul(rank, math.constant(height)), y);
  Value writes = arith::AndIOp::create(
      e.b, e.loc, inside,
      kernel.compare(arith::CmpIPredicate::eq, place, math.constant(0)));
  e.when(writes, [&] {
    Lanes joined = joinBlocks(shared);
    e.elements.bindSource(op.getResult(0),
                          [joined](ArrayRef<Index>, int64_t n) {
                            assert(n == int64_t(joined.size()));
                            return joined;
                          });
    e.emitResults(at, lanes);
  });
}

void codegen::emitCUDAColumn(CUDAKernel &kernel, linalg::GenericOp op) {
  ColumnEmitter(kernel, op).emit();
}
