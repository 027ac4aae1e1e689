//===- ModuleTest.cpp - Modules, their parameters and files ---------------===//

#include "tripy/tripy.h"

#include "gtest/gtest.h"

#include <functional>
#include <sstream>

namespace tp = tripy;

namespace {

struct MLP : tp::Module {
  tp::Linear c_fc, c_proj; // NOLINT(readability-identifier-naming)
  explicit MLP(int64_t embedding)
      : c_fc(embedding, 4 * embedding), c_proj(4 * embedding, embedding) {}
  tp::Tensor forward(const tp::Tensor &x) const {
    return c_proj(tp::gelu(c_fc(x)));
  }
  TRIPY_MODULE(MLP, c_fc, c_proj)
};

struct Nested : tp::Module {
  std::vector<tp::Linear> layers;
  std::map<std::string, tp::LayerNorm> norms;
  tp::Parameter scale{{1}};
  Nested() {
    layers.emplace_back(2, 3);
    layers.emplace_back(3, 2, /*hasBias=*/false);
    norms.emplace("last", tp::LayerNorm({2}));
  }
  TRIPY_MODULE(Nested, layers, norms, scale)
  tp::Tensor forward(const tp::Tensor &x) const {
    return norms.at("last")(layers[1](layers[0](x))) * scale;
  }
};

} // namespace

namespace {
/// Called in two ways.
struct Pair : tp::Module {
  tp::Tensor forward(const tp::Tensor &x, float factor) const {
    return x * factor;
  }
  tp::Tensor forward() const { return tp::full({1}, 7.0); }
  TRIPY_MODULE(Pair)
};
} // namespace

static std::vector<std::string> names(const tp::StateDict &dict) {
  std::vector<std::string> list;
  for (const auto &[name, value] : dict)
    list.push_back(name);
  return list;
}

template <typename T> static std::string print(const T &value) {
  std::ostringstream os;
  os << value;
  return os.str();
}

TEST(Module, FoundingProgram) {
  MLP mlp(2);
  tp::Tensor x = tp::iota({1, 2}, 1);
  EXPECT_EQ(print(mlp(x)),
            "tensor(\n    [[447.9999, 1183.7289]], \n    dtype=float32, "
            "loc=cpu:0, shape=(1, 2))");
  auto fast = tp::compile(mlp, tp::InputInfo({{1, 2, 4}, 2}, tp::float32));
  EXPECT_EQ(print(fast(x)), print(mlp(x)));
  EXPECT_EQ(fast.inputs().size(), 1u);
}

namespace {
struct GEGLU : tp::Module {
  tp::Linear proj{2, 2};
  tp::Tensor forward(const tp::Tensor &x) const {
    std::vector<tp::Tensor> parts = tp::split(proj(x), 2, -1);
    return parts[0] * tp::gelu(parts[1]);
  }
  TRIPY_MODULE(GEGLU, proj)
};
} // namespace

TEST(Module, FoundingBlock) {
  GEGLU layer;
  EXPECT_EQ(print(layer(tp::ones({1, 2}))),
            "tensor([[6.0000]], dtype=float32, loc=cpu:0, shape=(1, 1))");
  auto fast = tp::compile(layer, tp::InputInfo({{1, 2, 4}, 2}, tp::float32));
  EXPECT_EQ(print(fast(tp::Tensor({{1.0, 2.0}, {2.0, 3.0}}))),
            "tensor(\n    [[18.0000],\n     [42.0000]], \n    dtype=float32, "
            "loc=cpu:0, shape=(2, 1))");
}

TEST(Module, ErrorsOfLayersStandAtTheirCalls) {
  tp::Linear layer(2, 1);
  try {
    layer(tp::ones({1, 3}));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tp::Error &error) {
    EXPECT_EQ(error.frames().front().loc.line, __LINE__ - 3u);
    EXPECT_NE(std::string(error.frames().front().loc.file).find("ModuleTest"),
              std::string::npos);
  }
}

TEST(Module, ParametersOfMembers) {
  EXPECT_EQ(names(MLP(2).stateDict()),
            (std::vector<std::string>{"c_fc.weight", "c_fc.bias",
                                      "c_proj.weight", "c_proj.bias"}));
  Nested nested;
  EXPECT_EQ(names(nested.stateDict()),
            (std::vector<std::string>{"layers.0.weight", "layers.0.bias",
                                      "layers.1.weight", "norms.last.weight",
                                      "norms.last.bias", "scale"}));
  EXPECT_EQ(names(nested.namedParameters()),
            (std::vector<std::string>{"scale"}));
  EXPECT_EQ(nested.namedChildren().size(), 3u);
  EXPECT_EQ(nested.namedChildren()[1].first, "layers.1");
  EXPECT_EQ(nested(tp::ones({1, 2})).shape(), tp::Shape({1, 2}));
}

