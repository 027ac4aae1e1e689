//===- WgmmaConsumer.cpp - Tensor-core consumers and their epilogue -------===//

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
  RingPosition start{i32(0), i32(0)};
  if (!plan.pingPong) {
    forEachTile(math.constant(0), 1, start,
                [&](RingPosition p) { return consumeTile(p); });
    return;
  }
  // The slices of the other consumer's tiles lie between.
  Value slices = toI32(math.ceilDiv(sizeOf(plan.k), math.constant(tileK)));
  Value skipped = arith::MulIOp::create(b, loc, consumer, slices);
  Index first = arith::IndexCastOp::create(b, loc, b.getIndexType(), consumer)
                    .getResult();
  // The first consumer starts at once.
  Value isSecond =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, consumer, i32(1));
  e.when(isSecond, [&] { passTurn(); });
  forEachTile(first, 2, skip(start, skipped),
              [&](RingPosition p) { return skip(consumeTile(p), slices); });
}

/// Says that this warp is done with a slice, to every block that writes it.
void WgmmaEmitter::release(Value slot, Value condition) {
  Index lane = math.rem(thread, math.constant(32));
  Value elected =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, math.value(lane),
                            math.value(math.constant(plan.cluster)));
  elected = arith::AndIOp::create(b, loc, elected, condition);
  e.when(elected, [&] {
    Value barrier = emptyBarrier(slot);
    if (plan.cluster == 1) {
      NVVM::MBarrierArriveOp::create(b, loc, b.getI64Type(), barrier, Value(),
                                     NVVM::MemScopeKind::CTA, false);
      return;
    }
    // Without a scope: a release to the whole cluster waits for all memory
    // operations of the thread, and the ring would never be filled ahead.
    Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), barrier);
    LLVM::InlineAsmOp::create(
        b, loc, TypeRange(), ValueRange{address, toI32(lane)},
        "{\n.reg .b32 theirs;\n"
        "mapa.shared::cluster.u32 theirs, $0, $1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [theirs];\n}",
        "r,r,~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  });
}

/// Consumers that take turns multiply one after the other: the parity of a
/// barrier says nothing about a round that is not the next.
void WgmmaEmitter::awaitTurn() {
  NVVM::BarrierOp::create(b, loc, Type(), add(consumer, i32(3)), i32(256),
                          NVVM::BarrierReductionAttr(), Value());
}
void WgmmaEmitter::passTurn() {
  Value other = arith::SubIOp::create(b, loc, i32(4), consumer);
  NVVM::BarrierArriveOp::create(b, loc, other, i32(256));
}

RingPosition WgmmaEmitter::consumeTile(RingPosition position) {
  SmallVector<Type> floats(plan.tileN / 2, b.getF32Type());
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), floats);
  SmallVector<Value> carriedIn = {position.slot, position.parity, i32(-1)};
  for (int64_t group = 0; group < plan.rowGroups(); ++group)
    carriedIn.push_back(LLVM::ZeroOp::create(b, loc, type));
  if (plan.pingPong)
    awaitTurn();
  SmallVector<Value> end = e.reduceLoop(
      math.constant(0), sizeOf(plan.k), math.constant(tileK), carriedIn,
      [&](Index, ValueRange carried) {
        RingPosition at{carried[0], carried[1]};
        waitFor(fullBarrier(at.slot), at.parity);
        SmallVector<Value> sums = multiplySlice(at.slot, carried.drop_front(3));
        // The slice before this one has been read by now.
        NVVM::WgmmaWaitGroupSyncOp::create(b, loc, 1);
        Value before = carried[2];
        Value isSlot = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                             before, i32(0));
        release(before, isSlot);
        RingPosition following = next(at);
        SmallVector<Value> out = {following.slot, following.parity, at.slot};
        llvm::append_range(out, sums);
        return out;
      });
  NVVM::WgmmaWaitGroupSyncOp::create(b, loc, 0);
  Value any =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, end[2], i32(0));
  release(end[2], any);
  if (plan.pingPong)
    passTurn();
  for (int64_t group = 0; group < plan.rowGroups(); ++group)
    emitEpilogue(end[3 + group], group);
  return {end[0], end[1]};
}

