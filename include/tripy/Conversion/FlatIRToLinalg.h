//===- FlatIRToLinalg.h - From flatir to linalg on tensors ------*- C++ -*-===//
//
// The lowering that the emitters read; see docs/rationale/fusion.md for the
// forms that may appear. Codegen and the pipelines use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CONVERSION_FLATIRTOLINALG_H
#define TRIPY_CONVERSION_FLATIRTOLINALG_H

#include "tripy/Conversion/Passes.h"
#include "tripy/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tripy {

/// Lowers the body of a kernel. Sizes come from its index arguments. Fails,
/// with a diagnostic, on an operation that has no lowering.
llvm::LogicalResult lowerToLinalg(kernel::FuncOp kernel);

/// Lowers the flatir operations of a function of one block. Sizes come from
/// tensor.dim of its arguments; flatir.require becomes cf.assert.
llvm::LogicalResult lowerToLinalg(mlir::func::FuncOp function);

} // namespace tripy

#endif // TRIPY_CONVERSION_FLATIRTOLINALG_H
