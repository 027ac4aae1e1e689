//===- EmitCUDAMma.cpp - Contractions on the tensor cores of warps --------===//
//
// While a warp multiplies, the next k-blocks are being copied to shared memory,
// and the next fragments are being loaded to registers. Mma.h has the parts.
//
//===----------------------------------------------------------------------===//

#include "MmaGemm.h"
#include "OperandSource.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

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
  bool isF32 = layout.elementType == ElementType::F32;
  SplitWords splitB = isF32 ? splitF32(e, state.b) : SplitWords();
  for (int64_t i = 0; i < tile.fragmentsM; ++i) {
    ArrayRef<Value> a = ArrayRef(state.a).slice(4 * i, 4);
    auto sums = MutableArrayRef(state.sums).slice(i * columns * 4, columns * 4);
    if (isF32)
      multiplyAddF32(e, splitF32(e, a), splitB, sums);
    for (int64_t j = 0; j < columns && !isF32; ++j)
      multiplyAdd(e, layout.elementType, a, ArrayRef(state.b).slice(2 * j, 2),
                  sums.slice(4 * j, 4));
    llvm::copy(loadA(stage, step, i), state.a.begin() + 4 * i);
  }
  state.b = b;
}

SmallVector<Value> MmaGemm::initialSums() {
  SmallVector<Value> sums;
  for (int64_t i = 0; i < tile.fragmentsM; ++i)
    for (linalg::GenericOp each : group.ops)
      sums.append(layout.fragments() * 4, e.initialValue(each));
  return sums;
}

SmallVector<Value> MmaGemm::firstPointers() {
  SmallVector<Value> pointers;
  for (KBlockCopy &copy : copies)
    if (copy.hasPointer())
      pointers.push_back(copy.firstPointer());
  return pointers;
}

/// Fills the ring but for its last stage, and reads the first fragments.
State MmaGemm::start() {
  State state;
  state.sums = initialSums();
  state.pointers = firstPointers();
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

SmallVector<Value> MmaGemm::sumOverK() {
  SmallVector<Value> carried =
      e.reduceLoop(place.kBegin, place.kEnd, math.constant(layout.depth()),
                   pack(start()), [&](Index k, ValueRange values) {
                     State state = unpack(values);
                     multiplyKBlock(state, k);
                     return pack(state);
                   });
  SmallVector<Value> sums = unpack(carried).sums;
  return layout.elementType == ElementType::F32 ? exactWhereNotFinite(sums)
                                                : sums;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void MmaGemm::emit(Index number) {
  locate(number);
  prepareCopies();
  size_t perPart = layout.fragments() * 4;
  tail.finish(
      sumOverK(),
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
  e.setConfig({grid}, {schedule.tile.threads(), 1, 1},
              sharedBytes(schedule, problem), {1, 1, 1}, {},
              schedule.tail.workspace(problem.tailTiles(schedule)));
}
