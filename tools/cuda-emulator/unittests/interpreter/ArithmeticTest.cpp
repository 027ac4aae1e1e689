//===- ArithmeticTest.cpp - What instructions compute
//----------------------===//
#include "PtxHarness.h"

#include <bit>
#include <cmath>

using namespace tripy;
using namespace tripy::emulator;
using namespace tripy::emulator::test;

namespace {

/// Runs `code` with %r2, %r3, %r4 set to the words of `in` and gives %r5.
uint32_t compute(std::string_view code, std::vector<uint32_t> in) {
  in.resize(3);
  Outcome run = runBody("ld.global.v2.b32 {%r2, %r3}, [%rd2];\n"
                        "ld.global.b32 %r4, [%rd2+8];\n" +
                            std::string(code) + "\nst.global.b32 [%rd1], %r5;",
                        1, in);
  EXPECT_TRUE(run.status.isOk()) << run.status.message();
  return run.out.empty() ? 0 : run.out[0];
}
uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

TEST(EmulatorArithmetic, Integers) {
  EXPECT_EQ(compute("mul.hi.u32 %r5, %r2, %r3;", {0xFFFFFFFF, 0xFFFFFFFF}),
            0xFFFFFFFEu);
  EXPECT_EQ(compute("mul.hi.s32 %r5, %r2, %r3;", {0xFFFFFFFF, 2}), 0xFFFFFFFFu);
  EXPECT_EQ(compute("mad.lo.s32 %r5, %r2, %r3, %r4;", {7, uint32_t(-3), 1}),
            uint32_t(-20));
  EXPECT_EQ(compute("add.sat.s32 %r5, %r2, %r3;", {0x7FFFFFFF, 1}),
            0x7FFFFFFFu);
  EXPECT_EQ(compute("div.s32 %r5, %r2, %r3;", {uint32_t(-7), 2}), uint32_t(-3));
  EXPECT_EQ(compute("div.s32 %r5, %r2, %r3;", {0x80000000, 0xFFFFFFFF}),
            0x80000000u);
  EXPECT_EQ(compute("rem.s32 %r5, %r2, %r3;", {uint32_t(-7), 2}), uint32_t(-1));
  EXPECT_EQ(compute("min.s32 %r5, %r2, %r3;", {uint32_t(-7), 2}), uint32_t(-7));
  EXPECT_EQ(compute("min.u32 %r5, %r2, %r3;", {uint32_t(-7), 2}), 2u);
  EXPECT_EQ(compute("abs.s32 %r5, %r2;", {0x80000000}), 0x80000000u);
  EXPECT_EQ(compute("sad.u32 %r5, %r2, %r3, %r4;", {3, 10, 1}), 8u);
  EXPECT_EQ(
      compute("dp4a.s32.u32 %r5, %r2, %r3, %r4;", {0xFF010203, 0x02030405, 10}),
      10u + uint32_t(-2) + 3 + 8 + 15);
  EXPECT_EQ(compute("add.cc.u32 %r6, %r2, %r3; addc.u32 %r5, %r4, 0;",
                    {0xFFFFFFFF, 1, 5}),
            6u);
}

TEST(EmulatorArithmetic, PairsOfIntegers) {
  std::vector<uint32_t> in{0x7FFF8000, 0x0001FFFF};
  EXPECT_EQ(compute("add.s16x2 %r5, %r2, %r3;", in), 0x80007FFFu);
  EXPECT_EQ(compute("max.s16x2 %r5, %r2, %r3;", in), 0x7FFFFFFFu);
  EXPECT_EQ(compute("min.s16x2 %r5, %r2, %r3;", in), 0x00018000u);
  EXPECT_EQ(compute("max.u16x2 %r5, %r2, %r3;", in), 0x7FFFFFFFu);
  EXPECT_EQ(compute("min.u16x2 %r5, %r2, %r3;", in), 0x00018000u);
  EXPECT_EQ(compute("max.u16x2 %r5, %r2, %r3;", {0x00018000, 0xFFFF7FFF}),
            0xFFFF8000u);
  EXPECT_EQ(compute("max.s16x2 %r5, %r2, %r3;", {0x00018000, 0xFFFF7FFF}),
            0x00017FFFu);
}

TEST(EmulatorArithmetic, Bits) {
  EXPECT_EQ(compute("shl.b32 %r5, %r2, %r3;", {1, 32}), 0u);
  EXPECT_EQ(compute("shr.s32 %r5, %r2, %r3;", {0x80000000, 99}), 0xFFFFFFFFu);
  EXPECT_EQ(compute("shr.u32 %r5, %r2, %r3;", {0x80000000, 31}), 1u);
  EXPECT_EQ(compute("bfe.u32 %r5, %r2, 4, 8;", {0x12345678}), 0x67u);
  EXPECT_EQ(compute("bfe.s32 %r5, %r2, 4, 4;", {0x000000F0}), 0xFFFFFFFFu);
  EXPECT_EQ(compute("bfe.s32 %r5, %r2, 28, 8;", {0x80000000}), 0xFFFFFFF8u);
  EXPECT_EQ(compute("bfi.b32 %r5, %r2, %r3, 8, 4;", {0xFF, 0}), 0xF00u);
  EXPECT_EQ(compute("bfind.u32 %r5, %r2;", {0x00800000}), 23u);
  EXPECT_EQ(compute("bfind.s32 %r5, %r2;", {0xFFFFFFFF}), 0xFFFFFFFFu);
  EXPECT_EQ(compute("bfind.shiftamt.u32 %r5, %r2;", {1}), 31u);
  EXPECT_EQ(compute("clz.b32 %r5, %r2;", {0}), 32u);
  EXPECT_EQ(compute("popc.b32 %r5, %r2;", {0xF0F0}), 8u);
  EXPECT_EQ(compute("brev.b32 %r5, %r2;", {1}), 0x80000000u);
  EXPECT_EQ(
      compute("prmt.b32 %r5, %r2, %r3, 0x7504;", {0x33221100, 0x77665544}),
      0x77550044u);
  EXPECT_EQ(
      compute("prmt.b32 %r5, %r2, %r3, 0x3210 ;", {0x33221100, 0x77665544}),
      0x33221100u);
  EXPECT_EQ(compute("prmt.b32 %r5, %r2, 0, 0x8;", {0x80}), 0x808080FFu);
  EXPECT_EQ(compute("lop3.b32 %r5, %r2, %r3, %r4, 0x96;", {1, 3, 7}), 5u);
  EXPECT_EQ(
      compute("shf.l.wrap.b32 %r5, %r2, %r3, 8;", {0xAABBCCDD, 0x11223344}),
      0x223344AAu);
  EXPECT_EQ(compute("shf.r.clamp.b32 %r5, %r2, %r3, 40;", {1, 0x12345678}),
            0x12345678u);
}

TEST(EmulatorArithmetic, FloatRoundingAndModifiers) {
  float one = 1, tiny = 0x1p-30f;
  EXPECT_EQ(compute("add.rn.f32 %r5, %r2, %r3;", {bits(one), bits(tiny)}),
            bits(one));
  EXPECT_EQ(compute("add.rp.f32 %r5, %r2, %r3;", {bits(one), bits(tiny)}),
            bits(std::nextafter(one, 2.0f)));
  EXPECT_EQ(compute("add.rz.f32 %r5, %r2, %r3;", {bits(-one), bits(tiny)}),
            bits(std::nextafter(-one, 0.0f)));
  EXPECT_EQ(compute("mul.rn.ftz.f32 %r5, %r2, %r3;",
                    {bits(0x1p-100f), bits(-0x1p-40f)}),
            0x80000000u);
  EXPECT_EQ(
      compute("mul.rn.f32 %r5, %r2, %r3;", {bits(0x1p-100f), bits(-0x1p-40f)}),
      bits(-0x1p-140f));
  EXPECT_EQ(compute("add.rn.sat.f32 %r5, %r2, %r3;", {bits(3), bits(4)}),
            bits(1));
  EXPECT_EQ(compute("add.rn.sat.f32 %r5, %r2, %r3;", {0x7FC00000, bits(4)}),
            0u);
  // One rounding: the product alone would round the last bit away.
  float a = 1 + 0x1p-12f;
  EXPECT_EQ(compute("fma.rn.f32 %r5, %r2, %r3, %r4;",
                    {bits(a), bits(a), bits(-(1 + 0x1p-11f))}),
            bits(0x1p-24f));
  EXPECT_EQ(compute("div.rn.f32 %r5, %r2, %r3;", {bits(1), bits(3)}),
            bits(1.0f / 3.0f));
}

/// Two f32 in 64 bits, the lower one first.
using FloatPair = std::pair<uint32_t, uint32_t>;

/// Runs `code` with %rd5, %rd6, %rd7 set to the pairs of `in` and gives %rd8.
FloatPair computePair(std::string_view code, std::vector<FloatPair> in) {
  in.resize(3);
  std::vector<uint32_t> words;
  for (FloatPair pair : in)
    words.insert(words.end(), {pair.first, pair.second});
  Outcome run = runBody("ld.global.v2.b64 {%rd5, %rd6}, [%rd2];\n"
                        "ld.global.b64 %rd7, [%rd2+16];\n" +
                            std::string(code) + "\nst.global.b64 [%rd1], %rd8;",
                        1, words);
  EXPECT_TRUE(run.status.isOk()) << run.status.message();
  return {run.out[0], run.out[1]};
}
FloatPair pairOf(float low, float high) { return {bits(low), bits(high)}; }

TEST(EmulatorArithmetic, PairsOfFloats) {
  EXPECT_EQ(computePair("add.rn.f32x2 %rd8, %rd5, %rd6;",
                        {pairOf(1, -3), pairOf(2, 4)}),
            pairOf(3, 1));
  EXPECT_EQ(computePair("sub.f32x2 %rd8, %rd5, %rd6;",
                        {pairOf(1, 0.0f), pairOf(2, 0.0f)}),
            pairOf(-1, 0.0f));
  EXPECT_EQ(computePair("sub.rm.f32x2 %rd8, %rd5, %rd6;",
                        {pairOf(1, 0.0f), pairOf(2, 0.0f)}),
            pairOf(-1, -0.0f));
  EXPECT_EQ(computePair("add.rn.f32x2 %rd8, %rd5, %rd6;",
                        {pairOf(-0.0f, INFINITY), pairOf(-0.0f, -1)}),
            pairOf(-0.0f, INFINITY));
  FloatPair tiny = pairOf(0x1p-100f, -0x1p-100f);
  EXPECT_EQ(computePair("mul.rn.f32x2 %rd8, %rd5, %rd6;",
                        {tiny, pairOf(0x1p-40f, 0x1p-49f)}),
            pairOf(0x1p-140f, -0x1p-149f));
  EXPECT_EQ(computePair("mul.rn.ftz.f32x2 %rd8, %rd5, %rd6;",
                        {tiny, pairOf(0x1p-40f, 0x1p-40f)}),
            pairOf(0, -0.0f));
  EXPECT_EQ(computePair("add.rp.f32x2 %rd8, %rd5, %rd6;",
                        {pairOf(1, -1), pairOf(0x1p-30f, 0x1p-30f)}),
            pairOf(std::nextafter(1.0f, 2.0f), std::nextafter(-1.0f, 0.0f)));
  FloatPair nan = computePair("add.rn.f32x2 %rd8, %rd5, %rd6;",
                              {pairOf(INFINITY, 1), pairOf(-INFINITY, 1)});
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(nan.first)));
  EXPECT_EQ(nan.second, bits(2)) << "a NaN does not reach its neighbour";
}