/// The matrix descriptor of a slice with the 128-byte swizzle: K-contiguous, 8
/// rows are 1024 bytes apart; otherwise 8 steps of K are, and 64 rows are 8192.
Value WgmmaEmitter::descriptor(const WgmmaOperand &operand, Value address) {
  int64_t leading = operand.kMajor ? 1 : (64 * tileK * 2) >> 4;
  int64_t bits =
      (int64_t(1) << 62) | (int64_t(1024 >> 4) << 32) | (leading << 16);
  Value masked = arith::AndIOp::create(b, loc, address, i32(0x3ffff));
  Value units = arith::ShRUIOp::create(b, loc, masked, i32(4));
  Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), units);
  Value constant = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(bits));
  return arith::OrIOp::create(b, loc, wide, constant);
}

SmallVector<Value> WgmmaEmitter::multiplySlice(Value slot,
                                               ValueRange accumulators) {
  constexpr int64_t groupBytes = 64 * tileK * 2;
  Value atA = add(base, mul(slot, sliceA()));
  if (!plan.pingPong)
    atA = add(atA, mul(consumer, groupBytes));
  Value atB = add(add(base, i32(plan.stages * sliceA())), mul(slot, sliceB()));
  Value left = descriptor(plan.a, atA), right = descriptor(plan.b, atB);
  auto shape = NVVM::MMAShapeAttr::get(b.getContext(), 64, plan.tileN, stepK);
  auto advance = [&](Value start, int64_t bytes) -> Value {
    Value by =
        arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(bytes >> 4));
    return arith::AddIOp::create(b, loc, start, by);
  };
  auto stepBytes = [](const WgmmaOperand &operand) {
    return operand.kMajor ? stepK * 2 : stepK * 128;
  };
  NVVM::WgmmaFenceAlignedOp::create(b, loc);
  SmallVector<Value> sums(accumulators);
  for (int64_t step = 0; step < tileK / stepK; ++step)
    for (auto [group, sum] : llvm::enumerate(sums))
      sum = NVVM::WgmmaMmaAsyncOp::create(
          b, loc, sum.getType(), sum,
          advance(left, group * groupBytes + step * stepBytes(plan.a)),
          advance(right, step * stepBytes(plan.b)), shape, number(), number(),
          NVVM::WGMMATypes::f32, NVVM::WGMMAScaleOut::one,
          NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
          plan.a.kMajor ? NVVM::MMALayout::row : NVVM::MMALayout::col,
          plan.b.kMajor ? NVVM::MMALayout::col : NVVM::MMALayout::row,
          NVVM::MMAIntOverflowAttr());
  NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);
  return sums;
}

