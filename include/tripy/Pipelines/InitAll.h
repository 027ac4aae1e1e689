//===- InitAll.h - Everything a tool registers ------------------*- C++ -*-===//
//
// One place that knows all dialects and passes, Tripy's and upstream's. Tools
// and the compiler use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_INITALL_H
#define TRIPY_PIPELINES_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tripy {

/// tripy, trace, flatir, kernel.
void registerTripyDialects(mlir::DialectRegistry &registry);

/// Tripy's passes and pipelines.
void registerTripyPasses();

/// Tripy's dialects and all of upstream's, with extensions and translations to
/// LLVM IR: what mlir-opt knows, and more. Unlike MLIR's registerAllDialects(),
/// whose name `using namespace` would confuse it with.
void registerTripyAndUpstreamDialects(mlir::DialectRegistry &registry);

/// Tripy's passes and pipelines and all of upstream's.
void registerTripyAndUpstreamPasses();

} // namespace tripy

#endif // TRIPY_PIPELINES_INITALL_H
