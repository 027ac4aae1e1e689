//===- Progress.h - How far a compilation is --------------------*- C++ -*-===//
//
// Tells the user's callback, and ends the compilation when it says so. Private
// to the lowering of graphs.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_LOWERING_PROGRESS_H
#define TRIPY_LIB_FRONTEND_LOWERING_PROGRESS_H

#include "../Lowering.h"

#include "tripy/Compiler/Compiler.h"

#include <atomic>

namespace tripy::frontend {

/// Of one compilation. Stages: "passes" counts the levels that the program goes
/// through, the others kernels.
class ProgressReporter {
public:
  using Callback = decltype(LoweringOptions::progress);
  explicit ProgressReporter(const Callback &callback) : callback(callback) {}

  /// Hears of what the compilation with `options` does; outlives it.
  void watch(CompileOptions &options);
  /// The compilation succeeded.
  void finish();
  bool isCancelled() const { return cancelled; }

private:
  void report(llvm::StringRef stage, size_t done, size_t total);

  const Callback &callback;
  target::CodeWatch codeWatch;
  std::atomic<bool> cancelled = false;
  size_t levels = 0;
};

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_LOWERING_PROGRESS_H
