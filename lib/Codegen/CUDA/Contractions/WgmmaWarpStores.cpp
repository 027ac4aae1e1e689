//===- WgmmaWarpStores.cpp - Rows that TMA cannot store -------------------===//
//
// TMA stores rows whose size is a multiple of 16 bytes. Others, and those of
// tiles that overlap, of 16-bit results, are stored by warps: a warp computes
// the epilogue where its sums are, writes 16 rows of a box to shared memory,
// and stores them row by row. In between, no warp waits for another one.
//
// A residual, or another tensor like the result, takes the same way back: the
// warp copies the chunks of 16 bytes that its rows lie in to the box's rows
// (cp.async), and reads each pair of elements from there before the results
// take that place.
//
// A store of a part of a sector of the L2 cache, 32 bytes, takes as long as
// several whole ones (bench/results/notes-gemm.md 29), and where rows begin
// within sectors, so does each part of a row that a tile has. Tiles that
// overlap by a sector (WgmmaSchedule::overlap) store whole ones but for the
// beginning and the end of a row of the result: in each row, a tile's part
// begins with the first sector that lies in it and ends with the one that the
// next tile's begins with.
//
//===----------------------------------------------------------------------===//

#include "WgmmaEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::wgmma;

/// Rows of a box that a warp has, and its stores that are under way together.
static constexpr int64_t warpRows = 16, storesTogether = 8;

/// Bytes of a chunk, what a lane copies.
static constexpr int64_t chunkBytes = 16;

/// The thread's number again: what follows from it is computed here, and takes
/// no registers from the main loop.
Index WgmmaEmitter::recomputedThread() {
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(),
                                      keepHere({toI32(thread)}).front())
      .getResult();
}

/// Boxes have 64 columns, or as many as divide the tile; with the next sector
/// where tiles overlap.
WgmmaEmitter::WarpRows WgmmaEmitter::rowsOfWarp(int64_t number) {
  int64_t stores = schedule.storesOfWarp();
  int64_t column = number % stores * schedule.columnsOfWarp();
  int64_t columns = schedule.columnsOfWarp();
  if (schedule.overlap)
    columns = std::min(columns + sectorColumns, schedule.partN() - column);
  int64_t bytes = schedule.rowBytesOfWarp();
  int64_t buffers = schedule.readsSourceByWarps() ? schedule.boxBuffers : 1;
  int64_t buffer = number % buffers * 64 * bytes;
  Value place = add(add(base, i32(stagingBegin + buffer)),
                    mul(consumer, schedule.stagingBytes()));
  return {number / stores, column, columns, {columns, place, bytes}};
}

void WgmmaEmitter::storeByWarps(ValueRange sums) {
  bool reads = schedule.readsSourceByWarps();
  if (reads && !rowsRequested)
    requestRows(0);
  rowsRequested = false;
  Index known = thread;
  int64_t all = sums.size() * schedule.storesOfWarp();
  for (int64_t number = 0; number < all; ++number) {
    if (number % schedule.storesOfWarp() == 0) {
      thread = known;
      separateFromWait();
      thread = recomputedThread();
    }
    WarpRows rows = rowsOfWarp(number);
    bool ahead = reads && schedule.boxBuffers > 1 && number + 1 < all;
    if (ahead)
      requestRows(number + 1);
    if (reads)
      awaitRows(/*othersFollow=*/ahead);
    for (unsigned result = 0; result < e.numResults(); ++result) {
      NVVM::SyncWarpOp::create(b, loc, i32(-1));
      writeRows(sums[rows.group], result, rows);
      NVVM::SyncWarpOp::create(b, loc, i32(-1));
      if (schedule.overlap)
        storeWindow(result, rows.group, rows.column, rows.box.place);
      else
        storeRows(result, rows.group, rows.column, rows.box);
    }
    if (reads && !ahead && number + 1 < all)
      requestRows(number + 1);
  }
  thread = known;
  if (reads)
    e.elements.unbindSource(sourceArgument());
}

