//===- TuneKernel.cpp - Times one kernel with several tiles ---------------===//

#include "Tune.h"

#include "../tripy-run/Benchmark.h"
#include "../tripy-run/TensorSpec.h"

#include "tripy/Base/Float.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/Cuda/CudaDevice.h"
#include "tripy/Runtime/ExecutionContext.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace tripy;
using namespace tripy::compile;
using runtime::DeviceMemory;
using runtime::HostTensor;
using runtime::TensorView;

/// Bytes that the calls of one graph touch: several times the GPU's cache.
static constexpr uint64_t graphBytes = 256 << 20;
static constexpr uint32_t fewestCopies = 2, maxCopies = 32;
/// Values that are drawn; a prime, so that rows of larger tensors differ.
static constexpr uint64_t distinctValues = 1000003;
/// Elements of a result that are compared at most, evenly spread.
static constexpr uint64_t comparedElements = 1 << 24;

const MeasuredTile *TunedKernel::best(bool withLibrary) const {
  const MeasuredTile *best = nullptr;
  for (const MeasuredTile &tile : tiles)
    if (tile.problem.empty() && (withLibrary || !tile.isLibrary()) &&
        (!best || tile.median < best->median))
      best = &tile;
  return best;
}

bool compile::canRunAlone(kernel::FuncOp kernel) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  FunctionType type = kernel.getFunctionType();
  return llvm::all_of(type.getInputs(), isStatic) &&
         llvm::all_of(type.getResults(), isStatic);
}

/// So many calls that the tensors of one are in no cache when its turn comes.
static uint32_t chooseCopies(kernel::FuncOp kernel) {
  uint64_t bytes = 0;
  FunctionType type = kernel.getFunctionType();
  for (TypeRange types : {type.getInputs(), type.getResults()})
    for (Type each : types) {
      auto tensor = cast<RankedTensorType>(each);
      bytes += tensor.getNumElements() *
               std::max(1u, tensor.getElementTypeBitWidth() / 8);
    }
  return std::clamp<uint64_t>(graphBytes / std::max<uint64_t>(bytes, 1),
                              fewestCopies, maxCopies);
}

/// A program of `copies` calls of `kernel`, each on tensors of its own.
static OwningOpRef<ModuleOp> makeProgram(kernel::FuncOp kernel,
                                         uint32_t copies) {
  Location loc = kernel.getLoc();
  OpBuilder b(kernel.getContext());
  OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
  b.setInsertionPointToEnd(module->getBody());
  FunctionType type = kernel.getFunctionType();
  SmallVector<Type> inputs, results;
  for (uint32_t i = 0; i < copies; ++i) {
    llvm::append_range(inputs, type.getInputs());
    llvm::append_range(results, type.getResults());
  }
  auto main =
      func::FuncOp::create(b, loc, "main", b.getFunctionType(inputs, results));
  b.clone(*kernel);
  Block *body = main.addEntryBlock();
  b.setInsertionPointToStart(body);
  SmallVector<Value> found;
  for (uint32_t i = 0; i < copies; ++i) {
    ValueRange own = ValueRange(body->getArguments())
                         .slice(i * type.getNumInputs(), type.getNumInputs());
    auto call = kernel::CallOp::create(b, loc, type.getResults(),
                                       kernel.getSymName(), own, ValueRange());
    llvm::append_range(found, call->getResults());
  }
  func::ReturnOp::create(b, loc, found);
  return module;
}

static bool isFloat(DType dtype) {
  return dtypeInfo(dtype).cls == DTypeClass::Float;
}

/// Random normal floats, and ones of other types.
static Result<HostTensor> makeValues(DType dtype, const runtime::Shape &shape,
                                     uint64_t seed) {
  uint64_t elements = shape.elements().value_or(0);
  uint64_t drawn = std::min(elements, distinctValues);
  run::Wanted wanted;
  wanted.dtype = dtype;
  wanted.shape = runtime::Shape{int64_t(drawn)};
  Result<HostTensor> values =
      run::makeTensor(isFloat(dtype) ? "random" : "ones", wanted, seed);
  if (!values || drawn == elements)
    return values;
  Result<HostTensor> all =
      HostTensor::create(dtype, runtime::Shape{int64_t(elements)});
  if (!all)
    return all;
  for (uint64_t at = 0; at < all->bytes(); at += values->bytes())
    std::memcpy(all->data() + at, values->data(),
                std::min(values->bytes(), all->bytes() - at));
  return all;
}

/// How far results may differ, relative to their typical size: the order of
/// the additions is the tile's, and rounding to the result's type.
static double toleranceOf(DType dtype) {
  switch (dtypeSize(dtype)) {
  case 1:
    return 0.25;
  case 2:
    return dtype == DType::BF16 ? 3e-2 : 4e-3;
  default:
    return 1e-3;
  }
}

