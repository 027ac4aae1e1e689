//===- Benchmark.h - Timing of repeated runs --------------------*- C++ -*-===//
//
// Private to tripy-run and its tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYRUN_BENCHMARK_H
#define TRIPY_TOOLS_TRIPYRUN_BENCHMARK_H

#include "tripy/Runtime/ExecutionContext.h"

#include <span>
#include <string>
#include <vector>

namespace tripy::run {

/// Order statistics of some times, in seconds.
struct Times {
  double median = 0, min = 0, lowerQuartile = 0, upperQuartile = 0;
};
Times summarize(std::vector<double> seconds);

/// What was measured.
struct BenchmarkResult {
  uint32_t runs = 0;
  /// One call until its outputs are ready.
  Times latency;
  /// GPU only: time of the call alone, and of one replay among many that are
  /// enqueued back to back.
  Times host;
  double replay = 0;
  /// Bytes of all inputs and outputs.
  uint64_t bytes = 0;
  /// GPU only: bytes read and written per second by copies within the device,
  /// measured beside the runs; 0 when there was no memory for it.
  double copyRate = 0;
  /// Of each launch that a library may compute.
  std::vector<runtime::Backend> backends;
};

/// Times `runs` runs after a warm-up, with tensors on the program's device.
Result<BenchmarkResult> measure(runtime::ExecutionContext &context,
                                std::span<const runtime::TensorView> inputs,
                                std::span<const runtime::TensorView> outputs,
                                uint32_t runs);

std::string formatBenchmark(const BenchmarkResult &result,
                            const std::string &model,
                            const runtime::Device &device, bool json);

} // namespace tripy::run

#endif // TRIPY_TOOLS_TRIPYRUN_BENCHMARK_H
