//===- EvaluationTest.cpp - Eager evaluation and its cache ----------------===//

#include "tripy/tripy.h"

#include "gtest/gtest.h"

#include <thread>

namespace tp = tripy;

namespace {
class Evaluation : public testing::Test {
protected:
  void SetUp() override {
    tp::setEagerCacheLimit(1024);
    tp::clearEagerCache();
  }
};
} // namespace

static uint64_t misses() { return tp::eagerCacheStatistics().misses; }
static uint64_t hits() { return tp::eagerCacheStatistics().hits; }

TEST_F(Evaluation, ChangedValuesHit) {
  for (float value : {1.0f, 2.0f, -7.5f}) {
    tp::Tensor x({value, value + 1});
    EXPECT_EQ(
        (x * value + 0.5).toVector<float>(),
        (std::vector<float>{value * value + 0.5f, (value + 1) * value + 0.5f}));
  }
  EXPECT_EQ(misses(), 1u);
  EXPECT_EQ(hits(), 2u);
}

TEST_F(Evaluation, ValuesOfFullHit) {
  for (double value : {1.5, 2.5}) {
    EXPECT_EQ(tp::full({2, 1}, value).toVector<float>(),
              (std::vector<float>(2, value)));
  }
  EXPECT_EQ(misses(), 1u);
  EXPECT_EQ(hits(), 1u);
}

TEST_F(Evaluation, OtherStructuresMiss) {
  tp::Tensor x({1.0, 2.0});
  tp::exp(x).eval();
  tp::log(x).eval();                        // another operation
  tp::exp(tp::Tensor({1.0})).eval();        // another shape
  tp::exp(tp::cast(x, tp::float16)).eval(); // another element type
  tp::softmax(tp::ones({2, 2}), 0).eval();  // another attribute
  tp::softmax(tp::ones({2, 2}), 1).eval();
  tp::Tensor y({3.0, 4.0});
  (x - y).eval(); // another order of operands
  (x - x).eval();
  EXPECT_EQ(misses(), 8u);
  EXPECT_EQ(hits(), 0u);
  (y - x).eval();
  EXPECT_EQ(hits(), 1u);
}

TEST_F(Evaluation, ComputesOnce) {
  tp::Tensor a = tp::exp(tp::Tensor({0.0}));
  a.eval();
  a.eval();
  EXPECT_EQ(misses() + hits(), 1u);
  // What is evaluated is an input of what follows.
  EXPECT_EQ((a + a).item<float>(), 2);
  EXPECT_EQ(misses() + hits(), 2u);
}

TEST_F(Evaluation, SeveralTensorsTogether) {
  tp::Tensor x({1.0, 4.0});
  tp::Tensor root = tp::sqrt(x), square = root * root;
  tp::eval({root, square, x, root});
  EXPECT_EQ(misses(), 1u);
  EXPECT_EQ(root.toVector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(square.toVector<float>(), (std::vector<float>{1, 4}));
  EXPECT_EQ(misses() + hits(), 1u);
}

// A loop that reads only what is computed of its state does not compute all
// of it again each time, nor compile a program for each number of steps.
TEST_F(Evaluation, KeepsWhatIsComputedAgain) {
  auto step = [](const tp::Tensor &state) { return state * 0.5 + 1.0; };
  tp::Tensor state = tp::zeros({4});
  double expected = 0;
  for (int i = 0; i < 40; ++i) {
    state = step(state);
    expected = expected * 0.5 + 1;
    EXPECT_FLOAT_EQ(tp::sum(state).item<float>(), 4 * expected);
  }
  EXPECT_LE(misses(), 4u);
  // The states themselves, and two results of one node.
  EXPECT_FLOAT_EQ(tp::max(state).item<float>(), expected);
  std::vector<tp::Tensor> parts = tp::split(step(state), 2);
  EXPECT_FLOAT_EQ(tp::sum(parts[0]).item<float>(), expected + 2);
  EXPECT_FLOAT_EQ(tp::sum(parts[1] * 2.0).item<float>(), 2 * (expected + 2));
  EXPECT_FLOAT_EQ(tp::sum(parts[1] * 4.0).item<float>(), 4 * (expected + 2));
}

// A loop that computes something new of lazy tensors compiles nothing in its
// second iteration; in the long run the tensors are kept all the same.
TEST_F(Evaluation, SecondIterationIsCompiled) {
  tp::Tensor weight = tp::reshape(tp::iota({6}, 0) + 1.0, {3, 2});
  tp::Tensor input = tp::iota({1, 3}, 1) * 2.0;
  std::vector<uint64_t> compiled;
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(tp::matmul(input, weight).toVector<float>(),
              (std::vector<float>{26, 32}));
    compiled.push_back(misses());
  }
  EXPECT_EQ(compiled[0], 1u);
  EXPECT_EQ(compiled[1], 1u);
  EXPECT_EQ(compiled[15], 1u);
  // One that keeps both, and one for what is kept.
  EXPECT_EQ(compiled[17], 3u);
  EXPECT_EQ(compiled[39], 3u);
}

