//===- CheckTest.cpp - Barriers, and what is reported
//----------------------===//
#include "PtxHarness.h"

using namespace tripy;
using namespace tripy::emulator;
using namespace tripy::emulator::test;

namespace {

constexpr std::string_view sharedArray = ".shared .align 16 .b8 buffer[512];";
constexpr std::string_view ownElement = R"(
  mov.b32 %r2, buffer;
  shl.b32 %r3, %r1, 2;
  add.s32 %r4, %r2, %r3;
)";

Outcome runShared(const std::string &code, uint32_t threads,
                  std::string_view globals = sharedArray) {
  return runBody(std::string(ownElement) + code, threads, {0}, globals);
}
void expectOk(const Outcome &run) {
  EXPECT_TRUE(run.status.isOk()) << run.status.message();
}

/// Thread n writes element n and reads element n + 32 (modulo 64).
std::string exchange(std::string_view between) {
  return R"(
  st.shared.b32 [%r4], %r1;
)" + std::string(between) +
         R"(
  xor.b32 %r5, %r3, 128;
  add.s32 %r6, %r2, %r5;
  ld.shared.b32 %r7, [%r6];
  st.global.b32 [%rd1], %r7;)";
}

TEST(EmulatorBarrier, OrdersABlock) {
  Outcome run = runShared(exchange("bar.sync 0;"), 64);
  expectOk(run);
  EXPECT_EQ(run.out[0], 32u);
  EXPECT_EQ(run.out[33], 1u);
}

TEST(EmulatorBarrier, AMissingBarrierIsReported) {
  // The first warp reads what the second has not written yet.
  expectError(runShared(exchange(""), 64), "never written");
}

TEST(EmulatorBarrier, ARaceIsReported) {
  // A barrier orders the first writes, none the second ones.
  Outcome run = runShared(exchange("bar.sync 0; st.shared.b32 [%r4], 7;"), 64);
  expectError(run, "race: ");
  expectError(run, "PTX line");
  LaunchOptions off;
  off.checkRaces = false;
  LaunchShape shape;
  shape.block[0] = 64;
  expectOk(
      runModule(moduleOf(std::string(ownElement) +
                             exchange("bar.sync 0; st.shared.b32 [%r4], 7;"),
                         sharedArray),
                shape, {0}, 1024, off));
}

TEST(EmulatorBarrier, AWriteAfterAReadIsARaceToo) {
  std::string code = exchange("bar.sync 0;") + "\nst.shared.b32 [%r4], 7;";
  expectError(runShared(code, 64), "race: ");
  expectOk(runShared(
      exchange("bar.sync 0;") + "\nbar.sync 0;\nst.shared.b32 [%r4], 7;", 64));
}

/// Two blocks of two warps, of which the first has its turn first.
Outcome runTwoBlocks(std::string_view first, std::string_view second) {
  std::string code = std::string(ownElement) +
                     "  mov.u32 %r8, %ctaid.x;\n"
                     "  setp.ne.u32 %p1, %r8, 0;\n  @%p1 bra SECOND;\n" +
                     std::string(first) + "\n  bra.uni OUT;\nSECOND:\n" +
                     std::string(second) + "\nOUT:";
  LaunchShape shape;
  shape.block[0] = 64;
  shape.grid[0] = 2;
  return runModule(moduleOf(code, sharedArray), shape);
}

TEST(EmulatorBarrier, BlocksThatAreDoneLeaveNothingBehind) {
  // Neither accesses to race with nor elements that count as written.
  std::string_view write = "  st.shared.b32 [%r4], %r1;";
  expectOk(runTwoBlocks("  bar.sync 0;\n  xor.b32 %r5, %r3, 128;\n  add.s32 "
                        "%r6, %r2, %r5;\n  st.shared.b32 [%r6], 1;",
                        write));
  expectError(runTwoBlocks(write, "  ld.shared.b32 %r7, [%r4];"),
              "never written");
  // A register that the second block does not write has no value of the first.
  Outcome run = runTwoBlocks("  mov.b32 %r9, 5;\n  st.global.b32 [%rd1], %r9;",
                             "  st.global.b32 [%rd1+1024], %r9;");
  expectOk(run);
  EXPECT_NE(run.out[256], 5u);
}

TEST(EmulatorBarrier, NamedBarriersOrderProducerAndConsumer) {
  // Warp 1 produces and arrives, warp 0 waits; the other two are not needed.
  std::string code = R"(
  setp.ge.u32 %p1, %r1, 64;
  @%p1 bra OUT;
  setp.ge.u32 %p2, %r1, 32;
  @%p2 bra PRODUCE;
  bar.sync 3, 64;
  ld.shared.b32 %r7, [%r4+128];
  st.global.b32 [%rd1], %r7;
  bra.uni OUT;
PRODUCE:
  st.shared.b32 [%r4], %r1;
  bar.arrive 3, 64;
OUT:)";
  Outcome run = runShared(code, 128);
  expectOk(run);
  EXPECT_EQ(run.out[5], 37u);
}

