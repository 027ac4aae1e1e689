//===- RandomProgramTest.cpp - Programs made of small random numbers ------===//
//
// Whatever a program says, the verifier answers; and what it accepts survives
// the container.
//
//===----------------------------------------------------------------------===//

#include "SampleProgram.h"
#include "tripy/Base/ExecutableFormat.h"
#include "tripy/Base/SizeExpr.h"
#include "tripy/Base/Verify.h"
#include "tripy/Base/Work.h"

#include <gtest/gtest.h>
#include <random>

using namespace tripy;
using namespace tripy::samples;

namespace {

class Mutator {
public:
  explicit Mutator(uint64_t seed) : random(seed) {}

  /// Changes a few random fields of a valid program.
  void change(Program &program) {
    for (uint64_t i = 0, count = 1 + pick(3); i < count; ++i)
      changeOne(program);
  }

private:
  uint64_t pick(uint64_t below) { return random() % below; }
  template <typename T> T &any(std::vector<T> &list) {
    return list[pick(list.size())];
  }
  /// A number of the kind that breaks things.
  uint64_t number() {
    static constexpr uint64_t hard[] = {0,
                                        1,
                                        2,
                                        3,
                                        4,
                                        7,
                                        8,
                                        64,
                                        256,
                                        512,
                                        0x7fffffff,
                                        0x80000000,
                                        noIndex,
                                        UINT64_MAX,
                                        uint64_t(1) << 40,
                                        uint64_t(1) << 63};
    return hard[pick(std::size(hard))];
  }

  void changeOne(Program &program) {
    switch (pick(16)) {
    case 0: {
      SizeExpr &expr = any(program.exprs);
      expr = {SizeOp(pick(14)), TableIndex(pick(12)), TableIndex(pick(12)),
              int64_t(number())};
      break;
    }
    case 1:
      if (!program.symbols.empty())
        any(program.symbols).max = int64_t(number());
      break;
    case 2:
      any(program.buffers) = {BufferKind(pick(7)), TableIndex(pick(3)),
                              number(), number()};
      break;
    case 3:
      any(any(program.launches).args) = {ArgKind(pick(5)),
                                         TableIndex(number())};
      break;
    case 4:
      any(any(program.launches).accesses) = {pick(2) == 1, pick(2) == 1,
                                             TableIndex(pick(12))};
      break;
    case 5:
      any(program.launches).grid[pick(3)] = TableIndex(pick(14));
      break;
    case 6:
      any(program.images).size = number();
      break;
    case 7:
      any(program.kernels).entry = number();
      break;
    case 8:
      any(program.inputs).dims.push_back(TableIndex(pick(12)));
      break;
    case 9:
      any(program.outputs).dims.assign(pick(10), TableIndex(pick(12)));
      break;
    case 10:
      program.arenaBytes = number();
      break;
    case 11:
      any(program.launches).product = TableIndex(pick(3));
      break;
    case 12:
      if (!program.products.empty())
        changeProduct(any(program.products));
      break;
    case 13:
      any(program.launches)
          .work.push_back({WorkKind(pick(6)),
                           DType(1 + pick(13)),
                           TableIndex(pick(5)),
                           number(),
                           {TableIndex(pick(14))}});
      break;
    case 14:
      any(program.frames).caller = TableIndex(pick(3)) - 1;
      any(any(program.whys).lines).caller = TableIndex(pick(4)) - 1;
      break;
    default:
      program.launches.push_back(any(program.launches));
    }
  }

  void changeProduct(MatrixProduct &product) {
    TableIndex *positions[] = {&product.a, &product.b, &product.result,
                               &product.bias};
    int64_t *sizes[] = {&product.batch, &product.m, &product.n, &product.k};
    size_t which = pick(4);
    if (pick(2))
      *positions[which] = TableIndex(number());
    else
      *sizes[which] = int64_t(number());
    if (pick(4) == 0)
      product.resultType = DType(pick(14));
  }

  std::mt19937_64 random;
};

TEST(RandomProgram, TheVerifierAlwaysAnswers) {
  size_t accepted = 0, refused = 0;
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    auto sample = seed % 3 == 0   ? cpuSample()
                  : seed % 3 == 1 ? cudaSample()
                                  : productSample();
    Mutator(seed).change(sample->program);
    if (!verifyProgram(sample->program).isOk()) {
      ++refused;
      continue;
    }
    ++accepted;
    std::vector<int64_t> symbols, values(sample->program.exprs.size());
    for (const SizeSymbol &symbol : sample->program.symbols)
      symbols.push_back(symbol.opt);
    ASSERT_TRUE(evaluateSizes(sample->program, symbols, values).isOk());
    (void)checkAccesses(sample->program, values).isOk();
    for (const Launch &launch : sample->program.launches)
      EXPECT_GE(workOf(sample->program, launch, values).bytes(), 0);
    std::vector<uint8_t> bytes = container(*sample);
    Result<Program> again = parseExecutable(bytes, {.threads = 1});
    ASSERT_TRUE(again) << again.status().message();
    EXPECT_TRUE(verifyProgram(*again).isOk());
  }
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(refused, 1000u);
}

} // namespace
