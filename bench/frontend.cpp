//===- frontend.cpp - What the C++ frontend costs -------------------------===//
//
// usage: frontend-benchmark [--device cpu|cuda:N] [--processes=N] [--check]
//
// Prints JSON: for each case the median of its runs and the least one in
// microseconds, and the aim where there is one. What happens once in a process
// is measured in processes of its own. With --check, exits 1 when a median is
// above its aim, which says something on a machine that does nothing else.
//
//===----------------------------------------------------------------------===//

#include "tripy/tripy.h"

#include "Call.h"
#include "Devices.h"
#include "Evaluate.h"
#include "ProgramCache.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Hash.h"
#include "tripy/Runtime/Cuda/CudaDevice.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <malloc.h>
#include <unistd.h>

namespace tp = tripy;

namespace {

struct Row {
  std::string name;
  std::vector<double> runs;
  /// 0 where there is none.
  double aim = 0;

  double median() const {
    std::vector<double> sorted = runs;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  double least() const { return *std::min_element(runs.begin(), runs.end()); }
};

/// The multilayer perceptron of the founding documents.
struct MLP : tp::Module {
  // NOLINTNEXTLINE(readability-identifier-naming): names in state dicts.
  tp::Linear c_fc, c_proj;
  explicit MLP(int64_t width)
      : c_fc(width, 4 * width), c_proj(4 * width, width) {}
  tp::Tensor forward(const tp::Tensor &x) const {
    return c_proj(tp::gelu(c_fc(x)));
  }
  TRIPY_MODULE(MLP, c_fc, c_proj)
};

} // namespace

/// Microseconds.
template <typename F> static double timed(F &&work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - start)
      .count();
}

template <typename F> static std::vector<double> repeated(int count, F &&work) {
  std::vector<double> runs;
  for (int i = 0; i < count; ++i)
    runs.push_back(timed(work));
  return runs;
}

static std::string print(const tp::Tensor &tensor) {
  std::ostringstream os;
  os << tensor;
  return os.str();
}

/// What the work gives is what it should: no number is of a program that is
/// wrong.
static void expect(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "frontend-benchmark: wrong values: %s\n", what);
  std::exit(1);
}

static tp::Tensor longChain(const tp::Tensor &x, int64_t operations) {
  tp::Tensor sum = x;
  for (int64_t i = 0; i < operations / 2; ++i)
    sum = tp::exp(sum + x);
  return sum;
}

static tp::frontend::Collected collectOf(const tp::Tensor &tensor) {
  const tp::frontend::Value &value = tp::frontend::Call::valueOf(tensor);
  std::lock_guard lock(tp::frontend::graphMutex());
  return tp::frontend::collect({&value, 1});
}

