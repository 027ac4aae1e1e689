//===- FormDispatches.cpp - The fusion pass -------------------------------===//
//
// Prepares a function for fusion: composites are inlined, size arithmetic comes
// first, equal sizes become one value, and every result is made by an
// operation. formRootGroups() and formLoops() then decide what is fused.
//
//===----------------------------------------------------------------------===//

#include "FusionGraph.h"
#include "Prepare.h"
#include "Remarks.h"

#include "tripy/Codegen/Passes.h"
#include "tripy/Conversion/InlineComposite.h"
#include "tripy/Dialect/Common/ScalarOperations.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Tripy/MergedLocations.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/StringSwitch.h"

namespace tripy {
#define GEN_PASS_DEF_FORMDISPATCHESPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// Arithmetic on sizes, which stays on the host.
static bool isHostOp(Operation &op) {
  if (auto dim = dyn_cast<flatir::DimOp>(op))
    return isa<BlockArgument>(dim.getInput());
  if (!isa<arith::ArithDialect>(op.getDialect()))
    return false;
  auto isScalar = [](Type type) { return type.isIntOrIndex(); };
  return llvm::all_of(op.getOperandTypes(), isScalar) &&
         llvm::all_of(op.getResultTypes(), isScalar);
}

/// Whether the pass can place all operations of the function.
static LogicalResult checkOps(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (!isTensorType(argument.getType()) && !argument.getType().isIndex())
      return emitError(argument.getLoc(),
                       "a program's arguments must be tensors of Tripy's "
                       "element types, or sizes, to become kernels; found ")
             << argument.getType();
  std::optional<ScalarOperations> table;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!isProgramOp(&op) && !isa<kernel::PackedOp>(op) &&
        !(op.getDialect() && isHostOp(op)))
      return op.emitOpError("a program must consist of flatir operations and "
                            "arithmetic on sizes to become kernels");
    if (!flatir::isTensorArithmetic(&op))
      continue;
    if (!table)
      table.emplace(function.getContext());
    if (!table->knows(&op))
      return op.emitOpError("is arithmetic that kernels cannot compute on "
                            "these types");
  }
  return success();
}

/// What folding of arith makes of constants.
static void convertConstants(func::FuncOp function) {
  for (auto op : llvm::make_early_inc_range(
           function.getBody().front().getOps<arith::ConstantOp>())) {
    auto value = dyn_cast<ElementsAttr>(op.getValue());
    if (!value || !isTensorType(op.getType()))
      continue;
    OpBuilder b(op);
    op.replaceAllUsesWith(
        flatir::ConstantOp::create(b, op.getLoc(), value).getResult());
    op.erase();
  }
}

static bool hasTensorOps(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return true;
  return llvm::any_of(function.getBody().front(), [](Operation &op) {
    return llvm::any_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>) ||
           (op.hasTrait<OpTrait::IsTerminator>() && op.getNumOperands() > 0);
  });
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// A dimension of an argument.
using ArgumentDim = std::pair<unsigned, int64_t>;
/// Dimensions of arguments that are required to equal earlier ones.
using EqualDims = llvm::DenseMap<ArgumentDim, ArgumentDim>;

/// Sizes of the arguments: flatir.dim operations at the start of the block. A
/// named dimension is one value, whichever argument it is read from: the
/// runtime checks that they agree.
static void bindArguments(func::FuncOp function, const EqualDims &equal,
                          TensorSizes &sizes) {
  Block &block = function.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  llvm::StringMap<Value> named;
  llvm::DenseMap<ArgumentDim, Value> made;
  for (BlockArgument argument : block.getArguments()) {
    auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                      dimsAttrName);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type && names && !names.empty())
      if (auto name = dyn_cast<StringAttr>(names[0]); name && !name.empty())
        named.try_emplace(name.getValue(), argument);
    if (!type)
      continue;
    SmallVector<Value> dynamic;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      auto name = names && dim < static_cast<int64_t>(names.size())
                      ? dyn_cast<StringAttr>(names[dim])
                      : StringAttr();
      bool isNamed = name && !name.empty();
      ArgumentDim key = {argument.getArgNumber(), dim};
      Value size = isNamed ? named.lookup(name.getValue()) : Value();
      if (auto it = equal.find(key); !size && it != equal.end())
        size = made.lookup(it->second);
      if (!size)
        size = flatir::DimOp::create(
            b,
            inserted(argument.getLoc(),
                     {"size", "read dimension " + std::to_string(dim) +
                                  " of an argument"}),
            argument, dim);
      made[key] = size;
      if (isNamed)
        named[name.getValue()] = size;
      dynamic.push_back(size);
    }
    sizes.setDynamic(argument, dynamic);
  }
}

