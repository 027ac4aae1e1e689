//===- SplitAttention.cpp - Attention of few queries on tensor cores ------===//
//
// The rows of a tile are the queries of all heads that share keys: a warp has
// them all. Each warp goes through its own keys, with its own ring in shared
// memory, and waits for nobody. Its copies past the registers are what the time
// depends on; products with rows that are not there cost none.
//
// In the end the warps of a block join their sums in shared memory, relative to
// the largest maximum. The blocks of a tile, where they are few, are a cluster:
// they send their sums to the first one. Otherwise the last block of a tile
// joins those of all blocks in memory. All go through the parts in their order:
// a result has the same bits in every run.
//
//===----------------------------------------------------------------------===//

#include "SplitAttention.h"

#include "AttentionWarp.h"
#include "Codegen/CUDA/Common/ClusterExchange.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

namespace {
class SplitEmitter {
public:
  SplitEmitter(CUDAKernel &kernel, ElementType elementType,
               const AttentionSplit &plan)
      : kernel(kernel), e(kernel.e), math(e.math), words(e), space(e),
        plan(plan),
        warp(kernel, space, elementType, plan.fragments, plan.keys) {}

  void emit();

private:
  /// What the loop over blocks of keys carries: the stage that was read, and
  /// the next one, are addresses.
  struct State {
    AttentionWarp::State warp;
    Value before, stage;
  };
  /// A part of some columns of a row.
  struct Part {
    Value max, total;
    Elements sums;
  };
  /// A run of columns of a row of the tile.
  struct Run {
    Index row, column;
  };
  Index constant(int64_t value) { return math.constant(value); }
  int64_t queryBytes() const { return plan.tileRows() * warp.depth.lineBytes; }
  int64_t ringBytes() const { return plan.stages * warp.stageBytes(); }

  AffineExpr numSplits(AffineExpr tiles);
  void configure();
  void locate();
  void await();
  void prefetch();
  /// The first key of block of keys `number`.
  Index keyOf(Index number) { return math.mul(number, constant(plan.keys)); }
  void startKeys(Value stage, Index number, Copied which = Copied::All) {
    warp.startKeys(stage, keyOf(number), lastKey, lane, 32, which);
  }
  void startRing(Copied which);
  State start();
  void takeKeys(State &state, Index number, bool areOfAll);
  SmallVector<Value> takeRange(Index from, Index to, bool areOfAll,
                               ValueRange carried);
  State takeAll();

  Memory sharedFloats(int64_t floats, ArrayRef<int64_t> sizes);
  void leaveInBlock(const State &state);
  void forEachRun(llvm::function_ref<void(const Run &)> body,
                  bool areAll = false);
  Part joinParts(ArrayRef<Part> parts);
  Part joinBlock(const Run &run);
  Memory received(Index from);
  void sendRun(const Run &run);
  Part joinCluster(const Run &run);
  void finishCluster();
  Memory inMemory(bool areSums);
  Index placeOf(Index part, const Run &run);
  void leaveInMemory(const Run &run, const Part &part);
  Part joinBlocks(const Run &run);
  void writeRun(const Run &run, const Part &part);
  void finishShared();

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  Words words;
  AttentionSpace space;
  const AttentionSplit &plan;
  AttentionWarp warp;
  Value shared, ring;
  AttentionSpace::Block block;
  Index thread, lane, number;
  /// Of the launch; of this block.
  Index tiles, splits, tile, split;
  /// Blocks of keys of this block; the end of its keys.
  Index firstBlock, lastBlock, lastKey;
  Memory sumsOfWarps, rowsOfWarps;
  /// Copies of what no kernel in front writes start in front of the wait.
  bool copiesAhead = false;
  std::optional<ClusterExchange> exchange;
};
} // namespace

//===-- where a block is --------------------------------------------------===//

/// As many as leave all blocks resident; parts of fewer tiles than there are
/// places, as `tiles` may be any number.
AffineExpr SplitEmitter::numSplits(AffineExpr tiles) {
  if (plan.tiles >= 0 || !plan.mayShare())
    return e.constantExpr(plan.splits);
  AffineExpr rounds = (tiles * plan.splits).floorDiv(plan.slots) + 1;
  return e.constantExpr(plan.splits).ceilDiv(rounds);
}

void SplitEmitter::configure() {
  AffineExpr all = space.numBlocks(plan.tileRows());
  e.setConfig({all * numSplits(all)}, {plan.threads(), 1, 1}, plan.sharedBytes,
              {plan.joinsInCluster ? plan.splits : 1, 1, 1}, {},
              plan.workspace());
}

