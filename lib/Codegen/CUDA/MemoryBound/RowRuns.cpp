//===- RowRuns.cpp - Rows as whole vectors over their ends ----------------===//
//
// Rows that no vector divides begin within one. Threads read all vectors of 16
// bytes that have some of the row, from the tensor as if it were one run: a
// vector over an end is read for both of its rows, the second time from the L1
// cache. What an element of another row would add is left out by a select, in
// the first vector and in those at the end. Elements are computed one by one at
// their row and column, so that what is broadcast or views the tensors in other
// shapes is as usual; only the loads and stores are of runs. Stores are of
// whole vectors too, but where others have some of it, of single elements.
//
// The last vector of all may pass the end of the tensors. Where a block has a
// row, the thread that has this vector loads the first one of all in its place
// and single elements over that; a warp that has the last row has code of its
// own, without vectors.
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpIPredicate;

/// Whether the results and an argument have rows that follow each other;
/// `points`: the elements of the reduced space.
bool RowEmitter::mayHaveRuns(Index points) {
  Index rows = math.product(rowSizes);
  bool isPlain = llvm::all_of(e.results, [&](const Memory &result) {
    Index elements = math.product(result.sizes);
    return elements == rows || elements == points;
  });
  return isPlain && llvm::any_of(e.kernel.getBody().getArguments(),
                                 [&](BlockArgument argument) {
                                   Memory *memory =
                                       e.elements.memoryOf(argument);
                                   return memory && !memory->packed &&
                                          math.product(memory->sizes) == points;
                                 });
}

/// Whether the last vector may be none of the tensors.
bool RowEmitter::mayPassEnd() {
  std::optional<int64_t> rows = IndexMath::constantOf(math.product(rowSizes));
  if (!columns || !rows)
    return columnFactor() % plan.vectorSize != 0;
  return *rows * *columns % plan.vectorSize != 0;
}

/// Whether the vectors of the rows in front of row number `row` end before the
/// tensors do.
Value RowEmitter::endsBefore(Index row) {
  // What goes over the end of a row is of the next one.
  if (columns)
    return kernel.compare(CmpIPredicate::ult, row, math.product(rowSizes));
  Index size = math.product(columnSizes);
  return kernel.compare(
      CmpIPredicate::ule,
      math.add(math.mul(row, size), math.constant(plan.vectorSize - 1)),
      math.mul(math.product(rowSizes), size));
}

/// The columns, of 32 bits.
Value RowEmitter::columnCount() {
  return arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(),
                                    math.value(math.product(columnSizes)));
}

/// Whether rows have as many elements as a vector in any case.
bool RowEmitter::hasVectors() { return columns && *columns >= plan.vectorSize; }

/// A number that divides the columns.
int64_t RowEmitter::columnFactor() {
  return math.factorOf(math.product(columnSizes));
}

/// The column of this thread's first element of a piece, of 32 bits: a GPU
/// takes two instructions for a comparison of 64. `start` is the row's.
Value RowEmitter::columnOfRun(Index start, int64_t piece) {
  OpBuilder &b = e.b;
  Location loc = e.loc;
  int64_t v = plan.vectorSize;
  Type i32 = b.getI32Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  Value lane = arith::IndexCastOp::create(b, loc, i32, math.value(thread));
  Value column = arith::MulIOp::create(b, loc, lane, number(v));
  if (columnFactor() % v != 0) {
    Value within = arith::IndexCastOp::create(
        b, loc, i32, math.value(math.rem(start, math.constant(v))));
    column = arith::SubIOp::create(b, loc, column, within);
  }
  return arith::AddIOp::create(b, loc, column,
                               number(piece * plan.threads * v));
}

/// Finds whether a vector ends before the tensors do.
void RowEmitter::findEnd(RowRun &run) {
  Index points = math.mul(math.product(rowSizes), math.product(columnSizes));
  Index end = math.add(run.first, math.constant(plan.vectorSize));
  run.fits = kernel.compare(CmpIPredicate::ule, end, points);
  run.firstInside = kernel.clampTo(run.fits, run.first);
}