static bool isRequire(Operation *op) {
  return isa<flatir::RequireOp, kernel::RequireOp>(op);
}

/// Replaces each flatir.dim by the size it asks for, in terms of arguments.
/// What requires two arguments to agree goes on comparing these.
static void resolveDims(func::FuncOp function, TensorSizes &sizes) {
  OpBuilder b(function.getContext());
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    b.setInsertionPoint(&op);
    auto dim = dyn_cast<flatir::DimOp>(op);
    if (dim) {
      OpFoldResult size =
          sizes.get(dim.getInput())[static_cast<int64_t>(dim.getDim())];
      if (size == OpFoldResult(dim.getResult()))
        continue;
      Value resolved = getValueOrCreateConstantIndexOp(b, dim.getLoc(), size);
      bool ofArgument = isa<BlockArgument>(dim.getInput());
      dim.getResult().replaceUsesWithIf(resolved, [&](OpOperand &use) {
        return !ofArgument || !isRequire(use.getOwner());
      });
      if (dim->use_empty())
        dim.erase();
    } else if (isa<flatir::PluginOp>(op) ||
               (isProgramOp(&op) && op.getNumResults() == 1)) {
      sizes.infer(&op, b);
    }
  }
}

// flatir.require -> kernel.require
static void lowerRequire(flatir::RequireOp op) {
  OpBuilder b(op);
  auto kind = kernel::CheckKindAttr::get(op.getContext(),
                                         findCheckKind(op.getKind())->kind);
  kernel::RequireOp::create(b, op.getLoc(), kind, op.getLhs(), op.getRhs(),
                            op.getMessageAttr());
  op.erase();
}

/// Makes each dimension of an argument one operation.
static void mergeDims(func::FuncOp function) {
  llvm::DenseMap<ArgumentDim, flatir::DimOp> first;
  for (auto dim : llvm::make_early_inc_range(
           function.getBody().front().getOps<flatir::DimOp>())) {
    auto argument = cast<BlockArgument>(dim.getInput());
    ArgumentDim key(argument.getArgNumber(),
                    static_cast<int64_t>(dim.getDim()));
    auto [it, isNew] = first.try_emplace(key, dim);
    if (isNew)
      continue;
    dim.replaceAllUsesWith(it->second.getResult());
    dim.erase();
  }
}

/// Notes that two dimensions of arguments agree.
static void recordEqual(Operation *later, Operation *earlier,
                        EqualDims &equal) {
  auto keyOf = [](Operation *op) -> std::optional<ArgumentDim> {
    auto dim = dyn_cast<flatir::DimOp>(op);
    if (!dim)
      return std::nullopt;
    return ArgumentDim(cast<BlockArgument>(dim.getInput()).getArgNumber(),
                       static_cast<int64_t>(dim.getDim()));
  };
  std::optional<ArgumentDim> from = keyOf(later), to = keyOf(earlier);
  if (!from || !to)
    return;
  if (*from < *to)
    std::swap(from, to);
  if (*from != *to)
    equal.try_emplace(*from, *to);
}

/// Moves size arithmetic, requirements and data to the front, and makes sizes
/// that are required to be equal one value.
static void hoistHost(func::FuncOp function, EqualDims &equal) {
  Block &block = function.getBody().front();
  SmallVector<Operation *> host, requires_, data;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isHostOp(op))
      host.push_back(&op);
    else if (auto constant = dyn_cast<flatir::ConstantOp>(op)) {
      if (classOf(constant) == OpClass::Data)
        data.push_back(&op);
    } else if (isa<flatir::RequireOp>(op))
      requires_.push_back(&op);
  }
  SmallVector<Operation *> front;
  llvm::append_range(front, host);
  llvm::append_range(front, requires_);
  llvm::append_range(front, data);
  for (Operation *op : llvm::reverse(front))
    op->moveBefore(&block, block.begin());
  for (Operation *op : requires_) {
    auto require = cast<flatir::RequireOp>(op);
    Operation *lhs = require.getLhs().getDefiningOp();
    Operation *rhs = require.getRhs().getDefiningOp();
    if (require.getKind() == "equal" && lhs && rhs && lhs != rhs) {
      if (rhs->isBeforeInBlock(lhs))
        std::swap(lhs, rhs);
      rhs->getResult(0).replaceUsesWithIf(
          lhs->getResult(0),
          [](OpOperand &use) { return !isRequire(use.getOwner()); });
      recordEqual(rhs, lhs, equal);
    }
    lowerRequire(require);
  }
}

