//===- OperandSource.h - Where operands of contractions lie -----*- C++ -*-===//
//
// Private to lib/Codegen/CUDA: for kernels that copy elements without
// conversion, and for the epilogues of contractions.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_OPERANDSOURCE_H
#define TRIPY_LIB_CODEGEN_CUDA_OPERANDSOURCE_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

#include "Codegen/Emit/ContractionSpace.h"

namespace tripy::codegen {

/// A tensor argument that an operand is, from some indices on.
struct OperandSource {
  mlir::BlockArgument tensor;
  mlir::Value pointer;
  llvm::SmallVector<Index> sizes, offsets;
  mlir::AffineMap map;

  /// The argument that operand `number` of `op` is, or is a part of, when
  /// positions along `outer` and along K are offsets in memory.
  static std::optional<OperandSource>
  find(KernelEmission &e, mlir::linalg::GenericOp op, unsigned number,
       const ContractionSpace &space, llvm::ArrayRef<unsigned> outer);
  /// The indices in the tensor of a point of the loops.
  llvm::SmallVector<Index> at(IndexMath &math,
                              llvm::ArrayRef<Index> loops) const;
  /// Elements between neighbours along the last of `loops`.
  Index strideOf(IndexMath &math, llvm::ArrayRef<unsigned> loops) const;
};

/// An element of a tensor argument.
struct ViewedElement {
  mlir::BlockArgument tensor;
  llvm::SmallVector<Index> at;
};
/// The element of an argument that element `at` of `tensor` is, when views lead
/// to it, and elements that follow along the last dimension follow there, too.
std::optional<ViewedElement> findElement(KernelEmission &e, mlir::Value tensor,
                                         llvm::ArrayRef<Index> at);

/// An element that is one of two, by a condition of its row.
struct ChosenElement {
  mlir::Value condition;
  ViewedElement chosen, other;
  /// Whether what the condition and the place of `other` are computed from, and
  /// `other` itself, keep their values from the start of the kernel on.
  bool isOtherSteady;
};
/// The same where the element is chosen from two tensors, each of which may be
/// rows of an argument at places that are computed, as update_slice does.
std::optional<ChosenElement> findChoice(KernelEmission &e, mlir::Value tensor,
                                        llvm::ArrayRef<Index> at);

/// `pointer`, `offset` elements of type `element` further.
mlir::Value offsetPointer(KernelEmission &e, mlir::Value pointer,
                          mlir::Type element, Index offset);

/// Makes `values`, neighbours along the last dimension from index `at` on,
/// those of `tensor`.
void bindNeighbours(CUDAKernel &kernel, mlir::Value tensor,
                    const Elements &values, llvm::ArrayRef<Index> at);
/// The same for the results of `ops`.
void bindNeighbours(CUDAKernel &kernel,
                    llvm::ArrayRef<mlir::linalg::GenericOp> ops,
                    llvm::ArrayRef<Elements> values, llvm::ArrayRef<Index> at);

/// The end of a loop from 0 in steps of `step` that carries sums of wgmma: LLVM
/// does not see how few iterations a short one has, and leaves it a loop. The
/// assembler follows sums under way around a loop, but waits for them between
/// copies of its body (its notes C7517 and C7519): unrolled, products with K =
/// 256 took twice as long.
Index endOfSums(KernelEmission &e, Index end, int64_t step);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_OPERANDSOURCE_H
