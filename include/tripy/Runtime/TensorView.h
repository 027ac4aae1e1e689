//===- TensorView.h - Tensors at the runtime's surface ----------*- C++ -*-===//
//
// A shape, a view of a tensor somewhere, and a tensor in host memory. Used by
// the runtime, its readers and writers, and tools. Depends on Base only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_TENSORVIEW_H
#define TRIPY_RUNTIME_TENSORVIEW_H

#include "tripy/Base/DType.h"
#include "tripy/Base/Program.h"
#include "tripy/Base/Status.h"

#include <array>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace tripy::runtime {

inline constexpr uint32_t maxRank = 8;

/// Sizes of a tensor's dimensions, outermost first. A value type that never
/// allocates; rank 0 is a scalar.
class Shape {
public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes)
      : Shape(std::span<const int64_t>(sizes.begin(), sizes.size())) {}
  /// `sizes` has at most maxRank entries; see fromSizes for untrusted ones.
  explicit Shape(std::span<const int64_t> sizes) {
    assert(sizes.size() <= maxRank);
    for (int64_t size : sizes)
      dims[count++] = size;
  }
  /// Refuses ranks above maxRank and negative sizes with LimitExceeded or
  /// InvalidArgument.
  static Result<Shape> fromSizes(std::span<const int64_t> sizes);

  uint32_t rank() const { return count; }
  int64_t operator[](uint32_t dim) const { return dims[dim]; }
  int64_t &operator[](uint32_t dim) { return dims[dim]; }
  std::span<const int64_t> sizes() const { return {dims.data(), count}; }
  void push(int64_t size) {
    assert(count < maxRank);
    dims[count++] = size;
  }
  friend bool operator==(const Shape &a, const Shape &b) {
    if (a.count != b.count)
      return false;
    for (uint32_t i = 0; i < a.count; ++i)
      if (a.dims[i] != b.dims[i])
        return false;
    return true;
  }

  /// Number of elements; none on overflow or a negative size.
  std::optional<uint64_t> elements() const;
  /// What that many elements take, two of int4 a byte; none on overflow or a
  /// negative size.
  std::optional<uint64_t> bytes(DType dtype) const;
  /// "(2, 3)", "(5,)", "()".
  std::string str() const;

private:
  std::array<int64_t, maxRank> dims = {};
  uint32_t count = 0;
};

/// A dense row-major tensor that somebody else owns. `data` may be null when
/// the tensor has no elements. Two elements of int4 share a byte, the first in
/// its low half.
struct TensorView {
  DType dtype = DType::F32;
  DeviceKind device = DeviceKind::CPU;
  /// Number of the GPU; 0 on the CPU.
  int32_t ordinal = 0;
  Shape shape;
  void *data = nullptr;
};

/// A dense row-major tensor in host memory, owned, aligned to 256 bytes.
/// Movable, not copyable.
class HostTensor {
public:
  HostTensor() = default;
  /// Memory with unspecified contents. Errors: InvalidArgument (negative
  /// size), LimitExceeded (bytes overflow), HostOutOfMemory.
  static Result<HostTensor> create(DType dtype, const Shape &shape);

  DType dtype() const { return type; }
  const Shape &shape() const { return dims; }
  uint64_t elements() const { return dims.elements().value_or(0); }
  uint64_t bytes() const { return sizeInBytes; }
  uint8_t *data() { return memory.get(); }
  const uint8_t *data() const { return memory.get(); }
  std::span<uint8_t> span() { return {memory.get(), sizeInBytes}; }
  std::span<const uint8_t> span() const { return {memory.get(), sizeInBytes}; }
  template <typename T> std::span<T> as() {
    return {reinterpret_cast<T *>(memory.get()), sizeInBytes / sizeof(T)};
  }
  template <typename T> std::span<const T> as() const {
    return {reinterpret_cast<const T *>(memory.get()), sizeInBytes / sizeof(T)};
  }
  /// A view of this tensor; the runtime does not write through views that are
  /// given as inputs.
  TensorView view() const {
    return {type, DeviceKind::CPU, 0, dims, memory.get()};
  }

private:
  struct Release {
    void operator()(uint8_t *pointer) const;
  };
  DType type = DType::F32;
  Shape dims;
  uint64_t sizeInBytes = 0;
  std::unique_ptr<uint8_t, Release> memory;
};

} // namespace tripy::runtime

#endif // TRIPY_RUNTIME_TENSORVIEW_H
