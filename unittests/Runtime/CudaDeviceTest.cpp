//===- CudaDeviceTest.cpp - The CUDA device over the fake driver ----------===//

#include "CudaTestProgram.h"

#include <thread>

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::cudatest;
using runtime::Device;
using runtime::DeviceContext;
using runtime::DeviceProgram;

namespace {

class CudaDeviceTest : public ::testing::Test {
protected:
  void SetUp() override { addTestKernels(driver); }
  void TearDown() override {
    context.reset();
    prepared.reset();
    buffers = {};
    device.reset();
    EXPECT_EQ(driver.live(), (std::map<std::string, int>{}));
    EXPECT_EQ(FakeDriver::contextDepth(), 0u);
  }
  void open(const CudaOptions &options = {}) {
    auto made = createCudaDevice(driver.api(), 0, options);
    ASSERT_TRUE(made) << made.status().message();
    device = *made;
    Status status = buffers.allocate(device);
    ASSERT_TRUE(status.isOk()) << status.message();
    ASSERT_TRUE(buffers.fill(*device).isOk());
  }
  void prepare() {
    Status valid = verifyProgram(test->program);
    ASSERT_TRUE(valid.isOk()) << valid.message();
    auto made = device->prepare(test->program, {});
    ASSERT_TRUE(made) << made.status().message();
    prepared = std::move(*made);
    auto state = prepared->createContext();
    ASSERT_TRUE(state) << state.status().message();
    context = std::move(*state);
  }
  void start(const CudaOptions &options = {}) {
    open(options);
    if (!HasFatalFailure())
      prepare();
  }
  Status run(int64_t n) {
    return buffers.run(test->program, *prepared, *context, n);
  }
  void expectCorrect(int64_t n) {
    Status status = run(n);
    ASSERT_TRUE(status.isOk()) << status.message();
    Result<int64_t> correct = buffers.correct(*device);
    ASSERT_TRUE(correct);
    EXPECT_GE(*correct, n);
  }
  /// Error of preparing the present program on the present driver.
  Status prepareError() {
    auto made = createCudaDevice(driver.api(), 0);
    if (!made)
      return made.status();
    auto result = (*made)->prepare(test->program, {});
    return result ? Status::ok() : result.status();
  }

  FakeDriver driver;
  std::unique_ptr<TestProgram> test = makeTestProgram();
  std::shared_ptr<Device> device;
  TestRun buffers;
  std::unique_ptr<DeviceProgram> prepared;
  std::unique_ptr<DeviceContext> context;
};

} // namespace

TEST_F(CudaDeviceTest, RunsAGraph) {
  ASSERT_NO_FATAL_FAILURE(start());
  EXPECT_EQ(device->kind(), DeviceKind::CUDA);
  EXPECT_EQ(device->name(), "Fake H200");
  ASSERT_NO_FATAL_FAILURE(expectCorrect(1000));
  EXPECT_EQ(driver.launched,
            (std::vector<std::string>{"scale", "shift", "negate"}));
  const FakeLaunch &shift = driver.launches[1], &negate = driver.launches[2];
  EXPECT_TRUE(shift.inGraph);
  EXPECT_TRUE(shift.overlaps);
  EXPECT_FALSE(negate.overlaps);
  // One edge each: a full one beside the programmatic one would undo it.
  EXPECT_EQ(driver.launches[0].behind, std::vector<std::string>{});
  EXPECT_EQ(shift.behind, std::vector<std::string>{"scale"});
  EXPECT_EQ(negate.behind, std::vector<std::string>{"shift"});
  EXPECT_EQ(shift.sharedBytes, 4096u);
  EXPECT_EQ(shift.grid, (std::array<unsigned, 3>{4, 1, 1}));
  EXPECT_EQ(shift.block, (std::array<unsigned, 3>{256, 1, 1}));
  EXPECT_EQ(negate.cluster, (std::array<unsigned, 3>{2, 1, 1}));
  EXPECT_EQ(describeImage(*prepared), "machine code for sm_90a");
}