TEST(Module, StateDictsPrint) {
  tp::Linear linear(2, 1);
  EXPECT_EQ(print(linear.stateDict()),
            "{'weight': tensor(\n    [[0.0000, 1.0000]], \n    dtype=float32, "
            "loc=cpu:0, shape=(1, 2)), 'bias': tensor([0.0000], "
            "dtype=float32, loc=cpu:0, shape=(1,))}");
}

TEST(Module, TreesPrint) {
  EXPECT_EQ(print(MLP(1)),
            "MLP(\n"
            "    c_fc: Module = Linear(\n"
            "        weight: Parameter = (shape=(4, 1), dtype=float32),\n"
            "        bias: Parameter = (shape=(4,), dtype=float32),\n"
            "    ),\n"
            "    c_proj: Module = Linear(\n"
            "        weight: Parameter = (shape=(1, 4), dtype=float32),\n"
            "        bias: Parameter = (shape=(1,), dtype=float32),\n"
            "    ),\n"
            ")");
}

TEST(Module, CopiesHaveTheirOwnParameters) {
  tp::Linear a(1, 1), b = a;
  b.weight = tp::Tensor({{5.0}});
  EXPECT_EQ(a(tp::ones({1, 1})).item<float>(), 0);
  EXPECT_EQ(b(tp::ones({1, 1})).item<float>(), 5);
  EXPECT_THROW(b.weight = tp::ones({2, 1}), tp::Error);
  EXPECT_THROW(b.weight = tp::ones({1, 1}, tp::float16), tp::Error);
}

TEST(Module, LoadsStateDicts) {
  tp::Linear linear(1, 2);
  linear.loadStateDict({{"weight", tp::ones({2, 1})}, {"bias", tp::ones({2})}});
  EXPECT_EQ(linear(tp::ones({1, 1})).toVector<float>(),
            (std::vector<float>{2, 2}));
  tp::StateDict part = {{"bias", tp::zeros({2})}};
  tp::StateDict more = linear.stateDict();
  more.emplace_back("other", tp::ones({1}));
  EXPECT_THROW(linear.loadStateDict(part), tp::Error);
  EXPECT_THROW(linear.loadStateDict(more), tp::Error);
  EXPECT_THROW(linear.loadStateDict(
                   {{"weight", tp::ones({1, 2})}, {"bias", part[0].second}}),
               tp::Error);
  EXPECT_EQ(linear.bias->tensor().toVector<float>()[0], 1); // unchanged
  auto ofPart = linear.loadStateDict(part, /*strict=*/false);
  EXPECT_EQ(ofPart.missing, (std::vector<std::string>{"weight"}));
  EXPECT_TRUE(ofPart.unknown.empty());
  auto ofMore = linear.loadStateDict(more, /*strict=*/false);
  EXPECT_TRUE(ofMore.missing.empty());
  EXPECT_EQ(ofMore.unknown, (std::vector<std::string>{"other"}));
  EXPECT_EQ(linear.bias->tensor().toVector<float>()[0], 1);
}

TEST(Module, Files) {
  std::string path = testing::TempDir() + "/mlp.safetensors";
  MLP mlp(2), other(2);
  mlp.c_fc.bias->set(tp::full({8}, -1.0));
  mlp.saveSafetensors(path);
  other.loadSafetensors(path);
  EXPECT_TRUE(tp::equal(other.c_fc.bias->tensor(), tp::full({8}, -1.0)));
  EXPECT_THROW(MLP(3).loadSafetensors(path), tp::Error);
  tp::StateDict file = tp::readSafetensors(path);
  ASSERT_EQ(file.size(), 4u);
  for (const auto &[name, tensor] : file)
    if (name == "c_fc.bias")
      EXPECT_EQ(tensor.toVector<float>(), std::vector<float>(8, -1));
  EXPECT_THROW(tp::readSafetensors(path + ".none"), tp::Error);
  EXPECT_THROW(other.loadSafetensors(path + ".none"), tp::Error);
}

namespace {
struct PackedWeight : tp::Module {
  tp::Parameter weight;
  explicit PackedWeight(tp::Shape shape) : weight(shape, tp::int4) {}
  tp::Tensor forward(const tp::Tensor &x) const {
    return tp::linear(x, tp::dequantize(weight, tp::Tensor(1.0)));
  }
  TRIPY_MODULE(PackedWeight, weight)
};
} // namespace

