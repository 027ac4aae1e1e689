//===- PartSums.cpp - What blocks tell those behind them ------------------===//
//
// A sum and what says that it is there are in the same word of 8 bytes, so no
// fence is between them.
//
//===----------------------------------------------------------------------===//

#include "PartSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpIPredicate;

void PartSums::start(Index ownThread, Index allBlocks) {
  thread = ownThread;
  blocks = allBlocks;
}

Memory PartSums::wordsFrom(int64_t byte, Type word) {
  Value pointer = LLVM::GEPOp::create(e.b, e.loc, kernel.workspace[1].getType(),
                                      e.b.getI8Type(), kernel.workspace[1],
                                      ArrayRef<LLVM::GEPArg>{int32_t(byte)});
  return {pointer, word, {blocks}, 4, false};
}

Index PartSums::takeNumber(Value isShared) {
  Index own = kernel.blockId();
  auto branch = scf::IfOp::create(e.b, e.loc, e.b.getIndexType(), isShared,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  ElementEmitter::Scope scope(e.elements);
  e.b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(e.b, e.loc, takeNumber());
  e.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(e.b, e.loc, math.value(own));
  return branch.getResult(0);
}

Value PartSums::takeNumber() {
  Memory taken = kernel.sharedArray("number", e.b.getI32Type(), {1});
  Index zeroth = math.constant(0);
  e.when(isFirstThread(), [&] {
    Value before = kernel.countUp(wordsFrom(0, e.b.getI32Type()).pointer,
                                  math.sub(blocks, math.constant(1)));
    e.elements.store(taken, {zeroth}, {before});
  });
  kernel.barrier();
  Value before = e.elements.load(taken, {zeroth}, 1).front();
  return arith::IndexCastUIOp::create(e.b, e.loc, e.b.getIndexType(), before);
}

/// The 32 bits of each word are below what says that they are there.
SmallVector<Value> PartSums::toWords(Value sum) {
  OpBuilder &b = e.b;
  int64_t bits = type.getIntOrFloatBitWidth();
  Type word = b.getI64Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, e.loc, b.getI64IntegerAttr(value));
  };
  Value whole = sum;
  if (isa<FloatType>(type))
    whole = arith::BitcastOp::create(b, e.loc, b.getIntegerType(bits), sum);
  if (bits < 64)
    whole = arith::ExtUIOp::create(b, e.loc, word, whole);
  SmallVector<Value> words;
  for (int64_t i = 0; i < layout.words; ++i) {
    Value part = arith::ShRUIOp::create(b, e.loc, whole, number(32 * i));
    part = arith::AndIOp::create(b, e.loc, part, number(0xFFFFFFFF));
    words.push_back(
        arith::OrIOp::create(b, e.loc, part, number(int64_t(1) << 32)));
  }
  return words;
}

Value PartSums::fromWords(ValueRange words) {
  OpBuilder &b = e.b;
  int64_t bits = type.getIntOrFloatBitWidth();
  Type half = b.getI32Type(), full = b.getI64Type();
  Value whole = arith::TruncIOp::create(b, e.loc, half, words.front());
  if (bits == 64) {
    Value by = arith::ConstantOp::create(b, e.loc, b.getI64IntegerAttr(32));
    whole = arith::OrIOp::create(
        b, e.loc, arith::ExtUIOp::create(b, e.loc, full, whole),
        arith::ShLIOp::create(b, e.loc, words.back(), by));
  }
  if (isa<FloatType>(type))
    whole = arith::BitcastOp::create(b, e.loc, type, whole);
  return whole;
}

