//===- RadixTile.cpp - Tiles ordered by a digit ---------------------------===//

#include "RadixTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpIPredicate;

static constexpr int64_t digitBits = kernel::DigitCountsOp::digitBits;
static constexpr int64_t digitValues = kernel::DigitCountsOp::digitValues;

/// Pairs of a thread from which on twice as many threads have them: they fit
/// in 64 registers then, and a multiprocessor has twice as many warps.
static constexpr int64_t manyPairs = 8;

RadixTile::RadixTile(CUDAKernel &kernel, int64_t size)
    : kernel(kernel), e(kernel.e),
      threads(size > digitValues * manyPairs ? 2 * digitValues : digitValues),
      warps(threads / 32), perThread(llvm::divideCeil(size, threads)) {}

void RadixTile::reserve(bool hasPairs) {
  IndexMath &math = e.math;
  thread = kernel.threadId();
  lane = math.rem(thread, math.constant(32));
  warp = math.div(thread, math.constant(32));
  counts =
      kernel.sharedArray("counts", e.b.getI32Type(), {warps * digitValues});
  sums = kernel.sharedArray("sums", e.b.getI32Type(), {warps});
  if (!hasPairs)
    return;
  pairs.pointer = kernel.dynamicShared();
  pairs.elementType = e.b.getI64Type();
  pairs.sizes = {math.constant(threads * perThread)};
  pairs.readOnly = false;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

Value RadixTile::number(int64_t value, unsigned width) {
  return arith::ConstantOp::create(
      e.b, e.loc, e.b.getIntegerAttr(e.b.getIntegerType(width), value));
}

Value RadixTile::asIndex(Value value) {
  return arith::IndexCastUIOp::create(e.b, e.loc, e.b.getIndexType(), value);
}

Index RadixTile::placeOf(int64_t number) {
  IndexMath &math = e.math;
  Index first = math.mul(warp, math.constant(32 * perThread));
  return math.add(math.add(first, math.constant(32 * number)), lane);
}

Value RadixTile::digitOf(Value pair, Value shift) {
  Value key = make<arith::ShRUIOp>(pair, number(32, 64));
  key = arith::TruncIOp::create(e.b, e.loc, e.b.getI32Type(), key);
  return make<arith::AndIOp>(make<arith::ShRUIOp>(key, shift),
                             number(digitValues - 1));
}

Value RadixTile::pairOf(Value key, Value position, bool upper) {
  if (key.getType().isInteger(32))
    key = arith::ExtUIOp::create(e.b, e.loc, e.b.getI64Type(), key);
  else if (upper)
    key = make<arith::ShRUIOp>(key, number(32, 64));
  key = make<arith::ShLIOp>(key, number(32, 64));
  return make<arith::OrIOp>(key, position);
}

Value RadixTile::positionOf(Value pair) {
  return arith::TruncIOp::create(e.b, e.loc, e.b.getI32Type(), pair);
}

Value RadixTile::at(Index place) {
  return e.elements.load(pairs, {place}, 1).front();
}

void RadixTile::put(Index place, Value pair) {
  e.elements.store(pairs, {place}, {pair});
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// Also makes what lanes wrote to shared memory visible to each other.
void RadixTile::syncWarp() { NVVM::SyncWarpOp::create(e.b, e.loc, number(-1)); }

Index RadixTile::countOf(Value digit) {
  IndexMath &math = e.math;
  return math.add(math.mul(warp, math.constant(digitValues)), asIndex(digit));
}

void RadixTile::clearCounts() {
  IndexMath &math = e.math;
  Index first = math.mul(warp, math.constant(digitValues));
  for (int64_t i = 0; i < digitValues; i += 32)
    e.elements.store(counts,
                     {math.add(math.add(first, math.constant(i)), lane)},
                     {number(0)});
  syncWarp();
}

/// The lanes that have `digit`, as bits: those that agree in each bit. Of one
/// condition LLVM makes two, for the vote and for what is made of it.
Value RadixTile::sameDigit(Value digit) {
  std::string code = "{\n.reg .pred set;\n.reg .b32 bit, vote, lanes;\n";
  for (int64_t bit = 0; bit < digitBits; ++bit) {
    std::string result = bit == 0 ? "lanes" : "vote";
    code += "and.b32 bit, $1, " + std::to_string(int64_t(1) << bit) +
            ";\nsetp.ne.b32 set, bit, 0;\n"
            "vote.sync.ballot.b32 " +
            result + ", set, -1;\n@!set not.b32 " + result + ", " + result +
            ";\n";
    if (bit > 0)
      code += "and.b32 lanes, lanes, vote;\n";
  }
  code += "mov.b32 $0, lanes;\n}";
  return LLVM::InlineAsmOp::create(
             e.b, e.loc, e.b.getI32Type(), digit, code, "=r,r",
             /*has_side_effects=*/true, /*is_align_stack=*/false,
             LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

/// Without a result, the lanes that have one digit count as one access.
void RadixTile::tally(Value digit) {
  Value pointer = kernel.elementOf(counts, countOf(digit)).pointer;
  LLVM::AtomicRMWOp::create(e.b, e.loc, LLVM::AtomicBinOp::add, pointer,
                            number(1), LLVM::AtomicOrdering::monotonic,
                            "block");
}

Value RadixTile::count(Value digit) {
  OpBuilder &b = e.b;
  Value lanes = sameDigit(digit);
  Value ownLane = arith::IndexCastUIOp::create(b, e.loc, b.getI32Type(),
                                               e.math.value(lane));
  Value lower =
      make<arith::SubIOp>(make<arith::ShLIOp>(number(1), ownLane), number(1));
  Value below = LLVM::CtPopOp::create(b, e.loc, b.getI32Type(),
                                      make<arith::AndIOp>(lanes, lower));
  Index place = countOf(digit);
  Value before = e.elements.load(counts, {place}, 1).front();
  before = make<arith::AddIOp>(before, below);
  // All lanes have read before the last one of a digit writes.
  syncWarp();
  Value isLast =
      arith::CmpIOp::create(b, e.loc, CmpIPredicate::eq,
                            make<arith::ShRUIOp>(lanes, ownLane), number(1));
  e.when(isLast, [&] {
    e.elements.store(counts, {place}, {make<arith::AddIOp>(before, number(1))});
  });
  syncWarp();
  return before;
}

Value RadixTile::hasDigit() {
  return kernel.compare(CmpIPredicate::ult, thread,
                        e.math.constant(digitValues));
}

Index RadixTile::digitOfThread() {
  return e.math.rem(thread, e.math.constant(digitValues));
}

Index RadixTile::countOfThread(int64_t ofWarp) {
  return e.math.add(e.math.constant(ofWarp * digitValues), digitOfThread());
}

Value RadixTile::countOfBlock() {
  Value sum = number(0);
  for (int64_t i = 0; i < warps; ++i)
    sum = make<arith::AddIOp>(
        sum, e.elements.load(counts, {countOfThread(i)}, 1).front());
  return kernel.select(hasDigit(), sum, number(0));
}

Value RadixTile::sumBefore(Value own) {
  IndexMath &math = e.math;
  Value upTo = kernel.sumUpTo(own, lane);
  e.when(kernel.compare(CmpIPredicate::eq, lane, math.constant(31)),
         [&] { e.elements.store(sums, {warp}, {upTo}); });
  kernel.barrier();
  Value before = make<arith::SubIOp>(upTo, own);
  for (int64_t i = 0; i + 1 < warps; ++i) {
    Value sum = e.elements.load(sums, {math.constant(i)}, 1).front();
    Value precedes = kernel.compare(CmpIPredicate::ugt, warp, math.constant(i));
    before =
        make<arith::AddIOp>(before, kernel.select(precedes, sum, number(0)));
  }
  return before;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

RadixTile::Range RadixTile::order(ArrayRef<Value> own, Value shift) {
  clearCounts();
  SmallVector<Value> digits, ranks;
  for (Value pair : own) {
    digits.push_back(digitOf(pair, shift));
    ranks.push_back(count(digits.back()));
  }
  kernel.barrier();
  // Where the warps' pairs of this thread's digit begin in the tile.
  Value size = countOfBlock(), start = sumBefore(size);
  // Reading the counts again takes fewer registers than keeping them.
  e.when(hasDigit(), [&] {
    Value next = start;
    for (int64_t i = 0; i < warps; ++i) {
      Index place = countOfThread(i);
      Value found = e.elements.load(counts, {place}, 1).front();
      e.elements.store(counts, {place}, {next});
      next = make<arith::AddIOp>(next, found);
    }
  });
  kernel.barrier();
  for (auto [pair, digit, rank] : llvm::zip_equal(own, digits, ranks)) {
    Value first = e.elements.load(counts, {countOf(digit)}, 1).front();
    put(asIndex(make<arith::AddIOp>(first, rank)), pair);
  }
  kernel.barrier();
  return {start, size};
}
