//===- Pass.cpp - Raises linalg, tensor and arith to flatir ---------------===//
//
// Operations in order; what stands for a value replaces it at once. Numbers
// that tensors are computed from become tensors of rank 0. Arithmetic on sizes
// stays.
//
//===----------------------------------------------------------------------===//

#include "Raise.h"

#include "tripy/Conversion/Passes.h"
#include "tripy/Dialect/Common/SizeOps.h"
#include "tripy/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace tripy {
#define GEN_PASS_DEF_LINALGTOFLATIRPASS
#include "tripy/Conversion/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::raise;

//===-- what is raised ----------------------------------------------------===//

static bool isOfLinalg(Operation *op) {
  return isa_and_nonnull<linalg::LinalgDialect, tensor::TensorDialect>(
      op->getDialect());
}

static bool isArithmetic(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
      op->getDialect());
}

static bool hasTensors(Operation *op) {
  auto isTensor = llvm::IsaPred<TensorType>;
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

/// Whether the pass has anything to do: programs of trace and flatir have
/// arithmetic on sizes alone.
static bool needsRaising(Block &block) {
  return llvm::any_of(block, [](Operation &op) {
    return isOfLinalg(&op) || (isArithmetic(&op) && !isSizeArithmetic(&op));
  });
}

/// Marks numbers that tensors are computed from, backwards from what is
/// computed of them. Sizes are taken as they are.
void Raising::findNeededScalars() {
  auto need = [&](Value value) {
    if (!isa<TensorType, IndexType>(value.getType()))
      needed.insert(value);
  };
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    bool isScalar = isArithmetic(&op) && !hasTensors(&op);
    bool isRaised = isOfLinalg(&op) || (isArithmetic(&op) && !isScalar);
    bool isNeeded = llvm::any_of(
        op.getResults(), [&](Value result) { return needed.contains(result); });
    if (isRaised || (isScalar && isNeeded))
      op.walk([&](Operation *inner) {
        llvm::for_each(inner->getOperands(), need);
      });
  }
}

//===-- values ------------------------------------------------------------===//

Value Raising::valueOf(Value value, Operation *user) {
  if (isa<RankedTensorType>(value.getType())) {
    if (!value.getDefiningOp<tensor::EmptyOp>())
      return value;
    user->emitOpError("must not read elements without a value; found those of "
                      "a 'tensor.empty'");
    return {};
  }
  if (Value found = scalars.lookup(value))
    return found;
  if (value.getType().isIndex()) {
    Lowering b = builderFor(user);
    return sizeAsTensor(value, {}, b);
  }
  user->emitOpError("cannot be compiled: it reads a value of type ")
      << value.getType() << " that is not computed from tensors, constants and "
      << "sizes";
  return {};
}

Value Raising::valueAt(Value value, const Space &space, Lowering &b) {
  Value found = valueOf(value, b.getSource());
  if (!found || !found.getType())
    return {};
  if (TypedAttr number = splatOf(found))
    return splat(number, space, b);
  return spread(found, {}, space, b);
}

//===-- one operation -----------------------------------------------------===//

/// Types of values that become tensors of a program.
LogicalResult Raising::checkTypes(Operation *op) {
  auto check = [&](Type type) -> LogicalResult {
    if (type.isIndex() || isTensorType(type) || isTensorElementType(type))
      return success();
    return op->emitOpError("cannot be compiled: values of a program are ranked "
                           "tensors of ")
           << describeElementTypes(op->getContext()) << ", of rank at most "
           << maxRank << " and at most 2^40 elements, such numbers, and sizes; "
           << "found " << type;
  };
  for (Type type : op->getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(check(type)))
      return failure();
  return success();
}

