//===- Translate.cpp - From launches to an executable program -------------===//

#include "tripy/Target/Translate.h"

#include "Chips.h"
#include "Partition.h"
#include "Plugins.h"
#include "TranslateState.h"

#include "tripy/Base/NameTable.h"
#include "tripy/Base/Packed.h"
#include "tripy/Base/Text.h"
#include "tripy/Dialect/Tripy/Tripy.h"
#include "tripy/Target/HostCode.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::target;

namespace {

class Translator {
public:
  Translator(ModuleOp module, func::FuncOp function,
             const TranslateOptions &options)
      : module(module), symbolTable(module), function(function),
        options(options), whys(options.userOperations), constants(result) {}
  FailureOr<TranslatedProgram> run();

private:
  LogicalResult readInputs();
  FailureOr<Buffer> bake(unsigned argument, const NameTable &weightNames);
  LogicalResult readBody();
  LogicalResult readOutputs(func::ReturnOp end);
  LogicalResult readBuffer(kernel::BufferOp op);
  LogicalResult readRequire(kernel::RequireOp op);
  LogicalResult addCheck(const kernel::SizeCondition &condition);
  LogicalResult addConditions();
  LogicalResult readLaunch(kernel::LaunchOp op);
  LogicalResult readTensorMap(kernel::LaunchOp op, kernel::TensorMapAttr attr,
                              Launch &launch);
  LogicalResult readProduct(kernel::LaunchOp op, kernel::FuncOp callee,
                            Launch &launch);
  FailureOr<TableIndex> kernelOf(kernel::LaunchOp op);
  LogicalResult checkGrid(kernel::LaunchOp op, const Launch &launch);
  LogicalResult checkTensorMap(kernel::LaunchOp op, Type tensor,
                               const TensorMap &map);
  LogicalResult compile();
  LogicalResult compileHost(ArrayRef<std::string> kernels);
  LogicalResult compileDevice();

  ModuleOp module;
  SymbolTable symbolTable;
  func::FuncOp function;
  const TranslateOptions &options;
  TranslatedProgram result;
  WhyTable whys;
  ConstantTable constants;
  kernel::SizeTable sizes;
  /// Of each check.
  SmallVector<Location> checkLocations;
  /// Of each argument: its number among the program's inputs, or the constant
  /// that replaces it.
  SmallVector<TableIndex> inputNumbers;
  SmallVector<Buffer> bakedBuffers;
  DenseMap<Value, TableIndex> buffers;
  llvm::StringMap<TableIndex> kernels;
  PluginTable plugins;
  /// By the kernel that computes them otherwise.
  DenseMap<Operation *, TableIndex> products;
};

} // namespace

//===-- interface ---------------------------------------------------------===//

static std::string shapeText(ArrayRef<int64_t> shape) {
  return formatSizes(std::span<const int64_t>(shape.data(), shape.size()));
}

/// The weight of a parameter; errors at the argument.
FailureOr<Buffer> Translator::bake(unsigned argument,
                                   const NameTable &weightNames) {
  std::string name = argumentName(function, argument);
  Location loc = function.getArgument(argument).getLoc();
  auto type = cast<RankedTensorType>(function.getArgument(argument).getType());
  std::optional<uint32_t> number = weightNames.find(name);
  if (!number) {
    ClosestName closest(name);
    for (const Weight &weight : *options.weights)
      closest.consider(weight.name);
    return emitError(loc, "each parameter must be among the weights; '")
           << name << "' is not" << closest.suggestion();
  }
  const Weight &weight = (*options.weights)[*number];
  std::optional<DType> dtype = dtypeOf(type.getElementType());
  if (dtype && holdsPacked(*dtype, type.getShape(), weight.dtype, weight.shape))
    return constants.place(weight.data);
  if (!dtype || weight.dtype != dtype)
    return emitError(loc, "the weight of parameter '")
           << name << "' must have the element type " << type.getElementType()
           << "; found "
           << (weight.dtype ? dtypeInfo(*weight.dtype).mlir
                            : "a type that is not supported")
           << (isInt4(type.getElementType())
                   ? "; a safetensors file has it as ui8, two elements to a "
                     "byte: of rank 1, or with half the last size"
                   : "");
  if (ArrayRef<int64_t>(weight.shape) != type.getShape())
    return emitError(loc, "the weight of parameter '")
           << name << "' must have the shape " << shapeText(type.getShape())
           << "; found " << shapeText(weight.shape);
  return constants.place(weight.data);
}

