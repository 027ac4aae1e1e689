//===- Module.cpp - Functions with parameters -----------------------------===//

#include "tripy/Frontend/Module.h"

#include "Call.h"
#include "Evaluate.h"
#include "TensorFile.h"
#include "Throw.h"

#include "tripy/Base/Packed.h"
#include "tripy/Frontend/Functions.h"

#include <algorithm>
#include <cstring>
#include <ostream>

using namespace tripy;
using namespace tripy::frontend;

//===-- parameters --------------------------------------------------------===//

/// Layers are made of numbers: the sentence names what they lead to.
static void checkParameter(const Shape &shape, SourceLoc loc) {
  int64_t elements = 1;
  bool isFine = shape.rank() <= int64_t(runtime::maxRank);
  for (const Size &size : shape)
    isFine &= size.value(loc) >= 0 &&
              !__builtin_mul_overflow(elements, size.value(loc), &elements) &&
              elements <= maxElements;
  if (!isFine)
    fail(Code::InvalidArgument,
         "a parameter has at most 8 sizes, none negative, and at most 2^40 "
         "elements; found the shape " +
             shape.str(),
         loc);
}

Parameter::Parameter(Shape shape, DType dtype, SourceLoc loc) {
  checkParameter(shape, loc);
  Tensor counts =
      iota({shape.volume(loc)}, 0, dtype == boolean ? int32 : dtype, loc);
  value = reshape({counts, loc}, shape, loc);
  if (dtype == boolean)
    value = cast({value, loc}, dtype, loc);
}

const Tensor &Parameter::checked(const Tensor &value, SourceLoc loc) {
  Call::use(value, loc, "the value of the parameter");
  return value;
}

static std::string describe(const Shape &shape, DType dtype) {
  return std::string(dtypeName(dtype)) + " of shape " + shape.str();
}

static void checkFits(const std::string &name, const Shape &shape, DType dtype,
                      const Tensor &tensor, SourceLoc loc) {
  std::string parameter =
      "the parameter" + (name.empty() ? name : " '" + name + "'");
  Call::use(tensor, loc, "the value of " + parameter);
  if (tensor.shape() != shape || tensor.dtype() != dtype)
    fail(Code::InvalidArgument,
         parameter + " is " + describe(shape, dtype) + "; found " +
             describe(tensor.shape(), tensor.dtype()),
         loc, {{tensor.loc(), "the new value"}});
}

void Parameter::set(const Tensor &tensor, SourceLoc loc) {
  checkFits("", shape(), dtype(), tensor, loc);
  value = tensor;
}

Parameter &Parameter::operator=(const detail::Placed<Tensor> &tensor) {
  // `layer.bias = x` of an optional one comes here from the standard library.
  bool isUsers = !std::string_view(tensor.loc.file).ends_with("/optional");
  set(tensor.value, isUsers ? tensor.loc : tensor.value.loc());
  return *this;
}
Parameter &Parameter::operator=(std::initializer_list<detail::Literal> items) {
  SourceLoc loc = detail::placeOf({items.begin(), items.size()});
  set(Tensor(items, dtype(), loc), loc);
  return *this;
}

Tensor Parameter::operator[](const Index &index) const { return value[index]; }
Tensor Parameter::operator[](std::initializer_list<Index> indices) const {
  return value[indices];
}
Tensor
Parameter::operator[](const detail::Placed<std::vector<Index>> &indices) const {
  return value[indices];
}

OptionalParameter &
OptionalParameter::operator=(const detail::Placed<Tensor> &tensor) {
  set(tensor.value, tensor.loc);
  return *this;
}
OptionalParameter &
OptionalParameter::operator=(std::initializer_list<detail::Literal> items) {
  SourceLoc loc = detail::placeOf({items.begin(), items.size()});
  set(Tensor(items, type, loc), loc);
  return *this;
}

const Tensor &OptionalParameter::tensor(SourceLoc loc) const {
  if (!value)
    fail(Code::InvalidArgument,
         "the optional parameter, " + describe(sizes, type) + ", was never set",
         loc);
  return *value;
}

