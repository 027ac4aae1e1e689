//===- Wgmma.h - Matrix instructions of a warpgroup -------------*- C++ -*-===//
//
// wgmma.mma_async.sync.aligned.m64nNkK: D = (scaleD ? D : 0) +- A * B for the
// 128 threads of a warpgroup, K being 32 bytes of elements.
//
// Registers are passed thread by thread: register i of thread t is element
// t * count + i of the span.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_UNITS_WGMMA_H
#define TRIPY_LIB_EMULATOR_UNITS_WGMMA_H

#include "MatrixTypes.h"
#include "MemorySpace.h"

#include <span>

namespace tripy::emulator {

/// The instruction without its operands.
struct WgmmaShape {
  uint32_t n = 8; ///< 8, 16, ... 256
  /// Of the same kind, except that E4M3 and E5M2 may be mixed.
  MatrixType a = MatrixType::F16, b = MatrixType::F16;
  AccumulatorType accumulator = AccumulatorType::F32;
  /// imm-scale-a, imm-scale-b: -1 instead of 1.
  bool negateA = false, negateB = false;
  /// imm-trans-a, imm-trans-b: MN-major instead of K-major; 16-bit types only.
  bool transposeA = false, transposeB = false;

  uint32_t k() const { return 32 / bytesOf(a); }
  /// 32-bit registers of one thread for D: n / 2, or n / 4 for F16.
  uint32_t accumulatorRegisters() const {
    return accumulator == AccumulatorType::F16 ? n / 4 : n / 2;
  }
  /// 32-bit registers of one thread for A in registers.
  static constexpr uint32_t registersA = 4;
};

/// A matrix descriptor, decoded. All offsets in bytes.
struct MatrixDescriptor {
  uint32_t start = 0;
  uint32_t leading = 0;
  uint32_t stride = 0;
  /// Row of the swizzle pattern, in units of 128 bytes, at which addresses
  /// that are multiples of the pattern begin.
  uint32_t baseOffset = 0;
  /// 0, 32, 64 or 128.
  uint32_t swizzle = 0;

  static MatrixDescriptor decode(uint64_t bits);
  uint64_t encode() const;

  /// Address of the 16-byte chunk that holds element (mn, k) of an operand
  /// with elements of `elementBytes`, or of its first element where
  /// `transposed`. (mn, k) is the first element of such a chunk: k, or mn
  /// where transposed, is a multiple of 16 / elementBytes.
  uint32_t chunkAddress(uint32_t mn, uint32_t k, uint32_t elementBytes,
                        bool transposed) const;
};

/// Whether the instruction exists: LaunchFailed with the rule when not.
Status checkWgmma(const WgmmaShape &shape);

/// A and B from shared memory. `accumulators`: 128 * accumulatorRegisters().
Status wgmma(const WgmmaShape &shape, uint64_t descriptorA,
             uint64_t descriptorB, bool scaleD, MemorySpace &shared,
             std::span<uint32_t> accumulators);

/// A from registers (`registers`: 128 * registersA; never transposed).
Status wgmma(const WgmmaShape &shape, std::span<const uint32_t> registers,
             uint64_t descriptorB, bool scaleD, MemorySpace &shared,
             std::span<uint32_t> accumulators);

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_UNITS_WGMMA_H
