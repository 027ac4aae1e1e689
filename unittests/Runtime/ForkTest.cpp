//===- ForkTest.cpp - Child processes of a process that runs programs -----===//
//
// A child has one thread, whatever its parent had. On the CPU it can do all
// that its parent can; CUDA does not survive fork(), and says so.
//
//===----------------------------------------------------------------------===//

#include "CudaTestProgram.h"
#include "RunTestUtil.h"
#include "ThreadPool.h"
#include "tripy/runtime.h"

#include <atomic>
#include <bit>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tripy;
using namespace tripy::cudatest;
using namespace tripy::runtests;
using namespace tripy::runtime;

namespace {

/// What `body` returns in a child process; less than 0: the signal that ended
/// it.
template <typename Body> int inChild(Body body) {
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60); // A child that hangs is a failure.
    ::_exit(body());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// A program that has run on four threads.
struct Running {
  Running() {
    executable = loadSample(*samples::cpuSample(), 4);
    auto created = ExecutionContext::create(executable);
    EXPECT_TRUE(created);
    context = std::move(*created);
    EXPECT_TRUE(run());
  }
  bool run() {
    SampleTensors tensors(4);
    if (!context->run(tensors.inputs, tensors.outputs).isOk())
      return false;
    for (size_t i = 0; i < tensors.sum.elements(); ++i)
      if (tensors.sum.as<float>()[i] != 11.0f * float(i) + 100.0f + float(i))
        return false;
    return true;
  }
  std::shared_ptr<Executable> executable;
  std::unique_ptr<ExecutionContext> context;
};

TEST(Fork, TheChildFrees) {
  Running running;
  EXPECT_EQ(inChild([&] {
              running.context.reset();
              running.executable.reset();
              return 7;
            }),
            7);
  EXPECT_TRUE(running.run());
}

TEST(Fork, TheChildRunsAndItsChildToo) {
  Running running;
  EXPECT_EQ(inChild([&] {
              if (!running.run())
                return 1;
              return inChild([&] {
                bool works = running.run();
                running.context.reset();
                running.executable.reset();
                return works ? 7 : 2;
              });
            }),
            7);
  EXPECT_TRUE(running.run());
}

TEST(Fork, TheChildLoadsAnew) {
  Running running;
  EXPECT_EQ(inChild([&] { return Running().run() && running.run() ? 7 : 1; }),
            7);
}

TEST(Fork, TheChildHasThreads) {
  ThreadPool pool(4);
  auto workers = [&] {
    std::atomic<uint32_t> seen = 0;
    // Each item waits for another thread's, so that one alone would not end.
    auto item = [](void *state, int64_t begin, int64_t, uint32_t worker) {
      auto &mask = *static_cast<std::atomic<uint32_t> *>(state);
      mask |= 1u << worker;
      while (std::popcount(mask.load()) < 2)
        std::this_thread::yield();
    };
    pool.run(64, item, &seen);
    return std::popcount(seen.load());
  };
  EXPECT_GE(workers(), 2);
  EXPECT_EQ(inChild([&] { return workers() >= 2 ? 7 : 1; }), 7);
}

/// Locks may be held when the process is copied.
TEST(Fork, WhileAnotherThreadRuns) {
  Running running;
  std::atomic<bool> stop = false;
  bool works = true;
  std::thread busy([&] {
    Running other;
    auto context = ExecutionContext::create(running.executable);
    SampleTensors tensors(4);
    while (!stop)
      works &= (*context)->run(tensors.inputs, tensors.outputs).isOk();
  });
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(inChild([&] {
                bool right = running.run();
                running.context.reset();
                running.executable.reset();
                return right ? 7 : 1;
              }),
              7);
  stop = true;
  busy.join();
  EXPECT_TRUE(works);
}

/// The same for a C program.
TEST(Fork, TheCInterface) {
  SampleC loaded(*samples::cpuSample(), 4);
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
  EXPECT_NE(tripy_executable_load(nullptr, nullptr, nullptr), TRIPY_OK);
  EXPECT_EQ(inChild([&] {
              // The forking thread's texts are the child's.
              if (std::string_view(tripy_last_error()).empty() ||
                  run() != TRIPY_OK)
                return 1;
              loaded.free();
              return 7;
            }),
            7);
  EXPECT_EQ(run(), TRIPY_OK);
}

TEST(Fork, CudaIsRefusedAndFreesNothing) {
  FakeDriver driver;
  addTestKernels(driver);
  auto test = makeTestProgram();
  auto device = cuda::createCudaDevice(driver.api(), 0, {});
  ASSERT_TRUE(device);
  TestRun buffers;
  ASSERT_TRUE(buffers.allocate(*device).isOk());
  auto program = (*device)->prepare(test->program, {});
  ASSERT_TRUE(program);
  auto context = (*program)->createContext();
  ASSERT_TRUE(context);
  std::vector<double> seconds(test->program.launches.size());
  ASSERT_TRUE(buffers
                  .with(test->program, **program, 100,
                        [&](const RunArguments &arguments) {
                          return (*context)->profile(arguments, nullptr,
                                                     seconds);
                        })
                  .isOk());
  EXPECT_EQ(inChild([&] {
              uint64_t calls = driver.calls();
              Status status =
                  buffers.run(test->program, **program, **context, 100);
              bool refused =
                  status.code() == Code::ContextLost &&
                  status.message().find("fork()") != std::string::npos;
              if (!refused || (*device)->allocate(8) ||
                  (*device)->createStream() || (*program)->createContext() ||
                  (*device)->prepare(test->program, {}) ||
                  (*device)->synchronize(nullptr).isOk())
                return 1;
              context = std::unique_ptr<DeviceContext>();
              program = std::unique_ptr<DeviceProgram>();
              buffers = {};
              device = std::shared_ptr<Device>();
              if (driver.calls() != calls)
                return 2;
              auto anew = cuda::createCudaDevice(driver.api(), 0, {});
              return !anew && anew.status().code() == Code::ContextLost ? 7 : 3;
            }),
            7);
  EXPECT_TRUE(buffers.run(test->program, **program, **context, 100).isOk());
}

} // namespace
