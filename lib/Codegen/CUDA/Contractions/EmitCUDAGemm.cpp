//===- EmitCUDAGemm.cpp - Contractions on CUDA cores ----------------------===//
//
// Handles every shape, layout and element type. While a thread multiplies, the
// next k-blocks are being copied to shared memory, and the operands for the
// next k are being loaded to registers. SimtGemm.h has the parts.
//
//===----------------------------------------------------------------------===//

#include "Mma.h"
#include "SimtEmitter.h"

#include "Codegen/CUDA/Schedule/Schedules.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::simt;

//===----------------------------------------------------------------------===//
// Blocks and threads
//===----------------------------------------------------------------------===//

/// Rows of tiles that are gone down before the next column.
static constexpr int64_t maxRowsDown = 8;

Index SimtGemm::numTiles() {
  Index tilesM = math.ceilDiv(space.sizeOf(space.m), math.constant(tile.m()));
  Index tilesN = math.ceilDiv(space.sizeOf(space.n), math.constant(tile.n()));
  return math.product({space.sizeOf(space.batch), tilesM, tilesN});
}

Index SimtGemm::numBlocks() {
  return math.mul(tail.blocks(numTiles()), math.constant(schedule.split));
}

AffineExpr SimtGemm::numBlocksExpr() {
  AffineExpr tiles = space.extentOf(space.batch) *
                     space.extentOf(space.m).ceilDiv(tile.m()) *
                     space.extentOf(space.n).ceilDiv(tile.n());
  return tail.blocks(tiles) * schedule.split;
}

void SimtGemm::locate(Index number) {
  Index tilesM = math.ceilDiv(space.sizeOf(space.m), math.constant(tile.m()));
  Index tilesN = math.ceilDiv(space.sizeOf(space.n), math.constant(tile.n()));
  Index split = math.constant(schedule.split);
  Index ofTile = tail.locate(math.div(number, split), numTiles());
  // Few rows of tiles go down first, so that B is read once. No bands as in
  // EmitCUDAMma.cpp: their arithmetic spills registers.
  std::optional<int64_t> down = IndexMath::constantOf(tilesM);
  bool isDown = down && *down <= maxRowsDown;
  SmallVector<Index> at = math.delinearize(ofTile, {space.sizeOf(space.batch),
                                                    isDown ? tilesN : tilesM,
                                                    isDown ? tilesM : tilesN});
  place.batchLoops.assign(op.getNumLoops(), math.constant(0));
  space.spread(at[0], space.batch, place.batchLoops);
  place.mBegin = math.mul(at[isDown ? 2 : 1], math.constant(tile.m()));
  place.nBegin = math.mul(at[isDown ? 1 : 2], math.constant(tile.n()));
  rank = math.rem(number, split);
  // Blocks that share a tile have K in order, in whole k-blocks.
  Index depth = math.constant(schedule.depth), size = space.sizeOf(space.k);
  auto [begin, end] = tail.kBlocks(math.ceilDiv(size, depth));
  Index kBlocks = math.ceilDiv(math.sub(end, begin), split);
  begin = math.add(begin, math.mul(rank, kBlocks));
  place.kBegin = math.mul(begin, depth);
  place.kEnd = math.min(size, math.mul(math.add(begin, kBlocks), depth));

  place.thread = kernel.threadId();
  Index lanes = math.constant(32), warpsN = math.constant(tile.warpsN);
  Index warp = math.div(place.thread, lanes);
  Index lane = math.rem(place.thread, lanes);
  // Lanes i and i xor 1 have the same columns, i and i xor 2 the same rows:
  // shared memory then serves a quad of each lane in two cycles.
  Index two = math.constant(2), lanesN = math.constant(tile.lanesN);
  Index pair = math.div(lane, two);
  Index laneM =
      math.add(math.rem(lane, two), math.mul(math.div(pair, lanesN), two));
  Index laneN = math.rem(pair, lanesN);
  row = math.add(math.mul(math.div(warp, warpsN), math.constant(tile.warpM())),
                 math.mul(laneM, math.constant(quad)));
  column =
      math.add(math.mul(math.rem(warp, warpsN), math.constant(tile.warpN())),
               math.mul(laneN, math.constant(quad)));
}

