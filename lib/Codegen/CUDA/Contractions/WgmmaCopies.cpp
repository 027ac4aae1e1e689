//===- WgmmaCopies.cpp - K-blocks for the tensor cores of warp groups -----===//
//
// One thread copies the k-blocks of both operands with TMA. What lies beyond
// the end of an operand takes TMA several times as long as what lies inside
// (bench/results/notes-gemm.md 26), and a tile that has rows there would hold
// up all others: there, boxes are as short as what is left, and the barrier
// expects fewer bytes. The rest of the stage keeps what it had: its rows are of
// no result.
//
//===----------------------------------------------------------------------===//

#include "WgmmaEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::wgmma;

//===----------------------------------------------------------------------===//
// Rows at the end
//===----------------------------------------------------------------------===//

KBlockRows WgmmaEmitter::rowsOfA() {
  return {rowBegin,       space.sizeOf(schedule.m), schedule.rowsA,
          schedule.rowsA, schedule.copiedA(),       schedule.edgeA,
          rankColumn(),   schedule.endBoxesA()};
}
KBlockRows WgmmaEmitter::rowsOfB() {
  return {columnBegin,      space.sizeOf(schedule.n), schedule.partN(),
          schedule.stepN(), schedule.copiedB(),       schedule.edgeB,
          rankRow(),        schedule.endBoxesB()};
}

/// Rows that are copied for the last of the tiles of `size` rows.
static int64_t rowsOfLast(const KBlockRows &of, int64_t size) {
  int64_t before = tilesAcross(size, of.tile, of.step) - 1;
  int64_t last = size - before * of.step, whole = last / of.slice * of.slice;
  int64_t boxes = llvm::alignTo(last - whole, of.edge);
  return whole + std::min(boxes, of.slice);
}

/// Rows from `first` on, i32; 0 or less where that is the end or beyond.
Value WgmmaEmitter::rowsLeft(const KBlockRows &of, Index first) {
  return arith::SubIOp::create(b, loc, toI32(of.size), toI32(first));
}

/// Rows that boxes at the end copy of up to `maxRows`, which `edge` divides,
/// from `first` on, i32.
Value WgmmaEmitter::rowsCopied(const KBlockRows &of, Index first,
                               int64_t maxRows) {
  Value some = arith::MaxSIOp::create(b, loc, rowsLeft(of, first), i32(0));
  Value rows = arith::MinSIOp::create(b, loc, some, i32(maxRows));
  Value up = add(rows, i32(of.edge - 1));
  return arith::AndIOp::create(b, loc, up, i32(-of.edge));
}

/// Rows of the tile that all blocks of the cluster copy together, i32.
Value WgmmaEmitter::rowsToExpect(const KBlockRows &of) {
  if (of.edge == 0)
    return i32(of.tile);
  auto known = IndexMath::constantOf(of.size);
  if (!known)
    return rowsCopied(of, of.first, of.tile);
  Value left = rowsLeft(of, of.first);
  auto is = [&](arith::CmpIPredicate predicate, int64_t rows) {
    return arith::CmpIOp::create(b, loc, predicate, left, i32(rows));
  };
  Value some = arith::SelectOp::create(b, loc, is(arith::CmpIPredicate::sgt, 0),
                                       i32(rowsOfLast(of, *known)), i32(0));
  return arith::SelectOp::create(b, loc, is(arith::CmpIPredicate::sge, of.tile),
                                 i32(of.tile), some);
}

//===----------------------------------------------------------------------===//
// Rows that nothing is copied to
//===----------------------------------------------------------------------===//

/// The rows that are copied for every tile, i32. Of a cluster, some tile may
/// have none.
Value WgmmaEmitter::rowsAtLeast(const KBlockRows &of) {
  if (of.edge == 0)
    return i32(of.tile);
  auto known = IndexMath::constantOf(of.size);
  bool some = known && schedule.cluster() == schedule.split;
  return i32(some ? rowsOfLast(of, *known) : 0);
}

