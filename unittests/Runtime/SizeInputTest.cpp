//===- SizeInputTest.cpp - Inputs that are sizes --------------------------===//

#include "RunTestUtil.h"
#include "tripy/Runtime/Report.h"
#include "tripy/runtime.h"

using namespace tripy;
using namespace tripy::runtime;
using namespace tripy::runtests;

namespace {

/// The sample with a third input n, which the batch must equal.
struct SizeTensors : SampleTensors {
  explicit SizeTensors(int64_t batch, int64_t n)
      : SampleTensors(batch), n(ramp(DType::I64, {})) {
    this->n.as<int64_t>()[0] = n;
    inputs.push_back(this->n.view());
  }
  HostTensor n;
};

class SizeInput : public testing::Test {
protected:
  void SetUp() override {
    executable = loadSample(*samples::sizeSample());
    auto created = ExecutionContext::create(executable);
    ASSERT_TRUE(created) << created.status().message();
    context = std::move(*created);
  }
  void expectRefused(SizeTensors &tensors, Code code,
                     const std::string &message) {
    std::vector<Shape> shapes(2);
    for (const Status &status :
         {context->run(tensors.inputs, tensors.outputs),
          context->outputShapes(tensors.inputs, shapes)}) {
      EXPECT_EQ(status.code(), code);
      EXPECT_EQ(status.message().substr(0, message.size()), message);
    }
    for (float value : tensors.sum.as<float>())
      EXPECT_EQ(value, 0);
  }
  std::shared_ptr<Executable> executable;
  std::unique_ptr<ExecutionContext> context;
};

TEST_F(SizeInput, ItsValueIsReadAtEachCall) {
  for (int64_t batch : {3, 1, 4, 3}) {
    SizeTensors tensors(batch, batch);
    Status status = context->run(tensors.inputs, tensors.outputs);
    EXPECT_TRUE(status.isOk()) << status.message();
    tensors.expectResult();
    // Known shapes, and another value.
    tensors.n.as<int64_t>()[0] = batch == 1 ? 2 : batch - 1;
    EXPECT_EQ(context->run(tensors.inputs, tensors.outputs).code(),
              Code::ShapeOutOfRange);
  }
}

TEST_F(SizeInput, Profile) {
  for (int64_t n :
       {int64_t(0), int64_t(-1), int64_t(9), INT64_MIN, INT64_MAX}) {
    SizeTensors tensors(2, n);
    expectRefused(tensors, Code::ShapeOutOfRange,
                  "input 'n' must be 1 to 8, but is " + std::to_string(n) +
                      "\n--> model.cpp:11 in trace.add");
  }
  SizeTensors tensors(2, 3);
  expectRefused(tensors, Code::ShapeOutOfRange,
                "the batch must be n, but the sizes are 2 (input 'x' dimension "
                "0) and 3 (input 'n')");
}

TEST_F(SizeInput, TypeAndPlace) {
  SizeTensors tensors(2, 2);
  tensors.inputs[2].dtype = DType::I32;
  expectRefused(tensors, Code::DTypeMismatch,
                "input 'n' must have element type int64, but has int32");
  tensors.inputs[2] = tensors.n.view();
  tensors.inputs[2].shape = Shape({1});
  expectRefused(tensors, Code::ShapeOutOfRange,
                "input 'n' must have rank 0 with sizes (), but has rank 1 "
                "with sizes (1,)");
  tensors.inputs[2] = tensors.n.view();
  tensors.inputs[2].data = nullptr;
  expectRefused(tensors, Code::InvalidArgument,
                "input 'n' has elements, but no data");
  tensors.inputs[2] = tensors.n.view();
  tensors.inputs[2].device = DeviceKind::CUDA;
  tensors.inputs[2].ordinal = 1;
  expectRefused(tensors, Code::DeviceMismatch,
                "input 'n' is a size, whose value must be in host memory, but "
                "is on GPU 1");
  tensors.inputs.pop_back();
  expectRefused(tensors, Code::InvalidArgument,
                "the program takes 3 inputs, but 2 are given");
}

TEST_F(SizeInput, ItsMemoryNeedNotBeAligned) {
  SizeTensors tensors(2, 2);
  std::vector<uint8_t> bytes(16);
  bytes[3] = 2;
  tensors.inputs[2].data = bytes.data() + 3;
  Status status = context->run(tensors.inputs, tensors.outputs);
  EXPECT_TRUE(status.isOk()) << status.message();
  tensors.expectResult();
}

TEST_F(SizeInput, Description) {
  std::string text = formatProgram(executable->program());
  EXPECT_NE(text.find("  input 'n': size 1..8, tuned for 4\n"),
            std::string::npos)
      << text;
}

/// The same through the C interface.
TEST(SizeInputC, Description) {
  std::vector<uint8_t> bytes = samples::container(*samples::sizeSample());
  tripy_load_options options = tripy_load_options_default();
  options.inspect_only = 1;
  tripy_executable *executable = nullptr;
  ASSERT_EQ(tripy_executable_load_memory(bytes.data(), bytes.size(), &options,
                                         &executable),
            TRIPY_OK);
  tripy_tensor_info info;
  ASSERT_EQ(tripy_executable_input(executable, 2, &info), TRIPY_OK);
  EXPECT_STREQ(info.name, "n");
  EXPECT_EQ(info.dtype, TRIPY_I64);
  EXPECT_EQ(info.is_size, 1);
  EXPECT_EQ(info.is_parameter, 0);
  EXPECT_EQ(info.ndim, 0);
  EXPECT_EQ(info.dims[0].min, 1);
  EXPECT_EQ(info.dims[0].opt, 4);
  EXPECT_EQ(info.dims[0].max, 8);
  ASSERT_EQ(tripy_executable_input(executable, 0, &info), TRIPY_OK);
  EXPECT_EQ(info.is_size, 0);
  EXPECT_EQ(info.ndim, 2);
  tripy_executable_free(executable);
}

TEST(SizeInputC, Run) {
  SampleC loaded(*samples::sizeSample());
  tripy_context *context = loaded.context;
  ASSERT_TRUE(context);
  SampleTensors tensors(2);
  int64_t n = 2, matrix[2] = {2, 3}, shapes[2][TRIPY_MAX_RANK];
  auto describe = [](void *data, tripy_dtype dtype, int32_t rank,
                     const int64_t *shape) {
    return tripy_tensor{data, TRIPY_CPU, 0, dtype, {}, rank, shape};
  };
  tripy_tensor inputs[] = {describe(tensors.x.data(), TRIPY_F32, 2, matrix),
                           describe(tensors.y.data(), TRIPY_F32, 2, matrix),
                           describe(&n, TRIPY_I64, 0, nullptr)};
  tripy_tensor outputs[] = {
      describe(tensors.sum.data(), TRIPY_F32, 2, matrix),
      describe(tensors.count.data(), TRIPY_I64, 1, matrix)};
  ASSERT_EQ(tripy_context_output_shapes(context, inputs, 3, shapes, 2),
            TRIPY_OK);
  EXPECT_EQ(shapes[0][0], 2);
  ASSERT_EQ(tripy_context_run(context, inputs, 3, outputs, 2, nullptr),
            TRIPY_OK);
  tensors.expectResult();
  n = 9;
  EXPECT_EQ(tripy_context_enqueue(context, inputs, 3, outputs, 2, nullptr),
            TRIPY_SHAPE_OUT_OF_RANGE);
  EXPECT_STREQ(tripy_last_error(),
               "input 'n' must be 1 to 8, but is 9\n"
               "--> model.cpp:11 in trace.add\n"
               "--> model.cpp:5 in trace.add of helper()\n"
               "    note: broadcast the right operand of '+' from (3,) to "
               "(2, 3)\n"
               "    called from: --> model.cpp:20 in run()\n"
               "    called from: --> main.cpp:30 in main()");
}

} // namespace
