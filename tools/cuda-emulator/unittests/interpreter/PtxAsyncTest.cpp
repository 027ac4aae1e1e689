//===- PtxAsyncTest.cpp - Kernels of copies through the emulator ----------===//

#include "PtxTestUtil.h"

using namespace tripy;
using namespace tripy::emulator;

namespace {

std::vector<uint8_t> randomBytes(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes)
    byte = uint8_t(random());
  return bytes;
}

/// A box of 64 x 16 of a 50 x 100 array of 16-bit numbers goes to shared
/// memory and to another place of another array, across the edges of both.
TEST(PtxTensorCopy, LoadsAndStoresAcrossEdges) {
  constexpr int32_t fromX = 72, fromY = -5, toX = -3, toY = 41;
  constexpr uint32_t rows = 50, columns = 104, boxRows = 16, boxColumns = 64;
  TestKernel kernel(2, 0, 32);
  kernel.firstThread(0, boxRows * boxColumns * 2);
  kernel.load(0, 1024, fromX, fromY);
  kernel.wait(0);
  kernel.line("fence.proxy.async.shared::cta;");
  kernel.line("mov.b32 %r5, ", toX, ";");
  kernel.line("mov.b32 %r6, ", toY, ";");
  kernel.line("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
              "[%map1, {%r5, %r6}], [%r4];");
  kernel.line("cp.async.bulk.commit_group;");
  kernel.line("cp.async.bulk.wait_group 0;");
  kernel.threadsJoin();
  TestRun run;
  std::vector<uint8_t> from = randomBytes(rows * columns * 2, 1);
  std::vector<uint8_t> to = randomBytes(rows * columns * 2, 2);
  run.map(from, TensorType::F16, rows, columns, boxRows, boxColumns, 3);
  uint64_t out =
      run.map(to, TensorType::F16, rows, columns, boxRows, boxColumns, 3);
  EXPECT_OK(run.run(kernel, 32, 4096));
  for (int32_t y = 0; y < int32_t(boxRows); ++y)
    for (int32_t x = 0; x < int32_t(boxColumns); ++x) {
      auto inside = [&](int32_t atX, int32_t atY) {
        return atX >= 0 && atX < int32_t(columns) && atY >= 0 &&
               atY < int32_t(rows);
      };
      if (!inside(toX + x, toY + y))
        continue;
      uint8_t *place = &to[((toY + y) * columns + toX + x) * 2];
      std::memset(place, 0, 2);
      if (inside(fromX + x, fromY + y))
        std::memcpy(place, &from[((fromY + y) * columns + fromX + x) * 2], 2);
    }
  EXPECT_EQ(run.bytesAt(out, to.size()), to);
}

TEST(PtxTensorCopy, ReductionsAdd) {
  constexpr uint32_t size = 32;
  TestKernel kernel(2, 0, 32);
  kernel.firstThread(0, size * size * 4);
  kernel.load(0, 1024, 0, 0);
  kernel.wait(0);
  kernel.line("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_"
              "group [%map1, {%r5, %r6}], [%r4];");
  kernel.line("cp.async.bulk.commit_group;");
  kernel.line("cp.async.bulk.wait_group 0;");
  kernel.threadsJoin();
  TestMatrix left(size, size, 1), right(size, size, 2);
  TestRun run;
  run.map(left.encode(MatrixType::TF32), TensorType::F32, size, size, size,
          size, 3);
  uint64_t out = run.map(right.encode(MatrixType::TF32), TensorType::F32, size,
                         size, size, size, 3);
  EXPECT_OK(run.run(kernel, 32, 8192));
  for (uint32_t i = 0; i < size * size; ++i)
    EXPECT_EQ(reinterpret_cast<const float *>(out)[i],
              float(left.values[i] + right.values[i]));
}

