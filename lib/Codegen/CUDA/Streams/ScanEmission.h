//===- ScanEmission.h - What emitters of running sums share -----*- C++ -*-===//
//
// Private to lib/Codegen/CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SCANEMISSION_H
#define TRIPY_LIB_CODEGEN_CUDA_SCANEMISSION_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tripy::codegen {

/// A kernel's running sum, and arithmetic on its elements.
class ScanEmission {
protected:
  explicit ScanEmission(CUDAKernel &kernel)
      : kernel(kernel), e(kernel.e), math(e.math), op(e.scan()),
        type(mlir::cast<mlir::RankedTensorType>(op.getResult().getType())
                 .getElementType()) {}

  mlir::Value add(mlir::Value lhs, mlir::Value rhs) {
    if (mlir::isa<mlir::FloatType>(type))
      return mlir::arith::AddFOp::create(e.b, e.loc, lhs, rhs);
    return mlir::arith::AddIOp::create(e.b, e.loc, lhs, rhs);
  }
  mlir::Value zero() {
    return mlir::arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(type));
  }
  mlir::Value shuffleUp(mlir::Value value, int32_t distance) {
    return kernel.shuffle(value, distance, mlir::gpu::ShuffleMode::UP);
  }
  /// The sum over the `lanes` of a row up to this one.
  mlir::Value sumOverWarp(mlir::Value value) {
    for (int32_t distance = 1; distance < lanes; distance *= 2) {
      mlir::Value before = shuffleUp(value, distance);
      mlir::Value inside = kernel.compare(mlir::arith::CmpIPredicate::uge, lane,
                                          math.constant(distance));
      value = kernel.select(inside, add(before, value), value);
    }
    return value;
  }
  /// Computes and stores the results at `at`, where the sums are `sums`.
  void finish(llvm::ArrayRef<Index> at, const Elements &sums) {
    e.elements.bindSource(
        op.getResult(), [sums](llvm::ArrayRef<Index>, int64_t n) {
          return n == int64_t(sums.size()) ? sums : Elements(n, sums.front());
        });
    e.emitResults(at, sums.size());
  }
  /// The same from element `first` of the results on, in row-major order.
  void finishRun(Index first, const Elements &sums) {
    e.elements.bindRun(op.getResult(), first, sums);
    for (auto [memory, result] : llvm::zip(e.results, e.yielded())) {
      Memory flat = memory;
      flat.sizes = {math.product(memory.sizes)};
      e.elements.store(flat, {first},
                       e.elements.emitRun(result, first, sums.size()));
    }
  }

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  kernel::ScanOp op;
  mlir::Type type;
  /// Of a row that shares a warp: its lanes. This thread's lane.
  int64_t lanes = 32;
  Index lane;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_SCANEMISSION_H
