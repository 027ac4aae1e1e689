//===- DLPack.h - Structs of the DLPack standard ----------------*- C++ -*-===//
//
// What Tensor::fromDLPack() takes and Tensor::toDLPack() gives, for programs
// that have no dlpack.h of their own. The names, numbers and layouts are those
// of DLPack's C interface, version 1.1; where dlpack.h was included before,
// this header declares nothing. Not part of tripy.h.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_DLPACK_H
#define TRIPY_FRONTEND_DLPACK_H

// The guard of the standard's own header.
#ifndef DLPACK_DLPACK_H_

#include <cstdint>

// NOLINTBEGIN(readability-identifier-naming): the standard's names.

/// Kinds of memory. Tripy has the first four.
enum DLDeviceType : int32_t {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,     ///< pinned: the CPU reads it
  kDLCUDAManaged = 13, ///< a GPU and the CPU read it
  kDLROCM = 10,
};
struct DLDevice {
  DLDeviceType device_type;
  int32_t device_id; ///< number of the GPU; 0 on the CPU
};

/// What the bits of an element mean.
enum DLDataTypeCode : uint8_t {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6,
  kDLFloat8_e4m3fn = 10, ///< since 1.1
  kDLFloat8_e5m2 = 12,   ///< since 1.1
};
struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes; ///< elements of a vector; 1 for a number
};

/// A tensor in somebody's memory. Its first element is at `data` plus
/// `byte_offset`.
struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;   ///< `ndim` sizes
  int64_t *strides; ///< in elements; null: row-major without gaps
  uint64_t byte_offset;
};

/// A tensor that is given away: who has it calls `deleter` once, if there is
/// one.
struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensor *self);
};

struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
};
/// The same since version 1.0. Another major version has another layout: only
/// `version`, `manager_ctx` and `deleter` may be read then.
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
};
/// Bits of `flags`: nobody may write; nobody else has this memory; elements of
/// less than a byte have a byte each.
#define DLPACK_FLAG_BITMASK_READ_ONLY (UINT64_C(1) << 0)
#define DLPACK_FLAG_BITMASK_IS_COPIED (UINT64_C(1) << 1)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (UINT64_C(1) << 2)

// NOLINTEND(readability-identifier-naming)

#endif // DLPACK_DLPACK_H_
#endif // TRIPY_FRONTEND_DLPACK_H