TEST_F(CudaDeviceTest, LaunchesOneByOneWhenAsked) {
  ASSERT_NO_FATAL_FAILURE(start({/*directLaunches=*/3, /*maxShapes=*/16}));
  ASSERT_NO_FATAL_FAILURE(expectCorrect(1000));
  EXPECT_EQ(driver.callsOf("cuLaunchKernelEx"), 3u);
  EXPECT_EQ(driver.callsOf("cuGraphCreate"), 0u);
  EXPECT_FALSE(driver.launches[0].overlaps);
  EXPECT_TRUE(driver.launches[1].overlaps);
  EXPECT_EQ(driver.launches[2].cluster, (std::array<unsigned, 3>{2, 1, 1}));
}

// On a stream a program's first launch may overlap what ran before the program;
// a graph begins when that has ended.
TEST_F(CudaDeviceTest, TheFirstLaunchOverlapsOnAStream) {
  test->program.launches[0].overlapsPredecessor = true;
  test->program.launches[0].isOfFirstCall = true;
  for (uint32_t direct : {0, 3}) {
    driver.launches.clear();
    ASSERT_NO_FATAL_FAILURE(start({direct, /*maxShapes=*/16}));
    ASSERT_TRUE(run(1000).isOk());
    ASSERT_EQ(driver.launches.size(), 3u);
    EXPECT_EQ(driver.launches[0].overlaps, direct != 0);
    EXPECT_EQ(driver.launches[0].behind, std::vector<std::string>{});
  }
}

// Of a call with versions, all launches but one are empty.
TEST_F(CudaDeviceTest, AnyLaunchOfTheFirstCallOverlapsOnAStream) {
  Program &program = test->program;
  program.exprs.push_back({SizeOp::Constant, 0, 0, 0});
  program.launches[0].grid[0] =
      static_cast<TableIndex>(program.exprs.size() - 1);
  for (size_t launch : {0, 1}) {
    program.launches[launch].overlapsPredecessor = true;
    program.launches[launch].isOfFirstCall = true;
  }
  ASSERT_NO_FATAL_FAILURE(start({/*directLaunches=*/3, /*maxShapes=*/16}));
  ASSERT_TRUE(run(1000).isOk());
  ASSERT_EQ(driver.launches.size(), 2u);
  EXPECT_TRUE(driver.launches[0].overlaps);
}

// A later launch is not prepared for what ran before the program, which it
// follows where those in front of it are empty.
TEST_F(CudaDeviceTest, LaterLaunchesDoNotOverlapWhatCameBeforeTheProgram) {
  Program &program = test->program;
  program.exprs.push_back({SizeOp::Constant, 0, 0, 0});
  program.launches[0].grid[0] =
      static_cast<TableIndex>(program.exprs.size() - 1);
  program.launches[2].overlapsPredecessor = true;
  for (uint32_t direct : {0, 3}) {
    driver.launches.clear();
    ASSERT_NO_FATAL_FAILURE(start({direct, /*maxShapes=*/16}));
    ASSERT_TRUE(run(1000).isOk());
    ASSERT_EQ(driver.launches.size(), 2u);
    EXPECT_FALSE(driver.launches[0].overlaps);
    EXPECT_TRUE(driver.launches[1].overlaps);
    EXPECT_EQ(driver.launches[0].behind, std::vector<std::string>{});
    if (direct == 0) {
      EXPECT_EQ(driver.launches[1].behind, std::vector<std::string>{"shift"});
    }
  }
}

TEST_F(CudaDeviceTest, SteadyStateIsOneSubmission) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_TRUE(run(512).isOk());
  uint64_t before = driver.calls();
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(run(512).isOk());
  // Per run: look at the context, enter it, launch, leave it.
  EXPECT_EQ(driver.calls() - before, 400u);
  EXPECT_EQ(driver.callsOf("cuGraphLaunch"), 101u);
  EXPECT_EQ(driver.callsOf("cuGraphInstantiateWithFlags"), 1u);
}

