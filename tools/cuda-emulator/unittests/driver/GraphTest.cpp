//===- GraphTest.cpp - Graphs and tensor maps of the emulator's driver ----===//

#include "EmulatedDriver.h"

#include <cstring>
#include <dlfcn.h>

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::cudaemulatortest;

static constexpr auto success = DriverResult::Success;
static constexpr auto invalidHandle = static_cast<DriverResult>(400);

namespace {
class EmulatedGraph : public EmulatedDriver {
protected:
  void SetUp() override {
    EmulatedDriver::SetUp();
    if (!IsSkipped() && !HasFatalFailure())
      ASSERT_EQ(api.graphCreate(&graph, 0), success);
  }
  GraphNodeHandle add(FunctionHandle function,
                      std::vector<GraphNodeHandle> behind = {}) {
    GraphNodeHandle node = nullptr;
    KernelNodeParams params = nodeParams(function);
    EXPECT_EQ(api.graphAddKernelNode(&node, graph, behind.data(), behind.size(),
                                     &params),
              success);
    return node;
  }
  DriverResult order(GraphNodeHandle first, GraphNodeHandle second) {
    return api.graphAddDependencies(graph, &first, &second, nullptr, 1);
  }
  void expectRun(uint32_t from, uint32_t to) {
    write(from);
    ASSERT_EQ(api.graphLaunch(exec, nullptr), success);
    EXPECT_EQ(read(), std::vector<uint32_t>(count, to));
  }

  GraphHandle graph = nullptr;
  GraphExecHandle exec = nullptr;
};
} // namespace

TEST_F(EmulatedGraph, RunsNodesBehindWhatTheyDependOn) {
  // twice((twice(x)) + 1): the nodes are made in another order.
  GraphNodeHandle last = add(twice), middle = add(add1), first = add(twice);
  ASSERT_EQ(order(middle, last), success);
  ASSERT_EQ(order(first, middle), success);
  EXPECT_EQ(order(first, middle), DriverResult::InvalidValue) << "twice";
  ASSERT_EQ(api.graphInstantiate(&exec, graph, 0), success);
  expectRun(5, 22);
  // An executable graph is a copy.
  ASSERT_EQ(api.graphDestroy(graph), success);
  expectRun(1, 6);
  ASSERT_EQ(api.graphExecDestroy(exec), success);
  EXPECT_EQ(api.graphExecDestroy(exec), invalidHandle);
  EXPECT_EQ(api.graphLaunch(exec, nullptr), invalidHandle);
}

TEST_F(EmulatedGraph, RefusesCycles) {
  GraphNodeHandle first = add(add1), second = add(add1, {first});
  EXPECT_EQ(order(first, first), DriverResult::InvalidValue);
  ASSERT_EQ(order(second, first), success);
  EXPECT_EQ(api.graphInstantiate(&exec, graph, 0), DriverResult::InvalidValue);
}

TEST_F(EmulatedGraph, TakesProgrammaticEdges) {
  GraphNodeHandle first = add(add1), second = add(twice);
  GraphEdgeData edge = {1, 0, 1, {}};
  ASSERT_EQ(api.graphAddDependencies(graph, &first, &second, &edge, 1),
            success);
  edge.type = 9;
  EXPECT_EQ(api.graphAddDependencies(graph, &second, &first, &edge, 1),
            DriverResult::InvalidValue);
  ASSERT_EQ(api.graphInstantiate(&exec, graph, 0), success);
  expectRun(3, 8);
}

TEST_F(EmulatedGraph, BeginsBehindProgrammaticEdgesEarly) {
  GraphNodeHandle first = add(add1), second = add(hasty);
  GraphEdgeData edge = {1, 0, 1, {}};
  ASSERT_EQ(api.graphAddDependencies(graph, &first, &second, &edge, 1),
            success);
  ASSERT_EQ(api.graphInstantiate(&exec, graph, 0), success);
  expectRun(3, 7);
}