/// The names of a compilation's weights, when it has some.
static NameTable indexWeights(const TranslateOptions &options) {
  std::vector<std::string_view> names;
  if (options.weights)
    for (const Weight &weight : *options.weights)
      names.push_back(weight.name);
  return NameTable(std::move(names));
}

LogicalResult Translator::readInputs() {
  sizes.addInputs(function);
  Program &program = result.program;
  NameTable weightNames = indexWeights(options);
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    bool parameter = isParameter(function, number);
    inputNumbers.push_back(noIndex);
    bakedBuffers.emplace_back();
    if (parameter && options.weights) {
      FailureOr<Buffer> baked = bake(number, weightNames);
      if (failed(baked))
        return failure();
      bakedBuffers.back() = *baked;
      continue;
    }
    inputNumbers.back() = program.inputs.size();
    InputDescription input{argumentName(function, number), {}, {}, {}};
    auto path = function.getArgAttrOfType<StringAttr>(number, pathAttrName);
    input.path = path ? path.str() : std::string();
    input.kind = !type       ? InputKind::Size
                 : parameter ? InputKind::Parameter
                             : InputKind::Argument;
    std::optional<DType> dtype =
        type ? dtypeOf(type.getElementType()) : std::optional(DType::I64);
    if (!dtype)
      return emitError(argument.getLoc(), "an input cannot have elements of ")
             << type.getElementType();
    input.dtype = *dtype;
    for (unsigned dim = 0, end = type ? type.getRank() : 1; dim < end; ++dim)
      input.dims.push_back(sizes.inputSize(number, dim));
    input.why = whys.add(argument.getLoc());
    program.inputs.push_back(std::move(input));
  }
  return success();
}

LogicalResult Translator::readOutputs(func::ReturnOp end) {
  auto types = function->getAttrOfType<ArrayAttr>(kernel::outputsAttrName);
  auto names = function->getAttrOfType<ArrayAttr>(kernel::outputNamesAttrName);
  unsigned next = 0;
  for (auto [typeAttr, name] : llvm::zip_equal(types, names)) {
    auto type = cast<RankedTensorType>(cast<TypeAttr>(typeAttr).getValue());
    OutputDescription output;
    output.name = cast<StringAttr>(name).str();
    std::optional<DType> dtype = dtypeOf(type.getElementType());
    if (!dtype)
      return end.emitError("a result cannot have the element type ")
             << type.getElementType();
    output.dtype = *dtype;
    for (int64_t size : type.getShape()) {
      if (!ShapedType::isDynamic(size)) {
        output.dims.push_back(sizes.constant(size));
        continue;
      }
      FailureOr<TableIndex> expr = sizes.lookup(end.getOperand(next++));
      if (failed(expr))
        return failure();
      output.dims.push_back(*expr);
    }
    output.why = whys.add(end.getLoc());
    result.program.outputs.push_back(std::move(output));
  }
  return success();
}

//===-- body --------------------------------------------------------------===//

LogicalResult Translator::readBuffer(kernel::BufferOp op) {
  Buffer buffer;
  uint64_t index = op.getIndex();
  switch (op.getKind()) {
  case kernel::BufferKind::Input:
    if (index >= inputNumbers.size())
      return op.emitOpError("no input has the number ") << index;
    if (inputNumbers[index] == noIndex)
      buffer = bakedBuffers[index];
    else
      buffer = {BufferKind::Input, inputNumbers[index], 0, 0};
    break;
  case kernel::BufferKind::Output:
    buffer = {BufferKind::Output, TableIndex(index), 0, 0};
    break;
  case kernel::BufferKind::Arena:
    buffer = {BufferKind::Arena, 0, op.getOffset(), op.getSize()};
    break;
  case kernel::BufferKind::Zeroed:
    buffer = {BufferKind::Zeroed, 0, op.getOffset(), op.getSize()};
    break;
  case kernel::BufferKind::Constant: {
    auto values = function->getAttrOfType<ArrayAttr>(kernel::constantsAttrName);
    if (!values || index >= values.size())
      return op.emitOpError("no constant has the number ") << index;
    auto bytes = constants.bytesOf(values[index], op.getLoc());
    if (failed(bytes))
      return failure();
    buffer = constants.place(*bytes);
    break;
  }
  }
  buffers[op.getResult()] = result.program.buffers.size();
  result.program.buffers.push_back(buffer);
  return success();
}

