//===- EmitCUDASort.cpp - CUDA code of sorts ------------------------------===//
//
// The bitonic network in the form in which every comparison puts the smaller
// item to the lower place: a merge of two sorted runs first compares the items
// that mirror each other, then those that are half a run apart, a quarter, and
// so on. What lies behind the end of a row never moves, so that rows may have
// any length.
//
// A block sorts a row, or several short ones. The network is for short rows,
// and for rows whose length is not static. Others are sorted digit by digit
// (RadixTile.h): keys of 32 bits take four passes, where the network of 4096
// items has 78 steps, each with a barrier.
//
// In the network, runs of up to a tile are sorted in shared memory. In a longer
// row, the steps that compare items farther apart than a tile exchange
// positions where the result lies in memory; all others of a merge are done
// tile by tile. Positions are different, which makes the sort stable.
//
//===----------------------------------------------------------------------===//

#include "BlockSort.h"
#include "RadixTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

//===----------------------------------------------------------------------===//
// Items in shared memory
//===----------------------------------------------------------------------===//

BlockSort::BlockSort(CUDAKernel &kernel)
    : kernel(kernel), e(kernel.e), op(e.sort()),
      order(elementTypeOf(op.getInput()), op.getDescending(),
            /*shortKeys=*/true) {}

int64_t BlockSort::powerOfTwo(int64_t size) {
  return std::max<int64_t>(2, llvm::PowerOf2Ceil(size));
}

void BlockSort::reserve(int64_t items) {
  keys = kernel.sharedArray("keys", order.keyType(), {items});
  positions = kernel.sharedArray("positions", e.b.getI32Type(), {items});
}

Value BlockSort::asPosition(Value index) {
  return arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), index);
}

Value BlockSort::asIndex(Value position) {
  return arith::IndexCastOp::create(e.b, e.loc, e.b.getIndexType(), position);
}

Ranked BlockSort::ranked(ArrayRef<Index> row, Value position) {
  SmallVector<Index> at(row);
  at.push_back(asIndex(position));
  Value element = e.elements.emitOne(op.getInput(), at);
  return {order.key(e.b, e.loc, element), position};
}

Ranked BlockSort::behind() {
  IntegerType type = order.keyType();
  Value key = arith::ConstantOp::create(
      e.b, e.loc, IntegerAttr::get(type, APInt::getAllOnes(type.getWidth())));
  Value position = arith::ConstantOp::create(
      e.b, e.loc, e.b.getI32IntegerAttr(std::numeric_limits<int32_t>::max()));
  return {key, position};
}

void BlockSort::put(Index slot, Ranked item) {
  e.elements.store(keys, {slot}, {item.key});
  e.elements.store(positions, {slot}, {item.position});
}

Value BlockSort::positionAt(Index slot) {
  return e.elements.load(positions, {slot}, 1).front();
}

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

void BlockSort::forPairs(Index count, llvm::function_ref<void(Value)> body) {
  e.loop(thread, count, e.math.constant(threads),
         [&](Index pair) { body(e.math.value(pair)); });
}

/// value >> log, and value modulo 2^log.
static std::pair<Value, Value> split(OpBuilder &b, Location loc, Value value,
                                     Value log) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value size = arith::ShLIOp::create(b, loc, one, log);
  Value mask = arith::SubIOp::create(b, loc, size, one);
  Value high = arith::ShRUIOp::create(b, loc, value, log);
  return {high, arith::AndIOp::create(b, loc, value, mask)};
}

std::pair<Value, Value> BlockSort::mirrored(Value pair, Value log) {
  OpBuilder &b = e.b;
  Value one = indexValue(1);
  Value halfLog = arith::SubIOp::create(b, e.loc, log, one);
  auto [run, at] = split(b, e.loc, pair, halfLog);
  Value start = arith::ShLIOp::create(b, e.loc, run, log);
  Value size = arith::ShLIOp::create(b, e.loc, one, log);
  Value last = arith::SubIOp::create(b, e.loc, size, one);
  Value low = arith::AddIOp::create(b, e.loc, start, at);
  Value fromEnd = arith::SubIOp::create(b, e.loc, last, at);
  return {low, arith::AddIOp::create(b, e.loc, start, fromEnd)};
}

std::pair<Value, Value> BlockSort::apart(Value pair, Value log) {
  OpBuilder &b = e.b;
  auto [run, at] = split(b, e.loc, pair, log);
  Value one = indexValue(1);
  Value start = arith::ShLIOp::create(
      b, e.loc, run, arith::AddIOp::create(b, e.loc, log, one));
  Value low = arith::AddIOp::create(b, e.loc, start, at);
  Value distance = arith::ShLIOp::create(b, e.loc, one, log);
  return {low, arith::AddIOp::create(b, e.loc, low, distance)};
}

