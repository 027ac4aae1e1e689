//===- ScanTiles.cpp - Running sums of rows that share vectors ------------===//
//
// A block has whole rows, which lie behind each other: a run of the tensor, of
// whatever length. It goes over the run by tiles of vectors, several of each
// thread, wherever in them rows begin. Sums do not pass from a row to the next:
// each thread knows the columns of its elements, and so how far back the row
// of each reaches: whether it has begun before the vector, before the vectors
// of the lanes in front, and before the warp.
//
// So accesses are as wide, and threads as busy, for rows of one element as for
// rows of thousands, and the same code is good for all lengths that are known
// at run time only. A block has one tile of short rows, and several of a row
// that is longer than a tile.
//
// The vectors at the run's ends may be shared with other blocks: such elements
// are loaded, but stored alone. The last vector of the tensor may pass its end;
// the last block loads element by element then.
//
// The order of summation depends on the shape alone.
//
//===----------------------------------------------------------------------===//

#include "ScanTiles.h"
#include "ScanEmission.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpIPredicate;

namespace {
class TilesEmitter : ScanEmission {
public:
  TilesEmitter(CUDAKernel &kernel, const ScanTiles &plan)
      : ScanEmission(kernel), plan(plan) {}

  void emit();

private:
  /// A vector of this thread.
  struct Vector {
    /// Its place in the tile, and whether some of it is of the run.
    Value place, isSome;
    /// Where the rows of its first and of its last element begin in the tile,
    /// maybe before it; its elements that are of the first one's row, or more.
    Value firstBegin, lastBegin, ofFirst;
    Elements values;
  };
  void configure();
  Index rowsOfBlock();
  void locate();
  void openTile(Index from);
  SmallVector<Vector> load();
  Elements loadWhole(ArrayRef<Vector> vectors);
  Elements loadPast(ArrayRef<Vector> vectors, Elements values);
  void findColumns(MutableArrayRef<Vector> vectors);
  void sumRows(Vector &vector, Value column);
  void sumElements(Vector &vector);
  void sumVectors(MutableArrayRef<Vector> vectors);
  SmallVector<Value> scanVectors(ArrayRef<Vector> vectors);
  SmallVector<Value> scanLanes(SmallVector<Value> sums, ArrayRef<Value> limits,
                               int64_t distance);
  Value isLonger(int64_t elements);
  Value sumBefore(ArrayRef<Value> totals, Value begin, Value own);
  Value scanWarp(ArrayRef<Vector> vectors, SmallVectorImpl<Value> &before);
  Value sumWarps(Value begin, Index turn, Value &carry);
  Value sumAhead(const Vector &first, Index turn, Value &carry);
  Value scanTile(MutableArrayRef<Vector> vectors, Value carry);
  void store(ArrayRef<Vector> vectors);
  void storeCut(const Vector &vector);
  Value emitTile(Index from, Value carry);

  Value number(int64_t value) {
    return arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(value));
  }
  Value toNumber(Index index) {
    return arith::IndexCastUIOp::create(e.b, e.loc, e.b.getI32Type(),
                                        math.value(index));
  }
  template <typename Op> Value make(Value a, Value b) {
    return Op::create(e.b, e.loc, a, b);
  }
  Value compare(CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(e.b, e.loc, predicate, a, b);
  }
  Value no(Value condition) { return make<arith::XOrIOp>(condition, yes()); }
  Value yes() {
    return arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true));
  }
  /// `value` where a row that begins at `begin` has begun before `place`; zero
  /// elsewhere.
  Value ifBefore(Value begin, Value place, Value value) {
    if (plan.hasOneRow)
      return value;
    return kernel.select(compare(CmpIPredicate::slt, begin, place), value,
                         zero());
  }
  /// The place of element `i` behind `place` in a tile that begins at `from`.
  Index flatOf(Index from, Value place, int64_t i = 0) {
    Index own =
        arith::IndexCastUIOp::create(e.b, e.loc, e.b.getIndexType(), place)
            .getResult();
    math.setFactor(cast<Value>(own), plan.vectorSize);
    return math.add(from, math.add(own, math.constant(i)));
  }
  /// Whether vectors may pass the end of the tensor.
  bool mayPass() {
    return !rowsAreWhole && math.factorOf(total) % plan.vectorSize != 0;
  }
  void emitRun();
  int64_t ofWarp() const { return 32 * plan.vectors * plan.vectorSize; }

  const ScanTiles &plan;
  bool rowsAreWhole = false; ///< vectors
  Index columns, total, thread, warp;
  /// The run: where its first vector begins in the tensor, and where it begins
  /// and ends from there on.
  Index base, lead, end;
  /// The tile: where it begins from `base` on, and in the tensor.
  Index from, tileBase;
  /// What follows is i32. Where the run begins and ends in the tile.
  Value tileLead, tileEnd;
  /// Where the first vector begins that is not loaded whole, and what is loaded
  /// instead.
  Value safeEnd;
  Index safeBase;
  Value warpNumber, warpPlace, laneNumber;
  /// The length of a row, and of so many rows as are whole vectors; where the
  /// run is one row, a larger number.
  Value length, wholeRows;
  Memory ofWarps;
};
} // namespace