/// Zeros for the rows of k-blocks from `rows` on, in all stages, of which the
/// first is at `first`.
void WgmmaEmitter::clearStages(Value first, Value rows, int64_t tile,
                               int64_t stageBytes) {
  auto type = VectorType::get({4}, b.getI32Type());
  Value zeros = arith::ConstantOp::create(b, loc, type, b.getZeroAttr(type));
  Value none = arith::SubIOp::create(b, loc, i32(tile), rows);
  Index pieces = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                            mul(none, rowBytes / 16))
                     .getResult();
  Value begin = add(first, mul(rows, rowBytes));
  e.loop(thread, pieces, math.constant(128 * (1 + schedule.consumers())),
         [&](Index piece) {
           Value at = add(begin, mul(toI32(piece), 16));
           for (int64_t stage = 0; stage < schedule.stages; ++stage)
             LLVM::StoreOp::create(
                 b, loc, zeros, pointer(add(at, i32(stage * stageBytes))), 16);
         });
}

/// Zeros for the rows of stages that matrix instructions may read before
/// anything was copied there: those beyond the end in this block's first tile,
/// and in others where that does not go through all stages.
void WgmmaEmitter::clearRows() {
  bool fewer = schedule.rowsA < schedule.tileM;
  if (!fewer && schedule.edgeA == 0 && schedule.edgeB == 0)
    return;
  auto k = IndexMath::constantOf(space.sizeOf(schedule.k));
  bool one = k && !schedule.streamK &&
             *k / schedule.tileK() / schedule.split >= schedule.stages;
  if (one) {
    Index block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x).getResult();
    locate(math.div(block, math.constant(schedule.cluster())));
  }
  auto rows = [&](const KBlockRows &of) {
    return one ? rowsToExpect(of) : rowsAtLeast(of);
  };
  if (fewer)
    clearStages(stageOfA(i32(0)), i32(schedule.rowsA), schedule.tileM,
                stageBytesA());
  else if (schedule.edgeA != 0)
    clearStages(stageOfA(i32(0)), rows(rowsOfA()), schedule.tileM,
                stageBytesA());
  for (int64_t part = 0; schedule.edgeB != 0 && part < schedule.parts(); ++part)
    clearStages(add(stageOfB(i32(0)), i32(part * schedule.partN() * rowBytes)),
                rows(rowsOfB()), schedule.partN(), stageBytesB());
  fenceAsync();
}

//===----------------------------------------------------------------------===//
// Before the wait for the kernels in front
//===----------------------------------------------------------------------===//

bool WgmmaEmitter::isSteady(const WgmmaOperand &operand) {
  auto tensors = llvm::make_filter_range(
      e.kernel.getBody().getArguments(), [](BlockArgument argument) {
        return isa<RankedTensorType>(argument.getType());
      });
  return codegen::isSteady(e.kernel,
                           *std::next(tensors.begin(), operand.buffer));
}

/// Bytes that a block copies ahead: with more, what follows the wait is held up
/// behind them (bench/results/notes-gemm.md 34).
static constexpr int64_t maxBytesAhead = 48 << 10;

/// How many k-blocks of operands that no kernel in front writes, as weights
/// are, a block copies before the wait for these kernels, where its first tile
/// has as many.
int64_t WgmmaEmitter::stagesAhead() {
  if (!prefetches || !e.kernel.getWaitsFor())
    return 0;
  int64_t rows = isSteady(schedule.a) ? schedule.tileM : 0;
  for (const WgmmaOperand &operand : schedule.b)
    rows += isSteady(operand) ? schedule.partN() : 0;
  return rows == 0 ? 0
                   : std::clamp<int64_t>(maxBytesAhead / (rows * rowBytes), 1,
                                         schedule.stages);
}