void OptionalParameter::set(const Tensor &tensor, SourceLoc loc) {
  checkFits("", sizes, type, tensor, loc);
  value = tensor;
}

//===-- visitors ----------------------------------------------------------===//

namespace {

/// A parameter of either kind.
struct AnyParameter {
  std::string name;
  Parameter *always = nullptr;
  OptionalParameter *optional = nullptr;

  bool isSet() const { return always || optional->isSet(); }
  Shape shape() const { return always ? always->shape() : optional->shape(); }
  DType dtype() const { return always ? always->dtype() : optional->dtype(); }
  const Tensor &tensor() const {
    return always ? always->tensor() : optional->tensor();
  }
  void check(const Tensor &tensor, SourceLoc loc) const {
    checkFits(name, shape(), dtype(), tensor, loc);
  }
  void set(const Tensor &tensor, SourceLoc loc) const {
    if (always)
      always->set(tensor, loc);
    else
      optional->set(tensor, loc);
  }
};

/// All parameters below a module, by their whole name.
class ParameterList : public ModuleVisitor {
public:
  explicit ParameterList(bool enters) : enters(enters) {}
  void parameter(const std::string &name, Parameter &parameter) override {
    list.push_back({prefix + name, &parameter});
  }
  void optional(const std::string &name,
                OptionalParameter &parameter) override {
    list.push_back({prefix + name, nullptr, &parameter});
  }
  void child(const std::string &name, Module &module) override {
    if (!enters)
      return;
    std::string outer = prefix;
    prefix += name + ".";
    module.visitMembers(*this);
    prefix = outer;
  }

  std::vector<AnyParameter> list;

private:
  bool enters;
  std::string prefix;
};

class ChildList : public ModuleVisitor {
public:
  void parameter(const std::string &, Parameter &) override {}
  void child(const std::string &name, Module &module) override {
    list.emplace_back(name, &module);
  }
  std::vector<std::pair<std::string, const Module *>> list;
};

class TreePrinter : public ModuleVisitor {
public:
  void parameter(const std::string &name, Parameter &parameter) override {
    begin(name);
    text += "Parameter = (shape=" + parameter.shape().str() +
            ", dtype=" + std::string(dtypeName(parameter.dtype())) + "),\n";
  }
  void optional(const std::string &name,
                OptionalParameter &parameter) override {
    begin(name);
    text += "OptionalParameter = (shape=" + parameter.shape().str() +
            ", dtype=" + std::string(dtypeName(parameter.dtype())) +
            (parameter.isSet() ? "),\n" : ", not set),\n");
  }
  void child(const std::string &name, Module &module) override {
    begin(name);
    text += "Module = ";
    print(module);
    text += ",\n";
  }
  void print(Module &module) {
    text += module.typeName() + "(\n";
    ++depth;
    module.visitMembers(*this);
    --depth;
    text += std::string(4 * depth, ' ') + ")";
  }
  std::string text;

private:
  void begin(const std::string &name) {
    text += std::string(4 * depth, ' ') + name + ": ";
  }
  size_t depth = 0;
};

} // namespace

/// Visitors get what they may change; these do not.
static Module &mutableOf(const Module &module) {
  return const_cast<Module &>(module);
}

static StateDict valuesOf(const Module &module, bool enters) {
  ParameterList parameters(enters);
  mutableOf(module).visitMembers(parameters);
  StateDict values;
  for (const AnyParameter &parameter : parameters.list)
    if (parameter.isSet())
      values.emplace_back(parameter.name, parameter.tensor());
  return values;
}

StateDict Module::stateDict() const { return valuesOf(*this, true); }
StateDict Module::namedParameters() const { return valuesOf(*this, false); }

std::vector<std::pair<std::string, const Module *>>
Module::namedChildren() const {
  ChildList children;
  mutableOf(*this).visitMembers(children);
  return children.list;
}

std::string Module::str() const {
  TreePrinter printer;
  printer.print(mutableOf(*this));
  return printer.text;
}

std::ostream &tripy::operator<<(std::ostream &os, const Module &module) {
  return os << module.str();
}