TEST(EmulatorArithmetic, PairsOfFloatsRoundAnFmaOnce) {
  float a = 1 + 0x1p-12f, square = 1 + 0x1p-11f;
  std::vector<FloatPair> in{pairOf(a, 0x1p127f), pairOf(a, 2),
                            pairOf(-square, -0x1p127f)};
  EXPECT_EQ(computePair("fma.rn.f32x2 %rd8, %rd5, %rd6, %rd7;", in),
            pairOf(0x1p-24f, 0x1p127f));
  EXPECT_EQ(computePair("fma.rz.f32x2 %rd8, %rd5, %rd6, %rd7;",
                        {pairOf(a, a), pairOf(a, -a), pairOf(0, 0)}),
            pairOf(square, -square));
  EXPECT_EQ(
      computePair("fma.rm.ftz.f32x2 %rd8, %rd5, %rd6, %rd7;",
                  {pairOf(a, a), pairOf(a, -a), pairOf(0x1p-140f, -0x1p-140f)}),
      pairOf(square, std::nextafter(-square, -2.0f)));
}

TEST(EmulatorArithmetic, FloatsWithHalfOperands) {
  auto halves = [](std::string_view code, uint32_t a, uint32_t b, float c) {
    return compute("cvt.u16.u32 %h1, %r2; cvt.u16.u32 %h2, %r3;" +
                       std::string(code),
                   {a, b, bits(c)});
  };
  // 65504 + 2^-8: the sum has the precision of f32.
  EXPECT_EQ(halves("add.rn.f32.f16 %r5, %h1, %r4;", 0x7BFF, 0, 0x1p-8f),
            bits(65504 + 0x1p-8f));
  EXPECT_EQ(halves("sub.f32.f16 %r5, %h1, %r4;", 0x0001, 0, 1),
            bits(-1 + 0x1p-24f))
      << "a subnormal f16";
  EXPECT_EQ(halves("add.rn.f32.bf16 %r5, %h1, %r4;", 0x8001, 0, 0),
            bits(-0x1p-133f))
      << "a subnormal bf16";
  EXPECT_EQ(halves("add.rn.f32.f16 %r5, %h1, %r4;", 0x8000, 0, -0.0f),
            bits(-0.0f));
  EXPECT_EQ(halves("sub.rn.f32.bf16 %r5, %h1, %r4;", 0xFF80, 0, 1),
            bits(-INFINITY));
  EXPECT_EQ(halves("add.rp.f32.f16 %r5, %h1, %r4;", 0x3C00, 0, 0x1p-30f),
            bits(std::nextafter(1.0f, 2.0f)));
  EXPECT_EQ(halves("sub.rn.sat.f32.f16 %r5, %h1, %r4;", 0x7E00, 0, 1), 0u);
  EXPECT_EQ(halves("add.sat.f32.bf16 %r5, %h1, %r4;", 0x4000, 0, 1), bits(1));
  EXPECT_EQ(halves("fma.rn.f32.f16 %r5, %h1, %h2, %r4;", 0x3C01, 0xC000, 3),
            bits(1 - 0x1p-9f));
  // The product alone would be infinite, or lose its last bit.
  EXPECT_EQ(
      halves("fma.rn.f32.bf16 %r5, %h1, %h2, %r4;", 0x7F00, 0x4000, -0x1p127f),
      bits(0x1p127f));
  EXPECT_EQ(
      halves("fma.rz.f32.bf16 %r5, %h1, %h2, %r4;", 0x0001, 0x0001, -0x1p-149f),
      bits(-0.0f));
  EXPECT_EQ(halves("fma.rp.sat.f32.f16 %r5, %h1, %h2, %r4;", 0x0001, 0x0001, 1),
            bits(1));
}

