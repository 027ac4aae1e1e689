//===- Dump.h - The IR of each level as files -------------------*- C++ -*-===//
#ifndef TRIPY_LIB_FRONTEND_LOWERING_DUMP_H
#define TRIPY_LIB_FRONTEND_LOWERING_DUMP_H

#include "tripy/Compiler/Compiler.h"

namespace tripy::frontend {

/// Where TRIPY_DUMP_IR is set: lowers a copy of the program and writes it after
/// each level to a new folder in that one, 0001/trace.mlir and so on to the
/// kernels' code. Where a level fails, those before it are there, and the
/// reason is left to the compilation that follows. Errors: those of writing.
Status dumpLevels(mlir::ModuleOp module, const CompileOptions &options);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_LOWERING_DUMP_H
