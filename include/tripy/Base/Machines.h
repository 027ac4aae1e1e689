//===- Machines.h - The NVIDIA GPUs that code is made for -------*- C++ -*-===//
//
// What their assembler needs, what a launch may use, and what models of costs
// take for granted: the constants of Machines.td. Layer base.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_MACHINES_H
#define TRIPY_BASE_MACHINES_H

#include "tripy/Base/Status.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tripy {

/// An architecture. Constants that it does not have are 1.
struct Machine {
  /// "sm_90a".
  std::string_view name = {};
  /// Compute capability times 10.
  int64_t version = 0;
  /// It is an "a" architecture: instructions that no later one has.
  bool isSpecific = false;

#define GET_MACHINE_MEMBERS
#include "tripy/Base/Machines.inc"

  /// The version of PTX as a feature of LLVM's target: "+ptx84".
  std::string ptxFeature() const { return "+ptx" + std::to_string(ptx); }

  /// Blocks of `threads` threads that a multiprocessor has room for at most:
  /// registers and shared memory may leave room for fewer.
  int64_t maxResident(int64_t threads) const {
    return std::clamp<int64_t>(residentThreads / threads, 1, residentBlocks);
  }
  /// Clusters of `blocks` blocks that run at the same time, one block on each
  /// multiprocessor.
  int64_t clustersAtOnce(int64_t blocks) const {
    return residentClusters[std::clamp<int64_t>(blocks, 1, 8) - 1];
  }

  /// Blocks form clusters, and kernels may start early.
  bool hasClusters() const { return version >= 90; }
  /// TMA and matrix instructions of warp groups, as sm_90a has them.
  bool hasWgmma() const { return version == 90 && isSpecific; }
  /// Matrix instructions of warps, with copies past the registers.
  bool hasMma() const { return version >= 80; }
  bool hasMmaOfF8() const { return version >= 89; }

  /// The one of this name; an unknown name is a machine without abilities.
  static const Machine &of(std::string_view name);
};

/// All of them, by version.
std::span<const Machine> allMachines();

/// The machine of this name, or null.
const Machine *findMachine(std::string_view name);

/// The same. Errors: InvalidArgument, with what is known.
Result<const Machine *> getMachine(std::string_view name);

} // namespace tripy

#endif // TRIPY_BASE_MACHINES_H
