//===- EmitCPUGemm.cpp - Host code of contractions ------------------------===//
//
// A work item is one tile of the result. For each k-block, both operands
// are packed into scratch in their compute type, whatever their layout; a
// register-blocked kernel accumulates into a tile in scratch; the epilogue
// reads it. Contractions that some results depend on together have tiles side
// by side, and pack the first operand once; other contractions of the kernel
// have work items of their own.
//
//===----------------------------------------------------------------------===//

#include "EmitCPU.h"
#include "RegisterBlock.h"

#include "tripy/Codegen/ContractionSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {
/// Sizes of the blocking, in elements.
struct Blocking {
  int64_t tileM = 96, tileN = 64, tileK = 256;
  /// The register block: rows x vectors of columns.
  int64_t rows = 6, vectors, width;
  int64_t columns() const { return vectors * width; }
};

/// Emits the contractions of a gemm kernel that are computed together.
class GemmEmitter {
public:
  GemmEmitter(KernelEmission &e, const CPUItems &items,
              const ContractionGroup &group, ContractionSpace space)
      : e(e), math(e.math), items(items), group(group), op(group.ops.front()),
        dims(std::move(space)) {
    chooseBlocking();
  }

  /// Emits the work items from `first` on.
  void emit(Index first);
  /// Their number, in the code and in the launch grid.
  Index numItems() const;
  AffineExpr numItemsExpr() const;
  /// Bytes of scratch that a worker needs.
  int64_t scratchBytes() const;

private:
  void chooseBlocking();
  void emitTile(Index item);
  void emitKBlock(Index kBegin);
  void pack(linalg::GenericOp from, unsigned operand, ArrayRef<unsigned> outer,
            Index first, Index valid, int64_t tile, int64_t strip, Index kBegin,
            const Memory &panel);
  void multiply(Index kBegin, Index kCount, const Memory &tile);
  void microKernel(Index mStrip, Index nStrip, Index kBegin, Index kCount,
                   const Memory &tile);
  void emitEpilogue();
  Value scratchAt(int64_t bytes) {
    return LLVM::GEPOp::create(e.b, e.loc, items.scratch.getType(),
                               e.b.getI8Type(), items.scratch,
                               ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  }

  KernelEmission &e;
  IndexMath &math;
  const CPUItems &items;
  const ContractionGroup &group;
  /// The first of the group: its loops are those of all.
  linalg::GenericOp op;
  ContractionSpace dims;
  Blocking blocking;
  Type number;
  VectorType vectorType;
  /// [tileM / rows][tileK][rows], [tileN / columns][tileK][columns], and
  /// [tileM][tileN] for each contraction.
  Memory panelA, panelB;
  SmallVector<Memory> tiles;
  SmallVector<Index> batchLoops;
  Index mBegin, nBegin, mValid, nValid;
};
} // namespace

/// Bytes of `elements` numbers of `type`.
static int64_t bytesOf(int64_t elements, Type type) {
  return elements * type.getIntOrFloatBitWidth() / 8;
}

void GemmEmitter::chooseBlocking() {
  number = e.initialValue(op).getType();
  unsigned bits = number.getIntOrFloatBitWidth();
  blocking.width = std::max<int64_t>(1, items.vectorBits / bits);
  blocking.vectors = items.vectorBits >= 512 ? 4 : 2;
  blocking.tileN = std::max<int64_t>(64, blocking.columns());
  vectorType = VectorType::get({blocking.width}, number);
  auto memory = [&](int64_t offset, int64_t elements) {
    return Memory{
        scratchAt(offset), number, {math.constant(elements)}, 64, false};
  };
  int64_t a = blocking.tileM * blocking.tileK;
  int64_t b = blocking.tileN * blocking.tileK;
  int64_t c = blocking.tileM * blocking.tileN;
  panelA = memory(0, a);
  panelB = memory(bytesOf(a, number), b);
  for (size_t i = 0; i < group.ops.size(); ++i)
    tiles.push_back(memory(bytesOf(a + b + i * c, number), c));
}

int64_t GemmEmitter::scratchBytes() const {
  int64_t tile = blocking.tileM * blocking.tileN;
  return bytesOf((blocking.tileM + blocking.tileN) * blocking.tileK +
                     group.ops.size() * tile,
                 number);
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
  SmallVector<Value> start;
  for (linalg::GenericOp contraction : group.ops)
    start.push_back(e.initialValue(contraction));
  e.loop(math.constant(0), math.constant(blocking.tileM * blocking.tileN),
         math.constant(1), [&](Index i) {
           for (auto [tile, value] : llvm::zip(tiles, start))
             e.elements.store(tile, {i}, {value});
         });
  e.loop(math.constant(0), dims.sizeOf(dims.k), math.constant(blocking.tileK),
         [&](Index kBegin) { emitKBlock(kBegin); });
  emitEpilogue();
}