/// Starts to fill the stages for the first tile of this block.
void WgmmaEmitter::copyAhead() {
  Index kBlocks = math.min(locateFirst(), math.constant(stagesAhead()));
  auto [begin, size] = kRange();
  e.loop(math.constant(0), kBlocks, math.constant(1),
         [&, begin = begin, size = size](Index number) {
           Index k = math.mul(number, math.constant(schedule.tileK()));
           startStage({toI32(number), i32(0)},
                      math.add(begin, rotated(k, size)), Operands::Steady);
         });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Copies a k-block, which begins at `inTile` of the part of K that the tile
/// has, and at `k`.
void WgmmaEmitter::fillStage(RingPosition position, Index inTile, Index k) {
  Value other = arith::XOrIOp::create(b, loc, position.parity, i32(1));
  waitFor(emptyBarrier(position.stage), other);
  int64_t ahead = stagesAhead();
  if (ahead == 0)
    return startStage(position, k, Operands::All);
  Value isStarted = arith::AndIOp::create(
      b, loc, isFirstTile,
      isBelow(inTile, math.constant(ahead * schedule.tileK())));
  e.when(isStarted, [&] { copyKBlock(position, k, Operands::Changing); });
  Value always = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  e.when(arith::XOrIOp::create(b, loc, isStarted, always),
         [&] { startStage(position, k, Operands::All); });
}

/// Says how many bytes of both operands come, and starts the copies of `which`.
void WgmmaEmitter::startStage(RingPosition position, Index k, Operands which) {
  Value bytesB = mul(rowsToExpect(rowsOfB()), schedule.parts() * rowBytes);
  NVVM::MBarrierArriveExpectTxOp::create(
      b, loc, Type(), fullBarrier(position.stage),
      add(mul(rowsToExpect(rowsOfA()), rowBytes), bytesB),
      NVVM::MemScopeKind::CTA, false, Value());
  copyKBlock(position, k, which);
}

void WgmmaEmitter::copyKBlock(RingPosition position, Index k, Operands which) {
  Value full = fullBarrier(position.stage);
  Index row = rankRow(), column = rankColumn();
  KBlockRows ofA = rowsOfA(), ofB = rowsOfB();
  auto copies = [&](const WgmmaOperand &operand) {
    return which == Operands::All ||
           isSteady(operand) == (which == Operands::Steady);
  };
  Value atA = stageOfA(position.stage), atB = stageOfB(position.stage);
  auto blocks = [&](int64_t mask, Value shift) -> Value {
    Value shifted = arith::ShLIOp::create(b, loc, i32(mask), shift);
    return arith::TruncIOp::create(b, loc, b.getI16Type(), shifted);
  };
  Value beside, below;
  if (schedule.clusterN > 1 && !schedule.hasNorm())
    beside = blocks((1 << schedule.clusterN) - 1,
                    mul(toI32(row), schedule.clusterN));
  if (schedule.clusterM > 1) {
    int64_t mask = 0;
    for (int64_t i = 0; i < schedule.clusterM; ++i)
      mask |= int64_t(1) << (i * schedule.clusterN);
    below = blocks(mask, toI32(column));
  }
  ArrayRef<Value> endMaps = ArrayRef(maps).drop_front(1 + schedule.parts());
  size_t ofEndA = ofA.endBoxes.size(), ofEndB = ofB.endBoxes.size();
  if (copies(schedule.a))
    copyOperand(ofA, schedule.a, maps[0], endMaps.take_front(ofEndA), atA, full,
                toI32(k), beside);
  endMaps = endMaps.drop_front(ofEndA);
  for (int64_t part = 0; part < schedule.parts(); ++part)
    if (copies(schedule.b[part]))
      copyOperand(ofB, schedule.b[part], maps[1 + part],
                  endMaps.slice(part * ofEndB, ofEndB),
                  add(atB, i32(part * schedule.partN() * rowBytes)), full,
                  toI32(k), below);
}

/// Copies this block's slice of a k-block: one box when K is contiguous, else
/// one for each 64 rows. `blocks` says which blocks of the cluster get it; null
/// for this one alone.
void WgmmaEmitter::copyOperand(const KBlockRows &of,
                               const WgmmaOperand &operand, Value map,
                               ArrayRef<Value> endMaps, Value at, Value full,
                               Value k, Value blocks) {
  Index first = of.first;
  if (blocks) {
    Index begin = math.mul(of.part, math.constant(of.slice));
    first = math.add(first, begin);
    at = add(at, toI32(math.mul(begin, math.constant(rowBytes))));
  }
  Value row = toI32(math.add(first, math.constant(operand.rowBegin())));
  k = add(k, i32(operand.kBegin()));
  auto copy = [&](Value from, Value begin) {
    Value to = add(at, mul(begin, rowBytes));
    Value beginRow = add(row, begin);
    SmallVector<Value> box = operand.kMajor ? SmallVector<Value>{k, beginRow}
                                            : SmallVector<Value>{beginRow, k};
    if (operand.batched)
      box.push_back(toI32(tileBatch));
    copyBox(to, from, box, full, blocks);
  };
  int64_t step = operand.kMajor ? of.slice : 64;
  if (of.edge != 0 && operand.kMajor)
    return IndexMath::constantOf(of.size)
               ? copyKnownRows(of, first, map, endMaps, copy)
               : copyUnknownRows(of, first, map, endMaps, copy);
  for (int64_t begin = 0; begin < of.slice; begin += step)
    whenMore(of, first, begin, [&] { copy(map, i32(begin)); });
}

/// Where the operand has more than `rows` rows from `first` on.
void WgmmaEmitter::whenMore(const KBlockRows &of, Index first, int64_t rows,
                            llvm::function_ref<void()> then) {
  if (of.edge == 0)
    return then();
  e.when(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                               rowsLeft(of, first), i32(rows)),
         then);
}

