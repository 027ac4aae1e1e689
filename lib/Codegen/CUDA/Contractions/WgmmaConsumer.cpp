//===- WgmmaConsumer.cpp - Consumers of k-blocks on tensor cores ----------===//

#include "OperandSource.h"
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
// Consumers
//===----------------------------------------------------------------------===//

void WgmmaEmitter::consume() {
  takeTiles();
  if (schedule.store == WgmmaStore::TMA)
    awaitTMAStores();
}

void WgmmaEmitter::takeTiles() {
  RingPosition start{i32(0), i32(0)};
  if (!schedule.pingPong) {
    forEachTile(math.constant(0), 1, start,
                [&](RingPosition p) { return consumeTile(p); });
    return;
  }
  // The k-blocks of the other consumer's tiles lie between.
  Value kBlocks = toI32(
      math.ceilDiv(space.sizeOf(schedule.k), math.constant(schedule.tileK())));
  Value skipped = arith::MulIOp::create(b, loc, consumer, kBlocks);
  Index first = arith::IndexCastOp::create(b, loc, b.getIndexType(), consumer)
                    .getResult();
  // The first consumer starts at once.
  Value isSecond =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, consumer, i32(1));
  e.when(isSecond, [&] { passPingPong(); });
  forEachTile(first, 2, skip(start, skipped),
              [&](RingPosition p) { return skip(consumeTile(p), kBlocks); });
}

/// Says that this warp is done with a k-block, to every block that writes it:
/// lane l < clusterN tells the l-th block beside this one, and itself, those
/// after it the blocks above and below.
void WgmmaEmitter::release(Value stage, Value condition) {
  Index lane = math.rem(thread, math.constant(32));
  Value elected = arith::AndIOp::create(
      b, loc, isBelow(lane, math.constant(schedule.sharers())), condition);
  e.when(elected, [&] {
    Value barrier = emptyBarrier(stage);
    if (schedule.sharers() == 1) {
      NVVM::MBarrierArriveOp::create(b, loc, b.getI64Type(), barrier, Value(),
                                     NVVM::MemScopeKind::CTA, false);
      return;
    }
    Index clusterN = math.constant(schedule.clusterN);
    Value block = toI32(math.add(math.mul(rankRow(), clusterN), lane));
    if (schedule.clusterM > 1) {
      // The rows but this block's.
      Index other = math.sub(lane, clusterN);
      Value isAbove = isBelow(other, rankRow());
      Value further = toI32(math.add(other, math.constant(1)));
      Value row =
          arith::SelectOp::create(b, loc, isAbove, toI32(other), further);
      Value inColumn = add(mul(row, schedule.clusterN), toI32(rankColumn()));
      block = arith::SelectOp::create(b, loc, isBelow(lane, clusterN), block,
                                      inColumn);
    }
    // Without a scope: a release to the whole cluster waits for all memory
    // operations of the thread, and the ring would never be filled ahead.
    Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), barrier);
    LLVM::InlineAsmOp::create(
        b, loc, TypeRange(), ValueRange{address, block},
        "{\n.reg .b32 theirs;\n"
        "mapa.shared::cluster.u32 theirs, $0, $1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [theirs];\n}",
        "r,r,~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  });
}

/// Ping-pong consumers multiply one after the other: the parity of a
/// barrier says nothing about a round that is not the next.
void WgmmaEmitter::awaitPingPong() {
  NVVM::BarrierOp::create(b, loc, Type(), add(consumer, i32(3)), i32(256),
                          NVVM::BarrierReductionAttr(), Value());
}
void WgmmaEmitter::passPingPong() {
  Value other = arith::SubIOp::create(b, loc, i32(4), consumer);
  NVVM::BarrierArriveOp::create(b, loc, other, i32(256));
}

RingPosition WgmmaEmitter::consumeTile(RingPosition position) {
  if (schedule.readsSource())
    requestSources();
  if (schedule.readsSourceByWarps() && !schedule.streamK) {
    requestRows(0);
    rowsRequested = true;
  }
  if (schedule.pingPong)
    awaitPingPong();
  SmallVector<Value> sums = multiplyTile(position);
  if (schedule.splitsK()) {
    reduceSplitK(sums);
    return position;
  }
  if (schedule.streamK)
    finishShare(sums);
  else
    storeTile(sums);
  return position;
}

/// Sums of the current tile, for each of this consumer's groups of 64 rows of
/// the instruction.
/// Moves `position` on.
SmallVector<Value> WgmmaEmitter::multiplyTile(RingPosition &position) {
  SmallVector<Type> numbers(schedule.multipliedN() / 2, sumType());
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), numbers);
  SmallVector<Value> zeros(schedule.rowGroups());
  for (Value &ofGroup : zeros)
    ofGroup = LLVM::ZeroOp::create(b, loc, type);
  if (schedule.prologue.input)
    return {multiplyComputedTile(position, zeros.front())};
  if (schedule.promotes())
    return multiplyPromotedTile(position, zeros);
  SmallVector<Value> carriedIn = {position.stage, position.parity, i32(-1)};
  llvm::append_range(carriedIn, zeros);
  SmallVector<Value> end = e.reduceLoop(
      math.constant(0), endOfSums(e, kRange().second, schedule.tileK()),
      math.constant(schedule.tileK()), carriedIn,
      [&](Index, ValueRange carried) {
        RingPosition at{carried[0], carried[1]};
        waitFor(fullBarrier(at.stage), at.parity);
        SmallVector<Value> sums =
            multiplyKBlock(at.stage, carried.drop_front(3));
        // The k-block before this one has been read by now.
        NVVM::WgmmaWaitGroupSyncOp::create(b, loc, 1);
        Value before = carried[2];
        Value isStage = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                              before, i32(0));
        release(before, isStage);
        RingPosition following = next(at);
        SmallVector<Value> out = {following.stage, following.parity, at.stage};
        llvm::append_range(out, sums);
        return out;
      });
  // The other consumer's instructions queue up behind the last ones of this.
  if (schedule.pingPong)
    passPingPong();
  NVVM::WgmmaWaitGroupSyncOp::create(b, loc, 0);
  Value any =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, end[2], i32(0));
  release(end[2], any);
  position = {end[0], end[1]};
  return SmallVector<Value>(llvm::drop_begin(end, 3));
}

