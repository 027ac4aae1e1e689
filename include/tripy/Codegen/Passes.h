//===- Passes.h - Passes that make kernels ----------------------*- C++ -*-===//
#ifndef TRIPY_CODEGEN_PASSES_H
#define TRIPY_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tripy {
namespace codegen {
/// CUDA: contractions with at most so many rows or columns have a kernel of
/// their own (GemvPlan.cpp). Up to there the vectors' part of the arithmetic
/// stays below the time of the matrix: 8 multiply-adds and two conversions for
/// each 2 bytes.
inline constexpr int64_t mostVectorRows = 8;
/// sm_90a: whether a contraction of 1 <= `rows` <= mostVectorRows rows with a
/// matrix, or a batch of them, of `elements` elements of `bits` bits in all is
/// faster on tensor cores (wgmma), if it can run there. Conversions are what
/// holds CUDA cores up: of all elements of f8, for each row of 16 bits, and
/// most where a thread has the sums of several columns, because the matrix does
/// not lie `alongK`. Measured on an H200 (bench/results/notes-gemm.md).
inline bool fewRowsSuitTensorCores(int64_t rows, int64_t elements, int64_t bits,
                                   bool alongK) {
  if (bits == 16)
    return alongK ? rows >= 4 && elements >= int64_t(1) << 23
                  : elements >= (int64_t(1) << 20) / rows;
  return bits == 8;
}
/// CUDA, reductions down columns: vectors of 16 bytes side by side in a strip,
/// which is a block's, and blocks that fill a GPU.
inline constexpr int64_t columnVectors = 32, columnBlocks = 512;
} // namespace codegen

#define GEN_PASS_DECL
#include "tripy/Codegen/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

#endif // TRIPY_CODEGEN_PASSES_H
