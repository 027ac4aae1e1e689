//===- SimtResults.cpp - What contractions on CUDA cores store ------------===//
//
// A thread has runs of four neighbours of a row. It computes their epilogue and
// stores them run by run; where the epilogue reads tensors, several runs at a
// time, so that what they read is under way together: neither LLVM nor the
// assembler brings a load in front of a store.
//
//===----------------------------------------------------------------------===//

#include "SimtGemm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::simt;

/// Runs whose epilogue is computed at a time: as many numbers as fit the
/// registers that the fragments had.
static constexpr size_t runsTogether = 4;

/// Whether the columns of a run are neighbours in the results, all inside or
/// all outside.
bool SimtResults::hasVectorRuns() {
  if (space.n.empty())
    return false;
  AffineMap map = op.getIndexingMapsArray().back();
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && last.getPosition() == space.n.back() &&
         math.factorOf(space.sizeOf(space.n.back())) % quad == 0;
}

/// Whether the results are functions of more than the sums.
bool SimtResults::readsTensors() {
  SmallVector<Value> open;
  SmallPtrSet<Value, 8> seen;
  for (unsigned number : group.results)
    open.push_back(e.yielded()[number]);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!isa<RankedTensorType>(value.getType()) || !seen.insert(value).second)
      continue;
    Operation *from = value.getDefiningOp();
    if (!from)
      return true;
    if (!llvm::is_contained(group.ops, from))
      llvm::append_range(open, from->getOperands());
  }
  return false;
}

SmallVector<Index> SimtResults::resultAt(Index atM, Index atN) {
  SmallVector<Index> loops = place.batchLoops;
  space.spread(atM, space.m, loops);
  space.spread(atN, space.n, loops);
  return space.resultAt(loops);
}

void SimtResults::emitRun(Index atM, Index atN, ArrayRef<Elements> values) {
  SmallVector<Index> at = resultAt(atM, atN);
  bindNeighbours(kernel, group.ops, values, at);
  e.emitResults(group.results, at, values.front().size());
}

/// Row and column of a run in the results.
std::pair<Index, Index> SimtResults::placeOf(Index run) {
  Index quadsN = math.constant(tile.quadsN), four = math.constant(quad);
  Index line = math.div(run, quadsN);
  Index i = math.add(
      math.mul(math.div(line, four), math.constant(tile.lanesM * quad)),
      math.rem(line, four));
  Index j = math.mul(math.rem(run, quadsN), math.constant(tile.lanesN * quad));
  Index atM = math.add(place.mBegin, math.add(row, i));
  Index atN = math.add(place.nBegin, math.add(column, j));
  return {atM, atN};
}

Value SimtResults::isInside(Index index, ArrayRef<unsigned> loops) {
  return kernel.compare(arith::CmpIPredicate::ult, index, space.sizeOf(loops));
}

void SimtResults::finishRun(const SimtRun &run) {
  auto [atM, atN] = placeOf(run.number);
  if (hasVectorRuns()) {
    Value inside = arith::AndIOp::create(e.b, e.loc, isInside(atM, space.m),
                                         isInside(atN, space.n));
    return e.when(inside,
                  [&, atM = atM, atN = atN] { emitRun(atM, atN, run.values); });
  }
  e.when(isInside(atM, space.m), [&, atM = atM, atN = atN] {
    for (int64_t c = 0; c < quad; ++c) {
      Index at = math.add(atN, math.constant(c));
      SmallVector<Elements> own;
      for (const Elements &each : run.values)
        own.push_back({each[c]});
      e.when(isInside(at, space.n), [&] { emitRun(atM, at, own); });
    }
  });
}

/// The last index of `loops`, where `index` is beyond it: nothing is stored
/// there, and what is read must be there. Neighbours begin at their first one.
Index SimtResults::clamped(Index index, ArrayRef<unsigned> loops, int64_t tile,
                           int64_t neighbours) {
  Index size = space.sizeOf(loops);
  if (auto known = IndexMath::constantOf(size); known && *known % tile == 0)
    return index;
  Value last = math.value(math.sub(size, math.constant(neighbours)));
  Value inside = kernel.compare(arith::CmpIPredicate::ult, index, size);
  Value chosen = kernel.select(inside, math.value(index), last);
  math.setFactor(chosen, neighbours);
  return Index(chosen);
}

/// Asks for all that the epilogue of some runs reads, then stores them.
void SimtResults::finishTogether(ArrayRef<SimtRun> runs) {
  struct Piece {
    Index atM, atN;
    SmallVector<Elements> results;
  };
  SmallVector<Piece> pieces;
  bool isVector = hasVectorRuns();
  int64_t width = isVector ? quad : 1;
  for (const SimtRun &run : runs) {
    auto [atM, first] = placeOf(run.number);
    Index inM = clamped(atM, space.m, tile.m(), 1);
    for (int64_t c = 0; c < quad; c += width) {
      Index atN = math.add(first, math.constant(c));
      SmallVector<Elements> own;
      for (const Elements &each : run.values)
        own.emplace_back(ArrayRef(each).slice(c, width));
      SmallVector<Index> at =
          resultAt(inM, clamped(atN, space.n, tile.n(), width));
      bindNeighbours(kernel, group.ops, own, at);
      Piece &piece = pieces.emplace_back(Piece{atM, atN, {}});
      for (unsigned number : group.results)
        piece.results.push_back(
            e.elements.emit(e.yielded()[number], at, width));
    }
  }
  pinLoads(e.b, e.loc);
  for (const Piece &piece : pieces) {
    Value inside = arith::AndIOp::create(
        e.b, e.loc, isInside(piece.atM, space.m), isInside(piece.atN, space.n));
    e.when(inside, [&] {
      SmallVector<Index> at = resultAt(piece.atM, piece.atN);
      for (auto [number, elements] : llvm::zip(group.results, piece.results))
        e.elements.store(e.results[number], at, elements);
    });
  }
}

void SimtResults::finish(ArrayRef<SimtRun> runs) {
  if (readsTensors())
    for (; !runs.empty();
         runs = runs.drop_front(std::min(runsTogether, runs.size())))
      finishTogether(runs.take_front(runsTogether));
  else
    for (const SimtRun &run : runs)
      finishRun(run);
}
