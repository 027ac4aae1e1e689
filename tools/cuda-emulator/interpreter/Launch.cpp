//===- Launch.cpp - Checks a launch and starts it ---------------*- C++ -*-===//
#include "Machine.h"
#include "Races.h"

#include "tripy/Base/Text.h"

namespace tripy::emulator {

namespace {
Status refuse(const Function &function, std::string_view why) {
  return Status(Code::InvalidArgument,
                concat("kernel '", function.name, "': ", why));
}

Status checkCluster(const Function &function, const LaunchShape &shape,
                    Launch &launch) {
  bool given = shape.cluster != std::array<uint32_t, 3>{0, 0, 0};
  bool required = function.requiredCluster != std::array<uint32_t, 3>{0, 0, 0};
  if (given && required && shape.cluster != function.requiredCluster)
    return refuse(function, "the cluster is not the one the kernel requires");
  if (function.explicitCluster && !given && !required)
    return refuse(function, "must be launched with a cluster");
  if (given)
    launch.cluster = shape.cluster;
  else if (required)
    launch.cluster = function.requiredCluster;
  launch.explicitCluster = given || required;
  uint64_t blocks = 1;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    uint32_t size = launch.cluster[axis];
    if (size == 0 || shape.grid[axis] % size)
      return refuse(function, concat("a grid of ", shape.grid[axis],
                                     " blocks is not a multiple of ", size,
                                     " blocks of a cluster"));
    blocks *= size;
  }
  if (blocks > 16)
    return refuse(function,
                  concat("a cluster of ", blocks, " blocks; 16 are possible"));
  return Status::ok();
}

Status checkShape(const Function &function, const LaunchShape &shape,
                  const LaunchOptions &options, Launch &launch) {
  uint64_t threads = 1, blocks = 1;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    threads *= shape.block[axis];
    blocks *= shape.grid[axis];
    if (shape.block[axis] > 1024 || (axis && shape.grid[axis] > 65535) ||
        shape.grid[axis] > 0x7FFFFFFF)
      return refuse(function, "the grid or block is too large");
  }
  if (!threads || !blocks)
    return refuse(function, "an empty grid or block");
  if (threads > function.maxThreads || threads > 1024)
    return refuse(function, concat(threads, " threads in a block; ",
                                   std::min(1024u, function.maxThreads),
                                   " are possible"));
  if (function.requiredBlock[0] && shape.block != function.requiredBlock)
    return refuse(function, "the block is not the one the kernel requires");
  uint64_t shared =
      uint64_t(launch.body.dynamicBase) - sharedStart + shape.sharedBytes;
  if (shared > options.sharedLimit)
    return refuse(function, concat(shared, " bytes of shared memory; ",
                                   options.sharedLimit, " are possible"));
  launch.threads = threads;
  launch.warps = (threads + 31) / 32;
  return checkCluster(function, shape, launch);
}
} // namespace

Status awaitPredecessors(Launch &launch) {
  if (launch.predecessorsDone || !launch.options.predecessors)
    return Status::ok();
  launch.predecessorsDone = true;
  return launch.options.predecessors();
}

Status launch(const Function &function, const LaunchShape &shape,
              std::span<const uint8_t> parameters, Memory &memory,
              const LaunchOptions &options, LaunchStatistics *statistics) {
  Launch state{function, *function.body, shape, options, memory};
  Status status = checkShape(function, shape, options, state);
  if (!status.isOk())
    return status;
  if (parameters.size() != function.parameterBytes)
    return refuse(function, concat(parameters.size(),
                                   " bytes of parameters; the kernel has ",
                                   function.parameterBytes));
  // The strictest alignment of a parameter is that of a tensor map.
  constexpr uint64_t alignment = 128;
  state.parameters.assign(parameters.size() + alignment, 0);
  uint64_t base = reinterpret_cast<uint64_t>(state.parameters.data());
  state.parameterBase = reinterpret_cast<uint8_t *>((base + alignment - 1) /
                                                    alignment * alignment);
  if (!parameters.empty())
    std::memcpy(state.parameterBase, parameters.data(), parameters.size());
  status = runGrid(state);
  if (status.isOk())
    status = awaitPredecessors(state);
  if (statistics)
    *statistics = state.statistics;
  return status;
}

} // namespace tripy::emulator
