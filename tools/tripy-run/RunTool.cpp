//===- RunTool.cpp - What tripy-run does ----------------------------------===//

#include "RunTool.h"
#include "Benchmark.h"
#include "Compare.h"
#include "Options.h"
#include "Profile.h"
#include "TensorSpec.h"
#include "tripy/Base/File.h"
#include "tripy/Base/OutputFiles.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/ExecutionContext.h"
#include "tripy/Runtime/IO/Npy.h"
#include "tripy/Runtime/IO/TensorPrinter.h"
#include "tripy/Runtime/PluginLibraries.h"
#include "tripy/Runtime/Report.h"
#include "tripy/runtime.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>

using namespace tripy;
using namespace tripy::run;
using namespace tripy::runtime;

namespace {

/// One invocation.
class Tool {
public:
  explicit Tool(const Options &options) : options(options) {}
  /// Ok also when outputs differ: then `mismatch` says how.
  Status run(std::string &out);
  std::string mismatch;

private:
  Status load();
  Status bindWeights();
  Status readInputs();
  Status readInput(const NamedSpec &spec, size_t number);
  Result<size_t> findTensor(const NamedSpec &spec, bool input) const;
  Status findReferences();
  Status readReferences();
  std::vector<std::string> sources() const;
  Status checkOutputFiles();
  Status makeOutputs();
  Status execute();
  Status benchmark(std::span<const TensorView> given,
                   std::span<const TensorView> taken);
  Status profile(std::span<const TensorView> given,
                 std::span<const TensorView> taken);
  void compare();
  std::string print() const;
  std::string printJson() const;
  Status writeFiles();

  const Program &program() const { return executable->program(); }
  const std::string &argumentName(size_t argument) const {
    return program().inputs[executable->argumentInputs()[argument]].name;
  }
  std::vector<TensorView> views(const std::vector<HostTensor> &tensors) const {
    std::vector<TensorView> list;
    for (const HostTensor &tensor : tensors)
      list.push_back(tensor.view());
    return list;
  }

