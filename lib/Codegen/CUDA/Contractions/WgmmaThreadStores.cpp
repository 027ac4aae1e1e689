//===- WgmmaThreadStores.cpp - Results in runs of a row -------------------===//
//
// Results that neither TMA nor warps can store, such as those whose epilogue
// reads two tensors of their size: the sums go through shared memory as rows of
// f32, and each thread finishes runs of a row.
//
//===----------------------------------------------------------------------===//

#include "WgmmaEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::wgmma;

/// Some columns at a time go through shared memory, so that a thread gets
/// neighbours of a row and all accesses of the epilogue are wide.
void WgmmaEmitter::storeByThreads(Value accumulators, int64_t group) {
  Value start =
      add(add(base, i32(stagingBegin)), mul(consumer, 64 * stagingRow * 4));
  for (int64_t chunk = 0; chunk < schedule.partN() / schedule.chunk();
       ++chunk) {
    syncConsumer();
    for (int64_t part = 0; part < schedule.parts(); ++part)
      stage(accumulators, part * schedule.partN() + chunk * schedule.chunk(),
            schedule.chunk(), add(start, i32(part * schedule.chunk() * 4)),
            stagingRow);
    syncConsumer();
    finishChunk(chunk, group);
  }
}

/// Writes this thread's part of accumulator columns [column, column + columns)
/// to rows of `rowFloats` floats.
void WgmmaEmitter::stage(Value accumulators, int64_t column, int64_t columns,
                         Value to, int64_t rowFloats) {
  Value at = add(to, add(mul(toI32(fragmentRow()), rowFloats * 4),
                         mul(toI32(fragmentColumn()), 4)));
  auto pair = VectorType::get({2}, sumType());
  for (int64_t j = 0; j < columns; j += 8)
    for (int64_t half = 0; half < 2; ++half) {
      Elements values = accumulatorPair(accumulators, 0, column + j, half);
      Value vector = vector::FromElementsOp::create(b, loc, pair, values);
      Value place = pointer(add(at, i32(half * 8 * rowFloats * 4 + j * 4)));
      LLVM::StoreOp::create(b, loc, vector, place, 8);
    }
}

/// Elements of narrow accesses that a thread has under way: registers hold as
/// many beside the sums.
static constexpr int64_t maxElementsTogether = 16;

void WgmmaEmitter::finishChunk(int64_t chunk, int64_t group) {
  int64_t vectorSize = runSize();
  int64_t runs = schedule.chunk() / vectorSize; // in a row
  Index t = math.rem(thread, math.constant(128));
  Index stagedFirst = consumerRow();
  Index tileFirst = groupRow(group);
  Index column =
      math.mul(math.rem(t, math.constant(runs)), math.constant(vectorSize));
  Memory staging{
      pointer(add(base, i32(stagingBegin))),
      sumType(),
      {math.constant(schedule.consumers() * 64), math.constant(stagingRow)},
      16,
      false};
  auto rowOf = [&](Index piece) {
    return math.add(math.div(t, math.constant(runs)),
                    math.mul(piece, math.constant(128 / runs)));
  };
  auto load = [&](Index row, int64_t part) {
    Index staged = math.add(column, math.constant(part * schedule.chunk()));
    return e.elements.load(staging, {math.add(stagedFirst, row), staged},
                           vectorSize);
  };
  Index inTile = math.add(column, math.constant(chunk * schedule.chunk()));
  int64_t pieces = std::max<int64_t>(1, runs / 2);
  if (pieces > 4) {
    int64_t together = std::min(pieces, maxElementsTogether / vectorSize);
    e.loop(math.constant(0), math.constant(pieces), math.constant(together),
           [&](Index first) {
             SmallVector<Index> rows;
             SmallVector<Run> found;
             for (int64_t piece = 0; piece < together; ++piece) {
               rows.push_back(rowOf(math.add(first, math.constant(piece))));
               found.push_back(
                   {math.add(tileFirst, rows.back()), inTile, Value()});
             }
             finishTogether(found, vectorSize, [&](size_t run, int64_t part) {
               return load(rows[run], part);
             });
           });
    return;
  }
  for (int64_t piece = 0; piece < pieces; ++piece) {
    Index row = rowOf(math.constant(piece));
    finishRun(math.add(tileFirst, row), inTile, vectorSize,
              [&](int64_t part) { return load(row, part); });
  }
}

/// The same for several runs. All that the epilogue reads is asked for before
/// anything is stored: neither LLVM nor the assembler brings a load in front of
/// a store, and each run would wait for memory by itself.
void WgmmaEmitter::finishTogether(
    ArrayRef<Run> runs, int64_t vectorSize,
    llvm::function_ref<Elements(size_t run, int64_t part)> load) {
  SmallVector<SmallVector<Elements>> values;
  for (auto [number, run] : llvm::enumerate(runs)) {
    auto ofPart = [&, number = number](int64_t part) {
      return load(number, part);
    };
    bindParts(ofPart);
    SmallVector<Index> at =
        resultAt(clampedRow(math.add(rowBegin, run.row)),
                 clampedColumn(math.add(columnBegin, run.column)));
    SmallVector<Elements> &ofRun = values.emplace_back();
    for (unsigned result = 0; result < e.numResults(); ++result)
      ofRun.push_back(e.elements.emit(e.yielded()[result], at, vectorSize));
  }
  pinLoads(b, loc);
  for (auto [run, ofRun] : llvm::zip(runs, values)) {
    Index atM = math.add(rowBegin, run.row);
    Index atN = math.add(columnBegin, run.column);
    Value inside =
        arith::AndIOp::create(b, loc, isBelow(atM, space.sizeOf(schedule.m)),
                              isBelow(atN, space.sizeOf(schedule.n)));
    if (run.isOwn)
      inside = arith::AndIOp::create(b, loc, inside, run.isOwn);
    e.when(inside, [&] {
      for (auto [result, elements] : llvm::enumerate(ofRun))
        e.elements.store(e.results[result], resultAt(atM, atN), elements);
    });
  }
}

/// Runs the epilogue on `vectorSize` neighbours of row `inTile` of the tile,
/// from its column `column` on, and stores them.
void WgmmaEmitter::finishRun(Index inTile, Index column, int64_t vectorSize,
                             llvm::function_ref<Elements(int64_t)> load) {
  Index atM = math.add(rowBegin, inTile);
  Index atN = math.add(columnBegin, column);
  Value inside =
      arith::AndIOp::create(b, loc, isBelow(atM, space.sizeOf(schedule.m)),
                            isBelow(atN, space.sizeOf(schedule.n)));
  e.when(inside, [&] {
    bindParts(load);
    e.emitResults(resultAt(atM, atN), vectorSize);
  });
}
