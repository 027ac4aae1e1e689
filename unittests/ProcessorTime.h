//===- ProcessorTime.h - How long something takes ---------------*- C++ -*-===//
//
// For tests of growth and of ratios: processor time, since a busy machine
// stretches every other.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_PROCESSORTIME_H
#define TRIPY_UNITTESTS_PROCESSORTIME_H

#include <algorithm>
#include <ctime>

namespace tripy {

/// Seconds of processor time that this process has taken.
inline double processorTime() {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// The least of three processor times of `body`, in seconds.
template <typename Body> double leastTime(Body body) {
  double least = 1e9;
  for (int round = 0; round < 3; ++round) {
    double start = processorTime();
    body();
    least = std::min(least, processorTime() - start);
  }
  return least;
}

} // namespace tripy

#endif // TRIPY_UNITTESTS_PROCESSORTIME_H