//===----------------------------------------------------------------------===//
// Results and large operations
//===----------------------------------------------------------------------===//

/// What a kernel has to make for a result: the result, or its bytes, which are
/// named for this result alone.
static OpOperand &madeByKernel(OpOperand &returned) {
  auto packed = returned.get().getDefiningOp<kernel::PackedOp>();
  if (!packed)
    return returned;
  if (!packed->hasOneUse()) {
    OpBuilder b(returned.getOwner());
    packed = cast<kernel::PackedOp>(b.clone(*packed));
    returned.set(packed.getResult());
  }
  return packed.getBytesMutable();
}

/// Inserts a copy for each result that is an argument, a constant, or returned
/// before: every result is a buffer of its own.
static void copyResults(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder b(terminator);
  llvm::SmallPtrSet<void *, 8> seen;
  for (OpOperand &returned : terminator->getOpOperands()) {
    OpOperand &operand = madeByKernel(returned);
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    Operation *made = operand.get().getDefiningOp();
    bool first = seen.insert(operand.get().getAsOpaquePointer()).second;
    if (first && made && classOf(made) != OpClass::Data)
      continue;
    b.setInsertionPoint(operand.getOwner());
    Location loc = inserted(
        terminator->getLoc(),
        {"copy",
         "copy a result that is an argument, a constant or another result"});
    SmallVector<Value> dynamic;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        dynamic.push_back(flatir::DimOp::create(b, loc, operand.get(), dim));
    operand.set(
        flatir::ReshapeOp::create(b, loc, type, operand.get(), dynamic));
  }
}

/// Splits a concatenation of more inputs than a kernel has buffers.
static void splitConcatenations(func::FuncOp function) {
  constexpr size_t maximum = 16;
  SmallVector<flatir::ConcatenateOp> large;
  for (auto op : function.getBody().front().getOps<flatir::ConcatenateOp>())
    if (op.getInputs().size() > maximum)
      large.push_back(op);
  for (flatir::ConcatenateOp op : large) {
    OpBuilder b(op);
    int64_t dim = static_cast<int64_t>(op.getDim());
    Location loc = inserted(
        op.getLoc(),
        {"split", "join many tensors in steps; a kernel has few buffers"});
    SmallVector<Value> inputs(op.getInputs());
    while (inputs.size() > maximum) {
      SmallVector<Value> joined;
      for (size_t i = 0; i < inputs.size(); i += maximum) {
        ArrayRef<Value> part =
            ArrayRef(inputs).slice(i, std::min(maximum, inputs.size() - i));
        SmallVector<int64_t> shape(op.getResult().getType().getShape());
        shape[dim] = 0;
        for (Value input : part) {
          int64_t size =
              cast<RankedTensorType>(input.getType()).getDimSize(dim);
          shape[dim] =
              ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[dim])
                  ? ShapedType::kDynamic
                  : shape[dim] + size;
        }
        auto type = RankedTensorType::get(shape, elementTypeOf(op.getResult()));
        joined.push_back(
            flatir::ConcatenateOp::create(b, loc, type, part, dim));
      }
      inputs = joined;
    }
    op.getInputsMutable().assign(inputs);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void eraseDead(func::FuncOp function, Composites &composites) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op)) {
      composites.erase(&op);
      op.erase();
    }
}

namespace {
/// Keeps the table of names free of erased operations.
struct ForgetErased : MergedLocations {
  explicit ForgetErased(Composites &composites) : composites(composites) {}
  void notifyOperationErased(Operation *op) override {
    MergedLocations::notifyOperationErased(op);
    composites.erase(op);
  }
  Composites &composites;
};
} // namespace

