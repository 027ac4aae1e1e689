//===- Plugin.cpp - Rules of kernels that users bring ---------------------===//
//
// The predicates that the rules of TripyPlugin.td and of operations that call a
// plugin name.
//
//===----------------------------------------------------------------------===//

#include "tripy/Dialect/Tripy/Plugin.h"

#include "tripy/Base/Cubin.h"
#include "tripy/Base/Text.h"
#include "tripy/Dialect/Common/SizeOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tripy;

//===-- arguments of kernels ----------------------------------------------===//

std::optional<PluginArgument> tripy::parsePluginArgument(StringRef text) {
  using Kind = PluginArgument::Kind;
  SmallVector<StringRef> words;
  text.split(words, ' ');
  auto number = [](StringRef word, unsigned &value) {
    return word.size() <= 9 && !word.getAsInteger(10, value);
  };
  PluginArgument made;
  bool isDim = words.size() == 5 && words[0] == "dim" && words[1] == "of" &&
               number(words[3], made.index) && number(words[4], made.dim);
  if (isDim && (words[2] == "operand" || words[2] == "result")) {
    made.kind = words[2] == "operand" ? Kind::OperandDim : Kind::ResultDim;
    return made;
  }
  if (words.size() == 2 && words[0] == "parameter") {
    made.kind = Kind::Parameter;
    made.name = words[1];
    return made;
  }
  if (words.size() < 2 || !number(words[1], made.index))
    return std::nullopt;
  bool is32 = words.size() == 4 && words[0] == "number" && words[2] == "as" &&
              words[3] == "i32";
  if (words.size() != 2 && !is32)
    return std::nullopt;
  if (words[0] == "number")
    made.kind = is32 ? Kind::Number32 : Kind::Number;
  else if (words[0] == "operand" || words[0] == "result")
    made.kind = words[0] == "operand" ? Kind::Operand : Kind::Result;
  else
    return std::nullopt;
  return made;
}

SmallVector<std::string> tripy::argumentsOf(PluginOp plugin,
                                            PluginSourceAttr source) {
  SmallVector<std::string> list;
  for (StringAttr argument : source.getArguments())
    list.push_back(argument.str());
  if (!list.empty())
    return list;
  auto add = [&](StringRef word, size_t count) {
    for (size_t i = 0; i < count; ++i)
      list.push_back((word + " " + Twine(i)).str());
  };
  add("operand", plugin.getFunctionType().getNumInputs());
  add("result", plugin.getFunctionType().getNumResults());
  add("number", plugin.getTerminator().getNumbers().size());
  for (StringRef name : plugin.getParameters())
    list.push_back(("parameter " + name).str());
  return list;
}

/// Whether the plugin has what `argument` names.
static bool exists(PluginOp plugin, const PluginArgument &argument) {
  using Kind = PluginArgument::Kind;
  switch (argument.kind) {
  case Kind::Operand:
    return argument.index < plugin.getFunctionType().getNumInputs();
  case Kind::Result:
    return argument.index < plugin.getFunctionType().getNumResults();
  case Kind::Number:
  case Kind::Number32:
    return argument.index < plugin.getTerminator().getNumbers().size();
  case Kind::Parameter:
    return bool(plugin.getParameterType(argument.name));
  case Kind::OperandDim:
  case Kind::ResultDim:
    return false; // Of the emission alone.
  }
  llvm_unreachable("all kinds are above");
}

//===-- the declaration ---------------------------------------------------===//

PluginSizesOp PluginOp::getTerminator() {
  return cast<PluginSizesOp>(getSizes().front().getTerminator());
}

SmallVector<StringRef> PluginOp::getParameters() {
  SmallVector<StringRef> names;
  if (std::optional<ArrayAttr> list = getParameterNames())
    for (Attribute name : *list)
      names.push_back(cast<StringAttr>(name).getValue());
  return names;
}

