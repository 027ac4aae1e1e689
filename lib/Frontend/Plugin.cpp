//===- Plugin.cpp - Kernels of the user's own -----------------------------===//

#include "tripy/Frontend/Plugin.h"

#include "Call.h"
#include "PluginDeclaration.h"
#include "Throw.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Hash.h"
#include "tripy/Runtime/PluginLibraries.h"

#include <algorithm>
#include <unordered_map>

using namespace tripy;
using namespace tripy::frontend;

//===-- sources -----------------------------------------------------------===//

/// Bytes that a plugin's file has at most.
static constexpr uint64_t maxPluginBytes = uint64_t(64) << 20;

PluginSource::PluginSource(PluginCode code)
    : code(std::make_shared<PluginCode>(std::move(code))) {}

static std::string readText(const std::string &path, SourceLoc loc) {
  Result<std::vector<uint8_t>> bytes = readFile(path, maxPluginBytes);
  check(bytes.status(), loc);
  return {bytes->begin(), bytes->end()};
}

static PluginCode makeCode(std::string kind, std::string entry,
                           std::string code, const Dims &block,
                           std::vector<std::string> arguments) {
  PluginCode made{std::move(kind), std::move(entry),    std::move(code), "",
                  block.numbers(), std::move(arguments)};
  if (made.block.size() < 3)
    made.block.resize(3, 1);
  return made;
}

PluginSource PluginSource::ptx(std::string text, std::string entry,
                               const Dims &block,
                               std::vector<std::string> arguments) {
  // Many tools write a zero at the end of PTX.
  while (text.ends_with('\0'))
    text.pop_back();
  return PluginSource(makeCode("ptx", std::move(entry), std::move(text), block,
                               std::move(arguments)));
}

PluginSource PluginSource::ptxFile(const std::string &path, std::string entry,
                                   const Dims &block,
                                   std::vector<std::string> arguments,
                                   SourceLoc loc) {
  return ptx(readText(path, loc), std::move(entry), block,
             std::move(arguments));
}

PluginSource PluginSource::cubinFile(const std::string &path, std::string entry,
                                     const Dims &block,
                                     std::vector<std::string> arguments,
                                     SourceLoc loc) {
  return PluginSource(makeCode("cubin", std::move(entry), readText(path, loc),
                               block, std::move(arguments)));
}

PluginSource PluginSource::gpuFunction(std::string text, std::string entry,
                                       const Dims &block,
                                       std::vector<std::string> arguments) {
  return PluginSource(makeCode("mlir", std::move(entry), std::move(text), block,
                               std::move(arguments)));
}

PluginSource PluginSource::cFunction(const std::string &library,
                                     std::string function, SourceLoc loc) {
  loadPluginLibrary(library, loc);
  std::string name = library.substr(library.rfind('/') + 1);
  return PluginSource(
      PluginCode{"c", std::move(function), "", std::move(name), {}, {}});
}

void tripy::loadPluginLibrary(const std::string &path, SourceLoc loc) {
  check(runtime::loadPluginLibrary(path), loc);
}

//===-- the size function -------------------------------------------------===//

namespace {
/// Calls a plugin's size function, and notes what it calculates.
class SizeRecorder {
public:
  SizeRecorder(PluginDeclaration &declaration, SourceLoc loc)
      : declaration(declaration), loc(loc) {}

  void record(const PluginDescription &description);

private:
  [[noreturn]] void refuse(const std::string &text) {
    fail(Code::InvalidArgument,
         "the size function of plugin '" + declaration.name + "' " + text, loc);
  }
  std::vector<Shape> makeOperands();
  uint32_t addStep(const PluginSizeStep &step);
  uint32_t numberOf(const Size &size);
  void visit(const Node &root);
  std::vector<uint32_t> numbersOf(std::span<const Size> sizes);

  PluginDeclaration &declaration;
  SourceLoc loc;
  /// Sizes of operands; they live as long as what was calculated of them.
  std::vector<std::shared_ptr<Node>> leaves;
  std::unordered_map<const Node *, uint32_t> values;
  uint32_t next = 0;
};
} // namespace

std::vector<Shape> SizeRecorder::makeOperands() {
  std::vector<Shape> shapes;
  for (const TypeInfo &operand : declaration.operands) {
    std::vector<Size> sizes;
    for (int64_t size : operand.sizes) {
      uint32_t number = next++;
      if (size != dynamicSize) {
        sizes.emplace_back(size);
        continue;
      }
      auto leaf = std::make_shared<Node>(Op::Leaf, loc);
      leaf->isTraced = true;
      leaf->outputs.push_back({internType({true, DType::F32, {}}), nullptr});
      values.emplace(leaf.get(), number);
      leaves.push_back(leaf);
      sizes.push_back(Call::makeSize({leaf, 0}));
    }
    shapes.emplace_back(std::move(sizes));
  }
  return shapes;
}

