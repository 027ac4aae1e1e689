//===- CudaLibraryTest.cpp - Products that a library computes -------------===//
//
// The CUDA device over the fake driver, with a fake of cuBLASLt: what is chosen
// and why, what happens when something fails, and that nothing is left behind.
//
//===----------------------------------------------------------------------===//

#include "CudaFakeLibrary.h"
#include "CudaTestProgram.h"
#include "SampleProgram.h"

#include <map>

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::cudatest;

namespace {

/// The product of SampleProgram.h behind and before kernels that overlap.
class CudaLibraryTest : public ::testing::Test {
protected:
  void SetUp() override {
    driver.addKernel({"gemm", {8, 8, 8, 8, 8}, [](const FakeLaunch &l) {
                        FakeLt::Call call{l.param<float *>(2),
                                          l.param<float *>(1),
                                          l.param<float *>(3),
                                          l.param<float *>(4),
                                          7,
                                          3,
                                          5,
                                          2};
                        FakeLt::compute(call);
                      }});
    Program &program = sample->program;
    float values[7] = {1, 2, 3, 4, 5, 6, 7};
    std::memcpy(sample->constants.data(), values, sizeof(values));
    sample->image = tinyElf();
    program.imageData = sample->image;
    program.images[0].size = sample->image.size();
    ASSERT_TRUE(verifyProgram(program).isOk());
  }
  void TearDown() override {
    close();
    EXPECT_EQ(driver.live(), (std::map<std::string, int>{}));
    EXPECT_EQ(library.live, (std::map<std::string, int>{}));
  }
  void close() {
    context.reset();
    prepared.reset();
    for (runtime::DeviceMemory &memory : memories)
      memory = {};
    device.reset();
  }
  Status open(uint32_t directLaunches = 0) {
    api = library.table();
    CudaOptions options;
    options.directLaunches = directLaunches;
    options.cublasLt = &api;
    auto made = createCudaDevice(driver.api(), 0, options);
    if (!made)
      return made.status();
    device = *made;
    auto program = device->prepare(sample->program, {});
    if (!program)
      return program.status();
    prepared = std::move(*program);
    auto state = prepared->createContext();
    if (!state)
      return state.status();
    context = std::move(*state);
    return Status::ok();
  }
  /// Runs with tensors at addresses number `set`.
  Status run(size_t set = 0, runtime::Stream stream = nullptr) {
    std::vector<float> x(30), w(70);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i % 7) - 3;
    for (size_t i = 0; i < w.size(); ++i)
      w[i] = float(i % 5) - 2;
    runtime::DeviceMemory *of = &memories[3 * set];
    for (size_t i = 0; i < 3; ++i)
      if (!of[i].data()) {
        auto made = runtime::DeviceMemory::allocate(device, 512);
        if (!made)
          return made.status();
        of[i] = std::move(*made);
      }
    std::memcpy(of[0].data(), x.data(), x.size() * 4);
    std::memcpy(of[1].data(), w.data(), w.size() * 4);
    std::memset(of[2].data(), 0xff, 42 * 4);
    const Program &program = sample->program;
    std::vector<int64_t> sizes(program.exprs.size());
    if (Status status = evaluateSizes(program, {}, sizes); !status.isOk())
      return status;
    void *buffers[] = {of[0].data(), of[1].data(),
                       const_cast<uint8_t *>(prepared->constants()),
                       of[2].data()};
    if (Status status = context->run({buffers, sizes, {}}, stream);
        !status.isOk())
      return status;
    std::vector<float> wanted(42);
    FakeLt::compute({w.data(), x.data(),
                     reinterpret_cast<const float *>(sample->constants.data()),
                     wanted.data(), 7, 3, 5, 2});
    EXPECT_EQ(std::memcmp(of[2].data(), wanted.data(), 42 * 4), 0);
    return Status::ok();
  }
  void expectRun(const std::vector<std::string> &kernels, size_t set = 0) {
    driver.launched.clear();
    Status status = run(set);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(driver.launched, kernels);
  }
  /// That the own kernel computes everything, and why.
  void expectOwn(const std::string &why) {
    Status status = open();
    ASSERT_TRUE(status.isOk()) << status.message();
    ASSERT_NO_FATAL_FAILURE(expectRun({"gemm"}));
    runtime::Backend backend = prepared->backend(0);
    EXPECT_FALSE(backend.isLibrary);
    EXPECT_NE(backend.text.find("own kernel: "), std::string::npos);
    EXPECT_NE(backend.text.find(why), std::string::npos)
        << "found: " << backend.text << "\nwanted: " << why;
  }

