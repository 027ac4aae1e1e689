//===- EmitCUDAAttention.cpp - Attention on CUDA cores --------------------===//
//
// A block has some rows of queries, in shared memory as f32. It brings a block
// of keys there, then one of values, over and over: a few threads of one warp
// share a row, and have its scores, its sums, and what it needs of the running
// maximum and sum in registers. Scores go through shared memory once, from the
// threads that computed them to those that multiply them with the values.
//
//===----------------------------------------------------------------------===//

#include "Mma.h"

#include "Codegen/Emit/AttentionSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Threads of a block. Floats of one access to shared memory.
static constexpr int64_t blockThreads = 128, together = 4;

namespace {
/// How a block is divided.
struct Division {
  /// Rows, and keys that are in shared memory at a time.
  int64_t rows, keys;
  /// Floats of a row in shared memory: of query and key, of values, of scores.
  /// A piece more than there are, so that rows begin in different banks.
  int64_t depth, width, scores;

  explicit Division(const AttentionSpace &space) {
    rows = std::max(space.depth, space.width) <= 128 ? 32 : 16;
    keys = rows;
    depth = llvm::alignTo(space.depth, together) + together;
    width = llvm::alignTo(space.width, together * perRow()) + together;
    scores = keys + together;
  }
  /// Threads of a row; scores and sums that a thread has.
  int64_t perRow() const { return blockThreads / rows; }
  int64_t ownScores() const { return keys / perRow(); }
  int64_t ownSums() const { return (width - together) / perRow(); }
  int64_t floats() const {
    return rows * (depth + scores) + keys * std::max(depth, width);
  }
};

class AttentionEmitter {
public:
  explicit AttentionEmitter(CUDAKernel &kernel)
      : kernel(kernel), e(kernel.e), math(e.math), space(e), division(space) {}

  void emit();

private:
  /// What a row carries from block to block of keys. `sum` is of the keys that
  /// this thread has scores of.
  struct State {
    Value max, sum;
    SmallVector<Value> sums;
  };
  Index constant(int64_t value) { return math.constant(value); }
  Memory shared(Value start, int64_t floats, int64_t rows, int64_t rowSize);
  void locate();
  using Place = llvm::function_ref<SmallVector<Index>(Index row, Index column)>;
  void fill(Value tensor, const Memory &to, int64_t rows, int64_t columns,
            Index valid, Place place);
  Elements loadPiece(Value tensor, Index row, Index column, int64_t columns,
                     Value valid, Place place);
  void fillKeys(Value tensor, const Memory &to, int64_t columns, Index first);
  SmallVector<Value> multiplyScores();
  Value add(Value a, Value b) {
    return arith::AddFOp::create(e.b, e.loc, a, b);
  }
  State takeKeys(Index first, const State &state);
  SmallVector<Value> addValues(ArrayRef<Value> sums);
  void finish(const State &state);
  SmallVector<Value> pack(const State &state) {
    SmallVector<Value> all{state.max, state.sum};
    llvm::append_range(all, state.sums);
    return all;
  }
  static State unpack(ValueRange all) {
    return {all[0], all[1], SmallVector<Value>(all.drop_front(2))};
  }

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  AttentionSpace space;
  Division division;
  /// Keys and values use the same memory in turn.
  Memory query, key, value, scores;
  AttentionSpace::Block block;
  /// This thread's row in the block, and its number among those of the row.
  Index thread, row, inRow;
  /// Whether there is such a row; the row, or the last one.
  Value hasRow;
  AttentionSpace::Row at;
};
} // namespace

/// `rows` rows of `rowSize` floats, `floats` behind `start`.
Memory AttentionEmitter::shared(Value start, int64_t floats, int64_t rows,
                                int64_t rowSize) {
  Value pointer = LLVM::GEPOp::create(
      e.b, e.loc, start.getType(), e.b.getF32Type(), start,
      ArrayRef<LLVM::GEPArg>{int32_t(floats)}, LLVM::GEPNoWrapFlags::inbounds);
  return {pointer,
          e.b.getF32Type(),
          {constant(rows), constant(rowSize)},
          16,
          false};
}