/// Each block has as many rows as a tile, and one at least.
void TilesEmitter::configure() {
  SmallVector<AffineExpr> sizes = e.sizeExprs(0);
  AffineExpr width = sizes.pop_back_val();
  AffineExpr count = KernelEmission::product(sizes, e.kernel.getContext());
  auto atLeastOne = [&](AffineExpr size) {
    return size + e.constantExpr(1).floorDiv(size + 1);
  };
  kernel.residentBlocks = plan.residentThreads / plan.threads;
  if (plan.hasOneRow) {
    e.setConfig({count}, {plan.threads, 1, 1}, 0);
    return;
  }
  AffineExpr rows =
      atLeastOne(e.constantExpr(plan.room()).floorDiv(atLeastOne(width)));
  // 1 for many rows, 0 for few.
  AffineExpr many = rows.floorDiv(plan.unit()).ceilDiv(plan.tile());
  AffineExpr step = many * (plan.vectorSize - 1) + 1;
  e.setConfig({count.ceilDiv(rows.floorDiv(step) * step)}, {plan.threads, 1, 1},
              0);
}

/// The same as a number of the kernel.
Index TilesEmitter::rowsOfBlock() {
  std::optional<int64_t> known = IndexMath::constantOf(columns);
  if (known || plan.hasOneRow)
    return math.constant(plan.rowsOf(known.value_or(1)));
  Value width = toNumber(math.max(math.min(columns, math.constant(plan.tile())),
                                  math.constant(1)));
  Value rows = make<arith::MaxUIOp>(
      make<arith::DivUIOp>(number(plan.room()), width), number(1));
  Value some = make<arith::SubIOp>(
      rows, make<arith::RemUIOp>(rows, number(plan.vectorSize)));
  Value areFew = compare(CmpIPredicate::ult, rows, number(plan.unit()));
  return arith::IndexCastUIOp::create(e.b, e.loc, e.b.getIndexType(),
                                      kernel.select(areFew, rows, some))
      .getResult();
}

/// Finds this block's run, and this thread's place.
void TilesEmitter::locate() {
  columns = e.results.front().sizes.back();
  total = math.product(e.results.front().sizes);
  Index vectorSize = math.constant(plan.vectorSize);
  Index rows = rowsOfBlock();
  Index size = math.mul(rows, columns);
  Index first = math.mul(kernel.blockId(), size);
  lead = math.rem(first, vectorSize);
  base = math.mul(math.div(first, vectorSize), vectorSize);
  end = math.add(lead, math.min(size, math.sub(total, first)));
  thread = kernel.threadId();
  lane = math.rem(thread, math.constant(32));
  warp = math.div(thread, math.constant(32));
  warpNumber = toNumber(warp);
  laneNumber = toNumber(lane);
  warpPlace = make<arith::MulIOp>(warpNumber, number(ofWarp()));
  length = toNumber(columns);
  wholeRows = make<arith::MulIOp>(length, number(plan.vectorSize));
  if (2 * plan.longest > plan.room()) {
    Value isOne = kernel.compare(CmpIPredicate::eq, rows, math.constant(1));
    length = kernel.select(isOne, number(INT32_MAX), length);
    wholeRows = kernel.select(isOne, length, wholeRows);
  }
  ofWarps = kernel.sharedArray("warps", type, {2, plan.threads / 32});
}

