//===- CudaMemoryTest.cpp - A steady state without allocations ------------===//

#include "AllocationHooks.h"
#include "CudaTestProgram.h"

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::cudatest;
using namespace tripy::hooks;

namespace {

/// The fake counts its calls in memory; these do nothing at all.
void silence(DriverApi &api) {
  constexpr auto success = DriverResult::Success;
  api.ctxGetCurrent = [](ContextHandle *) { return success; };
  api.ctxPushCurrent = [](ContextHandle) { return success; };
  api.ctxPopCurrent = [](ContextHandle *) { return success; };
  api.graphLaunch = [](GraphExecHandle, StreamHandle) { return success; };
  api.launchKernelEx = [](const LaunchConfig *, FunctionHandle, void **,
                          void **) { return success; };
  api.graphExecKernelNodeSetParams = [](GraphExecHandle, GraphNodeHandle,
                                        const KernelNodeParams *) {
    return success;
  };
  api.tensorMapEncodeTiled = [](TensorMapValue *, int, uint32_t, void *,
                                const uint64_t *, const uint64_t *,
                                const uint32_t *, const uint32_t *, int, int,
                                int, int) { return success; };
}

/// Allocations of 300 runs over three known shapes, with buffers that move.
uint64_t steadyAllocations(uint32_t directLaunches) {
  FakeDriver driver;
  addTestKernels(driver);
  DriverApi api = driver.api();
  auto device = createCudaDevice(api, 0, {directLaunches, 4});
  auto test = makeTestProgram();
  TestRun buffers;
  EXPECT_TRUE(device && buffers.allocate(*device).isOk());
  auto program = (*device)->prepare(test->program, {});
  EXPECT_TRUE(program);
  auto context = (*program)->createContext();
  EXPECT_TRUE(context);
  uint64_t counted = 0;
  std::vector<int64_t> sizes[3], symbols[3];
  for (int i = 0; i < 3; ++i) {
    symbols[i] = {100 + i};
    sizes[i].resize(test->program.exprs.size());
    EXPECT_TRUE(evaluateSizes(test->program, symbols[i], sizes[i]).isOk());
  }
  void *here[] = {buffers.x.data(), buffers.y.data(),
                  const_cast<uint8_t *>((*program)->constants()),
                  buffers.arena.data()};
  void *moved[] = {here[3], here[0], here[2], here[1]};
  bool works = true;
  for (int i = 0; i < 306; ++i) {
    if (i == 6) {
      silence(api);
      counted = allocations;
    }
    runtime::RunArguments arguments{i % 2 ? here : moved, sizes[i % 3],
                                    symbols[i % 3]};
    works &= (*context)->run(arguments, nullptr).isOk();
  }
  counted = allocations - counted;
  api = driver.api();
  EXPECT_TRUE(works);
  return counted;
}

} // namespace

TEST(CudaMemory, GraphsRunWithoutAllocations) {
  EXPECT_EQ(steadyAllocations(0), 0u);
}

TEST(CudaMemory, DirectLaunchesRunWithoutAllocations) {
  EXPECT_EQ(steadyAllocations(8), 0u);
}