std::ostream &tripy::operator<<(std::ostream &os,
                                const detail::Placed<StateDict> &dict) {
  std::string text;
  for (const auto &[name, value] : dict.value)
    text += (text.empty() ? "'" : ", '") + name + "': " + value.str(dict.loc);
  return os << "{" << text << "}";
}

//===-- state dicts -------------------------------------------------------===//

static std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "'" : ", '") + name + "'";
  return text.empty() ? "none" : text;
}

StateDictDifference Module::loadStateDict(const StateDict &values, bool strict,
                                          SourceLoc loc) {
  ParameterList parameters(/*enters=*/true);
  visitMembers(parameters);
  std::map<std::string, Tensor> byName;
  for (const auto &[name, value] : values)
    if (!byName.emplace(name, value).second)
      fail(Code::InvalidArgument,
           "names stand once in the values; found '" + name + "' twice", loc);
  StateDictDifference difference;
  auto &[missing, unknown] = difference;
  for (const AnyParameter &parameter : parameters.list) {
    auto found = byName.find(parameter.name);
    if (found != byName.end())
      parameter.check(found->second, loc);
    else if (parameter.always)
      missing.push_back(parameter.name);
  }
  for (const auto &[name, value] : values)
    if (std::none_of(parameters.list.begin(), parameters.list.end(),
                     [&](const auto &entry) { return entry.name == name; }))
      unknown.push_back(name);
  if (strict && (!missing.empty() || !unknown.empty()))
    fail(Code::InvalidArgument,
         "the names are those of the module's parameters; missing: " +
             joined(missing) + "; unknown: " + joined(unknown),
         loc);
  for (const AnyParameter &parameter : parameters.list)
    if (auto found = byName.find(parameter.name); found != byName.end())
      parameter.set(found->second, loc);
  return difference;
}

/// The file is mapped: only what is used is read, and nothing is copied.
StateDict tripy::readSafetensors(const std::string &path, SourceLoc loc) {
  StateDict values;
  for (auto &[name, storage] : mapTensors(path, loc)) {
    Tensor tensor = Call::makeTensor(makeLeaf(storage, onDefaultDevice, loc));
    values.emplace_back(name, tensor.setName(name));
  }
  return values;
}

/// `tensor` of a file, or the tensor of `parameter`'s type whose bytes it has.
static Tensor asParameter(const Tensor &tensor, const AnyParameter &parameter,
                          SourceLoc loc) {
  std::vector<int64_t> sizes;
  for (const Size &size : parameter.shape())
    sizes.push_back(size.value(loc));
  auto storage = evaluate(Call::use(tensor, loc), loc);
  runtime::TensorView view = storage->view();
  if (!holdsPacked(parameter.dtype(), sizes, view.dtype, view.shape.sizes()))
    return tensor;
  auto packed = runtime::HostTensor::create(
      parameter.dtype(), runtime::Shape(std::span<const int64_t>(sizes)));
  check(packed.status(), loc);
  std::memcpy(packed->data(), view.data, packed->span().size());
  return Call::makeTensor(
             makeLeaf(std::make_shared<Storage>(std::move(*packed)),
                      onDefaultDevice, loc))
      .setName(parameter.name);
}

StateDictDifference Module::loadSafetensors(const std::string &path,
                                            bool strict, SourceLoc loc) {
  ParameterList parameters(/*enters=*/true);
  visitMembers(parameters);
  StateDict values = readSafetensors(path, loc);
  for (auto &[name, tensor] : values)
    for (const AnyParameter &parameter : parameters.list)
      if (parameter.name == name && parameter.dtype() == int4)
        tensor = asParameter(tensor, parameter, loc);
  return loadStateDict(values, strict, loc);
}

void Module::saveSafetensors(const std::string &path, SourceLoc loc) const {
  StateDict values = stateDict();
  std::vector<Value> sources;
  for (const auto &[name, tensor] : values)
    sources.push_back(Call::use(tensor, loc));
  auto storages = evaluate(sources, loc);
  std::vector<NamedStorage> named;
  for (size_t i = 0; i < values.size(); ++i)
    named.push_back({values[i].first, storages[i]});
  writeTensors(path, named, loc);
}
