//===- Plugins.h - Plugins that do not fit are refused ----------*- C++ -*-===//
//
// MLIR's options for plugins ignore what they cannot load, and a plugin that
// was built with another LLVM may end the process. tripy-opt uses this.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYOPT_PLUGINS_H
#define TRIPY_TOOLS_TRIPYOPT_PLUGINS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tripy {

/// Changes --load-dialect-plugin and --load-pass-plugin, which must be
/// registered and not yet parsed: a plugin that is of another version, links
/// another LLVM, or crashes when a child process tries it is one sentence, and
/// the tool exits with status 1. Dialects go to `registry`, which outlives the
/// options.
void checkPluginsWhenLoaded(mlir::DialectRegistry &registry);

} // namespace tripy

#endif // TRIPY_TOOLS_TRIPYOPT_PLUGINS_H