TEST(Module, FilesOfInt4) {
  std::string path = testing::TempDir() + "/packed.safetensors";
  PackedWeight module({3, 1}), other({3, 1});
  module.weight.set(tp::Tensor({{-8}, {7}, {-1}}, tp::int4));
  module.saveSafetensors(path);
  other.loadSafetensors(path);
  EXPECT_EQ(other.weight.tensor().toVector<int8_t>(),
            (std::vector<int8_t>{-8, 7, -1}));
  EXPECT_THROW(PackedWeight({5, 1}).loadSafetensors(path), tp::Error);
}

TEST(Module, Layers) {
  tp::Tensor image = tp::ones({1, 2, 4, 4});
  EXPECT_EQ(tp::Conv(2, 4, {3, 3},
                     {.low = {1, 1}, .high = {1, 1}, .groups = 2})(image)
                .shape(),
            tp::Shape({1, 4, 4, 4}));
  EXPECT_EQ(tp::ConvTranspose(2, 3, {2, 2}, {.stride = {2, 2}})(image).shape(),
            tp::Shape({1, 3, 8, 8}));
  EXPECT_EQ(tp::Embedding(5, 2)(tp::Tensor({4, 0})).toVector<float>(),
            (std::vector<float>{8, 9, 0, 1}));
  tp::Tensor zero = tp::zeros({1, 2, 2, 2});
  EXPECT_EQ(tp::GroupNorm(1, 2)(zero).toVector<float>()[7], 1);
  EXPECT_EQ(tp::InstanceNorm(2)(zero).toVector<float>()[7], 1);
  EXPECT_EQ(tp::BatchNorm(2)(image).shape(), image.shape());
  EXPECT_EQ(tp::LayerNorm({2})(zero).toVector<float>()[1], 1);
  EXPECT_EQ(tp::RMSNorm({2})(zero).toVector<float>()[1], 0);
  EXPECT_THROW(tp::Conv(3, 4, 3, {.groups = 2}), tp::Error);
}

TEST(Module, Sequences) {
  tp::Sequential model;
  model.add(tp::Linear(1, 3)).add([](const tp::Tensor &x) {
    return tp::relu(x);
  });
  model.add("out", tp::Linear(3, 1, /*hasBias=*/false));
  EXPECT_EQ(names(model.stateDict()),
            (std::vector<std::string>{"0.weight", "0.bias", "out.weight"}));
  EXPECT_EQ(model(tp::ones({1, 1})).item<float>(), 0 * 0 + 1 * 2 + 2 * 4);
  EXPECT_EQ(model.size(), 3u);
  EXPECT_EQ(model["out"].typeName(), "Linear");
  EXPECT_THROW(model["none"], tp::Error);
}

TEST(Module, CopiesOfSequencesHaveParametersOfTheirOwn) {
  tp::Sequential a;
  a.add(tp::Linear(1, 1, /*hasBias=*/false));
  a.add([](const tp::Tensor &x) { return x + 1; });
  tp::Sequential inner;
  inner.add("first", a);
  tp::Sequential b = a, c = inner, d;
  d = a;
  tp::Tensor seven = tp::full({1, 1}, 7.0);
  b.loadStateDict({{"0.weight", seven}});
  c.loadStateDict({{"first.0.weight", seven}});
  d.loadStateDict({{"0.weight", seven}});
  tp::Tensor one = tp::ones({1, 1});
  EXPECT_EQ(a(one).item<float>(), 1);
  EXPECT_EQ(inner(one).item<float>(), 1);
  for (const tp::Sequential &copy : {b, c, d})
    EXPECT_EQ(copy(one).item<float>(), 8);
}

TEST(Module, NamesOfStepsHaveNoFullStop) {
  tp::Sequential steps;
  EXPECT_THROW(steps.add("a.b", tp::Linear(1, 1)), tp::Error);
  EXPECT_THROW(steps.add("", tp::Linear(1, 1)), tp::Error);
  EXPECT_EQ(steps.size(), 0u);
}

//===-- optional and quantized parameters ---------------------------------===//

namespace {
struct Scaled : tp::Module {
  tp::OptionalParameter scale{{2}};
  tp::Tensor forward(const tp::Tensor &x) const {
    return scale.isSet() ? x * scale.tensor() : x;
  }
  TRIPY_MODULE(Scaled, scale)
};
} // namespace

