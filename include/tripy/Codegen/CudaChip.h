//===- CudaChip.h - What code generation knows of GPUs ----------*- C++ -*-===//
//
// The facts that decide which kernels are chosen and how they are cut.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_CUDACHIP_H
#define TRIPY_CODEGEN_CUDACHIP_H

#include "tripy/Base/Machines.h"

namespace tripy::codegen {

using CudaChip = Machine;

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_CUDACHIP_H
