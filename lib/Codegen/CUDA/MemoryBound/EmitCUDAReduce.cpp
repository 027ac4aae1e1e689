//===- EmitCUDAReduce.cpp - A block for each output of a reduction --------===//

#include "Codegen/CUDA/Common/EmitCUDA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Threads of a block of a reduction.
static constexpr int64_t reduceThreads = 256;

/// Sizes of the space that `op` reduces.
static SmallVector<Index> reducedBox(KernelEmission &e, linalg::GenericOp op) {
  SmallVector<Index> sizes = loopSizes(op, e.elements), box;
  for (unsigned dim : loopDims(op).reduction)
    box.push_back(sizes[dim]);
  return box;
}

/// Combines `accumulator` with the point `linear` of the reduced space.
static Value reducePoint(KernelEmission &e, linalg::GenericOp op,
                         ArrayRef<Index> out, Index linear, Value accumulator) {
  SmallVector<Index> loops = loopsOfResult(op, out, e.math);
  for (auto [dim, index] :
       llvm::zip(loopDims(op).reduction,
                 e.math.delinearize(linear, reducedBox(e, op))))
    loops[dim] = index;
  return e.step(op, loops, accumulator);
}

/// Combines the points of the reduced space from `first` on, `step` apart.
static Value reduceStrided(KernelEmission &e, linalg::GenericOp op,
                           ArrayRef<Index> out, Index first, Index step) {
  return e
      .reduceLoop(first, e.math.product(reducedBox(e, op)), step,
                  e.initialValue(op),
                  [&](Index linear, ValueRange carried) {
                    return SmallVector<Value>{
                        reducePoint(e, op, out, linear, carried.front())};
                  })
      .front();
}

void codegen::emitCUDAReduce(CUDAKernel &kernel) {
  KernelEmission &e = kernel.e;
  IndexMath &math = e.math;
  linalg::GenericOp op = e.reductions().front();
  LoopDims dims = loopDims(op);
  AffineExpr outputs =
      KernelEmission::product(e.sizeExprs(0), e.kernel.getContext());
  SmallVector<Index> shape(e.elements.sizesOf(op.getResult(0)));
  auto finish = [&](ArrayRef<Index> at, Value total) {
    e.elements.bindSource(op.getResult(0), [total](ArrayRef<Index>, int64_t n) {
      return Elements(n, total);
    });
    for (unsigned i = 0; i < e.numResults(); ++i)
      e.emitResult(i, placeIn(e.results[i], at, shape, math));
  };
  bool keepsLast =
      !dims.parallel.empty() && dims.parallel.back() + 1 == op.getNumLoops();
  if (keepsLast)
    return emitCUDAColumn(kernel, op);
  e.setConfig({outputs}, {reduceThreads, 1, 1}, 0);
  SmallVector<Index> at = math.delinearize(kernel.blockId(), shape);
  kernel.await([&] {
    Index first = kernel.threadId();
    Value inside = kernel.compare(arith::CmpIPredicate::ult, first,
                                  math.product(reducedBox(e, op)));
    e.when(inside, [&] { reducePoint(e, op, at, first, e.initialValue(op)); });
  });
  Value partial =
      reduceStrided(e, op, at, kernel.threadId(), math.constant(reduceThreads));
  Memory shared = kernel.sharedArray("partials", partial.getType(), {32});
  Value total = kernel.reduceBlock(op, partial, reduceThreads, shared);
  e.when(kernel.compare(arith::CmpIPredicate::eq, kernel.threadId(),
                        math.constant(0)),
         [&] { finish(at, total); });
}
