//===- SettingsTest.cpp - How to compile, and what hears of it ------------===//

#include "ThrownErrors.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tp = tripy;
using Floats = std::vector<float>;

static tp::Tensor chain(const tp::Tensor &x) {
  // A product and a softmax do not become one kernel.
  return tp::softmax(tp::matmul(x, tp::ones({4, 4})) + 1);
}

static const tp::InputInfo &input() {
  static const tp::InputInfo info({2, 4}, tp::float32, "x");
  return info;
}

/// Code and sentence of what compiling with `settings` throws.
static std::pair<tp::Code, std::string>
refusal(const tp::CompileSettings &settings) {
  try {
    tp::compile(settings, chain, input());
  } catch (const tp::Error &error) {
    return {error.code(), error.summary()};
  }
  return {tp::Code::Ok, "nothing was thrown"};
}

TEST(Settings, Processors) {
  auto plain = tp::compile({.target = "cpu", .cpu = "x86-64"}, chain, input());
  EXPECT_NEAR(plain(tp::zeros({2, 4})).toVector<float>()[7], 0.25, 1e-6);
  auto [code, text] = refusal({.target = "cpu", .cpu = "x86-65"});
  EXPECT_EQ(code, tp::Code::InvalidArgument);
  EXPECT_NE(text.find("x86-65"), std::string::npos);
  EXPECT_NE(refusal({.target = "tpu"}).second.find("tpu"), std::string::npos);
}

TEST(Settings, OfAnotherTarget) {
  EXPECT_EQ(refusal({.target = "cuda", .cpu = "x86-64"}).second,
            "the setting 'cpu' is for the target cpu; found the target cuda");
  EXPECT_EQ(refusal({.target = "cpu", .backends = "auto"}).second,
            "the setting 'backends' is for CUDA; found the target cpu");
  EXPECT_EQ(refusal({.target = "cuda", .backends = "all"}).second,
            "the setting 'backends' is own, auto or libraries; found 'all'");
  EXPECT_NE(refusal({.target = "cpu", .tuningFile = "x"})
                .second.find("'tuningFile' and 'tuningDevice' are for CUDA"),
            std::string::npos);
  try {
    tp::compile(
        {.target = "cuda:sm_90a", .tuningFile = "/nowhere/tuning.txt"},
        [](const tp::Tensor &x) { return tp::matmul(x, x); },
        tp::InputInfo({64, 64}, tp::float16));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tp::Error &error) {
    EXPECT_NE(error.summary().find("/nowhere/tuning.txt"), std::string::npos)
        << error.summary();
  }
}

TEST(Settings, ErrorsStandAtTheCall) {
  try {
    tp::compile({.target = "tpu"}, chain, tp::InputInfo({2, 4}, tp::float32));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tp::Error &error) {
    EXPECT_EQ(error.frames().front().loc.line, __LINE__ - 3u);
  }
}

TEST(Settings, StrictShapes) {
  auto halves = [](const tp::Tensor &x) {
    return tp::reshape(x, {x.shape()[0] / 2, 2});
  };
  tp::InputInfo odd({{1, 2, 4}}, tp::float32);
  std::string warnings;
  tp::compile({.warnings = [&](const std::string &text) { warnings = text; }},
              halves, odd);
  EXPECT_NE(warnings.find("SettingsTest.cpp"), std::string::npos) << warnings;
  EXPECT_THROW(tp::compile({.strictShapes = true}, halves, odd), tp::Error);
}

TEST(Settings, ForAnotherMachine) {
  if (tp::defaultDevice().isGpu())
    GTEST_SKIP() << "there is a GPU here";
  auto other = tp::compile({.target = "cuda:sm_90a"}, chain, input());
  EXPECT_TRUE(other.device().isGpu());
  EXPECT_EQ(other.inputs().front().name(), "x");
  std::string path = testing::TempDir() + "/other.tpx";
  other.save(path);
  EXPECT_GT(std::filesystem::file_size(path), 0u);
  try {
    other(tp::ones({2, 4}));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tp::Error &error) {
    EXPECT_NE(error.summary().find("compiled for another machine"),
              std::string::npos);
  }
}

//===-- progress ----------------------------------------------------------===//

