//===- Mma.h - Matrix instructions of a warp --------------------*- C++ -*-===//
//
// mma.sync.aligned.m16n8kK.row.col, ldmatrix and stmatrix for all 32 lanes of
// a warp.
//
// Registers are passed lane by lane: register i of lane t is element
// t * count + i of the span.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_UNITS_MMA_H
#define TRIPY_LIB_EMULATOR_UNITS_MMA_H

#include "MatrixTypes.h"
#include "MemorySpace.h"

#include <span>

namespace tripy::emulator {

/// m16n8kK: K 8 or 16 (F16, BF16), 4 or 8 (TF32), 16 or 32 (8-bit types).
struct MmaShape {
  uint32_t k = 16;
  /// The same, except that E4M3 and E5M2 may be mixed.
  MatrixType a = MatrixType::F16, b = MatrixType::F16;
  AccumulatorType accumulator = AccumulatorType::F32;
  /// .satfinite of S32: clamps instead of wrapping around.
  bool saturate = false;

  /// 32-bit registers of one lane.
  uint32_t registersA() const { return 16 * k * bytesOf(a) / 128; }
  uint32_t registersB() const { return 8 * k * bytesOf(b) / 128; }
  uint32_t registersC() const {
    return accumulator == AccumulatorType::F16 ? 2 : 4;
  }
};

/// Whether the instruction exists: LaunchFailed with the rule when not.
Status checkMma(const MmaShape &shape);

/// D = A * B + C; `d` may be `c`.
Status mma(const MmaShape &shape, std::span<const uint32_t> a,
           std::span<const uint32_t> b, std::span<const uint32_t> c,
           std::span<uint32_t> d);

/// ldmatrix.m8n8.x`count`(.trans).b16: `count` is 1, 2 or 4. `addresses`: 32,
/// of which the first 8 * count are the rows, each a multiple of 16.
/// `registers`: 32 * count.
Status ldmatrix(uint32_t count, bool transposed,
                std::span<const uint64_t> addresses, MemorySpace &shared,
                std::span<uint32_t> registers);
/// stmatrix.m8n8.x`count`(.trans).b16, likewise.
Status stmatrix(uint32_t count, bool transposed,
                std::span<const uint64_t> addresses,
                std::span<const uint32_t> registers, MemorySpace &shared);

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_UNITS_MMA_H
