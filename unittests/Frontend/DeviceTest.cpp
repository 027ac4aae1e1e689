//===- DeviceTest.cpp - Tensors on several devices of one process ---------===//
//
// Where there is a GPU, real or emulated, the tests copy between it and the
// CPU, whichever of them is the default device; where there is none, they
// expect the error.
//
//===----------------------------------------------------------------------===//
#include "ThrownErrors.h"

#include "tripy/Frontend/DLPack.h"
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <thread>

namespace tp = tripy;

namespace {

using Floats = std::vector<float>;
const tp::Device cpu = tp::Device::cpu(), gpu = tp::Device::gpu();

bool hasGpu() {
  try {
    tp::copy(tp::ones({1}), gpu);
    return true;
  } catch (const tp::Error &) {
    return false;
  }
}

/// Line of the last use of CALL.
uint32_t callLine;
#define CALL callLine = __LINE__,

class TwoDevices : public testing::Test {
protected:
  void SetUp() override {
    if (!hasGpu())
      GTEST_SKIP() << "no GPU";
  }
};

} // namespace

//===-- on every machine --------------------------------------------------===//

TEST(Devices, DefaultIsThatOfNewTensors) {
  tp::Device device = tp::defaultDevice();
  std::vector<tp::Tensor> made = {
      tp::Tensor({1, 2}),         tp::Tensor(tp::Number(3)),
      tp::Tensor(Floats{1, 2}),   tp::iota({3}),
      tp::full({}, 1.5),          tp::full({2}, 1),
      tp::random_uniform(7, {3}), tp::Linear(2, 3).weight.tensor()};
  for (const tp::Tensor &tensor : made) {
    EXPECT_EQ(tensor.device(), device);
    EXPECT_EQ(tp::Tensor(tensor).eval().device(), device);
    EXPECT_NE(tensor.str().find("loc=" + device.str()), std::string::npos);
  }
}

TEST(Devices, CopyToOwnDeviceIsTheTensor) {
  tp::Tensor x({1, 2});
  x.setName("x");
  EXPECT_EQ(tp::copy(x, x.device()).name(), "x");
}

TEST(Devices, CopyOfNothing) {
  tp::Error error = errorOf([] { CALL tp::copy(tp::Tensor(), cpu); });
  EXPECT_EQ(error.code(), tp::Code::InvalidArgument);
  EXPECT_EQ(error.summary(), "the tensor is empty: it was never assigned");
  EXPECT_EQ(error.frames().front().loc.line, callLine);
}

TEST(Devices, NoGpu) {
  if (hasGpu())
    GTEST_SKIP() << "there is one";
  tp::Tensor x({1, 2});
  tp::Error error = errorOf([&] { CALL tp::copy(x, "gpu"); });
  EXPECT_EQ(error.code(), tp::Code::DriverMissing);
  EXPECT_NE(error.summary().find("a copy to gpu:0: no NVIDIA driver"),
            std::string::npos)
      << error.summary();
  EXPECT_EQ(error.frames().front().loc.line, callLine);
}

TEST(Devices, NoSuchGpu) {
  tp::Tensor x({1, 2});
  tp::Error error = errorOf([&] { CALL tp::copy(x, tp::Device::gpu(63)); });
  EXPECT_NE(error.summary().find("a copy to gpu:63"), std::string::npos);
  EXPECT_EQ(error.frames().front().loc.line, callLine);
}

TEST(Devices, DLPackOfTheHostIsOnTheCpu) {
  tp::Tensor x = tp::copy(tp::Tensor({1.0, 2.0}), cpu);
  tp::Tensor y = tp::Tensor::fromDLPack(x.toDLPack());
  EXPECT_EQ(y.device(), cpu);
  EXPECT_EQ((y + 1).device(), cpu);
  EXPECT_EQ((y + 1).toVector<float>(), (Floats{2, 3}));
}

