//===- Graphs.cpp - Graphs and tensor maps of the emulator ----------------===//

#include "Driver.h"

#include "../interpreter/Units/TensorMap.h"

#include <algorithm>
#include <cstring>

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::emulatordriver;

//===-- graphs ------------------------------------------------------------===//

TRIPY_DRIVER_CALL cuGraphCreate(GraphHandle *graph, unsigned flags) {
  Call call;
  if (!call)
    return call.refusal();
  if (!graph || flags != 0)
    return DriverResult::InvalidValue;
  *graph = call->graphs.add(std::make_unique<OpaqueGraph>());
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuGraphDestroy(GraphHandle graph) {
  Call call;
  if (!call)
    return call.refusal();
  return call->graphs.remove(graph) ? DriverResult::Success : invalidHandle;
}

static bool holds(const OpaqueGraph &graph, GraphNodeHandle node) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const auto &own) { return own.get() == node; });
}

static DriverResult fill(Driver &driver, KernelLaunch &launch,
                         const KernelNodeParams &params) {
  if (!driver.hasFunction(params.function))
    return invalidHandle;
  if (params.extra)
    return notSupported;
  launch.function = params.function;
  launch.shape.grid = {params.gridX, params.gridY, params.gridZ};
  launch.shape.block = {params.blockX, params.blockY, params.blockZ};
  launch.shape.sharedBytes = params.sharedBytes;
  return packParams(launch, params.params);
}

