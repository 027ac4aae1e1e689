//===- AllocationFailureCudaTest.cpp - CUDA without memory ----------------===//
//
// As AllocationFailureTest.cpp, over the fake driver and the fake library: each
// allocation fails in turn, alone or together with a call of the driver.
// Whatever happened is given back to the driver.
//
//===----------------------------------------------------------------------===//

#include "AllocationFailures.h"
#include "CudaFakeLibrary.h"
#include "CudaTestProgram.h"
#include "SampleProgram.h"

#include "tripy/Base/ExecutableFormat.h"
#include "tripy/Runtime/ExecutionContext.h"

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::cudatest;
using namespace tripy::hooks;
using namespace tripy::runtime;

namespace {

Outcome outcomeOf(const Status &status) {
  Outcome outcome;
  outcome.isRight = status.isOk();
  outcome.isOutOfMemory =
      status.code() == Code::HostOutOfMemory &&
      status.message().find("no memory") != std::string::npos;
  outcome.describe(status.message().c_str());
  return outcome;
}

/// A program with its own kernels, and one whose launch a library computes.
struct Programs {
  Programs() {
    VectorSink sink;
    EXPECT_TRUE(serialize(test->program, sink).isOk());
    kernels = sink.data;
    product->image = tinyElf();
    product->program.imageData = product->image;
    product->program.images[0].size = product->image.size();
    library = samples::container(*product);
  }
  std::unique_ptr<TestProgram> test = makeTestProgram();
  std::unique_ptr<samples::Sample> product = samples::productSample();
  std::vector<uint8_t> kernels, library;
};

void addKernels(FakeDriver &driver) {
  addTestKernels(driver);
  driver.addKernel({"gemm", {8, 8, 8, 8, 8}, [](const FakeLaunch &l) {
                      FakeLt::compute({l.param<float *>(2), l.param<float *>(1),
                                       l.param<float *>(3), l.param<float *>(4),
                                       7, 3, 5, 2});
                    }});
}

/// A life with a device: load, make a context, run twice, time, free.
class Life {
public:
  Life(FakeDriver &driver, const CudaOptions &options,
       const std::vector<uint8_t> &bytes, std::vector<Shape> inputs,
       Shape output, float result)
      : driver(driver), options(options), bytes(bytes), result(result) {
    for (const Shape &shape : inputs)
      tensors.push_back(make(shape));
    tensors.push_back(make(output));
    for (const HostTensor &tensor : tensors)
      views.push_back(tensor.view());
  }

  Status live() {
    freeing = false;
    Result<std::shared_ptr<Device>> device =
        createCudaDevice(driver.api(), 0, options);
    if (!device)
      return device.status();
    LoadOptions load;
    load.device = *device;
    Result<std::shared_ptr<Executable>> executable =
        Executable::loadBytes(bytes, load);
    if (!executable)
      return executable.status();
    Result<std::unique_ptr<ExecutionContext>> context =
        ExecutionContext::create(*executable);
    if (!context)
      return context.status();
    std::span<const TensorView> all(views);
    auto inputs = all.first(all.size() - 1), outputs = all.last(1);
    Status first = (*context)->run(inputs, outputs);
    // Also after a failure: it has changed nothing.
    for (float &value : tensors.back().as<float>())
      value = 0;
    Status second = (*context)->run(inputs, outputs);
    for (float value : tensors.back().as<float>())
      isWrong |= second.isOk() && value != result;
    double seconds[8] = {};
    Status third = (*context)->profile(
        inputs, outputs,
        std::span(seconds).first((*executable)->program().launches.size()));
    freeing = true;
    return !first.isOk() ? first : !second.isOk() ? second : third;
  }

