//===- Launch.cpp - Launches of the emulator ------------------------------===//

#include "Driver.h"

#include "tripy/Base/Text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::emulatordriver;

DriverResult emulatordriver::packParams(KernelLaunch &launch, void **params) {
  const emulator::Function &code = *launch.function->code;
  launch.params.assign(code.parameterBytes, 0);
  for (size_t i = 0; i < code.parameters.size(); ++i) {
    if (!params || !params[i])
      return DriverResult::InvalidValue;
    std::memcpy(launch.params.data() + code.parameters[i].offset, params[i],
                code.parameters[i].bytes);
  }
  return DriverResult::Success;
}

//===-- checks ------------------------------------------------------------===//

namespace {
struct Refusal {
  DriverResult result = DriverResult::Success;
  std::string text = {};
};
} // namespace

static std::string sizesText(const std::array<uint32_t, 3> &sizes) {
  return concat(sizes[0], " x ", sizes[1], " x ", sizes[2]);
}

static uint64_t product(const std::array<uint32_t, 3> &sizes) {
  return uint64_t(sizes[0]) * sizes[1] * sizes[2];
}

static Refusal checkSizes(const KernelLaunch &launch) {
  constexpr std::array<uint32_t, 3> gridLimits = {maxGridX, maxGridYZ,
                                                  maxGridYZ},
                                    blockLimits = {maxBlockXY, maxBlockXY,
                                                   maxBlockZ};
  const auto &[grid, block, cluster, shared] = launch.shape;
  for (size_t i = 0; i < 3; ++i)
    if (grid[i] == 0 || grid[i] > gridLimits[i] || block[i] == 0 ||
        block[i] > blockLimits[i])
      return {DriverResult::InvalidValue,
              concat("a grid of ", sizesText(grid), " blocks of ",
                     sizesText(block), " threads")};
  if (product(block) > maxThreadsPerBlock)
    return {DriverResult::InvalidValue,
            concat("blocks of ", sizesText(block), " threads")};
  if (product(block) > launch.function->code->maxThreads)
    return {DriverResult::LaunchOutOfResources,
            concat("blocks of ", sizesText(block), " threads, the kernel has ",
                   launch.function->code->maxThreads, " at most")};
  if (shared > launch.function->maxDynamicShared)
    return {DriverResult::InvalidValue,
            concat(shared, " bytes of dynamic shared memory, ",
                   launch.function->maxDynamicShared, " are allowed")};
  return {};
}

static Refusal checkCluster(const Driver &driver, const KernelLaunch &launch) {
  const auto &[grid, block, cluster, shared] = launch.shape;
  uint64_t blocks = product(cluster);
  if (blocks <= 1)
    return {};
  int largest = driver.machine.architecture->largestCluster;
  if (largest == 0)
    return {notSupported, "clusters of blocks, which the device lacks"};
  int maximum = launch.function->nonPortableCluster ? largest : portableCluster;
  if (blocks > static_cast<uint64_t>(maximum))
    return {invalidClusterSize, concat("clusters of ", sizesText(cluster),
                                       " blocks, ", maximum, " are allowed")};
  for (size_t i = 0; i < 3; ++i)
    if (grid[i] % cluster[i] != 0)
      return {invalidClusterSize,
              concat("a grid of ", sizesText(grid), " in clusters of ",
                     sizesText(cluster), " blocks")};
  return {};
}

DriverResult emulatordriver::checkLaunch(Driver &driver,
                                         const KernelLaunch &launch) {
  Refusal refusal = checkSizes(launch);
  if (refusal.result == DriverResult::Success)
    refusal = checkCluster(driver, launch);
  if (refusal.result != DriverResult::Success)
    driver.report(concat("kernel '", launch.function->code->name,
                         "' cannot be launched with ", refusal.text));
  return refusal.result;
}

//===-- execution ---------------------------------------------------------===//

