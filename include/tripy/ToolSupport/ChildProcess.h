//===- ChildProcess.h - Work whose death is an error message ----*- C++ -*-===//
//
// MLIR's parser, verifiers and folds trust their input more than a tool may
// trust a stranger's text. A tool reads and compiles in a child process with
// limits of memory and time: whatever happens there ends in one sentence and an
// exit status. Tools use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_CHILDPROCESS_H
#define TRIPY_PIPELINES_CHILDPROCESS_H

#include "tripy/Base/Status.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tripy {

/// Limits of the child; 0 is none.
struct ChildLimits {
  /// Bytes of memory that the child may write to. Files that it maps for
  /// reading do not count.
  uint64_t memoryBytes;
  /// Seconds by the clock on the wall.
  uint64_t seconds;
};

/// Half of the machine's memory, but at least 1 GiB; half an hour.
ChildLimits defaultChildLimits();

/// Exit status of a tool whose child crashed or met a limit.
constexpr int childFailedStatus = 3;

/// Runs `work` in a child process and returns its result. The child has the
/// tool's standard streams; to be called before the process starts a thread.
/// When the child crashes, meets a limit or is killed, one sentence that starts
/// with the name of the tool goes to standard error, and the result is
/// childFailedStatus. Signals that ask the tool to end (SIGINT, SIGTERM, ...)
/// end the child first, and then the tool; the child does not survive the tool.
int runInChild(const std::string &tool, const ChildLimits &limits,
               llvm::function_ref<int()> work);

/// In the child of runInChild(), ends it with `exitStatus`, without
/// destructors: for those who know that these would crash. Elsewhere it does
/// nothing.
void leaveChild(int exitStatus);

/// Reads the value of --memory-limit: bytes such as 512M or 8G, or "none".
/// Errors: InvalidArgument.
Result<uint64_t> parseMemoryLimit(std::string_view text);

/// Reads the value of --time-limit: seconds, or "none". Errors:
/// InvalidArgument.
Result<uint64_t> parseTimeLimit(std::string_view text);

} // namespace tripy

#endif // TRIPY_PIPELINES_CHILDPROCESS_H