TEST_F(CudaDeviceTest, LeavesACurrentContextAlone) {
  ASSERT_NO_FATAL_FAILURE(start());
  ContextHandle primary = nullptr;
  ASSERT_EQ(driver.api().devicePrimaryCtxRetain(&primary, 100),
            DriverResult::Success);
  driver.api().ctxPushCurrent(primary);
  ASSERT_TRUE(run(512).isOk());
  uint64_t before = driver.calls();
  ASSERT_TRUE(run(512).isOk());
  EXPECT_EQ(driver.calls() - before, 2u);
  EXPECT_EQ(FakeDriver::contextDepth(), 1u);
  driver.api().ctxPopCurrent(&primary);
  driver.api().devicePrimaryCtxRelease(100);
}

TEST_F(CudaDeviceTest, MovedBuffersUpdateTheGraph) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_NO_FATAL_FAILURE(expectCorrect(700));
  auto other = runtime::DeviceMemory::allocate(device, maxElements * 4);
  ASSERT_TRUE(other);
  std::swap(buffers.y, *other);
  ASSERT_NO_FATAL_FAILURE(expectCorrect(700));
  EXPECT_EQ(driver.callsOf("cuGraphInstantiateWithFlags"), 1u);
  // y is in the second launch and behind the tensor map of the third.
  EXPECT_EQ(driver.callsOf("cuGraphExecKernelNodeSetParams"), 2u);
  EXPECT_EQ(driver.callsOf("cuTensorMapEncodeTiled"), 2u);
  // Back to the first buffer, emptied.
  std::swap(buffers.y, *other);
  std::vector<float> zeros(maxElements);
  ASSERT_TRUE(device
                  ->copyToDevice(buffers.y.data(), zeros.data(),
                                 maxElements * 4, nullptr)
                  .isOk());
  ASSERT_NO_FATAL_FAILURE(expectCorrect(700));
  EXPECT_EQ(driver.callsOf("cuGraphExecKernelNodeSetParams"), 4u);
  ASSERT_NO_FATAL_FAILURE(expectCorrect(700));
  EXPECT_EQ(driver.callsOf("cuGraphExecKernelNodeSetParams"), 4u);
}

TEST_F(CudaDeviceTest, MovedBuffersUpdateDirectLaunches) {
  ASSERT_NO_FATAL_FAILURE(start({/*directLaunches=*/8, /*maxShapes=*/16}));
  ASSERT_NO_FATAL_FAILURE(expectCorrect(700));
  auto other = runtime::DeviceMemory::allocate(device, maxElements * 4);
  ASSERT_TRUE(other);
  std::swap(buffers.y, *other);
  ASSERT_NO_FATAL_FAILURE(expectCorrect(700));
  EXPECT_EQ(driver.callsOf("cuGraphExecKernelNodeSetParams"), 0u);
}

TEST_F(CudaDeviceTest, KeepsTheShapesUsedLast) {
  ASSERT_NO_FATAL_FAILURE(start({/*directLaunches=*/1, /*maxShapes=*/4}));
  for (int64_t n : {1, 2, 3, 4, 1, 5})
    ASSERT_NO_FATAL_FAILURE(expectCorrect(n));
  EXPECT_EQ(driver.callsOf("cuGraphInstantiateWithFlags"), 5u);
  EXPECT_EQ(driver.live()["exec"], 4);
  // 1 was used after 2: 2 had to go.
  ASSERT_NO_FATAL_FAILURE(expectCorrect(1));
  EXPECT_EQ(driver.callsOf("cuGraphInstantiateWithFlags"), 5u);
  ASSERT_NO_FATAL_FAILURE(expectCorrect(2));
  EXPECT_EQ(driver.callsOf("cuGraphInstantiateWithFlags"), 6u);
  EXPECT_EQ(driver.live()["exec"], 4);
}

