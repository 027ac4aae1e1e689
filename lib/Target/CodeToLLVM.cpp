//===- CodeToLLVM.cpp - The steps from launches to LLVM's dialect ---------===//
//
// What the translation to an executable does first, as passes: equal kernels
// become one, and code becomes LLVM's dialect.
//
//===----------------------------------------------------------------------===//

#include "tripy/Target/Passes.h"

#include "CodeGen.h"
#include "Partition.h"

#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Target/Translate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Threading.h"

namespace tripy {
#define GEN_PASS_DEF_MERGEEQUALKERNELSPASS
#define GEN_PASS_DEF_CODETOLLVMPASS
#include "tripy/Target/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::target;

Operation *target::codeOf(ModuleOp module) {
  if (auto device = module.lookupSymbol<gpu::GPUModuleOp>("device_code"))
    return device;
  return module.lookupSymbol<ModuleOp>("host_code");
}

void target::mergeKernels(ModuleOp module) {
  Operation *code = codeOf(module);
  if (!code || code->hasAttr(mergedAttrName))
    return;
  llvm::StringMap<Attribute> launched;
  for (auto kernel : module.getOps<kernel::FuncOp>())
    if (std::optional<kernel::ConfigAttr> config = kernel.getConfig())
      // Tensor maps and grids are each launch's own.
      launched[kernel.getSymName()] = kernel::ConfigAttr::get(
          module.getContext(), AffineMap::get(module.getContext()),
          config->getBlock(), config->getCluster(), config->getScratch(),
          config->getWorkspace(), {});
  Builder b(module.getContext());
  llvm::StringMap<std::string> equal = mergeEqualKernels(code, launched);
  for (auto kernel : module.getOps<kernel::FuncOp>())
    if (auto other = equal.find(kernel.getSymName()); other != equal.end())
      kernel->setAttr(codeAttrName, b.getStringAttr(other->getValue()));
  code->setAttr(mergedAttrName, b.getUnitAttr());
}

namespace {
class MergeEqualKernels
    : public tripy::impl::MergeEqualKernelsPassBase<MergeEqualKernels> {
  void runOnOperation() override { mergeKernels(getOperation()); }
};

class CodeToLLVM : public tripy::impl::CodeToLLVMPassBase<CodeToLLVM> {
  void runOnOperation() override {
    Operation *code = codeOf(getOperation());
    if (code && failed(lowerCode(code)))
      signalPassFailure();
  }

  /// On the context's threads, as machine code is made.
  static LogicalResult lowerCode(Operation *code) {
    bool device = isa<gpu::GPUModuleOp>(code);
    SmallVector<StringRef> order = symbolOrder(code);
    std::vector<OwningOpRef<Operation *>> parts =
        partition(code, countThreads(code->getContext()));
    if (failed(failableParallelForEach(code->getContext(), parts,
                                       [&](OwningOpRef<Operation *> &part) {
                                         return lowerPart(*part, device);
                                       })))
      return failure();
    Block &block = code->getRegion(0).front();
    for (OwningOpRef<Operation *> &part : parts)
      block.getOperations().splice(
          block.end(), (*part)->getRegion(0).front().getOperations());
    restoreOrder(code, order);
    return success();
  }
};
} // namespace
