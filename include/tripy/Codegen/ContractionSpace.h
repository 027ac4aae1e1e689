//===- ContractionSpace.h - Loops of a contraction by role ------*- C++ -*-===//
//
// For the gemm emitters: which loops of a contraction are batch, rows, columns
// and contracted, each possibly several, and their sizes.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_CONTRACTIONSPACE_H
#define TRIPY_CODEGEN_CONTRACTIONSPACE_H

#include "tripy/Codegen/KernelEmission.h"

namespace tripy::codegen {

struct ContractionSpace {
  llvm::SmallVector<unsigned> batch, m, n, k;

  /// Fails with an error when `op` is no contraction.
  static mlir::FailureOr<ContractionSpace> of(mlir::linalg::GenericOp op,
                                              KernelEmission &emission);

  /// Product of the sizes of `loops`.
  Index sizeOf(llvm::ArrayRef<unsigned> loops) const;
  /// The same for loops of the result, as an expression for the launch grid.
  mlir::AffineExpr extentOf(llvm::ArrayRef<unsigned> loops) const;
  /// Sets the entries of `loops` in `point` to the position `linear` of their
  /// common space.
  void spread(Index linear, llvm::ArrayRef<unsigned> loops,
              llvm::SmallVectorImpl<Index> &point) const;
  /// Indices of the result at `point`.
  llvm::SmallVector<Index> resultAt(llvm::ArrayRef<Index> point) const;

private:
  ContractionSpace(mlir::linalg::GenericOp op, KernelEmission &emission)
      : op(op), emission(&emission) {}

  mlir::linalg::GenericOp op;
  KernelEmission *emission;
  llvm::SmallVector<Index> sizes;
};

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_CONTRACTIONSPACE_H
