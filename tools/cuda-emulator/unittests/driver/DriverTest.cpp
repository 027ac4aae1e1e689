//===- DriverTest.cpp - Calls of the emulator's driver --------------------===//

#include "EmulatedDriver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <thread>

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::cudaemulatortest;

static constexpr auto success = DriverResult::Success;
static constexpr auto invalidHandle = static_cast<DriverResult>(400);
static constexpr auto notSupported = static_cast<DriverResult>(801);
static constexpr auto invalidClusterSize = static_cast<DriverResult>(912);

TEST_F(EmulatedDriver, IsAnH100ByDefault) {
  int value = 0;
  auto attribute = [&](DeviceAttribute which) {
    EXPECT_EQ(api.deviceGetAttribute(&value, which, 0), success);
    return value;
  };
  EXPECT_EQ(attribute(DeviceAttribute::ComputeMajor), 9);
  EXPECT_EQ(attribute(DeviceAttribute::ComputeMinor), 0);
  EXPECT_EQ(attribute(DeviceAttribute::MultiprocessorCount), 132);
  EXPECT_EQ(attribute(DeviceAttribute::MaxSharedPerBlockOptin), 232448);
  EXPECT_EQ(attribute(DeviceAttribute::ClusterLaunch), 1);
  EXPECT_EQ(
      api.deviceGetAttribute(&value, static_cast<DeviceAttribute>(12345), 0),
      DriverResult::InvalidValue);
  EXPECT_EQ(api.deviceGetAttribute(&value, DeviceAttribute::ComputeMajor, 1),
            DriverResult::InvalidDevice);
  DeviceId device = 7;
  EXPECT_EQ(api.deviceGet(&device, 1), DriverResult::InvalidDevice);
}

TEST_F(EmulatedDriver, KnowsOnlyItsFunctions) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_TRUE(library);
  using Find = DriverResult(const char *, void **, int, uint64_t, int *);
  auto *find = reinterpret_cast<Find *>(dlsym(library, "cuGetProcAddress_v2"));
  void *function = this;
  int status = -1;
  EXPECT_EQ(find("cuNoSuchThing", &function, 13000, 0, &status),
            DriverResult::NotFound);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(status, 1);
  EXPECT_EQ(find("cuLaunchKernelEx", &function, 11000, 0, &status),
            DriverResult::NotFound)
      << "older than the function";
  EXPECT_EQ(status, 2);
  EXPECT_EQ(find("cuLaunchKernelEx", &function, 13000, 0, nullptr), success);
  EXPECT_EQ(function, dlsym(library, "cuLaunchKernelEx"));
  EXPECT_EQ(dlsym(library, "_ZN5tripy8emulator6Memory4freeEm"), nullptr)
      << "only the driver's own functions show";
}

TEST_F(EmulatedDriver, CallsNeedAContext) {
  ContextHandle popped = nullptr;
  ASSERT_EQ(api.ctxPopCurrent(&popped), success);
  DevicePointer pointer = 0;
  EXPECT_EQ(api.memAlloc(&pointer, 16), DriverResult::InvalidContext);
  ContextHandle none = context;
  EXPECT_EQ(api.ctxGetCurrent(&none), success);
  EXPECT_EQ(none, nullptr);
  ASSERT_EQ(api.ctxPushCurrent(context), success);
  EXPECT_EQ(api.memAlloc(&pointer, 16), success);
  // A context is current in one thread.
  DriverResult elsewhere = success;
  std::thread([&] { elsewhere = api.memFree(pointer); }).join();
  EXPECT_EQ(elsewhere, DriverResult::InvalidContext);
  EXPECT_EQ(api.memFree(pointer), success);
}

