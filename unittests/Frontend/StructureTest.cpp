//===- StructureTest.cpp - Structs and containers of tensors --------------===//

#include "tripy/tripy.h"

#include "gtest/gtest.h"

#include <sstream>

namespace tp = tripy;
using tp::Tensor;
using Floats = std::vector<float>;

namespace {
template <typename T> struct Batch {
  T ids, mask;
  TRIPY_FIELDS(ids, mask)
};
struct Output {
  Tensor logits;
  std::vector<std::pair<Tensor, Tensor>> cache;
  std::map<std::string, Tensor> extra;
  TRIPY_FIELDS(logits, cache, extra)
};
} // namespace

static tp::InputInfo one(std::string name = "") {
  return tp::InputInfo({1}, tp::float32, std::move(name));
}
static Tensor number(float value) { return Tensor({value}); }

/// The sentence of the error.
template <typename F> static std::string errorOf(F call) {
  try {
    call();
  } catch (const tp::Error &error) {
    EXPECT_EQ(error.code(), tp::Code::InvalidArgument);
    EXPECT_NE(
        std::string(error.frames().front().loc.file).find("StructureTest"),
        std::string::npos);
    return error.summary();
  }
  return "nothing was thrown";
}

static std::vector<std::string> inputNames(const tp::Executable &program) {
  std::vector<std::string> names;
  for (const tp::InputInfo &info : program.inputs())
    names.push_back(info.name());
  return names;
}

TEST(Structure, ManyArguments) {
  auto sum = tp::compile(
      [](const Tensor &a, const Tensor &b, const Tensor &c, const Tensor &d,
         const Tensor &e, const Tensor &f) {
        return a + b * 2 + c * 4 + d * 8 + e * 16 + f * 32;
      },
      one(), one(), one(), one(), one(), one());
  Tensor x = number(1), zero = number(0);
  EXPECT_EQ(sum(x, zero, zero, zero, zero, x).item<float>(), 33);
  EXPECT_EQ(errorOf([&] { sum(x, x, x, x, x); }),
            "the program takes 6 arguments (arg0, arg1, arg2, arg3, arg4, "
            "arg5); found 5");
}

TEST(Structure, Structs) {
  auto fast = tp::compile(
      [](const Batch<Tensor> &batch) { return batch.ids * 10 + batch.mask; },
      Batch<tp::InputInfo>{one(), one()});
  EXPECT_EQ(inputNames(fast),
            (std::vector<std::string>{"arg0.ids", "arg0.mask"}));
  EXPECT_EQ(fast(Batch<Tensor>{number(1), number(2)}).item<float>(), 12);
  auto named = fast.run({{"arg0.mask", number(3)}, {"arg0.ids", number(4)}});
  EXPECT_EQ(named.front().item<float>(), 43);
}

TEST(Structure, Containers) {
  using List = std::vector<tp::InputInfo>;
  using Map = std::map<std::string, List>;
  auto fast = tp::compile(
      [](const std::vector<Tensor> &list,
         const std::map<std::string, std::vector<Tensor>> &map,
         const std::tuple<Tensor, int> &tuple, const Tensor &last) {
        return list[0] + list[1] * 2 + map.at("a")[0] * 4 + map.at("b")[0] * 8 +
               map.at("b")[1] * 16 +
               std::get<0>(tuple) * (32 * std::get<1>(tuple)) + last * 64;
      },
      List{one(), one()}, Map{{"b", {one(), one()}}, {"a", {one()}}},
      std::tuple(one(), 1), one("last"));
  EXPECT_EQ(inputNames(fast), (std::vector<std::string>{
                                  "arg0.0", "arg0.1", "arg1.a.0", "arg1.b.0",
                                  "arg1.b.1", "arg2.0", "last"}));
  std::vector<Tensor> list = {number(1), number(0)};
  std::map<std::string, std::vector<Tensor>> map = {
      {"a", {number(0)}}, {"b", {number(1), number(0)}}};
  EXPECT_EQ(fast(list, map, std::tuple(number(1)), number(1)).item<float>(),
            1 + 8 + 32 + 64);
}

TEST(Structure, Arrays) {
  using Pair = std::array<Tensor, 2>;
  auto swap =
      tp::compile([](const Pair &pair) { return Pair{pair[1], pair[0]}; },
                  std::array{one(), one()});
  EXPECT_EQ(inputNames(swap), (std::vector<std::string>{"arg0.0", "arg0.1"}));
  Pair swapped = swap.call<Pair>(Pair{number(1), number(2)});
  EXPECT_EQ(swapped[0].item<float>(), 2);
  EXPECT_EQ(swapped[1].item<float>(), 1);
}

