//===- Packed.h - Elements that share bytes, in files -----------*- C++ -*-===//
//
// safetensors has no element type that DType::I4 is: its bytes are stored as
// those of uint8 (docs/file-formats.md). Standard library only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_PACKED_H
#define TRIPY_BASE_PACKED_H

#include "tripy/Base/DType.h"

#include <algorithm>
#include <optional>
#include <span>

namespace tripy {

/// Whether a tensor of `found` and `foundShape` has the bytes of one of
/// `wanted`, a packed type, and `shape`: elements of uint8, either in a row, or
/// in the wanted shape with half the last size, which is even.
inline bool holdsPacked(DType wanted, std::span<const int64_t> shape,
                        std::optional<DType> found,
                        std::span<const int64_t> foundShape) {
  if (!isPacked(wanted) || found != DType::U8)
    return false;
  uint64_t elements = 1;
  for (int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(elements, uint64_t(size), &elements))
      return false;
  if (foundShape.size() == 1 &&
      uint64_t(foundShape[0]) == byteCount(wanted, elements))
    return true;
  return !shape.empty() && shape.size() == foundShape.size() &&
         shape.back() % 2 == 0 && foundShape.back() == shape.back() / 2 &&
         std::equal(shape.begin(), shape.end() - 1, foundShape.begin());
}

} // namespace tripy

#endif // TRIPY_BASE_PACKED_H
