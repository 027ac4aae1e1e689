//===- Compile.cpp - Functions compiled once, for many shapes -------------===//

#include "tripy/Frontend/Compile.h"

#include "Call.h"
#include "EqualSizes.h"
#include "Evaluate.h"
#include "ExecutableImpl.h"
#include "Log.h"
#include "ProgramCache.h"
#include "Throw.h"

#include "tripy/Base/Text.h"
#include "tripy/Base/Verify.h"

#include <exception>
#include <iostream>
#include <map>
#include <set>

using namespace tripy;
using namespace tripy::frontend;

//===-- descriptions of inputs --------------------------------------------===//

/// The names that files and the command line have, too (tripy.name). `what` is
/// "an input's name".
static void checkName(const std::string &name, const std::string &what,
                      SourceLoc loc) {
  if (!name.empty() && !isName(name))
    fail(Code::InvalidArgument,
         what + " has at most " + std::to_string(maxNameBytes) +
             " bytes of UTF-8 without spaces, quotes, '=', '@', ',' and "
             "control characters; found '" +
             printable(name, 64) + "'",
         loc);
}

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
  checkName(this->name, "a dimension's name", loc);
}

InputInfo::InputInfo(std::vector<DimensionRange> shape, DType dtype,
                     std::string name, SourceLoc loc)
    : dimensions(std::move(shape)), type(dtype), label(std::move(name)),
      place(loc) {
  checkName(label, "an input's name", loc);
}

DimensionInputInfo::DimensionInputInfo(DimensionRange range, std::string name,
                                       SourceLoc loc)
    : values(std::move(range)), label(std::move(name)), place(loc) {
  checkName(label, "an input's name", loc);
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
  text += "dtype=" + std::string(dtypeName(type));
  std::string names;
  bool hasNames = false;
  for (const DimensionRange &range : dimensions) {
    names += (names.empty() ? "'" : ", '") + range.name + "'";
    hasNames |= !range.name.empty();
  }
  return text + (hasNames ? ", names=[" + names + "])" : ")");
}

std::ostream &tripy::operator<<(std::ostream &os, const InputInfo &info) {
  return os << info.str();
}

//===-- tracing -----------------------------------------------------------===//

struct Tracer::State {
  CompileSettings settings;
  /// Where compile() is called.
  SourceLoc loc;
  std::vector<Value> arguments;
  std::vector<ProgramInput> inputs;
  /// Arguments that have a name.
  size_t named = 0;
  TraceScope scope;
  /// Names of nodes whose values the program may have.
  std::map<const Node *, std::string> names;
};

Tracer::Tracer(const CompileSettings &settings, SourceLoc loc)
    : state(std::make_unique<State>()) {
  state->settings = settings;
  state->loc = loc;
}
Tracer::~Tracer() = default;
SourceLoc Tracer::loc() const { return state->loc; }

/// Notes the profile of one dimension.
static void addRange(ProgramInput &input, const DimensionRange &range) {
  input.smallest.push_back(range.smallest);
  input.usual.push_back(range.usual);
  input.largest.push_back(range.largest);
  input.dimensions.push_back(range.name);
}

static std::string describeRange(const ProgramInput &input, size_t dim) {
  return concat("[", input.smallest[dim], ", ", input.usual[dim], ", ",
                input.largest[dim], "]");
}

/// Dimensions of one name have one profile.
static void checkNamedDimensions(const std::vector<Value> &arguments,
                                 const std::vector<ProgramInput> &inputs,
                                 const ProgramInput &input, SourceLoc loc) {
  auto compare = [&](const ProgramInput &other, size_t before, size_t dim,
                     std::vector<ErrorFrame> frames) {
    for (size_t i = 0; i < before; ++i)
      if (other.dimensions[i] == input.dimensions[dim] &&
          describeRange(other, i) != describeRange(input, dim))
        fail(Code::InvalidArgument,
             "dimensions of one name have equal sizes; found '" +
                 input.dimensions[dim] + "' of " + describeRange(other, i) +
                 " and of " + describeRange(input, dim),
             loc, std::move(frames));
  };
  for (size_t dim = 0; dim < input.dimensions.size(); ++dim) {
    if (input.dimensions[dim].empty())
      continue;
    compare(input, dim, dim, {});
    for (size_t i = 0; i < inputs.size(); ++i)
      compare(inputs[i], inputs[i].dimensions.size(), dim,
              {{arguments[i].node->loc, "the other one"}});
  }
}