/// Rows that are no multiple of 16 bytes have runs of four elements or fewer,
/// so that two lanes or more share each.
WgmmaEmitter::LanePlace WgmmaEmitter::placeOfLane(int64_t lanes) {
  assert(lanes <= 32 && 32 / lanes <= warpRows && "a warp has these rows");
  Index t = math.rem(thread, math.constant(128));
  Index lane = math.rem(t, math.constant(32));
  Index row = math.add(
      math.mul(math.div(t, math.constant(32)), math.constant(warpRows)),
      math.div(lane, math.constant(lanes)));
  return {row, math.rem(lane, math.constant(lanes))};
}

/// Computes this warp's rows of a box where the sums are.
void WgmmaEmitter::writeRows(Value accumulators, unsigned result,
                             const WarpRows &rows) {
  if (!schedule.readsSourceByWarps())
    return writeBox(accumulators, rows.group, result, rows.column, rows.box);
  Value shifts[2];
  for (int64_t half = 0; half < 2; ++half) {
    Index row = math.add(fragmentRow(), math.constant(half * 8));
    Value first =
        arith::TruncIOp::create(b, loc, b.getI32Type(), firstOfRow(rows, row));
    shifts[half] = arith::AndIOp::create(b, loc, first, i32(chunkBytes - 1));
  }
  auto type =
      cast<RankedTensorType>(e.kernel.getFunctionType().getResult(result));
  writePairs(type.getElementType(), rows.box, [&](int64_t j, int64_t half) {
    return pairOf(e.yielded()[result], accumulators, rows.group,
                  rows.column + j, half,
                  sourcePair(rows.box, shifts[half], j, half));
  });
}

//===----------------------------------------------------------------------===//
// A source of the epilogue
//===----------------------------------------------------------------------===//

/// The address of the source's first element of a row of the group of 64, i64.
Value WgmmaEmitter::firstOfRow(const WarpRows &rows, Index row) {
  const Memory &memory = *e.elements.memoryOf(sourceArgument());
  Index atM = math.add(math.add(rowBegin, groupRow(rows.group)), row);
  Index atN = math.add(columnBegin, math.constant(rows.column));
  Value first = elementAt(memory.pointer, memory.elementType,
                          math.linearize(resultAt(atM, atN), memory.sizes));
  return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), first);
}

/// Asks for the source's part of this warp's rows of box `store`, in chunks of
/// 16 bytes of memory: a row's first element lies in its first chunk. What is
/// not of the row, and rows that are not there, are not read.
void WgmmaEmitter::requestRows(int64_t store) {
  WarpRows rows = rowsOfWarp(store);
  // What the other lanes had in these rows has been stored.
  NVVM::SyncWarpOp::create(b, loc, i32(-1));
  int64_t chunks =
      llvm::divideCeil(2 * rows.columns + chunkBytes - 2, chunkBytes);
  int64_t lanes = llvm::PowerOf2Ceil(chunks);
  auto [row, number] = placeOfLane(lanes);
  Value chunk = mul(toI32(number), chunkBytes);
  Value isOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, chunk,
                                      i32(chunks * chunkBytes));
  e.when(isOne, [&] {
    Index atM = math.add(math.add(rowBegin, groupRow(rows.group)), row);
    Index atN = math.add(columnBegin, math.constant(rows.column));
    Value left = rowsFrom(atM, atN);
    // Of the row, from this chunk on where it begins with one.
    Value bytes = arith::SubIOp::create(
        b, loc,
        mul(arith::SubIOp::create(b, loc, toI32(space.sizeOf(schedule.n)),
                                  toI32(atN)),
            2),
        chunk);
    Value first = firstOfRow(rows, row);
    Value to =
        add(add(rows.box.place, mul(toI32(row), rows.box.rowBytes)), chunk);
    for (int64_t next = 0; next < warpRows; next += 32 / lanes)
      requestChunk(first, next * *rowDistance(0) * 2, chunk, bytes,
                   isGreater(left, i32(next)),
                   add(to, i32(next * rows.box.rowBytes)));
  });
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

