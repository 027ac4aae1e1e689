//===- Passes.h - Passes that make kernels ----------------------*- C++ -*-===//
#ifndef TRIPY_CODEGEN_PASSES_H
#define TRIPY_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tripy {
#define GEN_PASS_DECL
#include "tripy/Codegen/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

#endif // TRIPY_CODEGEN_PASSES_H
