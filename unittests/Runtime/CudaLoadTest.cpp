//===- CudaLoadTest.cpp - Drivers, GPUs and machine code ------------------===//

#include "CudaTestProgram.h"

#include "Cuda/Image.h"

#include <cstdlib>

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::cudatest;

namespace {

bool contains(const Status &status, const char *text) {
  return status.message().find(text) != std::string::npos;
}

/// Error of making device `ordinal` on `driver`.
Status openError(const FakeDriver &driver, int32_t ordinal = 0) {
  auto device = createCudaDevice(driver.api(), ordinal);
  return device ? Status::ok() : device.status();
}

/// What the program runs from on the fake GPU, or the error.
std::string imageOf(FakeDriver &driver, const TestProgram &test) {
  auto device = createCudaDevice(driver.api(), 0);
  EXPECT_TRUE(device);
  auto program = (*device)->prepare(test.program, {});
  if (program)
    return describeImage(**program);
  EXPECT_EQ(driver.callsOf("cuModuleLoadDataEx"), 0u);
  return std::string(codeName(program.status().code()));
}

} // namespace

TEST(CudaLoad, MissingDriver) {
  Result<DriverApi> driver = loadDriver("libno-such-driver.so.1");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.status().code(), Code::DriverMissing);
  EXPECT_TRUE(contains(driver.status(), "libno-such-driver.so.1"));
  EXPECT_TRUE(contains(driver.status(), "--device=cpu"));
}

TEST(CudaLoad, LibraryThatIsNoDriver) {
  Result<DriverApi> driver = loadDriver("libc.so.6");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.status().code(), Code::DriverMissing);
  EXPECT_TRUE(contains(driver.status(), "cuGetProcAddress_v2"));
}

TEST(CudaLoad, OldDriver) {
  FakeDriver driver;
  driver.version = 12030;
  Status status = openError(driver);
  EXPECT_EQ(status.code(), Code::DriverTooOld);
  EXPECT_TRUE(contains(status, "supports CUDA 12.3, Tripy needs 12.4"))
      << status.message();
  driver.version = 12040;
  EXPECT_TRUE(openError(driver).isOk());
}

TEST(CudaLoad, NoGpu) {
  FakeDriver driver;
  driver.devices = 0;
  unsetenv("CUDA_VISIBLE_DEVICES");
  Status status = openError(driver);
  EXPECT_EQ(status.code(), Code::NotFound);
  EXPECT_TRUE(contains(status, "finds no GPU")) << status.message();
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  status = openError(driver);
  unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(status.code(), Code::NotFound);
  EXPECT_TRUE(contains(status, "CUDA_VISIBLE_DEVICES is ''"))
      << status.message();
  driver.devices = 2;
  EXPECT_TRUE(contains(openError(driver, 2), "no GPU 2: the driver shows 2"));
  EXPECT_EQ(openError(driver, -1).code(), Code::NotFound);
  EXPECT_TRUE(openError(driver, 1).isOk());
}

TEST(CudaLoad, StubDriver) {
  FakeDriver driver;
  driver.failFunction("cuInit", DriverResult::StubLibrary);
  EXPECT_EQ(openError(driver).code(), Code::DriverMissing);
}

TEST(CudaLoad, ReadsArchitectures) {
  EXPECT_EQ(parseArch("sm_90a")->number, 90);
  EXPECT_EQ(parseArch("sm_90a")->suffix, 'a');
  EXPECT_EQ(parseArch("compute_103f")->number, 103);
  for (const char *text : {"", "sm_", "sm_9", "sm_90b", "sm_90aa", "90a",
                           "sm_-90", "sm_99999999999999999999", "SM_90"})
    EXPECT_FALSE(parseArch(text)) << text;
}

