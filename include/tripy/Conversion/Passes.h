//===- Passes.h - Passes between the dialects -------------------*- C++ -*-===//
#ifndef TRIPY_CONVERSION_PASSES_H
#define TRIPY_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tripy {
#define GEN_PASS_DECL
#include "tripy/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tripy/Conversion/Passes.h.inc"
} // namespace tripy

#endif // TRIPY_CONVERSION_PASSES_H
