//===- TensorTest.cpp - Creating, describing and reading tensors ----------===//

#include "tripy/tripy.h"

#include "gtest/gtest.h"

#include <array>
#include <sstream>

namespace tp = tripy;

static std::string print(const tp::Tensor &tensor) {
  std::ostringstream os;
  os << tensor;
  return os.str();
}

TEST(Tensor, FromLists) {
  tp::Tensor a({1.5, 2, 3});
  EXPECT_EQ(a.dtype(), tp::float32);
  EXPECT_EQ(a.shape(), tp::Shape({3}));
  EXPECT_EQ(a.toVector<float>(), (std::vector<float>{1.5, 2, 3}));

  tp::Tensor b({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(b.dtype(), tp::int32);
  EXPECT_EQ(b.shape(), tp::Shape({2, 3}));
  EXPECT_EQ(b.toVector<int32_t>(), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));

  tp::Tensor c({true, false});
  EXPECT_EQ(c.dtype(), tp::boolean);
  EXPECT_EQ(c.toVector<bool>(), (std::vector<bool>{true, false}));

  tp::Tensor d({{{1}}, {{2}}}, tp::float16);
  EXPECT_EQ(d.dtype(), tp::float16);
  EXPECT_EQ(d.shape(), tp::Shape({2, 1, 1}));

  tp::Tensor large({int64_t(1) << 40, int64_t(1)});
  EXPECT_EQ(large.dtype(), tp::int64);
  EXPECT_EQ(large.toVector<int64_t>()[0], int64_t(1) << 40);
}

TEST(Tensor, FromNumbersAndVectors) {
  EXPECT_EQ(tp::Tensor(2.5).item<float>(), 2.5f);
  EXPECT_EQ(tp::Tensor(2.5).rank(), 0);
  EXPECT_EQ(tp::Tensor(7).item<int>(), 7);
  EXPECT_TRUE(tp::Tensor(true).item<bool>());

  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  tp::Tensor t(values, tp::Shape{3, 2});
  values[0] = 9; // copied
  EXPECT_EQ(t.toVector<float>()[0], 1);
  EXPECT_EQ(t.shape().str(), "(3, 2)");
  EXPECT_EQ(tp::Tensor(std::vector<int8_t>{}).shape(), tp::Shape({0}));
  EXPECT_THROW(tp::Tensor(values, tp::Shape{4, 2}), tp::Error);
}

TEST(Tensor, DevicesAndElementTypesPrint) {
  std::ostringstream os;
  os << tp::float32 << ' ' << tp::bfloat16 << ' ' << tp::boolean << ' '
     << tp::Device("cpu") << ' ' << tp::Device("gpu") << ' '
     << tp::Device("gpu:2");
  EXPECT_EQ(os.str(), "float32 bfloat16 bool cpu:0 gpu:0 gpu:2");
  for (const char *bad : {"", "gp", "tpu", "gpu:", "gpu:x", "gpu:-1", "cpu:1",
                          "gpu:1x", "gpu 1", "gpu:99999999999"})
    EXPECT_THROW(tp::Device{bad}, tp::Error) << bad;
}

TEST(Tensor, PrintsAsTheOriginal) {
  EXPECT_EQ(print(tp::Tensor({1.5, 2.5})),
            "tensor([1.5000, 2.5000], dtype=float32, loc=cpu:0, shape=(2,))");
  EXPECT_EQ(print(tp::Tensor({1234567, -1})),
            "tensor([1234567, -1], dtype=int32, loc=cpu:0, shape=(2,))");
  EXPECT_EQ(print(tp::Tensor({{true}})),
            "tensor([[True]], dtype=bool, loc=cpu:0, shape=(1, 1))");
  EXPECT_EQ(print(tp::arange(50)),
            "tensor([0.0000, 1.0000, 2.0000, ..., 47.0000, 48.0000, 49.0000], "
            "dtype=float32, loc=cpu:0, shape=(50,))");
}

TEST(Tensor, OneWayToDoEachThing) {
  // x.softmax() is a static_assert that names tripy::softmax; what can be
  // tested is that overload resolution finds the member that says so.
  tp::Tensor x({1.0, 2.0});
  EXPECT_EQ(print(tp::softmax(tp::zeros({2}))),
            "tensor([0.5000, 0.5000], dtype=float32, loc=cpu:0, shape=(2,))");
  EXPECT_TRUE(requires { &tp::Tensor::softmax<int>; });
}

TEST(Tensor, Int4) {
  tp::Tensor a({{-8, 7, 0}, {1, -1, 3}, {5, 6, -7}}, tp::int4);
  EXPECT_EQ(a.dtype(), tp::int4);
  std::vector<int8_t> values = {-8, 7, 0, 1, -1, 3, 5, 6, -7};
  EXPECT_EQ(a.toVector<int8_t>(), values);
  EXPECT_EQ(print(tp::Tensor({-8, 7, 0}, tp::int4)),
            "tensor([-8, 7, 0], dtype=int4, loc=cpu:0, shape=(3,))");
  tp::Tensor turned = tp::transpose(a, 0, 1);
  EXPECT_EQ(turned.toVector<int8_t>(),
            (std::vector<int8_t>{-8, 1, 5, 7, -1, 6, 0, 3, -7}));
  EXPECT_EQ(tp::cast(a, tp::int32).toVector<int32_t>(),
            std::vector<int32_t>(values.begin(), values.end()));
  EXPECT_EQ(tp::Tensor({-3}, tp::int4).item<int>(), -3);
  EXPECT_EQ(tp::zeros({3}, tp::int4).toVector<int8_t>(),
            std::vector<int8_t>(3));
  EXPECT_EQ(tp::arange(-4, 5, 3, tp::int4).toVector<int8_t>(),
            (std::vector<int8_t>{-4, -1, 2}));
  // Numbers of int4 are from -8 to 7, and no other type is read as it.
  EXPECT_THROW(tp::Tensor({8}, tp::int4), tp::Error);
  EXPECT_THROW(tp::Tensor({-9, 0}, tp::int4), tp::Error);
  EXPECT_THROW(a.toVector<uint8_t>(), tp::Error);
  EXPECT_THROW(a + a, tp::Error);
}

TEST(Tensor, WeightsOfInt4) {
  tp::Tensor w({{-1.0, 0.5, 1.5}, {7.5, -8.5, 100.0}});
  tp::Tensor q = tp::quantize(w, tp::Tensor(1.0), tp::int4);
  EXPECT_EQ(q.toVector<int8_t>(), (std::vector<int8_t>{-1, 0, 2, 7, -8, 7}));
  tp::Tensor x({{1.0, 1.0, 1.0}});
  tp::Tensor y = tp::linear(x, tp::dequantize(q, tp::Tensor(2.0)));
  EXPECT_EQ(y.toVector<float>(), (std::vector<float>{2, 12}));
}

TEST(Tensor, SizesAreNumbers) {
  tp::Tensor x = tp::ones({4, 6});
  tp::Size n = x.shape()[0] * x.shape()[-1];
  EXPECT_EQ(n.value(), 24);
  EXPECT_EQ((n / 5).value(), 4);
  EXPECT_EQ((tp::Size(-7) / 2).value(), -4);
  EXPECT_EQ((tp::Size(-7) % 2).value(), 1);
  EXPECT_EQ(tp::reshape(x, {n}).shape(), tp::Shape({24}));
  EXPECT_EQ(tp::reshape(x, {-1, 8}).shape(), tp::Shape({3, 8}));
  EXPECT_THROW(x.shape()[2], tp::Error);
  EXPECT_THROW(n / 0, tp::Error);
}

TEST(Tensor, CreationsHaveTheTypesOfTheirRules) {
  // Without the compiler, which must agree when it compiles.
  for (tp::DType dtype :
       {tp::float64, tp::float16, tp::float8, tp::int64, tp::int8, tp::boolean})
    EXPECT_EQ(tp::ones({2, 0, 3}, dtype).eval().dtype(), dtype);
  EXPECT_EQ(tp::iota({2, 3}, -1, tp::int32).toVector<int32_t>()[5], 2);
  EXPECT_EQ(tp::zeros({}).item<float>(), 0);
  EXPECT_EQ(tp::ones({1, 1, 1, 1, 1, 1, 1, 2}).rank(), 8);
  EXPECT_THROW(tp::ones({1, 1, 1, 1, 1, 1, 1, 1, 1}), tp::Error);
  EXPECT_THROW(tp::ones({-1}), tp::Error);
  EXPECT_THROW(tp::ones({int64_t(1) << 20, int64_t(1) << 21}), tp::Error);
  EXPECT_THROW(tp::iota({2}, 1), tp::Error);
  EXPECT_THROW(tp::iota({}, 0), tp::Error);
  EXPECT_THROW(tp::iota({2}, 0, tp::boolean), tp::Error);
}

TEST(Tensor, CopiesAreHandles) {
  tp::Tensor a = tp::ones({2}) * 3;
  tp::Tensor b = a;
  b += 1;
  EXPECT_EQ(a.toVector<float>(), (std::vector<float>{3, 3}));
  EXPECT_EQ(b.toVector<float>(), (std::vector<float>{4, 4}));
}

TEST(Tensor, FromRanges) {
  std::vector<float> values{1, 2, 3, 4};
  std::array<float, 4> array{1, 2, 3, 4};
  const float plain[4] = {1, 2, 3, 4};
  for (const tp::Tensor &x :
       {tp::Tensor(values, {2, 2}),
        tp::Tensor(std::span<float>(values), {2, 2}),
        tp::Tensor(std::span<const float>(values), {2, 2}),
        tp::Tensor(array, {2, 2}), tp::Tensor(plain, {2, 2}),
        tp::Tensor(values, tp::Shape{2, 2})}) {
    EXPECT_EQ(x.shape(), tp::Shape({2, 2}));
    EXPECT_EQ(x.toVector<float>(), values);
  }
  EXPECT_EQ(tp::Tensor(array).shape(), tp::Shape({4}));
  EXPECT_THROW(tp::Tensor(values, {2, 3}), tp::Error);
  std::vector<bool> bits{true, false};
  EXPECT_EQ(tp::Tensor(bits).toVector<bool>(), bits);
  std::vector<long long> wide{1, int64_t(1) << 40};
  EXPECT_EQ(tp::Tensor(wide).dtype(), tp::int64);
  EXPECT_EQ(tp::Tensor(wide).toVector<long long>(), wide);
}

TEST(Tensor, ShapesAndDimensionsOfAnyInteger) {
  std::vector<int> order{1, 0};
  std::vector<size_t> sizes{2, 3};
  tp::Tensor x = tp::ones(sizes);
  EXPECT_EQ(x.shape(), tp::Shape({2, 3}));
  EXPECT_EQ(tp::permute(x, order).shape(), tp::Shape({3, 2}));
  EXPECT_EQ(tp::sum(x, std::vector<size_t>{0}).toVector<float>(),
            (std::vector<float>{2, 2, 2}));
}

TEST(Tensor, SizesAreOrdered) {
  tp::Shape shape = tp::ones({2, 3}).shape();
  int steps = 0;
  for (int i = 0; i < shape[1]; ++i)
    ++steps;
  EXPECT_EQ(steps, 3);
  EXPECT_TRUE(shape[0] < shape[1]);
  EXPECT_TRUE(shape[0] <= 2);
  EXPECT_FALSE(shape[0] > 2);
  EXPECT_FALSE(2 >= shape[1]);
  EXPECT_EQ(std::max(shape[0], shape[1]).value(), 3);
}
