//===- Folds.h - Folding shared by flatir's operations ----------*- C++ -*-===//
//
// Private to lib/Dialect/FlatIR: the folder of the element-wise rows, which the
// generated classes call, and what the folders have in common.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_DIALECT_FLATIR_FOLDS_H
#define TRIPY_LIB_DIALECT_FLATIR_FOLDS_H

#include "tripy/Dialect/Common/ScalarFns.h"

#include "mlir/IR/OpDefinition.h"

namespace tripy::flatir {

/// Folds an operation of a row of ScalarFns.td: splats are computed, and what
/// leaves every element as it was is dropped. `operands` are the constant
/// operands, null where not constant.
mlir::OpFoldResult foldElementwise(mlir::Operation *op, scalar::ScalarFn fn,
                                   llvm::ArrayRef<mlir::Attribute> operands);

/// The one value (FloatAttr, IntegerAttr or BoolAttr) that all elements of a
/// constant have; null when they differ or there are none.
mlir::Attribute splatValue(mlir::Attribute constant);

/// A splat of `type`, which is static; null when it is not.
mlir::Attribute splatOf(mlir::Type type, mlir::Attribute element);

/// `value` as an element of `type`: floats round to nearest even.
mlir::Attribute floatElement(mlir::Type type, double value);

/// Whether `size` is known to be the size of dimension `dim` of `tensor`.
bool isSizeOf(mlir::Value size, mlir::Value tensor, int64_t dim);

} // namespace tripy::flatir

#endif // TRIPY_LIB_DIALECT_FLATIR_FOLDS_H
