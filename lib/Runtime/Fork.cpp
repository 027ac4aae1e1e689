//===- Fork.cpp - What is left after fork() -------------------------------===//

#include "Fork.h"

#include <atomic>
#include <mutex>
#include <new>
#include <pthread.h>

using namespace tripy;
using namespace tripy::runtime;

namespace tripy::runtime {

/// All watches of this process.
struct ForkRegistry {
  std::atomic<uint32_t> generation = 0;
  /// Guards the list; held across fork(), so that the child finds it
  /// consistent.
  std::mutex mutex;
  bool installed = false;
  ForkWatch *first = nullptr;

  void install();
  void tellChild();
};

} // namespace tripy::runtime

static constinit ForkRegistry registry;

void ForkRegistry::tellChild() {
  ++generation;
  for (ForkWatch *watch = first; watch; watch = watch->next)
    watch->afterFork();
}

/// Under `mutex`. Tried again after a failure.
void ForkRegistry::install() {
  if (installed)
    return;
  int error = ::pthread_atfork([] { registry.mutex.lock(); },
                               [] { registry.mutex.unlock(); },
                               [] {
                                 registry.tellChild();
                                 registry.mutex.unlock();
                               });
  if (error != 0)
    throw std::bad_alloc();
  installed = true;
}

uint32_t runtime::forkGeneration() noexcept {
  return registry.generation.load(std::memory_order_relaxed);
}

ForkWatch::ForkWatch() : generation(forkGeneration()) {
  std::lock_guard lock(registry.mutex);
  registry.install();
  next = registry.first;
  if (next)
    next->previous = this;
  registry.first = this;
}

ForkWatch::~ForkWatch() {
  std::lock_guard lock(registry.mutex);
  (previous ? previous->next : registry.first) = next;
  if (next)
    next->previous = previous;
}
