//===- MemoryTest.cpp - A steady state without allocations ----------------===//
//
// Runs of shapes that were seen before allocate nothing. AllocationFailureTest
// lets allocations fail.
//
//===----------------------------------------------------------------------===//

#include "AllocationHooks.h"
#include "RunTestUtil.h"
#include "tripy/runtime.h"

using namespace tripy;
using namespace tripy::hooks;
using namespace tripy::runtime;
using namespace tripy::runtests;

namespace {

TEST(Memory, SteadyStateAllocatesNothing) {
  auto executable = loadSample(*samples::cpuSample(), 4);
  auto context = ExecutionContext::create(executable);
  ASSERT_TRUE(context);
  SampleTensors two(2), four(4);
  // A misaligned input is staged, which takes memory the first time only.
  std::vector<uint8_t> misaligned(49);
  four.inputs[0].data = misaligned.data() + 1;
  for (int warm = 0; warm < 2; ++warm)
    for (SampleTensors *tensors : {&two, &four})
      ASSERT_TRUE((*context)->run(tensors->inputs, tensors->outputs).isOk());
  uint64_t before = allocations;
  for (int round = 0; round < 100; ++round)
    for (SampleTensors *tensors : {&two, &four})
      if (!(*context)->run(tensors->inputs, tensors->outputs).isOk())
        FAIL();
  EXPECT_EQ(allocations, before);
}

TEST(Memory, SteadyStateOfTheCInterface) {
  SampleC loaded(*samples::cpuSample());
  tripy_context *context = loaded.context;
  ASSERT_TRUE(context);
  SampleTensors tensors(4);
  int64_t shape[] = {4, 3}, count[] = {4};
  auto tensor = [](HostTensor &host, const int64_t *sizes) {
    return tripy_tensor{host.data(), TRIPY_CPU,
                        0,           tripy_dtype(host.dtype()),
                        {},          int32_t(host.shape().rank()),
                        sizes};
  };
  tripy_tensor inputs[] = {tensor(tensors.x, shape), tensor(tensors.y, shape)};
  tripy_tensor outputs[] = {tensor(tensors.sum, shape),
                            tensor(tensors.count, count)};
  auto run = [&] {
    return tripy_context_run(context, inputs, 2, outputs, 2, nullptr);
  };
  ASSERT_EQ(run(), TRIPY_OK);
  uint64_t before = allocations;
  for (int round = 0; round < 100; ++round)
    if (run() != TRIPY_OK)
      FAIL();
  EXPECT_EQ(allocations, before);
  tensors.expectResult();
}

} // namespace
