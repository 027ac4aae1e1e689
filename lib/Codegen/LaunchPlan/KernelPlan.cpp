//===- KernelPlan.cpp - From kernel calls to launches ---------------------===//
//
// Sizes become expressions of the input sizes, tensors become buffers, calls
// become launches. The function's body is replaced by size arithmetic,
// conditions, buffers and launches.
//
//===----------------------------------------------------------------------===//

#include "Arena.h"
#include "Guards.h"
#include "SharedMemory.h"
#include "SizeOps.h"

#include "tripy/Base/Verify.h"
#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Kernel/SizeTable.h"
#include "tripy/Dialect/Tripy/Provenance.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tripy {
#define GEN_PASS_DEF_KERNELPLANPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using tripy::kernel::SizeTable;

namespace {

/// What a launch needs, in expressions of the size table.
struct PlannedLaunch {
  kernel::CallOp call;
  kernel::FuncOp callee;
  SmallVector<TableIndex> grid, sizes;
  /// Bytes of the tensor arguments, then of the results.
  SmallVector<TableIndex> bytes;
  /// Number of the arena request that is the kernel's workspace.
  std::optional<unsigned> workspace;
};

/// Where the value of a tensor lies.
struct Place {
  kernel::BufferKind kind = kernel::BufferKind::Arena;
  /// Number of the input, output, constant or arena request.
  unsigned number = 0;
};

class FunctionPlanner {
public:
  FunctionPlanner(func::FuncOp function, SymbolTable &symbols)
      : function(function), symbols(symbols), b(function) {}
  LogicalResult run();

private:
  void separateResults();
  LogicalResult readPacked(kernel::PackedOp packed);
  LogicalResult read();
  LogicalResult readDim(Operation *op, Value tensor, int64_t dim);
  LogicalResult readCall(kernel::CallOp call);
  LogicalResult readLaunch(kernel::CallOp call, kernel::FuncOp callee);
  LogicalResult readTensors(PlannedLaunch &launch,
                            const DenseMap<int64_t, TableIndex> &sizes);
  LogicalResult readRequire(kernel::RequireOp require);
  LogicalResult takeConditions();
  LogicalResult readResults(func::ReturnOp end);
  LogicalResult place();
  Place placeConstant(Operation *op);
  void write();
  void writeLaunch(const PlannedLaunch &launch, bool isFirst);
  void writeInterface(func::ReturnOp end);
  Value sizeValue(TableIndex expr);
  Value makeSize(const SizeExpr &expr, Location loc);
  Value bufferValue(Place place, Location loc);

  func::FuncOp function;
  SymbolTable &symbols;
  OpBuilder b;
  SizeTable sizes;
  SmallVector<PlannedLaunch> launches;
  std::vector<kernel::SizeCondition> conditions;
  /// Sizes of the dynamic dimensions of tensors made by calls.
  DenseMap<Value, SmallVector<TableIndex>> dynamicSizes;
  DenseMap<Value, Place> places;
  SmallVector<ArenaRequest> requests;
  ArenaLayout arena;
  /// What kernels find and leave zero, behind the rest of the arena. One after
  /// the other they use the same bytes.
  uint64_t zeroedAt = 0, zeroedBytes = 0;
  SmallVector<Attribute> constants;
  DenseMap<Attribute, unsigned> constantNumbers;
  SmallVector<TableIndex> outputSizes;
  DenseMap<TableIndex, Value> sizeValues;
  DenseMap<std::pair<int, unsigned>, Value> bufferValues;
  Block *body = nullptr;
};

} // namespace

//===-- reading -----------------------------------------------------------===//

