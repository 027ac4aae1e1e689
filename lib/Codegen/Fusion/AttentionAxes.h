//===- AttentionAxes.h - Dimensions that views regroup ----------*- C++ -*-===//
//
// An axis is a dimension as far as reshapes do not take it apart: heads,
// queries, keys. Each dimension of a tensor that is a view of scores is some
// axes in a row, so that tensors of other shapes can be compared and arranged
// alike. Dimensions of size 1 have no axis. Internal to the fusion pass.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_FUSION_ATTENTIONAXES_H
#define TRIPY_CODEGEN_FUSION_ATTENTIONAXES_H

#include "tripy/Conversion/TensorSizes.h"

namespace tripy::fusion {

using Axes = llvm::SmallVector<unsigned>;
/// The axes of each dimension of a tensor.
using DimAxes = llvm::SmallVector<Axes>;
using SizeList = TensorSizes::Sizes;

class AxisSpace {
public:
  /// An axis of this size; none of size 1.
  Axes add(mlir::OpFoldResult size);
  /// One axis, or none, for each dimension.
  DimAxes addEach(const SizeList &sizes);
  mlir::OpFoldResult sizeOf(unsigned axis) const { return all[axis].size; }
  SizeList sizesOf(llvm::ArrayRef<unsigned> axes) const;

  /// What a list has become since reshapes took axes of it apart.
  Axes flat(llvm::ArrayRef<unsigned> axes) const;
  Axes flat(const DimAxes &dims) const;

  /// The axes of a reshape's result or input of `sizes`, where the other one's
  /// are `dims`; none where the shapes do not say how they relate.
  std::optional<DimAxes> regroup(const DimAxes &dims, const SizeList &sizes);
  /// Those of a transpose's input, where the result's are `dims`.
  static DimAxes beforeTranspose(const DimAxes &dims,
                                 llvm::ArrayRef<int64_t> permutation);
  /// Those of its result, where the input's are `dims`.
  static DimAxes behindTranspose(const DimAxes &dims,
                                 llvm::ArrayRef<int64_t> permutation);

private:
  struct Axis {
    mlir::OpFoldResult size;
    Axes parts;
  };
  Axes split(unsigned axis, llvm::ArrayRef<mlir::OpFoldResult> sizes);
  bool pairUp(llvm::SmallVector<unsigned> &known, const SizeList &sizes,
              llvm::ArrayRef<unsigned> places, DimAxes &found);

  llvm::SmallVector<Axis> all;
};

} // namespace tripy::fusion

#endif // TRIPY_CODEGEN_FUSION_ATTENTIONAXES_H
