//===- LinalgPrograms.h - Programs written in linalg ------------*- C++ -*-===//
//
// Private to lib/Compiler. Programs of linalg on tensors enter the pipeline at
// the dispatches: each operation becomes a kernel of its own.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_COMPILER_LINALGPROGRAMS_H
#define TRIPY_LIB_COMPILER_LINALGPROGRAMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tripy {

/// Whether `function` has operations of linalg or tensor.
bool isLinalgProgram(mlir::func::FuncOp function);

/// Whether a kernel computes `op` of linalg or tensor: linalg's structured
/// operations, and tensor's extract_slice, expand_shape, collapse_shape and
/// concat.
bool isKernelOperation(mlir::Operation *op);

/// The error that none does.
mlir::InFlightDiagnostic refuseKernel(mlir::Operation *op);

/// Wraps each linalg.generic and static tensor.extract_slice, expand_shape,
/// collapse_shape and concat of `function` in a kernel.dispatch. Named
/// operations become generic ones. Reports the first operation that kernels
/// cannot express.
mlir::LogicalResult formLinalgDispatches(mlir::func::FuncOp function);

} // namespace tripy

#endif // TRIPY_LIB_COMPILER_LINALGPROGRAMS_H
