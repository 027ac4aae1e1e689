//===- Attributes.h - Attributes and operations in MLIR ---------*- C++ -*-===//
//
// Private to the lowering of graphs.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_LOWERING_ATTRIBUTES_H
#define TRIPY_LIB_FRONTEND_LOWERING_ATTRIBUTES_H

#include "../Lowering.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"

namespace tripy::frontend {

mlir::Type elementType(DType dtype, mlir::MLIRContext *context);
mlir::Type toMlir(const TypeInfo &type, mlir::MLIRContext *context);
TypeInfo fromMlir(mlir::Type type);
mlir::TypedAttr numberAttribute(const TypedNumber &number, mlir::Builder &b);

/// The attributes of an operation, with the sizes of its groups of operands
/// where it has several lists.
mlir::DictionaryAttr toMlir(const OperationView &operation,
                            mlir::RegisteredOperationName name);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_LOWERING_ATTRIBUTES_H
