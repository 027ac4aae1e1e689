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
    for (TableIndex i = 0; i < 12; ++i) {
      SizeExpr expr;
      expr.op = SizeOp(1 + random() % 17);
      if (i < 2)
        expr.op = SizeOp(1 + i);
      expr.a = expr.op == SizeOp::Symbol
                   ? TableIndex(random() % 2)
                   : TableIndex(random() % std::max(i, 1u));
      expr.b = TableIndex(random() % std::max(i, 1u));
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

TEST(SizeExpr, WhatCanFailNeedsACheck) {
  Program program;
  program.symbols.resize(1);
  program.symbols[0].max = 4;
  program.exprs = {{SizeOp::Symbol, 0, 0, 0},
                   {SizeOp::Constant, 0, 0, 7},
                   {SizeOp::FloorDiv, 1, 0, 0}};
  EXPECT_EQ(boundSizes(program).status().code(), Code::Malformed);
  // The check of other operands, or of another operation, is none.
  program.checks = {{CheckKind::Quotient, 0, 1, "", noIndex},
                    {CheckKind::Remainder, 1, 0, "", noIndex}};
  EXPECT_EQ(boundSizes(program).status().code(), Code::Malformed);
  program.checks[0] = {CheckKind::Quotient, 1, 0, "", noIndex};
  Result<std::vector<Interval>> bounds = boundSizes(program);
  ASSERT_TRUE(bool(bounds));
  EXPECT_EQ((*bounds)[2], (Interval{1, 7}));
}

TEST(SizeExpr, WhatFailsIsZero) {
  Program program;
  program.symbols.resize(1);
  program.exprs = {{SizeOp::Symbol, 0, 0, 0}, {SizeOp::FloorDiv, 0, 0, 0}};
  std::vector<int64_t> values(2);
  int64_t zero = 0, two = 2;
  EXPECT_TRUE(evaluateSizes(program, {&zero, 1}, values).isOk());
  EXPECT_EQ(values[1], 0);
  EXPECT_FALSE(holds(CheckKind::Quotient, values[0], values[0]));
  EXPECT_TRUE(evaluateSizes(program, {&two, 1}, values).isOk());
  EXPECT_EQ(values[1], 1);
  EXPECT_EQ(evaluateSizes(program, {}, values).code(), Code::Internal);
}

} // namespace
