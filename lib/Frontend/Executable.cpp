//===- Executable.cpp - Compiled functions --------------------------------===//

#include "tripy/Frontend/Executable.h"

#include "Call.h"
#include "Evaluate.h"
#include "ExecutableImpl.h"
#include "Streams.h"
#include "Throw.h"

#include "tripy/Base/File.h"
#include "tripy/Base/SizeExpr.h"
#include "tripy/Base/Text.h"
#include "tripy/Frontend/Compile.h"

#include <algorithm>
#include <ostream>

using namespace tripy;
using namespace tripy::frontend;

//===-- loading -----------------------------------------------------------===//

/// Whether the program is for another machine.
static bool isElsewhere(Code code) {
  return code == Code::ArchMismatch || code == Code::DriverMissing ||
         code == Code::DriverTooOld || code == Code::NotFound ||
         code == Code::Unsupported;
}

Executable::Impl::Impl(std::vector<uint8_t> file,
                       std::vector<NamedStorage> values, Origin origin,
                       SourceLoc loc)
    : bytes(std::move(file)), weights(std::move(values)),
      device(Device::cpu()) {
  runtime::LoadOptions options;
  options.trustHostCode = true;
  options.showSource = origin.isCompiledHere;
  auto executable = runtime::Executable::loadBytes(bytes, options);
  if (!executable && origin.mayBeElsewhere &&
      isElsewhere(executable.status().code())) {
    elsewhere = executable.status();
    options.inspectOnly = true;
    executable = runtime::Executable::loadBytes(bytes, options);
  }
  check(executable.status(), loc);
  loaded = std::move(*executable);
  program = std::make_shared<CompiledProgram>(loaded);
  for (const OutputDescription &output : program->program().outputs)
    resultNames.push_back(output.name);
  if (loaded->program().device == DeviceKind::CUDA)
    device = Device::gpu(loaded->device() ? loaded->device()->ordinal() : 0);
  if (!elsewhere.isOk())
    return;
  for (const NamedStorage &weight : weights)
    check(loaded->bindParameter(weight.name, weight.storage->view()), loc);
}

//===-- descriptions ------------------------------------------------------===//

static InputInfo describe(const Program &program,
                          const InputDescription &input) {
  std::vector<DimensionRange> dims;
  if (input.kind != InputKind::Size)
    for (TableIndex dim : input.dims) {
      const SizeExpr &expr = program.exprs[dim];
      if (expr.op != SizeOp::Symbol) {
        dims.emplace_back(expr.value);
        continue;
      }
      const SizeSymbol &symbol = program.symbols[expr.a];
      dims.emplace_back(symbol.name, symbol.min, symbol.opt, symbol.max);
    }
  return InputInfo(std::move(dims),
                   input.kind == InputKind::Size ? int64 : input.dtype,
                   input.name);
}

void Executable::checkAssigned(SourceLoc loc) const {
  if (!impl)
    fail(Code::InvalidArgument,
         "an executable is the result of compile() or load(); found an empty "
         "one",
         loc);
}

std::vector<InputInfo> Executable::inputs(SourceLoc loc) const {
  checkAssigned(loc);
  const Program &program = impl->program->program();
  std::vector<InputInfo> list;
  for (TableIndex input : impl->loaded->argumentInputs())
    list.push_back(describe(program, program.inputs[input]));
  return list;
}

std::vector<OutputInfo> Executable::outputs(SourceLoc loc) const {
  checkAssigned(loc);
  const Program &program = impl->program->program();
  Result<std::vector<Interval>> bounds = boundSizes(program);
  check(bounds.status(), {});
  std::vector<OutputInfo> list;
  for (const OutputDescription &output : program.outputs) {
    OutputInfo &info = list.emplace_back(output.name, output.dtype);
    for (TableIndex dim : output.dims)
      info.shape.push_back({(*bounds)[dim].lo, (*bounds)[dim].hi});
  }
  return list;
}

