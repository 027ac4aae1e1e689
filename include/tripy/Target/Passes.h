//===- Passes.h - Passes that make machine code -----------------*- C++ -*-===//
#ifndef TRIPY_TARGET_PASSES_H
#define TRIPY_TARGET_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tripy {
#define GEN_PASS_DECL
#include "tripy/Target/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tripy/Target/Passes.h.inc"
} // namespace tripy

#endif // TRIPY_TARGET_PASSES_H