/// The tile from `begin` on; only the first one has `lead`.
void TilesEmitter::openTile(Index begin) {
  from = begin;
  tileBase = math.add(base, from);
  Index ends = math.min(math.sub(end, from), math.constant(plan.tile()));
  tileEnd = toNumber(ends);
  tileLead = toNumber(lead);
  if (!IndexMath::constantOf(from)) {
    Value isFirst = kernel.compare(CmpIPredicate::eq, from, math.constant(0));
    tileLead = kernel.select(isFirst, tileLead, number(0));
  }
  safeEnd = tileEnd;
  safeBase = tileBase;
  if (mayPass()) {
    Index size = math.constant(plan.vectorSize);
    Index last = math.mul(math.div(total, size), size);
    Index safe = math.sub(math.max(last, tileBase), tileBase);
    safeEnd = toNumber(math.min(safe, ends));
    Value isSafe = kernel.compare(CmpIPredicate::ult, tileBase, last);
    safeBase = kernel.clampTo(isSafe, tileBase);
  }
}

/// The elements of all of `vectors`; of those without any in the run, or that
/// pass the tensor's end, others.
Elements TilesEmitter::loadWhole(ArrayRef<Vector> vectors) {
  Elements values;
  for (const Vector &vector : vectors) {
    Value isSafe = compare(CmpIPredicate::ult, vector.place, safeEnd);
    Value place = kernel.select(isSafe, vector.place, number(0));
    llvm::append_range(values, e.elements.emitRun(op.getInput(),
                                                  flatOf(safeBase, place),
                                                  plan.vectorSize));
  }
  return values;
}

/// `values` with those of the vector that passes the tensor's end.
Elements TilesEmitter::loadPast(ArrayRef<Vector> vectors, Elements values) {
  Index size = math.constant(plan.vectorSize);
  Index last = math.mul(math.div(total, size), size);
  Index past = math.sub(last, tileBase);
  Elements rest;
  for (int64_t i = 0; i < plan.vectorSize; ++i) {
    Index at = math.add(last, math.constant(i));
    Value isSome = kernel.compare(CmpIPredicate::ult, at, total);
    rest.push_back(
        e.elements.emitRun(op.getInput(), kernel.clampTo(isSome, at), 1)
            .front());
  }
  for (auto [number, vector] : llvm::enumerate(vectors)) {
    Value isPast = compare(CmpIPredicate::eq, vector.place, toNumber(past));
    for (auto [i, value] : llvm::enumerate(rest)) {
      Value &own = values[number * plan.vectorSize + i];
      own = kernel.select(isPast, value, own);
    }
  }
  return values;
}

/// This thread's vectors of the tile.
SmallVector<TilesEmitter::Vector> TilesEmitter::load() {
  SmallVector<Vector> vectors(plan.vectors);
  Value own = make<arith::AddIOp>(
      warpPlace, make<arith::MulIOp>(laneNumber, number(plan.vectorSize)));
  for (auto [i, vector] : llvm::enumerate(vectors)) {
    vector.place = make<arith::AddIOp>(own, number(i * 32 * plan.vectorSize));
    vector.isSome = compare(CmpIPredicate::ult, vector.place, tileEnd);
  }
  auto whole = [&] { return loadWhole(vectors); };
  Index size = math.constant(plan.vectorSize);
  std::optional<int64_t> known = IndexMath::constantOf(total);
  Elements values =
      !mayPass() || (known && *known >= plan.vectorSize)
          ? whole()
          : kernel.valuesWhere(kernel.compare(CmpIPredicate::uge, total, size),
                               plan.vectors * plan.vectorSize, zero(), whole);
  if (mayPass()) {
    Index runEnd = math.add(base, math.mul(math.ceilDiv(end, size), size));
    Value isPast = kernel.compare(CmpIPredicate::ugt, runEnd, total);
    values = kernel.valuesWhere(isPast, values,
                                [&] { return loadPast(vectors, values); });
  }
  for (auto [i, vector] : llvm::enumerate(vectors)) {
    auto own = ArrayRef(values).slice(i * plan.vectorSize, plan.vectorSize);
    vector.values.assign(own.begin(), own.end());
  }
  return vectors;
}

