//===- WgmmaEpilogue.cpp - From accumulators to results -------------------===//
//
// Thread t of a consumer holds, of its 64 rows, rows t / 32 * 16 + t % 32 / 4
// (+ 8) and columns 8 j + t % 4 * 2 (+ 1): pairs of neighbours. These ways lead
// from there to memory: WgmmaStore::Threads, of a consumer
// (WgmmaThreadStores.cpp) or of each warp (WgmmaWarpStores.cpp),
// WgmmaStore::TMA, also of norms (WgmmaNorm.cpp) and with swapAB
// (WgmmaTransposedBoxes.cpp), and whole rows of a tile (WgmmaRows.cpp).
//
//===----------------------------------------------------------------------===//

#include "OperandSource.h"
#include "WgmmaEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::wgmma;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Index WgmmaEmitter::fragmentRow() {
  Index t = math.rem(thread, math.constant(128));
  Index warp = math.div(t, math.constant(32));
  Index lane = math.rem(t, math.constant(32));
  return math.add(math.mul(warp, math.constant(16)),
                  math.div(lane, math.constant(4)));
}

/// 64 times the number of this consumer.
Index WgmmaEmitter::consumerRow() {
  Index number =
      math.sub(math.div(thread, math.constant(128)), math.constant(1));
  return math.mul(number, math.constant(64));
}

/// The tile's row that this consumer's group of 64 rows begins at.
Index WgmmaEmitter::groupRow(int64_t group) {
  return schedule.pingPong ? math.constant(group * 64) : consumerRow();
}

/// The tile's column that this consumer's group of 64 columns begins at, with
/// swapAB.
Index WgmmaEmitter::groupColumn(int64_t group) {
  Index column = math.constant(group * 64);
  if (schedule.pingPong)
    return column;
  return math.add(math.mul(consumerRow(), math.constant(schedule.rowGroups())),
                  column);
}

Index WgmmaEmitter::fragmentColumn() {
  Index quad = math.rem(thread, math.constant(4));
  return math.mul(quad, math.constant(2));
}

/// Indices of the results at a row of all rows and a column.
SmallVector<Index> WgmmaEmitter::resultAt(Index row, Index column) {
  SmallVector<Index> point(schedule.op().getNumLoops(), math.constant(0));
  space.spread(tileBatch, schedule.batch, point);
  space.spread(row, schedule.m, point);
  point[schedule.n.front()] = column;
  return space.resultAt(point);
}

/// Whether tiles of `tile` iterations may go beyond the end of `loops`.
bool WgmmaEmitter::isRagged(ArrayRef<unsigned> loops, int64_t tile) {
  auto size = IndexMath::constantOf(space.sizeOf(loops));
  return !size || *size % tile != 0;
}

/// Beyond the end nothing is stored, and what is read must be there.
Index WgmmaEmitter::clampedRow(Index row) {
  Index size = space.sizeOf(schedule.m);
  return isRagged(schedule.m, schedule.tileM * schedule.clusterM)
             ? math.min(row, math.sub(size, math.constant(1)))
             : row;
}

Index WgmmaEmitter::clampedColumn(Index at) {
  if (!isRagged(schedule.n, schedule.partN() * schedule.clusterN))
    return at;
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, math.value(at),
                            math.value(space.sizeOf(schedule.n)));
  Value clamped = arith::SelectOp::create(b, loc, inside, math.value(at),
                                          math.value(math.constant(0)));
  math.setFactor(clamped, math.factorOf(at));
  return Index(clamped);
}

/// Neighbours in a row that one access covers at every row.
int64_t WgmmaEmitter::runSize() {
  auto columns = IndexMath::constantOf(space.sizeOf(schedule.n));
  return std::gcd(int64_t(8), *columns);
}

/// Stores the sums of the current tile, one value for each group of 64 rows.
void WgmmaEmitter::storeTile(ValueRange sums) {
  if (schedule.swapAB && schedule.store != WgmmaStore::TMA)
    return storeTransposed(sums);
  assert((!schedule.overlap || schedule.storesByWarps()) &&
         "as brokenRule() says");
  if (schedule.hasNorm())
    return storeNorm(sums);
  if (schedule.store == WgmmaStore::TMA)
    return storeByTMA(sums);
  if (schedule.storesByWarps())
    return storeByWarps(sums);
  for (auto [group, accumulators] : llvm::enumerate(sums))
    storeByThreads(accumulators, group);
}

