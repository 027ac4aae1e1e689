//===- EmitCUDAMma.cpp - Contractions on the tensor cores of warps --------===//
//
// While a warp multiplies, the next k-blocks are being copied to shared memory,
// and the next fragments are being loaded to registers. Mma.h has the parts.
//
//===----------------------------------------------------------------------===//

#include "Mma.h"
#include "OperandSource.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

namespace {
/// What the loop over K carries.
struct State {
  /// Results of this thread, 4 for each instruction: [row][part][column].
  SmallVector<Value> sums;
  /// What the warp multiplies next: 4 words for 16 rows of A, 2 for 8 columns
  /// of each part of B.
  SmallVector<Value> a, b;
  /// Where copies of the next k-block read.
  SmallVector<Value> pointers;
  /// Addresses of stages: the one that is multiplied, and the one before it,
  /// which is filled.
  Value stage, free;
};

/// Emits the contractions of a group.
class MmaGemm {
public:
  MmaGemm(CUDAKernel &kernel, const ContractionGroup &group,
          const ContractionSpace &space, const Layout &layout, Value ring,
          Index tailsBefore)
      : kernel(kernel), e(kernel.e), math(e.math), words(e), group(group),
        op(group.ops.front()), space(space), layout(layout),
        schedule(layout.schedule), tile(schedule.tile), ring(ring),
        tail(kernel, schedule.tail, tailsBefore) {}

  /// Emits the work of block `number` of the group.
  void emit(Index number);
  Index numBlocks() { return tail.blocks(numTiles()); }
  AffineExpr numBlocksExpr();
  /// Tiles that are left behind whole waves.
  Index numTail() { return tail.left(numTiles()); }

private:
  Index numTiles();
  void locate(Index number);
  void prepareCopies();
  bool hasAsyncCopies() {
    return llvm::any_of(copies, [](auto &copy) { return copy.isAsync(); });
  }
  size_t numSums() const {
    return tile.fragmentsM * layout.parts * layout.fragments() * 4;
  }

  SmallVector<Value> pack(const State &state);
  State unpack(ValueRange carried);
  Value after(Value stage);
  void startCopies(State &state, Index k, Value stage);
  SmallVector<SmallVector<Elements>> load(State &state, Index k,
                                          bool mayBeEmpty);
  void store(ArrayRef<SmallVector<Elements>> loaded, Value stage);
  void awaitKBlock(int64_t newer);
  SmallVector<Value> loadA(Value stage, int64_t step, int64_t row);
  SmallVector<Value> loadB(Value stage, int64_t step);
  void multiply(State &state, Value stage, int64_t step);
  State start();
  void multiplyKBlock(State &state, Index k);

  void finish(ArrayRef<Value> sums);
  bool readsLikeResult();
  void finishRows(int64_t row, const Memory &staging);
  /// Neighbours of a row of the result, and where their sums are staged.
  struct Run {
    Index atM, atN, stagedRow, stagedColumn;
  };
  Run runAt(int64_t row, Index number);
  SmallVector<Index> resultAt(Index row, Index column);
  Value isInside(const Run &run);
  SmallVector<Index> bindRun(const Run &run, Index atM, Index atN,
                             const Memory &staging);
  void finishRun(const Run &run, const Memory &staging);
  void finishTogether(ArrayRef<Run> runs, const Memory &staging);
  int64_t runSize();
  int64_t runsOfRow() {
    return layout.fragments() * fragmentColumns / runSize();
  }
  int64_t stagedFloats() const {
    return layout.parts * layout.fragments() * fragmentColumns + 8;
  }

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  Words words;
  const ContractionGroup &group;
  /// The first of the group: its loops are those of all.
  linalg::GenericOp op;
  const ContractionSpace &space;
  const Layout &layout;
  const Schedule &schedule;
  const Tile &tile;
  /// Address of the ring, i32.
  Value ring;

