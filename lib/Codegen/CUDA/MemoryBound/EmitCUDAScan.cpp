//===- EmitCUDAScan.cpp - CUDA code of running sums -----------------------===//
//
// Along the last dimension: a block for each row. The block goes over the row
// piece by piece; within a piece each thread sums its neighbouring elements,
// warps and then the block sum over threads, and what came before is carried
// on. Few long rows have several blocks each (ScanParts.cpp). Short rows share
// a block: the lanes of a warp or a part of it have some neighbours of a row
// each, and exchange sums alone. The GPU starts 0.83 blocks in a nanosecond.
//
// Along other dimensions, threads with neighbouring columns read one row,
// several rows before they add them. Where columns are few and short (long ones
// are in ScanColumns.cpp), or their number is not known at all, several
// threads share each: they sum their own rows, and exchange the sums in shared
// memory. The order of summation depends on the shape alone.
//
//===----------------------------------------------------------------------===//

#include "ScanEmission.h"

#include "Codegen/Emit/KernelSizes.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {
class ScanEmitter : ScanEmission {
public:
  explicit ScanEmitter(CUDAKernel &kernel) : ScanEmission(kernel) {}

  void emit();

private:
  void emitRows();
  bool chooseLanes();
  Value lastOfRow(Value value);
  void emitShortRows();
  Value emitShortPiece(Index first, Value carry);
  void emitColumns();
  void chooseColumns(ArrayRef<Index> sizes, Index length);
  Value emitRowsOfColumns(Index first, Value carry, Index length,
                          SmallVector<Index> at, Value inside, bool isAhead);
  Value emitPiece(Index first, Value carry);

  int64_t threads = 256, vectorSize = 1;
  /// Whether elements of the lanes of a short row are no whole vectors, and
  /// whether the lanes have all of the row at once.
  bool isOdd = false, isWhole = false;
  /// Of a block that scans columns: columns, and threads of each.
  int64_t width = 1, height = 1;
  SmallVector<Index> row;
  /// `thread` is the column of the block where columns are scanned, and `y` the
  /// thread of a column.
  Index columns, thread, warp, y;
  /// Of short rows: whether this thread's is one.
  Value isRow;
  Memory partials;
};
} // namespace

/// Threads of a block of short rows, at most, where each has one element of a
/// row, and where rows are few.
static constexpr int64_t shortThreads = 256, dynamicThreads = 1024,
                         fewThreads = 64;
/// Neighbours that a lane reads one by one at most: with more, a warp's access
/// touches as many lines of the L1 cache as all its rows have.
static constexpr int64_t maxSingles = 8;
/// Threads of a block that scans columns, and the rows that each loads before
/// it adds them.
static constexpr int64_t columnThreads = 256, rowsInFlight = 8;

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

/// The lanes of a short row and the neighbours of each; false for a long row.
/// Rows whose length is known at run time only have a lane for each element
/// that is expected, a warp at most, where they are expected to be short; these
/// take piece after piece. Of very few elements, a thread has all.
bool ScanEmitter::chooseLanes() {
  std::optional<int64_t> known = IndexMath::constantOf(columns);
  isWhole = known.has_value();
  if (!known) {
    std::optional<kernel::SizeRange> range =
        sizeRange(e.kernel, e.sizeExprs(0).back());
    // A row without elements has none to load in the place of others.
    if (range && range->values.lo > 0 && range->values.hi <= maxScanOfThread) {
      lanes = 1;
      vectorSize = range->values.hi;
      isOdd = isWhole = true;
      return true;
    }
    std::optional<int64_t> expected =
        expectedSize(e.kernel, e.sizeExprs(0).back());
    if (!expected || *expected > 32 * maxSingles)
      return false;
    lanes = std::min<int64_t>(
        32, llvm::PowerOf2Ceil(std::max<int64_t>(1, *expected)));
    return true;
  }
  vectorSize = std::gcd(vectorSizeOf(e), *known);
  isOdd = vectorSize * 2 < vectorSizeOf(e) || *known > 32 * vectorSize;
  if (isOdd) {
    lanes = llvm::PowerOf2Ceil(llvm::divideCeil(*known, maxSingles));
    vectorSize = llvm::divideCeil(*known, lanes);
  } else {
    lanes = llvm::PowerOf2Ceil(*known / vectorSize);
  }
  bool isShort = *known > 0 && lanes <= 32;
  if (!isShort)
    lanes = 32;
  return isShort;
}

