//===- SizeMathTest.cpp - Arithmetic on sizes and on their ranges ---------===//
//
// Every operation against arithmetic of 128 bits, at the extremes and at
// random.
//
//===----------------------------------------------------------------------===//

#include "tripy/Base/SizeMath.h"

#include <gtest/gtest.h>
#include <random>

using namespace tripy;

namespace {

using Wide = __int128;
constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
constexpr int64_t highest = std::numeric_limits<int64_t>::max();
constexpr SizeOp firstOp = SizeOp::Add, lastOp = SizeOp::Xor;

/// The exact result, from the definitions; none for a division by zero.
std::optional<Wide> exact(SizeOp op, Wide a, Wide b) {
  auto floorDiv = [](Wide x, Wide y) {
    Wide quotient = x / y;
    return quotient * y > x == (y > 0) && quotient * y != x ? quotient - 1
                                                            : quotient;
  };
  switch (op) {
  case SizeOp::Add:
    return a + b;
  case SizeOp::Sub:
    return a - b;
  case SizeOp::Mul:
    return a * b;
  case SizeOp::FloorDiv:
    return b == 0 ? std::nullopt : std::optional(floorDiv(a, b));
  case SizeOp::CeilDiv:
    return b == 0 ? std::nullopt : std::optional(-floorDiv(-a, b));
  case SizeOp::Mod:
    return b == 0 ? std::nullopt : std::optional(a - b * floorDiv(a, b));
  case SizeOp::Min:
    return a < b ? a : b;
  case SizeOp::Max:
    return a > b ? a : b;
  case SizeOp::Broadcast:
    return a == 1 ? b : a;
  case SizeOp::Equal:
    return a == b;
  case SizeOp::Div:
    return b == 0 ? std::nullopt : std::optional(a / b);
  case SizeOp::Rem:
    return b == 0 ? std::nullopt : std::optional(a % b);
  case SizeOp::And:
    return a & b;
  case SizeOp::Or:
    return a | b;
  case SizeOp::Xor:
    return a ^ b;
  case SizeOp::Constant:
  case SizeOp::Symbol:
    break;
  }
  return std::nullopt;
}

std::optional<int64_t> limited(std::optional<Wide> value) {
  if (!value || *value < lowest || *value > highest)
    return std::nullopt;
  return int64_t(*value);
}

/// Extremes, powers of two and their neighbours, small numbers, and any.
int64_t pick(std::mt19937_64 &random) {
  int64_t near = int64_t(random() % 5) - 2;
  switch (random() % 6) {
  case 0:
    return lowest + std::abs(near);
  case 1:
    return highest - std::abs(near);
  case 2:
    return (int64_t(1) << (random() % 63)) + near;
  case 3:
    return -(int64_t(1) << (random() % 63)) + std::abs(near);
  case 4:
    return near;
  default:
    return int64_t(random());
  }
}

Interval pickRange(std::mt19937_64 &random) {
  int64_t a = pick(random), b = random() % 3 ? pick(random) : a;
  // Narrow ones too, which have small results.
  if (random() % 4 == 0 && a < highest - 8)
    b = a + int64_t(random() % 8);
  return {std::min(a, b), std::max(a, b)};
}

TEST(SizeMath, ValuesAtTheExtremes) {
  std::vector<int64_t> values;
  for (int64_t middle : {lowest + 1, -(int64_t(1) << 62), int64_t(0),
                         int64_t(1) << 62, highest - 1})
    for (int64_t delta : {-1, 0, 1})
      values.push_back(middle + delta);
  for (SizeOp op = firstOp; op <= lastOp; op = SizeOp(uint8_t(op) + 1))
    for (int64_t a : values)
      for (int64_t b : values)
        EXPECT_EQ(evaluateSizeOp(op, a, b), limited(exact(op, a, b)))
            << int(op) << ": " << a << ", " << b;
}

TEST(SizeMath, RandomValues) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200000; ++round) {
    SizeOp op = SizeOp(uint8_t(firstOp) + random() % 15);
    int64_t a = pick(random), b = pick(random);
    ASSERT_EQ(evaluateSizeOp(op, a, b), limited(exact(op, a, b)))
        << int(op) << ": " << a << ", " << b;
  }
  EXPECT_FALSE(evaluateSizeOp(SizeOp(77), 4, 5));
}

/// Values that an interval contains: its ends, what is near 0 and any.
std::vector<int64_t> samples(Interval range, std::mt19937_64 &random) {
  std::vector<int64_t> values = {range.lo, range.hi};
  for (int64_t value : {int64_t(-1), int64_t(0), int64_t(1), pick(random),
                        pick(random), pick(random)})
    if (range.contains(value))
      values.push_back(value);
  for (int i = 0; i < 3; ++i)
    values.push_back(int64_t(
        uint64_t(range.lo) +
        random() %
            std::max<uint64_t>(uint64_t(range.hi) - uint64_t(range.lo), 1)));
  return values;
}

