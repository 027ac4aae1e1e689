//===- Windows.h - Sliding windows of a user's operation --------*- C++ -*-===//
//
// What convolutions and pooling share: their numbers, one for each spatial
// dimension, the sizes of their results, and flatir.window. Used in this folder
// alone.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CONVERSION_TRACETOFLATIR_WINDOWS_H
#define TRIPY_LIB_CONVERSION_TRACETOFLATIR_WINDOWS_H

#include "Lowering.h"

namespace tripy {

/// The numbers of one spatial dimension.
struct Sliding {
  int64_t window = 1, stride = 1, dilation = 1, low = 0, high = 0;
  /// Of a user's transposed convolution.
  int64_t outputPadding = 0;
  /// How far apart the input's elements are, with zeros between them.
  int64_t interior = 1;

  /// Places from the first position of a window to behind the last one.
  int64_t extent() const { return dilation * (window - 1) + 1; }
  /// Whether each element is a window.
  bool isIdentity() const {
    return window == 1 && stride == 1 && interior == 1 && low == 0 && high == 0;
  }
};

/// The numbers of a user's operation; `window` are its sizes.
template <typename Adaptor>
llvm::SmallVector<Sliding> slidingOf(Adaptor in,
                                     llvm::ArrayRef<int64_t> window) {
  llvm::SmallVector<Sliding> result;
  auto at = [](llvm::ArrayRef<int64_t> list, size_t i, int64_t missing) {
    return list.empty() ? missing : list[i];
  };
  for (size_t i = 0; i < window.size(); ++i)
    result.push_back({window[i], at(in.getStride(), i, 1),
                      at(in.getDilation(), i, 1), at(in.getLow(), i, 0),
                      at(in.getHigh(), i, 0)});
  return result;
}

/// The number of windows over dimension `dim`, of `size`, after checks that
/// there is an element and that a window fits.
Size countWindows(Size size, const Sliding &sliding, bool ceilMode, int64_t dim,
                  Lowering &b);

/// Windows over the last dimensions of `input`, `counts` of them: dimensions
/// for the positions in a window, then those of the input.
mlir::Value slideWindows(mlir::Value input, llvm::ArrayRef<Sliding> sliding,
                         llvm::ArrayRef<Size> counts, mlir::TypedAttr outside,
                         Lowering &b);

} // namespace tripy

#endif // TRIPY_LIB_CONVERSION_TRACETOFLATIR_WINDOWS_H
