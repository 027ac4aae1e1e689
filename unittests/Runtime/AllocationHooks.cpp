//===- AllocationHooks.cpp - Counted and failing allocations --------------===//

#include "AllocationHooks.h"

#include <algorithm>
#include <cstdlib>
#include <new>

using namespace tripy::hooks;

std::atomic<uint64_t> tripy::hooks::allocations = 0;

namespace {

/// What is to happen to this thread's allocations.
struct Plan {
  bool armed = false, reached = false;
  Failing kind = Failing::Once;
  uint64_t left = 0;

  bool fails() {
    if (!armed || sheltered > 0)
      return false;
    if (reached && kind == Failing::Lasting)
      return true;
    if (reached || left-- > 0)
      return false;
    reached = true;
    return true;
  }
};
constinit thread_local Plan plan;

void *take(size_t size, size_t alignment) {
  ++allocations;
  if (plan.fails())
    return nullptr;
  void *memory = nullptr;
  return ::posix_memalign(&memory, std::max<size_t>(alignment, 16),
                          std::max<size_t>(size, 1)) == 0
             ? memory
             : nullptr;
}

void *takeOrThrow(size_t size, size_t alignment) {
  if (void *memory = take(size, alignment))
    return memory;
  throw std::bad_alloc();
}

} // namespace

FailingAllocations::FailingAllocations(uint64_t nth, Failing kind) {
  plan = {true, false, kind, nth};
}
FailingAllocations::~FailingAllocations() { plan.armed = false; }
bool FailingAllocations::reached() const { return plan.reached; }

void *operator new(size_t size) { return takeOrThrow(size, 16); }
void *operator new[](size_t size) { return takeOrThrow(size, 16); }
void *operator new(size_t size, std::align_val_t alignment) {
  return takeOrThrow(size, size_t(alignment));
}
void *operator new[](size_t size, std::align_val_t alignment) {
  return takeOrThrow(size, size_t(alignment));
}
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return take(size, 16);
}
void *operator new[](size_t size, const std::nothrow_t &) noexcept {
  return take(size, 16);
}
void *operator new(size_t size, std::align_val_t alignment,
                   const std::nothrow_t &) noexcept {
  return take(size, size_t(alignment));
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void *memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void *memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory, const std::nothrow_t &) noexcept {
  std::free(memory);
}
void operator delete(void *memory, std::align_val_t,
                     const std::nothrow_t &) noexcept {
  std::free(memory);
}