/// Gives dynamic sizes of one name one number.
static void numberNamedSizes(Node &node, const ProgramInput &input,
                             const std::vector<Value> &arguments,
                             const std::vector<ProgramInput> &inputs) {
  numberSizes(node);
  std::vector<uint64_t> &numbers = node.outputs.front().sizeNumbers;
  auto share = [&](const ProgramInput &other,
                   const std::vector<uint64_t> &from) {
    for (size_t dim = 0; dim < input.dimensions.size(); ++dim)
      for (size_t i = 0; i < other.dimensions.size(); ++i)
        if (!input.dimensions[dim].empty() &&
            other.dimensions[i] == input.dimensions[dim])
          numbers[dim] = from[i];
  };
  share(input, numbers);
  for (size_t i = 0; i < inputs.size(); ++i)
    share(inputs[i], arguments[i].node->outputs.front().sizeNumbers);
}

/// Where a program for `target` runs.
static DeviceNumber deviceOfTarget(const std::string &target) {
  if (target.empty())
    return onDefaultDevice;
  return target.starts_with("cpu") ? onCpu : DeviceNumber(0);
}

static Value addArgument(std::vector<Value> &arguments,
                         std::vector<ProgramInput> &inputs, ProgramInput input,
                         std::string name, DeviceNumber device, SourceLoc loc) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].name == name)
      fail(Code::InvalidArgument,
           "inputs have names of their own; found '" + name + "' twice", loc,
           {{arguments[i].node->loc, "the other one"}});
  checkName(name, "an input's name", loc);
  checkNamedDimensions(arguments, inputs, input, loc);
  input.name = std::move(name);
  auto node = std::make_shared<Node>(Op::Leaf, loc);
  node->isTraced = true;
  node->device = device;
  node->name = input.name;
  node->outputs.push_back({input.type, nullptr});
  numberNamedSizes(*node, input, arguments, inputs);
  inputs.push_back(std::move(input));
  arguments.push_back({node, 0});
  return arguments.back();
}

std::string Tracer::nextName() {
  return "arg" + std::to_string(state->named++);
}

/// Sets where an argument is in what the function takes. Files have no path
/// with control characters or of more bytes than names may have: keys of maps
/// may.
static void setPath(ProgramInput &input, const std::string &path) {
  if (isPrintable(path) && path.size() <= maxNameBytes)
    input.path = path;
}

/// A tensor may have the largest sizes.
static void checkInput(const InputInfo &info) {
  checkDType(info.dtype(), info.loc());
  int64_t elements = 1;
  bool isTooLarge = info.shape().size() > runtime::maxRank;
  // Two dimensions are seldom large at the same time: runs check the rest.
  for (const DimensionRange &range : info.shape()) {
    int64_t size = range.isStatic() ? range.largest : 1;
    isTooLarge |= range.largest > maxElements ||
                  __builtin_mul_overflow(elements, size, &elements) ||
                  elements > maxElements;
  }
  if (isTooLarge)
    fail(Code::LimitExceeded,
         "an input has rank at most 8 and at most 2^40 elements; found " +
             info.str(),
         info.loc());
}

Tensor Tracer::argument(const InputInfo &info, const std::string &path) {
  checkInput(info);
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
  if (state->loc.line == 0)
    state->loc = info.loc();
  std::string place = path.empty() ? nextName() : path;
  setPath(input, place);
  return Call::makeTensor(
      addArgument(state->arguments, state->inputs, std::move(input),
                  info.name().empty() ? place : info.name(),
                  deviceOfTarget(state->settings.target), info.loc()));
}

Size Tracer::argument(const DimensionInputInfo &info, const std::string &path) {
  ProgramInput input;
  addRange(input, info.range());
  input.type = internType({true, DType::F32, {}});
  if (state->loc.line == 0)
    state->loc = info.loc();
  std::string place = path.empty() ? nextName() : path;
  setPath(input, place);
  return Call::makeSize(addArgument(
      state->arguments, state->inputs, std::move(input),
      info.name().empty() ? place : info.name(), anywhere, info.loc()));
}

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
    value->wait(loc);
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

/// Values stay as they are while compiling: names may be given to them before.
void Tracer::nameTensors(std::vector<std::pair<std::string, Tensor>> tensors) {
  for (auto &[name, tensor] : tensors) {
    // What is computed in the program is no weight of it.
    if (state->settings.weightsOutside)
      tensor.eval(state->loc);
    state->names.emplace(Call::use(tensor, state->loc).node.get(), name);
  }
}

/// Constants of fewer bytes are always inside.
static constexpr size_t minWeightBytes = 1024;

