//===- Indexing.cpp - Evaluation of sizes ---------------------------------===//
//
// arith on index, with overflow as an error, and what connects sizes with
// tensors: dim and require.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "tripy/Dialect/Common/SizeOps.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::reference;

bool reference::isIndexOp(Operation *op) {
  if (isa<flatir::DimOp, flatir::RequireOp>(op) || findSizeOp(op))
    return true;
  return isSizeArithmetic(op);
}

/// The result of an operation of the list; none when it overflows or divides by
/// zero.
static std::optional<int64_t> evaluateArith(Operation *op,
                                            ArrayRef<Datum> operands) {
  auto operand = [&](unsigned i) { return std::get<int64_t>(operands[i]); };
  const SizeOpRow &row = *findSizeOp(op);
  switch (row.form) {
  case SizeForm::Constant:
    return constantSize(op);
  case SizeForm::Binary:
    return evaluateSizeOp(row.op, operand(0), operand(1));
  case SizeForm::Compare:
    return compareSizes(cast<arith::CmpIOp>(op).getPredicate(), operand(0),
                        operand(1));
  case SizeForm::Select:
    return operand(0) ? operand(1) : operand(2);
  case SizeForm::Cast:
    return operand(0);
  }
  llvm_unreachable("all forms are above");
}

static LogicalResult checkRequire(Context &context, flatir::RequireOp op,
                                  int64_t lhs, int64_t rhs) {
  if (holds(findCheckKind(op.getKind())->kind, lhs, rhs))
    return success();
  return context.fail(op, op.getMessage() + "; found " + Twine(lhs) + " and " +
                              Twine(rhs));
}

std::optional<int64_t> reference::evaluateIndex(Context &context, Operation *op,
                                                ArrayRef<Datum> operands) {
  if (auto dim = dyn_cast<flatir::DimOp>(op))
    return std::get<Tensor>(operands[0]).shape()[dim.getDim()];
  if (auto require = dyn_cast<flatir::RequireOp>(op)) {
    if (failed(checkRequire(context, require, std::get<int64_t>(operands[0]),
                            std::get<int64_t>(operands[1]))))
      return std::nullopt;
    return 0;
  }
  const SizeOpRow *row = findSizeOp(op);
  if (!row) {
    (void)context.fail(op, "the reference evaluator knows the arithmetic that "
                           "sizes may use; found '" +
                               op->getName().getStringRef() + "'");
    return std::nullopt;
  }
  if (takesUnsigned(op))
    for (const Datum &datum : operands)
      if (int64_t value = std::get<int64_t>(datum); value < 0) {
        (void)context.fail(op, Twine(unsignedRule) + "; found " + Twine(value));
        return std::nullopt;
      }
  std::optional<int64_t> value = evaluateArith(op, operands);
  if (value)
    return value;
  (void)context.fail(op, Twine(conditionOf(row->op)->rule) + "; found " +
                             Twine(std::get<int64_t>(operands[0])) + " and " +
                             Twine(std::get<int64_t>(operands[1])));
  return std::nullopt;
}