/// Conditions that the profile decides are not left to the run time.
LogicalResult Translator::addCheck(const kernel::SizeCondition &condition) {
  Interval a = sizes.bounds(condition.a), b = sizes.bounds(condition.b);
  std::optional<bool> decided = decide(condition.kind, a, b);
  bool sameSize = condition.a == condition.b &&
                  !findCheckKind(condition.kind)->op.has_value();
  if (sameSize || decided == true)
    return success();
  if (decided == false)
    return emitError(condition.loc, condition.message)
           << "; " << describeSizes(condition.kind, a, b);
  checkLocations.push_back(condition.loc);
  result.program.checks.push_back(
      {condition.kind, condition.a, condition.b,
       printable(std::string_view(condition.message), 4096),
       whys.add(condition.loc), whys.addOperands(condition.loc)});
  return success();
}

LogicalResult Translator::readRequire(kernel::RequireOp op) {
  FailureOr<TableIndex> lhs = sizes.lookup(op.getLhs());
  FailureOr<TableIndex> rhs = sizes.lookup(op.getRhs());
  if (failed(lhs) || failed(rhs))
    return failure();
  const CheckKindInfo *info = findCheckKind(op.getCheckKind());
  if (!info->op)
    return addCheck(
        {info->kind, *lhs, *rhs, op.getLoc(), op.getMessage().str()});
  sizes.require(info->kind, *lhs, *rhs, op.getMessage());
  return success();
}

/// What the size table found to be conditions of its own.
LogicalResult Translator::addConditions() {
  for (const kernel::SizeCondition &condition : sizes.takeConditions())
    if (failed(addCheck(condition)))
      return failure();
  return success();
}

FailureOr<TableIndex> Translator::kernelOf(kernel::LaunchOp op) {
  auto callee = symbolTable.lookup<kernel::FuncOp>(op.getCallee());
  StringRef symbol = op.getCallee();
  if (callee)
    if (auto code = callee->getAttrOfType<StringAttr>(codeAttrName))
      symbol = code.getValue();
  auto use = callee ? pluginOf(callee)
                    : FailureOr<std::optional<PluginUse>>(std::nullopt);
  if (failed(use))
    return failure();
  if (*use && !(**use).isOwnCode() && callee.getConfig())
    return plugins.kernelOf(**use, callee, kernels, result.program);
  auto [entry, isNew] =
      kernels.try_emplace(symbol, result.program.kernels.size());
  if (!isNew && plugins.contains(entry->second))
    return op.emitError("kernels of a program must have different names; a "
                        "plugin has one of the name '")
           << symbol << "', too";
  if (!isNew)
    return entry->second;
  std::optional<kernel::ConfigAttr> config =
      callee ? callee.getConfig() : std::nullopt;
  if (!config || config->getBlock().size() != 3 ||
      config->getCluster().size() != 3)
    return op.emitOpError("no code was emitted for its kernel");
  Kernel kernel;
  kernel.symbol = symbol.str();
  llvm::copy(config->getBlock(), kernel.block.begin());
  llvm::copy(config->getCluster(), kernel.cluster.begin());
  kernel.scratchBytes = config->getScratch();
  kernel.params.assign(op.getBuffers().size(), uint8_t(ArgKind::Buffer));
  kernel.params.insert(kernel.params.end(), op.getSizes().size(),
                       uint8_t(ArgKind::Size));
  kernel.params.insert(kernel.params.end(), config->getTensorMaps().size(),
                       uint8_t(ArgKind::TensorMap));
  if (*use) {
    kernel.params = parametersOf(**use);
    kernel.plugin = (**use).plugin.getSymName().str();
  }
  result.program.kernels.push_back(std::move(kernel));
  return entry->second;
}

