//===- FunctionsTest.cpp - Functions made from definitions, and others ----===//

#include "ThrownErrors.h"

#include "gtest/gtest.h"

#include <limits>

namespace tp = tripy;
using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;
using Bools = std::vector<bool>;

TEST(Functions, OperatorsWithNumbers) {
  tp::Tensor x({1.0, 2.0, 4.0});
  EXPECT_EQ((x + 1).toVector<float>(), (Floats{2, 3, 5}));
  EXPECT_EQ((1 - x).toVector<float>(), (Floats{0, -1, -3}));
  EXPECT_EQ((2 / x).toVector<float>(), (Floats{2, 1, 0.5}));
  EXPECT_EQ((-x * 0.5).toVector<float>(), (Floats{-0.5, -1, -2}));
  EXPECT_EQ((x % 3).toVector<float>(), (Floats{1, 2, 1}));
  EXPECT_EQ(tp::pow(x, 2).toVector<float>(), (Floats{1, 4, 16}));
  EXPECT_EQ((x >= 2).toVector<bool>(), (Bools{false, true, true}));
  EXPECT_EQ((2 == x).toVector<bool>(), (Bools{false, true, false}));
  EXPECT_EQ((x != 2).toVector<bool>(), (Bools{true, false, true}));
  tp::Tensor n({-7, 7});
  EXPECT_EQ(tp::floor_div(n, 2).toVector<int32_t>(), (Ints{-4, 3}));
  EXPECT_EQ((n & 3).toVector<int32_t>(), (Ints{1, 3}));
  EXPECT_EQ((n << 1).toVector<int32_t>(), (Ints{-14, 14}));
  EXPECT_EQ((~n).toVector<int32_t>(), (Ints{6, -8}));
  EXPECT_EQ((!(n > 0) | (n == 7)).toVector<bool>(), (Bools{true, true}));
}

TEST(Functions, NumbersTakeTheTypeOfTheirPartners) {
  tp::Tensor half = tp::ones({2}, tp::float16);
  EXPECT_EQ((half + 1.5).dtype(), tp::float16);
  EXPECT_EQ(tp::where(half > 0, half, 0).dtype(), tp::float16);
  EXPECT_EQ(tp::where(half > 0, 1.0, 0.0).dtype(), tp::float32);
  EXPECT_EQ(tp::clamp(half, 0, 1).dtype(), tp::float16);
  EXPECT_EQ(tp::maximum(0, tp::Tensor({1, -1})).toVector<int32_t>(),
            (Ints{1, 0}));
}

TEST(Functions, Creation) {
  EXPECT_EQ(tp::arange(1, 7, 2.5).toVector<float>(), (Floats{1, 3.5, 6}));
  EXPECT_EQ(tp::arange(5, 0, -2, tp::int32).toVector<int32_t>(),
            (Ints{5, 3, 1}));
  EXPECT_EQ(tp::iota({2, 2}, -1).toVector<float>(), (Floats{0, 1, 0, 1}));
  EXPECT_EQ(tp::full({2}, 7).dtype(), tp::int32);
  EXPECT_EQ(tp::full({2}, 7, tp::bfloat16).dtype(), tp::bfloat16);
  EXPECT_EQ(tp::ones({1}, tp::boolean).toVector<bool>(), (Bools{true}));
  tp::Tensor like = tp::zerosLike(tp::ones({2, 1}, tp::int64));
  EXPECT_EQ(like.dtype(), tp::int64);
  EXPECT_EQ(like.shape(), tp::Shape({2, 1}));
  EXPECT_EQ(tp::tril(tp::ones({2, 2})).toVector<float>(), (Floats{1, 0, 1, 1}));
}

