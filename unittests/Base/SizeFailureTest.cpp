//===- SizeFailureTest.cpp - Sizes for which a condition fails ------------===//

#include "tripy/Base/SizeFailure.h"
#include "tripy/Base/SizeExpr.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace tripy;

namespace {

using Sizes = std::vector<std::pair<TableIndex, int64_t>>;

/// A program of sizes alone.
struct SizeProgram {
  Program program;

  TableIndex symbol(int64_t min, int64_t max, const char *name = "") {
    program.symbols.push_back({0, 0, min, min, max, name});
    return add({SizeOp::Symbol, TableIndex(program.symbols.size() - 1), 0, 0});
  }
  TableIndex constant(int64_t value) {
    return add({SizeOp::Constant, 0, 0, value});
  }
  TableIndex binary(SizeOp op, TableIndex a, TableIndex b) {
    return add({op, a, b, 0});
  }
  void check(CheckKind kind, TableIndex a, TableIndex b) {
    program.checks.push_back({kind, a, b, "", noIndex});
  }
  TableIndex add(SizeExpr expr) {
    program.exprs.push_back(expr);
    return TableIndex(program.exprs.size() - 1);
  }
  SizeFailure find(size_t number = 0) const {
    return SizeFailureSearch(program).find(number);
  }
};

TEST(SizeFailure, TheSmallestSizeComesFirst) {
  SizeProgram sizes;
  TableIndex n = sizes.symbol(1, 8), three = sizes.constant(3);
  sizes.check(CheckKind::Equal, n, three);
  sizes.check(CheckKind::Broadcastable, n, three);
  sizes.check(CheckKind::LessEqual, n, three);
  SizeFailure failure = SizeFailureSearch(sizes.program).find(0);
  EXPECT_EQ(failure.outcome, SizeFailure::Fails);
  EXPECT_EQ(failure.sizes, (Sizes{{0, 1}}));
  EXPECT_EQ(failure.a, 1);
  EXPECT_EQ(failure.b, 3);
  // Where the first holds, so do the others.
  EXPECT_EQ(sizes.find(1).outcome, SizeFailure::Never);
  std::swap(sizes.program.checks[0], sizes.program.checks[1]);
  EXPECT_EQ(sizes.find(0).sizes, (Sizes{{0, 2}}));
  EXPECT_EQ(sizes.find(1).sizes, (Sizes{{0, 1}}));
  std::swap(sizes.program.checks[0], sizes.program.checks[2]);
  EXPECT_EQ(sizes.find(0).sizes, (Sizes{{0, 4}}));
}

TEST(SizeFailure, WhatTheProfileImpliesNeverFails) {
  SizeProgram sizes;
  TableIndex n = sizes.symbol(1, 3), three = sizes.constant(3);
  TableIndex rest = sizes.binary(SizeOp::Mod, n, three);
  sizes.check(CheckKind::LessEqual, n, three);
  // Ranges alone do not tell: n - n % 3 is 0 or 3.
  TableIndex whole = sizes.binary(SizeOp::Sub, n, rest);
  sizes.check(CheckKind::Broadcastable,
              sizes.binary(SizeOp::Max, whole, sizes.constant(1)), three);
  EXPECT_EQ(sizes.find(0).outcome, SizeFailure::Never);
  EXPECT_EQ(sizes.find(1).outcome, SizeFailure::Never);
}

TEST(SizeFailure, SizesOfOneNameAreEqual) {
  SizeProgram sizes;
  TableIndex a = sizes.symbol(1, 8, "batch"), b = sizes.symbol(2, 9, "batch");
  TableIndex c = sizes.symbol(1, 8);
  sizes.check(CheckKind::Equal, a, b);
  sizes.check(CheckKind::Equal, b, c);
  EXPECT_EQ(sizes.find(0).outcome, SizeFailure::Never);
  SizeFailure failure = sizes.find(1);
  ASSERT_EQ(failure.outcome, SizeFailure::Fails);
  // What all of the name allow; the first one stands for them.
  EXPECT_EQ(failure.sizes, (Sizes{{0, 2}, {2, 1}}));
  // No call with these sizes gets as far as conditions.
  sizes.program.symbols[0].max = sizes.program.symbols[0].min = 1;
  EXPECT_EQ(sizes.find(1).outcome, SizeFailure::Never);
}

TEST(SizeFailure, EarlierConditionsHold) {
  SizeProgram sizes;
  TableIndex x = sizes.symbol(1, 8), y = sizes.symbol(1, 8),
             z = sizes.symbol(1, 8);
  TableIndex other = sizes.symbol(5, 6);
  sizes.check(CheckKind::Equal, x, y);
  sizes.check(CheckKind::Equal, other, sizes.constant(6));
  sizes.check(CheckKind::Equal, y, z);
  sizes.check(CheckKind::Equal, x, z);
  EXPECT_EQ(sizes.find(0).sizes, (Sizes{{0, 1}, {1, 2}}));
  // Sizes that the others do not share do not matter.
  EXPECT_EQ(sizes.find(2).sizes, (Sizes{{0, 1}, {1, 1}, {2, 2}}));
  EXPECT_EQ(sizes.find(3).outcome, SizeFailure::Never);
}

TEST(SizeFailure, Overflow) {
  SizeProgram sizes;
  constexpr int64_t maximum = (int64_t(1) << 40) - 1;
  TableIndex x = sizes.symbol(0, maximum), y = sizes.symbol(0, maximum);
  sizes.check(CheckKind::Product, x, y);
  SizeFailure failure = sizes.find();
  ASSERT_EQ(failure.outcome, SizeFailure::Fails);
  EXPECT_EQ(failure.sizes[0].second, (int64_t(1) << 23) + 1);
  EXPECT_FALSE(
      evaluateSizeOp(SizeOp::Mul, failure.sizes[0].second, maximum - 0));
  EXPECT_TRUE(evaluateSizeOp(SizeOp::Mul, int64_t(1) << 23, maximum));
  EXPECT_TRUE(evaluateSizeOp(SizeOp::Mul, failure.sizes[0].second,
                             failure.sizes[1].second - 1));
}

/// Where an operation has no value the runtime goes on with 0.
TEST(SizeFailure, OperationsWithoutValue) {
  SizeProgram sizes;
  TableIndex x = sizes.symbol(0, 4), eight = sizes.constant(8);
  TableIndex quotient = sizes.binary(SizeOp::FloorDiv, eight, x);
  sizes.check(CheckKind::LessEqual, sizes.constant(2), quotient);
  sizes.check(CheckKind::Quotient, eight, x);
  EXPECT_EQ(sizes.find(0).sizes, (Sizes{{0, 0}}));
  EXPECT_EQ(sizes.find(0).b, 0);
  EXPECT_EQ(sizes.find(1).outcome, SizeFailure::Never);
  std::swap(sizes.program.checks[0], sizes.program.checks[1]);
  EXPECT_EQ(sizes.find(0).sizes, (Sizes{{0, 0}}));
  EXPECT_EQ(sizes.find(1).outcome, SizeFailure::Never);
}

TEST(SizeFailure, TheSearchIsBounded) {
  SizeProgram sizes;
  TableIndex x = sizes.symbol(2, 1000000), y = sizes.symbol(2, 1000000);
  TableIndex z = sizes.symbol(2, 1000000);
  auto cube = [&](TableIndex a) {
    return sizes.binary(SizeOp::Mul, a, sizes.binary(SizeOp::Mul, a, a));
  };
  // Fermat: 1 - (x^3 + y^3 == z^3) is 1, but no range says so.
  TableIndex equal = sizes.binary(
      SizeOp::Equal, sizes.binary(SizeOp::Add, cube(x), cube(y)), cube(z));
  sizes.check(CheckKind::Equal, equal, sizes.constant(0));
  EXPECT_EQ(sizes.find().outcome, SizeFailure::Undecided);
  SizeFailureSearch none(sizes.program, 0);
  EXPECT_EQ(none.find(0).outcome, SizeFailure::Undecided);
}

/// Against all sizes of small profiles, as the runtime checks them.
TEST(SizeFailure, RandomProgramsAgreeWithTheRuntime) {
  std::mt19937_64 random(7);
  size_t found = 0, never = 0;
  for (int round = 0; round < 3000; ++round) {
    SizeProgram sizes;
    for (int i = 0; i < 3; ++i) {
      int64_t min = int64_t(random() % 3);
      sizes.symbol(min, min + int64_t(random() % 4),
                   random() % 4 == 0 ? "n" : "");
    }
    sizes.constant(int64_t(random() % 5) - 1);
    for (TableIndex i = 0; i < 6; ++i)
      sizes.binary(SizeOp(3 + random() % 15), TableIndex(random() % (4 + i)),
                   TableIndex(random() % (4 + i)));
    for (int i = 0; i < 3; ++i)
      sizes.check(CheckKind(1 + random() % 8), TableIndex(random() % 10),
                  TableIndex(random() % 10));
    const Program &program = sizes.program;
    // By check: the smallest sizes for which it is the first to fail.
    std::vector<std::vector<int64_t>> smallest(3);
    std::vector<int64_t> values(program.exprs.size());
    std::vector<int64_t> at(3);
    const auto &s = program.symbols;
    for (at[0] = s[0].min; at[0] <= s[0].max; ++at[0])
      for (at[1] = s[1].min; at[1] <= s[1].max; ++at[1])
        for (at[2] = s[2].min; at[2] <= s[2].max; ++at[2]) {
          bool named = true;
          for (int i = 0; i < 3; ++i)
            for (int k = 0; k < i; ++k)
              named &=
                  s[i].name.empty() || s[i].name != s[k].name || at[i] == at[k];
          if (!named)
            continue;
          ASSERT_TRUE(evaluateSizes(program, at, values).isOk());
          for (size_t i = 0; i < 3; ++i)
            if (const SizeCheck &check = program.checks[i];
                !holds(check.kind, values[check.a], values[check.b])) {
              if (smallest[i].empty())
                smallest[i] = at;
              break;
            }
        }
    for (size_t i = 0; i < 3; ++i) {
      SizeFailure failure = sizes.find(i);
      if (failure.outcome == SizeFailure::Never) {
        // Others, which share no size with it, may always fail before it.
        EXPECT_TRUE(smallest[i].empty()) << round;
        ++never;
        continue;
      }
      ASSERT_EQ(failure.outcome, SizeFailure::Fails);
      ++found;
      if (smallest[i].empty())
        continue;
      for (auto [symbol, size] : failure.sizes)
        EXPECT_EQ(size, smallest[i][symbol]) << round;
    }
  }
  EXPECT_GT(found, 500u);
  EXPECT_GT(never, 500u);
}

} // namespace
