//===- Passes.h - Passes that compute ---------------------------*- C++ -*-===//
//
// Constant folding with the reference evaluator. Layer reference; pipelines and
// tools use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_REFERENCE_PASSES_H
#define TRIPY_REFERENCE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tripy {
#define GEN_PASS_DECL
#include "tripy/Reference/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tripy/Reference/Passes.h.inc"
} // namespace tripy

#endif // TRIPY_REFERENCE_PASSES_H
