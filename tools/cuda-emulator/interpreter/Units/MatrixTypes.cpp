//===- MatrixTypes.cpp - Element types of matrix instructions -------------===//

#include "MatrixTypes.h"

#include "tripy/Base/Float.h"

#include <bit>
#include <cstring>
#include <vector>

using namespace tripy;
using namespace tripy::emulator;

uint32_t emulator::bytesOf(MatrixType type) {
  switch (type) {
  case MatrixType::F16:
  case MatrixType::BF16:
    return 2;
  case MatrixType::TF32:
    return 4;
  case MatrixType::E4M3:
  case MatrixType::E5M2:
  case MatrixType::S8:
    return 1;
  }
  return 0;
}

bool emulator::isF8(MatrixType type) {
  return type == MatrixType::E4M3 || type == MatrixType::E5M2;
}

bool emulator::multiplies(MatrixType a, MatrixType b,
                          AccumulatorType accumulator) {
  if (a != b && !(isF8(a) && isF8(b)))
    return false;
  switch (accumulator) {
  case AccumulatorType::F32:
    return a != MatrixType::S8;
  case AccumulatorType::F16:
    return a == MatrixType::F16 || isF8(a);
  case AccumulatorType::S32:
    return a == MatrixType::S8;
  }
  return false;
}

/// Values by bit pattern. Whole models go through here, so that a conversion
/// must cost no more than a load.
template <typename Bits, float (*convert)(Bits)> static const float *tableOf() {
  static const std::vector<float> table = [] {
    std::vector<float> values(size_t(1) << (8 * sizeof(Bits)));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = convert(Bits(i));
    return values;
  }();
  return table.data();
}

/// Applies `convert` to `count` elements of type Bits.
template <typename Bits, typename Convert>
static void forEach(const uint8_t *elements, uint64_t count, float *values,
                    Convert convert) {
  for (uint64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, elements + i * sizeof(Bits), sizeof(Bits));
    values[i] = convert(bits);
  }
}

template <typename Bits>
static void lookUp(const float *table, const uint8_t *elements, uint64_t count,
                   float *values) {
  forEach<Bits>(elements, count, values,
                [table](Bits bits) { return table[bits]; });
}

void emulator::toFloats(MatrixType type, const uint8_t *elements,
                        uint64_t count, float *values) {
  switch (type) {
  case MatrixType::F16:
    return lookUp<uint16_t>(tableOf<uint16_t, fromF16>(), elements, count,
                            values);
  case MatrixType::BF16:
    return forEach<uint16_t>(elements, count, values, [](uint16_t bits) {
      return std::bit_cast<float>(uint32_t(bits) << 16);
    });
  case MatrixType::TF32:
    return forEach<uint32_t>(elements, count, values, [](uint32_t bits) {
      return std::bit_cast<float>(bits & 0xffffe000);
    });
  case MatrixType::E4M3:
    return lookUp<uint8_t>(tableOf<uint8_t, fromF8E4M3FN>(), elements, count,
                           values);
  case MatrixType::E5M2:
    return lookUp<uint8_t>(tableOf<uint8_t, fromF8E5M2>(), elements, count,
                           values);
  case MatrixType::S8:
    return forEach<int8_t>(elements, count, values,
                           [](int8_t value) { return float(value); });
  }
}

void emulator::loadAccumulators(AccumulatorType type, const uint32_t *words,
                                float *values, uint32_t count) {
  if (type == AccumulatorType::F32)
    std::memcpy(values, words, count * sizeof(float));
  else
    toFloats(MatrixType::F16, reinterpret_cast<const uint8_t *>(words), count,
             values);
}

void emulator::storeAccumulators(AccumulatorType type, const float *values,
                                 uint32_t *words, uint32_t count) {
  if (type == AccumulatorType::F32) {
    std::memcpy(words, values, count * sizeof(float));
    return;
  }
  for (uint32_t i = 0; i < count; i += 2)
    words[i / 2] = toF16(values[i]) | uint32_t(toF16(values[i + 1])) << 16;
}
