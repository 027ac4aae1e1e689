//===- CudaFailureTest.cpp - Every driver call fails once -----------------===//
//
// Runs one scenario that uses the whole CUDA device, and lets its Nth driver
// call fail, for every N and each of twelve results.
//
//===----------------------------------------------------------------------===//

#include "CudaTestProgram.h"

#include <set>

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::cudatest;

namespace {

/// A life of the device in steps. A step that failed can be taken again.
class Scenario {
public:
  explicit Scenario(FakeDriver &driver, const CudaOptions &options)
      : driver(driver), options(options) {}
  ~Scenario() {
    context.reset();
    prepared.reset();
    buffers = {};
    spare = {};
    device.reset();
  }

  static constexpr int steps = 9;
  Status step(int number) {
    switch (number) {
    case 0:
      return make(createCudaDevice(driver.api(), 0, options), device);
    case 1:
      return buffers.allocate(device);
    case 2:
      return buffers.fill(*device);
    case 3:
      return make(device->prepare(test->program, {}), prepared);
    case 4:
      return make(prepared->createContext(), context);
    case 5:
      return buffers.run(test->program, *prepared, *context, 100);
    case 6:
      // Other addresses, then another shape that evicts the first.
      if (Status status = spare.allocate(device); !status.isOk())
        return status;
      std::swap(spare.y, buffers.y);
      if (Status status = buffers.run(test->program, *prepared, *context, 100);
          !status.isOk())
        return status;
      return buffers.run(test->program, *prepared, *context, 200);
    case 7:
      return copyMuch();
    case 8:
      return time();
    }
    return Status(Code::Internal, "no such step");
  }
  bool isRight() {
    if (!buffers.fill(*device).isOk() ||
        !buffers.run(test->program, *prepared, *context, 300).isOk())
      return false;
    Result<int64_t> correct = buffers.correct(*device);
    return correct && *correct >= 300;
  }

private:
  template <typename T, typename U> Status make(Result<T> result, U &place) {
    if (!result)
      return result.status();
    place = std::move(*result);
    return Status::ok();
  }
  Status copyMuch() {
    constexpr uint64_t bytes = 200003;
    std::vector<uint8_t> host(bytes, 1);
    auto memory = runtime::DeviceMemory::allocate(device, bytes);
    if (!memory)
      return memory.status();
    if (Status status =
            device->copyToDevice(memory->data(), host.data(), bytes, nullptr);
        !status.isOk())
      return status;
    return device->copyToHost(host.data(), memory->data(), bytes, nullptr);
  }
  Status time() {
    Result<runtime::Stream> stream = device->createStream();
    if (!stream)
      return stream.status();
    double seconds[3];
    Status status = buffers.with(test->program, *prepared, 5,
                                 [&](const runtime::RunArguments &a) {
                                   return context->profile(a, *stream, seconds);
                                 });
    device->destroyStream(*stream);
    if (!status.isOk())
      return status;
    Result<double> bandwidth = measureCopyBandwidth(*device, 64, 1);
    return bandwidth ? Status::ok() : bandwidth.status();
  }

