//===- Benchmark.cpp - Timing of repeated runs ----------------------------===//

#include "Benchmark.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/Cuda/CudaDevice.h"
#include "tripy/Runtime/IO/TensorPrinter.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

using namespace tripy;
using namespace tripy::run;
using runtime::Device;
using runtime::DeviceMemory;
using runtime::ExecutionContext;
using runtime::Stream;
using runtime::TensorView;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Times run::summarize(std::vector<double> seconds) {
  if (seconds.empty())
    return {};
  std::sort(seconds.begin(), seconds.end());
  Times times;
  for (size_t i = 0; i < percentiles.size(); ++i)
    times.seconds[i] =
        seconds[size_t(percentiles[i].part * double(seconds.size() - 1) + 0.5)];
  return times;
}

double Times::at(std::string_view name) const {
  for (size_t i = 0; i < percentiles.size(); ++i)
    if (percentiles[i].name == name)
      return seconds[i];
  return 0;
}

namespace {

/// Copies of tensors on the program's device; on the CPU the tensors
/// themselves. Inputs of `inputsOf` that are sizes stay in host memory.
class OnDevice {
public:
  explicit OnDevice(std::shared_ptr<Device> device,
                    const runtime::Executable *inputsOf = nullptr)
      : device(std::move(device)), inputsOf(inputsOf) {}

  Status add(std::span<const TensorView> tensors) {
    for (TensorView view : tensors) {
      uint64_t bytes = view.shape.bytes(view.dtype).value_or(0);
      if (device->kind() != DeviceKind::CPU && bytes > 0 &&
          !isSize(views.size())) {
        Result<DeviceMemory> memory = DeviceMemory::allocate(device, bytes);
        if (!memory)
          return memory.status();
        if (Status status =
                device->copyToDevice(memory->data(), view.data, bytes, nullptr);
            !status.isOk())
          return status;
        view.device = device->kind();
        view.ordinal = device->ordinal();
        view.data = memory->data();
        memories.push_back(std::move(*memory));
      }
      views.push_back(view);
    }
    return device->synchronize(nullptr);
  }
  std::span<const TensorView> tensors() const { return views; }

private:
  bool isSize(size_t number) const {
    if (!inputsOf)
      return false;
    TableIndex input = inputsOf->argumentInputs()[number];
    return inputsOf->program().inputs[input].kind == InputKind::Size;
  }

  std::shared_ptr<Device> device;
  const runtime::Executable *inputsOf;
  std::vector<DeviceMemory> memories;
  std::vector<TensorView> views;
};

/// A stream that is destroyed with the object.
struct OwnedStream {
  Device &device;
  Stream stream = nullptr;
  ~OwnedStream() {
    if (stream)
      device.destroyStream(stream);
  }
};

/// Host time of a call and time of a replay on a GPU.
Status measureReplay(ExecutionContext &context,
                     std::span<const TensorView> inputs,
                     std::span<const TensorView> outputs, uint32_t runs,
                     BenchmarkResult &result) {
  Device &device = *context.executable().device();
  Result<Stream> created = device.createStream();
  if (!created)
    return created.status();
  OwnedStream stream{device, *created};
  runtime::RunOptions options{.stream = *created, .synchronize = false};
  std::vector<double> calls;
  double total = 0;
  // In batches: a full queue would make the host wait for the GPU.
  for (uint32_t done = 0; done < runs;) {
    uint32_t batch = std::min<uint32_t>(runs - done, 64);
    Clock::time_point start = Clock::now();
    for (uint32_t i = 0; i < batch; ++i) {
      Clock::time_point call = Clock::now();
      if (Status status = context.run(inputs, outputs, options); !status.isOk())
        return status;
      calls.push_back(secondsSince(call));
    }
    if (Status status = device.synchronize(*created); !status.isOk())
      return status;
    total += secondsSince(start);
    done += batch;
  }
  result.host = summarize(std::move(calls));
  result.replay = total / runs;
  // Far larger than any cache; less when the program fills the memory.
  for (uint64_t bytes : {uint64_t(1) << 30, uint64_t(1) << 28})
    if (Result<double> rate = cuda::measureCopyBandwidth(device, bytes)) {
      result.copyRate = *rate;
      break;
    }
  return Status::ok();
}

} // namespace

static std::vector<runtime::Backend>
listBackends(const runtime::Executable &executable) {
  std::vector<runtime::Backend> found;
  for (TableIndex i = 0; i < executable.program().launches.size(); ++i)
    if (executable.program().launches[i].product != noIndex)
      found.push_back(executable.backend(i));
  return found;
}

