//===- ThreadPool.h - Work items on a fixed set of threads ------*- C++ -*-===//
//
// Cuts a range of work items into chunks that threads claim. Private to
// lib/Runtime.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_RUNTIME_THREADPOOL_H
#define TRIPY_LIB_RUNTIME_THREADPOOL_H

#include "Fork.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace tripy::runtime {

class ThreadPool final : private ForkWatch {
public:
  /// Runs the items [begin, end); `worker` is below threads() and differs
  /// between threads that run at the same time.
  using Work = void (*)(void *state, int64_t begin, int64_t end,
                        uint32_t worker);

  /// Up to `threads` threads, the caller's included; 0: one for each processor
  /// this process may use.
  explicit ThreadPool(uint32_t threads);
  ~ThreadPool();

  uint32_t threads() const { return limit; }

  /// Runs all of [0, items), the caller helping, and returns when done.
  /// Helpers start when first needed. While another thread's range is being
  /// processed, the caller does its own alone. Allocates nothing but the
  /// threads.
  void run(int64_t items, Work work, void *state);

private:
  /// A started thread. Without a destructor, unlike std::thread: after fork()
  /// there is nothing to wait for.
  struct Helper {
    ThreadPool *pool;
    uint32_t worker;
    pthread_t thread;
  };
  static void *helperEntry(void *helper);
  void startHelpers(uint32_t count);
  void helperMain(uint32_t worker);
  void claim(uint32_t worker);
  /// Helpers are gone and locks may be held by nobody; the next run starts
  /// anew.
  void afterFork() noexcept override;

  const uint32_t limit;
  /// Held by the thread whose range is being processed.
  std::mutex owner;
  /// As many as the limit allows are reserved: threads point at theirs.
  std::vector<Helper> helpers;

  /// Guards the fields below; the atomics are also read without it.
  std::mutex mutex;
  std::condition_variable wake, idle;
  std::atomic<uint64_t> generation = 0;
  std::atomic<uint32_t> running = 0;
  bool open = false;
  bool stop = false;

  Work work = nullptr;
  void *state = nullptr;
  int64_t items = 0, chunk = 1;
  std::atomic<int64_t> next = 0;
};

} // namespace tripy::runtime

#endif // TRIPY_LIB_RUNTIME_THREADPOOL_H
