//===- Benchmark.h - Timing of repeated runs --------------------*- C++ -*-===//
//
// Private to tripy-run and its tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYRUN_BENCHMARK_H
#define TRIPY_TOOLS_TRIPYRUN_BENCHMARK_H

#include "Json.h"
#include "tripy/Runtime/ExecutionContext.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace tripy::run {

/// What is said of some times: part `part` of them took this long or less.
struct Percentile {
  std::string_view name;
  double part;
};
inline constexpr std::array percentiles = {
    Percentile{"min", 0},      Percentile{"p5", 0.05},  Percentile{"p25", 0.25},
    Percentile{"median", 0.5}, Percentile{"p75", 0.75}, Percentile{"p95", 0.95},
    Percentile{"p99", 0.99},   Percentile{"max", 1}};

/// Order statistics of some times, in seconds, in the order of `percentiles`.
/// Each is a time that was measured: the one of nearest rank.
struct Times {
  std::array<double, percentiles.size()> seconds = {};
  double at(std::string_view name) const;
};
Times summarize(std::vector<double> seconds);

/// What was measured.
struct BenchmarkResult {
  /// Timed runs, and those before them.
  uint32_t runs = 0, warmUp = 0;
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

/// Times `runs` runs after `warmUp` others, with tensors on the program's
/// device.
Result<BenchmarkResult> measure(runtime::ExecutionContext &context,
                                std::span<const runtime::TensorView> inputs,
                                std::span<const runtime::TensorView> outputs,
                                uint32_t runs, uint32_t warmUp);

/// Several lines.
std::string formatBenchmark(const BenchmarkResult &result,
                            const std::string &model,
                            const runtime::Device &device);
/// The same as fields of an object. Names end in their unit: _s, _gbps.
void writeBenchmark(Json &json, const BenchmarkResult &result);

} // namespace tripy::run

#endif // TRIPY_TOOLS_TRIPYRUN_BENCHMARK_H