void SplitEmitter::locate() {
  shared = sharedAddress(kernel);
  thread = kernel.threadId();
  lane = math.rem(thread, constant(32));
  number = math.div(thread, constant(32));
  ring = words.add(shared, words.add(words.mul(words.of(number), ringBytes()),
                                     queryBytes()));
  SmallVector<Index> sizes(e.elements.sizesOf(space.op.getQuery()));
  sizes.truncate(sizes.size() - 3);
  sizes.push_back(space.heads);
  sizes.push_back(math.ceilDiv(space.rows, constant(plan.tileRows())));
  tiles = math.product(sizes);
  splits = constant(plan.splits);
  if (plan.tiles < 0 && plan.mayShare()) {
    Index blocks =
        gpu::GridDimOp::create(e.b, e.loc, gpu::Dimension::x).getResult();
    splits = math.div(blocks, tiles);
  }
  tile = math.div(kernel.blockId(), splits);
  split = math.rem(kernel.blockId(), splits);
  block = space.blockAt(tile, plan.tileRows());
  Index begin = math.div(block.begin, constant(plan.keys));
  Index all = math.ceilDiv(block.end, constant(plan.keys));
  Index each = math.ceilDiv(math.sub(math.max(all, begin), begin), splits);
  firstBlock = math.add(begin, math.mul(split, each));
  lastBlock = math.min(math.add(firstBlock, each), all);
  lastKey = math.min(keyOf(lastBlock), block.end);
  warp.locate(block, shared, constant(0));
}

/// Brings the warp's first blocks of keys to the L2 cache.
void SplitEmitter::prefetch() {
  std::optional<int64_t> keys = IndexMath::constantOf(space.keys);
  if (!keys || *keys == 0)
    return;
  for (auto [tensor, columns] : {std::pair(space.op.getKey(), space.depth),
                                 std::pair(space.op.getValue(), space.width)}) {
    int64_t vectorSize = std::gcd(columns, perPiece),
            runs = columns / vectorSize;
    for (int64_t stage = 0; stage + 1 < plan.stages; ++stage) {
      Index first = keyOf(
          math.add(math.add(firstBlock, number), constant(stage * plan.warps)));
      for (int64_t begin = 0; begin < plan.keys * runs; begin += 32) {
        Index run = math.add(lane, constant(begin));
        Index key = math.add(first, math.div(run, constant(runs)));
        Index column =
            math.mul(math.rem(run, constant(runs)), constant(vectorSize));
        key = math.min(key, constant(*keys - 1));
        e.elements.emit(tensor, space.ofKey(block, key, column), vectorSize);
      }
    }
  }
}

//===-- keys --------------------------------------------------------------===//

/// Starts the copies to all stages but one.
void SplitEmitter::startRing(Copied which) {
  Index own = math.add(firstBlock, number);
  for (int64_t stage = 0; stage + 1 < plan.stages; ++stage)
    startKeys(words.add(ring, stage * warp.stageBytes()),
              math.add(own, constant(stage * plan.warps)), which);
}

SplitEmitter::State SplitEmitter::start() {
  State state{warp.start(), Value(), ring};
  state.before = words.add(ring, (plan.stages - 1) * warp.stageBytes());
  warp.startQuery(plan.tileRows(), plan.threads());
  // What started in front of the wait is of the first group.
  startRing(copiesAhead ? Copied::Rest : Copied::All);
  // The queries, of which each thread has copied some.
  NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, plan.stages - 2);
  kernel.barrier();
  return state;
}

void SplitEmitter::takeKeys(State &state, Index number, bool areOfAll) {
  NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, plan.stages - 2);
  // All lanes have copied this stage, and have read the one before.
  NVVM::SyncWarpOp::create(e.b, e.loc, words.constant(-1));
  startKeys(state.before,
            math.add(number, constant((plan.stages - 1) * plan.warps)));
  warp.take(state.warp, state.stage, keyOf(number), areOfAll);
  state.before = state.stage;
  Value next = words.add(state.stage, warp.stageBytes());
  Value isEnd = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq,
                                      next, words.add(ring, ringBytes()));
  state.stage = kernel.select(isEnd, ring, next);
}

/// Every plan.warps-th block of keys of a range.
SmallVector<Value> SplitEmitter::takeRange(Index from, Index to, bool areOfAll,
                                           ValueRange carried) {
  return e.reduceLoop(from, to, constant(plan.warps), carried,
                      [&](Index number, ValueRange carried) {
                        size_t values = carried.size() - 2;
                        State state{warp.unpack(carried.take_front(values)),
                                    carried[values], carried[values + 1]};
                        takeKeys(state, number, areOfAll);
                        SmallVector<Value> all = warp.pack(state.warp);
                        all.append({state.before, state.stage});
                        return all;
                      });
}

