//===- EmitCUDARadix.cpp - CUDA code of passes of radix sorts -------------===//
//
// A block has a chunk of a row, and goes over it tile by tile. One kernel
// counts the chunk's digits. The other one sums the counts of all chunks of its
// row: of a digit, those of lower digits, and those of its own in the chunks
// before, precede what it has. It orders each tile in shared memory, so that it
// writes runs of neighbours.
//
//===----------------------------------------------------------------------===//

#include "RadixTile.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpIPredicate;

namespace {
/// What both kernels have: the chunk of a row, and its pairs.
class DigitPass {
public:
  template <typename DigitOp>
  DigitPass(CUDAKernel &kernel, DigitOp op, int64_t chunks)
      : kernel(kernel), e(kernel.e), math(e.math),
        tile(kernel, kernel::DigitCountsOp::tile), input(op.getInput()),
        pairs(op.getPairs()), rows(op.getRows()),
        digit(static_cast<int64_t>(op.getDigit())), chunks(chunks),
        order(input ? elementTypeOf(input) : e.b.getI32Type(),
              op.getDescending(), /*shortKeys=*/true) {}

  void emitCounts();
  void emitScatter(const Memory &counts);

private:
  void start(bool hasPairs);
  /// This thread's pairs of the tile from column `first` on.
  SmallVector<Value> load(Index first);
  Value pairAt(Index column);
  Value keyAt(Index column) {
    return order.key(e.b, e.loc, e.elements.emitOne(input, inRow(column)));
  }
  SmallVector<Value> sumChunks(const Memory &counts);
  Value firstPlaces(const Memory &counts);
  Value scatterTile(Index first, Value places);
  SmallVector<Index> inRow(Index column) {
    SmallVector<Index> at(row);
    at.push_back(column);
    return at;
  }
  Value shift() { return tile.number(digit % 4 * 8); }

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  RadixTile tile;
  Value input, pairs, rows;
  int64_t digit, chunks;
  SortOrder order;
  SmallVector<Index> row;
  Index columns, chunk, begin, end;
  /// By digits: what a pair's place in its tile and its place in the row differ
  /// by.
  Memory moves;
};
} // namespace

static constexpr int64_t tileSize = kernel::DigitCountsOp::tile;
static constexpr int64_t digitValues = kernel::DigitCountsOp::digitValues;

/// The launch, and what the block has to do.
void DigitPass::start(bool hasPairs) {
  SmallVector<Index> blocks(e.elements.sizesOf(rows));
  columns = blocks.back();
  blocks.back() = math.constant(chunks);
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.resize(blocks.size());
  exprs.back() = e.constantExpr(chunks);
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {tile.threadsOfBlock(), 1, 1}, hasPairs ? tile.scratch() : 0);
  kernel.residentBlocks = 2;
  tile.reserve(hasPairs);
  row = math.delinearize(kernel.blockId(), blocks);
  chunk = row.pop_back_val();
  Index each = math.ceilDiv(columns, math.constant(chunks));
  each = math.mul(math.ceilDiv(each, math.constant(tileSize)),
                  math.constant(tileSize));
  begin = math.min(math.mul(chunk, each), columns);
  end = math.min(math.add(begin, each), columns);
  kernel.await();
}

Value DigitPass::pairAt(Index column) {
  bool upper = digit >= 4;
  auto wide = [&](Value value) -> Value {
    return arith::IndexCastUIOp::create(e.b, e.loc, e.b.getI64Type(), value);
  };
  if (!pairs)
    return tile.pairOf(keyAt(column), wide(math.value(column)), upper);
  Value pair = e.elements.emitOne(pairs, inRow(column));
  if (!input)
    return pair;
  Value position = tile.asIndex(tile.positionOf(pair));
  return tile.pairOf(keyAt(position), wide(position), upper);
}

/// What lies behind the row's end comes last.
SmallVector<Value> DigitPass::load(Index first) {
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < tile.pairsPerThread(); ++i) {
    Index column = math.add(first, tile.placeOf(i));
    Value inside = kernel.compare(CmpIPredicate::ult, column, end);
    Value clamped =
        kernel.select(inside, math.value(column), math.value(first));
    loaded.push_back(kernel.select(inside, pairAt(clamped), tile.behind()));
  }
  return loaded;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

