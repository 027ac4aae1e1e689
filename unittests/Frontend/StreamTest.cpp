//===- StreamTest.cpp - Work that goes on after a call --------------------===//

#include "tripy/Frontend/DLPack.h"
#include "tripy/tripy.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace tp = tripy;
using tp::Tensor;
using Floats = std::vector<float>;

static tp::Executable addOne() {
  return tp::compile([](const Tensor &x) { return x + 1; },
                     tp::InputInfo({{1, 4, 4096}}, tp::float32));
}

/// Rows of the tensors of slow(); the emulator is slow enough.
static int64_t size() { return tp::defaultDevice().isGpu() ? 16 : 256; }
static Tensor square() { return tp::ones({size(), size()}); }

/// A program that takes far longer than to call it. Of ones it makes ones.
static tp::Executable slow() {
  return tp::compile(
      [](const Tensor &x) {
        Tensor y = x;
        for (int i = 0; i < 4; ++i)
          y = tp::matmul(y, x) / float(size());
        return y;
      },
      tp::InputInfo({size(), size()}, tp::float32));
}

TEST(Stream, CallsFollowEachOther) {
  auto program = addOne();
  tp::Stream stream;
  auto bound = program.on(stream);
  Tensor x = tp::zeros({4}).eval();
  // More calls than are kept waiting.
  for (int i = 0; i < 1000; ++i)
    x = bound(x);
  EXPECT_EQ(x.toVector<float>(), Floats(4, 1000));
  stream.synchronize();
}

TEST(Stream, CallsReturnAtOnce) {
  using Clock = std::chrono::steady_clock;
  auto program = slow();
  Tensor x = square().eval();
  program(x).eval(); // memory is there
  auto begin = Clock::now();
  std::vector<Tensor> results;
  for (int i = 0; i < 8; ++i)
    results.push_back(program(x));
  auto called = Clock::now();
  EXPECT_EQ(results.back().toVector<float>()[0], 1);
  auto done = Clock::now();
  if (program.device().isGpu())
    return; // the emulator computes in the call
  EXPECT_LT((called - begin).count(), (done - called).count());
}

TEST(Stream, ResultsOfOtherStreamsAreWaitedFor) {
  auto program = slow();
  auto add = tp::compile([](const Tensor &a, const Tensor &b) { return a + b; },
                         tp::InputInfo({size(), size()}, tp::float32),
                         tp::InputInfo({size(), size()}, tp::float32));
  tp::Stream first, second, third;
  Tensor x = square();
  Tensor a = program.on(first)(x), b = program.on(second)(x);
  EXPECT_EQ(add.on(third)(a, b).toVector<float>()[0], 2);
  // Eager evaluation, too.
  EXPECT_EQ((program.on(first)(x) + program.on(second)(x)).toVector<float>()[9],
            2);
}

TEST(Stream, Events) {
  auto program = slow();
  tp::Stream first, second;
  Tensor y = program.on(first)(square());
  tp::Event done = first.record();
  second.wait(done);
  tp::Event after = second.record();
  after.synchronize();
  done.synchronize();
  EXPECT_EQ(y.toVector<float>()[1], 1);
}

TEST(Stream, EventsAreAsked) {
  auto program = slow();
  tp::Stream stream;
  std::vector<Tensor> results;
  Tensor x = square().eval();
  for (int i = 0; i < 8; ++i)
    results.push_back(program.on(stream)(x));
  tp::Event last = stream.record();
  bool wasDone = last.isDone();
  // The emulator computes in the call.
  EXPECT_EQ(wasDone, program.device().isGpu());
  while (!last.isDone())
    std::this_thread::yield();
  EXPECT_TRUE(last.isDone());
  EXPECT_EQ(results.back().toVector<float>()[0], 1);
}

