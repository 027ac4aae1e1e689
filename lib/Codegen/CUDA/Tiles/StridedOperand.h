//===- StridedOperand.h - Operands that TMA can copy ------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. A tensor of a kernel's body as what its elements
// are in memory: an argument, read through views and permutations, as long as
// one stride for each dimension says where they lie.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_TILES_STRIDEDOPERAND_H
#define TRIPY_LIB_CODEGEN_CUDA_TILES_STRIDEDOPERAND_H

#include "Codegen/Emit/KernelEmission.h"

namespace tripy::codegen::tiles {

struct StridedOperand {
  /// Number among the kernel's tensors.
  int64_t tensor = 0;
  /// Of each dimension: its size, elements from one index to the next, and how
  /// much of the argument's dimension lies in front.
  llvm::SmallVector<mlir::AffineExpr> sizes, strides;
  llvm::SmallVector<int64_t> offsets;

  /// Nothing where some element is computed, or no strides say where it lies.
  static std::optional<StridedOperand> find(KernelEmission &e,
                                            mlir::Value tensor);
};

/// A size of sums, products and quotients of `symbols`, the arguments of a tile
/// function.
mlir::Value valueOf(mlir::OpBuilder &b, mlir::Location loc,
                    mlir::AffineExpr expr, mlir::ValueRange symbols);

} // namespace tripy::codegen::tiles

#endif // TRIPY_LIB_CODEGEN_CUDA_TILES_STRIDEDOPERAND_H