TEST(Structure, OtherParts) {
  auto fast = tp::compile(
      [](const std::map<std::string, Tensor> &map) {
        return map.at("a") + map.at("b");
      },
      std::map<std::string, tp::InputInfo>{{"a", one()}, {"b", one()}});
  using Map = std::map<std::string, Tensor>;
  EXPECT_EQ(fast(Map{{"a", number(1)}, {"b", number(2)}}).item<float>(), 3);
  EXPECT_EQ(errorOf([&] { fast(Map{{"a", number(1)}, {"c", number(2)}}); }),
            "the argument 'arg0' has the parts arg0.a, arg0.b; missing: "
            "'arg0.b'; unknown: 'arg0.c'");
  // What comes first is not what is wrong.
  EXPECT_EQ(errorOf([&] { fast(Map{{"b", number(1)}, {"c", number(2)}}); }),
            "the argument 'arg0' has the parts arg0.a, arg0.b; missing: "
            "'arg0.a'; unknown: 'arg0.c'");
  EXPECT_EQ(errorOf([&] { fast(Map{{"a", number(1)}}); }),
            "the argument 'arg0' has the parts arg0.a, arg0.b; missing: "
            "'arg0.b'");
  EXPECT_EQ(errorOf([&] { fast(Map()); }),
            "the argument 'arg0' has the parts arg0.a, arg0.b; missing: "
            "'arg0.a', 'arg0.b'");
  // Tensors in order are as good.
  EXPECT_EQ(fast(number(1), number(2)).item<float>(), 3);
}

TEST(Structure, WrongContainers) {
  auto add = [](const Tensor &x, const Tensor &y) { return x + y; };
  auto plain = tp::compile(add, one(), one());
  Tensor x = number(1);
  EXPECT_EQ(errorOf([&] { plain(std::vector{x, x}); }),
            "the argument 'arg0' is a tensor; found a structure of 2 parts");
  EXPECT_EQ(errorOf([&] { plain(x, std::tuple(x)); }),
            "the argument 'arg1' is a tensor; found a structure of 1 part");
  auto list = tp::compile(
      [](const std::vector<Tensor> &list, const Tensor &last) {
        return list[0] + list[1] * 2 + last * 4;
      },
      std::vector{one(), one()}, one());
  EXPECT_EQ(list(std::vector{x, x}, x).item<float>(), 7);
  EXPECT_EQ(errorOf([&] { list(std::vector{x, x, x}); }),
            "the argument 'arg0' has the parts arg0.0, arg0.1; unknown: "
            "'arg0.2'");
  for (const std::vector<Tensor> &last : {std::vector{x}, std::vector{x, x}})
    EXPECT_EQ(errorOf([&] { list(std::vector{x}, last); }),
              "the argument 'arg0' has the parts arg0.0, arg0.1; missing: "
              "'arg0.1'");
}

// What the user calls an input is one thing, where it is in the arguments
// another; a file has both.
TEST(Structure, NamedParts) {
  auto add = [](const Batch<Tensor> &batch, const Tensor &last) {
    return batch.ids * 10 + batch.mask + last * 100;
  };
  auto compiled = tp::compile(
      add, Batch<tp::InputInfo>{one("tokens"), one("mask")}, one("bias"));
  std::string file = testing::TempDir() + "/named-parts.tpx";
  compiled.save(file);
  Tensor x = number(1), two = number(2);
  using Pair = std::map<std::string, Tensor>;
  for (const tp::Executable &named : {compiled, tp::Executable::load(file)}) {
    EXPECT_EQ(inputNames(named),
              (std::vector<std::string>{"tokens", "mask", "bias"}));
    EXPECT_EQ(named(Batch<Tensor>{x, two}, x).item<float>(), 112);
    EXPECT_EQ(named.run({{"mask", two}, {"tokens", x}, {"bias", x}})
                  .front()
                  .item<float>(),
              112);
    EXPECT_EQ(errorOf([&] { named(Pair{{"ids", x}, {"bias", x}}, x); }),
              "the argument 'arg0' has the parts arg0.ids, arg0.mask; "
              "missing: 'arg0.mask'; unknown: 'arg0.bias'");
    EXPECT_EQ(errorOf([&] { named(std::vector{x}, x); }),
              "the argument 'arg0' has the parts arg0.ids, arg0.mask; "
              "missing: 'arg0.ids', 'arg0.mask'; unknown: 'arg0.0'");
    EXPECT_EQ(errorOf([&] { named(x, x, std::vector{x}); }),
              "the program takes 3 arguments (tokens, mask, bias); found a "
              "structure as 'arg2'");
    // Parts have names: the order of another structure does not matter.
    EXPECT_EQ(named(Pair{{"mask", two}, {"ids", x}}, x).item<float>(), 112);
  }
  auto plain =
      tp::compile([](const Tensor &a, const Tensor &b) { return a + b; },
                  one("args"), one("arg0x"));
  EXPECT_EQ(errorOf([&] { plain(std::vector{x, x}); }),
            "the argument 'args' is a tensor; found a structure of 2 parts");
}