  FakeDriver driver;
  FakeLt library{driver};
  CublasLtApi api;
  std::unique_ptr<samples::Sample> sample = samples::productSample();
  std::shared_ptr<runtime::Device> device;
  std::array<runtime::DeviceMemory, 6> memories;
  std::unique_ptr<runtime::DeviceProgram> prepared;
  std::unique_ptr<runtime::DeviceContext> context;
};

} // namespace

TEST_F(CudaLibraryTest, ComputesInTheKernelsPlace) {
  ASSERT_TRUE(open().isOk());
  EXPECT_TRUE(prepared->backend(0).isLibrary);
  EXPECT_EQ(prepared->backend(0).text, "cuBLASLt 13.1.0");
  EXPECT_EQ(prepared->backend(1).text, "") << "there is no such launch";
  ASSERT_NO_FATAL_FAILURE(expectRun({"library"}));
  EXPECT_TRUE(driver.launches.back().inGraph);
  // What was seen is replayed: nothing is asked of the library.
  uint64_t bytes = driver.bytesInUse();
  ASSERT_NO_FATAL_FAILURE(expectRun({"library"}));
  EXPECT_EQ(library.calls["matmul"], 1);
  EXPECT_EQ(driver.callsOf("cuGraphLaunch"), 2u);
  EXPECT_EQ(driver.bytesInUse(), bytes);
}

TEST_F(CudaLibraryTest, FollowsMovedTensors) {
  ASSERT_TRUE(open().isOk());
  for (size_t set : {0, 1, 1, 0})
    ASSERT_NO_FATAL_FAILURE(expectRun({"library"}, set));
  EXPECT_EQ(library.calls["matmul"], 3);
  EXPECT_EQ(driver.live()["exec"], 1);
}

TEST_F(CudaLibraryTest, LaunchesWithoutAGraph) {
  ASSERT_TRUE(open(/*directLaunches=*/8).isOk());
  ASSERT_NO_FATAL_FAILURE(expectRun({"library"}));
  EXPECT_EQ(driver.callsOf("cuGraphLaunch"), 0u);
  EXPECT_FALSE(driver.launches.back().inGraph);
}

/// A stream that the caller captures gets the call itself; no graph is made.
TEST_F(CudaLibraryTest, GoesIntoTheCallersGraph) {
  ASSERT_TRUE(open().isOk());
  Result<runtime::Stream> stream = device->createStream();
  ASSERT_TRUE(stream);
  driver.capturing = true;
  for (size_t set : {0, 1, 0}) {
    driver.launched.clear();
    ASSERT_TRUE(run(set, *stream).isOk());
    EXPECT_EQ(driver.launched, std::vector<std::string>{"library"});
  }
  EXPECT_EQ(driver.callsOf("cuGraphInstantiateWithFlags"), 0u);
  EXPECT_EQ(driver.callsOf("cuStreamBeginCapture"), 0u);
  device->destroyStream(*stream);
}

/// A kernel may begin early behind a kernel that expects it, and behind no
/// other.
TEST_F(CudaLibraryTest, NothingOverlapsALibrary) {
  Program &program = sample->program;
  Launch again = program.launches[0];
  again.overlapsPredecessor = true;
  program.launches.push_back(again);
  again.product = noIndex;
  program.launches.insert(program.launches.end(), 2, again);
  ASSERT_TRUE(verifyProgram(program).isOk());
  ASSERT_TRUE(open().isOk());
  ASSERT_NO_FATAL_FAILURE(expectRun({"library", "library", "gemm", "gemm"}));
  EXPECT_FALSE(driver.launches[2].overlaps);
  EXPECT_TRUE(driver.launches[3].overlaps);
  EXPECT_EQ(library.calls["heuristic"], 1) << "one product, one algorithm";
}

TEST_F(CudaLibraryTest, NeedsNoWorkspace) {
  library.workspaceBytes = 0;
  ASSERT_TRUE(open().isOk());
  ASSERT_NO_FATAL_FAILURE(expectRun({"library"}));
}

TEST_F(CudaLibraryTest, IsTooOld) {
  library.version = 110901;
  ASSERT_NO_FATAL_FAILURE(expectOwn("cuBLASLt 11.9.1 is older than 12.0"));
  EXPECT_EQ(library.calls["create"], 0);
}

