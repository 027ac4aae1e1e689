//===- UnitsTestUtil.h - Matrices and memory for the units ------*- C++ -*-===//
//
// Small whole numbers as elements: every type holds them, and sums of their
// products are exact, so that results are compared for equality.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_EMULATOR_UNITSTESTUTIL_H
#define TRIPY_UNITTESTS_EMULATOR_UNITSTESTUTIL_H

#include "../../interpreter/Units/MatrixTypes.h"
#include "../../interpreter/Units/TensorCopy.h"

#include "tripy/Base/Float.h"

#include <bit>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace tripy::emulator {

#define EXPECT_OK(call)                                                        \
  do {                                                                         \
    Status expectOk = (call);                                                  \
    EXPECT_TRUE(expectOk.isOk()) << expectOk.message();                        \
  } while (false)

#define EXPECT_FAULT(call, text)                                               \
  do {                                                                         \
    Status expectFault = (call);                                               \
    EXPECT_FALSE(expectFault.isOk());                                          \
    EXPECT_NE(expectFault.message().find(text), std::string::npos)             \
        << expectFault.message();                                              \
  } while (false)

/// Memory from address `base` on; nothing else may be touched.
struct TestSpace {
  explicit TestSpace(uint64_t size, uint64_t base = 0)
      : bytes(size, 0xfd), base(base), space(bytes, base) {}

  uint8_t *at(uint64_t address) { return bytes.data() + (address - base); }

  std::vector<uint8_t> bytes;
  uint64_t base;
  FlatSpace space;
};

/// The bits of a small whole number.
inline uint32_t encodeElement(MatrixType type, int value) {
  switch (type) {
  case MatrixType::F16:
    return toF16(value);
  case MatrixType::BF16:
    return toBF16(value);
  case MatrixType::TF32:
    return std::bit_cast<uint32_t>(float(value));
  case MatrixType::E4M3:
    return toF8E4M3FN(value);
  case MatrixType::E5M2:
    return toF8E5M2(value);
  case MatrixType::S8:
    return uint8_t(int8_t(value));
  }
  return 0;
}

/// rows x columns whole numbers from -4 to 4, dense.
struct TestMatrix {
  TestMatrix(uint32_t rows, uint32_t columns, uint32_t seed)
      : rows(rows), columns(columns), values(rows * columns) {
    std::mt19937 random(seed);
    for (int &value : values)
      value = int(random() % 9) - 4;
  }

  int at(uint32_t row, uint32_t column) const {
    return values[row * columns + column];
  }
  TestMatrix transposed() const {
    TestMatrix result(columns, rows, 0);
    for (uint32_t i = 0; i < rows; ++i)
      for (uint32_t j = 0; j < columns; ++j)
        result.values[j * rows + i] = at(i, j);
    return result;
  }
  /// The elements as bytes, row by row.
  std::vector<uint8_t> encode(MatrixType type) const {
    uint32_t size = bytesOf(type);
    std::vector<uint8_t> bytes(values.size() * size);
    for (size_t i = 0; i < values.size(); ++i) {
      uint32_t bits = encodeElement(type, values[i]);
      std::memcpy(&bytes[i * size], &bits, size);
    }
    return bytes;
  }

  uint32_t rows, columns;
  std::vector<int> values;
};

/// Packs elements, lowest first, into 32-bit registers.
inline std::vector<uint32_t> packRegisters(MatrixType type,
                                           const std::vector<int> &elements) {
  uint32_t size = bytesOf(type);
  std::vector<uint32_t> words(elements.size() * size / 4);
  for (size_t i = 0; i < elements.size(); ++i)
    words[i * size / 4] |= encodeElement(type, elements[i])
                           << (i * size % 4 * 8);
  return words;
}

/// The tensor map of a dense [rows][columns] array at `address`.
inline Status encodeMatrix(uint64_t address, TensorType type, uint32_t rows,
                           uint32_t columns, uint32_t boxRows,
                           uint32_t boxColumns, int swizzle,
                           TensorMapValue &value) {
  uint64_t dims[] = {columns, rows}, strides[] = {columns * bytesOf(type)};
  uint32_t box[] = {boxColumns, boxRows}, steps[] = {1, 1};
  TensorMapArguments arguments;
  arguments.dataType = int(type);
  arguments.rank = 2;
  arguments.address = address;
  arguments.dims = dims;
  arguments.strides = strides;
  arguments.box = box;
  arguments.elementStrides = steps;
  arguments.swizzle = swizzle;
  return encodeTensorMap(arguments, value);
}

/// Copies a box of a matrix of 2-byte or other elements, whose first element
/// is in row `row` and column `column`, to shared memory.
inline Status loadBox(std::vector<uint8_t> &matrix, TensorType type,
                      uint32_t rows, uint32_t columns, uint32_t boxRows,
                      uint32_t boxColumns, int swizzle, int32_t row,
                      int32_t column, uint64_t to, MemorySpace &shared) {
  constexpr uint64_t base = 0x10000;
  TensorMapValue value;
  TensorMap map;
  if (Status status = encodeMatrix(base, type, rows, columns, boxRows,
                                   boxColumns, swizzle, value);
      !status.isOk())
    return status;
  if (Status status = decodeTensorMap(value.bytes.data(), map); !status.isOk())
    return status;
  FlatSpace global(matrix, base);
  int32_t at[] = {column, row};
  return loadTile(map, at, global, to, shared);
}

} // namespace tripy::emulator

#endif // TRIPY_UNITTESTS_EMULATOR_UNITSTESTUTIL_H
