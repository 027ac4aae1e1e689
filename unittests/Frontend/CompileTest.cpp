//===- CompileTest.cpp - Compiled functions -------------------------------===//

#include "ThrownErrors.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace tp = tripy;
using Floats = std::vector<float>;

static tp::Tensor addOne(const tp::Tensor &x) { return x + 1; }

static std::string temporary(const std::string &name) {
  return testing::TempDir() + "/" + name;
}

TEST(Compile, Functions) {
  auto fast = tp::compile(addOne, tp::InputInfo({2}, tp::float32));
  EXPECT_EQ(fast(tp::Tensor({1.0, 2.0})).toVector<float>(), (Floats{2, 3}));
  // Evaluated first, where it is not yet.
  EXPECT_EQ(fast(tp::ones({2}) * 3).toVector<float>(), (Floats{4, 4}));
}

TEST(Compile, ShapesFromAProfile) {
  auto fast = tp::compile([](const tp::Tensor &x) { return tp::softmax(x); },
                          tp::InputInfo({{1, 2, 4}, 2}, tp::float32));
  for (int64_t batch : {1, 2, 4})
    EXPECT_EQ(fast(tp::ones({batch, 2})).toVector<float>(),
              Floats(2 * batch, 0.5));
  EXPECT_THROW(fast(tp::ones({5, 2})), tp::Error);
  EXPECT_THROW(fast(tp::ones({0, 2})), tp::Error);
}

TEST(Compile, SizesOfATensor) {
  auto fast = tp::compile(
      [](const tp::Tensor &x) {
        tp::Shape shape = x.shape();
        EXPECT_FALSE(shape[0].isStatic());
        EXPECT_TRUE(shape[1].isStatic());
        return tp::reshape(x, {shape[0] * 2, shape[1] / 2}) +
               tp::ones({shape[0] * 2, 1});
      },
      tp::InputInfo({{1, 2, 4}, 4}, tp::float32));
  tp::Tensor y = fast(tp::zeros({3, 4}));
  EXPECT_EQ(y.shape(), tp::Shape({6, 2}));
  EXPECT_EQ(y.toVector<float>(), Floats(12, 1));
}

/// The -1 of a reshape is a number where the symbolic sizes cancel.
TEST(Compile, InferredSizesThatAreKnown) {
  auto expectKnown = [](const tp::Tensor &x, const tp::Tensor &y,
                        const tp::Tensor &w) {
    tp::Size b = x.shape()[0], t = x.shape()[1];
    auto last = [](const tp::Tensor &tensor, const tp::Shape &sizes) {
      return tp::reshape(tensor, sizes).shape()[-1].str();
    };
    EXPECT_EQ(last(x, {b, t, 3, -1}), "2");
    EXPECT_EQ(last(x, {t, b, -1}), "6");
    EXPECT_EQ(tp::reshape(x, {t, -1, b, 6}).shape()[1].str(), "1");
    // Of tensors with these sizes.
    EXPECT_EQ(last(tp::exp(x) * 2 + x, {b, t, -1}), "6");
    EXPECT_EQ(last(y, {b, t, 2, -1}), "3");
    EXPECT_EQ(last(tp::transpose(x, 0, 1), {b, t, -1}), "6");
    EXPECT_EQ(last(tp::permute(x, {2, 0, 1}), {b, t, -1}), "6");
    EXPECT_EQ(last(x - tp::mean(x, -1, /*keepdim=*/true), {b, t, -1}), "6");
    EXPECT_EQ(last(tp::sum(x, 1), {b, -1}), "6");
    EXPECT_EQ(last(tp::softmax(x, 1), {b, t, -1}), "6");
    EXPECT_EQ(last(tp::matmul(x, w), {b, t, -1}), "8");
    EXPECT_EQ(last(tp::matmul(x, tp::transpose(x, 1, 2)), {b, t, t, -1}), "1");
    EXPECT_EQ(
        last(tp::gather(w, tp::cast(tp::sum(x, 2), tp::int32)), {b, t, 2, -1}),
        "4");
    EXPECT_EQ(
        last(tp::embedding(w, tp::cast(tp::sum(x, 2), tp::int32)), {b, t, -1}),
        "8");
    EXPECT_EQ(last(tp::concatenate({x, x}, 2), {b, t, -1}), "12");
    EXPECT_EQ(last(tp::split(x, 2, 2)[1], {b, t, -1}), "3");
    EXPECT_EQ(last(tp::unsqueeze(x, 1), {b, t, -1}), "6");
    EXPECT_EQ(last(tp::squeeze(tp::unsqueeze(x, 1), 1), {b, t, -1}), "6");
    EXPECT_EQ(last(x[{tp::ellipsis, tp::slice(0, 4)}], {b, t, -1}), "4");
    EXPECT_EQ(
        last(tp::ones({b, t, 4}) +
                 tp::expand(
                     w, {b, -1,
                         -1})[{tp::ellipsis, tp::slice(0, 1), tp::slice(0, 4)}],
             {b, t, -1}),
        "4");
    // The size that remains is one of the input's.
    EXPECT_EQ(last(tp::reshape(x, {b, -1, 2, 3}), {b, t, -1}), "6");
    return x;
  };
  tp::NamedDimension batch("b", 1, 2, 4), length("t", 1, 3, 5);
  tp::compile(expectKnown, tp::InputInfo({batch, length, 6}, tp::float32, "x"),
              tp::InputInfo({batch, length, 6}, tp::float32, "y"),
              tp::InputInfo({6, 8}, tp::float32, "w"));
}