TEST(Structure, ListsOfArguments) {
  auto subtract =
      tp::compile([](const Tensor &a, const Tensor &b) { return a - b; },
                  one("a"), one("b"));
  Tensor x = number(3), y = number(1);
  EXPECT_EQ(subtract.run({x, y}).front().item<float>(), 2);
  EXPECT_EQ(subtract.run(std::vector{x, y}).front().item<float>(), 2);
  std::vector<tp::Executable::Argument> operands = {y, x};
  EXPECT_EQ(subtract.run(operands).front().item<float>(), -2);
  EXPECT_EQ(subtract.run({{"b", x}, {"a", y}}).front().item<float>(), -2);
  EXPECT_EQ(errorOf([&] { subtract.run({}); }),
            "the program takes 2 arguments (a, b); found 0");
  EXPECT_EQ(errorOf([&] { subtract.run({{"a", x}, {"c", y}}); }),
            "the program takes 2 arguments (a, b); missing: 'b'; unknown: 'c'");
  auto twice = tp::compile([](const Tensor &x) { return x * 2; },
                           tp::InputInfo({}, tp::float32));
  EXPECT_EQ(twice.run({4}).front().item<float>(), 8);
  auto constant = tp::compile([] { return number(5); });
  EXPECT_EQ(constant.run({}).front().item<float>(), 5);
  EXPECT_EQ(errorOf([&] { constant.run({x}); }),
            "the program takes no arguments; found 1");
}

TEST(Structure, EmptyParts) {
  using Lists = std::vector<std::vector<Tensor>>;
  auto compiled = [](auto result) {
    return tp::compile([&](const Tensor &) { return result; }, one());
  };
  Tensor x = number(1);
  std::string start = "each part of a list or map that a compiled function "
                      "returns has a tensor; found none in ";
  EXPECT_EQ(errorOf([&] { compiled(Lists{{x}, {}, {x}}); }),
            start + "'result1'");
  EXPECT_EQ(errorOf([&] { compiled(Lists{{x}, {x}, {}}); }),
            start + "'result2'");
  EXPECT_EQ(errorOf([&] {
              compiled(std::map<std::string, Lists>{{"a", {{x}, {}}}});
            }),
            start + "'a.1'");
  // The type says that these are there.
  using Pair = std::pair<Tensor, std::vector<Tensor>>;
  Pair pair = compiled(Pair(x, {})).call<Pair>(x);
  EXPECT_TRUE(pair.second.empty());
}

TEST(Structure, Results) {
  auto fast = tp::compile(
      [](const Tensor &x) {
        return Output{x, {{x + 1, x + 2}, {x + 3, x + 4}}, {{"sum", x + 5}}};
      },
      one());
  auto names = [&] {
    std::vector<std::string> list;
    for (const tp::OutputInfo &info : fast.outputs())
      list.push_back(info.name);
    return list;
  };
  EXPECT_EQ(names(),
            (std::vector<std::string>{"logits", "cache.0.0", "cache.0.1",
                                      "cache.1.0", "cache.1.1", "extra.sum"}));
  auto check = [](const Output &out) {
    EXPECT_EQ(out.logits.item<float>(), 1);
    ASSERT_EQ(out.cache.size(), 2u);
    EXPECT_EQ(out.cache[1].second.item<float>(), 5);
    EXPECT_EQ(out.extra.at("sum").item<float>(), 6);
  };
  check(fast.call<Output>(number(1)));
  // A file has the names.
  std::string path = testing::TempDir() + "/results.tpx";
  fast.save(path);
  check(tp::Executable::load(path).call<Output>(number(1)));
}

TEST(Structure, TuplesAndLists) {
  auto fast = tp::compile(
      [](const Tensor &x) {
        return std::tuple(x, std::pair(x + 1, x + 2), std::vector{x + 3});
      },
      one());
  auto [a, b, c] = fast.call<
      std::tuple<Tensor, std::pair<Tensor, Tensor>, std::vector<Tensor>>>(
      number(0));
  EXPECT_EQ(a.item<float>(), 0);
  EXPECT_EQ(b.second.item<float>(), 2);
  EXPECT_EQ(c.at(0).item<float>(), 3);
  // Eleven: "result10" is not below "result1".
  auto many = tp::compile(
      [](const Tensor &x) {
        std::vector<Tensor> list;
        for (int i = 0; i < 11; ++i)
          list.push_back(x + i);
        return list;
      },
      one());
  EXPECT_EQ(many.call<std::vector<Tensor>>(number(0)).at(10).item<float>(), 10);
  auto single = tp::compile([](const Tensor &x) { return x + 1; }, one());
  EXPECT_EQ(single.call<Tensor>(number(0)).item<float>(), 1);
  EXPECT_EQ(single.call<std::vector<Tensor>>(number(0)).size(), 1u);
}