TEST(Devices, CopyInACompiledFunction) {
  tp::CompileSettings settings;
  settings.target = "cpu";
  tp::InputInfo input({2}, tp::float32, "x");
  auto same = [](const tp::Tensor &x) { return tp::copy(x, cpu) + 1; };
  tp::Tensor x = tp::copy(tp::Tensor({1.0, 2.0}), cpu);
  tp::Executable program = tp::compile(settings, same, input);
  EXPECT_EQ(program.device(), cpu);
  EXPECT_EQ(program(x).toVector<float>(), (Floats{2, 3}));
  auto other = [](const tp::Tensor &x) { return CALL tp::copy(x, gpu); };
  tp::Error error = errorOf([&] { tp::compile(settings, other, input); });
  EXPECT_EQ(error.code(), tp::Code::DeviceMismatch);
  EXPECT_NE(error.summary().find("runs on one device, cpu:0 here; found a "
                                 "copy to gpu:0"),
            std::string::npos)
      << error.summary();
  EXPECT_EQ(error.frames().front().loc.line, callLine);
}

//===-- CPU and GPU -------------------------------------------------------===//

TEST_F(TwoDevices, RoundTrip) {
  tp::Tensor x({1.0, -2.0, 3.0});
  for (const tp::Device &from : {cpu, gpu}) {
    const tp::Device &to = from == cpu ? gpu : cpu;
    tp::Tensor a = tp::copy(x, from) + 1, b = tp::copy(a, to) * 2,
               c = tp::copy(b, from) - 1;
    EXPECT_EQ(a.device(), from);
    EXPECT_EQ(b.device(), to);
    EXPECT_EQ(c.device(), from);
    EXPECT_EQ(c.toVector<float>(), (Floats{3, -3, 7}));
    EXPECT_EQ(b.toVector<float>(), (Floats{4, -2, 8}));
    EXPECT_NE(b.str().find("loc=" + to.str()), std::string::npos);
    EXPECT_NE(c.str().find("loc=" + from.str()), std::string::npos);
  }
}

TEST_F(TwoDevices, AllElementTypes) {
  for (tp::DType dtype : {tp::float16, tp::bfloat16, tp::float8, tp::int64,
                          tp::int8, tp::int4, tp::uint8, tp::boolean}) {
    tp::Tensor x = tp::cast(tp::Tensor({0, 1, 1}), dtype);
    tp::Tensor there = tp::copy(tp::copy(tp::copy(x, cpu), gpu), cpu);
    EXPECT_EQ(there.dtype(), dtype);
    EXPECT_EQ(tp::cast(there, tp::int32).toVector<int>(),
              (std::vector<int>{0, 1, 1}));
  }
  tp::Tensor none = tp::copy(tp::copy(tp::zeros({0, 3}), cpu), gpu);
  EXPECT_EQ(none.toVector<float>(), Floats());
}

/// The memory is where the tensor says that it is.
TEST_F(TwoDevices, MemoryOfResults) {
  for (const tp::Device &device : {cpu, gpu}) {
    tp::Tensor x = tp::copy(tp::Tensor({1.0, 2.0}), device);
    for (const tp::Tensor &tensor :
         {x, x * 3, tp::onesLike(x), tp::zerosLike(x), tp::fullLike(x, 2)}) {
      EXPECT_EQ(tensor.device(), device);
      DLManagedTensorVersioned *given = tensor.toDLPack();
      EXPECT_EQ(given->dl_tensor.device.device_type == kDLCUDA, device.isGpu());
      tp::Tensor taken = tp::Tensor::fromDLPack(given);
      EXPECT_EQ(taken.device(), device);
      EXPECT_EQ((taken + x).device(), device);
      EXPECT_EQ(taken.toVector<float>(), tensor.toVector<float>());
    }
  }
}