/// Empty when `found` agrees with `wanted`, or what differs. Of results that
/// are no floats, one in a thousand may: a comparison may fall either way.
static std::string compareResults(const HostTensor &found,
                                  const HostTensor &wanted) {
  DType dtype = wanted.dtype();
  uint64_t step = wanted.elements() / comparedElements + 1;
  double squares = 0;
  uint64_t count = 0, different = 0;
  for (uint64_t i = 0; i < wanted.elements(); i += step, ++count)
    if (double value = loadAsDouble(dtype, wanted.data(), i);
        std::isfinite(value))
      squares += value * value;
  double typical = count ? std::sqrt(squares / double(count)) : 0;
  double tolerance = isFloat(dtype) ? toleranceOf(dtype) : 0;
  for (uint64_t i = 0; i < wanted.elements(); i += step) {
    double a = loadAsDouble(dtype, found.data(), i);
    double b = loadAsDouble(dtype, wanted.data(), i);
    bool same = a == b || (std::isnan(a) && std::isnan(b)) ||
                std::fabs(a - b) <= tolerance * (typical + std::fabs(b));
    different += !same;
  }
  if (different <= (isFloat(dtype) ? 0 : count / 1000))
    return "";
  return concat(different, " of ", count,
                " compared results differ from those of the first tile");
}

namespace {
/// A compiled program with one tile.
struct Candidate {
  std::unique_ptr<runtime::ExecutionContext> context;
  std::vector<double> seconds;
};

class KernelTuner {
public:
  KernelTuner(kernel::FuncOp kernel, std::shared_ptr<runtime::Device> device,
              const Options &options)
      : kernel(kernel), device(std::move(device)), options(options) {
    result.name = kernel.getSymName().str();
    result.copies =
        options.tuneCopies ? options.tuneCopies : chooseCopies(kernel);
    result.runs = options.tuneRuns;
  }
  ~KernelTuner() {
    if (stream)
      device->destroyStream(stream);
  }

  Status run(const codegen::TileChoices &choices);
  TunedKernel result;

private:
  Status load(const std::string &tile, Candidate &candidate);
  Status makeTensors(const runtime::ExecutionContext &context);
  Status addTensor(const HostTensor &values, DType dtype,
                   const runtime::Shape &shape, std::vector<TensorView> &to);
  Status check(Candidate &candidate);
  Status measure(cuda::CudaTimer &timer, Candidate &candidate);
  Status drop(size_t number, Status status);

  kernel::FuncOp kernel;
  std::shared_ptr<runtime::Device> device;
  const Options &options;
  runtime::Stream stream = nullptr;
  /// Those of all calls.
  std::vector<DeviceMemory> memory;
  std::vector<TensorView> inputs, outputs;
  std::vector<Candidate> candidates;
  /// Results of the last call with the first tile that works.
  std::vector<HostTensor> expected;
};
} // namespace

/// Notes why a tile is not used; an error when nothing works any more.
Status KernelTuner::drop(size_t number, Status status) {
  result.tiles[number].problem = status.message();
  candidates[number].context.reset();
  if (status.code() != Code::ContextLost)
    return Status::ok();
  return std::move(status).withContext(
      concat("tile ", result.tiles[number].choice.tile, " of ", result.name));
}

/// Compiles the kernel with `tile` and brings it to the device.
Status KernelTuner::load(const std::string &tile, Candidate &candidate) {
  std::string errors;
  ScopedDiagnosticHandler handler(
      kernel.getContext(), [&](Diagnostic &diagnostic) {
        if (errors.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          errors = diagnostic.str();
        return success();
      });
  CompileOptions compiler = options.compiler;
  bool isLibrary = tile == codegen::libraryBackend;
  // A kernel without a tile to choose is one candidate.
  compiler.gemmTile = isLibrary || tile == codegen::ownBackend ? "" : tile;
  compiler.backends = isLibrary ? Backends::Libraries : Backends::Own;
  compiler.tuningFile.clear();
  compiler.timing = nullptr;
  compiler.watch = nullptr;
  OwningOpRef<ModuleOp> module = makeProgram(kernel, result.copies);
  auto main = *module->getOps<func::FuncOp>().begin();
  FailureOr<target::TranslatedProgram> made =
      compileKernels(*module, main, compiler);
  if (failed(made))
    return Status(Code::Unsupported,
                  concat("cannot be compiled: ", printable(errors, 400)));
  VectorSink file;
  if (Status status = serialize(made->program, made->constants(), file);
      !status.isOk())
    return status;
  auto executable =
      runtime::Executable::loadBytes(file.data, {.device = device});
  if (!executable)
    return executable.status();
  if (runtime::Backend backend = (*executable)->backend(0);
      isLibrary && !backend.isLibrary)
    return Status(Code::Unsupported, std::move(backend.text));
  auto context = runtime::ExecutionContext::create(*executable);
  if (!context)
    return context.status();
  candidate.context = std::move(*context);
  return Status::ok();
}

Status KernelTuner::addTensor(const HostTensor &values, DType dtype,
                              const runtime::Shape &shape,
                              std::vector<TensorView> &to) {
  uint64_t bytes = shape.bytes(dtype).value_or(0);
  Result<DeviceMemory> place = DeviceMemory::allocate(device, bytes);
  if (!place)
    return place.status();
  to.push_back(
      {dtype, device->kind(), device->ordinal(), shape, place->data()});
  memory.push_back(std::move(*place));
  if (values.bytes() == 0)
    return Status::ok();
  return device->copyToDevice(to.back().data, values.data(), bytes, stream);
}

/// Every call has the same values, each at places of its own.
Status KernelTuner::makeTensors(const runtime::ExecutionContext &context) {
  const Program &program = context.executable().program();
  auto shapeOf = [&](const std::vector<TableIndex> &dims) {
    runtime::Shape shape;
    for (TableIndex dim : dims)
      shape.push(program.exprs[dim].value);
    return shape;
  };
  size_t own = program.inputs.size() / result.copies;
  std::vector<HostTensor> values;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const InputDescription &input = program.inputs[i];
    runtime::Shape shape = shapeOf(input.dims);
    if (i < own) {
      Result<HostTensor> made = makeValues(input.dtype, shape, i + 1);
      if (!made)
        return made.status();
      values.push_back(std::move(*made));
    }
    if (Status status = addTensor(values[i % own], input.dtype, shape, inputs);
        !status.isOk())
      return status;
  }
  for (const OutputDescription &output : program.outputs)
    if (Status status = addTensor(HostTensor(), output.dtype,
                                  shapeOf(output.dims), outputs);
        !status.isOk())
      return status;
  return device->synchronize(stream);
}

