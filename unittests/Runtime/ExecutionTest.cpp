//===- ExecutionTest.cpp - Running programs on the CPU --------------------===//

#include "RunTestUtil.h"

#include <atomic>
#include <cstring>
#include <thread>

using namespace tripy;
using namespace tripy::runtime;
using namespace tripy::runtests;

namespace {

std::unique_ptr<ExecutionContext>
makeContext(std::shared_ptr<Executable> executable) {
  auto context = ExecutionContext::create(std::move(executable));
  EXPECT_TRUE(context) << context.status().message();
  return context ? std::move(*context) : nullptr;
}

TEST(Execution, EverySizeOfTheProfile) {
  for (uint32_t threads : {1, 2, 5}) {
    auto context = makeContext(loadSample(*samples::cpuSample(), threads));
    ASSERT_TRUE(context);
    for (int64_t batch : {0, 1, 2, 3, 4, 2, 0}) {
      SampleTensors tensors(batch);
      Status status = context->run(tensors.inputs, tensors.outputs);
      ASSERT_TRUE(status.isOk()) << status.message();
      tensors.expectResult();
    }
  }
}

TEST(Execution, OutputShapes) {
  auto context = makeContext(loadSample(*samples::cpuSample()));
  SampleTensors tensors(3);
  Shape shapes[2];
  // Data is not needed to ask for shapes.
  for (TensorView &input : tensors.inputs)
    input.data = nullptr;
  ASSERT_TRUE(context->outputShapes(tensors.inputs, shapes).isOk());
  EXPECT_EQ(shapes[0], (Shape{3, 3}));
  EXPECT_EQ(shapes[1], (Shape{3}));
  EXPECT_EQ(context->outputShapes(tensors.inputs, {}).code(),
            Code::InvalidArgument);
}

TEST(Execution, MisalignedTensorsAreStaged) {
  auto context = makeContext(loadSample(*samples::cpuSample()));
  SampleTensors tensors(4);
  std::vector<uint8_t> from(49), to(49);
  std::memcpy(from.data() + 1, tensors.x.data(), 48);
  tensors.inputs[0].data = from.data() + 1;
  tensors.outputs[0].data = to.data() + 1;
  ASSERT_TRUE(context->run(tensors.inputs, tensors.outputs).isOk());
  std::memcpy(tensors.sum.data(), to.data() + 1, 48);
  tensors.expectResult();
}

TEST(Execution, ProfileTimesEachLaunch) {
  auto context = makeContext(loadSample(*samples::cpuSample()));
  SampleTensors tensors(4);
  std::vector<double> seconds(3, -1);
  ASSERT_TRUE(
      context->profile(tensors.inputs, tensors.outputs, seconds).isOk());
  for (double time : seconds)
    EXPECT_TRUE(time > 0 && time < 10);
  tensors.expectResult();
  EXPECT_EQ(context->profile(tensors.inputs, tensors.outputs, {}).code(),
            Code::InvalidArgument);
}

TEST(Execution, EightThreadsShareOneExecutable) {
  auto executable = loadSample(*samples::cpuSample(), 3);
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int id = 0; id < 8; ++id)
    threads.emplace_back([&, id] {
      auto context = ExecutionContext::create(executable);
      if (!context) {
        ++failures;
        return;
      }
      for (int round = 0; round < 500; ++round) {
        SampleTensors tensors((id + round) % 5);
        if (!(*context)->run(tensors.inputs, tensors.outputs).isOk())
          ++failures;
        tensors.expectResult();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}

TEST(Execution, ContextOutlivesTheHandle) {
  auto executable = loadSample(*samples::cpuSample());
  auto context = makeContext(executable);
  executable.reset();
  SampleTensors tensors(2);
  EXPECT_TRUE(context->run(tensors.inputs, tensors.outputs).isOk());
  tensors.expectResult();
}

//===-- parameters --------------------------------------------------------===//

TEST(Parameters, BindAndRun) {
  auto executable = loadSample(*samples::parameterSample());
  ASSERT_TRUE(executable);
  EXPECT_TRUE(executable->hasParameters());
  Status unbound = ExecutionContext::create(executable).status();
  EXPECT_EQ(unbound.code(), Code::InvalidArgument);
  EXPECT_EQ(unbound.message(), "parameter 'y' is not bound; give a safetensors "
                               "file that has it");

  SampleTensors tensors(4);
  EXPECT_EQ(executable->bindParameter("z", tensors.y.view()).message(),
            "no parameter is named 'z'");
  EXPECT_EQ(executable->bindParameter("y", SampleTensors(3).y.view()).message(),
            "input 'y' dimension 0 must be 4, but is 3");
  HostTensor wrong = ramp(DType::F16, {4, 3});
  EXPECT_EQ(executable->bindParameter("y", wrong.view()).code(),
            Code::DTypeMismatch);
  ASSERT_TRUE(executable->bindParameter("y", tensors.y.view()).isOk());
  EXPECT_EQ(executable->bindParameter("y", tensors.y.view()).code(),
            Code::InvalidArgument);

  auto context = makeContext(executable);
  ASSERT_TRUE(context);
  // The value was copied.
  std::memset(tensors.y.data(), 0, tensors.y.bytes());
  ASSERT_TRUE(
      context->run(std::span(tensors.inputs).first(1), tensors.outputs).isOk());
  tensors.expectResult();
  EXPECT_EQ(context->run(tensors.inputs, tensors.outputs).message(),
            "the program takes 1 inputs, but 2 are given");
}

TEST(Parameters, AreNotInputs) {
  auto executable = loadSample(*samples::parameterSample());
  SampleTensors tensors(4);
  NamedTensor named[] = {{"x", tensors.inputs[0]}, {"y", tensors.inputs[1]}};
  EXPECT_EQ(executable->arrangeInputs(named).status().message(),
            "'y' is a parameter: it is bound once, not given at each call");
}

//===-- names -------------------------------------------------------------===//

TEST(Names, Arrange) {
  auto executable = loadSample(*samples::cpuSample());
  SampleTensors tensors(1);
  NamedTensor named[] = {{"y", tensors.inputs[1]}, {"x", tensors.inputs[0]}};
  auto inputs = executable->arrangeInputs(named);
  ASSERT_TRUE(inputs);
  EXPECT_EQ((*inputs)[0].data, tensors.x.data());
  EXPECT_EQ((*inputs)[1].data, tensors.y.data());

  auto message = [&](std::vector<NamedTensor> list) {
    return executable->arrangeInputs(list).status().message();
  };
  EXPECT_EQ(message({{"x", {}}}),
            "input 'y' is missing; the program has 'x', 'y'");
  EXPECT_EQ(message({{"x", {}}, {"x", {}}}), "input 'x' is given twice");
  EXPECT_EQ(message({{"\x1b", {}}}),
            "no input is named '?'; the program has 'x', 'y'");
  EXPECT_EQ(executable->arrangeOutputs(std::vector<NamedTensor>{{"cuont", {}}})
                .status()
                .message(),
            "no output is named 'cuont'; did you mean 'count'?");
}

} // namespace
