//===- PlaceTest.cpp - Errors stand where the user's call is --------------===//

#include "ThrownErrors.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <sstream>
#include <string_view>

namespace tp = tripy;

/// The line of `frame`, which is of this file; 0 for another file.
static unsigned lineOf(const tp::ErrorFrame &frame) {
  bool isHere = std::string_view(frame.loc.file).ends_with("PlaceTest.cpp");
  EXPECT_TRUE(isHere) << frame.loc.file;
  return isHere ? frame.loc.line : 0;
}

static unsigned callerOf(const tp::Error &error) {
  for (const tp::ErrorFrame &frame : error.frames())
    if (frame.role == "called from")
      return lineOf(frame);
  return 0;
}

namespace {
struct Wrong : tp::Module {
  tp::Tensor forward(const tp::Tensor &x) const {
    return tp::reshape(x, {3, -1});
  }
  TRIPY_MODULE(Wrong)
};
} // namespace
// Of the call of reshape().
static constexpr unsigned wrongLine = __LINE__ - 6;

//===-- compile() ---------------------------------------------------------===//

TEST(Place, OfLayersThatAreCompiled) {
  tp::Linear layer(2, 2);
  tp::InputInfo info({2, 3}, tp::float32);
  tp::Error error = errorOf([&] { tp::compile(layer, info); });
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 1u);
  EXPECT_STREQ(error.frames().front().loc.function, "Linear.forward");
  error = errorOf([&] { tp::compile({.target = "cpu"}, layer, info); });
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 1u);
  error = errorOf([&] { tp::compile(layer, {info}); });
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 1u);
}

TEST(Place, OfModulesThatAreCompiled) {
  tp::InputInfo info({2, 2}, tp::float32);
  tp::Error error = errorOf([&] { tp::compile(Wrong(), info); });
  EXPECT_EQ(lineOf(error.frames().front()), wrongLine);
  EXPECT_EQ(callerOf(error), __LINE__ - 2u);
  tp::Sequential steps;
  steps.add(Wrong());
  error = errorOf([&] { tp::compile(steps, info); });
  EXPECT_EQ(lineOf(error.frames().front()), wrongLine);
  EXPECT_EQ(callerOf(error), __LINE__ - 2u);
}

TEST(Place, OfRunTimeErrorsOfModules) {
  auto fast = tp::compile(Wrong(), tp::InputInfo({{1, 3, 4}, 2}, tp::float32));
  std::string text = errorOf([&] { fast(tp::ones({4, 2})); }).what();
  EXPECT_NE(text.find("PlaceTest.cpp:" + std::to_string(wrongLine)),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("invoke.h"), std::string::npos) << text;
  EXPECT_EQ(text.find("Compile.h"), std::string::npos) << text;
}

TEST(Place, OfRunTimeErrorsIsQuotedWhereItIsCompiled) {
  auto fast = tp::compile(Wrong(), tp::InputInfo({{1, 3, 4}, 2}, tp::float32));
  std::string quoted = std::to_string(wrongLine) + " | ";
  auto textOf = [](const tp::Executable &executable) {
    return std::string(errorOf([&] { executable(tp::ones({4, 2})); }).what());
  };
  EXPECT_NE(textOf(fast).find(quoted), std::string::npos) << textOf(fast);
  // The files that a loaded program names are not opened.
  std::string path = testing::TempDir() + "quoted.tpx";
  fast.save(path);
  std::string text = textOf(tp::Executable::load(path));
  std::remove(path.c_str());
  EXPECT_NE(text.find("PlaceTest.cpp:" + std::to_string(wrongLine)),
            std::string::npos);
  EXPECT_EQ(text.find(quoted), std::string::npos) << text;
}

TEST(Place, IsAnArgumentOfFunctionsThatAreCompiled) {
  tp::SourceLoc found;
  tp::compile(
      [&](const tp::Tensor &x, tp::SourceLoc loc = tp::SourceLoc::current()) {
        found = loc;
        return x;
      },
      tp::InputInfo({1}, tp::float32));
  EXPECT_EQ(lineOf({found, ""}), __LINE__ - 6u);
}

//===-- names and indices -------------------------------------------------===//

TEST(Place, OfNamesOfInputs) {
  auto text = [](auto call) { return errorOf(call).summary(); };
  const char *rule = " has at most 1024 bytes of UTF-8 without spaces, quotes, "
                     "'=', '@', ',' and control characters; found '";
  tp::Error error = errorOf([] { tp::InputInfo({1}, tp::float32, "a b"); });
  EXPECT_EQ(error.code(), tp::Code::InvalidArgument);
  EXPECT_EQ(error.summary(), std::string("an input's name") + rule + "a b'");
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 3u);
  EXPECT_EQ(text([] { tp::NamedDimension("a=b", 1, 2, 4); }),
            std::string("a dimension's name") + rule + "a=b'");
  EXPECT_EQ(text([] { tp::DimensionInputInfo(3, "a\n"); }),
            std::string("an input's name") + rule + "a?'");
  // Keys of maps name inputs and results.
  using Map = std::map<std::string, tp::InputInfo>;
  auto first = [](const std::map<std::string, tp::Tensor> &map) {
    return map.begin()->second;
  };
  EXPECT_EQ(text([&] { tp::compile(first, Map{{"a,b", {{1}, tp::float32}}}); }),
            std::string("an input's name") + rule + "arg0.a,b'");
  auto named = [](const tp::Tensor &x) {
    return std::map<std::string, tp::Tensor>{{"a b", x}};
  };
  EXPECT_EQ(text([&] { tp::compile(named, tp::InputInfo({1}, tp::float32)); }),
            std::string("a result's name") + rule + "a b'");
}

