//===- EmitCPUGemm.cpp - Host code of contractions ------------------------===//
//
// A work item is one tile of the result. For each slice of K, both operands
// are packed into scratch in their compute type, whatever their layout; a
// register-blocked kernel accumulates into a tile in scratch; the epilogue
// reads it.
//
//===----------------------------------------------------------------------===//

#include "EmitCPU.h"

#include "tripy/Codegen/ContractionSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

/// Emits one gemm kernel.
class GemmEmitter {
public:
  GemmEmitter(KernelEmission &e, const CPUItems &items, linalg::GenericOp op,
              ContractionSpace space)
      : e(e), math(e.math), items(items), op(op), dims(std::move(space)) {}

  void emit();

private:
  void chooseBlocking();
  void emitTile(Index item);
  void emitSlice(Index kBegin);
  void pack(unsigned operand, ArrayRef<unsigned> outer, Index first,
            Index valid, int64_t tile, int64_t strip, Index kBegin,
            const Memory &panel);
  void multiply(Index kBegin, Index kCount);
  void microKernel(Index mStrip, Index nStrip, Index kBegin, Index kCount);
  void emitEpilogue();
  Value scratchAt(int64_t bytes) {
    return LLVM::GEPOp::create(e.b, e.loc, items.scratch.getType(),
                               e.b.getI8Type(), items.scratch,
                               ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  }
  Value vectorAt(const Memory &memory, Index offset);
  void storeVector(const Memory &memory, Index offset, Value vector);

  KernelEmission &e;
  IndexMath &math;
  const CPUItems &items;
  linalg::GenericOp op;
  ContractionSpace dims;
  Blocking blocking;
  Type number;
  VectorType vectorType;
  /// [tileM / rows][tileK][rows], [tileN / columns][tileK][columns],
  /// [tileM][tileN].
  Memory panelA, panelB, tile;
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
  tile = memory(bytesOf(a + b, number), c);
  AffineExpr grid = dims.extentOf(dims.batch) *
                    dims.extentOf(dims.m).ceilDiv(blocking.tileM) *
                    dims.extentOf(dims.n).ceilDiv(blocking.tileN);
  e.setConfig({grid}, {1, 1, 1}, bytesOf(a + b + c, number));
}

void GemmEmitter::emit() {
  chooseBlocking();
  e.loop(items.begin, items.end, math.constant(1),
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
  Value zero = arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(number));
  e.loop(math.constant(0), math.constant(blocking.tileM * blocking.tileN),
         math.constant(1),
         [&](Index i) { e.elements.store(tile, {i}, {zero}); });
  e.loop(math.constant(0), dims.sizeOf(dims.k), math.constant(blocking.tileK),
         [&](Index kBegin) { emitSlice(kBegin); });
  emitEpilogue();
}

void GemmEmitter::emitSlice(Index kBegin) {
  Index kCount = math.min(math.constant(blocking.tileK),
                          math.sub(dims.sizeOf(dims.k), kBegin));
  pack(0, dims.m, mBegin, mValid, blocking.tileM, blocking.rows, kBegin,
       panelA);
  pack(1, dims.n, nBegin, nValid, blocking.tileN, blocking.columns(), kBegin,
       panelB);
  multiply(kBegin, kCount);
}

/// Copies rows [first, first + valid) of an operand, K from kBegin on, into
/// strips of `strip` rows: panel[row / strip][k][row % strip]. What is missing
/// of the last strip is 0.
void GemmEmitter::pack(unsigned operand, ArrayRef<unsigned> outer, Index first,
                       Index valid, int64_t tileRows, int64_t strip,
                       Index kBegin, const Memory &panel) {
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
    Value element = e.elements.emitOperand(op, operand, loops);
    Index strips = math.div(row, math.constant(strip));
    Index inStrip = math.rem(row, math.constant(strip));
    Index offset = math.add(
        math.mul(math.add(math.mul(strips, math.constant(blocking.tileK)), k),
                 math.constant(strip)),
        inStrip);
    e.elements.store(panel, {offset}, {element});
  };
  // The inner loop runs along the operand's contiguous side.
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  bool alongK = last && llvm::is_contained(dims.k, last.getPosition());
  e.loop(zeroIndex, alongK ? valid : kCount, one, [&](Index i) {
    e.loop(zeroIndex, alongK ? kCount : valid, one,
           [&](Index j) { alongK ? copy(i, j) : copy(j, i); });
  });
}