/// Makes `load` the source of the contractions' elements, while it is there.
void WgmmaEmitter::bindParts(llvm::function_ref<Elements(int64_t)> load) {
  for (auto [part, op] : llvm::enumerate(schedule.ops))
    e.elements.bindSource(
        op.getResult(0),
        [load, part = part](ArrayRef<Index>, int64_t vectorSize) {
          Elements values = load(part);
          assert(int64_t(values.size()) == vectorSize);
          return values;
        });
}

/// The pair of sums at accumulator column `column` (+ this thread's) of a
/// contraction, in the upper or lower half of 16 rows.
Elements WgmmaEmitter::accumulatorPair(Value accumulators, int64_t part,
                                       int64_t column, int64_t half) {
  int64_t first = (part * schedule.partN() + column) / 8 * 4 + half * 2;
  Elements pair;
  for (int64_t i = 0; i < 2; ++i)
    pair.push_back(LLVM::ExtractValueOp::create(b, loc, accumulators,
                                                ArrayRef<int64_t>{first + i}));
  return pair;
}

//===----------------------------------------------------------------------===//
// Stores by TMA
//===----------------------------------------------------------------------===//

void WgmmaEmitter::storeByTMA(ValueRange sums) {
  Index known = thread;
  int64_t box = 0;
  for (int64_t number = 0; number < schedule.boxesOfTile(); ++number) {
    BoxPlace place = placeOfBox(number);
    for (unsigned result = 0; result < e.numResults(); ++result)
      storeBox(sums[place.group], result, place, box++);
  }
  thread = known;
}

/// The groups take turns where they are rows, so that what the epilogue reads
/// for a column is in registers for all of them, and no longer than that. With
/// swapAB they are columns, and one follows the other.
WgmmaEmitter::BoxPlace WgmmaEmitter::placeOfBox(int64_t number) {
  int64_t groups = schedule.rowGroups(), boxes = schedule.boxesOfGroup();
  if (!schedule.swapAB)
    return {number % groups, number / groups * boxColumns()};
  return {number / boxes, std::min(number % boxes * schedule.boxRows,
                                   schedule.tileM - schedule.boxRows)};
}

int64_t WgmmaEmitter::boxColumns() {
  return schedule.boxColumns * schedule.boxRowBytes / 128;
}

/// Boxes that a consumer stores of a tile; with a norm, of its input.
int64_t WgmmaEmitter::boxesOfTile() {
  return schedule.boxesOfTile() *
         (schedule.hasNorm() ? 1 : int64_t(e.numResults()));
}

/// Boxes that may not have been read yet when box `box` of a tile is written.
/// The one before it in its buffer has been: of this tile or of the last.
int64_t WgmmaEmitter::boxesUnread(int64_t box) {
  int64_t buffers = schedule.boxBuffers, boxes = boxesOfTile();
  if (box >= buffers)
    return buffers - 1;
  if (boxes < buffers)
    return 0;
  int64_t last = boxes - 1 - (boxes - 1 - box) % buffers;
  return boxes - 1 - last + box;
}

/// The buffer of box `box` of a tile.
WgmmaEmitter::Box WgmmaEmitter::boxBuffer(int64_t box) {
  Value first =
      add(add(base, i32(stagingBegin)), mul(consumer, schedule.stagingBytes()));
  return {boxColumns(), first, schedule.boxRowBytes,
          box % schedule.boxBuffers * schedule.boxBytes()};
}

