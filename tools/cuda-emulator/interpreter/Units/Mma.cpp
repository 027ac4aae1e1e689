//===- Mma.cpp - Matrix instructions of a warp ----------------------------===//

#include "Mma.h"

#include "../Emulator.h"
#include "tripy/Base/Text.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace tripy;
using namespace tripy::emulator;

namespace {
constexpr uint32_t lanes = 32, rows = 16, columns = 8, maxK = 32;

/// Reads an operand of which register r of a lane holds elements of row
/// lane / 4 + 8 (r % rowBlocks), from element (lane % 4 + 4 (r / rowBlocks))
/// times the elements of a register on. A has 2 blocks of rows; B, whose
/// columns are the rows here, has 1.
void readFragment(MatrixType type, std::span<const uint32_t> registers,
                  uint32_t count, uint32_t rowBlocks, uint32_t k,
                  float *values) {
  uint32_t perRegister = 4 / bytesOf(type);
  for (uint32_t lane = 0; lane < lanes; ++lane)
    for (uint32_t r = 0; r < count; ++r) {
      uint32_t row = lane / 4 + r % rowBlocks * 8;
      uint32_t element = (lane % 4 + r / rowBlocks * 4) * perRegister;
      uint32_t word = registers[lane * count + r];
      toFloats(type, reinterpret_cast<const uint8_t *>(&word), perRegister,
               values + row * k + element);
    }
}

/// The sums of products, [m][n].
void multiply(uint32_t k, const float *a, const float *b, float *sums) {
  for (uint32_t m = 0; m < rows; ++m)
    for (uint32_t n = 0; n < columns; ++n) {
      float sum = 0;
      for (uint32_t i = 0; i < k; ++i)
        sum += a[m * k + i] * b[n * k + i];
      sums[m * columns + n] = sum;
    }
}

/// An accumulator of whole numbers plus a sum of products, which a float holds
/// exactly: 32 products of at most 2^14.
uint32_t addInteger(uint32_t accumulator, float sum, bool saturate) {
  int64_t exact = int64_t(int32_t(accumulator)) + int64_t(sum);
  if (saturate)
    exact = std::clamp<int64_t>(exact, std::numeric_limits<int32_t>::min(),
                                std::numeric_limits<int32_t>::max());
  return uint32_t(exact);
}

Status checkCount(const char *what, size_t have, size_t need) {
  if (have != need)
    return fault(concat(what, " needs ", need, " registers, but has ", have));
  return Status::ok();
}

/// Calls `move(row address, index of the row's matrix, row)`.
template <typename Move>
Status forEachMatrixRow(const char *what, uint32_t count,
                        std::span<const uint64_t> addresses, size_t registers,
                        MemorySpace &shared, Access how, Move move) {
  if (count != 1 && count != 2 && count != 4)
    return fault(concat(what, " moves 1, 2 or 4 matrices, not ", count));
  if (addresses.size() != lanes)
    return fault(concat(what, " needs 32 addresses"));
  if (Status status = checkCount(what, registers, lanes * count);
      !status.isOk())
    return status;
  for (uint32_t i = 0; i < 8 * count; ++i) {
    uint8_t *place = nullptr;
    if (addresses[i] % 16 != 0)
      return fault(concat(what,
                          ": rows must be at multiples of 16, but one is "
                          "at ",
                          hexadecimal(addresses[i])));
    if (Status status = shared.access(addresses[i], 16, how, place);
        !status.isOk())
      return status;
    move(place, i / 8, i % 8);
  }
  return Status::ok();
}

/// Where element (row, column) of an 8 x 8 matrix is in the registers of lane
/// row * 4 + column / 2, as a number of 16-bit halves.
size_t halfOf(uint32_t count, uint32_t matrix, uint32_t row, uint32_t column) {
  size_t lane = row * 4 + column / 2;
  return (lane * count + matrix) * 2 + column % 2;
}
} // namespace

Status emulator::checkMma(const MmaShape &shape) {
  uint32_t bytes = shape.k * bytesOf(shape.a);
  if (bytes != 16 && bytes != 32)
    return fault(concat("mma: m16n8k", shape.k, " has other types"));
  if (!multiplies(shape.a, shape.b, shape.accumulator))
    return fault("mma: no instruction has these types");
  if (shape.saturate && shape.accumulator != AccumulatorType::S32)
    return fault("mma: only whole numbers saturate");
  return Status::ok();
}

Status emulator::mma(const MmaShape &shape, std::span<const uint32_t> a,
                     std::span<const uint32_t> b, std::span<const uint32_t> c,
                     std::span<uint32_t> d) {
  if (Status status = checkMma(shape); !status.isOk())
    return status;
  uint32_t countC = shape.registersC();
  for (auto [have, need] : {std::pair(a.size(), shape.registersA()),
                            {b.size(), shape.registersB()},
                            {c.size(), countC},
                            {d.size(), countC}})
    if (Status status = checkCount("mma", have, lanes * need); !status.isOk())
      return status;
  float valuesA[rows * maxK], valuesB[columns * maxK], sums[rows * columns];
  readFragment(shape.a, a, shape.registersA(), 2, shape.k, valuesA);
  readFragment(shape.b, b, shape.registersB(), 1, shape.k, valuesB);
  multiply(shape.k, valuesA, valuesB, sums);
  for (uint32_t lane = 0; lane < lanes; ++lane)
    for (uint32_t half = 0; half < 2; ++half) {
      const float *sum = sums + (lane / 4 + half * 8) * columns + lane % 4 * 2;
      if (shape.accumulator == AccumulatorType::S32) {
        for (uint32_t i = 0; i < 2; ++i) {
          size_t at = lane * countC + half * 2 + i;
          d[at] = addInteger(c[at], sum[i], shape.saturate);
        }
        continue;
      }
      size_t at = lane * countC + half * countC / 2;
      float values[2];
      loadAccumulators(shape.accumulator, &c[at], values, 2);
      values[0] += sum[0];
      values[1] += sum[1];
      storeAccumulators(shape.accumulator, values, &d[at], 2);
    }
  return Status::ok();
}

Status emulator::ldmatrix(uint32_t count, bool transposed,
                          std::span<const uint64_t> addresses,
                          MemorySpace &shared, std::span<uint32_t> registers) {
  auto *halves = reinterpret_cast<uint8_t *>(registers.data());
  return forEachMatrixRow(
      "ldmatrix", count, addresses, registers.size(), shared, Access::Read,
      [&](const uint8_t *place, uint32_t matrix, uint32_t row) {
        for (uint32_t i = 0; i < 8; ++i) {
          size_t half = transposed ? halfOf(count, matrix, i, row)
                                   : halfOf(count, matrix, row, i);
          std::memcpy(halves + half * 2, place + i * 2, 2);
        }
      });
}

Status emulator::stmatrix(uint32_t count, bool transposed,
                          std::span<const uint64_t> addresses,
                          std::span<const uint32_t> registers,
                          MemorySpace &shared) {
  const auto *halves = reinterpret_cast<const uint8_t *>(registers.data());
  return forEachMatrixRow("stmatrix", count, addresses, registers.size(),
                          shared, Access::Write,
                          [&](uint8_t *place, uint32_t matrix, uint32_t row) {
                            for (uint32_t i = 0; i < 8; ++i) {
                              size_t half = transposed
                                                ? halfOf(count, matrix, i, row)
                                                : halfOf(count, matrix, row, i);
                              std::memcpy(place + i * 2, halves + half * 2, 2);
                            }
                          });
}
