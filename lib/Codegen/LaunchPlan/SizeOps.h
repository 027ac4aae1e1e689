//===- SizeOps.h - Arithmetic on sizes as operations ------------*- C++ -*-===//
//
// Private to lib/Codegen/LaunchPlan: what computes an expression of the size
// table.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_PLAN_SIZEOPS_H
#define TRIPY_LIB_CODEGEN_PLAN_SIZEOPS_H

#include "tripy/Base/SizeExpr.h"
#include "tripy/Dialect/Kernel/SizeTable.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tripy::codegen {

/// `op` of the `index` values `a` and `c`; not for constants and symbols.
/// `one` makes the constant 1.
mlir::Value makeSizeOp(mlir::OpBuilder &b, mlir::Location loc, SizeOp op,
                       mlir::Value a, mlir::Value c,
                       llvm::function_ref<mlir::Value()> one);

/// The bytes of a tensor with these `dynamic` sizes. An error at `loc` where
/// they may be more than 2^40.
mlir::FailureOr<TableIndex> bytesOfTensor(mlir::Location loc,
                                          mlir::RankedTensorType type,
                                          llvm::ArrayRef<TableIndex> dynamic,
                                          kernel::SizeTable &sizes);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_PLAN_SIZEOPS_H