  TailShare tail;
  BlockPlace place;
  /// This thread's warp in the block, and its place there.
  Index warp, warpRow, warpColumn, lane;
  SmallVector<KBlockCopy, 2> copies;
  SmallVector<FragmentReader, 2> readers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Blocks and warps
//===----------------------------------------------------------------------===//

Index MmaGemm::numTiles() {
  Index tilesM = math.ceilDiv(space.sizeOf(space.m), math.constant(tile.m()));
  Index tilesN =
      math.ceilDiv(space.sizeOf(space.n), math.constant(layout.partN()));
  return math.product({space.sizeOf(space.batch), tilesM, tilesN});
}

AffineExpr MmaGemm::numBlocksExpr() {
  return tail.blocks(space.extentOf(space.batch) *
                     space.extentOf(space.m).ceilDiv(tile.m()) *
                     space.extentOf(space.n).ceilDiv(layout.partN()));
}

void MmaGemm::locate(Index number) {
  Index tilesM = math.ceilDiv(space.sizeOf(space.m), math.constant(tile.m()));
  Index tilesN =
      math.ceilDiv(space.sizeOf(space.n), math.constant(layout.partN()));
  Index perBatch = math.mul(tilesM, tilesN);
  Index ofTile = tail.locate(number, numTiles());
  TilePlace at =
      TilePlace::of(math, math.rem(ofTile, perBatch), tilesM, tilesN);
  place.batchLoops.assign(op.getNumLoops(), math.constant(0));
  space.spread(math.div(ofTile, perBatch), space.batch, place.batchLoops);
  Index depth = math.constant(layout.depth()), size = space.sizeOf(space.k);
  auto [begin, end] = tail.kBlocks(math.ceilDiv(size, depth));
  place.kBegin = math.mul(begin, depth);
  place.kEnd = math.min(size, math.mul(end, depth));
  place.mBegin = math.mul(at.row, math.constant(tile.m()));
  place.nBegin = math.mul(at.column, math.constant(layout.partN()));

  place.thread = kernel.threadId();
  warp = math.div(place.thread, math.constant(32));
  lane = math.rem(place.thread, math.constant(32));
  warpRow = math.mul(math.div(warp, math.constant(tile.warpsN)),
                     math.constant(tile.warpM()));
  warpColumn = math.mul(math.rem(warp, math.constant(tile.warpsN)),
                        math.constant(layout.fragments() * fragmentColumns));
}

void MmaGemm::prepareCopies() {
  KBlockCopy::Target a{0, space.m, place.mBegin, tile.m(), 0};
  copies.emplace_back(kernel, op, space, layout, place, a);
  readers.emplace_back(kernel, copies.back().lines(), true, 0,
                       words.of(warpRow));
  for (auto [part, other] : llvm::enumerate(group.ops)) {
    KBlockCopy::Target b{1, space.n, place.nBegin, layout.partN(),
                         layout.startB(part)};
    copies.emplace_back(kernel, other, space, layout, place, b);
    readers.emplace_back(kernel, copies.back().lines(), false,
                         layout.startB(part), words.of(warpColumn));
  }
}

//===----------------------------------------------------------------------===//
// The loop over K
//===----------------------------------------------------------------------===//

SmallVector<Value> MmaGemm::pack(const State &state) {
  SmallVector<Value> all(state.sums);
  llvm::append_range(all, state.a);
  llvm::append_range(all, state.b);
  llvm::append_range(all, state.pointers);
  all.push_back(state.stage);
  all.push_back(state.free);
  return all;
}

State MmaGemm::unpack(ValueRange carried) {
  State state;
  auto take = [&](SmallVector<Value> &values, size_t count) {
    llvm::append_range(values, carried.take_front(count));
    carried = carried.drop_front(count);
  };
  take(state.sums, numSums());
  take(state.a, 4 * tile.fragmentsM);
  take(state.b, 2 * layout.parts * layout.fragments());
  take(state.pointers, carried.size() - 2);
  state.stage = carried.front();
  state.free = carried.back();
  return state;
}

/// The stage behind `stage` in the ring.
Value MmaGemm::after(Value stage) {
  Value next = words.add(stage, layout.stageBytes());
  Value end = words.add(ring, schedule.stages * layout.stageBytes());
  Value isEnd =
      arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq, next, end);
  return kernel.select(isEnd, ring, next);
}

/// Starts the asynchronous copies of the k-block at `k`, as one group.
void MmaGemm::startCopies(State &state, Index k, Value stage) {
  size_t pointer = 0;
  for (KBlockCopy &copy : copies) {
    if (!copy.hasPointer())
      continue;
    Value &from = state.pointers[pointer++];
    if (!copy.isAsync())
      continue;
    copy.start(from, k, stage);
    from = copy.nextPointer(from);
  }
  if (hasAsyncCopies())
    NVVM::CpAsyncCommitGroupOp::create(e.b, e.loc);
}

/// Loads what passes through registers of the k-block at `k`.
SmallVector<SmallVector<Elements>> MmaGemm::load(State &state, Index k,
                                                 bool mayBeEmpty) {
  SmallVector<SmallVector<Elements>> loaded;
  size_t pointer = 0;
  for (KBlockCopy &copy : copies) {
    Value *from = copy.hasPointer() ? &state.pointers[pointer++] : nullptr;
    if (copy.isAsync())
      continue;
    if (!copy.isInWords()) {
      loaded.push_back(copy.load(k, mayBeEmpty));
      continue;
    }
    loaded.push_back(copy.loadWords(*from, k));
    *from = copy.nextPointer(*from);
  }
  return loaded;
}

void MmaGemm::store(ArrayRef<SmallVector<Elements>> loaded, Value stage) {
  size_t through = 0;
  for (KBlockCopy &copy : copies)
    if (!copy.isAsync())
      copy.store(loaded[through++], stage);
}

/// Waits until all copies but those of the `newer` last k-blocks have landed,
/// for all threads.
void MmaGemm::awaitKBlock(int64_t newer) {
  if (hasAsyncCopies())
    NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, int32_t(newer));
  kernel.barrier();
}