TEST(Place, OfIndicesOfDynamicDimensions) {
  auto at = [](int64_t index) {
    return [=](const tp::Tensor &x) { return (x * 2)[{0, index}]; };
  };
  tp::InputInfo info({2, {1, 2, 4}}, tp::float32, "x");
  std::string text = errorOf([&] { tp::compile(at(5), info); }).what();
  EXPECT_NE(
      text.find("index 5 must be inside of dimension 1, whose size must be at "
                "least 6; found 1 to 4, which is less than 6"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("PlaceTest.cpp"), std::string::npos) << text;
  text = errorOf([&] { tp::compile(at(-5), info); }).what();
  EXPECT_NE(
      text.find("index -5 must be inside of dimension 1, whose size must be at "
                "least 5; "),
      std::string::npos)
      << text;
  auto fast = tp::compile(at(2), info);
  EXPECT_EQ(fast(tp::Tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})).item<float>(),
            6);
  text = errorOf([&] { fast(tp::ones({2, 2})); }).what();
  EXPECT_NE(
      text.find("index 2 must be inside of dimension 1, whose size must be at "
                "least 3, but 2 (input 'x' dimension 1) is less than 3"),
      std::string::npos)
      << text;
  EXPECT_EQ(tp::compile(at(-1), info)(tp::ones({2, 1})).item<float>(), 2);
}

TEST(Place, OfIndicesThatAreArguments) {
  auto fast =
      tp::compile([](const tp::Tensor &x, const tp::Size &n) { return x[n]; },
                  tp::InputInfo({{1, 2, 4}}, tp::float32, "x"),
                  tp::DimensionInputInfo({0, 1, 8}, "n"));
  EXPECT_EQ(fast(tp::Tensor({1.0, 2.0, 3.0}), 2).item<float>(), 3);
  std::string text = errorOf([&] { fast(tp::ones({3}), 5); }).what();
  EXPECT_NE(
      text.find("the index of dimension 0 must be at most its size minus 1, "
                "but 5 (input 'n') is greater than 2"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("Indexing.cpp"), std::string::npos) << text;
}

//===-- assignments and printing ------------------------------------------===//

TEST(Place, OfAssignmentsToParameters) {
  tp::Parameter parameter(tp::Shape{2});
  tp::OptionalParameter optional(tp::Shape{2});
  tp::Tensor five = tp::ones({5}), none;
  tp::Error error = errorOf([&] { parameter = five; });
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 1u);
  error = errorOf([&] { parameter = none; });
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 1u);
  error = errorOf([&] { parameter = {1.0, 2.0, 3.0}; });
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 1u);
  error = errorOf([&] { optional = five; });
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 1u);
  error = errorOf([&] { optional = none; });
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 1u);
  parameter = {3.0, 4.0};
  optional = parameter;
  EXPECT_EQ(optional.tensor().toVector<float>(), (std::vector<float>{3, 4}));
}

TEST(Place, OfPrinting) {
  std::ostringstream os;
  tp::Error error = errorOf([&] {
    tp::compile(
        [&](const tp::Tensor &x) {
          tp::Tensor y = x + 1;
          os << y;
          return y;
        },
        tp::InputInfo({2}, tp::float32));
  });
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 5u);
  tp::Tensor none;
  error = errorOf([&] { os << none; });
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 1u);
  tp::StateDict dict = {{"a", none}};
  error = errorOf([&] { os << dict; });
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 1u);
  // A temporary stream knows only of the tensor's place.
  tp::Tensor large =
      tp::sum(tp::cumsum(tp::ones({int64_t(1) << 19, int64_t(1) << 20})));
  error = errorOf([&] { std::ostringstream() << large; });
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 2u);
}

TEST(Place, OfTensorsThatLeftCompile) {
  tp::Tensor leaked;
  tp::compile(
      [&](const tp::Tensor &x) {
        leaked = x + 1;
        return leaked;
      },
      tp::InputInfo({2}, tp::float32));
  tp::Error error = errorOf([&] { leaked.eval(); });
  EXPECT_EQ(lineOf(error.frames().front()), __LINE__ - 1u);
  EXPECT_EQ(error.summary(),
            "the tensor is one of a function that was compiled: its value is "
            "known when the program runs, which returns it if the function "
            "does");
}

//===-- assignments that would be lost ------------------------------------===//

static_assert(!std::is_assignable_v<tp::Tensor, tp::Tensor>,
              "x[0] = y does not compile");
static_assert(!std::is_assignable_v<tp::Tensor, const tp::Tensor &>);
static_assert(std::movable<tp::Tensor> && std::copyable<tp::Tensor> &&
              std::swappable<tp::Tensor>);
static_assert(std::is_nothrow_move_constructible_v<tp::Tensor>);

TEST(Place, LegitimateAssignments) {
  tp::Tensor a = tp::ones({1}), b = tp::zeros({1});
  std::swap(a, b);
  std::vector<tp::Tensor> list = {a, b};
  list[0] = list[1];
  list.insert(list.begin(), a);
  std::map<std::string, tp::Tensor> map;
  map["a"] = b;
  std::tie(a, b) = std::pair(b, a);
  a = {2.0};
  EXPECT_EQ(a.item<float>(), 2);
  EXPECT_EQ(list[1].item<float>(), 1);
}