std::string OutputInfo::str() const {
  std::string text = "OutputInfo(";
  auto add = [&](const char *title, int64_t Range::*size) {
    text += std::string(title) + "=[";
    for (size_t i = 0; i < shape.size(); ++i)
      text += (i ? ", " : "") + std::to_string(shape[i].*size);
    text += "], ";
  };
  add("min", &Range::smallest);
  add("max", &Range::largest);
  return text + "dtype=" + std::string(dtypeName(dtype)) + ")";
}

std::ostream &tripy::operator<<(std::ostream &os, const OutputInfo &info) {
  return os << info.str();
}

Device Executable::device(SourceLoc loc) const {
  checkAssigned(loc);
  return impl->device;
}

//===-- arguments ---------------------------------------------------------===//

/// "x, y"; each in `quote`s.
static std::string joined(const std::vector<std::string> &names,
                          std::string_view quote = "") {
  std::string text;
  for (const std::string &name : names)
    text += concat(text.empty() ? "" : ", ", quote, name, quote);
  return text;
}

/// "3 arguments (x, y, z)", "no arguments".
static std::string listArguments(const CompiledProgram &program) {
  std::vector<std::string> names;
  for (size_t i = 0; i < program.loaded().argumentInputs().size(); ++i)
    names.push_back(program.argument(i).name);
  if (names.empty())
    return "no arguments";
  return concat(names.size(),
                names.size() == 1 ? " argument (" : " arguments (",
                joined(names), ")");
}

/// What a list of names lacks, and what it has in addition.
static std::string describeDifference(const std::vector<std::string> &missing,
                                      const std::vector<std::string> &unknown) {
  std::string text;
  if (!missing.empty())
    text += "; missing: " + joined(missing, "'");
  if (!unknown.empty())
    text += "; unknown: " + joined(unknown, "'");
  return text;
}

/// A number as the input `name`. Errors of the conversion name it.
static Value numberArgument(const Number &number, DType dtype,
                            const std::string &name, SourceLoc loc) {
  try {
    return Call::valueOf(numberTensor(number, dtype, loc));
  } catch (const Error &error) {
    fail(error.code(), "the argument '" + name + "': " + error.summary(), loc);
  }
}

/// A tensor of the program's device: numbers are on every one, and the host
/// reads sizes.
static void checkDevice(const Node &node, const InputDescription &input,
                        const Device &device, SourceLoc loc) {
  if (node.device == anywhere || input.kind == InputKind::Size ||
      node.device == numberOf(device))
    return;
  if (Device found = deviceOf(node); found != device)
    fail(Code::DeviceMismatch,
         "the argument '" + input.name + "' is on the program's device " +
             device.str() + "; found a tensor on " + found.str() +
             "; tripy::copy(" + input.name + ", \"" + device.str() +
             "\") brings it there",
         loc, {{node.loc, "the tensor"}});
}

/// Arguments as tensors: a number has the element type that is expected.
static std::vector<Value>
argumentValues(const CompiledProgram &program,
               const std::vector<Executable::Argument> &arguments,
               const Device &device, SourceLoc loc) {
  size_t expected = program.loaded().argumentInputs().size();
  if (arguments.size() != expected)
    fail(Code::InvalidArgument,
         concat("the program takes ", listArguments(program), "; found ",
                arguments.size()),
         loc);
  std::vector<Value> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const InputDescription &input = program.argument(i);
    DType dtype = input.kind == InputKind::Size ? int64 : input.dtype;
    const Executable::Argument &argument = arguments[i];
    if (argument.isNumber()) {
      values.push_back(
          numberArgument(*argument.literal(), dtype, input.name, loc));
      continue;
    }
    // The text is made where it is needed: calls are to cost little.
    if (argument.tensor().isEmpty())
      Call::use({}, loc, "the argument '" + input.name + "'");
    values.push_back(Call::valueOf(argument.tensor()));
    if (values.back().node->isTraced)
      fail(Code::InvalidArgument,
           "the argument '" + input.name +
               "' must have a value; found a tensor of a function that is "
               "compiled: in it, call the function itself, not what compile() "
               "made of it",
           loc, {{values.back().node->loc, "the tensor"}});
    checkDevice(*values.back().node, input, device, loc);
  }
  return values;
}

