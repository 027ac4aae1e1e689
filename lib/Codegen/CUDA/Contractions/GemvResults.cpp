//===- GemvResults.cpp - Sums and results of contractions with few rows ---===//
//
// The threads of a block add up their sums by shuffles and in shared memory,
// the blocks of a cluster theirs in distributed shared memory, always in the
// same order. The epilogue reads them there.
//
//===----------------------------------------------------------------------===//

#include "GemvEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

//===----------------------------------------------------------------------===//
// Sums of a block
//===----------------------------------------------------------------------===//

/// Adds up the sums of the `width` threads along K. While a thread has several,
/// two threads exchange halves, so that n sums take n + 4 shuffles, not 5 n.
/// storeFolded() says which ones each is left with.
SmallVector<Value> GemvEmitter::foldAcrossLanes(SmallVector<Value> sums) {
  while (!llvm::isPowerOf2_64(sums.size()))
    sums.push_back(zero());
  for (int64_t distance = schedule.width / 2; distance > 0; distance /= 2) {
    if (sums.size() == 1) {
      sums[0] = add(sums[0], kernel.shuffle(sums[0], distance));
      continue;
    }
    Index bit =
        math.rem(math.div(place, math.constant(distance)), math.constant(2));
    Value upper =
        kernel.compare(arith::CmpIPredicate::ne, bit, math.constant(0));
    size_t half = sums.size() / 2;
    for (size_t i = 0; i < half; ++i) {
      Value kept = kernel.select(upper, sums[half + i], sums[i]);
      Value given = kernel.select(upper, sums[i], sums[half + i]);
      sums[i] = add(kept, kernel.shuffle(given, distance));
    }
    sums.truncate(half);
  }
  return sums;
}

/// Stores what foldAcrossLanes() left: of a number of sums that was a power of
/// two, n, thread p has sums [p n / width, (p + 1) n / width), or, when there
/// are fewer than threads, `width / n` threads have the same one.
void GemvEmitter::storeFolded(ArrayRef<Value> sums) {
  int64_t count = schedule.contractions() * schedule.sumsEach();
  int64_t padded = llvm::PowerOf2Ceil(count);
  int64_t copies = std::max<int64_t>(1, schedule.width / padded);
  Index first = math.div(place, math.constant(copies));
  first = math.mul(first, math.constant(int64_t(sums.size())));
  Value writes =
      kernel.compare(arith::CmpIPredicate::eq,
                     math.rem(place, math.constant(copies)), math.constant(0));
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Index own = math.add(first, math.constant(int64_t(i)));
    Value inside = arith::AndIOp::create(
        e.b, e.loc, writes,
        kernel.compare(arith::CmpIPredicate::ult, own, math.constant(count)));
    e.when(inside, [&, sum = sum] {
      Index columns = math.constant(schedule.columnsEach);
      Index column = math.add(math.mul(group, columns), math.rem(own, columns));
      e.elements.store(parts, {part, math.div(own, columns), column}, {sum});
    });
  }
}

/// Stores the sums of some rows of a thread that has columns of its own.
void GemvEmitter::storeColumns(ArrayRef<Value> sums, int64_t firstRow,
                               int64_t rows) {
  Index column = math.mul(place, math.constant(schedule.vectorSize));
  for (int64_t i = 0; i < rows * each(); ++i)
    e.elements.store(parts, {part, math.constant(i), column},
                     sums.slice((firstRow * each() + i) * schedule.vectorSize,
                                schedule.vectorSize));
}

/// Adds up what `load` gives for 0, 1, ..., in this order.
Elements GemvEmitter::addUp(int64_t count,
                            llvm::function_ref<Elements(int64_t)> load) {
  Elements sums = load(0);
  for (int64_t i = 1; i < count; ++i)
    for (auto [sum, more] : llvm::zip_equal(sums, load(i)))
      sum = add(sum, more);
  return sums;
}

/// The block's sums, part after part.
Elements GemvEmitter::reduceParts(Index row, Index column, int64_t vectorSize) {
  return addUp(schedule.parts, [&](int64_t i) {
    return e.elements.load(parts, {math.constant(i), row, column}, vectorSize);
  });
}

/// Puts the block's sums of some rows where the cluster can read them.
void GemvEmitter::reduceToTotals(int64_t firstRow, int64_t rows) {
  int64_t vectorSize = schedule.tile() % 4 == 0 ? 4 : 1;
  int64_t count = rows * each() * schedule.tile() / vectorSize;
  for (int64_t begin = 0; begin < count; begin += schedule.threads()) {
    Index own = math.add(thread, math.constant(begin));
    Value inside =
        kernel.compare(arith::CmpIPredicate::ult, own, math.constant(count));
    e.when(inside, [&] {
      Index vectors = math.constant(schedule.tile() / vectorSize);
      Index row = math.div(own, vectors);
      Index column =
          math.mul(math.rem(own, vectors), math.constant(vectorSize));
      Elements sums = reduceParts(row, column, vectorSize);
      row = math.add(row, math.constant(firstRow * each()));
      e.elements.store(totals, {row, column}, sums);
    });
  }
}