LogicalResult FunctionPlanner::readDim(Operation *op, Value tensor,
                                       int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (dim < 0 || dim >= type.getRank())
    return op->emitOpError("0 <= dim < rank; dim is ") << dim;
  if (!type.isDynamicDim(dim)) {
    sizes.bind(op->getResult(0), sizes.constant(type.getDimSize(dim)));
    return success();
  }
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    sizes.bind(op->getResult(0), sizes.inputSize(argument.getArgNumber(), dim));
    return success();
  }
  auto known = dynamicSizes.find(tensor);
  if (known == dynamicSizes.end())
    return op->emitOpError("its operand must be an argument or the result of "
                           "a kernel");
  sizes.bind(op->getResult(0), known->second[type.getDynamicDimIndex(dim)]);
  return success();
}

/// Arithmetic that has no result for any size needs no run to be wrong.
LogicalResult FunctionPlanner::takeConditions() {
  for (kernel::SizeCondition &condition : sizes.takeConditions()) {
    Interval a = sizes.bounds(condition.a), c = sizes.bounds(condition.b);
    if (decide(condition.kind, a, c) == false)
      return emitError(condition.loc, condition.message)
             << "; the sizes are " << formatRange(a) << " and "
             << formatRange(c);
    conditions.push_back(std::move(condition));
  }
  return success();
}

LogicalResult FunctionPlanner::readRequire(kernel::RequireOp require) {
  FailureOr<TableIndex> lhs = sizes.lookup(require.getLhs());
  FailureOr<TableIndex> rhs = sizes.lookup(require.getRhs());
  if (failed(lhs) || failed(rhs))
    return failure();
  const CheckKindInfo *info = findCheckKind(require.getCheckKind());
  if (info->op)
    sizes.require(info->kind, *lhs, *rhs, require.getMessage());
  else
    conditions.push_back(
        {info->kind, *lhs, *rhs, require.getLoc(), require.getMessage().str()});
  return success();
}

LogicalResult FunctionPlanner::readCall(kernel::CallOp call) {
  auto callee = symbols.lookup<kernel::FuncOp>(call.getCallee());
  if (!callee)
    return call.emitOpError("there is no kernel '") << call.getCallee() << "'";
  SmallVector<kernel::FuncOp> versions = kernel::versionsOf(callee, symbols);
  if (callee.getVersions() && versions.size() != callee.getVersions()->size())
    return callee.emitOpError("versions must be other kernels of its type; "
                              "found ")
           << *callee.getVersions();
  versions.insert(versions.begin(), callee);
  for (kernel::FuncOp version : versions)
    if (failed(readLaunch(call, version)))
      return failure();
  return checkGuards(versions, sizes, launches.back().sizes);
}

LogicalResult FunctionPlanner::readLaunch(kernel::CallOp call,
                                          kernel::FuncOp callee) {
  PlannedLaunch launch;
  launch.call = call;
  launch.callee = callee;
  std::optional<kernel::ConfigAttr> config = callee.getConfig();
  if (!config)
    return call.emitOpError("no code was emitted for its kernel '")
           << callee.getSymName() << "'";
  AffineMap grid = config->getGrid();
  DenseMap<int64_t, TableIndex> sizeOfArgument;
  for (auto [i, input] : llvm::enumerate(call.getInputs())) {
    if (!input.getType().isIndex())
      continue;
    FailureOr<TableIndex> size = sizes.lookup(input);
    if (failed(size))
      return failure();
    // Numbers that are no sizes of tensors or grids may be negative.
    bool isSize = llvm::is_contained(launch.callee.getSizeArgs(), int64_t(i)) ||
                  grid.isFunctionOfSymbol(launch.sizes.size());
    launch.sizes.push_back(isSize ? sizes.clampToSize(*size) : *size);
    sizeOfArgument[i] = launch.sizes.back();
  }
  if (grid.getNumResults() != 3 || grid.getNumDims() != 0 ||
      grid.getNumSymbols() != launch.sizes.size())
    return call.emitOpError("the kernel's grid must have three sizes of ")
           << launch.sizes.size() << " symbols; found "
           << AffineMapAttr::get(grid);
  reserveShared(launch.callee, [&](int64_t argument) {
    return sizes.bounds(sizeOfArgument.at(argument)).hi;
  });
  for (AffineExpr expr : grid.getResults()) {
    std::optional<TableIndex> size = sizes.evaluate(expr, launch.sizes);
    if (!size)
      return call.emitOpError("the number of its blocks must be an expression "
                              "of its sizes");
    launch.grid.push_back(*size);
  }
  if (std::optional<kernel::GuardAttr> guard = callee.getGuard()) {
    std::optional<TableIndex> isWithin =
        evaluateGuard(*guard, sizes, launch.sizes);
    if (!isWithin)
      return callee.emitOpError("guard must be an expression of its sizes");
    launch.grid[0] = sizes.binary(SizeOp::Mul, launch.grid[0], *isWithin);
  }
  if (failed(readTensors(launch, sizeOfArgument)))
    return failure();
  launches.push_back(std::move(launch));
  return success();
}