/// Puts the smaller of two items in shared memory to the lower place.
void BlockSort::exchange(std::pair<Value, Value> pair) {
  auto load = [&](Value slot) -> Ranked {
    return {e.elements.load(keys, {slot}, 1).front(), positionAt(slot)};
  };
  Ranked low = load(pair.first), high = load(pair.second);
  Value swaps = SortOrder::precedes(e.b, e.loc, high.key, high.position,
                                    low.key, low.position);
  e.when(swaps, [&] {
    put(pair.first, high);
    put(pair.second, low);
  });
}

void BlockSort::mergeRuns(Index items, Index log) {
  IndexMath &math = e.math;
  Index pairs = math.div(items, math.constant(2));
  e.loop(math.constant(0), log, math.constant(1), [&](Index step) {
    Index left = math.sub(log, step);
    Value distance = math.value(math.sub(left, math.constant(1)));
    forPairs(pairs, [&](Value pair) { exchange(apart(pair, distance)); });
    kernel.barrier();
  });
}

void BlockSort::sortRuns(Index items, Index log) {
  IndexMath &math = e.math;
  Index zero = math.constant(0), one = math.constant(1);
  Index pairs = math.div(items, math.constant(2));
  kernel.barrier();
  e.loop(one, math.add(log, one), one, [&](Index level) {
    Value size = math.value(level);
    forPairs(pairs, [&](Value pair) { exchange(mirrored(pair, size)); });
    kernel.barrier();
    e.loop(zero, math.sub(level, one), one, [&](Index step) {
      Index left = math.sub(level, step);
      Value distance = math.value(math.sub(left, math.constant(2)));
      forPairs(pairs, [&](Value pair) { exchange(apart(pair, distance)); });
      kernel.barrier();
    });
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
/// Sorts rows whole.
class RowSort : BlockSort {
public:
  explicit RowSort(CUDAKernel &kernel) : BlockSort(kernel) {}
  void emit();

private:
  void emitShortRows(int64_t length);
  void emitDigits(int64_t length);
  Value readPair(RadixTile &radix, Value position, bool upper);
  /// Keys of 64 bits: gives this thread's pairs the upper 32 bits.
  void readUpper(RadixTile &radix);
  void emitLongRow();
  void loadTile(Index first, bool isSorted);
  void storeTile(Index first);
  void exchangeFar(std::pair<Value, Value> pair);
  /// How many of `first`, 2 first, 4 first, ... below `last` are less than the
  /// row's length.
  Index countDoublings(int64_t first, int64_t last);
  SmallVector<Index> inRow(Index column) {
    SmallVector<Index> at(row);
    at.push_back(column);
    return at;
  }

  int64_t tile = 0;
  /// Of a tile, the items that are sorted, 2^itemsLog: fewer than a tile where
  /// the row is shorter.
  Index items, itemsLog;
  SmallVector<Index> row;
  Index columns, count;
};
} // namespace

/// Items that a block has in shared memory at least, when rows are short.
static constexpr int64_t smallTile = 1024;

/// Elements of a row up to which the network takes fewer instructions than the
/// digits do.
static constexpr int64_t networkItems = 256;

/// Items of a tile: 32 KB of keys and positions, or 24 KB of wide ones.
static int64_t tileOf(const SortOrder &order) {
  return order.keyType().getWidth() == 64 ? 2048 : 4096;
}

/// Several rows, each padded to a power of two.
void RowSort::emitShortRows(int64_t length) {
  IndexMath &math = e.math;
  tile = powerOfTwo(length);
  int64_t rows = std::max<int64_t>(1, smallTile / tile), slots = rows * tile;
  threads = std::min<int64_t>(512, slots / 2);
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.pop_back();
  AffineExpr all = KernelEmission::product(exprs, e.kernel.getContext());
  e.setConfig({all.ceilDiv(rows)}, {threads, 1, 1}, 0);
  thread = kernel.threadId();
  SmallVector<Index> rowSizes(e.results.front().sizes);
  rowSizes.pop_back();
  Index total = math.product(rowSizes);
  Index first = math.mul(kernel.blockId(), math.constant(rows));
  reserve(slots);
  kernel.await();
  auto forItems = [&](Index end, bool loads) {
    e.loop(
        thread, math.constant(slots), math.constant(threads), [&](Index slot) {
          Index number = math.add(first, math.div(slot, math.constant(tile)));
          Index column = math.rem(slot, math.constant(tile));
          Value inside = arith::AndIOp::create(
              e.b, e.loc,
              kernel.compare(arith::CmpIPredicate::ult, number, total),
              kernel.compare(arith::CmpIPredicate::ult, column, end));
          if (loads)
            put(slot, behind());
          e.when(inside, [&] {
            row = math.delinearize(number, rowSizes);
            if (loads)
              put(slot, ranked(row, asPosition(math.value(column))));
            else
              e.elements.store(e.results.front(), inRow(column),
                               {positionAt(slot)});
          });
        });
  };
  forItems(columns, /*loads=*/true);
  sortRuns(math.constant(slots), math.constant(llvm::Log2_64(tile)));
  forItems(count, /*loads=*/false);
}

//===-- digit by digit ----------------------------------------------------===//

/// The pair of the element at `position` (i64); what lies behind the row's end
/// comes last.
Value RowSort::readPair(RadixTile &radix, Value position, bool upper) {
  Index column = Value(
      arith::IndexCastUIOp::create(e.b, e.loc, e.b.getIndexType(), position));
  Value inside = kernel.compare(arith::CmpIPredicate::ult, column, columns);
  Value element =
      e.elements.emitOne(op.getInput(), inRow(kernel.clampTo(inside, column)));
  Value pair = radix.pairOf(order.key(e.b, e.loc, element), position, upper);
  return kernel.select(inside, pair, radix.behind());
}

void RowSort::readUpper(RadixTile &radix) {
  for (int64_t i = 0; i < radix.pairsPerThread(); ++i) {
    Index place = radix.placeOf(i);
    Value position = radix.make<arith::AndIOp>(radix.at(place),
                                               radix.number(0xFFFFFFFF, 64));
    radix.put(place, readPair(radix, position, /*upper=*/true));
  }
}

/// One row of at most maxBlockSorted elements.
void RowSort::emitDigits(int64_t length) {
  IndexMath &math = e.math;
  RadixTile radix(kernel, length);
  int64_t perThread = radix.pairsPerThread();
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.pop_back();
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {radix.threadsOfBlock(), 1, 1}, radix.scratch());
  kernel.residentBlocks = 1024 / radix.threadsOfBlock();
  radix.reserve(/*hasPairs=*/true);
  SmallVector<Index> rowSizes(e.results.front().sizes);
  rowSizes.pop_back();
  row = math.delinearize(kernel.blockId(), rowSizes);
  kernel.await();
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < perThread; ++i) {
    Value position = arith::IndexCastUIOp::create(e.b, e.loc, e.b.getI64Type(),
                                                  math.value(radix.placeOf(i)));
    loaded.push_back(readPair(radix, position, /*upper=*/false));
  }
  for (auto [i, pair] : llvm::enumerate(loaded))
    radix.put(radix.placeOf(i), pair);
  for (int64_t word = 0; word < order.digits(); word += 4) {
    if (word > 0)
      readUpper(radix);
    e.loop(math.constant(std::max(order.firstDigit() - word, int64_t(0))),
           math.constant(4), math.constant(1), [&](Index digit) {
             Value shift =
                 asPosition(math.value(math.mul(digit, math.constant(8))));
             SmallVector<Value> own;
             for (int64_t i = 0; i < perThread; ++i)
               own.push_back(radix.at(radix.placeOf(i)));
             radix.order(own, shift);
           });
  }
  for (int64_t i = 0; i < perThread; ++i) {
    Index place =
        math.add(math.constant(i * radix.threadsOfBlock()), kernel.threadId());
    e.when(kernel.compare(arith::CmpIPredicate::ult, place, count), [&] {
      e.elements.store(e.results.front(), inRow(place),
                       {radix.positionOf(radix.at(place))});
    });
  }
}