uint32_t SizeRecorder::addStep(const PluginSizeStep &step) {
  declaration.steps.push_back(step);
  return next++;
}

/// Numbers the values that `root` is calculated of, and then its own.
void SizeRecorder::visit(const Node &root) {
  std::vector<const Node *> stack{&root};
  while (!stack.empty()) {
    const Node &node = *stack.back();
    if (values.contains(&node)) {
      stack.pop_back();
      continue;
    }
    bool isSize = node.op == Op::SizeAdd || node.op == Op::SizeSub ||
                  node.op == Op::SizeMul || node.op == Op::SizeDiv ||
                  node.op == Op::SizeConstant;
    if (!isSize)
      refuse("calculates with the sizes of its operands and with numbers "
             "alone; found a size of something else");
    size_t depth = stack.size();
    for (const Value &operand : node.operands)
      if (!values.contains(operand.node.get()))
        stack.push_back(operand.node.get());
    if (stack.size() != depth)
      continue;
    PluginSizeStep step{node.op};
    if (node.op == Op::SizeConstant) {
      step.number = std::get<int64_t>(node.attributes.front());
    } else {
      step.lhs = values.at(node.operands[0].node.get());
      step.rhs = values.at(node.operands[1].node.get());
    }
    values.emplace(&node, addStep(step));
    stack.pop_back();
  }
}

uint32_t SizeRecorder::numberOf(const Size &size) {
  if (size.isStatic())
    return addStep({Op::SizeConstant, size.value(loc)});
  const Node *node = Call::valueOf(size).node.get();
  visit(*node);
  return values.at(node);
}

std::vector<uint32_t> SizeRecorder::numbersOf(std::span<const Size> sizes) {
  std::vector<uint32_t> numbers;
  for (const Size &size : sizes)
    numbers.push_back(numberOf(size));
  return numbers;
}

void SizeRecorder::record(const PluginDescription &description) {
  if (!description.sizes)
    refuse("is missing");
  PluginSizes sizes = description.sizes(makeOperands());
  size_t results = declaration.results.size();
  if (sizes.results.size() != results)
    refuse("gives a shape for each result, " + std::to_string(results) +
           "; found " + std::to_string(sizes.results.size()));
  if (sizes.grid.size() > 3)
    refuse("gives the blocks in x, y and z; found " +
           std::to_string(sizes.grid.size()) + " sizes");
  if (!sizes.grid.empty())
    sizes.grid.resize(3, 1);
  std::lock_guard lock(graphMutex());
  for (size_t i = 0; i < results; ++i) {
    size_t rank = declaration.results[i].sizes.size();
    if (sizes.results[i].rank() != rank)
      refuse("gives " + std::to_string(rank) + " sizes for result " +
             std::to_string(i) + "; found the shape " + sizes.results[i].str());
    for (uint32_t number : numbersOf(sizes.results[i].sizes()))
      declaration.shapes.push_back(number);
  }
  declaration.grid = numbersOf(sizes.grid);
  if (sizes.shared)
    declaration.shared.push_back(numberOf(*sizes.shared));
  declaration.numbers = numbersOf(sizes.numbers);
}

//===-- declarations ------------------------------------------------------===//

/// Appends a text so that it ends where it ends.
static void append(std::string &out, const std::string &text) {
  out += std::to_string(text.size()) + ":" + text;
}
template <typename T>
static void append(std::string &out, const std::vector<T> &list) {
  out += std::to_string(list.size()) + "[";
  for (const T &item : list)
    out += std::to_string(item) + ",";
}