TEST_F(CudaLibraryTest, HasNoAlgorithm) {
  library.hasAlgorithm = false;
  ASSERT_NO_FATAL_FAILURE(expectOwn("cuBLASLt 13.1.0 has no algorithm for it"));
}

TEST_F(CudaLibraryTest, WantsTooMuchWorkspace) {
  library.workspaceBytes = uint64_t(1) << 40;
  ASSERT_NO_FATAL_FAILURE(expectOwn("wants a workspace of "));
}

/// Whatever the library refuses when a program is loaded, its kernels do.
TEST_F(CudaLibraryTest, FailsWhenLoaded) {
  for (const char *function :
       {"create", "descCreate", "descSet3", "descSet4", "descSet7", "descSet8",
        "layoutCreate0", "layoutCreate1", "layoutCreate2", "layoutSet5",
        "layoutSet6", "preferenceCreate", "preferenceSet1", "preferenceSet3",
        "preferenceSet5", "preferenceSet6", "preferenceSet7", "preferenceSet8",
        "heuristic"}) {
    library.broken = function;
    library.calls.clear();
    ASSERT_NO_FATAL_FAILURE(expectOwn("failed")) << function;
    EXPECT_EQ(library.calls[function], 1) << function;
    close();
    EXPECT_EQ(library.live, (std::map<std::string, int>{})) << function;
  }
}

TEST_F(CudaLibraryTest, FailsWhenCaptured) {
  ASSERT_TRUE(open().isOk());
  library.broken = "matmul";
  ASSERT_NO_FATAL_FAILURE(expectRun({"gemm"}));
  EXPECT_FALSE(prepared->backend(0).isLibrary);
  EXPECT_NE(prepared->backend(0).text.find(
                "own kernel: in place of kernel 'gemm': cuBLASLt 13.1.0: "
                "cublasLtMatmul failed: a fault (7)"),
            std::string::npos)
      << prepared->backend(0).text;
  // It is not asked again.
  ASSERT_NO_FATAL_FAILURE(expectRun({"gemm"}, 1));
  EXPECT_EQ(library.calls["matmul"], 1);
  // Nor are its kernels captured where the driver fails.
  for (const char *function : {"cuStreamBeginCapture", "cuStreamEndCapture"}) {
    close();
    library.broken = "";
    ASSERT_TRUE(open().isOk());
    driver.failFunction(function, invalidValue);
    ASSERT_NO_FATAL_FAILURE(expectRun({"gemm"}));
    driver.heal();
  }
}

TEST_F(CudaLibraryTest, FailsWithoutAGraph) {
  ASSERT_TRUE(open(/*directLaunches=*/8).isOk());
  library.broken = "matmul";
  Status status = run();
  EXPECT_EQ(status.code(), Code::LaunchFailed);
  EXPECT_NE(status.message().find("in place of kernel 'gemm'"),
            std::string::npos)
      << status.message();
}

/// Each call of the driver fails once: there is a result or an error, and
/// nothing is left behind.
TEST_F(CudaLibraryTest, SurvivesFailuresOfTheDriver) {
  for (DriverResult result :
       {DriverResult::OutOfMemory, DriverResult::IllegalAddress})
    for (uint64_t call = 1;; ++call) {
      driver.failCall(call, result);
      driver.failed.clear();
      Status status = open();
      if (status.isOk())
        status = run();
      if (status.isOk())
        status = run(1);
      bool reached = !driver.failed.empty();
      close();
      driver.heal();
      EXPECT_EQ(driver.live(), (std::map<std::string, int>{})) << call;
      EXPECT_EQ(library.live, (std::map<std::string, int>{})) << call;
      if (!reached) {
        EXPECT_TRUE(status.isOk()) << status.message();
        EXPECT_GT(call, 20u);
        break;
      }
    }
}

TEST(CublasLt, IsMissing) {
  Result<CublasLtApi> none = loadCublasLt("libno-such-library.so.13");
  EXPECT_EQ(none.status().code(), Code::NotFound);
  EXPECT_NE(none.status().message().find("cuBLASLt was not found: "),
            std::string::npos)
      << none.status().message();
}

TEST(CublasLt, IsAnotherLibrary) {
  Result<CublasLtApi> other = loadCublasLt("libc.so.6");
  EXPECT_EQ(other.status().code(), Code::Unsupported);
  EXPECT_EQ(other.status().message(),
            "'libc.so.6' has no function cublasLtGetVersion, so it is not a "
            "usable cuBLASLt");
}
