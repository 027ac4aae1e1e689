//===- WgmmaNorm.cpp - Norms of a product's rows --------------------------===//
//
// The blocks of a cluster have all columns of the same rows. Each thread keeps
// what the norm is computed from in registers. For each reduction a block sends
// what it has of its rows to all blocks of the cluster (distributed shared
// memory), under an mbarrier of each, and waits for its own mbarrier. Then it
// computes its part of the norm and stores it in boxes, as other results.
//
// A consumer's exchanges take turns with two places and mbarriers. Those of one
// are free for the next exchange but one: a block sends for exchange i + 2 when
// it has got everything for i + 1, which the others sent behind their reads for
// exchange i. That holds for threads that send nothing, too: the shuffles of
// exchange i + 1 are of whole warps, behind all reads and in front of all
// sends.
//
//===----------------------------------------------------------------------===//

#include "WgmmaEmitter.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::wgmma;

/// Threads that have the columns of one row of a block.
static constexpr int64_t quad = 4;
/// Columns of a tile, of each 64 rows of a consumer, beside which a thread has
/// registers for the weights of a norm.
static constexpr int64_t maxColumnsToLoad = 128;

void WgmmaEmitter::initialiseExchanges() {
  if (schedule.exchangeAreaBytes() == 0)
    return;
  for (int64_t number = 0; number < schedule.consumers(); ++number)
    for (int64_t turn = 0; turn < 2; ++turn) {
      int64_t at =
          exchangesAt(schedule) + number * schedule.exchangeAreaBytes();
      NVVM::MBarrierInitOp::create(
          b, loc, pointer(add(base, i32(at + turn * 8))), i32(1), Value());
    }
}

/// Computes and stores the results of the current tile: the norm's input, where
/// it is one, and the norm.
void WgmmaEmitter::storeNorm(ValueRange sums) {
  Index known = thread;
  SmallVector<NormRow> rows = computeNormInput(sums);
  SmallVector<SmallVector<Value>> totals;
  ArrayRef<linalg::GenericOp> reductions = schedule.norm.reductions;
  for (unsigned number = 0; number < reductions.size(); ++number) {
    totals.push_back(reduceRows(number, rows));
    // Those of the row that the indices are of.
    e.elements.bindSource(
        linalg::GenericOp(reductions[number]).getResult(0),
        [this, own = totals.back()](ArrayRef<Index>, int64_t count) {
          return Elements(count, own[normRow]);
        });
  }
  storeNormResults(rows);
  e.elements.unbindSource(schedule.norm.input);
  for (linalg::GenericOp op : reductions)
    e.elements.unbindSource(op.getResult(0));
  thread = known;
}

//===----------------------------------------------------------------------===//
// What the norm is computed from
//===----------------------------------------------------------------------===//

SmallVector<WgmmaEmitter::NormRow>
WgmmaEmitter::computeNormInput(ValueRange sums) {
  SmallVector<NormRow> rows;
  for (size_t group = 0; group < sums.size(); ++group)
    for (int64_t half = 0; half < 2; ++half)
      rows.push_back({int64_t(group), half, {}});
  if (!schedule.readsSource())
    separateFromWait();
  int64_t box = 0;
  for (int64_t column = 0; column < schedule.partN(); column += boxColumns())
    for (auto [group, accumulators] : llvm::enumerate(sums)) {
      if (schedule.readsSource())
        awaitSource(box);
      if (box == 0)
        thread = recomputedThread();
      for (int64_t j = 0; j < boxColumns(); j += 8)
        for (int64_t half = 0; half < 2; ++half) {
          if (schedule.readsSource())
            bindSource(boxBuffer(box), j, half);
          rows[2 * group + half].input.push_back(pairOf(
              schedule.norm.input, accumulators, group, column + j, half));
        }
      finishInputBox(rows, group, column, box++);
      e.elements.unbindSource(schedule.norm.input);
    }
  // Its boxes are gone.
  if (schedule.readsSource())
    e.elements.unbindSource(sourceArgument());
  return rows;
}

