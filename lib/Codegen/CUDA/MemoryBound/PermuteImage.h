//===- PermuteImage.h - Boxes of odd tensors that are permuted --*- C++ -*-===//
//
// A box whose runs of memory begin anywhere lies in shared memory as in the
// tensor: places that are equal modulo a vector there are equal here, so that
// whole vectors are copied, with what is next to the runs. Nothing here emits
// code.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_PERMUTEIMAGE_H
#define TRIPY_LIB_CODEGEN_CUDA_PERMUTEIMAGE_H

#include "PermuteBox.h"

namespace tripy::codegen {

/// A permutation of static sizes, and the box that a block takes.
struct PermuteImage {
  /// Dimensions have their numbers in the output's order.
  llvm::SmallVector<BoxDim> dims;
  BoxOrder input, output;
  /// Bytes of an element, and elements of a vector.
  int64_t bytes = 1, vectorSize = 1;
  int64_t threads = 256;
  /// Of each dimension: the distance of neighbours in the tensor, in the
  /// output, and in shared memory.
  llvm::SmallVector<int64_t> from, to, pitch;
  /// Elements of shared memory.
  int64_t capacity = 0;

  int64_t boxes() const;
  int64_t elements() const;
  /// Vectors that cover a run of `order`, wherever it begins.
  int64_t vectorsOf(llvm::ArrayRef<unsigned> order) const;
  /// Whether all runs of the output begin with a vector.
  bool isAligned() const;
};

/// Chooses the box by what it costs: instructions, and sectors of memory. False
/// where none fits.
bool chooseImage(PermuteImage &image, const CudaChip &chip);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_PERMUTEIMAGE_H
