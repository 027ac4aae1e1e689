//===- GuardSizes.cpp - Arithmetic on sizes either fits or is refused -----===//
//
// Each operation that can overflow or divide by zero gets a condition in front
// of it, whether its result is used or not: programs mean exact arithmetic, and
// what later passes fold or drop then changes no result and hides no error.
//
//===----------------------------------------------------------------------===//

#include "tripy/Conversion/TraceToFlatIR.h"

#include "tripy/Dialect/Common/SizeOps.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Tripy/Provenance.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/Interfaces/ShapedOpInterfaces.h"

using namespace mlir;
using namespace tripy;

namespace {

class SizeGuard {
public:
  SizeGuard(FunctionOpInterface function, AddSizeCondition add);
  void visit(Operation *op);

private:
  Interval rangeOf(Value value) const {
    auto found = ranges.find(value);
    return found == ranges.end() ? anySize : found->second;
  }
  Interval rangeOfDim(Value tensor, std::optional<int64_t> dim) const;
  Interval rangeOfResult(Operation *op);
  void guard(Operation *op, const SizeOpRow &row);

  FunctionOpInterface function;
  AddSizeCondition add;
  llvm::DenseMap<Value, Interval> ranges;
};

} // namespace

SizeGuard::SizeGuard(FunctionOpInterface function, AddSizeCondition add)
    : function(function), add(add) {
  for (BlockArgument argument : function.getArguments())
    if (argument.getType().isIndex())
      if (ProfileAttr profile = profileOf(function, argument.getArgNumber()))
        ranges[argument] = {profile.getMin()[0], profile.getMax()[0]};
}

/// What the type and the profile of an argument say.
Interval SizeGuard::rangeOfDim(Value tensor, std::optional<int64_t> dim) const {
  Interval any{0, maxElements};
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !dim || *dim < 0 || *dim >= type.getRank())
    return any;
  if (!type.isDynamicDim(*dim))
    return {type.getDimSize(*dim), type.getDimSize(*dim)};
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || argument.getOwner()->getParentOp() != function)
    return any;
  ProfileAttr profile = profileOf(function, argument.getArgNumber());
  if (!profile || static_cast<int64_t>(profile.getMin().size()) <= *dim)
    return any;
  return {profile.getMin()[*dim], profile.getMax()[*dim]};
}

Interval SizeGuard::rangeOfResult(Operation *op) {
  if (auto dim = dyn_cast<flatir::DimOp>(op))
    return rangeOfDim(dim.getInput(), dim.getDimAttr().getInt());
  if (auto dim = dyn_cast<ShapedDimOpInterface>(op))
    return rangeOfDim(dim.getShapedValue(),
                      getConstantIntValue(dim.getDimension()));
  SmallVector<Interval, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back(rangeOf(operand));
  return boundSize(op, operands);
}

void SizeGuard::guard(Operation *op, const SizeOpRow &row) {
  OpBuilder b(op);
  if (takesUnsigned(op))
    for (Value operand : op->getOperands()) {
      if (rangeOf(operand).lo >= 0)
        continue;
      Why why{"size", "compare with 0"};
      Value zero = FlatIRBuilder(op, b).insert<arith::ConstantIndexOp>(why, 0);
      add(b, op, findCheckKind(CheckKind::LessEqual)->name, zero, operand,
          unsignedRule);
    }
  const CheckKindInfo *condition =
      row.form == SizeForm::Binary ? conditionOf(row.op) : nullptr;
  if (condition && decide(condition->kind, rangeOf(op->getOperand(0)),
                          rangeOf(op->getOperand(1))) != true)
    add(b, op, condition->name, op->getOperand(0), op->getOperand(1),
        condition->rule);
}

void SizeGuard::visit(Operation *op) {
  // Composites take sizes of tensors.
  if (auto composite = dyn_cast<flatir::CompositeOp>(op))
    for (Block &block : composite.getBody())
      for (BlockArgument argument : block.getArguments())
        if (argument.getType().isIndex())
          ranges[argument] = {0, maxElements};
  if (op->getNumResults() != 1 || !isSizeType(op->getResult(0).getType()))
    return;
  if (const SizeOpRow *row = findSizeOp(op))
    guard(op, *row);
  ranges[op->getResult(0)] = rangeOfResult(op);
}

void tripy::guardSizes(FunctionOpInterface function, AddSizeCondition add) {
  SizeGuard guard(function, add);
  function->walk<WalkOrder::PreOrder>([&](Operation *op) { guard.visit(op); });
}

void tripy::addFlatIRCondition(OpBuilder &b, Operation *source, StringRef kind,
                               Value lhs, Value rhs, StringRef message) {
  Why why{"check",
          ("check that '" + source->getName().stripDialect() + "' has a result")
              .str()};
  FlatIRBuilder(source, b).insert<flatir::RequireOp>(why, kind, lhs, rhs,
                                                     message);
}
