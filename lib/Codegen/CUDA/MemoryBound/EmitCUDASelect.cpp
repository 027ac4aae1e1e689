//===- EmitCUDASelect.cpp - CUDA code of selections -----------------------===//
//
// The first k elements of each row by radix selection: a block goes over its
// row once for each 8 bits of the key, counts the elements that have the
// k-th one's bits so far by their next 8 bits, and so finds those. It stops
// when all elements with these bits are wanted. Where more elements than wanted
// equal the k-th, their positions are selected in the same way: the lowest
// ones. The last pass collects the selected elements in shared memory, where
// they are sorted. The order in which it does so does not matter.
//
//===----------------------------------------------------------------------===//

#include "BlockSort.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpIPredicate;

namespace {
class Selection : BlockSort {
public:
  Selection(CUDAKernel &kernel, int64_t count)
      : BlockSort(kernel), count(count) {}
  void emit();

private:
  /// Elements of the state in shared memory that are i32.
  enum Slot : int64_t { Wanted, IsDone, Taken, Slots };
  /// The bits of the k-th key, or of its position, that are found so far.
  struct Bits {
    Memory memory;
    IntegerType type;
    Value found, mask;
  };

  void start();
  /// Finds the k-th element's next 8 bits, from bit `shift` on.
  void findDigit(bool ofKeys, Value shift);
  void countDigits(bool ofKeys, Value shift);
  void chooseDigit(Bits &bits, Value shift);
  void collect();
  void forElements(llvm::function_ref<void(Ranked)> body);
  /// Whether the element has the bits found so far.
  Value matches(Value number, const Bits &bits);
  Value loadSlot(Slot slot) {
    return e.elements.load(state, {e.math.constant(slot)}, 1).front();
  }
  void storeSlot(Slot slot, Value value) {
    e.elements.store(state, {e.math.constant(slot)}, {value});
  }
  void read(Bits &bits);
  /// Adds 1 to an i32 in shared memory; returns what it was.
  Value increment(const Memory &memory, Index slot);
  Value number(int64_t value, IntegerType type) {
    return arith::ConstantOp::create(e.b, e.loc, IntegerAttr::get(type, value));
  }
  Value number(int64_t value) {
    return number(value, cast<IntegerType>(e.b.getI32Type()));
  }
  Value test(CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(e.b, e.loc, predicate, x, y);
  }
  template <typename OpTy> Value make(Value x, Value y) {
    return OpTy::create(e.b, e.loc, x, y);
  }

  int64_t count, vectorSize = 1;
  SmallVector<Index> row;
  Index columns;
  Memory state, digits;
  Bits keyBits, positionBits;
};
} // namespace

static constexpr int64_t digitBits = 8;
static constexpr int64_t digitValues = 1 << digitBits;
static constexpr int64_t selectThreads = 512;

Value Selection::increment(const Memory &memory, Index slot) {
  Value pointer = kernel.elementOf(memory, slot).pointer;
  return LLVM::AtomicRMWOp::create(e.b, e.loc, LLVM::AtomicBinOp::add, pointer,
                                   number(1), LLVM::AtomicOrdering::monotonic,
                                   "block");
}

void Selection::read(Bits &bits) {
  bits.found = e.elements.load(bits.memory, {e.math.constant(0)}, 1).front();
  bits.mask = e.elements.load(bits.memory, {e.math.constant(1)}, 1).front();
}

Value Selection::matches(Value value, const Bits &bits) {
  Value differs =
      make<arith::AndIOp>(make<arith::XOrIOp>(value, bits.found), bits.mask);
  return test(CmpIPredicate::eq, differs, number(0, bits.type));
}

void Selection::forElements(llvm::function_ref<void(Ranked)> body) {
  IndexMath &math = e.math;
  Index width = math.constant(vectorSize);
  e.loop(
      math.mul(thread, width), columns, math.constant(threads * vectorSize),
      [&](Index first) {
        SmallVector<Index> at(row);
        at.push_back(first);
        Elements values = e.elements.emit(op.getInput(), at, vectorSize);
        for (auto [i, value] : llvm::enumerate(values)) {
          Index column = math.add(first, math.constant(i));
          body({order.key(e.b, e.loc, value), asPosition(math.value(column))});
        }
      });
}

/// Nothing is found yet, and all items lie behind every element.
void Selection::start() {
  IndexMath &math = e.math;
  int64_t items = powerOfTwo(count);
  e.loop(thread, math.constant(items), math.constant(threads),
         [&](Index slot) { put(slot, behind()); });
  e.when(kernel.compare(CmpIPredicate::eq, thread, math.constant(0)), [&] {
    for (Bits *bits : {&keyBits, &positionBits})
      for (int64_t i : {0, 1})
        e.elements.store(bits->memory, {math.constant(i)},
                         {number(0, bits->type)});
    storeSlot(Wanted, number(count));
    storeSlot(IsDone, number(0));
    storeSlot(Taken, number(0));
  });
  kernel.barrier();
}

void Selection::countDigits(bool ofKeys, Value shift) {
  IndexMath &math = e.math;
  e.loop(thread, math.constant(digitValues), math.constant(threads),
         [&](Index slot) { e.elements.store(digits, {slot}, {number(0)}); });
  kernel.barrier();
  Bits &bits = ofKeys ? keyBits : positionBits;
  forElements([&](Ranked item) {
    Value counts = matches(item.key, keyBits);
    if (!ofKeys)
      counts =
          make<arith::AndIOp>(counts, matches(item.position, positionBits));
    e.when(counts, [&] {
      Value from = ofKeys ? item.key : item.position;
      Value digit = make<arith::AndIOp>(make<arith::ShRUIOp>(from, shift),
                                        number(digitValues - 1, bits.type));
      Value slot =
          arith::IndexCastUIOp::create(e.b, e.loc, e.b.getIndexType(), digit);
      increment(digits, slot);
    });
  });
  kernel.barrier();
}

