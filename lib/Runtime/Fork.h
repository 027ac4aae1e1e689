//===- Fork.h - What is left after fork() -----------------------*- C++ -*-===//
//
// A child process has its parent's memory, but only the thread that called
// fork(). Objects that depend on other threads or on the process are notified
// here. Private to lib/Runtime.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_RUNTIME_FORK_H
#define TRIPY_LIB_RUNTIME_FORK_H

#include <cstdint>

namespace tripy::runtime {

/// Forks between the process that loaded this library and this one. Counts
/// from the first ForkWatch on; children made by vfork() or clone() are not
/// noticed.
uint32_t forkGeneration() noexcept;

/// Is notified in each child.
class ForkWatch {
public:
  /// Throws std::bad_alloc when the system cannot watch.
  ForkWatch();
  ForkWatch(const ForkWatch &) = delete;
  ForkWatch &operator=(const ForkWatch &) = delete;

  /// Whether this object was made by a parent of this process.
  bool isForked() const noexcept { return forkGeneration() != generation; }

protected:
  ~ForkWatch();
  /// In the child, before fork() returns there: no other thread exists, and
  /// locks are as the threads that are gone have left them. May not allocate.
  virtual void afterFork() noexcept {}

private:
  friend struct ForkRegistry;
  const uint32_t generation;
  ForkWatch *previous = nullptr, *next = nullptr;
};

} // namespace tripy::runtime

#endif // TRIPY_LIB_RUNTIME_FORK_H
