//===- Partition.cpp - Kernels spread over threads ------------------------===//

#include "Partition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tripy;

void target::prepareContext(MLIRContext &context) {
  registerBuiltinDialectTranslation(context);
  registerLLVMDialectTranslation(context);
  registerNVVMDialectTranslation(context);
  registerGPUDialectTranslation(context);
  context
      .loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                   func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                   NVVM::NVVMDialect, ub::UBDialect, vector::VectorDialect>();
}

std::vector<OwningOpRef<Operation *>> target::partition(Operation *container) {
  Block &body = container->getRegion(0).front();
  SymbolTable symbols(container);
  llvm::EquivalenceClasses<Operation *> together;
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    ops.push_back(&op);
  for (Operation *op : ops) {
    together.insert(op);
    op->walk([&](Operation *user) {
      for (NamedAttribute attribute : user->getAttrs())
        attribute.getValue().walk([&](SymbolRefAttr ref) {
          if (Operation *used = symbols.lookup(ref.getRootReference()))
            together.unionSets(op, used);
        });
    });
  }
  // In the order of the module, so that the result is the same every time.
  llvm::MapVector<Operation *, SmallVector<Operation *>> groups;
  for (Operation *op : ops)
    groups[together.getLeaderValue(op)].push_back(op);
  size_t threads = container->getContext()->isMultithreadingEnabled()
                       ? container->getContext()->getNumThreads()
                       : 1;
  std::vector<OwningOpRef<Operation *>> parts;
  size_t next = 0;
  for (auto &[leader, members] : groups) {
    if (parts.size() < threads)
      parts.push_back(container->cloneWithoutRegions());
    Operation *part = *parts[next++ % threads];
    if (part->getRegion(0).empty())
      part->getRegion(0).emplaceBlock();
    Block &block = part->getRegion(0).front();
    for (Operation *op : members) {
      op->remove();
      block.push_back(op);
    }
  }
  return parts;
}