Type PluginOp::getParameterType(StringRef name) {
  for (auto [i, known] : llvm::enumerate(getParameters()))
    if (known == name)
      return cast<TypeAttr>((*getParameterTypes())[i]).getValue();
  return {};
}

/// Elements of i4 lie two to a byte in arguments and results of a program
/// alone: within it they are i8.
static bool isPluginTensor(Type type) {
  return isTensorType(type) &&
         !cast<RankedTensorType>(type).getElementType().isInteger(4);
}

static bool hasPluginTypes(PluginOp op) {
  FunctionType type = op.getFunctionType();
  return llvm::all_of(type.getInputs(), isPluginTensor) &&
         llvm::all_of(type.getResults(), isPluginTensor) &&
         type.getNumResults() > 0;
}

static bool hasPluginParameters(PluginOp op) {
  SmallVector<StringRef> names = op.getParameters();
  size_t types = op.getParameterTypes() ? op.getParameterTypes()->size() : 0;
  llvm::StringSet<> seen;
  if (names.size() != types)
    return false;
  for (StringRef name : names) {
    Type type = op.getParameterType(name);
    bool isIdentifier =
        !name.empty() && name.size() <= maxNameBytes &&
        llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!isIdentifier || !seen.insert(name).second ||
        !(type.isSignlessInteger(32) || type.isSignlessInteger(64) ||
          type.isF32() || type.isF64()))
      return false;
  }
  return true;
}

static bool hasPluginDims(PluginOp op) {
  int64_t dims = 0;
  for (Type type : op.getFunctionType().getInputs())
    dims += cast<RankedTensorType>(type).getRank();
  return op.getSizes().getNumArguments() == dims &&
         llvm::all_of(op.getSizes().getArgumentTypes(),
                      [](Type type) { return type.isIndex(); });
}

/// Rules come before the operations inside are verified: nothing is taken for
/// granted.
static bool isSizeFunction(PluginOp op) {
  if (!op.getSizes().hasOneBlock() || op.getSizes().front().empty() ||
      !isa<PluginSizesOp>(op.getSizes().front().back()))
    return false;
  return llvm::all_of(op.getSizes().front().without_terminator(),
                      [](Operation &inner) { return findSizeOp(&inner); });
}

/// The ranges of what the size function gives, for operands of these types.
static SmallVector<Interval> boundSizes(PluginOp op, TypeRange operands,
                                        ValueRange wanted) {
  DenseMap<Value, Interval> ranges;
  Block &block = op.getSizes().front();
  unsigned next = 0;
  for (auto [given, declared] :
       llvm::zip_equal(operands, op.getFunctionType().getInputs()))
    for (auto [size, own] :
         llvm::zip_equal(cast<RankedTensorType>(given).getShape(),
                         cast<RankedTensorType>(declared).getShape())) {
      int64_t known = ShapedType::isDynamic(size) ? own : size;
      ranges[block.getArgument(next++)] = ShapedType::isDynamic(known)
                                              ? Interval{0, maxElements}
                                              : Interval{known, known};
    }
  auto rangeOf = [&](Value value) {
    auto found = ranges.find(value);
    return found == ranges.end() ? anySize : found->second;
  };
  for (Operation &inner : block.without_terminator()) {
    SmallVector<Interval> bounds;
    for (Value operand : inner.getOperands())
      bounds.push_back(rangeOf(operand));
    if (inner.getNumResults() == 1)
      ranges[inner.getResult(0)] = boundSize(&inner, bounds);
  }
  return llvm::map_to_vector(wanted, rangeOf);
}

