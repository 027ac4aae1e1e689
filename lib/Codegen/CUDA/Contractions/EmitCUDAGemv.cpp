//===- EmitCUDAGemv.cpp - Code of contractions with few rows --------------===//
//
// Each thread loads its part of the matrix straight from memory, 16 bytes at a
// time and several loads in flight; the vectors come through the L1 cache. The
// sums of a block are added in shared memory, those of a cluster through
// distributed shared memory, always in the same order. The epilogue reads them
// there.
//
// A kernel that needs the results of others loads its first part of the matrix
// before it waits for them, and what the epilogue reads right behind the wait.
// Vectors that are rows with reductions of their own, those of a norm, are
// computed by each block, and lie in shared memory; the weights of the norm are
// loaded before the wait.
//
//===----------------------------------------------------------------------===//

#include "Gemv.h"

#include "Codegen/CUDA/Streams/RowsInShared.h"
#include "Codegen/Emit/ContractionSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {
class GemvEmitter {
public:
  GemvEmitter(CUDAKernel &kernel, const GemvSchedule &schedule,
              ContractionSpace space)
      : kernel(kernel), e(kernel.e), math(e.math), schedule(schedule),
        space(std::move(space)) {}

  void emit();

private:
  /// What a thread reads of the matrices at once: the elements of each
  /// contraction and column.
  using Fragment = SmallVector<Elements>;
  /// A position along K, and whether it is inside where it may be past the end.
  struct At {
    Index k;
    Value inside;
  };

  void locate();
  bool isMatrixSteady();
  void loadAhead();
  void loadEarly(scf::IfOp branch);
  void stageVectors();
  SmallVector<Value> accumulate();
  SmallVector<Fragment> loadRound(Index begin, int64_t depth, bool masked);
  SmallVector<Value> multiplyRound(ArrayRef<Fragment> fragments, Index begin,
                                   ValueRange sums, bool masked);
  SmallVector<Value> foldAcrossLanes(SmallVector<Value> sums);
  void storeFolded(ArrayRef<Value> sums);
  void storeColumns(ArrayRef<Value> sums, int64_t firstRow, int64_t rows);
  Elements reduceParts(Index row, Index column, int64_t vectorSize);
  void reduceToTotals(int64_t firstRow, int64_t rows);
  Elements reduceBlocks(Index row, Index column, int64_t vectorSize);
  int64_t resultVectorSize(int64_t rows);
  void finish(int64_t firstRow, int64_t rows);
  void finishVector(Index row, int64_t firstRow, Index column,
                    int64_t vectorSize);

  SmallVector<Index> pointAt(Index row, Index column, Index k);
  At kAt(Index begin, int64_t access, int64_t depth, bool masked);
  Index columnAt(int64_t number);
  Fragment matrixAt(const At &at);
  Elements vectorAt(int64_t row, const At &at, int64_t count);
  SmallVector<Value>::iterator multiply(const Elements &elements,
                                        const Elements &vector,
                                        SmallVector<Value>::iterator sum);
  Value add(Value a, Value b);
  Value multiplyAdd(Value a, Value b, Value c);
  Value zero() {
    return arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(number));
  }
  void setAccess(Access access);
  /// Sums of one row of all contractions, counted in rows of shared memory.
  int64_t each() const { return schedule.contractions(); }

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  GemvSchedule schedule;
  ContractionSpace space;
  Type number;
  Value initial;
  /// The kernel's arguments that the matrices are made of.
  SmallVector<BlockArgument> sources;
  /// Sums of the block's parts, [part][row, contraction][column], of some rows
  /// at a time; where a cluster shares K, those of the block, of all rows.
  Memory parts, totals;
  /// Point of the first element of this block's batch.
  SmallVector<Index> origin;
  /// Of this thread: its place along K or along the columns, its group, its
  /// part, and its block's place in the cluster.
  Index thread, place, group, part, rank;
  Index columnBegin;
  /// What is emitted in front of the wait for the kernels in front, and the end
  /// of the wait.
  Operation *beforeWait = nullptr, *wait = nullptr;
  /// What is computed of the first round of accesses: behind the vectors, since
  /// it needs more registers.
  SmallVector<Operation *> ofAhead;
  /// The first round of accesses, where it is loaded before the wait.
  SmallVector<Fragment> ahead;
};
} // namespace

//===----------------------------------------------------------------------===//
// Where things are
//===----------------------------------------------------------------------===//

