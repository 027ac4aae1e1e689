//===- Cache.h - The cache of eager evaluation ------------------*- C++ -*-===//
//
// Evaluation compiles a program for each structure of graph that it meets, and
// keeps it: a graph of the same operations, shapes and element types runs
// without being compiled, whatever its constants are.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_CACHE_H
#define TRIPY_FRONTEND_CACHE_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace tripy {

/// Since the process started, or clearEagerCache() was called.
struct CacheStatistics {
  /// Evaluations that found their program in memory, and those that did not.
  uint64_t hits = 0, misses = 0;
  /// Of the misses, those that found it in the folder; the others compiled it.
  uint64_t fromDisk = 0;
  /// Programs that are in memory now.
  size_t programs = 0;
};
/// \code
///   tp::clearEagerCache();
///   std::cout << tp::eagerCacheStatistics().programs;
///   // 0
/// \endcode
CacheStatistics eagerCacheStatistics();

/// Lets all programs in memory go, and counts from 0 again.
void clearEagerCache();

/// Keeps programs between processes in `folder`, which any number of processes
/// may share, and removes those used longest ago when they have more than
/// `bytes` together; an empty name keeps none. Unless it is set, the folder is
/// "programs" in that of the compile cache ($TRIPY_CACHE_DIR,
/// $XDG_CACHE_HOME/tripy, ~/.cache/tripy), with 256 MiB; an empty
/// TRIPY_CACHE_DIR switches it off. Programs for the CPU are machine code:
/// whoever may write to the folder decides what runs.
void setEagerCacheFolder(const std::string &folder,
                         uint64_t bytes = uint64_t(256) << 20);

/// Keeps at most this many programs (1024 unless set), those that were used
/// last; 0 keeps none.
void setEagerCacheLimit(size_t programs);

} // namespace tripy

#endif // TRIPY_FRONTEND_CACHE_H
