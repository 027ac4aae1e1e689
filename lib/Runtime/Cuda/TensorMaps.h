//===- TensorMaps.h - Tensor maps of kernels --------------------*- C++ -*-===//
//
// Encodes the maps that the tensor memory accelerator copies by. Used by the
// runtime's CUDA device and by the mgpu* wrappers.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_CUDA_TENSORMAPS_H
#define TRIPY_RUNTIME_CUDA_TENSORMAPS_H

#include "tripy/Base/DType.h"
#include "tripy/Runtime/Cuda/DriverApi.h"

#include <span>

namespace tripy::cuda {

inline constexpr size_t maxTensorMapRank = 5;
inline constexpr const char *badTensorMap =
    "it has 1 to 5 dimensions, a box of as many, and a swizzle of 0, 32, 64 or "
    "128 bytes";

/// A tensor in device memory, innermost dimension first.
struct TensorMapShape {
  DType dtype;
  /// Bytes: 0, 32, 64 or 128.
  int64_t swizzle;
  DevicePointer address;
  /// Elements of each dimension.
  std::span<const uint64_t> dims;
  /// Bytes from an element to the next one along all dimensions but the first.
  std::span<const uint64_t> strides;
  /// Elements of one copy in each dimension.
  std::span<const uint32_t> box;
};

/// Fills `value`; a tensor without elements gets a map of zeros, which no
/// kernel may use. `text` says what is wrong with the shape where the result is
/// InvalidValue, else it is null.
DriverResult encodeTensorMap(const DriverApi &api, const TensorMapShape &shape,
                             TensorMapValue &value, const char *&text);

} // namespace tripy::cuda

#endif // TRIPY_RUNTIME_CUDA_TENSORMAPS_H