std::vector<Tensor> Executable::run(const std::vector<Argument> &arguments,
                                    SourceLoc loc) const {
  checkAssigned(loc);
  if (!impl->elsewhere.isOk())
    check(Status(impl->elsewhere.code(),
                 "the program was compiled for another machine, and cannot be "
                 "called: " +
                     impl->elsewhere.message()),
          loc);
  std::vector<Value> values =
      argumentValues(*impl->program, arguments, impl->device, loc);
  std::shared_ptr<StreamState> state =
      stream ? stream->state : threadStream(impl->device, loc);
  auto results =
      state->start(impl->program, evaluateWithoutWaiting(values, loc), loc);
  std::vector<Tensor> tensors;
  for (std::shared_ptr<Storage> &result : results)
    tensors.push_back(Call::makeTensor(
        makeLeaf(std::move(result), numberOf(impl->device), loc)));
  return tensors;
}

std::vector<Tensor>
Executable::run(const std::map<std::string, Argument> &arguments,
                SourceLoc loc) const {
  checkAssigned(loc);
  std::vector<Argument> ordered;
  std::vector<std::string> missing, unknown;
  for (TableIndex index : impl->loaded->argumentInputs()) {
    const std::string &name = impl->program->program().inputs[index].name;
    auto found = arguments.find(name);
    if (found == arguments.end())
      missing.push_back(name);
    else
      ordered.push_back(found->second);
  }
  for (const auto &[name, argument] : arguments)
    if (std::optional<TableIndex> input = impl->loaded->findInput(name);
        !input || !impl->loaded->argumentOf(*input))
      unknown.push_back(name);
  if (!missing.empty() || !unknown.empty())
    fail(Code::InvalidArgument,
         "the program takes " + listArguments(*impl->program) +
             describeDifference(missing, unknown),
         loc);
  return run(ordered, loc);
}

std::vector<Tensor> Executable::run(const std::vector<Tensor> &arguments,
                                    SourceLoc loc) const {
  return run(std::vector<Argument>(arguments.begin(), arguments.end()), loc);
}

/// Whether each argument of the program has a path: programs that no function
/// was compiled to have none.
static bool hasPaths(const CompiledProgram &program) {
  for (size_t i = 0; i < program.loaded().argumentInputs().size(); ++i)
    if (program.argument(i).path.empty())
      return false;
  return true;
}

/// Whether the parts of the structure `whole` are the program's arguments from
/// `first` on. Calls are to cost little: no text is made.
static bool areInOrder(const CompiledProgram &program,
                       const CallArgument &argument, const std::string &whole,
                       size_t first) {
  size_t end = first + argument.leaves().size();
  size_t count = program.loaded().argumentInputs().size();
  if (end > count)
    return false;
  for (size_t i = first; i < end; ++i) {
    const std::string &path = program.argument(i).path;
    const std::string &part = argument.leaves()[i - first].first;
    if (path.size() != whole.size() + part.size() || !path.starts_with(whole) ||
        !path.ends_with(part))
      return false;
  }
  return end == count || !program.argument(end).path.starts_with(whole + ".");
}

