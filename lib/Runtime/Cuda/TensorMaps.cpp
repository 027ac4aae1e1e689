//===- TensorMaps.cpp - Tensor maps of kernels ----------------------------===//

#include "TensorMaps.h"

#include <algorithm>

using namespace tripy;
using namespace tripy::cuda;

/// CUtensorMapDataType; -1 for a type that tensor maps lack. Bytes are copied
/// as they are, so any type of the right width will do.
static int tensorMapType(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return 7;
  case DType::F16:
    return 6;
  case DType::BF16:
    return 9;
  case DType::F64:
    return 8;
  case DType::I32:
    return 3;
  case DType::I64:
    return 5;
  case DType::I16:
    return 1;
  case DType::Bool:
  case DType::I8:
  case DType::U8:
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return 0;
  // No address for each element: verifyProgram() refuses such maps.
  case DType::I4:
    break;
  }
  return -1;
}

/// CUtensorMapSwizzle; -1 for a width that does not exist.
static int swizzleMode(int64_t bytes) {
  switch (bytes) {
  case 0:
    return 0;
  case 32:
    return 1;
  case 64:
    return 2;
  case 128:
    return 3;
  default:
    return -1;
  }
}

DriverResult cuda::encodeTensorMap(const DriverApi &api,
                                   const TensorMapShape &shape,
                                   TensorMapValue &value, const char *&text) {
  text = nullptr;
  value = {};
  size_t rank = shape.dims.size();
  int type = tensorMapType(shape.dtype), swizzle = swizzleMode(shape.swizzle);
  if (rank == 0 || rank > maxTensorMapRank ||
      shape.strides.size() + 1 != rank || shape.box.size() != rank ||
      type < 0 || swizzle < 0) {
    text = badTensorMap;
    return DriverResult::InvalidValue;
  }
  // The driver has no maps of empty tensors; no kernel may use this one.
  if (std::ranges::count(shape.dims, 0u) > 0)
    return DriverResult::Success;
  constexpr int noInterleave = 0, promoteTo256Bytes = 3, fillWithZero = 0;
  constexpr uint32_t steps[maxTensorMapRank] = {1, 1, 1, 1, 1};
  // The driver reads as many strides as there are dimensions, less one.
  DriverResult result = api.tensorMapEncodeTiled(
      &value, type, static_cast<uint32_t>(rank),
      reinterpret_cast<void *>(shape.address), shape.dims.data(),
      shape.strides.data(), shape.box.data(), steps, noInterleave, swizzle,
      promoteTo256Bytes, fillWithZero);
  if (result == DriverResult::InvalidValue)
    text = "the driver refuses its sizes, strides, box or alignment";
  return result;
}
