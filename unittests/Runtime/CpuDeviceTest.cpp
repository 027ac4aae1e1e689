//===- CpuDeviceTest.cpp - Programs on the host's processor ---------------===//

#include "CpuFeatures.h"
#include "RunTestUtil.h"

using namespace tripy;
using namespace tripy::runtime;
using namespace tripy::runtests;

namespace {

TEST(CpuFeatures, KnownAndUnknown) {
  EXPECT_TRUE(checkCpuFeatures("").isOk());
  // Every x86-64 has these.
  EXPECT_TRUE(checkCpuFeatures("sse2,cx8,fxsr").isOk());
  Status status = checkCpuFeatures("sse2,no-such-feature");
  EXPECT_EQ(status.code(), Code::ArchMismatch);
  EXPECT_NE(status.message().find("'no-such-feature'"), std::string::npos);
  EXPECT_NE(status.message().find("recompile with another --cpu"),
            std::string::npos);
}

TEST(CpuFeatures, AgreesWithTheCompiler) {
#if defined(__x86_64__)
  EXPECT_EQ(checkCpuFeatures("avx2").isOk(),
            bool(__builtin_cpu_supports("avx2")));
  EXPECT_EQ(checkCpuFeatures("fma").isOk(),
            bool(__builtin_cpu_supports("fma")));
  EXPECT_EQ(checkCpuFeatures("bmi2").isOk(),
            bool(__builtin_cpu_supports("bmi2")));
  EXPECT_EQ(checkCpuFeatures("avx512f").isOk(),
            bool(__builtin_cpu_supports("avx512f")));
  EXPECT_EQ(checkCpuFeatures("avx512vnni").isOk(),
            bool(__builtin_cpu_supports("avx512vnni")));
  EXPECT_EQ(checkCpuFeatures("sse4.2").isOk(),
            bool(__builtin_cpu_supports("sse4.2")));
#endif
}

TEST(CpuDevice, RefusesCodeWithoutTrust) {
  auto executable =
      Executable::loadBytes(samples::container(*samples::cpuSample()));
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.status().code(), Code::Unsupported);
  EXPECT_NE(executable.status().message().find("trusts the file"),
            std::string::npos);
}

TEST(CpuDevice, RefusesMissingFeatures) {
  auto sample = samples::cpuSample();
  sample->program.images[0].arch = "sse2,avx2048";
  auto executable = Executable::loadBytes(samples::container(*sample),
                                          {.trustHostCode = true});
  EXPECT_EQ(executable.status().code(), Code::ArchMismatch);
}

TEST(CpuDevice, RefusesGpuPrograms) {
  auto device = createCpuDevice(1);
  ASSERT_TRUE(device);
  auto executable =
      Executable::loadBytes(samples::container(*samples::cudaSample()),
                            {.trustHostCode = true, .device = *device});
  EXPECT_EQ(executable.status().code(), Code::DeviceMismatch);
  EXPECT_NE(executable.status().message().find("--target=cpu"),
            std::string::npos);
}

TEST(CpuDevice, AllocationsAreAlignedAndBounded) {
  auto device = createCpuDevice(1);
  ASSERT_TRUE(device);
  Result<DeviceMemory> memory = DeviceMemory::allocate(*device, 1000);
  ASSERT_TRUE(memory);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory->data()) % 256, 0u);
  Result<DeviceMemory> huge =
      DeviceMemory::allocate(*device, uint64_t(1) << 60);
  EXPECT_EQ(huge.status().code(), Code::HostOutOfMemory);
  Result<DeviceMemory> none = DeviceMemory::allocate(*device, 0);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->data(), nullptr);
}

TEST(CpuDevice, LeavesNoRoomForHugeArenas) {
  auto sample = samples::cpuSample();
  sample->program.arenaBytes = uint64_t(1) << 40;
  auto executable = Executable::loadBytes(samples::container(*sample),
                                          {.trustHostCode = true});
  EXPECT_EQ(executable.status().code(), Code::LimitExceeded);
  sample->program.arenaBytes = 1024;
  executable = Executable::loadBytes(
      samples::container(*sample), {.trustHostCode = true, .arenaLimit = 1000});
  EXPECT_EQ(executable.status().code(), Code::LimitExceeded);
}

TEST(Tensors, Shapes) {
  EXPECT_EQ((Shape{2, 3}).elements(), 6u);
  EXPECT_EQ(Shape().elements(), 1u);
  EXPECT_EQ((Shape{0, INT64_MAX, INT64_MAX}).elements(), 0u);
  EXPECT_FALSE((Shape{INT64_MAX, 3}).elements());
  EXPECT_FALSE((Shape{-1}).elements());
  EXPECT_FALSE((Shape{INT64_MAX}).bytes(DType::F64));
  std::vector<int64_t> nine(9, 1), negative = {-1};
  EXPECT_EQ(Shape::fromSizes(nine).status().code(), Code::LimitExceeded);
  EXPECT_EQ(Shape::fromSizes(negative).status().code(), Code::InvalidArgument);
  EXPECT_EQ(HostTensor::create(DType::F32, {-1}).status().code(),
            Code::InvalidArgument);
  EXPECT_EQ(HostTensor::create(DType::F32, {INT64_MAX, 8}).status().code(),
            Code::LimitExceeded);
  EXPECT_EQ(HostTensor::create(DType::F32, {int64_t(1) << 50}).status().code(),
            Code::HostOutOfMemory);
}

} // namespace
