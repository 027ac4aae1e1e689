//===- RadixSort.cpp - Rows sorted digit by digit -------------------------===//

#include "RadixSort.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Digits of as many bits as a row's size has, so that counting does not take
/// longer than moving; the counts of 2048 digits stay in the L1 cache.
static constexpr int64_t minDigit = 4, maxDigit = 11;

RadixSort::RadixSort(KernelEmission &e, const SortOrder &order,
                     int64_t capacity)
    : e(e), math(e.math), op(e.sort()), order(order), capacity(capacity) {
  int64_t digit =
      std::clamp<int64_t>(llvm::Log2_64_Ceil(capacity), minDigit, maxDigit);
  int64_t significant = order.significantBits();
  passes = llvm::divideCeil(significant, digit);
  bits = llvm::divideCeil(significant, passes);
}

int64_t RadixSort::scratchBytes() const {
  return ((passes << bits) + capacity) * 4;
}

Memory RadixSort::scratchArray(int64_t first, int64_t count) {
  Value start = LLVM::GEPOp::create(
      e.b, e.loc, scratch.getType(), e.b.getI32Type(), scratch,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(first)});
  return {start, e.b.getI32Type(), {math.constant(count)}, 4, false};
}

Value RadixSort::keyAt(Value position) {
  SmallVector<Index> at(row);
  at.push_back(position);
  Value element = e.elements.emitOne(op.getInput(), at);
  return order.key(e.b, e.loc, element);
}

/// Where the count of a key's digit is.
Index RadixSort::digit(Value key, int64_t pass) {
  OpBuilder &b = e.b;
  Type type = key.getType();
  int64_t width = type.getIntOrFloatBitWidth();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, e.loc, b.getIntegerAttr(type, value));
  };
  // Bits below the significant ones are equal in all keys.
  int64_t low = width - order.significantBits() + pass * bits;
  Value moved = arith::ShRUIOp::create(b, e.loc, key, constant(low));
  Value part = arith::AndIOp::create(b, e.loc, moved,
                                     constant((int64_t(1) << bits) - 1));
  Value index = arith::IndexCastUIOp::create(b, e.loc, b.getIndexType(), part);
  return math.add(index, math.constant(pass << bits));
}

void RadixSort::count() {
  Index zero = math.constant(0), one = math.constant(1);
  Value none = arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(0));
  Value more = arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(1));
  e.loop(zero, math.constant(passes << bits), one,
         [&](Index i) { e.elements.store(counts, {i}, {none}); });
  e.loop(zero, columns, one, [&](Index i) {
    Value key = keyAt(math.value(i));
    for (int64_t pass = 0; pass < passes; ++pass) {
      Index at = digit(key, pass);
      Value old = e.elements.load(counts, {at}, 1).front();
      e.elements.store(counts, {at},
                       {arith::AddIOp::create(e.b, e.loc, old, more)});
    }
  });
}

/// Counts become the number of elements with a smaller digit.
void RadixSort::accumulate() {
  Value none = arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(0));
  for (int64_t pass = 0; pass < passes; ++pass) {
    Index first = math.constant(pass << bits);
    Index end = math.constant((pass + 1) << bits);
    e.reduceLoop(first, end, math.constant(1), none,
                 [&](Index i, ValueRange before) {
                   Value own = e.elements.load(counts, {i}, 1).front();
                   e.elements.store(counts, {i}, {before.front()});
                   return SmallVector<Value>{
                       arith::AddIOp::create(e.b, e.loc, before.front(), own)};
                 });
  }
}

void RadixSort::move(int64_t pass) {
  OpBuilder &b = e.b;
  Type index = b.getIndexType(), i32 = b.getI32Type();
  auto place = [&](bool isResult, Index i) {
    SmallVector<Index> at;
    if (isResult)
      at = row;
    at.push_back(i);
    return at;
  };
  const Memory &result = e.results.front();
  bool toResult = writesResult(pass);
  e.loop(math.constant(0), columns, math.constant(1), [&](Index i) {
    Value position = arith::IndexCastOp::create(b, e.loc, i32, math.value(i));
    if (pass > 0)
      position =
          e.elements.load(toResult ? positions : result, place(!toResult, i), 1)
              .front();
    Value element = arith::IndexCastUIOp::create(b, e.loc, index, position);
    Index counter = digit(keyAt(element), pass);
    Value next = e.elements.load(counts, {counter}, 1).front();
    Index to = arith::IndexCastUIOp::create(b, e.loc, index, next).getResult();
    e.elements.store(toResult ? result : positions, place(toResult, to),
                     {position});
    Value one = arith::ConstantOp::create(b, e.loc, b.getI32IntegerAttr(1));
    e.elements.store(counts, {counter},
                     {arith::AddIOp::create(b, e.loc, next, one)});
  });
}

void RadixSort::emitRow(ArrayRef<Index> at, Index size, Value memory) {
  row.assign(at.begin(), at.end());
  columns = size;
  scratch = memory;
  counts = scratchArray(0, passes << bits);
  positions = scratchArray(passes << bits, capacity);
  count();
  accumulate();
  for (int64_t pass = 0; pass < passes; ++pass)
    move(pass);
}