TEST_F(EmulatedDriver, CountsMemory) {
  size_t before = 0, after = 0, total = 0;
  ASSERT_EQ(api.memGetInfo(&before, &total), success);
  DevicePointer pointer = 0;
  EXPECT_EQ(api.memAlloc(&pointer, 0), DriverResult::InvalidValue);
  EXPECT_EQ(api.memAlloc(&pointer, uint64_t(1) << 44),
            DriverResult::OutOfMemory);
  EXPECT_EQ(api.memAlloc(&pointer, total), DriverResult::OutOfMemory);
  ASSERT_EQ(api.memAlloc(&pointer, 1 << 20), success);
  EXPECT_EQ(pointer % 256, 0u);
  ASSERT_EQ(api.memGetInfo(&after, &total), success);
  EXPECT_EQ(before - after, size_t(1) << 20);
  EXPECT_EQ(api.memFree(pointer + 256), DriverResult::InvalidValue);
  EXPECT_EQ(api.memFree(pointer), success);
  EXPECT_EQ(api.memFree(pointer), DriverResult::InvalidValue) << "twice";
  EXPECT_EQ(api.memFree(0), success);
  ASSERT_EQ(api.memGetInfo(&after, &total), success);
  EXPECT_EQ(before, after);
}

TEST_F(EmulatedDriver, CopiesStayInsideAllocations) {
  uint32_t host[count + 1] = {};
  EXPECT_EQ(api.memcpyHtoDAsync(x, host, count * 4 + 1, nullptr),
            DriverResult::InvalidValue);
  EXPECT_EQ(api.memcpyHtoDAsync(x + 4, host, count * 4, nullptr),
            DriverResult::InvalidValue);
  EXPECT_EQ(api.memcpyDtoHAsync(host, x - 1, 1, nullptr),
            DriverResult::InvalidValue);
  EXPECT_EQ(api.memcpyDtoDAsync(x + 400, x, 404, nullptr),
            DriverResult::InvalidValue);
  host[0] = 5;
  EXPECT_EQ(api.memcpyHtoDAsync(x + 4, host, 4, nullptr), success);
  EXPECT_EQ(api.memcpyDtoDAsync(x + 796, x + 4, 4, nullptr), success);
  EXPECT_EQ(read()[199], 5u);
  // Pinned memory is host and device memory in one.
  void *pinned = nullptr;
  ASSERT_EQ(api.memHostAlloc(&pinned, 100, 0), success);
  auto address = reinterpret_cast<DevicePointer>(pinned);
  EXPECT_EQ(api.memcpyDtoDAsync(address, x + 4, 4, nullptr), success);
  EXPECT_EQ(*static_cast<uint32_t *>(pinned), 5u);
  EXPECT_EQ(api.memFree(address), DriverResult::InvalidValue);
  EXPECT_EQ(api.memFreeHost(pinned), success);
  EXPECT_EQ(api.memFreeHost(pinned), DriverResult::InvalidValue);
}

TEST_F(EmulatedDriver, LoadsPtxAlone) {
  ModuleHandle other = nullptr;
  auto load = [&](const char *image) {
    return api.moduleLoadDataEx(&other, image, 0, nullptr, nullptr);
  };
  EXPECT_EQ(load("\x7f"
                 "ELF machine code"),
            DriverResult::NoBinaryForGpu);
  EXPECT_EQ(load(".version 8.4\n.target sm_100\n.address_size 64\n"),
            DriverResult::NoBinaryForGpu);
  char log[128] = {};
  JitOption options[] = {JitOption::ErrorLogBuffer,
                         JitOption::ErrorLogBufferBytes};
  void *places[] = {log, reinterpret_cast<void *>(sizeof(log))};
  EXPECT_EQ(api.moduleLoadDataEx(&other,
                                 ".version 8.4\n.target sm_80\n"
                                 ".address_size 64\n.entry e() {\n"
                                 "  frobnicate.u32;\n}\n",
                                 2, options, places),
            DriverResult::InvalidPtx);
  EXPECT_NE(std::string(log).find("frobnicate"), std::string::npos) << log;
  FunctionHandle function = nullptr;
  EXPECT_EQ(api.moduleGetFunction(&function, module, "subtract1"),
            DriverResult::NotFound);
  EXPECT_EQ(api.moduleUnload(module), success);
  EXPECT_EQ(api.moduleUnload(module), invalidHandle);
  LaunchConfig launch = config();
  EXPECT_EQ(api.launchKernelEx(&launch, add1, values, nullptr), invalidHandle);
}