TEST_F(CudaDeviceTest, EmptyGridsLaunchNothing) {
  ASSERT_NO_FATAL_FAILURE(start());
  EXPECT_TRUE(run(0).isOk());
  EXPECT_TRUE(driver.launched.empty());
  ASSERT_NO_FATAL_FAILURE(expectCorrect(1));
}

TEST_F(CudaDeviceTest, RefusesGridsOutsideTheCluster) {
  // The verifier would not let this through.
  test->program.launches[2].grid[0] = 4;
  ASSERT_NO_FATAL_FAILURE(open());
  prepared = std::move(*device->prepare(test->program, {}));
  context = std::move(*prepared->createContext());
  Status status = run(300);
  EXPECT_EQ(status.code(), Code::LaunchFailed);
  EXPECT_NE(status.message().find("multiples of the cluster's 2"),
            std::string::npos)
      << status.message();
}

TEST_F(CudaDeviceTest, RefusesBadTensorMaps) {
  test->program.tensorMaps[0].box[0] = 257;
  ASSERT_NO_FATAL_FAILURE(open());
  auto made = device->prepare(test->program, {});
  ASSERT_TRUE(made);
  prepared = std::move(*made);
  context = std::move(*prepared->createContext());
  Status status = run(300);
  EXPECT_EQ(status.code(), Code::LaunchFailed);
  EXPECT_NE(status.message().find("tensor map"), std::string::npos);
  test->program.tensorMaps[0].box[0] = 128;
  ASSERT_NO_FATAL_FAILURE(expectCorrect(300));
}

TEST_F(CudaDeviceTest, NamesKernelAndLineOfAFailedLaunch) {
  ASSERT_NO_FATAL_FAILURE(start({/*directLaunches=*/3, /*maxShapes=*/16}));
  driver.failFunction("cuLaunchKernelEx", DriverResult::LaunchOutOfResources);
  Status status = run(300);
  EXPECT_EQ(status.code(), Code::LaunchFailed);
  EXPECT_EQ(status.message(),
            "kernel 'scale' from model.cpp:12: cuLaunchKernelEx failed: "
            "CUDA_ERROR_701 (a fake error)");
  driver.heal();
  ASSERT_NO_FATAL_FAILURE(expectCorrect(300));
}

TEST_F(CudaDeviceTest, IsLostAfterAStickyError) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_TRUE(run(300).isOk());
  driver.failCall(3, DriverResult::IllegalAddress);
  EXPECT_EQ(run(300).code(), Code::ContextLost);
  driver.heal();
  Status status = run(300);
  EXPECT_EQ(status.code(), Code::ContextLost) << "also when the driver calms";
  EXPECT_NE(status.message().find("CUDA_ERROR_700"), std::string::npos);
  EXPECT_EQ(device->allocate(16).status().code(), Code::ContextLost);
  EXPECT_EQ(device->synchronize(nullptr).code(), Code::ContextLost);
  EXPECT_EQ(device->createStream().status().code(), Code::ContextLost);
  EXPECT_EQ(prepared->createContext().status().code(), Code::ContextLost);
  EXPECT_EQ(device->prepare(test->program, {}).status().code(),
            Code::ContextLost);
}

TEST_F(CudaDeviceTest, SaysWhatMemoryIsMissing) {
  ASSERT_NO_FATAL_FAILURE(open());
  Status status = device->allocate(uint64_t(65) << 20).status();
  EXPECT_EQ(status.code(), Code::DeviceOutOfMemory);
  EXPECT_NE(status.message().find("65.0 MiB"), std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find("of 64.0 MiB are free"), std::string::npos)
      << status.message();
  EXPECT_TRUE(runtime::DeviceMemory::allocate(device, 1 << 20));
}

