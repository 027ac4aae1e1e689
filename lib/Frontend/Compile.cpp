//===- Compile.cpp - Functions compiled once, for many shapes -------------===//

#include "tripy/Frontend/Compile.h"

#include "Call.h"
#include "Evaluate.h"
#include "Numbers.h"
#include "ProgramCache.h"
#include "Throw.h"

#include "tripy/Base/File.h"

#include <ostream>

using namespace tripy;
using namespace tripy::frontend;

//===-- descriptions of inputs --------------------------------------------===//

DimensionRange::DimensionRange(std::string name, int64_t smallest,
                               int64_t usual, int64_t largest, SourceLoc loc)
    : smallest(smallest), usual(usual), largest(largest),
      name(std::move(name)) {
  if (smallest < 0 || smallest > usual || usual > largest)
    fail(Code::InvalidArgument,
         "sizes of a dimension are 0 <= smallest <= usual <= largest; found " +
             std::to_string(smallest) + ", " + std::to_string(usual) + ", " +
             std::to_string(largest),
         loc);
}

std::string InputInfo::str() const {
  std::string text = "InputInfo(";
  auto add = [&](const char *name, int64_t DimensionRange::*size) {
    text += std::string(name) + "=[";
    for (size_t i = 0; i < dimensions.size(); ++i)
      text += (i ? ", " : "") + std::to_string(dimensions[i].*size);
    text += "], ";
  };
  add("min", &DimensionRange::smallest);
  add("opt", &DimensionRange::usual);
  add("max", &DimensionRange::largest);
  return text + "dtype=" + std::string(dtypeName(type)) + ")";
}

std::ostream &tripy::operator<<(std::ostream &os, const InputInfo &info) {
  return os << info.str();
}

//===-- tracing -----------------------------------------------------------===//

struct Tracer::State {
  CompileSettings settings;
  /// Of the first argument: where compile() is called.
  SourceLoc loc;
  std::vector<Value> arguments;
  std::vector<ProgramInput> inputs;
};

Tracer::Tracer(const CompileSettings &settings)
    : state(std::make_unique<State>(State{settings, {}, {}, {}})) {}
Tracer::~Tracer() = default;

/// Notes the profile of one dimension.
static void addRange(ProgramInput &input, const DimensionRange &range) {
  input.smallest.push_back(range.smallest);
  input.usual.push_back(range.usual);
  input.largest.push_back(range.largest);
  input.dimensions.push_back(range.name);
}

static Value addArgument(std::vector<Value> &arguments,
                         std::vector<ProgramInput> &inputs, ProgramInput input,
                         std::string name, SourceLoc loc) {
  input.name =
      name.empty() ? "arg" + std::to_string(inputs.size()) : std::move(name);
  auto node = std::make_shared<Node>(Op::Leaf, loc);
  node->isTraced = true;
  node->name = input.name;
  node->outputs.push_back({input.type, nullptr});
  inputs.push_back(std::move(input));
  arguments.push_back({node, 0});
  return arguments.back();
}

Tensor Tracer::argument(const InputInfo &info) {
  TypeInfo type{false, info.dtype(), {}};
  ProgramInput input;
  bool isDynamic = false;
  for (const DimensionRange &range : info.shape()) {
    type.sizes.push_back(range.isStatic() ? range.usual : dynamicSize);
    isDynamic |= !range.isStatic();
    addRange(input, range);
  }
  if (!isDynamic) {
    input.smallest.clear();
    input.usual.clear();
    input.largest.clear();
    input.dimensions.clear();
  }
  input.type = internType(std::move(type));
  if (state->inputs.empty())
    state->loc = info.loc();
  return Call::makeTensor(addArgument(state->arguments, state->inputs,
                                      std::move(input), info.name(),
                                      info.loc()));
}

Size Tracer::argument(const DimensionInputInfo &info) {
  ProgramInput input;
  addRange(input, info.range());
  input.type = internType({true, DType::F32, {}});
  if (state->inputs.empty())
    state->loc = info.loc();
  return Call::makeSize(addArgument(state->arguments, state->inputs,
                                    std::move(input), info.name(), info.loc()));
}

//===-- executables -------------------------------------------------------===//

struct Executable::Impl {
  std::vector<uint8_t> bytes;
  std::shared_ptr<runtime::Executable> loaded;
  std::shared_ptr<CompiledProgram> program;
  Device device;

  Impl(std::vector<uint8_t> file, const runtime::LoadOptions &options,
       SourceLoc loc)
      : bytes(std::move(file)), device(Device::cpu()) {
    auto executable = runtime::Executable::loadBytes(bytes, options);
    check(executable.status(), loc);
    loaded = std::move(*executable);
    program = std::make_shared<CompiledProgram>(loaded);
    if (loaded->device()->kind() == DeviceKind::CUDA)
      device = Device::gpu(loaded->device()->ordinal());
  }
};

/// Copies the values of constants to the host where they are not there.
static std::vector<std::shared_ptr<const Storage>>
bakeConstants(Collected &collected, size_t arguments, SourceLoc loc) {
  std::vector<std::shared_ptr<const Storage>> kept;
  for (size_t i = arguments; i < collected.inputs.size(); ++i) {
    std::shared_ptr<const Storage> value = collected.inputs[i];
    if (!value)
      fail(Code::InvalidArgument,
           "the function uses an argument of another one that is compiled", loc,
           {{collected.leaves[i].node->loc, "the argument"}});
    if (value->device().isGpu()) {
      std::shared_ptr<Storage> host =
          allocate(Device::cpu(), value->dtype(), value->view().shape, loc);
      value->copyToHost(host->view().data, loc);
      value = host;
    }
    // Tensors without elements have no memory; null says that there is no
    // value.
    static const uint8_t nothing = 0;
    const void *data = value->view().data;
    collected.program.inputs[i].constant = data ? data : &nothing;
    kept.push_back(std::move(value));
  }
  return kept;
}