TEST(Progress, CountsWhatIsDone) {
  std::vector<tp::CompileProgress> seen;
  tp::compile({.progress =
                   [&](const tp::CompileProgress &now) {
                     seen.push_back(now);
                     return true;
                   }},
              chain, input());
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front().stage, "passes");
  EXPECT_EQ(seen.front().done, 0u);
  std::map<std::string, tp::CompileProgress> last;
  for (const tp::CompileProgress &now : seen) {
    if (last.contains(now.stage)) {
      EXPECT_EQ(now.total, last[now.stage].total);
      EXPECT_EQ(now.done, last[now.stage].done + 1);
    }
    last[now.stage] = now;
  }
  for (const auto &[stage, now] : last)
    EXPECT_EQ(now.done, now.total) << stage;
  EXPECT_TRUE(last.contains("passes"));
  EXPECT_TRUE(last.contains("LLVM") || last.contains("cache"));
}

TEST(Progress, CancelsAtEachReport) {
  size_t reports = 0;
  tp::compile(
      {.progress = [&](const tp::CompileProgress &) { return ++reports; }},
      chain, input());
  for (size_t end = 1; end <= reports; ++end) {
    size_t count = 0;
    auto [code, text] = refusal({.progress = [&](const tp::CompileProgress &) {
      return ++count < end;
    }});
    EXPECT_EQ(code, tp::Code::Cancelled) << end;
    EXPECT_EQ(text, "the compilation was cancelled");
    EXPECT_EQ(count, end); // nobody is asked again
  }
}

TEST(Progress, PassesExceptionsOn) {
  struct Mine {};
  EXPECT_THROW(
      tp::compile({.progress = [](const tp::CompileProgress &) -> bool {
                    throw Mine();
                  }},
                  chain, input()),
      Mine);
}

//===-- weights outside ---------------------------------------------------===//

namespace {
struct Wide : tp::Module {
  tp::Linear up{4, 256}, down{256, 2};
  tp::Tensor forward(const tp::Tensor &x) const { return down(up(x)); }
  TRIPY_MODULE(Wide, up, down)
};
} // namespace

static const tp::InputInfo &rows() {
  static const tp::InputInfo info({{1, 2, 4}, 4}, tp::float32);
  return info;
}

TEST(WeightsOutside, LieBesideTheProgram) {
  std::string path = testing::TempDir() + "/wide.tpx";
  Wide wide;
  wide.up.weight = tp::ones({256, 4}) / 4;
  auto inside = tp::compile(wide, rows());
  auto outside = tp::compile({.weightsOutside = true}, wide, rows());
  EXPECT_EQ(outside.inputs().size(), 1u);
  tp::Tensor x = tp::ones({3, 4});
  Floats expected = inside(x).toVector<float>();
  EXPECT_EQ(outside(x).toVector<float>(), expected);
  outside.save(path);
  tp::Executable again = tp::Executable::load(path);
  EXPECT_EQ(again(x).toVector<float>(), expected);
  EXPECT_EQ(again.inputs().size(), 1u);
  // What was loaded can be saved.
  std::string copy = testing::TempDir() + "/copy.tpx";
  again.save(copy);
  EXPECT_EQ(tp::Executable::load(copy)(x).toVector<float>(), expected);
  // A weight is no argument.
  EXPECT_THROW(again.run({{"arg0", x}, {"up.weight", x}}), tp::Error);
}

TEST(WeightsOutside, OtherValues) {
  std::string path = testing::TempDir() + "/values.tpx";
  std::string file = testing::TempDir() + "/other.safetensors";
  Wide wide;
  tp::compile({.weightsOutside = true}, wide, rows()).save(path);
  Wide zero;
  zero.up.weight = tp::zeros({256, 4});
  zero.down.weight = tp::zeros({2, 256});
  zero.saveSafetensors(file); // names of the state dict
  auto loaded = tp::Executable::load(path, file);
  EXPECT_EQ(loaded(tp::ones({1, 4})).toVector<float>(), (Floats{0, 1}));
}