SmallVector<Type> tripy::resultTypes(PluginOp plugin, TypeRange operands) {
  SmallVector<Interval> sizes =
      boundSizes(plugin, operands, plugin.getTerminator().getShapes());
  SmallVector<Type> types;
  size_t next = 0;
  for (Type declared : plugin.getFunctionType().getResults()) {
    auto tensor = cast<RankedTensorType>(declared);
    SmallVector<int64_t> shape;
    for (int64_t dim = 0; dim < tensor.getRank(); ++dim, ++next) {
      bool isStatic = next < sizes.size() && sizes[next].isPoint() &&
                      sizes[next].lo >= 0 && sizes[next].lo <= maxElements;
      shape.push_back(isStatic ? sizes[next].lo : ShapedType::kDynamic);
    }
    types.push_back(RankedTensorType::get(shape, tensor.getElementType()));
  }
  return types;
}

static bool hasResultSizes(PluginOp op) {
  size_t dims = 0;
  for (Type type : op.getFunctionType().getResults())
    dims += cast<RankedTensorType>(type).getRank();
  FunctionType type = op.getFunctionType();
  PluginSizesOp end = op.getTerminator();
  if (end.getShapes().size() != dims)
    return false;
  for (Interval size : boundSizes(op, type.getInputs(), end.getShapes()))
    if (size.hi < 0)
      return false;
  return TypeRange(resultTypes(op, type.getInputs())) ==
         TypeRange(type.getResults());
}

/// Types, separated by commas.
static std::string describeTypes(TypeRange types) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(types, stream);
  return types.empty() ? "nothing" : text;
}

static std::string describeSizes(PluginOp op) {
  return std::to_string(op.getTerminator().getShapes().size()) +
         " sizes, which make " +
         describeTypes(resultTypes(op, op.getFunctionType().getInputs()));
}

//===-- sources -----------------------------------------------------------===//

static auto sourcesOf(PluginOp op) {
  return op.getSources().getAsRange<PluginSourceAttr>();
}

static bool hasSourceForms(PluginOp op) {
  for (PluginSourceAttr source : sourcesOf(op)) {
    StringRef kind = source.getKind();
    bool isBytes = kind == "ptx" || kind == "cubin";
    bool hasBytes = bool(source.getFile()) != bool(source.getCode());
    if (!isBytes && kind != "mlir" && kind != "c")
      return false;
    if (isBytes ? !hasBytes : bool(source.getFile()) || bool(source.getCode()))
      return false;
    if (bool(source.getModule()) != (kind == "mlir") ||
        bool(source.getLibrary()) != (kind == "c"))
      return false;
  }
  return true;
}

static bool hasSourceNames(PluginOp op) {
  for (PluginSourceAttr source : sourcesOf(op))
    for (StringAttr name :
         {source.getEntry(), source.getFile(), source.getLibrary()})
      if (name && (name.empty() || name.size() > maxNameBytes ||
                   !isPrintable(std::string_view(name.getValue()))))
        return false;
  return true;
}

static bool hasSourceBlocks(PluginOp op) {
  static constexpr int64_t limits[] = {1024, 1024, 64};
  for (PluginSourceAttr source : sourcesOf(op)) {
    ArrayRef<int64_t> block = source.getBlock();
    if (block.size() != (source.isHost() ? 0 : 3))
      return false;
    int64_t threads = 1;
    for (auto [size, limit] : llvm::zip(block, limits)) {
      if (size < 1 || size > limit)
        return false;
      threads *= size;
    }
    if (threads > 1024)
      return false;
  }
  return true;
}

/// What is wrong with the arguments of a source; empty when nothing is.
static std::string brokenArgument(PluginOp op, PluginSourceAttr source) {
  if (source.isHost())
    return source.getArguments().empty()
               ? ""
               : "arguments of a function for the CPU, which are fixed";
  SmallVector<unsigned> written(op.getFunctionType().getNumResults());
  for (const std::string &text : argumentsOf(op, source)) {
    std::optional<PluginArgument> argument = parsePluginArgument(text);
    if (!argument || !exists(op, *argument))
      return "'" + text + "'";
    if (argument->kind == PluginArgument::Kind::Result)
      ++written[argument->index];
  }
  for (auto [i, times] : llvm::enumerate(written))
    if (times != 1)
      return "result " + std::to_string(i) + " " + std::to_string(times) +
             " times";
  return "";
}