  const Options &options;
  std::shared_ptr<Executable> executable;
  std::unique_ptr<ExecutionContext> context;
  /// By argument and by output.
  std::vector<HostTensor> inputs, outputs;
  struct Reference {
    size_t output;
    HostTensor tensor;
    /// Of the shapes; the tensor was not read then.
    std::string difference;
    Comparison comparison = {};
  };
  /// In the order of options.expects.
  std::vector<Reference> references;
  /// File of each output; empty when it is printed.
  std::vector<std::string> files;
  std::optional<BenchmarkResult> times;
  std::optional<Profile> kernels;
};

Status usage(std::string message) {
  return Status(Code::InvalidArgument, std::move(message));
}

Status Tool::load() {
  LoadOptions load;
  // Whoever runs a program by hand has chosen the file; --help says so.
  load.trustHostCode = !options.noHostCode;
  load.inspectOnly = options.info;
  load.threads = options.threads;
  load.showSource = true;
  if (options.device && !options.info) {
    Result<std::shared_ptr<Device>> device =
        *options.device == DeviceKind::CPU ? createCpuDevice(options.threads)
                                           : createCudaDevice(options.ordinal);
    if (!device)
      return device.status();
    load.device = std::move(*device);
  }
  // Nothing runs for --info.
  if (!options.info)
    for (const std::string &library : options.pluginLibraries)
      if (Status status = loadPluginLibrary(library); !status.isOk())
        return status;
  Result<std::shared_ptr<Executable>> loaded =
      Executable::load(options.executable, load);
  if (!loaded)
    return loaded.status();
  executable = std::move(*loaded);
  return Status::ok();
}

Status Tool::bindWeights() {
  if (options.weights.empty())
    return Status::ok();
  if (!executable->hasParameters())
    return usage("the program has no parameters that --weights could bind");
  return executable->bindParameters(options.weights);
}

/// Which argument or output a specification is for.
Result<size_t> Tool::findTensor(const NamedSpec &spec, bool input) const {
  const char *option = input ? "input" : "output";
  std::vector<NamedTensor> names;
  size_t count =
      input ? executable->argumentInputs().size() : program().outputs.size();
  if (spec.name.empty()) {
    if (count != 1)
      return usage(concat("the program has ", count, " ", option, "s; '",
                          printable(spec.spec),
                          "' must be given as NAME=", printable(spec.spec)));
    return size_t(0);
  }
  std::optional<TableIndex> found = input ? executable->findInput(spec.name)
                                          : executable->findOutput(spec.name);
  std::optional<size_t> argument = found;
  if (found && input)
    argument = executable->argumentOf(*found);
  if (argument)
    return *argument;
  // The executable knows how to say what is wrong with a name.
  NamedTensor tensor{spec.name, {}};
  Result<std::vector<TensorView>> arranged =
      input ? executable->arrangeInputs({&tensor, 1})
            : executable->arrangeOutputs({&tensor, 1});
  return arranged.status();
}

Status Tool::readInput(const NamedSpec &spec, size_t number) {
  Result<size_t> argument = findTensor(spec, true);
  if (!argument)
    return argument.status();
  const InputDescription &input =
      program().inputs[executable->argumentInputs()[*argument]];
  Wanted wanted;
  wanted.dtype = input.dtype;
  wanted.isSize = input.kind == InputKind::Size;
  for (TableIndex dim : std::span(input.dims).first(input.rank())) {
    const SizeExpr &expr = program().exprs[dim];
    wanted.shape.push(expr.op == SizeOp::Symbol ? program().symbols[expr.a].opt
                                                : expr.value);
  }
  Status refused;
  wanted.check = [&](DType dtype, const Shape &shape) {
    refused = executable->checkArgument(
        *argument, {dtype, DeviceKind::CPU, 0, shape, nullptr});
    return refused;
  };
  Result<HostTensor> tensor =
      makeTensor(spec.spec, wanted, options.seed + number);
  // What is wrong for the program is no matter of where it comes from.
  if (!refused.isOk())
    return refused;
  if (!tensor)
    return Status(tensor.status())
        .withContext(concat("input '", input.name, "'"));
  inputs[*argument] = std::move(*tensor);
  return executable->checkArgument(*argument, inputs[*argument].view());
}

Status Tool::readInputs() {
  // Names first: a missing input is a better message than what is wrong with
  // the contents of another.
  std::vector<std::string> names;
  for (const NamedSpec &spec : options.inputs) {
    Result<size_t> argument = findTensor(spec, true);
    if (!argument)
      return argument.status();
    names.push_back(argumentName(*argument));
  }
  std::vector<NamedTensor> named;
  for (const std::string &name : names)
    named.push_back({name, {}});
  if (Result<std::vector<TensorView>> arranged =
          executable->arrangeInputs(named);
      !arranged)
    return arranged.status();
  inputs.resize(executable->argumentInputs().size());
  for (size_t i = 0; i < options.inputs.size(); ++i)
    if (Status status = readInput(options.inputs[i], i); !status.isOk())
      return status;
  return Status::ok();
}

Status Tool::findReferences() {
  for (const NamedSpec &spec : options.expects) {
    if (!spec.spec.starts_with("@"))
      return usage(concat("--expect must name a file, as in y=@y.npy, but is '",
                          printable(spec.spec), "'"));
    Result<size_t> output = findTensor(spec, false);
    if (!output)
      return output.status();
    references.push_back({*output, {}, ""});
  }
  return Status::ok();
}

/// Reads references of the outputs' shapes; with another shape, the elements
/// make no difference any more.
Status Tool::readReferences() {
  for (size_t i = 0; i < references.size(); ++i) {
    Reference &reference = references[i];
    const TensorView found = outputs[reference.output].view();
    const std::string &name = program().outputs[reference.output].name;
    auto check = [&](DType, const Shape &shape) {
      if (shape == found.shape)
        return Status::ok();
      reference.difference = describeShapes(name, found.shape, shape);
      return usage(reference.difference);
    };
    Result<HostTensor> tensor =
        readTensor(options.expects[i].spec, found.dtype, check);
    if (tensor)
      reference.tensor = std::move(*tensor);
    else if (reference.difference.empty())
      return tensor.status();
  }
  return Status::ok();
}

/// Every file that is read. What is not there is refused when it is read.
std::vector<std::string> Tool::sources() const {
  std::vector<std::string> paths = {options.executable};
  if (!options.weights.empty())
    paths.push_back(options.weights);
  for (auto list : {&options.inputs, &options.expects})
    for (const NamedSpec &spec : *list)
      if (std::string path = fileOf(spec.spec); !path.empty())
        paths.push_back(path);
  return paths;
}

Status Tool::checkOutputFiles() {
  files.resize(program().outputs.size());
  std::vector<std::string> written;
  for (const NamedSpec &spec : options.outputs) {
    if (!spec.spec.starts_with("@") || !spec.spec.ends_with(".npy") ||
        spec.spec.size() < 6)
      return usage(concat("--output must name a .npy file, as in y=@y.npy, but "
                          "is '",
                          printable(spec.spec), "'"));
    Result<size_t> output = findTensor(spec, false);
    if (!output)
      return output.status();
    if (!files[*output].empty())
      return usage(concat("output '", program().outputs[*output].name,
                          "' is given two files"));
    std::string file = spec.spec.substr(1);
    written.push_back(file);
    files[*output] = std::move(file);
  }
  return tripy::checkOutputFiles(written, sources());
}

Status Tool::makeOutputs() {
  std::vector<Shape> shapes(program().outputs.size());
  if (Status status = context->outputShapes(views(inputs), shapes);
      !status.isOk())
    return status;
  for (size_t i = 0; i < shapes.size(); ++i) {
    Result<HostTensor> tensor =
        HostTensor::create(program().outputs[i].dtype, shapes[i]);
    if (!tensor)
      return Status(tensor.status())
          .withContext(concat("output '", program().outputs[i].name, "'"));
    outputs.push_back(std::move(*tensor));
  }
  return Status::ok();
}

Status Tool::benchmark(std::span<const TensorView> given,
                       std::span<const TensorView> taken) {
  uint32_t warmUp =
      options.warmUp.value_or(std::min<uint32_t>(options.benchmark, 10));
  Result<BenchmarkResult> result =
      measure(*context, given, taken, options.benchmark, warmUp);
  if (!result)
    return result.status();
  times = std::move(*result);
  return Status::ok();
}

Status Tool::profile(std::span<const TensorView> given,
                     std::span<const TensorView> taken) {
  // The second run has warm caches and everything that is made lazily.
  std::vector<double> seconds(program().launches.size());
  for (int i = 0; i < 2; ++i)
    if (Status status = context->profile(given, taken, seconds); !status.isOk())
      return status;
  kernels.emplace(*executable);
  kernels->addTimes(seconds, context->lastSizes());
  return Status::ok();
}

Status Tool::execute() {
  std::vector<TensorView> given = views(inputs), taken = views(outputs);
  if (options.benchmark > 0)
    if (Status status = benchmark(given, taken); !status.isOk())
      return status;
  if (options.profileWhy)
    if (Status status = profile(given, taken); !status.isOk())
      return status;
  return context->run(given, taken);
}

void Tool::compare() {
  for (Reference &reference : references) {
    if (reference.difference.empty())
      reference.comparison =
          compareTensors(program().outputs[reference.output].name,
                         outputs[reference.output].view(),
                         reference.tensor.view(), options.rtol, options.atol);
    else
      reference.comparison.text = reference.difference;
    if (!reference.comparison.matches)
      mismatch += (mismatch.empty() ? "" : "\n") + reference.comparison.text;
  }
}

std::string Tool::print() const {
  const Device &device = *executable->device();
  std::string place = io::formatLocation(device.kind(), device.ordinal());
  std::string out;
  if (times)
    out += formatBenchmark(*times, options.executable, device);
  if (kernels)
    out += kernels->format();
  for (size_t i = 0; i < outputs.size() && !times && !kernels; ++i) {
    if (!files[i].empty())
      continue;
    if (outputs.size() > 1)
      out += program().outputs[i].name + " = ";
    out += io::formatTensor(outputs[i].view(), place) + "\n";
  }
  for (const Reference &reference : references)
    if (reference.comparison.matches)
      out += reference.comparison.text + "\n";
  return out;
}

std::string Tool::printJson() const {
  const Device &device = *executable->device();
  Json json;
  json.beginObject().key("model").text(options.executable);
  json.key("device").text(io::formatLocation(device.kind(), device.ordinal()));
  json.key("machine").text(device.name());
  if (times)
    writeBenchmark(json, *times);
  if (kernels)
    kernels->write(json.key("profile"));
  if (!references.empty()) {
    json.key("expect").beginArray();
    for (const Reference &reference : references)
      writeComparison(json, program().outputs[reference.output].name,
                      reference.comparison);
    json.endArray();
  }
  return json.endObject().take();
}

Status Tool::writeFiles() {
  // All bytes are on disk before the first file gets its name.
  std::vector<FileWriter> writers;
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].empty())
      continue;
    Result<FileWriter> writer = FileWriter::create(files[i]);
    if (!writer)
      return writer.status();
    if (Status status = io::writeNpy(*writer, outputs[i].view());
        !status.isOk())
      return status;
    writers.push_back(std::move(*writer));
  }
  return FileWriter::commitAll(writers);
}