/// Waits before a buffer is used again until what was sent from it has been
/// read; when the epilogue reads a source, its box lies there then.
void WgmmaEmitter::storeBox(Value accumulators, unsigned result, BoxPlace place,
                            int64_t box) {
  Value sender = isFirstOfConsumer();
  if (schedule.readsSource()) {
    awaitSource(box);
  } else {
    e.when(sender, [&] {
      NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, boxesUnread(box),
                                           b.getUnitAttr());
    });
    syncConsumer();
  }
  // Behind the branch and the barrier that stand between the wait for the sums
  // and their readers (separateFromWait()); storeByTMA() restores it.
  if (box == 0)
    thread = recomputedThread();
  Box buffer = boxBuffer(box);
  if (schedule.swapAB)
    writeTransposedBox(accumulators, result, place, buffer);
  else
    writeBox(accumulators, place.group, result, place.first, buffer);
  // TMA reads what the threads have written.
  fenceAsync();
  syncConsumer();
  e.when(sender, [&] {
    sendBox(result, add(buffer.place, i32(buffer.offset)), place);
    // A source takes the place of the box that was sent before this one.
    int64_t following = box + schedule.boxBuffers - 1;
    if (!schedule.readsSource() || box == 0 || following >= boxesOfTile())
      return;
    NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, 1, b.getUnitAttr());
    requestSource(following);
  });
}

//===----------------------------------------------------------------------===//
// A source of the epilogue in the results' boxes
//===----------------------------------------------------------------------===//

/// Says that the source's part for a buffer has arrived.
Value WgmmaEmitter::sourceBarrier(int64_t buffer) {
  Value first =
      add(base, i32(barriersAt(schedule) + schedule.stages * 16 + buffer * 8));
  return pointer(add(first, mul(consumer, schedule.boxBuffers * 8)));
}

void WgmmaEmitter::initialiseSources() {
  if (!schedule.readsSource())
    return;
  for (int64_t number = 0; number < schedule.consumers(); ++number) {
    consumer = i32(number);
    for (int64_t buffer = 0; buffer < schedule.boxBuffers; ++buffer)
      NVVM::MBarrierInitOp::create(b, loc, sourceBarrier(buffer), i32(1),
                                   Value());
  }
}

/// Asks for the first boxes of a tile, when those of the last have been read.
void WgmmaEmitter::requestSources() {
  e.when(isFirstOfConsumer(), [&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, 0, b.getUnitAttr());
    for (int64_t box = 0; box < std::min(schedule.boxBuffers, boxesOfTile());
         ++box)
      requestSource(box);
  });
}

void WgmmaEmitter::requestSource(int64_t box) {
  Value barrier = sourceBarrier(box % schedule.boxBuffers);
  NVVM::MBarrierArriveExpectTxOp::create(
      b, loc, Type(), barrier, i32(schedule.boxBytes()),
      NVVM::MemScopeKind::CTA, false, Value());
  Box buffer = boxBuffer(box);
  copyBox(add(buffer.place, i32(buffer.offset)), maps.back(),
          boxAt(placeOfBox(box)), barrier);
}

/// Waits for the source of box `box` of this tile: the parity is that of the
/// times that its buffer was used before.
void WgmmaEmitter::awaitSource(int64_t box) {
  int64_t buffers = schedule.boxBuffers, buffer = box % buffers;
  int64_t uses = llvm::divideCeil(boxesOfTile() - buffer, buffers);
  Value parity = i32(box / buffers % 2);
  if (uses % 2 != 0)
    parity = arith::XOrIOp::create(
        b, loc, parity, arith::AndIOp::create(b, loc, tileNumber, i32(1)));
  waitFor(sourceBarrier(buffer), parity);
}

BlockArgument WgmmaEmitter::sourceArgument() {
  auto tensors = llvm::make_filter_range(
      e.kernel.getBody().getArguments(), [](BlockArgument argument) {
        return isa<RankedTensorType>(argument.getType());
      });
  return *std::next(tensors.begin(), schedule.source);
}