void SimtGemm::prepareCopies() {
  KBlockCopy::Target a{0,        space.m, place.mBegin,
                       tile.m(), 0,       schedule.strideA()};
  copies.emplace_back(kernel, op, space, schedule, place, ring, a);
  for (auto [pair, other] : llvm::enumerate(group.ops)) {
    KBlockCopy::Target b{1,
                         space.n,
                         place.nBegin,
                         tile.n(),
                         schedule.startB(pair),
                         schedule.strideB()};
    copies.emplace_back(kernel, other, space, schedule, place, ring, b);
  }
}

//===----------------------------------------------------------------------===//
// The loop over K
//===----------------------------------------------------------------------===//

SmallVector<Value> SimtGemm::pack(const State &state) {
  SmallVector<Value> all(state.sums);
  llvm::append_range(all, state.fragments);
  llvm::append_range(all, state.pointers);
  all.push_back(math.value(state.stage));
  all.push_back(math.value(state.free));
  return all;
}

State SimtGemm::unpack(ValueRange carried) {
  State state;
  size_t sums = group.ops.size() * tile.runs() * quad;
  size_t pointers =
      llvm::count_if(copies, [](auto &copy) { return copy.isAsync(); });
  size_t fragments = carried.size() - sums - pointers - 2;
  llvm::append_range(state.sums, carried.take_front(sums));
  llvm::append_range(state.fragments, carried.slice(sums, fragments));
  llvm::append_range(state.pointers, carried.slice(sums + fragments, pointers));
  for (Value stage : carried.take_back(2))
    math.setFactor(stage, quad);
  state.stage = carried[carried.size() - 2];
  state.free = carried.back();
  return state;
}

/// The stage behind `stage` in the ring.
Index SimtGemm::after(Index stage) {
  Index next = math.add(stage, math.constant(schedule.stageSize()));
  Value isEnd = kernel.compare(arith::CmpIPredicate::eq, next,
                               math.constant(schedule.ringSize()));
  Value wrapped =
      kernel.select(isEnd, math.value(math.constant(0)), math.value(next));
  math.setFactor(wrapped, quad);
  return wrapped;
}

/// Starts part `step` of `steps` of the asynchronous copies of a k-block.
void SimtGemm::startCopies(const State &state, Index k, Index stage,
                           int64_t step, int64_t steps) {
  int64_t number = 0;
  size_t pointer = 0;
  for (KBlockCopy &copy : copies) {
    if (!copy.isAsync())
      continue;
    for (int64_t piece = 0; piece < copy.pieces(); ++piece)
      if (number++ % steps == step)
        copy.startPiece(piece, state.pointers[pointer], k, stage);
    ++pointer;
  }
}

void SimtGemm::commitCopies() {
  if (hasAsyncCopies())
    NVVM::CpAsyncCommitGroupOp::create(e.b, e.loc);
}

/// Waits until all copies but those of the `newer` last k-blocks have landed,
/// for all threads.
void SimtGemm::awaitKBlock(int64_t newer) {
  if (hasAsyncCopies())
    NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, int32_t(newer));
  kernel.barrier();
}

SmallVector<Value> SimtGemm::loadFragments(Index stage, int64_t depth) {
  SmallVector<Value> fragments;
  auto load = [&](Index first, int64_t at) {
    Index offset = math.add(math.add(stage, first), math.constant(at));
    llvm::append_range(fragments, e.elements.load(ring, {offset}, quad));
  };
  for (int64_t i = 0; i < tile.quadsM; ++i)
    load(row, depth * schedule.strideA() + i * tile.lanesM * quad);
  for (size_t pair = 0; pair < group.ops.size(); ++pair)
    for (int64_t j = 0; j < tile.quadsN; ++j)
      load(column, schedule.startB(pair) + depth * schedule.strideB() +
                       j * tile.lanesN * quad);
  return fragments;
}