/// Stores a box of the norm's input where that is a result, and asks for the
/// source that takes the place of the box before this one.
void WgmmaEmitter::finishInputBox(ArrayRef<NormRow> rows, int64_t group,
                                  int64_t column, int64_t box) {
  auto stored = llvm::find(e.yielded(), schedule.norm.input);
  bool isStored = stored != e.yielded().end();
  unsigned result = std::distance(e.yielded().begin(), stored);
  // A source comes to a box that is free.
  bool isFree = schedule.readsSource() || box < schedule.boxBuffers;
  if (isStored)
    storeNormBox(&rows[2 * group], result, column, box, isFree);
  int64_t following = box + schedule.boxBuffers - 1;
  if (!schedule.readsSource() || box == 0 || following >= boxesOfTile())
    return;
  if (!isStored)
    syncConsumer();
  e.when(isFirstOfConsumer(), [&] {
    if (isStored)
      NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, 1, b.getUnitAttr());
    requestSource(following);
  });
}

/// Makes the pair of `row` at `column` of the tile the norm's input.
void WgmmaEmitter::bindNormInput(const NormRow &row, int64_t column) {
  normRow = 2 * row.group + row.half;
  e.elements.bindSource(
      schedule.norm.input,
      [pair = row.input[column / 8]](ArrayRef<Index>, int64_t count) {
        assert(count == int64_t(pair.size()) && "rows are read in pairs");
        return pair;
      });
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// What this thread has of a row, in two chains.
Value WgmmaEmitter::reduceOwn(linalg::GenericOp op, const NormRow &row) {
  SmallVector<Value> totals(2, e.initialValue(op));
  bool ragged = isRagged(schedule.n, schedule.partN());
  Value inside;
  for (int64_t column = 0; column < schedule.partN(); column += 8) {
    if (ragged && column % boxColumns() == 0)
      inside = isBelow(math.add(columnBegin, math.constant(column)),
                       space.sizeOf(schedule.n));
    bindNormInput(row, column);
    SmallVector<Index> at = pairPlace(row.group, column, row.half);
    Elements inputs =
        e.elements.emitOperandElements(op, 0, at, at.size() - 1, 2);
    for (auto [input, total] : llvm::zip(inputs, totals)) {
      Value next = e.elements.emitBody(op, {input, total}, at).front();
      total =
          inside ? arith::SelectOp::create(b, loc, inside, next, total) : next;
    }
  }
  return e.combine(op, totals[0], totals[1]);
}

/// Reduction `number` of each row, over all columns: the same bits in all
/// blocks.
SmallVector<Value> WgmmaEmitter::reduceRows(unsigned number,
                                            ArrayRef<NormRow> rows) {
  linalg::GenericOp op = schedule.norm.reductions[number];
  SmallVector<Value> totals;
  for (const NormRow &row : rows) {
    Value total = reduceOwn(op, row);
    for (int64_t distance = 1; distance < quad; distance *= 2) {
      Value other = NVVM::ShflOp::create(b, loc, total.getType(), i32(-1),
                                         total, i32(distance), i32(31),
                                         NVVM::ShflKind::bfly, UnitAttr());
      total = e.combine(op, total, other);
    }
    totals.push_back(total);
  }
  if (schedule.clusterN > 1)
    exchangeRows(number, rows, totals);
  return totals;
}

/// Combines what the blocks of the cluster have of each row, in their order.
void WgmmaEmitter::exchangeRows(unsigned number, ArrayRef<NormRow> rows,
                                MutableArrayRef<Value> totals) {
  linalg::GenericOp op = schedule.norm.reductions[number];
  int64_t rowsOfBlock = schedule.rowGroups() * 64;
  Value count =
      add(mul(tileNumber, schedule.norm.reductions.size()), i32(number));
  Value turn = arith::AndIOp::create(b, loc, count, i32(1));
  Value parity = arith::AndIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, count, i32(1)), i32(1));
  Value own = add(add(base, i32(exchangesAt(schedule))),
                  mul(consumer, schedule.exchangeAreaBytes()));
  Value barrier = add(own, mul(turn, 8));
  Value places = add(add(own, i32(16)), mul(turn, schedule.bytesPerExchange()));
  e.when(isFirstOfConsumer(), [&] {
    NVVM::MBarrierArriveExpectTxOp::create(
        b, loc, Type(), pointer(barrier), i32(schedule.bytesPerExchange()),
        NVVM::MemScopeKind::CTA, false, Value());
  });
  auto placeOf = [&](const NormRow &row) {
    Index ofConsumer =
        math.add(fragmentRow(), math.constant(row.group * 64 + row.half * 8));
    return add(places, mul(toI32(ofConsumer), 4));
  };
  Value fromThis = mul(toI32(rankColumn()), rowsOfBlock * 4);
  for (auto [row, total] : llvm::zip(rows, totals))
    sendRow(total, add(placeOf(row), fromThis), barrier);
  if (number == 0)
    loadColumnVectors();
  waitFor(pointer(barrier), parity);
  for (auto [row, total] : llvm::zip(rows, totals)) {
    Value place = placeOf(row);
    Type type = total.getType();
    total = LLVM::LoadOp::create(b, loc, type, pointer(place), 4);
    for (int64_t block = 1; block < schedule.clusterN; ++block) {
      Value at = pointer(add(place, i32(block * rowsOfBlock * 4)));
      total = e.combine(op, total, LLVM::LoadOp::create(b, loc, type, at, 4));
    }
  }
}

