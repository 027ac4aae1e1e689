//===- Partition.h - Kernels spread over threads ----------------*- C++ -*-===//
//
// Private to lib/Target. Splits a module of kernels so that each thread lowers
// and compiles its own, equal ones once.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_TARGET_PARTITION_H
#define TRIPY_LIB_TARGET_PARTITION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace tripy::target {

/// Loads the dialects that code generation produces, and registers their
/// translation to LLVM IR; to be called before threads start.
void prepareContext(mlir::MLIRContext &context);

/// How many threads work on what is of the context.
size_t countThreads(mlir::MLIRContext *context);

/// The numbers of `sizes`, that of the largest first.
llvm::SmallVector<size_t> largestFirst(llvm::ArrayRef<size_t> sizes);

/// Which of `parts` parts each of some things of these sizes goes to, so that
/// no part is much larger than another: the largest first, each to the part
/// that is smallest then. The first thing goes to part 0, and so on.
llvm::SmallVector<size_t> spread(llvm::ArrayRef<size_t> sizes, size_t parts);

/// `root` and the operations in it.
size_t countOperations(mlir::Operation *root);

/// Moves the symbols of `container` (a module or gpu.module) to `most` detached
/// operations of its kind, or fewer, in turn: their sizes differ from level to
/// level, and the code must not. What refers to each other stays together.
std::vector<mlir::OwningOpRef<mlir::Operation *>>
partition(mlir::Operation *container, size_t most);

/// How many operations partition() makes of `container`.
size_t countParts(mlir::Operation *container, size_t most);

/// Erases kernels, with what they refer to, that are equal to an earlier one
/// but for names and locations. `launched` holds the kernels' names, each with
/// what else must be equal. Returns the name to use in place of each erased
/// one.
llvm::StringMap<std::string>
mergeEqualKernels(mlir::Operation *container,
                  const llvm::StringMap<mlir::Attribute> &launched);

/// On a module of code: equal kernels are merged.
constexpr llvm::StringLiteral mergedAttrName = "kernel.merged";
/// On a kernel.func: the name of the equal kernel whose code it has.
constexpr llvm::StringLiteral codeAttrName = "kernel.code";

/// Merges the equal kernels of a planned program, unless that has been done.
void mergeKernels(mlir::ModuleOp module);

/// The names of the symbols in `container`, in order. They live as long as the
/// context.
llvm::SmallVector<llvm::StringRef> symbolOrder(mlir::Operation *container);

/// Sorts the symbols of `container`: what refers to each other stands together,
/// where the first of it stands in `order`. Lowering may have put new ones
/// anywhere.
void restoreOrder(mlir::Operation *container,
                  llvm::ArrayRef<llvm::StringRef> order);

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_PARTITION_H