TEST(EmulatorArithmetic, RefusesOtherPackedAndMixedForms) {
  struct Row {
    const char *code, *error;
  };
  const Row rows[] = {
      {"add.rn.sat.f32x2 %rd8, %rd5, %rd6;", "'.sat' is not known here"},
      {"fma.f32x2 %rd8, %rd5, %rd6, %rd7;", "an fma needs its rounding"},
      {"add.rn.f32x2 %r5, %rd5, %rd6;", "must be a register of 64 bits"},
      {"mul.rn.f32x2 %rd8, %r2, %rd6;", "'%r2' has 32 bits, 64 are needed"},
      {"sub.rn.f32x2 %rd8, %rd5;", "2 operands"},
      {"mad.rn.f32x2 %rd8, %rd5, %rd6, %rd7;", "form"},
      {"min.f32x2 %rd8, %rd5, %rd6;", "form"},
      {"neg.f32x2 %rd8, %rd5;", "form"},
      {"min.f64 %rd8, %rd5, %rd6, %rd7;", "this combination of types"},
      {"min.f32 %r5, %r2, %r3, %r4, %r4;", "5 operands"},
      {"max.f32 %r5, %r2;", "2 operands"},
      {"ld.global.f32x2 %rd8, [%rd2];", "form"},
      {"add.rn.ftz.f32.f16 %r5, %h1, %r4;", "'.ftz' is not known here"},
      {"fma.f32.f16 %r5, %h1, %h2, %r4;", "an fma needs its rounding"},
      {"add.rn.f32.f16 %r5, %r4, %h1;", "'%r4' has 32 bits, 16 are needed"},
      {"fma.rn.f32.bf16 %r5, %h1, %r2, %r4;", "32 bits, 16 are needed"},
      {"add.rn.f32.f16 %h1, %h1, %r4;", "must be a register of 32 bits"},
      {"mul.rn.f32.f16 %r5, %h1, %r4;", "this combination of types"},
      {"add.rn.f32.f16x2 %r5, %r2, %r4;", "this combination of types"},
      {"add.rn.f64.f32 %rd8, %r2, %rd5;", "this combination of types"},
  };
  for (const Row &row : rows)
    expectError(runBody(row.code), row.error);
}

