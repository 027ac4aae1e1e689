//===- EmitCPUGemm.cpp - Host code of contractions ------------------------===//
//
// A work item is one tile of the result. For each k-block, both operands
// are packed into scratch in their compute type, whatever their layout; a
// register-blocked kernel accumulates into a tile in scratch; the epilogue
// reads it. A first operand whose rows lie in memory along K is not packed. Of
// few rows, each element of the second operand is needed a few times only: it
// is read where it lies. Contractions that some results depend on together have
// tiles side by side, and pack the first operand once; other contractions of
// the kernel have work items of their own.
//
//===----------------------------------------------------------------------===//

#include "GemmEmitter.h"
#include "RegisterBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Bytes of `elements` numbers of `type`.
static int64_t bytesOf(int64_t elements, Type type) {
  return elements * type.getIntOrFloatBitWidth() / 8;
}

/// Rows up to which operands are read where they lie: packing an element takes
/// about as long as multiplying it with a vector of so many.
static constexpr int64_t fewRows = 8;
/// Work items that keep the processors of a usual machine busy.
static constexpr int64_t enoughItems = 32;
/// Of a tile. With both panels it fits into an L2 cache of 1 MiB; an element of
/// a panel is packed once for as many products as the other side has.
static constexpr int64_t maxTileM = 192, minTileM = 96;
static constexpr int64_t maxTileN = 256, minTileN = 64;
/// Where windows are packed, which takes longer than what lies in memory.
static constexpr int64_t maxSlidingM = 768;
/// Of a strip of the second operand, which stays in an L1 cache of 48 KiB while
/// the rows of a tile pass by; with vectors of 256 bits, of 32 KiB.
static constexpr int64_t stripBytes = 32 << 10;