void PartSums::store(Value sum, Index firstWord) {
  Memory words = wordsFrom(16, e.b.getI64Type());
  for (auto [i, word] : llvm::enumerate(toWords(sum))) {
    Index at = math.add(firstWord, math.constant(i));
    LLVM::InlineAsmOp::create(
        e.b, e.loc, TypeRange(),
        ValueRange{kernel.elementOf(words, at).pointer, word},
        "st.relaxed.gpu.global.u64 [$0], $1;", "l,l,~{memory}",
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  }
}

void PartSums::publish(ValueRange sums, Index number) {
  Index first = math.mul(number, math.constant(layout.wordsOfPart()));
  e.when(isFirstThread(), [&] {
    for (auto [i, sum] : llvm::enumerate(sums))
      store(sum, math.add(first, math.constant(i * layout.words)));
  });
}

void PartSums::publishOwn(Value sum, Index number) {
  Index first = math.mul(number, math.constant(layout.wordsOfPart()));
  store(sum, math.add(first, math.mul(thread, math.constant(layout.words))));
}

static Value loadWord(OpBuilder &b, Location loc, Value pointer) {
  return LLVM::InlineAsmOp::create(
             b, loc, TypeRange(b.getI64Type()), ValueRange{pointer},
             "ld.relaxed.gpu.global.u64 $0, [$1];", "=l,l,~{memory}",
             /*has_side_effects=*/true, /*is_align_stack=*/false,
             LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

/// Whether one of `words` has not been written.
static Value isAnyMissing(OpBuilder &b, Location loc, ValueRange words) {
  Value all = words.front();
  for (Value word : words.drop_front())
    all = arith::AndIOp::create(b, loc, all, word);
  Value isThere =
      arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(int64_t(1) << 32));
  return arith::CmpIOp::create(b, loc, CmpIPredicate::ult, all, isThere);
}

ValueRange PartSums::poll(ValueRange pointers) {
  SmallVector<Type> types(pointers.size(), e.b.getI64Type());
  auto loop = scf::WhileOp::create(
      e.b, e.loc, types, ValueRange(),
      [&](OpBuilder &inner, Location loc, ValueRange) {
        SmallVector<Value> found;
        for (Value pointer : pointers)
          found.push_back(loadWord(inner, loc, pointer));
        scf::ConditionOp::create(inner, loc, isAnyMissing(inner, loc, found),
                                 found);
      },
      [&](OpBuilder &inner, Location loc, ValueRange) {
        scf::YieldOp::create(inner, loc);
      });
  return loop.getResults();
}

Value PartSums::add(Value lhs, Value rhs) {
  if (isa<FloatType>(type))
    return arith::AddFOp::create(e.b, e.loc, lhs, rhs);
  return arith::AddIOp::create(e.b, e.loc, lhs, rhs);
}

SmallVector<Value> PartSums::await(Index number, Index rank, Index parts) {
  OpBuilder &b = e.b;
  Memory words = wordsFrom(16, b.getI64Type());
  int64_t ofPart = layout.wordsOfPart();
  std::optional<int64_t> known = IndexMath::constantOf(parts);
  int64_t most = known ? *known - 1 : layout.maxParts / 2;
  int64_t reads = llvm::divideCeil(most, layout.threads);
  SmallVector<Value> precedes, pointers;
  Index firstOfRow = math.sub(number, rank);
  for (int64_t i = 0; i < reads; ++i) {
    Index part = math.add(thread, math.constant(i * layout.threads));
    precedes.push_back(kernel.compare(CmpIPredicate::ult, part, rank));
    Index real =
        kernel.select(precedes.back(), math.value(part), math.value(rank));
    Index place = math.mul(math.add(firstOfRow, real), math.constant(ofPart));
    for (int64_t word = 0; word < ofPart; ++word)
      pointers.push_back(
          kernel.elementOf(words, math.add(place, math.constant(word)))
              .pointer);
  }
  ValueRange found = poll(pointers);
  Value zero = arith::ConstantOp::create(b, e.loc, b.getZeroAttr(type));
  SmallVector<Value> sums(layout.sums, zero);
  for (int64_t i = 0; i < reads; ++i)
    for (int64_t column = 0; column < layout.sums; ++column) {
      auto own = found.slice(i * ofPart + column * layout.words, layout.words);
      Value sum = add(sums[column], fromWords(own));
      sums[column] = kernel.select(precedes[i], sum, sums[column]);
    }
  return sums;
}

/// Words that a thread asks for at once, and where sizes need registers.
static constexpr int64_t wordsInFlight = 8, wordsOfDynamic = 4;

Value PartSums::awaitColumn(Index number, Index rank, Index parts) {
  OpBuilder &b = e.b;
  Memory words = wordsFrom(16, b.getI64Type());
  Index column = math.rem(thread, math.constant(layout.sums));
  Index group = math.div(thread, math.constant(layout.sums));
  Index firstOfRow = math.sub(number, rank);
  int64_t groups = layout.threads / layout.sums;
  // Threads behind the last group have nothing to read.
  Index last = rank;
  if (layout.threads % layout.sums != 0)
    last = kernel.clampTo(
        kernel.compare(CmpIPredicate::ult, group, math.constant(groups)), rank);
  int64_t most = IndexMath::constantOf(parts) ? wordsInFlight : wordsOfDynamic;
  int64_t reads = std::max<int64_t>(1, most / layout.words);
  Value zero = arith::ConstantOp::create(b, e.loc, b.getZeroAttr(type));
  auto readMore = [&](Index first, ValueRange before) {
    SmallVector<Value> precedes, pointers;
    for (int64_t i = 0; i < reads; ++i) {
      Index part = math.add(math.add(first, group), math.constant(i * groups));
      precedes.push_back(kernel.compare(CmpIPredicate::ult, part, last));
      Index real =
          kernel.select(precedes.back(), math.value(part), math.value(rank));
      Index place = math.add(math.mul(math.add(firstOfRow, real),
                                      math.constant(layout.wordsOfPart())),
                             math.mul(column, math.constant(layout.words)));
      for (int64_t word = 0; word < layout.words; ++word)
        pointers.push_back(
            kernel.elementOf(words, math.add(place, math.constant(word)))
                .pointer);
    }
    ValueRange found = poll(pointers);
    Value sum = before.front();
    for (int64_t i = 0; i < reads; ++i) {
      Value part = fromWords(found.slice(i * layout.words, layout.words));
      sum = kernel.select(precedes[i], add(sum, part), sum);
    }
    return SmallVector<Value>{sum};
  };
  return e
      .reduceLoop(math.constant(0), rank, math.constant(groups * reads), zero,
                  readMore)
      .front();
}

Value PartSums::counterOf(Index row) {
  Memory counters = wordsFrom(layout.readers(), e.b.getI32Type());
  return kernel.elementOf(counters, row).pointer;
}

/// Counts this block; whether it was the last one is told in shared memory.
void PartSums::countReader(Index row, Index parts) {
  Memory told = kernel.sharedArray("readers", e.b.getI32Type(), {1});
  e.when(isFirstThread(), [&] {
    Value before =
        kernel.countUp(counterOf(row), math.sub(parts, math.constant(1)));
    e.elements.store(told, {math.constant(0)}, {before});
  });
}

void PartSums::clear(Index row, Index parts) {
  Memory told = kernel.sharedArray("readers", e.b.getI32Type(), {1});
  kernel.barrier();
  Value before = e.elements.load(told, {math.constant(0)}, 1).front();
  Index readers =
      arith::IndexCastUIOp::create(e.b, e.loc, e.b.getIndexType(), before)
          .getResult();
  Value isLast = kernel.compare(CmpIPredicate::eq, readers,
                                math.sub(parts, math.constant(1)));
  e.when(isLast, [&] {
    Memory words = wordsFrom(16, e.b.getI64Type());
    Index count = math.mul(parts, math.constant(layout.wordsOfPart()));
    Index first = math.mul(row, count);
    Value none =
        arith::ConstantOp::create(e.b, e.loc, e.b.getI64IntegerAttr(0));
    e.loop(thread, count, math.constant(layout.threads), [&](Index word) {
      e.elements.store(words, {math.add(first, word)}, {none});
    });
  });
}