TEST_F(EmulatedDriver, DescribesFunctions) {
  int value = 0;
  EXPECT_EQ(
      api.funcGetAttribute(&value, FunctionAttribute::MaxThreadsPerBlock, add1),
      success);
  EXPECT_EQ(value, 256);
  EXPECT_EQ(api.funcGetAttribute(&value, FunctionAttribute::SharedBytes, add1),
            success);
  EXPECT_EQ(value, 0);
  size_t offset = 99, bytes = 0;
  EXPECT_EQ(api.funcGetParamInfo(add1, 1, &offset, &bytes), success);
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(api.funcGetParamInfo(add1, 2, &offset, &bytes),
            DriverResult::InvalidValue);
  for (auto [shared, result] : {std::pair{232448, success},
                                {232449, DriverResult::InvalidValue},
                                {-1, DriverResult::InvalidValue}})
    EXPECT_EQ(api.funcSetAttribute(
                  add1, FunctionAttribute::MaxDynamicSharedBytes, shared),
              result)
        << shared;
}

TEST_F(EmulatedDriver, LaunchesInOrder) {
  LaunchConfig launch = config();
  for (FunctionHandle function : {add1, twice, add1})
    ASSERT_EQ(api.launchKernelEx(&launch, function, values, nullptr), success);
  ASSERT_EQ(api.streamSynchronize(nullptr), success);
  EXPECT_EQ(read(), std::vector<uint32_t>(count, 3));
}

TEST_F(EmulatedDriver, BeginsOverlappingLaunchesEarly) {
  LaunchAttribute attribute = {};
  attribute.id = LaunchAttributeId::ProgrammaticStreamSerialization;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  auto launch = [&](FunctionHandle function, bool overlaps) {
    LaunchConfig shape = config();
    shape.attributes = &attribute;
    shape.attributeCount = overlaps;
    ASSERT_EQ(api.launchKernelEx(&shape, function, values, nullptr), success);
  };
  launch(add1, false);
  for (int i = 0; i < 20; ++i)
    launch(twice, true);
  EXPECT_EQ(read(), std::vector<uint32_t>(count, 1 << 20));
  // hasty doubles 0, and then comes what should have been done before.
  write(0);
  launch(add1, false);
  launch(hasty, true);
  EXPECT_EQ(read(), std::vector<uint32_t>(count, 1));
  write(0);
  launch(add1, false);
  launch(hasty, false);
  EXPECT_EQ(read(), std::vector<uint32_t>(count, 2));
}

TEST_F(EmulatedDriver, ChecksTheBytesThatALoadUses) {
  // The compiler widens loads and says which bytes count: 12 of 16 here, at
  // the end of the allocation.
  const char *ptx = R"(.version 8.4
.target sm_90
.address_size 64
.visible .entry last(.param .u64 x, .param .u32 n) {
  .reg .b32 %r<4>; .reg .b64 %d<2>;
  ld.param.u64 %d0, [x];
  .pragma "used_bytes_mask 0xfff";
  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%d0+16];
  add.u32 %r0, %r1, %r2; st.global.u32 [%d0], %r0; ret;
})";
  ModuleHandle other = nullptr;
  FunctionHandle last = nullptr;
  ASSERT_EQ(api.moduleLoadDataEx(&other, ptx, 0, nullptr, nullptr), success);
  ASSERT_EQ(api.moduleGetFunction(&last, other, "last"), success);
  DevicePointer seven = 0;
  ASSERT_EQ(api.memAlloc(&seven, 28), success);
  uint32_t host[7] = {0, 0, 0, 0, 1, 20, 300};
  ASSERT_EQ(api.memcpyHtoDAsync(seven, host, 28, nullptr), success);
  x = seven;
  LaunchConfig launch = config(1, 1);
  ASSERT_EQ(api.launchKernelEx(&launch, last, values, nullptr), success);
  ASSERT_EQ(api.memcpyDtoHAsync(host, seven, 4, nullptr), success);
  EXPECT_EQ(host[0], 320u);
}