/// This thread's pair of the source at `column` (+ the thread's) of the box, in
/// the upper or lower half of 16 rows.
void WgmmaEmitter::bindSource(const Box &box, int64_t column, int64_t half) {
  auto type = cast<RankedTensorType>(e.kernel.getFunctionType().getResult(0));
  auto pair = VectorType::get({2}, type.getElementType());
  auto load = [this, box, column, half, pair](ArrayRef<Index>,
                                              int64_t vectorSize) {
    assert(vectorSize == 2 && "sums are read in pairs");
    Index row = fragmentRow();
    Index turn = box.rowBytes == 128 ? math.rem(row, math.constant(8))
                                     : math.rem(math.div(row, math.constant(2)),
                                                math.constant(4));
    Value piece = arith::XOrIOp::create(b, loc, toI32(turn), i32(column / 8));
    Value inPiece = mul(toI32(fragmentColumn()), 2);
    Value at = add(add(box.place, mul(toI32(row), box.rowBytes)),
                   add(mul(piece, 16), inPiece));
    // The swizzle of a row is that of the eighth row below it.
    Value place = add(at, i32(box.offset + half * 8 * box.rowBytes));
    Value words = LLVM::LoadOp::create(b, loc, pair, pointer(place), 4);
    Elements wide;
    for (int64_t i = 0; i < vectorSize; ++i)
      wide.push_back(arith::ExtFOp::create(
          b, loc, b.getF32Type(),
          vector::ExtractOp::create(b, loc, words, i).getResult()));
    return wide;
  };
  e.elements.bindSource(sourceArgument(), load);
}

//===----------------------------------------------------------------------===//
// The contents of a box
//===----------------------------------------------------------------------===//

/// Computes the epilogue of 64 rows and a box's columns where the sums are.
void WgmmaEmitter::writeBox(Value accumulators, int64_t group, unsigned result,
                            int64_t column, const Box &box) {
  auto type =
      cast<RankedTensorType>(e.kernel.getFunctionType().getResult(result));
  writePairs(type.getElementType(), box, [&](int64_t j, int64_t half) {
    if (schedule.readsSource())
      bindSource(box, j, half);
    return pairOf(e.yielded()[result], accumulators, group, column + j, half);
  });
}

void WgmmaEmitter::writePairs(Type element, const Box &box, PairOfBox pairAt) {
  bool halves = element.getIntOrFloatBitWidth() == 16;
  SmallVector<Elements> values;
  for (int64_t j = 0; j < box.columns; j += 8)
    for (int64_t half = 0; half < 2; ++half) {
      values.push_back(pairAt(j, half));
      if (halves && values.size() == 4) {
        writeHalves(values, element, box, j / 8 - 1);
        values.clear();
      } else if (!halves && values.size() == 2) {
        writeFloats(values, box, j);
        values.clear();
      }
    }
}

/// Indices of the result at column `column` (+ this thread's) of the tile, in
/// the upper or lower half of 16 rows; of one that is there where the tile goes
/// beyond the end.
SmallVector<Index> WgmmaEmitter::pairPlace(int64_t group, int64_t column,
                                           int64_t half) {
  Index row = math.add(math.add(rowBegin, groupRow(group)),
                       math.add(fragmentRow(), math.constant(half * 8)));
  Index at =
      math.add(math.add(columnBegin, fragmentColumn()), math.constant(column));
  return resultAt(clampedRow(row), clampedColumn(at));
}

/// The pair of `tensor`, like the result, at that place, with the pair `source`
/// of the tensor that the epilogue reads, if there is one. Where rows have an
/// odd number of elements, only one of them may be there.
Elements WgmmaEmitter::pairOf(Value tensor, Value accumulators, int64_t group,
                              int64_t column, int64_t half,
                              const Elements &source) {
  int64_t vectorSize = std::min<int64_t>(2, runSize());
  Elements pair;
  for (int64_t i = 0; i < 2; i += vectorSize) {
    auto sumsOf = [&](int64_t part) {
      Elements both = accumulatorPair(accumulators, part, column, half);
      return Elements(ArrayRef<Value>(both).slice(i, vectorSize));
    };
    bindParts(sumsOf);
    if (!source.empty()) {
      Elements read(ArrayRef<Value>(source).slice(i, vectorSize));
      e.elements.bindSource(sourceArgument(),
                            [read](ArrayRef<Index>, int64_t) { return read; });
    }
    llvm::append_range(pair, e.elements.emit(tensor,
                                             pairPlace(group, column + i, half),
                                             vectorSize));
  }
  return pair;
}

/// A pair as elements of 16 bits, i32.
Value WgmmaEmitter::pairWord(const Elements &pair, Type element) {
  SmallVector<Value> stored;
  for (Value value : pair)
    stored.push_back(e.elements.narrow(value, element));
  Value vector = vector::FromElementsOp::create(
      b, loc, VectorType::get({2}, element), stored);
  return LLVM::BitcastOp::create(b, loc, b.getI32Type(), vector);
}