TEST(EmulatorArithmetic, MinimumMaximumAndNaN) {
  uint32_t nan = 0x7FC00000;
  EXPECT_EQ(compute("min.f32 %r5, %r2, %r3;", {nan, bits(2)}), bits(2));
  EXPECT_EQ(compute("max.f32 %r5, %r2, %r3;", {bits(-0.0f), bits(0.0f)}), 0u);
  EXPECT_EQ(compute("min.f32 %r5, %r2, %r3;", {bits(0.0f), bits(-0.0f)}),
            0x80000000u);
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(
      compute("max.NaN.f32 %r5, %r2, %r3;", {bits(1), nan}))));
  std::vector<uint32_t> three{bits(-1), nan, bits(-3)};
  EXPECT_EQ(compute("max.f32 %r5, %r2, %r3, %r4;", three), bits(-1));
  EXPECT_EQ(compute("min.ftz.f32 %r5, %r2, %r3, %r4;", three), bits(-3));
  EXPECT_TRUE(std::isnan(
      std::bit_cast<float>(compute("max.NaN.f32 %r5, %r2, %r3, %r4;", three))));
  EXPECT_EQ(compute("min.NaN.f32 %r5, %r2, %r3, %r4;",
                    {bits(0.0f), bits(0.0f), bits(-0.0f)}),
            0x80000000u);
  EXPECT_EQ(compute("copysign.f32 %r5, %r2, %r3;", {bits(-1), bits(5)}),
            bits(-5));
  EXPECT_EQ(compute("ex2.approx.ftz.f32 %r5, %r2;", {bits(3)}), bits(8));
  EXPECT_EQ(compute("setp.equ.f32 %p1, %r2, %r3; selp.b32 %r5, 1, 2, %p1;",
                    {nan, bits(1)}),
            1u);
  EXPECT_EQ(compute("setp.ne.f32 %p1, %r2, %r3; selp.b32 %r5, 1, 2, %p1;",
                    {nan, bits(1)}),
            2u);
  EXPECT_EQ(compute("setp.lt.and.s32 %p1|%p2, %r2, %r3, !%p0;"
                    "selp.b32 %r5, 1, 2, %p2;",
                    {5, 3}),
            2u)
      << "poisoned predicates are false under '!'";
}