/// The instruction sums products of 8-bit floats with some 14 bits: the sums of
/// each k-block begin at zero, and are added to those of the tile in f32.
SmallVector<Value> WgmmaEmitter::multiplyPromotedTile(RingPosition &position,
                                                      ValueRange zeros) {
  SmallVector<Value> carriedIn = {position.stage, position.parity};
  llvm::append_range(carriedIn, zeros);
  SmallVector<Value> end = e.reduceLoop(
      math.constant(0), endOfSums(e, kRange().second, schedule.tileK()),
      math.constant(schedule.tileK()), carriedIn,
      [&](Index, ValueRange carried) {
        RingPosition at{carried[0], carried[1]};
        waitFor(fullBarrier(at.stage), at.parity);
        SmallVector<Value> unused;
        for (Value ofGroup : zeros)
          unused.push_back(LLVM::PoisonOp::create(b, loc, ofGroup.getType()));
        SmallVector<Value> kBlock =
            multiplyKBlock(at.stage, unused, /*fromZero=*/true);
        NVVM::WgmmaWaitGroupSyncOp::create(b, loc, 0);
        release(at.stage,
                arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
        RingPosition following = next(at);
        SmallVector<Value> out = {following.stage, following.parity};
        for (auto [sums, others] : llvm::zip(carried.drop_front(2), kBlock))
          out.push_back(addSums(sums, others));
        return out;
      });
  position = {end[0], end[1]};
  return SmallVector<Value>(llvm::drop_begin(end, 2));
}

Value WgmmaEmitter::addSums(Value sums, Value others) {
  auto type = cast<LLVM::LLVMStructType>(sums.getType());
  for (int64_t i = 0, size = type.getBody().size(); i < size; ++i) {
    Value mine = LLVM::ExtractValueOp::create(b, loc, sums, i);
    Value other = LLVM::ExtractValueOp::create(b, loc, others, i);
    Value sum = addSum(mine, other);
    sums = LLVM::InsertValueOp::create(b, loc, sums, sum, i);
  }
  return sums;
}

Type WgmmaEmitter::sumType() {
  return schedule.isInteger() ? Type(b.getI32Type()) : b.getF32Type();
}

Value WgmmaEmitter::addSum(Value mine, Value other) {
  if (schedule.isInteger())
    return arith::AddIOp::create(b, loc, mine, other);
  return arith::AddFOp::create(b, loc, mine, other);
}

/// The matrix descriptor of a k-block with the 128-byte swizzle: K-contiguous,
/// 8 rows are 1024 bytes apart; otherwise 8 steps of K are, and 64 rows are
/// 8192.
Value WgmmaEmitter::descriptor(const WgmmaOperand &operand, Value address) {
  int64_t leading = operand.kMajor ? 1 : (64 * rowBytes) >> 4;
  int64_t bits =
      (int64_t(1) << 62) | (int64_t(1024 >> 4) << 32) | (leading << 16);
  Value masked = arith::AndIOp::create(b, loc, address, i32(0x3ffff));
  Value units = arith::ShRUIOp::create(b, loc, masked, i32(4));
  Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), units);
  Value constant = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(bits));
  return arith::OrIOp::create(b, loc, wide, constant);
}

