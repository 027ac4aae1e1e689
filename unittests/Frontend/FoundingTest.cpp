//===- FoundingTest.cpp - The founding documents' programs ----------------===//

#include "tripy/tripy.h"

#include "gtest/gtest.h"

#include <sstream>

namespace tp = tripy;

static std::string print(const tp::Tensor &tensor) {
  std::ostringstream os;
  os << tensor;
  return os.str();
}

TEST(Founding, LazyEvaluation) {
  auto c = tp::arange(5) + 1.5;
  EXPECT_EQ(print(c), "tensor([1.5000, 2.5000, 3.5000, 4.5000, 5.5000], "
                      "dtype=float32, loc=cpu:0, shape=(5,))");
}

/// A multilayer perceptron whose parameters count from 0.
static tp::Tensor mlp(const tp::Tensor &x, int64_t embedding) {
  auto parameter = [](tp::Shape shape) {
    return tp::reshape(tp::arange(shape.volume().value()), shape);
  };
  tp::Tensor up = tp::linear(x, parameter({4 * embedding, embedding}),
                             {.bias = parameter({4 * embedding})});
  return tp::linear(tp::gelu(up), parameter({embedding, 4 * embedding}),
                    {.bias = parameter({embedding})});
}

TEST(Founding, MultilayerPerceptron) {
  EXPECT_EQ(print(mlp(tp::iota({1, 2}, 1), 2)),
            "tensor(\n    [[447.9999, 1183.7289]], \n    dtype=float32, "
            "loc=cpu:0, shape=(1, 2))");
}

namespace {
struct Perceptron : tp::Module {
  tp::Linear c_fc, c_proj;
  explicit Perceptron(int64_t width)
      : c_fc(width, 2 * width), c_proj(2 * width, width) {}
  TRIPY_MODULE_MEMBERS(Perceptron, c_fc, c_proj)
};
} // namespace

// As Python prints a dictionary of tensors.
TEST(Founding, StateDict) {
  std::ostringstream os;
  os << Perceptron(1).stateDict();
  EXPECT_EQ(os.str(),
            "{'c_fc.weight': tensor(\n    [[0.0000],\n     [1.0000]], \n    "
            "dtype=float32, loc=cpu:0, shape=(2, 1)), 'c_fc.bias': "
            "tensor([0.0000, 1.0000], dtype=float32, loc=cpu:0, shape=(2,)), "
            "'c_proj.weight': tensor(\n    [[0.0000, 1.0000]], \n    "
            "dtype=float32, loc=cpu:0, shape=(1, 2)), 'c_proj.bias': "
            "tensor([0.0000], dtype=float32, loc=cpu:0, shape=(1,))}");
}

/// A linear layer's first half, scaled by gelu of its second.
static tp::Tensor gated(const tp::Tensor &x) {
  tp::Tensor weight = tp::iota({2, 2}, 0) * 2.0 + tp::iota({2, 2}, 1);
  auto parts = tp::split(tp::linear(x, weight, {.bias = tp::iota({2})}), 2, -1);
  return parts[0] * tp::gelu(parts[1]);
}

TEST(Founding, CompiledForAProfile) {
  EXPECT_EQ(print(gated(tp::ones({1, 2}))),
            "tensor([[6.0000]], dtype=float32, loc=cpu:0, shape=(1, 1))");
  auto fast = tp::compile(gated, tp::InputInfo({{1, 2, 4}, 2}, tp::float32));
  EXPECT_EQ(fast.inputs().front().str(),
            "InputInfo(min=[1, 2], opt=[2, 2], max=[4, 2], dtype=float32)");
  EXPECT_EQ(print(fast(tp::Tensor({{1.0, 2.0}, {2.0, 3.0}}))),
            "tensor(\n    [[18.0000],\n     [42.0000]], \n    dtype=float32, "
            "loc=cpu:0, shape=(2, 1))");
}