static std::string brokenArgument(PluginOp op) {
  for (PluginSourceAttr source : sourcesOf(op))
    if (std::string text = brokenArgument(op, source); !text.empty())
      return "found " + printable(std::string_view(text), 200);
  return "";
}

static bool hasSourceArguments(PluginOp op) {
  return brokenArgument(op).empty();
}

static bool hasPluginGrid(PluginOp op) {
  PluginSizesOp end = op.getTerminator();
  bool isNeeded = llvm::any_of(
      sourcesOf(op), [](PluginSourceAttr source) { return !source.isHost(); });
  if (end.getGrid().size() != 3 && (isNeeded || !end.getGrid().empty()))
    return false;
  TypeRange inputs = op.getFunctionType().getInputs();
  for (auto [size, limit] :
       llvm::zip(boundSizes(op, inputs, end.getGrid()), maxPluginGrid))
    if (size.hi < 0 || size.lo > limit)
      return false;
  if (end.getShared())
    return boundSizes(op, inputs, end.getShared())[0].hi >= 0;
  return true;
}

bool tripy::hasPtxEntry(StringRef ptx, StringRef name) {
  while (!ptx.empty()) {
    size_t at = ptx.find(".entry");
    if (at == StringRef::npos)
      return false;
    ptx = ptx.drop_front(at + 6);
    StringRef rest = ptx.ltrim();
    if (rest.size() == ptx.size() || !rest.consume_front(name))
      continue;
    rest = rest.ltrim();
    if (rest.empty() || rest.front() == '(' || rest.front() == '{' ||
        rest.front() == '.')
      return true;
  }
  return false;
}

/// What is wrong with the code of a source; empty when nothing is.
static std::string missingEntry(PluginSourceAttr source) {
  StringAttr code = source.getCode();
  if (!code)
    return "";
  std::string name = "'" + source.getEntry().str() + "'";
  if (source.getKind() == "ptx") {
    if (code.getValue().contains('\0'))
      return "found a zero byte in PTX";
    return hasPtxEntry(code, source.getEntry())
               ? ""
               : "found no '.entry' " + name + " in the PTX";
  }
  Result<CubinInfo> info =
      readCubin({reinterpret_cast<const uint8_t *>(code.data()), code.size()});
  if (!info)
    return info.status().message();
  if (llvm::is_contained(info->functions, source.getEntry().getValue()))
    return "";
  std::string all;
  for (const std::string &function : info->functions)
    if (all.size() < 200)
      all += (all.empty() ? "'" : ", '") + function + "'";
  return "found no function " + name + " in the cubin, which has " +
         (all.empty() ? "none" : all);
}

static std::string missingEntry(PluginOp op) {
  for (PluginSourceAttr source : sourcesOf(op))
    if (std::string text = missingEntry(source); !text.empty())
      return printable(std::string_view(text), 400);
  return "";
}

static bool hasSourceEntries(PluginOp op) { return missingEntry(op).empty(); }

static bool hasSourceModules(PluginOp op) {
  for (PluginSourceAttr source : sourcesOf(op)) {
    if (source.getKind() != "mlir")
      continue;
    StringRef name = source.getModule().getValue();
    Operation *module =
        SymbolTable::lookupNearestSymbolFrom(op, source.getModule());
    if (!module || module->getName().getStringRef() != "gpu.module" ||
        name == "device_code" || module->getNumRegions() != 1)
      return false;
    Operation *kernel = SymbolTable::lookupSymbolIn(module, source.getEntry());
    if (!kernel || kernel->getName().getStringRef() != "gpu.func" ||
        !kernel->hasAttr("gpu.kernel"))
      return false;
  }
  return true;
}

//===-- calls -------------------------------------------------------------===//

