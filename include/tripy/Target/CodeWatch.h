//===- CodeWatch.h - What making machine code takes -------------*- C++ -*-===//
//
// Time and progress of code generation, for those who want to show them. Layer
// target.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TARGET_CODEWATCH_H
#define TRIPY_TARGET_CODEWATCH_H

#include "mlir/Support/Timing.h"
#include "llvm/ADT/StringMap.h"

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace tripy::target {

/// Processor time that a kernel took, in seconds.
struct KernelSeconds {
  std::string kernel;
  double llvm = 0, assembler = 0;
  double total() const { return llvm + assembler; }
};

/// One compilation's; its functions may be called from several threads.
class CodeWatch {
public:
  /// Parts of code generation are timed under it: "LLVM", "assembler", "cache".
  mlir::TimingScope *timing = nullptr;
  /// Whether the kernels are timed one by one.
  bool timesKernels = false;
  /// Called whenever kernels are done in a step ("LLVM", "assembler", "cache"):
  /// with how many of them are, and of how many; by one thread at a time. A
  /// count grows until it is that of all. LLVM ends one kernel after the other,
  /// and so does it count; the assembler ends those of a file at once.
  std::function<void(llvm::StringRef step, size_t done, size_t all)> progress;
  /// Asked, by several threads, before the code of each thread's kernels is
  /// made and before it is assembled; true ends the compilation with an error.
  std::function<bool()> isCancelled;
  bool mustStop() const { return isCancelled && isCancelled(); }

  mlir::TimingScope nest(llvm::StringRef step);
  /// A step begins that `all` kernels take.
  void begin(llvm::StringRef step, size_t all);
  /// `kernels` more are done.
  void advance(llvm::StringRef step, size_t kernels = 1);
  void add(const KernelSeconds &seconds);
  /// The kernels that took longest, at most `count`, slowest first.
  std::vector<KernelSeconds> slowest(size_t count) const;

private:
  mutable std::mutex mutex;
  struct Count {
    size_t done = 0, all = 0;
  };
  llvm::StringMap<Count> counts;
  llvm::StringMap<KernelSeconds> kernels;
};

} // namespace tripy::target

#endif // TRIPY_TARGET_CODEWATCH_H
