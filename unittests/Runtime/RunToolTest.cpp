//===- RunToolTest.cpp - tripy-run ----------------------------------------===//

#include "RunTool.h"
#include "RunTestUtil.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/IO/Npy.h"
#include "tripy/Runtime/IO/SafeTensors.h"

#include <algorithm>
#include <cmath>

using namespace tripy;
using namespace tripy::run;
using namespace tripy::runtests;

namespace {

class RunTool : public testing::Test {
protected:
  void SetUp() override {
    model = folder.path("m.tpx");
    ASSERT_TRUE(
        writeFile(model, samples::container(*samples::cpuSample())).isOk());
  }
  ToolResult run(std::vector<std::string> arguments) {
    std::vector<const char *> pointers;
    for (const std::string &argument : arguments)
      pointers.push_back(argument.c_str());
    return runTool(pointers);
  }
  /// Runs the sample with x = ones and y = zeros, and `more`.
  ToolResult runOnes(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {model, "--input", "x=ones:1x3",
                                          "--input", "y=zeros:1x3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  void expectError(const ToolResult &result, const std::string &message) {
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("tripy-run: error: "), std::string::npos);
    EXPECT_NE(result.err.find(message), std::string::npos)
        << "found: " << result.err << "wanted: " << message;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1)
        << result.err;
  }

  Folder folder;
  std::string model;
};

TEST_F(RunTool, PrintsEveryOutput) {
  ToolResult result = runOnes();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out.rfind("sum = tensor(", 0), 0u) << result.out;
  EXPECT_NE(result.out.find("101.0000, 102.0000, 103.0000"), std::string::npos);
  EXPECT_NE(result.out.find("loc=cpu:0"), std::string::npos);
  EXPECT_NE(result.out.find("count = tensor([10], dtype=int64"),
            std::string::npos);
}