// NOLINTNEXTLINE(readability-identifier-naming): the driver's name.
TRIPY_DRIVER_CALL cuGraphAddKernelNode_v2(GraphNodeHandle *node,
                                          GraphHandle graph,
                                          const GraphNodeHandle *dependencies,
                                          size_t count,
                                          const KernelNodeParams *params) {
  Call call;
  if (!call)
    return call.refusal();
  if (!node || !params || !call->graphs.has(graph))
    return DriverResult::InvalidValue;
  auto made = std::make_unique<OpaqueGraphNode>();
  for (size_t i = 0; i < count; ++i)
    if (!holds(*graph, dependencies[i]) ||
        !made->predecessors.emplace(dependencies[i], false).second)
      return DriverResult::InvalidValue;
  if (DriverResult result = fill(*call, made->launch, *params);
      result != DriverResult::Success)
    return result;
  *node = made.get();
  graph->nodes.push_back(std::move(made));
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL
cuGraphKernelNodeSetAttribute(GraphNodeHandle node, LaunchAttributeId id,
                              const LaunchAttributeValue *value) {
  Call call;
  if (!call)
    return call.refusal();
  bool known = false;
  for (const auto &[handle, graph] : call->graphs)
    known |= holds(*graph, node);
  if (!known || !value)
    return DriverResult::InvalidValue;
  switch (id) {
  case LaunchAttributeId::ClusterDimension:
    node->launch.shape.cluster = {value->clusterDim.x, value->clusterDim.y,
                                  value->clusterDim.z};
    return DriverResult::Success;
  case LaunchAttributeId::ProgrammaticStreamSerialization:
    return DriverResult::Success;
  }
  return notSupported;
}

// NOLINTNEXTLINE(readability-identifier-naming): the driver's name.
TRIPY_DRIVER_CALL cuGraphAddDependencies_v2(GraphHandle graph,
                                            const GraphNodeHandle *from,
                                            const GraphNodeHandle *to,
                                            const GraphEdgeData *edges,
                                            size_t count) {
  Call call;
  if (!call)
    return call.refusal();
  if (!call->graphs.has(graph))
    return DriverResult::InvalidValue;
  for (size_t i = 0; i < count; ++i) {
    // A programmatic edge lets the later kernel begin early.
    bool plain = !edges || (edges[i].fromPort == 0 && edges[i].type == 0);
    bool programmatic = edges && edges[i].fromPort <= 2 && edges[i].type == 1;
    if (!holds(*graph, from[i]) || !holds(*graph, to[i]) || from[i] == to[i] ||
        !(plain || programmatic) || (edges && edges[i].toPort != 0))
      return DriverResult::InvalidValue;
    if (!to[i]->predecessors.emplace(from[i], !plain).second)
      return DriverResult::InvalidValue;
  }
  return DriverResult::Success;
}

//===-- executable graphs -------------------------------------------------===//

/// The nodes so that each stands behind its predecessors. Fewer for a cycle.
static std::vector<OpaqueGraphNode *> order(const OpaqueGraph &graph) {
  std::vector<OpaqueGraphNode *> waiting, ordered;
  for (const auto &node : graph.nodes)
    waiting.push_back(node.get());
  std::set<OpaqueGraphNode *> done;
  auto isReady = [&](OpaqueGraphNode *node) {
    return std::all_of(node->predecessors.begin(), node->predecessors.end(),
                       [&](auto &edge) { return done.count(edge.first); });
  };
  while (!waiting.empty()) {
    auto next = std::find_if(waiting.begin(), waiting.end(), isReady);
    if (next == waiting.end())
      break;
    done.insert(*next);
    ordered.push_back(*next);
    waiting.erase(next);
  }
  return ordered;
}

TRIPY_DRIVER_CALL cuGraphInstantiateWithFlags(GraphExecHandle *exec,
                                              GraphHandle graph,
                                              unsigned long long flags) {
  Call call;
  if (!call)
    return call.refusal();
  if (!exec || !call->graphs.has(graph))
    return DriverResult::InvalidValue;
  if (flags != 0)
    return notSupported;
  std::vector<OpaqueGraphNode *> nodes = order(*graph);
  if (nodes.size() != graph->nodes.size())
    return DriverResult::InvalidValue;
  auto made = std::make_unique<OpaqueGraphExec>();
  for (OpaqueGraphNode *node : nodes) {
    if (!node->host.call)
      if (DriverResult result = checkLaunch(*call, node->launch);
          result != DriverResult::Success)
        return result;
    made->steps.push_back({node, node->launch, node->host});
    // Alone behind the node in front of it, and that early.
    made->steps.back().launch.overlaps =
        made->steps.size() > 1 && node->predecessors.size() == 1 &&
        node->predecessors.begin()->first == made->steps.end()[-2].node &&
        node->predecessors.begin()->second;
  }
  *exec = call->execs.add(std::move(made));
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuGraphExecDestroy(GraphExecHandle exec) {
  Call call;
  if (!call)
    return call.refusal();
  return call->execs.remove(exec) ? DriverResult::Success : invalidHandle;
}

TRIPY_DRIVER_CALL
// NOLINTNEXTLINE(readability-identifier-naming): the driver's name.
cuGraphExecKernelNodeSetParams_v2(GraphExecHandle exec, GraphNodeHandle node,
                                  const KernelNodeParams *params) {
  Call call;
  if (!call)
    return call.refusal();
  if (!call->execs.has(exec) || !params)
    return DriverResult::InvalidValue;
  for (OpaqueGraphExec::Step &step : exec->steps) {
    if (step.node != node || step.host.call)
      continue;
    KernelLaunch changed = step.launch;
    if (DriverResult result = fill(*call, changed, *params);
        result != DriverResult::Success)
      return result;
    if (DriverResult result = checkLaunch(*call, changed);
        result != DriverResult::Success)
      return result;
    step.launch = std::move(changed);
    return DriverResult::Success;
  }
  return DriverResult::InvalidValue;
}

TRIPY_DRIVER_CALL cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  Call call(Call::Submits);
  if (!call)
    return call.refusal();
  if (!call->execs.has(exec))
    return invalidHandle;
  if (DriverResult result = call->checkStream(stream);
      result != DriverResult::Success)
    return result;
  for (const OpaqueGraphExec::Step &step : exec->steps) {
    if (step.host.call) {
      call->submit(step.host);
      continue;
    }
    // The module may have been unloaded meanwhile.
    if (!call->hasFunction(step.launch.function))
      return invalidHandle;
    call->submit(step.launch);
  }
  return DriverResult::Success;
}

//===-- tensor maps -------------------------------------------------------===//

TRIPY_DRIVER_CALL
cuTensorMapEncodeTiled(cuda::TensorMapValue *map, int dataType, uint32_t rank,
                       void *address, const uint64_t *dims,
                       const uint64_t *strides, const uint32_t *box,
                       const uint32_t *elementStrides, int interleave,
                       int swizzle, int l2Promotion, int outOfBoundsFill) {
  Call call(Call::NeedsDriver);
  if (!call)
    return call.refusal();
  if (call->machine.architecture->largestCluster == 0)
    return notSupported;
  constexpr uintptr_t alignment = 64;
  if (!map || reinterpret_cast<uintptr_t>(map) % alignment != 0)
    return DriverResult::InvalidValue;
  emulator::TensorMapValue value;
  Status status = emulator::encodeTensorMap(
      {dataType, rank, reinterpret_cast<uint64_t>(address), dims, strides, box,
       elementStrides, interleave, swizzle, l2Promotion, outOfBoundsFill},
      value);
  if (!status.isOk()) {
    call->report(status.message());
    return status.code() == Code::Unsupported ? notSupported
                                              : DriverResult::InvalidValue;
  }
  static_assert(sizeof(value.bytes) == sizeof(*map));
  std::memcpy(map, value.bytes.data(), sizeof(*map));
  return DriverResult::Success;
}
