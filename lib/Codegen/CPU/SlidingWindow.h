//===- SlidingWindow.h - Windows that a contraction reads -------*- C++ -*-===//
//
// Private to lib/Codegen/CPU. The second operand of a convolution has an
// element for each position of a window (its rows) and each window (its
// columns). Where an element lies in the input is linear in both numbers'
// parts: vectors of columns are loaded with masks, and windows are never
// written to memory.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CPU_SLIDINGWINDOW_H
#define TRIPY_LIB_CODEGEN_CPU_SLIDINGWINDOW_H

#include "Codegen/Emit/ContractionSpace.h"

namespace tripy::codegen {

/// A sum of indices times numbers, and a number.
struct LinearForm {
  llvm::SmallVector<int64_t> factors;
  int64_t constant = 0;
};

/// The elements of an operand as elements of `source`, with 0 or another
/// constant where they are outside.
struct SlidingWindow {
  /// What one dimension of the operand is made of, outermost first: the
  /// positions of their factors in forms, and their sizes. All but the first
  /// are static.
  struct Part {
    llvm::SmallVector<unsigned> positions;
    llvm::SmallVector<int64_t> sizes;
    /// Product of all sizes but the first.
    int64_t inner() const;
  };
  /// An element is in the input where the form is from 0 to below `size`.
  struct Bound {
    LinearForm place;
    int64_t size;
  };

  mlir::Value source;
  /// Number of the element in the source.
  LinearForm offset;
  llvm::SmallVector<Bound> bounds;
  mlir::TypedAttr outside;
  /// Of the operand's dimensions.
  llvm::SmallVector<Part> parts;

  /// Of operand `number` of a contraction; nothing where its elements are made
  /// in another way.
  static std::optional<SlidingWindow> of(mlir::linalg::GenericOp contraction,
                                         unsigned number);
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CPU_SLIDINGWINDOW_H
