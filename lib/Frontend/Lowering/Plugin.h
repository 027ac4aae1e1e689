//===- Plugin.h - Kernels that users bring, in MLIR -------------*- C++ -*-===//
//
// Private to the lowering of graphs.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_LOWERING_PLUGIN_H
#define TRIPY_LIB_FRONTEND_LOWERING_PLUGIN_H

#include "../PluginDeclaration.h"

#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tripy::frontend {

/// The declaration that a call of a plugin has.
const PluginDeclaration &declarationOf(const OperationView &call);
/// The parameters that it states; null where the plugin has none.
mlir::DictionaryAttr parametersOf(const OperationView &call,
                                  mlir::MLIRContext *context);

/// Appends the declaration to `module`, with the gpu.module that it needs.
/// Their names become others where they are taken. Fails with a diagnostic
/// where the text of a gpu.module is none.
mlir::FailureOr<PluginOp> emitPlugin(const PluginDeclaration &declaration,
                                     mlir::Location location,
                                     mlir::ModuleOp module);

/// Result types of a call, by its rules. Errors: see inferTypes().
Result<std::vector<TypeInfo>>
inferPluginTypes(const OperationView &call,
                 std::span<const TypeInfo *const> operands);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_LOWERING_PLUGIN_H