/// Sums the rows within a vector, whose first element is in `column` of its
/// row.
void TilesEmitter::sumRows(Vector &vector, Value column) {
  vector.firstBegin = make<arith::SubIOp>(vector.place, column);
  if (rowsAreWhole) {
    vector.lastBegin = vector.firstBegin;
    return sumElements(vector);
  }
  vector.ofFirst = make<arith::SubIOp>(length, column);
  Value next = vector.ofFirst;
  for (int64_t i = 1; i < plan.vectorSize; ++i) {
    Value isNext = compare(CmpIPredicate::eq, next, number(i));
    next = kernel.select(isNext, make<arith::AddIOp>(next, length), next);
    Value &value = vector.values[i];
    value = kernel.select(isNext, value, add(vector.values[i - 1], value));
  }
  vector.lastBegin =
      make<arith::AddIOp>(vector.place, make<arith::SubIOp>(next, length));
}

/// Sums within a vector that is of one row.
void TilesEmitter::sumElements(Vector &vector) {
  for (int64_t i = 1; i < plan.vectorSize; ++i)
    vector.values[i] = add(vector.values[i - 1], vector.values[i]);
}

/// Sums within vectors that are all of one row, but for what is in front of it.
void TilesEmitter::sumVectors(MutableArrayRef<Vector> vectors) {
  if (IndexMath::constantOf(lead) != int64_t(0))
    for (auto [i, value] : llvm::enumerate(vectors.front().values)) {
      Value place = make<arith::AddIOp>(vectors.front().place, number(i));
      value = kernel.select(compare(CmpIPredicate::ult, place, tileLead),
                            zero(), value);
    }
  for (Vector &vector : vectors)
    sumElements(vector);
}

/// Finds where the rows of `vectors` begin. What is in front of the run is a
/// row of its own.
void TilesEmitter::findColumns(MutableArrayRef<Vector> vectors) {
  if (plan.hasOneRow)
    return sumVectors(vectors);
  // Of a later tile, the run is one row.
  Value ahead = make<arith::SubIOp>(vectors.front().place, tileLead);
  ahead = make<arith::AddIOp>(ahead,
                              toNumber(math.min(from, math.constant(1 << 30))));
  if (!IndexMath::constantOf(from))
    ahead = make<arith::SubIOp>(
        ahead,
        kernel.select(kernel.compare(CmpIPredicate::eq, from, math.constant(0)),
                      number(0), toNumber(lead)));
  Value isBefore = compare(CmpIPredicate::slt, ahead, number(0));
  ahead = kernel.select(isBefore, make<arith::AddIOp>(ahead, wholeRows), ahead);
  Value column = make<arith::RemUIOp>(ahead, length);
  Value step = make<arith::RemUIOp>(number(32 * plan.vectorSize), length);
  for (auto [i, vector] : llvm::enumerate(vectors)) {
    if (i > 0) {
      column = make<arith::AddIOp>(column, step);
      Value isNext = compare(CmpIPredicate::uge, column, length);
      column =
          kernel.select(isNext, make<arith::SubIOp>(column, length), column);
    }
    sumRows(vector, column);
  }
}

/// For each vector: the sum of its last element's row up to it, of the vectors
/// of the lanes up to this one.
SmallVector<Value> TilesEmitter::scanVectors(ArrayRef<Vector> vectors) {
  int64_t size = plan.vectorSize;
  Value last = make<arith::AddIOp>(
      make<arith::MulIOp>(laneNumber, number(size)), number(size - 1));
  // How far the row reaches back from there.
  SmallVector<Value> sums, limits;
  for (const Vector &vector : vectors) {
    sums.push_back(vector.values.back());
    if (plan.hasOneRow) {
      limits.push_back(last);
      continue;
    }
    Value end = make<arith::AddIOp>(vector.place, number(size - 1));
    limits.push_back(
        make<arith::MinUIOp>(make<arith::SubIOp>(end, vector.lastBegin), last));
  }
  return scanLanes(sums, limits, 1);
}

/// Whether rows have more.
Value TilesEmitter::isLonger(int64_t elements) {
  return compare(CmpIPredicate::ugt, length, number(elements));
}

/// The same where `sums` are of so many lanes as `distance`. All step by step:
/// shuffles of one do not wait for another's.
SmallVector<Value> TilesEmitter::scanLanes(SmallVector<Value> sums,
                                           ArrayRef<Value> limits,
                                           int64_t distance) {
  if (distance == 32)
    return sums;
  int64_t elements = distance * plan.vectorSize;
  auto step = [&] {
    SmallVector<Value> made;
    for (auto [sum, limit] : llvm::zip(sums, limits)) {
      Value reaches = compare(CmpIPredicate::uge, limit, number(elements));
      made.push_back(
          kernel.select(reaches, add(shuffleUp(sum, distance), sum), sum));
    }
    return scanLanes(made, limits, distance * 2);
  };
  if (!plan.hasOneRow && plan.longest <= elements)
    return sums;
  if (plan.hasOneRow || IndexMath::constantOf(columns))
    return step();
  return kernel.valuesWhere(isLonger(elements), sums, step);
}

