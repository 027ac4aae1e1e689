//===- Wgmma.cpp - Matrix instructions of a warpgroup ---------------------===//
//
// The operands become dense matrices of floats, which are then multiplied by a
// loop that the compiler vectorises.
//
//===----------------------------------------------------------------------===//

#include "Wgmma.h"

#include "TensorCopy.h"

#include "tripy/Base/Text.h"

#include <algorithm>
#include <vector>

using namespace tripy;
using namespace tripy::emulator;

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// By the two highest bits of a descriptor, which are not in the order of
/// CUtensorMapSwizzle.
static constexpr uint32_t descriptorSwizzles[] = {0, 128, 64, 32};

MatrixDescriptor MatrixDescriptor::decode(uint64_t bits) {
  auto bytes = [&](int at) { return uint32_t((bits >> at) & 0x3fff) << 4; };
  MatrixDescriptor descriptor;
  descriptor.start = bytes(0);
  descriptor.leading = bytes(16);
  descriptor.stride = bytes(32);
  descriptor.baseOffset = (bits >> 49) & 7;
  descriptor.swizzle = descriptorSwizzles[bits >> 62];
  return descriptor;
}

uint64_t MatrixDescriptor::encode() const {
  auto field = [](uint32_t bytes, int at) {
    return uint64_t((bytes >> 4) & 0x3fff) << at;
  };
  uint64_t mode = 0;
  while (descriptorSwizzles[mode] != swizzle)
    ++mode;
  return field(start, 0) | field(leading, 16) | field(stride, 32) |
         uint64_t(baseOffset & 7) << 49 | mode << 62;
}

