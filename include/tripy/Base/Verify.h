//===- Verify.h - The rules of a Program ------------------------*- C++ -*-===//
//
// Checks everything about a Program that can be decided without a device, for
// all sizes that its profile allows. Nothing that runs a program looks at it
// before. Base only; the compiler uses it on what it produces as well.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_VERIFY_H
#define TRIPY_BASE_VERIFY_H

#include "tripy/Base/Program.h"
#include "tripy/Base/Status.h"
#include "tripy/Base/Text.h"

#include <optional>
#include <span>

namespace tripy {

/// Bounds on what a program may ask for.
struct ProgramLimits {
  uint32_t tensors = 65536; ///< inputs, outputs, buffers, maps, products: each
  uint32_t symbols = 65536;
  uint32_t kernels = 65536;
  uint32_t images = 64;
  uint32_t launches = 1000000;
  uint32_t exprs = 1000000;
  uint32_t checks = 65536;
  uint32_t whys = 1000000;
  uint32_t frames = 1000000;
  uint32_t whyLines = 256;  ///< of one why
  uint32_t workSizes = 64;  ///< of one term
  uint32_t arguments = 512; ///< of one kernel
  uint32_t rank = 8;
  uint32_t nameBytes = maxNameBytes; ///< names, symbols, architectures
  uint32_t textBytes = 4096;         ///< messages, reasons, file names
  uint64_t arenaBytes = uint64_t(1) << 40;
  uint32_t hostScratchBytes = uint32_t(64) << 20;
  uint32_t sharedBytes = 232448; ///< dynamic shared memory of a CUDA block
};

/// Largest value of a dimension's max.
inline constexpr int64_t maxDimension = (int64_t(1) << 40) - 1;

/// Ok, or the first rule broken: Malformed or LimitExceeded, with what was
/// found. `constantBytes` is the size of the constants when
/// `program.constants` does not hold them.
Status verifyProgram(const Program &program, const ProgramLimits &limits = {},
                     std::optional<uint64_t> constantBytes = std::nullopt);

/// Bytes of an input or output at the given expression values; the verifier
/// has shown that this cannot overflow.
uint64_t tensorBytes(DType dtype, std::span<const TableIndex> dims,
                     std::span<const int64_t> sizes);

/// The part of the rules that depends on run-time sizes: no launch touches
/// more of an input or output than it has. `sizes` holds the value of each
/// expression of a verified program. Errors: Malformed, naming the launch.
Status checkAccesses(const Program &program, std::span<const int64_t> sizes);

} // namespace tripy

#endif // TRIPY_BASE_VERIFY_H