SplitEmitter::State SplitEmitter::takeAll() {
  State begin = start();
  SmallVector<Value> state = warp.pack(begin.warp);
  state.append({begin.before, begin.stage});
  // Blocks of keys that all rows see, and the others. A window has few: each
  // of its keys is compared.
  bool isWindow = space.op.getWindowLeft().has_value();
  Index own = math.add(firstBlock, number), whole = own;
  if (!isWindow)
    whole = math.min(math.div(block.endOfAll, constant(plan.keys)), lastBlock);
  std::optional<int64_t> end = IndexMath::constantOf(block.end);
  bool areAllWhole = !isWindow && end &&
                     IndexMath::constantOf(block.endOfAll) == end &&
                     *end % plan.keys == 0;
  if (areAllWhole)
    whole = lastBlock;
  if (!isWindow)
    state = takeRange(own, whole, true, state);
  if (!areAllWhole) {
    Index behind = math.sub(math.max(whole, own), own);
    Index rounds = math.ceilDiv(behind, constant(plan.warps));
    Index rest = math.add(own, math.mul(rounds, constant(plan.warps)));
    state = takeRange(rest, lastBlock, false, state);
  }
  size_t values = state.size() - 2;
  return {warp.unpack(ArrayRef(state).take_front(values)), state[values],
          state[values + 1]};
}

//===-- joins -------------------------------------------------------------===//

/// An array of f32, `floats` of them behind the start of shared memory.
Memory SplitEmitter::sharedFloats(int64_t floats, ArrayRef<int64_t> sizes) {
  SmallVector<Index> all;
  for (int64_t size : sizes)
    all.push_back(constant(size));
  return {words.pointer(words.add(shared, floats * 4)), e.b.getF32Type(), all,
          16, false};
}

/// The warp's sums, maxima and sums of powers, in shared memory that nobody
/// reads any more.
void SplitEmitter::leaveInBlock(const State &state) {
  NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, 0);
  kernel.barrier();
  int64_t rows = plan.tileRows(), floats = warp.stagedFloats();
  sumsOfWarps = sharedFloats(0, {plan.warps, rows, floats});
  rowsOfWarps = sharedFloats(plan.warps * rows * floats, {plan.warps, rows, 2});
  Value own = words.add(shared, words.mul(words.of(number), rows * floats * 4));
  size_t each = state.warp.sums.size() / plan.fragments;
  for (int64_t fragment = 0; fragment < plan.fragments; ++fragment)
    storeFragments(
        kernel, ArrayRef(state.warp.sums).slice(fragment * each, each),
        words.add(own, fragment * fragmentRows * floats * 4), floats);
  SmallVector<Value> totals = warp.rowTotals(state.warp);
  Value isFirst = kernel.compare(arith::CmpIPredicate::eq,
                                 math.rem(lane, constant(4)), constant(0));
  e.when(isFirst, [&] {
    for (auto [i, total] : llvm::enumerate(totals)) {
      Index row = math.add(math.div(lane, constant(4)), constant(8 * i));
      e.elements.store(rowsOfWarps, {number, row, constant(0)},
                       {state.warp.maxima[i], total});
    }
  });
  kernel.barrier();
}

/// The runs of the tile's rows, or of the `plan.rows` that a tile has at most.
void SplitEmitter::forEachRun(llvm::function_ref<void(const Run &)> body,
                              bool areAll) {
  int64_t runs = space.width / std::gcd(space.width, perPiece);
  e.loop(thread, constant(plan.rows * runs), constant(plan.threads()),
         [&](Index run) {
           Index row = math.div(run, constant(runs));
           Index column = math.mul(math.rem(run, constant(runs)),
                                   constant(space.width / runs));
           if (areAll)
             return body({row, column});
           Value inside =
               kernel.compare(arith::CmpIPredicate::ult,
                              math.add(block.firstRow, row), space.rows);
           e.when(inside, [&] { body({row, column}); });
         });
}

