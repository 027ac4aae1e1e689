//===- MemoryTest.cpp - Counted and failing allocations -------------------===//
//
// Replaces the global operator new: fails the n-th allocation of a load and of
// a run, and counts those of a steady state.
//
//===----------------------------------------------------------------------===//

#include "RunTestUtil.h"
#include "tripy/runtime.h"

#include <atomic>
#include <cstdlib>
#include <new>

using namespace tripy;
using namespace tripy::runtime;
using namespace tripy::runtests;

namespace {

std::atomic<uint64_t> allocations = 0;
/// Allocations until one fails, on this thread; negative: none fails.
thread_local int64_t untilFailure = -1;
thread_local bool failed = false;

void *take(size_t size, size_t alignment) {
  ++allocations;
  if (untilFailure >= 0 && untilFailure-- == 0) {
    failed = true;
    return nullptr;
  }
  void *memory = nullptr;
  return ::posix_memalign(&memory, std::max<size_t>(alignment, 16),
                          std::max<size_t>(size, 1)) == 0
             ? memory
             : nullptr;
}

void *takeOrThrow(size_t size, size_t alignment) {
  if (void *memory = take(size, alignment))
    return memory;
  throw std::bad_alloc();
}

} // namespace

void *operator new(size_t size) { return takeOrThrow(size, 16); }
void *operator new[](size_t size) { return takeOrThrow(size, 16); }
void *operator new(size_t size, std::align_val_t alignment) {
  return takeOrThrow(size, size_t(alignment));
}
void *operator new[](size_t size, std::align_val_t alignment) {
  return takeOrThrow(size, size_t(alignment));
}
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return take(size, 16);
}
void *operator new[](size_t size, const std::nothrow_t &) noexcept {
  return take(size, 16);
}
void *operator new(size_t size, std::align_val_t alignment,
                   const std::nothrow_t &) noexcept {
  return take(size, size_t(alignment));
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void *memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void *memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory, const std::nothrow_t &) noexcept {
  std::free(memory);
}
void operator delete(void *memory, std::align_val_t,
                     const std::nothrow_t &) noexcept {
  std::free(memory);
}

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
  std::vector<uint8_t> bytes = samples::container(*samples::cpuSample());
  tripy_load_options options = tripy_load_options_default();
  options.trust_host_code = 1;
  tripy_executable *executable = nullptr;
  tripy_context *context = nullptr;
  ASSERT_EQ(tripy_executable_load_memory(bytes.data(), bytes.size(), &options,
                                         &executable),
            TRIPY_OK);
  ASSERT_EQ(tripy_context_create(executable, &context), TRIPY_OK);
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
  tripy_context_free(context);
  tripy_executable_free(executable);
}

/// Fails each allocation of `action` in turn until it succeeds, which must be
/// before `limit`. A failure may only come with HostOutOfMemory.
template <typename Action> void failEach(Action action, int limit) {
  for (int n = 0; n < limit; ++n) {
    failed = false;
    untilFailure = n;
    tripy_code code = action();
    untilFailure = -1;
    if (!failed) {
      EXPECT_EQ(code, TRIPY_OK);
      EXPECT_GT(n, 0);
      return;
    }
    EXPECT_TRUE(code == TRIPY_HOST_OUT_OF_MEMORY || code == TRIPY_OK)
        << "allocation " << n << ": " << tripy_code_name(code) << ", "
        << tripy_last_error();
  }
  ADD_FAILURE() << "still failing after " << limit << " allocations";
}

TEST(Memory, EveryFailingAllocationIsReported) {
  Folder folder;
  std::string path = folder.path("m.tpx");
  ASSERT_TRUE(
      writeFile(path, samples::container(*samples::cpuSample())).isOk());
  tripy_load_options options = tripy_load_options_default();
  options.trust_host_code = 1;
  options.threads = 1;
  for (int copy : {0, 1}) {
    options.copy_file = copy;
    failEach(
        [&] {
          tripy_executable *executable = nullptr;
          tripy_code code =
              tripy_executable_load(path.c_str(), &options, &executable);
          EXPECT_EQ(executable != nullptr, code == TRIPY_OK);
          tripy_executable_free(executable);
          return code;
        },
        5000);
  }
  tripy_executable *executable = nullptr;
  ASSERT_EQ(tripy_executable_load(path.c_str(), &options, &executable),
            TRIPY_OK);
  SampleTensors tensors(4);
  int64_t shape[] = {4, 3}, count[] = {4};
  std::vector<uint8_t> misaligned(49);
  failEach(
      [&] {
        tripy_context *context = nullptr;
        tripy_code code = tripy_context_create(executable, &context);
        EXPECT_EQ(context != nullptr, code == TRIPY_OK);
        if (code != TRIPY_OK)
          return code;
        tripy_tensor inputs[2] = {}, outputs[2] = {};
        inputs[0] = {
            misaligned.data() + 1, TRIPY_CPU, 0, TRIPY_F32, {}, 2, shape};
        inputs[1] = {tensors.y.data(), TRIPY_CPU, 0, TRIPY_F32, {}, 2, shape};
        outputs[0] = {
            tensors.sum.data(), TRIPY_CPU, 0, TRIPY_F32, {}, 2, shape};
        outputs[1] = {
            tensors.count.data(), TRIPY_CPU, 0, TRIPY_I64, {}, 1, count};
        code = tripy_context_run(context, inputs, 2, outputs, 2, nullptr);
        tripy_context_free(context);
        return code;
      },
      1000);
  tripy_executable_free(executable);
}

} // namespace
