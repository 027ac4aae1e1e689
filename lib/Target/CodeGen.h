//===- CodeGen.h - From MLIR to machine code --------------------*- C++ -*-===//
//
// Private to lib/Target: what host and device code share on their way through
// LLVM. Everything here may run on several threads, one module each.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_TARGET_CODEGEN_H
#define TRIPY_LIB_TARGET_CODEGEN_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tripy::target {

/// Lowers scf, cf, arith, math, vector, func, and with `device` gpu, below
/// `root` to the LLVM and NVVM dialects. Reports the first operation that
/// remains.
mlir::LogicalResult lowerToLLVMDialect(mlir::Operation *root, bool device);

/// Runs LLVM's -O3 with the vectorisers for `machine`. No call of a library
/// appears but of memcpy, memset and memmove.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine);

enum class Emission { Object, Assembly };
/// False when the target cannot emit this kind.
bool emitModule(llvm::Module &module, llvm::TargetMachine &machine,
                Emission kind, llvm::SmallVectorImpl<char> &out);

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_CODEGEN_H
