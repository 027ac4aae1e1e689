//===- Plugins.cpp - Users' kernels in an executable ----------------------===//

#include "Plugins.h"

#include "Assembler.h"
#include "Chips.h"

#include "tripy/Base/Cubin.h"
#include "tripy/Base/Text.h"
#include "tripy/Base/Verify.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::target;

using Kind = PluginArgument::Kind;

//===-- what is passed ----------------------------------------------------===//

FailureOr<std::optional<PluginUse>> target::pluginOf(kernel::FuncOp callee) {
  auto ops = callee.getBody().front().getOps<kernel::PluginOp>();
  if (ops.empty())
    return std::optional<PluginUse>();
  PluginUse use;
  use.op = *ops.begin();
  use.plugin = findPlugin(use.op, use.op.getCallee());
  if (!use.plugin || !use.op.getSource() ||
      *use.op.getSource() >= use.plugin.getSources().size())
    return use.op.emitOpError("no source of the plugin was chosen");
  use.source =
      cast<PluginSourceAttr>(use.plugin.getSources()[*use.op.getSource()]);
  auto isIn = [](const PluginArgument &argument, TypeRange types) {
    return argument.index < types.size() &&
           argument.dim <
               cast<RankedTensorType>(types[argument.index]).getRank();
  };
  for (Attribute text : use.op.getArgumentsAttr()) {
    std::optional<PluginArgument> read =
        parsePluginArgument(cast<StringAttr>(text).getValue());
    bool exists = read.has_value();
    if (exists && read->kind == Kind::OperandDim)
      exists = isIn(*read, use.op.getInputs().getTypes());
    else if (exists && read->kind == Kind::ResultDim)
      exists = isIn(*read, use.op.getResultTypes());
    else if (exists && read->kind == Kind::Operand)
      exists = read->index < use.op.getInputs().size();
    else if (exists && read->kind == Kind::Result)
      exists = read->index < use.op.getNumResults();
    else if (exists && read->kind == Kind::Parameter)
      exists = bool(use.plugin.getParameterType(read->name));
    else if (exists)
      exists = read->index < use.op.getNumbers().size();
    if (!exists)
      return use.op.emitOpError("arguments must be what the plugin has; found ")
             << text;
    use.arguments.push_back(*read);
  }
  return std::optional(use);
}

/// The kind of a parameter's value, as it is passed.
static ArgKind kindOf(const PluginUse &use, const PluginArgument &argument) {
  switch (argument.kind) {
  case Kind::Operand:
  case Kind::Result:
    return ArgKind::Buffer;
  case Kind::Number:
  case Kind::OperandDim:
  case Kind::ResultDim:
    return ArgKind::Size;
  case Kind::Number32:
    return ArgKind::Size32;
  case Kind::Parameter: {
    PluginOp plugin = use.plugin;
    return plugin.getParameterType(argument.name).getIntOrFloatBitWidth() == 32
               ? ArgKind::Value32
               : ArgKind::Value64;
  }
  }
  llvm_unreachable("all kinds are above");
}

std::vector<uint8_t> target::parametersOf(const PluginUse &use) {
  std::vector<uint8_t> kinds;
  for (const PluginArgument &argument : use.arguments)
    kinds.push_back(uint8_t(kindOf(use, argument)));
  return kinds;
}

/// The bits of a parameter, those of 32-bit numbers with a sign.
static int64_t bitsOf(const PluginUse &use, StringRef name) {
  kernel::PluginOp op = use.op;
  Attribute value = op.getParametersAttr().get(name);
  auto number = dyn_cast<IntegerAttr>(value);
  APInt bits = number ? number.getValue()
                      : cast<FloatAttr>(value).getValue().bitcastToAPInt();
  return bits.getSExtValue();
}

namespace {
/// Finds what a plugin's arguments are in one launch.
struct LaunchReader {
  const PluginUse &use;
  kernel::FuncOp callee;
  ArrayRef<TableIndex> sizes;
  kernel::SizeTable &table;

  /// Number of a tensor argument of the callee among them.
  unsigned tensorOf(Value operand) {
    return countBefore(operand, [](Type type) { return !type.isIndex(); });
  }
  TableIndex sizeOf(Value size) {
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return table.constant(*known);
    return sizes[countBefore(size, [](Type type) { return type.isIndex(); })];
  }
  /// A dimension of tensor `number` of the callee.
  TableIndex dimOf(RankedTensorType type, unsigned number, unsigned dim) {
    if (!type.isDynamicDim(dim))
      return table.constant(type.getDimSize(dim));
    FunctionType function = callee.getFunctionType();
    auto split = kernel::splitSizeArgs(
        callee.getSizeArgs(), function.getInputs(), function.getResults());
    return sizeOf(callee.getBody().getArgument(
        split[number][type.getDynamicDimIndex(dim)]));
  }

private:
  template <typename Counted>
  unsigned countBefore(Value argument, Counted counted) {
    auto before = callee.getBody().getArguments().take_front(
        cast<BlockArgument>(argument).getArgNumber());
    return llvm::count_if(
        before, [&](BlockArgument a) { return counted(a.getType()); });
  }
};
} // namespace

