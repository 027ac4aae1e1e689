//===- EmitCUDAGemm.cpp - SIMT code of contractions -----------------------===//
//
// Right for every shape, layout and number type: a block computes a 64 x 64
// tile from slices of both operands in shared memory, a thread 4 x 4 of it.
//
//===----------------------------------------------------------------------===//

#include "EmitCUDA.h"

#include "tripy/Codegen/ContractionSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {
constexpr int64_t tileM = 64, tileN = 64, tileK = 16, threads = 256;
/// Elements of a thread in each direction.
constexpr int64_t own = 4;

/// Emits one gemm kernel on CUDA cores.
class SimtGemm {
public:
  SimtGemm(CUDAKernel &kernel, linalg::GenericOp op, ContractionSpace space)
      : kernel(kernel), e(kernel.e), math(e.math), op(op),
        dims(std::move(space)) {}

  void emit();

private:
  void locate();
  void loadSlice(unsigned operand, ArrayRef<unsigned> outer, Index begin,
                 Index kBegin, const Memory &slice);
  SmallVector<Value> multiplySlice(ValueRange accumulators);
  void emitEpilogue(ArrayRef<Value> accumulators);
  void emitRow(int64_t i, Index m, ArrayRef<Value> accumulators);
  Value fma(Value a, Value b, Value c);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  linalg::GenericOp op;
  ContractionSpace dims;
  SmallVector<Index> batchLoops;
  Type number;
  Memory sliceA, sliceB;
  Index thread, mBegin, nBegin;
};
} // namespace

/// The tile of this block.
void SimtGemm::locate() {
  Index tilesM = math.ceilDiv(dims.sizeOf(dims.m), math.constant(tileM));
  Index tilesN = math.ceilDiv(dims.sizeOf(dims.n), math.constant(tileN));
  SmallVector<Index> at = math.delinearize(
      kernel.blockId(), {dims.sizeOf(dims.batch), tilesM, tilesN});
  batchLoops.assign(op.getNumLoops(), math.constant(0));
  dims.spread(at[0], dims.batch, batchLoops);
  mBegin = math.mul(at[1], math.constant(tileM));
  nBegin = math.mul(at[2], math.constant(tileN));
  thread = kernel.threadId();
}

/// Copies rows [begin, begin + 64) and K [kBegin, kBegin + 16) of an operand
/// to slice[k][row]; what lies outside is 0.
void SimtGemm::loadSlice(unsigned operand, ArrayRef<unsigned> outer,
                         Index begin, Index kBegin, const Memory &slice) {
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  bool alongK = last && llvm::is_contained(dims.k, last.getPosition());
  Value zero = arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(number));
  for (int64_t piece = 0; piece < tileM * tileK / threads; ++piece) {
    // Neighbouring threads take neighbours along the contiguous side.
    Index linear = math.add(thread, math.constant(piece * threads));
    SmallVector<Index> at =
        math.delinearize(linear, {math.constant(alongK ? tileM : tileK),
                                  math.constant(alongK ? tileK : tileM)});
    Index row = at[alongK ? 0 : 1], depth = at[alongK ? 1 : 0];
    Index globalRow = math.add(begin, row), globalK = math.add(kBegin, depth);
    Value inside =
        arith::AndIOp::create(e.b, e.loc,
                              kernel.compare(arith::CmpIPredicate::ult,
                                             globalRow, dims.sizeOf(outer)),
                              kernel.compare(arith::CmpIPredicate::ult, globalK,
                                             dims.sizeOf(dims.k)));
    SmallVector<Index> loops = batchLoops;
    dims.spread(kernel.clampTo(inside, globalRow), outer, loops);
    dims.spread(kernel.clampTo(inside, globalK), dims.k, loops);
    Value element = e.elements.emitOperand(op, operand, loops);
    e.elements.store(slice, {depth, row},
                     {kernel.select(inside, element, zero)});
  }
}

