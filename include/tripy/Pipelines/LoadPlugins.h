//===- LoadPlugins.h - Code of plugins comes from files ---------*- C++ -*-===//
//
// From then on a program needs no files: what is printed at a level has the
// code of its plugins. Layer pipelines.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_LOADPLUGINS_H
#define TRIPY_PIPELINES_LOADPLUGINS_H

#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace tripy {

/// Bytes that a plugin's file has at most.
constexpr uint64_t maxPluginBytes = uint64_t(64) << 20;

/// Replaces files of all plugins of `module` by their code. A path that does
/// not start with '/' is one beside the file that the plugin is declared in.
/// Errors, at the plugin: a file that is missing, too large, or is not what its
/// source says.
mlir::LogicalResult loadPlugins(mlir::ModuleOp module);

/// loadPlugins() as a pass.
std::unique_ptr<mlir::Pass> createLoadPluginsPass();
/// Registers tripy-load-plugins.
void registerLoadPluginsPass();

} // namespace tripy

#endif // TRIPY_PIPELINES_LOADPLUGINS_H
