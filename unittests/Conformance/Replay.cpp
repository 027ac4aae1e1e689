//===- Replay.cpp - Runs compiled conformance programs --------------------===//
//
//   conformance-replay FOLDER...
//
// Runs each NAME.tpx of the folders with the inputs in NAME.safetensors and
// compares with the results there, which ConformanceTests wrote
// (TRIPY_CONFORMANCE_EMIT), or random_shapes.py --emit. Needs the runtime only,
// so that programs compiled elsewhere are checked on a machine with a GPU. Exit
// status 1 when something differs, 2 when something cannot be read. A GPU that
// a program made unusable ends it: the programs behind that one are not run.
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include "tripy/Base/Text.h"
#include "tripy/Runtime/ExecutionContext.h"
#include "tripy/Runtime/IO/SafeTensors.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace tripy;
using namespace tripy::conformance;
using namespace tripy::runtime;

namespace {
struct Totals {
  unsigned programs = 0, results = 0, differing = 0, broken = 0;
  /// Of the first program. Without it, the GPU's context ends with each program
  /// and is made anew for the next.
  std::shared_ptr<Device> device;
};

/// One program and its data.
class Replay {
public:
  Replay(std::string name, Totals &totals)
      : name(std::move(name)), totals(totals) {}
  Status run(const std::string &folder);

private:
  Status runOnce(unsigned number);
  /// The tensors called "<kind>.<run>.0" and so on.
  Result<std::vector<TensorView>> group(const char *kind, unsigned run);
  /// The file has a byte for each element; the runtime packs them.
  Status pack(TensorView &input);
  Result<TensorView> unpack(const TensorView &output);
  std::string metadata(const std::string &key) const;
  void compareOutput(unsigned run, size_t i, const TensorView &found,
                     const TensorView &expected);

  std::string name;
  Totals &totals;
  io::SafeTensors data;
  std::shared_ptr<Executable> executable;
  std::unique_ptr<ExecutionContext> context;
  std::vector<HostTensor> aligned;
};
} // namespace

std::string Replay::metadata(const std::string &key) const {
  for (const auto &[name, value] : data.metadata())
    if (name == key)
      return std::string(value);
  return "";
}

Result<std::vector<TensorView>> Replay::group(const char *kind, unsigned run) {
  std::vector<TensorView> views;
  for (unsigned i = 0;; ++i) {
    std::string key = concat(kind, ".", run, ".", i);
    if (!data.find(key))
      return views;
    Result<HostTensor> copy = data.read(key);
    if (!copy)
      return copy.status();
    aligned.push_back(std::move(*copy));
    views.push_back(aligned.back().view());
  }
}

Status Replay::pack(TensorView &input) {
  Result<HostTensor> packed = HostTensor::create(DType::I4, input.shape);
  if (!packed)
    return packed.status();
  const auto *from = static_cast<const int8_t *>(input.data);
  auto *to = reinterpret_cast<uint8_t *>(packed->data());
  std::fill_n(to, packed->bytes(), uint8_t(0));
  for (uint64_t i = 0, n = *input.shape.elements(); i < n; ++i)
    to[i / 2] = packI4(to[i / 2], i % 2, from[i]);
  aligned.push_back(std::move(*packed));
  input = aligned.back().view();
  return Status::ok();
}

Result<TensorView> Replay::unpack(const TensorView &output) {
  Result<HostTensor> bytes = HostTensor::create(DType::I8, output.shape);
  if (!bytes)
    return bytes.status();
  const auto *from = static_cast<const uint8_t *>(output.data);
  auto *to = reinterpret_cast<int8_t *>(bytes->data());
  for (uint64_t i = 0, n = *output.shape.elements(); i < n; ++i)
    to[i] = unpackI4(from[i / 2], i % 2);
  aligned.push_back(std::move(*bytes));
  return aligned.back().view();
}