/// Every warp sums the counts; the lane of the first one that has the wanted
/// digit says so.
void Selection::chooseDigit(Bits &bits, Value shift) {
  IndexMath &math = e.math;
  constexpr int64_t perLane = digitValues / 32;
  Index lane = math.rem(thread, math.constant(32));
  Index first = math.mul(lane, math.constant(perLane));
  Value wanted = loadSlot(Wanted);
  Elements counts = e.elements.load(digits, {first}, perLane);
  Value own = number(0);
  for (Value found : counts)
    own = make<arith::AddIOp>(own, found);
  Value upTo = kernel.sumUpTo(own, lane);
  Value before = make<arith::SubIOp>(upTo, own);
  Value isFirstWarp =
      kernel.compare(CmpIPredicate::ult, thread, math.constant(32));
  // All have read what was wanted.
  kernel.barrier();
  for (auto [i, found] : llvm::enumerate(counts)) {
    Value end = make<arith::AddIOp>(before, found);
    Value isHere = make<arith::AndIOp>(test(CmpIPredicate::ult, before, wanted),
                                       test(CmpIPredicate::ule, wanted, end));
    e.when(make<arith::AndIOp>(isHere, isFirstWarp), [&] {
      Index digit = math.add(first, math.constant(i));
      Value value =
          arith::IndexCastOp::create(e.b, e.loc, bits.type, math.value(digit));
      Value full = number(digitValues - 1, bits.type);
      e.elements.store(
          bits.memory, {math.constant(0)},
          {make<arith::OrIOp>(bits.found, make<arith::ShLIOp>(value, shift))});
      e.elements.store(
          bits.memory, {math.constant(1)},
          {make<arith::OrIOp>(bits.mask, make<arith::ShLIOp>(full, shift))});
      storeSlot(Wanted, make<arith::SubIOp>(wanted, before));
      Value all = test(CmpIPredicate::eq, wanted, end);
      storeSlot(IsDone,
                arith::ExtUIOp::create(e.b, e.loc, e.b.getI32Type(), all));
    });
    before = end;
  }
  kernel.barrier();
}

void Selection::findDigit(bool ofKeys, Value shift) {
  Value isOpen = test(CmpIPredicate::eq, loadSlot(IsDone), number(0));
  e.when(isOpen, [&] {
    read(keyBits);
    read(positionBits);
    countDigits(ofKeys, shift);
    chooseDigit(ofKeys ? keyBits : positionBits, shift);
  });
}

void Selection::collect() {
  read(keyBits);
  read(positionBits);
  forElements([&](Ranked item) {
    Value key = make<arith::AndIOp>(item.key, keyBits.mask);
    Value position = make<arith::AndIOp>(item.position, positionBits.mask);
    Value isTied = make<arith::AndIOp>(
        test(CmpIPredicate::eq, key, keyBits.found),
        test(CmpIPredicate::ule, position, positionBits.found));
    Value isTaken = make<arith::OrIOp>(
        test(CmpIPredicate::ult, key, keyBits.found), isTied);
    e.when(isTaken, [&] {
      Value slot = increment(state, e.math.constant(Taken));
      put(asIndex(slot), item);
    });
  });
}

void Selection::emit() {
  IndexMath &math = e.math;
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.pop_back();
  threads = selectThreads;
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {threads, 1, 1}, 0);
  thread = kernel.threadId();
  SmallVector<Index> rowSizes(e.results.front().sizes);
  rowSizes.pop_back();
  row = math.delinearize(kernel.blockId(), rowSizes);
  columns = e.elements.sizesOf(op.getInput()).back();
  std::optional<int64_t> known = IndexMath::constantOf(columns);
  vectorSize = known && *known % vectorSizeOf(e) == 0 ? vectorSizeOf(e) : 1;
  int64_t items = powerOfTwo(count);
  reserve(items);
  auto i32 = cast<IntegerType>(e.b.getI32Type());
  state = kernel.sharedArray("state", i32, {Slots});
  digits = kernel.sharedArray("digits", i32, {digitValues});
  keyBits.type = order.keyType();
  keyBits.memory = kernel.sharedArray("key", keyBits.type, {2});
  positionBits.type = i32;
  positionBits.memory = kernel.sharedArray("position", i32, {2});
  kernel.await();
  start();
  auto findAll = [&](bool ofKeys, int64_t from, int64_t bits) {
    IntegerType type = ofKeys ? keyBits.type : i32;
    e.loop(math.constant(0), math.constant(llvm::divideCeil(bits, digitBits)),
           math.constant(1), [&](Index pass) {
             Value passed = arith::IndexCastOp::create(
                 e.b, e.loc, type,
                 math.value(math.mul(pass, math.constant(digitBits))));
             findDigit(ofKeys, make<arith::SubIOp>(
                                   number(from - digitBits, type), passed));
           });
  };
  findAll(/*ofKeys=*/true, keyBits.type.getWidth(), order.significantBits());
  int64_t positionWidth = known ? llvm::Log2_64_Ceil(*known) : 31;
  findAll(/*ofKeys=*/false, llvm::alignTo(positionWidth, digitBits),
          positionWidth);
  collect();
  sortRuns(math.constant(items), math.constant(llvm::Log2_64(items)));
  e.loop(thread, math.constant(count), math.constant(threads), [&](Index slot) {
    SmallVector<Index> at(row);
    at.push_back(slot);
    e.elements.store(e.results.front(), at, {positionAt(slot)});
  });
}

void codegen::emitCUDASelect(CUDAKernel &kernel, int64_t count) {
  Selection(kernel, count).emit();
}