SmallVector<Value> MmaGemm::loadA(Value stage, int64_t step, int64_t row) {
  return readers[0].read(stage, step, row * fragmentRows, 4);
}

SmallVector<Value> MmaGemm::loadB(Value stage, int64_t step) {
  SmallVector<Value> fragments;
  int64_t together = std::min<int64_t>(layout.fragments(), 2);
  for (int64_t part = 0; part < layout.parts; ++part)
    for (int64_t j = 0; j < layout.fragments(); j += together)
      llvm::append_range(fragments, readers[1 + part].read(stage, step,
                                                           j * fragmentColumns,
                                                           together * 2));
  return fragments;
}

/// Adds the products of the fragments, and reads those of step `step` of
/// `stage`: of A row by row, into the registers of the one that was multiplied.
void MmaGemm::multiply(State &state, Value stage, int64_t step) {
  int64_t columns = layout.parts * layout.fragments();
  SmallVector<Value> b = loadB(stage, step);
  for (int64_t i = 0; i < tile.fragmentsM; ++i) {
    for (int64_t j = 0; j < columns; ++j)
      multiplyAdd(
          e, layout.elementType, ArrayRef<Value>(state.a).slice(4 * i, 4),
          ArrayRef<Value>(state.b).slice(2 * j, 2),
          MutableArrayRef<Value>(state.sums).slice((i * columns + j) * 4, 4));
    llvm::copy(loadA(stage, step, i), state.a.begin() + 4 * i);
  }
  state.b = b;
}

/// Fills the ring but for its last stage, and reads the first fragments.
State MmaGemm::start() {
  State state;
  for (int64_t i = 0; i < tile.fragmentsM; ++i)
    for (linalg::GenericOp each : group.ops)
      state.sums.append(layout.fragments() * 4, e.initialValue(each));
  for (KBlockCopy &copy : copies)
    if (copy.hasPointer())
      state.pointers.push_back(copy.firstPointer());
  for (int64_t kBlock = 0; kBlock + 1 < schedule.stages; ++kBlock)
    startCopies(state,
                math.add(place.kBegin, math.constant(kBlock * layout.depth())),
                words.add(ring, kBlock * layout.stageBytes()));
  // The loop over K is not entered when there is none; this is.
  std::optional<int64_t> size = IndexMath::constantOf(space.sizeOf(space.k));
  bool mayBeEmpty = !size || *size == 0;
  store(load(state, place.kBegin, mayBeEmpty), ring);
  awaitKBlock(schedule.stages - 2);
  state.stage = ring;
  state.free = words.add(ring, (schedule.stages - 1) * layout.stageBytes());
  for (int64_t i = 0; i < tile.fragmentsM; ++i)
    llvm::append_range(state.a, loadA(state.stage, 0, i));
  state.b = loadB(state.stage, 0);
  return state;
}

