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

/// Whether the columns of a run are neighbours in the results.
bool SimtResults::hasNeighbours() {
  if (space.n.empty())
    return false;
  AffineMap map = op.getIndexingMapsArray().back();
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && last.getPosition() == space.n.back();
}

/// Whether they are, and all inside or all outside.
bool SimtResults::hasVectorRuns() {
  return hasNeighbours() &&
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

/// Whether lanes exchange the sums of a run, so that those beside each other
/// store neighbours: where rows are no whole vectors, each lane would store
/// single numbers 16 bytes from the next lane's, and each sector of the L2
/// cache would be written four times.
bool SimtResults::exchangesRuns(const SimtRun &run) {
  return hasNeighbours() && !hasVectorRuns() &&
         run.values.front().front().getType().getIntOrFloatBitWidth() == 32;
}

/// The sums of a run, each with its place: through shared memory, where a warp
/// has its runs of this number as rows.
SmallVector<SimtResults::Piece> SimtResults::exchange(const SimtRun &run) {
  Index four = math.constant(quad), warpM = math.constant(tile.warpM());
  Index warpN = math.constant(tile.warpN());
  Index lane = math.rem(kernel.threadId(), math.constant(32));
  Index warp = math.div(kernel.threadId(), math.constant(32));
  int64_t columns = tile.lanesN * quad;
  Type type = run.values.front().front().getType();
  Memory staged = kernel.sharedArray(
      "exchanged runs", type, {tile.threads() / 32, tile.lanesM, columns});
  auto [atM, atN] = placeOf(run.number);
  Index inM = math.rem(row, warpM), inN = math.rem(column, warpN);
  Index firstM = math.sub(atM, inM), firstN = math.sub(atN, inN);
  SmallVector<Piece> pieces;
  SmallVector<std::pair<Index, Index>> places; // of the pieces in `staged`
  for (int64_t i = 0; i < quad; ++i) {
    Index at = math.add(lane, math.constant(32 * i));
    auto [inLine, inColumn] =
        places.emplace_back(math.div(at, math.constant(columns)),
                            math.rem(at, math.constant(columns)));
    pieces.push_back({math.add(firstM, math.mul(inLine, four)),
                      math.add(firstN, inColumn),
                      {}});
  }
  for (const Elements &values : run.values) {
    e.elements.store(staged, {warp, math.div(inM, four), inN}, values);
    NVVM::SyncWarpOp::create(e.b, e.loc, allLanes());
    for (auto [piece, at] : llvm::zip(pieces, places))
      piece.values.push_back(
          e.elements.load(staged, {warp, at.first, at.second}, 1));
    NVVM::SyncWarpOp::create(e.b, e.loc, allLanes());
  }
  return pieces;
}

Value SimtResults::allLanes() {
  return arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(-1));
}

/// What is stored at a time of a run: neighbours where rows are whole vectors,
/// else each number.
SmallVector<SimtResults::Piece> SimtResults::piecesOf(const SimtRun &run) {
  if (exchangesRuns(run))
    return exchange(run);
  auto [atM, first] = placeOf(run.number);
  int64_t width = hasVectorRuns() ? quad : 1;
  SmallVector<Piece> pieces;
  for (int64_t c = 0; c < quad; c += width) {
    Piece &piece =
        pieces.emplace_back(Piece{atM, math.add(first, math.constant(c)), {}});
    for (const Elements &each : run.values)
      piece.values.emplace_back(ArrayRef(each).slice(c, width));
  }
  return pieces;
}

Value SimtResults::isInside(const Piece &piece) {
  return arith::AndIOp::create(e.b, e.loc, isInside(piece.atM, space.m),
                               isInside(piece.atN, space.n));
}

void SimtResults::finishRun(const SimtRun &run) {
  for (const Piece &piece : piecesOf(run))
    e.when(isInside(piece),
           [&] { emitRun(piece.atM, piece.atN, piece.values); });
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
  SmallVector<Piece> pieces;
  for (const SimtRun &run : runs)
    llvm::append_range(pieces, piecesOf(run));
  SmallVector<SmallVector<Elements>> results;
  for (const Piece &piece : pieces) {
    int64_t width = static_cast<int64_t>(piece.values.front().size());
    SmallVector<Index> at =
        resultAt(clamped(piece.atM, space.m, tile.m(), 1),
                 clamped(piece.atN, space.n, tile.n(), width));
    bindNeighbours(kernel, group.ops, piece.values, at);
    results.emplace_back();
    for (unsigned number : group.results)
      results.back().push_back(e.elements.emit(e.yielded()[number], at, width));
  }
  pinLoads(e.b, e.loc);
  for (auto [piece, found] : llvm::zip(pieces, results))
    e.when(isInside(piece), [&, &piece = piece, &found = found] {
      SmallVector<Index> at = resultAt(piece.atM, piece.atN);
      for (auto [number, elements] : llvm::zip(group.results, found))
        e.elements.store(e.results[number], at, elements);
    });
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