Value SimtGemm::fma(Value a, Value b, Value c) {
  if (isa<FloatType>(number))
    return math::FmaOp::create(e.b, e.loc, a, b, c);
  Value product = arith::MulIOp::create(e.b, e.loc, a, b);
  return arith::AddIOp::create(e.b, e.loc, product, c);
}

/// Adds the products of the fragments, in every other row from right to left: a
/// row begins with the column that the one before it ended with.
void SimtGemm::multiply(State &state) {
  int64_t rows = tile.quadsM * quad, columns = tile.quadsN * quad;
  for (size_t pair = 0; pair < group.ops.size(); ++pair)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t step = 0; step < columns; ++step) {
        int64_t j = i % 2 == 0 ? step : columns - 1 - step;
        Value &sum = state.sums[(pair * rows + i) * columns + j];
        sum = fma(state.fragments[i],
                  state.fragments[rows + pair * columns + j], sum);
      }
}

/// Fills the ring but for its last stage, and reads the first fragments.
State SimtGemm::start() {
  State state;
  for (linalg::GenericOp each : group.ops)
    state.sums.append(tile.runs() * quad, e.initialValue(each));
  for (KBlockCopy &copy : copies)
    if (copy.isAsync())
      state.pointers.push_back(copy.firstPointer());
  for (int64_t kBlock = 0; kBlock + 1 < schedule.stages; ++kBlock) {
    Index k = math.add(place.kBegin, math.constant(kBlock * schedule.depth));
    startCopies(state, k, math.constant(kBlock * schedule.stageSize()), 0, 1);
    commitCopies();
    size_t pointer = 0;
    for (KBlockCopy &copy : copies)
      if (copy.isAsync()) {
        Value &at = state.pointers[pointer++];
        at = copy.nextPointer(at);
      }
  }
  // The loop over K is not entered when there is none; this is.
  std::optional<int64_t> size = IndexMath::constantOf(space.sizeOf(space.k));
  bool mayBeEmpty = !size || *size == 0;
  for (KBlockCopy &copy : copies)
    if (!copy.isAsync())
      copy.store(copy.load(place.kBegin, mayBeEmpty), math.constant(0));
  awaitKBlock(schedule.stages - 2);
  state.stage = math.constant(0);
  state.free = math.constant((schedule.stages - 1) * schedule.stageSize());
  state.fragments = loadFragments(state.stage, 0);
  return state;
}

/// Multiplies the k-block at `k` and copies a later one.
void SimtGemm::multiplyKBlock(State &state, Index k) {
  Index ahead =
      math.add(k, math.constant((schedule.stages - 1) * schedule.depth));
  Index next = after(state.stage);
  SmallVector<SmallVector<Elements>> loaded;
  for (KBlockCopy &copy : copies)
    if (!copy.isAsync())
      loaded.push_back(
          copy.load(math.add(k, math.constant(schedule.depth)), false));
  for (int64_t depth = 0; depth < schedule.depth; ++depth) {
    // Copies start between the products of the first half.
    int64_t steps = schedule.depth / 2;
    if (depth < steps)
      startCopies(state, ahead, state.free, depth, steps);
    if (depth + 1 == steps)
      commitCopies();
    bool isLast = depth + 1 == schedule.depth;
    if (isLast) {
      size_t through = 0;
      for (KBlockCopy &copy : copies)
        if (!copy.isAsync())
          copy.store(loaded[through++], next);
      awaitKBlock(schedule.stages - 2);
    }
    SmallVector<Value> fragments =
        loadFragments(isLast ? next : state.stage, isLast ? 0 : depth + 1);
    multiply(state);
    state.fragments = fragments;
  }
  // The next k-block's first fragments come before the last products.
  pinLoads(e.b, e.loc);
  size_t pointer = 0;
  for (KBlockCopy &copy : copies)
    if (copy.isAsync()) {
      Value &at = state.pointers[pointer++];
      at = copy.nextPointer(at);
    }
  state.free = state.stage;
  state.stage = next;
}

