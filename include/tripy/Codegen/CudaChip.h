//===- CudaChip.h - What code generation knows of GPUs ----------*- C++ -*-===//
//
// The facts that decide which kernels are chosen and how they are cut. They
// come from the table in lib/Base/Chips.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_CUDACHIP_H
#define TRIPY_CODEGEN_CUDACHIP_H

#include "tripy/Base/Chips.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace tripy::codegen {

struct CudaChip {
  /// Compute capability times 10.
  int version = 0;
  /// It is an "a" architecture: instructions that no later one has.
  bool isSpecific = false;
  /// Multiprocessors that tiles are spread over.
  int64_t multiprocessors = 1;
  /// Bytes of shared memory that the blocks of a multiprocessor divide.
  int64_t sharedBytes = 1;
  /// Multiply-adds of 16-bit numbers into f32 that the tensor cores of a
  /// multiprocessor make in a cycle with mma.sync.
  int64_t products = 1;
  /// The same with wgmma, where there is one.
  int64_t peakProducts = 1;

  /// "sm_90a" and the like; an unknown name is a chip without abilities.
  static CudaChip of(llvm::StringRef name) {
    CudaChip chip;
    const Chip *facts = findChip(name);
    if (!facts)
      return chip;
    chip.multiprocessors = facts->multiprocessors;
    chip.sharedBytes = int64_t(facts->sharedKiB) * 1024;
    chip.products = facts->products;
    chip.peakProducts = facts->peakProducts;
    name.consume_front("sm_");
    chip.isSpecific = name.consume_back("a");
    name.getAsInteger(10, chip.version);
    return chip;
  }

  /// Blocks of `threads` threads that a multiprocessor has room for at most:
  /// registers and shared memory may leave room for fewer.
  int64_t maxResident(int64_t threads) const {
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
