//===- InputCheckTest.cpp - What a user may pass to a program -------------===//

#include "RunTestUtil.h"

#include <cstring>

using namespace tripy;
using namespace tripy::runtime;
using namespace tripy::runtests;

namespace {

class InputCheck : public testing::Test {
protected:
  void load(const samples::Sample &sample, bool showSource = false) {
    LoadOptions options;
    options.trustHostCode = true;
    options.showSource = showSource;
    auto executable =
        Executable::loadBytes(samples::container(sample), options);
    ASSERT_TRUE(executable) << executable.status().message();
    auto created = ExecutionContext::create(*executable);
    ASSERT_TRUE(created);
    context = std::move(*created);
  }
  void SetUp() override { load(*samples::cpuSample()); }

  /// Runs and expects a refusal that leaves the outputs untouched.
  void expectRefused(SampleTensors &tensors, Code code,
                     const std::string &message) {
    std::memset(tensors.sum.data(), 0x55, tensors.sum.bytes());
    Status status = context->run(tensors.inputs, tensors.outputs);
    EXPECT_EQ(status.code(), code);
    EXPECT_EQ(status.message().substr(0, status.message().find('\n')), message);
    for (uint8_t byte : tensors.sum.span())
      ASSERT_EQ(byte, 0x55);
    // The context still works.
    SampleTensors good(2);
    ASSERT_TRUE(context->run(good.inputs, good.outputs).isOk());
    good.expectResult();
  }

