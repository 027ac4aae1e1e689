//===- ContractionSpace.h - Loops of a contraction by role ------*- C++ -*-===//
//
// For the gemm emitters: which loops of a contraction are batch, rows, columns
// and contracted, each possibly several, and their sizes.
// Also which contractions of a kernel are computed together.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_CONTRACTIONSPACE_H
#define TRIPY_CODEGEN_CONTRACTIONSPACE_H

#include "KernelEmission.h"

namespace tripy::codegen {

/// Product of the static sizes of loops of `op`, at most the largest int64_t;
/// dynamic ones count as `unknown`.
int64_t staticExtent(mlir::linalg::GenericOp op, llvm::ArrayRef<unsigned> loops,
                     int64_t unknown);

/// What dynamic sizes count as where kernels without wgmma are chosen.
inline constexpr int64_t typicalExtent = 1024;

/// Which loops are which.
struct ContractionLoops {
  llvm::SmallVector<unsigned> batch, m, n, k;

  /// Fails with an error when `op` is no contraction.
  static mlir::FailureOr<ContractionLoops> of(mlir::linalg::GenericOp op);
};

struct ContractionSpace : ContractionLoops {
  /// Fails with an error when `op` is no contraction. Result `result` of the
  /// kernel has its shape.
  static mlir::FailureOr<ContractionSpace>
  of(mlir::linalg::GenericOp op, KernelEmission &emission, unsigned result = 0);

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
  ContractionSpace(ContractionLoops loops, mlir::linalg::GenericOp op,
                   KernelEmission &emission, unsigned result)
      : ContractionLoops(std::move(loops)), op(op), result(result),
        emission(&emission) {}

  mlir::linalg::GenericOp op;
  unsigned result;
  KernelEmission *emission;
  llvm::SmallVector<Index> sizes;
};

/// Where tile `number` of rows x columns of them lies, where tiles go down a
/// few rows and then on to the next column: those that are computed at the same
/// time share rows and columns, which then come from the L2 cache.
struct TilePlace {
  Index row, column;
  static TilePlace of(IndexMath &math, Index number, Index rows, Index columns);
};

/// Contractions of one kernel that some of its results depend on together: the
/// same thread computes element (m, n) of all of them. The kernel's other
/// results depend on other contractions: they are computed by other blocks.
struct ContractionGroup {
  /// At least one; all with the same loops and the same first operand.
  llvm::SmallVector<mlir::linalg::GenericOp> ops;
  /// Numbers of the kernel's results.
  llvm::SmallVector<unsigned> results;

  /// Loops of the first contraction, with which the others agree.
  mlir::FailureOr<ContractionSpace> space(KernelEmission &emission) const {
    return ContractionSpace::of(ops.front(), emission, results.front());
  }
};

/// The groups of a kernel. Fails with an error when contractions of one group
/// differ in their loops or first operands.
mlir::FailureOr<llvm::SmallVector<ContractionGroup>>
contractionGroups(KernelEmission &emission);

/// The groups of a kernel, and the loops of the first contraction of each.
struct Contractions {
  llvm::SmallVector<ContractionGroup> groups;
  llvm::SmallVector<ContractionLoops> loops;

  /// Fails with an error. `emission` need not be bound.
  static mlir::FailureOr<Contractions> of(KernelEmission &emission);
};

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_CONTRACTIONSPACE_H
