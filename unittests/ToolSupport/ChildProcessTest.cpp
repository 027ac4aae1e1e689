//===- ChildProcessTest.cpp - What ends a child is one sentence -----------===//

#include "tripy/ToolSupport/ChildProcess.h"

#include "llvm/Support/ErrorHandling.h"
#include "gtest/gtest.h"

#include <unistd.h>

using namespace tripy;

// runInChild() starts its child before the process has threads: each call is in
// a process of its own.

TEST(ChildProcessDeathTest, ReturnsWhatItsWorkReturns) {
  EXPECT_EXIT(_exit(runInChild("tool", {0, 20}, [] { return 7; })),
              ::testing::ExitedWithCode(7), "^$");
}

TEST(ChildProcessDeathTest, SaysWhatLLVMReports) {
  auto fail = []() -> int { llvm::report_fatal_error("the sky falls"); };
  EXPECT_EXIT(_exit(runInChild("tool", {0, 20}, fail)),
              ::testing::ExitedWithCode(childFailedStatus),
              "^tool: error: the compiler failed: the sky falls\n$");
}

TEST(ChildProcessDeathTest, SaysThatItCrashed) {
  auto crash = []() -> int { abort(); };
  EXPECT_EXIT(_exit(runInChild("tool", {0, 20}, crash)),
              ::testing::ExitedWithCode(childFailedStatus),
              "^tool: error: the compiler crashed with signal");
}

TEST(ChildProcessDeathTest, IsLeftWithoutDestructors) {
  struct Crash {
    ~Crash() { abort(); }
  };
  auto leave = []() -> int {
    Crash atEnd;
    leaveChild(7);
    return 8;
  };
  EXPECT_EXIT(_exit(runInChild("tool", {0, 20}, leave)),
              ::testing::ExitedWithCode(7), "^$");
}

TEST(ChildProcessDeathTest, IsNotLeftByTheTool) {
  EXPECT_EXIT(
      {
        leaveChild(7);
        _exit(8);
      },
      ::testing::ExitedWithCode(8), "^$");
}

// A child may have children: each leaves itself alone.
TEST(ChildProcessDeathTest, MayHaveChildren) {
  auto inner = []() -> int {
    leaveChild(3);
    return 0;
  };
  auto outer = [&]() -> int { return 4 + runInChild("tool", {0, 20}, inner); };
  EXPECT_EXIT(_exit(runInChild("tool", {0, 20}, outer)),
              ::testing::ExitedWithCode(7), "^$");
}
