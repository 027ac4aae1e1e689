#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "Above-dialect-decls.inc"
#define GET_OP_CLASSES
#include "Above-op-decls.inc"

namespace above {
/// above.square -> trace.mul
std::unique_ptr<mlir::Pass> createLowerPass();
} // namespace above