TEST(Compile, InferredSizesThatAreUnknown) {
  auto expectUnknown = [](const tp::Tensor &x, const tp::Tensor &y) {
    tp::Size b = x.shape()[0], t = x.shape()[1];
    auto last = [](const tp::Tensor &tensor, const tp::Shape &sizes) {
      return tp::reshape(tensor, sizes).shape()[-1].str();
    };
    EXPECT_EQ(last(x, {b, -1}), "?");
    EXPECT_EQ(last(x, {b, b, -1}), "?");
    EXPECT_EQ(last(x, {b + 0, t, -1}), "?");
    EXPECT_EQ(last(x, {b, t, 4, -1}), "?"); // 6 / 4
    EXPECT_EQ(last(y, {b, t, -1}), "?");
    EXPECT_EQ(last(tp::reshape(x + y, {y.shape()[0], -1, 6}), {b, t, -1}), "?");
    EXPECT_EQ(last(x[tp::slice(0, 2)], {b, t, -1}), "?");
    EXPECT_EQ(last(tp::concatenate({x, x}, 0), {b, t, -1}), "?");
    return x;
  };
  tp::compile(expectUnknown,
              tp::InputInfo({{1, 2, 4}, {1, 3, 5}, 6}, tp::float32, "x"),
              tp::InputInfo({{1, 2, 4}, {1, 3, 5}, 6}, tp::float32, "y"));
}

/// Heads as a model of PyTorch's has them.
TEST(Compile, HeadsOfInferredSize) {
  auto attend = [](const tp::Tensor &x) {
    tp::Size b = x.shape()[0], t = x.shape()[1];
    tp::Tensor heads =
        tp::transpose(tp::reshape(x * 1.0f, {b, t, 2, -1}), 1, 2);
    tp::Tensor result = tp::attention(heads, heads, heads);
    return tp::reshape(tp::transpose(result, 1, 2), {b, t, -1});
  };
  auto fast = tp::compile(
      attend, tp::InputInfo({{0, 2, 4}, {1, 3, 5}, 6}, tp::float32));
  for (int64_t b : {0, 1, 4})
    for (int64_t t : {1, 5}) {
      tp::Tensor x = tp::iota({b, t, 6}, 1) + tp::iota({6}) / 8;
      tp::Tensor y = fast(x);
      EXPECT_EQ(y.shape(), tp::Shape({b, t, 6}));
      // Without elements, -1 may be any number where all sizes are known.
      if (b != 0)
        EXPECT_TRUE(tp::allclose(y, attend(x), 1e-5, 1e-5));
    }
}

