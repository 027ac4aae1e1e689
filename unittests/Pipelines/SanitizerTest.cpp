//===- SanitizerTest.cpp - Undefined behaviour ends a tool ----------------===//

#include "gtest/gtest.h"

#include <limits>

/// The dev build has a sanitizer, which the tests rely on: it must be there.
TEST(Sanitizer, UndefinedBehaviourIsACrash) {
#if __has_feature(undefined_behavior_sanitizer)
  volatile int maximum = std::numeric_limits<int>::max();
  EXPECT_EXIT(maximum = maximum + 1, testing::KilledBySignal(SIGABRT),
              "signed integer overflow");
#else
  GTEST_SKIP() << "built without UndefinedBehaviorSanitizer";
#endif
}
