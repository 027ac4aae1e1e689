//===- EmitCPU.h - Host code of kernels -------------------------*- C++ -*-===//
//
// Private to lib/Codegen/CPU. A kernel is a grid of work items; each emitter
// fills the body of the loop over a range of items and sets the launch
// configuration.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CPU_EMITCPU_H
#define TRIPY_LIB_CODEGEN_CPU_EMITCPU_H

#include "Codegen/Emit/KernelEmission.h"

namespace tripy::codegen {

/// The loop over work items that an emitter fills.
struct CPUItems {
  mlir::Value begin, end; ///< index
  mlir::Value scratch;    ///< !llvm.ptr, 64-byte aligned, a worker's own
  unsigned vectorBits;
  /// The processor converts between f16 and f32.
  bool f16Conversion;
};

void emitCPULoop(KernelEmission &emission, const CPUItems &items);
void emitCPURow(KernelEmission &emission, const CPUItems &items);
void emitCPUReduce(KernelEmission &emission, const CPUItems &items);
void emitCPUScan(KernelEmission &emission, const CPUItems &items);
void emitCPUAttention(KernelEmission &emission, const CPUItems &items);
void emitCPUSort(KernelEmission &emission, const CPUItems &items);
mlir::LogicalResult emitCPUGemm(KernelEmission &emission,
                                const CPUItems &items);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CPU_EMITCPU_H