/// What NVIDIA's driver returns for a kernel that ends in `status`. The
/// emulator tells by words which accesses have an address that no GPU accepts.
static DriverResult resultOf(const Status &status) {
  auto says = [&](std::string_view text) {
    return status.message().find(text) != std::string::npos;
  };
  if (status.code() == Code::LimitExceeded)
    return DriverResult::LaunchTimeout;
  if (status.code() == Code::Unsupported)
    return DriverResult::IllegalInstruction;
  if (says("which is not a multiple of"))
    return DriverResult::MisalignedAddress;
  // A GPU does not see races, nor who wrote what.
  if (says("memory at 0x") && !says("race: ") && !says("was never written"))
    return DriverResult::IllegalAddress;
  return DriverResult::LaunchFailed;
}

Status Driver::run(size_t number) {
  const KernelLaunch &launch = chain[number];
  const emulator::Function &code = *launch.function->code;
  emulator::LaunchOptions options = machine.launch;
  if (number > 0)
    options.predecessors = [&] { return run(number - 1); };
  emulator::LaunchStatistics statistics;
  Status status = emulator::launch(code, launch.shape, launch.params, *memory,
                                   options, &statistics);
  if (machine.statistics)
    std::fprintf(stderr, "%s: %s, grid %s, block %s: %llu warp instructions\n",
                 deviceName, code.name.c_str(),
                 sizesText(launch.shape.grid).c_str(),
                 sizesText(launch.shape.block).c_str(),
                 static_cast<unsigned long long>(statistics.warpInstructions));
  return status;
}

void Driver::flush() {
  if (chain.empty())
    return;
  Status status = run(chain.size() - 1);
  chain.clear();
  if (status.isOk())
    return;
  stuck = resultOf(status);
  report(status.message());
}

void Driver::submit(const KernelLaunch &launch) {
  // Each kernel of a chain is in the middle of its run: there is an end.
  constexpr size_t longestChain = 8;
  if (!launch.overlaps || !machine.overlap || chain.size() == longestChain)
    flush();
  // Behind a launch that went wrong nothing runs.
  if (stuck == DriverResult::Success)
    chain.push_back(launch);
}

void Driver::submit(const HostFunction &function) {
  flush();
  if (stuck == DriverResult::Success)
    function.call(function.data);
}

static std::array<uint32_t, 3> clusterOf(const LaunchAttributeValue &value) {
  return {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
}

TRIPY_DRIVER_CALL cuLaunchKernelEx(const LaunchConfig *config,
                                   FunctionHandle function, void **params,
                                   void **extra) {
  Call call(Call::Submits);
  if (!call)
    return call.refusal();
  if (!config || !call->hasFunction(function) ||
      !call->hasStream(config->stream))
    return invalidHandle;
  // Parameters as one buffer.
  if (extra)
    return notSupported;
  KernelLaunch launch;
  launch.function = function;
  launch.shape = {{config->gridX, config->gridY, config->gridZ},
                  {config->blockX, config->blockY, config->blockZ},
                  {0, 0, 0},
                  config->sharedBytes};
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const LaunchAttribute &attribute = config->attributes[i];
    switch (attribute.id) {
    case LaunchAttributeId::ClusterDimension:
      launch.shape.cluster = clusterOf(attribute.value);
      break;
    case LaunchAttributeId::ProgrammaticStreamSerialization:
      launch.overlaps =
          attribute.value.programmaticStreamSerializationAllowed != 0;
      break;
    default:
      return notSupported;
    }
  }
  if (DriverResult result = packParams(launch, params);
      result != DriverResult::Success)
    return result;
  DriverResult result = checkLaunch(*call, launch);
  if (result != DriverResult::Success)
    return result;
  if (OpaqueGraph *capture = call->captureOf(config->stream))
    record(*capture, launch.overlaps).launch = std::move(launch);
  else
    call->submit(launch);
  return result;
}
