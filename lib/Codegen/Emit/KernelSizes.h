//===- KernelSizes.h - Sizes that kernels are planned for -------*- C++ -*-===//
//
// What the `sizes` of a kernel say of the dimensions in its body: forms of
// kernels must be right from the smallest to the largest, and are chosen by the
// optimum.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_KERNELSIZES_H
#define TRIPY_CODEGEN_KERNELSIZES_H

#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Kernel/SizeRange.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tripy::codegen {

/// Smallest, largest and optimum of `size`, an expression of the index
/// arguments of `kernel` that grows with them; nothing where they are not
/// known. Where it is what the kernel's guard is about, it is within the guard.
std::optional<kernel::SizeRange> sizeRange(kernel::FuncOp kernel,
                                           mlir::AffineExpr size);

/// Its optimum.
std::optional<int64_t> expectedSize(kernel::FuncOp kernel,
                                    mlir::AffineExpr size);

/// What index argument `number` always is; nothing where it has several values,
/// or one outside of 32 bits, as only overflowing sizes have: what is computed
/// with such a constant would overflow in the compiler.
std::optional<int64_t> onlyValue(kernel::FuncOp kernel, unsigned number);

/// The product of the sizes of `loops` of `op`, which is in a kernel's body:
/// with all of a kind that is not known, from 0 to the largest int64_t and with
/// the optimum `unknown`. All saturate. Where it is what the kernel's guard is
/// about, it is within the guard.
kernel::SizeRange extentRange(mlir::linalg::GenericOp op,
                              llvm::ArrayRef<unsigned> loops, int64_t unknown);

/// The product of the sizes of `loops` as an expression of the index arguments
/// of the kernel, which are symbols; null where it is none.
mlir::AffineExpr extentExpr(mlir::linalg::GenericOp op,
                            llvm::ArrayRef<unsigned> loops);

/// Its optimum.
inline int64_t expectedExtent(mlir::linalg::GenericOp op,
                              llvm::ArrayRef<unsigned> loops, int64_t unknown) {
  return extentRange(op, loops, unknown).opt;
}

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_KERNELSIZES_H
