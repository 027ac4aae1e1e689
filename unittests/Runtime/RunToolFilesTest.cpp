//===- RunToolFilesTest.cpp - Files that tripy-run reads and writes -------===//

#include "RunToolTestUtil.h"
#include "tripy/Runtime/IO/Npy.h"
#include "tripy/Runtime/IO/SafeTensors.h"

using namespace tripy;
using namespace tripy::run;
using namespace tripy::runtests;
namespace fs = std::filesystem;

namespace {

class RunToolFiles : public testing::Test {
protected:
  void SetUp() override {
    model = folder.path("m.tpx");
    ASSERT_TRUE(
        writeFile(model, samples::container(*samples::cpuSample())).isOk());
  }
  ToolResult run(const std::string &x, std::vector<std::string> more) {
    std::vector<std::string> arguments = {model, "--input", "x=" + x, "--input",
                                          "y=zeros:1x3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return callTool(arguments);
  }
  void expectError(const ToolResult &result, const std::string &message) {
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(message), std::string::npos)
        << "found: " << result.err << "wanted: " << message;
  }

  Folder folder;
  std::string model;
};

TEST_F(RunToolFiles, TwoOutputsAreTwoFiles) {
  std::string file = folder.path("o.npy");
  auto two = [&](const std::string &other) {
    return run("ones:1x3",
               {"--output", "sum=@" + file, "--output", "count=@" + other});
  };
  fs::create_directory(folder.path("d"));
  fs::create_symlink("o.npy", folder.path("soft.npy"));
  size_t before = folder.entries();
  for (const char *same : {"./o.npy", "d/../o.npy", "soft.npy"})
    expectError(two(folder.path(same)), "two outputs are to be written to");
  EXPECT_EQ(folder.entries(), before) << "refused before anything ran";
  ASSERT_TRUE(writeFile(file, std::vector<uint8_t>(3)).isOk());
  fs::create_hard_link(file, folder.path("hard.npy"));
  for (const char *same : {"./o.npy", "soft.npy", "hard.npy"})
    expectError(two(folder.path(same)), "two outputs are to be written to");
  EXPECT_EQ(readFile(file)->size(), 3u);
  EXPECT_EQ(two(folder.path("other.npy")).status, 0);
}

TEST_F(RunToolFiles, OutputsAreNoSources) {
  runtime::HostTensor x = ramp(DType::F32, {1, 3});
  std::string input = folder.path("x.npy"), link = folder.path("l.npy");
  ASSERT_TRUE(io::writeNpy(input, x.view()).isOk());
  io::NpzTensor array[] = {{"a", x.view()}};
  ASSERT_TRUE(io::writeNpz(folder.path("x.npz"), array).isOk());
  std::vector<uint8_t> bytes = *readFile(input);
  for (auto [source, isModel] :
       {std::pair{"x.npy", false}, {"m.tpx", true}, {"x.npz", false}}) {
    fs::remove(link);
    fs::create_symlink(source, link);
    std::string x = isModel ? "ones:1x3"
                            : "@" + folder.path(source) +
                                  (std::string(source) == "x.npz" ? ":a" : "");
    expectError(run(x, {"--output", "sum=@" + link}),
                "an output must be another file than those that are read");
  }
  expectError(run("ones:1x3",
                  {"--expect", "sum=@" + input, "--output", "sum=@" + input}),
              "an output must be another file than those that are read");
  EXPECT_EQ(*readFile(input), bytes);
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST_F(RunToolFiles, TypeAndShapeComeBeforeElements) {
  // Files whose elements are not there: a reader that wanted them would say so.
  runtime::HostTensor large = ramp(DType::F32, {500, 3}),
                      other = ramp(DType::F64, {1, 3});
  std::string file = folder.path("x.npy");
  struct Row {
    const runtime::HostTensor &tensor;
    const char *message;
  };
  for (const Row &row :
       {Row{large,
            "input 'x' dimension 0 ('batch') must be 0 to 4, but is 500"},
        {other, "input 'x' must have element type float32, but has float64"}}) {
    ASSERT_TRUE(io::writeNpy(file, row.tensor.view()).isOk());
    fs::resize_file(file, 128);
    expectError(run("@" + file, {}), row.message);
    io::NamedTensor named[] = {{"a", row.tensor.view()}};
    std::string weights = folder.path("x.safetensors");
    ASSERT_TRUE(io::writeSafeTensors(weights, named).isOk());
    expectError(run("@" + weights + ":a", {}), row.message);
    io::NpzTensor array[] = {{"a", row.tensor.view()}};
    ASSERT_TRUE(io::writeNpz(folder.path("x.npz"), array).isOk());
    expectError(run("@" + folder.path("x.npz") + ":a", {}), row.message);
  }
  // A reference of another shape is a difference, whatever its elements.
  ASSERT_TRUE(io::writeNpy(file, large.view()).isOk());
  fs::resize_file(file, 128);
  ToolResult result = run("ones:1x3", {"--expect", "sum=@" + file});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "tripy-run: output 'sum' must have the reference's "
                        "shape (500, 3), but has (1, 3)\n");
}

TEST_F(RunToolFiles, NoHostCode) {
  std::vector<std::string> arguments = {model, "--input=x=ones:1x3",
                                        "--input=y=ones:1x3", "--no-host-code"};
  expectError(callTool(arguments),
              "tripy-run: error: '" + model +
                  "': the executable contains machine code for the CPU, which "
                  "runs only when the caller trusts the file\n");
  // Describing runs nothing.
  ToolResult info = callTool({model, "--no-host-code", "--info"});
  EXPECT_EQ(info.status, 0) << info.err;
  expectError(callTool({model, "--no-host-code=1"}),
              "--no-host-code takes no value");
  expectError(callTool({model, "--no-hostcode"}),
              "did you mean '--no-host-code'?");
}

} // namespace
