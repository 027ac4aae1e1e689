//===- CudaFakeGraph.cpp - Launches, graphs and tensor maps of the fake ---===//

#include "CudaFakeDriver.h"

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::cudatest;

namespace tripy::cudatest {

/// The functions of the table that launch.
struct FakeGraphCalls {
  using Lock = DriverLock;
  using Node = FakeDriver::Node;

  static void copyParams(const FakeKernel &kernel, void **params,
                         FakeLaunch &launch) {
    launch.params.clear();
    for (size_t i = 0; i < kernel.paramBytes.size(); ++i) {
      auto *from = static_cast<const uint8_t *>(params[i]);
      launch.params.emplace_back(from, from + kernel.paramBytes[i]);
    }
  }
  static DriverResult launchEx(const LaunchConfig *config,
                               FunctionHandle function, void **params,
                               void **) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuLaunchKernelEx");
    if (result != success)
      return result;
    if (!current->streams.count(config->stream) || !config->gridX ||
        !config->gridY || !config->gridZ)
      return invalidValue;
    FakeKernel &kernel = *kernelOf(function);
    FakeLaunch launch;
    launch.grid = {config->gridX, config->gridY, config->gridZ};
    launch.block = {config->blockX, config->blockY, config->blockZ};
    launch.sharedBytes = config->sharedBytes;
    for (unsigned i = 0; i < config->attributeCount; ++i) {
      const LaunchAttribute &attribute = config->attributes[i];
      if (attribute.id == LaunchAttributeId::ClusterDimension)
        launch.cluster = {attribute.value.clusterDim.x,
                          attribute.value.clusterDim.y,
                          attribute.value.clusterDim.z};
      else
        launch.overlaps =
            attribute.value.programmaticStreamSerializationAllowed;
    }
    copyParams(kernel, params, launch);
    auto capture = current->captures.find(config->stream);
    if (capture == current->captures.end())
      current->run(kernel, launch);
    else
      record(*capture->second, kernel, launch);
    return success;
  }
  static void record(FakeDriver::Graph &graph, FakeKernel &kernel,
                     FakeLaunch launch) {
    launch.inGraph = true;
    if (!graph.nodes.empty())
      launch.behind.push_back(graph.nodes.back()->kernel->name);
    auto made = std::make_unique<Node>(Node{&kernel, std::move(launch)});
    graph.nodes.push_back(made.get());
    current->nodes[made.get()] = std::move(made);
  }
  static DriverResult beginCapture(StreamHandle stream, int) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuStreamBeginCapture");
    if (result != success)
      return result;
    if (!current->streams.count(stream) || current->captures.count(stream))
      return invalidValue;
    auto made = std::make_unique<FakeDriver::Graph>();
    current->captures[stream] = made.get();
    current->graphs[made.get()] = std::move(made);
    return success;
  }
  static DriverResult endCapture(StreamHandle stream, GraphHandle *graph) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuStreamEndCapture");
    auto capture = current->captures.find(stream);
    if (capture == current->captures.end())
      return result != success ? result : invalidValue;
    FakeDriver::Graph *made = capture->second;
    current->captures.erase(capture);
    if (result == success) {
      *graph = reinterpret_cast<GraphHandle>(made);
      return success;
    }
    // A capture that was spoilt leaves nothing.
    for (Node *node : made->nodes)
      current->nodes.erase(node);
    current->graphs.erase(made);
    return result;
  }

  static DriverResult graphCreate(GraphHandle *graph, unsigned) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuGraphCreate");
    if (result != success)
      return result;
    auto made = std::make_unique<FakeDriver::Graph>();
    *graph = reinterpret_cast<GraphHandle>(made.get());
    current->graphs[made.get()] = std::move(made);
    return success;
  }
  static DriverResult graphDestroy(GraphHandle graph) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuGraphDestroy");
    if (result == DriverResult::InvalidContext)
      return result;
    auto it =
        current->graphs.find(reinterpret_cast<FakeDriver::Graph *>(graph));
    if (it == current->graphs.end())
      return invalidValue;
    for (Node *node : it->second->nodes)
      current->nodes.erase(node);
    current->graphs.erase(it);
    return result;
  }
  static void fill(Node &node, const KernelNodeParams &params) {
    node.kernel = kernelOf(params.function);
    node.launch.grid = {params.gridX, params.gridY, params.gridZ};
    node.launch.block = {params.blockX, params.blockY, params.blockZ};
    node.launch.sharedBytes = params.sharedBytes;
    node.launch.inGraph = true;
    copyParams(*node.kernel, params.params, node.launch);
  }
  static DriverResult addKernelNode(GraphNodeHandle *node, GraphHandle graph,
                                    const GraphNodeHandle *dependencies,
                                    size_t count,
                                    const KernelNodeParams *params) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuGraphAddKernelNode");
    auto it =
        current->graphs.find(reinterpret_cast<FakeDriver::Graph *>(graph));
    if (result != success || it == current->graphs.end())
      return result != success ? result : invalidValue;
    for (size_t i = 0; i < count; ++i)
      if (!current->nodes.count(reinterpret_cast<Node *>(dependencies[i])))
        return invalidValue;
    auto made = std::make_unique<Node>();
    fill(*made, *params);
    for (size_t i = 0; i < count; ++i)
      made->launch.behind.push_back(
          reinterpret_cast<Node *>(dependencies[i])->kernel->name);
    *node = reinterpret_cast<GraphNodeHandle>(made.get());
    it->second->nodes.push_back(made.get());
    current->nodes[made.get()] = std::move(made);
    return success;
  }
  static DriverResult setNodeAttribute(GraphNodeHandle node,
                                       LaunchAttributeId id,
                                       const LaunchAttributeValue *value) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuGraphKernelNodeSetAttribute");
    auto it = current->nodes.find(reinterpret_cast<Node *>(node));
    if (result != success || it == current->nodes.end() ||
        id != LaunchAttributeId::ClusterDimension)
      return result != success ? result : invalidValue;
    it->second->launch.cluster = {value->clusterDim.x, value->clusterDim.y,
                                  value->clusterDim.z};
    return success;
  }
  static DriverResult addDependencies(GraphHandle, const GraphNodeHandle *from,
                                      const GraphNodeHandle *to,
                                      const GraphEdgeData *edges,
                                      size_t count) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuGraphAddDependencies");
    if (result != success)
      return result;
    for (size_t i = 0; i < count; ++i) {
      auto it = current->nodes.find(reinterpret_cast<Node *>(to[i]));
      if (it == current->nodes.end() ||
          !current->nodes.count(reinterpret_cast<Node *>(from[i])))
        return invalidValue;
      it->second->launch.overlaps =
          edges[i].fromPort == 1 && edges[i].type == 1;
      it->second->launch.behind.push_back(
          reinterpret_cast<Node *>(from[i])->kernel->name);
    }
    return success;
  }
  static DriverResult instantiate(GraphExecHandle *exec, GraphHandle graph,
                                  unsigned long long) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuGraphInstantiateWithFlags");
    auto it =
        current->graphs.find(reinterpret_cast<FakeDriver::Graph *>(graph));
    if (result != success || it == current->graphs.end())
      return result != success ? result : invalidValue;
    auto made = std::make_unique<FakeDriver::Exec>();
    made->order = it->second->nodes;
    for (Node *node : made->order)
      made->nodes[node] = *node;
    *exec = reinterpret_cast<GraphExecHandle>(made.get());
    current->execs[made.get()] = std::move(made);
    return success;
  }
  static FakeDriver::Exec *execOf(GraphExecHandle exec) {
    auto *key = reinterpret_cast<FakeDriver::Exec *>(exec);
    return current->execs.count(key) ? key : nullptr;
  }
  static DriverResult execDestroy(GraphExecHandle exec) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuGraphExecDestroy");
    if (result == DriverResult::InvalidContext)
      return result;
    if (!execOf(exec))
      return invalidValue;
    current->execs.erase(execOf(exec));
    return result;
  }
  static DriverResult execSetParams(GraphExecHandle exec, GraphNodeHandle node,
                                    const KernelNodeParams *params) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuGraphExecKernelNodeSetParams");
    if (result != success || !execOf(exec))
      return result != success ? result : invalidValue;
    auto &nodes = execOf(exec)->nodes;
    auto it = nodes.find(reinterpret_cast<Node *>(node));
    if (it == nodes.end() || it->second.kernel != kernelOf(params->function))
      return invalidValue;
    fill(it->second, *params);
    return success;
  }
  static DriverResult graphLaunch(GraphExecHandle exec, StreamHandle stream) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuGraphLaunch");
    if (result != success || !execOf(exec) || !current->streams.count(stream))
      return result != success ? result : invalidValue;
    for (Node *key : execOf(exec)->order) {
      Node &node = execOf(exec)->nodes[key];
      current->run(*node.kernel, node.launch);
    }
    return success;
  }
  static DriverResult encodeTiled(TensorMapValue *map, int type, uint32_t rank,
                                  void *address, const uint64_t *dims,
                                  const uint64_t *strides, const uint32_t *box,
                                  const uint32_t *, int, int swizzle, int,
                                  int) {
    Lock lock(current->mutex);
    DriverResult result = current->enter("cuTensorMapEncodeTiled", false);
    if (result != success)
      return result;
    auto start = reinterpret_cast<uint64_t>(address);
    if (start % 16 || rank < 1 || rank > 5 ||
        reinterpret_cast<uintptr_t>(map) % 64)
      return invalidValue;
    *map = {};
    map->opaque[0] = start;
    map->opaque[1] = static_cast<uint64_t>(type);
    map->opaque[2] = rank;
    map->opaque[3] = static_cast<uint64_t>(swizzle);
    for (uint32_t i = 0; i < rank; ++i) {
      if (dims[i] == 0 || box[i] == 0 || box[i] > 256 ||
          (i > 0 && strides[i - 1] % 16))
        return invalidValue;
      map->opaque[4 + i] = dims[i];
    }
    return success;
  }
};

} // namespace tripy::cudatest

void cudatest::addGraphCalls(DriverApi &api) {
  using F = FakeGraphCalls;
  api.launchKernelEx = F::launchEx;
  api.streamBeginCapture = F::beginCapture;
  api.streamEndCapture = F::endCapture;
  api.graphCreate = F::graphCreate;
  api.graphDestroy = F::graphDestroy;
  api.graphAddKernelNode = F::addKernelNode;
  api.graphKernelNodeSetAttribute = F::setNodeAttribute;
  api.graphAddDependencies = F::addDependencies;
  api.graphInstantiate = F::instantiate;
  api.graphExecDestroy = F::execDestroy;
  api.graphExecKernelNodeSetParams = F::execSetParams;
  api.graphLaunch = F::graphLaunch;
  api.tensorMapEncodeTiled = F::encodeTiled;
}
