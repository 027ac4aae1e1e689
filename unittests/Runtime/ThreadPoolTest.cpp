//===- ThreadPoolTest.cpp - Work items on a fixed set of threads ----------===//

#include "ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

using namespace tripy::runtime;

namespace {

struct Recorder {
  explicit Recorder(size_t items, uint32_t threads)
      : visits(items), busy(threads) {}
  std::vector<std::atomic<int>> visits;
  std::vector<std::atomic<bool>> busy;
  std::atomic<int> clashes = 0;

  static void work(void *state, int64_t begin, int64_t end, uint32_t worker) {
    auto &self = *static_cast<Recorder *>(state);
    if (self.busy[worker].exchange(true))
      ++self.clashes;
    for (int64_t i = begin; i < end; ++i)
      ++self.visits[size_t(i)];
    self.busy[worker] = false;
  }
  bool eachOnce() const {
    return std::all_of(visits.begin(), visits.end(),
                       [](const auto &count) { return count == 1; });
  }
};

TEST(ThreadPool, EachItemOnceAndWorkersDiffer) {
  for (uint32_t threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t items : {1, 2, 7, 100, 10000})
      for (int round = 0; round < 50; ++round) {
        Recorder recorder{size_t(items), threads};
        pool.run(items, Recorder::work, &recorder);
        ASSERT_TRUE(recorder.eachOnce());
        ASSERT_EQ(recorder.clashes, 0);
      }
  }
}

TEST(ThreadPool, NothingToDo) {
  ThreadPool pool(2);
  Recorder recorder(1, 2);
  pool.run(0, Recorder::work, &recorder);
  pool.run(-5, Recorder::work, &recorder);
  EXPECT_EQ(recorder.visits[0], 0);
}

TEST(ThreadPool, CallersShareThePool) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<int> failures = 0;
  for (int id = 0; id < 8; ++id)
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        Recorder recorder(50, 3);
        pool.run(50, Recorder::work, &recorder);
        if (!recorder.eachOnce())
          ++failures;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(failures, 0);
}

TEST(ThreadPool, ManyPoolsComeAndGo) {
  for (int round = 0; round < 100; ++round) {
    auto pool = std::make_unique<ThreadPool>(4);
    if (round % 2 == 0)
      continue;
    Recorder recorder(10, 4);
    pool->run(10, Recorder::work, &recorder);
    EXPECT_TRUE(recorder.eachOnce());
  }
}

TEST(ThreadPool, ZeroMeansTheProcessors) {
  EXPECT_GE(ThreadPool(0).threads(), 1u);
  EXPECT_EQ(ThreadPool(100000).threads(), 1024u);
}

} // namespace