TEST(EmulatorBarrier, ADeadlockSaysWhoWaits) {
  Outcome run =
      runShared("setp.ge.u32 %p1, %r1, 32;\n@%p1 bra B;\n"
                "bar.sync 1, 64;\nbra.uni OUT;\nB: bar.sync 2, 64;\nOUT:",
                64);
  expectError(run, "deadlock");
  expectError(run, "warp 0 waits at line");
  expectError(run, "for barrier 1 (1 of 2 warps are there)");
  expectError(run, "for barrier 2 (1 of 2 warps are there)");
}

TEST(EmulatorBarrier, CountsAreChecked) {
  expectError(runBody("bar.sync 1, 33;", 64), "not a number of warps");
  expectError(runBody("mov.b32 %r2, 16;\nbar.sync %r2, 64;", 64),
              "there is no barrier 16");
}

TEST(EmulatorBarrier, ExitedWarpsAreNotWaitedFor) {
  expectOk(runBody("setp.ge.u32 %p1, %r1, 32;\n@%p1 ret;\nbar.sync 0;", 64));
}

TEST(EmulatorAccess, OutOfBounds) {
  Outcome run = runBody("st.global.b32 [%rd1+4096], %r1;", 3);
  expectError(run, "kernel 'k', PTX line");
  expectError(run, "st.global.b32");
  expectError(run, "block (0, 0, 0), thread (0, 0, 0)");
  expectError(run, "after the end of the output of 4096 bytes");
  expectError(runBody("ld.global.b32 %r2, [%rd2+-4];"), "before the input");
  expectError(runShared("st.shared.b32 [%r4+512], %r1;", 1), "out of bounds");
  expectError(runBody("mov.b32 %r2, 0;\nld.shared.b32 %r3, [%r2];"),
              "out of bounds");
  expectError(runBody("ld.param.b64 %rd5, [k_1+8];"), "16 bytes");
}

TEST(EmulatorAccess, Misaligned) {
  expectError(runBody("ld.global.b32 %r2, [%rd2+2];"), "not a multiple of 4");
  expectError(runBody("ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd3+8];"),
              "not a multiple of 16");
}

TEST(EmulatorAccess, UninitialisedSharedMemory) {
  Outcome run = runShared("ld.shared.b32 %r5, [%r4];", 1);
  expectError(run, "never written");
  LaunchOptions off;
  off.checkUninitialized = false;
  expectOk(
      runModule(moduleOf(std::string(ownElement) + "ld.shared.b32 %r5, [%r4];",
                         sharedArray),
                {}, {0}, 16, off));
  // Half of what is read was written.
  expectError(
      runShared("st.shared.b16 [%r4], %h1; ld.shared.b32 %r5, [%r4];", 1),
      "never written");
}

TEST(EmulatorAccess, GenericLocalConstantAndDynamicMemory) {
  std::string code = R"(
  .local .align 8 .b8 depot[16];
  mov.b64 %rd5, depot;
  cvta.local.u64 %rd6, %rd5;
  st.b32 [%rd6+4], %r1;
  ld.local.b32 %r2, [%rd5+4];
  mov.b64 %rd7, dynamic;
  cvta.shared.u64 %rd8, %rd7;
  st.b32 [%rd8+60], %r2;
  ld.shared.b32 %r3, [dynamic+60];
  mov.b64 %rd9, table;
  ld.const.b32 %r4, [%rd9+4];
  ld.global.b32 %r5, [weights+4];
  add.s32 %r6, %r3, %r4;
  add.s32 %r6, %r6, %r5;
  isspacep.shared %p1, %rd8;
  selp.b32 %r7, %r6, 0, %p1;
  st.global.b32 [%rd1], %r7;)";
  LaunchShape shape;
  shape.sharedBytes = 64;
  Outcome run = runModule(
      moduleOf(code, ".extern .shared .align 1024 .b8 dynamic[];\n"
                     ".const .align 4 .b32 table[2] = {1, 20};\n"
                     ".global .align 4 .b8 weights[8] = {0,0,0,0,44,1};"),
      shape);
  expectOk(run);
  EXPECT_EQ(run.out[0], 320u);
}

TEST(EmulatorCluster, BlocksReachEachOther) {
  // Each block writes its rank into the other and reads its own.
  std::string code = std::string(ownElement) + R"(
  mov.u32 %r5, %cluster_ctarank;
  xor.b32 %r6, %r5, 1;
  mapa.shared::cluster.u32 %r7, %r2, %r6;
  st.shared::cluster.b32 [%r7], %r5;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  ld.shared.b32 %r8, [%r2];
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  st.global.b32 [%rd6], %r8;)";
  LaunchShape shape;
  shape.grid[0] = 2;
  std::string directives = ".explicitcluster\n.reqnctapercluster 2, 1, 1";
  Outcome run = runModule(moduleOf(code, sharedArray, directives), shape);
  expectOk(run);
  EXPECT_EQ(run.out[0], 1u);
  EXPECT_EQ(run.out[1], 0u);
  shape.grid[0] = 3;
  run = runModule(moduleOf(code, sharedArray, directives), shape);
  EXPECT_EQ(run.status.code(), Code::InvalidArgument);
  // Without the barrier the block may have ended, or the word is not there.
  std::string early = code;
  size_t at = early.find("barrier.cluster.arrive.aligned;");
  early.erase(at, early.find("ld.shared.b32 %r8") - at);
  shape.grid[0] = 2;
  run = runModule(moduleOf(early, sharedArray, directives), shape);
  EXPECT_FALSE(run.status.isOk());
}

