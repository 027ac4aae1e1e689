//===- RowLoops.cpp - Rows that threads loop over -------------------------===//
//
// A row that does not fit in registers, or whose length is known at run time
// only, is read in rounds of several pieces of each thread, which are asked for
// together.
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// What of a row no places have: as many pieces at a time as are unrolled, and
/// of a row of unknown length the rest, one by one where it is stored.
SmallVector<RowEmitter::Loop> RowEmitter::loops() {
  Index begin = math.mul(thread, math.constant(plan.vectorSize));
  int64_t step = plan.threads * plan.vectorSize;
  if (plan.pieces > 0)
    return {};
  if (columns) {
    int64_t looped = loopedPieces() * step;
    if (looped == 0)
      return {};
    return {{begin, math.constant(looped), unrolled()}};
  }
  Index whole = math.product(columnSizes);
  Index wide = math.constant(step * unrolled());
  Index looped = math.mul(math.div(whole, wide), wide);
  return {{begin, looped, unrolled()}, {math.add(looped, begin), whole, 1}};
}

/// First columns of the pieces of one round of a loop.
SmallVector<Index> RowEmitter::piecesFrom(Index column, const Loop &loop) {
  SmallVector<Index> found;
  for (int64_t piece = 0; piece < loop.pieces; ++piece)
    found.push_back(math.add(
        column, math.constant(piece * plan.threads * plan.vectorSize)));
  return found;
}

/// What whole rounds leave of a row of unknown length: at most one more round,
/// whose pieces are all asked for at once, those behind the end in the place of
/// the first.
Elements RowEmitter::reduceRest(const Pass &pass, const Loop &rest,
                                Elements totals) {
  Loop round{rest.begin, rest.end, unrolled()};
  Index step = math.constant(round.pieces * plan.threads * plan.vectorSize);
  return e.reduceLoop(
      rest.begin, rest.end, step, totals, [&](Index first, ValueRange sums) {
        Elements next(sums);
        for (Index column : piecesFrom(first, round)) {
          Value inside;
          if (column != first) {
            inside =
                kernel.compare(arith::CmpIPredicate::ult, column, rest.end);
            column =
                kernel.select(inside, math.value(column), math.value(first));
          }
          for (auto [op, total] : llvm::zip(pass, next)) {
            Value more = accumulate(op, column, total, plan.vectorSize);
            total = inside ? kernel.select(inside, more, total) : more;
          }
        }
        return next;
      });
}

Elements RowEmitter::reduceLooping(const Pass &pass, Elements totals) {
  for (const Loop &loop : loops()) {
    if (loop.pieces < unrolled()) {
      totals = reduceRest(pass, loop, totals);
      continue;
    }
    Index step = math.constant(loop.pieces * plan.threads * plan.vectorSize);
    totals = e.reduceLoop(
        loop.begin, loop.end, step, totals, [&](Index first, ValueRange sums) {
          Elements next(sums);
          for (Index column : piecesFrom(first, loop))
            for (auto [op, total] : llvm::zip(pass, next))
              total = accumulate(op, column, total, plan.vectorSize);
          return next;
        });
  }
  return totals;
}

void RowEmitter::emitLooping(unsigned number) {
  for (const Loop &loop : loops()) {
    Index step = math.constant(loop.pieces * plan.threads * plan.vectorSize);
    e.loop(loop.begin, loop.end, step, [&](Index first) {
      SmallVector<std::pair<SmallVector<Index>, Elements>> found;
      for (Index column : piecesFrom(first, loop)) {
        SmallVector<Index> at = position(column);
        found.push_back(
            {at, e.elements.emit(e.yielded()[number], at, plan.vectorSize)});
      }
      for (auto &[at, values] : found)
        e.elements.store(e.results[number], at, values);
    });
  }
}