/// One program for each device that the values are on.
TEST_F(TwoDevices, EvaluatesBothTogether) {
  tp::clearEagerCache();
  tp::Tensor x = tp::copy(tp::Tensor({1.0, 2.0}), cpu),
             y = tp::copy(tp::Tensor({3.0, 4.0}), gpu);
  tp::Tensor a = x * 5, b = y * 5, c = x * 7;
  tp::eval({a, b, c});
  EXPECT_EQ(tp::eagerCacheStatistics().programs, 2u);
  EXPECT_EQ(a.toVector<float>(), (Floats{5, 10}));
  EXPECT_EQ(b.toVector<float>(), (Floats{15, 20}));
  EXPECT_EQ(c.toVector<float>(), (Floats{7, 14}));
}

/// Copies are made one by one, not each within the one before.
TEST_F(TwoDevices, LongChain) {
  tp::Tensor x = tp::copy(tp::Tensor({1.0, 2.0}), cpu);
  for (int i = 0; i < 20000; ++i)
    x = tp::copy(x, x.device() == cpu ? gpu : cpu);
  EXPECT_EQ(x.device(), cpu);
  EXPECT_EQ(x.toVector<float>(), (Floats{1, 2}));
}

TEST_F(TwoDevices, Threads) {
  tp::Tensor sum = tp::copy(tp::copy(tp::iota({64}), cpu) + 1, gpu) * 2;
  std::vector<std::thread> threads;
  std::vector<Floats> found(4);
  for (Floats &mine : found)
    threads.emplace_back([&] { mine = tp::copy(sum, cpu).toVector<float>(); });
  for (std::thread &thread : threads)
    thread.join();
  for (const Floats &mine : found) {
    ASSERT_EQ(mine.size(), 64u);
    EXPECT_EQ(mine[63], 128);
  }
}

TEST_F(TwoDevices, NumbersAreOnEveryDevice) {
  tp::Tensor x = tp::copy(tp::Tensor({1.0, 2.0}), cpu),
             y = tp::copy(tp::Tensor({1.0, 2.0}), gpu);
  EXPECT_EQ((x + 1).device(), cpu);
  EXPECT_EQ((2 * y).device(), gpu);
  EXPECT_EQ(tp::where(y > 1, y, 0).toVector<float>(), (Floats{0, 2}));
  EXPECT_EQ(tp::where(x > 1, x, 0).toVector<float>(), (Floats{0, 2}));
  EXPECT_EQ(tp::repeat(x, 2, 0)[tp::slice(1, tp::end)].device(), cpu);
  EXPECT_EQ(tp::maskedFill(x, x > 1, 9).toVector<float>(), (Floats{1, 9}));
}

/// A module is brought to a device by its state dict.
TEST_F(TwoDevices, Modules) {
  tp::Linear linear(2, 1);
  for (const tp::Device &device : {cpu, gpu}) {
    tp::StateDict values;
    for (const auto &[name, value] : linear.stateDict())
      values.emplace_back(name, tp::copy(value, device));
    linear.loadStateDict(values);
    tp::Tensor y = linear(tp::copy(tp::Tensor({{1.0, 2.0}}), device));
    EXPECT_EQ(y.device(), device);
    EXPECT_EQ(y.item<float>(), 2);
  }
  EXPECT_EQ(
      errorOf([&] { linear(tp::copy(tp::Tensor({{1.0, 2.0}}), cpu)); }).code(),
      tp::Code::DeviceMismatch);
}