TEST(CudaLoad, ChoosesAnImage) {
  struct Case {
    int major, minor;
    std::vector<std::string> cubins, ptx;
    std::string found;
  };
  const Case cases[] = {
      {9, 0, {"sm_90a"}, {}, "machine code for sm_90a"},
      {9, 0, {"sm_90", "sm_90a"}, {"sm_90a"}, "machine code for sm_90a"},
      {8, 9, {"sm_80", "sm_86"}, {}, "machine code for sm_86"},
      {8, 0, {"sm_86"}, {}, "ArchMismatch"},
      {8, 9, {"sm_90a"}, {}, "ArchMismatch"},
      {10, 0, {"sm_90a"}, {}, "ArchMismatch"},
      {10, 0, {"sm_90"}, {}, "ArchMismatch"},
      {10, 3, {"sm_100f"}, {}, "machine code for sm_100f"},
      {10, 3, {"sm_100a"}, {}, "ArchMismatch"},
      {9, 0, {}, {"sm_80"}, "PTX for sm_80, compiled by the driver for sm_90"},
      {9,
       0,
       {"sm_80"},
       {"sm_80"},
       "PTX for sm_80, compiled by the driver for sm_90"},
      {10, 0, {"sm_90a"}, {"sm_90a"}, "ArchMismatch"},
      {10,
       0,
       {"sm_90a"},
       {"sm_75", "sm_90"},
       "PTX for sm_90, compiled by the driver for sm_100"},
      {7, 5, {}, {"sm_80"}, "ArchMismatch"},
      {9, 0, {"nonsense"}, {"compute_"}, "ArchMismatch"},
      {9, 0, {}, {}, "ArchMismatch"},
  };
  for (const Case &c : cases) {
    FakeDriver driver;
    addTestKernels(driver);
    driver.major = c.major;
    driver.minor = c.minor;
    auto test = makeTestProgram(c.cubins);
    for (const std::string &arch : c.ptx)
      test->addPtx(arch);
    EXPECT_EQ(imageOf(driver, *test), c.found)
        << c.major << "." << c.minor << " case " << (&c - cases);
  }
}

TEST(CudaLoad, NamesBothArchitectures) {
  FakeDriver driver;
  driver.major = 8;
  driver.minor = 9;
  driver.name = "Fake L4";
  auto test = makeTestProgram({"sm_90a"});
  auto device = createCudaDevice(driver.api(), 0);
  auto program = (*device)->prepare(test->program, {});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.status().message(),
            "the program does not run on Fake L4 (compute capability 8.9): it "
            "holds machine code for sm_90a: compile it anew with "
            "--target=cuda:sm_89");
}

TEST(CudaLoad, ExplainsModuleFailures) {
  struct Case {
    DriverResult result;
    Code code;
    const char *text;
  };
  const Case cases[] = {
      {DriverResult::NoBinaryForGpu, Code::ArchMismatch, "sm_90a"},
      {DriverResult::InvalidImage, Code::Malformed, "damaged"},
      {DriverResult::InvalidPtx, Code::Malformed, "line 7: no such thing"},
      {DriverResult::UnsupportedPtxVersion, Code::DriverTooOld, "newer"},
      {DriverResult::JitCompilerNotFound, Code::ArchMismatch, "missing"},
      {DriverResult::JitDisabled, Code::ArchMismatch, "disabled"},
      {DriverResult::OutOfMemory, Code::DeviceOutOfMemory, "memory"},
  };
  for (const Case &c : cases) {
    FakeDriver driver;
    addTestKernels(driver);
    driver.jitLog = "line 7: no such thing";
    driver.failFunction("cuModuleLoadDataEx", c.result);
    auto test = makeTestProgram({});
    test->addPtx("sm_80");
    auto device = createCudaDevice(driver.api(), 0);
    Status status = (*device)->prepare(test->program, {}).status();
    EXPECT_EQ(codeName(status.code()), codeName(c.code)) << status.message();
    EXPECT_TRUE(contains(status, c.text)) << status.message();
  }
}