TEST_F(CudaDeviceTest, CopiesThroughStaging) {
  ASSERT_NO_FATAL_FAILURE(open());
  for (uint64_t bytes : {uint64_t(1), uint64_t(65536), uint64_t(65537),
                         uint64_t(4) << 20, (uint64_t(13) << 20) + 5}) {
    std::vector<uint8_t> from(bytes), to(bytes);
    for (uint64_t i = 0; i < bytes; ++i)
      from[i] = static_cast<uint8_t>(i * 7 + i / 4093);
    auto a = runtime::DeviceMemory::allocate(device, bytes);
    auto b = runtime::DeviceMemory::allocate(device, bytes);
    ASSERT_TRUE(a && b);
    ASSERT_TRUE(
        device->copyToDevice(a->data(), from.data(), bytes, nullptr).isOk());
    ASSERT_TRUE(
        device->copyOnDevice(b->data(), a->data(), bytes, nullptr).isOk());
    ASSERT_TRUE(
        device->copyToHost(to.data(), b->data(), bytes, nullptr).isOk());
    ASSERT_TRUE(device->synchronize(nullptr).isOk());
    EXPECT_EQ(from, to) << bytes;
  }
  EXPECT_EQ(driver.live()["pinned"], 2);
  EXPECT_TRUE(device->copyToHost(nullptr, nullptr, 0, nullptr).isOk());
}

TEST_F(CudaDeviceTest, ReadsWithOneCopyAndOneWait) {
  ASSERT_NO_FATAL_FAILURE(open());
  for (uint64_t bytes : {8u, 65536u, 65537u}) {
    std::vector<uint8_t> from(bytes, uint8_t(bytes + 1)), to(bytes);
    auto memory = runtime::DeviceMemory::allocate(device, bytes);
    ASSERT_TRUE(memory);
    ASSERT_TRUE(
        device->copyToDevice(memory->data(), from.data(), bytes, nullptr)
            .isOk());
    ASSERT_TRUE(device->read(to.data(), memory->data(), bytes, nullptr).isOk());
    EXPECT_EQ(from, to) << bytes;
  }
  EXPECT_TRUE(device->read(nullptr, nullptr, 0, nullptr).isOk());
  auto memory = runtime::DeviceMemory::allocate(device, 8);
  ASSERT_TRUE(memory);
  uint8_t to[8];
  uint64_t before = driver.calls();
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(device->read(to, memory->data(), 8, nullptr).isOk());
  // Per read: look at the context, enter it, copy, wait, leave it.
  EXPECT_EQ(driver.calls() - before, 500u);
  // One small piece, and the two of the staging.
  EXPECT_EQ(driver.live()["pinned"], 3);
}

TEST_F(CudaDeviceTest, ReadsWithoutPinnedMemory) {
  ASSERT_NO_FATAL_FAILURE(open());
  auto memory = runtime::DeviceMemory::allocate(device, 8);
  ASSERT_TRUE(memory);
  uint64_t value = 7, found = 0;
  ASSERT_TRUE(device->copyToDevice(memory->data(), &value, 8, nullptr).isOk());
  driver.failFunction("cuMemHostAlloc", DriverResult::OutOfMemory);
  EXPECT_TRUE(device->read(&found, memory->data(), 8, nullptr).isOk());
  EXPECT_EQ(found, 7u);
  driver.heal();
  driver.failFunction("cuStreamSynchronize", DriverResult::IllegalAddress);
  EXPECT_EQ(device->read(&found, memory->data(), 8, nullptr).code(),
            Code::ContextLost);
  driver.heal();
}

TEST_F(CudaDeviceTest, ScopesWithinAScopeAskForNothing) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_TRUE(run(512).isOk());
  {
    CudaScope outer(*device);
    EXPECT_EQ(FakeDriver::contextDepth(), 1u);
    uint64_t before = driver.calls();
    ASSERT_TRUE(run(512).isOk());
    EXPECT_EQ(driver.calls() - before, 1u);
    // Another device in between is entered, and left.
    auto other = createCudaDevice(driver.api(), 0);
    ASSERT_TRUE(other);
    EXPECT_TRUE((*other)->synchronize(nullptr).isOk());
    EXPECT_EQ(FakeDriver::contextDepth(), 1u);
    EXPECT_TRUE(device->synchronize(nullptr).isOk());
  }
  EXPECT_EQ(FakeDriver::contextDepth(), 0u);
}

