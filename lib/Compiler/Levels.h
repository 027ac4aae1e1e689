//===- Levels.h - Programs that enter below the top -------------*- C++ -*-===//
//
// A program's text at a level says what the passes behind it must know: the
// options it was lowered with, and what the user's operations were called.
// Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_COMPILER_LEVELS_H
#define TRIPY_LIB_COMPILER_LEVELS_H

#include "tripy/Compiler/Compiler.h"
#include "tripy/ToolSupport/ParseProgram.h"

namespace tripy {

/// The attribute of a module at a level that has the user's operations by their
/// names: for each a list of its place and those of its operands.
constexpr llvm::StringLiteral operationsAttrName = "tripy.operations";

/// The level that the program in `function` is at, by what it consists of;
/// Level::Trace for what has no kernels yet.
Level levelOf(mlir::func::FuncOp function);

/// What passes behind flatir rely on, and no verifier says.
mlir::LogicalResult checkLoweredProgram(mlir::func::FuncOp function);

/// Puts the options that passes behind `level` look at, and the user's
/// operations, on the module.
void writeOptions(mlir::ModuleOp module, Level level,
                  const CompileOptions &options,
                  const target::UserOperations &operations);

/// The user's operations: as the module says, or else what they are in
/// `function`.
target::UserOperations collectOperations(mlir::func::FuncOp function);

} // namespace tripy

#endif // TRIPY_LIB_COMPILER_LEVELS_H
