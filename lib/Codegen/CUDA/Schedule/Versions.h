//===- Versions.h - Kernels for few and for many rows -----------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. A kernel whose rows are known at run time only
// may become several, its versions, each with a guard that says which numbers
// of rows it is for. A call launches all; the grids of those that the rows are
// not for are empty.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SCHEDULE_VERSIONS_H
#define TRIPY_LIB_CODEGEN_CUDA_SCHEDULE_VERSIONS_H

#include "tripy/Codegen/CudaChip.h"
#include "tripy/Dialect/Kernel/Kernel.h"

#include "mlir/IR/SymbolTable.h"

namespace tripy::codegen {

/// Numbers of rows that a version is for, both included.
struct RowRange {
  int64_t least, most;
};

/// Whether versions may be made of `kernel`: its sizes are known, and it is
/// none of several yet.
bool mayHaveVersions(kernel::FuncOp kernel);

/// Says that `kernel` is for `range` of `size`, an expression of its index
/// arguments, which are symbols.
void setGuard(kernel::FuncOp kernel, mlir::AffineExpr size, RowRange range);

/// Cuts `values` behind each of `ends`, in ascending order, that lies in them.
llvm::SmallVector<RowRange> cutBehind(llvm::ArrayRef<int64_t> ends,
                                      const Interval &values);

/// Makes a kernel for each of `ranges`, which follow each other, and returns
/// them in that order. The one that `opt` is in is `kernel` itself. `symbols`:
/// of the kernel's module.
llvm::SmallVector<kernel::FuncOp> makeVersions(kernel::FuncOp kernel,
                                               mlir::AffineExpr size,
                                               llvm::ArrayRef<RowRange> ranges,
                                               int64_t opt,
                                               mlir::SymbolTable &symbols);

/// A remark of `category`: for how many rows or columns, the `unit`, `kernel`
/// is, and `text`.
void reportVersion(kernel::FuncOp kernel, llvm::StringRef category,
                   llvm::StringRef unit, const llvm::Twine &text);

/// Makes versions of a kernel whose fusion root is a row, where the blocks that
/// share a row are not the same for few rows and for many.
void chooseRowVersions(kernel::FuncOp kernel, const CudaChip &chip,
                       mlir::SymbolTable &symbols);

/// The same of a running sum along a dimension of dynamic size, for few and for
/// many elements along it.
void chooseScanVersions(kernel::FuncOp kernel, const CudaChip &chip,
                        mlir::SymbolTable &symbols);

/// The same of a reduction down a dynamic number of columns.
void chooseReductionVersions(kernel::FuncOp kernel, const CudaChip &chip,
                             mlir::SymbolTable &symbols);

/// The same of a loop that reads a tensor in another order of dimensions, for
/// few and for many elements.
void chooseLoopVersions(kernel::FuncOp kernel, const CudaChip &chip,
                        mlir::SymbolTable &symbols);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_SCHEDULE_VERSIONS_H
