//===- CudaChip.h - What code generation knows of GPUs ----------*- C++ -*-===//
//
// The facts that decide which kernels are planned and how they are cut. What a
// GPU refuses to launch is in lib/Target/Chips.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_CUDACHIP_H
#define TRIPY_CODEGEN_CUDACHIP_H

#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace tripy::codegen {

struct CudaChip {
  /// Compute capability times 10.
  int version = 0;
  /// It is an "a" architecture: instructions that no later one has.
  bool isSpecific = false;
  /// Multiprocessors that tiles are spread over: those of the largest card.
  int64_t multiprocessors = 132;
  /// Bytes of shared memory that the blocks of a multiprocessor divide.
  int64_t sharedBytes = 228 * 1024;
  /// Multiply-adds of 16-bit numbers into f32 that the tensor cores of a
  /// multiprocessor make in a cycle with mma.sync.
  int64_t products = 1024;

  /// "sm_90a" and the like.
  static CudaChip of(llvm::StringRef name) {
    CudaChip chip;
    name.consume_front("sm_");
    chip.isSpecific = name.consume_back("a");
    name.getAsInteger(10, chip.version);
    // A100 and Orin; A40, L40; RTX 5090. The others are as an H100.
    if (chip.version == 80 || chip.version == 87) {
      chip.multiprocessors = 108;
      chip.sharedBytes = 164 * 1024;
    } else if (chip.version == 86 || chip.version == 89 ||
               chip.version == 120) {
      chip.multiprocessors = chip.version == 86 ? 84 : 142;
      chip.sharedBytes = 100 * 1024;
      chip.products = 512;
    }
    return chip;
  }

  /// Blocks of `threads` threads that a multiprocessor has room for at most:
  /// registers and shared memory may leave room for fewer.
  int64_t mostResident(int64_t threads) const {
    return std::clamp<int64_t>(2048 / threads, 1, 32);
  }

  /// Blocks form clusters, and kernels may start early.
  bool hasClusters() const { return version >= 90; }
  /// TMA and matrix instructions of warp groups, as sm_90a has them.
  bool hasWgmma() const { return version == 90 && isSpecific; }
  /// Matrix instructions of warps, with copies past the registers.
  bool hasMma() const { return version >= 80; }
  bool hasMmaOfF8() const { return version >= 89; }
};

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_CUDACHIP_H
