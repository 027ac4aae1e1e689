//===- WgmmaRows.cpp - Results from whole rows of a tile's sums -----------===//
//
// Where neighbours of a row are not in the same thread, or not in the same
// block, a tile's sums go through shared memory as rows of f32, and threads
// take runs of those: tiles in exchanged roles, and those whose K is split.
//
//===----------------------------------------------------------------------===//

#include "WgmmaEmitter.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::wgmma;

//===----------------------------------------------------------------------===//
// A and B in exchanged roles
//===----------------------------------------------------------------------===//

/// Some of the tile's rows, of sums of 64 of its columns in each of `sums`,
/// transposed on the way to rows at `to`. A warp writes 8 neighbours in each of
/// 4 rows that are 8 banks apart: no two lanes in one bank.
void WgmmaEmitter::stageTransposed(ValueRange sums, Value to, int64_t firstRow,
                                   int64_t rows) {
  int64_t rowBytes = tileRow(plan) * 4;
  // The instruction's rows are the tile's columns.
  Value at = add(to, add(mul(toI32(fragmentColumn()), rowBytes),
                         mul(toI32(fragmentRow()), 4)));
  if (plan.consumers() > 1)
    at = add(at, mul(consumer, plan.rowGroups() * 64 * 4));
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
  Value staging = add(base, i32(stagingAt(plan)));
  int64_t rows = plan.turnedRows();
  for (int64_t first = 0; first < plan.tileM; first += rows) {
    syncConsumers();
    stageTransposed(sums, staging, first, rows);
    syncConsumers();
    finishRows(stagedRows(staging, rows), math.constant(first),
               math.constant(rows));
  }
}

//===----------------------------------------------------------------------===//
// A split K
//===----------------------------------------------------------------------===//

/// Each block finishes a share of the tile's rows. It sends the rows of others
/// to places for its sums in their shared memory, which are theirs alone, so
/// that nobody has to wait before.
void WgmmaEmitter::joinSplit(ValueRange accumulators) {
  syncConsumers(); // all have read their slices: the ring's memory is free
  int64_t rowFloats = tileRow(plan);
  if (plan.swapped)
    stageTransposed(accumulators, base, 0, plan.tileM);
  else
    stage(accumulators.front(), 0, plan.tileN,
          add(base, mul(consumer, 64 * rowFloats * 4)), rowFloats);
  fenceAsync();
  syncConsumers();
  Index begin = math.min(math.mul(rank, math.constant(plan.shareRows())),
                         math.constant(plan.rowsA));
  Index rows = math.min(math.sub(math.constant(plan.rowsA), begin),
                        math.constant(plan.shareRows()));
  Value sender =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                            math.value(thread), math.value(math.constant(128)));
  e.when(sender, [&] {
    Value bytes = toI32(
        math.mul(rows, math.constant((plan.split - 1) * plan.sumBytesOfRow())));
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
  return add(add(base, i32(stagingAt(plan))),
             mul(number, plan.shareRows() * plan.sumBytesOfRow()));
}

/// Says that the sums of all blocks are there.
Value WgmmaEmitter::sumsBarrier() {
  return pointer(add(base, i32(barriersAt(plan) + plan.stages * 16)));
}

/// Sends each other block its share of the rows.
void WgmmaEmitter::sendShares() {
  Value to = sumsOfBlock(toI32(rank));
  Value barrier =
      LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), sumsBarrier());
  for (int64_t block = 0; block < plan.split; ++block) {
    int64_t begin = block * plan.shareRows();
    int64_t rows = std::min(plan.rowsA - begin, plan.shareRows());
    if (rows <= 0)
      continue;
    Value isOther = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                          toI32(rank), i32(block));
    e.when(isOther, [&] {
      Value from = add(base, i32(begin * plan.sumBytesOfRow()));
      LLVM::InlineAsmOp::create(
          b, loc, TypeRange(),
          ValueRange{to, from, i32(rows * plan.sumBytesOfRow()), barrier,
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
  Value own =
      add(base, toI32(math.mul(begin, math.constant(plan.sumBytesOfRow()))));
  SmallVector<Memory> sums;
  for (int64_t block = 0; block < plan.split; ++block) {
    Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        toI32(rank), i32(block));
    Value at =
        arith::SelectOp::create(b, loc, isOwn, own, sumsOfBlock(i32(block)));
    sums.push_back(stagedRows(at, plan.shareRows()));
  }
  finishRows(sums, begin, rows);
}

/// Rows of a tile in f32 at `address` of shared memory.
Memory WgmmaEmitter::stagedRows(Value address, int64_t rows) {
  return {pointer(address),
          b.getF32Type(),
          {math.constant(rows), math.constant(tileRow(plan))},
          16,
          false};
}

/// Finishes `rows` rows of the tile from row `begin` on: they are the sums of
/// the first rows of `sums`. Runs of neighbours go round all threads.
void WgmmaEmitter::finishRows(ArrayRef<Memory> sums, Index begin, Index rows) {
  int64_t lanes = runLanes();
  Index runs = math.constant(plan.partN() / lanes);
  Index own = math.sub(thread, math.constant(128));
  Index threads = math.constant(128 * plan.consumers());
  e.loop(own, math.mul(rows, runs), threads, [&](Index run) {
    Index row = math.div(run, runs);
    Index column = math.mul(math.rem(run, runs), math.constant(lanes));
    finishRun(math.add(begin, row), column, lanes, [&](int64_t part) {
      Index at = math.add(column, math.constant(part * plan.partN()));
      Lanes total;
      for (const Memory &block : sums) {
        Lanes found = e.elements.load(block, {row, at}, lanes);
        if (total.empty()) {
          total = found;
          continue;
        }
        for (auto [sum, value] : llvm::zip(total, found))
          sum = arith::AddFOp::create(b, loc, sum, value);
      }
      return total;
    });
  });
}
