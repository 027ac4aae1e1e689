//===- Chips.h - What GPUs can launch ---------------------------*- C++ -*-===//
//
// Private to lib/Target. Compares kernels with the limits of their chip, so
// that what cannot be launched is refused when it is compiled.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_TARGET_CHIPS_H
#define TRIPY_LIB_TARGET_CHIPS_H

#include "tripy/Target/NVVM.h"

#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <span>

namespace tripy::target {

/// What the assembler made of a kernel.
struct KernelUse {
  /// Of a thread; 0 when unknown.
  uint64_t registers = 0;
  /// Static shared memory of a block.
  uint64_t sharedBytes = 0;
  /// Stack and spilled registers of a thread.
  uint64_t localBytes = 0;
};

/// Reads registers and local memory from what nvJitLink or ptxas said, of which
/// the last word counts, and shared memory from the machine code. Kernels of
/// which nothing is said are missing.
llvm::StringMap<KernelUse>
readKernelUses(llvm::StringRef log,
               std::span<const std::vector<uint8_t>> cubins,
               const CudaTarget &target);

/// The rules on threads, clusters and dynamic shared memory. Reports a broken
/// one at `loc`, naming the kernel, what it needs and the limit.
mlir::LogicalResult checkShape(mlir::Location loc, llvm::StringRef kernel,
                               const LaunchShape &shape,
                               const CudaTarget &target);

/// The rules on registers, local memory and all shared memory.
mlir::LogicalResult checkUse(mlir::Location loc, llvm::StringRef kernel,
                             const LaunchShape &shape, const KernelUse &use,
                             const CudaTarget &target);

/// Most blocks of a grid in x, y and z.
inline constexpr int64_t maxGrid[] = {0x7fffffff, 65535, 65535};

/// Most elements of a dimension that a tensor map describes: coordinates are
/// signed numbers of 32 bits.
inline constexpr int64_t maxTensorMapSize = 0x7fffffff;

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_CHIPS_H