Value SimtGemm::fma(Value a, Value b, Value c) {
  if (isa<FloatType>(number))
    return math::FmaOp::create(e.b, e.loc, a, b, c);
  Value product = arith::MulIOp::create(e.b, e.loc, a, b);
  return arith::AddIOp::create(e.b, e.loc, product, c);
}

SmallVector<Value> SimtGemm::multiplySlice(ValueRange accumulators) {
  SmallVector<Value> next(accumulators);
  Index row = math.mul(math.div(thread, math.constant(tileN / own)),
                       math.constant(own));
  Index column = math.mul(math.rem(thread, math.constant(tileN / own)),
                          math.constant(own));
  for (int64_t depth = 0; depth < tileK; ++depth) {
    Lanes a = e.elements.load(sliceA, {math.constant(depth), row}, own);
    Lanes b = e.elements.load(sliceB, {math.constant(depth), column}, own);
    for (int64_t i = 0; i < own; ++i)
      for (int64_t j = 0; j < own; ++j)
        next[i * own + j] = fma(a[i], b[j], next[i * own + j]);
  }
  return next;
}

void SimtGemm::emitEpilogue(ArrayRef<Value> accumulators) {
  Index row = math.mul(math.div(thread, math.constant(tileN / own)),
                       math.constant(own));
  for (int64_t i = 0; i < own; ++i) {
    Index at = math.add(math.add(mBegin, row), math.constant(i));
    e.when(kernel.compare(arith::CmpIPredicate::ult, at, dims.sizeOf(dims.m)),
           [&] { emitRow(i, at, accumulators); });
  }
}

/// Row `i` of the thread's square, which is row `at` of the result.
void SimtGemm::emitRow(int64_t i, Index at, ArrayRef<Value> accumulators) {
  Index column = math.mul(math.rem(thread, math.constant(tileN / own)),
                          math.constant(own));
  for (int64_t j = 0; j < own; ++j) {
    Index atN = math.add(math.add(nBegin, column), math.constant(j));
    e.when(kernel.compare(arith::CmpIPredicate::ult, atN, dims.sizeOf(dims.n)),
           [&] {
             SmallVector<Index> loops = batchLoops;
             dims.spread(at, dims.m, loops);
             dims.spread(atN, dims.n, loops);
             Value total = accumulators[i * own + j];
             e.elements.bindSource(op.getResult(0),
                                   [total](ArrayRef<Index>, int64_t lanes) {
                                     return Lanes(lanes, total);
                                   });
             e.emitResults(dims.resultAt(loops));
           });
  }
}

void SimtGemm::emit() {
  Value initial = e.initialValue(op);
  number = initial.getType();
  e.setConfig(
      {dims.extentOf(dims.batch) * dims.extentOf(dims.m).ceilDiv(tileM) *
       dims.extentOf(dims.n).ceilDiv(tileN)},
      {threads, 1, 1}, 0);
  locate();
  sliceA = kernel.sharedArray("a", number, {tileK, tileM});
  sliceB = kernel.sharedArray("b", number, {tileK, tileN});
  SmallVector<Value> accumulators(own * own, initial);
  accumulators =
      e.reduceLoop(math.constant(0), dims.sizeOf(dims.k), math.constant(tileK),
                   accumulators, [&](Index kBegin, ValueRange carried) {
                     kernel.barrier();
                     loadSlice(0, dims.m, mBegin, kBegin, sliceA);
                     loadSlice(1, dims.n, nBegin, kBegin, sliceB);
                     kernel.barrier();
                     return multiplySlice(carried);
                   });
  emitEpilogue(accumulators);
}

LogicalResult codegen::emitCUDAGemm(CUDAKernel &kernel) {
  linalg::GenericOp op = kernel.e.reductions().front();
  FailureOr<ContractionSpace> space = ContractionSpace::of(op, kernel.e);
  if (failed(space))
    return failure();
  SimtGemm(kernel, op, *space).emit();
  return success();
}