/// Each of two blocks copies half of an array to both.
TEST(PtxTensorCopy, MulticastFillsTheCluster) {
  constexpr uint32_t size = 64, half = size / 2 * size * 2;
  TestKernel kernel(1, 1, 128);
  kernel.line("mov.u32 %r10, %cluster_ctarank;");
  kernel.firstThread(0, 2 * half);
  kernel.threadsJoin();
  // Nobody's barrier may be missing when bytes arrive.
  kernel.line("barrier.cluster.arrive.aligned;");
  kernel.line("barrier.cluster.wait.aligned;");
  kernel.line("setp.ne.b32 %p1, %r0, 0;");
  kernel.line("@%p1 bra $L__copied;");
  kernel.line("shl.b32 %r6, %r10, 5;");
  kernel.line("mov.b32 %r5, 0;");
  kernel.line("mul.lo.s32 %r4, %r10, ", half, ";");
  kernel.line("add.s32 %r4, %r4, %r1;");
  kernel.line("add.s32 %r4, %r4, 1024;");
  kernel.line("{\n.reg .b16 mask;\nmov.b16 mask, 3;");
  kernel.line("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
              "complete_tx::bytes.multicast::cluster [%r4], [%map0, {%r5, "
              "%r6}], [%r2], mask;\n}");
  kernel.line("\n$L__copied:");
  kernel.wait(0);
  // Word i of block r: i * 256 + r * 128 + thread.
  kernel.line("shl.b32 %r11, %r0, 2;");
  kernel.line("add.s32 %r11, %r11, %r1;");
  kernel.line("shl.b32 %r12, %r10, 7;");
  kernel.line("add.s32 %r0, %r0, %r12;");
  for (uint32_t i = 0; i < 2 * half / 512; ++i) {
    kernel.line("ld.shared.b32 %r13, [%r11+", 1024 + i * 512, "];");
    kernel.storeWord(0, "%r13", i, 256);
  }
  // No block ends while the other one's copies write to it.
  kernel.line("barrier.cluster.arrive.aligned;");
  kernel.line("barrier.cluster.wait.aligned;");
  std::vector<uint8_t> from = randomBytes(2 * half, 3);
  TestRun run;
  run.map(from, TensorType::F16, size, size, size / 2, size, 0);
  uint64_t out = run.pointer(std::vector<uint8_t>(4 * half));
  EXPECT_OK(run.run(kernel, 128, 1024 + 2 * half, 2));
  for (uint32_t block = 0; block < 2; ++block)
    for (uint32_t i = 0; i < 2 * half / 512; ++i)
      EXPECT_EQ(run.bytesAt(out + i * 1024 + block * 512, 512),
                std::vector<uint8_t>(from.begin() + i * 512,
                                     from.begin() + (i + 1) * 512));
}

TEST(PtxBulkCopy, ThereAndBack) {
  constexpr uint32_t bytes = 48;
  TestKernel kernel(0, 2, 32);
  kernel.firstThread(0, bytes);
  kernel.line("add.s32 %r4, %r1, 128;");
  kernel.line("mov.b32 %r5, ", bytes, ";");
  kernel.line("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
              "bytes [%r4], [%ptr0], %r5, [%r2];");
  kernel.wait(0);
  kernel.line("cp.async.bulk.global.shared::cta.bulk_group [%ptr1], [%r4], "
              "%r5;");
  kernel.line("cp.async.bulk.commit_group;");
  kernel.line("cp.async.bulk.wait_group.read 0;");
  kernel.line("cp.async.bulk.wait_group 0;");
  kernel.threadsJoin();
  std::vector<uint8_t> from = randomBytes(bytes, 4);
  TestRun run;
  run.pointer(from);
  uint64_t out = run.pointer(std::vector<uint8_t>(bytes));
  EXPECT_OK(run.run(kernel, 32, 256));
  EXPECT_EQ(run.bytesAt(out, bytes), from);
}

/// 32 of 48 bytes are written and copied within shared memory; then every
/// thread reads the word at `offset` of the copy.
TestKernel copyWithin(uint32_t offset) {
  constexpr uint32_t bytes = 48;
  TestKernel kernel(0, 1, 32);
  kernel.line("add.s32 %r4, %r1, 128;");
  kernel.line("add.s32 %r6, %r1, 192;");
  kernel.firstThread(0, bytes);
  kernel.line("mov.b32 %r5, ", bytes, ";");
  for (uint32_t i = 0; i < 32; i += 4)
    kernel.line("st.shared.b32 [%r4+", i, "], %r5;");
  kernel.line("fence.proxy.async.shared::cta;");
  kernel.line("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx"
              "::bytes [%r6], [%r4], %r5, [%r2];");
  kernel.threadsJoin();
  kernel.wait(0);
  kernel.line("ld.shared.b32 %r13, [%r6+", offset, "];");
  kernel.storeWord(0, "%r13", 0, 32);
  return kernel;
}

TEST(PtxBulkCopy, WhatWasNeverWrittenStaysSo) {
  for (uint32_t offset : {0, 28, 32, 44}) {
    TestRun run;
    uint64_t out = run.pointer(std::vector<uint8_t>(128));
    Status status = run.run(copyWithin(offset), 32, 256);
    if (offset < 32) {
      EXPECT_OK(status);
      EXPECT_EQ(run.bytesAt(out, 1), std::vector<uint8_t>{48});
    } else {
      EXPECT_FAULT(status, "never written");
    }
  }
}