void GemvEmitter::locate() {
  AffineExpr grid = space.extentOf(schedule.batch) *
                    space.extentOf(schedule.columns).ceilDiv(schedule.tile()) *
                    schedule.blocks;
  e.setConfig({grid}, {schedule.threads(), 1, 1}, 0, {schedule.blocks, 1, 1});
  Index tiles = math.ceilDiv(space.sizeOf(schedule.columns),
                             math.constant(schedule.tile()));
  SmallVector<Index> at =
      math.delinearize(kernel.blockId(), {space.sizeOf(schedule.batch), tiles,
                                          math.constant(schedule.blocks)});
  origin.assign(schedule.ops.front().getNumLoops(), math.constant(0));
  space.spread(at[0], schedule.batch, origin);
  columnBegin = math.mul(at[1], math.constant(schedule.tile()));
  rank = at[2];
  thread = kernel.threadId();
  at = math.delinearize(thread, {math.constant(schedule.parts),
                                 math.constant(schedule.groups),
                                 math.constant(schedule.width)});
  part = at[0];
  group = at[1];
  place = at[2];
}

SmallVector<Index> GemvEmitter::pointAt(Index row, Index column, Index k) {
  SmallVector<Index> point = origin;
  space.spread(row, schedule.rows, point);
  space.spread(column, schedule.columns, point);
  space.spread(k, schedule.k, point);
  return point;
}

/// Where access number `access` of `depth` of this thread lies in the round
/// from `begin` on; 0 when that is behind the end.
GemvEmitter::At GemvEmitter::kAt(Index begin, int64_t access, int64_t depth,
                                 bool masked) {
  Index all = math.add(math.mul(rank, math.constant(schedule.parts)), part);
  Index own = math.mul(all, math.constant(depth));
  own = math.add(own, math.constant(access));
  if (schedule.alongK) {
    own = math.add(math.mul(own, math.constant(schedule.width)), place);
    own = math.mul(own, math.constant(schedule.vectorSize));
  }
  Index k = math.add(begin, own);
  if (!masked)
    return {k, Value()};
  Value inside =
      kernel.compare(arith::CmpIPredicate::ult, k, space.sizeOf(schedule.k));
  return {kernel.clampTo(inside, k), inside};
}

/// This thread's column number `number`, or its first one when the matrix lies
/// along them; 0 for those behind the last one.
Index GemvEmitter::columnAt(int64_t number) {
  Index own =
      schedule.alongK
          ? math.add(math.mul(group, math.constant(schedule.columnsEach)),
                     math.constant(number))
          : math.mul(place, math.constant(schedule.vectorSize));
  Index column = math.add(columnBegin, own),
        size = space.sizeOf(schedule.columns);
  std::optional<int64_t> known = IndexMath::constantOf(size);
  if (known && *known % schedule.tile() == 0)
    return column;
  return kernel.clampTo(kernel.compare(arith::CmpIPredicate::ult, column, size),
                        column);
}

//===----------------------------------------------------------------------===//
// Multiplication
//===----------------------------------------------------------------------===//

Value GemvEmitter::add(Value a, Value b) {
  if (isa<FloatType>(number))
    return arith::AddFOp::create(e.b, e.loc, a, b);
  return arith::AddIOp::create(e.b, e.loc, a, b);
}

Value GemvEmitter::multiplyAdd(Value a, Value b, Value c) {
  if (isa<FloatType>(number))
    return math::FmaOp::create(e.b, e.loc, a, b, c);
  return add(arith::MulIOp::create(e.b, e.loc, a, b), c);
}

/// The matrices at `k`, contraction by contraction and column by column.
GemvEmitter::Fragment GemvEmitter::matrixAt(const At &at) {
  Fragment fragment;
  for (linalg::GenericOp op : schedule.ops)
    for (int64_t c = 0; c < (schedule.alongK ? schedule.columnsEach : 1); ++c) {
      fragment.push_back(e.elements.emitFactors(
          op, schedule.matrix, pointAt(math.constant(0), columnAt(c), at.k),
          schedule.vectorLoop(), schedule.vectorSize));
      if (at.inside)
        for (Value &value : fragment.back())
          value = kernel.select(at.inside, value, zero());
    }
  return fragment;
}

/// `count` elements of vector `row`.
Elements GemvEmitter::vectorAt(int64_t row, const At &at, int64_t count) {
  Index ownRow = math.constant(row);
  if (row >= schedule.leastRows)
    ownRow = kernel.clampTo(kernel.compare(arith::CmpIPredicate::ult, ownRow,
                                           space.sizeOf(schedule.rows)),
                            ownRow);
  Elements values = e.elements.emitFactors(
      schedule.ops.front(), 1 - schedule.matrix,
      pointAt(ownRow, math.constant(0), at.k), schedule.k.back(), count);
  if (at.inside)
    for (Value &value : values)
      value = kernel.select(at.inside, value, zero());
  return values;
}