TEST_F(CudaDeviceTest, RunsOnStreamsOfItsOwnAndOfOthers) {
  ASSERT_NO_FATAL_FAILURE(start());
  EXPECT_EQ(driver.streamFlags, streamOrderedWithDefault);
  Result<runtime::Stream> stream = device->createStream();
  ASSERT_TRUE(stream);
  EXPECT_EQ(driver.streamFlags, streamOrderedWithDefault);
  Status status = buffers.with(test->program, *prepared, 9,
                               [&](const runtime::RunArguments &arguments) {
                                 return context->run(arguments, *stream);
                               });
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_TRUE(device->synchronize(*stream).isOk());
  device->destroyStream(*stream);
  device->destroyStream(nullptr);
  EXPECT_EQ(driver.live()["stream"], 1);
}

TEST_F(CudaDeviceTest, LaunchesOneByOneIntoACapturedStream) {
  ASSERT_NO_FATAL_FAILURE(start());
  Result<runtime::Stream> stream = device->createStream();
  ASSERT_TRUE(stream);
  for (bool capturing : {false, true, false}) {
    driver.capturing = capturing;
    Status status = buffers.with(test->program, *prepared, 9,
                                 [&](const runtime::RunArguments &arguments) {
                                   return context->run(arguments, *stream);
                                 });
    EXPECT_TRUE(status.isOk()) << status.message();
  }
  EXPECT_EQ(driver.callsOf("cuGraphLaunch"), 2u);
  EXPECT_EQ(driver.callsOf("cuLaunchKernelEx"), 3u);
  device->destroyStream(*stream);
}

TEST_F(CudaDeviceTest, TimesLaunches) {
  ASSERT_NO_FATAL_FAILURE(start());
  std::vector<double> seconds(3, -1);
  auto profile = [&](const runtime::RunArguments &arguments) {
    return context->profile(arguments, nullptr, seconds);
  };
  ASSERT_TRUE(buffers.with(test->program, *prepared, 9, profile).isOk());
  // The fake's clock ticks once a launch.
  EXPECT_EQ(seconds, (std::vector<double>(3, 1e-3)));
  ASSERT_TRUE(buffers.with(test->program, *prepared, 0, profile).isOk());
  EXPECT_EQ(seconds, (std::vector<double>(3, 0.0)));
  Result<double> bandwidth = measureCopyBandwidth(*device, 1000, 3);
  ASSERT_TRUE(bandwidth) << bandwidth.status().message();
  EXPECT_NEAR(*bandwidth, 2000 / 1e-3, 1);
  EXPECT_FALSE(measureCopyBandwidth(*device, 0));
}