  std::unique_ptr<ExecutionContext> context;
};

TEST_F(InputCheck, ElementType) {
  SampleTensors tensors(2);
  tensors.inputs[0].dtype = DType::I32;
  expectRefused(tensors, Code::DTypeMismatch,
                "input 'x' must have element type float32, but has int32");
  tensors.inputs[0].dtype = DType(77);
  expectRefused(tensors, Code::DTypeMismatch,
                "input 'x' must have element type float32, but has unknown "
                "(77)");
}

TEST_F(InputCheck, Rank) {
  SampleTensors tensors(2);
  tensors.inputs[1].shape = {6};
  expectRefused(tensors, Code::ShapeOutOfRange,
                "input 'y' must have rank 2 with sizes (batch=0..4, 3), but "
                "has rank 1 with sizes (6,)");
}

TEST_F(InputCheck, StaticSize) {
  SampleTensors tensors(2);
  tensors.inputs[0].shape = {3, 2};
  expectRefused(tensors, Code::ShapeOutOfRange,
                "input 'x' dimension 1 must be 3, but is 2");
}

TEST_F(InputCheck, Profile) {
  SampleTensors tensors(5);
  expectRefused(tensors, Code::ShapeOutOfRange,
                "input 'x' dimension 0 ('batch') must be 0 to 4, but is 5");
  tensors.inputs[0].shape[0] = -1;
  expectRefused(tensors, Code::ShapeOutOfRange,
                "input 'x' dimension 0 ('batch') must be 0 to 4, but is -1");
  tensors.inputs[0].shape[0] = INT64_MAX;
  expectRefused(tensors, Code::ShapeOutOfRange,
                "input 'x' dimension 0 ('batch') must be 0 to 4, but is "
                "9223372036854775807");
}

TEST_F(InputCheck, NamedDimensionsAgree) {
  SampleTensors tensors(3);
  tensors.inputs[1].shape[0] = 2;
  expectRefused(tensors, Code::ShapeOutOfRange,
                "dimension 'batch' must have one size everywhere, but is 3 in "
                "input 'x' dimension 0 and 2 in input 'y' dimension 0");
}

TEST_F(InputCheck, Count) {
  SampleTensors tensors(2);
  tensors.inputs.pop_back();
  expectRefused(tensors, Code::InvalidArgument,
                "the program takes 2 inputs, but 1 are given");
  SampleTensors others(2);
  others.outputs.pop_back();
  expectRefused(others, Code::InvalidArgument,
                "the program has 2 outputs, but 1 are given");
}

TEST_F(InputCheck, Outputs) {
  SampleTensors tensors(2);
  tensors.outputs[0].shape = {3, 3};
  expectRefused(tensors, Code::ShapeOutOfRange,
                "output 'sum' must have shape (2, 3), but has (3, 3)");
  tensors.outputs[0].shape = {2, 3, 1};
  expectRefused(tensors, Code::ShapeOutOfRange,
                "output 'sum' must have shape (2, 3), but has (2, 3, 1)");
  tensors = SampleTensors(2);
  tensors.outputs[1].dtype = DType::F32;
  expectRefused(tensors, Code::DTypeMismatch,
                "output 'count' must have element type int64, but has "
                "float32");
}

TEST_F(InputCheck, Places) {
  SampleTensors tensors(2);
  tensors.inputs[0].device = DeviceKind::CUDA;
  tensors.inputs[0].ordinal = 1;
  expectRefused(tensors, Code::DeviceMismatch,
                "input 'x' must be in host memory or on the program's CPU, but "
                "is on GPU 1");
  tensors = SampleTensors(2);
  tensors.inputs[1].data = nullptr;
  expectRefused(tensors, Code::InvalidArgument,
                "input 'y' has elements, but no data");
  tensors = SampleTensors(2);
  tensors.outputs[1].data = nullptr;
  expectRefused(tensors, Code::InvalidArgument,
                "output 'count' has elements, but no data");
}

TEST_F(InputCheck, NothingToPointAt) {
  SampleTensors tensors(0);
  for (TensorView &view : tensors.inputs)
    view.data = nullptr;
  EXPECT_TRUE(context->run(tensors.inputs, tensors.outputs).isOk());
}

TEST_F(InputCheck, Overlap) {
  SampleTensors tensors(2);
  tensors.outputs[0].data = tensors.inputs[1].data;
  expectRefused(tensors, Code::InvalidArgument,
                "output 'sum' may not overlap another tensor, but overlaps "
                "input 'y'");
  // The last byte of x is the first of the output.
  tensors.outputs[0].data = static_cast<uint8_t *>(tensors.inputs[0].data) + 23;
  expectRefused(tensors, Code::InvalidArgument,
                "output 'sum' may not overlap another tensor, but overlaps "
                "input 'x'");
  tensors.outputs[0].data = tensors.outputs[1].data;
  Status status = context->run(tensors.inputs, tensors.outputs);
  EXPECT_EQ(status.code(), Code::InvalidArgument);
  // Inputs may be the same tensor.
  SampleTensors same(2);
  same.inputs[1] = same.inputs[0];
  EXPECT_TRUE(context->run(same.inputs, same.outputs).isOk());
  EXPECT_EQ(same.sum.as<float>()[1], 103.0f);
}

TEST_F(InputCheck, OwnConditions) {
  struct Row {
    CheckKind kind;
    int64_t good, bad;
    std::string said;
    bool isLimit = false;
  };
  // Compared with the constant 3.
  for (const Row &row : {Row{CheckKind::LessEqual, 3, 4,
                             "4 (input 'x' dimension 0) is greater than 3"},
                         {CheckKind::LessEqual, 3, 2,
                          "2 (input 'x' dimension 0) is less than 3", true},
                         {CheckKind::Equal, 3, 2,
                          "the sizes are 2 (input 'x' dimension 0) and 3"},
                         {CheckKind::Broadcastable, 1, 2,
                          "the sizes are 2 (input 'x' dimension 0) and 3"}}) {
    auto sample = samples::cpuSample();
    sample->program.checks[0].kind = row.kind;
    sample->program.checks[0].b = 2;
    if (row.isLimit)
      std::swap(sample->program.checks[0].a, sample->program.checks[0].b);
    sample->program.checks[0].message = "the sizes of 'add' must fit";
    load(*sample);
    SampleTensors good(row.good), bad(row.bad);
    EXPECT_TRUE(context->run(good.inputs, good.outputs).isOk());
    Status status = context->run(bad.inputs, bad.outputs);
    EXPECT_EQ(status.code(), Code::ShapeOutOfRange);
    EXPECT_EQ(status.message(), "the sizes of 'add' must fit, but " + row.said +
                                    "\n--> model.cpp:9 in trace.matmul\n"
                                    "    input 'x' of shape (" +
                                    std::to_string(row.bad) +
                                    ", 3): --> model.cpp:11 in trace.add");
  }
}

/// A file that claims to touch less than it does where only run-time sizes
/// tell.
TEST_F(InputCheck, AccessesAreCheckedForEachShape) {
  auto sample = samples::cpuSample();
  sample->program.launches[0].accesses[0].bytes = sample->constant(36);
  load(*sample);
  SampleTensors good(3), bad(2);
  EXPECT_TRUE(context->run(good.inputs, good.outputs).isOk());
  Status status = context->run(bad.inputs, bad.outputs);
  EXPECT_EQ(status.code(), Code::Malformed);
  EXPECT_TRUE(context->run(good.inputs, good.outputs).isOk());
  EXPECT_FALSE(context->run(bad.inputs, bad.outputs).isOk());
}

TEST_F(InputCheck, MessagesQuoteTheSource) {
  Folder folder;
  std::string source = "one\n  int y = f(x);\n";
  ASSERT_TRUE(writeFile(folder.path("m.cpp"),
                        {reinterpret_cast<const uint8_t *>(source.data()),
                         source.size()})
                  .isOk());
  auto sample = samples::cpuSample();
  sample->program.whys[0].lines = {
      {folder.path("m.cpp"), 2, 11, "trace.add", "keep the type"}};
  for (bool show : {true, false}) {
    load(*sample, show);
    SampleTensors tensors(5);
    Status status = context->run(tensors.inputs, tensors.outputs);
    std::string head =
        "input 'x' dimension 0 ('batch') must be 0 to 4, but is 5\n--> " +
        folder.path("m.cpp") + ":2 in trace.add\n";
    std::string quote = "      |\n    2 |   int y = f(x);\n"
                        "      |           ^\n";
    EXPECT_EQ(status.message(),
              head + (show ? quote : "") + "    note: keep the type");
  }
}

} // namespace
