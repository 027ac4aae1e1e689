//===- EmitCPUSort.cpp - Host code of sorts -------------------------------===//
//
// A work item is a row. Whole rows are sorted digit by digit (RadixSort.h). Of
// rows that are too long or too short for that, and where the first positions
// alone are wanted, the result's row is a heap of positions, the last
// element in order on top. It starts with the first positions; each further one
// that precedes the top takes its place. Then the top goes to the end, again
// and again. Positions are different, so that elements are never equal in
// order: the sort is stable. Rows of n elements take O(n log k) steps for k
// positions, and no memory besides the result.
//
//===----------------------------------------------------------------------===//

#include "EmitCPU.h"
#include "RadixSort.h"

#include "Codegen/Emit/SortOrder.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {
/// A position (i32) and the key of the element there.
struct Ranked {
  Value key, position;
};

class HeapSort {
public:
  explicit HeapSort(KernelEmission &e)
      : e(e), math(e.math), op(e.sort()),
        order(elementTypeOf(op.getInput()), op.getDescending()) {}

  void emit(const CPUItems &items);

private:
  void emitRow();
  int64_t radixCapacity();
  /// Puts `item` where the heap of `count` positions has a hole at `hole`.
  void sift(Index hole, Index count, Ranked item);
  /// The children of `hole`: whether the last one precedes or follows `item`,
  /// and where it is.
  SmallVector<Value> lastChild(Value hole, Index count, Ranked item);
  Ranked ranked(Value position);
  Value positionAt(Index slot);
  void put(Index slot, Value position);
  Value asPosition(Index index) {
    return arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(),
                                      math.value(index));
  }
  Value precedes(Ranked a, Ranked b) {
    return SortOrder::precedes(e.b, e.loc, a.key, a.position, b.key,
                               b.position);
  }
  Value isLess(Index a, Index b) {
    Value lhs = math.value(a), rhs = math.value(b);
    return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ult, lhs,
                                 rhs);
  }

  KernelEmission &e;
  IndexMath &math;
  kernel::SortOp op;
  SortOrder order;
  SmallVector<Index> row;
  Index columns, count;
};
} // namespace

Ranked HeapSort::ranked(Value position) {
  SmallVector<Index> at(row);
  Value index =
      arith::IndexCastOp::create(e.b, e.loc, e.b.getIndexType(), position);
  at.push_back(index);
  Value element = e.elements.emitOne(op.getInput(), at);
  return {order.key(e.b, e.loc, element), position};
}

Value HeapSort::positionAt(Index slot) {
  SmallVector<Index> at(row);
  at.push_back(slot);
  return e.elements.load(e.results.front(), at, 1).front();
}

void HeapSort::put(Index slot, Value position) {
  SmallVector<Index> at(row);
  at.push_back(slot);
  e.elements.store(e.results.front(), at, {position});
}

SmallVector<Value> HeapSort::lastChild(Value hole, Index heap, Ranked item) {
  OpBuilder &b = e.b;
  Index one = math.constant(1);
  Index left = math.add(math.mul(hole, math.constant(2)), one);
  Index right = math.add(left, one);
  // Without a second child, the first one stands for it.
  Value hasRight = isLess(right, heap);
  Value second = arith::SelectOp::create(b, e.loc, hasRight, math.value(right),
                                         math.value(left));
  Ranked first = ranked(positionAt(left)), other = ranked(positionAt(second));
  Value isSecond = precedes(first, other);
  auto select = [&](Value x, Value y) -> Value {
    return arith::SelectOp::create(b, e.loc, isSecond, x, y);
  };
  Ranked last{select(other.key, first.key),
              select(other.position, first.position)};
  return {precedes(item, last), select(second, math.value(left)),
          last.position};
}

