//===- LinalgPrograms.cpp - Programs written in linalg --------------------===//

#include "LinalgPrograms.h"

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

/// The operation that combines the accumulator with an element, when the body
/// of `op` is a reduction as the emitters know them.
static Operation *combinerOf(linalg::GenericOp op) {
  BlockArgument accumulator = op.getBlock()->getArguments().back();
  if (!accumulator.hasOneUse() || op.getNumDpsInits() != 1)
    return nullptr;
  Operation *combiner = *accumulator.user_begin();
  bool yielded =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp() == combiner;
  bool known = isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
                   arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp,
                   arith::MinSIOp, arith::AndIOp, arith::OrIOp>(combiner);
  return yielded && known ? combiner : nullptr;
}

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
  Operation *combiner = combinerOf(op);
  if (!combiner)
    return op.emitOpError("must reduce by one sum, product, maximum, minimum, "
                          "and, or to become a kernel");
  return isContraction(op, combiner) ? Hero::Gemm : Hero::Reduce;
}

static FailureOr<Hero> heroOf(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                SmallVector<Type>(op->getResultTypes())))
    if (isa<TensorType>(type) && !isTensorType(type))
      return op->emitOpError("has a tensor that kernels cannot have: ") << type;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return heroOfGeneric(generic);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    if (llvm::all_of(slice.getStaticOffsets(),
                     [](int64_t i) { return i >= 0; }) &&
        llvm::all_of(slice.getStaticStrides(),
                     [](int64_t i) { return i > 0; }) &&
        slice.getType().hasStaticShape() &&
        slice.getType().getRank() == slice.getSourceType().getRank())
      return Hero::Loop;
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ConcatOp>(
          op) &&
      cast<RankedTensorType>(op->getResult(0).getType()).hasStaticShape())
    return Hero::Loop;
  return op->emitOpError("cannot be compiled: a linalg program consists of "
                         "linalg operations and static tensor.extract_slice, "
                         "expand_shape, collapse_shape and concat");
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

/// linalg.matmul, reduce, ... -> linalg.generic; a fill stays.
static LogicalResult generalize(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  for (auto op : llvm::make_early_inc_range(
           function.getBody().front().getOps<linalg::LinalgOp>())) {
    if (isa<linalg::GenericOp, linalg::FillOp>(op))
      continue;
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return op.emitOpError("has no form as linalg.generic");
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
                   isa<tensor::DimOp>(op);
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
