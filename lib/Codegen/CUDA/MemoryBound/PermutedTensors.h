//===- PermutedTensors.h - What a loop reads in other orders ----*- C++ -*-===//
//
// Shared by the emitters of element-wise kernels that read tensors in another
// order of dimensions than that of their results.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_PERMUTEDTENSORS_H
#define TRIPY_LIB_CODEGEN_CUDA_PERMUTEDTENSORS_H

#include "Codegen/CUDA/Common/EmitCUDA.h"
#include "PermuteBox.h"

namespace tripy::codegen {

/// A tensor that is read once at each element of the output.
struct PermutedTensor {
  mlir::Value tensor;
  mlir::AffineMap map;
  /// Bytes of an element.
  int64_t bytes = 1;
  BoxOrder order;
  /// For those that go through shared memory in boxes.
  BoxPath path;
  Memory shared;
};

class PermutedTensors {
protected:
  explicit PermutedTensors(CUDAKernel &kernel)
      : kernel(kernel), e(kernel.e), math(e.math) {}

  /// Finds the tensors and joins dimensions. `goesThrough`: of a tensor in
  /// another order than the output's. False where there is none, or where the
  /// results have several shapes.
  bool collect(llvm::function_ref<bool(const PermutedTensor &)> goesThrough);
  Index sizeOf(unsigned dim);
  /// The product of the sizes of `of`.
  Index sizeOf(llvm::ArrayRef<unsigned> of);
  mlir::AffineExpr sizeExpr(unsigned dim);
  /// Sets the indices of the output's dimensions that make up `of` to those of
  /// element `at`.
  void setPoint(llvm::SmallVectorImpl<Index> &point,
                llvm::ArrayRef<unsigned> of, Index at);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  llvm::SmallVector<Index> sizes;
  /// Those that go through shared memory, and those in the output's order.
  llvm::SmallVector<PermutedTensor> staged, along;
  /// The output's order, as all orders of joined dimensions.
  BoxOrder output;
  /// The output's dimensions that each of these has.
  llvm::SmallVector<BoxOrder> parts;

private:
  std::optional<PermutedTensor> orderOf(mlir::Value tensor,
                                        mlir::AffineMap map);
  void joinDims();
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_PERMUTEDTENSORS_H