TEST(Compile, NamedDimensionsAgree) {
  tp::NamedDimension batch("batch", 1, 2, 8);
  auto fast = tp::compile(
      [](const tp::Tensor &a, const tp::Tensor &b) { return a * b; },
      tp::InputInfo({batch, 2}, tp::float32, "a"),
      tp::InputInfo({batch, 2}, tp::float32, "b"));
  EXPECT_EQ(fast(tp::ones({3, 2}), tp::ones({3, 2})).shape(),
            tp::Shape({3, 2}));
  EXPECT_THROW(fast(tp::ones({3, 2}), tp::ones({2, 2})), tp::Error);
  auto named = fast.run({{"b", tp::ones({1, 2})}, {"a", tp::zeros({1, 2})}});
  EXPECT_EQ(named.front().toVector<float>(), (Floats{0, 0}));
  EXPECT_THROW(fast.run({{"a", tp::ones({1, 2})}}), tp::Error);
}

TEST(Compile, NamedDimensionsHaveOneRange) {
  tp::NamedDimension batch("batch", 1, 2, 8), other("batch", 1, 2, 4);
  auto add = [](const tp::Tensor &a, const tp::Tensor &b) { return a + b; };
  tp::Error error = errorOf([&] {
    tp::compile(add, tp::InputInfo({batch, 2}, tp::float32, "a"),
                tp::InputInfo({other, 2}, tp::float32, "b"));
  });
  EXPECT_EQ(error.code(), tp::Code::InvalidArgument);
  EXPECT_NE(
      std::string(error.what())
          .find("dimensions of one name have equal sizes; found 'batch' of "
                "[1, 2, 8] and of [1, 2, 4]"),
      std::string::npos)
      << error.what();
  auto same = [](const tp::Tensor &a) { return a; };
  EXPECT_THROW(
      tp::compile(same, tp::InputInfo({batch, other}, tp::float32, "a")),
      tp::Error);
  // Names of different dimensions, and none, have ranges of their own.
  tp::NamedDimension rows("rows", 1, 2, 4);
  tp::compile(add, tp::InputInfo({batch, rows}, tp::float32, "a"),
              tp::InputInfo({batch, {1, 2, 4}}, tp::float32, "b"));
}

TEST(Compile, InputsInBraces) {
  tp::InputInfo a({1}, tp::float32), b({1}, tp::float32);
  auto twice = [](const tp::Tensor &x) { return x * 2; };
  EXPECT_EQ(tp::compile(twice, {a})(tp::ones({1})).item<float>(), 2);
  auto sub = [](const tp::Tensor &x, const tp::Tensor &y) { return x - y; };
  auto fast = tp::compile({.strictShapes = false}, sub,
                          {tp::InputInfo({{1, 2, 4}, 2}, tp::float32), b});
  EXPECT_EQ(fast(tp::ones({1, 2}), tp::zeros({1})).toVector<float>(),
            (Floats{1, 1}));
  // More arguments than compile() has overloads for.
  auto all = [](auto... x) { return (x + ...); };
  EXPECT_EQ(tp::compile(all, a, a, a, a, a, a, a).inputs().size(), 7u);
}

namespace {
struct Counter : tp::Module {
  int calls = 0;
  tp::Parameter scale{{1}};
  tp::Tensor forward(const tp::Tensor &x) { return x + scale + ++calls; }
  TRIPY_MODULE(Counter, scale)
};
} // namespace

TEST(Compile, ModulesWhoseForwardIsNotConst) {
  Counter counter;
  auto fast = tp::compile(counter, tp::InputInfo({1}, tp::float32));
  EXPECT_EQ(counter.calls, 1);
  EXPECT_EQ(fast(tp::ones({1})).item<float>(), 2);
  EXPECT_EQ(counter(tp::ones({1})).item<float>(), 3);
  tp::Sequential steps;
  steps.add(counter);
  EXPECT_EQ(steps(tp::ones({1})).item<float>(), 4);
}