  /// A run that succeeded has computed something else than `result`.
  bool isWrong = false;
  /// All that live() reports has happened.
  bool freeing = false;

private:
  static HostTensor make(const Shape &shape) {
    Result<HostTensor> tensor = HostTensor::create(DType::F32, shape);
    EXPECT_TRUE(tensor);
    for (float &value : tensor->as<float>())
      value = 1;
    return std::move(*tensor);
  }
  FakeDriver &driver;
  const CudaOptions options;
  const std::vector<uint8_t> &bytes;
  /// Each element of the output for inputs of ones.
  const float result;
  std::vector<HostTensor> tensors;
  std::vector<TensorView> views;
};

const std::map<std::string, int> nothing;

void failLife(uint32_t directLaunches, bool product) {
  Programs programs;
  FakeDriver driver;
  addKernels(driver);
  FakeLt library(driver);
  CublasLtApi table = library.table();
  CudaOptions options{directLaunches, /*maxShapes=*/1, /*stagingBytes=*/4096};
  options.cublasLt = &table;
  Life life = product
                  ? Life(driver, options, programs.library,
                         {{2, 3, 5}, {2, 7, 5}}, {2, 3, 7}, 5)
                  : Life(driver, options, programs.kernels, {{300}}, {300}, -5);
  EXPECT_GT(failEachAllocation("a life with CUDA",
                               [&] {
                                 Outcome outcome = outcomeOf(life.live());
                                 ShelteredAllocations shelter;
                                 EXPECT_FALSE(life.isWrong);
                                 EXPECT_EQ(driver.live(), nothing);
                                 EXPECT_EQ(library.live, nothing);
                                 return outcome;
                               }),
            50u);
}

TEST(AllocationFailureCuda, Graphs) { failLife(0, false); }
TEST(AllocationFailureCuda, DirectLaunches) { failLife(8, false); }
TEST(AllocationFailureCuda, Products) { failLife(8, true); }
TEST(AllocationFailureCuda, CapturedProducts) { failLife(0, true); }

/// What a release returns is of no use to anybody; it is given back.
bool isRelease(const std::string &function) {
  return function.find("Destroy") != std::string::npos ||
         function.find("Free") != std::string::npos ||
         function.find("Unload") != std::string::npos ||
         function.find("Release") != std::string::npos ||
         function.find("Pop") != std::string::npos;
}

/// Functions whose failure is made good or asked for.
const std::set<std::string> recovered = {"cuCtxGetCurrent", "cuCtxPushCurrent",
                                         "cuFuncGetParamInfo"};

/// Lets call `nth` of the driver fail, with memory or with none from then on.
/// False when a life has fewer calls.
/// `hasReplacement`: where capturing the library fails, kernels take its place.
bool failCall(Life &life, FakeDriver &driver, FakeLt &library, uint64_t nth,
              bool withMemory, bool hasReplacement,
              std::set<std::string> &leaking) {
  driver.heal();
  driver.failCall(nth, DriverResult::InvalidValue);
  Status status;
  bool reported = false;
  {
    // The failing call's report is what has no memory: everything before has.
    driver.onFailure = [&] {
      reported = !life.freeing;
      hooks::sheltered -= withMemory ? 0 : 1;
    };
    ShelteredAllocations shelter;
    FailingAllocations none(0, Failing::Lasting);
    status = life.live();
    if (!driver.failed.empty() && !withMemory)
      ++hooks::sheltered;
    driver.onFailure = nullptr;
  }
  if (!status.isOk())
    EXPECT_FALSE(status.message().empty()) << driver.failed;
  // What enters a context for a release has nobody to report to; what asks for
  // one parameter more than there is gets the answer that it expects.
  EXPECT_TRUE(!reported || !status.isOk() || isRelease(driver.failed) ||
              recovered.count(driver.failed) || hasReplacement)
      << driver.failed;
  EXPECT_FALSE(life.isWrong) << driver.failed;
  if (driver.live() != nothing)
    leaking.insert(driver.failed);
  EXPECT_EQ(library.live, nothing) << driver.failed;
  return !driver.failed.empty();
}

/// Each driver call of a whole life fails in turn. What is left behind is only
/// what a failing release was asked to give back.
void failEachCall(uint32_t directLaunches, bool product, bool withMemory) {
  Programs programs;
  std::set<std::string> leaking;
  uint64_t nth = 1;
  for (bool more = true; more && nth < 10000; ++nth) {
    FakeDriver driver;
    addKernels(driver);
    FakeLt library(driver);
    CublasLtApi table = library.table();
    CudaOptions options{directLaunches, 1, 4096};
    options.cublasLt = &table;
    Life life =
        product ? Life(driver, options, programs.library,
                       {{2, 3, 5}, {2, 7, 5}}, {2, 3, 7}, 5)
                : Life(driver, options, programs.kernels, {{300}}, {300}, -5);
    more = failCall(life, driver, library, nth, withMemory,
                    product && directLaunches == 0, leaking);
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(nth, 60u);
  for (const std::string &function : leaking)
    EXPECT_TRUE(isRelease(function)) << function;
}

TEST(AllocationFailureCuda, EveryDriverCall) {
  for (uint32_t directLaunches : {0, 8})
    for (bool product : {false, true})
      failEachCall(directLaunches, product, /*withMemory=*/true);
}

TEST(AllocationFailureCuda, EveryDriverCallWithoutMemory) {
  for (uint32_t directLaunches : {0, 8})
    for (bool product : {false, true})
      failEachCall(directLaunches, product, /*withMemory=*/false);
}

} // namespace
