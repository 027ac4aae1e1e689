//===- LinalgPrograms.cpp - Programs written in linalg --------------------===//

#include "LinalgPrograms.h"

#include "tripy/Codegen/KernelEmission.h"
#include "tripy/Dialect/Common/ScalarOps.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;
using tripy::kernel::Hero;

bool tripy::isLinalgProgram(func::FuncOp function) {
  return llvm::any_of(function.getBody().front(), [](Operation &op) {
    return isa_and_nonnull<linalg::LinalgDialect, tensor::TensorDialect>(
        op.getDialect());
  });
}

/// What is made anew in each kernel that needs it.
static bool isCloned(Operation *op) {
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return !isa<TensorType>(constant.getType());
  return isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(op);
}

//===-- which operations are kernels --------------------------------------===//

/// Whether `product` is that of the two operands' elements, perhaps extended:
/// nothing else is computed on the way.
static bool multipliesOperands(linalg::GenericOp op, arith::MulFOp product) {
  auto elementOf = [](Value value) {
    auto extend = value.getDefiningOp<arith::ExtFOp>();
    return extend ? extend.getIn() : value;
  };
  Value lhs = elementOf(product.getLhs()), rhs = elementOf(product.getRhs());
  Value first = op.getBlock()->getArgument(0);
  Value second = op.getBlock()->getArgument(1);
  return (lhs == first && rhs == second) || (lhs == second && rhs == first);
}

/// A sum of products over dimensions that both operands have, into a result of
/// batch, left and right dimensions in order.
static bool isContraction(linalg::GenericOp op, Operation *combiner) {
  if (op.getNumDpsInputs() != 2 || !isa<arith::AddFOp>(combiner))
    return false;
  for (Value operand : combiner->getOperands())
    if (auto product = operand.getDefiningOp<arith::MulFOp>();
        product && multipliesOperands(op, product)) {
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      SmallVector<int> order;
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
        bool left = maps[0].isFunctionOfDim(loop);
        bool right = maps[1].isFunctionOfDim(loop);
        bool parallel = maps[2].isFunctionOfDim(loop);
        if (!parallel && !(left && right))
          return false;
      }
      for (AffineExpr expr : maps[2].getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (!dim)
          return false;
        bool left = maps[0].isFunctionOfDim(dim.getPosition());
        bool right = maps[1].isFunctionOfDim(dim.getPosition());
        order.push_back(left && right ? 0 : left ? 1 : 2);
      }
      return llvm::is_sorted(order);
    }
  return false;
}

static FailureOr<Hero> heroOfGeneric(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1)
    return op.emitOpError("must have tensors and one result to become a "
                          "kernel");
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return op.emitOpError("indexing maps must be projected permutations to "
                            "become a kernel; found ")
             << AffineMapAttr::get(map);
  bool reduces = op.getNumReductionLoops() > 0;
  Operation *init = op.getDpsInits().front().getDefiningOp();
  bool usesInit = !op.getBlock()->getArguments().back().use_empty();
  if (usesInit && !isa_and_nonnull<linalg::FillOp>(init))
    return op.emitOpError("must start from a linalg.fill to become a kernel");
  if (!reduces)
    return Hero::Loop;
  Operation *combiner = codegen::combinerOf(op);
  if (!combiner)
    return op.emitOpError("must reduce by one sum, product, maximum, minimum, "
                          "and, or to become a kernel");
  return isContraction(op, combiner) ? Hero::Gemm : Hero::Reduce;
}

bool tripy::isKernelOperation(Operation *op) {
  return isa<linalg::LinalgOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::ConcatOp>(op);
}

InFlightDiagnostic tripy::refuseKernel(Operation *op) {
  return op->emitOpError("cannot be compiled: a linalg program consists of "
                         "linalg operations and static tensor.extract_slice, "
                         "expand_shape, collapse_shape and concat");
}

/// Whether `op` moves elements of static tensors: its reads are inside of them.
static bool isStaticView(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                SmallVector<Type>(op->getResultTypes())))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape())
      return false;
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  return !slice ||
         (llvm::all_of(slice.getStaticOffsets(),
                       [](int64_t i) { return i >= 0; }) &&
          llvm::all_of(slice.getStaticStrides(),
                       [](int64_t i) { return i > 0; }) &&
          slice.getType().getRank() == slice.getSourceType().getRank());
}

static FailureOr<Hero> heroOf(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return heroOfGeneric(generic);
  if (isKernelOperation(op) && isStaticView(op))
    return Hero::Loop;
  return refuseKernel(op);
}

//===-- making dispatches -------------------------------------------------===//

namespace {

class DispatchMaker {
public:
  DispatchMaker(Operation *op, Hero hero)
      : op(op), hero(hero), b(op), loc(op->getLoc()) {}
  LogicalResult run();

private:
  LogicalResult collect(Operation *user);
  SmallVector<Value> dynamicSizes(Value tensor);
  SmallVector<Value> resultSizes();

  Operation *op;
  Hero hero;
  OpBuilder b;
  Location loc;
  /// Producers to clone, before their users, and what comes from outside.
  SetVector<Operation *> cloned;
  SetVector<Value> tensors, sizes;
};

} // namespace

/// Sizes of the dynamic dimensions of a tensor of the host function.
SmallVector<Value> DispatchMaker::dynamicSizes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (auto made = tensor.getDefiningOp<tensor::EmptyOp>())
    return made.getDynamicSizes();
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return dynamicSizes(fill.getDpsInits().front());
  SmallVector<Value> values;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim)) {
      Value number = arith::ConstantIndexOp::create(b, loc, dim);
      values.push_back(tensor::DimOp::create(b, loc, tensor, number));
    }
  return values;
}

