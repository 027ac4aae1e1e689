//===- ProgramCheck.h - What a program may consist of -----------*- C++ -*-===//
//
// Private to lib/Compiler. The compiler's door: passes behind it meet no
// operation and no type that they do not know.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_COMPILER_PROGRAMCHECK_H
#define TRIPY_LIB_COMPILER_PROGRAMCHECK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tripy {

/// Checks that `function` is straight-line code of operations that Tripy
/// compiles, and that arguments, results and every value in between, those of
/// inner regions too, have types that it knows. Reports the first that has
/// not, by name, at the user's line.
mlir::LogicalResult checkProgram(mlir::func::FuncOp function);

} // namespace tripy

#endif // TRIPY_LIB_COMPILER_PROGRAMCHECK_H
