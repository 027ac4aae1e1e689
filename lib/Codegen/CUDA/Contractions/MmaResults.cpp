//===- MmaResults.cpp - The epilogue of contractions with mma.sync --------===//
//
// Each warp brings 16 rows of its sums at a time to shared memory, and its
// lanes read runs of a row, compute the epilogue, and store them.
//
//===----------------------------------------------------------------------===//

#include "MmaGemm.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

/// Neighbours in a row that are inside or outside together, and that one access
/// covers.
int64_t MmaGemm::runSize() {
  AffineMap map = op.getIndexingMapsArray().back();
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!last || last.getPosition() != space.n.back())
    return 1;
  return std::gcd(fragmentColumns, math.factorOf(space.sizeOf(space.n.back())));
}

/// Each warp brings 16 rows at a time to its part of the ring's memory, so that
/// a thread gets neighbours of a row.
void MmaGemm::finish(ArrayRef<Value> sums) {
  // All copies have landed, all fragments were read.
  awaitKBlock(0);
  int64_t rowFloats = stagedFloats();
  Value own =
      words.add(ring, words.mul(words.of(warp), fragmentRows * rowFloats * 4));
  Memory staging{words.pointer(own),
                 layout.sumType(e.b),
                 {math.constant(fragmentRows), math.constant(rowFloats)},
                 16,
                 false};
  Value mask = words.constant(-1);
  size_t perRow = numSums() / tile.fragmentsM;
  for (int64_t i = 0; i < tile.fragmentsM; ++i) {
    if (i > 0)
      NVVM::SyncWarpOp::create(e.b, e.loc, mask);
    storeFragments(kernel, sums.slice(i * perRow, perRow), own, rowFloats);
    NVVM::SyncWarpOp::create(e.b, e.loc, mask);
    finishRows(i * fragmentRows, staging);
  }
}

/// Elements that a thread computes before it stores them, and runs at most.
static constexpr int64_t maxElementsTogether = 16, maxRunsTogether = 8;

/// Whether the epilogue reads a tensor with the shape of the first result.
bool MmaGemm::readsLikeResult() {
  auto result = cast<RankedTensorType>(e.kernel.getFunctionType().getResult(0));
  auto isOperandAlone = [&](BlockArgument argument) {
    return llvm::all_of(argument.getUsers(), [&](Operation *user) {
      return llvm::is_contained(group.ops, user);
    });
  };
  return llvm::any_of(
      e.kernel.getBody().getArguments(), [&](BlockArgument argument) {
        auto type = dyn_cast<RankedTensorType>(argument.getType());
        return type && type.getShape() == result.getShape() &&
               !isOperandAlone(argument);
      });
}

/// Computes the results of 16 rows of the warp, from `row` on, and stores them.
void MmaGemm::finishRows(int64_t row, const Memory &staging) {
  int64_t all = fragmentRows * runsOfRow();
  int64_t together = std::min(maxElementsTogether / runSize(), maxRunsTogether);
  together = all % 32 == 0 ? std::gcd(together, all / 32) : 1;
  if (together > 1 && readsLikeResult())
    return e.loop(lane, math.constant(all), math.constant(32 * together),
                  [&](Index first) {
                    SmallVector<Run> runs;
                    for (int64_t i = 0; i < together; ++i)
                      runs.push_back(
                          runAt(row, math.add(first, math.constant(32 * i))));
                    finishTogether(runs, staging);
                  });
  auto finishOne = [&](Index number) {
    finishRun(runAt(row, number), staging);
  };
  // The body is short or is there a few times.
  if (all > 4 * 32)
    return e.loop(lane, math.constant(all), math.constant(32), finishOne);
  for (int64_t run = 0; run < all; run += 32) {
    Index own = math.add(lane, math.constant(run));
    if (run + 32 <= all) {
      finishOne(own);
      continue;
    }
    Value isOne =
        kernel.compare(arith::CmpIPredicate::ult, own, math.constant(all));
    e.when(isOne, [&] { finishOne(own); });
  }
}

/// Run `number` of 16 rows of the warp, from `row` on.
MmaGemm::Run MmaGemm::runAt(int64_t row, Index number) {
  Index runs = math.constant(runsOfRow());
  Index inRows = math.div(number, runs);
  Index column = math.mul(math.rem(number, runs), math.constant(runSize()));
  Index first = math.add(place.mBegin, warpRow);
  return {math.add(first, math.add(inRows, math.constant(row))),
          math.add(math.add(place.nBegin, warpColumn), column), inRows, column};
}

SmallVector<Index> MmaGemm::resultAt(Index row, Index column) {
  SmallVector<Index> loops = place.batchLoops;
  space.spread(row, space.m, loops);
  space.spread(column, space.n, loops);
  return space.resultAt(loops);
}

Value MmaGemm::isInside(const Run &run) {
  return arith::AndIOp::create(
      e.b, e.loc,
      kernel.compare(arith::CmpIPredicate::ult, run.atM, space.sizeOf(space.m)),
      kernel.compare(arith::CmpIPredicate::ult, run.atN,
                     space.sizeOf(space.n)));
}

/// Makes the run's sums those of the results at a row and a column; returns
/// their indices.
SmallVector<Index> MmaGemm::bindRun(const Run &run, Index atM, Index atN,
                                    const Memory &staging) {
  SmallVector<Elements> values;
  for (int64_t part = 0; part < layout.parts; ++part) {
    Index at =
        math.add(run.stagedColumn,
                 math.constant(part * layout.fragments() * fragmentColumns));
    values.push_back(e.elements.load(staging, {run.stagedRow, at}, runSize()));
  }
  SmallVector<Index> at = resultAt(atM, atN);
  bindNeighbours(kernel, group.ops, values, at);
  return at;
}

void MmaGemm::finishRun(const Run &run, const Memory &staging) {
  e.when(isInside(run), [&] {
    e.emitResults(group.results, bindRun(run, run.atM, run.atN, staging),
                  runSize());
  });
}

/// Asks for all that the epilogue of some runs reads, then stores them: neither
/// LLVM nor the assembler brings a load in front of a store, and each run would
/// wait for memory by itself. Those outside read the first element.
void MmaGemm::finishTogether(ArrayRef<Run> runs, const Memory &staging) {
  SmallVector<SmallVector<Elements>> results;
  for (const Run &run : runs) {
    Value inside = isInside(run);
    SmallVector<Index> at = bindRun(run, kernel.clampTo(inside, run.atM),
                                    kernel.clampTo(inside, run.atN), staging);
    SmallVector<Elements> &ofRun = results.emplace_back();
    for (unsigned number : group.results)
      ofRun.push_back(e.elements.emit(e.yielded()[number], at, runSize()));
  }
  pinLoads(e.b, e.loc);
  for (auto [run, ofRun] : llvm::zip_equal(runs, results))
    e.when(isInside(run), [&, &run = run, &ofRun = ofRun] {
      SmallVector<Index> at = resultAt(run.atM, run.atN);
      for (auto [number, elements] : llvm::zip(group.results, ofRun))
        e.elements.store(e.results[number], at, elements);
    });
}