Executable Tracer::finish(const std::vector<Tensor> &results) {
  SourceLoc loc = state->loc;
  if (results.empty())
    fail(Code::InvalidArgument, "a compiled function returns a tensor", loc);
  std::vector<Value> values;
  for (const Tensor &result : results)
    values.push_back(Call::use(result, loc));
  Collected collected;
  {
    std::lock_guard lock(graphMutex());
    collected = collect(values, state->arguments);
  }
  for (size_t i = 0; i < state->inputs.size(); ++i) {
    state->inputs[i].place = collected.program.inputs[i].place;
    collected.program.inputs[i] = state->inputs[i];
  }
  auto constants = bakeConstants(collected, state->inputs.size(), loc);
  LoweringOptions options;
  options.target = state->settings.target.empty() ? targetOf(defaultDevice())
                                                  : state->settings.target;
  auto bytes = compileGraph(collected.program, options);
  if (!bytes)
    throw Error::withText(bytes.status().code(), bytes.status().message());
  runtime::LoadOptions load;
  load.trustHostCode = true; // made by this process
  return Executable(
      std::make_shared<Executable::Impl>(std::move(*bytes), load, loc));
}

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

std::vector<InputInfo> Executable::inputs() const {
  const Program &program = impl->program->program();
  std::vector<InputInfo> list;
  for (TableIndex input : impl->loaded->argumentInputs())
    list.push_back(describe(program, program.inputs[input]));
  return list;
}

std::vector<std::string> Executable::outputs() const {
  std::vector<std::string> names;
  for (const OutputDescription &output : impl->program->program().outputs)
    names.push_back(output.name);
  return names;
}

//===-- calls -------------------------------------------------------------===//

/// Arguments as tensors: a number has the element type that is expected.
static std::vector<Value>
argumentValues(const runtime::Executable &executable,
               const std::vector<Executable::Argument> &arguments,
               SourceLoc loc) {
  std::span<const TableIndex> expected = executable.argumentInputs();
  const Program &program = executable.program();
  if (arguments.size() != expected.size()) {
    std::string names;
    for (TableIndex input : expected)
      names += (names.empty() ? "" : ", ") + program.inputs[input].name;
    fail(Code::InvalidArgument,
         "the program takes " + std::to_string(expected.size()) +
             " arguments (" + names + "); found " +
             std::to_string(arguments.size()),
         loc);
  }
  std::vector<Value> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const InputDescription &input = program.inputs[expected[i]];
    DType dtype = input.kind == InputKind::Size ? int64 : input.dtype;
    const Executable::Argument &argument = arguments[i];
    values.push_back(Call::use(
        argument.isNumber() ? numberTensor(*argument.literal(), dtype, loc)
                            : argument.tensor(),
        loc));
  }
  return values;
}

std::vector<Tensor> Executable::run(const std::vector<Argument> &arguments,
                                    SourceLoc loc) const {
  std::vector<Value> values = argumentValues(*impl->loaded, arguments, loc);
  std::vector<std::shared_ptr<const Storage>> storages = evaluate(values, loc);
  std::vector<runtime::TensorView> inputs, outputs;
  for (const auto &storage : storages)
    inputs.push_back(storage->view());
  const auto &described = impl->program->program().outputs;
  std::vector<runtime::Shape> shapes(described.size());
  check(impl->program->outputShapes(inputs, shapes), loc);
  std::vector<std::shared_ptr<Storage>> results;
  for (size_t i = 0; i < described.size(); ++i) {
    results.push_back(
        allocate(impl->device, described[i].dtype, shapes[i], loc));
    outputs.push_back(results.back()->view());
  }
  check(impl->program->run(inputs, outputs), loc);
  std::vector<Tensor> tensors;
  for (std::shared_ptr<Storage> &result : results)
    tensors.push_back(Call::makeTensor(makeLeaf(std::move(result), loc)));
  return tensors;
}

std::vector<Tensor>
Executable::run(const std::map<std::string, Argument> &arguments,
                SourceLoc loc) const {
  std::vector<Argument> ordered;
  for (TableIndex index : impl->loaded->argumentInputs()) {
    const std::string &name = impl->program->program().inputs[index].name;
    auto found = arguments.find(name);
    if (found == arguments.end())
      fail(Code::InvalidArgument, "the argument '" + name + "' is missing",
           loc);
    ordered.push_back(found->second);
  }
  if (ordered.size() != arguments.size())
    for (const auto &[name, argument] : arguments)
      if (!impl->loaded->findInput(name))
        fail(Code::InvalidArgument, "the program has no input '" + name + "'",
             loc);
  return run(ordered, loc);
}

Tensor Executable::single(const std::vector<Argument> &arguments,
                          SourceLoc loc) const {
  size_t count = impl->program->program().outputs.size();
  if (count != 1)
    fail(Code::InvalidArgument,
         "the program has " + std::to_string(count) +
             " results; run() gives all of them",
         loc);
  return run(arguments, loc).front();
}

//===-- files -------------------------------------------------------------===//

void Executable::save(const std::string &path, SourceLoc loc) const {
  check(writeFile(path, impl->bytes), loc);
}

Executable Executable::load(const std::string &path, SourceLoc loc) {
  Result<std::vector<uint8_t>> bytes = readFile(path);
  check(bytes.status(), loc);
  runtime::LoadOptions options;
  options.trustHostCode = true;
  return Executable(std::make_shared<Impl>(std::move(*bytes), options, loc));
}