/// Appends the parts of the structure `whole` in the program's order. Throws
/// Error where they are not those that the program was compiled with.
static void appendParts(const CompiledProgram &program,
                        const CallArgument &argument, const std::string &whole,
                        std::vector<Executable::Argument> &leaves,
                        SourceLoc loc) {
  if (areInOrder(program, argument, whole, leaves.size())) {
    for (const auto &[path, leaf] : argument.leaves())
      leaves.push_back(leaf);
    return;
  }
  std::vector<std::string> parts, missing, unknown;
  std::map<std::string, const TensorLike *> found;
  for (const auto &[path, leaf] : argument.leaves())
    found.emplace(whole + path, &leaf);
  const InputDescription *tensor = nullptr;
  for (size_t i = 0; i < program.loaded().argumentInputs().size(); ++i) {
    const std::string &path = program.argument(i).path;
    if (path == whole)
      tensor = &program.argument(i);
    if (!path.starts_with(whole + "."))
      continue;
    parts.push_back(path);
    if (auto part = found.find(path); part != found.end())
      leaves.push_back(*part->second);
    else
      missing.push_back(path);
  }
  for (const auto &[path, leaf] : argument.leaves())
    if (std::find(parts.begin(), parts.end(), whole + path) == parts.end())
      unknown.push_back(whole + path);
  if (missing.empty() && unknown.empty() && !tensor)
    return;
  std::string text;
  if (tensor)
    text = concat("the argument '", tensor->name,
                  "' is a tensor; found a structure of ", found.size(),
                  found.size() == 1 ? " part" : " parts");
  else if (parts.empty())
    text = concat("the program takes ", listArguments(program),
                  "; found a structure as '", whole, "'");
  else
    text = concat("the argument '", whole, "' has the parts ", joined(parts),
                  describeDifference(missing, unknown));
  fail(Code::InvalidArgument, text, loc);
}

std::vector<Tensor>
Executable::start(const std::vector<CallArgument> &arguments,
                  SourceLoc loc) const {
  checkAssigned(loc);
  std::vector<Argument> leaves;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].isStructure() && hasPaths(*impl->program))
      appendParts(*impl->program, arguments[i], "arg" + std::to_string(i),
                  leaves, loc);
    else
      for (const auto &[path, leaf] : arguments[i].leaves())
        leaves.push_back(leaf);
  }
  return run(leaves, loc);
}

Executable Executable::on(const Stream &chosen, SourceLoc loc) const {
  checkAssigned(loc);
  if (chosen.device() != impl->device)
    fail(Code::DeviceMismatch,
         "the stream is of the program's device " + impl->device.str() +
             "; found one of " + chosen.device().str(),
         loc);
  Executable bound(impl);
  bound.stream = chosen;
  return bound;
}

//===-- results -----------------------------------------------------------===//

const std::vector<std::string> &Executable::resultNames() const {
  return impl->resultNames;
}

Tensor Executable::single(std::vector<Tensor> results, SourceLoc loc) const {
  if (results.size() != 1)
    fail(Code::InvalidArgument,
         "the program has " + std::to_string(results.size()) +
             " results; call() gives them as a structure, run() as a list",
         loc);
  return results.front();
}

const Tensor &detail::ResultReader::take(const std::string &path) {
  auto found = next < names.size() && names[next] == path
                   ? names.begin() + next
                   : std::find(names.begin(), names.end(), path);
  if (found == names.end())
    fail(Code::InvalidArgument,
         "the program has the results " + joined(names) + "; found no '" +
             path + "'",
         loc);
  ++taken;
  next = found - names.begin() + 1;
  return tensors[next - 1];
}

bool detail::ResultReader::has(const std::string &path) const {
  auto isAt = [&](const std::string &name) {
    return name.starts_with(path) &&
           (name.size() == path.size() || name[path.size()] == '.');
  };
  return (next < names.size() && isAt(names[next])) ||
         std::any_of(names.begin(), names.end(), isAt);
}

std::vector<std::string> detail::ResultReader::keys(const std::string &path,
                                                    bool isOfTensors) const {
  std::vector<std::string> list;
  std::string prefix = path.empty() ? "" : path + ".";
  for (const std::string &name : names) {
    if (!name.starts_with(prefix))
      continue;
    std::string key = name.substr(prefix.size());
    if (!isOfTensors)
      key = key.substr(0, key.find('.'));
    if (std::find(list.begin(), list.end(), key) == list.end())
      list.push_back(key);
  }
  return list;
}