TEST(Compile, InputsPrintNamesOfDimensions) {
  tp::NamedDimension batch("batch", 1, 2, 8);
  EXPECT_EQ(tp::InputInfo({batch, 2}, tp::float32).str(),
            "InputInfo(min=[1, 2], opt=[2, 2], max=[8, 2], dtype=float32, "
            "names=['batch', ''])");
}

TEST(Compile, SizesAreArguments) {
  auto fast = tp::compile([](const tp::Size &n) { return tp::iota({n}); },
                          tp::DimensionInputInfo({1, 4, 16}));
  EXPECT_EQ(fast(3).toVector<float>(), (Floats{0, 1, 2}));
  EXPECT_THROW(fast(17), tp::Error);
}

TEST(Compile, ListsOfInputs) {
  std::vector<tp::InputInfo> infos(3, tp::InputInfo({2}, tp::float32));
  auto fast = tp::compile(
      [](const std::vector<tp::Tensor> &list, const tp::Tensor &scale) {
        return (list[0] + list[1] * 10 + list[2] * 100) * scale;
      },
      infos, tp::InputInfo({}, tp::float32, "scale"));
  EXPECT_EQ(fast.inputs().size(), 4u);
  EXPECT_EQ(fast.inputs()[2].name(), "arg0.2");
  tp::Tensor one = tp::ones({2});
  EXPECT_EQ(fast(one, one * 2, one * 3, 2).toVector<float>(),
            (Floats{642, 642}));
}

TEST(Compile, OtherArgumentsArePartOfTheProgram) {
  tp::Tensor weight({10.0, 20.0});
  auto fast = tp::compile([](const tp::Tensor &x, const tp::Tensor &w,
                             float scale) { return x * w * scale; },
                          tp::InputInfo({2}, tp::float32), weight, 0.5f);
  EXPECT_EQ(fast.inputs().size(), 1u);
  EXPECT_EQ(fast(tp::ones({2})).toVector<float>(), (Floats{5, 10}));
  // Large ones, too.
  tp::Tensor large = (tp::arange(1000) * 2).eval();
  auto second = tp::compile([&](const tp::Tensor &x) { return x + large; },
                            tp::InputInfo({1}, tp::float32));
  EXPECT_EQ(second(tp::ones({1})).toVector<float>()[999], 1999);
}

TEST(Compile, SeveralResults) {
  auto both = tp::compile(
      [](const tp::Tensor &x) {
        return std::pair(x + 1, std::vector{x * 2, x});
      },
      tp::InputInfo({1}, tp::float32));
  std::vector<tp::Tensor> results = both.run({tp::Tensor({3.0})});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].item<float>(), 4);
  EXPECT_EQ(results[1].item<float>(), 6);
  EXPECT_EQ(results[2].item<float>(), 3);
  EXPECT_THROW(both(tp::Tensor({3.0})), tp::Error);
}

TEST(Compile, EvaluationIsRefused) {
  tp::Tensor other = tp::ones({1});
  auto run = [&](auto function) {
    try {
      tp::compile(function, tp::InputInfo({1}, tp::float32));
    } catch (const tp::Error &error) {
      return error.summary();
    }
    return std::string();
  };
  EXPECT_NE(run([](const tp::Tensor &x) {
              return (x + 1).eval();
            }).find("cannot evaluate a tensor while compiling"),
            std::string::npos);
  EXPECT_NE(run([](const tp::Tensor &x) {
              return x.item<float>() > 0 ? x : -x;
            }).find("cannot evaluate a tensor while compiling"),
            std::string::npos);
  // What does not depend on an argument may be evaluated.
  EXPECT_EQ(run([&](const tp::Tensor &x) {
              return other.item<float>() > 0 ? x : -x;
            }),
            "");
}

