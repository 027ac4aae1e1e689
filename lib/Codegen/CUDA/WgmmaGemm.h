//===- WgmmaGemm.h - Contractions on Hopper's tensor cores ------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. A persistent kernel with roles: one warp group
// copies slices of both operands with the tensor memory accelerator (TMA), one
// or two multiply them (wgmma) and run the epilogue.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_WGMMAGEMM_H
#define TRIPY_LIB_CODEGEN_CUDA_WGMMAGEMM_H

#include "EmitCUDA.h"

#include <optional>

namespace tripy::codegen {

/// One operand as TMA sees it: [batch,] outer x inner, the inner side
/// contiguous.
struct WgmmaOperand {
  /// Number among the kernel's tensors.
  int64_t buffer = 0;
  /// K is the contiguous side.
  bool kMajor = true;
  bool batched = false;
};

/// What a contraction must be for this kernel, and how it is cut.
struct WgmmaPlan {
  mlir::linalg::GenericOp op;
  WgmmaOperand a, b;
  llvm::SmallVector<unsigned> batch, m, n, k;
  /// Tile of a block; a slice of K is 64 elements (128 bytes).
  int64_t tileM = 128, tileN = 256, stages = 4;
  /// Consumers take tiles in turn, so that one multiplies while the other runs
  /// its epilogue; otherwise they share a tile, 64 rows each.
  bool pingPong = false;
  /// Blocks of a cluster. They share the slices of B and have tiles one below
  /// the other, or share those of A and have tiles side by side: each copies
  /// its part of a shared slice to all of them.
  int64_t cluster = 1;
  bool sharesA = false;
  int64_t consumers() const { return pingPong ? 2 : tileM / 64; }
  /// Groups of 64 rows that one consumer multiplies.
  int64_t rowGroups() const { return pingPong ? tileM / 64 : 1; }
  /// Rows of a slice that one block copies.
  int64_t copiedA() const { return sharesA ? tileM / cluster : tileM; }
  int64_t copiedB() const { return sharesA ? tileN : tileN / cluster; }
  /// Columns that go through the staging area at a time.
  int64_t chunk() const { return tileN < 64 ? tileN : 64; }
};

/// The plan for `kernel`, or nothing when it does not suit: operands that are
/// not f16 or bf16 tensors in memory, or whose rows are not multiples of 16
/// bytes.
std::optional<WgmmaPlan> planWgmma(kernel::FuncOp kernel);

/// Emits `kernel` into `module`.
mlir::LogicalResult emitWgmma(kernel::FuncOp kernel, const WgmmaPlan &plan,
                              mlir::gpu::GPUModuleOp module,
                              mlir::OpBuilder &b);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_WGMMAGEMM_H