TEST(Structure, OtherResults) {
  auto fast =
      tp::compile([](const Tensor &x) { return std::vector{x, x + 1}; }, one());
  EXPECT_EQ(errorOf([&] { fast(number(1)); }),
            "the program has 2 results; call() gives them as a structure, "
            "run() as a list");
  EXPECT_EQ(errorOf([&] { fast.call<Output>(number(1)); }),
            "the program has the results result0, result1; found no 'logits'");
  EXPECT_EQ(errorOf([&] { fast.call<Tensor>(number(1)); }),
            "the structure has all results of the program (result0, result1); "
            "found 1 tensors in it");
}

TEST(Structure, SizesOfResults) {
  auto fast = tp::compile(
      [](const Tensor &x) {
        return std::pair(tp::concatenate({x, x}, 0), tp::sum(x));
      },
      tp::InputInfo({{1, 2, 4}, 3}, tp::float16));
  std::vector<tp::OutputInfo> infos = fast.outputs();
  ASSERT_EQ(infos.size(), 2u);
  std::ostringstream os;
  os << infos[0] << " " << infos[1];
  EXPECT_EQ(os.str(), "OutputInfo(min=[2, 3], max=[8, 3], dtype=float16) "
                      "OutputInfo(min=[], max=[], dtype=float16)");
}

namespace {
/// A struct and a list in a struct.
template <typename T> struct State {
  Batch<T> batch;
  std::vector<T> layers;
  TRIPY_FIELDS(batch, layers)
};
} // namespace

TEST(Structure, NestedArguments) {
  State<tp::InputInfo> inputs{{one(), one()}, {one(), one()}};
  auto f = tp::compile(
      [](const State<Tensor> &state) {
        return state.batch.ids * 100 + state.batch.mask * 10 + state.layers[1];
      },
      inputs);
  EXPECT_EQ(inputNames(f),
            (std::vector<std::string>{"arg0.batch.ids", "arg0.batch.mask",
                                      "arg0.layers.0", "arg0.layers.1"}));
  State<Tensor> values{{number(1), number(2)}, {number(3), number(4)}};
  EXPECT_EQ(f(values).item<float>(), 124);
}

TEST(Structure, KeysWithFullStops) {
  using Named = std::map<std::string, Tensor>;
  auto f = tp::compile(
      [](const Tensor &x) {
        return Named{{"encoder.0", x}, {"encoder.1", x + 1}};
      },
      one());
  Named results = f.call<Named>(number(1));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results.at("encoder.0").item<float>(), 1);
  EXPECT_EQ(results.at("encoder.1").item<float>(), 2);
}

TEST(Structure, RunsWithoutArguments) {
  auto f = tp::compile([] { return tp::ones({2}); });
  EXPECT_EQ(f.run().front().toVector<float>(), (Floats{1, 1}));
}

TEST(Structure, ExecutablesAreMembers) {
  std::map<int, tp::Executable> programs;
  tp::Executable &program = programs[8];
  for (const std::string &text : {
           errorOf([&] { program(number(1)); }),
           errorOf([&] { program.run({{"x", number(1)}}); }),
           errorOf([&] { program.run(); }),
           errorOf([&] { program.call<Tensor>(); }),
           errorOf([&] { program.inputs(); }),
           errorOf([&] { program.outputs(); }),
           errorOf([&] { program.device(); }),
           errorOf([&] { program.save("none.tpx"); }),
           errorOf([&] { program.on(tp::Stream::ofThread()); }),
       })
    EXPECT_NE(text.find("found an empty one"), std::string::npos) << text;
  program = tp::compile([](const Tensor &x) { return x + 1; }, one());
  EXPECT_EQ(program(number(1)).item<float>(), 2);
}

TEST(Structure, ResultsOfOneFunction) {
  tp::InputInfo input({3}, tp::float32);
  auto f =
      tp::compile([](const Tensor &x) { return tp::topk(x, 2, 0); }, input);
  auto [values, indices] = f.call<tp::TopkResults>(Tensor({1.0f, 3.0f, 2.0f}));
  EXPECT_EQ(values.toVector<float>(), (Floats{3, 2}));
  EXPECT_EQ(indices.toVector<int32_t>(), (std::vector<int32_t>{1, 2}));
}
