//===- Pass.cpp - Lowers bodies from flatir to linalg ---------------------===//

#include "tripy/Conversion/FlatIRToLinalg.h"

#include "Lowering.h"
#include "tripy/Base/SizeMath.h"
#include "tripy/Conversion/InlineComposite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tripy {
#define GEN_PASS_DEF_FLATIRTOLINALGPASS
#include "tripy/Conversion/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;

static Value compare(ImplicitLocOpBuilder &b, arith::CmpIPredicate predicate,
                     Value lhs, int64_t rhs) {
  Value constant = arith::ConstantIndexOp::create(b, rhs);
  return arith::CmpIOp::create(b, predicate, lhs, constant);
}

/// Whether no overflow made the sign of a sum or difference: `x` and `y` are
/// pairs of which one has equal signs then.
static Value signsAgree(ImplicitLocOpBuilder &b, std::pair<Value, Value> x,
                        std::pair<Value, Value> y) {
  Value first = arith::XOrIOp::create(b, x.first, x.second);
  Value second = arith::XOrIOp::create(b, y.first, y.second);
  Value both = arith::AndIOp::create(b, first, second);
  return compare(b, arith::CmpIPredicate::sge, both, 0);
}

/// Whether a condition on two sizes holds.
static Value buildCondition(ImplicitLocOpBuilder &b, CheckKind kind, Value lhs,
                            Value rhs) {
  using arith::CmpIPredicate;
  switch (kind) {
  case CheckKind::LessEqual:
    return arith::CmpIOp::create(b, CmpIPredicate::sle, lhs, rhs);
  case CheckKind::Equal:
    return arith::CmpIOp::create(b, CmpIPredicate::eq, lhs, rhs);
  case CheckKind::Broadcastable: {
    Value holds = arith::CmpIOp::create(b, CmpIPredicate::eq, lhs, rhs);
    for (Value size : {lhs, rhs})
      holds = arith::OrIOp::create(b, holds,
                                   compare(b, CmpIPredicate::eq, size, 1));
    return holds;
  }
  case CheckKind::Sum: {
    Value sum = arith::AddIOp::create(b, lhs, rhs);
    return signsAgree(b, {lhs, sum}, {rhs, sum});
  }
  case CheckKind::Difference: {
    Value difference = arith::SubIOp::create(b, lhs, rhs);
    return signsAgree(b, {lhs, rhs}, {lhs, difference});
  }
  case CheckKind::Product: {
    auto product = arith::MulSIExtendedOp::create(b, lhs, rhs);
    Value shift = arith::ConstantIndexOp::create(b, 63);
    Value sign = arith::ShRSIOp::create(b, product.getLow(), shift);
    return arith::CmpIOp::create(b, CmpIPredicate::eq, product.getHigh(), sign);
  }
  case CheckKind::Quotient: {
    Value fits =
        arith::OrIOp::create(b, compare(b, CmpIPredicate::ne, lhs, anySize.lo),
                             compare(b, CmpIPredicate::ne, rhs, -1));
    return arith::AndIOp::create(b, fits,
                                 compare(b, CmpIPredicate::ne, rhs, 0));
  }
  case CheckKind::Remainder:
    return compare(b, CmpIPredicate::ne, rhs, 0);
  }
  llvm_unreachable("all kinds are above");
}

// flatir.require -> cf.assert
static void lowerRequire(flatir::RequireOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value holds = buildCondition(b, findCheckKind(op.getKind())->kind,
                               op.getLhs(), op.getRhs());
  cf::AssertOp::create(b, holds, op.getMessage());
  op.erase();
}

/// Makes sure that the sizes of the operands are known: those of operations of
/// other dialects are asked for.
static void findOperandSizes(Operation &op, TensorSizes &sizes, OpBuilder &b) {
  for (Value operand : op.getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.hasStaticShape() || sizes.contains(operand))
      continue;
    SmallVector<Value> dynamic;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        dynamic.push_back(tensor::DimOp::create(b, op.getLoc(), operand, dim));
    sizes.setDynamic(operand, dynamic);
  }
}

// flatir.plugin -> kernel.plugin
static void lowerPlugin(flatir::PluginOp op, TensorSizes &sizes) {
  OpBuilder b(op);
  sizes.infer(op, b);
  auto made = kernel::PluginOp::create(
      b, op.getLoc(), op.getResultTypes(), op.getCalleeAttr(), op.getInputs(),
      op.getSizes(), op.getGrid(), op.getShared(), op.getNumbers(),
      op.getParametersAttr(), ArrayAttr(), IntegerAttr());
  for (auto [from, to] : llvm::zip_equal(op.getResults(), made.getResults())) {
    TensorSizes::Sizes known = sizes.get(from);
    sizes.set(to, known);
    sizes.forget(from);
  }
  op.replaceAllUsesWith(made.getResults());
  op.erase();
}

