//===- Passes.h - Passes that make kernels ----------------------*- C++ -*-===//
#ifndef TRIPY_CODEGEN_PASSES_H
#define TRIPY_CODEGEN_PASSES_H

#include "tripy/Base/Machines.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/MathExtras.h"

namespace tripy {
namespace codegen {
/// CUDA: contractions with at most so many rows or columns have a kernel of
/// their own (GemvSchedule.cpp). Up to there the vectors' part of the
/// arithmetic stays below the time of the matrix: 8 multiply-adds and two
/// conversions for each 2 bytes.
inline constexpr int64_t maxVectorRows = 8;

/// Rows are the queries of all heads that share one of keys. Up to so many,
/// blocks that divide the keys of attention read each of these once, or twice,
/// and all attention has this form; up to so many it has it where the cost
/// model expects that to be faster.
inline constexpr int64_t oneTileRows = 32, maxSplitRows = 128;
/// Queries from which on attention has tiles: with fewer, those of 64 and more
/// are mostly empty.
inline constexpr int64_t minTileQueries = 33;
/// sm_90a: rows up to which tensor cores take the contraction with swapAB: the
/// matrix is on the side that has 64 rows.
inline constexpr int64_t maxSwapABRows = 32;

/// A contraction of 1 <= `rows` <= maxVectorRows rows with `batch` matrices of
/// `columns` x `k` elements of `bits` bits.
struct FewRows {
  int64_t rows, batch, columns, k, bits;
  /// The matrices lie in memory along K.
  bool alongK;

  /// sm_90a: whether tensor cores (wgmma) are faster, if it can run there.
  /// Conversions are what holds CUDA cores up: of all elements of f8, for each
  /// row of 16 bits, and most where a thread has the sums of several columns.
  /// A tile has 64 columns and k-blocks of 128 bytes of K; of matrices along K
  /// there must be tiles enough, since CUDA cores make blocks of fewer columns.
  bool suitsTensorCores(const Machine &machine) const {
    uint64_t all = llvm::SaturatingMultiply<uint64_t>(batch, columns);
    uint64_t elements = llvm::SaturatingMultiply<uint64_t>(all, k);
    if (columns < 64 || k < 1024 / bits)
      return false;
    if (bits == 16)
      return alongK
                 ? rows >= 4 && elements >= uint64_t(machine.fewRowsElements) &&
                       all >= uint64_t(machine.fewRowsColumns)
                 : elements >= uint64_t(machine.fewRowsProducts) / rows;
    return bits == 8;
  }
};
/// CUDA, reductions down columns: vectors of 16 bytes side by side in a strip,
/// which is a block's.
inline constexpr int64_t columnVectors = 32;
/// On the CPU: work items for the threads of a large machine, and what one
/// reads in 10 us. Shorter sums are more accurate, too.
inline constexpr int64_t hostBlocks = 64, hostRowPartBytes = 128 << 10;
inline constexpr int64_t hostColumnBytes = 2 << 20;
} // namespace codegen

#define GEN_PASS_DECL
#include "tripy/Codegen/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

#endif // TRIPY_CODEGEN_PASSES_H
