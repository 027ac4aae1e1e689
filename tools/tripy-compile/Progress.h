//===- Progress.h - How far a compilation is --------------------*- C++ -*-===//
//
// Private to tripy-compile.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYCOMPILE_PROGRESS_H
#define TRIPY_TOOLS_TRIPYCOMPILE_PROGRESS_H

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace tripy::compile {

/// Thread-safe. Prints to standard error what is being done, and of kernels how
/// many are done: on a terminal in one line that changes, else in lines of
/// their own, at most ten for a step.
class Progress {
public:
  explicit Progress(bool enabled);
  ~Progress() { clear(); }

  /// Something without a count begins: "reading".
  void begin(std::string_view what);
  /// `done` of `all` kernels are through a step: "LLVM".
  void count(std::string_view step, size_t done, size_t all);
  /// Takes the line away, before something else is printed.
  void clear();

private:
  void show(const std::string &text);

  std::mutex mutex;
  bool enabled, isTerminal;
  bool isShown = false;
  /// The step that is counted, and the tenths of it that were printed.
  std::string counted;
  size_t tenths = 0;
};

} // namespace tripy::compile

#endif // TRIPY_TOOLS_TRIPYCOMPILE_PROGRESS_H
