//===- EmulatedDriver.h - The emulator's driver in a test -------*- C++ -*-===//
//
// Loads libcuda.so.1 as the runtime does and opens its device. A fixture for
// the tests of the emulator's driver.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_CUDAEMULATOR_EMULATEDDRIVER_H
#define TRIPY_UNITTESTS_CUDAEMULATOR_EMULATEDDRIVER_H

#include "../../driver/Machine.h"

#include "tripy/Runtime/Cuda/DriverApi.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tripy::cudaemulatortest {

using cuda::DriverResult;

/// add1 adds 1 to the n numbers at x; twice doubles them when the launches in
/// front are done, hasty at once. Each thread does one number.
inline constexpr const char *testPtx = R"(.version 8.4
.target sm_90
.address_size 64
.visible .entry add1(.param .u64 x, .param .u32 n) .maxntid 256 {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<2>;
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2; ld.param.u32 %r0, [n];
  setp.ge.u32 %p, %r3, %r0; @%p bra END;
  ld.param.u64 %d0, [x]; mul.wide.u32 %d1, %r3, 4; add.s64 %d0, %d0, %d1;
  ld.global.u32 %r0, [%d0]; add.u32 %r0, %r0, 1; st.global.u32 [%d0], %r0;
END: ret;
}
.visible .entry twice(.param .u64 x, .param .u32 n) .maxntid 256 {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<2>;
  griddepcontrol.wait;
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2; ld.param.u32 %r0, [n];
  setp.ge.u32 %p, %r3, %r0; @%p bra END;
  ld.param.u64 %d0, [x]; mul.wide.u32 %d1, %r3, 4; add.s64 %d0, %d0, %d1;
  ld.global.u32 %r0, [%d0]; add.u32 %r0, %r0, %r0; st.global.u32 [%d0], %r0;
END: ret;
}
.visible .entry hasty(.param .u64 x, .param .u32 n) .maxntid 256 {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<2>;
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2; ld.param.u32 %r0, [n];
  setp.ge.u32 %p, %r3, %r0; @%p bra END;
  ld.param.u64 %d0, [x]; mul.wide.u32 %d1, %r3, 4; add.s64 %d0, %d0, %d1;
  ld.global.u32 %r0, [%d0]; add.u32 %r0, %r0, %r0; st.global.u32 [%d0], %r0;
END: ret;
}
)";

/// One open device with the module above.
class EmulatedDriver : public ::testing::Test {
protected:
  void SetUp() override {
    auto loaded = cuda::loadDriver("libcuda.so.1");
    if (!loaded)
      GTEST_SKIP() << loaded.status().message();
    api = *loaded;
    ASSERT_EQ(api.init(0), DriverResult::Success);
    char name[64] = {};
    ASSERT_EQ(api.deviceGetName(name, sizeof(name), 0), DriverResult::Success);
    if (std::string(name) != emulatordriver::deviceName)
      GTEST_SKIP() << "this is the driver of a GPU: " << name;
    ASSERT_EQ(api.devicePrimaryCtxRetain(&context, 0), DriverResult::Success);
    ASSERT_EQ(api.ctxPushCurrent(context), DriverResult::Success);
    ASSERT_EQ(api.moduleLoadDataEx(&module, testPtx, 0, nullptr, nullptr),
              DriverResult::Success);
    ASSERT_EQ(api.moduleGetFunction(&add1, module, "add1"),
              DriverResult::Success);
    ASSERT_EQ(api.moduleGetFunction(&twice, module, "twice"),
              DriverResult::Success);
    ASSERT_EQ(api.moduleGetFunction(&hasty, module, "hasty"),
              DriverResult::Success);
    ASSERT_EQ(api.memAlloc(&x, count * 4), DriverResult::Success);
    write(0);
  }
  void TearDown() override {
    if (!context)
      return;
    cuda::ContextHandle popped = nullptr;
    EXPECT_EQ(api.ctxPopCurrent(&popped), DriverResult::Success);
    EXPECT_EQ(popped, context);
    EXPECT_EQ(api.devicePrimaryCtxRelease(0), DriverResult::Success);
  }
  /// Makes all numbers at x `value`.
  void write(uint32_t value) {
    std::vector<uint32_t> host(count, value);
    ASSERT_EQ(api.memcpyHtoDAsync(x, host.data(), count * 4, nullptr),
              DriverResult::Success);
  }
  std::vector<uint32_t> read() {
    std::vector<uint32_t> host(count, 77);
    EXPECT_EQ(api.memcpyDtoHAsync(host.data(), x, count * 4, nullptr),
              DriverResult::Success);
    return host;
  }
  cuda::LaunchConfig config(unsigned grid = 2, unsigned block = 128) {
    return {grid, 1, 1, block, 1, 1, 0, nullptr, nullptr, 0};
  }
  cuda::KernelNodeParams nodeParams(cuda::FunctionHandle function) {
    cuda::KernelNodeParams params = {};
    params.function = function;
    params.gridX = 2;
    params.blockX = 128;
    params.gridY = params.gridZ = params.blockY = params.blockZ = 1;
    params.params = values;
    return params;
  }

  static constexpr uint32_t count = 200;
  cuda::DriverApi api = {};
  cuda::ContextHandle context = nullptr;
  cuda::ModuleHandle module = nullptr;
  cuda::FunctionHandle add1 = nullptr, twice = nullptr, hasty = nullptr;
  cuda::DevicePointer x = 0;
  uint32_t n = count;
  void *values[2] = {&x, &n};
};

} // namespace tripy::cudaemulatortest

#endif // TRIPY_UNITTESTS_CUDAEMULATOR_EMULATEDDRIVER_H
