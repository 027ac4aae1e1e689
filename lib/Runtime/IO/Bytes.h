//===- Bytes.h - Little-endian fields and byte views ------------*- C++ -*-===//
//
// Reading and writing fixed-width little-endian numbers in files. Private to
// Runtime/IO.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_IO_BYTES_H
#define TRIPY_RUNTIME_IO_BYTES_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tripy::io {

inline std::span<const uint8_t> asBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

/// The unsigned number of `width` bytes at `at`; the bytes are there.
inline uint64_t loadLittle(std::span<const uint8_t> bytes, size_t at,
                           uint32_t width) {
  uint64_t value = 0;
  for (uint32_t i = width; i-- > 0;)
    value = value << 8 | bytes[at + i];
  return value;
}

inline void appendLittle(std::string &out, uint64_t value, uint32_t width) {
  for (uint32_t i = 0; i < width; ++i, value >>= 8)
    out += static_cast<char>(value & 0xff);
}

} // namespace tripy::io

#endif // TRIPY_RUNTIME_IO_BYTES_H