void target::passArguments(const PluginUse &use, kernel::FuncOp callee,
                           kernel::SizeTable &table, Launch &launch) {
  SmallVector<TableIndex> buffers, bytes, sizes;
  for (const Arg &arg : launch.args)
    (arg.kind == ArgKind::Buffer ? buffers : sizes).push_back(arg.index);
  for (const Access &access : launch.accesses)
    bytes.push_back(access.bytes);
  launch.args.clear();
  launch.accesses.clear();
  LaunchReader reader{use, callee, sizes, table};
  kernel::PluginOp op = use.op;
  unsigned inputs = llvm::count_if(callee.getFunctionType().getInputs(),
                                   llvm::IsaPred<RankedTensorType>);
  for (const PluginArgument &argument : use.arguments) {
    ArgKind kind = kindOf(use, argument);
    TableIndex index = noIndex;
    if (kind == ArgKind::Buffer) {
      bool isResult = argument.kind == Kind::Result;
      unsigned number = isResult
                            ? inputs + argument.index
                            : reader.tensorOf(op.getInputs()[argument.index]);
      index = buffers[number];
      launch.accesses.push_back({!isResult, isResult, bytes[number]});
    } else if (argument.kind == Kind::Parameter) {
      index = table.constant(bitsOf(use, argument.name));
    } else if (argument.kind == Kind::OperandDim) {
      Value input = op.getInputs()[argument.index];
      index = reader.dimOf(cast<RankedTensorType>(input.getType()),
                           reader.tensorOf(input), argument.dim);
    } else if (argument.kind == Kind::ResultDim) {
      Type type = op.getResult(argument.index).getType();
      index = reader.dimOf(cast<RankedTensorType>(type),
                           inputs + argument.index, argument.dim);
    } else {
      index = reader.sizeOf(op.getNumbers()[argument.index]);
    }
    launch.args.push_back({kind, index});
  }
}

//===-- code --------------------------------------------------------------===//

static std::span<const uint8_t> sourceBytes(PluginSourceAttr source) {
  StringAttr code = source.getCode();
  return {reinterpret_cast<const uint8_t *>(code.data()), code.size()};
}

/// Whether the code has a kernel of this name.
static bool hasEntry(PluginSourceAttr source, StringRef name) {
  if (source.getKind() == "ptx")
    return hasPtxEntry(source.getCode(), name);
  Result<CubinInfo> info = readCubin(sourceBytes(source));
  return info && llvm::is_contained(info->functions, name);
}

LogicalResult PluginTable::addCode(const PluginUse &use,
                                   const LaunchShape &shape) {
  PluginUse made = use;
  StringRef entry = made.source.getEntry();
  if (!made.source.getCode())
    return made.plugin.emitError("the code of a plugin must have been read; "
                                 "found a file");
  Code *own = nullptr;
  for (Code &code : codes) {
    if (code.first.source.getCode() == made.source.getCode()) {
      own = &code;
      continue;
    }
    // The driver would find either.
    for (const auto &known : code.kernels)
      if (hasEntry(made.source, known.getKey()))
        return made.plugin.emitError(
                   "codes of plugins in one program must not have kernels of "
                   "one name; found '")
               << known.getKey() << "' here and in '@"
               << code.first.plugin.getSymName() << "'";
    if (hasEntry(code.first.source, entry))
      return made.plugin.emitError(
                 "codes of plugins in one program must not have kernels of one "
                 "name; found '")
             << entry << "' here and in '@" << code.first.plugin.getSymName()
             << "'";
  }
  if (!own)
    own = &codes.emplace_back(Code{made, {}});
  own->kernels[entry] = shape;
  return success();
}

