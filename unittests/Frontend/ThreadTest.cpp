//===- ThreadTest.cpp - Many threads at the same time ---------------------===//
//
// Threads build graphs, evaluate, compile, load and run, all at once. Run under
// ThreadSanitizer by the preset tsan.
//
//===----------------------------------------------------------------------===//

#include "tripy/tripy.h"

#include "gtest/gtest.h"

#include <atomic>
#include <filesystem>
#include <thread>

namespace tp = tripy;
using tp::Tensor;

static constexpr int threadCount = 32;

/// Runs `work` with the number of the thread, on all at once.
template <typename F> static void onThreads(F work) {
  std::atomic<int> ready = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < threadCount; ++i)
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < threadCount)
        std::this_thread::yield();
      work(i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Threads, EvaluateEagerly) {
  Tensor shared = tp::iota({8}) + 1; // not evaluated yet
  onThreads([&](int i) {
    for (int n = 0; n < 4; ++n) {
      Tensor x = shared * float(i) + tp::full({8}, n, tp::float32);
      EXPECT_EQ(x.toVector<float>()[7], float(8 * i + n));
    }
    // A structure of each pair of threads.
    Tensor y = tp::exp(tp::zeros({1 + i / 2}));
    EXPECT_EQ(y.toVector<float>().back(), 1);
  });
}

namespace {
struct Layer : tp::Module {
  tp::Linear inner{4, 4};
  Tensor forward(const Tensor &x) const { return tp::relu(inner(x)); }
  TRIPY_MODULE(Layer, inner)
};
} // namespace

TEST(Threads, CompileSaveLoadAndRun) {
  Layer layer;
  auto common = tp::compile(layer, tp::InputInfo({{1, 2, 64}, 4}, tp::float32));
  std::vector<float> expected = common(tp::ones({2, 4})).toVector<float>();
  onThreads([&](int i) {
    tp::Executable program = common;
    if (i % 4 == 0)
      program = tp::compile(layer, tp::InputInfo({{1, 2, 64}, 4}, tp::float32));
    if (i % 4 == 1) {
      std::string path =
          testing::TempDir() + "/thread-" + std::to_string(i) + ".tpx";
      common.save(path);
      program = tp::Executable::load(path);
      std::filesystem::remove(path);
    }
    for (int n = 0; n < 8; ++n)
      EXPECT_EQ(program(tp::ones({2, 4})).toVector<float>(), expected);
    EXPECT_THROW(program(tp::ones({65, 4})), tp::Error);
  });
}

TEST(Threads, ShareStreamsAndEvents) {
  auto add = tp::compile([](const Tensor &x) { return x + 1; },
                         tp::InputInfo({{1, 4, 64}}, tp::float32));
  tp::Stream streams[2];
  onThreads([&](int i) {
    Tensor x = tp::full({4}, i, tp::float32);
    for (int n = 0; n < 10; ++n) {
      x = add.on(streams[n % 2])(x);
      if (n == 5)
        streams[0].wait(streams[1].record());
    }
    streams[i % 2].record().synchronize();
    EXPECT_EQ(x.toVector<float>()[3], i + 10.0f);
  });
  streams[0].synchronize();
}

TEST(Threads, ErrorsAreTheirOwn) {
  Layer layer;
  onThreads([&](int i) {
    try {
      layer(tp::ones({1, 5 + i}));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const tp::Error &error) {
      EXPECT_STREQ(error.frames().front().loc.function, "Layer.inner.forward");
      EXPECT_NE(error.summary().find("shape (1, " + std::to_string(5 + i)),
                std::string::npos);
    }
  });
}

TEST(Threads, NamesAndStatistics) {
  Tensor shared = tp::ones({2});
  onThreads([&](int i) {
    shared.setName("name" + std::to_string(i));
    EXPECT_TRUE(shared.name().starts_with("name"));
    EXPECT_EQ((shared + 1).toVector<float>()[0], 2);
    if (i % 8 == 0)
      tp::clearEagerCache();
    (void)tp::eagerCacheStatistics();
  });
}