TEST(Stream, WhatIsMovedFromStaysTheSame) {
  auto program = addOne();
  tp::Stream stream;
  tp::Event event = stream.record();
  auto otherProgram = std::move(program);
  auto otherStream = std::move(stream);
  auto otherEvent = std::move(event);
  // NOLINTBEGIN(bugprone-use-after-move): what is tested.
  EXPECT_EQ(program.on(stream)(tp::ones({2})).toVector<float>(),
            (Floats{2, 2}));
  EXPECT_EQ(stream, otherStream);
  event.synchronize();
  EXPECT_EQ(program.inputs().size(), otherProgram.inputs().size());
  // NOLINTEND(bugprone-use-after-move)
  otherEvent.synchronize();
}

TEST(Stream, EagerEvaluationUsesTheThreadsOwn) {
  // Without reading in between: each waits for what it reads, on a GPU there.
  Tensor x = tp::zeros({4});
  for (int i = 0; i < 100; ++i)
    (x = x + 1).eval();
  Tensor y;
  std::thread([&] { (y = x * 2).eval(); }).join();
  EXPECT_EQ((y + x).toVector<float>(), Floats(4, 300));
  tp::Stream::ofThread().synchronize();
}

// Run with a budget of the emulator that no kernel can keep to.
TEST(StreamFailure, OfEagerWorkComesWithTheNextRead) {
  const char *options = std::getenv("TRIPY_EMULATOR_OPTIONS");
  if (!options || !std::string(options).starts_with("budget="))
    GTEST_SKIP() << "needs a budget of the emulator";
  Tensor x = tp::ones({64}) + tp::iota({64});
  x.eval(); // starts the work
  unsigned started = __LINE__ - 1;
  for (int read = 0; read < 2; ++read)
    try {
      x.toVector<float>();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const tp::Error &error) {
      ASSERT_EQ(error.frames().size(), 2u) << error.what();
      EXPECT_EQ(error.frames()[0].loc.line, __LINE__ - 4u);
      EXPECT_EQ(error.frames()[1].loc.line, started);
      EXPECT_EQ(error.frames()[1].role, "the call");
    }
  EXPECT_THROW((x + 1).eval(), tp::Error);
}

TEST(Stream, ResultsAreReadInAnyOrder) {
  auto program = addOne();
  tp::Stream stream;
  Tensor x = tp::zeros({4}).eval();
  // More of them than are kept waiting.
  std::vector<Tensor> results;
  for (int i = 0; i < 40; ++i)
    results.push_back(x = program.on(stream)(x));
  for (int i : {39, 0, 38, 20, 20, 39})
    EXPECT_EQ(results[i].toVector<float>(), Floats(4, i + 1));
  // The last one is read, the next one is not, and others come after both.
  Tensor last = program.on(stream)(x), next = program.on(stream)(last);
  EXPECT_EQ(next.toVector<float>()[3], 42);
  EXPECT_EQ(program(last).toVector<float>()[1], 42);
  stream.synchronize();
  EXPECT_EQ(last.toVector<float>()[2], 41);
}

