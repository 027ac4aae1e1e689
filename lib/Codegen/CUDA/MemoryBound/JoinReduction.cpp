//===- JoinReduction.cpp - Sums of threads and of blocks ------------------===//
//
// The threads of a block add up what they have, and the last block of a strip
// what all of its blocks have.
//
//===----------------------------------------------------------------------===//

#include "ReductionEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using Kind = ReductionPlan::Kind;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static constexpr int64_t warpLanes = 32;
/// Rows that one thread adds up as fast as several do, with a barrier between.
static constexpr int64_t fewRows = 8;

/// Adds up the rows of a warp, of which a thread has `mine`: lanes that differ
/// in a bit of the row exchange halves of what they have, as long as there are
/// several. Rows are whole in warps.
ReductionEmitter::Share ReductionEmitter::addRowsOfWarp(linalg::GenericOp op,
                                                        ValueRange mine,
                                                        const Grid &grid) {
  Index v = math.constant(mine.size()), zero = math.constant(0);
  Share share{Elements(mine), math.mul(grid.x, v), Value()};
  Index lane = math.rem(thread, math.constant(warpLanes));
  for (int64_t apart = grid.width; apart < warpLanes; apart *= 2) {
    Index bit =
        math.rem(math.div(lane, math.constant(apart)), math.constant(2));
    Value isLower = kernel.compare(CmpIPredicate::eq, bit, zero);
    SmallVector<Value> &values = share.values;
    size_t half = values.size() / 2;
    if (values.size() % 2 != 0) {
      for (Value &value : values)
        value = e.combine(op, value, kernel.shuffle(value, apart));
      share.writes = share.writes ? arith::AndIOp::create(e.b, e.loc,
                                                          share.writes, isLower)
                                        .getResult()
                                  : isLower;
      continue;
    }
    SmallVector<Value> kept;
    for (size_t i = 0; i < half; ++i) {
      Value own = kernel.select(isLower, values[i], values[half + i]);
      Value sent = kernel.select(isLower, values[half + i], values[i]);
      kept.push_back(e.combine(op, own, kernel.shuffle(sent, apart)));
    }
    share.column = math.add(share.column, math.mul(bit, math.constant(half)));
    values = kept;
  }
  return share;
}

/// Adds up the first `rows` rows of `shared`; the first row has the sums,
/// behind a barrier.
void ReductionEmitter::addRowsOf(linalg::GenericOp op, const Memory &shared,
                                 int64_t rows, int64_t columns) {
  assert(columns <= plan.threads() && "each column has a thread");
  auto sumOf = [&](Index column, Index first, int64_t apart, int64_t from) {
    Value sum;
    for (int64_t row = 0; row < rows; row += apart) {
      Index at = math.add(first, math.constant(row));
      bool isThere = row + from <= rows;
      Value inside = isThere ? Value() : isBelow(at, math.constant(rows));
      // Row 0 may be stored meanwhile; its own it stores itself.
      Index place =
          isThere
              ? at
              : Index(kernel.select(inside, math.value(at), math.value(first)));
      Value next = e.elements.load(shared, {place, column}, 1).front();
      Value both = sum ? e.combine(op, sum, next) : next;
      sum = sum && inside ? kernel.select(inside, both, sum) : both;
    }
    return sum;
  };
  Index width = math.constant(columns), zero = math.constant(0);
  int64_t several = plan.threads() / columns;
  if (rows > fewRows && several > 1) {
    // Of `height` threads of a column, each adds up rows that are as far apart.
    int64_t height = 2;
    while (height * 2 <= several && height * height < rows)
      height *= 2;
    height = std::min(height, rows);
    Index column = math.rem(thread, width), row = math.div(thread, width);
    kernel.barrier();
    e.when(isBelow(row, math.constant(height)), [&] {
      Value sum = sumOf(column, row, height, height);
      e.elements.store(shared, {row, column}, {sum});
    });
    rows = height;
  }
  kernel.barrier();
  if (rows > 1) {
    e.when(isBelow(thread, width), [&] {
      e.elements.store(shared, {zero, thread}, {sumOf(thread, zero, 1, 1)});
    });
    kernel.barrier();
  }
}