RowRun RowEmitter::runAt(int64_t piece) {
  OpBuilder &b = e.b;
  Location loc = e.loc;
  int64_t v = plan.vectorSize, before = piece * plan.threads * v;
  int64_t last = before + plan.threads * v;
  // Elements of the row before, at most, of the first thread.
  int64_t most = v - std::gcd(v, columnFactor());
  Value count = columnCount();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  auto compare = [&](CmpIPredicate predicate, Value a, Value with) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, a, with);
  };
  Index start =
      math.mul(math.linearize(row, rowSizes), math.product(columnSizes));
  Value column = columnOfRun(start, piece);
  RowRun run;
  Index firstVector = math.div(start, math.constant(v));
  Index vector = math.add(math.add(firstVector, thread),
                          math.constant(piece * plan.threads));
  if (last - v >= minColumns) {
    // The last thread may have none.
    run.isAny = compare(CmpIPredicate::slt, column, count);
    vector =
        kernel.select(run.isAny, math.value(vector), math.value(firstVector));
  }
  run.first = math.mul(vector, math.constant(v));
  for (int64_t i = 0; i < v; ++i) {
    bool mayPrecede = before + i < most;
    bool mayFollow = last - v + i >= minColumns;
    Value at = arith::AddIOp::create(b, loc, column, number(i));
    Value inside;
    if (mayPrecede && mayFollow)
      inside = compare(CmpIPredicate::ult, at, count);
    else if (mayPrecede)
      inside = compare(CmpIPredicate::sge, column, number(-i));
    else if (mayFollow)
      inside = most == 0 ? run.isAny : compare(CmpIPredicate::slt, at, count);
    if (inside)
      at = kernel.select(inside, at, number(0));
    run.inside.push_back(inside);
    run.columns.push_back(
        arith::IndexCastUIOp::create(b, loc, b.getIndexType(), at).getResult());
  }
  // A vector whose last element is in the row in any case passes no end.
  if (loadsToEnd && run.inside.back())
    findEnd(run);
  for (Value inside : {run.inside.front(), run.inside.back()}) {
    if (run.isWhole && inside && inside != run.isWhole)
      run.isWhole = arith::AndIOp::create(b, loc, run.isWhole, inside);
    else if (inside)
      run.isWhole = inside;
  }
  return run;
}

/// Finds the runs of all pieces, and for the elements of tensors where they are
/// in these.
void RowEmitter::placeRuns() {
  runs.clear();
  runOf.clear();
  for (int64_t piece = 0; piece < plan.pieces; ++piece)
    runs.push_back(runAt(piece));
  SmallVector<Index> sizes(rowSizes);
  llvm::append_range(sizes, columnSizes);
  for (auto [number, run] : llvm::enumerate(runs))
    for (auto [element, column] : llvm::enumerate(run.columns)) {
      Index place = math.linearize(position(column), sizes);
      runOf[place.getOpaqueValue()] = {number, element};
    }
}

/// Elements of arguments that have as many as the rows are taken from runs.
void RowEmitter::bindRuns() {
  Index points = math.product(loopSizes(reductions.front(), e.elements));
  for (BlockArgument argument : e.kernel.getBody().getArguments()) {
    Memory *memory = e.elements.memoryOf(argument);
    if (memory && !memory->packed && math.product(memory->sizes) == points)
      e.elements.bindSource(argument,
                            [this, argument](ArrayRef<Index> index, int64_t n) {
                              return loadOfRun(argument, index, n);
                            });
  }
}

/// The elements of all rows of an argument as one run.
Memory RowEmitter::flatMemory(Value argument) {
  Memory flat = *e.elements.memoryOf(argument);
  flat.sizes = {math.product(flat.sizes)};
  return flat;
}

/// The vector, or the first one of all where it passes the end of the tensors,
/// by an instruction that LLVM does not know: it joins loads that lead to one
/// value, and those of a vector were single ones then.
Elements RowEmitter::loadVector(Value argument, const RowRun &run) {
  Memory vectors = flatMemory(argument);
  vectors.access = Access::Streamed;
  return e.elements.load(vectors, {run.firstInside}, plan.vectorSize);
}

/// The same, loaded once.
Elements RowEmitter::vectorToEnd(Value argument, const RowRun &run) {
  if (const Elements *found =
          e.elements.foundRun(argument, run.firstInside, plan.vectorSize))
    return *found;
  Elements vector = loadVector(argument, run);
  e.elements.bindRun(argument, run.firstInside, vector);
  return vector;
}

