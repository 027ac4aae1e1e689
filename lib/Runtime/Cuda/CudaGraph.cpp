//===- CudaGraph.cpp - Graphs and tensor maps -----------------------------===//

#include "../NoThrow.h"
#include "ProgramImpl.h"
#include "TensorMaps.h"

#include "tripy/Base/Text.h"

#include <algorithm>

using namespace tripy;
using namespace tripy::cuda;

KernelNodeParams CudaContext::nodeParams(ShapeState &state,
                                         const PlannedLaunch &planned) {
  const Launch &launch = program.launches[planned.launch];
  const Kernel &kernel = program.kernels[launch.kernel];
  KernelNodeParams params = {};
  params.function = owner.functions[launch.kernel];
  params.gridX = planned.grid[0];
  params.gridY = planned.grid[1];
  params.gridZ = planned.grid[2];
  params.blockX = kernel.block[0];
  params.blockY = kernel.block[1];
  params.blockZ = kernel.block[2];
  params.sharedBytes = kernel.scratchBytes;
  params.params = state.params.data() + planned.firstParam;
  return params;
}

Status CudaContext::addNode(ShapeState &state, size_t index) {
  PlannedLaunch &planned = state.launches[index];
  const Launch &launch = program.launches[planned.launch];
  const Kernel &kernel = program.kernels[launch.kernel];
  const DriverApi &api = device.api;
  KernelNodeParams params = nodeParams(state, planned);
  GraphNodeHandle previous = index ? state.launches[index - 1].node : nullptr;
  bool overlaps = index > 0 && launch.overlapsPredecessor;
  size_t dependencies = index > 0 && !overlaps ? 1 : 0;
  DriverResult result = api.graphAddKernelNode(
      &planned.node, state.graph, dependencies ? &previous : nullptr,
      dependencies, &params);
  if (result != DriverResult::Success)
    return launchFailure(result, "cuGraphAddKernelNode", planned.launch);
  if (kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2] > 1) {
    LaunchAttributeValue value = {};
    value.clusterDim = {kernel.cluster[0], kernel.cluster[1],
                        kernel.cluster[2]};
    result = api.graphKernelNodeSetAttribute(
        planned.node, LaunchAttributeId::ClusterDimension, &value);
    if (result != DriverResult::Success)
      return launchFailure(result, "cuGraphKernelNodeSetAttribute",
                           planned.launch);
  }
  if (!overlaps)
    return Status::ok();
  // The programmatic port of a kernel fires when all of its blocks have
  // triggered it.
  GraphEdgeData edge = {1, 0, 1, {}};
  result =
      api.graphAddDependencies(state.graph, &previous, &planned.node, &edge, 1);
  return result == DriverResult::Success
             ? Status()
             : launchFailure(result, "cuGraphAddDependencies", planned.launch);
}

Status CudaContext::buildGraph(ShapeState &state) {
  if (Status status = device.check(device.api.graphCreate(&state.graph, 0),
                                   "cuGraphCreate");
      !status.isOk()) {
    state.graph = nullptr;
    return status;
  }
  for (size_t i = 0; i < state.launches.size(); ++i)
    if (Status status = addNode(state, i); !status.isOk())
      return status;
  return instantiate(state);
}

Status CudaContext::instantiate(ShapeState &state) {
  Status status =
      device.check(device.api.graphInstantiate(&state.exec, state.graph, 0),
                   "cuGraphInstantiateWithFlags", Code::LaunchFailed);
  if (!status.isOk())
    state.exec = nullptr;
  return status;
}

Status CudaContext::captureOrBuild(ShapeState &state) {
  Status status = captureGraph(state);
  if (status.isOk() || status.code() == Code::HostOutOfMemory ||
      !device.alive().isOk())
    return status;
  drop(state);
  state.isCaptured = false;
  for (PlannedLaunch &planned : state.launches)
    if (planned.product) {
      owner.libraries->refuse(planned.launch, status.message());
      planned.product = nullptr;
    }
  status = buildGraph(state);
  if (!status.isOk())
    drop(state);
  return status;
}

/// Only the library knows what it launches: its work is captured from a stream.
Status CudaContext::captureGraph(ShapeState &state) {
  const DriverApi &api = device.api;
  StreamHandle stream = nullptr;
  if (Status status = device.check(api.streamCreate(&stream, streamNonBlocking),
                                   "cuStreamCreate");
      !status.isOk())
    return status;
  // Reporting a failure may itself run out of memory.
  Status status = runtime::withoutExceptions(
      "to capture a graph", [&] { return captureLaunches(state, stream); });
  DriverResult destroyed = api.streamDestroy(stream);
  if (!status.isOk())
    return status;
  if (Status failed = device.check(destroyed, "cuStreamDestroy");
      !failed.isOk())
    return failed;
  return instantiate(state);
}

Status CudaContext::captureLaunches(ShapeState &state, StreamHandle stream) {
  const DriverApi &api = device.api;
  // What an attempt that ran out of memory has left behind.
  drop(state);
  if (Status status =
          device.check(api.streamBeginCapture(stream, captureRelaxed),
                       "cuStreamBeginCapture");
      !status.isOk())
    return status;
  Status status =
      runtime::withoutExceptions("to capture a graph", [&]() -> Status {
        for (size_t i = 0; i < state.launches.size(); ++i)
          if (Status launched = launchOne(state, i, stream); !launched.isOk())
            return launched;
        return Status::ok();
      });
  // The capture ends whatever happened in it.
  DriverResult result = api.streamEndCapture(stream, &state.graph);
  if (result != DriverResult::Success)
    state.graph = nullptr;
  if (!status.isOk())
    return status;
  return device.check(result, "cuStreamEndCapture", Code::LaunchFailed);
}

Status CudaContext::encode(const TensorMap &map, const Arguments &arguments,
                           TensorMapValue &value, const Kernel &kernel) {
  auto fail = [&](std::string_view what) {
    return Status(
        Code::LaunchFailed,
        concat("kernel '", printable(kernel.symbol), "': tensor map: ", what));
  };
  size_t rank = map.dims.size();
  if (rank > maxTensorMapRank || map.strides.size() + 1 != rank)
    return fail(badTensorMap);
  uint64_t dims[maxTensorMapRank], strides[maxTensorMapRank];
  for (size_t i = 0; i < rank; ++i)
    dims[i] = static_cast<uint64_t>(arguments.sizes[map.dims[i]]);
  for (size_t i = 0; i + 1 < rank; ++i)
    strides[i] = static_cast<uint64_t>(arguments.sizes[map.strides[i]]);
  const char *text = nullptr;
  DriverResult result = encodeTensorMap(
      device.api,
      {map.dtype,
       map.swizzle,
       reinterpret_cast<DevicePointer>(arguments.buffers[map.buffer]),
       {dims, rank},
       {strides, rank - 1},
       map.box},
      value, text);
  if (text)
    return fail(text);
  return device.check(result, "cuTensorMapEncodeTiled", Code::LaunchFailed);
}