/// The bytes of the tensors of a launch, and the sizes of what it makes.
LogicalResult FunctionPlanner::readTensors(
    PlannedLaunch &launch,
    const DenseMap<int64_t, TableIndex> &sizeOfArgument) {
  kernel::CallOp call = launch.call;
  FunctionType type = launch.callee.getFunctionType();
  auto split = kernel::splitSizeArgs(launch.callee.getSizeArgs(),
                                     type.getInputs(), type.getResults());
  auto tensors = llvm::filter_to_vector(call.getInputs(), [](Value input) {
    return isa<RankedTensorType>(input.getType());
  });
  llvm::append_range(tensors, call.getResults());
  for (auto [tensor, arguments] : llvm::zip_equal(tensors, split)) {
    SmallVector<TableIndex> dynamic;
    for (int64_t argument : arguments)
      dynamic.push_back(sizeOfArgument.at(argument));
    FailureOr<TableIndex> bytes =
        bytesOfTensor(call.getLoc(), cast<RankedTensorType>(tensor.getType()),
                      dynamic, sizes);
    if (failed(bytes))
      return failure();
    launch.bytes.push_back(*bytes);
    if (tensor.getDefiningOp() == call)
      dynamicSizes[tensor] = dynamic;
  }
  return success();
}

/// A value that is returned twice is computed twice: outputs are different
/// memory.
void FunctionPlanner::separateResults() {
  SmallPtrSet<Value, 4> seen;
  Operation *end = body->getTerminator();
  for (OpOperand &operand : end->getOpOperands()) {
    // The fusion pass gives each packed result bytes of its own.
    auto call = operand.get().getDefiningOp<kernel::CallOp>();
    if (!call || seen.insert(operand.get()).second)
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(end);
    Operation *again = b.clone(*call);
    operand.set(
        again->getResult(cast<OpResult>(operand.get()).getResultNumber()));
  }
}

LogicalResult FunctionPlanner::read() {
  separateResults();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  for (Operation &op : body->without_terminator()) {
    LogicalResult result = success();
    sizes.setLocation(op.getLoc());
    if (auto dim = dyn_cast<flatir::DimOp>(op)) {
      result = readDim(dim, dim.getInput(), dim.getDimAttr().getInt());
    } else if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      std::optional<int64_t> number = dim.getConstantIndex();
      result = number ? readDim(dim, dim.getSource(), *number)
                      : dim.emitOpError("its dimension must be constant");
    } else if (auto call = dyn_cast<kernel::CallOp>(op)) {
      result = readCall(call);
    } else if (auto require = dyn_cast<kernel::RequireOp>(op)) {
      result = readRequire(require);
    } else if (auto packed = dyn_cast<kernel::PackedOp>(op)) {
      result = readPacked(packed);
    } else if (op.getNumRegions() != 0 || op.getDialect() == nullptr) {
      result = op.emitOpError("is not expected beside kernel calls");
    } else if (!op.hasTrait<OpTrait::ConstantLike>() &&
               llvm::any_of(op.getResultTypes(),
                            llvm::IsaPred<RankedTensorType>)) {
      result = op.emitOpError("computes a tensor outside of a kernel");
    } else {
      sizes.visit(&op);
    }
    if (failed(result) || failed(takeConditions()))
      return failure();
  }
  return readResults(cast<func::ReturnOp>(body->getTerminator()));
}