/// Runs once and compares the results of the last call.
Status KernelTuner::check(Candidate &candidate) {
  std::span<const TensorView> last =
      std::span(outputs).last(outputs.size() / result.copies);
  std::vector<HostTensor> found;
  for (const TensorView &output : last) {
    Result<HostTensor> values = HostTensor::create(output.dtype, output.shape);
    if (!values)
      return values.status();
    // What is not written shows.
    std::memset(values->data(), 0xff, values->bytes());
    if (Status status = device->copyToDevice(output.data, values->data(),
                                             values->bytes(), stream);
        !status.isOk())
      return status;
    found.push_back(std::move(*values));
  }
  if (Status status =
          candidate.context->run(inputs, outputs, {.stream = stream});
      !status.isOk())
    return status;
  for (auto [values, output] : llvm::zip(found, last))
    if (Status status = device->copyToHost(values.data(), output.data,
                                           values.bytes(), stream);
        !status.isOk())
      return status;
  if (Status status = device->synchronize(stream); !status.isOk())
    return status;
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::string what = compareResults(found[i], expected[i]); !what.empty())
      return Status(Code::Internal, std::move(what));
  if (expected.empty())
    expected = std::move(found);
  return Status::ok();
}

/// One sample: a replay that follows another, so that it finds the GPU busy.
Status KernelTuner::measure(cuda::CudaTimer &timer, Candidate &candidate) {
  auto replay = [&] {
    return candidate.context->run(inputs, outputs,
                                  {.stream = stream, .synchronize = false});
  };
  for (Status status : {replay(), timer.start(stream), replay(),
                        timer.stop(stream), device->synchronize(stream)})
    if (!status.isOk())
      return status;
  Result<double> seconds = timer.seconds();
  if (!seconds)
    return seconds.status();
  candidate.seconds.push_back(*seconds / result.copies);
  return Status::ok();
}

Status KernelTuner::run(const codegen::TileChoices &choices) {
  result.contraction = choices.contraction;
  Result<runtime::Stream> created = device->createStream();
  if (!created)
    return created.status();
  stream = *created;
  Result<cuda::CudaTimer> timer = cuda::CudaTimer::create(*device);
  if (!timer)
    return timer.status();
  for (const codegen::TileChoice &choice : choices.tiles) {
    result.tiles.emplace_back().choice = choice;
    candidates.emplace_back();
    size_t number = candidates.size() - 1;
    Status status = load(choice.tile, candidates.back());
    if (status.isOk() && inputs.empty())
      if (Status made = makeTensors(*candidates.back().context); !made.isOk())
        return made;
    if (status.isOk())
      status = check(candidates.back());
    if (status.isOk())
      continue;
    if (Status fatal = drop(number, std::move(status)); !fatal.isOk())
      return fatal;
  }
  for (uint32_t round = 0; round < result.runs; ++round)
    for (auto [number, candidate] : llvm::enumerate(candidates)) {
      if (!candidate.context)
        continue;
      if (Status status = measure(*timer, candidate); !status.isOk())
        if (Status fatal = drop(number, std::move(status)); !fatal.isOk())
          return fatal;
    }
  for (auto [tile, candidate] : llvm::zip(result.tiles, candidates)) {
    run::Times times = run::summarize(candidate.seconds);
    tile.median = times.at("median");
    tile.least = times.at("min");
    tile.spread = (times.at("p75") - times.at("p25")) /
                  std::max(times.at("median"), 1e-12);
  }
  return Status::ok();
}

Result<TunedKernel> compile::tuneKernel(kernel::FuncOp kernel,
                                        const codegen::TileChoices &choices,
                                        std::shared_ptr<runtime::Device> device,
                                        const Options &options) {
  KernelTuner tuner(kernel, std::move(device), options);
  if (Status status = tuner.run(choices); !status.isOk())
    return status;
  return std::move(tuner.result);
}