  FakeDriver &driver;
  const CudaOptions options;
  std::unique_ptr<TestProgram> test = makeTestProgram({"sm_90a"});
  std::shared_ptr<runtime::Device> device;
  TestRun buffers, spare;
  std::unique_ptr<runtime::DeviceProgram> prepared;
  std::unique_ptr<runtime::DeviceContext> context;
};

/// Functions whose failure need not be reported: they give something back.
const std::set<std::string> releases = {
    "cuMemFree",          "cuMemFreeHost",   "cuModuleUnload",
    "cuStreamDestroy",    "cuEventDestroy",  "cuGraphDestroy",
    "cuGraphExecDestroy", "cuCtxPopCurrent", "cuDevicePrimaryCtxRelease"};

/// Functions whose failure is made good.
const std::set<std::string> recovered = {"cuCtxGetCurrent", "cuCtxPushCurrent"};

/// Whether `code` is a right report of `result` from `function`.
bool isRightCode(Code code, const std::string &function, DriverResult result) {
  // Entering the context for a release reports nothing; what follows does.
  if (endsContext(result))
    return code == Code::ContextLost ||
           (code == Code::Ok && recovered.count(function));
  if (recovered.count(function))
    return code == Code::Ok;
  if (result == DriverResult::OutOfMemory)
    return code == (function == "cuMemHostAlloc" ? Code::HostOutOfMemory
                                                 : Code::DeviceOutOfMemory);
  if (function == "cuModuleLoadDataEx")
    switch (result) {
    case DriverResult::InvalidImage:
      return code == Code::Malformed;
    case DriverResult::NoBinaryForGpu:
    case DriverResult::JitCompilerNotFound:
      return code == Code::ArchMismatch;
    case DriverResult::UnsupportedPtxVersion:
      return code == Code::DriverTooOld;
    default:
      return code == Code::Internal;
    }
  // The driver answers so for the parameter behind the last.
  if (function == "cuFuncGetParamInfo" && result == DriverResult::InvalidValue)
    return code == Code::Malformed || code == Code::Ok;
  static const std::set<std::string> launching = {
      "cuLaunchKernelEx",
      "cuGraphLaunch",
      "cuGraphAddKernelNode",
      "cuGraphAddDependencies",
      "cuStreamSynchronize",
      "cuEventSynchronize",
      "cuTensorMapEncodeTiled",
      "cuGraphInstantiateWithFlags",
      "cuGraphKernelNodeSetAttribute",
      "cuGraphExecKernelNodeSetParams"};
  return code ==
         (launching.count(function) ? Code::LaunchFailed : Code::Internal);
}

const DriverResult results[] = {
    DriverResult::OutOfMemory,          DriverResult::InvalidImage,
    DriverResult::NoBinaryForGpu,       DriverResult::UnsupportedPtxVersion,
    DriverResult::JitCompilerNotFound,  DriverResult::InvalidValue,
    DriverResult::LaunchOutOfResources, DriverResult::IllegalAddress,
    DriverResult::LaunchTimeout,        DriverResult::EccUncorrectable,
    DriverResult::ContextDestroyed,     DriverResult::NotReady,
};

/// Lets call `nth` of the scenario fail. False when it has fewer calls.
bool failOnce(uint64_t nth, DriverResult result, const CudaOptions &options) {
  FakeDriver driver;
  addTestKernels(driver);
  driver.failCall(nth, result);
  {
    Scenario scenario(driver, options);
    for (int step = 0; step < Scenario::steps; ++step) {
      bool failedBefore = !driver.failed.empty();
      Status status = scenario.step(step);
      std::string where = driver.failed + " (call " + std::to_string(nth) +
                          ", result " +
                          std::to_string(static_cast<int>(result)) + ", step " +
                          std::to_string(step) + "): " + status.message();
      bool failedNow = !failedBefore && !driver.failed.empty();
      if (failedNow && !releases.count(driver.failed)) {
        EXPECT_TRUE(isRightCode(status.code(), driver.failed, result)) << where;
      } else if (!driver.isStuck()) {
        EXPECT_TRUE(status.isOk()) << where;
      }
      if (driver.isStuck()) {
        // Nothing works any more, and says so.
        if (step > 0) {
          EXPECT_EQ(scenario.step(1).code() == Code::Ok
                        ? scenario.step(2).code()
                        : Code::ContextLost,
                    Code::ContextLost)
              << where;
        }
        break;
      }
      if (!status.isOk()) {
        Status again = scenario.step(step);
        EXPECT_TRUE(again.isOk()) << where << "; again: " << again.message();
      }
    }
    if (!driver.isStuck()) {
      // A call that the scenario does not have fails nowhere else.
      driver.heal();
      EXPECT_TRUE(scenario.isRight());
    }
  }
  EXPECT_EQ(driver.live(), (std::map<std::string, int>{}))
      << driver.failed << " call " << nth;
  EXPECT_EQ(FakeDriver::contextDepth(), 0u) << driver.failed;
  return !driver.failed.empty();
}

void failEverywhere(const CudaOptions &options, uint64_t atLeast) {
  std::set<std::string> reached;
  for (DriverResult result : results) {
    uint64_t nth = 1;
    while (failOnce(nth, result, options) && nth < 10000) {
      ++nth;
      ASSERT_FALSE(::testing::Test::HasFailure());
    }
    EXPECT_GE(nth, atLeast);
  }
}

} // namespace

TEST(CudaFailure, EveryCallWithGraphs) {
  failEverywhere(
      {/*directLaunches=*/1, /*maxShapes=*/1, /*stagingBytes=*/80000}, 150);
}

TEST(CudaFailure, EveryCallWithDirectLaunches) {
  failEverywhere(
      {/*directLaunches=*/8, /*maxShapes=*/1, /*stagingBytes=*/80000}, 150);
}
