//===- ChipsTest.cpp - Kernels against the limits of chips ----------------===//

#include "../../lib/Target/Chips.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::target;

namespace {

class ChipsTest : public ::testing::Test {
protected:
  /// The error of the rules for a kernel "k" on `chip`, or "".
  std::string check(const std::string &chip, const LaunchShape &shape,
                    const KernelUse &use = {}) {
    std::string message;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
    CudaTarget target = *findCudaTarget(chip);
    Location loc = UnknownLoc::get(&context);
    bool good = succeeded(checkShape(loc, "k", shape, target)) &&
                succeeded(checkUse(loc, "k", shape, use, target));
    EXPECT_EQ(good, message.empty());
    return message;
  }
  bool fits(const std::string &chip, const LaunchShape &shape,
            const KernelUse &use = {}) {
    return check(chip, shape, use).empty();
  }

  MLIRContext context;
};

} // namespace

TEST_F(ChipsTest, Threads) {
  EXPECT_TRUE(fits("sm_90a", {{1024, 1, 1}}));
  EXPECT_TRUE(fits("sm_90a", {{16, 1, 64}}));
  EXPECT_EQ(check("sm_90a", {{1024, 2, 1}}),
            "the kernel 'k' cannot be launched on sm_90a: a block must have at "
            "most 1024 threads; found 2048");
  EXPECT_EQ(check("sm_90a", {{1, 1, 65}}),
            "the kernel 'k' cannot be launched on sm_90a: a block must have 1 "
            "to 64 threads in z; found 65");
  EXPECT_FALSE(fits("sm_90a", {{0, 1, 1}}));
  EXPECT_FALSE(fits("sm_90a", {{1025, 1, 1}}));
  EXPECT_FALSE(fits("sm_90a", {{0xffffffff, 0xffffffff, 0xffffffff}}));
}

TEST_F(ChipsTest, Clusters) {
  EXPECT_TRUE(fits("sm_90a", {{32, 1, 1}, {16, 1, 1}}));
  EXPECT_TRUE(fits("sm_120", {{32, 1, 1}, {2, 2, 2}}));
  EXPECT_EQ(check("sm_120", {{32, 1, 1}, {16, 1, 1}}),
            "the kernel 'k' cannot be launched on sm_120: a cluster must have "
            "at most 8 blocks; found 16");
  EXPECT_EQ(check("sm_89", {{32, 1, 1}, {2, 1, 1}}),
            "the kernel 'k' cannot be launched on sm_89: clusters need sm_90 "
            "or later; found one of 2 blocks");
  EXPECT_FALSE(fits("sm_90a", {{32, 1, 1}, {0, 1, 1}}));
  EXPECT_FALSE(fits("sm_90a", {{32, 1, 1}, {65536, 65536, 65536}}));
}

/// The most that each chip gives a block, and one byte more.
TEST_F(ChipsTest, SharedMemory) {
  for (auto [chip, kib] : {std::pair("sm_75", 64),
                           {"sm_80", 163},
                           {"sm_86", 99},
                           {"sm_87", 163},
                           {"sm_89", 99},
                           {"sm_90", 227},
                           {"sm_90a", 227},
                           {"sm_100a", 227},
                           {"sm_103", 227},
                           {"sm_120a", 99}}) {
    uint64_t maximum = uint64_t(kib) * 1024;
    EXPECT_TRUE(fits(chip, {{32, 1, 1}, {1, 1, 1}, maximum})) << chip;
    EXPECT_TRUE(fits(chip, {{32, 1, 1}, {1, 1, 1}, maximum - 8}, {0, 8}))
        << chip;
    EXPECT_FALSE(fits(chip, {{32, 1, 1}, {1, 1, 1}, maximum + 1})) << chip;
    EXPECT_FALSE(fits(chip, {{32, 1, 1}, {1, 1, 1}, maximum}, {0, 1})) << chip;
  }
  EXPECT_EQ(check("sm_90a", {{32, 1, 1}, {1, 1, 1}, 232000}, {32, 8192}),
            "the kernel 'k' cannot be launched on sm_90a: a block must use at "
            "most 232448 bytes of shared memory; it needs 240192 (8192 static "
            "and 232000 dynamic)");
}