TEST_F(RunTool, DefaultShapeIsTheTunedOne) {
  ToolResult result = run({model, "--input=x=arange", "--input=y=iota"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("[10, 11]"), std::string::npos);
  EXPECT_NE(result.out.find("115.0000"), std::string::npos);
}

TEST_F(RunTool, Literals) {
  ToolResult result = run(
      {model, "--input", "x=1x3xf32=1,-2.5,1e3", "--input", "y=1x3xf32=0,0,0"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("101.0000, 98.5000, 1102.0000"), std::string::npos);
}

TEST_F(RunTool, ZeroSizes) {
  ToolResult result =
      run({model, "--input", "x=ones:0x3", "--input", "y=ones:0x3"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("shape=(0, 3)"), std::string::npos);
}

TEST_F(RunTool, RandomFollowsItsSeed) {
  auto out = [&](const char *seed) {
    return run({model, "--input", "x=random:1x3", "--input", "y=zeros:1x3",
                "--seed", seed})
        .out;
  };
  EXPECT_EQ(out("7"), out("7"));
  EXPECT_NE(out("7"), out("8"));
}

TEST_F(RunTool, FilesInAndOut) {
  runtime::HostTensor x = ramp(DType::F32, {2, 3}),
                      y = ramp(DType::F32, {2, 3});
  ASSERT_TRUE(io::writeNpy(folder.path("x.npy"), x.view()).isOk());
  io::NpzTensor archived[] = {{"why", y.view()}};
  ASSERT_TRUE(io::writeNpz(folder.path("y.npz"), archived).isOk());
  std::string sum = folder.path("sum.npy");
  std::vector<std::string> inputs = {model, "--input",
                                     "x=@" + folder.path("x.npy"), "--input",
                                     "y=@" + folder.path("y.npz") + ":why"};
  std::vector<std::string> writes = inputs, expects = inputs;
  writes.insert(writes.end(), {"--output", "sum=@" + sum});
  ToolResult result = run(writes);
  ASSERT_EQ(result.status, 0) << result.err;
  // What is written is not printed.
  EXPECT_EQ(result.out.find("sum"), std::string::npos);
  Result<runtime::HostTensor> written = io::readNpy(sum);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->as<float>()[5], 115.0f);
  expects.insert(expects.end(), {"--expect", "sum=@" + sum});
  EXPECT_EQ(run(expects).status, 0);

  io::NamedTensor named[] = {{"a", x.view()}};
  ASSERT_TRUE(io::writeSafeTensors(folder.path("w.safetensors"), named).isOk());
  std::string source = "@" + folder.path("w.safetensors") + ":a";
  EXPECT_EQ(run({model, "--input", "x=" + source, "--input", "y=" + source,
                 "--expect", "sum=@" + sum})
                .status,
            0);
}

TEST_F(RunTool, Mismatch) {
  runtime::HostTensor wanted = ramp(DType::F32, {1, 3}, 0);
  for (int i = 0; i < 3; ++i)
    wanted.as<float>()[i] = float(101 + i);
  wanted.as<float>()[1] = 102.5f;
  std::string file = folder.path("w.npy"), out = folder.path("o.npy");
  ASSERT_TRUE(io::writeNpy(file, wanted.view()).isOk());
  size_t before = folder.entries();
  ToolResult result =
      runOnes({"--expect", "sum=@" + file, "--output", "count=@" + out});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("1 of 3 elements differ; the worst is at (0, 1): "
                            "102 instead of 102.5, off by 0.5"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(folder.entries(), before);
  EXPECT_EQ(runOnes({"--expect", "sum=@" + file, "--atol", "0.5"}).status, 0);
  EXPECT_EQ(runOnes({"--expect", "sum=@" + file, "--rtol", "0.005"}).status, 0);
  EXPECT_EQ(runOnes({"--expect", "sum=@" + file, "--rtol", "0.004"}).status, 1);
  runtime::HostTensor shape = ramp(DType::F32, {3});
  ASSERT_TRUE(io::writeNpy(file, shape.view()).isOk());
  EXPECT_EQ(runOnes({"--expect", "sum=@" + file}).status, 1);
}

TEST_F(RunTool, NaNEqualsOnlyNaN) {
  runtime::HostTensor wanted = ramp(DType::F32, {1, 3}, 0);
  wanted.as<float>()[0] = std::nanf("");
  wanted.as<float>()[1] = 102;
  wanted.as<float>()[2] = 103;
  std::string file = folder.path("w.npy");
  ASSERT_TRUE(io::writeNpy(file, wanted.view()).isOk());
  ToolResult result = runOnes({"--expect", "sum=@" + file, "--atol", "1e30"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("(0, 0): 101 instead of nan"), std::string::npos)
      << result.err;
  EXPECT_EQ(run({model, "--input", "x=1x3xf32=nan,1,1", "--input",
                 "y=zeros:1x3", "--expect", "sum=@" + file})
                .status,
            0);
}

TEST_F(RunTool, Benchmark) {
  ToolResult result = runOnes({"--benchmark=5"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(
      result.out.find("5 runs after 5 to warm up\n  time of a call: min "),
      std::string::npos)
      << result.out;
  for (const char *name : {"p5", "p25", "median", "p75", "p95", "p99", "max"})
    EXPECT_NE(result.out.find(concat(", ", name, " ")), std::string::npos);
  result = runOnes({"--benchmark=30", "--warm-up=0"});
  EXPECT_NE(result.out.find("30 runs after 0 to warm up"), std::string::npos);
  result = runOnes({"--benchmark=30"});
  EXPECT_NE(result.out.find("30 runs after 10 to warm up"), std::string::npos);
  EXPECT_EQ(result.out.find("tensor("), std::string::npos);
  result = runOnes({"--benchmark=5", "--json"});
  EXPECT_EQ(result.out[0], '{');
  EXPECT_NE(result.out.find("\"runs\": 5, \"warm_up\": 5, \"min_s\": "),
            std::string::npos);
  EXPECT_NE(result.out.find("\"machine\": \""), std::string::npos);
  EXPECT_NE(result.out.find("\"bytes\": "), std::string::npos);
  EXPECT_EQ(result.out.find("copy_gbps"), std::string::npos) << "only on a GPU";
}

TEST_F(RunTool, ProfileWhy) {
  ToolResult result = runOnes({"--profile=why"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out.rfind("3 launches of 2 kernels, ", 0), 0u);
  // The peak of a CPU is unknown: there is no column for it.
  EXPECT_EQ(result.out.find("of peak"), std::string::npos);
  EXPECT_NE(result.out.find("kernel     calls "), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("\nadd_f32        2 "), std::string::npos);
  EXPECT_NE(result.out.find("\nadd_f32\n"
                            "  model.cpp:11 in trace.add\n"
                            "  model.cpp:5 in trace.add of helper()\n"
                            "      broadcast the right operand of '+' from "
                            "(3,) to (2, 3)\n"),
            std::string::npos)
      << result.out;
  result = runOnes({"--profile=why", "--json", "--benchmark=3"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
  // Two times 1x3 of f32 and what the constant has for one row.
  EXPECT_NE(result.out.find("\"bytes_read\": 48, \"bytes_written\": 24, "
                            "\"operations\": 3, \"bound_by\": \"memory\""),
            std::string::npos)
      << result.out;
}

TEST_F(RunTool, LargestErrors) {
  runtime::HostTensor wanted = ramp(DType::F32, {1, 3}, 0);
  for (int i = 0; i < 3; ++i)
    wanted.as<float>()[i] = float(101 + i);
  std::string file = folder.path("w.npy");
  ASSERT_TRUE(io::writeNpy(file, wanted.view()).isOk());
  ToolResult result = runOnes({"--expect", "sum=@" + file});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("\noutput 'sum' equals the reference in all 3 "
                            "elements\n"),
            std::string::npos)
      << result.out;
  wanted.as<float>()[1] = 102.5f;
  ASSERT_TRUE(io::writeNpy(file, wanted.view()).isOk());
  result = runOnes({"--expect", "sum=@" + file, "--atol=1", "--rtol=0"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("\noutput 'sum' is within atol 1 + rtol 0 of the "
                            "reference; the largest error of 3 elements is 0.5 "
                            "at (0, 1): 102 instead of 102.5\n"),
            std::string::npos)
      << result.out;
  // Nothing else is printed with --json, also when outputs differ.
  for (bool fails : {false, true}) {
    result = runOnes({"--expect", "sum=@" + file, "--json",
                      fails ? "--atol=0" : "--atol=1"});
    EXPECT_EQ(result.status, fails ? 1 : 0);
    EXPECT_EQ(result.out[0], '{');
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
    EXPECT_NE(result.out.find(concat(
                  "\"expect\": [{\"output\": \"sum\", \"matches\": ",
                  fails ? "false" : "true",
                  ", \"elements\": 3, \"different\": ", fails ? 1 : 0,
                  ", \"largest_error\": 0.5, \"text\": \"output 'sum' ")),
              std::string::npos)
        << result.out;
  }
}

/// The reasons of a program for a GPU need no driver.
TEST_F(RunTool, InfoWithReasons) {
  ASSERT_TRUE(
      writeFile(model, samples::container(*samples::cudaSample())).isOk());
  ToolResult result = run({model, "--info", "--why"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("PTX for sm_80, 28 bytes\ncopy\n"
                            "  model.cpp:11 in trace.add\n"),
            std::string::npos)
      << result.out;
}

TEST_F(RunTool, InfoHelpVersion) {
  ToolResult result = run({model, "--info"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find("program 'sample' for the CPU"), std::string::npos);
  EXPECT_NE(run({"--help"}).out.find("usage: tripy-run"), std::string::npos);
  EXPECT_EQ(run({"--version"}).out.rfind("tripy-run ", 0), 0u);
}

TEST_F(RunTool, InfoOfGpuPrograms) {
  ASSERT_TRUE(
      writeFile(model, samples::container(*samples::cudaSample())).isOk());
  ToolResult result = run({model, "--info"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("cubin for sm_90a"), std::string::npos);
}

TEST_F(RunTool, Weights) {
  auto sample = samples::cpuSample();
  sample->program.symbols.pop_back();
  sample->program.exprs[1] = {SizeOp::Constant, 0, 0, 4};
  sample->program.inputs[1].kind = InputKind::Parameter;
  ASSERT_TRUE(writeFile(model, samples::container(*sample)).isOk());
  runtime::HostTensor y = ramp(DType::F32, {4, 3});
  std::string file = folder.path("w.safetensors");
  io::NamedTensor good[] = {{"y", y.view()}};
  ASSERT_TRUE(io::writeSafeTensors(file, good).isOk());
  // One input is left, so its name may be left out.
  ToolResult result = run({model, "--input", "zeros:1x3", "--weights", file});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("100.0000, 102.0000, 104.0000"), std::string::npos);
  expectError(run({model, "--input", "zeros:1x3"}),
              "parameter 'y' is not bound; give a safetensors file that has "
              "it, with --weights");
  io::NamedTensor other[] = {{"z", y.view()}};
  ASSERT_TRUE(io::writeSafeTensors(file, other).isOk());
  expectError(run({model, "--input", "zeros:1x3", "--weights", file}), "'y'");
}

/// A specification without a name, and names that look like something else.
TEST_F(RunTool, Names) {
  auto sample = samples::cpuSample();
  sample->program.inputs[0].name = "0";
  sample->program.inputs[1].name = "2xf33";
  ASSERT_TRUE(writeFile(model, samples::container(*sample)).isOk());
  ToolResult result =
      run({model, "--input", "0=1x3xf32=1,2,3", "--input", "2xf33=zeros:1x3"});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char *spec : {"1x3xf32=1,2,3", "f32=1", "@a=b.npy", "ones"})
    expectError(run({model, "--input", spec}), "must be given as NAME=");
}

//===-- errors ------------------------------------------------------------===//

TEST_F(RunTool, UsageErrors) {
  struct Row {
    std::vector<std::string> arguments;
    const char *message;
  };
  const Row rows[] = {
      {{}, "an executable must be given"},
      {{""}, "the executable's name may not be empty"},
      {{model, model}, "one executable must be given, but there are"},
      {{model, "--inptu", "x"},
       "unknown option '--inptu'; did you mean "
       "'--input'?"},
      {{model, "--qqqqqqqq"}, "unknown option '--qqqqqqqq'; --help shows all"},
      {{model, "--input"}, "--input needs a value"},
      {{model, "--info=1"}, "--info takes no value"},
      {{model, "--benchmark=0"}, "--benchmark must be a whole number from 1"},
      {{model, "--benchmark=x"}, "--benchmark must be a whole number from 1"},
      {{model, "--threads", "-1"}, "--threads must be a whole number from 1"},
      {{model, "--threads", "99999999999999999999"}, "--threads must be"},
      {{model, "--seed", "1.5"}, "--seed must be a whole number"},
      {{model, "--rtol", "-1"}, "--rtol must be a number of at least 0"},
      {{model, "--atol", "nan"}, "--atol must be a number of at least 0"},
      {{model, "--rtol", "inf"}, "--rtol must be a number of at least 0"},
      {{model, "--profile=when"}, "--profile must be 'why', but is 'when'"},
      {{model, "--device", "gpu"}, "--device must be cpu, cuda or cuda:N"},
      {{model, "--device", "cuda:x"}, "the GPU of --device must be"},
      {{model, "--json"},
       "--json needs --benchmark, --profile=why or --expect"},
      {{model, "--json", "--info", "--benchmark"}, "does not go with --info"},
      {{model, "--why"}, "--why needs --info; with times it is --profile=why"},
      {{model, "--warm-up=3"}, "--warm-up needs --benchmark"},
      {{model, "--benchmark", "--warm-up"}, "--warm-up needs a value"},
      {{model, "--benchmark", "--warm-up=-1"},
       "--warm-up must be a whole number from 0 to 10000000"},
      {{model, "--profile"}, "--profile needs a value"},
  };
  for (const Row &row : rows)
    expectError(run(row.arguments), row.message);
}

TEST_F(RunTool, InputErrors) {
  struct Row {
    std::vector<std::string> inputs;
    const char *message;
  };
  const Row rows[] = {
      {{}, "input 'x' is missing; the program has 'x', 'y'"},
      {{"x=ones"}, "input 'y' is missing"},
      {{"ones"}, "the program has 2 inputs; 'ones' must be given as NAME=ones"},
      {{"x=ones", "y=ones", "x=ones"}, "input 'x' is given twice"},
      {{"q=ones", "y=ones"}, "no input is named 'q'"},
      {{"x=ons", "y=ones"}, "but is 'ons'; did you mean 'ones'?"},
      {{"x=", "y=ones"}, "a tensor must be @file"},
      {{"x=ones:5x3", "y=ones"},
       "input 'x' dimension 0 ('batch') must be 0 to "
       "4, but is 5"},
      {{"x=ones:1000000000x1000000000", "y=ones"}, "input 'x' dimension 0"},
      {{"x=ones:3", "y=ones"}, "input 'x' must have rank 2"},
      {{"x=ones:2x-3", "y=ones"}, "a shape must look like 2x3"},
      {{"x=ones:2xx3", "y=ones"}, "a shape must look like 2x3"},
      {{"x=ones:99999999999999999999", "y=ones"}, "a size of a shape must be"},
      {{"x=ones:1x1x1x1x1x1x1x1x1", "y=ones"}, "at most 8 sizes"},
      {{"x=1x3xf32=1,2", "y=ones"}, "must have 3 elements, but has 2"},
      {{"x=1x3xf32=1,2,3,4", "y=ones"}, "must have 3 elements, but has 4"},
      {{"x=1x3xf99=1,2,3", "y=ones"}, "'f99' is no element type"},
      {{"x=1x3xf32=1,b,3", "y=ones"},
       "element 1 must be a value of type "
       "float32, but is 'b'"},
      {{"x=1x3xi8=1,300,3", "y=ones"},
       "element 1 must be a value of type int8"},
      {{"x=1099511627775x1099511627775xf32=1", "y=ones"}, "must have"},
      {{"x=1x3xf16=1,2,3", "y=ones"},
       "input 'x' must have element type "
       "float32, but has float16"},
      {{"x=@none.npy", "y=ones"}, "none.npy"},
      {{"x=@none.npz:k", "y=ones"}, "none.npz"},
      {{"x=@none.npz", "y=ones"}, "must be named"},
      {{"x=@none.safetensors", "y=ones"}, "must be named"},
      {{"x=@none.safetensors:k", "y=ones"}, "none.safetensors"},
      {{"x=@none.txt", "y=ones"}, "a tensor file must be .npy"},
      {{"x=@", "y=ones"}, "a tensor file must be .npy"},
      {{"x=ones:1x3", "y=ones:2x3"},
       "dimension 'batch' must have one size "
       "everywhere"},
  };
  for (const Row &row : rows) {
    std::vector<std::string> arguments = {model};
    for (const std::string &input : row.inputs)
      arguments.insert(arguments.end(), {"--input", input});
    ToolResult result = run(arguments);
    // The signature's line may follow the sentence.
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find(row.message), std::string::npos)
        << "found: " << result.err << "wanted: " << row.message;
  }
}

TEST_F(RunTool, OutputErrorsWriteNothing) {
  size_t before = folder.entries();
  std::string file = folder.path("o.npy");
  expectError(runOnes({"--output", "smu=@" + file}),
              "no output is named 'smu'; did you mean 'sum'?");
  expectError(runOnes({"--output", "@" + file}), "the program has 2 outputs");
  expectError(runOnes({"--output", "sum=" + file}),
              "--output must name a .npy file");
  expectError(runOnes({"--output", "sum=@o.txt"}),
              "--output must name a .npy file");
  expectError(runOnes({"--output", "sum=@" + file, "--output", "sum=@" + file}),
              "output 'sum' is given two files");
  expectError(
      runOnes({"--output", "sum=@" + file, "--output", "count=@" + file}),
      "two outputs are to be written to");
  // The second file cannot be written, so the first is not either.
  expectError(runOnes({"--output", "sum=@" + file, "--output",
                       "count=@" + folder.path("no/such/o.npy")}),
              "No such file or directory");
  expectError(runOnes({"--expect", "sum=ones"}), "--expect must name a file");
  expectError(runOnes({"--expect", "sum=@" + file, "--output", "sum=@" + file}),
              "o.npy");
  expectError(runOnes({"--weights", "w.safetensors"}),
              "the program has no parameters that --weights could bind");
  EXPECT_EQ(folder.entries(), before);
}

TEST_F(RunTool, DamagedModels) {
  std::vector<uint8_t> bytes = samples::container(*samples::cpuSample());
  bytes.resize(bytes.size() - 10);
  ASSERT_TRUE(writeFile(model, bytes).isOk());
  expectError(runOnes(), "the header promises");
  ASSERT_TRUE(writeFile(model, {}).isOk());
  expectError(runOnes(), "the header needs 64 bytes");
  expectError(run({folder.path("none.tpx")}), "No such file or directory");
  expectError(run({folder.path("")}), "must be a regular file");
}

TEST_F(RunTool, WrongDevice) {
  ASSERT_TRUE(
      writeFile(model, samples::container(*samples::cudaSample())).isOk());
  expectError(run({model, "--input", "ones", "--device=cpu"}),
              "was compiled for a GPU, but is to run on the CPU; recompile it "
              "with --target=cpu");
}

} // namespace