TEST_F(CudaDeviceTest, ThreadsShareAProgram) {
  ASSERT_NO_FATAL_FAILURE(start());
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      TestRun own;
      auto state = prepared->createContext();
      if (!state || !own.allocate(device).isOk() || !own.fill(*device).isOk()) {
        ++wrong;
        return;
      }
      for (int64_t i = 0; i < 200; ++i) {
        int64_t n = 1 + (i * 37 + t) % 20;
        Status status = own.run(test->program, *prepared, **state, n);
        Result<int64_t> correct = own.correct(*device);
        wrong += !status.isOk() || !correct || *correct < n;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CudaDeviceTest, RefusesWhatTheGpuCannotHold) {
  auto refused = [&](const char *text, Code code = Code::LimitExceeded) {
    Status status = prepareError();
    EXPECT_EQ(codeName(status.code()), codeName(code)) << status.message();
    EXPECT_NE(status.message().find(text), std::string::npos)
        << status.message();
  };
  driver.maxShared = 4095;
  refused("kernel 'shift': it needs 4096 bytes of shared memory");
  driver.maxShared = 232448;
  driver.clusters = 0;
  refused("kernel 'negate': it needs clusters", Code::ArchMismatch);
  driver.clusters = 1;
  test->program.kernels[0].symbol = "nothing";
  refused("no such kernel", Code::Malformed);
  test = makeTestProgram();
  driver.addKernel({"scale", {8, 8}, {}});
  refused("its code takes fewer", Code::Malformed);
  driver.addKernel({"scale", {8, 8, 8, 8}, {}});
  refused("its code takes more", Code::Malformed);
  driver.addKernel({"scale", {8, 128, 8}, {}});
  refused("parameter 1 has 128 bytes", Code::Malformed);
  driver.addKernel({"scale", {8, 8, 8}, {}, 128, 0});
  refused("registers for 128");
}

TEST_F(CudaDeviceTest, RefusesProgramsForTheCpu) {
  test->program.device = DeviceKind::CPU;
  EXPECT_EQ(prepareError().code(), Code::DeviceMismatch);
}

/// By the clocks, the bus and the units that the driver shows.
TEST_F(CudaDeviceTest, Peaks) {
  open();
  auto rate = [&](WorkKind kind, DType dtype) {
    return device->peak(kind, dtype).perSecond;
  };
  runtime::Peak memory = device->peak(WorkKind::Touched, DType::F32);
  EXPECT_DOUBLE_EQ(memory.perSecond, 2 * 3201e6 * 6144 / 8);
  EXPECT_EQ(memory.source, "2 x 3201 MHz x 6144 bits");
  runtime::Peak half = device->peak(WorkKind::Products, DType::F16);
  EXPECT_DOUBLE_EQ(half.perSecond, 132 * 1980e6 * 2 * 2048);
  EXPECT_EQ(half.source, "132 multiprocessors x 1980 MHz x 4096, sm_90");
  EXPECT_EQ(rate(WorkKind::Products, DType::BF16), half.perSecond);
  EXPECT_EQ(rate(WorkKind::Products, DType::F8E4M3FN), 2 * half.perSecond);
  EXPECT_EQ(rate(WorkKind::ProductsTF32, DType::F32), half.perSecond / 2);
  // Three products of TF32, of which there are 1024, are one of f32.
  EXPECT_DOUBLE_EQ(rate(WorkKind::Products, DType::F32),
                   132 * 1980e6 * 2 * 341);
  EXPECT_DOUBLE_EQ(rate(WorkKind::Arithmetic, DType::F32),
                   132 * 1980e6 * 2 * 128);
  EXPECT_EQ(rate(WorkKind::Products, DType::F64), 0);
  EXPECT_EQ(rate(WorkKind::Products, DType::I8), 0);
}

/// Its tensor cores have no TF32.
TEST_F(CudaDeviceTest, PeaksOfTuring) {
  driver.major = 7;
  driver.minor = 5;
  open();
  EXPECT_EQ(device->peak(WorkKind::Products, DType::F32).perSecond,
            device->peak(WorkKind::Arithmetic, DType::F32).perSecond);
}

TEST_F(CudaDeviceTest, PeaksThatAreNotKnown) {
  open();
  driver.failFunction("cuDeviceGetAttribute", DriverResult::InvalidValue);
  EXPECT_EQ(device->peak(WorkKind::Touched, DType::F32).perSecond, 0);
  EXPECT_EQ(device->peak(WorkKind::Products, DType::F16).perSecond, 0);
  driver.heal();
  // A chip that is not in the table.
  device.reset();
  buffers = {};
  driver.major = 11;
  open();
  EXPECT_EQ(device->peak(WorkKind::Products, DType::F16).perSecond, 0);
  EXPECT_GT(device->peak(WorkKind::Touched, DType::F32).perSecond, 0);
}