TEST(WeightsOutside, BadFiles) {
  std::string path = testing::TempDir() + "/bad.tpx";
  tp::compile({.weightsOutside = true}, Wide(), rows()).save(path);
  auto codeOf = [&](auto... arguments) {
    try {
      tp::Executable::load(arguments...);
    } catch (const tp::Error &error) {
      return error.code();
    }
    return tp::Code::Ok;
  };
  std::string other = testing::TempDir() + "/none.safetensors";
  tp::Linear(2, 2).saveSafetensors(other);
  EXPECT_EQ(codeOf(path, other), tp::Code::NotFound);
  struct Narrow : Wide {
    Narrow() { up = tp::Linear(5, 256); }
  };
  Narrow().saveSafetensors(other);
  EXPECT_EQ(codeOf(path, other), tp::Code::ShapeOutOfRange);
  std::string beside = testing::TempDir() + "/bad.safetensors";
  std::ofstream(beside) << "text";
  EXPECT_NE(codeOf(path), tp::Code::Ok);
  std::filesystem::remove(beside);
  EXPECT_EQ(codeOf(path), tp::Code::NotFound);
  // Both files are named.
  std::string start = "the weights of '" + path + "' are in '";
  EXPECT_EQ(errorOf([&] { tp::Executable::load(path); }).summary(),
            start + beside + "': cannot open '" + beside +
                "': No such file or directory");
  EXPECT_EQ(errorOf([&] { tp::Executable::load(path, other); }).summary(),
            start + other +
                "': input 'up.weight' dimension 1 must be 4, but "
                "is 5");
  std::string inside = testing::TempDir() + "/inside.tpx";
  tp::compile(chain, input()).save(inside);
  EXPECT_EQ(codeOf(inside, other), tp::Code::InvalidArgument);
}

TEST(WeightsOutside, NamesAreTheirOwn) {
  // Two tensors without names, one with the name of an argument.
  tp::Tensor a = (tp::ones({400}) * 2).eval(), b = (tp::ones({400}) * 3).eval(),
             c = (tp::ones({400}) * 4).eval();
  c.setName("x");
  auto sum = tp::compile(
      {.weightsOutside = true},
      [&](const tp::Tensor &x) { return x + a + b + c; },
      tp::InputInfo({1}, tp::float32, "x"));
  EXPECT_EQ(sum(tp::ones({1})).toVector<float>()[399], 10);
}

TEST(Settings, NamesOfWeights) {
  tp::Tensor weight = tp::ones({300}).eval();
  weight.setName("bad name");
  try {
    tp::compile(
        {.weightsOutside = true},
        [&](const tp::Tensor &x) { return x + tp::sum(weight); }, input());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tp::Error &error) {
    EXPECT_EQ(error.code(), tp::Code::InvalidArgument);
    EXPECT_NE(error.summary().find("a weight's name"), std::string::npos);
    EXPECT_NE(error.summary().find("bad name"), std::string::npos);
  }
}

TEST(Settings, ProgramsOfOtherMachines) {
  // No option of a tool is named: this is a program.
  auto other = tp::compile({.target = "cuda:sm_90a"}, chain, input());
  try {
    other(tp::zeros({2, 4})).eval();
  } catch (const tp::Error &error) {
    EXPECT_EQ(error.summary().find("--target"), std::string::npos);
    EXPECT_EQ(error.summary().find("--device"), std::string::npos);
    EXPECT_NE(error.summary().find("another machine"), std::string::npos);
  }
}

TEST(SettingsDeathTest, ErrorsOfDevicesHaveLines) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto evaluate = [] {
    try {
      tp::ones({2}).eval();
      (tp::ones({2}) * 3).eval();
    } catch (const tp::Error &error) {
      std::string file = error.frames().front().loc.file;
      std::exit(file.find("SettingsTest") == std::string::npos);
    }
    std::exit(0); // there is a GPU
  };
  const char *device = std::getenv("TRIPY_DEVICE");
  std::string before = device ? device : "cpu";
  setenv("TRIPY_DEVICE", "gpu", 1);
  EXPECT_EXIT(evaluate(), testing::ExitedWithCode(0), "");
  setenv("TRIPY_DEVICE", before.c_str(), 1);
}

TEST(SettingsDeathTest, TheLogMayBeOff) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto compile = [] {
    tp::compile([](const tp::Tensor &x) { return x[2]; },
                tp::InputInfo({{1, 2, 4}}, tp::float32));
    std::exit(0);
  };
  EXPECT_EXIT(compile(), testing::ExitedWithCode(0), "warning");
  setenv("TRIPY_LOG", "off", 1);
  EXPECT_EXIT(compile(), testing::ExitedWithCode(0), "^$");
  unsetenv("TRIPY_LOG");
}