//===-- the network, across tiles -----------------------------------------===//

/// Brings the tile from `first` on to shared memory: the elements in order, or
/// those whose positions lie there already.
void RowSort::loadTile(Index first, bool isSorted) {
  e.loop(thread, items, e.math.constant(threads), [&](Index slot) {
    Index column = e.math.add(first, slot);
    Value inside = kernel.compare(arith::CmpIPredicate::ult, column, columns);
    put(slot, behind());
    e.when(inside, [&] {
      Value position =
          isSorted
              ? e.elements.load(e.results.front(), inRow(column), 1).front()
              : asPosition(e.math.value(column));
      put(slot, ranked(row, position));
    });
  });
}

void RowSort::storeTile(Index first) {
  e.loop(thread, items, e.math.constant(threads), [&](Index slot) {
    Index column = e.math.add(first, slot);
    e.when(kernel.compare(arith::CmpIPredicate::ult, column, columns), [&] {
      e.elements.store(e.results.front(), inRow(column), {positionAt(slot)});
    });
  });
  kernel.barrier();
}

/// The same as exchange(), in the result's memory.
void RowSort::exchangeFar(std::pair<Value, Value> pair) {
  e.when(kernel.compare(arith::CmpIPredicate::ult, pair.second, columns), [&] {
    auto load = [&](Value column) {
      return ranked(
          row, e.elements.load(e.results.front(), inRow(column), 1).front());
    };
    Ranked low = load(pair.first), high = load(pair.second);
    Value swaps = SortOrder::precedes(e.b, e.loc, high.key, high.position,
                                      low.key, low.position);
    e.when(swaps, [&] {
      e.elements.store(e.results.front(), inRow(pair.first), {high.position});
      e.elements.store(e.results.front(), inRow(pair.second), {low.position});
    });
  });
}

