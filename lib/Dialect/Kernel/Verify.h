//===- Verify.h - Rules of the kernel dialect -------------------*- C++ -*-===//
//
// Private to lib/Dialect/Kernel. What emitters, the plan and the executable
// take for granted, so that edited text is refused at its line.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_DIALECT_KERNEL_VERIFY_H
#define TRIPY_LIB_DIALECT_KERNEL_VERIFY_H

#include "tripy/Dialect/Kernel/Kernel.h"

namespace tripy::kernel {

/// The types of a kernel's buffers without its workspace: those of its tensor
/// arguments, then those of its results.
llvm::SmallVector<mlir::RankedTensorType> tensorTypes(FuncOp kernel);

/// The number of a kernel's arguments that are sizes.
unsigned countSizes(FuncOp kernel);

/// How the kernel is launched: grid, block, cluster, memory, tensor maps.
mlir::LogicalResult verifyConfig(FuncOp kernel, ConfigAttr config);

/// The schedule is for what the kernel is built around.
mlir::LogicalResult verifySchedule(FuncOp kernel);

/// What a library may compute in the kernel's place.
mlir::LogicalResult verifyProduct(FuncOp kernel, ProductAttr product);

/// The attributes of a function that --kernel-plan made; `attribute` is one of
/// them.
mlir::LogicalResult verifyPlannedFunction(mlir::Operation *op,
                                          llvm::StringRef attribute);

} // namespace tripy::kernel

#endif // TRIPY_LIB_DIALECT_KERNEL_VERIFY_H
