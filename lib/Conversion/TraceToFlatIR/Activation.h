//===- Activation.h - Composites of one float tensor ------------*- C++ -*-===//
#ifndef TRIPY_LIB_CONVERSION_TRACETOFLATIR_ACTIVATION_H
#define TRIPY_LIB_CONVERSION_TRACETOFLATIR_ACTIVATION_H

#include "Lowering.h"

namespace tripy {

/// A composite of one float tensor that is computed in f32 at least.
mlir::Value activation(llvm::StringRef name,
                       llvm::ArrayRef<mlir::NamedAttribute> config,
                       mlir::Value input, Lowering &b,
                       llvm::function_ref<mlir::Value(mlir::Value)> body);

} // namespace tripy

#endif // TRIPY_LIB_CONVERSION_TRACETOFLATIR_ACTIVATION_H
