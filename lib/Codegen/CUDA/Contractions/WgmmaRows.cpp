//===- WgmmaRows.cpp - Results from whole rows of a tile's sums -----------===//
//
// With swapAB, neighbours of a row are not in the same thread, and with split-K
// their sums are not in the same block. The tile's sums then go through shared
// memory as rows of f32, and each thread takes runs of a row.
//
//===----------------------------------------------------------------------===//

#include "WgmmaEmitter.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::wgmma;

//===----------------------------------------------------------------------===//
// swapAB
//===----------------------------------------------------------------------===//

/// Some of the tile's rows, of sums of 64 of its columns in each of `sums`,
/// transposed on the way to rows at `to`. A warp writes 8 neighbours in each of
/// 4 rows that are 8 banks apart: no two lanes in one bank.
void WgmmaEmitter::stageTransposed(ValueRange sums, Value to, int64_t firstRow,
                                   int64_t rows) {
  int64_t rowBytes = tileRow(schedule) * 4;
  // The instruction's rows are the tile's columns.
  Value at = add(to, add(mul(toI32(fragmentColumn()), rowBytes),
                         mul(toI32(fragmentRow()), 4)));
  if (schedule.consumers() > 1)
    at = add(at, mul(consumer, schedule.rowGroups() * 64 * 4));
  for (auto [group, accumulators] : llvm::enumerate(sums))
    for (int64_t i = firstRow / 2; i < (firstRow + rows) / 2; ++i) {
      int64_t row = i / 4 * 8 + i % 2 - firstRow;
      int64_t column = group * 64 + i / 2 % 2 * 8;
      Value value = LLVM::ExtractValueOp::create(b, loc, accumulators,
                                                 ArrayRef<int64_t>{i});
      LLVM::StoreOp::create(
          b, loc, value, pointer(add(at, i32(row * rowBytes + column * 4))), 4);
    }
}

/// Stores a transposed tile, some rows at a time: what the epilogue reads and
/// writes are runs of a row.
void WgmmaEmitter::storeTransposed(ValueRange sums) {
  Value staging = add(base, i32(stagingBegin));
  int64_t rows = schedule.transposedRows();
  for (int64_t first = 0; first < schedule.tileM; first += rows) {
    syncConsumers();
    stageTransposed(sums, staging, first, rows);
    syncConsumers();
    finishRows(stagedRows(staging, rows), math.constant(first),
               math.constant(rows), rows);
  }
}

//===----------------------------------------------------------------------===//
// Split-K reduction
//===----------------------------------------------------------------------===//

/// Each block finishes a share of the tile's rows. It sends the other rows to
/// their blocks' shared memory, where each sender has a place of its own, so
/// that no block has to wait before it sends.
void WgmmaEmitter::reduceSplitK(ValueRange accumulators) {
  syncConsumers(); // all have read their k-blocks: the ring's memory is free
  int64_t rowFloats = tileRow(schedule);
  if (schedule.swapAB)
    stageTransposed(accumulators, base, 0, schedule.tileM);
  else
    stage(accumulators.front(), 0, schedule.tileN,
          add(base, mul(consumer, 64 * rowFloats * 4)), rowFloats);
  fenceAsync();
  syncConsumers();
  Index begin = math.min(math.mul(rank, math.constant(schedule.shareRows())),
                         math.constant(schedule.rowsA));
  Index rows = math.min(math.sub(math.constant(schedule.rowsA), begin),
                        math.constant(schedule.shareRows()));
  Value sender =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                            math.value(thread), math.value(math.constant(128)));
  e.when(sender, [&] {
    Value bytes = toI32(math.mul(
        rows, math.constant((schedule.split - 1) * schedule.sumBytesOfRow())));
    NVVM::MBarrierArriveExpectTxOp::create(b, loc, Type(), sumsBarrier(), bytes,
                                           NVVM::MemScopeKind::CTA, false,
                                           Value());
    sendShares();
  });
  waitFor(sumsBarrier(), i32(0));
  finishShareOfRows(begin, rows);
}

/// Where block `number` sends its sums for this block's share.
Value WgmmaEmitter::sumsOfBlock(Value number) {
  return add(add(base, i32(stagingBegin)),
             mul(number, schedule.shareRows() * schedule.sumBytesOfRow()));
}

/// Says that the sums of all blocks are there.
Value WgmmaEmitter::sumsBarrier() {
  return pointer(add(base, i32(barriersAt(schedule) + schedule.stages * 16)));
}