TEST(Module, OptionalParameters) {
  Scaled module;
  EXPECT_TRUE(module.stateDict().empty());
  EXPECT_EQ(print(module), "Scaled(\n    scale: OptionalParameter = "
                           "(shape=(2,), dtype=float32, not set),\n)");
  EXPECT_THROW(module.scale.tensor(), tp::Error);
  EXPECT_EQ(module(tp::ones({2})).toVector<float>()[1], 1);
  module.loadStateDict({}); // none is missing
  EXPECT_THROW(module.loadStateDict({{"scale", tp::ones({3})}}), tp::Error);
  EXPECT_FALSE(module.scale.isSet());
  module.loadStateDict({{"scale", tp::Tensor({2.0, 3.0})}});
  EXPECT_EQ(names(module.stateDict()), (std::vector<std::string>{"scale"}));
  EXPECT_EQ(module(tp::ones({2})).toVector<float>()[1], 3);
  EXPECT_THROW(module.scale = tp::ones({2}, tp::float16), tp::Error);
  module.scale.reset();
  EXPECT_TRUE(module.stateDict().empty());
}

TEST(Module, QuantizedLinear) {
  tp::Linear layer(2, 2, {.hasBias = false, .quantDtype = tp::int8});
  EXPECT_EQ(names(layer.stateDict()),
            (std::vector<std::string>{"weight", "weight_scale"}));
  layer.weight = tp::Tensor({{1.0, -2.5}, {100.0, 0.3}});
  tp::Tensor x({{1.0, 1.0}});
  // To the nearest multiple of 1, of two the even one.
  EXPECT_EQ(layer(x).toVector<float>(), (std::vector<float>{-1, 100}));
  layer.weight_scale->set(tp::Tensor(0.5));
  EXPECT_EQ(layer(x).toVector<float>(), (std::vector<float>{-1.5, 64}));
  layer.input_scale->set(tp::Tensor(4.0));
  EXPECT_EQ(layer(x * 5).toVector<float>(),
            (std::vector<float>{-1.5 * 4, 64 * 4}));
  EXPECT_EQ(layer.stateDict().size(), 3u);

  tp::Linear rows(
      2, 2, {.hasBias = false, .quantDtype = tp::int8, .weightQuantDim = 0});
  rows.weight = layer.weight;
  rows.weight_scale->set(tp::Tensor({0.5, 1.0}));
  EXPECT_EQ(rows(x).toVector<float>(), (std::vector<float>{-1.5, 100}));
  tp::Linear columns(2, 3, {.quantDtype = tp::float8, .weightQuantDim = 1});
  EXPECT_EQ(columns.weight_scale->shape(), tp::Shape({2}));
  columns.input_scale->set(tp::Tensor(1.0));
  EXPECT_THROW(columns(x), tp::Error);
  EXPECT_THROW(tp::Linear(2, 2, {.quantDtype = tp::float32}), tp::Error);
  EXPECT_THROW(tp::Linear(2, 2, {.weightQuantDim = 0}), tp::Error);
  EXPECT_THROW(tp::Linear(2, 2, {.quantDtype = tp::int8, .weightQuantDim = 2}),
               tp::Error);
}

//===-- where modules are -------------------------------------------------===//

static std::string errorText(const std::function<void()> &call) {
  try {
    call();
  } catch (const tp::Error &error) {
    return error.what();
  }
  return "nothing was thrown";
}

namespace {
struct Outer : tp::Module {
  std::vector<MLP> blocks{MLP(2), MLP(3)};
  tp::Tensor forward(tp::Tensor x) const {
    for (const MLP &block : blocks)
      x = block(x);
    return x;
  }
  TRIPY_MODULE(Outer, blocks)
};
} // namespace

TEST(Module, ErrorsNameTheModules) {
  std::string text = errorText([] { Outer()(tp::ones({1, 2})); });
  EXPECT_NE(text.find("in Outer.blocks.1.c_fc.forward()"), std::string::npos)
      << text;
  MLP mlp(2);
  tp::Error error(tp::Code::Internal, "");
  try {
    mlp(tp::ones({1, 3}));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tp::Error &thrown) {
    error = thrown;
  }
  ASSERT_FALSE(error.frames().empty());
  EXPECT_STREQ(error.frames().front().loc.function, "MLP.c_fc.forward");
  EXPECT_EQ(error.frames().front().loc.line, 19u);
  EXPECT_EQ(error.frames().back().role, "called from");
  EXPECT_EQ(error.frames().back().loc.line, __LINE__ - 9u);
  // Nothing of it is left.
  EXPECT_EQ(errorText([] { tp::ones({2}) + tp::ones({3}); }).find("MLP"),
            std::string::npos);
}