void detail::ResultReader::finish() const {
  if (taken != names.size())
    fail(Code::InvalidArgument,
         "the structure has all results of the program (" + joined(names) +
             "); found " + std::to_string(taken) + " tensors in it",
         loc);
}

//===-- files -------------------------------------------------------------===//

/// "mlp.tpx" -> "mlp.safetensors".
static std::string weightsPathOf(const std::string &path) {
  std::string stem =
      path.ends_with(".tpx") ? path.substr(0, path.size() - 4) : path;
  return stem + ".safetensors";
}

void Executable::save(const std::string &path, SourceLoc loc) const {
  checkAssigned(loc);
  // The weights first: a program that is there has them.
  if (!impl->weights.empty())
    writeTensors(weightsPathOf(path), impl->weights, loc);
  check(writeFile(path, impl->bytes), loc);
}

/// The names of the program's weights.
static std::vector<std::string> weightNames(const std::vector<uint8_t> &bytes,
                                            const std::string &path,
                                            SourceLoc loc) {
  auto inspected = runtime::Executable::loadBytes(bytes, {.inspectOnly = true});
  if (!inspected)
    check(Status(inspected.status()).withContext("'" + path + "'"), loc);
  std::vector<std::string> names;
  for (const InputDescription &input : (*inspected)->program().inputs)
    if (input.kind == InputKind::Parameter)
      names.push_back(input.name);
  return names;
}

/// Those of `names`, from the file.
static std::vector<NamedStorage>
readWeights(const std::string &path, const std::vector<std::string> &names,
            SourceLoc loc) {
  std::map<std::string, std::shared_ptr<const Storage>> found;
  for (auto &[name, storage] : mapTensors(path, loc))
    found.emplace(name, storage);
  std::vector<NamedStorage> weights;
  for (const std::string &name : names) {
    auto weight = found.find(name);
    if (weight == found.end())
      fail(Code::NotFound, "found no tensor '" + name + "'", loc);
    weights.push_back({name, weight->second});
  }
  return weights;
}

static std::vector<uint8_t> readProgram(const std::string &path,
                                        SourceLoc loc) {
  Result<std::vector<uint8_t>> bytes = readFile(path);
  check(bytes.status(), loc);
  return std::move(*bytes);
}

/// Calls `load`; its errors name both files.
template <typename F>
static Executable loadWithWeights(const std::string &path,
                                  const std::string &weights, SourceLoc loc,
                                  F &&load) {
  try {
    return load();
  } catch (const Error &error) {
    fail(error.code(),
         "the weights of '" + path + "' are in '" + weights +
             "': " + error.summary(),
         loc);
  }
}

Executable Executable::load(const std::string &path, SourceLoc loc) {
  std::vector<uint8_t> bytes = readProgram(path, loc);
  std::vector<std::string> names = weightNames(bytes, path, loc);
  if (!names.empty())
    return load(path, weightsPathOf(path), loc);
  return Executable(std::make_shared<Impl>(
      std::move(bytes), std::vector<NamedStorage>(), Impl::Origin(), loc));
}

Executable Executable::load(const std::string &path, const std::string &weights,
                            SourceLoc loc) {
  std::vector<uint8_t> bytes = readProgram(path, loc);
  std::vector<std::string> names = weightNames(bytes, path, loc);
  if (names.empty())
    fail(Code::InvalidArgument,
         "a file of weights is for a program that was compiled with "
         "weightsOutside; '" +
             path + "' contains its weights",
         loc);
  return loadWithWeights(path, weights, loc, [&] {
    return Executable(std::make_shared<Impl>(std::move(bytes),
                                             readWeights(weights, names, loc),
                                             Impl::Origin(), loc));
  });
}
