//===- Evaluate.cpp - Runs a program on the reference evaluator -----------===//

#include "Evaluate.h"

#include "../tripy-run/TensorSpec.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Packed.h"
#include "tripy/Base/Text.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Tripy/Tripy.h"
#include "tripy/Reference/Evaluator.h"
#include "tripy/Runtime/IO/Npy.h"
#include "tripy/Runtime/IO/TensorPrinter.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::compile;
using reference::Tensor;

/// As many as the tensors that the evaluator makes.
static constexpr uint64_t maxInputBytes = reference::EvaluateOptions().maxBytes;

namespace {

class Evaluation {
public:
  Evaluation(func::FuncOp function, const Options &options)
      : function(function), options(options) {}
  /// Status of wrong usage; `failedHere` when a diagnostic was printed.
  Status run();
  bool failedHere = false;

private:
  Status readInput(unsigned argument);
  Result<std::string> specOf(unsigned argument);
  Status addInput(DType dtype, ArrayRef<int64_t> shape, const void *data);
  Status readWeight(unsigned argument, DType dtype, ArrayRef<int64_t> shape);
  Status checkNames();
  Status show(unsigned number, const Tensor &tensor);

  func::FuncOp function;
  const Options &options;
  std::vector<runtime::HostTensor> storage;
  std::vector<std::vector<uint8_t>> aligned;
  SmallVector<Tensor> inputs;
  /// Of `storage`: the evaluator counts what it makes itself.
  uint64_t inputBytes = 0;
  /// Of the results that have a file.
  std::vector<FileWriter> writers;
};

} // namespace

static Status usage(std::string message) {
  return Status(Code::InvalidArgument, std::move(message));
}

/// Every name on the command line belongs to an input or result.
Status Evaluation::checkNames() {
  auto check = [](const auto &specs, unsigned count, auto nameOf,
                  std::string_view what) {
    for (const auto &[name, spec] : specs) {
      ClosestName closest(name);
      bool found = name.empty() && count == 1;
      for (unsigned i = 0; i < count; ++i) {
        found |= nameOf(i) == name;
        closest.consider(nameOf(i));
      }
      if (!found)
        return usage(concat("no ", what, " has the name '", printable(name),
                            "'", closest.suggestion()));
    }
    return Status::ok();
  };
  Status status = check(
      options.inputs, function.getNumArguments(),
      [&](unsigned i) { return argumentName(function, i); }, "input");
  if (!status.isOk())
    return status;
  return check(
      options.results, function.getNumResults(),
      [&](unsigned i) { return resultName(function, i); }, "result");
}

Result<std::string> Evaluation::specOf(unsigned argument) {
  std::string name = argumentName(function, argument);
  for (const auto &[given, spec] : options.inputs)
    if (given == name || given.empty())
      return spec;
  return usage(concat("input '", name, "' needs a value, as in --input ", name,
                      "=ones"));
}

Status Evaluation::addInput(DType dtype, ArrayRef<int64_t> shape,
                            const void *data) {
  std::optional<Tensor> tensor = Tensor::fromRuntime(dtype, shape, data);
  if (!tensor)
    return Status::outOfMemory("for an input");
  inputs.push_back(std::move(*tensor));
  return Status::ok();
}

Status Evaluation::readWeight(unsigned argument, DType dtype,
                              ArrayRef<int64_t> shape) {
  std::string name = argumentName(function, argument);
  for (const target::Weight &weight : *options.compiler.weights) {
    if (weight.name != name)
      continue;
    bool isWhole =
        weight.dtype == dtype && ArrayRef<int64_t>(weight.shape) == shape;
    if (!isWhole && !holdsPacked(dtype, shape, weight.dtype, weight.shape))
      return usage(concat("the weight of parameter '", name,
                          "' must have the type of the parameter"));
    aligned.emplace_back(weight.data.begin(), weight.data.end());
    return addInput(dtype, shape, aligned.back().data());
  }
  return usage(concat("parameter '", name, "' is not among the weights"));
}