static tp::Hash128 hashOf(const tp::frontend::Collected &collected) {
  std::string text = tp::frontend::structureOf(collected);
  return tp::hashBytes(
      {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

/// For test/Host/costs.py: the work that grows with the graph.
static void hashChain(int64_t operations) {
  tp::Tensor x = tp::ones({4}), sum = longChain(x, operations);
  hashOf(collectOf(sum));
}

//===-- once in a process -------------------------------------------------===//

static std::vector<double> printFirst(bool opensDevice) {
  std::vector<double> times;
  if (opensDevice)
    times.push_back(timed([] { tp::Stream().synchronize(); }));
  tp::Tensor c;
  std::string text;
  times.push_back(timed([&] { c = tp::arange(5) + 1.5; }));
  times.push_back(timed([&] { text = print(c); }));
  expect(text.starts_with("tensor([1.5000, 2.5000, 3.5000, 4.5000, 5.5000]"),
         "c");
  return times;
}

/// Bytes that the first tensor of a process takes.
static std::vector<double> firstBytes() {
  size_t before = mallinfo2().uordblks;
  tp::Tensor c = tp::arange(5) + 1.5;
  return {double(mallinfo2().uordblks - before)};
}

static std::vector<double> evaluateTwice() {
  MLP mlp(2);
  tp::Tensor input = tp::iota({1, 2}, 1);
  std::vector<float> values;
  std::vector<double> times =
      repeated(2, [&] { values = mlp(input).toVector<float>(); });
  expect(std::abs(values[0] - 447.9999) < 1e-3 &&
             std::abs(values[1] - 1183.7289) < 1e-3,
         "the MLP");
  return times;
}

/// What `result` has; ends the process where that is an error.
template <typename T> static T valueOf(tp::Result<T> result, const char *what) {
  if (!result) {
    std::fprintf(stderr, "frontend-benchmark: %s: %s\n", what,
                 result.status().message().c_str());
    std::exit(1);
  }
  return std::move(*result);
}

/// The driver alone: what no program of this process can avoid.
static std::vector<double> startDriver() {
  std::vector<double> times;
  const tp::cuda::DriverApi *api = nullptr;
  times.push_back(
      timed([&] { api = valueOf(tp::cuda::systemDriver(), "the driver"); }));
  bool isOk = true;
  auto step = [&](auto work) {
    times.push_back(
        timed([&] { isOk &= work() == tp::cuda::DriverResult::Success; }));
  };
  tp::cuda::DeviceId device = 0;
  tp::cuda::ContextHandle context = nullptr;
  tp::cuda::StreamHandle stream = nullptr;
  tp::cuda::DevicePointer memory = 0;
  void *pinned = nullptr;
  step([&] { return api->init(0); });
  step([&] {
    isOk &= api->deviceGet(&device, tp::defaultDevice().index()) ==
            tp::cuda::DriverResult::Success;
    return api->devicePrimaryCtxRetain(&context, device);
  });
  isOk &= api->ctxPushCurrent(context) == tp::cuda::DriverResult::Success;
  step([&] { return api->streamCreate(&stream, 0); });
  step([&] { return api->memAlloc(&memory, 512); });
  step([&] { return api->memHostAlloc(&pinned, 64 << 10, 0); });
  expect(isOk, "the driver's results");
  return times;
}

/// The parts of a first print, one after the other.
static std::vector<double> printInParts() {
  std::vector<double> times;
  tp::Device device = tp::defaultDevice();
  tp::Tensor c = tp::arange(5) + 1.5;
  tp::frontend::Collected collected = collectOf(c);
  std::shared_ptr<tp::runtime::Device> opened;
  times.push_back(
      timed([&] { opened = tp::frontend::openDevice(device, {}); }));
  std::vector<uint8_t> bytes;
  auto compile = [&] {
    bytes = tp::frontend::compileEager(collected.program, device, {});
  };
  times.push_back(timed(compile));
  times.push_back(timed(compile));
  tp::runtime::LoadOptions load;
  load.trustHostCode = true;
  load.device = opened;
  std::shared_ptr<tp::runtime::Executable> program;
  times.push_back(timed([&] {
    program =
        valueOf(tp::runtime::Executable::loadBytes(bytes, load), "the loader");
  }));
  std::unique_ptr<tp::runtime::ExecutionContext> context;
  times.push_back(timed([&] {
    context =
        valueOf(tp::runtime::ExecutionContext::create(program), "the context");
  }));
  std::vector<tp::runtime::TensorView> inputs;
  for (const auto &input : collected.inputs)
    inputs.push_back(input->view());
  auto result = valueOf(
      tp::runtime::HostTensor::create(tp::float32, tp::runtime::Shape({5})),
      "memory");
  tp::runtime::TensorView output = result.view();
  auto run = [&] {
    expect(context->run(inputs, {&output, 1}).isOk(), "the run");
  };
  times.push_back(timed(run));
  times.push_back(timed(run));
  return times;
}

/// The part that runs in its own process: prints its times.
static int runOne(const std::string &name) {
  if (name.starts_with("graph:")) {
    hashChain(std::atoll(name.c_str() + 6));
    return 0;
  }
  std::vector<double> times = name == "bytes"    ? firstBytes()
                              : name == "twice"  ? evaluateTwice()
                              : name == "driver" ? startDriver()
                              : name == "parts"  ? printInParts()
                                                 : printFirst(name == "opened");
  for (double time : times)
    std::printf("%.3f\n", time);
  return 0;
}

/// Times of several processes, by what they measure.
static std::vector<std::vector<double>> inProcesses(const std::string &name,
                                                    int processes) {
  std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<std::vector<double>> columns;
  for (int i = 0; i < processes; ++i) {
    FILE *pipe = popen(("'" + self + "' --one=" + name).c_str(), "r");
    if (!pipe) {
      std::perror("frontend-benchmark: popen");
      std::exit(1);
    }
    double time = 0;
    for (size_t at = 0; std::fscanf(pipe, "%lf", &time) == 1; ++at) {
      if (at == columns.size())
        columns.emplace_back();
      columns[at].push_back(time);
    }
    if (pclose(pipe) != 0)
      std::exit(1);
  }
  return columns;
}

/// Rows of what a child prints, one for each of `names`.
static void addParts(std::vector<Row> &rows, const std::string &child,
                     int processes, std::initializer_list<const char *> names) {
  auto columns = inProcesses(child, processes);
  size_t at = 0;
  for (const char *name : names)
    rows.push_back({name, columns[at++]});
}

/// `folder` is where programs are kept, for the process that finds them.
static void measureFirst(std::vector<Row> &rows, int processes,
                         const std::string &folder) {
  setenv("TRIPY_CACHE_DIR", "", 1);
  auto first = inProcesses("first", processes);
  rows.push_back({"create c, first of a process", first[0], 50});
  rows.push_back({"print c, first of a process", first[1], 150'000});
  auto opened = inProcesses("opened", processes);
  rows.push_back({"open the device", opened[0]});
  rows.push_back({"print c, device open", opened[2]});
  if (tp::defaultDevice().isGpu())
    addParts(rows, "driver", processes,
             {"driver: find libcuda", "driver: cuInit",
              "driver: cuDevicePrimaryCtxRetain", "driver: cuStreamCreate",
              "driver: cuMemAlloc", "driver: cuMemHostAlloc"});
  addParts(rows, "parts", processes,
           {"first print, part: open the device", "first print, part: compile",
            "compile c again", "first print, part: load",
            "first print, part: context", "first print, part: first run",
            "run of c again, host tensors"});
  auto twice = inProcesses("twice", processes);
  rows.push_back({"eager MLP, first iteration", twice[0]});
  rows.push_back({"eager MLP, second iteration", twice[1], 100});
  setenv("TRIPY_CACHE_DIR", folder.c_str(), 1);
  inProcesses("first", 1);
  auto kept = inProcesses("first", processes);
  rows.push_back({"print c, program kept on disk", kept[1]});
  setenv("TRIPY_CACHE_DIR", "", 1);
}

//===-- many times --------------------------------------------------------===//

static void measureCalls(std::vector<Row> &rows) {
  constexpr int calls = 2000;
  rows.push_back(
      {"create c", repeated(calls, [] { (void)(tp::arange(5) + 1.5); }), 50});
  MLP mlp(2);
  tp::Tensor input = tp::iota({1, 2}, 1).eval();
  auto eager = [&] { mlp(input).toVector<float>(); };
  eager();
  rows.push_back({"eager MLP, later iteration", repeated(calls, eager), 100});
  auto started = [&] { mlp(input).eval(); };
  rows.push_back({"eager MLP, not read", repeated(calls, started)});
  tp::Stream::ofThread().synchronize();

  auto compile = [&] {
    return tp::compile(mlp, tp::InputInfo({1, 2}, tp::float32));
  };
  rows.push_back({"compile MLP", repeated(5, compile)});
  tp::Executable fast = compile();
  auto read = [&] { fast(input).toVector<float>(); };
  repeated(calls / 10, read);
  rows.push_back({"compiled MLP, call and read", repeated(calls, read), 15});
  std::vector<double> each;
  for (int i = 0; i < 20; ++i)
    each.push_back(timed([&] {
                     tp::Tensor last;
                     for (int call = 0; call < 100; ++call)
                       last = fast(input);
                     last.toVector<float>();
                   }) /
                   100);
  rows.push_back({"compiled MLP, each of 100 calls, then read", each});
}

/// Launch, wait and copy apart: the MLP through the runtime on memory of the
/// GPU.
static void measureRuntime(std::vector<Row> &rows,
                           const std::vector<uint8_t> &program,
                           uint32_t directLaunches) {
  namespace rt = tp::runtime;
  tp::cuda::CudaOptions options;
  options.directLaunches = directLaunches;
  auto device = valueOf(tp::cuda::createCudaDevice(
                            *valueOf(tp::cuda::systemDriver(), "the driver"),
                            tp::defaultDevice().index(), options),
                        "the device");
  rt::LoadOptions load;
  load.device = device;
  auto context =
      valueOf(rt::ExecutionContext::create(valueOf(
                  rt::Executable::loadBytes(program, load), "the loader")),
              "the context");
  auto stream = valueOf(device->createStream(), "a stream");
  auto memory = valueOf(rt::DeviceMemory::allocate(device, 512), "memory");
  float values[2] = {0, 1};
  constexpr size_t size = sizeof(values);
  rt::TensorView input{tp::float32, tp::DeviceKind::CUDA, device->ordinal(),
                       rt::Shape({1, 2}), memory.data()};
  rt::TensorView output = input;
  output.data = memory.data() + 256;
  bool isOk = device->copyToDevice(input.data, values, size, stream).isOk();
  auto start = [&] {
    isOk &= context
                ->run({&input, 1}, {&output, 1},
                      {.stream = stream, .synchronize = false})
                .isOk();
  };
  auto wait = [&] { isOk &= device->synchronize(stream).isOk(); };
  auto read = [&] {
    isOk &= device->read(values, output.data, size, stream).isOk();
  };
  auto copy = [&] {
    isOk &= device->copyToHost(values, output.data, size, stream).isOk();
    wait();
  };
  auto add = [&](const char *what, auto first, auto second) {
    Row row{std::string("runtime, ") +
                (directLaunches ? "launch: " : "graph: ") + what,
            {}};
    for (int i = 0; i < 2000; ++i) {
      row.runs.push_back(timed([&] { first(), second(); }));
      wait();
    }
    rows.push_back(std::move(row));
  };
  auto nothing = [] {};
  add("start", start, nothing);
  add("start, wait", start, wait);
  add("start, read", start, read);
  add("start, copy to pageable memory, wait", start, copy);
  add("read alone", read, nothing);
  expect(isOk, "calls of the runtime");
  device->destroyStream(stream);
}

/// As a graph, and as launches.
static void measureRuntime(std::vector<Row> &rows, const std::string &folder) {
  if (!tp::defaultDevice().isGpu())
    return;
  std::filesystem::create_directories(folder);
  std::string path = folder + "/mlp.tpx";
  tp::compile(MLP(2), tp::InputInfo({1, 2}, tp::float32)).save(path);
  std::vector<uint8_t> program = valueOf(tp::readFile(path), "the program");
  for (uint32_t directLaunches : {0, 8})
    measureRuntime(rows, program, directLaunches);
}

static void measureGraph(std::vector<Row> &rows) {
  constexpr int64_t operations = 10'000;
  tp::Tensor x = tp::ones({4}).eval(), sum;
  longChain(x, operations); // the compiler gives a type once
  rows.push_back({"graph of 10,000 operations",
                  repeated(20, [&] { sum = longChain(x, operations); }),
                  20'000});
  tp::frontend::Collected collected;
  rows.push_back({"collect 10,000 operations",
                  repeated(20, [&] { collected = collectOf(sum); })});
  rows.push_back({"structural hash of 10,000 operations",
                  repeated(20, [&] { hashOf(collected); }), 10'000});
  expect(collected.program.steps.size() == operations, "the graph");
}

//===-- the program -------------------------------------------------------===//

static void printJson(const std::vector<Row> &rows) {
#ifdef NDEBUG
  const char *build = "release";
#else
  const char *build = "with assertions";
#endif
  std::printf("{\"device\": \"%s\", \"build\": \"%s\", \"unit\": \"us\", "
              "\"rows\": [",
              tp::defaultDevice().str().c_str(), build);
  for (const Row &row : rows) {
    std::printf("%s\n  {\"case\": \"%s\", \"median\": %.2f, \"least\": %.2f",
                &row == rows.data() ? "" : ",", row.name.c_str(), row.median(),
                row.least());
    if (row.aim > 0)
      std::printf(", \"aim\": %.0f", row.aim);
    std::printf(", \"runs\": %zu}", row.runs.size());
  }
  std::printf("\n]}\n");
}

static int fail(const std::string &text) {
  std::fprintf(stderr,
               "frontend-benchmark: %s\nusage: frontend-benchmark [--device "
               "cpu|cuda:N] [--processes=N] [--check]\n",
               text.c_str());
  return 2;
}

static int run(int processes, bool checks) {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      ("frontend-benchmark-" + std::to_string(getpid()));
  std::vector<Row> rows;
  measureFirst(rows, processes, folder);
  measureCalls(rows);
  measureRuntime(rows, folder);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  measureGraph(rows);
  printJson(rows);
  bool missed = std::any_of(rows.begin(), rows.end(), [](const Row &row) {
    return row.aim > 0 && row.median() > row.aim;
  });
  return checks && missed;
}

int main(int argc, char **argv) {
  int processes = 7;
  bool checks = false;
  std::string one;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option == "--device" && i + 1 < argc)
      option = "--device=" + std::string(argv[++i]);
    if (option.starts_with("--device=")) {
      std::string device = option.substr(9);
      if (device.starts_with("cuda"))
        device.replace(0, 4, "gpu");
      setenv("TRIPY_DEVICE", device.c_str(), 1); // of the children, too
    } else if (option.starts_with("--processes=")) {
      processes = std::atoi(option.c_str() + 12);
    } else if (option.starts_with("--one=")) {
      one = option.substr(6);
    } else if (option == "--check") {
      checks = true;
    } else {
      return fail("unknown option '" + option + "'");
    }
  }
  if (processes < 1)
    return fail("--processes is at least 1");
  try {
    return one.empty() ? run(processes, checks) : runOne(one);
  } catch (const tp::Error &error) {
    std::fprintf(stderr, "frontend-benchmark: %s\n", error.what());
    return 1;
  }
}