/// What the last lane of this thread's row has.
Value ScanEmitter::lastOfRow(Value value) {
  Index own = math.rem(thread, math.constant(32));
  Index last = math.add(math.sub(own, lane), math.constant(lanes - 1));
  return kernel.shuffle(value,
                        arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(),
                                                   math.value(last)),
                        gpu::ShuffleMode::IDX);
}

/// The neighbours of a lane. In an odd row, the last lanes begin further ahead,
/// so that what they read is of the row, and leave out what is another's.
Value ScanEmitter::emitShortPiece(Index first, Value carry) {
  Index column = math.add(first, math.mul(lane, math.constant(vectorSize)));
  auto both = [&](Value a, Value b) -> Value {
    return arith::AndIOp::create(e.b, e.loc, a, b);
  };
  SmallVector<SmallVector<Index>> places;
  SmallVector<Value> valid;
  Elements sums;
  if (isOdd && !IndexMath::constantOf(columns)) {
    for (int64_t i = 0; i < vectorSize; ++i) {
      Index own = math.constant(i);
      valid.push_back(kernel.compare(arith::CmpIPredicate::ult, own, columns));
      places.emplace_back(row);
      places.back().push_back(kernel.clampTo(valid.back(), own));
      sums.push_back(e.elements.emitOne(op.getInput(), places.back()));
    }
  } else if (isOdd) {
    Index most = math.sub(columns, math.constant(vectorSize));
    Index begin = math.min(column, most), ahead = math.sub(column, begin);
    for (int64_t i = 0; i < vectorSize; ++i) {
      places.emplace_back(row);
      places.back().push_back(math.add(begin, math.constant(i)));
      valid.push_back(
          kernel.compare(arith::CmpIPredicate::ule, ahead, math.constant(i)));
      sums.push_back(e.elements.emitOne(op.getInput(), places.back()));
    }
  } else {
    Value inside = kernel.compare(arith::CmpIPredicate::ult, column, columns);
    places.emplace_back(row);
    places.back().push_back(kernel.clampTo(inside, column));
    sums = e.elements.emit(op.getInput(), places.back(), vectorSize);
    valid.assign(vectorSize, inside);
  }
  for (auto [i, value] : llvm::enumerate(sums)) {
    value = kernel.select(valid[i], value, zero());
    if (i > 0)
      value = add(sums[i - 1], value);
  }
  Value upTo = sumOverWarp(sums.back()), offset = carry;
  if (lanes > 1) {
    Value isFirst =
        kernel.compare(arith::CmpIPredicate::eq, lane, math.constant(0));
    offset = add(carry, kernel.select(isFirst, zero(), shuffleUp(upTo, 1)));
  }
  for (Value &sum : sums)
    sum = add(offset, sum);
  for (auto [i, at] : llvm::enumerate(places))
    e.when(both(isRow, valid[i]),
           [&] { finish(at, isOdd ? Elements{sums[i]} : sums); });
  return isWhole ? carry : add(carry, lastOfRow(upTo));
}