/// Adds up what the threads of equal `x` have; the first row of the array has
/// the sums, behind a barrier.
Memory ReductionEmitter::addRows(linalg::GenericOp op, const Twine &name,
                                 ValueRange mine, const Grid &grid) {
  int64_t columns = grid.width * mine.size(), rows = grid.height;
  bool isOfWarps =
      warpLanes % grid.width == 0 && grid.width * grid.height % warpLanes == 0;
  Share share{Elements(mine), math.mul(grid.x, math.constant(mine.size())),
              Value()};
  Index row = grid.y;
  if (isOfWarps && grid.width < warpLanes) {
    int64_t rowsOfWarp = warpLanes / grid.width;
    share = addRowsOfWarp(op, mine, grid);
    row = math.div(grid.y, math.constant(rowsOfWarp));
    rows /= rowsOfWarp;
  }
  Memory shared =
      kernel.sharedArray(name.str(), mine.front().getType(), {rows, columns});
  Value writes = share.writes;
  if (plan.threads() > grid.width * grid.height) {
    Value inside = isBelow(grid.y, math.constant(grid.height));
    writes = writes
                 ? arith::AndIOp::create(e.b, e.loc, writes, inside).getResult()
                 : inside;
  }
  auto store = [&] {
    e.elements.store(shared, {row, share.column}, share.values);
  };
  if (writes)
    e.when(writes, store);
  else
    store();
  addRowsOf(op, shared, rows, columns);
  return shared;
}

/// The same where a row of threads has several rows of columns. Shared memory
/// has all of these one below the other, where the columns are as many as there
/// may be: each thread adds up some of one column first.
Memory ReductionEmitter::addFolded(linalg::GenericOp op, StringRef name,
                                   ValueRange mine) {
  int64_t columns = plan.outputs(), rows = plan.height * plan.fold;
  int64_t height = std::min(rows, plan.threads() / columns);
  Type type = mine.front().getType();
  Memory shared =
      kernel.sharedArray((name + "rows").str(), type, {rows * columns});
  Index width = math.constant(columns), v = math.constant(mine.size());
  Index vector = math.add(math.mul(y, math.constant(plan.width)), x);
  e.when(isBelow(y, math.constant(plan.height)), [&] {
    e.elements.store(shared, {math.mul(vector, v)}, Elements(mine));
  });
  kernel.barrier();
  Grid grid{math.rem(thread, width), math.div(thread, width), columns, height};
  Value sum = e.initialValue(op);
  for (int64_t row = 0; row < rows; row += height) {
    Index at = math.add(grid.y, math.constant(row));
    Value inside = isBelow(at, math.constant(rows));
    if (height * columns < plan.threads())
      inside = arith::AndIOp::create(e.b, e.loc, inside,
                                     isBelow(grid.y, math.constant(height)));
    // Rows of a fold follow each other.
    at = kernel.clampTo(inside, at);
    Index fold = math.constant(plan.fold), ofFold = math.rem(at, fold);
    Index first = math.mul(math.sub(at, ofFold), width);
    Index place = math.add(math.add(first, math.mul(ofFold, outputs)), grid.x);
    Value other = e.elements.load(shared, {place}, 1).front();
    sum = kernel.select(inside, e.combine(op, sum, other), sum);
  }
  return addRows(op, name, sum, grid);
}

/// Adds up each group of neighbours of the first row; its first has the sum.
void ReductionEmitter::addGroup(linalg::GenericOp op, const Memory &shared) {
  Index zero = math.constant(0);
  Index lane = math.rem(x, math.constant(plan.group));
  Value isFirst = kernel.compare(CmpIPredicate::eq, y, zero);
  for (int64_t count = plan.group; count > 1;) {
    int64_t half = llvm::divideCeil(count, 2);
    Value takes = arith::AndIOp::create(
        e.b, e.loc, isFirst, isBelow(lane, math.constant(count - half)));
    e.when(takes, [&] {
      Value sum = e.elements.load(shared, {zero, x}, 1).front();
      Index other = math.add(x, math.constant(half));
      sum =
          e.combine(op, sum, e.elements.load(shared, {zero, other}, 1).front());
      e.elements.store(shared, {zero, x}, {sum});
    });
    kernel.barrier();
    count = half;
  }
}

/// What the first row of `shared` has for the thread's own output; outputs are
/// `apart`.
Value ReductionEmitter::ownOf(const Memory &shared, int64_t apart) {
  Value isOutput = isBelow(own, math.constant(plan.outputs()));
  Index column = math.mul(kernel.clampTo(isOutput, own), math.constant(apart));
  return e.elements.load(shared, {math.constant(0), column}, 1).front();
}

