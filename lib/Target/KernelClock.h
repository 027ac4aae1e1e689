//===- KernelClock.h - Time of each kernel in LLVM --------------*- C++ -*-===//
//
// Private to lib/Target. LLVM works on a module of many kernels, one function
// after the other: each stretch of time is that of the function that it last
// began to work on. One thread uses a clock.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_TARGET_KERNELCLOCK_H
#define TRIPY_LIB_TARGET_KERNELCLOCK_H

#include "tripy/Target/CodeWatch.h"

#include <chrono>

namespace tripy::target {

class KernelClock {
public:
  /// Without `watch`, or when it times no kernels, nothing is measured.
  explicit KernelClock(CodeWatch *watch)
      : watch(watch && watch->timesKernels ? watch : nullptr) {}
  ~KernelClock() {
    enter("");
    for (const auto &entry : seconds)
      watch->add({entry.getKey().str(), entry.getValue(), 0});
  }
  KernelClock(const KernelClock &) = delete;
  KernelClock &operator=(const KernelClock &) = delete;

  bool isOn() const { return watch; }
  /// From now on time is that of `function`; of none when it is "".
  void enter(llvm::StringRef function) {
    if (!watch)
      return;
    auto now = std::chrono::steady_clock::now();
    if (!current.empty())
      seconds[current] += std::chrono::duration<double>(now - begin).count();
    begin = now;
    // The host's kernels have a function for some of their items beside them.
    current = function.split(".items").first.str();
  }

private:
  CodeWatch *watch;
  std::string current;
  std::chrono::steady_clock::time_point begin;
  llvm::StringMap<double> seconds;
};

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_KERNELCLOCK_H
