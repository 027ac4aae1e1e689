//===- Trace.h - The trace dialect ------------------------------*- C++ -*-===//
//
// What the user said: tensor programs with implicit broadcasting. See
// TraceOps.td. Frontend, conversions and tools may use it; flatir and kernel do
// not know it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_TRACE_TRACE_H
#define TRIPY_DIALECT_TRACE_TRACE_H

#include "tripy/Dialect/Common/Contract.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tripy/Dialect/Trace/TraceDialect.h.inc"

#define GET_OP_CLASSES
#include "tripy/Dialect/Trace/TraceOps.h.inc"

#endif // TRIPY_DIALECT_TRACE_TRACE_H
