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
/// its code was not chosen, or is not as the verifier and the emission leave it.
mlir::FailureOr<std::optional<PluginUse>> pluginOf(kernel::FuncOp callee);

/// The kinds of a kernel's parameters.
std::vector<uint8_t> parametersOf(const PluginUse &use);

/// Sets arguments and accesses of `launch`, a launch of `callee`. `buffers` and
/// `bytes` are those of the callee's tensors, `sizes` its index arguments.
void passArguments(const PluginUse &use, kernel::FuncOp callee,
                   llvm::ArrayRef<TableIndex> buffers,
                   llvm::ArrayRef<TableIndex> bytes,
                   llvm::ArrayRef<TableIndex> sizes, kernel::SizeTable &table,
                   Launch &launch);

/// Codes of plugins for CUDA, equal ones once.
class PluginCodes {
public:
  /// Notes a kernel that is launched in this shape. Reports names that two
  /// codes have.
  llvm::LogicalResult add(const PluginUse &use, const LaunchShape &shape);
  bool empty() const { return codes.empty(); }

  /// One plugin's machine code, and its PTX when it has one.
  struct Compiled {
    std::vector<uint8_t> cubin;
    std::string ptx;
  };
  /// Assembles what is PTX. There is no cubin of PTX without an assembler.
  /// Reports code that the assembler refuses, and kernels that the chip cannot
  /// launch.
  mlir::FailureOr<std::vector<Compiled>> compile(const CudaTarget &target);

private:
  struct Code {
    PluginUse first;
    llvm::StringMap<LaunchShape> kernels;
  };
  mlir::FailureOr<Compiled> compile(const Code &code, const CudaTarget &target);

  std::vector<Code> codes;
};

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_PLUGINS_H
