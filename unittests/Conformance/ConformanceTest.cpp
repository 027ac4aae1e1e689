//===- ConformanceTest.cpp - Compiled programs against the reference ------===//
//
// Whatever the compiler does to a program, its results are those of the
// reference evaluator, within the bounds that ScalarFns.td states.
//
//   TRIPY_CONFORMANCE_TARGET=cuda:sm_90a   another target than the CPU
//   TRIPY_CONFORMANCE_CPU=x86-64-v3        another processor than this one
//   TRIPY_CONFORMANCE_SEEDS=1000           more random programs
//   TRIPY_CONFORMANCE_PRINT=1              print programs that fail
//   TRIPY_CONFORMANCE_EMIT=FOLDER          write programs for
//                                          conformance-replay, run nothing
//   TRIPY_CONFORMANCE_LIST=FILE            write which operations the programs
//                                          have, at which element types, for
//                                          utils/check-conformance.py
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Families.h"
#include "Runner.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>

using namespace tripy;
using namespace tripy::conformance;

namespace {
class Conformance : public ::testing::Test {
protected:
  Runner runner;
};
} // namespace

TEST_F(Conformance, Rows) { runner.check(rowCases()); }
TEST_F(Conformance, Conversions) { runner.check(convertCases()); }
TEST_F(Conformance, Movement) { runner.check(movementCases()); }
TEST_F(Conformance, Reductions) { runner.check(reduceCases()); }
TEST_F(Conformance, Contractions) { runner.check(dotCases()); }
TEST_F(Conformance, FewRows) { runner.check(fewRowCases(runner.isForGPU())); }
TEST_F(Conformance, Indexing) { runner.check(indexingCases()); }
TEST_F(Conformance, Arrangement) { runner.check(arrangeCases()); }
TEST_F(Conformance, Order) { runner.check(orderCases()); }
TEST_F(Conformance, Quantization) { runner.check(quantizeCases()); }
TEST_F(Conformance, Windows) { runner.check(windowCases()); }
TEST_F(Conformance, Attention) { runner.check(attentionCases()); }
TEST_F(Conformance, Fusion) { runner.check(fusionCases()); }

TEST_F(Conformance, Examples) { runner.check(exampleCases()); }
TEST_F(Conformance, Trace) { runner.check(traceCases()); }

TEST_F(Conformance, RandomPrograms) {
  const char *text = std::getenv("TRIPY_CONFORMANCE_SEEDS");
  uint64_t seeds = text ? std::strtoull(text, nullptr, 10) : 40;
  for (uint64_t seed = 1; seed <= seeds; ++seed)
    runner.check(randomCase(seed));
}

//===-- the comparison itself ---------------------------------------------===//

static std::string compare(const std::vector<float> &found,
                           const std::vector<float> &expected,
                           const Tolerance &tolerance) {
  return compareElements(DType::F32, found.size(), found.data(),
                         expected.data(), tolerance);
}

TEST(ConformanceCompare, TellsNeighboursApart) {
  float next = std::nextafter(1.0f, 2.0f), after = std::nextafter(next, 2.0f);
  EXPECT_EQ(compare({1}, {1}, {}), "");
  EXPECT_NE(compare({next}, {1}, {}), "");
  EXPECT_EQ(compare({next}, {1}, {1}), "");
  EXPECT_NE(compare({after}, {1}, {1}), "");
  EXPECT_NE(compare({0.0f}, {-0.0f}, {}), "");
  EXPECT_EQ(compare({1e-45f}, {-1e-45f}, {2}), "");
  EXPECT_NE(compare({1e-45f}, {-1e-45f}, {1}), "");
  EXPECT_EQ(compare({NAN}, {-NAN}, {}), "");
  EXPECT_NE(compare({NAN}, {1}, {0, 1, 1}), "");
  EXPECT_NE(compare({INFINITY}, {3e38f}, {0, 1, 1}), "");
  EXPECT_EQ(compare({1.5f}, {1}, {0, 0, 0.5}), "");
  EXPECT_EQ(compare({1, 2, 5}, {1, 3, 4}, {}),
            "2 of 3 elements differ; element 1 is 2, expected 3");
}