Value GemmEmitter::scratchAt(int64_t bytes) {
  return LLVM::GEPOp::create(e.b, e.loc, items.scratch.getType(),
                             e.b.getI8Type(), items.scratch,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

/// The block with the fewest columns behind the last one that there is. Its
/// sums, a row of the second operand and a number of the first fill the 32
/// registers of AVX-512, or the 16 of AVX. Each row has a pointer of its own,
/// of which there are few.
void GemmEmitter::chooseRegisterBlock() {
  bool isWide = items.vectorBits >= 512;
  int64_t sums = isWide ? 25 : 12, usual = isWide ? 4 : 2, maxRows = 8;
  int64_t n = staticExtent(op, dims.n, typicalExtent);
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t vectors : {usual, usual + 1, usual - 1, usual - 2})
    if (vectors > 0) {
      int64_t columns = llvm::alignTo(n, vectors * blocking.width);
      if (columns >= least)
        continue;
      least = columns;
      blocking.vectors = vectors;
      blocking.rows = std::min(maxRows, sums / vectors);
    }
  // As many strips of rows, with the fewest rows behind the last.
  int64_t m = std::max<int64_t>(staticExtent(op, dims.m, typicalExtent), 1);
  blocking.rows =
      llvm::divideCeil(m, llvm::divideCeil(m, int64_t(blocking.rows)));
}

void GemmEmitter::chooseBlocking() {
  number = e.initialValue(op).getType();
  unsigned bits = number.getIntOrFloatBitWidth();
  blocking.width = std::max<int64_t>(1, items.vectorBits / bits);
  chooseRegisterBlock();
  blocking.tileK = std::clamp<int64_t>(
      stripBytes / bytesOf(blocking.columns(), number), 64, 256);
  inPlaceA = liesInRows();
  slides = llvm::all_of(group.ops, [&](linalg::GenericOp contraction) {
    return slidingWindow(contraction).has_value();
  });
  int64_t m = staticExtent(op, dims.m, typicalExtent);
  int64_t n = staticExtent(op, dims.n, typicalExtent);
  int64_t batch = staticExtent(op, dims.batch, 1);
  // Halving what is longer than its side would only add tiles that pack the
  // other side again.
  blocking.tileM =
      std::min<int64_t>(slides ? maxSlidingM : maxTileM,
                        llvm::alignTo(std::max<int64_t>(m, 1), blocking.rows));
  blocking.tileN = std::min<int64_t>(
      maxTileN, llvm::alignTo(std::max<int64_t>(n, 1), blocking.columns()));
  auto isCoarse = [&] {
    return llvm::divideCeil(m, blocking.tileM) *
               llvm::divideCeil(n, blocking.tileN) <
           llvm::divideCeil(enoughItems,
                            std::clamp<int64_t>(batch, 1, enoughItems));
  };
  while (isCoarse()) {
    bool canHalveM = blocking.tileM >= 2 * minTileM;
    bool canHalveN = blocking.tileN >= 2 * minTileN;
    if (!canHalveM && !canHalveN)
      break;
    // Columns alone are packed again for each tile of rows.
    bool isWide = inPlaceA || blocking.tileN > blocking.tileM;
    (canHalveN && (isWide || !canHalveM) ? blocking.tileN : blocking.tileM) /=
        2;
  }
  blocking.tileM = llvm::alignTo(blocking.tileM, blocking.rows);
  blocking.tileN = llvm::alignTo(blocking.tileN, blocking.columns());
  vectorType = VectorType::get({blocking.width}, number);
  auto memory = [&](int64_t offset, int64_t elements) {
    return Memory{
        scratchAt(offset), number, {math.constant(elements)}, 64, false};
  };
  int64_t a = inPlaceA ? 0 : blocking.tileM * blocking.tileK;
  int64_t b = blocking.tileN * blocking.tileK;
  int64_t c = blocking.tileM * blocking.tileN;
  panelA = memory(0, a);
  panelB = memory(bytesOf(a, number), b);
  for (size_t i = 0; i < group.ops.size(); ++i)
    tiles.push_back(memory(bytesOf(a + b + i * c, number), c));
}

int64_t GemmEmitter::scratchBytes() const {
  int64_t tile = blocking.tileM * blocking.tileN;
  int64_t packed = (inPlaceA ? 0 : blocking.tileM) + blocking.tileN;
  return bytesOf(packed * blocking.tileK + group.ops.size() * tile, number);
}

AffineExpr GemmEmitter::numItemsExpr() const {
  return dims.extentOf(dims.batch) *
         dims.extentOf(dims.m).ceilDiv(blocking.tileM) *
         dims.extentOf(dims.n).ceilDiv(blocking.tileN);
}

Index GemmEmitter::numItems() const {
  return math.product(
      {dims.sizeOf(dims.batch),
       math.ceilDiv(dims.sizeOf(dims.m), math.constant(blocking.tileM)),
       math.ceilDiv(dims.sizeOf(dims.n), math.constant(blocking.tileN))});
}

void GemmEmitter::emit(Index first) {
  // Own items among the worker's.
  Index begin = math.max(items.begin, first);
  Index end = math.max(math.min(items.end, math.add(first, numItems())), first);
  e.loop(math.sub(begin, first), math.sub(end, first), math.constant(1),
         [&](Index item) { emitTile(item); });
}

void GemmEmitter::emitTile(Index item) {
  Index tilesM =
      math.ceilDiv(dims.sizeOf(dims.m), math.constant(blocking.tileM));
  Index tilesN =
      math.ceilDiv(dims.sizeOf(dims.n), math.constant(blocking.tileN));
  SmallVector<Index> at =
      math.delinearize(item, {dims.sizeOf(dims.batch), tilesM, tilesN});
  batchLoops.assign(op.getNumLoops(), math.constant(0));
  dims.spread(at[0], dims.batch, batchLoops);
  mBegin = math.mul(at[1], math.constant(blocking.tileM));
  nBegin = math.mul(at[2], math.constant(blocking.tileN));
  mValid = math.min(math.constant(blocking.tileM),
                    math.sub(dims.sizeOf(dims.m), mBegin));
  nValid = math.min(math.constant(blocking.tileN),
                    math.sub(dims.sizeOf(dims.n), nBegin));
  for (auto [contraction, memory] : llvm::zip(group.ops, tiles)) {
    if (startsInRegisters())
      continue;
    const Memory &tile = memory;
    Value start = e.initialValue(contraction);
    e.loop(math.constant(0), math.mul(mValid, math.constant(blocking.tileN)),
           math.constant(1),
           [&](Index i) { e.elements.store(tile, {i}, {start}); });
  }
  std::optional<int64_t> rows = IndexMath::constantOf(dims.sizeOf(dims.m));
  if (alwaysPacks()) {
    multiplyPacked();
    return emitEpilogue();
  }
  Value isFew = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sle,
                                      math.value(mValid),
                                      math.value(math.constant(fewRows)));
  e.when(isFew, [&] {
    for (auto [contraction, tile] : llvm::zip(group.ops, tiles))
      multiplyFewRows(contraction, tile);
  });
  if (!rows) {
    Value isMany = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sgt,
                                         math.value(mValid),
                                         math.value(math.constant(fewRows)));
    e.when(isMany, [&] { multiplyPacked(); });
  }
  emitEpilogue();
}