TEST(EmulatorArithmetic, Halves) {
  // 1 + 2^-11 is a tie: to even.
  EXPECT_EQ(compute("cvt.rn.f16.f32 %h1, %r2; cvt.u32.u16 %r5, %h1;",
                    {bits(1 + 0x1p-11f)}),
            0x3C00u);
  EXPECT_EQ(
      compute("cvt.rz.f16.f32 %h1, %r2; cvt.u32.u16 %r5, %h1;", {bits(1e6f)}),
      0x7BFFu);
  EXPECT_EQ(compute("cvt.rn.f16x2.f32 %r5, %r2, %r3;", {bits(1), bits(2)}),
            0x3C004000u);
  EXPECT_EQ(compute("cvt.rn.bf16x2.f32 %r5, %r2, %r3;", {bits(1), bits(-2)}),
            0x3F80C000u);
  EXPECT_EQ(compute("fma.rn.f16x2 %r5, %r2, %r3, %r4;",
                    {0x3C004000, 0x40004000, 0x3C00BC00}),
            0x42004200u);
  EXPECT_EQ(compute("add.rn.bf16x2 %r5, %r2, %r3;", {0x3F803F80, 0x3F804000}),
            0x40004040u);
  EXPECT_EQ(compute("neg.f16x2 %r5, %r2;", {0x3C00BC00}), 0xBC003C00u);
  EXPECT_EQ(
      compute("cvt.rn.relu.bf16x2.f32 %r5, %r2, %r3;", {bits(-1), bits(1)}),
      0x3F80u);
}

