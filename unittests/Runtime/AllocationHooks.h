//===- AllocationHooks.h - Counted and failing allocations ------*- C++ -*-===//
//
// Replaces the global operator new by one that counts and can be told to fail.
// A test program that uses either has AllocationHooks.cpp among its sources.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_RUNTIME_ALLOCATIONHOOKS_H
#define TRIPY_UNITTESTS_RUNTIME_ALLOCATIONHOOKS_H

#include <atomic>
#include <cstdint>

namespace tripy::hooks {

/// Allocations of all threads so far.
extern std::atomic<uint64_t> allocations;

/// What fails.
enum class Failing {
  Once,   ///< one allocation
  Lasting ///< it and all behind it
};

/// While it lives, allocation number `nth` (0 is the next) of this thread
/// fails.
class FailingAllocations {
public:
  FailingAllocations(uint64_t nth, Failing kind);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations &) = delete;
  FailingAllocations &operator=(const FailingAllocations &) = delete;
  /// Whether an allocation failed.
  bool reached() const;
};

/// Above 0, this thread's allocations succeed.
inline thread_local int sheltered = 0;

/// While it lives, this thread's allocations succeed: for what a test adds to
/// the code that it tests. May be used without AllocationHooks.cpp.
class ShelteredAllocations {
public:
  ShelteredAllocations() { ++sheltered; }
  ~ShelteredAllocations() { --sheltered; }
  ShelteredAllocations(const ShelteredAllocations &) = delete;
  ShelteredAllocations &operator=(const ShelteredAllocations &) = delete;
};

} // namespace tripy::hooks

#endif // TRIPY_UNITTESTS_RUNTIME_ALLOCATIONHOOKS_H