void DigitPass::emitCounts() {
  start(/*hasPairs=*/false);
  tile.clearCounts();
  e.loop(begin, end, math.constant(tileSize), [&](Index first) {
    for (Value pair : load(first))
      tile.tally(tile.digitOf(pair, shift()));
  });
  kernel.barrier();
  Value sum = tile.countOfBlock();
  // What fills up the last tile has the largest digit.
  Index size = math.sub(end, begin);
  Index filled = math.mul(math.ceilDiv(size, math.constant(tileSize)),
                          math.constant(tileSize));
  Value more = arith::IndexCastUIOp::create(e.b, e.loc, e.b.getI32Type(),
                                            math.value(math.sub(filled, size)));
  Value isLargest = kernel.compare(CmpIPredicate::eq, kernel.threadId(),
                                   math.constant(digitValues - 1));
  sum = tile.make<arith::SubIOp>(
      sum, kernel.select(isLargest, more, tile.number(0)));
  SmallVector<Index> at = inRow(chunk);
  at.push_back(tile.digitOfThread());
  e.when(tile.hasDigit(),
         [&] { e.elements.store(e.results.front(), at, {sum}); });
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

/// The counts of this thread's digit in all chunks of the row, and in those
/// before the block's own. The upper half of the threads has a share of them.
SmallVector<Value> DigitPass::sumChunks(const Memory &counts) {
  // Loads that do not wait for each other.
  int64_t together = std::gcd(chunks, int64_t(8));
  int64_t halves = tile.threadsOfBlock() / digitValues;
  Index half = math.div(kernel.threadId(), math.constant(digitValues));
  Value zero = tile.number(0);
  return e.reduceLoop(
      math.mul(half, math.constant(together)), math.constant(chunks),
      math.constant(halves * together), ValueRange{zero, zero},
      [&](Index first, ValueRange carried) {
        Value all = carried[0], before = carried[1];
        for (int64_t i = 0; i < together; ++i) {
          Index number = math.add(first, math.constant(i));
          SmallVector<Index> at = inRow(number);
          at.push_back(tile.digitOfThread());
          Value found = e.elements.load(counts, at, 1).front();
          all = tile.make<arith::AddIOp>(all, found);
          Value precedes = kernel.compare(CmpIPredicate::ult, number, chunk);
          before = tile.make<arith::AddIOp>(
              before, kernel.select(precedes, found, zero));
        }
        return SmallVector<Value>{all, before};
      });
}

/// Where the chunk's first element with this thread's digit belongs, as i32.
Value DigitPass::firstPlaces(const Memory &counts) {
  Memory shares = kernel.sharedArray("shares", e.b.getI32Type(),
                                     {2, tile.threadsOfBlock()});
  SmallVector<Value> sums = sumChunks(counts);
  for (auto [i, sum] : llvm::enumerate(sums))
    e.elements.store(shares, {math.constant(i), kernel.threadId()}, {sum});
  kernel.barrier();
  for (auto [i, sum] : llvm::enumerate(sums)) {
    sum = tile.number(0);
    for (int64_t first = 0; first < tile.threadsOfBlock(); first += digitValues)
      sum = tile.make<arith::AddIOp>(
          sum, e.elements
                   .load(shares,
                         {math.constant(i),
                          math.add(math.constant(first), tile.digitOfThread())},
                         1)
                   .front());
  }
  Value all = kernel.select(tile.hasDigit(), sums[0], tile.number(0));
  return tile.make<arith::AddIOp>(tile.sumBefore(all), sums[1]);
}

/// Writes a tile's pairs to where they belong; `places` and the result are as
/// those of firstPlaces(), of what is left.
Value DigitPass::scatterTile(Index first, Value places) {
  RadixTile::Range range = tile.order(load(first), shift());
  e.when(tile.hasDigit(), [&] {
    e.elements.store(moves, {tile.digitOfThread()},
                     {tile.make<arith::SubIOp>(places, range.start)});
  });
  kernel.barrier();
  bool isLast = elementTypeOf(e.yielded().front()).isInteger(32);
  Index left = math.sub(end, first);
  for (int64_t i = 0; i < tile.pairsPerThread(); ++i) {
    Index place =
        math.add(math.constant(i * tile.threadsOfBlock()), kernel.threadId());
    e.when(kernel.compare(CmpIPredicate::ult, place, left), [&] {
      Value pair = tile.at(place);
      Index own = tile.asIndex(tile.digitOf(pair, shift()));
      Value move = e.elements.load(moves, {own}, 1).front();
      Value from = arith::IndexCastUIOp::create(e.b, e.loc, e.b.getI32Type(),
                                                math.value(place));
      Index to = tile.asIndex(tile.make<arith::AddIOp>(from, move));
      e.elements.store(e.results.front(), inRow(to),
                       {isLast ? tile.positionOf(pair) : pair});
    });
  }
  kernel.barrier();
  return tile.make<arith::AddIOp>(places, range.size);
}

void DigitPass::emitScatter(const Memory &counts) {
  start(/*hasPairs=*/true);
  moves = kernel.sharedArray("moves", e.b.getI32Type(), {digitValues});
  Value places = firstPlaces(counts);
  e.reduceLoop(begin, end, math.constant(tileSize), places,
               [&](Index first, ValueRange carried) {
                 return SmallVector<Value>{scatterTile(first, carried.front())};
               });
}

void codegen::emitCUDADigitCounts(CUDAKernel &kernel,
                                  kernel::DigitCountsOp op) {
  DigitPass(kernel, op, static_cast<int64_t>(op.getChunks())).emitCounts();
}

void codegen::emitCUDADigitScatter(CUDAKernel &kernel,
                                   kernel::DigitScatterOp op) {
  auto type = cast<RankedTensorType>(op.getCounts().getType());
  DigitPass(kernel, op, type.getDimSize(type.getRank() - 2))
      .emitScatter(*kernel.e.elements.memoryOf(op.getCounts()));
}
