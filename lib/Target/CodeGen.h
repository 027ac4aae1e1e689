//===- CodeGen.h - From MLIR to machine code --------------------*- C++ -*-===//
//
// Private to lib/Target: what host and device code share on their way through
// LLVM. Everything here may run on several threads, one module each.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_TARGET_CODEGEN_H
#define TRIPY_LIB_TARGET_CODEGEN_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace tripy::target {

class CodeWatch;

/// What each part of a module became: a text or an object.
using PartOutputs = std::vector<llvm::SmallVector<char, 0>>;

/// Takes the symbols of `container` (a module or gpu.module) apart, to `most`
/// parts or fewer, and calls `compile` for each part, with its number, on the
/// context's threads. `watch`, here and below, may be null.
mlir::FailureOr<PartOutputs> compileParts(
    mlir::Operation *container, size_t most,
    llvm::function_ref<mlir::LogicalResult(mlir::Operation *part, size_t number,
                                           llvm::SmallVectorImpl<char> &out)>
        compile,
    CodeWatch *watch);

/// The kernels among the symbols of `container`.
size_t countKernels(mlir::Operation *container);

/// Lowers `part`, kernels of the host or with `device` of a gpu.module, to the
/// LLVM and NVVM dialects; what is there already stays. What refers to each
/// other stands together after that, in the order that it was in.
mlir::LogicalResult lowerPart(mlir::Operation *part, bool device);

/// Lowers `part` and translates it to LLVM IR; null, with an error reported,
/// when that is not possible.
std::unique_ptr<llvm::Module> translatePart(mlir::Operation *part, bool device,
                                            llvm::LLVMContext &context);

/// Runs LLVM's -O3 with the vectorisers for `machine`. No call of a library
/// appears but of memcpy, memset and memmove.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                    CodeWatch *watch);

enum class Emission { Object, Assembly };
/// False when the target cannot emit this kind.
bool emitModule(llvm::Module &module, llvm::TargetMachine &machine,
                Emission kind, llvm::SmallVectorImpl<char> &out,
                CodeWatch *watch);

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_CODEGEN_H