TEST_F(EmulatedGraph, CapturesAStream) {
  using LaunchHostFunc = DriverResult(StreamHandle, void (*)(void *), void *);
  auto *launchHostFunc = reinterpret_cast<LaunchHostFunc *>(dlsym(
      dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), "cuLaunchHostFunc"));
  ASSERT_TRUE(launchHostFunc);
  auto increment = [](void *data) { ++*static_cast<uint32_t *>(data); };
  auto *first = reinterpret_cast<uint32_t *>(x);
  StreamHandle stream = nullptr;
  ASSERT_EQ(api.streamCreate(&stream, streamNonBlocking), success);
  ASSERT_EQ(api.streamBeginCapture(stream, captureRelaxed), success);
  EXPECT_EQ(api.streamBeginCapture(stream, captureRelaxed),
            DriverResult::InvalidValue);
  int capturing = 0;
  EXPECT_EQ(api.streamIsCapturing(stream, &capturing), success);
  EXPECT_EQ(capturing, 1);
  // ((x + 1) + 1 of the host) * 2, recorded and not run.
  LaunchConfig launch = config();
  launch.stream = stream;
  ASSERT_EQ(api.launchKernelEx(&launch, add1, values, nullptr), success);
  ASSERT_EQ(launchHostFunc(stream, increment, first), success);
  ASSERT_EQ(api.launchKernelEx(&launch, twice, values, nullptr), success);
  constexpr auto captureUnsupported = static_cast<DriverResult>(900);
  EXPECT_EQ(api.streamSynchronize(stream), captureUnsupported);
  GraphHandle captured = nullptr;
  ASSERT_EQ(api.streamEndCapture(stream, &captured), success);
  EXPECT_EQ(api.streamEndCapture(stream, &captured),
            DriverResult::InvalidValue);
  EXPECT_EQ(api.streamBeginCapture(nullptr, captureRelaxed),
            captureUnsupported);
  EXPECT_EQ(read(), std::vector<uint32_t>(count, 0));
  ASSERT_EQ(api.graphInstantiate(&exec, captured, 0), success);
  write(3);
  ASSERT_EQ(api.graphLaunch(exec, stream), success);
  std::vector<uint32_t> wanted(count, 8);
  wanted[0] = 10;
  EXPECT_EQ(read(), wanted);
  // Outside of a capture the function runs at once.
  ASSERT_EQ(launchHostFunc(stream, increment, first), success);
  EXPECT_EQ(read()[0], 11u);
  EXPECT_EQ(api.graphDestroy(captured), success);
}

TEST_F(EmulatedGraph, UpdatesParameters) {
  GraphNodeHandle node = add(add1);
  ASSERT_EQ(api.graphInstantiate(&exec, graph, 0), success);
  expectRun(0, 1);
  DevicePointer all = x, other = 0;
  ASSERT_EQ(api.memAlloc(&other, count * 4), success);
  x = other;
  KernelNodeParams params = nodeParams(add1);
  ASSERT_EQ(api.graphExecKernelNodeSetParams(exec, node, &params), success);
  expectRun(7, 8);
  x = all;
  EXPECT_EQ(read(), std::vector<uint32_t>(count, 1)) << "not touched again";
  params.blockX = 257;
  EXPECT_EQ(api.graphExecKernelNodeSetParams(exec, node, &params),
            DriverResult::LaunchOutOfResources);
  EXPECT_EQ(api.graphExecKernelNodeSetParams(exec, nullptr, &params),
            DriverResult::InvalidValue);
}

TEST_F(EmulatedGraph, ChecksLaunchesAtInstantiation) {
  GraphNodeHandle node = add(add1);
  LaunchAttributeValue value = {};
  value.clusterDim = {4, 1, 1};
  ASSERT_EQ(api.graphKernelNodeSetAttribute(
                node, LaunchAttributeId::ClusterDimension, &value),
            success);
  EXPECT_EQ(api.graphInstantiate(&exec, graph, 0),
            static_cast<DriverResult>(912))
      << "2 blocks are no cluster of 4";
  value.clusterDim = {2, 1, 1};
  ASSERT_EQ(api.graphKernelNodeSetAttribute(
                node, LaunchAttributeId::ClusterDimension, &value),
            success);
  ASSERT_EQ(api.graphInstantiate(&exec, graph, 0), success);
  expectRun(0, 1);
}

TEST_F(EmulatedGraph, EncodesTensorMaps) {
  alignas(128) TensorMapValue map[2] = {};
  uint64_t dims[] = {8, 10}, strides[] = {32};
  uint32_t box[] = {8, 4}, steps[] = {1, 1};
  auto encode = [&](uint64_t address) {
    constexpr int f32 = 7;
    return api.tensorMapEncodeTiled(&map[0], f32, 2,
                                    reinterpret_cast<void *>(address), dims,
                                    strides, box, steps, 0, 0, 0, 0);
  };
  EXPECT_EQ(encode(x), success);
  EXPECT_NE(std::memcmp(&map[0], &map[1], sizeof(map[0])), 0);
  EXPECT_EQ(encode(x + 4), DriverResult::InvalidValue) << "16-byte alignment";
  strides[0] = 36;
  EXPECT_EQ(encode(x), DriverResult::InvalidValue) << "16-byte strides";
}
