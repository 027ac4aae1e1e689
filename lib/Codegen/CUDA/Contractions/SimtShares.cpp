//===- SimtShares.cpp - Blocks on CUDA cores that share tiles -------------===//
//
// Blocks that have parts of K of one tile add their sums: those of a cluster
// through shared memory, each some of the rows; those of a tail, the tiles that
// are left behind whole waves, through memory, where the last block of a tile
// adds all.
//
//===----------------------------------------------------------------------===//

#include "SimtEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::simt;

//===----------------------------------------------------------------------===//
// In a cluster
//===----------------------------------------------------------------------===//

void SimtGemm::finish(ArrayRef<Value> sums) {
  if (schedule.split > 1)
    return finishShare(sums);
  if (schedule.tailSplit == 1)
    return store(sums);
  finishTail(sums);
}

/// Stores what the results are of the sums of all of K.
void SimtGemm::store(ArrayRef<Value> sums) {
  SmallVector<SimtRun> runs;
  for (int64_t run = 0; run < tile.runs(); ++run) {
    SimtRun &own = runs.emplace_back(math.constant(run));
    for (size_t pair = 0; pair < group.ops.size(); ++pair)
      own.values.emplace_back(
          sums.slice((pair * tile.runs() + run) * quad, quad));
  }
  SimtResults(kernel, group, space, tile, place, row, column).finish(runs);
}

/// Where the ring has this thread's part of a run for the cluster.
Index SimtGemm::partialAt(int64_t pair, Index run) {
  Index number = math.add(math.constant(pair * tile.runs()), run);
  Index of =
      math.add(math.mul(number, math.constant(tile.threads())), place.thread);
  return math.mul(of, math.constant(quad));
}

/// Each block of the cluster adds the partial results of some runs, in the
/// order of K, and stores them.
void SimtGemm::finishShare(ArrayRef<Value> sums) {
  awaitKBlock(0);
  for (size_t pair = 0; pair < group.ops.size(); ++pair)
    for (int64_t run = 0; run < tile.runs(); ++run)
      e.elements.store(ring, {partialAt(pair, math.constant(run))},
                       sums.slice((pair * tile.runs() + run) * quad, quad));
  kernel.clusterBarrier();
  int64_t share = tile.runs() / schedule.split;
  SmallVector<SimtRun> totals;
  for (int64_t i = 0; i < share; ++i) {
    Index run =
        math.add(math.mul(rank, math.constant(share)), math.constant(i));
    totals.emplace_back(run);
    for (auto [pair, each] : llvm::enumerate(group.ops)) {
      Elements total;
      for (int64_t from = 0; from < schedule.split; ++from) {
        Memory other = kernel.sharedOf(ring, math.constant(from));
        Elements part = e.elements.load(other, {partialAt(pair, run)}, quad);
        for (auto [sum, value] : llvm::zip(total, part))
          sum = e.combine(each, sum, value);
        if (total.empty())
          total = part;
      }
      totals[i].values.push_back(total);
    }
  }
  // A block's shared memory must outlive its readers.
  kernel.clusterArrive();
  SimtResults(kernel, group, space, tile, place, row, column).finish(totals);
  kernel.clusterWait();
}

//===----------------------------------------------------------------------===//
// Tails
//===----------------------------------------------------------------------===//

/// Where four of this thread's sums lie among the parts that blocks leave in
/// memory: those of neighbouring threads side by side.
Index SimtGemm::partAt(Index part, int64_t number) {
  int64_t quads = group.ops.size() * tile.runs();
  Index first =
      math.add(math.mul(part, math.constant(quads)), math.constant(number));
  Index own =
      math.add(math.mul(first, math.constant(tile.threads())), place.thread);
  return math.mul(own, math.constant(quad));
}

/// Leaves the sums in memory. The block that does so last for its tile adds
/// those of all, in the order of K: none waits for another one. Returns them,
/// and whether this block is the last one.
SmallVector<Value> SimtGemm::joinParts(ArrayRef<Value> sums) {
  size_t quads = group.ops.size() * tile.runs();
  Index splits = math.constant(schedule.tailSplit), zero = math.constant(0);
  Index first = math.mul(tail.tile, splits);
  Index size = math.mul(math.mul(tail.tiles, splits),
                        math.constant(schedule.partialSize()));
  Memory parts{kernel.workspace[0], number, {size}, 16, false};
  for (size_t i = 0; i < quads; ++i)
    e.elements.store(parts, {partAt(math.add(first, rank), int64_t(i))},
                     sums.slice(i * quad, quad));
  Value isLast = kernel.isLastPart(tail.tile, tail.tiles, splits, place.thread);
  // All sums of an unrolled loop would be under way at once.
  Value count = kernel.select(isLast, math.value(splits), math.value(zero));
  count = arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), count);
  count = hideFromLLVM(e.b, e.loc, count);
  Index end =
      arith::IndexCastUIOp::create(e.b, e.loc, e.b.getIndexType(), count)
          .getResult();
  SmallVector<Value> none;
  for (linalg::GenericOp each : group.ops)
    none.append(tile.runs() * quad, e.initialValue(each));
  SmallVector<Value> all = e.reduceLoop(
      zero, end, math.constant(1), none, [&](Index part, ValueRange carried) {
        SmallVector<Value> joined(carried);
        Index from = math.add(first, part);
        for (size_t i = 0; i < quads; ++i) {
          Elements own =
              e.elements.load(parts, {partAt(from, int64_t(i))}, quad);
          for (auto [at, value] : llvm::enumerate(own)) {
            Value &sum = joined[i * quad + at];
            sum = e.combine(group.ops[i / tile.runs()], sum, value);
          }
        }
        return joined;
      });
  all.push_back(isLast);
  return all;
}

/// One epilogue for blocks with whole tiles and for the last ones of others.
void SimtGemm::finishTail(ArrayRef<Value> sums) {
  SmallVector<Type> types = llvm::to_vector(TypeRange(ValueRange(sums)));
  types.push_back(e.b.getI1Type());
  auto choice = scf::IfOp::create(e.b, e.loc, types, tail.isPart,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(e.b);
    ElementEmitter::Scope scope(e.elements);
    e.b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(e.b, e.loc, joinParts(sums));
    e.b.setInsertionPointToStart(choice.elseBlock());
    SmallVector<Value> own(sums);
    own.push_back(arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true)));
    scf::YieldOp::create(e.b, e.loc, own);
  }
  SmallVector<Value> joined(choice.getResults().drop_back());
  e.when(choice.getResults().back(), [&] { store(joined); });
}
