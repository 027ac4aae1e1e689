//===- Machine.h - The GPU that the emulator stands for ---------*- C++ -*-===//
//
// Architectures with their limits, and what the environment asks for:
//
//   TRIPY_EMULATOR_ARCH=80       compute capability 8.0 instead of 9.0
//   TRIPY_EMULATOR_OPTIONS=WORD,...
//     no-races           do not look for races on shared memory
//     no-uninitialized   let kernels read shared memory that nobody wrote
//     early-async        asynchronous copies arrive at once, not late
//     interleave         blocks run side by side, in random order
//     no-overlap         a launch never begins before the one in front ended
//     statistics         print each launch with its instructions
//     budget=N           instructions of a warp that one launch may execute
//
// For the emulator's driver.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_CUDAEMULATOR_MACHINE_H
#define TRIPY_TOOLS_CUDAEMULATOR_MACHINE_H

#include "../interpreter/Emulator.h"
#include "tripy/Base/Status.h"

#include <optional>

namespace tripy::emulatordriver {

/// What differs between architectures. Sizes in bytes.
struct Architecture {
  /// 90 is compute capability 9.0.
  int number;
  int multiprocessors;
  int sharedPerBlock, sharedPerMultiprocessor;
  int threadsPerMultiprocessor, blocksPerMultiprocessor;
  int l2Bytes;
  int clockKHz, memoryClockKHz, memoryBits;
  /// Blocks of a cluster, on request; 0: there are no clusters.
  int largestCluster;
};

struct Machine {
  const Architecture *architecture = nullptr;
  emulator::LaunchOptions launch;
  bool overlap = true, statistics = false;

  /// Reads the environment. InvalidArgument names the word that is unknown.
  static Result<Machine> fromEnvironment();

  /// The value of a CUdevice_attribute; none for one that is not known.
  std::optional<int> attribute(int id) const;

  /// True when PTX for `target` ("sm_90a") runs here.
  bool runs(std::string_view target) const;
};

inline constexpr int driverVersion = 13000;
inline constexpr const char *deviceName = "Tripy CUDA emulator";
/// Shared memory of a block without asking for more.
inline constexpr int defaultSharedPerBlock = 48 << 10;
inline constexpr uint32_t maxGridX = 0x7fffffff, maxGridYZ = 65535;
inline constexpr uint32_t maxBlockXY = 1024, maxBlockZ = 64,
                          maxThreadsPerBlock = 1024;
/// Blocks of a cluster on every GPU that has clusters.
inline constexpr int portableCluster = 8;

} // namespace tripy::emulatordriver

#endif // TRIPY_TOOLS_CUDAEMULATOR_MACHINE_H
