//===- SimtShares.cpp - Blocks on CUDA cores that share tiles -------------===//
//
// Blocks of a cluster that have parts of K of one tile add their sums through
// shared memory, each some of the rows. (Of a tail: SplitTail.h.)
//
//===----------------------------------------------------------------------===//

#include "SimtEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
  size_t ofEach = tile.runs() * quad;
  tail.finish(
      sums, [&](size_t sum) { return group.ops[sum / ofEach]; }, tile.threads(),
      place.thread, [&](ArrayRef<Value> all) { store(all); });
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
