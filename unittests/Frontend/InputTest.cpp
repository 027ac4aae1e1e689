//===- InputTest.cpp - What a caller can get wrong ------------------------===//

#include "tripy/tripy.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace tp = tripy;
using tp::end;
using tp::slice;

namespace {
/// A folder of its own, which goes with the test.
struct Folder {
  Folder()
      : path(std::filesystem::temp_directory_path() /
             ("tripy-input-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const char *name) const { return path / name; }
  std::filesystem::path path;
};
} // namespace

/// Expects an error at this line with the sentence.
#define EXPECT_REFUSED(expression, sentence)                                   \
  try {                                                                        \
    (void)(expression);                                                        \
    ADD_FAILURE() << "nothing was thrown";                                     \
  } catch (const tp::Error &error) {                                           \
    EXPECT_EQ(error.summary(), sentence);                                      \
    ASSERT_FALSE(error.frames().empty());                                      \
    EXPECT_EQ(error.frames().front().loc.line, unsigned(__LINE__));            \
    EXPECT_NE(std::string(error.frames().front().loc.file).find("InputTest"),  \
              std::string::npos);                                              \
  }

//===-- numbers -----------------------------------------------------------===//

TEST(Input, UnsignedNumbersKeepTheirValue) {
  EXPECT_EQ(tp::Tensor(uint64_t(INT64_MAX)).item<int64_t>(), INT64_MAX);
  std::string refusal =
      "an integer is a number of int64; found 18446744073709551615";
  EXPECT_REFUSED(tp::Tensor(UINT64_MAX), refusal);
  EXPECT_REFUSED(tp::Tensor({UINT64_MAX}), refusal);
  EXPECT_REFUSED(tp::ones({2}) + UINT64_MAX, refusal);
  EXPECT_REFUSED(tp::ones({UINT64_MAX}), refusal);
  EXPECT_REFUSED(tp::ones({2})[UINT64_MAX], refusal);
  EXPECT_REFUSED(tp::ones({2})[slice(0, UINT64_MAX)], refusal);
  EXPECT_REFUSED(tp::sum(tp::ones({2}), UINT64_MAX), refusal);
}

TEST(Input, ItemsFitTheirType) {
  EXPECT_EQ(tp::Tensor(-128).item<int8_t>(), -128);
  EXPECT_EQ(tp::Tensor(6.0).item<int>(), 6);
  EXPECT_TRUE(tp::Tensor(0.5).item<bool>());
  std::string rest = " is none of the integral type that it is read as";
  EXPECT_REFUSED(tp::Tensor(300).item<int8_t>(), "the value 300" + rest);
  EXPECT_REFUSED(tp::Tensor(-1).item<unsigned>(), "the value -1" + rest);
  EXPECT_REFUSED(tp::Tensor(1.5).item<int>(), "the value 1.5" + rest);
  EXPECT_REFUSED(tp::Tensor(NAN).item<int64_t>(), "the value nan" + rest);
  EXPECT_REFUSED(tp::Tensor(0x1p63).item<int64_t>(),
                 "the value 9223372036854775808" + rest);
}

TEST(Input, RaggedLists) {
  EXPECT_REFUSED(tp::Tensor({{{1}, {2}}, {{1}, {2, 3}}}),
                 "lists of one depth have one length; found 2 beside 1 at "
                 "depth 2");
  EXPECT_REFUSED(tp::Tensor({{1, 2}, {3, {4}}}),
                 "a list has numbers alone or lists alone; found both at depth "
                 "1");
}

TEST(Input, Arange) {
  std::string begin = "arange has at most 2^40 elements; found start 0, stop ";
  EXPECT_REFUSED(tp::arange(1e30), begin + "1e+30, step 1");
  EXPECT_REFUSED(tp::arange(0, INFINITY), begin + "inf, step 1");
  EXPECT_THROW(tp::arange(NAN), tp::Error);
}

TEST(Input, NumbersThatAreNoElementType) {
  auto none = tp::DType(99);
  std::string refusal =
      "an element type is one of tripy::float32 to tripy::boolean; found the "
      "number 99";
  EXPECT_REFUSED(tp::cast(tp::ones({2}), none), refusal);
  EXPECT_REFUSED(tp::ones({2}, none), refusal);
  EXPECT_REFUSED(tp::iota({2}, 0, none), refusal);
  EXPECT_REFUSED(tp::Tensor({1}, none), refusal);
  EXPECT_REFUSED(tp::Tensor({}, none), refusal);
  EXPECT_REFUSED(tp::Linear(2, 2, true, none), refusal);
  EXPECT_REFUSED(tp::compile([](const tp::Tensor &x) { return x; },
                             tp::InputInfo({2}, none)),
                 refusal);
}

TEST(Input, EmptyTensorsAreNamed) {
  tp::Tensor none, x = tp::ones({2});
  std::string end = " is empty: it was never assigned";
  EXPECT_REFUSED(x + none, "the operand 'rhs' of 'add'" + end);
  EXPECT_REFUSED(tp::exp(none), "the operand 'input' of 'exp'" + end);
  EXPECT_REFUSED(tp::concatenate({x, none}),
                 "the operand 'inputs' of 'concatenate'" + end);
  EXPECT_REFUSED(none.eval(), "the tensor" + end);
  auto twice = tp::compile([](const tp::Tensor &x) { return x * 2; },
                           tp::InputInfo({2}, tp::float32, "x"));
  EXPECT_REFUSED(twice(none), "the argument 'x'" + end);
  EXPECT_REFUSED(tp::compile([&](const tp::Tensor &) { return none; },
                             tp::InputInfo({2}, tp::float32)),
                 "'result0' of what the function returned" + end);
  tp::Linear layer(2, 1);
  EXPECT_REFUSED(layer.loadStateDict({{"weight", none}}, false),
                 "the value of the parameter 'weight'" + end);
}

TEST(Input, CopiesThatCannotBe) {
  // The number of elements is known to the run alone, or memory does not have
  // room for them: no vector is made for either.
  EXPECT_THROW(tp::compile(
                   [](const tp::Tensor &x) {
                     x.toVector<float>();
                     return x;
                   },
                   tp::InputInfo({{1, 2, 4}}, tp::float32)),
               tp::Error);
  EXPECT_THROW(tp::ones({int64_t(1) << 20, int64_t(1) << 20}).toVector<float>(),
               tp::Error);
}

//===-- sizes -------------------------------------------------------------===//

TEST(Input, ArithmeticOfSizes) {
  tp::Size two = tp::ones({2}).shape()[0], most = INT64_MAX;
  EXPECT_EQ(7 - two * 2 + 1, tp::Size(4));
  EXPECT_EQ(tp::Size(-7) / two, tp::Size(-4));
  EXPECT_EQ(-7 % two, tp::Size(1));
  std::string begin = "a size is a number of 64 bits; found ";
  EXPECT_REFUSED(most + two, begin + "9223372036854775807 + 2");
  EXPECT_REFUSED(two - (0 - most) + 1, begin + "2 - -9223372036854775807");
  EXPECT_REFUSED(most * two, begin + "9223372036854775807 * 2");
  EXPECT_REFUSED(tp::Size(INT64_MIN) / -1, begin + "-9223372036854775808 / -1");
  EXPECT_REFUSED(tp::Size(INT64_MIN) % -1, begin + "-9223372036854775808 % -1");
  EXPECT_REFUSED(two / 0, "a size is not divided by 0; found 2 / 0");
  EXPECT_REFUSED(5 % (two - 2), "a size is not divided by 0; found 5 % 0");
  EXPECT_REFUSED(tp::ones({2}).shape()[1],
                 "there is no dimension 1 in a shape of rank 1");
  EXPECT_REFUSED((tp::Shape{int64_t(1) << 40, int64_t(1) << 40}.volume()),
                 begin + "1099511627776 * 1099511627776");
}

TEST(Input, SlicesFarOutside) {
  tp::Tensor x = tp::arange(10, tp::int32);
  auto values = [](const tp::Tensor &x) { return x.toVector<int32_t>(); };
  using Ints = std::vector<int32_t>;
  EXPECT_EQ(values(x[slice(INT64_MAX, INT64_MIN, -4)]), (Ints{9, 5, 1}));
  EXPECT_EQ(values(x[slice(end, end, INT64_MIN)]), (Ints{9}));
  EXPECT_EQ(values(x[slice(2, end, INT64_MAX)]), (Ints{2}));
  EXPECT_EQ(values(x[slice(INT64_MIN, 2)]), (Ints{0, 1}));
  EXPECT_THROW(x[INT64_MIN], tp::Error);
  EXPECT_REFUSED(tp::reshape(x, {INT64_MIN, 5}),
                 "a size is a number from 0 to 2^40; found "
                 "-9223372036854775808");
}

TEST(Input, SizesOfTheRunAreNumbers) {
  // As those that are known: they take the element type beside them.
  auto scaled =
      tp::compile([](const tp::Tensor &x) { return 1 / (x * x.shape()[0]); },
                  tp::InputInfo({{1, 2, 4}}, tp::float32));
  EXPECT_EQ(scaled(tp::Tensor({1.0, 2.0})).toVector<float>(),
            (std::vector<float>{0.5, 0.25}));
  auto plus = tp::compile(
      [](const tp::Tensor &x) { return x.shape()[0] + x.shape()[0] + x; },
      tp::InputInfo({{1, 2, 4}}, tp::int8));
  EXPECT_EQ(plus(tp::zeros({3}, tp::int8)).toVector<int8_t>(),
            (std::vector<int8_t>{6, 6, 6}));
}

//===-- types that need no compiler ---------------------------------------===//

TEST(Input, TypesOfArithmetic) {
  // The compiler checks each of them again.
  for (tp::DType dtype :
       {tp::float64, tp::float32, tp::float16, tp::bfloat16, tp::int64,
        tp::int32, tp::int16, tp::int8, tp::uint8}) {
    std::vector<tp::Tensor> all;
    for (const auto &[a, b, result] :
         std::vector<std::array<tp::Shape, 3>>{{{{}, {}, {}}},
                                               {{{2, 1}, {3}, {2, 3}}},
                                               {{{1}, {0}, {0}}},
                                               {{{}, {4, 1}, {4, 1}}},
                                               {{{1, 0}, {5, 1}, {5, 0}}}}) {
      tp::Tensor x = tp::ones(a, dtype), y = tp::ones(b, dtype);
      for (const tp::Tensor &z : {x + y, x - y, x * y, x / y, y - x}) {
        EXPECT_EQ(z.dtype(), dtype);
        EXPECT_EQ(z.shape(), result);
        all.push_back(z);
      }
    }
    EXPECT_NO_THROW(tp::eval(all));
  }
  EXPECT_EQ((tp::ones({1}, tp::boolean) + true).dtype(), tp::boolean);
  EXPECT_THROW(tp::ones({2}, tp::float8) + tp::ones({2}, tp::float8),
               tp::Error);
  EXPECT_THROW(tp::ones({2}, tp::int4) * tp::ones({2}, tp::int4), tp::Error);
  EXPECT_THROW(tp::ones({int64_t(1) << 30, 1}) * tp::ones({int64_t(1) << 30}),
               tp::Error);
}

//===-- modules -----------------------------------------------------------===//

TEST(Input, NamesStandOnce) {
  tp::Linear layer(1, 1);
  EXPECT_REFUSED(layer.loadStateDict({{"weight", tp::ones({1, 1})},
                                      {"bias", tp::ones({1})},
                                      {"weight", tp::zeros({1, 1})}}),
                 "names stand once in the values; found 'weight' twice");
  tp::Sequential chain;
  chain.add("a", tp::Linear(1, 2));
  EXPECT_REFUSED(chain.add("a", tp::Linear(2, 1)),
                 "steps have names of their own; found 'a' twice");
  EXPECT_REFUSED(chain["b"],
                 "the modules of the sequence are 'a'; found no 'b'");
  auto add = [](const tp::Tensor &x, const tp::Tensor &y) { return x + y; };
  tp::InputInfo info({2}, tp::float32, "x");
  EXPECT_THROW(tp::compile(add, info, info), tp::Error);
}

TEST(Input, ParametersStandWhereTheLayerIsMade) {
  unsigned line = __LINE__ + 1;
  tp::Conv conv(3, 8, {3, 3});
  try {
    conv(tp::ones({1, 2, 5, 5}));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tp::Error &error) {
    ASSERT_GE(error.frames().size(), 4u);
    EXPECT_EQ(error.frames()[2].loc.line, line); // the weight
    EXPECT_EQ(error.frames()[3].loc.line, line); // the bias
  }
  EXPECT_REFUSED((tp::Conv(3, 8, {3, 3}, {.groups = 2})),
                 "groups divide the channels; found 2 groups of 3 channels");
}

TEST(Input, LayersThatCannotBe) {
  std::string begin = "a parameter has at most 8 sizes, none negative, and at "
                      "most 2^40 elements; found the shape ";
  EXPECT_REFUSED(tp::Linear(-1, 2), begin + "(2, -1)");
  EXPECT_REFUSED(tp::Linear(1 << 30, 1 << 30),
                 begin + "(1073741824, 1073741824)");
  EXPECT_REFUSED(tp::Parameter({1, 1, 1, 1, 1, 1, 1, 1, 1}),
                 begin + "(1, 1, 1, 1, 1, 1, 1, 1, 1)");
  EXPECT_REFUSED(tp::GroupNorm(3, 4),
                 "groups divide the channels; found 3 groups of 4 channels");
  EXPECT_REFUSED(tp::GroupNorm(0, 4),
                 "groups divide the channels; found 0 groups of 4 channels");
  EXPECT_REFUSED((tp::Conv(4, 3, {3, 3}, {.groups = 2})),
                 "groups divide the channels; found 2 groups of 3 channels");
  EXPECT_REFUSED(tp::Conv(3, 4, {}),
                 "the window of a convolution has 1 to 3 sizes; found 0");
  EXPECT_EQ(tp::Linear(0, 2)(tp::ones({1, 0})).shape(), tp::Shape({1, 2}));
}

TEST(Input, ModulesThatWereMovedFrom) {
  tp::Linear layer(2, 1);
  tp::Linear other = std::move(layer);
  // NOLINTNEXTLINE(bugprone-use-after-move): what is tested.
  EXPECT_EQ(layer(tp::ones({1, 2})).item<float>(),
            other(tp::ones({1, 2})).item<float>());
}

//===-- compiling ---------------------------------------------------------===//

TEST(Input, SizesOfInputs) {
  auto same = [](const tp::Tensor &x) { return x; };
  EXPECT_REFUSED(tp::InputInfo({-1}, tp::float32),
                 "sizes of a dimension are 0 <= smallest <= usual <= largest; "
                 "found -1, -1, -1");
  std::string begin =
      "an input has rank at most 8 and at most 2^40 elements; found InputInfo(";
  EXPECT_REFUSED(tp::compile(same, tp::InputInfo({int64_t(1) << 41}, tp::int8)),
                 begin + "min=[2199023255552], opt=[2199023255552], "
                         "max=[2199023255552], dtype=int8)");
  EXPECT_THROW(
      tp::compile(same, tp::InputInfo({1, 1, 1, 1, 1, 1, 1, 1, 1}, tp::int8)),
      tp::Error);
}

//===-- files -------------------------------------------------------------===//

TEST(Input, NpyFiles) {
  Folder folder;
  std::string path = folder.file("x.npy");
  tp::Tensor x = tp::reshape(tp::arange(6), {2, 3});
  x.saveNpy(path);
  EXPECT_TRUE(tp::equal(tp::Tensor::fromNpy(path), x));
  for (tp::DType dtype : {tp::float64, tp::float16, tp::bfloat16, tp::float8,
                          tp::int64, tp::int16, tp::uint8, tp::boolean}) {
    tp::Tensor y = tp::cast(x, dtype);
    y.saveNpy(path);
    tp::Tensor again = tp::Tensor::fromNpy(path);
    EXPECT_EQ(again.dtype(), dtype);
    EXPECT_EQ(tp::cast(again, tp::float32).toVector<float>(),
              tp::cast(y, tp::float32).toVector<float>());
  }
  tp::Tensor({7, -8, 3}, tp::int4).saveNpy(path);
  EXPECT_EQ(tp::Tensor::fromNpy(path).toVector<int8_t>(),
            (std::vector<int8_t>{7, -8, 3}));
  tp::zeros({0, 3}).saveNpy(path);
  EXPECT_EQ(tp::Tensor::fromNpy(path).shape(), tp::Shape({0, 3}));
  EXPECT_REFUSED(x.saveNpy("/nowhere/x.npy"),
                 "cannot write '/nowhere/x.npy': No such file or directory");
}

TEST(Input, DamagedPrograms) {
  Folder folder;
  std::string path = folder.file("f.tpx");
  tp::compile([](const tp::Tensor &x) { return x * 2; },
              tp::InputInfo({2}, tp::float32))
      .save(path);
  std::string bytes(std::filesystem::file_size(path), ' ');
  std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
  auto refuses = [&](const std::string &damaged) {
    std::ofstream(path, std::ios::binary) << damaged;
    try {
      tp::Executable::load(path);
      return false;
    } catch (const tp::Error &error) {
      return error.summary().starts_with("'" + path + "': ");
    }
  };
  for (size_t size = 0; size < bytes.size(); size += 61)
    EXPECT_TRUE(refuses(bytes.substr(0, size))) << size;
  for (size_t bit = 0; bit < 8 * bytes.size(); bit += 97) {
    std::string damaged = bytes;
    damaged[bit / 8] ^= 1 << bit % 8;
    EXPECT_TRUE(refuses(damaged)) << bit;
  }
}

TEST(Input, SummariesAreOneSentence) {
  auto f = tp::compile([](const tp::Tensor &x) { return x * 2; },
                       tp::InputInfo({{1, 2, 4}}, tp::float32, "x"));
  EXPECT_REFUSED(f(tp::ones({5})),
                 "input 'x' dimension 0 must be 1 to 4, but is 5");
  EXPECT_REFUSED(f(tp::ones({2}, tp::int32)),
                 "input 'x' must have element type float32, but has int32");
}

TEST(Input, NumbersAsArguments) {
  auto repeated = tp::compile(
      [](const tp::Tensor &k, const tp::Size &n) { return tp::expand(k, {n}); },
      tp::InputInfo({}, tp::int32, "k"),
      tp::DimensionInputInfo({1, 2, 4}, "n"));
  EXPECT_EQ(repeated(7, 3).toVector<int32_t>(), (std::vector<int32_t>(3, 7)));
  std::string end = "; tripy::cast changes the element type of a tensor";
  EXPECT_REFUSED(
      repeated(7, 2.5),
      "the argument 'n': refusing to automatically cast the float32 2.5 to "
      "int64" +
          end);
  EXPECT_REFUSED(repeated(int64_t(1) << 40, 2),
                 "the argument 'k': the number 1099511627776 is outside of "
                 "int32");
  EXPECT_REFUSED(repeated(7, 5), "input 'n' must be 1 to 4, but is 5");
}

TEST(Input, ErrorsWithoutAPlace) {
  // Streams have no place for the caller's line.
  try {
    std::ostringstream() << tp::Tensor();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tp::Error &error) {
    EXPECT_EQ(std::string(error.what()),
              "error: the tensor is empty: it was never assigned");
  }
}