/// Adds the products to the sum of a column, or to those of neighbours; returns
/// the next sum.
SmallVector<Value>::iterator
GemvEmitter::multiply(const Elements &elements, const Elements &vector,
                      SmallVector<Value>::iterator sum) {
  for (auto [i, element] : llvm::enumerate(elements)) {
    *sum = multiplyAdd(element, vector[schedule.alongK ? i : 0], *sum);
    sum += schedule.alongK ? 0 : 1;
  }
  return sum + (schedule.alongK ? 1 : 0);
}

/// The matrices of a round of accesses from `begin` on, which are in flight
/// together.
SmallVector<GemvEmitter::Fragment>
GemvEmitter::loadRound(Index begin, int64_t depth, bool masked) {
  SmallVector<Fragment> fragments;
  for (int64_t access = 0; access < depth; ++access)
    fragments.push_back(matrixAt(kAt(begin, access, depth, masked)));
  return fragments;
}

/// Adds the products of a round that was loaded. Sums are in the order row,
/// contraction, column.
SmallVector<Value> GemvEmitter::multiplyRound(ArrayRef<Fragment> fragments,
                                              Index begin, ValueRange sums,
                                              bool masked) {
  int64_t depth = fragments.size();
  // A thread's rows of K are neighbours.
  SmallVector<Elements> runs;
  linalg::GenericOp op = schedule.ops.front();
  int64_t inner = op.getStaticLoopRanges()[schedule.k.back()];
  if (!schedule.alongK && !ShapedType::isDynamic(inner) && inner % depth == 0)
    for (int64_t row = 0; row < schedule.rowCount; ++row)
      runs.push_back(vectorAt(row, kAt(begin, 0, depth, masked), depth));
  SmallVector<Value> next(sums);
  for (int64_t access = 0; access < depth; ++access) {
    At at = kAt(begin, access, depth, masked);
    auto sum = next.begin();
    for (int64_t row = 0; row < schedule.rowCount; ++row) {
      Elements vector =
          runs.empty()
              ? vectorAt(row, at, schedule.alongK ? schedule.vectorSize : 1)
              : Elements{runs[row][access]};
      for (const Elements &elements : fragments[access])
        sum = multiply(elements, vector, sum);
    }
  }
  return next;
}

/// What was loaded ahead, whole rounds, and masked ones for what is left of K.
SmallVector<Value> GemvEmitter::accumulate() {
  std::optional<int64_t> known =
      IndexMath::constantOf(space.sizeOf(schedule.k));
  int64_t step = schedule.step(schedule.depth);
  Index size = space.sizeOf(schedule.k), first = math.constant(0);
  Index whole =
      math.mul(math.div(size, math.constant(step)), math.constant(step));
  SmallVector<Value> sums(schedule.contractions() * schedule.sumsEach(),
                          zero());
  if (!ahead.empty()) {
    sums = multiplyRound(ahead, first, sums, /*masked=*/*known < step);
    first = math.constant(schedule.step(ahead.size()));
    whole = math.max(whole, first);
  }
  auto rounds = [&](Index begin, Index end, int64_t depth, bool masked) {
    sums = e.reduceLoop(begin, end, math.constant(schedule.step(depth)), sums,
                        [&](Index k, ValueRange carried) {
                          return multiplyRound(loadRound(k, depth, masked), k,
                                               carried, masked);
                        });
  };
  if (whole != first)
    rounds(first, whole, schedule.depth, /*masked=*/false);
  std::optional<int64_t> end = IndexMath::constantOf(whole);
  if (!known || !end || *end < *known)
    rounds(whole, size, schedule.lastDepth, /*masked=*/true);
  return sums;
}

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

