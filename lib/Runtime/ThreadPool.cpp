//===- ThreadPool.cpp - Work items on a fixed set of threads --------------===//

#include "ThreadPool.h"

#include <algorithm>
#include <new>
#include <sched.h>
#include <thread>

using namespace tripy::runtime;

/// Rounds of polling before a thread sleeps: about 10 us, less than waking it
/// costs.
static constexpr int pollRounds = 200;

static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Processors this process may use; a container often allows fewer than the
/// machine has.
static uint32_t usableProcessors() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0)
    return uint32_t(std::max(1, CPU_COUNT(&set)));
  return std::max(1u, std::thread::hardware_concurrency());
}

static uint32_t threadLimit(uint32_t wanted) {
  return std::min(wanted ? wanted : usableProcessors(), 1024u);
}

ThreadPool::ThreadPool(uint32_t threads) : limit(threadLimit(threads)) {
  helpers.reserve(limit - 1);
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex);
    stop = true;
    ++generation;
  }
  wake.notify_all();
  for (Helper &helper : helpers)
    ::pthread_join(helper.thread, nullptr);
}

void ThreadPool::afterFork() noexcept {
  helpers.clear();
  // Constructed in place of the old ones, which are not destroyed: a condition
  // variable's destructor would wait for its waiting threads, which are gone.
  new (&owner) std::mutex;
  new (&mutex) std::mutex;
  new (&wake) std::condition_variable;
  new (&idle) std::condition_variable;
  generation = 0;
  running = 0;
  open = false;
}

void *ThreadPool::helperEntry(void *helper) {
  auto &self = *static_cast<Helper *>(helper);
  self.pool->helperMain(self.worker);
  return nullptr;
}

void ThreadPool::startHelpers(uint32_t count) {
  while (helpers.size() < count) {
    Helper &helper = helpers.emplace_back(
        Helper{this, uint32_t(helpers.size() + 1), pthread_t()});
    if (::pthread_create(&helper.thread, nullptr, helperEntry, &helper) == 0)
      continue;
    // A thread that cannot be started only makes this slower.
    helpers.pop_back();
    return;
  }
}

void ThreadPool::claim(uint32_t worker) {
  while (true) {
    int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
    if (begin >= items)
      return;
    work(state, begin, begin + std::min(chunk, items - begin), worker);
  }
}

void ThreadPool::helperMain(uint32_t worker) {
  uint64_t seen = 0;
  while (true) {
    for (int i = 0; i < pollRounds && generation.load() == seen; ++i)
      relax();
    {
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return stop || (open && generation != seen); });
      if (stop)
        return;
      seen = generation;
      ++running;
    }
    claim(worker);
    {
      std::lock_guard lock(mutex);
      --running;
    }
    idle.notify_one();
  }
}

void ThreadPool::run(int64_t count, Work function, void *argument) {
  if (count <= 0)
    return;
  std::unique_lock ownership(owner, std::try_to_lock);
  if (count == 1 || limit == 1 || !ownership.owns_lock())
    return function(argument, 0, count, 0);
  startHelpers(uint32_t(std::min<int64_t>(limit, count)) - 1);
  {
    std::lock_guard lock(mutex);
    work = function;
    state = argument;
    items = count;
    // Small enough to even out slow threads, large enough to claim rarely.
    chunk = std::max<int64_t>(1, count / (int64_t(limit) * 4));
    next = 0;
    open = true;
    ++generation;
  }
  wake.notify_all();
  claim(0);
  for (int i = 0; i < pollRounds && running.load() != 0; ++i)
    relax();
  std::unique_lock lock(mutex);
  // Nobody joins from here on.
  open = false;
  idle.wait(lock, [&] { return running == 0; });
}