void GemmEmitter::emitKBlock(Index kBegin) {
  Index kCount = math.min(math.constant(blocking.tileK),
                          math.sub(dims.sizeOf(dims.k), kBegin));
  pack(op, 0, dims.m, mBegin, mValid, blocking.tileM, blocking.rows, kBegin,
       panelA);
  for (auto [contraction, tile] : llvm::zip(group.ops, tiles)) {
    pack(contraction, 1, dims.n, nBegin, nValid, blocking.tileN,
         blocking.columns(), kBegin, panelB);
    multiply(kBegin, kCount, tile);
  }
}

/// Copies rows [first, first + valid) of an operand, K from kBegin on, into
/// strips of `strip` rows: panel[row / strip][k][row % strip]. What is missing
/// of the last strip is 0.
void GemmEmitter::pack(linalg::GenericOp from, unsigned operand,
                       ArrayRef<unsigned> outer, Index first, Index valid,
                       int64_t tileRows, int64_t strip, Index kBegin,
                       const Memory &panel) {
  Index kCount = math.min(math.constant(blocking.tileK),
                          math.sub(dims.sizeOf(dims.k), kBegin));
  Value zero = arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(number));
  Index zeroIndex = math.constant(0), one = math.constant(1);
  Value partial = arith::CmpIOp::create(
      e.b, e.loc, arith::CmpIPredicate::ne,
      math.value(math.rem(valid, math.constant(strip))), math.value(zeroIndex));
  e.when(partial, [&] {
    e.loop(zeroIndex, math.constant(tileRows * blocking.tileK), one,
           [&](Index i) { e.elements.store(panel, {i}, {zero}); });
  });
  auto copy = [&](Index row, Index k) {
    SmallVector<Index> loops = batchLoops;
    dims.spread(math.add(first, row), outer, loops);
    dims.spread(math.add(kBegin, k), dims.k, loops);
    Value element =
        e.elements.emitFactors(from, operand, loops, /*vectorLoop=*/-1, 1)
            .front();
    Index strips = math.div(row, math.constant(strip));
    Index inStrip = math.rem(row, math.constant(strip));
    Index offset = math.add(
        math.mul(math.add(math.mul(strips, math.constant(blocking.tileK)), k),
                 math.constant(strip)),
        inStrip);
    e.elements.store(panel, {offset}, {element});
  };
  // The inner loop runs along the operand's contiguous side.
  AffineMap map = from.getMatchingIndexingMap(&from->getOpOperand(operand));
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  bool alongK = last && llvm::is_contained(dims.k, last.getPosition());
  e.loop(zeroIndex, alongK ? valid : kCount, one, [&](Index i) {
    e.loop(zeroIndex, alongK ? kCount : valid, one,
           [&](Index j) { alongK ? copy(i, j) : copy(j, i); });
  });
}

void GemmEmitter::multiply(Index kBegin, Index kCount, const Memory &tile) {
  Index zero = math.constant(0), one = math.constant(1);
  Index mStrips = math.ceilDiv(mValid, math.constant(blocking.rows));
  Index nStrips = math.ceilDiv(nValid, math.constant(blocking.columns()));
  e.loop(zero, nStrips, one, [&](Index n) {
    e.loop(zero, mStrips, one,
           [&](Index m) { microKernel(m, n, kBegin, kCount, tile); });
  });
}

/// rows x columns of the tile, in registers over all of the k-block's K.
void GemmEmitter::microKernel(Index mStrip, Index nStrip, Index kBegin,
                              Index kCount, const Memory &tile) {
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
      accumulators.push_back(registers.load(tile, tileOffset(row, v)));
  Index stripA = math.mul(mStrip, math.constant(blocking.tileK));
  Index stripB = math.mul(nStrip, math.constant(blocking.tileK));
  accumulators = registers.multiply(
      kCount, accumulators,
      [&](Index k, int64_t row) {
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
  Index zero = math.constant(0), one = math.constant(1);
  e.loop(zero, mValid, one, [&](Index m) {
    e.loop(zero, nValid, one, [&](Index n) {
      SmallVector<Index> loops = batchLoops;
      dims.spread(math.add(mBegin, m), dims.m, loops);
      dims.spread(math.add(nBegin, n), dims.n, loops);
      Index offset = math.add(math.mul(m, math.constant(blocking.tileN)), n);
      for (auto [contraction, memory] : llvm::zip(group.ops, tiles)) {
        const Memory &tile = memory;
        e.elements.bindSource(contraction->getResult(0),
                              [&tile, offset, this](ArrayRef<Index>, int64_t) {
                                return e.elements.load(tile, {offset}, 1);
                              });
      }
      e.emitResults(group.results, dims.resultAt(loops));
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
