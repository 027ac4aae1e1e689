//===- RoundValues.h - Where a 16-bit value must be one value ---*- C++ -*-===//
#ifndef TRIPY_CODEGEN_ROUNDVALUES_H
#define TRIPY_CODEGEN_ROUNDVALUES_H

#include "tripy/Dialect/Kernel/Kernel.h"

namespace tripy::codegen {

/// What --kernel-round-values does, for one kernel: to be done again where
/// kernels are fused, whose values then have other readers.
void roundValues(kernel::FuncOp kernel);

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_ROUNDVALUES_H
