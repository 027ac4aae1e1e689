//===- PluginEmission.h - Kernels whose code the user brings ----*- C++ -*-===//
//
// Takes the place of emission for kernels that are one kernel.plugin.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_PLUGINEMISSION_H
#define TRIPY_CODEGEN_PLUGINEMISSION_H

#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Tripy/Plugin.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace tripy::codegen {

/// Sets source, arguments and launch configuration of a kernel for the CPU.
/// Reports a plugin without a source for it.
llvm::LogicalResult emitHostPlugin(kernel::FuncOp kernel, kernel::PluginOp op);

/// The same for CUDA; a gpu.func becomes a function of `device`. Reports a
/// plugin without a source for `chip`.
llvm::LogicalResult emitDevicePlugin(kernel::FuncOp kernel, kernel::PluginOp op,
                                     mlir::gpu::GPUModuleOp device,
                                     llvm::StringRef chip);

/// Copies the gpu.func of `source`, with all that it refers to, to `device` as
/// the function of `kernel`. Memrefs become pointers, and the sizes that their
/// types leave open are appended to `arguments`. Reports arguments of other
/// types than the plugin passes.
llvm::LogicalResult
emitPluginFunction(kernel::FuncOp kernel, kernel::PluginOp op, PluginOp plugin,
                   PluginSourceAttr source, mlir::gpu::GPUModuleOp device,
                   llvm::SmallVector<std::string> &arguments);

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_PLUGINEMISSION_H
