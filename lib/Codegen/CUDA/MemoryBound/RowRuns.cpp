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
// The last vector of all may pass the end of the tensors. There the warp or the
// block that has the last row has code that loads single elements.
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
  return *columns % plan.vectorSize != 0 &&
         (!rows || *rows * *columns % plan.vectorSize != 0);
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
  if (*columns % v != 0) {
    Value within = arith::IndexCastOp::create(
        b, loc, i32, math.value(math.rem(start, math.constant(v))));
    column = arith::SubIOp::create(b, loc, column, within);
  }
  return arith::AddIOp::create(b, loc, column,
                               number(piece * plan.threads * v));
}

RowRun RowEmitter::runAt(int64_t piece) {
  OpBuilder &b = e.b;
  Location loc = e.loc;
  int64_t v = plan.vectorSize, before = piece * plan.threads * v;
  int64_t last = before + plan.threads * v;
  // Elements of the row before, at most, of the first thread.
  int64_t most = v - std::gcd(v, *columns);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  auto compare = [&](CmpIPredicate predicate, Value a, int64_t with) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, a, number(with));
  };
  Index start =
      math.mul(math.linearize(row, rowSizes), math.constant(*columns));
  Value column = columnOfRun(start, piece);
  RowRun run;
  Index firstVector = math.div(start, math.constant(v));
  Index vector = math.add(math.add(firstVector, thread),
                          math.constant(piece * plan.threads));
  if (last - v >= *columns) {
    // The last thread may have none.
    run.isAny = compare(CmpIPredicate::slt, column, *columns);
    vector =
        kernel.select(run.isAny, math.value(vector), math.value(firstVector));
  }
  run.first = math.mul(vector, math.constant(v));
  for (int64_t i = 0; i < v; ++i) {
    bool mayPrecede = before + i < most, mayFollow = last - v + i >= *columns;
    Value at = arith::AddIOp::create(b, loc, column, number(i));
    Value inside;
    if (mayPrecede && mayFollow)
      inside = compare(CmpIPredicate::ult, at, *columns);
    else if (mayPrecede)
      inside = compare(CmpIPredicate::sge, column, -i);
    else if (mayFollow)
      inside = most == 0 ? run.isAny
                         : compare(CmpIPredicate::slt, column, *columns - i);
    if (inside)
      at = kernel.select(inside, at, number(0));
    run.inside.push_back(inside);
    run.columns.push_back(
        arith::IndexCastUIOp::create(b, loc, b.getIndexType(), at).getResult());
  }
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

Elements RowEmitter::loadOfRun(Value argument, ArrayRef<Index> index,
                               int64_t count) {
  const Memory &memory = *e.elements.memoryOf(argument);
  Index place = math.linearize(index, memory.sizes);
  auto found = runOf.find(place.getOpaqueValue());
  if (!loadsVectors || count > 1 || found == runOf.end())
    return e.elements.load(memory, index, count);
  auto [number, element] = found->second;
  return {e.elements.emitRun(argument, runs[number].first,
                             plan.vectorSize)[element]};
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
    if (!run.isWhole || *columns % plan.vectorSize == 0)
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