void GemmEmitter::multiply(Index kBegin, Index kCount) {
  Index zero = math.constant(0), one = math.constant(1);
  Index mStrips = math.ceilDiv(mValid, math.constant(blocking.rows));
  Index nStrips = math.ceilDiv(nValid, math.constant(blocking.columns()));
  e.loop(zero, nStrips, one, [&](Index n) {
    e.loop(zero, mStrips, one,
           [&](Index m) { microKernel(m, n, kBegin, kCount); });
  });
}

Value GemmEmitter::vectorAt(const Memory &memory, Index offset) {
  Value wide = arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(),
                                          math.value(offset));
  Value address =
      LLVM::GEPOp::create(e.b, e.loc, memory.pointer.getType(), number,
                          memory.pointer, ArrayRef<LLVM::GEPArg>{wide});
  return LLVM::LoadOp::create(e.b, e.loc, vectorType, address,
                              bytesOf(1, number));
}

void GemmEmitter::storeVector(const Memory &memory, Index offset,
                              Value vector) {
  Value wide = arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(),
                                          math.value(offset));
  Value address =
      LLVM::GEPOp::create(e.b, e.loc, memory.pointer.getType(), number,
                          memory.pointer, ArrayRef<LLVM::GEPArg>{wide});
  LLVM::StoreOp::create(e.b, e.loc, vector, address, bytesOf(1, number));
}

/// rows x columns of the tile, in registers over all of the slice's K.
void GemmEmitter::microKernel(Index mStrip, Index nStrip, Index kBegin,
                              Index kCount) {
  int64_t rows = blocking.rows, columns = blocking.columns();
  auto tileOffset = [&](int64_t row, int64_t vector) {
    Index r =
        math.add(math.mul(mStrip, math.constant(rows)), math.constant(row));
    Index c = math.add(math.mul(nStrip, math.constant(columns)),
                       math.constant(vector * blocking.width));
    return math.add(math.mul(r, math.constant(blocking.tileN)), c);
  };
  SmallVector<Value> accumulators;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t v = 0; v < blocking.vectors; ++v)
      accumulators.push_back(vectorAt(tile, tileOffset(row, v)));
  Index stripA = math.mul(mStrip, math.constant(blocking.tileK));
  Index stripB = math.mul(nStrip, math.constant(blocking.tileK));
  accumulators = e.reduceLoop(
      math.constant(0), kCount, math.constant(1), accumulators,
      [&](Index k, ValueRange carried) {
        SmallVector<Value> right, next;
        Index baseB = math.mul(math.add(stripB, k), math.constant(columns));
        for (int64_t v = 0; v < blocking.vectors; ++v)
          right.push_back(vectorAt(
              panelB, math.add(baseB, math.constant(v * blocking.width))));
        Index baseA = math.mul(math.add(stripA, k), math.constant(rows));
        for (int64_t row = 0; row < rows; ++row) {
          Value scalar =
              e.elements.load(panelA, {math.add(baseA, math.constant(row))}, 1)
                  .front();
          Value left =
              vector::BroadcastOp::create(e.b, e.loc, vectorType, scalar);
          for (int64_t v = 0; v < blocking.vectors; ++v) {
            Value sum = carried[row * blocking.vectors + v];
            if (isa<FloatType>(number)) {
              next.push_back(
                  vector::FMAOp::create(e.b, e.loc, left, right[v], sum));
              continue;
            }
            Value product = arith::MulIOp::create(e.b, e.loc, left, right[v]);
            next.push_back(arith::AddIOp::create(e.b, e.loc, sum, product));
          }
        }
        return next;
      });
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t v = 0; v < blocking.vectors; ++v)
      storeVector(tile, tileOffset(row, v),
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
      e.elements.bindSource(op.getResult(0), [&](ArrayRef<Index>, int64_t) {
        return e.elements.load(tile, {offset}, 1);
      });
      e.emitResults(dims.resultAt(loops));
    });
  });
}

LogicalResult codegen::emitCPUGemm(KernelEmission &emission,
                                   const CPUItems &items) {
  linalg::GenericOp op = emission.reductions().front();
  FailureOr<ContractionSpace> space = ContractionSpace::of(op, emission);
  if (failed(space))
    return failure();
  GemmEmitter(emission, items, op, *space).emit();
  return success();
}