uint32_t MatrixDescriptor::chunkAddress(uint32_t mn, uint32_t k,
                                        uint32_t elementBytes,
                                        bool transposed) const {
  uint32_t perChunk = 16 / elementBytes;
  uint32_t address = start;
  if (swizzle == 0) {
    // Core matrices of 8 x 16 bytes, each dense.
    uint32_t row = transposed ? k : mn,
             chunk = (transposed ? mn : k) / perChunk;
    address += row % 8 * 16;
    address += transposed ? row / 8 * leading + chunk * stride
                          : row / 8 * stride + chunk * leading;
    return address;
  }
  if (transposed) {
    uint32_t span = swizzle / elementBytes;
    address += mn % span * elementBytes + mn / span * leading +
               k % 8 * swizzle + k / 8 * stride;
  } else {
    address += k * elementBytes + mn % 8 * swizzle + mn / 8 * stride;
  }
  // The pattern counts rows of 128 bytes from where it begins.
  uint32_t begin = baseOffset * 128;
  return uint32_t(swizzled(address - begin, swizzle)) + begin;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
constexpr uint32_t threads = 128, rows = 64, maxK = 32, maxN = 256;

/// A as [m][k], B as [k][n], D as [m][n].
struct Matrices {
  float a[rows * maxK];
  float b[maxK * maxN];
  float d[rows * maxN];
  /// The accumulators in the order of the registers.
  float registers[rows * maxN];
};

/// Reads an operand of `size` rows (or columns); element (mn, k) goes to
/// values[mn * stepMn + k * stepK].
Status readOperand(MatrixType type, uint64_t bits, bool transposed,
                   uint32_t size, MemorySpace &shared, float *values,
                   uint32_t stepMn, uint32_t stepK) {
  MatrixDescriptor descriptor = MatrixDescriptor::decode(bits);
  uint32_t bytes = bytesOf(type), perChunk = 16 / bytes, sizeK = 32 / bytes;
  uint32_t advanceMn = transposed ? perChunk : 1;
  uint32_t advanceK = transposed ? 1 : perChunk;
  uint32_t step = transposed ? stepMn : stepK;
  for (uint32_t k = 0; k < sizeK; k += advanceK)
    for (uint32_t mn = 0; mn < size; mn += advanceMn) {
      uint8_t *place = nullptr;
      float chunk[16];
      if (Status status =
              shared.access(descriptor.chunkAddress(mn, k, bytes, transposed),
                            16, Access::Read, place);
          !status.isOk())
        return status;
      toFloats(type, place, perChunk, chunk);
      float *to = values + mn * stepMn + k * stepK;
      for (uint32_t i = 0; i < perChunk; ++i)
        to[i * step] = chunk[i];
    }
  return Status::ok();
}

/// Row of the first accumulator of a thread; the others are 8 further on.
uint32_t rowOf(uint32_t thread) { return thread / 32 * 16 + thread % 32 / 4; }

/// Register r of thread t holds elements of row rowOf(t) + 8 (r % 2), from
/// column (t % 4 + 4 (r / 2)) times the elements of a register on.
void readRegisters(MatrixType type, std::span<const uint32_t> registers,
                   uint32_t k, float *values) {
  uint32_t perRegister = 4 / bytesOf(type);
  for (uint32_t t = 0; t < threads; ++t)
    for (uint32_t r = 0; r < WgmmaShape::registersA; ++r) {
      uint32_t column = (t % 4 + r / 2 * 4) * perRegister;
      uint32_t word = registers[t * WgmmaShape::registersA + r];
      toFloats(type, reinterpret_cast<const uint8_t *>(&word), perRegister,
               values + (rowOf(t) + r % 2 * 8) * k + column);
    }
}

/// Calls `visit(pair, element)` for the pairs of accumulators of all threads:
/// `pair` counts pairs of neighbours in the order of the registers, `element`
/// is where they are in D.
template <typename Visit> void forEachPair(uint32_t n, Visit visit) {
  uint32_t pair = 0;
  for (uint32_t t = 0; t < threads; ++t)
    for (uint32_t j = 0; j < n / 8; ++j)
      for (uint32_t half = 0; half < 2; ++half)
        visit(pair++, (rowOf(t) + half * 8) * n + j * 8 + t % 4 * 2);
}

//===----------------------------------------------------------------------===//
// Multiplication
//===----------------------------------------------------------------------===//

/// d += sign * a * b in blocks of 4 x 8, whose sums stay in registers.
void multiply(uint32_t n, uint32_t k, float sign, Matrices &in) {
  constexpr uint32_t blockM = 4, blockN = 8;
  for (uint32_t m0 = 0; m0 < rows; m0 += blockM)
    for (uint32_t n0 = 0; n0 < n; n0 += blockN) {
      float sums[blockM][blockN] = {};
      for (uint32_t i = 0; i < k; ++i)
        for (uint32_t m = 0; m < blockM; ++m)
          for (uint32_t j = 0; j < blockN; ++j)
            sums[m][j] += in.a[(m0 + m) * k + i] * in.b[i * n + n0 + j];
      for (uint32_t m = 0; m < blockM; ++m)
        for (uint32_t j = 0; j < blockN; ++j)
          in.d[(m0 + m) * n + n0 + j] += sign * sums[m][j];
    }
}

/// Whole numbers: each sum of 32 products of at most 2^14 is exact in a float,
/// and is added to what a register holds, modulo 2^32.
void multiplyIntegers(const WgmmaShape &shape, bool scaleD, Matrices &in,
                      std::span<uint32_t> accumulators) {
  std::fill_n(in.d, rows * shape.n, 0.0f);
  multiply(shape.n, shape.k(), 1, in);
  forEachPair(shape.n, [&](uint32_t pair, uint32_t element) {
    for (uint32_t i = 0; i < 2; ++i) {
      uint32_t &accumulator = accumulators[pair * 2 + i];
      uint32_t sum = uint32_t(int32_t(in.d[element + i]));
      accumulator = (scaleD ? accumulator : 0) + sum;
    }
  });
}

Matrices &scratch() {
  static thread_local std::vector<Matrices> matrices(1);
  return matrices.front();
}

Status checkOperands(const WgmmaShape &shape,
                     std::span<uint32_t> accumulators) {
  if (Status status = checkWgmma(shape); !status.isOk())
    return status;
  if (accumulators.size() != threads * shape.accumulatorRegisters())
    return fault(concat("wgmma of ", shape.n, " columns needs ",
                        threads * shape.accumulatorRegisters(),
                        " accumulator registers, but has ",
                        accumulators.size()));
  return Status::ok();
}

/// Reads B, and runs the instruction with the A that `in` has.
Status finish(const WgmmaShape &shape, uint64_t descriptorB, bool scaleD,
              MemorySpace &shared, Matrices &in,
              std::span<uint32_t> accumulators) {
  if (Status status = readOperand(shape.b, descriptorB, shape.transposeB,
                                  shape.n, shared, in.b, 1, shape.n);
      !status.isOk())
    return status;
  uint32_t size = rows * shape.n;
  if (shape.accumulator == AccumulatorType::S32) {
    multiplyIntegers(shape, scaleD, in, accumulators);
    return Status::ok();
  }
  if (scaleD) {
    loadAccumulators(shape.accumulator, accumulators.data(), in.registers,
                     size);
    forEachPair(shape.n, [&](uint32_t pair, uint32_t element) {
      in.d[element] = in.registers[pair * 2];
      in.d[element + 1] = in.registers[pair * 2 + 1];
    });
  } else {
    std::fill_n(in.d, size, 0.0f);
  }
  multiply(shape.n, shape.k(), shape.negateA != shape.negateB ? -1.0f : 1.0f,
           in);
  forEachPair(shape.n, [&](uint32_t pair, uint32_t element) {
    in.registers[pair * 2] = in.d[element];
    in.registers[pair * 2 + 1] = in.d[element + 1];
  });
  storeAccumulators(shape.accumulator, in.registers, accumulators.data(), size);
  return Status::ok();
}
} // namespace