TEST(Functions, ShapesAndParts) {
  tp::Tensor x = tp::reshape(tp::arange(6), {2, 3});
  EXPECT_EQ(tp::flatten(x).shape(), tp::Shape({6}));
  EXPECT_EQ(tp::flatten(tp::ones({2, 3, 4}), 1).shape(), tp::Shape({2, 12}));
  EXPECT_EQ(tp::transpose(x).toVector<float>(), (Floats{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(tp::stack({x, x}, 1).shape(), tp::Shape({2, 2, 3}));
  EXPECT_EQ(tp::concatenate({x, x}, -1).shape(), tp::Shape({2, 6}));
  std::vector<tp::Tensor> parts = tp::split(x, std::vector<int64_t>{1, 2}, 1);
  EXPECT_EQ(parts[1].toVector<float>(), (Floats{1, 2, 4, 5}));
  EXPECT_EQ(tp::repeat(x, 2, 0).shape(), tp::Shape({4, 3}));
  EXPECT_EQ(tp::pad(tp::ones({1}), {{1, 2}}, 5).toVector<float>(),
            (Floats{5, 1, 5, 5}));
  EXPECT_EQ(tp::pad(tp::arange(3), {{2, 0}}, "reflect").toVector<float>(),
            (Floats{2, 1, 0, 1, 2}));
  EXPECT_EQ(tp::expand(tp::ones({3, 1}), {2, -1, 4}).shape(),
            tp::Shape({2, 3, 4}));
}

TEST(Functions, ReductionsTakeOneDimensionOrSeveral) {
  tp::Tensor x = tp::reshape(tp::arange(6), {2, 3});
  EXPECT_EQ(tp::sum(x).item<float>(), 15);
  EXPECT_EQ(tp::sum(x, 0).toVector<float>(), (Floats{3, 5, 7}));
  EXPECT_EQ(tp::sum(x, {0, 1}, true).shape(), tp::Shape({1, 1}));
  EXPECT_EQ(tp::max(x, -1).toVector<float>(), (Floats{2, 5}));
  EXPECT_EQ(tp::argmax(x, 1).toVector<int32_t>(), (Ints{2, 2}));
  EXPECT_EQ(tp::argmax(x).item<int>(), 5);
  EXPECT_EQ(tp::var(x, {.dims = 1, .correction = 0}).toVector<float>(),
            (Floats{2.0f / 3, 2.0f / 3}));
}

TEST(Functions, OptionsAreNamed) {
  tp::Tensor x = tp::ones({1, 1, 4, 4}), w = tp::ones({1, 1, 3, 3});
  tp::Tensor y = tp::convolution(
      x, w, {.bias = tp::ones({1}), .low = {1, 1}, .high = {1, 1}});
  EXPECT_EQ(y.shape(), tp::Shape({1, 1, 4, 4}));
  EXPECT_EQ(y.toVector<float>()[0], 5);
  EXPECT_EQ(tp::maxpool(x, {2, 2}, {.stride = {2, 2}}).shape(),
            tp::Shape({1, 1, 2, 2}));
  EXPECT_EQ(tp::resize(x, "nearest", {.sizes = {1, 1, 8, 2}}).shape(),
            tp::Shape({1, 1, 8, 2}));
}

TEST(Functions, BytesAreAveraged) {
  tp::Tensor x = tp::cast(tp::Tensor({1, 2, 3, 6, 127, 126}), tp::int8);
  tp::Tensor mean =
      tp::avgpool(tp::reshape(x, {1, 1, 6}), {2}, {.stride = {2}});
  EXPECT_EQ(mean.dtype(), tp::int8);
  EXPECT_EQ(mean.toVector<int8_t>(), (std::vector<int8_t>{2, 4, 126}));
  tp::Tensor wide =
      tp::resize(tp::reshape(x, {1, 1, 6}), "linear", {.sizes = {1, 1, 3}});
  EXPECT_EQ(wide.toVector<int8_t>(), (std::vector<int8_t>{2, 4, 126}));
}

TEST(Functions, SeedsMayBeNumbers) {
  tp::Tensor seed({7}, tp::int64);
  for (auto *draw :
       {+[](tp::TensorLike seed) { return tp::random_uniform(seed, {8}); },
        +[](tp::TensorLike seed) { return tp::random_normal(seed, {8}); }}) {
    EXPECT_TRUE(tp::equal(draw(7), draw(tp::reshape(seed, tp::Shape()))));
    EXPECT_FALSE(tp::equal(draw(7), draw(8)));
  }
  EXPECT_TRUE(tp::equal(tp::random_bernoulli(7, {64}, 0.5),
                        tp::random_bernoulli(int64_t(7), {64}, 0.5)));
  EXPECT_THROW(tp::random_uniform(7.5, {8}), tp::Error);
}

TEST(Functions, Composed) {
  tp::Tensor x({1.0, 2.0});
  EXPECT_EQ(tp::outer(x, x).toVector<float>(), (Floats{1, 2, 2, 4}));
  EXPECT_EQ(tp::maskedFill(x, x > 1, -1).toVector<float>(), (Floats{1, -1}));
  EXPECT_TRUE(tp::allclose(x, x + 1e-7));
  EXPECT_FALSE(tp::allclose(x, x + 1e-2));
  EXPECT_TRUE(tp::equal(x, x * 1));
  EXPECT_FALSE(tp::equal(x, x[0]));
  EXPECT_EQ(tp::matmul(x, x).item<float>(), 5);
}

TEST(Functions, CloseNumbers) {
  const float inf = std::numeric_limits<float>::infinity();
  tp::Tensor one({1.0}), high({inf}), low({-inf});
  EXPECT_TRUE(tp::allclose(high, high));
  EXPECT_FALSE(tp::allclose(one, high));
  EXPECT_FALSE(tp::allclose(high, one));
  EXPECT_FALSE(tp::allclose(low, high));
  tp::Tensor none = high - high;
  EXPECT_FALSE(tp::allclose(none, none));
  EXPECT_TRUE(tp::allclose(one, one + 1e-7));
  EXPECT_FALSE(tp::allclose(one, one + 1e-3));
  EXPECT_TRUE(tp::allclose(tp::Tensor({1, 2}), tp::Tensor({1, 2})));
  EXPECT_FALSE(tp::allclose(tp::Tensor({1, 2}), tp::Tensor({1, 3})));
  EXPECT_TRUE(tp::allclose(tp::Tensor({true}), tp::Tensor({true})));
}

TEST(Functions, PaddedTruthValues) {
  EXPECT_EQ(tp::pad(tp::Tensor({true}), {{1, 1}}).toVector<bool>(),
            (Bools{false, true, false}));
}

TEST(Functions, ManyAndLargeIntegersInOrder) {
  auto list = [](int64_t from, int64_t to, int64_t step) {
    return tp::arange(from, to, step, tp::int64).toVector<int64_t>();
  };
  using Wide = std::vector<int64_t>;
  const int64_t odd = (int64_t(1) << 53) + 1, stamp = 1700000000000000001;
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(list(odd, odd + 3, 1), (Wide{odd, odd + 1, odd + 2}));
  EXPECT_EQ(list(stamp, stamp + 4, 2), (Wide{stamp, stamp + 2}));
  EXPECT_EQ(list(most - 2, most, 1), (Wide{most - 2, most - 1}));
  EXPECT_EQ(list(10, 0, -3), (Wide{10, 7, 4, 1}));
  EXPECT_EQ(list(0, 9, 3), (Wide{0, 3, 6}));
  EXPECT_EQ(list(0, 10, 3), (Wide{0, 3, 6, 9}));
  EXPECT_THROW(list(0, 10, -3), tp::Error);
}

TEST(Functions, TruthValuesAreNoDimensions) {
  // sum(x, true) is a forgotten dimension, and does not compile.
  static_assert(!std::is_convertible_v<bool, tp::Dims>);
  static_assert(!std::is_constructible_v<tp::Dims, std::vector<bool>>);
  static_assert(std::is_convertible_v<int, tp::Dims>);
}

TEST(Functions, ArangeOfIntegersThatDoNotFit) {
  EXPECT_EQ(errorOf([] { tp::arange(0, 300, 100, tp::int8); }).summary(),
            "the numbers of arange are int8; found start 0, step 100 and 3 "
            "numbers");
  EXPECT_EQ(errorOf([] { tp::arange(2, -2, -1, tp::uint8); }).code(),
            tp::Code::InvalidArgument);
  EXPECT_EQ(errorOf([] { tp::arange(0, 9, 1, tp::int4); }).code(),
            tp::Code::InvalidArgument);
  EXPECT_EQ(tp::arange(-128, 128, 85, tp::int8).toVector<int8_t>(),
            (std::vector<int8_t>{-128, -43, 42, 127}));
  EXPECT_EQ(tp::arange(5, 256, 125, tp::uint8).toVector<uint8_t>(),
            (std::vector<uint8_t>{5, 130, 255}));
}