TEST_F(TwoDevices, OperandsOnTwoDevices) {
  tp::Tensor x = tp::copy(tp::Tensor({1.0, 2.0}), cpu),
             y = tp::copy(tp::Tensor({1.0, 2.0}), gpu);
  y.setName("y");
  tp::Error error = errorOf([&] { CALL x + y; });
  EXPECT_EQ(error.code(), tp::Code::DeviceMismatch);
  EXPECT_EQ(error.summary(),
            "the operands of 'add' are on one device; found cpu:0 and gpu:0; "
            "tripy::copy(y, \"cpu:0\") brings one to the other");
  ASSERT_EQ(error.frames().size(), 3u);
  EXPECT_EQ(error.frames()[0].loc.line, callLine);
  EXPECT_EQ(error.frames()[1].role, "Input 0, on cpu:0");
  EXPECT_EQ(error.frames()[1].loc.line, x.loc().line);
  EXPECT_EQ(error.frames()[2].role, "Input 1 'y', on gpu:0");
  EXPECT_EQ(error.frames()[2].loc.line, y.loc().line);
  for (const auto &call : std::vector<std::function<void()>>{
           [&] { tp::concatenate({y, x}); }, [&] { tp::matmul(x, y); },
           [&] { tp::equal(x, y); }, [&] { x[tp::cast(y, tp::int32)]; },
           [&] { tp::maskedFill(x, y > 0, 1); }})
    EXPECT_EQ(errorOf(call).code(), tp::Code::DeviceMismatch);
}

TEST_F(TwoDevices, Executables) {
  auto twice = [](const tp::Tensor &x) { return x * 2; };
  tp::InputInfo input({2}, tp::float32, "x");
  tp::Tensor x = tp::copy(tp::Tensor({1.0, 2.0}), cpu),
             y = tp::copy(tp::Tensor({3.0, 4.0}), gpu);
  tp::CompileSettings settings;
  settings.target = "cpu";
  tp::Executable onCpu = tp::compile(settings, twice, input);
  settings.target = "cuda:sm_90a";
  tp::Executable onGpu = tp::compile(settings, twice, input);
  EXPECT_EQ(onCpu.device(), cpu);
  EXPECT_EQ(onGpu.device(), gpu);
  tp::Tensor a = onCpu(x), b = onGpu(y);
  EXPECT_EQ(a.device(), cpu);
  EXPECT_EQ(b.device(), gpu);
  EXPECT_EQ(a.toVector<float>(), (Floats{2, 4}));
  EXPECT_EQ(b.toVector<float>(), (Floats{6, 8}));
  EXPECT_EQ(onGpu(tp::copy(a, gpu)).toVector<float>(), (Floats{4, 8}));
  tp::Error error = errorOf([&] { CALL onGpu(a); });
  EXPECT_EQ(error.code(), tp::Code::DeviceMismatch);
  EXPECT_EQ(error.summary(),
            "the argument 'x' is on the program's device gpu:0; found a tensor "
            "on cpu:0; tripy::copy(x, \"gpu:0\") brings it there");
  EXPECT_EQ(error.frames().front().loc.line, callLine);
  EXPECT_EQ(errorOf([&] { onCpu(b); }).code(), tp::Code::DeviceMismatch);
  EXPECT_EQ(errorOf([&] { onCpu.run({{"x", b}}); }).code(),
            tp::Code::DeviceMismatch);
}

/// What a function uses beside its arguments becomes a part of the program.
TEST_F(TwoDevices, ConstantsOfCompiledFunctions) {
  tp::Tensor x = tp::copy(tp::Tensor({1.0, 2.0}), cpu),
             y = tp::copy(x + 1, gpu);
  tp::CompileSettings settings;
  settings.target = "cpu";
  tp::Executable sum = tp::compile(
      settings, [&](const tp::Tensor &in) { return in + x + y; },
      tp::InputInfo({2}, tp::float32, "in"));
  EXPECT_EQ(sum(x).toVector<float>(), (Floats{4, 7}));
}

// In a process of its own: the first use decides.
TEST(DefaultDevice, ErrorsNameTheVariableAndTheLine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("TRIPY_DEVICE", "tpu", 1);
        try {
          tp::ones({2}).eval();
        } catch (const tp::Error &error) {
          std::cerr << error.what();
          std::exit(3);
        }
      },
      testing::ExitedWithCode(3),
      "DeviceTest.cpp:(.|\n)*error: TRIPY_DEVICE: a device is 'cpu', 'gpu' or "
      "'gpu:N' with N from 0; found 'tpu'");
}