/// Loads what all rows read, such as the weights of a norm, while the first
/// sums are on their way: it has the latency of memory as well. Not where the
/// registers are those of the rows, or where indices are clamped: such elements
/// are not found again.
void WgmmaEmitter::loadColumnVectors() {
  if (schedule.partN() * schedule.rowGroups() > maxColumnsToLoad ||
      isRagged(schedule.n, schedule.partN()))
    return;
  for (BlockArgument argument : e.kernel.getBody().getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getRank() != 1 ||
        type.getDimSize(0) != schedule.extent(schedule.n, 0))
      continue;
    Operation *input = schedule.norm.input.getDefiningOp();
    bool isOfNorm = llvm::any_of(argument.getUsers(), [&](Operation *user) {
      return input->isBeforeInBlock(
          input->getBlock()->findAncestorOpInBlock(*user));
    });
    if (!isOfNorm)
      continue;
    for (int64_t column = 0; column < schedule.partN(); column += 8)
      e.elements.emit(argument, pairPlace(0, column, 0).back(), 2);
  }
}

/// Sends a row's total to the same place in the shared memory of all blocks of
/// the cluster: thread i of the four
/// that have it to the blocks i, i + 4.
void WgmmaEmitter::sendRow(Value total, Value place, Value barrier) {
  Index lane = math.rem(thread, math.constant(quad));
  Index blocks = math.constant(schedule.clusterN);
  for (int64_t first = 0; first < schedule.clusterN; first += quad) {
    Index block = math.add(lane, math.constant(first));
    e.when(isBelow(block, blocks), [&] {
      LLVM::InlineAsmOp::create(
          b, loc, TypeRange(), ValueRange{place, barrier, total, toI32(block)},
          "{\n.reg .b32 theirs, told;\n"
          "mapa.shared::cluster.u32 theirs, $0, $3;\n"
          "mapa.shared::cluster.u32 told, $1, $3;\n"
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 "
          "[theirs], $2, [told];\n}",
          "r,r,r,r,~{memory}", /*has_side_effects=*/true,
          /*is_align_stack=*/false, LLVM::TailCallKind::None,
          LLVM::AsmDialectAttr(), ArrayAttr());
    });
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void WgmmaEmitter::storeNormResults(ArrayRef<NormRow> rows) {
  awaitBoxesRead();
  int64_t box = 0;
  for (int64_t column = 0; column < schedule.partN(); column += boxColumns())
    for (size_t first = 0; first < rows.size(); first += 2)
      for (unsigned number = 0; number < e.numResults(); ++number)
        if (e.yielded()[number] != schedule.norm.input) {
          bool isFree = box < schedule.boxBuffers;
          storeNormBox(&rows[first], number, column, box++, isFree);
        }
}

/// Stores box `box` of those that follow each other: of the 64 rows that begin
/// at `rows`, at `column` of the tile. Its buffer is free, or what was sent
/// from it may not have been read yet.
void WgmmaEmitter::storeNormBox(const NormRow *rows, unsigned result,
                                int64_t column, int64_t box, bool isFree) {
  auto type =
      cast<RankedTensorType>(e.kernel.getFunctionType().getResult(result));
  Value sender = isFirstOfConsumer();
  if (!isFree) {
    e.when(sender, [&] {
      NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, schedule.boxBuffers - 1,
                                           b.getUnitAttr());
    });
    syncConsumer();
  }
  Box buffer = boxBuffer(box);
  writePairs(type.getElementType(), buffer, [&](int64_t j, int64_t half) {
    bindNormInput(rows[half], column + j);
    return e.elements.emit(e.yielded()[result],
                           pairPlace(rows->group, column + j, half), 2);
  });
  // TMA reads what the threads have written.
  fenceAsync();
  syncConsumer();
  e.when(sender, [&] {
    sendBox(result, add(buffer.place, i32(buffer.offset)),
            {rows->group, column});
  });
}