TEST(EmulatorArithmetic, Conversions) {
  EXPECT_EQ(compute("cvt.rni.s32.f32 %r5, %r2;", {bits(2.5f)}), 2u);
  EXPECT_EQ(compute("cvt.rzi.s32.f32 %r5, %r2;", {bits(-2.9f)}), uint32_t(-2));
  EXPECT_EQ(compute("cvt.rmi.s32.f32 %r5, %r2;", {bits(-2.1f)}), uint32_t(-3));
  EXPECT_EQ(compute("cvt.rpi.f32.f32 %r5, %r2;", {bits(2.1f)}), bits(3));
  EXPECT_EQ(compute("cvt.rzi.s32.f32 %r5, %r2;", {bits(1e20f)}), 0x7FFFFFFFu);
  EXPECT_EQ(compute("cvt.rzi.u32.f32 %r5, %r2;", {bits(-5)}), 0u);
  EXPECT_EQ(compute("cvt.rzi.s32.f32 %r5, %r2;", {0x7FC00000}), 0u);
  EXPECT_EQ(compute("cvt.rn.f32.u32 %r5, %r2;", {0x01000001}), bits(0x1p24f));
  EXPECT_EQ(compute("cvt.rp.f32.u32 %r5, %r2;", {0x01000001}),
            bits(0x1p24f + 2));
  EXPECT_EQ(compute("cvt.s32.s8 %r5, %r2;", {0x80}), 0xFFFFFF80u);
  EXPECT_EQ(compute("cvt.sat.s8.s32 %r5, %r2;", {300}), 127u);
  EXPECT_EQ(compute("cvt.u64.u32 %rd5, %r2; shr.u64 %rd6, %rd5, 16;"
                    "cvt.u32.u64 %r5, %rd6;",
                    {0xABCD0000}),
            0xABCDu);
  EXPECT_EQ(compute("cvt.rna.tf32.f32 %r5, %r2;", {bits(1 + 0x1p-11f)}),
            bits(1 + 0x1p-10f));
  EXPECT_EQ(compute("cvt.rn.satfinite.e4m3x2.f32 %h1, %r2, %r3;"
                    "cvt.u32.u16 %r5, %h1;",
                    {bits(1e9f), bits(1)}),
            0x7E38u);
  EXPECT_EQ(
      compute("cvt.u16.u32 %h1, %r2; cvt.rn.f16x2.e5m2x2 %r5, %h1;", {0x3C40}),
      0x3C004000u);
}

TEST(EmulatorArithmetic, VectorsAndPacking) {
  EXPECT_EQ(compute("mov.b32 {%h1, %h2}, %r2; mov.b32 %r5, {%h2, %h1};",
                    {0x11112222}),
            0x22221111u);
  EXPECT_EQ(
      compute("mov.b64 %rd5, {%r2, %r3}; mov.b64 {_, %r5}, %rd5;", {1, 2}), 2u);
  EXPECT_EQ(compute("st.global.b8 [%rd1+8], %r2; ld.global.s8 %r5, [%rd1+8];",
                    {0x1FE}),
            0xFFFFFFFEu);
}

} // namespace