Index RowSort::countDoublings(int64_t first, int64_t last) {
  std::optional<int64_t> known = IndexMath::constantOf(columns);
  int64_t certain = 0;
  Value sum = indexValue(0);
  for (int64_t size = first; size < last; size *= 2) {
    if (known) {
      certain += size < *known;
      continue;
    }
    Value isLess = kernel.compare(arith::CmpIPredicate::ugt, columns,
                                  e.math.constant(size));
    Value one =
        arith::IndexCastUIOp::create(e.b, e.loc, e.b.getIndexType(), isLess);
    sum = arith::AddIOp::create(e.b, e.loc, sum, one);
  }
  return known ? e.math.constant(certain) : Index(sum);
}

/// One row.
void RowSort::emitLongRow() {
  IndexMath &math = e.math;
  tile = tileOf(order);
  threads = 512;
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.pop_back();
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {threads, 1, 1}, 0);
  thread = kernel.threadId();
  SmallVector<Index> rowSizes(e.results.front().sizes);
  rowSizes.pop_back();
  row = math.delinearize(kernel.blockId(), rowSizes);
  reserve(tile);
  // Positions are less than 2^31.
  Index merges = countDoublings(tile, int64_t(1) << 31);
  itemsLog = countDoublings(1, tile);
  items = Value(
      arith::ShLIOp::create(e.b, e.loc, indexValue(1), math.value(itemsLog)));
  kernel.await();
  Index zero = math.constant(0), one = math.constant(1);
  e.loop(zero, columns, math.constant(tile), [&](Index first) {
    loadTile(first, /*isSorted=*/false);
    sortRuns(items, itemsLog);
    storeTile(first);
  });
  int64_t tileLog = llvm::Log2_64(tile);
  e.loop(zero, merges, one, [&](Index merge) {
    Value log = math.value(math.add(merge, math.constant(tileLog + 1)));
    Value size = arith::ShLIOp::create(e.b, e.loc, indexValue(1), log);
    // All pairs of runs that lie in the row in part.
    Index runs = math.ceilDiv(columns, size);
    Index pairs = math.mul(
        runs, Value(arith::ShRUIOp::create(e.b, e.loc, size, indexValue(1))));
    forPairs(pairs, [&](Value pair) { exchangeFar(mirrored(pair, log)); });
    kernel.barrier();
    e.loop(zero, merge, one, [&](Index step) {
      Value below = arith::SubIOp::create(e.b, e.loc, log, indexValue(2));
      Value distance =
          arith::SubIOp::create(e.b, e.loc, below, math.value(step));
      forPairs(pairs, [&](Value pair) { exchangeFar(apart(pair, distance)); });
      kernel.barrier();
    });
    e.loop(zero, columns, math.constant(tile), [&](Index first) {
      loadTile(first, /*isSorted=*/true);
      kernel.barrier();
      mergeRuns(items, itemsLog);
      storeTile(first);
    });
  });
}

void RowSort::emit() {
  columns = e.elements.sizesOf(op.getInput()).back();
  count = e.results.front().sizes.back();
  std::optional<int64_t> known = IndexMath::constantOf(columns);
  std::optional<int64_t> kept = IndexMath::constantOf(count);
  if (known && *known <= networkItems)
    emitShortRows(std::max<int64_t>(*known, 1));
  else if (known && *known <= maxBlockSorted)
    emitDigits(*known);
  else if (op.getCount())
    emitCUDASelect(kernel, *kept);
  else
    emitLongRow();
}

void codegen::emitCUDASort(CUDAKernel &kernel) { RowSort(kernel).emit(); }
