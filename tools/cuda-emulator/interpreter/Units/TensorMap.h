//===- TensorMap.h - Tiled tensor maps --------------------------*- C++ -*-===//
//
// The 128-byte value that cuTensorMapEncodeTiled makes and the tensor copies
// read. The layout of the bytes is the emulator's own.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_UNITS_TENSORMAP_H
#define TRIPY_LIB_EMULATOR_UNITS_TENSORMAP_H

#include "tripy/Base/Status.h"

#include <array>
#include <cstdint>

namespace tripy::emulator {

/// CUtensorMapDataType, without the types that change values on the way (f32
/// with denormals flushed, tf32) and the packed types of 4 and 6 bits.
enum class TensorType : uint8_t {
  U8 = 0,
  U16 = 1,
  U32 = 2,
  I32 = 3,
  U64 = 4,
  I64 = 5,
  F16 = 6,
  F32 = 7,
  F64 = 8,
  BF16 = 9,
};

/// Size of an element, in bytes.
uint32_t bytesOf(TensorType type);

/// The parameters of cuTensorMapEncodeTiled as they come: enums as numbers,
/// arrays of `rank` entries (`strides`: rank - 1), innermost dimension first.
struct TensorMapArguments {
  int dataType = 0;
  uint32_t rank = 0;
  uint64_t address = 0;
  const uint64_t *dims = nullptr;
  const uint64_t *strides = nullptr; ///< in bytes
  const uint32_t *box = nullptr;
  const uint32_t *elementStrides = nullptr;
  int interleave = 0;
  int swizzle = 0;
  int l2Promotion = 0;
  int outOfBoundsFill = 0;
};

/// CUtensorMap: opaque to the program.
struct alignas(64) TensorMapValue {
  std::array<uint8_t, 128> bytes = {};
};

/// A tensor map, decoded.
struct TensorMap {
  static constexpr uint32_t maxRank = 5;

  TensorType type = TensorType::U8;
  uint32_t rank = 0;
  uint64_t address = 0;
  std::array<uint64_t, maxRank> dims = {};
  /// Bytes from one index to the next; [0] is the size of an element.
  std::array<uint64_t, maxRank> strides = {};
  std::array<uint32_t, maxRank> box = {};
  std::array<uint32_t, maxRank> elementStrides = {};
  /// Span of the swizzle in bytes: 0, 32, 64 or 128.
  uint32_t swizzle = 0;
  /// Elements out of bounds are NaN instead of 0.
  bool fillNaN = false;

  uint32_t elementBytes() const { return bytesOf(type); }
  /// Elements of the box along dimension `i`: ceil(box / element stride), but
  /// all of the box along dimension 0.
  uint32_t boxCount(uint32_t i) const;
  /// Bytes of the box in shared memory, which are also what a load counts for
  /// complete_tx, in and out of bounds.
  uint64_t boxBytes() const;
};

/// Checks everything that the driver documents and writes the value. Errors:
/// InvalidArgument with the rule; Unsupported for interleaved layouts, the
/// swizzles of wider atoms and the types that TensorType lacks.
Status encodeTensorMap(const TensorMapArguments &arguments,
                       TensorMapValue &value);

/// `bytes` are the 128 bytes of a TensorMapValue. LaunchFailed when they are
/// no tensor map.
Status decodeTensorMap(const uint8_t *bytes, TensorMap &map);

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_UNITS_TENSORMAP_H