/// The operands' type as the instruction names it.
NVVM::WGMMATypes WgmmaEmitter::number() {
  auto type = cast<RankedTensorType>(plan.op.getInputs()[0].getType());
  return type.getElementType().isBF16() ? NVVM::WGMMATypes::bf16
                                        : NVVM::WGMMATypes::f16;
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

/// All threads of this consumer.
void WgmmaEmitter::syncConsumer() {
  NVVM::BarrierOp::create(b, loc, Type(), add(consumer, i32(1)), i32(128),
                          NVVM::BarrierReductionAttr(), Value());
}

/// Some columns at a time go through shared memory, so that a thread gets 8
/// neighbours of a row and all accesses of the epilogue are 16 bytes wide.
void WgmmaEmitter::emitEpilogue(Value accumulators, int64_t group) {
  for (int64_t chunk = 0; chunk < plan.tileN / plan.chunk(); ++chunk) {
    syncConsumer();
    stage(accumulators, chunk);
    syncConsumer();
    finishChunk(chunk, group);
  }
}

/// Thread t of a consumer holds rows t / 32 * 16 + t % 32 / 4 (+ 8) and columns
/// 8 j + t % 4 * 2 (+ 1).
void WgmmaEmitter::stage(Value accumulators, int64_t chunk) {
  Value t = toI32(math.rem(thread, math.constant(128)));
  Value lane = arith::RemUIOp::create(b, loc, t, i32(32));
  Value warp = arith::DivUIOp::create(b, loc, t, i32(32));
  Value row = add(mul(warp, 16), arith::DivUIOp::create(b, loc, lane, i32(4)));
  Value column = mul(arith::RemUIOp::create(b, loc, lane, i32(4)), 2);
  Value start =
      add(add(base, i32(stagingAt())), mul(consumer, 64 * stagingRow * 4));
  Value at = add(start, add(mul(row, stagingRow * 4), mul(column, 4)));
  auto pair = VectorType::get({2}, b.getF32Type());
  for (int64_t j = 0; j < plan.chunk() / 8; ++j)
    for (int64_t half = 0; half < 2; ++half) {
      SmallVector<Value> values;
      for (int64_t i = 0; i < 2; ++i)
        values.push_back(LLVM::ExtractValueOp::create(
            b, loc, accumulators,
            ArrayRef<int64_t>{(chunk * plan.chunk() / 8 + j) * 4 + half * 2 +
                              i}));
      Value vector = vector::FromElementsOp::create(b, loc, pair, values);
      Value to = pointer(add(at, i32(half * 8 * stagingRow * 4 + j * 32)));
      LLVM::StoreOp::create(b, loc, vector, to, 8);
    }
}

void WgmmaEmitter::finishChunk(int64_t chunk, int64_t group) {
  int64_t runs = plan.chunk() / 8; // of 8 columns in a row
  Index t = math.rem(thread, math.constant(128));
  Index number =
      math.sub(math.div(thread, math.constant(128)), math.constant(1));
  Index stagedFirst = math.mul(number, math.constant(64));
  Index tileFirst = plan.pingPong ? math.constant(group * 64) : stagedFirst;
  Index column = math.mul(math.rem(t, math.constant(runs)), math.constant(8));
  Index atN = math.add(
      math.add(columnBegin, math.constant(chunk * plan.chunk())), column);
  for (int64_t piece = 0; piece < runs / 2; ++piece) {
    Index row = math.add(math.div(t, math.constant(runs)),
                         math.constant(piece * 128 / runs));
    finishRun(math.add(tileFirst, row), math.add(stagedFirst, row), column,
              atN);
  }
}

/// Runs the epilogue on 8 neighbours of row `inTile` of the tile, which are in
/// row `staged` of the staging area, and stores them.
void WgmmaEmitter::finishRun(Index inTile, Index staged, Index column,
                             Index atN) {
  Index atM = math.add(rowBegin, inTile);
  auto below = [&](Index index, Index size) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                 math.value(index), math.value(size));
  };
  Value inside = arith::AndIOp::create(b, loc, below(atM, sizeOf(plan.m)),
                                       below(atN, sizeOf(plan.n)));
  Memory staging{
      pointer(add(base, i32(stagingAt()))),
      b.getF32Type(),
      {math.constant(plan.consumers() * 64), math.constant(stagingRow)},
      16,
      false};
  e.when(inside, [&] {
    SmallVector<Index> loops(plan.op.getNumLoops(), math.constant(0));
    if (!plan.batch.empty())
      loops[plan.batch.front()] = tileBatch;
    loops[plan.n.front()] = atN;
    SmallVector<Index> box;
    for (unsigned dim : plan.m)
      box.push_back(sizes[dim]);
    for (auto [dim, index] : llvm::zip(plan.m, math.delinearize(atM, box)))
      loops[dim] = index;
    e.elements.bindSource(
        plan.op.getResult(0), [&](ArrayRef<Index>, int64_t lanes) {
          return e.elements.load(staging, {staged, column}, lanes);
        });
    SmallVector<Index> at;
    for (AffineExpr expr : plan.op.getIndexingMapsArray().back().getResults())
      at.push_back(math.evaluate(expr, loops));
    e.emitResults(at, 8);
  });
}