void ScanEmitter::emitShortRows() {
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.pop_back();
  AffineExpr count = KernelEmission::product(exprs, e.kernel.getContext());
  std::optional<int64_t> expected = expectedSize(e.kernel, count);
  // The GPU starts few blocks at a time.
  int64_t rows = (isWhole ? shortThreads : dynamicThreads) / lanes;
  while (expected && rows * lanes > fewThreads &&
         *expected < rows * kernel.chip.multiprocessors)
    rows /= 2;
  e.setConfig({count.ceilDiv(rows)}, {rows * lanes, 1, 1}, 0);
  thread = kernel.threadId();
  lane = math.rem(thread, math.constant(lanes));
  SmallVector<Index> rowSizes(e.results.front().sizes);
  rowSizes.pop_back();
  Index number = math.add(math.mul(kernel.blockId(), math.constant(rows)),
                          math.div(thread, math.constant(lanes)));
  isRow =
      kernel.compare(arith::CmpIPredicate::ult, number, math.product(rowSizes));
  row = math.delinearize(kernel.clampTo(isRow, number), rowSizes);
  kernel.await();
  if (isWhole) {
    emitShortPiece(math.constant(0), zero());
    return;
  }
  e.reduceLoop(math.constant(0), columns, math.constant(lanes * vectorSize),
               zero(), [&](Index first, ValueRange carried) {
                 return SmallVector<Value>{
                     emitShortPiece(first, carried.front())};
               });
}

void ScanEmitter::emitRows() {
  columns = e.results.front().sizes.back();
  if (chooseLanes())
    return emitShortRows();
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.pop_back();
  std::optional<int64_t> known = IndexMath::constantOf(columns);
  vectorSize = known && *known % vectorSizeOf(e) == 0 ? vectorSizeOf(e) : 1;
  while (known && threads > 32 && threads * vectorSize / 2 >= *known)
    threads /= 2;
  SmallVector<Index> rowSizes(e.results.front().sizes);
  rowSizes.pop_back();
  AffineExpr rows = KernelEmission::product(exprs, e.kernel.getContext());
  e.setConfig({rows}, {threads, 1, 1}, 0);
  thread = kernel.threadId();
  lane = math.rem(thread, math.constant(32));
  warp = math.div(thread, math.constant(32));
  row = math.delinearize(kernel.blockId(), rowSizes);
  partials = kernel.sharedArray("partials", type, {2 * (threads / 32)});
  kernel.await();
  e.reduceLoop(math.constant(0), columns, math.constant(threads * vectorSize),
               zero(), [&](Index first, ValueRange carried) {
                 return SmallVector<Value>{emitPiece(first, carried.front())};
               });
}

/// How many threads share a column: as many as fill the device with threads,
/// where the columns that are expected do not, and have rows of their own.
void ScanEmitter::chooseColumns(ArrayRef<Index> sizes, Index length) {
  std::optional<int64_t> count = math.expectedOf(math.product(sizes));
  std::optional<int64_t> rows = math.expectedOf(length);
  int64_t most = columnThreads / 32;
  if (count)
    most =
        columnThreads / std::clamp<int64_t>(llvm::PowerOf2Ceil(*count), 8, 32);
  height = 1;
  int64_t threads = kernel.chip.multiprocessors * kernel.chip.busyThreads;
  while (height < most && (!count || *count * height < threads) &&
         (!rows || height * rowsInFlight < *rows))
    height *= 2;
  width = columnThreads / height;
}