/// `own` and what the warp's vectors in front, whose lanes together have
/// `totals`, have of the row that begins at `begin`.
Value TilesEmitter::sumBefore(ArrayRef<Value> totals, Value begin, Value own) {
  Value sum;
  for (auto [i, total] : llvm::enumerate(totals)) {
    int64_t between = (totals.size() - 1 - i) * 32 * plan.vectorSize;
    if (plan.longest <= between + 1)
      continue;
    Value place =
        make<arith::AddIOp>(warpPlace, number((i + 1) * 32 * plan.vectorSize));
    Value part = ifBefore(begin, place, total);
    sum = sum ? add(sum, part) : part;
  }
  return sum ? add(sum, own) : own;
}

/// Finds for each vector what the warp has in front of it of the row of its
/// first element. Gives, in the last lane, the sum of the warp's last row.
Value TilesEmitter::scanWarp(ArrayRef<Vector> vectors,
                             SmallVectorImpl<Value> &before) {
  SmallVector<Value> sums = scanVectors(vectors), totals;
  Value hasLanes = compare(CmpIPredicate::ne, laneNumber, number(0));
  for (auto [vector, sum] : llvm::zip(vectors, sums)) {
    Value continues = hasLanes;
    if (!plan.hasOneRow)
      continues = make<arith::AndIOp>(
          hasLanes,
          compare(CmpIPredicate::slt, vector.firstBegin, vector.place));
    Value ofLanes = kernel.select(continues, shuffleUp(sum, 1), zero());
    before.push_back(sumBefore(totals, vector.firstBegin, ofLanes));
    if (totals.size() + 1 < vectors.size())
      totals.push_back(kernel.shuffle(sum, number(31), gpu::ShuffleMode::IDX));
  }
  return sumBefore(totals, vectors.back().lastBegin, sums.back());
}

/// What the warps in front have of the row that begins at `begin`, in front of
/// which is `carry` of tiles before. Adds the warps' sums to that.
Value TilesEmitter::sumWarps(Value begin, Index turn, Value &carry) {
  Value ahead = carry ? ifBefore(begin, number(0), carry) : zero();
  for (int64_t i = 0; i < plan.threads / 32; ++i) {
    Value sum = e.elements.load(ofWarps, {turn, math.constant(i)}, 1).front();
    Value isOf = compare(CmpIPredicate::ult, number(i), warpNumber);
    if (!plan.hasOneRow)
      isOf = make<arith::AndIOp>(
          isOf, compare(CmpIPredicate::slt, begin, number((i + 1) * ofWarp())));
    ahead = kernel.select(isOf, add(ahead, sum), ahead);
    carry = carry ? add(carry, sum) : carry;
  }
  return ahead;
}

/// The same for the row of the warp's first vector.
Value TilesEmitter::sumAhead(const Vector &first, Index turn, Value &carry) {
  std::optional<int64_t> known = IndexMath::constantOf(columns);
  if (plan.hasOneRow)
    return sumWarps(Value(), turn, carry);
  Value begin =
      kernel.shuffle(first.firstBegin, number(0), gpu::ShuffleMode::IDX);
  if (known && *known > ofWarp())
    return sumWarps(begin, turn, carry);
  // Of shorter rows than a warp's vectors, the warp before has all there is.
  Index former = math.sub(math.max(warp, math.constant(1)), math.constant(1));
  Value ahead = e.elements.load(ofWarps, {turn, former}, 1).front();
  if (plan.longest <= ofWarp())
    return ahead;
  SmallVector<Value> before = {ahead};
  if (carry)
    before.push_back(carry);
  SmallVector<Value> sums = kernel.valuesWhere(isLonger(ofWarp()), before, [&] {
    Value total = carry;
    Elements found = {sumWarps(begin, turn, total)};
    if (carry)
      found.push_back(total);
    return found;
  });
  if (carry)
    carry = sums.back();
  return sums.front();
}