/// Sends each other block its share of the rows.
void WgmmaEmitter::sendShares() {
  Value to = sumsOfBlock(toI32(rank));
  Value barrier =
      LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), sumsBarrier());
  for (int64_t block = 0; block < schedule.split; ++block) {
    int64_t begin = block * schedule.shareRows();
    int64_t rows = std::min(schedule.rowsA - begin, schedule.shareRows());
    if (rows <= 0)
      continue;
    Value isOther = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                          toI32(rank), i32(block));
    e.when(isOther, [&] {
      Value from = add(base, i32(begin * schedule.sumBytesOfRow()));
      LLVM::InlineAsmOp::create(
          b, loc, TypeRange(),
          ValueRange{to, from, i32(rows * schedule.sumBytesOfRow()), barrier,
                     i32(block)},
          "{\n.reg .b32 theirs, told;\n"
          "mapa.shared::cluster.u32 theirs, $0, $4;\n"
          "mapa.shared::cluster.u32 told, $3, $4;\n"
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx"
          "::bytes [theirs], [$1], $2, [told];\n}",
          "r,r,r,r,r,~{memory}", /*has_side_effects=*/true,
          /*is_align_stack=*/false, LLVM::TailCallKind::None,
          LLVM::AsmDialectAttr(), ArrayAttr());
    });
  }
}

/// Adds up what the blocks have of `rows` rows of the tile, from `begin` on, in
/// their order: the same bits every time.
void WgmmaEmitter::finishShareOfRows(Index begin, Index rows) {
  Value own = add(
      base, toI32(math.mul(begin, math.constant(schedule.sumBytesOfRow()))));
  SmallVector<Memory> sums;
  for (int64_t block = 0; block < schedule.split; ++block) {
    Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        toI32(rank), i32(block));
    Value at =
        arith::SelectOp::create(b, loc, isOwn, own, sumsOfBlock(i32(block)));
    sums.push_back(stagedRows(at, schedule.shareRows()));
  }
  finishRows(sums, begin, rows, schedule.shareRows());
}

/// Rows of a tile in f32 at `address` of shared memory.
Memory WgmmaEmitter::stagedRows(Value address, int64_t rows) {
  return {pointer(address),
          sumType(),
          {math.constant(rows), math.constant(tileRow(schedule))},
          16,
          false};
}

/// Elements that a thread has under way where sums are in shared memory.
static constexpr int64_t maxElementsUnderWay = 32;

/// Finishes `rows` rows of the tile from row `begin` on, at most `most`: they
/// are the sums of the first rows of `sums`. Runs of neighbours go round all
/// threads; what the epilogue reads for several of them is asked for together.
void WgmmaEmitter::finishRows(ArrayRef<Memory> sums, Index begin, Index rows,
                              int64_t most) {
  int64_t vectorSize = runSize(), runsOfRow = schedule.partN() / vectorSize;
  int64_t threads = 128 * schedule.consumers();
  Index runs = math.constant(runsOfRow);
  Index own = math.sub(thread, math.constant(128));
  auto placeOf = [&](Index run) {
    return Run{math.div(run, runs),
               math.mul(math.rem(run, runs), math.constant(vectorSize)),
               Value()};
  };
  auto load = [&](const Run &run, int64_t part) {
    Index at = math.add(run.column, math.constant(part * schedule.partN()));
    Elements total;
    for (const Memory &block : sums) {
      Elements found = e.elements.load(block, {run.row, at}, vectorSize);
      if (total.empty()) {
        total = found;
        continue;
      }
      for (auto [sum, value] : llvm::zip(total, found))
        sum = addSum(sum, value);
    }
    return total;
  };
  int64_t together =
      std::min<int64_t>(llvm::divideCeil(most * runsOfRow, threads),
                        maxElementsUnderWay / (vectorSize * schedule.parts()));
  if (together < 2 || schedule.epilogueTensors(e.kernel).empty()) {
    e.loop(own, math.mul(rows, runs), math.constant(threads), [&](Index run) {
      Run place = placeOf(run);
      finishRun(math.add(begin, place.row), place.column, vectorSize,
                [&](int64_t part) { return load(place, part); });
    });
    return;
  }
  e.loop(own, math.mul(rows, runs), math.constant(threads * together),
         [&](Index first) {
           SmallVector<Run> staged, inTile;
           for (int64_t i = 0; i < together; ++i) {
             Run run = placeOf(math.add(first, math.constant(i * threads)));
             // The first one is there.
             if (i > 0) {
               run.isOwn = isBelow(run.row, rows);
               run.row = select(run.isOwn, run.row, math.constant(0));
             }
             staged.push_back(run);
             inTile.push_back(
                 {math.add(begin, run.row), run.column, run.isOwn});
           }
           finishTogether(inTile, vectorSize, [&](size_t run, int64_t part) {
             return load(staged[run], part);
           });
         });
}
