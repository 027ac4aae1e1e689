//===- WgmmaUnaligned.cpp - Rows of results that TMA cannot store ---------===//
//
// TMA stores rows of a multiple of 16 bytes. Others, such as the 50257 columns
// of a vocabulary, go through the same boxes in shared memory, from which warps
// store them: a lane has 4 bytes, whatever the row begins at.
//
//===----------------------------------------------------------------------===//

#include "WgmmaEmitter.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::wgmma;

/// A warp writes 16 rows of the box and stores them: no other has to wait.
void WgmmaEmitter::storeRows(Value accumulators, int64_t group, unsigned result,
                             int64_t column, int64_t box) {
  Value all = i32(-1);
  if (box == 0)
    separateFromWait();
  else
    NVVM::SyncWarpOp::create(b, loc, all); // what lay there has been read
  writeBox(accumulators, group, result, column, boxBuffer(box));
  NVVM::SyncWarpOp::create(b, loc, all);
  copyRows(result, boxBuffer(box), group, column);
}

/// Where instructions that read the sums follow the wait for them in one basic
/// block, with others around, the assembler takes them for readers of sums that
/// are not there yet, and serialises the matrix instructions. This is what
/// storeBox() begins with: a branch that stays one, and a barrier. The consumer
/// has asked for no copies that it would wait for.
void WgmmaEmitter::separateFromWait() {
  e.when(isFirstOfConsumer(), [&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, 0, b.getUnitAttr());
  });
  syncConsumer();
}

/// Stores this warp's rows of `box`, from `column` of the tile on: 32 lanes
/// take one row of 128 bytes at a time, or two of 64.
void WgmmaEmitter::copyRows(unsigned result, Value box, int64_t group,
                            int64_t column) {
  int64_t words = plan.boxRowBytes / 4, together = 32 / words;
  Index t = math.rem(thread, math.constant(128));
  Index lane = math.rem(t, math.constant(32));
  Index first =
      math.add(math.mul(math.div(t, math.constant(32)), math.constant(16)),
               math.div(lane, math.constant(words)));
  Value number = toI32(math.rem(lane, math.constant(words)));
  Value start =
      add(add(box, mul(toI32(first), plan.boxRowBytes)), mul(number, 4));
  // What follows from these is computed here, and does not take registers from
  // the main loop.
  SmallVector<Value> kept = keepHere({start, number});
  start = kept[0];
  number = kept[1];
  Index columns = space.sizeOf(plan.n), rows = space.sizeOf(plan.m);
  Index begin = math.add(columnBegin, math.constant(column));
  Index row = math.add(math.add(rowBegin, groupRow(group)), first);
  auto upTo = [&](Index size, Index from, int64_t most) {
    Index left = math.sub(math.max(size, from), from);
    return toI32(math.min(left, math.constant(most)));
  };
  Value valid = upTo(columns, begin, boxColumns());
  Value validRows = upTo(rows, row, 16);
  Index element = math.add(
      math.mul(math.add(math.mul(tileBatch, rows), row), columns), begin);
  SmallVector<Value> found;
  for (int64_t i = 0; i < 16; i += together) {
    // The swizzle of writeHalves() and writeFloats().
    int64_t turn = plan.boxRowBytes == 128 ? i % 8 : i / 2 % 4;
    Value at = arith::XOrIOp::create(b, loc, start, i32(turn * 16));
    found.push_back(
        LLVM::LoadOp::create(b, loc, b.getI32Type(),
                             pointer(add(at, i32(i * plan.boxRowBytes))), 4));
  }
  bool ragged = isRagged(plan.m, plan.tileM * plan.tall);
  for (auto [i, word] : llvm::enumerate(found)) {
    int64_t below = int64_t(i) * together;
    Value validHere = valid;
    if (ragged) {
      Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                           i32(below), validRows);
      validHere = arith::SelectOp::create(b, loc, inside, valid, i32(0));
    }
    Index from = math.add(element, math.mul(columns, math.constant(below)));
    storeWord(result, from, number, word, validHere);
  }
}

/// Stores 4 bytes of a row that begins at `element` of the result: `word` is
/// its word `number`, of which elements below `valid` are stored. Elements of
/// 16 bits may begin between two words of memory: then each lane takes one from
/// the lane beside it.
void WgmmaEmitter::storeWord(unsigned result, Index element, Value number,
                             Value word, Value valid) {
  const Memory &memory = e.results[result];
  auto storeAt = [&](Value inRow, Value value, int64_t bytes) {
    auto from = [&](Value place, Value offset) -> Value {
      return LLVM::GEPOp::create(b, loc, memory.pointer.getType(),
                                 memory.elementType, place,
                                 ArrayRef<LLVM::GEPArg>{offset});
    };
    Value row =
        from(memory.pointer, arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                                        math.value(element)));
    LLVM::StoreOp::create(b, loc, value, from(row, inRow), bytes);
  };
  auto compare = [&](arith::CmpIPredicate how, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, how, x, y);
  };
  int64_t inWord = 32 / memory.elementType.getIntOrFloatBitWidth();
  Value begin = mul(number, inWord);
  if (runLanes() % inWord == 0) {
    e.when(compare(arith::CmpIPredicate::slt, begin, valid),
           [&] { storeAt(begin, word, 4); });
    return;
  }
  auto half = [&](Value of) -> Value {
    return arith::TruncIOp::create(b, loc, b.getI16Type(), of);
  };
  Value odd = toI32(math.rem(element, math.constant(2)));
  Value beside =
      NVVM::ShflOp::create(b, loc, b.getI32Type(), i32(-1), word, i32(1),
                           i32(31), NVVM::ShflKind::down, UnitAttr());
  Value shifted = LLVM::FshrOp::create(b, loc, beside, word, mul(odd, 16));
  begin = add(begin, odd);
  Value second = add(begin, i32(1));
  e.when(compare(arith::CmpIPredicate::slt, second, valid),
         [&] { storeAt(begin, shifted, 4); });
  e.when(compare(arith::CmpIPredicate::eq, second, valid),
         [&] { storeAt(begin, half(shifted), 2); });
  Value isHead = arith::AndIOp::create(
      b, loc, compare(arith::CmpIPredicate::eq, begin, i32(1)),
      compare(arith::CmpIPredicate::sgt, valid, i32(0)));
  e.when(isHead, [&] { storeAt(i32(0), half(word), 2); });
}