TEST_F(EmulatedDriver, BranchesByIndex) {
  // Element i becomes 10, 20 or 30 by its value 0, 1 or 2.
  const char *ptx = R"(.version 8.4
.target sm_90
.address_size 64
.visible .entry choose(.param .u64 x, .param .u32 n) {
  .reg .b32 %r<2>; .reg .b64 %d<2>;
  mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;
  ld.param.u64 %d0, [x]; add.s64 %d0, %d0, %d1; ld.global.u32 %r0, [%d0];
 LIST: .branchtargets A, B, C;
  brx.idx %r0, LIST;
 A: mov.u32 %r1, 10; bra END;
 B: mov.u32 %r1, 20; bra END;
 C: mov.u32 %r1, 30;
 END: st.global.u32 [%d0], %r1; ret;
})";
  ModuleHandle other = nullptr;
  FunctionHandle choose = nullptr;
  ASSERT_EQ(api.moduleLoadDataEx(&other, ptx, 0, nullptr, nullptr), success);
  ASSERT_EQ(api.moduleGetFunction(&choose, other, "choose"), success);
  uint32_t host[5] = {2, 0, 1, 1, 2};
  ASSERT_EQ(api.memcpyHtoDAsync(x, host, 20, nullptr), success);
  LaunchConfig launch = config(1, 5);
  ASSERT_EQ(api.launchKernelEx(&launch, choose, values, nullptr), success);
  ASSERT_EQ(api.memcpyDtoHAsync(host, x, 20, nullptr), success);
  EXPECT_EQ(std::vector<uint32_t>(host, host + 5),
            (std::vector<uint32_t>{30, 10, 20, 20, 30}));
}

TEST_F(EmulatedDriver, RefusesLaunchesThatDoNotFit) {
  auto launched = [&](LaunchConfig launch) {
    return api.launchKernelEx(&launch, add1, values, nullptr);
  };
  EXPECT_EQ(launched(config(0)), DriverResult::InvalidValue);
  EXPECT_EQ(launched(config(1, 0)), DriverResult::InvalidValue);
  EXPECT_EQ(launched(config(1, 2000)), DriverResult::InvalidValue);
  EXPECT_EQ(launched(config(1, 257)), DriverResult::LaunchOutOfResources);
  LaunchConfig tall = config();
  tall.gridY = 65536;
  EXPECT_EQ(launched(tall), DriverResult::InvalidValue);
  LaunchConfig shared = config();
  shared.sharedBytes = (48 << 10) + 1;
  EXPECT_EQ(launched(shared), DriverResult::InvalidValue);
  ASSERT_EQ(api.funcSetAttribute(add1, FunctionAttribute::MaxDynamicSharedBytes,
                                 1 << 16),
            success);
  EXPECT_EQ(launched(shared), success);
  EXPECT_EQ(api.launchKernelEx(&shared, add1, nullptr, nullptr),
            DriverResult::InvalidValue);
  // None of it costs the device.
  EXPECT_EQ(read(), std::vector<uint32_t>(count, 1));
}

TEST_F(EmulatedDriver, ChecksClusters) {
  LaunchAttribute attribute = {};
  attribute.id = LaunchAttributeId::ClusterDimension;
  auto launched = [&](unsigned grid, unsigned cluster) {
    attribute.value.clusterDim = {cluster, 1, 1};
    LaunchConfig launch = config(grid);
    launch.attributes = &attribute;
    launch.attributeCount = 1;
    return api.launchKernelEx(&launch, add1, values, nullptr);
  };
  EXPECT_EQ(launched(3, 2), invalidClusterSize) << "half a cluster";
  EXPECT_EQ(launched(16, 16), invalidClusterSize) << "without asking";
  EXPECT_EQ(launched(8, 8), success);
  ASSERT_EQ(api.funcSetAttribute(
                add1, FunctionAttribute::NonPortableClusterAllowed, 1),
            success);
  EXPECT_EQ(launched(16, 16), success);
  EXPECT_EQ(launched(17, 17), invalidClusterSize);
  attribute.id = static_cast<LaunchAttributeId>(60);
  EXPECT_EQ(launched(2, 2), notSupported);
  EXPECT_EQ(read(), std::vector<uint32_t>(count, 2));
}