/// Whether the rules that others rely on hold. Declarations are verified beside
/// the operations that call them, not before.
static bool isIntact(PluginOp op) {
  auto all = [](std::optional<ArrayAttr> list, auto isOne) {
    return !list || llvm::all_of(*list, isOne);
  };
  return all(op.getSources(), llvm::IsaPred<PluginSourceAttr>) &&
         all(op.getParameterNames(), llvm::IsaPred<StringAttr>) &&
         all(op.getParameterTypes(), llvm::IsaPred<TypeAttr>) &&
         op.getSizes().hasOneBlock() && hasPluginTypes(op) &&
         hasPluginParameters(op) && hasPluginDims(op) && isSizeFunction(op) &&
         hasResultSizes(op);
}

PluginOp tripy::findPlugin(Operation *from, StringRef name) {
  auto plugin = SymbolTable::lookupNearestSymbolFrom<PluginOp>(
      from, StringAttr::get(from->getContext(), name));
  return plugin && isIntact(plugin) ? plugin : PluginOp();
}

/// Whether a tensor may be what is declared: static sizes agree.
static bool mayBe(Type given, Type declared) {
  auto tensor = dyn_cast<RankedTensorType>(given);
  auto wanted = cast<RankedTensorType>(declared);
  return tensor && tensor.getElementType() == wanted.getElementType() &&
         succeeded(verifyCompatibleShape(tensor.getShape(), wanted.getShape()));
}

static bool mayBeAll(TypeRange given, TypeRange declared) {
  return given.size() == declared.size() &&
         llvm::all_of(llvm::zip_equal(given, declared), [](auto pair) {
           return mayBe(std::get<0>(pair), std::get<1>(pair));
         });
}

bool tripy::takesOperands(PluginOp plugin, TypeRange operands) {
  return mayBeAll(operands, plugin.getFunctionType().getInputs());
}

std::string tripy::describeOperands(PluginOp plugin, TypeRange operands) {
  return "the plugin takes " +
         describeTypes(plugin.getFunctionType().getInputs()) + "; found " +
         describeTypes(operands);
}

bool tripy::takesParameters(PluginOp plugin, DictionaryAttr parameters) {
  SmallVector<StringRef> names = plugin.getParameters();
  if (names.size() != (parameters ? parameters.size() : 0))
    return false;
  return llvm::all_of(names, [&](StringRef name) {
    auto value = dyn_cast_if_present<TypedAttr>(parameters.get(name));
    return isa_and_nonnull<IntegerAttr, FloatAttr>(value) &&
           value.getType() == plugin.getParameterType(name);
  });
}

std::string tripy::describeParameters(PluginOp plugin,
                                      DictionaryAttr parameters) {
  std::string text = "the plugin has";
  llvm::raw_string_ostream stream(text);
  for (StringRef name : plugin.getParameters())
    stream << " " << name << " : " << plugin.getParameterType(name);
  stream << (plugin.getParameters().empty() ? " none" : "") << "; found ";
  if (parameters)
    stream << parameters;
  else
    stream << "none";
  return text;
}

bool tripy::givesResults(PluginOp plugin, TypeRange results) {
  return mayBeAll(results, plugin.getFunctionType().getResults());
}

std::string tripy::describeResults(PluginOp plugin, TypeRange operands,
                                   TypeRange results) {
  return "these are " + describeTypes(resultTypes(plugin, operands)) +
         "; found " + describeTypes(results);
}

bool tripy::hasPluginSizes(PluginOp plugin, TypeRange results, size_t sizes,
                           size_t grid, bool shared, size_t numbers) {
  size_t dynamic = 0;
  for (Type type : results)
    dynamic += cast<RankedTensorType>(type).getNumDynamicDims();
  PluginSizesOp end = plugin.getTerminator();
  return sizes == dynamic && grid == end.getGrid().size() &&
         shared == bool(end.getShared()) && numbers == end.getNumbers().size();
}

#include "tripy/Dialect/Tripy/TripyContracts.cpp.inc"
