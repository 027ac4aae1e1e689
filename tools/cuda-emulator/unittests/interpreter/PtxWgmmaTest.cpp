//===- PtxWgmmaTest.cpp - Kernels of a warpgroup through the emulator -----===//
//
// Tensor copies bring both operands to shared memory, 128 threads multiply
// them, and the registers are stored as they are.
//
//===----------------------------------------------------------------------===//

#include "PtxTestUtil.h"
#include "UnitsWgmmaUtil.h"

using namespace tripy;
using namespace tripy::emulator;

namespace {

/// What a test leaves out of a right kernel; OperandWait: the wait before A's
/// registers are written again.
enum class Missing { Nothing, BarrierWait, GroupWait, OperandWait };

const char *nameOf(MatrixType type) {
  switch (type) {
  case MatrixType::F16:
    return "f16";
  case MatrixType::BF16:
    return "bf16";
  case MatrixType::TF32:
    return "tf32";
  case MatrixType::E4M3:
    return "e4m3";
  case MatrixType::E5M2:
    return "e5m2";
  case MatrixType::S8:
    return "s8";
  }
  return "";
}

struct Case {
  WgmmaShape shape;
  int swizzle = 3;
  bool registersA = false;
  Missing missing = Missing::Nothing;

  /// All of K lies in one span of the swizzle.
  uint32_t span() const { return 16u << swizzle; }
  uint32_t steps() const { return span() / 32; }
  uint32_t k() const { return steps() * shape.k(); }
};

constexpr uint32_t threads = 128, atA = 1024, atB = atA + 64 * 128,
                   sharedBytes = atB + 256 * 128, firstD = 64;

/// Boxes of an operand: all rows at once when K is contiguous, else one for
/// each span of rows.
uint32_t boxes(const Case &c, uint32_t size, bool transposed) {
  return transposed ? size * 2 / c.span() : 1;
}

/// The descriptor of step `step` of an operand at `at` into %rd<to>.
void emitDescriptor(TestKernel &kernel, const Case &c, uint32_t at,
                    bool transposed, uint32_t step, uint32_t to) {
  MatrixDescriptor descriptor;
  descriptor.swizzle = c.span();
  descriptor.stride = 8 * c.span();
  descriptor.leading = transposed ? c.k() * c.span() : 16;
  at += step * (transposed ? c.shape.k() * c.span() : 32);
  kernel.line("add.s32 %r7, %r1, ", at, ";");
  kernel.line("and.b32 %r7, %r7, 0x3ffff;");
  kernel.line("shr.u32 %r7, %r7, 4;");
  kernel.line("cvt.u64.u32 %rd", to, ", %r7;");
  kernel.line("or.b64 %rd", to, ", %rd", to, ", ", int64_t(descriptor.encode()),
              ";");
}

std::string registerList(uint32_t first, uint32_t count) {
  std::string list = "{";
  for (uint32_t i = 0; i < count; ++i)
    list += concat(i ? ", " : "", "%r", first + i);
  return list + "}";
}

void emitMultiplications(TestKernel &kernel, const Case &c) {
  const WgmmaShape &s = c.shape;
  kernel.line("wgmma.fence.sync.aligned;");
  for (uint32_t step = 0; step < c.steps(); ++step) {
    emitDescriptor(kernel, c, atA, s.transposeA, step, 3);
    emitDescriptor(kernel, c, atB, s.transposeB, step, 4);
    kernel.line("setp.ne.b32 %p3, ", step, ", 0;");
    std::string transposes;
    if (bytesOf(s.a) == 2)
      transposes = concat(c.registersA   ? ""
                          : s.transposeA ? ", 1"
                                         : ", 0",
                          s.transposeB ? ", 1" : ", 0");
    kernel.line("wgmma.mma_async.sync.aligned.m64n", s.n, "k", s.k(),
                s.accumulator == AccumulatorType::F16 ? ".f16." : ".f32.",
                nameOf(s.a), ".", nameOf(s.b), " ",
                registerList(firstD, s.accumulatorRegisters()), ", ",
                c.registersA ? registerList(16 + 4 * step, 4)
                             : std::string("%rd3"),
                ", %rd4, %p3, ", s.negateA ? "-1" : "1", ", ",
                s.negateB ? "-1" : "1", transposes, ";");
  }
  kernel.line("wgmma.commit_group.sync.aligned;");
  if (c.missing == Missing::OperandWait)
    kernel.line("add.s32 %r17, %r17, 1;");
  if (c.missing != Missing::GroupWait)
    kernel.line("wgmma.wait_group.sync.aligned 0;");
}

TestKernel kernelOf(const Case &c) {
  const WgmmaShape &s = c.shape;
  TestKernel kernel(2, 2, threads);
  kernel.firstThread(0, (64 + s.n) * c.k() * bytesOf(s.a));
  uint32_t perBox = c.span() / bytesOf(s.a), boxBytes = c.k() * c.span();
  for (uint32_t i = 0; i < boxes(c, 64, s.transposeA); ++i)
    kernel.load(0, atA + i * boxBytes, int32_t(i * perBox), 0);
  for (uint32_t i = 0; i < boxes(c, s.n, s.transposeB); ++i)
    kernel.load(1, atB + i * boxBytes, int32_t(i * perBox), 0);
  kernel.threadsJoin();
  if (c.missing != Missing::BarrierWait)
    kernel.wait(0);
  if (c.registersA)
    for (uint32_t i = 0; i < 4 * c.steps(); ++i)
      kernel.loadWord(1, concat("%r", 16 + i), i, threads);
  emitMultiplications(kernel, c);
  for (uint32_t i = 0; i < s.accumulatorRegisters(); ++i)
    kernel.storeWord(0, concat("%r", firstD + i), i, threads);
  return kernel;
}

/// A as registers: the fragments of step 0, then of step 1, ...; word w of
/// thread t at w * threads + t.
std::vector<uint8_t> fragmentsOf(const Case &c, const TestMatrix &a) {
  uint32_t perRegister = 4 / bytesOf(c.shape.a);
  std::vector<uint8_t> bytes;
  for (uint32_t w = 0; w < 4 * c.steps(); ++w)
    for (uint32_t t = 0; t < threads; ++t) {
      uint32_t row = t / 32 * 16 + t % 32 / 4 + w % 2 * 8;
      uint32_t k = w / 4 * c.shape.k() + (t % 4 + w % 4 / 2 * 4) * perRegister;
      std::vector<int> elements;
      for (uint32_t i = 0; i < perRegister; ++i)
        elements.push_back(a.at(row, k + i));
      uint32_t word = packRegisters(c.shape.a, elements).front();
      auto *from = reinterpret_cast<const uint8_t *>(&word);
      bytes.insert(bytes.end(), from, from + 4);
    }
  return bytes;
}

bool holdProduct(const WgmmaShape &shape,
                 const std::vector<uint32_t> &registers, const TestMatrix &a,
                 const TestMatrix &b) {
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t column = 0; column < shape.n; ++column)
      if (result(shape, registers, row, column) != product(a, b, row, column))
        return false;
  return true;
}

