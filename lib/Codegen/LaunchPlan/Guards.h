//===- Guards.h - Which version of a kernel is launched ---------*- C++ -*-===//
//
// Private to lib/Codegen/LaunchPlan.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_LAUNCHPLAN_GUARDS_H
#define TRIPY_LIB_CODEGEN_LAUNCHPLAN_GUARDS_H

#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Kernel/SizeTable.h"

namespace tripy::codegen {

/// 1 where a kernel with `guard` is launched, else 0; `symbols` are the sizes
/// of its arguments. Nothing where it is no expression of them.
std::optional<TableIndex> evaluateGuard(kernel::GuardAttr guard,
                                        kernel::SizeTable &sizes,
                                        llvm::ArrayRef<TableIndex> symbols);

/// One of the kernels of a call is launched, whatever its sizes are: their
/// guards follow each other, and leave out none. A size of 0 needs no launch.
/// An error of a kernel where it is not so.
mlir::LogicalResult checkGuards(llvm::ArrayRef<kernel::FuncOp> launched,
                                kernel::SizeTable &sizes,
                                llvm::ArrayRef<TableIndex> symbols);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_LAUNCHPLAN_GUARDS_H