/// What the block has, for the threads that own an output.
SmallVector<Value> ReductionEmitter::reduceBlock(ValueRange totals) {
  SmallVector<Value> values;
  size_t each = totals.size() / plan.ops.size();
  for (auto [number, op] : llvm::enumerate(plan.ops)) {
    ValueRange mine = totals.slice(number * each, each);
    std::string name = "partials" + std::to_string(number);
    if (plan.kind == Kind::Rows && plan.height == 32) {
      values.push_back(kernel.reduceWarp(op, mine.front()));
      continue;
    }
    if (plan.kind == Kind::Rows) {
      Memory shared = kernel.sharedArray(name, mine.front().getType(), {32});
      values.push_back(
          kernel.reduceBlock(op, mine.front(), plan.threads(), shared));
      continue;
    }
    Grid grid{x, y, plan.width, plan.height};
    Memory shared = plan.fold > 1 ? addFolded(op, name, mine)
                                  : addRows(op, name, mine, grid);
    if (plan.kind == Kind::Groups)
      addGroup(op, shared);
    values.push_back(ownOf(shared, plan.group));
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The partial results of reduction `number` in memory.
Memory ReductionEmitter::partialsOf(unsigned number, Type type) {
  int64_t offset = 0;
  auto bytesOf = [&](Type value) {
    int64_t bits = ElementEmitter::storageType(value).getIntOrFloatBitWidth();
    return llvm::alignTo(plan.maxPartials() * llvm::divideCeil(bits, 8), 16);
  };
  for (unsigned i = 0; i < number; ++i)
    offset += bytesOf(e.initialValue(plan.ops[i]).getType());
  Value pointer = kernel.workspace[0];
  pointer =
      LLVM::GEPOp::create(e.b, e.loc, pointer.getType(), e.b.getI8Type(),
                          pointer, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  return {pointer, type, {math.constant(plan.maxPartials())}, 16, false};
}

/// Leaves this part's `values` in memory, and counts it. Whether all other
/// parts of the strip were there before.
Value ReductionEmitter::isLast(ValueRange values) {
  Index outputsOfStrip = math.constant(plan.outputs());
  Index row = math.add(math.mul(strip, parts), part);
  e.when(owns, [&] {
    Index place = math.add(math.mul(row, outputsOfStrip), own);
    for (auto [number, value] : llvm::enumerate(values))
      e.elements.store(partialsOf(number, value.getType()), {place}, {value});
  });
  return kernel.isLastPart(strip, strips, parts, thread);
}

/// The parts of the strip joined, for the threads that own an output.
SmallVector<Value> ReductionEmitter::joinParts(ValueRange values) {
  int64_t count = plan.outputs(), rows = plan.threads() / count;
  Index width = math.constant(count), zero = math.constant(0);
  Grid grid{math.rem(thread, width), math.div(thread, width), count, rows};
  Index firstRow = math.mul(strip, parts);
  Value inside = isBelow(grid.y, math.constant(rows));
  Index last = kernel.select(inside, math.value(parts), math.value(zero));
  constexpr int64_t inFlight = 8;
  SmallVector<Memory> partials;
  Elements totals;
  for (auto [number, value] : llvm::enumerate(values)) {
    partials.push_back(partialsOf(number, value.getType()));
    totals.push_back(e.initialValue(plan.ops[number]));
  }
  auto addRound = [&](Index from, ValueRange carried) {
    SmallVector<Elements> reads(inFlight);
    SmallVector<Value> valid;
    for (int64_t i = 0; i < inFlight; ++i) {
      Index row = math.add(from, math.constant(i * rows));
      valid.push_back(isBelow(row, last));
      Index real =
          kernel.select(valid.back(), math.value(row), math.value(from));
      Index place = math.add(math.mul(math.add(firstRow, real), width), grid.x);
      for (const Memory &memory : partials)
        reads[i].push_back(e.elements.load(memory, {place}, 1).front());
    }
    Elements sums(carried);
    for (int64_t i = 0; i < inFlight; ++i)
      for (auto [sum, value, op] : llvm::zip(sums, reads[i], plan.ops))
        sum = kernel.select(valid[i], e.combine(op, sum, value), sum);
    return sums;
  };
  totals = e.reduceLoop(grid.y, last, math.constant(inFlight * rows), totals,
                        addRound);
  SmallVector<Value> joined;
  for (auto [number, total] : llvm::enumerate(totals)) {
    linalg::GenericOp op = plan.ops[number];
    std::string name = "joined" + std::to_string(number);
    if (count == 1) {
      Memory shared = kernel.sharedArray(name, total.getType(), {32});
      joined.push_back(kernel.reduceBlock(op, total, plan.threads(), shared));
      continue;
    }
    joined.push_back(ownOf(addRows(op, name, Value(total), grid), 1));
  }
  return joined;
}

void ReductionEmitter::write(ValueRange values) {
  for (auto [op, value] : llvm::zip(plan.ops, values))
    e.elements.bindSource(linalg::GenericOp(op).getResult(0),
                          [value = Value(value)](ArrayRef<Index>, int64_t n) {
                            return Elements(n, value);
                          });
  e.when(owns, [&] {
    Index output =
        math.add(math.mul(strip, math.constant(plan.outputs())), own);
    SmallVector<Index> place = math.delinearize(output, outputSizes);
    for (unsigned i = 0; i < e.numResults(); ++i)
      e.emitResult(i, placeIn(e.results[i], place, outputSizes, math));
  });
}