/// arith and math on tensors, and on numbers that tensors are computed from.
LogicalResult Raising::raiseArith(Operation *op) {
  if (failed(checkTypes(op)))
    return failure();
  Lowering b = builderFor(op);
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (constant && isa<RankedTensorType>(constant.getType())) {
    auto elements = dyn_cast<ElementsAttr>(constant.getValue());
    if (!elements || !isConstantData(elements))
      return op->emitOpError("cannot be compiled: a constant must be a dense "
                             "tensor; found another form");
    replace(op, b.primary<flatir::ConstantOp>(elements).getResult());
    return success();
  }
  bool isScalar = !hasTensors(op);
  if (isScalar &&
      (op->getNumResults() != 1 || !needed.contains(op->getResult(0))))
    return success();
  SmallVector<Value> in;
  Space space;
  for (Value operand : op->getOperands()) {
    in.push_back(valueOf(operand, op));
    if (!in.back())
      return failure();
    if (isa<RankedTensorType>(operand.getType()) && space.shape.empty())
      space = spaceOf(in.back(), b);
  }
  AffineMap identity = builder.getMultiDimIdentityMap(space.rank());
  for (Value &operand : in) {
    SmallVector<int64_t> used;
    operand = rankOf(operand) == 0
                  ? spread(operand, {}, space, b)
                  : readThrough(operand, identity, space, used, b);
  }
  Value made = raiseScalar({op, in, /*isOwn=*/true}, space, table, b);
  if (!made)
    return failure();
  if (isScalar)
    scalars[op->getResult(0)] = made;
  else
    replace(op, made);
  return success();
}

/// Writes an operation with others, as upstream does. None where it is no such
/// operation.
static std::optional<LogicalResult> writeWithOthers(Operation *op,
                                                    IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  if (auto pack = dyn_cast<linalg::PackOp>(op))
    return LogicalResult(linalg::lowerPack(rewriter, pack));
  if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    return LogicalResult(linalg::lowerUnPack(rewriter, unpack));
  auto softmax = dyn_cast<linalg::SoftmaxOp>(op);
  if (!softmax)
    return std::nullopt;
  // Upstream's builders crash for other numbers.
  if (!isa<FloatType>(getElementTypeOrSelf(softmax.getInput().getType())))
    return failure();
  FailureOr<SmallVector<Value>> parts = softmax.decomposeOperation(rewriter);
  if (succeeded(parts))
    rewriter.replaceOp(op, *parts);
  return LogicalResult(parts);
}

/// What the operation becomes says why it is there.
LogicalResult Raising::decompose(Operation *op) {
  Operation *before = op->getPrevNode(), *after = op->getNextNode();
  Location loc = op->getLoc();
  std::string name = op->getName().stripDialect().str();
  std::optional<LogicalResult> made = writeWithOthers(op, builder);
  if (!made)
    return success();
  if (failed(*made))
    return op->emitOpError("cannot be compiled: it has no decomposition for "
                           "these types");
  Location reason = inserted(loc, {name, "decompose '" + name + "'"});
  Block &block = function.getBody().front();
  for (Operation *next = before ? before->getNextNode() : &block.front();
       next != after; next = next->getNextNode())
    next->walk([&](Operation *inner) { inner->setLoc(reason); });
  return success();
}

/// A structured operation, in its generic form.
static Raised raiseStructured(linalg::LinalgOp op, Raising &program,
                              IRRewriter &rewriter) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    return raiseGeneric(generic, op, program);
  if (!op.hasPureTensorSemantics()) {
    op.emitOpError("must work on tensors to be compiled");
    return {};
  }
  // The operation stays, for errors to be about.
  rewriter.setInsertionPoint(op);
  auto copy = cast<linalg::LinalgOp>(rewriter.clone(*op.getOperation()));
  FailureOr<linalg::GenericOp> form = linalg::generalizeNamedOp(rewriter, copy);
  if (failed(form)) {
    rewriter.eraseOp(copy);
    op.emitOpError("has no form as linalg.generic");
    return {};
  }
  rewriter.setInsertionPoint(op);
  Raised results = raiseGeneric(*form, op, program);
  rewriter.eraseOp(*form);
  return results;
}