Status Tool::run(std::string &out) {
  if (Status status = load(); !status.isOk())
    return status;
  if (options.info) {
    out = formatProgram(program());
    if (options.why)
      out += Profile(*executable).formatLines();
    return Status::ok();
  }
  for (auto step : {&Tool::checkOutputFiles, &Tool::readInputs,
                    &Tool::findReferences, &Tool::bindWeights})
    if (Status status = (this->*step)(); !status.isOk())
      return status;
  Result<std::unique_ptr<ExecutionContext>> created =
      ExecutionContext::create(executable);
  if (!created) {
    Status status = created.status();
    bool unbound = executable->hasParameters() && options.weights.empty();
    return unbound ? Status(status.code(),
                            concat(status.message(), ", with --weights"))
                   : status;
  }
  context = std::move(*created);
  for (auto step : {&Tool::makeOutputs, &Tool::readReferences})
    if (Status status = (this->*step)(); !status.isOk())
      return status;
  if (Status status = execute(); !status.isOk())
    return status;
  compare();
  // Texts first: when memory ends nothing is written.
  std::string text = options.json ? printJson() : print();
  if (mismatch.empty())
    if (Status status = writeFiles(); !status.isOk())
      return status;
  out = std::move(text);
  return Status::ok();
}

ToolResult failure(const Status &status) {
  return {2, "", concat("tripy-run: error: ", status.message(), "\n")};
}

} // namespace

/// As runTool(); what other exceptions there are is a fault of the tool's own.
static ToolResult runGuarded(std::span<const char *const> arguments) {
  try {
    Result<Options> options = parseOptions(arguments);
    if (!options)
      return failure(options.status());
    if (options->help)
      return {0, helpText, ""};
    if (options->version)
      return {0,
              concat("tripy-run ", int(TRIPY_VERSION_MAJOR), ".",
                     int(TRIPY_VERSION_MINOR), "\n"),
              ""};
    Tool tool(*options);
    ToolResult result;
    if (Status status = tool.run(result.out); !status.isOk())
      return failure(status);
    if (!tool.mismatch.empty()) {
      result.status = 1;
      result.err = concat("tripy-run: ", tool.mismatch, "\n");
    }
    return result;
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &error) {
    return failure(Status(Code::Internal, error.what()));
  }
}

ToolResult run::runTool(std::span<const char *const> arguments) {
  try {
    ToolResult result = runGuarded(arguments);
    // Files, drivers and libraries have their say in these texts.
    result.out = printableOutput(result.out);
    result.err = printableOutput(result.err);
    return result;
  } catch (const std::bad_alloc &) {
    ToolResult result;
    result.status = 2;
    result.outOfMemory = true;
    return result;
  }
}
