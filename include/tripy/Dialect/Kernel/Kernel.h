//===- Kernel.h - The kernel dialect ----------------------------*- C++ -*-===//
//
// Dispatches, kernels and launches. See KernelOps.td. Internal: not promised to
// other projects.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_KERNEL_KERNEL_H
#define TRIPY_DIALECT_KERNEL_KERNEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tripy/Base/SizeMath.h"
#include "tripy/Dialect/Kernel/KernelEnums.h.inc"

#include "tripy/Dialect/Kernel/KernelDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tripy/Dialect/Kernel/KernelAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tripy/Dialect/Kernel/KernelTypes.h.inc"

#define GET_OP_CLASSES
#include "tripy/Dialect/Kernel/KernelOps.h.inc"

namespace tripy::kernel {

/// On an operation of a dispatch, then on the loop that it becomes: other
/// kernels compute the same value, and must come to the same bits.
inline constexpr llvm::StringLiteral repeatedAttrName = "kernel.repeated";

/// On a function that --kernel-plan made: types and names of its outputs, the
/// values of its constants, bytes of its arena.
inline constexpr llvm::StringLiteral outputsAttrName = "kernel.outputs";
inline constexpr llvm::StringLiteral outputNamesAttrName =
    "kernel.output_names";
inline constexpr llvm::StringLiteral constantsAttrName = "kernel.constants";
inline constexpr llvm::StringLiteral arenaAttrName = "kernel.arena";
/// Offsets of buffers in the arena are multiples of it, in bytes.
inline constexpr uint64_t arenaAlignment = 256;

/// The numbers of the arguments that hold the dynamic sizes of each tensor, in
/// the order of `sizeArgs`: the tensor arguments, then the results.
/// `types[i]` gives how many entries tensor `i` takes.
llvm::SmallVector<llvm::ArrayRef<int64_t>>
splitSizeArgs(llvm::ArrayRef<int64_t> sizeArgs, mlir::TypeRange argumentTypes,
              mlir::TypeRange resultTypes);

/// The functions that a call of `kernel` launches beside it, as far as there
/// are kernels of these names and of its type. `symbols`: of its module.
llvm::SmallVector<FuncOp> versionsOf(FuncOp kernel,
                                     const mlir::SymbolTable &symbols);

/// Whether a kernel that waits for its predecessors may read `input` of one of
/// its calls only behind the wait. The first call of a program has what ran
/// before the program for a predecessor, which may write the program's inputs;
/// when later calls begin, that has ended. Constants and parameters are never
/// written.
bool mayBeWritten(mlir::Value input, bool isFirstCall);

} // namespace tripy::kernel

#endif // TRIPY_DIALECT_KERNEL_KERNEL_H
