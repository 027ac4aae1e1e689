//===- RowsInShared.h - Rows that a block computes for itself ---*- C++ -*-===//
//
// Private to lib/Codegen/CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_ROWSINSHARED_H
#define TRIPY_LIB_CODEGEN_CUDA_ROWSINSHARED_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

namespace tripy::codegen {

/// Emits code with which a block of `threads` threads, a multiple of 32,
/// computes all of `tensor`, whose rows have the reductions `ofRows`, and
/// stores it in `memory`, which is shared memory with the sizes of `tensor`.
/// All threads see it behind this code.
void emitRowsInShared(CUDAKernel &kernel, mlir::Value tensor,
                      llvm::ArrayRef<mlir::linalg::GenericOp> ofRows,
                      int64_t threads, const Memory &memory);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_ROWSINSHARED_H