/// The parts, relative to the largest maximum of them.
SplitEmitter::Part SplitEmitter::joinParts(ArrayRef<Part> parts) {
  Part joined = parts.front();
  for (const Part &part : parts.drop_front())
    joined.max = arith::MaximumFOp::create(e.b, e.loc, joined.max, part.max);
  AttentionWarp::Reference reference = warp.referenceOf(joined.max);
  auto times = [&](Value a, Value b) -> Value {
    return arith::MulFOp::create(e.b, e.loc, a, b);
  };
  for (auto [number, part] : llvm::enumerate(parts)) {
    Value factor = warp.rescale(part.max, reference);
    auto addTo = [&](Value &sum, Value own) {
      Value product = times(own, factor);
      sum = number == 0
                ? product
                : arith::AddFOp::create(e.b, e.loc, sum, product).getResult();
    };
    addTo(joined.total, part.total);
    for (auto [sum, own] : llvm::zip(joined.sums, part.sums))
      addTo(sum, own);
  }
  return joined;
}

SplitEmitter::Part SplitEmitter::joinBlock(const Run &run) {
  SmallVector<Part> parts;
  for (int64_t other = 0; other < plan.warps; ++other) {
    Elements row = e.elements.load(rowsOfWarps,
                                   {constant(other), run.row, constant(0)}, 2);
    parts.push_back(
        {row[0], row[1],
         e.elements.load(sumsOfWarps, {constant(other), run.row, run.column},
                         std::gcd(space.width, perPiece))});
  }
  return joinParts(parts);
}

Memory SplitEmitter::inMemory(bool areSums) {
  Value pointer = kernel.workspace[0];
  if (!areSums)
    pointer =
        offsetPointer(e, pointer, e.b.getI8Type(), constant(plan.sumBytes()));
  return {pointer,
          e.b.getF32Type(),
          {constant(plan.maxParts() * plan.rows),
           constant(areSums ? space.width : 2)},
          16,
          false};
}

Index SplitEmitter::placeOf(Index part, const Run &run) {
  Index number = math.add(math.mul(tile, splits), part);
  return math.add(math.mul(number, constant(plan.rows)), run.row);
}

void SplitEmitter::leaveInMemory(const Run &run, const Part &part) {
  Index place = placeOf(split, run);
  e.elements.store(inMemory(true), {place, run.column}, part.sums);
  e.when(kernel.compare(arith::CmpIPredicate::eq, run.column, constant(0)),
         [&] {
           e.elements.store(inMemory(false), {place, constant(0)},
                            {part.max, part.total});
         });
}

/// Parts that are loaded at a time.
static constexpr int64_t partsInFlight = 8;

SplitEmitter::Part SplitEmitter::joinBlocks(const Run &run) {
  int64_t vectorSize = std::gcd(space.width, perPiece);
  SmallVector<Value> start(vectorSize + 2, space.number(0));
  start[0] = space.minusInfinity();
  std::optional<int64_t> known = IndexMath::constantOf(splits);
  int64_t each = known ? std::min(*known, partsInFlight) : partsInFlight;
  bool areWhole = known && *known % each == 0;
  SmallVector<Value> end = e.reduceLoop(
      constant(0), splits, constant(each), start,
      [&](Index first, ValueRange carried) {
        SmallVector<Part> parts{
            {carried[0], carried[1], Elements(carried.drop_front(2))}};
        for (int64_t i = 0; i < each; ++i) {
          Index number = math.add(first, constant(i));
          Value isThere;
          if (!areWhole) {
            isThere = kernel.compare(arith::CmpIPredicate::ult, number, splits);
            number = kernel.clampTo(isThere, number);
          }
          Index place = placeOf(number, run);
          Elements row =
              e.elements.load(inMemory(false), {place, constant(0)}, 2);
          Part part{
              row[0], row[1],
              e.elements.load(inMemory(true), {place, run.column}, vectorSize)};
          if (isThere) {
            part.max = kernel.select(isThere, part.max, space.minusInfinity());
            part.total = kernel.select(isThere, part.total, space.number(0));
            for (Value &sum : part.sums)
              sum = kernel.select(isThere, sum, space.number(0));
          }
          parts.push_back(part);
        }
        Part joined = joinParts(parts);
        SmallVector<Value> all{joined.max, joined.total};
        llvm::append_range(all, joined.sums);
        return all;
      });
  return {end[0], end[1], Elements(ArrayRef(end).drop_front(2))};
}

void SplitEmitter::writeRun(const Run &run, const Part &part) {
  Value divisor = space.divisor(part.total);
  Elements values;
  for (Value sum : part.sums)
    values.push_back(arith::DivFOp::create(e.b, e.loc, sum, divisor));
  AttentionSpace::Row row =
      space.rowAt(block, math.add(block.firstRow, run.row));
  SmallVector<Index> at = space.ofQuery(block, row, run.column);
  bindNeighbours(kernel, space.op.getResult(), values, at);
  e.emitResults(at, static_cast<int64_t>(values.size()));
}