/// One warp: A and B by cp.async, fragments by ldmatrix, one product, and back
/// through stmatrix.
TestKernel warpProduct(bool waits) {
  TestKernel kernel(0, 3, 32);
  // 16-byte chunk t of A (16 x 16) and, for half of the threads, of B (8 x 16).
  kernel.line("shl.b32 %r2, %r0, 4;");
  kernel.line("cvt.u64.u32 %rd1, %r2;");
  kernel.line("add.s64 %rd2, %ptr0, %rd1;");
  kernel.line("add.s32 %r3, %r1, %r2;");
  kernel.line("cp.async.cg.shared.global [%r3], [%rd2], 16;");
  kernel.line("setp.gt.u32 %p1, %r0, 15;");
  kernel.line("add.s64 %rd2, %ptr1, %rd1;");
  kernel.line("add.s32 %r3, %r3, 512;");
  kernel.line("@%p1 bra $L__alone;");
  kernel.line("cp.async.ca.shared.global [%r3], [%rd2], 16;");
  kernel.line("\n$L__alone:");
  kernel.line("cp.async.commit_group;");
  if (waits)
    kernel.line("cp.async.wait_group 0;");
  kernel.line("bar.warp.sync -1;");
  // Rows of A: lane % 16, chunk lane / 16. Of B: lane % 8, chunk lane / 8 % 2.
  kernel.line("and.b32 %r4, %r0, 15;\n\tshl.b32 %r4, %r4, 5;");
  kernel.line("shr.u32 %r5, %r0, 4;\n\tshl.b32 %r5, %r5, 4;");
  kernel.line("add.s32 %r4, %r4, %r5;\n\tadd.s32 %r4, %r4, %r1;");
  kernel.line("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, "
              "%r23}, [%r4];");
  kernel.line("and.b32 %r4, %r0, 7;\n\tshl.b32 %r4, %r4, 5;");
  kernel.line("shr.u32 %r5, %r0, 3;\n\tand.b32 %r5, %r5, 1;");
  kernel.line("shl.b32 %r5, %r5, 4;\n\tadd.s32 %r4, %r4, %r5;");
  kernel.line("add.s32 %r4, %r4, %r1;");
  kernel.line("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r24, %r25}, "
              "[%r4+512];");
  kernel.line("mov.b32 %r30, 0;");
  kernel.line("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r26, %r27}, "
              "{%r20, %r21, %r22, %r23}, {%r24, %r25}, {%r30, %r30};");
  // Rows of D, of 16 bytes each, in lanes 0 to 15.
  kernel.line("and.b32 %r4, %r0, 15;\n\tshl.b32 %r4, %r4, 4;");
  kernel.line("add.s32 %r4, %r4, %r1;");
  kernel.line("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r4+1024], {%r26, "
              "%r27};");
  kernel.line("bar.warp.sync -1;");
  kernel.line("shl.b32 %r4, %r0, 2;\n\tadd.s32 %r4, %r4, %r1;");
  for (uint32_t i = 0; i < 2; ++i) {
    kernel.line("ld.shared.b32 %r5, [%r4+", 1024 + i * 128, "];");
    kernel.storeWord(2, "%r5", i, 32);
  }
  return kernel;
}

TEST(PtxMma, OneProduct) {
  TestMatrix a(16, 16, 5), b(8, 16, 6);
  TestRun run;
  run.pointer(a.encode(MatrixType::F16));
  run.pointer(b.encode(MatrixType::F16));
  uint64_t out = run.pointer(std::vector<uint8_t>(256));
  EXPECT_OK(run.run(warpProduct(true), 32, 2048));
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t column = 0; column < 8; ++column) {
      int sum = 0;
      for (uint32_t k = 0; k < 16; ++k)
        sum += a.at(row, k) * b.at(column, k);
      auto *halves = reinterpret_cast<const uint16_t *>(out);
      EXPECT_EQ(fromF16(halves[row * 8 + column]), float(sum));
    }
}

TEST(PtxMma, AMissingCopyWaitIsFound) {
  TestRun run;
  run.pointer(std::vector<uint8_t>(512));
  run.pointer(std::vector<uint8_t>(256));
  run.pointer(std::vector<uint8_t>(256));
  EXPECT_FAULT(run.run(warpProduct(false), 32, 2048), "never written");
  // On a machine where copies come at once, nobody notices.
  run.options.lateAsync = false;
  EXPECT_OK(run.run(warpProduct(false), 32, 2048));
}

} // namespace