/// Replaces the elements of a tile by their running sums. `carry`: what the
/// tiles before have of the run's only row, or null; returns it with this one.
Value TilesEmitter::scanTile(MutableArrayRef<Vector> vectors, Value carry) {
  findColumns(vectors);
  SmallVector<Value> before;
  Value last = scanWarp(vectors, before);
  // Two arrays in turn: a warp may be one tile ahead of the others.
  Index turn =
      math.rem(math.div(from, math.constant(plan.tile())), math.constant(2));
  e.when(compare(CmpIPredicate::eq, laneNumber, number(31)),
         [&] { e.elements.store(ofWarps, {turn, warp}, {last}); });
  kernel.barrier();
  Value ahead = sumAhead(vectors.front(), turn, carry);
  for (auto [vector, sum] : llvm::zip(vectors, before)) {
    Value front = add(ifBefore(vector.firstBegin, warpPlace, ahead), sum);
    for (auto [i, value] : llvm::enumerate(vector.values)) {
      Value sum = add(front, value);
      value = plan.hasOneRow || rowsAreWhole
                  ? sum
                  : kernel.select(
                        compare(CmpIPredicate::ugt, vector.ofFirst, number(i)),
                        sum, value);
    }
  }
  return carry;
}

/// Stores the elements of a vector that are of the run.
void TilesEmitter::storeCut(const Vector &vector) {
  for (int64_t i = 0; i < plan.vectorSize; ++i) {
    Value own = make<arith::AddIOp>(vector.place, number(i));
    Value isOf = make<arith::AndIOp>(compare(CmpIPredicate::uge, own, tileLead),
                                     compare(CmpIPredicate::ult, own, tileEnd));
    e.when(isOf, [&] {
      finishRun(flatOf(tileBase, vector.place, i), Elements{vector.values[i]});
    });
  }
}

void TilesEmitter::store(ArrayRef<Vector> vectors) {
  SmallVector<Value> areCut;
  Value size = number(plan.vectorSize);
  for (const Vector &vector : vectors) {
    Value isWhole = make<arith::AndIOp>(
        compare(CmpIPredicate::uge, vector.place, tileLead),
        compare(CmpIPredicate::ule, make<arith::AddIOp>(vector.place, size),
                tileEnd));
    e.when(isWhole,
           [&] { finishRun(flatOf(tileBase, vector.place), vector.values); });
    areCut.push_back(make<arith::AndIOp>(no(isWhole), vector.isSome));
  }
  if (rowsAreWhole)
    return;
  Value end = make<arith::RemUIOp>(tileEnd, size);
  Value ends = make<arith::OrIOp>(tileLead, end);
  e.when(compare(CmpIPredicate::ne, ends, number(0)), [&] {
    for (auto [vector, isCut] : llvm::zip(vectors, areCut))
      e.when(isCut, [&] { storeCut(vector); });
  });
}

Value TilesEmitter::emitTile(Index begin, Value carry) {
  openTile(begin);
  SmallVector<Vector> vectors = load();
  Value total = scanTile(vectors, carry);
  store(vectors);
  return total;
}

void TilesEmitter::emitRun() {
  if (plan.longest <= plan.room()) {
    emitTile(math.constant(0), Value());
    return;
  }
  e.reduceLoop(math.constant(0), end, math.constant(plan.tile()), zero(),
               [&](Index begin, ValueRange carried) {
                 return SmallVector<Value>{emitTile(begin, carried.front())};
               });
}

/// Rows of whole vectors, which most are, take half of the instructions: where
/// their length is known at run time only, there is code for both.
void TilesEmitter::emit() {
  configure();
  locate();
  kernel.await();
  Index size = math.constant(plan.vectorSize);
  std::optional<int64_t> known = IndexMath::constantOf(columns);
  rowsAreWhole = known && *known % plan.vectorSize == 0;
  if (known || plan.vectorSize == 1)
    return emitRun();
  Value areWhole = kernel.compare(CmpIPredicate::eq, math.rem(columns, size),
                                  math.constant(0));
  e.when(no(areWhole), [&] { emitRun(); });
  rowsAreWhole = true;
  lead = math.constant(0);
  e.when(areWhole, [&] { emitRun(); });
}

void codegen::emitCUDAScanTiles(CUDAKernel &kernel, const ScanTiles &tiles) {
  TilesEmitter(kernel, tiles).emit();
}
