//===- Cache.h - The cache of eager evaluation ------------------*- C++ -*-===//
//
// Evaluation compiles a program for each structure of a graph, and caches it: a
// graph with the same operations, shapes and element types runs without being
// compiled again, whatever its constants are.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_CACHE_H
#define TRIPY_FRONTEND_CACHE_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace tripy {

/// Statistics since the process started, or since clearEagerCache() was called.
struct CacheStatistics {
  /// Evaluations that found their program in memory, and those that did not.
  uint64_t hits = 0, misses = 0;
  /// The misses that found it in the folder; the others compiled it.
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

/// Releases all programs in memory, and resets the statistics.
void clearEagerCache();

/// Caches programs between processes in `folder`, which any number of processes
/// may share, and removes the least recently used ones if they have more than
/// `bytes` together; an empty name disables the cache. By default, the folder
/// is "programs" in that of the compile cache ($TRIPY_CACHE_DIR,
/// $XDG_CACHE_HOME/tripy, ~/.cache/tripy), with 256 MiB; an empty
/// TRIPY_CACHE_DIR disables it. Programs for the CPU are machine code:
/// whoever may write to the folder decides what runs.
void setEagerCacheFolder(const std::string &folder,
                         uint64_t bytes = uint64_t(256) << 20);

/// Keeps at most this many programs in memory (default: 1024), the most
/// recently used ones; 0 keeps none.
void setEagerCacheLimit(size_t programs);

} // namespace tripy

#endif // TRIPY_FRONTEND_CACHE_H
