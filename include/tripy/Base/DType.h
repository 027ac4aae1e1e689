//===- DType.h - Element types ----------------------------------*- C++ -*-===//
//
// The element types of Tripy's tensors, by one table. Standard library only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_DTYPE_H
#define TRIPY_BASE_DTYPE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tripy {

/// Element type of a tensor. The numbers are part of the executable format
/// and of the C interface: never reuse one.
enum class DType : uint8_t {
  F32 = 1,
  F16 = 2,
  BF16 = 3,
  I32 = 4,
  I64 = 5,
  /// One byte an element, 0 or 1.
  Bool = 6,
  I8 = 7,
  U8 = 8,
  I16 = 9,
  F64 = 10,
  F8E4M3FN = 11,
  F8E5M2 = 12,
  /// Signed, -8 to 7, two to a byte: element 2j in the low half of byte j,
  /// element 2j + 1 in the high half. An odd number leaves the last half 0.
  I4 = 13,
};

enum class DTypeClass : uint8_t { Float, Int, Bool };

/// One row per element type.
struct DTypeInfo {
  DType dtype;
  DTypeClass cls;
  /// Bytes of one element by itself; byteCount() knows those of a tensor, where
  /// elements of I4 share them.
  uint8_t size;
  /// Name in messages and printed tensors: "float32".
  std::string_view name;
  /// Name in MLIR: "f32".
  std::string_view mlir;
  /// Name in a safetensors header: "F32"; empty when the format has no such
  /// type.
  std::string_view safetensors;
  /// Type string of a .npy header, little endian: "<f4"; empty when NumPy has
  /// no such type.
  std::string_view npy;

  constexpr bool isUnsigned() const { return mlir.starts_with('u'); }
};

inline constexpr std::array<DTypeInfo, 13> dtypeTable = {{
    {DType::F32, DTypeClass::Float, 4, "float32", "f32", "F32", "<f4"},
    {DType::F16, DTypeClass::Float, 2, "float16", "f16", "F16", "<f2"},
    {DType::BF16, DTypeClass::Float, 2, "bfloat16", "bf16", "BF16", ""},
    {DType::I32, DTypeClass::Int, 4, "int32", "i32", "I32", "<i4"},
    {DType::I64, DTypeClass::Int, 8, "int64", "i64", "I64", "<i8"},
    {DType::Bool, DTypeClass::Bool, 1, "bool", "i1", "BOOL", "|b1"},
    {DType::I8, DTypeClass::Int, 1, "int8", "i8", "I8", "|i1"},
    {DType::U8, DTypeClass::Int, 1, "uint8", "ui8", "U8", "|u1"},
    {DType::I16, DTypeClass::Int, 2, "int16", "i16", "I16", "<i2"},
    {DType::F64, DTypeClass::Float, 8, "float64", "f64", "F64", "<f8"},
    {DType::F8E4M3FN, DTypeClass::Float, 1, "float8", "f8E4M3FN", "F8_E4M3",
     ""},
    {DType::F8E5M2, DTypeClass::Float, 1, "float8_e5m2", "f8E5M2", "F8_E5M2",
     ""},
    {DType::I4, DTypeClass::Int, 1, "int4", "i4", "", ""},
}};

/// The row of `dtype`, or null when the number is none of the table's.
constexpr const DTypeInfo *findDTypeInfo(DType dtype) {
  for (const DTypeInfo &info : dtypeTable)
    if (info.dtype == dtype)
      return &info;
  return nullptr;
}

/// The row of a `dtype` known to be valid.
constexpr const DTypeInfo &dtypeInfo(DType dtype) {
  const DTypeInfo *info = findDTypeInfo(dtype);
  return info ? *info : dtypeTable[0];
}

/// A float of one byte: moved, converted and contracted alone.
constexpr bool isFloat8(DType dtype) {
  return dtypeInfo(dtype).cls == DTypeClass::Float &&
         dtypeInfo(dtype).size == 1;
}
constexpr size_t dtypeSize(DType dtype) { return dtypeInfo(dtype).size; }
/// Whether two elements share a byte. A tensor of such a type has no address
/// for each element: see DType::I4 for where they are.
constexpr bool isPacked(DType dtype) { return dtype == DType::I4; }
/// The bytes of `elements` elements in row-major order, in memory, in files and
/// at the C interface; none when 64 bits cannot hold the number.
constexpr std::optional<uint64_t> byteCount(DType dtype, uint64_t elements) {
  if (isPacked(dtype))
    return elements / 2 + elements % 2;
  uint64_t size = dtypeSize(dtype);
  if (elements > UINT64_MAX / size)
    return std::nullopt;
  return elements * size;
}
/// The element in the low (`part` 0) or high (1) half of a byte.
constexpr int8_t unpackI4(uint8_t byte, unsigned part) {
  unsigned bits = part ? byte >> 4 : byte & 15;
  return static_cast<int8_t>(static_cast<int>(bits ^ 8) - 8);
}
/// `byte` with the low (`part` 0) or high (1) half replaced by `value`'s four
/// low bits.
constexpr uint8_t packI4(uint8_t byte, unsigned part, int64_t value) {
  unsigned bits = static_cast<unsigned>(value) & 15;
  return static_cast<uint8_t>(part ? (byte & 15) | (bits << 4)
                                   : (byte & 240) | bits);
}
constexpr std::string_view dtypeName(DType dtype) {
  return dtypeInfo(dtype).name;
}

/// Finds an element type by one of its names; `column` picks which.
constexpr std::optional<DType> findDType(std::string_view text,
                                         std::string_view DTypeInfo::*column) {
  for (const DTypeInfo &info : dtypeTable)
    if (!(info.*column).empty() && info.*column == text)
      return info.dtype;
  return std::nullopt;
}

} // namespace tripy

#endif // TRIPY_BASE_DTYPE_H