/// Copies a chunk, `chunk` bytes behind the one that the address `distance`
/// bytes behind `first` lies in, to `to`; of a row that ends `bytes` behind
/// where the chunk would begin if `first` began one. Nothing where the row is
/// not there.
void WgmmaEmitter::requestChunk(Value first, int64_t distance, Value chunk,
                                Value bytes, Value isThere, Value to) {
  auto i64 = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  Value begin = arith::AddIOp::create(b, loc, first, i64(distance));
  Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), begin);
  Value shift = arith::AndIOp::create(b, loc, low, i32(chunkBytes - 1));
  Value from = arith::AndIOp::create(b, loc, begin, i64(-chunkBytes));
  from = arith::AddIOp::create(
      b, loc, from, arith::ExtUIOp::create(b, loc, b.getI64Type(), chunk));
  Value read = arith::MaxSIOp::create(b, loc, add(bytes, shift), i32(0));
  read = arith::MinSIOp::create(b, loc, read, i32(chunkBytes));
  read = arith::SelectOp::create(b, loc, isThere, read, i32(0));
  auto global = LLVM::LLVMPointerType::get(b.getContext(), 1);
  NVVM::CpAsyncOp::create(b, loc, pointer(to),
                          LLVM::IntToPtrOp::create(b, loc, global, from),
                          chunkBytes, NVVM::LoadCacheModifierKind::CG, read);
}

/// Until the rows have come that this warp asked for, but for the last ones
/// where `othersFollow`.
void WgmmaEmitter::awaitRows(bool othersFollow) {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, othersFollow ? 1 : 0);
}

/// This thread's pair of the source at `column` (+ the thread's) of the box, in
/// the upper or lower half of 16 rows, which begin `shift` bytes behind the
/// box's. A result takes the place of what was read for it or before.
Elements WgmmaEmitter::sourcePair(const Box &box, Value shift, int64_t column,
                                  int64_t half) {
  const Memory &memory = *e.elements.memoryOf(sourceArgument());
  int64_t together = std::min<int64_t>(2, runSize());
  Value at = add(add(box.place, mul(toI32(fragmentRow()), box.rowBytes)),
                 add(mul(toI32(fragmentColumn()), 2), shift));
  at = add(at, i32(half * 8 * box.rowBytes + column * 2));
  auto type = VectorType::get({together}, memory.elementType);
  Elements pair;
  for (int64_t i = 0; i < 2; i += together) {
    Value read = LLVM::LoadOp::create(
        b, loc, type, pointer(add(at, i32(i * 2))), 2 * together);
    for (int64_t j = 0; j < together; ++j)
      pair.push_back(arith::ExtFOp::create(
          b, loc, b.getF32Type(),
          vector::ExtractOp::create(b, loc, read, j).getResult()));
  }
  return pair;
}

//===----------------------------------------------------------------------===//
// Rows of a warp
//===----------------------------------------------------------------------===//

/// Where instructions that read the sums follow the wait for them in one basic
/// block, with others around, the assembler takes them for readers of sums that
/// are not there yet, and serialises the matrix instructions (C7514). This is
/// what storeBox() begins with: a branch that stays one, and a barrier.
void WgmmaEmitter::separateFromWait() { awaitBoxesRead(); }

/// Elements between a row of result `result` and the next one, where all are as
/// far apart.
std::optional<int64_t> WgmmaEmitter::rowDistance(unsigned result) {
  if (schedule.m.empty())
    return std::nullopt;
  SmallVector<Index> point(schedule.op().getNumLoops(), math.constant(0));
  point[schedule.m.back()] = math.constant(1);
  return IndexMath::constantOf(
      math.linearize(space.resultAt(point), e.results[result].sizes));
}

Value WgmmaEmitter::isGreater(Value left, Value right) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, left, right);
}