/// The dynamic sizes of a result that lies in its bytes' buffer.
LogicalResult FunctionPlanner::readPacked(kernel::PackedOp packed) {
  SmallVector<TableIndex> &known = dynamicSizes[packed.getResult()];
  for (Value size : packed.getSizes()) {
    FailureOr<TableIndex> expr = sizes.lookup(size);
    if (failed(expr))
      return failure();
    known.push_back(sizes.clampToSize(*expr));
  }
  return success();
}

/// What a kernel makes for a result.
static Value madeByKernel(Value result) {
  auto packed = result.getDefiningOp<kernel::PackedOp>();
  return packed ? packed.getBytes() : result;
}

LogicalResult FunctionPlanner::readResults(func::ReturnOp end) {
  for (auto [i, value] : llvm::enumerate(end.getOperands())) {
    if (!isa<RankedTensorType>(value.getType()))
      return end.emitOpError("results must be tensors; found ")
             << value.getType();
    Place place{kernel::BufferKind::Output, unsigned(i)};
    Value made = madeByKernel(value);
    if (!made.getDefiningOp<kernel::CallOp>() ||
        !places.try_emplace(made, place).second)
      return end.emitOpError("each result must be computed by a kernel, and "
                             "returned once; found another result ")
             << i;
    llvm::append_range(outputSizes, dynamicSizes[value]);
  }
  return success();
}

//===-- placing -----------------------------------------------------------===//

Place FunctionPlanner::placeConstant(Operation *op) {
  Attribute value;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    value = constant.getValue();
  else
    value = cast<flatir::ConstantOp>(op).getValueAttr();
  auto [entry, isNew] = constantNumbers.try_emplace(value, constants.size());
  if (isNew)
    constants.push_back(value);
  return {kernel::BufferKind::Constant, entry->second};
}

LogicalResult FunctionPlanner::place() {
  for (auto &&[i, launch] : llvm::enumerate(launches)) {
    for (Value input : launch.call.getInputs()) {
      if (input.getType().isIndex())
        continue;
      auto known = places.find(input);
      if (known != places.end()) {
        if (known->second.kind == kernel::BufferKind::Arena)
          requests[known->second.number].last = i;
        continue;
      }
      if (auto argument = dyn_cast<BlockArgument>(input))
        places[input] = {kernel::BufferKind::Input, argument.getArgNumber()};
      else if (isa<arith::ConstantOp, flatir::ConstantOp>(
                   input.getDefiningOp()))
        places[input] = placeConstant(input.getDefiningOp());
      else
        return launch.call.emitOpError("operands must be arguments, constants "
                                       "or results of kernels");
    }
    ArrayRef<TableIndex> bytes = launch.bytes;
    bytes = bytes.take_back(launch.call.getNumResults());
    for (auto [result, size] : llvm::zip(launch.call.getResults(), bytes)) {
      Place place{kernel::BufferKind::Arena, unsigned(requests.size())};
      auto [known, isNew] = places.try_emplace(result, place);
      if (isNew)
        requests.push_back(
            {uint64_t(sizes.bounds(size).hi), unsigned(i), unsigned(i)});
      else if (known->second.kind == kernel::BufferKind::Arena)
        requests[known->second.number].last = i;
    }
    ArrayRef<int64_t> workspace = launch.callee.getConfig()->getWorkspace();
    if (workspace.empty())
      continue;
    launch.workspace = requests.size();
    requests.push_back({uint64_t(workspace[0]), unsigned(i), unsigned(i)});
    zeroedBytes = std::max(zeroedBytes, uint64_t(workspace[1]));
  }
  std::optional<ArenaLayout> layout = layOutArena(requests);
  uint64_t limit = ProgramLimits().arenaBytes;
  if (layout && zeroedBytes > 0) {
    zeroedAt = llvm::alignTo(layout->bytes, arenaAlignment);
    layout->bytes = zeroedAt + zeroedBytes;
  }
  if (!layout || layout->bytes > limit) {
    InFlightDiagnostic diag = emitError(
        function.getLoc(),
        "intermediate results must have at most 2^40 bytes for the largest "
        "sizes of the profile; needs ");
    if (layout)
      diag << layout->bytes << " bytes";
    else
      diag << "more than 2^63 bytes";
    return failure();
  }
  arena = std::move(*layout);
  return success();
}

