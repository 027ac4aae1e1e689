//===- HostTargetTest.cpp - Processors and architectures ------------------===//

#include "tripy/Target/HostTarget.h"
#include "tripy/Target/NVVM.h"

#include "gtest/gtest.h"

using namespace tripy;
using namespace tripy::target;

TEST(HostTarget, Levels) {
  Result<HostTarget> plain = findHostTarget("x86-64");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->arch(), "");
  EXPECT_EQ(plain->vectorBits(), 128u);

  Result<HostTarget> v3 = findHostTarget("x86-64-v3");
  ASSERT_TRUE(v3);
  EXPECT_TRUE(v3->has("avx2") && v3->has("fma") && v3->has("f16c"));
  EXPECT_FALSE(v3->has("avx512f"));
  EXPECT_EQ(v3->vectorBits(), 256u);

  Result<HostTarget> v4 = findHostTarget("x86-64-v4");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->vectorBits(), 512u);
}

TEST(HostTarget, OnlyWhatCodeUses) {
  // This processor has encryption and matrix tiles, which kernels never use: a
  // program must not ask for them.
  Result<HostTarget> host = findHostTarget("sapphirerapids");
  ASSERT_TRUE(host);
  EXPECT_TRUE(host->has("avx512vl"));
  for (const char *feature : {"aes", "amx-tile", "avx512bf16", "sse2"})
    EXPECT_FALSE(host->has(feature)) << feature;
}

TEST(HostTarget, Native) {
  Result<HostTarget> host = findHostTarget("native");
  ASSERT_TRUE(host) << host.status().message();
  EXPECT_FALSE(host->cpu.empty());
}

TEST(HostTarget, Unknown) {
  Result<HostTarget> host = findHostTarget("haswel");
  ASSERT_FALSE(host);
  EXPECT_EQ(host.status().code(), Code::InvalidArgument);
  EXPECT_NE(host.status().message().find("did you mean 'haswell'?"),
            std::string::npos);
  EXPECT_FALSE(findHostTarget("help"));
  EXPECT_FALSE(findHostTarget(""));
  EXPECT_FALSE(findHostTarget("i386"));
}

TEST(CudaTarget, Names) {
  Result<CudaTarget> known = findCudaTarget("sm_90a");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->ptx, "+ptx84");
  EXPECT_EQ(findCudaTarget("sm_100a")->ptx, "+ptx86");
  Result<CudaTarget> unknown = findCudaTarget("sm_90b");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.status().message().find("did you mean"), std::string::npos);
}