TEST_F(EmulatedDriver, TimesEvents) {
  EventHandle start = nullptr, end = nullptr, untimed = nullptr;
  ASSERT_EQ(api.eventCreate(&start, 0), success);
  ASSERT_EQ(api.eventCreate(&end, 0), success);
  ASSERT_EQ(api.eventCreate(&untimed, eventDisableTiming), success);
  StreamHandle stream = nullptr;
  ASSERT_EQ(api.streamCreate(&stream, streamNonBlocking), success);
  float milliseconds = -1;
  EXPECT_EQ(api.eventElapsedTime(&milliseconds, start, end), invalidHandle)
      << "not recorded";
  EXPECT_EQ(api.eventRecord(start, stream), success);
  EXPECT_EQ(api.eventRecord(untimed, stream), success);
  EXPECT_EQ(api.eventRecord(end, stream), success);
  EXPECT_EQ(api.eventSynchronize(end), success);
  EXPECT_EQ(api.eventQuery(end), success);
  EXPECT_EQ(api.eventElapsedTime(&milliseconds, start, end), success);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(api.eventElapsedTime(&milliseconds, start, untimed), invalidHandle);
  int capturing = 5;
  EXPECT_EQ(api.streamIsCapturing(stream, &capturing), success);
  EXPECT_EQ(capturing, 0);
  EXPECT_EQ(api.streamDestroy(stream), success);
  EXPECT_EQ(api.streamSynchronize(stream), invalidHandle);
  EXPECT_EQ(api.eventRecord(end, stream), invalidHandle);
  EXPECT_EQ(api.eventDestroy(end), success);
  EXPECT_EQ(api.eventSynchronize(end), invalidHandle);
  EXPECT_EQ(api.eventQuery(end), invalidHandle);
}

TEST_F(EmulatedDriver, ForgetsEverythingWithItsContext) {
  ContextHandle popped = nullptr;
  ASSERT_EQ(api.ctxPopCurrent(&popped), success);
  ASSERT_EQ(api.devicePrimaryCtxRelease(0), success);
  EXPECT_EQ(api.devicePrimaryCtxRelease(0), DriverResult::InvalidContext);
  EXPECT_EQ(api.ctxPushCurrent(context), DriverResult::InvalidContext);
  ASSERT_EQ(api.devicePrimaryCtxRetain(&context, 0), success);
  ASSERT_EQ(api.ctxPushCurrent(context), success);
  EXPECT_EQ(api.moduleUnload(module), invalidHandle);
  EXPECT_EQ(api.memFree(x), DriverResult::InvalidValue);
}

//===-- kernels that go wrong ---------------------------------------------===//

// Each costs its process the device, so that it runs in a child.

using EmulatedDriverDeathTest = EmulatedDriver;

TEST_F(EmulatedDriverDeathTest, ErrorsOfKernelsStay) {
  auto breakIt = [&] {
    n = count + 1;
    LaunchConfig launch = config();
    DriverResult launched = api.launchKernelEx(&launch, add1, values, nullptr);
    DriverResult waited = api.streamSynchronize(nullptr);
    uint32_t host = 0;
    DriverResult copied = api.memcpyDtoHAsync(&host, x, 4, nullptr);
    DriverResult freed = api.memFree(x);
    DevicePointer more = 0;
    DriverResult allocated = api.memAlloc(&more, 16);
    auto lost = DriverResult::IllegalAddress;
    std::_Exit(launched == success && waited == lost && copied == lost &&
                       freed == lost && allocated == lost
                   ? 0
                   : 1);
  };
  // The launch itself succeeds: a GPU finds out later.
  EXPECT_EXIT(breakIt(), ::testing::ExitedWithCode(0),
              "kernel .add1.*allocation of 800 bytes at 0x");
}

TEST_F(EmulatedDriverDeathTest, SaysWhatKindOfErrorItWas) {
  auto result = [&](DevicePointer address) {
    x = address;
    LaunchConfig launch = config();
    api.launchKernelEx(&launch, add1, values, nullptr);
    std::_Exit(static_cast<int>(api.streamSynchronize(nullptr)) - 690);
  };
  EXPECT_EXIT(result(x + 1), ::testing::ExitedWithCode(716 - 690), "add1");
  EXPECT_EXIT(result(8), ::testing::ExitedWithCode(700 - 690), "add1");
}