/// Sizes of a result are those of what it is written into.
SmallVector<Value> DispatchMaker::resultSizes() {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic ? dynamicSizes(generic.getDpsInits().front())
                 : SmallVector<Value>();
}

/// Sorts what `user` and its regions use into clones, tensors and sizes.
LogicalResult DispatchMaker::collect(Operation *user) {
  LogicalResult result = success();
  user->walk([&](Operation *inner) {
    for (Value value : inner->getOperands()) {
      Operation *producer = value.getDefiningOp();
      Region *region = value.getParentRegion();
      if (region != user->getParentRegion())
        continue; // Of the body.
      if (isCloned(producer)) {
        if (!cloned.contains(producer)) {
          if (failed(collect(producer)))
            result = failure();
          cloned.insert(producer);
        }
      } else if (inner != user) {
        result = inner->emitOpError("uses a value from outside of its linalg "
                                    "operation, which is not a constant");
      } else if (isa<RankedTensorType>(value.getType())) {
        tensors.insert(value);
      } else if (value.getType().isIndex()) {
        sizes.insert(value);
      } else {
        result = user->emitOpError("uses a scalar that is not a constant");
      }
    }
  });
  return result;
}

LogicalResult DispatchMaker::run() {
  if (failed(collect(op)))
    return failure();
  SmallVector<Value> needed;
  for (Value tensor : tensors)
    llvm::append_range(needed, dynamicSizes(tensor));
  SmallVector<Value> results = resultSizes();
  llvm::append_range(needed, results);
  sizes.insert(needed.begin(), needed.end());

  SmallVector<Value> inputs(tensors.begin(), tensors.end());
  inputs.append(sizes.begin(), sizes.end());
  SmallVector<int64_t> sizeArgs;
  for (Value size : needed)
    sizeArgs.push_back(llvm::find(inputs, size) - inputs.begin());
  auto dispatch = kernel::DispatchOp::create(b, loc, op->getResultTypes(), hero,
                                             inputs, results, sizeArgs);
  Block &body = dispatch.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  for (Operation *producer : cloned)
    inside.clone(*producer, mapping);
  Operation *made = inside.clone(*op, mapping);
  kernel::YieldOp::create(inside, loc, made->getResults());
  op->replaceAllUsesWith(dispatch);
  op->erase();
  return success();
}

/// What is returned must be computed by a kernel: an argument, constant or
/// filled tensor is copied.
static void copyPlainResults(func::FuncOp function) {
  Operation *end = function.getBody().front().getTerminator();
  for (OpOperand &operand : end->getOpOperands()) {
    Operation *producer = operand.get().getDefiningOp();
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type ||
        (producer && !isa<arith::ConstantOp>(producer) && !isCloned(producer)))
      continue;
    OpBuilder b(end);
    Location loc = operand.get().getLoc();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, loc, operand.get());
    Value init = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
    AffineMap map = b.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto copy = linalg::GenericOp::create(
        b, loc, type, operand.get(), init, ArrayRef<AffineMap>{map, map}, loops,
        [](OpBuilder &inner, Location at, ValueRange values) {
          linalg::YieldOp::create(inner, at, values.front());
        });
    operand.set(copy.getResult(0));
  }
}

/// arith.divsi, remsi in bodies -> forms that no divisor makes undefined.
static void defineDivisions(IRRewriter &rewriter, linalg::GenericOp generic) {
  for (Operation &op : llvm::make_early_inc_range(*generic.getBlock())) {
    if (!isa<arith::DivSIOp, arith::RemSIOp>(op))
      continue;
    rewriter.setInsertionPoint(&op);
    Location loc = op.getLoc();
    Value x = op.getOperand(0), y = op.getOperand(1);
    Value result = scalar::createDivSI(rewriter, loc, {x, y});
    if (isa<arith::RemSIOp>(op)) {
      Value product = arith::MulIOp::create(rewriter, loc, result, y);
      result = arith::SubIOp::create(rewriter, loc, x, product);
    }
    rewriter.replaceOp(&op, result);
  }
}

/// linalg.matmul, reduce, ... -> linalg.generic; a fill stays.
static LogicalResult generalize(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  for (auto op : llvm::make_early_inc_range(
           function.getBody().front().getOps<linalg::LinalgOp>())) {
    if (isa<linalg::FillOp>(op))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> made =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        return op.emitOpError("has no form as linalg.generic");
      generic = *made;
    }
    defineDivisions(rewriter, generic);
  }
  return success();
}

LogicalResult tripy::formLinalgDispatches(func::FuncOp function) {
  if (failed(generalize(function)))
    return failure();
  copyPlainResults(function);
  SmallVector<Operation *> kernels;
  for (Operation &op : function.getBody().front().without_terminator()) {
    bool onSizes = isa_and_nonnull<arith::ArithDialect>(op.getDialect()) ||
                   isa<tensor::DimOp, kernel::RequireOp>(op);
    if (onSizes && llvm::none_of(op.getOperandTypes(), [&](Type type) {
          return isa<TensorType>(type) && !isa<tensor::DimOp>(op);
        }))
      continue;
    if (!isCloned(&op))
      kernels.push_back(&op);
  }
  for (Operation *op : kernels) {
    FailureOr<Hero> hero = heroOf(op);
    if (failed(hero) || failed(DispatchMaker(op, *hero).run()))
      return failure();
  }
  return success();
}
