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

namespace tripy {

/// Since the process started, or clearEagerCache() was called.
struct CacheStatistics {
  /// Evaluations that found their program, and those that compiled it.
  uint64_t hits = 0, misses = 0;
  /// Programs that are kept now.
  size_t programs = 0;
};
CacheStatistics eagerCacheStatistics();

/// Lets all programs go, and counts from 0 again.
void clearEagerCache();

/// Keeps at most this many programs (1024 unless set), those that were used
/// last; 0 keeps none.
void setEagerCacheLimit(size_t programs);

} // namespace tripy

#endif // TRIPY_FRONTEND_CACHE_H