TEST(Compile, ErrorsOfCalls) {
  auto fast = tp::compile(addOne, tp::InputInfo({{1, 2, 4}}, tp::float32, "x"));
  auto messageOf = [&](auto call) {
    try {
      call();
    } catch (const tp::Error &error) {
      std::ostringstream text;
      text << error.code() << ": " << error.summary();
      return text.str();
    }
    return std::string("nothing");
  };
  EXPECT_EQ(messageOf([&] { fast(); }),
            "InvalidArgument: the program takes 1 argument (x); found 0");
  EXPECT_TRUE(messageOf([&] {
                fast(tp::ones({2}, tp::int32));
              }).starts_with("DTypeMismatch: "));
  EXPECT_TRUE(
      messageOf([&] { fast(tp::ones({8})); }).starts_with("ShapeOutOfRange: "));
  EXPECT_THROW(tp::InputInfo({{2, 1, 4}}, tp::float32), tp::Error);
  EXPECT_THROW(tp::compile([](const tp::Tensor &) { return tp::Tensor(); },
                           tp::InputInfo({1}, tp::float32)),
               tp::Error);
}

TEST(Compile, DescriptionsPrint) {
  auto fast = tp::compile(addOne, tp::InputInfo({{1, 2, 4}, 2}, tp::float32));
  EXPECT_EQ(fast.inputs().front().str(),
            "InputInfo(min=[1, 2], opt=[2, 2], max=[4, 2], dtype=float32)");
  EXPECT_EQ(fast.inputs().front().name(), "arg0");
}

TEST(Compile, FilesAreOfTheirOwn) {
  std::string path = temporary("add.tpx");
  tp::compile(addOne, tp::InputInfo({{1, 2, 4}}, tp::float32)).save(path);
  tp::Executable again = tp::Executable::load(path);
  EXPECT_EQ(again(tp::ones({3})).toVector<float>(), (Floats{2, 2, 2}));
  EXPECT_EQ(again.inputs().front().str(),
            "InputInfo(min=[1], opt=[2], max=[4], dtype=float32)");

  EXPECT_THROW(tp::Executable::load(temporary("none.tpx")), tp::Error);
  std::filesystem::resize_file(path, 100);
  EXPECT_THROW(tp::Executable::load(path), tp::Error);
  std::ofstream(path) << "text";
  EXPECT_THROW(tp::Executable::load(path), tp::Error);
  EXPECT_THROW(again.save("/nowhere/add.tpx"), tp::Error);
}