/// Loops over a warp's rows of a box, `turn` at a time; `body` is given the
/// first. The loop stays one: unrolled, it made half of the code of a kernel,
/// and compiling that took half of the time.
void WgmmaEmitter::loopOverRows(int64_t turn,
                                llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, loc, i32(0), i32(warpRows), i32(turn));
  auto annotation = LLVM::LoopAnnotationAttr::get(
      b.getContext(), {}, {}, {},
      LLVM::LoopUnrollAttr::get(b.getContext(), b.getBoolAttr(true), {}, {}, {},
                                {}, {}, {}),
      {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  loop->setDiscardableAttr("loop_annotation", annotation);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  ElementEmitter::Scope scope(e.elements);
  body(loop.getInductionVar());
}

/// Stores this warp's rows of a box: neighbouring lanes have neighbours of a
/// row, as many each as one access covers at every row. All places of a lane,
/// in the box and in memory, are at constant distances from its first ones of
/// the same turn of the loop, which are parts of the instructions: with
/// addresses of their own, elements took 16 instructions each.
void WgmmaEmitter::storeRows(unsigned result, int64_t group, int64_t column,
                             const Box &box) {
  const Memory &memory = e.results[result];
  int64_t vectorSize = std::min(runSize(), box.columns);
  int64_t lanes = std::min<int64_t>(box.columns / vectorSize, 32);
  auto [laneRow, number] = placeOfLane(lanes);
  Index laneColumn = math.mul(number, math.constant(vectorSize));
  Value from = add(add(box.place, mul(toI32(laneRow), box.rowBytes)),
                   mul(toI32(laneColumn), 2));
  Index atM = math.add(math.add(rowBegin, groupRow(group)), laneRow);
  Index atN =
      math.add(math.add(columnBegin, math.constant(column)), laneColumn);
  Value to = elementAt(memory.pointer, memory.elementType,
                       math.linearize(resultAt(atM, atN), memory.sizes));
  auto type = VectorType::get({vectorSize}, memory.elementType);
  // Where the next columns of the lane begin, and how many rows are there.
  SmallVector<std::pair<int64_t, Value>> runs;
  for (int64_t next = 0; next < box.columns; next += lanes * vectorSize)
    runs.emplace_back(next, rowsFrom(atM, math.add(atN, math.constant(next))));
  int64_t apart = 32 / lanes;
  int64_t turn = std::min<int64_t>(
      apart * std::max<int64_t>(storesTogether / runs.size(), 1), warpRows);
  bool allRows = hasAllRows();
  loopOverRows(turn, [&](Value first) {
    Value read = pointer(add(from, mul(first, box.rowBytes)));
    Index behind = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), first)
                       .getResult();
    Value write =
        elementAt(to, memory.elementType,
                  math.mul(behind, math.constant(*rowDistance(result))));
    SmallVector<RowStore> stores;
    for (auto [next, rows] : runs) {
      // Where all rows are there, one branch does for all.
      Value inside = isGreater(rows, first);
      for (int64_t row = 0; row < turn; row += apart) {
        Value place = elementAt(read, memory.elementType,
                                math.constant(row * box.rowBytes / 2 + next));
        stores.push_back(
            {LLVM::LoadOp::create(b, loc, type, place, 2 * vectorSize),
             row * *rowDistance(result) + next,
             allRows ? inside : isGreater(rows, add(first, i32(row)))});
      }
    }
    finishStores(stores, write);
  });
}

/// Whether each tile of the result has as many rows as any.
bool WgmmaEmitter::hasAllRows() {
  std::optional<int64_t> rows = IndexMath::constantOf(space.sizeOf(schedule.m));
  return rows && *rows % schedule.tileM == 0;
}

/// Rows that the result has from row `atM` on; none beyond the last column.
Value WgmmaEmitter::rowsFrom(Index atM, Index atN) {
  Value rows = arith::SubIOp::create(b, loc, toI32(space.sizeOf(schedule.m)),
                                     toI32(atM));
  return arith::SelectOp::create(b, loc, isBelow(atN, space.sizeOf(schedule.n)),
                                 rows, i32(0));
}

Value WgmmaEmitter::elementAt(Value pointer, Type element, Index number) {
  Value index =
      arith::IndexCastOp::create(b, loc, b.getI64Type(), math.value(number));
  return LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer,
                             ValueRange{index});
}

void WgmmaEmitter::finishStores(ArrayRef<RowStore> stores, Value to) {
  while (!stores.empty()) {
    Value inside = stores.front().inside;
    auto together = stores.take_while(
        [&](const RowStore &store) { return store.inside == inside; });
    e.when(inside, [&] {
      for (const RowStore &store : together) {
        auto vector = cast<VectorType>(store.elements.getType());
        Value place = elementAt(to, vector.getElementType(),
                                math.constant(store.distance));
        LLVM::StoreOp::create(b, loc, store.elements, place,
                              2 * vector.getNumElements());
      }
    });
    stores = stores.drop_front(together.size());
  }
}

//===----------------------------------------------------------------------===//
// Tiles that overlap
//===----------------------------------------------------------------------===//

/// Columns of a chunk.
static constexpr int64_t chunkColumns = chunkBytes / 2;