/// Four matrices of 8 x 8: two groups of 8 columns, each in both halves of the
/// rows. Lane l has the address of row l % 8 of matrix l / 8. 16-byte pieces of
/// a row lie where the swizzle wants them: piece i of row r at i XOR r % 8 in
/// rows of 128 bytes, at i XOR r / 2 % 4 in rows of 64.
void WgmmaEmitter::writeHalves(ArrayRef<Elements> values, Type element,
                               const Box &box, int64_t piece) {
  SmallVector<Value> words;
  for (const Elements &pair : values)
    words.push_back(pairWord(pair, element));
  Index t = math.rem(thread, math.constant(128));
  Index lane = math.rem(t, math.constant(32));
  Index matrix = math.div(lane, math.constant(8));
  Index row = math.rem(lane, math.constant(8));
  Index half = math.rem(matrix, math.constant(2));
  Index ofTile =
      math.add(math.mul(math.div(t, math.constant(32)), math.constant(16)),
               math.add(math.mul(half, math.constant(8)), row));
  Value place = toI32(math.div(matrix, math.constant(2)));
  if (box.rowBytes == 64 || box.rowBytes == 128) {
    Index turn = box.rowBytes == 128 ? row : math.div(row, math.constant(2));
    place = arith::XOrIOp::create(b, loc, place, toI32(turn));
    place = arith::XOrIOp::create(b, loc, place, i32(piece));
  } else {
    place = add(place, i32(piece));
  }
  Value at =
      add(add(box.place, mul(toI32(ofTile), box.rowBytes)), mul(place, 16));
  NVVM::StMatrixOp::create(b, loc, pointer(add(at, i32(box.offset))), words,
                           NVVM::MMALayout::row,
                           NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
                           NVVM::LdStMatrixEltType::B16);
}

/// A pair of floats in each half of the rows, from column `first` of the box
/// on, swizzled in the same way.
void WgmmaEmitter::writeFloats(ArrayRef<Elements> values, const Box &box,
                               int64_t first) {
  Index row = fragmentRow();
  Value low = toI32(math.rem(row, math.constant(8)));
  Index quad = math.rem(thread, math.constant(4));
  Value place = arith::XOrIOp::create(
      b, loc, toI32(math.div(quad, math.constant(2))), low);
  place = arith::XOrIOp::create(b, loc, place, i32(first / 4));
  Value inPiece = mul(toI32(math.rem(quad, math.constant(2))), 8);
  Value at = add(add(box.place, mul(toI32(row), rowBytes)),
                 add(mul(place, 16), inPiece));
  auto pair = VectorType::get({2}, b.getF32Type());
  for (auto [half, elements] : llvm::enumerate(values)) {
    Value vector = vector::FromElementsOp::create(b, loc, pair, elements);
    LLVM::StoreOp::create(
        b, loc, vector, pointer(add(at, i32(box.offset + half * 8 * rowBytes))),
        8);
  }
}

/// Where a box lies in the result.
SmallVector<Value> WgmmaEmitter::boxAt(BoxPlace place) {
  Index row = math.add(rowBegin, schedule.swapAB ? math.constant(place.first)
                                                 : groupRow(place.group));
  Index column =
      math.add(columnBegin, schedule.swapAB ? groupColumn(place.group)
                                            : math.constant(place.first));
  SmallVector<Value> at = {toI32(column), toI32(row)};
  if (!schedule.batch.empty())
    at.push_back(toI32(tileBatch));
  return at;
}

void WgmmaEmitter::sendBox(unsigned result, Value box, BoxPlace place) {
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      b, loc, maps[schedule.operandMaps() + result], pointer(box), boxAt(place),
      /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
  NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
}

/// Waits, in all threads of this consumer, until TMA has read all of the boxes
/// that it was sent: their buffers are free.
void WgmmaEmitter::awaitBoxesRead() {
  e.when(isFirstOfConsumer(), [&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, 0, b.getUnitAttr());
  });
  syncConsumer();
}

/// Waits until this thread's boxes are in memory.
void WgmmaEmitter::awaitTMAStores() {
  NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, 0, UnitAttr());
}