/// Whether one k-block of packed operands is all that a tile is made of: its
/// sums then need not come from the tile.
bool GemmEmitter::startsInRegisters() {
  std::optional<int64_t> k = IndexMath::constantOf(dims.sizeOf(dims.k));
  return alwaysPacks() && k && *k > 0 && *k <= blocking.tileK;
}

/// Whether operands are packed however few rows a tile has.
bool GemmEmitter::alwaysPacks() {
  std::optional<int64_t> rows = IndexMath::constantOf(dims.sizeOf(dims.m));
  return slides || (rows && *rows > fewRows);
}

void GemmEmitter::forRuns(ArrayRef<unsigned> loops, Index first, Index count,
                          ArrayRef<Index> point,
                          llvm::function_ref<void(ArrayRef<Index>, Index)> body,
                          int64_t inner) {
  Index zero = math.constant(0), one = math.constant(1);
  SmallVector<Index> at(point);
  if (loops.size() == 1 && inner > 1) {
    Index size = math.constant(inner), end = math.add(first, count);
    e.loop(math.div(first, size), math.ceilDiv(end, size), one, [&](Index run) {
      Index start = math.mul(run, size);
      Index from = math.sub(math.max(first, start), start);
      Index to = math.sub(math.min(end, math.add(start, size)), start);
      e.loop(from, to, one, [&](Index i) {
        at[loops.front()] = math.join(run, i, size);
        body(at, math.sub(math.add(start, i), first));
      });
    });
    return;
  }
  if (loops.size() <= 1) {
    e.loop(zero, count, one, [&](Index i) {
      dims.spread(math.add(first, i), loops, at);
      body(at, i);
    });
    return;
  }
  Index size = dims.sizeOf(loops.back()), end = math.add(first, count);
  e.loop(math.div(first, size), math.ceilDiv(end, size), one, [&](Index run) {
    Index start = math.mul(run, size);
    dims.spread(run, loops.drop_back(), at);
    e.loop(math.max(first, start), math.min(end, math.add(start, size)), one,
           [&](Index i) {
             at[loops.back()] = math.sub(i, start);
             body(at, math.sub(i, first));
           });
  });
}

//===-- few rows ----------------------------------------------------------===//

/// `sum` plus the product of two factors. LLVM may vectorise the sums: their
/// order is free, but fixed once compiled.
static Value multiplyAdd(KernelEmission &e, Value left, Value right,
                         Value sum) {
  if (!isa<FloatType>(sum.getType()))
    return arith::AddIOp::create(
        e.b, e.loc, sum, arith::MulIOp::create(e.b, e.loc, left, right));
  auto flags = arith::FastMathFlagsAttr::get(
      e.b.getContext(),
      arith::FastMathFlags::reassoc | arith::FastMathFlags::contract);
  Value product = arith::MulFOp::create(e.b, e.loc, left, right, flags);
  return arith::AddFOp::create(e.b, e.loc, sum, product, flags);
}

