//===- CudaGraph.cpp - Graphs and tensor maps -----------------------------===//

#include "../NoThrow.h"
#include "ProgramImpl.h"

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
  // The programmatic port of a kernel opens when all its blocks have said so.
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

/// What a library launches is known to nobody else: it is recorded on a stream.
Status CudaContext::captureGraph(ShapeState &state) {
  const DriverApi &api = device.api;
  StreamHandle stream = nullptr;
  if (Status status = device.check(api.streamCreate(&stream, streamNonBlocking),
                                   "cuStreamCreate");
      !status.isOk())
    return status;
  // Memory may run out in what reports a failure.
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
  // What an attempt has left that ran out of memory.
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

/// CUtensorMapDataType; -1 for a type that tensor maps lack. Bytes are copied
/// unseen, so that any type of the right width serves.
static int tensorMapType(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return 7;
  case DType::F16:
    return 6;
  case DType::BF16:
    return 9;
  case DType::F64:
    return 8;
  case DType::I32:
    return 3;
  case DType::I64:
    return 5;
  case DType::I16:
    return 1;
  case DType::Bool:
  case DType::I8:
  case DType::U8:
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return 0;
  }
  return -1;
}

/// CUtensorMapSwizzle; -1 for a width that does not exist.
static int swizzleMode(uint8_t bytes) {
  switch (bytes) {
  case 0:
    return 0;
  case 32:
    return 1;
  case 64:
    return 2;
  case 128:
    return 3;
  default:
    return -1;
  }
}

Status CudaContext::encode(const TensorMap &map, const Arguments &arguments,
                           TensorMapValue &value, const Kernel &kernel) {
  constexpr size_t maxMapRank = 5;
  auto fail = [&](std::string_view what) {
    return Status(
        Code::LaunchFailed,
        concat("kernel '", printable(kernel.symbol), "': tensor map: ", what));
  };
  size_t rank = map.dims.size();
  int type = tensorMapType(map.dtype), swizzle = swizzleMode(map.swizzle);
  if (rank == 0 || rank > maxMapRank || map.strides.size() + 1 != rank ||
      map.box.size() != rank || type < 0 || swizzle < 0)
    return fail("it has 1 to 5 dimensions, a box of as many, and a swizzle "
                "of 0, 32, 64 or 128 bytes");
  uint64_t dims[maxMapRank], strides[maxMapRank] = {};
  uint32_t steps[maxMapRank] = {1, 1, 1, 1, 1};
  bool empty = false;
  for (size_t i = 0; i < rank; ++i) {
    dims[i] = static_cast<uint64_t>(arguments.sizes[map.dims[i]]);
    empty |= dims[i] == 0;
    if (i > 0)
      strides[i - 1] =
          static_cast<uint64_t>(arguments.sizes[map.strides[i - 1]]);
  }
  value = {};
  // The driver has no maps of empty tensors; no kernel may use this one.
  if (empty)
    return Status::ok();
  constexpr int noInterleave = 0, promoteTo256Bytes = 3, fillWithZero = 0;
  DriverResult result = device.api.tensorMapEncodeTiled(
      &value, type, static_cast<uint32_t>(rank), arguments.buffers[map.buffer],
      dims, strides, map.box.data(), steps, noInterleave, swizzle,
      promoteTo256Bytes, fillWithZero);
  if (result == DriverResult::InvalidValue)
    return fail("the driver refuses its sizes, strides, box or alignment");
  return device.check(result, "cuTensorMapEncodeTiled", Code::LaunchFailed);
}