/// The types of a launch's buffers, in order.
static SmallVector<Type> tensorsOf(kernel::FuncOp callee) {
  SmallVector<Type> tensors;
  for (Type type : callee.getFunctionType().getInputs())
    if (isa<RankedTensorType>(type))
      tensors.push_back(type);
  llvm::append_range(tensors, callee.getFunctionType().getResults());
  return tensors;
}

/// A grid has fewer blocks than a tensor may have elements. Names the kernel's
/// largest tensor.
LogicalResult Translator::checkGrid(kernel::LaunchOp op, const Launch &launch) {
  for (int i = 0; i < 3; ++i) {
    int64_t blocks = sizes.bounds(launch.grid[i]).hi;
    if (blocks <= maxGrid[i])
      continue;
    SmallVector<Type> tensors =
        tensorsOf(symbolTable.lookup<kernel::FuncOp>(op.getCallee()));
    size_t largest = 0;
    for (size_t k = 1; k < tensors.size(); ++k)
      if (sizes.bounds(launch.accesses[k].bytes).hi >
          sizes.bounds(launch.accesses[largest].bytes).hi)
        largest = k;
    InFlightDiagnostic diag = op.emitError("the kernel '");
    return diag << op.getCallee() << "' would need " << blocks
                << " blocks for the largest sizes of its tensors, but a launch "
                   "has at most "
                << maxGrid[i] << " in " << "xyz"[i] << "; its largest tensor, "
                << tensors[largest] << ", has up to "
                << sizes.bounds(launch.accesses[largest].bytes).hi << " bytes";
  }
  return success();
}

/// Static sizes beyond this have been given to another kernel.
LogicalResult Translator::checkTensorMap(kernel::LaunchOp op, Type tensor,
                                         const TensorMap &map) {
  for (TableIndex dim : map.dims)
    if (int64_t size = sizes.bounds(dim).hi; size > maxTensorMapSize)
      return op.emitError("the kernel '")
             << op.getCallee() << "' copies " << tensor
             << " by a tensor map, whose dimensions may have at most "
             << maxTensorMapSize << " elements; for the largest sizes of the "
             << "profile one has " << size;
  return success();
}

/// A tensor map parameter of `launch`, whose buffers and sizes are read.
LogicalResult Translator::readTensorMap(kernel::LaunchOp op,
                                        kernel::TensorMapAttr attr,
                                        Launch &launch) {
  SmallVector<TableIndex> symbols;
  for (const Arg &arg : launch.args)
    if (arg.kind == ArgKind::Size)
      symbols.push_back(arg.index);
  auto callee = symbolTable.lookup<kernel::FuncOp>(op.getCallee());
  SmallVector<Type> tensors = tensorsOf(callee);
  uint64_t number = attr.getBuffer();
  if (number >= launch.accesses.size() || number >= tensors.size())
    return op.emitOpError("its kernel's tensor map names no tensor");
  TensorMap map;
  map.buffer = launch.args[number].index;
  map.dtype =
      *dtypeOf(cast<RankedTensorType>(tensors[number]).getElementType());
  map.swizzle = attr.getSwizzle();
  for (int64_t size : attr.getBox())
    map.box.push_back(size);
  for (auto [exprs, list] : {std::pair(attr.getDims(), &map.dims),
                             std::pair(attr.getStrides(), &map.strides)})
    for (AffineExpr expr : exprs.getResults()) {
      std::optional<TableIndex> size = sizes.evaluate(expr, symbols);
      if (!size)
        return op.emitOpError("its kernel's tensor map must not overflow for "
                              "sizes that the profile allows");
      list->push_back(*size);
    }
  if (failed(checkTensorMap(op, tensors[number], map)))
    return failure();
  launch.args.push_back(
      {ArgKind::TensorMap, TableIndex(result.program.tensorMaps.size())});
  // The same as through the pointer.
  launch.accesses.push_back(launch.accesses[number]);
  result.program.tensorMaps.push_back(std::move(map));
  return success();
}

