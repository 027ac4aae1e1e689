//===- SharedMemory.cpp - Dynamic shared memory of plugins ----------------===//

#include "SharedMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

void codegen::reserveShared(
    kernel::FuncOp kernel,
    llvm::function_ref<int64_t(int64_t argument)> largest) {
  auto plugins = kernel.getBody().front().getOps<kernel::PluginOp>();
  Value shared = plugins.empty() ? Value() : (*plugins.begin()).getShared();
  if (!shared)
    return;
  auto argument = dyn_cast<BlockArgument>(shared);
  int64_t bytes = argument ? largest(argument.getArgNumber())
                           : getConstantIntValue(shared).value_or(0);
  kernel::ConfigAttr config = *kernel.getConfig();
  kernel.setConfigAttr(kernel::ConfigAttr::get(
      kernel.getContext(), config.getGrid(), config.getBlock(),
      config.getCluster(), std::max(config.getScratch(), bytes),
      config.getWorkspace(), config.getTensorMaps()));
}