/// Stores this warp's rows of the window of the tile that begins at `column`.
void WgmmaEmitter::storeWindow(unsigned result, int64_t group, int64_t column,
                               Value box) {
  int64_t columns = std::min(windowColumns, schedule.partN() - column);
  int64_t lanes = llvm::PowerOf2Ceil(columns / chunkColumns);
  storeSectors(windowOf(result, group, column, box, lanes), lanes);
  // Ends of rows, by as many elements as every row has at a time.
  if (column == 0)
    e.when(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                 toI32(columnBegin), i32(0)),
           [&] {
             int64_t each = sectorColumns / runSize();
             storeHead(windowOf(result, group, column, box, each), each);
           });
  if (runSize() < chunkColumns)
    e.when(isLastOfRow(), [&] {
      int64_t each = chunkColumns / runSize();
      storeTail(windowOf(result, group, column, box, each), each);
    });
}

/// Whether this tile is the last one of those side by side.
Value WgmmaEmitter::isLastOfRow() {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                               toI32(columnBegin),
                               i32((schedule.tilesN() - 1) * schedule.stepN()));
}

/// What this lane has where `lanes` neighbours share a row.
WgmmaEmitter::Window WgmmaEmitter::windowOf(unsigned result, int64_t group,
                                            int64_t column, Value box,
                                            int64_t lanes) {
  const Memory &memory = e.results[result];
  auto [row, number] = placeOfLane(lanes);
  Index atM = math.add(math.add(rowBegin, groupRow(group)), row);
  Value to =
      elementAt(memory.pointer, memory.elementType,
                math.linearize(resultAt(atM, columnBegin), memory.sizes));
  Window window;
  window.from = add(box, mul(toI32(row), windowRowBytes));
  window.to = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), to);
  window.rows = arith::SubIOp::create(b, loc, toI32(space.sizeOf(schedule.m)),
                                      toI32(atM));
  window.part = toI32(number);
  window.column = column;
  window.bytes = *rowDistance(result) * 2;
  return window;
}

/// Row `row` behind the window's first.
WgmmaEmitter::WindowRow WgmmaEmitter::rowOf(const Window &window, int64_t row) {
  auto i64 = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  WindowRow found;
  found.to = arith::AddIOp::create(b, loc, window.to, i64(row * window.bytes));
  found.from = add(window.from, i32(row * windowRowBytes));
  // To the next sector, in elements.
  Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), found.to);
  Value elements = arith::ShRUIOp::create(b, loc, low, i32(1));
  Value back = arith::SubIOp::create(b, loc, i32(0), elements);
  found.start = arith::AndIOp::create(b, loc, back, i32(sectorColumns - 1));
  // The next tile has what lies a step further on; the last one has the rest.
  int64_t ofLast = schedule.extent(schedule.n, 0) -
                   (schedule.tilesN() - 1) * schedule.stepN();
  Value rest = arith::SubIOp::create(b, loc, i32(ofLast), found.start);
  found.columns = arith::SelectOp::create(b, loc, isLastOfRow(), rest,
                                          i32(schedule.stepN()));
  found.exists = isGreater(window.rows, i32(row));
  return found;
}

/// Stores the chunks that begin at a sector or in its middle, one a lane. Lanes
/// without one read what there is at any rate.
void WgmmaEmitter::storeSectors(const Window &window, int64_t lanes) {
  struct Store {
    WindowRow row;
    Value column, chunk, exists;
  };
  SmallVector<Store> stores;
  Value at = mul(window.part, chunkColumns);
  Value end = add(at, i32(window.column + chunkColumns));
  for (int64_t next = 0; next < warpRows; next += 32 / lanes) {
    WindowRow row = rowOf(window, next);
    Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, end,
                                       row.columns);
    Value column =
        arith::SelectOp::create(b, loc, fits, add(row.start, at), i32(0));
    stores.push_back({row, column, loadChunk(row.from, column),
                      arith::AndIOp::create(b, loc, fits, row.exists)});
    if (stores.size() < storesTogether && next + 32 / lanes < warpRows)
      continue;
    for (const Store &store : stores)
      e.when(store.exists, [&] {
        storeAtColumn(store.row, add(store.column, i32(window.column)),
                      store.chunk, 16);
      });
    stores.clear();
  }
}