TEST_F(Evaluation, RowsOfALoopShareAProgram) {
  tp::Tensor x = tp::reshape(tp::arange(24), {4, 3, 2});
  for (int i = -4; i < 4; ++i) {
    int64_t row = (i + 4) % 4;
    EXPECT_EQ(
        x[i].toVector<float>(),
        tp::reshape(x, {4, 6})[tp::slice(row, row + 1)].toVector<float>());
    EXPECT_EQ((x[{i, tp::slice(1, 3), -1}].toVector<float>()),
              (std::vector<float>{row * 6 + 3.f, row * 6 + 5.f}));
    EXPECT_EQ((x[{1, 2, i % 2}].item<float>()), 10 + (i + 4) % 2);
  }
  // Four of x[slice], and one or two of each other form.
  EXPECT_LE(misses(), 9u);
}

TEST_F(Evaluation, AllResultsOfANode) {
  std::vector<tp::Tensor> parts = tp::split(tp::arange(5), 2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].toVector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ(parts[0].toVector<float>(), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(misses() + hits(), 1u);
}

TEST_F(Evaluation, LimitIsKept) {
  tp::setEagerCacheLimit(2);
  for (int64_t n : {1, 2, 3, 4})
    tp::exp(tp::ones({n})).eval();
  EXPECT_EQ(tp::eagerCacheStatistics().programs, 2u);
  tp::exp(tp::ones({4})).eval();
  EXPECT_EQ(hits(), 1u);
  tp::exp(tp::ones({1})).eval();
  EXPECT_EQ(misses(), 5u);
}

TEST_F(Evaluation, EmptyTensors) {
  tp::Tensor none = tp::zeros({0, 3});
  EXPECT_TRUE((none + 1).toVector<float>().empty());
  EXPECT_EQ(tp::sum(none, 0).toVector<float>(), (std::vector<float>{0, 0, 0}));
}

TEST_F(Evaluation, LongChains) {
  // Neither evaluating nor destroying goes by recursion.
  tp::Tensor x = tp::ones({1});
  for (int i = 0; i < 200'000; ++i)
    x = x + 1;
  EXPECT_EQ(x.shape(), tp::Shape({1}));
  x = tp::Tensor();
  x = tp::ones({1});
  for (int i = 0; i < 300; ++i)
    x = x + 1;
  EXPECT_EQ(x.item<float>(), 301);
}

TEST_F(Evaluation, LoopsForgetTheirHistory) {
  tp::Tensor x = tp::zeros({2});
  for (int i = 0; i < 100; ++i)
    (x = x + 1).eval();
  EXPECT_EQ(x.toVector<float>(), (std::vector<float>{100, 100}));
  // zeros + 1, then value + 1.
  EXPECT_EQ(misses(), 2u);
  EXPECT_EQ(hits(), 98u);
}

TEST_F(Evaluation, Threads) {
  tp::Tensor shared = tp::exp(tp::zeros({4}));
  std::vector<std::thread> threads;
  std::vector<float> found(8);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      tp::Tensor own = tp::full({4}, i, tp::float32);
      found[i] = tp::sum(shared + own).item<float>();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(found[i], 4 * (1 + i));
}

TEST_F(Evaluation, WarnsOnceOfTheMachine) {
  // Without a toolkit, programs for a GPU hold PTX only.
  testing::internal::CaptureStderr();
  for (int64_t size : {31, 37, 41})
    EXPECT_EQ(tp::sum(tp::ones({size}) * 3).item<float>(), 3 * size);
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find("warning: warning:"), std::string::npos) << text;
  size_t first = text.find("holds PTX only");
  if (first != std::string::npos)
    EXPECT_EQ(text.find("holds PTX only", first + 1), std::string::npos)
        << text;
}