//===-- writing -----------------------------------------------------------===//

Value FunctionPlanner::makeSize(const SizeExpr &expr, Location loc) {
  if (expr.op == SizeOp::Constant)
    return arith::ConstantIndexOp::create(b, loc, expr.value);
  if (expr.op == SizeOp::Symbol) {
    const SizeSymbol &symbol = sizes.symbolList()[expr.a];
    if (Value size = function.getArgument(symbol.input);
        size.getType().isIndex())
      return size;
    return kernel::InputSizeOp::create(b, loc, b.getIndexType(), symbol.input,
                                       symbol.dim);
  }
  Value a = sizeValue(expr.a), c = sizeValue(expr.b);
  return makeSizeOp(b, loc, expr.op, a, c,
                    [&] { return sizeValue(sizes.constant(1)); });
}

Value FunctionPlanner::sizeValue(TableIndex expr) {
  auto known = sizeValues.find(expr);
  if (known != sizeValues.end())
    return known->second;
  // Operands come first; a list in place of recursion, since programs may be
  // long chains.
  SmallVector<TableIndex> pending = {expr};
  while (!pending.empty()) {
    TableIndex next = pending.back();
    const SizeExpr made = sizes.exprList()[next];
    bool ready = true;
    if (made.op != SizeOp::Constant && made.op != SizeOp::Symbol)
      for (TableIndex operand : {made.a, made.b})
        if (!sizeValues.contains(operand)) {
          pending.push_back(operand);
          ready = false;
        }
    if (!ready)
      continue;
    pending.pop_back();
    if (!sizeValues.contains(next)) {
      Value value = makeSize(made, function.getLoc());
      sizeValues[next] = value;
    }
  }
  return sizeValues[expr];
}

Value FunctionPlanner::bufferValue(Place place, Location loc) {
  Value &value = bufferValues[{int(place.kind), place.number}];
  if (value)
    return value;
  uint64_t offset = 0, bytes = 0;
  if (place.kind == kernel::BufferKind::Arena) {
    offset = arena.offsets[place.number];
    bytes = requests[place.number].bytes;
    place.number = 0;
  } else if (place.kind == kernel::BufferKind::Zeroed) {
    offset = zeroedAt;
    bytes = zeroedBytes;
  }
  value =
      kernel::BufferOp::create(b, loc, kernel::BufferType::get(b.getContext()),
                               place.kind, place.number, offset, bytes);
  return value;
}

/// Whether the callee itself waits for all that may write what it reads.
static bool mayOverlap(kernel::CallOp call, kernel::FuncOp callee,
                       bool isFirst) {
  std::optional<ArrayRef<bool>> waitsFor = callee.getWaitsFor();
  if (!waitsFor)
    return false;
  auto tensors = llvm::make_filter_range(call.getInputs(), [](Value input) {
    return isa<RankedTensorType>(input.getType());
  });
  return llvm::all_of(llvm::zip(tensors, *waitsFor), [&](auto each) {
    auto [input, waits] = each;
    return waits || !kernel::mayBeWritten(input, isFirst);
  });
}