FailureOr<PluginTable::Compiled>
PluginTable::compile(const Code &code, const CudaTarget &target) {
  PluginUse use = code.first;
  Location loc = use.plugin.getLoc();
  Compiled made;
  std::string log;
  if (use.source.getKind() == "cubin") {
    std::span<const uint8_t> bytes = sourceBytes(use.source);
    made.cubin.assign(bytes.begin(), bytes.end());
  } else {
    made.ptx = use.source.getCode().str();
    Result<AssembledCode> assembled = assemblePTX(made.ptx, target.chip);
    if (!assembled && assembled.status().code() != tripy::Code::NotFound)
      return emitError(loc, "the assembler refuses the PTX of plugin '@")
             << use.plugin.getSymName() << "': "
             << printable(StringRef(assembled.status().message()).trim().str(),
                          2000);
    if (assembled) {
      made.cubin = std::move(assembled->cubin);
      log = std::move(assembled->log);
    }
  }
  llvm::StringMap<KernelUse> uses =
      readKernelUses(log, std::span(&made.cubin, 1), target);
  for (const auto &kernel : code.kernels)
    if (failed(checkShape(loc, kernel.getKey(), kernel.getValue(), target)) ||
        failed(checkUse(loc, kernel.getKey(), kernel.getValue(),
                        uses[kernel.getKey()], target)))
      return failure();
  return made;
}

//===-- entries -----------------------------------------------------------===//

FailureOr<TableIndex>
PluginTable::kernelOf(const PluginUse &use, kernel::FuncOp callee,
                      llvm::StringMap<TableIndex> &kernels, Program &program) {
  PluginUse made = use;
  StringRef symbol = made.source.getEntry();
  kernel::ConfigAttr config = *callee.getConfig();
  Kernel kernel;
  kernel.symbol = symbol.str();
  llvm::copy(config.getBlock(), kernel.block.begin());
  kernel.scratchBytes = config.getScratch();
  kernel.params = parametersOf(use);
  kernel.plugin = made.plugin.getSymName().str();
  if (made.source.isHost())
    kernel.library = made.source.getLibrary().str();
  auto [entry, isNew] = kernels.try_emplace(symbol, program.kernels.size());
  if (isNew) {
    program.kernels.push_back(std::move(kernel));
    entries.try_emplace(entry->second, use);
    return entry->second;
  }
  auto known = entries.find(entry->second);
  Kernel &other = program.kernels[entry->second];
  if (known == entries.end() || known->second.source != made.source ||
      other.params != kernel.params)
    return made.plugin.emitError("kernels of a program must have different "
                                 "names and, of one name, the same arguments; "
                                 "found two of the name '")
           << symbol << "'";
  other.scratchBytes = std::max(other.scratchBytes, kernel.scratchBytes);
  return entry->second;
}

//===-- images ------------------------------------------------------------===//

void target::addImage(TranslatedProgram &result, ImageKind kind,
                      std::string arch, std::span<const uint8_t> bytes) {
  // Alignment is cheap.
  result.images.resize(llvm::alignTo(result.images.size(), 64));
  result.program.images.push_back(
      {kind, std::move(arch), result.images.size(), bytes.size()});
  result.images.insert(result.images.end(), bytes.begin(), bytes.end());
}

/// A driver takes all code of a program as cubins, or all as PTX: an image of
/// a kind that not all kernels have would be of no use.
LogicalResult PluginTable::compile(const CudaTarget &target,
                                   std::optional<std::string> ownPtx,
                                   TranslatedProgram &result, Location loc) {
  for (size_t i = 0; i < result.program.kernels.size(); ++i) {
    const Kernel &kernel = result.program.kernels[i];
    auto entry = entries.find(TableIndex(i));
    if (entry != entries.end() &&
        failed(addCode(entry->second,
                       {kernel.block, kernel.cluster, kernel.scratchBytes})))
      return failure();
  }
  std::vector<Compiled> compiled;
  bool allCubins = !ownPtx || !result.program.images.empty(), allPtx = true;
  for (const Code &code : codes) {
    FailureOr<Compiled> made = compile(code, target);
    if (failed(made))
      return failure();
    allCubins &= !made->cubin.empty();
    allPtx &= !made->ptx.empty();
    compiled.push_back(std::move(*made));
  }
  if (!allCubins && !allPtx)
    return emitError(loc, "a program with a plugin that is a cubin must have "
                          "machine code for all its kernels, which an "
                          "assembler makes: install ptxas or nvJitLink");
  if (!allCubins)
    result.program.images.clear();
  if (allPtx && ownPtx)
    compiled.insert(compiled.begin(), {{}, std::move(*ownPtx)});
  for (const Compiled &code : compiled)
    if (allCubins && !code.cubin.empty())
      addImage(result, ImageKind::Cubin, target.chip, code.cubin);
  for (const Compiled &code : compiled) {
    auto text = reinterpret_cast<const uint8_t *>(code.ptx.c_str());
    if (allPtx)
      addImage(result, ImageKind::PTX, target.chip,
               {text, code.ptx.size() + 1});
  }
  size_t limit = ProgramLimits().images, found = result.program.images.size();
  if (found > limit)
    return emitError(loc, "a program must have at most ")
           << limit << " images; the codes of its plugins make " << found;
  return success();
}
