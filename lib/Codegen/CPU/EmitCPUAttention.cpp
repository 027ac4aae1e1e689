//===- EmitCPUAttention.cpp - Host code of attention ----------------------===//
//
// A work item is a block of queries. Blocks of keys and values are packed into
// scratch as f32; scores of a block are multiplied, turned into exponentials,
// and multiplied with the values, with a running maximum and sum for each row,
// so that no more scores than these are stored.
//
//===----------------------------------------------------------------------===//

#include "EmitCPU.h"
#include "RegisterBlock.h"

#include "Codegen/Emit/AttentionSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Rows and keys of a block.
static constexpr int64_t blockRows = 32, blockKeys = 64;
/// Rows that are multiplied in registers.
static constexpr int64_t registerRows = 4;

namespace {
class AttentionEmitter {
public:
  AttentionEmitter(KernelEmission &e, const CPUItems &items)
      : e(e), math(e.math), items(items), space(e),
        registers{e, VectorType::get({items.vectorBits / 32}, e.b.getF32Type()),
                  registerRows, items.vectorBits >= 512 ? 4 : 2},
        valueWidth(llvm::alignTo(space.width, registers.columns())) {
    query = allocate(blockRows * space.depth);
    key = allocate(space.depth * blockKeys);
    scores = allocate(blockRows * blockKeys);
    value = allocate(blockKeys * valueWidth);
    sums = allocate(blockRows * valueWidth);
    for (Memory *each : {&maxima, &totals, &factors})
      *each = allocate(blockRows);
  }

  void emit();

private:
  Memory allocate(int64_t floats);
  Index constant(int64_t value) { return math.constant(value); }
  Index offset(Index row, int64_t rowSize, Index column) {
    return math.add(math.mul(row, constant(rowSize)), column);
  }
  Value load(const Memory &array, Index at) {
    return e.elements.load(array, {at}, 1).front();
  }
  void store(const Memory &array, Index at, Value number) {
    e.elements.store(array, {at}, {number});
  }
  /// `body` for each row, and for each strip of them that is multiplied.
  void forRows(llvm::function_ref<void(Index)> body) {
    e.loop(constant(0), validRows, constant(1), body);
  }
  void forStrips(int64_t columns, llvm::function_ref<void(Index, Index)> body);
  AttentionSpace::Row rowAt(Index row) {
    return space.rowAt(block, math.add(block.firstRow, row));
  }

  void emitBlock(Index item);
  void packQuery();
  void packKeys(Index first, Index count);
  void multiplyScores();
  void takePowers(Index first, Index count);
  Value takeScores(Index row, Index first, Index count, Value max);
  void addValues(Index count);
  void finish();

  KernelEmission &e;
  IndexMath &math;
  const CPUItems &items;
  AttentionSpace space;
  RegisterBlock registers;
  /// Columns of a row of values, whole vectors.
  int64_t valueWidth;
  int64_t usedFloats = 0;
  /// [row][depth], [depth][key], [row][key], [key][column], [row][column], and
  /// of each row the largest score, the sum of powers, and what its sums are
  /// multiplied with when the largest score grows.
  Memory query, key, scores, value, sums, maxima, totals, factors;
  AttentionSpace::Block block;
  Index validRows;
};
} // namespace

Memory AttentionEmitter::allocate(int64_t floats) {
  Value pointer = LLVM::GEPOp::create(
      e.b, e.loc, items.scratch.getType(), e.b.getF32Type(), items.scratch,
      ArrayRef<LLVM::GEPArg>{int32_t(usedFloats)});
  usedFloats += llvm::alignTo(floats, 16);
  return {pointer, e.b.getF32Type(), {constant(floats)}, 64, false};
}

void AttentionEmitter::forStrips(int64_t columns,
                                 llvm::function_ref<void(Index, Index)> body) {
  e.loop(constant(0), validRows, constant(registerRows), [&](Index row) {
    e.loop(constant(0), constant(columns), constant(registers.columns()),
           [&](Index column) { body(row, column); });
  });
}

void AttentionEmitter::packQuery() {
  forRows([&](Index row) {
    AttentionSpace::Row from = rowAt(row);
    e.loop(constant(0), constant(space.depth), constant(1), [&](Index column) {
      store(query, offset(row, space.depth, column),
            e.elements.emitOne(space.op.getQuery(),
                               space.ofQuery(block, from, column)));
    });
  });
}

void AttentionEmitter::packKeys(Index first, Index count) {
  e.loop(constant(0), count, constant(1), [&](Index i) {
    Index number = math.add(first, i);
    e.loop(constant(0), constant(space.depth), constant(1), [&](Index column) {
      store(key, offset(column, blockKeys, i),
            e.elements.emitOne(space.op.getKey(),
                               space.ofKey(block, number, column)));
    });
    e.loop(constant(0), constant(space.width), constant(1), [&](Index column) {
      store(value, offset(i, valueWidth, column),
            e.elements.emitOne(space.op.getValue(),
                               space.ofKey(block, number, column)));
    });
  });
}