void FunctionPlanner::writeLaunch(const PlannedLaunch &launch, bool isFirst) {
  auto valuesOf = [&](ArrayRef<TableIndex> exprs) {
    return llvm::map_to_vector(exprs,
                               [&](TableIndex e) { return sizeValue(e); });
  };
  auto unit = [&](bool is) { return is ? b.getUnitAttr() : UnitAttr(); };
  kernel::CallOp call = launch.call;
  kernel::FuncOp callee = launch.callee;
  SmallVector<Value> grid = valuesOf(launch.grid),
                     bytes = valuesOf(launch.bytes),
                     values = valuesOf(launch.sizes), buffers;
  for (Value input : call.getInputs())
    if (!input.getType().isIndex())
      // Constants that folding made have no line of their own.
      buffers.push_back(bufferValue(
          places.at(input),
          isKnownLocation(input.getLoc()) ? input.getLoc() : call.getLoc()));
  for (Value result : call.getResults())
    buffers.push_back(bufferValue(places.at(result), result.getLoc()));
  int64_t written = call.getNumResults();
  if (launch.workspace) {
    Place place{kernel::BufferKind::Arena, *launch.workspace};
    buffers.push_back(bufferValue(place, call.getLoc()));
    buffers.push_back(
        bufferValue({kernel::BufferKind::Zeroed, 0}, call.getLoc()));
    for (int64_t size : callee.getConfig()->getWorkspace())
      bytes.push_back(sizeValue(sizes.constant(size)));
    written += 2;
  }
  kernel::LaunchOp::create(
      b, call.getLoc(), FlatSymbolRefAttr::get(callee), grid, buffers, bytes,
      values, b.getI64IntegerAttr(written),
      unit(mayOverlap(call, callee, isFirst)), unit(isFirst));
}

/// Tensor results become attributes; what the function returns is their
/// dynamic sizes.
void FunctionPlanner::writeInterface(func::ReturnOp end) {
  SmallVector<Attribute> types, names;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    types.push_back(TypeAttr::get(type));
    names.push_back(b.getStringAttr(resultName(function, i)));
  }
  SmallVector<Value> values;
  for (TableIndex size : outputSizes)
    values.push_back(sizeValue(size));
  func::ReturnOp::create(b, end.getLoc(), values);
  function->setAttr(kernel::outputsAttrName, b.getArrayAttr(types));
  function->setAttr(kernel::outputNamesAttrName, b.getArrayAttr(names));
  function->setAttr(kernel::constantsAttrName, b.getArrayAttr(constants));
  function->setAttr(kernel::arenaAttrName, b.getI64IntegerAttr(arena.bytes));
  function.removeResAttrsAttr();
  function.setFunctionType(b.getFunctionType(function.getArgumentTypes(),
                                             ValueRange(values).getTypes()));
}

void FunctionPlanner::write() {
  SmallVector<Operation *> old;
  for (Operation &op : *body)
    old.push_back(&op);
  b.setInsertionPointToEnd(body);
  for (const kernel::SizeCondition &condition : conditions) {
    Value a = sizeValue(condition.a), c = sizeValue(condition.b);
    kernel::RequireOp::create(
        b, condition.loc,
        kernel::CheckKindAttr::get(b.getContext(), condition.kind), a, c,
        condition.message);
  }
  for (const PlannedLaunch &launch : launches)
    writeLaunch(launch, launch.call == launches.front().call);
  writeInterface(cast<func::ReturnOp>(old.back()));
  for (Operation *op : llvm::reverse(old))
    op->erase();
}

LogicalResult FunctionPlanner::run() {
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc(),
                     "a program must be straight-line code; found several "
                     "blocks");
  for (Type type : function.getArgumentTypes())
    if (!isa<RankedTensorType, IndexType>(type))
      return emitError(function.getLoc(),
                       "arguments must be tensors or sizes; found ")
             << type;
  if (failed(verifyProfiles(function)))
    return failure();
  body = &function.getBody().front();
  sizes.addInputs(function);
  if (failed(read()) || failed(place()))
    return failure();
  write();
  return success();
}

namespace {
struct KernelPlanPass : tripy::impl::KernelPlanPassBase<KernelPlanPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        if (failed(FunctionPlanner(function, symbols).run()))
          return signalPassFailure();
  }
};
} // namespace