TEST(CudaLoad, TakesPtxWhenTheDriverRefusesTheMachineCode) {
  FakeDriver driver;
  addTestKernels(driver);
  driver.refusesMachineCode = true;
  auto test = makeTestProgram({"sm_90a"});
  auto device = createCudaDevice(driver.api(), 0);
  Status status = (*device)->prepare(test->program, {}).status();
  EXPECT_EQ(status.code(), Code::ArchMismatch) << "there is no PTX";
  EXPECT_TRUE(contains(status, "machine code for sm_90a")) << status.message();
  EXPECT_EQ(driver.callsOf("cuModuleLoadDataEx"), 1u);

  test->addPtx("sm_80");
  test->addPtx("sm_90a");
  auto program = (*device)->prepare(test->program, {});
  ASSERT_TRUE(program) << program.status().message();
  EXPECT_EQ(describeImage(**program),
            "PTX for sm_90a, compiled by the driver for sm_90");
  EXPECT_EQ(driver.callsOf("cuModuleLoadDataEx"), 3u);
}

/// A compiler with several threads makes several images of machine code, each
/// with some of the kernels.
TEST(CudaLoad, LoadsAllImagesOfOneArchitecture) {
  FakeDriver driver;
  addTestKernels(driver);
  auto test = makeTestProgram({"sm_90a", "sm_80", "sm_90a"});
  auto device = createCudaDevice(driver.api(), 0);
  {
    auto program = (*device)->prepare(test->program, {});
    ASSERT_TRUE(program) << program.status().message();
    EXPECT_EQ(driver.callsOf("cuModuleLoadDataEx"), 2u);
    EXPECT_EQ(driver.callsOf("cuModuleUnload"), 0u);
  }
  EXPECT_EQ(driver.callsOf("cuModuleUnload"), 2u);
}

TEST(CudaLoad, TakesNoPtxWhenTheMachineCodeIsDamaged) {
  FakeDriver driver;
  driver.failFunction("cuModuleLoadDataEx", DriverResult::InvalidImage);
  auto test = makeTestProgram({"sm_90a"});
  test->addPtx("sm_90a");
  auto device = createCudaDevice(driver.api(), 0);
  EXPECT_EQ((*device)->prepare(test->program, {}).status().code(),
            Code::Malformed);
  EXPECT_EQ(driver.callsOf("cuModuleLoadDataEx"), 1u);
}

TEST(CudaLoad, RefusesPtxWithoutEnd) {
  FakeDriver driver;
  auto test = makeTestProgram({});
  test->addPtx("sm_80");
  test->images.back() = ' ';
  auto device = createCudaDevice(driver.api(), 0);
  EXPECT_EQ((*device)->prepare(test->program, {}).status().code(),
            Code::Malformed);
  EXPECT_EQ(driver.callsOf("cuModuleLoadDataEx"), 0u);
}

TEST(CudaLoad, ChecksMachineCode) {
  std::vector<uint8_t> good = tinyElf();
  EXPECT_TRUE(checkCubin(good).isOk());
  auto refused = [&](size_t at, uint8_t value) {
    std::vector<uint8_t> bad = good;
    bad[at] = value;
    return checkCubin(bad).code() == Code::Malformed;
  };
  EXPECT_TRUE(refused(0, 0)) << "magic";
  EXPECT_TRUE(refused(4, 1)) << "32 bits";
  EXPECT_TRUE(refused(5, 2)) << "big endian";
  EXPECT_TRUE(refused(40, 65)) << "section table beyond the end";
  EXPECT_TRUE(refused(47, 0xff)) << "section table far beyond the end";
  EXPECT_TRUE(refused(56, 1)) << "segments of no size";
  EXPECT_TRUE(refused(58, 63)) << "sections of another size";
  EXPECT_TRUE(refused(60, 0)) << "no section";
  EXPECT_TRUE(refused(62, 1)) << "names in no section";
  EXPECT_TRUE(refused(64 + 31, 0xff)) << "section beyond the end";
  EXPECT_TRUE(refused(64 + 32, 0xff)) << "section too long";
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(checkCubin(std::span(good).first(length)).isOk()) << length;
}
