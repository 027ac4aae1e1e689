//===- CallableTest.cpp - Functions that a caller hands over --------------===//

#include "tripy/Frontend/Callable.h"

#include "gtest/gtest.h"

#include <functional>
#include <string>

using namespace tripy;

static int twice(int x) { return 2 * x; }

TEST(Callable, CallsFunctionsAndObjects) {
  EXPECT_EQ(Callable<int(int)>(twice)(4), 8);
  EXPECT_EQ(Callable<int(int)>(&twice)(4), 8);
  int more = 3;
  Callable<long(int)> adds = [&](int x) { return x + more; };
  more = 5;
  EXPECT_EQ(adds(4), 9);
  std::string text;
  Callable<void(const std::string &)> drops = [&](const std::string &given) {
    text = given;
    return given.size();
  };
  drops("abc");
  EXPECT_EQ(text, "abc");
  Callable<int(std::unique_ptr<int>)> takes = [](std::unique_ptr<int> number) {
    return *number;
  };
  EXPECT_EQ(takes(std::make_unique<int>(7)), 7);
}

TEST(Callable, KnowsWhatIsEmpty) {
  int (*null)(int) = nullptr;
  EXPECT_FALSE((Callable<int(int)>()));
  EXPECT_FALSE((Callable<int(int)>(nullptr)));
  EXPECT_FALSE((Callable<int(int)>(null)));
  EXPECT_FALSE((Callable<int(int)>(std::function<int(int)>())));
  EXPECT_TRUE((Callable<int(int)>(std::function<int(int)>(twice))));
  EXPECT_TRUE((Callable<int(int)>([](int x) { return x; })));
}

TEST(Callable, CopiesHaveObjectsOfTheirOwn) {
  Callable<int()> first = [count = 0]() mutable { return ++count; };
  EXPECT_EQ(first(), 1);
  Callable<int()> second = first;
  EXPECT_EQ(first(), 2);
  EXPECT_EQ(first(), 3);
  EXPECT_EQ(second(), 2);
  second = first;
  EXPECT_EQ(second(), 4);
  first = nullptr;
  EXPECT_FALSE(first);
  Callable<int()> third = std::move(second);
  EXPECT_EQ(third(), 5);
}

TEST(Callable, TakesNothingElse) {
  static_assert(!std::is_constructible_v<Callable<int(int)>, int>);
  static_assert(
      !std::is_constructible_v<Callable<int(int)>, int (*)(std::string)>);
  static_assert(
      !std::is_constructible_v<Callable<int(int)>, std::string (*)(int)>);
}