void Replay::compareOutput(unsigned run, size_t i, const TensorView &found,
                           const TensorView &expected) {
  Tolerance tolerance;
  std::sscanf(metadata(concat("tolerance.", i)).c_str(), "%u %lf %lf",
              &tolerance.ulp, &tolerance.relative, &tolerance.absolute);
  std::string problem =
      found.dtype == expected.dtype && found.shape == expected.shape
          ? compareElements(found.dtype, *found.shape.elements(), found.data,
                            expected.data, tolerance)
          : "another type or shape";
  ++totals.results;
  if (problem.empty())
    return;
  ++totals.differing;
  std::printf("%s, run %u, %s: %s\n", name.c_str(), run,
              metadata(concat("label.", i)).c_str(), problem.c_str());
}

Status Replay::runOnce(unsigned number) {
  Result<std::vector<TensorView>> inputs = group("in", number);
  Result<std::vector<TensorView>> expected = group("out", number);
  if (!inputs || !expected)
    return inputs ? expected.status() : inputs.status();
  const auto &arguments = executable->program().inputs;
  for (size_t i = 0; i < std::min(arguments.size(), inputs->size()); ++i)
    if (isPacked(arguments[i].dtype))
      if (Status status = pack((*inputs)[i]); !status.isOk())
        return status;
  std::vector<Shape> shapes(executable->program().outputs.size());
  if (Status status = context->outputShapes(*inputs, shapes); !status.isOk())
    return status;
  std::vector<TensorView> outputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    Result<HostTensor> output =
        HostTensor::create(executable->program().outputs[i].dtype, shapes[i]);
    if (!output)
      return output.status();
    // What a kernel leaves out is not there by chance.
    std::fill_n(output->data(), output->bytes(), uint8_t(0x5a));
    aligned.push_back(std::move(*output));
    outputs.push_back(aligned.back().view());
  }
  if (Status status = context->run(*inputs, outputs); !status.isOk())
    return status;
  if (outputs.size() != expected->size())
    return Status(Code::Malformed, "another number of results");
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (isPacked(outputs[i].dtype)) {
      Result<TensorView> bytes = unpack(outputs[i]);
      if (!bytes)
        return bytes.status();
      outputs[i] = *bytes;
    }
    compareOutput(number, i, outputs[i], (*expected)[i]);
  }
  return Status::ok();
}

Status Replay::run(const std::string &folder) {
  std::string stem = folder + "/" + name;
  Result<io::SafeTensors> opened = io::SafeTensors::open(stem + ".safetensors");
  if (!opened)
    return opened.status();
  data = std::move(*opened);
  auto loaded = Executable::load(stem + ".tpx", {.trustHostCode = true});
  if (!loaded)
    return loaded.status();
  executable = *loaded;
  if (!totals.device)
    totals.device = executable->device();
  auto created = ExecutionContext::create(executable);
  if (!created)
    return created.status();
  context = std::move(*created);
  unsigned runs = std::atoi(metadata("runs").c_str());
  for (unsigned number = 0; number < runs; ++number) {
    aligned.clear();
    if (Status status = runOnce(number); !status.isOk())
      return std::move(status).withContext(concat("run ", number));
  }
  return Status::ok();
}

/// All programs of a folder; the status is not ok when no other can follow.
static Status replayFolder(const std::string &folder, Totals &totals) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".tpx")
      names.push_back(entry.path().stem().string());
  if (error || names.empty())
    return Status(Code::Io, concat(folder, " holds no programs"));
  std::sort(names.begin(), names.end());
  for (const std::string &name : names) {
    Status status = Replay(name, totals).run(folder);
    ++totals.programs;
    if (status.isOk())
      continue;
    ++totals.broken;
    std::printf("%s: %s\n", name.c_str(), status.message().c_str());
    if (status.code() == Code::ContextLost)
      return Status(Code::ContextLost,
                    "the GPU is lost: no other program runs");
  }
  return Status::ok();
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: conformance-replay FOLDER...\n");
    return 2;
  }
  Totals totals;
  for (int i = 1; i < argc; ++i) {
    Status status = replayFolder(argv[i], totals);
    if (status.isOk())
      continue;
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
    totals.broken += status.code() == Code::Io;
    break;
  }
  std::printf(
      "%u programs, %u results compared, %u differ, %u programs failed\n",
      totals.programs, totals.results, totals.differing, totals.broken);
  return totals.broken ? 2 : totals.differing ? 1 : 0;
}
