//===- SizeOps.h - Arithmetic on sizes as operations ------------*- C++ -*-===//
//
// Private to lib/Codegen/Plan: what computes an expression of the size table.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_PLAN_SIZEOPS_H
#define TRIPY_LIB_CODEGEN_PLAN_SIZEOPS_H

#include "tripy/Base/SizeExpr.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tripy::codegen {

/// `op` of the `index` values `a` and `c`; not for constants and symbols.
/// `one` makes the constant 1.
mlir::Value makeSizeOp(mlir::OpBuilder &b, mlir::Location loc, SizeOp op,
                       mlir::Value a, mlir::Value c,
                       llvm::function_ref<mlir::Value()> one);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_PLAN_SIZEOPS_H