/// Lowers the flatir operations of `block`, in order; the sizes of all
/// arguments are known.
static LogicalResult lowerBlock(Block &block, TensorSizes &sizes) {
  inlineComposites(block, [](Operation *, StringAttr) {});
  OpBuilder b(block.getParentOp()->getContext());
  LinalgLowering lowering(b, sizes);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool isKernelOp =
        isa<kernel::AttentionOp, kernel::DigitCountsOp, kernel::DigitScatterOp>(
            op);
    if (!isa_and_nonnull<flatir::FlatIRDialect>(op.getDialect()) &&
        !flatir::isTensorArithmetic(&op) && !isKernelOp)
      continue;
    b.setInsertionPoint(&op);
    findOperandSizes(op, sizes, b);
    if (auto require = dyn_cast<flatir::RequireOp>(op)) {
      lowerRequire(require);
      continue;
    }
    if (auto dim = dyn_cast<flatir::DimOp>(op)) {
      OpFoldResult size =
          sizes.get(dim.getInput())[static_cast<int64_t>(dim.getDim())];
      dim.replaceAllUsesWith(
          getValueOrCreateConstantIndexOp(b, dim.getLoc(), size));
      dim.erase();
      continue;
    }
    if (auto plugin = dyn_cast<flatir::PluginOp>(op)) {
      lowerPlugin(plugin, sizes);
      continue;
    }
    if (op.getNumResults() != 1)
      return op.emitOpError("has no lowering to linalg");
    sizes.infer(&op, b);
    if (isKernelOp)
      continue;
    Value lowered = lowering.lower(&op);
    if (!lowered)
      return op.emitOpError("has no lowering to linalg");
    // What is there already keeps its sizes, whose values others use.
    if (!sizes.contains(lowered)) {
      TensorSizes::Sizes known = sizes.get(op.getResult(0));
      sizes.set(lowered, known);
    }
    if (op.hasAttr(kernel::repeatedAttrName))
      if (auto loop = lowered.getDefiningOp<linalg::GenericOp>())
        loop->setAttr(kernel::repeatedAttrName, b.getUnitAttr());
    op.getResult(0).replaceAllUsesWith(lowered);
    if (lowered != op.getResult(0))
      sizes.forget(op.getResult(0));
    op.erase();
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}

LogicalResult tripy::lowerToLinalg(kernel::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  FunctionType type = kernel.getFunctionType();
  TensorSizes sizes;
  auto split = kernel::splitSizeArgs(kernel.getSizeArgs(), type.getInputs(),
                                     type.getResults());
  size_t next = 0;
  for (BlockArgument argument : body.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    SmallVector<Value> dynamic;
    for (int64_t number : split[next++])
      dynamic.push_back(body.getArgument(number));
    sizes.setDynamic(argument, dynamic);
  }
  if (failed(lowerBlock(body, sizes)))
    return failure();
  // A result is computed, even when it is an argument.
  Operation *yield = body.getTerminator();
  OpBuilder b(yield);
  for (OpOperand &result : yield->getOpOperands())
    if (isa<BlockArgument>(result.get()))
      result.set(LinalgLowering(b, sizes).copy(result.get(), yield->getLoc()));
  return success();
}

LogicalResult tripy::lowerToLinalg(func::FuncOp function) {
  if (function.isDeclaration())
    return success();
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("a program must be one block; found ")
           << function.getBody().getBlocks().size();
  Block &body = function.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  TensorSizes sizes;
  for (BlockArgument argument : body.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    SmallVector<Value> dynamic;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        dynamic.push_back(
            tensor::DimOp::create(b, argument.getLoc(), argument, dim));
    sizes.setDynamic(argument, dynamic);
  }
  return lowerBlock(body, sizes);
}

namespace {
class FlatIRToLinalg
    : public tripy::impl::FlatIRToLinalgPassBase<FlatIRToLinalg> {
  void runOnOperation() override {
    auto kernels = getOperation().getOps<kernel::FuncOp>();
    for (kernel::FuncOp kernel : kernels)
      if (failed(lowerToLinalg(kernel)))
        return signalPassFailure();
    if (!kernels.empty())
      return;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (failed(lowerToLinalg(function)))
        return signalPassFailure();
  }
};
} // namespace
