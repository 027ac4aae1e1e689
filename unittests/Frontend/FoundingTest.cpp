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