std::string tripy::frontend::identityOf(const PluginDeclaration &declaration) {
  std::string out;
  append(out, declaration.name);
  for (const auto *types : {&declaration.operands, &declaration.results}) {
    out += std::to_string(types->size()) + "(";
    for (const TypeInfo &type : *types) {
      append(out, std::string(dtypeName(type.dtype)));
      append(out, type.sizes);
    }
  }
  for (const auto &[name, dtype] : declaration.parameters) {
    append(out, name);
    append(out, std::string(dtypeName(dtype)));
  }
  for (const PluginCode &source : declaration.sources) {
    for (const std::string *text :
         {&source.kind, &source.entry, &source.library})
      append(out, *text);
    const auto *bytes = reinterpret_cast<const uint8_t *>(source.code.data());
    out += hashBytes({bytes, source.code.size()}).str();
    append(out, source.block);
    for (const std::string &argument : source.arguments)
      append(out, argument);
  }
  for (const PluginSizeStep &step : declaration.steps)
    append(out, std::vector<int64_t>{int64_t(step.op), step.number, step.lhs,
                                     step.rhs});
  for (const auto *list : {&declaration.shapes, &declaration.grid,
                           &declaration.shared, &declaration.numbers})
    append(out, *list);
  return out;
}

static std::vector<TypeInfo> typesOf(const std::vector<PluginTensor> &tensors,
                                     const std::string &what, SourceLoc loc) {
  std::vector<TypeInfo> types;
  for (const PluginTensor &tensor : tensors) {
    TypeInfo &type = types.emplace_back(TypeInfo{false, tensor.dtype, {}});
    for (int64_t size : tensor.shape) {
      if (size < anyPluginSize)
        fail(Code::InvalidArgument,
             "a size of " + what + " " + std::to_string(types.size() - 1) +
                 " is not negative, or anyPluginSize; found " +
                 std::to_string(size),
             loc);
      type.sizes.push_back(size == anyPluginSize ? dynamicSize : size);
    }
  }
  return types;
}

Plugin::Plugin(const PluginDescription &description, SourceLoc loc) {
  auto made = std::make_shared<PluginDeclaration>();
  made->name = description.name;
  if (made->name.empty())
    fail(Code::InvalidArgument, "a plugin has a name; found ''", loc);
  made->operands = typesOf(description.operands, "operand", loc);
  made->results = typesOf(description.results, "result", loc);
  for (const PluginParameter &parameter : description.parameters)
    made->parameters.emplace_back(parameter.name, parameter.dtype);
  for (const PluginSource &source : description.sources)
    made->sources.push_back(*source.code);
  SizeRecorder(*made, loc).record(description);
  made->place = {loc.file, loc.function, loc.line, loc.column};
  made->identity = identityOf(*made);
  Status status = checkPlugin(*made);
  if (!status.isOk())
    fail(status.code(), status.message(), loc);
  declaration = std::move(made);
}

//===-- calls -------------------------------------------------------------===//

/// The number that a call states for a parameter.
static Number parameterOf(const PluginDeclaration &declaration,
                          const std::pair<std::string, DType> &parameter,
                          const Plugin::Parameters &given, SourceLoc loc) {
  auto found = given.find(parameter.first);
  if (found == given.end())
    fail(Code::InvalidArgument,
         "the parameter '" + parameter.first + "' of plugin '" +
             declaration.name + "' is missing",
         loc);
  return found->second.as(parameter.second, loc);
}

static void checkNames(const PluginDeclaration &declaration,
                       const Plugin::Parameters &given, SourceLoc loc) {
  for (const auto &[name, value] : given)
    if (std::none_of(declaration.parameters.begin(),
                     declaration.parameters.end(),
                     [&](const auto &known) { return known.first == name; }))
      fail(Code::InvalidArgument,
           "the plugin '" + declaration.name + "' has no parameter '" + name +
               "'",
           loc);
}

std::vector<Tensor> Plugin::call(const Operands &operands,
                                 const Parameters &parameters,
                                 SourceLoc loc) const {
  std::vector<Tensor> tensors;
  for (const TensorLike &operand : operands) {
    size_t i = tensors.size();
    // The number of operands is checked with their types.
    tensors.push_back(operand.isNumber() && i < declaration->operands.size()
                          ? numberTensor(*operand.literal(),
                                         declaration->operands[i].dtype,
                                         operand.loc())
                          : operand.toTensor());
  }
  checkNames(*declaration, parameters, loc);
  Call call(Op::Plugin, loc);
  call.operand(tensors);
  call.attribute(declaration);
  for (const auto &parameter : declaration->parameters)
    call.attribute(parameterOf(*declaration, parameter, parameters, loc));
  call.record();
  return call.tensors();
}

Tensor Plugin::operator()(const Operands &operands,
                          const Parameters &parameters, SourceLoc loc) const {
  if (declaration->results.size() != 1)
    fail(Code::InvalidArgument,
         "the plugin '" + declaration->name + "' has " +
             std::to_string(declaration->results.size()) +
             " results; call() gives them as a list",
         loc);
  return call(operands, parameters, loc).front();
}