/// Multiplies the k-block at `k` and copies a later one.
void MmaGemm::multiplyKBlock(State &state, Index k) {
  Index ahead =
      math.add(k, math.constant((schedule.stages - 1) * layout.depth()));
  Value next = after(state.stage);
  SmallVector<SmallVector<Elements>> loaded =
      load(state, math.add(k, math.constant(layout.depth())), false);
  for (int64_t step = 0; step < schedule.steps(); ++step) {
    bool isLast = step + 1 == schedule.steps();
    if (isLast) {
      store(loaded, next);
      awaitKBlock(schedule.stages - 2);
    }
    if (step == 0)
      startCopies(state, ahead, state.free);
    multiply(state, isLast ? next : state.stage, isLast ? 0 : step + 1);
  }
  state.free = state.stage;
  state.stage = next;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Neighbours in a row that are inside or outside together, and that one access
/// covers.
int64_t MmaGemm::runSize() {
  AffineMap map = op.getIndexingMapsArray().back();
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!last || last.getPosition() != space.n.back())
    return 1;
  return std::gcd(fragmentColumns, math.factorOf(space.sizeOf(space.n.back())));
}

/// Each warp brings 16 rows at a time to its part of the ring's memory, so that
/// a thread gets neighbours of a row.
void MmaGemm::finish(ArrayRef<Value> sums) {
  // All copies have landed, all fragments were read.
  awaitKBlock(0);
  int64_t rowFloats = stagedFloats();
  Value own =
      words.add(ring, words.mul(words.of(warp), fragmentRows * rowFloats * 4));
  Memory staging{words.pointer(own),
                 layout.sumType(e.b),
                 {math.constant(fragmentRows), math.constant(rowFloats)},
                 16,
                 false};
  Value mask = words.constant(-1);
  size_t perRow = numSums() / tile.fragmentsM;
  for (int64_t i = 0; i < tile.fragmentsM; ++i) {
    if (i > 0)
      NVVM::SyncWarpOp::create(e.b, e.loc, mask);
    storeFragments(kernel, sums.slice(i * perRow, perRow), own, rowFloats);
    NVVM::SyncWarpOp::create(e.b, e.loc, mask);
    finishRows(i * fragmentRows, staging);
  }
}

/// Elements that a thread computes before it stores them, and runs at most.
static constexpr int64_t maxElementsTogether = 16, maxRunsTogether = 8;

/// Whether the epilogue reads a tensor with the shape of the first result.
bool MmaGemm::readsLikeResult() {
  auto result = cast<RankedTensorType>(e.kernel.getFunctionType().getResult(0));
  auto isOperandAlone = [&](BlockArgument argument) {
    return llvm::all_of(argument.getUsers(), [&](Operation *user) {
      return llvm::is_contained(group.ops, user);
    });
  };
  return llvm::any_of(
      e.kernel.getBody().getArguments(), [&](BlockArgument argument) {
        auto type = dyn_cast<RankedTensorType>(argument.getType());
        return type && type.getShape() == result.getShape() &&
               !isOperandAlone(argument);
      });
}

/// Computes the results of 16 rows of the warp, from `row` on, and stores them.
void MmaGemm::finishRows(int64_t row, const Memory &staging) {
  int64_t all = fragmentRows * runsOfRow();
  int64_t together = std::min(maxElementsTogether / runSize(), maxRunsTogether);
  together = all % 32 == 0 ? std::gcd(together, all / 32) : 1;
  if (together > 1 && readsLikeResult())
    return e.loop(lane, math.constant(all), math.constant(32 * together),
                  [&](Index first) {
                    SmallVector<Run> runs;
                    for (int64_t i = 0; i < together; ++i)
                      runs.push_back(
                          runAt(row, math.add(first, math.constant(32 * i))));
                    finishTogether(runs, staging);
                  });
  auto finishOne = [&](Index number) {
    finishRun(runAt(row, number), staging);
  };
  // The body is short or is there a few times.
  if (all > 4 * 32)
    return e.loop(lane, math.constant(all), math.constant(32), finishOne);
  for (int64_t run = 0; run < all; run += 32) {
    Index own = math.add(lane, math.constant(run));
    if (run + 32 <= all) {
      finishOne(own);
      continue;
    }
    Value isOne =
        kernel.compare(arith::CmpIPredicate::ult, own, math.constant(all));
    e.when(isOne, [&] { finishOne(own); });
  }
}

/// Run `number` of 16 rows of the warp, from `row` on.
MmaGemm::Run MmaGemm::runAt(int64_t row, Index number) {
  Index runs = math.constant(runsOfRow());
  Index inRows = math.div(number, runs);
  Index column = math.mul(math.rem(number, runs), math.constant(runSize()));
  Index first = math.add(place.mBegin, warpRow);
  return {math.add(first, math.add(inRows, math.constant(row))),
          math.add(math.add(place.nBegin, warpColumn), column), inRows, column};
}