/// "  2 of 3 launches that a library may compute: cuBLASLt 13.1.0; own kernel:
/// why", each text once.
static std::string
formatBackends(const std::vector<runtime::Backend> &backends) {
  if (backends.empty())
    return "";
  std::vector<std::string> texts;
  for (const runtime::Backend &backend : backends)
    if (std::find(texts.begin(), texts.end(), backend.text) == texts.end())
      texts.push_back(backend.text);
  auto used = std::count_if(backends.begin(), backends.end(),
                            [](auto &backend) { return backend.isLibrary; });
  std::string out =
      concat("  by a library: ", used, " of ", backends.size(),
             backends.size() == 1 ? " launch" : " launches", " that may be: ");
  for (const std::string &text : texts)
    out += concat(&text == &texts.front() ? "" : "; ", printable(text, 1024));
  return out + "\n";
}

Result<BenchmarkResult> run::measure(ExecutionContext &context,
                                     std::span<const TensorView> inputs,
                                     std::span<const TensorView> outputs,
                                     uint32_t runs, uint32_t warmUp) {
  const std::shared_ptr<Device> &device = context.executable().device();
  OnDevice given(device, &context.executable()), taken(device);
  for (Status status : {given.add(inputs), taken.add(outputs)})
    if (!status.isOk())
      return status;
  // Caches, clocks and lazily made state settle during a few runs.
  for (uint32_t i = 0; i < warmUp; ++i)
    if (Status status = context.run(given.tensors(), taken.tensors());
        !status.isOk())
      return status;
  std::vector<double> seconds;
  seconds.reserve(runs);
  for (uint32_t i = 0; i < runs; ++i) {
    Clock::time_point start = Clock::now();
    if (Status status = context.run(given.tensors(), taken.tensors());
        !status.isOk())
      return status;
    seconds.push_back(secondsSince(start));
  }
  BenchmarkResult result;
  result.runs = runs;
  result.warmUp = warmUp;
  for (std::span<const TensorView> tensors : {inputs, outputs})
    for (const TensorView &tensor : tensors)
      result.bytes += tensor.shape.bytes(tensor.dtype).value_or(0);
  result.latency = summarize(std::move(seconds));
  result.backends = listBackends(context.executable());
  if (device->kind() == DeviceKind::CUDA)
    if (Status status = measureReplay(context, given.tensors(), taken.tensors(),
                                      runs, result);
        !status.isOk())
      return status;
  return result;
}

/// "min 1.00 us, p5 1.01 us, ...".
static std::string formatTimes(const Times &times) {
  std::string text;
  for (size_t i = 0; i < percentiles.size(); ++i)
    text += concat(i ? ", " : "", percentiles[i].name, " ",
                   formatSeconds(times.seconds[i]));
  return text;
}

void run::writeBenchmark(Json &json, const BenchmarkResult &result) {
  json.key("runs").number(uint64_t(result.runs));
  json.key("warm_up").number(uint64_t(result.warmUp));
  for (size_t i = 0; i < percentiles.size(); ++i)
    json.key(concat(percentiles[i].name, "_s"))
        .number(result.latency.seconds[i]);
  json.key("bytes").number(result.bytes);
  if (result.replay > 0) {
    for (size_t i = 0; i < percentiles.size(); ++i)
      json.key(concat("host_", percentiles[i].name, "_s"))
          .number(result.host.seconds[i]);
    json.key("replay_s").number(result.replay);
    json.key("copy_gbps").number(result.copyRate * 1e-9);
  }
  if (result.backends.empty())
    return;
  json.key("library_candidates").number(uint64_t(result.backends.size()));
  json.key("library_launches")
      .number(uint64_t(
          std::count_if(result.backends.begin(), result.backends.end(),
                        [](auto &backend) { return backend.isLibrary; })));
}

std::string run::formatBenchmark(const BenchmarkResult &result,
                                 const std::string &model,
                                 const Device &device) {
  std::string place = io::formatLocation(device.kind(), device.ordinal());
  bool gpu = device.kind() == DeviceKind::CUDA;
  std::string text = concat(
      printable(model, 1024), " on ", place, " (", printable(device.name()),
      "), ", result.runs, " runs after ", result.warmUp,
      " to warm up\n  time of a call: ", formatTimes(result.latency), "\n");
  if (gpu)
    text +=
        concat("  of that on the host: ", formatTimes(result.host),
               "\n  one of ", result.runs,
               " replays back to back: ", formatSeconds(result.replay), "\n");
  if (gpu && result.copyRate > 0) {
    double rate = double(result.bytes) / std::max(result.replay, 1e-12);
    char line[128];
    std::snprintf(line, sizeof(line),
                  "  inputs and outputs: %.1f GB/s, %.3f of a copy's %.1f "
                  "GB/s\n",
                  rate * 1e-9, rate / result.copyRate, result.copyRate * 1e-9);
    text += line;
  }
  return text + formatBackends(result.backends);
}