Value GemmEmitter::sumOver(linalg::GenericOp contraction,
                           ArrayRef<unsigned> loops, SmallVector<Index> &point,
                           Value sum) {
  if (loops.empty())
    return multiplyAdd(e, factor(contraction, 0, point),
                       factor(contraction, 1, point), sum);
  return e
      .reduceLoop(
          math.constant(0), dims.sizeOf(loops.front()), math.constant(1), sum,
          [&](Index k, ValueRange carried) {
            point[loops.front()] = k;
            return SmallVector<Value>{sumOver(contraction, loops.drop_front(),
                                              point, carried.front())};
          })
      .front();
}

/// A sum over all of K for each element of the tile.
void GemmEmitter::multiplyAlongK(linalg::GenericOp contraction,
                                 const Memory &tile) {
  forRuns(
      dims.n, nBegin, nValid, batchLoops, [&](ArrayRef<Index> column, Index n) {
        forRuns(dims.m, mBegin, mValid, column,
                [&](ArrayRef<Index> at, Index m) {
                  SmallVector<Index> point(at);
                  Value sum = sumOver(contraction, dims.k, point,
                                      e.initialValue(contraction));
                  Index offset =
                      math.add(math.mul(m, math.constant(blocking.tileN)), n);
                  e.elements.store(tile, {offset}, {sum});
                });
      });
}

void GemmEmitter::multiplyFewRows(linalg::GenericOp contraction,
                                  const Memory &tile) {
  if (isAlongK(contraction, 1))
    return multiplyAlongK(contraction, tile);
  // Rows of the second operand are added to the tile, one after the other.
  forRuns(
      dims.k, math.constant(0), dims.sizeOf(dims.k), batchLoops,
      [&](ArrayRef<Index> inner, Index) {
        forRuns(
            dims.m, mBegin, mValid, inner, [&](ArrayRef<Index> row, Index m) {
              forRuns(dims.n, nBegin, nValid, row,
                      [&](ArrayRef<Index> point, Index n) {
                        Index offset = math.add(
                            math.mul(m, math.constant(blocking.tileN)), n);
                        Value sum = e.elements.load(tile, {offset}, 1).front();
                        sum = multiplyAdd(e, factor(contraction, 0, point),
                                          factor(contraction, 1, point), sum);
                        e.elements.store(tile, {offset}, {sum});
                      });
            });
      });
}

//===-- packed operands ---------------------------------------------------===//

void GemmEmitter::multiplyPacked() {
  e.loop(math.constant(0), dims.sizeOf(dims.k), math.constant(blocking.tileK),
         [&](Index kBegin) { emitKBlock(kBegin); });
}

void GemmEmitter::emitKBlock(Index kBegin) {
  Index kCount = math.min(math.constant(blocking.tileK),
                          math.sub(dims.sizeOf(dims.k), kBegin));
  if (!inPlaceA)
    pack(op, 0, dims.m, mBegin, mValid, blocking.rows, kBegin, panelA);
  for (auto [contraction, tile] : llvm::zip(group.ops, tiles)) {
    pack(contraction, 1, dims.n, nBegin, nValid, blocking.columns(), kBegin,
         panelB);
    multiply(contraction, kBegin, kCount, tile);
  }
}

void GemmEmitter::multiply(linalg::GenericOp contraction, Index kBegin,
                           Index kCount, const Memory &tile) {
  Index zero = math.constant(0), one = math.constant(1);
  Index mStrips = math.ceilDiv(mValid, math.constant(blocking.rows));
  Index nStrips = math.ceilDiv(nValid, math.constant(blocking.columns()));
  e.loop(zero, nStrips, one, [&](Index n) {
    e.loop(zero, mStrips, one, [&](Index m) {
      prefetchNext(contraction, n, m, mStrips, kBegin);
      microKernel(contraction, m, n, kBegin, kCount, tile);
    });
  });
}