SmallVector<Index> MmaGemm::resultAt(Index row, Index column) {
  SmallVector<Index> loops = place.batchLoops;
  space.spread(row, space.m, loops);
  space.spread(column, space.n, loops);
  return space.resultAt(loops);
}

Value MmaGemm::isInside(const Run &run) {
  return arith::AndIOp::create(
      e.b, e.loc,
      kernel.compare(arith::CmpIPredicate::ult, run.atM, space.sizeOf(space.m)),
      kernel.compare(arith::CmpIPredicate::ult, run.atN,
                     space.sizeOf(space.n)));
}

/// Makes the run's sums those of the results at a row and a column; returns
/// their indices.
SmallVector<Index> MmaGemm::bindRun(const Run &run, Index atM, Index atN,
                                    const Memory &staging) {
  SmallVector<Elements> values;
  for (int64_t part = 0; part < layout.parts; ++part) {
    Index at =
        math.add(run.stagedColumn,
                 math.constant(part * layout.fragments() * fragmentColumns));
    values.push_back(e.elements.load(staging, {run.stagedRow, at}, runSize()));
  }
  SmallVector<Index> at = resultAt(atM, atN);
  bindNeighbours(kernel, group.ops, values, at);
  return at;
}

void MmaGemm::finishRun(const Run &run, const Memory &staging) {
  e.when(isInside(run), [&] {
    e.emitResults(group.results, bindRun(run, run.atM, run.atN, staging),
                  runSize());
  });
}

/// Asks for all that the epilogue of some runs reads, then stores them: neither
/// LLVM nor the assembler brings a load in front of a store, and each run would
/// wait for memory by itself. Those outside read the first element.
void MmaGemm::finishTogether(ArrayRef<Run> runs, const Memory &staging) {
  SmallVector<SmallVector<Elements>> results;
  for (const Run &run : runs) {
    Value inside = isInside(run);
    SmallVector<Index> at = bindRun(run, kernel.clampTo(inside, run.atM),
                                    kernel.clampTo(inside, run.atN), staging);
    SmallVector<Elements> &ofRun = results.emplace_back();
    for (unsigned number : group.results)
      ofRun.push_back(e.elements.emit(e.yielded()[number], at, runSize()));
  }
  pinLoads(e.b, e.loc);
  for (auto [run, ofRun] : llvm::zip_equal(runs, results))
    e.when(isInside(run), [&, &run = run, &ofRun = ofRun] {
      SmallVector<Index> at = resultAt(run.atM, run.atN);
      for (auto [number, elements] : llvm::zip(group.results, ofRun))
        e.elements.store(e.results[number], at, elements);
    });
}

void MmaGemm::emit(Index number) {
  locate(number);
  prepareCopies();
  SmallVector<Value> carried =
      e.reduceLoop(place.kBegin, place.kEnd, math.constant(layout.depth()),
                   pack(start()), [&](Index k, ValueRange values) {
                     State state = unpack(values);
                     multiplyKBlock(state, k);
                     return pack(state);
                   });
  size_t perPart = layout.fragments() * 4;
  tail.finish(
      unpack(carried).sums,
      [&](size_t sum) { return group.ops[sum / perPart % layout.parts]; },
      tile.threads(), place.thread,
      [&](ArrayRef<Value> sums) { finish(sums); });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void codegen::emitCUDAMma(CUDAKernel &kernel, ArrayRef<ContractionGroup> groups,
                          ArrayRef<ContractionSpace> spaces,
                          const Schedule &schedule, const Problem &problem) {
  KernelEmission &e = kernel.e;
  Value ring = sharedAddress(kernel);
  kernel.residentBlocks = schedule.resident;
  Index block = kernel.blockId(), first = e.math.constant(0), tails = first;
  AffineExpr grid = e.constantExpr(0);
  for (auto [group, space, elementType] :
       llvm::zip(groups, spaces, problem.elementTypes)) {
    Layout layout{schedule, int64_t(group.ops.size()), elementType};
    MmaGemm emitter(kernel, group, space, layout, ring, tails);
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
  e.setConfig({grid}, {schedule.tile.threads(), 1, 1}, schedule.sharedBytes(),
              {1, 1, 1}, {},
              schedule.tail.workspace(problem.tailTiles(schedule)));
}