Status emulator::checkWgmma(const WgmmaShape &shape) {
  if (shape.n < 8 || shape.n > maxN || shape.n % 8 != 0)
    return fault(
        concat("wgmma: N must be a multiple of 8 up to 256, but is ", shape.n));
  if (!multiplies(shape.a, shape.b, shape.accumulator))
    return fault("wgmma: no instruction has these types");
  if (shape.accumulator == AccumulatorType::S32 && shape.n > 24 &&
      shape.n % 16 != 0)
    return fault(concat("wgmma of integers: N above 24 must be a multiple of "
                        "16, but is ",
                        shape.n));
  if ((shape.transposeA || shape.transposeB) && bytesOf(shape.a) != 2)
    return fault("wgmma: only operands of 16-bit types may be transposed");
  return Status::ok();
}

Status emulator::wgmma(const WgmmaShape &shape, uint64_t descriptorA,
                       uint64_t descriptorB, bool scaleD, MemorySpace &shared,
                       std::span<uint32_t> accumulators) {
  if (Status status = checkOperands(shape, accumulators); !status.isOk())
    return status;
  Matrices &in = scratch();
  if (Status status = readOperand(shape.a, descriptorA, shape.transposeA, rows,
                                  shared, in.a, shape.k(), 1);
      !status.isOk())
    return status;
  return finish(shape, descriptorB, scaleD, shared, in, accumulators);
}

Status emulator::wgmma(const WgmmaShape &shape,
                       std::span<const uint32_t> registers,
                       uint64_t descriptorB, bool scaleD, MemorySpace &shared,
                       std::span<uint32_t> accumulators) {
  if (Status status = checkOperands(shape, accumulators); !status.isOk())
    return status;
  if (shape.transposeA || registers.size() != threads * WgmmaShape::registersA)
    return fault("wgmma: A in registers is not transposed and has 4 registers "
                 "in each of 128 threads");
  Matrices &in = scratch();
  readRegisters(shape.a, registers, shape.k(), in.a);
  return finish(shape, descriptorB, scaleD, shared, in, accumulators);
}
