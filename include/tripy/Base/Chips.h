//===- Chips.h - The NVIDIA GPUs that code is made for ----------*- C++ -*-===//
//
// One table of architectures: what their assembler needs, what a launch may
// use, and what the fusion pass takes for granted. Layer base.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_CHIPS_H
#define TRIPY_BASE_CHIPS_H

#include "tripy/Base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tripy {

struct Chip {
  /// "sm_90a".
  std::string_view name;
  /// The oldest version of PTX that has all its instructions, times ten: 84.
  uint32_t ptx;
  /// Shared memory that a block may use, static and dynamic, in KiB.
  uint32_t blockSharedKiB;
  /// Blocks that a cluster may have; 1: there are no clusters.
  uint32_t clusterBlocks;
  /// Multiprocessors of the largest card.
  uint32_t multiprocessors;
  /// Shared memory that the blocks of a multiprocessor divide, in KiB.
  uint32_t sharedKiB;
  /// Multiply-adds of 16-bit numbers into f32 that the tensor cores of a
  /// multiprocessor make in a cycle with mma.sync.
  uint32_t products;
  /// The same with the fastest instruction there is, and of f32 on the CUDA
  /// cores; 0: unknown. What a card can do is measured by them.
  uint32_t peakProducts, peakFMA;

  /// The version of PTX as a feature of LLVM's target: "+ptx84".
  std::string ptxFeature() const { return "+ptx" + std::to_string(ptx); }
};

/// The chip of this name, or null.
const Chip *findChip(std::string_view name);

/// The same. Errors: InvalidArgument, with what is known.
Result<const Chip *> getChip(std::string_view name);

} // namespace tripy

#endif // TRIPY_BASE_CHIPS_H