/// What a library may compute in place of `callee`, once for all its launches.
LogicalResult Translator::readProduct(kernel::LaunchOp op,
                                      kernel::FuncOp callee, Launch &launch) {
  std::optional<kernel::ProductAttr> attr = callee.getProduct();
  if (!attr)
    return success();
  SmallVector<Type> tensors = tensorsOf(callee);
  if (uint64_t(attr->getA()) >= tensors.size() ||
      callee.getFunctionType().getNumResults() != 1)
    return op.emitOpError("its kernel's product names no tensor");
  auto [entry, isNew] =
      products.try_emplace(callee, result.program.products.size());
  launch.product = entry->second;
  if (!isNew)
    return success();
  MatrixProduct product;
  product.a = attr->getA();
  product.b = attr->getB();
  product.bias = attr->getBias() < 0 ? noIndex : TableIndex(attr->getBias());
  product.result = tensors.size() - 1;
  for (auto [number, dtype] :
       {std::pair(uint64_t(product.a), &product.operandType),
        std::pair(uint64_t(product.result), &product.resultType)}) {
    Type element = cast<RankedTensorType>(tensors[number]).getElementType();
    std::optional<DType> found = dtypeOf(element);
    if (!found)
      return op.emitOpError("a product cannot have the element type ")
             << element;
    *dtype = *found;
  }
  product.transposedA = attr->getTransposedA();
  product.transposedB = attr->getTransposedB();
  product.allowTF32 = attr->getAllowTF32();
  product.batch = attr->getBatch();
  product.m = attr->getM();
  product.n = attr->getN();
  product.k = attr->getK();
  result.program.products.push_back(product);
  return success();
}

LogicalResult Translator::readLaunch(kernel::LaunchOp op) {
  Launch launch;
  FailureOr<TableIndex> kernel = kernelOf(op);
  if (failed(kernel))
    return failure();
  launch.kernel = *kernel;
  for (auto [i, size] : llvm::enumerate(op.getGrid())) {
    FailureOr<TableIndex> expr = sizes.lookup(size);
    if (failed(expr))
      return failure();
    launch.grid[i] = *expr;
  }
  size_t firstWritten = op.getBuffers().size() - op.getWrittenAttr().getInt();
  auto callee = symbolTable.lookup<kernel::FuncOp>(op.getCallee());
  auto use = pluginOf(callee);
  if (failed(use))
    return failure();
  size_t tensors = tensorsOf(callee).size();
  for (auto [i, buffer] : llvm::enumerate(op.getBuffers())) {
    FailureOr<TableIndex> bytes = sizes.lookup(op.getBytes()[i]);
    auto known = buffers.find(buffer);
    if (failed(bytes) || known == buffers.end())
      return op.emitOpError("its buffers must be made by kernel.buffer");
    launch.args.push_back({ArgKind::Buffer, known->second});
    // A kernel reads what it wrote to its workspace.
    launch.accesses.push_back(
        {i < firstWritten || i >= tensors, i >= firstWritten, *bytes});
  }
  for (Value size : op.getSizes()) {
    FailureOr<TableIndex> expr = sizes.lookup(size);
    if (failed(expr))
      return failure();
    launch.args.push_back({ArgKind::Size, *expr});
  }
  if (options.device == DeviceKind::CUDA && failed(checkGrid(op, launch)))
    return failure();
  for (kernel::TensorMapAttr map : callee.getConfigAttr().getTensorMaps())
    if (failed(readTensorMap(op, map, launch)))
      return failure();
  if (failed(readProduct(op, callee, launch)))
    return failure();
  launch.work = countWork(callee, launch);
  if (*use)
    passArguments(**use, callee, sizes, launch);
  launch.why = whys.add(op.getLoc());
  launch.overlapsPredecessor = op.getOverlaps();
  launch.isOfFirstCall = op.getFirst();
  result.program.launches.push_back(std::move(launch));
  return success();
}

