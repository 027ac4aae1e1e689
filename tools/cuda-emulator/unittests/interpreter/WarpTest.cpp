//===- WarpTest.cpp - Divergence and instructions of a warp
//----------------===//
#include "PtxHarness.h"

using namespace tripy;
using namespace tripy::emulator;
using namespace tripy::emulator::test;

namespace {

void expectOk(const Outcome &run) {
  EXPECT_TRUE(run.status.isOk()) << run.status.message();
}

TEST(EmulatorWarp, LanesDivergeAndMeetAgain) {
  // Lane n runs a loop of n steps; all meet at the shuffle.
  Outcome run = runBody(R"(
  mov.b32 %r2, 0;
  mov.b32 %r3, 0;
LOOP:
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra DONE;
  add.s32 %r3, %r3, %r2;
  add.s32 %r2, %r2, 1;
  bra.uni LOOP;
DONE:
  shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;
  st.global.b32 [%rd1], %r4;)",
                        32);
  expectOk(run);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t other = lane ^ 1;
    EXPECT_EQ(run.out[lane], other * (other - 1) / 2) << lane;
  }
}

TEST(EmulatorWarp, ShuffleWaitsForLanesInAnotherBranch) {
  // The two halves come to the same shuffle at different times.
  Outcome run = runBody(R"(
  setp.lt.u32 %p1, %r1, 16;
  mov.b32 %r2, %r1;
  @%p1 bra MEET;
  add.s32 %r2, %r2, 100;
  bra.uni MEET2;
MEET:
  add.s32 %r2, %r2, 200;
MEET2:
  shfl.sync.idx.b32 %r3|%p2, %r2, 31, 31, -1;
  st.global.b32 [%rd1], %r3;)",
                        32);
  expectOk(run);
  EXPECT_EQ(run.out[0], 131u);
}

TEST(EmulatorWarp, ShuffleModes) {
  Outcome run = runBody(R"(
  shfl.sync.up.b32 %r2|%p1, %r1, 3, 0, -1;
  shfl.sync.down.b32 %r3, %r1, 3, 31, -1;
  shfl.sync.idx.b32 %r4, %r1, 5, 0x181f, -1;
  selp.b32 %r5, 1, 0, %p1;
  st.global.b32 [%rd1], %r2;
  st.global.b32 [%rd1+128], %r3;
  st.global.b32 [%rd1+256], %r4;
  st.global.b32 [%rd1+384], %r5;)",
                        32);
  expectOk(run);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(run.out[lane], lane < 3 ? lane : lane - 3);
    EXPECT_EQ(run.out[32 + lane], lane > 28 ? lane : lane + 3);
    EXPECT_EQ(run.out[64 + lane], lane / 8 * 8 + 5);
    EXPECT_EQ(run.out[96 + lane], lane >= 3);
  }
}

TEST(EmulatorWarp, VotesMatchesReductionsElection) {
  Outcome run = runBody(R"(
  setp.lt.u32 %p1, %r1, 5;
  vote.sync.ballot.b32 %r2, %p1, -1;
  vote.sync.all.pred %p2, !%p1, -1;
  selp.b32 %r3, 1, 0, %p2;
  redux.sync.max.s32 %r4, %r1, -1;
  and.b32 %r6, %r1, 1;
  match.any.sync.b32 %r5, %r6, -1;
  elect.sync %r7|%p3, -1;
  selp.b32 %r8, 1, 0, %p3;
  activemask.b32 %r9;
  st.global.b32 [%rd1], %r2;
  st.global.b32 [%rd1+128], %r3;
  st.global.b32 [%rd1+256], %r4;
  st.global.b32 [%rd1+384], %r5;
  st.global.b32 [%rd1+512], %r8;
  st.global.b32 [%rd1+640], %r9;)",
                        32);
  expectOk(run);
  EXPECT_EQ(run.out[7], 0x1Fu);
  EXPECT_EQ(run.out[32], 0u);
  EXPECT_EQ(run.out[64], 31u);
  EXPECT_EQ(run.out[96], 0x55555555u);
  EXPECT_EQ(run.out[97], 0xAAAAAAAAu);
  EXPECT_EQ(run.out[128], 1u);
  EXPECT_EQ(run.out[129], 0u);
  EXPECT_EQ(run.out[160], 0xFFFFFFFFu);
}

TEST(EmulatorWarp, MissingLanesAreADeadlockOfTheWarp) {
  // Lane 0 waits for the others at one shuffle, the others for it at another.
  Outcome run = runBody(R"(
  setp.eq.b32 %p1, %r1, 0;
  @%p1 bra FIRST;
  shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;
  bra.uni LAST;
FIRST:
  shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;
LAST:
  st.global.b32 [%rd1], %r3;)",
                        32);
  expectError(run, "deadlock");
  expectError(run, "the other lanes of its member mask");
}

TEST(EmulatorWarp, ExitedLanesAreNotWaitedFor) {
  Outcome run = runBody(R"(
  setp.ge.u32 %p1, %r1, 8;
  @%p1 bra OUT;
  bar.warp.sync -1;
  shfl.sync.idx.b32 %r3, %r1, 7, 31, 0xff;
  st.global.b32 [%rd1], %r3;
OUT:)",
                        32);
  expectOk(run);
  EXPECT_EQ(run.out[0], 7u);
  EXPECT_EQ(run.out[8], 0xFDFDFDFDu);
}

