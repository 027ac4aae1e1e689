//===- Plugins.h - Users' kernels in an executable --------------*- C++ -*-===//
//
// Private to lib/Target. What launches of plugins pass, and the code of those
// that are not part of the program's own.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_TARGET_PLUGINS_H
#define TRIPY_LIB_TARGET_PLUGINS_H

#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Kernel/SizeTable.h"
#include "tripy/Dialect/Tripy/Plugin.h"
#include "tripy/Target/NVVM.h"
#include "tripy/Target/Translate.h"

#include <optional>
#include <string>
#include <vector>

namespace tripy::target {

/// The plugin that a kernel consists of.
struct PluginUse {
  kernel::PluginOp op;
  PluginOp plugin;
  PluginSourceAttr source;
  llvm::SmallVector<PluginArgument> arguments;

  /// Whether its code is part of @device_code.
  bool isOwnCode() const { return source.getKind() == "mlir"; }
};

/// What `callee` consists of; null for kernels of the program's own. Fails when
/// its code was not chosen, or is not as the verifier and the emission leave
/// it.
mlir::FailureOr<std::optional<PluginUse>> pluginOf(kernel::FuncOp callee);

/// The kinds of a kernel's parameters.
std::vector<uint8_t> parametersOf(const PluginUse &use);

/// Replaces arguments and accesses of `launch`, which are those of `callee` in
/// order, by what its code takes.
void passArguments(const PluginUse &use, kernel::FuncOp callee,
                   kernel::SizeTable &table, Launch &launch);

/// Appends an image; device code is uploaded from where it is mapped.
void addImage(TranslatedProgram &result, ImageKind kind, std::string arch,
              std::span<const uint8_t> bytes);

/// Kernels of plugins whose code is not the program's own: their entries, and
/// for CUDA their code, equal ones once.
class PluginTable {
public:
  /// The entry for the plugin that `callee` is, which launches of several calls
  /// share; `kernels` are the entries by name. Reports names that two kernels
  /// have.
  mlir::FailureOr<TableIndex> kernelOf(const PluginUse &use,
                                       kernel::FuncOp callee,
                                       llvm::StringMap<TableIndex> &kernels,
                                       Program &program);
  bool contains(TableIndex kernel) const { return entries.contains(kernel); }

  /// Adds images: the plugins' code and, where the program has code of its own
  /// whose cubins are images already, `ownPtx`. Reports code that the assembler
  /// refuses, kernels that the chip cannot launch, and names that two codes
  /// have; what is about the whole program at `loc`.
  llvm::LogicalResult compile(const CudaTarget &target,
                              std::optional<std::string> ownPtx,
                              TranslatedProgram &result, mlir::Location loc);

private:
  struct Code {
    PluginUse first;
    llvm::StringMap<LaunchShape> kernels;
  };
  /// One code's machine code, and its PTX when it has one. There is no cubin of
  /// PTX without an assembler.
  struct Compiled {
    std::vector<uint8_t> cubin;
    std::string ptx;
  };
  llvm::LogicalResult addCode(const PluginUse &use, const LaunchShape &shape);
  mlir::FailureOr<Compiled> compile(const Code &code, const CudaTarget &target);

  llvm::DenseMap<TableIndex, PluginUse> entries;
  std::vector<Code> codes;
};

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_PLUGINS_H
