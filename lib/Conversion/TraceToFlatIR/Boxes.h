//===- Boxes.h - Strided boxes of tensors -----------------------*- C++ -*-===//
#ifndef TRIPY_LIB_CONVERSION_TRACETOFLATIR_BOXES_H
#define TRIPY_LIB_CONVERSION_TRACETOFLATIR_BOXES_H

#include "Lowering.h"

namespace tripy {

/// A box of a tensor, one entry for each dimension.
struct Box {
  SizeList offsets, sizes;
  llvm::SmallVector<int64_t> strides;

  /// All of a tensor of these sizes.
  static Box whole(const SizeList &sizes, SizeMath &math) {
    return {SizeList(sizes.size(), math.constant(0)), sizes,
            llvm::SmallVector<int64_t>(sizes.size(), 1)};
  }
};

/// Takes a box of `input`, or all of it: the user's operation, or one that is
/// there for `reason`.
mlir::Value takeBox(mlir::RankedTensorType type, mlir::Value input,
                    const Box &box, Lowering &b, llvm::StringRef reason = "");

} // namespace tripy

#endif // TRIPY_LIB_CONVERSION_TRACETOFLATIR_BOXES_H