/// The block's sums, part after part.
Elements GemvEmitter::reduceParts(Index row, Index column, int64_t vectorSize) {
  Elements sums;
  for (int64_t i = 0; i < schedule.parts; ++i) {
    Elements more =
        e.elements.load(parts, {math.constant(i), row, column}, vectorSize);
    for (int64_t element = 0; element < vectorSize; ++element)
      if (i == 0)
        sums.push_back(more[element]);
      else
        sums[element] = add(sums[element], more[element]);
  }
  return sums;
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
  Elements sums;
  for (int64_t block = 0; block < schedule.blocks; ++block) {
    Memory other = kernel.sharedOf(totals, math.constant(block));
    Elements more = e.elements.load(other, {row, column}, vectorSize);
    for (int64_t element = 0; element < vectorSize; ++element)
      if (block == 0)
        sums.push_back(more[element]);
      else
        sums[element] = add(sums[element], more[element]);
  }
  return sums;
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

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// How the matrices are read from here on.
void GemvEmitter::setAccess(Access access) {
  for (BlockArgument argument : sources)
    e.elements.memoryOf(argument)->access = access;
}

/// Whether the matrices may be read before the wait: no other kernel writes
/// them, but one may write something else that this one reads.
bool GemvEmitter::isMatrixSteady() {
  auto waitsFor = e.kernel.getWaitsFor();
  return kernel.prefetches && waitsFor && llvm::is_contained(*waitsFor, true) &&
         llvm::all_of(sources, [&](BlockArgument argument) {
           return isSteady(e.kernel, argument);
         });
}

/// Loads the first round of the matrices before the wait.
void GemvEmitter::loadAhead() {
  std::optional<int64_t> size = IndexMath::constantOf(space.sizeOf(schedule.k));
  if (!isMatrixSteady() || !size || *size == 0)
    return;
  bool masked = *size < schedule.step(schedule.depth);
  Operation *before = &*std::prev(e.b.getInsertionPoint());
  ahead = loadRound(math.constant(0),
                    masked ? schedule.lastDepth : schedule.depth, masked);
  llvm::SmallPtrSet<Operation *, 32> derived;
  for (Operation *op = before->getNextNode(); op; op = op->getNextNode()) {
    bool isDerived = llvm::any_of(op->getOperands(), [&](Value operand) {
      return derived.contains(operand.getDefiningOp());
    });
    if (isDerived)
      ofAhead.push_back(op);
    if (isDerived || isa<LLVM::InlineAsmOp>(op))
      derived.insert(op);
  }
}

/// Moves the loads of the epilogue in `branch` to the wait.
void GemvEmitter::loadEarly(scf::IfOp branch) {
  CUDAKernel::loadEarly(branch, beforeWait->getNextNode(),
                        /*areInvariant=*/true);
  CUDAKernel::loadEarly(branch, wait->getNextNode());
}

/// Computes the vectors that are rows with reductions of their own, in each
/// block, and puts them in shared memory.
void GemvEmitter::stageVectors() {
  if (schedule.ofRows.empty())
    return;
  Value vectors = schedule.vectors();
  auto type = cast<RankedTensorType>(vectors.getType());
  Memory memory =
      kernel.sharedArray("vectors", type.getElementType(), type.getShape());
  emitRowsInShared(kernel, vectors, schedule.ofRows, schedule.threads(),
                   memory);
  e.elements.bindSource(vectors, [this, memory](ArrayRef<Index> at, int64_t n) {
    return e.elements.load(memory, at, n);
  });
}

void GemvEmitter::emit() {
  for (linalg::GenericOp op : schedule.ops)
    for (Value value : computedFrom(op.getOperand(schedule.matrix)))
      if (e.elements.memoryOf(value))
        sources.push_back(cast<BlockArgument>(value));
  initial = e.initialValue(schedule.ops.front());
  number = initial.getType();
  locate();
  setAccess(Access::Streamed);
  loadAhead();
  beforeWait = &*std::prev(e.b.getInsertionPoint());
  kernel.awaitAndRelease();
  wait = &*std::prev(e.b.getInsertionPoint());
  stageVectors();
  if (kernel.prefetches)
    CUDAKernel::loadSteadyEarly(beforeWait->getNextNode());
  for (Operation *op : ofAhead)
    op->moveBefore(e.b.getInsertionBlock(), e.b.getInsertionPoint());
  SmallVector<Value> sums = accumulate();

  int64_t atOnce = schedule.rowsAtOnce(number);
  parts = kernel.sharedArray(
      "parts", number, {schedule.parts, atOnce * each(), schedule.tile()});
  if (schedule.blocks > 1)
    totals = kernel.sharedArray("totals", number,
                                {schedule.sums(), schedule.tile()});
  for (int64_t first = 0; first < schedule.rowCount; first += atOnce) {
    int64_t rows = std::min(atOnce, schedule.rowCount - first);
    if (first > 0)
      kernel.barrier();
    if (schedule.alongK)
      storeFolded(foldAcrossLanes(sums));
    else
      storeColumns(sums, first, rows);
    kernel.barrier();
    if (schedule.blocks == 1)
      finish(first, rows);
    else
      reduceToTotals(first, rows);
  }
  if (schedule.blocks == 1)
    return;
  kernel.clusterBarrier();
  finish(0, schedule.rowCount);
  // A block's shared memory must outlive its readers.
  kernel.clusterBarrier();
}

LogicalResult codegen::emitCUDAGemv(CUDAKernel &kernel,
                                    const GemvSchedule &schedule) {
  FailureOr<ContractionSpace> space =
      ContractionSpace::of(schedule.ops.front(), kernel.e);
  if (failed(space))
    return failure();
  GemvEmitter(kernel, schedule, *space).emit();
  return success();
}