TEST(Compile, LevelsAreDumped) {
  std::filesystem::path folder = temporary("dumped");
  std::filesystem::remove_all(folder);
  setenv("TRIPY_DUMP_IR", folder.c_str(), 1);
  auto fast = tp::compile(addOne, tp::InputInfo({{1, 2, 4}}, tp::float32));
  EXPECT_EQ(fast(tp::ones({3})).toVector<float>(), (Floats{2, 2, 2}));
  setenv("TRIPY_DUMP_IR", "/proc/none", 1);
  try {
    tp::compile(addOne, tp::InputInfo({3}, tp::float32));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tp::Error &error) {
    EXPECT_EQ(error.code(), tp::Code::Io);
    EXPECT_TRUE(error.summary().starts_with("TRIPY_DUMP_IR: no folder"));
  }
  unsetenv("TRIPY_DUMP_IR");

  auto textOf = [&](const char *name) {
    std::ifstream file(folder / "0001" / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_NE(textOf("trace.mlir").find("trace.add"), std::string::npos);
  EXPECT_NE(textOf("flatir.mlir").find("flatir.add"), std::string::npos);
  for (const char *name : {"dispatches.mlir", "linalg.mlir", "kernels.mlir",
                           "plan.mlir", "llvm.mlir"})
    EXPECT_NE(textOf(name).find("module"), std::string::npos) << name;
  bool isGpu = tp::defaultDevice().isGpu();
  EXPECT_FALSE(textOf(isGpu ? "kernels.ptx" : "kernels.s").empty());
}

TEST(Compile, Threads) {
  auto fast = tp::compile(addOne, tp::InputInfo({{1, 2, 64}}, tp::float32));
  std::vector<std::thread> threads;
  std::vector<float> found(8);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int n = 1; n <= 16; ++n)
        found[i] +=
            fast(tp::full({n}, i, tp::float32)).toVector<float>()[n - 1];
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(found[i], 16 * (i + 1));
}

static tp::InputInfo batch() {
  return tp::InputInfo({{1, 2, 4}, 3}, tp::float32);
}

TEST(Compile, StacksOfTheRunsSizes) {
  auto stack = [](const tp::Tensor &x, const tp::Tensor &y) {
    return tp::stack({x, y * 2}, 1);
  };
  auto fast = tp::compile(stack, batch(), batch());
  EXPECT_EQ(fast(tp::ones({1, 3}), tp::ones({1, 3})).toVector<float>(),
            (Floats{1, 1, 1, 2, 2, 2}));
  EXPECT_THROW(fast(tp::ones({2, 3}), tp::ones({3, 3})).eval(), tp::Error);
  EXPECT_THROW(tp::stack({tp::ones({1}), tp::ones({2})}), tp::Error);
}

TEST(Compile, DecidesNothingByTheRunsSizes) {
  auto same = [](const tp::Tensor &x) { return tp::equal(x, x) ? x : -x; };
  EXPECT_THROW(tp::compile(same, batch()), tp::Error);
  auto small = [](const tp::Tensor &x) { return x.shape()[0] < 3 ? x : -x; };
  EXPECT_EQ(errorOf([&] { tp::compile(small, batch()); }).code(),
            tp::Code::InvalidArgument);
  EXPECT_FALSE(tp::equal(tp::ones({2}), tp::ones({3})));
}

TEST(Compile, ManyInputsThatShareNumbers) {
  auto polynomial = [](const tp::Tensor &x) {
    return ((((x * 0.1 + 0.2) * x + 0.3) * x + 0.4) * x + 0.5) * x + 0.6;
  };
  auto features = [&](const std::vector<tp::Tensor> &inputs) {
    tp::Tensor sum = polynomial(inputs[0]);
    for (size_t i = 1; i < inputs.size(); ++i)
      sum = sum + polynomial(inputs[i]);
    return std::pair(sum, polynomial(tp::matmul(inputs[0], inputs[1])));
  };
  std::vector<tp::InputInfo> inputs(20, tp::InputInfo({4, 4}, tp::float32));
  auto fast = tp::compile(features, inputs);
  std::vector<tp::Tensor> zeros(20, tp::zeros({4, 4}));
  auto [sum, product] = fast.call<std::pair<tp::Tensor, tp::Tensor>>(zeros);
  EXPECT_NEAR(sum.toVector<float>()[0], 12, 1e-4);
  EXPECT_NEAR(product.toVector<float>()[0], 0.6, 1e-5);
}

TEST(Compile, CallsInFunctionsThatAreCompiled) {
  tp::InputInfo one({1}, tp::float32);
  auto twice = tp::compile([](const tp::Tensor &x) { return x * 2; }, one);
  tp::Error error = errorOf([&] {
    tp::compile([&](const tp::Tensor &x) { return twice(x + 1); }, one);
  });
  EXPECT_EQ(error.summary(),
            "the argument 'arg0' must have a value; found a tensor of a "
            "function that is compiled: in it, call the function itself, not "
            "what compile() made of it");
  EXPECT_EQ(error.frames()[0].loc.line, uint32_t(__LINE__ - 6));
  // What has a value becomes a constant.
  auto sum = tp::compile(
      [&](const tp::Tensor &x) { return x + twice(tp::ones({1})); }, one);
  EXPECT_EQ(sum(tp::ones({1})).item<float>(), 3);
}

TEST(Compile, NamesOfResultsAreTheirOwn) {
  using Map = std::map<std::string, tp::Tensor>;
  tp::Error error = errorOf([] {
    tp::compile(
        [](const tp::Tensor &x) {
          return std::map<std::string, Map>{{"a", {{"b.c", x}}},
                                            {"a.b", {{"c", x}}}};
        },
        tp::InputInfo({1}, tp::float32));
  });
  EXPECT_EQ(error.summary(), "results have names of their own; found 'a.b.c' "
                             "twice");
}