void SplitEmitter::finishShared() {
  forEachRun([&](const Run &run) { leaveInMemory(run, joinBlock(run)); });
  Value isLast = kernel.isLastPart(tile, tiles, splits, thread);
  e.when(isLast, [&] {
    forEachRun([&](const Run &run) { writeRun(run, joinBlocks(run)); });
  });
}

/// What block `from` of the cluster, from 1 on, has sent to the first one.
Memory SplitEmitter::received(Index from) {
  int64_t floats = plan.rowFloats();
  int64_t begin = plan.sharedBytes - plan.receivedBytes();
  Memory all = sharedFloats(begin / 4, {plan.splits - 1, plan.rows, floats});
  return kernel.elementOf(
      all, math.mul(math.sub(from, constant(1)), constant(plan.rows * floats)));
}

void SplitEmitter::sendRun(const Run &run) {
  Part part = joinBlock(run);
  Memory own = received(split);
  Index row = math.mul(run.row, constant(plan.rowFloats()));
  exchange->sendToFirst(part.sums,
                        kernel.elementOf(own, math.add(row, run.column)));
  e.when(kernel.compare(arith::CmpIPredicate::eq, run.column, constant(0)),
         [&] {
           Index behind = constant(plan.rowFloats() - 4);
           exchange->sendToFirst({part.max, part.total},
                                 kernel.elementOf(own, math.add(row, behind)));
         });
}

SplitEmitter::Part SplitEmitter::joinCluster(const Run &run) {
  SmallVector<Part> parts{joinBlock(run)};
  for (int64_t other = 1; other < plan.splits; ++other) {
    Memory own = received(constant(other));
    Elements row = e.elements.load(
        own, {constant(0), run.row, constant(plan.rowFloats() - 4)}, 2);
    parts.push_back({row[0], row[1],
                     e.elements.load(own, {constant(0), run.row, run.column},
                                     std::gcd(space.width, perPiece))});
  }
  return joinParts(parts);
}

void SplitEmitter::finishCluster() {
  exchange->awaitStart();
  Value isFirst = kernel.compare(arith::CmpIPredicate::eq, split, constant(0));
  Value isOther = kernel.compare(arith::CmpIPredicate::ne, split, constant(0));
  e.when(isOther, [&] {
    forEachRun([&](const Run &run) { sendRun(run); }, /*areAll=*/true);
  });
  e.when(isFirst, [&] {
    exchange->await();
    forEachRun([&](const Run &run) { writeRun(run, joinCluster(run)); });
  });
}

/// Finds the block's keys, and waits for the kernels in front.
void SplitEmitter::await() {
  // Lengths may be what one of these writes.
  if (space.op.getLengths()) {
    kernel.await();
    return locate();
  }
  locate();
  {
    // What is loaded here may have another value behind the wait.
    ElementEmitter::Scope scope(e.elements);
    copiesAhead = kernel.prefetches && e.kernel.getWaitsFor() &&
                  warp.hasSteadyKeys(constant(0));
    if (copiesAhead)
      startRing(Copied::Steady);
  }
  if (copiesAhead)
    kernel.awaitAndRelease();
  else
    kernel.await([&] { prefetch(); });
}

void SplitEmitter::emit() {
  configure();
  await();
  if (plan.joinsInCluster) {
    exchange.emplace(kernel, plan.splits, 1);
    exchange->start(split);
    exchange->expect(plan.rows * (space.width + 2), 1, e.b.getF32Type());
  }
  leaveInBlock(takeAll());
  if (plan.joinsInCluster)
    return finishCluster();
  auto finishAlone = [&] {
    forEachRun([&](const Run &run) { writeRun(run, joinBlock(run)); });
  };
  if (!plan.mayShare())
    return finishAlone();
  if (IndexMath::constantOf(splits))
    return finishShared();
  Value isAlone = kernel.compare(arith::CmpIPredicate::eq, splits, constant(1));
  e.when(isAlone, finishAlone);
  Value isShared =
      kernel.compare(arith::CmpIPredicate::ne, splits, constant(1));
  e.when(isShared, [&] { finishShared(); });
}

void codegen::emitSplitAttention(CUDAKernel &kernel,
                                 const AttentionSplit &split) {
  Type element = elementTypeOf(kernel.e.attention().getQuery());
  auto type = element.isF16() ? ElementType::F16 : ElementType::BF16;
  SplitEmitter(kernel, type, split).emit();
}
