//===- SizeExprTest.cpp - Values and ranges of size expressions -----------===//

#include "tripy/Base/SizeExpr.h"
#include "tripy/Base/CheckedMath.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace tripy;

namespace {

constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
constexpr int64_t highest = std::numeric_limits<int64_t>::max();

TEST(CheckedMath, Overflow) {
  EXPECT_EQ(checkedAdd<uint64_t>(UINT64_MAX, 0), UINT64_MAX);
  EXPECT_FALSE(checkedAdd<uint64_t>(UINT64_MAX, 1));
  EXPECT_FALSE(checkedSub<uint64_t>(0, 1));
  EXPECT_FALSE(checkedMul<int64_t>(int64_t(1) << 62, 2));
  EXPECT_EQ(checkedMul<int64_t>(int64_t(1) << 62, -2), lowest);
  EXPECT_FALSE(checkedAdd<int64_t>(highest, 1));
  EXPECT_FALSE(checkedSub<int64_t>(lowest, 1));
  EXPECT_EQ(checkedAlignUp(65, 64), 128u);
  EXPECT_EQ(checkedAlignUp(64, 64), 64u);
  EXPECT_FALSE(checkedAlignUp(UINT64_MAX - 3, 64));
}

TEST(CheckedMath, Division) {
  EXPECT_EQ(checkedFloorDiv(7, 2), 3);
  EXPECT_EQ(checkedFloorDiv(-7, 2), -4);
  EXPECT_EQ(checkedFloorDiv(7, -2), -4);
  EXPECT_EQ(checkedCeilDiv(7, 2), 4);
  EXPECT_EQ(checkedCeilDiv(-7, 2), -3);
  EXPECT_EQ(checkedMod(-7, 3), 2);
  EXPECT_EQ(checkedMod(7, -3), -2);
  EXPECT_EQ(checkedMod(lowest, -1), 0);
  EXPECT_FALSE(checkedFloorDiv(1, 0));
  EXPECT_FALSE(checkedCeilDiv(lowest, -1));
  EXPECT_FALSE(checkedMod(1, 0));
}

TEST(SizeExpr, Values) {
  EXPECT_EQ(evaluateSizeOp(SizeOp::Broadcast, 1, 5), 5);
  EXPECT_EQ(evaluateSizeOp(SizeOp::Broadcast, 4, 1), 4);
  EXPECT_EQ(evaluateSizeOp(SizeOp::Equal, 4, 4), 1);
  EXPECT_EQ(evaluateSizeOp(SizeOp::Equal, 4, 5), 0);
  EXPECT_EQ(evaluateSizeOp(SizeOp::Min, 4, 5), 4);
  EXPECT_EQ(evaluateSizeOp(SizeOp::Max, 4, 5), 5);
  EXPECT_FALSE(evaluateSizeOp(SizeOp(77), 4, 5));
}

TEST(SizeExpr, BoundsRefuseWhatMayFail) {
  EXPECT_FALSE(boundSizeOp(SizeOp::FloorDiv, {1, 4}, {-1, 1}));
  EXPECT_FALSE(boundSizeOp(SizeOp::CeilDiv, {1, 4}, {0, 1}));
  EXPECT_FALSE(boundSizeOp(SizeOp::Mod, {1, 4}, {0, 0}));
  EXPECT_FALSE(boundSizeOp(SizeOp::Add, {0, highest}, {0, 1}));
  EXPECT_FALSE(boundSizeOp(SizeOp::Mul, {lowest, 0}, {-1, 0}));
  EXPECT_FALSE(boundSizeOp(SizeOp::FloorDiv, {lowest, 0}, {-1, -1}));
}

TEST(SizeExpr, BroadcastBounds) {
  auto expect = [](Interval a, Interval b, int64_t lo, int64_t hi) {
    Interval bound = *boundSizeOp(SizeOp::Broadcast, a, b);
    EXPECT_EQ(bound.lo, lo);
    EXPECT_EQ(bound.hi, hi);
  };
  expect({1, 1}, {5, 7}, 5, 7);
  expect({2, 4}, {5, 7}, 2, 4);
  expect({1, 4}, {5, 7}, 2, 7);
  expect({0, 1}, {5, 7}, 0, 7);
}

/// For random small ranges, the bounds contain every value and both ends of
/// the exact ops' bounds are reached.
TEST(SizeExpr, BoundsContainAllValuesAndAreTight) {
  std::mt19937 random(1);
  auto pick = [&] { return int64_t(random() % 13) - 5; };
  for (int round = 0; round < 20000; ++round) {
    Interval a{pick(), 0}, b{pick(), 0};
    a.hi = a.lo + random() % 5;
    b.hi = b.lo + random() % 5;
    SizeOp op = SizeOp(3 + random() % 10);
    bool divides =
        op == SizeOp::FloorDiv || op == SizeOp::CeilDiv || op == SizeOp::Mod;
    std::optional<Interval> bound = boundSizeOp(op, a, b);
    ASSERT_EQ(bound.has_value(), !(divides && b.contains(0)));
    if (!bound)
      continue;
    bool low = false, high = false;
    for (int64_t x = a.lo; x <= a.hi; ++x)
      for (int64_t y = b.lo; y <= b.hi; ++y) {
        std::optional<int64_t> value = evaluateSizeOp(op, x, y);
        ASSERT_TRUE(value && bound->contains(*value))
            << int(op) << ": " << x << ", " << y;
        low |= *value == bound->lo;
        high |= *value == bound->hi;
      }
    if (op != SizeOp::Mod && op != SizeOp::Broadcast)
      EXPECT_TRUE(low && high) << int(op);
  }
}

TEST(SizeExpr, RandomProgramsStayWithinTheirBounds) {
  std::mt19937_64 random(2);
  size_t evaluated = 0;
  for (int round = 0; round < 5000; ++round) {
    Program program;
    program.symbols.resize(2);
    for (SizeSymbol &symbol : program.symbols) {
      symbol.min = int64_t(random() % 4);
      symbol.max = symbol.min + int64_t(random() % 1000000);
      symbol.opt = symbol.min;
    }
    for (Index i = 0; i < 12; ++i) {
      SizeExpr expr;
      expr.op = SizeOp(1 + random() % 12);
      if (i < 2)
        expr.op = SizeOp(1 + i);
      expr.a = expr.op == SizeOp::Symbol ? Index(random() % 2)
                                         : Index(random() % std::max(i, 1u));
      expr.b = Index(random() % std::max(i, 1u));
      expr.value = int64_t(random() % 9) - 2;
      program.exprs.push_back(expr);
    }
    Result<std::vector<Interval>> bounds = boundSizes(program);
    if (!bounds)
      continue;
    for (int sample = 0; sample < 10; ++sample) {
      std::vector<int64_t> symbols, values(program.exprs.size());
      for (const SizeSymbol &symbol : program.symbols)
        symbols.push_back(
            symbol.min +
            int64_t(random() % uint64_t(symbol.max - symbol.min + 1)));
      ASSERT_TRUE(evaluateSizes(program, symbols, values).isOk());
      for (size_t i = 0; i < values.size(); ++i)
        ASSERT_TRUE((*bounds)[i].contains(values[i]));
      ++evaluated;
    }
  }
  EXPECT_GT(evaluated, 5000u);
}

TEST(SizeExpr, EvaluationReportsFailure) {
  Program program;
  program.symbols.resize(1);
  program.exprs = {{SizeOp::Symbol, 0, 0, 0}, {SizeOp::FloorDiv, 0, 0, 0}};
  std::vector<int64_t> values(2);
  int64_t zero = 0, two = 2;
  EXPECT_EQ(evaluateSizes(program, {&zero, 1}, values).code(), Code::Malformed);
  EXPECT_TRUE(evaluateSizes(program, {&two, 1}, values).isOk());
  EXPECT_EQ(evaluateSizes(program, {}, values).code(), Code::Internal);
}

} // namespace