void SimtGemm::emit(Index number) {
  locate(number);
  prepareCopies();
  SmallVector<Value> carried =
      e.reduceLoop(place.kBegin, place.kEnd, math.constant(schedule.depth),
                   pack(start()), [&](Index k, ValueRange values) {
                     State state = unpack(values);
                     multiplyKBlock(state, k);
                     return pack(state);
                   });
  finish(unpack(carried).sums);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Asks for code that lets a multiprocessor run the schedule's threads.
static void limitRegisters(KernelEmission &e, const Schedule &schedule) {
  int64_t blocks =
      std::max<int64_t>(1, schedule.resident / schedule.tile.threads());
  e.b.getInsertionBlock()->getParentOp()->setAttr(
      NVVM::NVVMDialect::getMinctasmAttrName(), e.b.getI32IntegerAttr(blocks));
}

/// Emits the contractions of a kernel on CUDA cores.
static void emitSimt(CUDAKernel &kernel, ArrayRef<ContractionGroup> groups,
                     ArrayRef<ContractionSpace> spaces,
                     const Schedule &schedule, const Demand &demand) {
  KernelEmission &e = kernel.e;
  Memory ring =
      kernel.sharedArray("ring", demand.widest, {schedule.ringSize()});
  limitRegisters(e, schedule);
  Index block = kernel.blockId(), first = e.math.constant(0), tails = first;
  AffineExpr grid = e.constantExpr(0);
  for (auto [group, space] : llvm::zip(groups, spaces)) {
    linalg::GenericOp op = group.ops.front();
    ring.elementType = elementTypeOf(op.getResult(0));
    SimtGemm emitter(kernel, group, space, schedule, ring, tails);
    Index end = e.math.add(first, emitter.numBlocks());
    if (groups.size() == 1) {
      emitter.emit(block);
    } else {
      Value isHere = arith::AndIOp::create(
          e.b, e.loc, kernel.compare(arith::CmpIPredicate::uge, block, first),
          kernel.compare(arith::CmpIPredicate::ult, block, end));
      e.when(isHere, [&] { emitter.emit(e.math.sub(block, first)); });
    }
    first = end;
    tails = e.math.add(tails, emitter.numTail());
    grid = grid + emitter.numBlocksExpr();
  }
  e.setConfig({grid}, {schedule.tile.threads(), 1, 1}, 0,
              {schedule.split, 1, 1}, {},
              schedule.tail.workspace(demand.tailTiles(schedule)));
}

LogicalResult codegen::emitCUDAGemm(CUDAKernel &kernel) {
  KernelEmission &e = kernel.e;
  FailureOr<Contractions> contractions = Contractions::of(e);
  if (failed(contractions))
    return failure();
  ArrayRef<ContractionGroup> groups = contractions->groups;
  SmallVector<ContractionSpace, 1> spaces;
  for (const ContractionGroup &group : groups) {
    FailureOr<ContractionSpace> space = group.space(e);
    if (failed(space))
      return failure();
    spaces.push_back(*space);
  }
  Attribute attribute = *e.kernel.getSchedule();
  StringRef rule;
  if (auto mma = dyn_cast<kernel::MmaScheduleAttr>(attribute)) {
    auto problem = mma::Problem::find(groups, contractions->loops, kernel.chip);
    if (!problem)
      return e.kernel.emitError("mma.sync does not multiply such operands");
    auto schedule = mma::readSchedule(mma, *problem, rule);
    if (!schedule)
      return illegalSchedule(e.kernel, rule);
    kernel.await();
    emitCUDAMma(kernel, groups, spaces, *schedule, *problem);
    return success();
  }
  auto simt = dyn_cast<kernel::SimtScheduleAttr>(attribute);
  if (!simt)
    return illegalSchedule(e.kernel, "the kernel has a form of this kind");
  Demand demand = Demand::of(groups, contractions->loops, kernel.chip);
  std::optional<Schedule> schedule = readSchedule(simt, demand, rule);
  if (!schedule)
    return illegalSchedule(e.kernel, rule);
  if (leavesRoom(*schedule, demand))
    kernel.startAlone();
  kernel.await();
  emitSimt(kernel, groups, spaces, *schedule, demand);
  return success();
}