/// A descriptor of what lies `bytes` further on.
Value WgmmaEmitter::advance(Value start, int64_t bytes) {
  Value by = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(bytes >> 4));
  return arith::AddIOp::create(b, loc, start, by);
}

/// `kBlock`, or this consumer's part where each multiplies rows of its own.
Value WgmmaEmitter::ownRows(Value kBlock) {
  if (schedule.pingPong || schedule.consumers() == 1)
    return kBlock;
  return add(kBlock, mul(consumer, schedule.rowGroups() * 64 * rowBytes));
}

Value WgmmaEmitter::stageOfA(Value stage) {
  return add(base, mul(stage, stageBytesA()));
}

Value WgmmaEmitter::stageOfB(Value stage) {
  return add(add(base, i32(schedule.stages * stageBytesA())),
             mul(stage, stageBytesB()));
}

/// Adds the products of a k-block to `accumulators`, or to zeros.
SmallVector<Value> WgmmaEmitter::multiplyKBlock(Value stage,
                                                ValueRange accumulators,
                                                bool fromZero) {
  constexpr int64_t groupBytes = 64 * rowBytes;
  // The k-blocks of all contractions' B follow each other.
  WgmmaOperand rows = schedule.a, columns = schedule.b.front();
  Value left = stageOfA(stage), right = stageOfB(stage);
  if (schedule.swapAB) {
    std::swap(rows, columns);
    std::swap(left, right);
  }
  left = descriptor(rows, ownRows(left));
  right = descriptor(columns, right);
  auto shape = NVVM::MMAShapeAttr::get(
      b.getContext(), 64, schedule.multipliedN(), schedule.stepK());
  NVVM::WgmmaFenceAlignedOp::create(b, loc);
  SmallVector<Value> sums(accumulators);
  for (int64_t step = 0; step < schedule.tileK() / schedule.stepK(); ++step)
    for (auto [group, sum] : llvm::enumerate(sums))
      sum = NVVM::WgmmaMmaAsyncOp::create(
          b, loc, sum.getType(), sum,
          advance(left, group * groupBytes + step * stepBytes(rows)),
          advance(right, step * stepBytes(columns)), shape, schedule.type,
          schedule.type,
          schedule.isInteger() ? NVVM::WGMMATypes::s32 : NVVM::WGMMATypes::f32,
          fromZero && step == 0 ? NVVM::WGMMAScaleOut::zero
                                : NVVM::WGMMAScaleOut::one,
          NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
          rows.kMajor ? NVVM::MMALayout::row : NVVM::MMALayout::col,
          columns.kMajor ? NVVM::MMALayout::col : NVVM::MMALayout::row,
          NVVM::MMAIntOverflowAttr());
  NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);
  return sums;
}

Value WgmmaEmitter::isFirstOfConsumer() {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                               math.value(math.rem(thread, math.constant(128))),
                               math.value(math.constant(0)));
}

/// All threads of all consumers.
void WgmmaEmitter::syncConsumers() {
  NVVM::BarrierOp::create(b, loc, Type(), i32(5),
                          i32(128 * schedule.consumers()),
                          NVVM::BarrierReductionAttr(), Value());
}

/// All threads of this consumer.
void WgmmaEmitter::syncConsumer() {
  NVVM::BarrierOp::create(b, loc, Type(), add(consumer, i32(1)), i32(128),
                          NVVM::BarrierReductionAttr(), Value());
}