/// Ranges contain every value, a failure is foreseen, and what always fails
/// never has a value.
TEST(SizeMath, BoundsContainValuesAtTheExtremes) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 100000; ++round) {
    SizeOp op = SizeOp(uint8_t(firstOp) + random() % 15);
    Interval a = pickRange(random), b = pickRange(random);
    SizeBound bound = boundSizeOp(op, a, b);
    ASSERT_LE(bound.values.lo, bound.values.hi);
    ASSERT_TRUE(bound.mayFail || !bound.alwaysFails);
    for (int64_t x : samples(a, random))
      for (int64_t y : samples(b, random)) {
        std::optional<int64_t> value = limited(exact(op, x, y));
        ASSERT_TRUE(value ? bound.values.contains(*value) && !bound.alwaysFails
                          : bound.mayFail)
            << int(op) << ": " << x << ", " << y << " of " << a.lo << ".."
            << a.hi << " and " << b.lo << ".." << b.hi;
      }
  }
}

/// For small ranges, all of whose values are tried, bounds are exact where they
/// can be.
TEST(SizeMath, SmallBoundsAreTight) {
  std::mt19937 random(3);
  auto pickSmall = [&] {
    int64_t lo = int64_t(random() % 13) - 5;
    return Interval{lo, lo + int64_t(random() % 5)};
  };
  for (int round = 0; round < 20000; ++round) {
    Interval a = pickSmall(), b = pickSmall();
    SizeOp op = SizeOp(uint8_t(firstOp) + random() % 15);
    SizeBound bound = boundSizeOp(op, a, b);
    bool low = false, high = false, fails = false, succeeds = false;
    for (int64_t x = a.lo; x <= a.hi; ++x)
      for (int64_t y = b.lo; y <= b.hi; ++y) {
        std::optional<int64_t> value = evaluateSizeOp(op, x, y);
        fails |= !value;
        if (!value)
          continue;
        succeeds = true;
        ASSERT_TRUE(bound.values.contains(*value))
            << int(op) << ": " << x << ", " << y;
        low |= *value == bound.values.lo;
        high |= *value == bound.values.hi;
      }
    ASSERT_EQ(bound.mayFail, fails);
    ASSERT_EQ(bound.alwaysFails, !succeeds);
    bool inexact = op == SizeOp::Mod || op == SizeOp::Rem ||
                   op == SizeOp::Broadcast || op >= SizeOp::And;
    if (succeeds && !inexact)
      EXPECT_TRUE(low && high) << int(op);
  }
}

TEST(SizeMath, BitsOfSizesStaySmall) {
  EXPECT_EQ(boundSizeOp(SizeOp::And, {0, 100}, {0, 7}).values,
            (Interval{0, 7}));
  EXPECT_EQ(boundSizeOp(SizeOp::And, {0, 100}, {-8, -8}).values,
            (Interval{0, 100}));
  EXPECT_EQ(boundSizeOp(SizeOp::Or, {0, 5}, {0, 2}).values, (Interval{0, 7}));
  EXPECT_EQ(boundSizeOp(SizeOp::Xor, {0, 1}, {0, 1}).values, (Interval{0, 1}));
}

TEST(SizeMath, RemaindersOfSmallDividends) {
  EXPECT_EQ(boundSizeOp(SizeOp::Mod, {0, 2}, {3, 9}).values, (Interval{0, 2}));
  EXPECT_EQ(boundSizeOp(SizeOp::Rem, {-2, 2}, {3, 9}).values,
            (Interval{-2, 2}));
  EXPECT_EQ(boundSizeOp(SizeOp::Rem, {-9, 20}, {3, 4}).values,
            (Interval{-3, 3}));
}

TEST(SizeMath, BroadcastBounds) {
  auto bound = [](Interval a, Interval b) {
    return boundSizeOp(SizeOp::Broadcast, a, b).values;
  };
  EXPECT_EQ(bound({1, 1}, {5, 7}), (Interval{5, 7}));
  EXPECT_EQ(bound({2, 4}, {5, 7}), (Interval{2, 4}));
  EXPECT_EQ(bound({1, 4}, {5, 7}), (Interval{2, 7}));
  EXPECT_EQ(bound({0, 1}, {5, 7}), (Interval{0, 7}));
}

/// What is decided for ranges holds for all values in them.
TEST(SizeMath, Conditions) {
  std::mt19937_64 random(4);
  size_t decided = 0;
  for (int round = 0; round < 50000; ++round) {
    auto kind = CheckKind(1 + random() % 8);
    Interval a = pickRange(random), b = pickRange(random);
    std::optional<bool> answer = decide(kind, a, b);
    decided += answer.has_value();
    const CheckKindInfo *info = findCheckKind(kind);
    ASSERT_TRUE(info && findCheckKind(info->name) == info);
    for (int64_t x : samples(a, random))
      for (int64_t y : samples(b, random)) {
        if (answer)
          ASSERT_EQ(holds(kind, x, y), *answer) << info->name;
        if (info->op)
          ASSERT_EQ(holds(kind, x, y),
                    limited(exact(*info->op, x, y)).has_value());
      }
  }
  EXPECT_GT(decided, 10000u);
  EXPECT_FALSE(findCheckKind(CheckKind(99)));
  EXPECT_FALSE(findCheckKind("less"));
}

/// Every operation that can fail has a condition that says so, and no other.
TEST(SizeMath, ConditionsOfOperations) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 50000; ++round) {
    SizeOp op = SizeOp(uint8_t(firstOp) + random() % 15);
    int64_t a = pick(random), b = pick(random);
    const CheckKindInfo *info = conditionOf(op);
    ASSERT_EQ(evaluateSizeOp(op, a, b).has_value(),
              !info || holds(info->kind, a, b))
        << int(op) << ": " << a << ", " << b;
  }
}

} // namespace