/// Runs the kernel and compares its registers: they hold the product, unless
/// something is missing.
Status runCase(const Case &c) {
  const WgmmaShape &s = c.shape;
  TestMatrix a(64, c.k(), 31), b(s.n, c.k(), 32);
  TestRun run;
  auto addMap = [&](const TestMatrix &m, MatrixType type, bool transposed) {
    TestMatrix kept = transposed ? m.transposed() : m;
    run.map(kept.encode(type), tensorType(type), kept.rows, kept.columns,
            kept.rows, c.span() / bytesOf(type), c.swizzle);
  };
  addMap(a, s.a, s.transposeA);
  addMap(b, s.b, s.transposeB);
  uint32_t count = s.accumulatorRegisters();
  uint64_t out = run.pointer(std::vector<uint8_t>(threads * count * 4, 0x7f));
  run.pointer(c.registersA ? fragmentsOf(c, a) : std::vector<uint8_t>(16));
  Status status = run.run(kernelOf(c), threads, sharedBytes);
  if (!status.isOk())
    return status;
  std::vector<uint32_t> registers(threads * count);
  auto *words = reinterpret_cast<const uint32_t *>(out);
  for (uint32_t t = 0; t < threads; ++t)
    for (uint32_t i = 0; i < count; ++i)
      registers[t * count + i] = words[i * threads + t];
  if (c.missing == Missing::Nothing)
    expectProduct(s, registers, a, b, s.negateA == s.negateB ? 1 : -1);
  else
    EXPECT_FALSE(holdProduct(s, registers, a, b));
  return status;
}

TEST(PtxWgmma, EveryTypeAndSwizzle) {
  for (MatrixType type : {MatrixType::F16, MatrixType::BF16, MatrixType::TF32,
                          MatrixType::E4M3, MatrixType::E5M2})
    for (int swizzle : {1, 2, 3}) {
      SCOPED_TRACE(testing::Message() << nameOf(type) << " " << swizzle);
      Case c;
      c.shape.n = 24;
      c.shape.a = c.shape.b = type;
      c.swizzle = swizzle;
      EXPECT_OK(runCase(c));
    }
}

TEST(PtxWgmma, TransposedOperands) {
  for (int which = 1; which < 4; ++which)
    for (int swizzle : {1, 2, 3}) {
      SCOPED_TRACE(testing::Message() << which << " " << swizzle);
      Case c;
      c.shape.n = 128;
      c.shape.transposeA = which & 1;
      c.shape.transposeB = which & 2;
      c.swizzle = swizzle;
      EXPECT_OK(runCase(c));
    }
}

TEST(PtxWgmma, TheLargestAndTheSmallest) {
  for (uint32_t n : {8, 256})
    for (AccumulatorType type : {AccumulatorType::F32, AccumulatorType::F16}) {
      Case c;
      c.shape.n = n;
      c.shape.accumulator = type;
      EXPECT_OK(runCase(c));
    }
}

TEST(PtxWgmma, AInRegistersAndSigns) {
  for (MatrixType type :
       {MatrixType::F16, MatrixType::TF32, MatrixType::E4M3}) {
    Case c;
    c.shape.n = 32;
    c.shape.a = c.shape.b = type;
    c.shape.negateA = bytesOf(type) != 1;
    c.registersA = true;
    EXPECT_OK(runCase(c));
  }
}

TEST(PtxWgmma, MixedTypesOfOneByte) {
  Case c;
  c.shape.n = 16;
  c.shape.a = MatrixType::E4M3;
  c.shape.b = MatrixType::E5M2;
  EXPECT_OK(runCase(c));
}

/// Copies come as late as they may: without the wait, nothing is there.
TEST(PtxWgmma, AMissingBarrierWaitIsFound) {
  Case c;
  c.missing = Missing::BarrierWait;
  EXPECT_FAULT(runCase(c), "never written");
}

/// The instruction may read A's registers until the wait for it.
TEST(PtxWgmma, AnOverwrittenOperandIsFound) {
  Case c;
  c.registersA = true;
  c.missing = Missing::OperandWait;
  EXPECT_FAULT(runCase(c), "were written before the wait");
}

/// Results come as late as they may, too: the registers are as before.
TEST(PtxWgmma, AMissingGroupWaitLeavesTheRegisters) {
  Case c;
  c.missing = Missing::GroupWait;
  EXPECT_OK(runCase(c));
}

} // namespace