LogicalResult Translator::readBody() {
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator()) {
    sizes.visit(&op);
    LogicalResult read = success();
    if (auto buffer = dyn_cast<kernel::BufferOp>(op))
      read = readBuffer(buffer);
    else if (auto require = dyn_cast<kernel::RequireOp>(op))
      read = readRequire(require);
    else if (auto launch = dyn_cast<kernel::LaunchOp>(op))
      read = readLaunch(launch);
    if (failed(read) || failed(addConditions()))
      return failure();
  }
  return readOutputs(cast<func::ReturnOp>(body.getTerminator()));
}

//===-- code --------------------------------------------------------------===//

LogicalResult Translator::compileHost(ArrayRef<std::string> symbols) {
  auto code = module.lookupSymbol<ModuleOp>("host_code");
  if (!code)
    return emitError(module.getLoc(),
                     "a program for the CPU must have a module "
                     "@host_code");
  FailureOr<HostCode> compiled =
      compileHostCode(code, symbols, options.host, options.watch);
  if (failed(compiled))
    return failure();
  ArrayRef<uint64_t> entries = compiled->entries;
  for (Kernel &kernel : result.program.kernels)
    if (kernel.library.empty()) {
      kernel.entry = entries.front();
      entries = entries.drop_front();
    }
  addImage(result, ImageKind::HostCode, options.host.arch(), compiled->bytes);
  return success();
}

LogicalResult Translator::compileDevice() {
  auto code = module.lookupSymbol<gpu::GPUModuleOp>("device_code");
  if (!code)
    return emitError(module.getLoc(),
                     "a program for CUDA must have a gpu.module "
                     "@device_code");
  llvm::StringMap<LaunchShape> shapes;
  for (auto [i, kernel] : llvm::enumerate(result.program.kernels))
    if (!plugins.contains(i))
      shapes[kernel.symbol] = {kernel.block, kernel.cluster,
                               kernel.scratchBytes};
  // All kernels may be the user's.
  if (shapes.empty())
    return plugins.compile(options.cuda, std::nullopt, result,
                           function.getLoc());
  FailureOr<DeviceCode> compiled = compileDeviceCode(
      code, options.cuda, shapes, options.cache, options.watch);
  if (failed(compiled))
    return failure();
  for (const std::vector<uint8_t> &cubin : compiled->cubins)
    addImage(result, ImageKind::Cubin, options.cuda.chip, cubin);
  return plugins.compile(options.cuda, std::move(compiled->ptx), result,
                         function.getLoc());
}

LogicalResult Translator::compile() {
  std::vector<std::string> symbols;
  for (const Kernel &kernel : result.program.kernels)
    if (kernel.library.empty())
      symbols.push_back(kernel.symbol);
  if (symbols.empty())
    return success();
  return options.device == DeviceKind::CPU ? compileHost(symbols)
                                           : compileDevice();
}

FailureOr<TranslatedProgram> Translator::run() {
  for (StringRef name : {kernel::outputsAttrName, kernel::outputNamesAttrName,
                         kernel::constantsAttrName})
    if (!function->hasAttrOfType<ArrayAttr>(name))
      return emitError(function.getLoc(),
                       "a program must be planned by --kernel-plan");
  mergeKernels(module);
  if (failed(readInputs()) || failed(readBody()))
    return failure();
  Program &program = result.program;
  program.device = options.device;
  program.name = printable(std::string_view(function.getSymName()), 1024);
  if (auto bytes = function->getAttrOfType<IntegerAttr>(kernel::arenaAttrName))
    program.arenaBytes = bytes.getInt();
  program.symbols = sizes.symbolList();
  for (SizeSymbol &symbol : program.symbols)
    symbol.input = inputNumbers[symbol.input];
  program.exprs = sizes.exprList();
  if (failed(reportFailingSizes(program, checkLocations, options.failingSizes)))
    return failure();
  if (failed(compile()))
    return failure();
  program.frames = whys.takeFrames();
  program.whys = whys.takeRows();
  program.imageData = result.images;
  return std::move(result);
}

FailureOr<TranslatedProgram>
target::translateToProgram(ModuleOp module, func::FuncOp function,
                           const TranslateOptions &options) {
  return Translator(module, function, options).run();
}