/// A warp gets registers in units of 256, and warps come in fours.
TEST_F(ChipsTest, Registers) {
  EXPECT_TRUE(fits("sm_90a", {{1024, 1, 1}}, {64}));
  EXPECT_FALSE(fits("sm_90a", {{1024, 1, 1}}, {65}));
  EXPECT_TRUE(fits("sm_90a", {{384, 1, 1}}, {168}));
  EXPECT_FALSE(fits("sm_90a", {{385, 1, 1}}, {168}));
  EXPECT_TRUE(fits("sm_90a", {{256, 1, 1}}, {255}));
  EXPECT_FALSE(fits("sm_90a", {{257, 1, 1}}, {255}));
  EXPECT_TRUE(fits("sm_90a", {{1024, 1, 1}}, {0}));
  EXPECT_EQ(check("sm_80", {{512, 1, 1}}, {200}),
            "the kernel 'k' cannot be launched on sm_80: 512 threads with 200 "
            "registers each need 102400 registers, but a block has 65536, "
            "enough for 256 such threads");
}

TEST_F(ChipsTest, LocalMemory) {
  EXPECT_TRUE(fits("sm_90a", {{32, 1, 1}}, {32, 0, 524288}));
  EXPECT_EQ(check("sm_90a", {{32, 1, 1}}, {32, 0, 524289}),
            "the kernel 'k' cannot be launched on sm_90a: a thread must use at "
            "most 524288 bytes of local memory; it needs 524289");
}

/// What ptxas says of a kernel, and of a second one.
TEST_F(ChipsTest, ReadsPtxas) {
  auto uses = readKernelUses(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas info    : Function properties for k\n"
      "    64 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Used 10 registers, used 1 barriers, 64 bytes cumulative "
      "stack size, 8192 bytes smem\n"
      "ptxas info    : Compiling entry function 'other' for 'sm_90a'\n"
      "ptxas info    : Function properties for other\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 1 barriers\n",
      {}, *findCudaTarget("sm_90a"));
  EXPECT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses["k"].registers, 10u);
  EXPECT_EQ(uses["k"].localBytes, 64u);
  EXPECT_EQ(uses["other"].registers, 168u);
  EXPECT_EQ(uses["other"].localBytes, 0u);
}

TEST_F(ChipsTest, ReadsNvJitLink) {
  auto uses = readKernelUses(
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas info    : Function properties for k\n"
      "ptxas         .     64 bytes stack frame, 0 bytes spill stores, 0 bytes "
      "spill loads\n"
      "ptxas info    : Used 9 registers, used 1 barriers\n"
      "info    : 0 bytes gmem\n"
      "info    : Function properties for 'k':\n"
      "info    : used 12 registers, used 1 barriers, 72 stack, 9216 bytes "
      "smem, "
      "536 bytes cmem[0], 0 bytes lmem\n",
      {}, *findCudaTarget("sm_90a"));
  EXPECT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses["k"].registers, 12u);
  EXPECT_EQ(uses["k"].localBytes, 72u);
}

/// Words of another version are no reason to refuse or to crash.
TEST_F(ChipsTest, ReadsNothingFromOtherText) {
  CudaTarget target = *findCudaTarget("sm_90a");
  std::vector<std::vector<uint8_t>> noElf = {{1, 2, 3}};
  EXPECT_TRUE(readKernelUses("", {}, target).empty());
  EXPECT_TRUE(readKernelUses("used 10 registers\n", noElf, target).empty());
  auto uses = readKernelUses("Function properties for 'k':\nused many "
                             "registers, 99999999999999999999 stack,\n",
                             noElf, target);
  EXPECT_EQ(uses.lookup("k").registers, 0u);
  EXPECT_EQ(uses.lookup("k").localBytes, 0u);
}
