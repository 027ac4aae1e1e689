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

#include "GemvEmitter.h"

#include "Codegen/CUDA/MemoryBound/RowsInShared.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

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