Status Evaluation::readInput(unsigned argument) {
  // A size is given as one i64.
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  ArrayRef<int64_t> shape = type ? type.getShape() : ArrayRef<int64_t>();
  std::optional<DType> dtype =
      type ? dtypeOf(type.getElementType()) : std::optional(DType::I64);
  if (!dtype)
    return usage("an input's element type is not supported");
  if (isParameter(function, argument) && options.compiler.weights)
    return readWeight(argument, *dtype, shape);
  Result<std::string> spec = specOf(argument);
  if (!spec)
    return spec.status();
  run::Wanted wanted;
  wanted.dtype = *dtype;
  wanted.isSize = !type;
  ProfileAttr profile = profileOf(function, argument);
  for (auto [dim, size] : llvm::enumerate(shape))
    wanted.shape.push(ShapedType::isDynamic(size) ? profile.getOpt()[dim]
                                                  : size);
  wanted.check = [&](DType, const runtime::Shape &shape) {
    std::optional<uint64_t> elements = shape.elements();
    return elements && *elements <= maxInputBytes / dtypeSize(*dtype)
               ? Status::ok()
               : Status(Code::LimitExceeded,
                        concat("the inputs of an evaluation may take at most ",
                               formatBytes(maxInputBytes)));
  };
  Result<runtime::HostTensor> tensor =
      run::makeTensor(*spec, wanted, options.seed + argument);
  if (!tensor)
    return Status(tensor.status())
        .withContext(concat("input '", argumentName(function, argument), "'"));
  storage.push_back(std::move(*tensor));
  inputBytes += *storage.back().view().shape.elements() * dtypeSize(*dtype);
  if (inputBytes > maxInputBytes)
    return Status(Code::LimitExceeded,
                  concat("the inputs of an evaluation may take at most ",
                         formatBytes(maxInputBytes), "; the first ",
                         argument + 1, " take ", formatBytes(inputBytes)));
  runtime::TensorView view = storage.back().view();
  auto sizes = view.shape.sizes();
  return addInput(view.dtype, ArrayRef<int64_t>(sizes.data(), sizes.size()),
                  view.data);
}

Status Evaluation::show(unsigned number, const Tensor &tensor) {
  runtime::TensorView view;
  view.dtype = tensor.dtype();
  view.shape = runtime::Shape(std::span<const int64_t>(tensor.shape()));
  view.data = const_cast<void *>(tensor.data());
  std::vector<uint8_t> packed;
  if (isPacked(view.dtype)) {
    packed.resize(byteCount(view.dtype, tensor.elements()).value_or(0));
    tensor.toRuntime(packed.data());
    view.data = packed.data();
  }
  std::string name = resultName(function, number);
  for (const auto &[given, spec] : options.results)
    if (given == name || given.empty()) {
      if (!spec.starts_with("@"))
        return usage(concat("--result needs a file, as in ", name,
                            "=@y.npy, but has '", printable(spec), "'"));
      Result<FileWriter> writer = FileWriter::create(spec.substr(1));
      if (!writer)
        return writer.status();
      if (Status status = io::writeNpy(*writer, view); !status.isOk())
        return status;
      writers.push_back(std::move(*writer));
      return Status::ok();
    }
  llvm::outs() << io::formatTensor(view, "cpu:0") << "\n";
  return Status::ok();
}

Status Evaluation::run() {
  if (Status status = checkNames(); !status.isOk())
    return status;
  // Tensors borrow from these.
  storage.reserve(function.getNumArguments());
  aligned.reserve(function.getNumArguments());
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (Status status = readInput(i); !status.isOk())
      return status;
  FailureOr<SmallVector<Tensor>> results =
      reference::evaluate(function, inputs);
  failedHere = failed(results);
  if (failedHere)
    return Status::ok();
  for (auto [i, tensor] : llvm::enumerate(*results))
    if (Status status = show(i, tensor); !status.isOk())
      return status;
  return FileWriter::commitAll(writers);
}

int compile::evaluateProgram(ModuleOp module, const Options &options) {
  if (failed(lowerProgram(module, Level::FlatIR, options.compiler)))
    return 1;
  FailureOr<func::FuncOp> function = findProgram(module, options.compiler);
  if (failed(function))
    return 1;
  Evaluation evaluation(*function, options);
  Status status = evaluation.run();
  if (!status.isOk()) {
    llvm::errs() << "error: " << status.message() << "\n";
    return 2;
  }
  return evaluation.failedHere ? 1 : 0;
}