/// The vector, or single elements where it passes the end of the tensors.
Elements RowEmitter::loadToEnd(Value argument, const RowRun &run) {
  if (const Elements *found =
          e.elements.foundRun(argument, run.first, plan.vectorSize))
    return *found;
  // The vector of a thread that may pass the end is the last one of a known
  // number of columns: without a branch two sums of 154x50257 f32 took 11.7 us,
  // 14.7 with one. Of any number of columns each may, and all would have
  // predicates: max of 21x30011 f16 took 3.2 us so, 2.4 with branches
  // (bench/results/notes-memory-bound.md).
  Elements elements =
      hasVectors() ? e.elements.loadOverEnd(flatMemory(argument), run.first,
                                            vectorToEnd(argument, run))
                   : loadByBranch(argument, run);
  e.elements.bindRun(argument, run.first, elements);
  return elements;
}

/// The same where there may be no whole vector at all.
Elements RowEmitter::loadByBranch(Value argument, const RowRun &run) {
  int64_t count = plan.vectorSize;
  Memory flat = flatMemory(argument);
  Index size = flat.sizes.front();
  Value isVector =
      kernel.compare(CmpIPredicate::uge, size, math.constant(count));
  Type type = ElementEmitter::computeType(flat.elementType);
  Value zero = arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(type));
  Elements vector = kernel.valuesWhere(
      isVector, count, zero, [&] { return loadVector(argument, run); });
  auto singles = [&](OpBuilder &, Location) {
    ElementEmitter::Scope scope(e.elements);
    Elements loaded;
    for (int64_t i = 0; i < count; ++i) {
      Index place = math.add(run.first, math.constant(i));
      Value isThere = kernel.compare(CmpIPredicate::ult, place, size);
      llvm::append_range(
          loaded, e.elements.load(flat, {kernel.clampTo(isThere, place)}, 1));
    }
    scf::YieldOp::create(e.b, e.loc, loaded);
  };
  auto whole = [&](OpBuilder &, Location) {
    scf::YieldOp::create(e.b, e.loc, vector);
  };
  OpBuilder::InsertionGuard guard(e.b);
  auto branch = scf::IfOp::create(e.b, e.loc, run.fits, whole, singles);
  return Elements(branch.getResults());
}

Elements RowEmitter::loadOfRun(Value argument, ArrayRef<Index> index,
                               int64_t count) {
  const Memory &memory = *e.elements.memoryOf(argument);
  Index place = math.linearize(index, memory.sizes);
  auto found = runOf.find(place.getOpaqueValue());
  if (!loadsVectors || count > 1 || found == runOf.end())
    return e.elements.load(memory, index, count);
  auto [number, element] = found->second;
  // Vectors that may pass the end are loaded in front of the others, which the
  // assembler does not pass with loads that LLVM does not know.
  if (number == 0 && hasVectors())
    for (const RowRun &run : runs)
      if (run.fits)
        vectorToEnd(argument, run);
  const RowRun &run = runs[number];
  if (run.fits)
    return {loadToEnd(argument, run)[element]};
  return {e.elements.emitRun(argument, run.first, plan.vectorSize)[element]};
}

Elements RowEmitter::reduceRuns(const Pass &pass, Elements totals) {
  for (const RowRun &run : runs)
    for (auto [column, inside] : llvm::zip(run.columns, run.inside))
      for (auto [op, total] : llvm::zip(pass, totals)) {
        Value next = accumulate(op, column, total, 1);
        total = inside ? kernel.select(inside, next, total) : next;
      }
  return totals;
}

void RowEmitter::emitRuns(unsigned number) {
  Memory flat = e.results[number];
  flat.sizes = {math.product(flat.sizes)};
  for (const RowRun &run : runs) {
    Elements values;
    for (Index column : run.columns)
      values.push_back(
          e.elements.emitOne(e.yielded()[number], position(column)));
    auto store = [&] { e.elements.store(flat, {run.first}, values); };
    Value whole = storesWhere(run.isWhole);
    if (!whole) {
      store();
      continue;
    }
    e.when(whole, store);
    if (!run.isWhole || columnFactor() % plan.vectorSize == 0)
      continue;
    for (auto [element, inside] : llvm::enumerate(run.inside)) {
      // What is inside in any case may be of a vector that is not whole.
      Value yes = arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true));
      Value no = arith::XOrIOp::create(e.b, e.loc, run.isWhole, yes);
      Value some =
          inside ? arith::AndIOp::create(e.b, e.loc, no, inside).getResult()
                 : no;
      e.when(storesWhere(some), [&] {
        Index at = math.add(run.first, math.constant(element));
        e.elements.store(flat, {at}, {values[element]});
      });
    }
  }
}