TEST(EmulatorWarp, AtomicsAddUp) {
  Outcome run = runBody(R"(
  setp.eq.b32 %p1, %r1, 0;
  @%p1 st.global.b32 [%rd3], 0;
  bar.sync 0;
  atom.global.add.u32 %r2, [%rd3], 2;
  red.relaxed.gpu.global.add.u32 [%rd3], 1;)",
                        96);
  expectOk(run);
  EXPECT_EQ(run.out[0], 288u);
}

TEST(EmulatorWarp, BlocksWaitForEachOtherThroughMemory) {
  // Every block waits until the last one has come.
  std::string ptx = moduleOf(R"(
  mov.u32 %r2, %nctaid.x;
  atom.global.add.u32 %r3, [%rd2], 1;
SPIN:
  ld.acquire.gpu.global.b32 %r4, [%rd2];
  setp.lt.u32 %p1, %r4, %r2;
  @%p1 bra SPIN;
  mov.u32 %r5, %ctaid.x;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  st.global.b32 [%rd6], %r4;)",
                             "");
  LaunchShape shape;
  shape.grid[0] = 4;
  Outcome run = runModule(ptx, shape, {0});
  expectOk(run);
  EXPECT_EQ(run.out[3], 4u);
}

/// What block 0 reads behind `fence` of a word that block 1 writes.
uint32_t readBehind(std::string_view fence) {
  std::string ptx = moduleOf("  mov.u32 %r2, %ctaid.x;\n"
                             "  setp.ne.u32 %p1, %r2, 0;\n"
                             "  @%p1 bra WRITE;\n  " +
                                 std::string(fence) + R"(;
  ld.global.b32 %r4, [%rd2];
  st.global.b32 [%rd1], %r4;
  bra.uni OUT;
WRITE:
  st.global.b32 [%rd2], 7;
OUT:)",
                             "");
  LaunchShape shape;
  shape.grid[0] = 2;
  Outcome run = runModule(ptx, shape, {0});
  expectOk(run);
  return run.out[0];
}

TEST(EmulatorWarp, OtherBlocksRunAtFencesThatAreAboutThem) {
  EXPECT_EQ(readBehind("fence.acq_rel.gpu"), 7u);
  EXPECT_EQ(readBehind("fence.sc.sys"), 7u);
  EXPECT_EQ(readBehind("membar.gl"), 7u);
  EXPECT_EQ(readBehind("fence.proxy.async.shared::cta"), 0u);
  EXPECT_EQ(readBehind("fence.mbarrier_init.release.cluster"), 0u);
  EXPECT_EQ(readBehind("fence.acq_rel.cta"), 0u);
}

TEST(EmulatorWarp, LanesMeetBehindAFenceOfSomeOfThem) {
  // The first instruction behind the branch needs all lanes of the warp.
  for (std::string_view fence :
       {"fence.mbarrier_init.release.cluster", "fence.acq_rel.gpu"}) {
    Outcome run = runBody("  setp.ne.u32 %p1, %r1, 0;\n  @%p1 bra JOIN;\n  " +
                              std::string(fence) + R"(;
JOIN:
  activemask.b32 %r2;
  st.global.b32 [%rd1], %r2;)",
                          32);
    expectOk(run);
    for (uint32_t lane : {0, 1, 31})
      EXPECT_EQ(run.out[lane], ~0u) << fence << ", lane " << lane;
  }
}

TEST(EmulatorWarp, EndlessLoopsEnd) {
  LaunchOptions options;
  options.instructionBudget = 100000;
  Outcome run =
      runModule(moduleOf("AGAIN: bra.uni AGAIN;", ""), {}, {0}, 16, options);
  EXPECT_EQ(run.status.code(), Code::LimitExceeded);
}

TEST(EmulatorWarp, GridAndSpecialRegisters) {
  std::string ptx = moduleOf(R"(
  mov.u32 %r2, %tid.y;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %ctaid.y;
  mov.u32 %r5, %nctaid.x;
  mad.lo.s32 %r6, %r2, %r3, %r1;
  mul.lo.s32 %r7, %r4, %r5;
  mov.u32 %r8, %ctaid.x;
  add.s32 %r7, %r7, %r8;
  mov.u32 %r9, %laneid;
  mad.lo.s32 %r10, %r7, 64, %r6;
  mul.wide.u32 %rd5, %r10, 4;
  add.s64 %rd6, %rd3, %rd5;
  st.global.b32 [%rd6], %r9;)",
                             "");
  LaunchShape shape;
  shape.grid = {2, 3, 1};
  shape.block = {16, 4, 1};
  Outcome run = runModule(ptx, shape);
  expectOk(run);
  for (uint32_t index = 0; index < 6 * 64; ++index)
    EXPECT_EQ(run.out[index], index % 32);
  EXPECT_EQ(run.statistics.laneInstructions % (6 * 64), 0u);
}

} // namespace