void AttentionEmitter::locate() {
  Value start = kernel.dynamicShared();
  int64_t behindQuery = division.rows * division.depth;
  int64_t behindScores = behindQuery + division.rows * division.scores;
  query = shared(start, 0, division.rows, division.depth);
  scores = shared(start, behindQuery, division.rows, division.scores);
  key = shared(start, behindScores, division.keys, division.depth);
  value = shared(start, behindScores, division.keys, division.width);
  thread = kernel.threadId();
  row = math.div(thread, constant(division.perRow()));
  inRow = math.rem(thread, constant(division.perRow()));
  block = space.blockAt(kernel.blockId(), division.rows);
  Index own = math.add(block.firstRow, row);
  hasRow = kernel.compare(arith::CmpIPredicate::ult, own, space.rows);
  at = space.rowAt(block, kernel.clampTo(hasRow, own));
}

/// The elements of a piece of `tensor`, 0 where it has none.
Elements AttentionEmitter::loadPiece(Value tensor, Index row, Index column,
                                     int64_t columns, Value valid,
                                     Place place) {
  int64_t width = columns % together == 0 ? together : 1;
  Elements piece;
  for (int64_t i = 0; i < together; i += width) {
    Index from = math.add(column, constant(i));
    Value isThere = arith::AndIOp::create(
        e.b, e.loc, valid,
        kernel.compare(arith::CmpIPredicate::ult, from, constant(columns)));
    llvm::append_range(
        piece, kernel.valuesWhere(isThere, width, space.number(0), [&] {
          return e.elements.emit(tensor, place(row, from), width);
        }));
  }
  return piece;
}

/// Brings `valid` of `rows` rows to shared memory, and zeros for the others.
void AttentionEmitter::fill(Value tensor, const Memory &to, int64_t rows,
                            int64_t columns, Index valid, Place place) {
  int64_t pieces = *IndexMath::constantOf(to.sizes.back()) / together - 1;
  e.loop(thread, constant(rows * pieces), constant(blockThreads),
         [&](Index number) {
           Index row = math.div(number, constant(pieces));
           Index column =
               math.mul(math.rem(number, constant(pieces)), constant(together));
           Value isRow = kernel.compare(arith::CmpIPredicate::ult, row, valid);
           e.elements.store(
               to, {row, column},
               loadPiece(tensor, row, column, columns, isRow, place));
         });
}

void AttentionEmitter::fillKeys(Value tensor, const Memory &to, int64_t columns,
                                Index first) {
  fill(tensor, to, division.keys, columns, math.sub(block.end, first),
       [&](Index row, Index column) {
         return space.ofKey(block, math.add(first, row), column);
       });
}

/// The products of this thread's row and keys: every perRow()-th.
SmallVector<Value> AttentionEmitter::multiplyScores() {
  SmallVector<Value> start(division.ownScores(), space.number(0));
  return e.reduceLoop(
      constant(0), constant(division.depth - together), constant(together),
      start, [&](Index column, ValueRange carried) {
        SmallVector<Value> next(carried);
        Elements left = e.elements.load(query, {row, column}, together);
        for (auto [i, sum] : llvm::enumerate(next)) {
          Index own = math.add(inRow, constant(i * division.perRow()));
          Elements right = e.elements.load(key, {own, column}, together);
          for (auto [a, b] : llvm::zip(left, right))
            sum = math::FmaOp::create(e.b, e.loc, a, b, sum);
        }
        return next;
      });
}

SmallVector<Value> AttentionEmitter::addValues(ArrayRef<Value> start) {
  return e.reduceLoop(
      constant(0), constant(division.keys), constant(1), start,
      [&](Index number, ValueRange carried) {
        SmallVector<Value> next(carried);
        Value power = e.elements.load(scores, {row, number}, 1).front();
        for (size_t i = 0; i < next.size(); i += together) {
          Index column =
              math.add(math.mul(inRow, constant(together)),
                       constant(static_cast<int64_t>(i) * division.perRow()));
          Elements numbers = e.elements.load(value, {number, column}, together);
          for (auto [n, sum] :
               llvm::zip(numbers, MutableArrayRef(next).slice(i, together)))
            sum = math::FmaOp::create(e.b, e.loc, power, n, sum);
        }
        return next;
      });
}

