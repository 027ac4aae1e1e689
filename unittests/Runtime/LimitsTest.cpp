//===- LimitsTest.cpp - Programs at the documented limits -----------------===//
//
// Loads, verifies, binds, describes, runs and frees programs as large as
// docs/executable.md allows, and a quarter of that: no step may take more than
// in proportion. Measured are two times of one run, by the processor's clock,
// and the least of several.
//
//===----------------------------------------------------------------------===//

#include "../ProcessorTime.h"
#include "RunTestUtil.h"
#include "tripy/Base/ExecutableFormat.h"
#include "tripy/Base/Verify.h"
#include "tripy/Runtime/IO/SafeTensors.h"
#include "tripy/Runtime/Report.h"

#include <algorithm>
#include <chrono>
#include <map>

using namespace tripy;
using namespace tripy::runtests;
using namespace tripy::runtime;

namespace {

/// The least time of each step, by name.
class Steps {
public:
  template <typename Body> auto time(const std::string &step, Body body) {
    struct Clock {
      double start = processorTime();
      double &least;
      ~Clock() { least = std::min(least, processorTime() - start); }
    } clock{.least = times.try_emplace(step, 1e9).first->second};
    return body();
  }
  std::map<std::string, double> times;
};

std::string numbered(const char *prefix, size_t number) {
  std::string digits = std::to_string(number);
  return prefix + std::string(6 - std::min<size_t>(6, digits.size()), '0') +
         digits;
}

/// The CPU sample, whose inputs are followed by `count` parameters, `count`
/// arguments of dynamic size and as many outputs without elements, whose size
/// is an expression.
std::unique_ptr<samples::Sample> manyTensors(size_t count) {
  auto sample = samples::cpuSample();
  Program &program = sample->program;
  TableIndex zero = sample->constant(0);
  for (size_t i = 0; i < count; ++i) {
    auto input = TableIndex(program.inputs.size());
    program.symbols.push_back({input, 0, 0, 1, 8, numbered("size", i / 2)});
    TableIndex size = sample->symbol(TableIndex(program.symbols.size() - 1));
    program.inputs.push_back({numbered("argument", i),
                              InputKind::Argument,
                              DType::F32,
                              {size},
                              noIndex});
    program.outputs.push_back({numbered("output", i),
                               DType::F32,
                               {sample->binary(SizeOp::Mul, size, zero)},
                               noIndex});
  }
  for (size_t i = 0; i < count; ++i)
    program.inputs.push_back({numbered("parameter", i),
                              InputKind::Parameter,
                              DType::F32,
                              {zero},
                              noIndex});
  return sample;
}

/// The CPU sample with size expressions until there are `count`.
std::unique_ptr<samples::Sample> manySizes(size_t count) {
  auto sample = samples::cpuSample();
  std::vector<SizeExpr> &exprs = sample->program.exprs;
  TableIndex limit = sample->constant(1000);
  while (exprs.size() + 1 < count) {
    auto last = TableIndex(exprs.size() - 1);
    exprs.push_back({SizeOp::Add, last, 0, 0});
    exprs.push_back({SizeOp::Min, last + 1, limit, 0});
  }
  return sample;
}

/// The CPU sample with `count` launches: the first one again and again.
std::unique_ptr<samples::Sample> manyLaunches(size_t count) {
  auto sample = samples::cpuSample();
  std::vector<Launch> &launches = sample->program.launches;
  launches.insert(launches.begin(), count - launches.size(), launches[0]);
  return sample;
}

/// A safetensors file with a tensor without elements for each parameter of
/// manyTensors(), and others.
std::string writeWeights(Folder &folder, size_t count) {
  std::vector<io::NamedTensor> tensors;
  for (size_t i = 0; i < count; ++i)
    tensors.push_back({numbered("parameter", i),
                       {DType::F32, DeviceKind::CPU, 0, Shape({0}), nullptr}});
  std::string path = folder.path("weights.safetensors");
  EXPECT_TRUE(io::writeSafeTensors(path, tensors).isOk());
  return path;
}

/// Everything that can be done with a program, each step timed.
void live(const samples::Sample &sample, const std::vector<uint8_t> &bytes,
          const std::string &weights, Steps &steps) {
  auto verified =
      steps.time("verify", [&] { return verifyProgram(sample.program); });
  ASSERT_TRUE(verified.isOk()) << verified.message();
  LoadOptions options;
  options.trustHostCode = true;
  options.threads = 1;
  auto loaded =
      steps.time("load", [&] { return Executable::loadBytes(bytes, options); });
  ASSERT_TRUE(loaded) << loaded.status().message();
  std::shared_ptr<Executable> executable = *loaded;
  loaded = Status(Code::Internal, "moved");
  const Program &program = executable->program();
  std::string text = steps.time("info", [&] { return formatProgram(program); });
  EXPECT_GT(text.size(), 100u);
  if (executable->hasParameters()) {
    Status bound =
        steps.time("bind", [&] { return executable->bindParameters(weights); });
    ASSERT_TRUE(bound.isOk()) << bound.message();
    Status unknown = steps.time("an unknown name", [&] {
      return executable->bindParameter("unknown", {});
    });
    EXPECT_EQ(unknown.code(), Code::NotFound);
  }
  auto context = steps.time(
      "create", [&] { return ExecutionContext::create(executable); });
  ASSERT_TRUE(context) << context.status().message();

  SampleTensors tensors(4);
  float element = 0;
  int64_t one = 1, none = 0;
  std::vector<TensorView> inputs = tensors.inputs, outputs = tensors.outputs;
  inputs.resize(executable->argumentInputs().size(),
                {DType::F32, DeviceKind::CPU, 0, Shape({one}), &element});
  outputs.resize(program.outputs.size(),
                 {DType::F32, DeviceKind::CPU, 0, Shape({none}), nullptr});
  std::vector<NamedTensor> named;
  for (size_t i = 0; i < inputs.size(); ++i)
    named.push_back(
        {program.inputs[executable->argumentInputs()[i]].name, inputs[i]});
  auto arranged =
      steps.time("arrange", [&] { return executable->arrangeInputs(named); });
  ASSERT_TRUE(arranged);
  Status checked = steps.time("check", [&] {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (Status status = executable->checkArgument(i, inputs[i]);
          !status.isOk())
        return status;
    return Status::ok();
  });
  ASSERT_TRUE(checked.isOk()) << checked.message();
  for (const char *step : {"the first run", "run"}) {
    Status ran =
        steps.time(step, [&] { return (*context)->run(inputs, outputs); });
    ASSERT_TRUE(ran.isOk()) << ran.message();
  }
  tensors.expectResult();
  steps.time("free", [&] {
    *context = nullptr;
    executable.reset();
    return 0;
  });
}

/// Four times as large: a step that grows in proportion takes four times as
/// long, one that grows with the square sixteen times.
template <typename Make>
void growsInProportion(const char *what, Make make, size_t count,
                       size_t weights = 0) {
  // What takes seconds is measured well enough at once.
  constexpr int repeats = 3;
  constexpr auto enough = std::chrono::seconds(3);
  Steps steps[2];
  for (int large : {0, 1}) {
    Folder folder;
    size_t size = large ? count : count / 4;
    std::string file;
    if (weights)
      file = writeWeights(folder, large ? weights : weights / 4);
    std::unique_ptr<samples::Sample> sample = make(size);
    std::vector<uint8_t> bytes = samples::container(*sample);
    ASSERT_FALSE(bytes.empty());
    auto start = std::chrono::steady_clock::now();
    for (int i = 0;
         i < repeats && std::chrono::steady_clock::now() - start < enough;
         ++i) {
      live(*sample, bytes, file, steps[large]);
      if (testing::Test::HasFatalFailure())
        return;
    }
  }
  // Less than this is noise.
  constexpr double measurable = 2e-3;
  for (auto [step, seconds] : steps[1].times) {
    double before = std::max(steps[0].times[step], measurable);
    EXPECT_LT(seconds, 9 * before)
        << what << ": " << step << " of " << count << " takes " << seconds
        << " s, of a quarter " << steps[0].times[step] << " s";
    testing::Test::RecordProperty(std::string(what) + ": " + step,
                                  std::to_string(seconds));
  }
}

} // namespace

TEST(Limits, Tensors) {
  ProgramLimits limits;
  // Inputs are arguments and parameters; two are the sample's.
  growsInProportion("tensors", manyTensors, limits.tensors / 2 - 2, 100000);
}

TEST(Limits, SizeExpressions) {
  growsInProportion("sizes", manySizes, ProgramLimits().exprs);
}

TEST(Limits, Launches) {
  growsInProportion("launches", manyLaunches, ProgramLimits().launches);
}

TEST(Limits, OneMoreIsRefused) {
  ProgramLimits limits;
  for (auto &sample :
       {manyTensors(limits.tensors / 2 + 1), manySizes(limits.exprs + 4),
        manyLaunches(limits.launches + 1)})
    EXPECT_EQ(verifyProgram(sample->program).code(), Code::LimitExceeded);
}