TEST(Module, SequencesNameTheirModules) {
  tp::Sequential model;
  model.add(tp::Linear(2, 2)).add("last", tp::Linear(3, 2));
  try {
    model(tp::ones({1, 2}));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tp::Error &error) {
    EXPECT_STREQ(error.frames().front().loc.function,
                 "Sequential.last.forward");
    EXPECT_EQ(error.frames().front().loc.line, __LINE__ - 5u);
  }
}

namespace {
struct Halves : tp::Module {
  tp::Tensor forward(const tp::Tensor &x) const {
    return tp::reshape(x, {x.shape()[0] / 2, 2});
  }
  TRIPY_MODULE(Halves)
};
struct Model : tp::Module {
  Halves halves;
  tp::Tensor forward(const tp::Tensor &x) const { return halves(x) + 1; }
  TRIPY_MODULE(Model, halves)
};
} // namespace

TEST(Module, CompilersErrorsNameTheModules) {
  std::string text = errorText([] {
    tp::compile({.strictShapes = true}, Model(),
                tp::InputInfo({{1, 2, 4}}, tp::float32));
  });
  EXPECT_NE(text.find("Model.halves.forward()"), std::string::npos) << text;
  EXPECT_NE(text.find("called from"), std::string::npos) << text;
}

TEST(Module, CallsOfModules) {
  EXPECT_EQ(Pair()(tp::ones({1}), 3).item<float>(), 3);
  EXPECT_EQ(Pair()().item<float>(), 7);
}

TEST(Module, SequencesHaveNoEmptyFunctions) {
  std::function<tp::Tensor(const tp::Tensor &)> activation;
  tp::Sequential steps;
  EXPECT_THROW(steps.add(activation), tp::Error);
}

TEST(Module, ParametersStartWithTensors) {
  tp::Parameter parameter(tp::ones({2}));
  EXPECT_EQ(parameter.tensor().toVector<float>(), (std::vector<float>{1, 1}));
  EXPECT_THROW(parameter = tp::ones({3}), tp::Error);
  EXPECT_THROW(tp::Parameter{tp::Tensor()}, tp::Error);
}

TEST(Module, OptionalParametersAreAssigned) {
  tp::Linear linear(2, 2);
  linear.bias = tp::ones({2});
  EXPECT_EQ(linear.bias->tensor().toVector<float>(),
            (std::vector<float>{1, 1}));
  try {
    linear.bias = tp::ones({3});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tp::Error &error) {
    EXPECT_NE(std::string(error.frames().front().loc.file).find("ModuleTest"),
              std::string::npos);
  }
}

namespace {
struct Extended : MLP {
  tp::Parameter scale{{1}};
  Extended() : MLP(2) {}
  TRIPY_DERIVED_MODULE(Extended, MLP, scale)
};
struct Further : Extended {
  tp::Linear last{2, 2};
  TRIPY_DERIVED_MODULE(Further, Extended, last)
};
struct Chain : tp::Sequential {
  tp::Parameter scale{{1}};
  TRIPY_DERIVED_MODULE(Chain, tp::Sequential, scale)
};
} // namespace

TEST(Module, DerivedModulesHaveTheMembersOfTheirBases) {
  EXPECT_EQ(names(Further().stateDict()),
            (std::vector<std::string>{"c_fc.weight", "c_fc.bias",
                                      "c_proj.weight", "c_proj.bias", "scale",
                                      "last.weight", "last.bias"}));
  EXPECT_EQ(Further().typeName(), "Further");
  EXPECT_EQ(Extended()(tp::ones({1, 2})).shape(), tp::Shape({1, 2}));
  Chain chain;
  chain.add(tp::LayerNorm({2}));
  EXPECT_EQ(names(chain.stateDict()),
            (std::vector<std::string>{"0.weight", "0.bias", "scale"}));
}

TEST(Module, ParametersAreTensors) {
  using Floats = std::vector<float>;
  tp::Linear layer(2, 2);
  layer.weight = {{1.0, 2.0}, {3.0, 4.0}};
  const tp::Parameter &weight = layer.weight;
  EXPECT_EQ(weight.toVector<float>(), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(weight[1].toVector<float>(), (Floats{3, 4}));
  EXPECT_EQ((weight[{tp::slice(), 0}].toVector<float>()), (Floats{1, 3}));
  std::vector<tp::Index> last = {1, 0};
  EXPECT_EQ(weight[last].item<float>(), 3);
  EXPECT_EQ(weight.rank(), 2);
  EXPECT_EQ(weight.device(), weight.tensor().device());
  EXPECT_EQ(weight.str(), weight.tensor().str());
  EXPECT_EQ(tp::Parameter({1}).eval().item<float>(), 0);
  EXPECT_EQ(tp::Parameter({1}).item<int>(), 0);
}
