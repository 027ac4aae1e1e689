//===- FlatIR.h - The flatir dialect ----------------------------*- C++ -*-===//
//
// Explicit tensor programs: primitives and composites. See FlatIROps.td.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_FLATIR_FLATIR_H
#define TRIPY_DIALECT_FLATIR_FLATIR_H

#include "tripy/Base/SizeMath.h"
#include "tripy/Dialect/Common/Contract.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tripy/Dialect/FlatIR/FlatIREnums.h.inc"

#include "tripy/Dialect/FlatIR/FlatIRDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tripy/Dialect/FlatIR/FlatIRAttrs.h.inc"

#define GET_OP_CLASSES
#include "tripy/Dialect/FlatIR/FlatIROps.h.inc"

namespace tripy::flatir {

/// Shape of flatir.dot's result: batch, left and right dimensions.
llvm::SmallVector<int64_t> dotShape(mlir::Value lhs, mlir::Value rhs,
                                    llvm::ArrayRef<int64_t> lhsBatch,
                                    llvm::ArrayRef<int64_t> rhsBatch,
                                    llvm::ArrayRef<int64_t> lhsContract,
                                    llvm::ArrayRef<int64_t> rhsContract);

/// What a reduction of no elements gives, as a number of `type`: i1, an integer
/// or a float that has infinities, if `kind` is max or min.
mlir::TypedAttr identityOf(ReduceKind kind, mlir::Type type);

/// The dimensions of an operand of a dot that are neither batch nor
/// contracted, ascending.
llvm::SmallVector<int64_t> freeDims(int64_t rank, llvm::ArrayRef<int64_t> batch,
                                    llvm::ArrayRef<int64_t> contract);

/// Whether `op` is element-wise arithmetic of `arith` or `math` on tensors:
/// what flatir has no operation for. Everything behind flatir takes it as an
/// element-wise operation.
bool isTensorArithmetic(mlir::Operation *op);

} // namespace tripy::flatir

#endif // TRIPY_DIALECT_FLATIR_FLATIR_H