/// The block of keys from `first` on.
AttentionEmitter::State AttentionEmitter::takeKeys(Index first,
                                                   const State &state) {
  // All have read what was there before.
  kernel.barrier();
  fillKeys(space.op.getKey(), key, space.depth, first);
  kernel.barrier();
  SmallVector<Value> own = multiplyScores();
  Value max = state.max;
  for (auto [i, score] : llvm::enumerate(own)) {
    Index number =
        math.add(first, math.add(inRow, constant(i * division.perRow())));
    Value inside = kernel.compare(arith::CmpIPredicate::ult, number, block.end);
    score =
        space.score(block, at, kernel.clampTo(inside, number), score, inside);
    max = space.larger(max, score);
  }
  max = kernel.overLanes(max, division.perRow(),
                         [&](Value a, Value b) { return space.larger(a, b); });
  Value reference = space.reference(max);
  auto powerOf = [&](Value score) {
    return space.exp(arith::SubFOp::create(e.b, e.loc, score, reference));
  };
  Value factor = powerOf(state.max);
  Value sum = arith::MulFOp::create(e.b, e.loc, state.sum, factor);
  for (auto [i, score] : llvm::enumerate(own)) {
    Value power = powerOf(score);
    Index column = math.add(inRow, constant(i * division.perRow()));
    e.elements.store(scores, {row, column}, {power});
    sum = add(sum, power);
  }
  kernel.barrier();
  fillKeys(space.op.getValue(), value, space.width, first);
  kernel.barrier();
  SmallVector<Value> start;
  for (Value each : state.sums)
    start.push_back(arith::MulFOp::create(e.b, e.loc, each, factor));
  return {max, sum, addValues(start)};
}

void AttentionEmitter::finish(const State &state) {
  Value total = kernel.overLanes(state.sum, division.perRow(),
                                 [&](Value a, Value b) { return add(a, b); });
  Value divisor = space.divisor(total);
  int64_t width = space.width % together == 0 ? together : 1;
  for (size_t i = 0; i < state.sums.size(); i += width) {
    int64_t piece = i / together * together;
    Index column = math.add(
        math.mul(inRow, constant(together)),
        constant(piece * division.perRow() + static_cast<int64_t>(i) - piece));
    Value inside =
        arith::AndIOp::create(e.b, e.loc, hasRow,
                              kernel.compare(arith::CmpIPredicate::ult, column,
                                             constant(space.width)));
    e.when(inside, [&] {
      Elements values;
      for (Value sum : ArrayRef(state.sums).slice(i, width))
        values.push_back(arith::DivFOp::create(e.b, e.loc, sum, divisor));
      SmallVector<Index> index = space.ofQuery(block, at, column);
      bindNeighbours(kernel, space.op.getResult(), values, index);
      e.emitResults(index, width);
    });
  }
}

void AttentionEmitter::emit() {
  e.setConfig({space.numBlocks(division.rows)}, {blockThreads, 1, 1},
              division.floats() * 4);
  kernel.await();
  locate();
  fill(space.op.getQuery(), query, division.rows, space.depth,
       math.sub(space.rows, block.firstRow), [&](Index row, Index column) {
         AttentionSpace::Row from =
             space.rowAt(block, math.add(block.firstRow, row));
         return space.ofQuery(block, from, column);
       });
  State start{space.minusInfinity(), space.number(0),
              SmallVector<Value>(division.ownSums(), space.number(0))};
  SmallVector<Value> end = e.reduceLoop(
      space.firstKey(block, division.keys), block.end, constant(division.keys),
      pack(start), [&](Index first, ValueRange carried) {
        return pack(takeKeys(first, unpack(carried)));
      });
  finish(unpack(end));
}

void codegen::emitCUDAAttention(CUDAKernel &kernel) {
  if (!emitMmaAttention(kernel))
    AttentionEmitter(kernel).emit();
}
