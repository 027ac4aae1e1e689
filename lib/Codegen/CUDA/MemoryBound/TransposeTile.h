//===- TransposeTile.h - Tiles of loops that transpose ----------*- C++ -*-===//
//
// What the forms of such loops share.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_TRANSPOSETILE_H
#define TRIPY_LIB_CODEGEN_CUDA_TRANSPOSETILE_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

namespace tripy::codegen {

/// Results with fewer elements are not worth a tile or a box: what it saves is
/// less than its barrier, and its few blocks leave most multiprocessors without
/// work. Threads have one element each.
inline constexpr int64_t fewElements = 1 << 15;

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

/// Whether all tensors that `kernel` reads have elements of 16 bits or fewer,
/// and some of them rows of an odd number.
bool readsOddRows(CUDAKernel &kernel);

/// Numbers of elements of a result from which on tiles may be larger, in
/// ascending order.
llvm::SmallVector<int64_t> transposeTileLimits(const CudaChip &chip);

/// `index`, or an element inside where it lies past the end and `valid` says
/// so. `whole`: it never does.
Index clampInside(CUDAKernel &kernel, Index index, Index size, bool whole,
                  mlir::Value &valid);

/// Emits what `emitter` has chosen and begun: by itself, or as the version of
/// the kernel that `narrow` emits beside those for wider accesses, which hold
/// where the `inner` sizes allow them and take its arrays. All have the places
/// that the emitter's locate() computes.
template <typename Emitter>
void emitByWidth(CUDAKernel &kernel, Emitter &emitter, mlir::ValueRange inner,
                 llvm::function_ref<void()> narrow) {
  llvm::SmallVector<KernelEmission::Version> versions;
  for (int64_t width : widthsOf(kernel.e.kernel))
    versions.push_back({width, width});
  if (inner.empty() || versions.empty())
    return emitter.emit(emitter.arrays, /*waits=*/true);
  kernel.divideAhead([&] { emitter.locate(); });
  kernel.await();
  kernel.e.versions(inner, versions, [&](KernelEmission::Version version) {
    if (version.factor == 1)
      return narrow();
    Emitter aligned(kernel);
    if (aligned.choose())
      aligned.emit(emitter.arrays, /*waits=*/false);
  });
}

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