/// Sums the rows from `first` on: `rowsInFlight` of each thread, which are
/// loaded before any is added; returns the sums up to their end. `at` is this
/// thread's column. `isAhead`: there are as many rows at least, and the last
/// threads of a column begin further ahead, so that all they read is of it, at
/// constant distances, and leave out what is another's.
Value ScanEmitter::emitRowsOfColumns(Index first, Value carry, Index length,
                                     SmallVector<Index> at, Value inside,
                                     bool isAhead) {
  auto dim = static_cast<int64_t>(op.getDim());
  Index own = math.add(first, math.mul(y, math.constant(rowsInFlight)));
  Index begin = own;
  Value left; // to another thread
  if (isAhead) {
    begin = math.min(own, math.sub(length, math.constant(rowsInFlight)));
    left = arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(),
                                      math.value(math.sub(own, begin)));
  }
  SmallVector<Value> sums, valid;
  SmallVector<Index> rows;
  for (int64_t i = 0; i < rowsInFlight; ++i) {
    Index number = math.add(begin, math.constant(i));
    Value isOwn =
        isAhead
            ? arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ule, left,
                                    arith::ConstantOp::create(
                                        e.b, e.loc, e.b.getI32IntegerAttr(i)))
                  .getResult()
            : kernel.compare(arith::CmpIPredicate::ult, number, length);
    valid.push_back(arith::AndIOp::create(e.b, e.loc, inside, isOwn));
    rows.push_back(isAhead ? number : kernel.clampTo(valid.back(), number));
    at[dim] = rows.back();
    sums.push_back(e.elements.emitOne(op.getInput(), at));
  }
  for (auto [i, sum] : llvm::enumerate(sums)) {
    sum = kernel.select(valid[i], sum, zero());
    if (i > 0)
      sum = add(sums[i - 1], sum);
  }
  Value total = add(carry, sums.back()), start = carry;
  if (height > 1) {
    // Two arrays in turn: a warp may be one piece ahead of the others.
    Index piece = math.div(first, math.constant(height * rowsInFlight));
    Index array =
        math.mul(math.rem(piece, math.constant(2)), math.constant(height));
    e.elements.store(partials, {math.add(array, y), thread}, {sums.back()});
    kernel.barrier();
    total = carry;
    for (int64_t i = 0; i < height; ++i) {
      Index from = math.add(array, math.constant(i));
      total = add(total, e.elements.load(partials, {from, thread}, 1).front());
      Value precedes =
          kernel.compare(arith::CmpIPredicate::ugt, y, math.constant(i));
      start = kernel.select(precedes, total, start);
    }
  }
  for (auto [i, sum] : llvm::enumerate(sums)) {
    at[dim] = rows[i];
    Value result = add(start, sum);
    e.when(valid[i], [&] { finish(at, {result}); });
  }
  return total;
}

void ScanEmitter::emitColumns() {
  auto dim = static_cast<int64_t>(op.getDim());
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  SmallVector<Index> sizes(e.results.front().sizes);
  Index length = sizes[dim];
  sizes[dim] = math.constant(1);
  exprs[dim] = e.constantExpr(1);
  chooseColumns(sizes, length);
  AffineExpr count = KernelEmission::product(exprs, e.kernel.getContext());
  e.setConfig({count.ceilDiv(width)}, {columnThreads, 1, 1}, 0);
  Index id = kernel.threadId();
  thread = math.rem(id, math.constant(width));
  y = math.div(id, math.constant(width));
  Index column =
      math.add(math.mul(kernel.blockId(), math.constant(width)), thread);
  Value inside =
      kernel.compare(arith::CmpIPredicate::ult, column, math.product(sizes));
  if (height > 1)
    partials = kernel.sharedArray("partials", type, {2 * height, width});
  kernel.await();
  SmallVector<Index> at =
      math.delinearize(kernel.clampTo(inside, column), sizes);
  auto emitRounds = [&](bool isAhead) {
    e.reduceLoop(math.constant(0), length, math.constant(height * rowsInFlight),
                 zero(), [&](Index first, ValueRange carried) {
                   return SmallVector<Value>{emitRowsOfColumns(
                       first, carried.front(), length, at, inside, isAhead)};
                 });
  };
  // Of a length that is known, LLVM knows what is inside.
  if (IndexMath::constantOf(length))
    return emitRounds(/*isAhead=*/false);
  Value isShort = kernel.compare(arith::CmpIPredicate::ult, length,
                                 math.constant(rowsInFlight));
  e.when(
      isShort, [&] { emitRounds(/*isAhead=*/false); },
      [&] { emitRounds(/*isAhead=*/true); });
}

void ScanEmitter::emit() {
  if (static_cast<size_t>(op.getDim()) + 1 == e.results.front().sizes.size())
    emitRows();
  else
    emitColumns();
}

void codegen::emitCUDAScan(CUDAKernel &kernel) { ScanEmitter(kernel).emit(); }