TEST(Stream, MemoryOfResultsIsUsedAgain) {
  auto program = addOne();
  std::vector<Tensor> kept;
  // Memory that is used again is that of nobody else: values stay as they are.
  for (int i = 0; i < 100; ++i) {
    Tensor x = program(tp::full({7}, i, tp::float32));
    if (i % 9 == 0)
      kept.push_back(x);
    if (i % 4 == 0)
      EXPECT_EQ(x.toVector<float>(), Floats(7, i + 1));
  }
  for (size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(kept[i].toVector<float>(), Floats(7, 9 * i + 1));
}

TEST(Stream, SharedStreamsAreReadToo) {
  auto program = addOne();
  tp::Stream stream;
  Tensor x = program.on(stream)(tp::ones({3}));
  stream.handle(); // others may use it from now on
  EXPECT_EQ(x.toVector<float>(), Floats(3, 2));
  Tensor y = program.on(stream)(x);
  EXPECT_EQ(y.toVector<float>(), Floats(3, 3));
}

TEST(Stream, ResultsOutliveStreamsAndPrograms) {
  Tensor y;
  {
    auto program = slow();
    tp::Stream stream;
    y = program.on(stream)(square());
  }
  EXPECT_EQ(y.toVector<float>().back(), 1);
}

TEST(Stream, ResultsThatNobodyWants) {
  auto program = slow();
  Tensor x = square().eval();
  for (int i = 0; i < 20; ++i)
    program(x);
  tp::Stream::ofThread(program.device()).synchronize();
}

TEST(Stream, ValuesOfSizesAreReadInTheCall) {
  auto count = tp::compile([](const tp::Size &n) { return tp::iota({n}); },
                           tp::DimensionInputInfo({1, 4, 16}));
  EXPECT_EQ(count(3).shape(), tp::Shape({3}));
  EXPECT_EQ(count(5).toVector<float>(), (Floats{0, 1, 2, 3, 4}));
}

TEST(Stream, ErrorsOfCallsComeAtOnce) {
  auto program = addOne();
  EXPECT_THROW(program(tp::ones({5000})), tp::Error);
  EXPECT_THROW(program(tp::ones({2}, tp::int32)), tp::Error);
  EXPECT_EQ(program(tp::ones({2})).toVector<float>(), (Floats{2, 2}));
}

TEST(Stream, ErrorsOfStreams) {
  auto program = addOne();
  EXPECT_THROW(tp::Stream::ofHandle(nullptr), tp::Error);
  EXPECT_THROW(tp::Stream::ofHandle(&program, tp::Device::cpu()), tp::Error);
  EXPECT_THROW(tp::Stream(tp::Device::gpu(4096)), tp::Error);
  if (!program.device().isGpu())
    return;
  try {
    program.on(tp::Stream(tp::Device::cpu()));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tp::Error &error) {
    EXPECT_EQ(error.code(), tp::Code::DeviceMismatch);
    EXPECT_EQ(error.summary(), "the stream is of the program's device gpu:0; "
                               "found one of cpu:0");
  }
}

TEST(Stream, Handles) {
  tp::Stream stream, copy = stream, other;
  EXPECT_EQ(stream, copy);
  EXPECT_FALSE(stream == other);
  EXPECT_EQ(stream.device(), tp::defaultDevice());
  EXPECT_EQ(tp::Stream::ofThread(), tp::Stream::ofThread());
  if (!stream.device().isGpu()) {
    EXPECT_EQ(stream.handle(), nullptr);
    return;
  }
  ASSERT_NE(stream.handle(), nullptr);
  EXPECT_NE(stream.handle(), other.handle());
  auto program = addOne();
  tp::Stream borrowed = tp::Stream::ofHandle(stream.handle());
  EXPECT_EQ(program.on(borrowed)(tp::ones({2})).toVector<float>(),
            (Floats{2, 2}));
}

namespace {
/// A tensor of ones of another library; zeros when it is let go.
struct Lent {
  Lent() : values(size() * size(), 1), shape{size(), size()} {
    managed.dl_tensor = {values.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1},
                         shape,         nullptr,     0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor *self) {
      auto *lent = static_cast<Lent *>(self->manager_ctx);
      std::fill(lent->values.begin(), lent->values.end(), 0);
      lent->isReleased = true;
    };
  }
  std::vector<float> values;
  int64_t shape[2];
  DLManagedTensor managed = {};
  std::atomic<bool> isReleased = false;
};
} // namespace

TEST(Stream, InputsAreKeptWhileTheyAreRead) {
  auto program = slow();
  Lent lent;
  Tensor unread = program(square());
  Tensor y =
      program(tp::copy(Tensor::fromDLPack(&lent.managed), program.device()));
  EXPECT_EQ(y.toVector<float>()[77], 1);
  EXPECT_TRUE(lent.isReleased);
}

TEST(Stream, Threads) {
  auto program = addOne();
  tp::Stream shared;
  std::vector<std::thread> threads;
  std::vector<float> found(8);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      auto mine = i % 2 ? program.on(shared) : program;
      Tensor x = tp::full({8}, i, tp::float32);
      for (int n = 0; n < 20; ++n)
        x = mine(x);
      found[i] = x.toVector<float>()[7];
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(found[i], i + 20);
}