/// Stores `value` from `column` of the tile on.
void WgmmaEmitter::storeAtColumn(const WindowRow &row, Value column,
                                 Value value, int64_t alignment) {
  Value bytes = arith::ExtUIOp::create(b, loc, b.getI64Type(), mul(column, 2));
  Value address = arith::AddIOp::create(b, loc, row.to, bytes);
  Value to = LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), 1), address);
  LLVM::StoreOp::create(b, loc, value, to, alignment);
}

/// Words of a chunk from `column` of the row at `from` on. Shared memory is
/// read by as many elements as columns of sectors are a multiple of; of single
/// ones, words are shifted.
Value WgmmaEmitter::loadChunk(Value from, Value column) {
  int64_t words = std::clamp<int64_t>(runSize() / 2, 1, 4);
  auto type = VectorType::get({words}, b.getI32Type());
  SmallVector<Value> read;
  auto load = [&](Value at) {
    Value vector = LLVM::LoadOp::create(b, loc, type, pointer(at), words * 4);
    for (int64_t i = 0; i < words; ++i)
      read.push_back(vector::ExtractOp::create(b, loc, vector, i).getResult());
  };
  Value at = add(from, mul(column, 2));
  if (runSize() > 1) {
    for (int64_t word = 0; word < 4; word += words)
      load(add(at, i32(word * 4)));
    return vector::FromElementsOp::create(
        b, loc, VectorType::get({4}, b.getI32Type()), read);
  }
  // Of an even column, the last word is read again: the next may not be there.
  Value odd = arith::AndIOp::create(b, loc, column, i32(1));
  at = arith::AndIOp::create(b, loc, at, i32(-4));
  for (int64_t word = 0; word < 4; ++word)
    load(add(at, i32(word * 4)));
  load(add(at, add(mul(odd, 4), i32(12))));
  Value bits = mul(odd, 16);
  for (int64_t word = 0; word < 4; ++word)
    read[word] = LLVM::FshrOp::create(
        b, loc, b.getI32Type(), ValueRange{read[word + 1], read[word], bits});
  return vector::FromElementsOp::create(
      b, loc, VectorType::get({4}, b.getI32Type()), ArrayRef(read).drop_back());
}

/// Stores what lies in front of the first sector of rows of the result.
void WgmmaEmitter::storeHead(const Window &window, int64_t lanes) {
  Value column = mul(window.part, runSize());
  for (int64_t next = 0; next < warpRows; next += 32 / lanes) {
    WindowRow row = rowOf(window, next);
    Value end = add(row.start, row.columns); // of the row, in this tile
    Value before = arith::AndIOp::create(
        b, loc,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, column,
                              row.start),
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, column, end));
    storeRun(row, column, column,
             arith::AndIOp::create(b, loc, before, row.exists));
  }
}

/// Stores what lies behind the last chunk of rows of the result, where that is
/// in this window.
void WgmmaEmitter::storeTail(const Window &window, int64_t lanes) {
  for (int64_t next = 0; next < warpRows; next += 32 / lanes) {
    WindowRow row = rowOf(window, next);
    Value chunks =
        arith::AndIOp::create(b, loc, row.columns, i32(-chunkColumns));
    Value first = arith::SubIOp::create(b, loc, chunks, i32(window.column));
    Value run = mul(window.part, runSize());
    Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         first, i32(windowColumns));
    Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          add(chunks, run), row.columns);
    Value inWindow = add(add(row.start, first), run);
    Value exists = arith::AndIOp::create(
        b, loc, arith::AndIOp::create(b, loc, isHere, isThere), row.exists);
    storeRun(row, inWindow, add(inWindow, i32(window.column)), exists);
  }
}

/// Stores as many elements as every row has at a time, from column `inWindow`
/// of the window, `column` of the tile, where `exists`.
void WgmmaEmitter::storeRun(const WindowRow &row, Value inWindow, Value column,
                            Value exists) {
  e.when(exists, [&] {
    auto type = VectorType::get({runSize()}, b.getI16Type());
    Value from = pointer(add(row.from, mul(inWindow, 2)));
    Value run = LLVM::LoadOp::create(b, loc, type, from, 2 * runSize());
    storeAtColumn(row, column, run, 2 * runSize());
  });
}