/// Makes weights of large constants: inputs that are bound when the program is
/// loaded.
static std::vector<NamedStorage>
separateWeights(GraphProgram &program,
                const std::vector<std::shared_ptr<const Storage>> &constants,
                size_t arguments) {
  std::vector<NamedStorage> weights;
  std::set<std::string> taken;
  for (size_t i = 0; i < arguments; ++i)
    taken.insert(program.inputs[i].name);
  for (size_t i = 0; i < constants.size(); ++i) {
    ProgramInput &input = program.inputs[arguments + i];
    if (constants[i]->bytes() < minWeightBytes)
      continue;
    std::string base = input.name.empty() ? "constant" : input.name;
    checkName(base, "a weight's name",
              {input.place.file, input.place.function, input.place.line,
               input.place.column});
    input.name = base;
    for (size_t number = 1; !taken.insert(input.name).second; ++number)
      input.name = base + "_" + std::to_string(number);
    input.constant = nullptr;
    input.isParameter = true;
    weights.push_back({input.name, constants[i]});
  }
  return weights;
}

/// The settings as the compiler takes them. No exception may enter the
/// compiler: what the callback throws is kept in `thrown`.
static LoweringOptions optionsOf(const CompileSettings &settings,
                                 std::exception_ptr &thrown,
                                 std::string &warnings, SourceLoc loc) {
  LoweringOptions options;
  options.target = settings.target.empty() ? targetOf(defaultDevice(loc), loc)
                                           : settings.target;
  options.cpu = settings.cpu;
  options.backends = settings.backends;
  options.tuningFile = settings.tuningFile;
  options.tuningDevice = settings.tuningDevice;
  options.strictShapes = settings.strictShapes;
  options.threads = true;
  options.warnings = [&](std::string_view text) { warnings = text; };
  if (settings.progress)
    options.progress = [&](std::string_view stage, size_t done, size_t total) {
      try {
        return settings.progress({std::string(stage), done, total});
      } catch (...) {
        thrown = std::current_exception();
        return false;
      }
    };
  return options;
}

/// The bytes of the executable's file. Throws Error, or what the callback does.
static std::vector<uint8_t> compileProgram(const GraphProgram &program,
                                           const CompileSettings &settings,
                                           SourceLoc loc) {
  std::exception_ptr thrown;
  std::string warnings;
  auto bytes =
      compileGraph(program, optionsOf(settings, thrown, warnings, loc));
  if (thrown)
    std::rethrow_exception(thrown);
  if (!warnings.empty() && settings.warnings)
    settings.warnings(warnings);
  else if (!warnings.empty() &&
           isLogged(LogComponent::Compile, LogLevel::Warning))
    std::cerr << warnings;
  if (bytes)
    return std::move(*bytes);
  throwCompileError(bytes.status(), loc);
}

void Tracer::refuseEmpty(const std::string &path) const {
  fail(Code::InvalidArgument,
       "each part of a list or map that a compiled function returns has a "
       "tensor; found none in '" +
           path + "'",
       state->loc);
}

Executable
Tracer::finish(const std::vector<std::pair<std::string, Tensor>> &results) {
  SourceLoc loc = state->loc;
  if (results.empty())
    fail(Code::InvalidArgument, "a compiled function returns a tensor", loc);
  std::vector<Value> values;
  std::set<std::string> names;
  for (size_t i = 0; i < results.size(); ++i) {
    const auto &[path, result] = results[i];
    std::string name = path.empty() ? "result" + std::to_string(i) : path;
    checkName(name, "a result's name", loc);
    if (!names.insert(name).second)
      fail(Code::InvalidArgument,
           "results have names of their own; found '" + name + "' twice", loc);
    values.push_back(
        Call::use(result, loc, "'" + name + "' of what the function returned"));
  }
  makeCopies(values, loc);
  Collected collected;
  {
    std::lock_guard lock(graphMutex());
    collected = collect(values, state->arguments);
  }
  GraphProgram &program = collected.program;
  for (const auto &[path, result] : results)
    program.outputNames.push_back(path);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (i < state->inputs.size()) {
      state->inputs[i].place = program.inputs[i].place;
      program.inputs[i] = state->inputs[i];
      continue;
    }
    const Node *node = collected.leaves[i].node.get();
    auto named = state->names.find(node);
    program.inputs[i].name =
        named == state->names.end() ? node->name : named->second;
  }
  auto constants = bakeConstants(collected, state->inputs.size(), loc);
  std::vector<NamedStorage> weights;
  if (state->settings.weightsOutside)
    weights = separateWeights(program, constants, state->inputs.size());
  std::vector<uint8_t> bytes = compileProgram(program, state->settings, loc);
  Executable::Impl::Origin origin;
  origin.mayBeElsewhere = !state->settings.target.empty();
  origin.isCompiledHere = true;
  return Executable(std::make_shared<Executable::Impl>(
      std::move(bytes), std::move(weights), origin, loc));
}
