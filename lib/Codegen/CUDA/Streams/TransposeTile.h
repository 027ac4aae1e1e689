//===- TransposeTile.h - Tiles of loops that transpose ----------*- C++ -*-===//
//
// What the forms of such loops share.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_TRANSPOSETILE_H
#define TRIPY_LIB_CODEGEN_CUDA_TRANSPOSETILE_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

namespace tripy::codegen {

/// Square tiles of a kernel.
struct TransposeTile {
  int64_t size = 64, threads = 256;
  /// How many tensors go through one.
  unsigned tensors = 0;
  /// The output's dimensions that its rows, and its columns, go along.
  llvm::SmallVector<unsigned> rows = {}, columns = {};
};

/// The size of tiles, and the threads of a block that has one.
TransposeTile chooseTransposeTile(CUDAKernel &kernel);

/// Emits a loop kernel whose tensors, of 1 or 2 bytes an element, have rows
/// that are no words, and whose results have. False, and nothing emitted, for
/// others.
bool emitCUDAOddRows(CUDAKernel &kernel, TransposeTile tile);
/// Elements of each tile where code for such rows can be one version of a
/// kernel that has `tile`; else 0.
int64_t oddRowsElements(CUDAKernel &kernel, const TransposeTile &tile);
/// Emits that version. `arrays`: of so many elements.
void emitCUDAOddRowsBody(CUDAKernel &kernel, const TransposeTile &tile,
                         llvm::ArrayRef<mlir::Value> arrays);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_TRANSPOSETILE_H
