//===- Evaluate.h - Runs a program on the reference evaluator ---*- C++ -*-===//
//
// Private to tripy-compile.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYCOMPILE_EVALUATE_H
#define TRIPY_TOOLS_TRIPYCOMPILE_EVALUATE_H

#include "Options.h"

namespace tripy::compile {

/// Lowers `module` to flatir, runs the chosen function on the inputs of the
/// command line, and prints or writes its results. Returns the exit status.
int evaluateProgram(mlir::ModuleOp module, const Options &options);

} // namespace tripy::compile

#endif // TRIPY_TOOLS_TRIPYCOMPILE_EVALUATE_H
