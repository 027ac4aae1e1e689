//===- AllocationFailures.h - Every allocation fails in turn ----*- C++ -*-===//
//
// For the tests of AllocationFailureTests: lets each allocation of an action
// fail, alone and with all behind it, in a thread that has done nothing yet.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_RUNTIME_ALLOCATIONFAILURES_H
#define TRIPY_UNITTESTS_RUNTIME_ALLOCATIONFAILURES_H

#include "AllocationHooks.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace tripy::hooks {

/// What an action came to, as a text without memory of its own: nothing may be
/// allocated between the failure and its report.
struct Outcome {
  /// The action did what it does without failures.
  bool isRight = false;
  /// It reported want of memory.
  bool isOutOfMemory = false;
  char text[200] = {};

  void describe(const char *message) {
    size_t i = 0;
    for (; message[i] && i + 1 < sizeof(text); ++i)
      text[i] = message[i];
    text[i] = '\0';
  }
};

/// Fails each allocation of `action`, which returns an Outcome, until it has no
/// more. After each failure the action is right when it is tried again.
/// Returns the number of allocations.
template <typename Action>
uint64_t failEachAllocation(const char *name, Action action) {
  uint64_t nth = 0;
  for (Failing kind : {Failing::Once, Failing::Lasting})
    for (nth = 0;; ++nth) {
      std::string where = std::string(name) + ", allocation " +
                          std::to_string(nth) +
                          (kind == Failing::Once ? " once" : " and later");
      Outcome outcome;
      bool reached = false;
      std::thread([&] {
        FailingAllocations failing(nth, kind);
        outcome = action();
        reached = failing.reached();
      }).join();
      EXPECT_TRUE(outcome.isRight || (reached && outcome.isOutOfMemory))
          << where << ": " << outcome.text;
      if (!reached)
        break;
      Outcome again = action();
      EXPECT_TRUE(again.isRight) << where << ", then: " << again.text;
      if (testing::Test::HasFailure() || nth > 100000)
        return nth;
    }
  return nth;
}

} // namespace tripy::hooks

#endif // TRIPY_UNITTESTS_RUNTIME_ALLOCATIONFAILURES_H