/// Copies one box: that of a whole slice, or at the end that of `endMaps`, if
/// it has all rows that are left.
void WgmmaEmitter::copyKnownRows(const KBlockRows &of, Index first, Value map,
                                 ArrayRef<Value> endMaps, CopyRows copy) {
  if (endMaps.empty())
    return whenMore(of, first, 0, [&] { copy(map, i32(0)); });
  Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                     rowsLeft(of, first), i32(of.edge));
  auto choice = scf::IfOp::create(b, loc, more, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(choice.thenBlock()->getTerminator());
  copy(map, i32(0));
  b.setInsertionPoint(choice.elseBlock()->getTerminator());
  whenMore(of, first, 0, [&] { copy(endMaps.front(), i32(0)); });
}

/// Copies one box of a whole slice, or at the end at most two: as many times
/// `longEndBox` rows as there are, and what is left of them, so that little
/// lies beyond the end. `endMaps` has the maps of the rest, and then those of
/// the others.
void WgmmaEmitter::copyUnknownRows(const KBlockRows &of, Index first, Value map,
                                   ArrayRef<Value> endMaps, CopyRows copy) {
  Value left = rowsCopied(of, first, of.slice);
  Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, left,
                                        i32(of.slice));
  Value ofEnd = arith::AndIOp::create(b, loc, left, i32(-longEndBox));
  Value rows = arith::SelectOp::create(b, loc, isWhole, i32(of.slice), ofEnd);
  SmallVector<RowBox> boxes, rests;
  for (auto [box, endMap] : llvm::zip(of.endBoxes, endMaps))
    (box < longEndBox ? rests : boxes).push_back({box, endMap});
  boxes.push_back({of.slice, map});
  copyBoxOf(rows, boxes, [&](Value from) { copy(from, i32(0)); });
  if (rests.empty())
    return;
  Value ofRest = arith::AndIOp::create(b, loc, left, i32(longEndBox - 1));
  Value rest = arith::SelectOp::create(b, loc, isWhole, i32(0), ofRest);
  copyBoxOf(rest, rests, [&](Value from) { copy(from, rows); });
}

/// Copies with the map of the box that has `rows` rows, if there is one. Maps
/// are not selected in front of the loop: the thread that copies has few
/// registers.
void WgmmaEmitter::copyBoxOf(Value rows, ArrayRef<RowBox> boxes,
                             llvm::function_ref<void(Value)> copy) {
  RowBox box = boxes.back();
  Value isIt = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rows,
                                     i32(box.rows));
  auto choice = scf::IfOp::create(b, loc, isIt,
                                  /*withElseRegion=*/boxes.size() > 1);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(choice.thenBlock()->getTerminator());
  copy(box.map);
  if (boxes.size() == 1)
    return;
  b.setInsertionPoint(choice.elseBlock()->getTerminator());
  copyBoxOf(rows, boxes.drop_back(), copy);
}

/// Copies the box of `map` at `box` to shared memory, of all of `blocks` of the
/// cluster if there are any, under an mbarrier.
void WgmmaEmitter::copyBox(Value to, Value map, ValueRange box, Value barrier,
                           Value blocks) {
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b, loc, clusterPointer(b, loc, to), map, box, barrier, ValueRange(),
      blocks, Value(), NVVM::TMALoadMode::TILE, false, NVVM::CTAGroupKindAttr(),
      Value());
}
