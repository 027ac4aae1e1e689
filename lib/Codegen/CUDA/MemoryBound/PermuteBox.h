//===- PermuteBox.h - Boxes of tensors that are permuted --------*- C++ -*-===//
//
// A box has some indices of each dimension. Where it has all of a tensor's last
// dimensions, and some of the one in front of them, its elements are runs of
// the tensor's memory, however short these dimensions are. Nothing here emits
// code.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_PERMUTEBOX_H
#define TRIPY_LIB_CODEGEN_CUDA_PERMUTEBOX_H

#include "tripy/Codegen/CudaChip.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tripy::codegen {

/// A dimension, or several that follow each other in all tensors.
struct BoxDim {
  /// Where it is known.
  std::optional<int64_t> size;
  /// That of the profile's `opt`.
  int64_t expected = 1;
  /// Indices that a box has.
  int64_t extent = 1;
  bool isWhole() const { return size && extent == *size; }
};

/// Dimensions from the outermost to the innermost of a tensor.
using BoxOrder = llvm::SmallVector<unsigned>;

/// The dimensions order[first], ..., of which a box has runs of `length`
/// neighbours in memory.
struct BoxRun {
  size_t first = 0;
  int64_t length = 1;
};
BoxRun runOf(llvm::ArrayRef<BoxDim> dims, llvm::ArrayRef<unsigned> order);

/// Elements of a box.
int64_t volumeOf(llvm::ArrayRef<BoxDim> dims);

/// Chooses extents such that the box has `volume` elements or some more, and
/// the shortest of the runs in all `orders` is as long as can be. Extents that
/// are not whole are multiples of `unit` where they are larger.
void growBox(llvm::MutableArrayRef<BoxDim> dims,
             llvm::ArrayRef<BoxOrder> orders, int64_t volume, int64_t unit);

/// Where the elements of a box, numbered in a tensor's order, are in shared
/// memory: there is a gap of `gap` elements behind each 2^shift.
struct BoxLayout {
  int64_t shift = 0, gap = 0;
  int64_t placeOf(int64_t number) const {
    return number + (number >> shift) * gap;
  }
  /// Elements for any layout of `count` numbers.
  static int64_t capacity(int64_t count) { return count + count / 4; }
};

/// How a box goes through shared memory: a thread's elements of an access, on
/// the tensor's side and on the output's.
struct BoxPath {
  int64_t readWidth = 1, writeWidth = 1;
  BoxLayout layout;
  double cost = 0;
};

/// The best path for a tensor of `bytes` an element, with accesses of at most
/// `readWidth` elements, and `writeWidth` on the side of the output.
BoxPath choosePath(llvm::ArrayRef<BoxDim> dims, llvm::ArrayRef<unsigned> order,
                   llvm::ArrayRef<unsigned> output, int64_t bytes,
                   int64_t readWidth, int64_t writeWidth);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_PERMUTEBOX_H