LogicalResult Raising::raiseTensorOp(Operation *op) {
  if (failed(checkTypes(op)))
    return failure();
  Lowering b = builderFor(op);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    SizeList sizes =
        b.mixedSizes(empty.getType().getShape(), empty.getDynamicSizes());
    b.requireSizes(sizes);
    b.setSizes(empty, sizes);
    return success();
  }
  Raised results;
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> number = dim.getConstantIndex();
    if (!number || *number < 0 || *number >= rankOf(dim.getSource()))
      return dim.emitOpError("must name a dimension of its tensor by a "
                             "constant to be compiled");
    results = {b.math.value(b.sizesOf(dim.getSource())[*number])};
  } else if (auto rank = dyn_cast<tensor::RankOp>(op)) {
    results = {b.math.value(b.math.constant(rankOf(rank.getTensor())))};
  } else if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
    results = raiseGenerate(generate, *this);
  } else if (std::optional<Raised> moved = raiseMovement(op, *this)) {
    results = *moved;
  } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    results = raiseStructured(structured, *this, builder);
  } else {
    return op->emitOpError("cannot be compiled: kernels have no form for it");
  }
  if (results.empty() && op->getNumResults() > 0)
    return failure();
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    scalars[extract.getResult()] = results.front();
    return success();
  }
  replace(op, results);
  return success();
}

void Raising::replace(Operation *op, ValueRange values) {
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    if (result != value)
      result.replaceAllUsesWith(value);
  builder.eraseOp(op);
}

LogicalResult Raising::raise(Operation *op) {
  builder.setInsertionPoint(op);
  if (isOfLinalg(op))
    return raiseTensorOp(op);
  if (isArithmetic(op) && (hasTensors(op) || !isSizeArithmetic(op) ||
                           llvm::any_of(op->getResults(), [&](Value result) {
                             return needed.contains(result);
                           })))
    return raiseArith(op);
  return success();
}

//===-- the function ------------------------------------------------------===//

Raising::Raising(func::FuncOp function, const ScalarOperations &table)
    : table(table), function(function), builder(function.getContext()) {}

/// What is left of linalg has a reader that is not compiled.
LogicalResult Raising::checkRest() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    // Arithmetic on sizes is checked even where nothing needs its result.
    if ((isOfLinalg(&op) || (isArithmetic(&op) && !findSizeOp(&op))) &&
        isOpTriviallyDead(&op))
      builder.eraseOp(&op);
  WalkResult result = function.walk([&](Operation *op) {
    if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      (*empty->user_begin())
          ->emitOpError("must not read elements without a value; found those "
                        "of a 'tensor.empty'");
      return WalkResult::interrupt();
    }
    if (isOfLinalg(op)) {
      op->emitOpError("cannot be compiled here: sizes must not depend on "
                      "elements of tensors, and linalg's operations are at "
                      "the top level of a program");
      return WalkResult::interrupt();
    }
    bool isScalar = isArithmetic(op) && !hasTensors(op);
    if (isScalar && failed(checkSizeOp(op)))
      return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (isa<RankedTensorType>(type) && !isTensorType(type)) {
        emitError(op->getLoc(), "an iteration space must have at most ")
            << maxRank << " loops and 2^40 points to be compiled; found "
            << type;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult Raising::run() {
  Block &block = function.getBody().front();
  // Decompositions first: what they make is raised in its turn.
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(decompose(&op)))
      return failure();
  findNeededScalars();
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(raise(&op)))
      return failure();
  return checkRest();
}

namespace {

struct LinalgToFlatIRPass
    : public tripy::impl::LinalgToFlatIRPassBase<LinalgToFlatIRPass> {
  using LinalgToFlatIRPassBase::LinalgToFlatIRPassBase;

  void runOnOperation() override {
    std::optional<ScalarOperations> table;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration() || !function.getBody().hasOneBlock())
        continue;
      Block &block = function.getBody().front();
      // Programs that entered behind the fusion pass.
      bool isPlanned = llvm::any_of(block, [](Operation &op) {
        return isa_and_nonnull<kernel::KernelDialect>(op.getDialect());
      });
      if (isPlanned || !needsRaising(block))
        continue;
      if (!table)
        table.emplace(&getContext());
      if (failed(Raising(function, *table).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