/// The points of a strip's rows where the first operand is not packed. Behind
/// the last row of the tile it is that row once more: nothing reads the sums.
SmallVector<SmallVector<Index>> GemmEmitter::rowsInPlace(Index mStrip) {
  SmallVector<SmallVector<Index>> points(blocking.rows, batchLoops);
  if (!inPlaceA)
    return points;
  Index last = math.sub(mValid, math.constant(1));
  for (int64_t row = 0; row < blocking.rows; ++row) {
    Index r = math.add(math.mul(mStrip, math.constant(blocking.rows)),
                       math.constant(row));
    dims.spread(math.add(mBegin, math.min(r, last)), dims.m, points[row]);
  }
  return points;
}

/// rows x columns of the tile, in registers over all of the k-block's K.
void GemmEmitter::microKernel(linalg::GenericOp contraction, Index mStrip,
                              Index nStrip, Index kBegin, Index kCount,
                              const Memory &tile) {
  int64_t rows = blocking.rows, columns = blocking.columns();
  auto tileOffset = [&](int64_t row, int64_t vector) {
    Index r =
        math.add(math.mul(mStrip, math.constant(rows)), math.constant(row));
    Index c = math.add(math.mul(nStrip, math.constant(columns)),
                       math.constant(vector * blocking.width));
    return math.add(math.mul(r, math.constant(blocking.tileN)), c);
  };
  RegisterBlock registers{e, vectorType, rows, blocking.vectors};
  SmallVector<Value> accumulators;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t v = 0; v < blocking.vectors; ++v)
      accumulators.push_back(
          startsInRegisters() ? registers.broadcast(e.initialValue(contraction))
                              : registers.load(tile, tileOffset(row, v)));
  Index stripA = math.mul(mStrip, math.constant(blocking.tileK));
  SmallVector<SmallVector<Index>> points = rowsInPlace(mStrip);
  Index stripB = math.mul(nStrip, math.constant(blocking.tileK));
  accumulators = registers.multiply(
      kCount, accumulators,
      [&](Index k, int64_t row) {
        if (inPlaceA) {
          points[row][dims.k.front()] = math.add(kBegin, k);
          return factorInPlace(op, 0, points[row]);
        }
        Index base = math.mul(math.add(stripA, k), math.constant(rows));
        return e.elements.load(panelA, {math.add(base, math.constant(row))}, 1)
            .front();
      },
      [&](Index k, int64_t v) {
        Index base = math.mul(math.add(stripB, k), math.constant(columns));
        return registers.load(
            panelB, math.add(base, math.constant(v * blocking.width)));
      });
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t v = 0; v < blocking.vectors; ++v)
      registers.store(tile, tileOffset(row, v),
                      accumulators[row * blocking.vectors + v]);
}

void GemmEmitter::emitEpilogue() {
  for (auto [contraction, memory] : llvm::zip(group.ops, tiles)) {
    const Memory &tile = memory;
    e.elements.bindSource(contraction->getResult(0),
                          [&tile, this](ArrayRef<Index>, int64_t) {
                            return e.elements.load(tile, {tileOffset}, 1);
                          });
  }
  forRuns(
      dims.m, mBegin, mValid, batchLoops, [&](ArrayRef<Index> row, Index m) {
        forRuns(dims.n, nBegin, nValid, row,
                [&](ArrayRef<Index> point, Index n) {
                  tileOffset =
                      math.add(math.mul(m, math.constant(blocking.tileN)), n);
                  e.emitResults(group.results, dims.resultAt(point));
                });
      });
}

LogicalResult codegen::emitCPUGemm(KernelEmission &emission,
                                   const CPUItems &items) {
  FailureOr<SmallVector<ContractionGroup>> groups = contractionGroups(emission);
  if (failed(groups))
    return failure();
  Index first = emission.math.constant(0);
  AffineExpr grid = emission.constantExpr(0);
  int64_t scratch = 0;
  for (const ContractionGroup &group : *groups) {
    FailureOr<ContractionSpace> space = group.space(emission);
    if (failed(space))
      return failure();
    GemmEmitter emitter(emission, items, group, *space);
    emitter.emit(first);
    first = emission.math.add(first, emitter.numItems());
    grid = grid + emitter.numItemsExpr();
    scratch = std::max(scratch, emitter.scratchBytes());
  }
  emission.setConfig({grid}, {1, 1, 1}, scratch);
  return success();
}