void HeapSort::sift(Index hole, Index heap, Ranked item) {
  OpBuilder &b = e.b;
  Type index = b.getIndexType(), i32 = b.getI32Type();
  Value end = math.value(heap), start = math.value(hole);
  // A hole that moves down: (hole) -> (hole, child, position of the child).
  auto loop = scf::WhileOp::create(b, e.loc, TypeRange{index, index, i32},
                                   ValueRange{start});
  {
    OpBuilder::InsertionGuard guard(b);
    ElementEmitter::Scope scope(e.elements);
    Block *before = b.createBlock(&loop.getBefore(), {}, {index}, {e.loc});
    Value at = before->getArgument(0);
    Index left = math.add(math.mul(at, math.constant(2)), math.constant(1));
    auto choice = scf::IfOp::create(
        b, e.loc, TypeRange{b.getI1Type(), index, i32}, isLess(left, end),
        /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard inner(b);
      ElementEmitter::Scope innerScope(e.elements);
      b.setInsertionPointToStart(choice.thenBlock());
      SmallVector<Value> found = lastChild(at, end, item);
      scf::YieldOp::create(b, e.loc, found);
      b.setInsertionPointToStart(choice.elseBlock());
      Value no = arith::ConstantOp::create(b, e.loc, b.getBoolAttr(false));
      scf::YieldOp::create(b, e.loc, ValueRange{no, at, item.position});
    }
    scf::ConditionOp::create(
        b, e.loc, choice.getResult(0),
        ValueRange{at, choice.getResult(1), choice.getResult(2)});
  }
  {
    OpBuilder::InsertionGuard guard(b);
    ElementEmitter::Scope scope(e.elements);
    Block *after = b.createBlock(&loop.getAfter(), {}, {index, index, i32},
                                 {e.loc, e.loc, e.loc});
    put(after->getArgument(0), after->getArgument(2));
    scf::YieldOp::create(b, e.loc, after->getArgument(1));
  }
  put(loop.getResult(0), item.position);
}

void HeapSort::emitRow() {
  Index zero = math.constant(0), one = math.constant(1);
  e.loop(zero, count, one, [&](Index i) { put(i, asPosition(i)); });
  Index half = math.div(count, math.constant(2));
  e.loop(zero, half, one, [&](Index i) {
    Index root = math.sub(math.sub(half, one), i);
    sift(root, count, ranked(positionAt(root)));
  });
  e.loop(count, columns, one, [&](Index i) {
    Ranked item = ranked(asPosition(i));
    e.when(precedes(item, ranked(positionAt(zero))),
           [&] { sift(zero, count, item); });
  });
  e.loop(one, count, one, [&](Index i) {
    Index end = math.sub(count, i);
    Ranked item = ranked(positionAt(end));
    put(end, positionAt(zero));
    sift(zero, end, item);
  });
}

/// Rows that are sorted digit by digit: a heap sorts shorter ones as fast, and
/// longer ones would take more than 16 MiB of scratch, or 256 KiB where it is
/// not known whether they are so long.
static constexpr int64_t shortestRadix = 64, longestRadix = int64_t(1) << 22;
static constexpr int64_t longestUnknown = int64_t(1) << 16;
/// Where the size is not known, digits are long, and counting them takes as
/// long as sorting so many elements with a heap.
static constexpr int64_t shortestUnknown = 512;

/// The largest row that is sorted digit by digit; 0 if none is.
int64_t HeapSort::radixCapacity() {
  if (op.getCount())
    return 0;
  std::optional<int64_t> size = IndexMath::constantOf(columns);
  if (!size)
    return longestUnknown;
  return *size >= shortestRadix && *size <= longestRadix ? *size : 0;
}

void HeapSort::emit(const CPUItems &items) {
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.pop_back();
  SmallVector<Index> rows(e.results.front().sizes);
  count = rows.pop_back_val();
  columns = e.elements.sizesOf(op.getInput()).back();
  int64_t capacity = radixCapacity();
  std::optional<RadixSort> radix;
  if (capacity > 0)
    radix.emplace(e, order, capacity);
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {1, 1, 1}, radix ? radix->scratchBytes() : 0);
  Value isSome = isLess(math.constant(0), count);
  e.loop(items.begin, items.end, math.constant(1), [&](Index item) {
    row = math.delinearize(item, rows);
    if (!radix)
      return e.when(isSome, [&] { emitRow(); });
    if (IndexMath::constantOf(columns))
      return radix->emitRow(row, columns, items.scratch);
    // The distance from the shortest one, without a sign.
    Index range = math.constant(capacity - shortestUnknown);
    Index above = math.sub(columns, math.constant(shortestUnknown));
    Value isOutside = isLess(range, above);
    Value isInside = arith::XOrIOp::create(
        e.b, e.loc, isOutside,
        arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true)));
    e.when(isInside, [&] { radix->emitRow(row, columns, items.scratch); });
    e.when(isOutside, [&] { emitRow(); });
  });
}

void codegen::emitCPUSort(KernelEmission &e, const CPUItems &items) {
  HeapSort(e).emit(items);
}