/// Products of all rows and keys of the block, those that are not there as
/// well.
void AttentionEmitter::multiplyScores() {
  forStrips(blockKeys, [&](Index row, Index column) {
    Value zero = registers.broadcast(space.number(0));
    SmallVector<Value> start(registerRows * registers.vectors, zero);
    auto vectorOf = [&](int64_t v) {
      return math.add(column, constant(v * registers.width()));
    };
    SmallVector<Value> products = registers.multiply(
        constant(space.depth), start,
        [&](Index k, int64_t i) {
          return load(query,
                      offset(math.add(row, constant(i)), space.depth, k));
        },
        [&](Index k, int64_t v) {
          return registers.load(key, offset(k, blockKeys, vectorOf(v)));
        });
    for (int64_t i = 0; i < registerRows; ++i)
      for (int64_t v = 0; v < registers.vectors; ++v)
        registers.store(
            scores, offset(math.add(row, constant(i)), blockKeys, vectorOf(v)),
            products[i * registers.vectors + v]);
  });
}

/// Stores the scores of a row; returns the largest one, or `max`.
Value AttentionEmitter::takeScores(Index row, Index first, Index count,
                                   Value max) {
  AttentionSpace::Row at = rowAt(row);
  return e
      .reduceLoop(
          constant(0), count, constant(1), max,
          [&](Index i, ValueRange carried) {
            Index place = offset(row, blockKeys, i);
            Value score =
                space.score(block, at, math.add(first, i), load(scores, place));
            store(scores, place, score);
            return SmallVector<Value>{space.larger(carried.front(), score)};
          })
      .front();
}

void AttentionEmitter::takePowers(Index first, Index count) {
  forRows([&](Index row) {
    Value before = load(maxima, row);
    Value max = takeScores(row, first, count, before);
    store(maxima, row, max);
    Value reference = space.reference(max);
    Value factor =
        space.exp(arith::SubFOp::create(e.b, e.loc, before, reference));
    store(factors, row, factor);
    Value total = arith::MulFOp::create(e.b, e.loc, load(totals, row), factor);
    Value sum = e.reduceLoop(constant(0), count, constant(1), space.number(0),
                             [&](Index i, ValueRange carried) {
                               Index place = offset(row, blockKeys, i);
                               Value power = space.exp(arith::SubFOp::create(
                                   e.b, e.loc, load(scores, place), reference));
                               store(scores, place, power);
                               // LLVM may add several at a time.
                               return SmallVector<Value>{arith::AddFOp::create(
                                   e.b, e.loc, carried.front(), power,
                                   arith::FastMathFlags::reassoc)};
                             })
                    .front();
    store(totals, row, arith::AddFOp::create(e.b, e.loc, total, sum));
  });
}

void AttentionEmitter::addValues(Index count) {
  forStrips(valueWidth, [&](Index row, Index column) {
    auto placeOf = [&](int64_t i, int64_t v) {
      return offset(math.add(row, constant(i)), valueWidth,
                    math.add(column, constant(v * registers.width())));
    };
    SmallVector<Value> start;
    for (int64_t i = 0; i < registerRows; ++i) {
      Value factor =
          registers.broadcast(load(factors, math.add(row, constant(i))));
      for (int64_t v = 0; v < registers.vectors; ++v)
        start.push_back(arith::MulFOp::create(
            e.b, e.loc, registers.load(sums, placeOf(i, v)), factor));
    }
    SmallVector<Value> next = registers.multiply(
        count, start,
        [&](Index k, int64_t i) {
          return load(scores, offset(math.add(row, constant(i)), blockKeys, k));
        },
        [&](Index k, int64_t v) {
          return registers.load(
              value, offset(k, valueWidth,
                            math.add(column, constant(v * registers.width()))));
        });
    for (int64_t i = 0; i < registerRows; ++i)
      for (int64_t v = 0; v < registers.vectors; ++v)
        registers.store(sums, placeOf(i, v), next[i * registers.vectors + v]);
  });
}

void AttentionEmitter::finish() {
  forRows([&](Index row) {
    AttentionSpace::Row at = rowAt(row);
    Value divisor = space.divisor(load(totals, row));
    e.loop(constant(0), constant(space.width), constant(1), [&](Index column) {
      Value sum = load(sums, offset(row, valueWidth, column));
      Value result = arith::DivFOp::create(e.b, e.loc, sum, divisor);
      e.elements.bindSource(
          space.op.getResult(),
          [result](ArrayRef<Index>, int64_t n) { return Elements(n, result); });
      e.emitResults(space.ofQuery(block, at, column));
    });
  });
}

void AttentionEmitter::emitBlock(Index item) {
  block = space.blockAt(item, blockRows);
  validRows =
      math.min(constant(blockRows), math.sub(space.rows, block.firstRow));
  packQuery();
  e.loop(constant(0), constant(blockRows * valueWidth), constant(1),
         [&](Index i) { store(sums, i, space.number(0)); });
  e.loop(constant(0), constant(blockRows), constant(1), [&](Index i) {
    store(maxima, i, space.minusInfinity());
    store(totals, i, space.number(0));
  });
  e.loop(space.firstKey(block, blockKeys), block.end, constant(blockKeys),
         [&](Index first) {
           Index count =
               math.min(constant(blockKeys), math.sub(block.end, first));
           packKeys(first, count);
           multiplyScores();
           takePowers(first, count);
           addValues(count);
         });
  finish();
}

void AttentionEmitter::emit() {
  e.setConfig({space.numBlocks(blockRows)}, {1, 1, 1}, usedFloats * 4);
  e.loop(items.begin, items.end, constant(1),
         [&](Index item) { emitBlock(item); });
}

void codegen::emitCPUAttention(KernelEmission &e, const CPUItems &items) {
  AttentionEmitter(e, items).emit();
}