static LogicalResult formDispatches(Program &program) {
  FusionGraph graph(program);
  formRootGroups(graph);
  formPrologues(graph);
  formLoops(graph);
  fuseRowsOfOneInput(graph);
  remarkNotFused(graph);
  return buildDispatches(graph, program.function);
}

static LogicalResult planFunction(func::FuncOp function,
                                  FusionOptions options) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("a program must be one block; found ")
           << function.getBody().getBlocks().size();
  Composites composites;
  takeAttention(function, composites);
  inlineComposites(
      function.getBody().front(),
      [&](Operation *op, StringAttr name) { composites[op] = name; });
  convertConstants(function);
  if (failed(checkOps(function)))
    return failure();
  splitConcatenations(function);
  TensorSizes sizes;
  EqualDims equal;
  bindArguments(function, equal, sizes);
  resolveDims(function, sizes);
  dropEmpty(function, sizes, composites);
  hoistHost(function, equal);
  ForgetErased listener(composites);
  IRRewriter rewriter(function.getContext(), &listener);
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  listener.apply();
  eraseDead(function, composites);
  // After equal operations became one: copies must not.
  copyResults(function);

  // Sizes once more, in terms of the values that are left.
  TensorSizes known;
  bindArguments(function, equal, known);
  resolveDims(function, known);
  hoistHost(function, equal);
  SizeRanges ranges;
  ranges.read(function);
  options.sizes = &known;
  options.ranges = &ranges;
  Program program{function, known, {}, composites, options};
  program.estimates.read(function);
  recogniseAttention(program);
  shareRepeatedHeads(program);
  program.estimates.read(function);
  padOperands(program);
  splitContractions(program);
  splitReductions(program);
  sortInsteadOfSelect(program);
  splitSelections(program);
  splitSorts(program);
  ranges.read(function);
  if (failed(formDispatches(program)))
    return failure();
  mergeDims(function);
  eraseDead(function, composites);
  return success();
}

namespace {
class FormDispatches
    : public tripy::impl::FormDispatchesPassBase<FormDispatches> {
  using FormDispatchesPassBase::FormDispatchesPassBase;

  LogicalResult read(StringRef name, StringRef text,
                     FusionOptions::When &when) {
    using When = FusionOptions::When;
    auto found = llvm::StringSwitch<std::optional<When>>(text)
                     .Case("never", When::Never)
                     .Case("estimated", When::Estimated)
                     .Case("always", When::Always)
                     .Default(std::nullopt);
    if (!found)
      return emitError(getOperation().getLoc())
             << name << " is never, estimated or always; found '" << text
             << "'";
    when = *found;
    return success();
  }

  void runOnOperation() override {
    FusionOptions options;
    options.tensorCores = tensorCores;
    options.tensorF8 = tensorF8;
    options.paired = paired;
    options.tensorPaired = tensorPaired;
    options.vectorRows = vectorRows;
    options.fewRowsOnTensorCores = fewRowsOnTensorCores;
    options.columnBlocks = columnBlocks;
    if (Result<const Machine *> known = getMachine(chip); !known && !onHost) {
      emitError(getOperation().getLoc(), known.status().message());
      return signalPassFailure();
    }
    const Machine &machine = Machine::of(chip);
    options.machine = &machine;
    options.columnBytesFull =
        columnBytesFull ? int64_t(columnBytesFull) : machine.columnBytesFull;
    options.columnBytesEmpty =
        columnBytesEmpty ? int64_t(columnBytesEmpty) : machine.columnBytesEmpty;
    options.rowBlocks = rowBlocks;
    options.reducesApart = reducesApart;
    options.windowsInProducts = windowsInProducts;
    options.rowPartBytes =
        rowPartBytes ? int64_t(rowPartBytes) : machine.rowPartBytes;
    options.clusterColumns = clusterColumns;
    options.sortBlocks = sortBlocks;
    options.onHost = onHost;
    if (failed(read("tensor-prologues", tensorPrologues,
                    options.tensorPrologues)) ||
        failed(read("attention", attention, options.attention)))
      return signalPassFailure();
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration() || !hasTensorOps(function) ||
          !function.getBody().front().getOps<kernel::DispatchOp>().empty())
        continue;
      if (failed(planFunction(function, options)))
        return signalPassFailure();
    }
  }
};
} // namespace