TEST(EmulatorCluster, BlocksWaitForFlagsOfEachOther) {
  // As many blocks as are resident: each raises its flag in global memory and
  // looks for the next one's.
  constexpr uint32_t blocks = 132;
  Outcome run =
      runModule(moduleOf(R"(
  mov.u32 %r2, %ctaid.x;
  mul.wide.u32 %rd5, %r2, 4;
  add.s64 %rd6, %rd2, %rd5;
  st.release.gpu.global.u32 [%rd6], 1;
  add.u32 %r3, %r2, 1;
  rem.u32 %r3, %r3, 132;
  mul.wide.u32 %rd7, %r3, 4;
  add.s64 %rd8, %rd2, %rd7;
LOOK:
  ld.acquire.gpu.global.u32 %r4, [%rd8];
  setp.eq.u32 %p1, %r4, 0;
  @%p1 bra LOOK;
  add.s64 %rd9, %rd3, %rd5;
  st.global.b32 [%rd9], %r4;)",
                         ""),
                {.grid = {blocks, 1, 1}}, std::vector<uint32_t>(blocks, 0));
  expectOk(run);
  EXPECT_EQ(run.out[0], 1u);
  EXPECT_EQ(run.out[blocks - 1], 1u);
  // Who waits lets the others run at once.
  EXPECT_LT(run.statistics.warpInstructions, 100 * blocks);
}

TEST(EmulatorParser, UnknownThingsAreNamed) {
  expectError(runBody("frobnicate.b32 %r2, %r3;"), "unknown instruction");
  expectError(runBody("frobnicate.b32 %r2, %r3;"), "PTX line 19");
  expectError(runBody("add.wibble.s32 %r2, %r3, %r4;"), "'.wibble'");
  expectError(runBody("add.s32 %r2, %rd3, %r4;"), "32 are needed");
  expectError(runBody("add.s32 %r2, %r3, %r99;"), "unknown register '%r99'");
  expectError(runBody("bra NOWHERE;"), "unknown label 'NOWHERE'");
  expectError(runBody("add.s32 %r2, %r3"), "expected");
  expectError(runBody("cvt.s32.f32 %r2, %r3;"), "needs its rounding");
}

TEST(EmulatorPrefetch, StaysWithinMemory) {
  // The input is 8 words; each thread prefetches 4 bytes further.
  std::vector<uint32_t> in(8);
  std::string each = "mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd5, %rd2, %rd5;\n"
                     "prefetch.global.L2 [%rd5];";
  expectOk(runBody(each, 8, in));
  Outcome run = runBody(each, 9, in);
  expectError(run, "prefetches global memory");
  expectError(run, "thread (8, 0, 0)");
  expectError(run, "after the end of the input of 32 bytes");
}

TEST(EmulatorPrefetch, OfARangeStaysWithinMemory) {
  std::vector<uint32_t> in(8);
  auto bytes = [&](std::string_view count, std::string_view offset = "") {
    return runBody("mov.b32 %r2, " + std::string(count) +
                       ";\ncp.async.bulk.prefetch.L2.global [%rd2" +
                       std::string(offset) + "], %r2;",
                   1, in);
  };
  expectOk(bytes("32"));
  expectOk(bytes("16", "+16"));
  expectError(bytes("48"), "(48 bytes)");
  expectError(bytes("8"), "multiples of 16");
  expectError(bytes("16", "+8"), "multiples of 16");
}

TEST(EmulatorParser, ScopesHaveTheirOwnNames) {
  Outcome run = runBody(R"(
  mov.b32 %r2, 0;
  { .reg .pred done; .reg .b32 n; mov.b32 n, 0;
WAIT: add.s32 n, n, 1; setp.ge.s32 done, n, 3; @!done bra WAIT;
    add.s32 %r2, %r2, n; }
  { .reg .pred done; WAIT: add.s32 %r2, %r2, 1; setp.ge.s32 done, %r2, 10;
    @!done bra WAIT; }
  st.global.b32 [%rd1], %r2;)");
  expectOk(run);
  EXPECT_EQ(run.out[0], 10u);
}

TEST(EmulatorLaunch, RefusesWhatCannotBeLaunched) {
  std::string ptx = moduleOf("", "", ".maxntid 64, 1, 1");
  LaunchShape shape;
  shape.block[0] = 65;
  expectError(runModule(ptx, shape), "64 are possible");
  shape.block[0] = 0;
  expectError(runModule(ptx, shape), "empty");
  shape.block[0] = 1;
  shape.sharedBytes = 232449;
  expectError(runModule(ptx, shape), "shared memory");
  expectError(runBody("trap;"), "the kernel stops itself");
}

} // namespace