/// The cluster's sums, block after block.
Elements GemvEmitter::reduceBlocks(Index row, Index column,
                                   int64_t vectorSize) {
  return addUp(schedule.blocks, [&](int64_t block) {
    Memory other = kernel.sharedOf(totals, math.constant(block));
    return e.elements.load(other, {row, column}, vectorSize);
  });
}

//===----------------------------------------------------------------------===//
// The epilogue
//===----------------------------------------------------------------------===//

/// Neighbours of a row that a thread finishes: 4 bytes, and more as long as
/// all threads have work; 1 where the result is not contiguous along them.
int64_t GemvEmitter::resultVectorSize(int64_t rows) {
  linalg::GenericOp op = schedule.ops.front();
  AffineMap map = op.getIndexingMapsArray().back();
  if (schedule.columns.empty() || map.getNumResults() == 0)
    return 1;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  int64_t inner = op.getStaticLoopRanges()[schedule.columns.back()];
  if (!last || last.getPosition() != schedule.columns.back() ||
      ShapedType::isDynamic(inner))
    return 1;
  int64_t maximum = vectorSizeOf(e), vectorSize = 1;
  auto fits = [&](int64_t n) {
    return n <= maximum && inner % n == 0 && schedule.tile() % n == 0;
  };
  while (fits(2 * vectorSize) &&
         (vectorSize < maximum / 4 || rows * schedule.tile() / vectorSize >
                                          schedule.threads() * schedule.blocks))
    vectorSize *= 2;
  return vectorSize;
}

/// Computes and stores the results of rows [firstRow, firstRow + rows) of this
/// block's tile; the blocks of a cluster take a share of them each.
void GemvEmitter::finish(int64_t firstRow, int64_t rows) {
  int64_t vectorSize = resultVectorSize(rows);
  int64_t vectors = schedule.tile() / vectorSize, count = rows * vectors;
  int64_t share = llvm::divideCeil(count, schedule.blocks);
  for (int64_t begin = 0; begin < share; begin += schedule.threads()) {
    Index inShare = math.add(thread, math.constant(begin));
    Index own = math.add(math.mul(rank, math.constant(share)), inShare);
    Index row = math.div(own, math.constant(vectors));
    Index column = math.mul(math.rem(own, math.constant(vectors)),
                            math.constant(vectorSize));
    auto below = [&](Index a, Index b) {
      return kernel.compare(arith::CmpIPredicate::ult, a, b);
    };
    Value inside = arith::AndIOp::create(
        e.b, e.loc,
        arith::AndIOp::create(e.b, e.loc, below(inShare, math.constant(share)),
                              below(own, math.constant(count))),
        below(math.add(columnBegin, column), space.sizeOf(schedule.columns)));
    if (schedule.leastRows < schedule.rowCount)
      inside =
          arith::AndIOp::create(e.b, e.loc, inside,
                                below(math.add(row, math.constant(firstRow)),
                                      space.sizeOf(schedule.rows)));
    e.when(inside, [&] { finishVector(row, firstRow, column, vectorSize); });
    // A thread's registers hold what it needs for one of them.
    if (begin == 0 && firstRow == 0)
      loadEarly(cast<scf::IfOp>(*std::prev(e.b.getInsertionPoint())));
  }
}

/// The results of row `firstRow + row` from column `column` of the tile on.
void GemvEmitter::finishVector(Index row, int64_t firstRow, Index column,
                               int64_t vectorSize) {
  for (auto [i, op] : llvm::enumerate(schedule.ops)) {
    Index own = math.add(math.mul(row, math.constant(each())),
                         math.constant(int64_t(i)));
    Elements sums = schedule.blocks > 1 ? reduceBlocks(own, column, vectorSize)
                                        : reduceParts(own, column, vectorSize);
    if (!matchPattern(initial, m_AnyZeroFloat()) &&
        !matchPattern(initial, m_Zero()))
      for (Value &sum : sums)
        sum = add(initial, sum);
    e.elements.bindSource(op.getResult(0), [sums](ArrayRef<Index>, int64_t n) {
      assert(n == int64_t(sums.size()));
      return sums;
    });
  }
  Index atRow = math.add(row, math.constant(firstRow));
  SmallVector<Index> point =
      pointAt(atRow, math.add(columnBegin, column), math.constant(0));
  e.emitResults(space.resultAt(point), vectorSize);
}
