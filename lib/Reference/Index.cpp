//===- Index.cpp - Evaluation of sizes ------------------------------------===//
//
// arith on index, with overflow as an error, and what connects sizes with
// tensors: dim and require.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "tripy/Base/CheckedMath.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::reference;

bool reference::isIndexOp(Operation *op) {
  if (isa<flatir::DimOp, flatir::RequireOp>(op))
    return true;
  auto isScalar = [](Type type) {
    return isa<IndexType>(type) || type.isInteger(1);
  };
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) &&
         op->getNumResults() == 1 && isScalar(op->getResult(0).getType()) &&
         llvm::all_of(op->getOperandTypes(), isScalar);
}

static bool compare(arith::CmpIPredicate predicate, int64_t x, int64_t y) {
  auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return x == y;
  case arith::CmpIPredicate::ne:
    return x != y;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return ux < uy;
  case arith::CmpIPredicate::ule:
    return ux <= uy;
  case arith::CmpIPredicate::ugt:
    return ux > uy;
  case arith::CmpIPredicate::uge:
    return ux >= uy;
  }
  llvm_unreachable("all predicates are covered");
}

static std::optional<int64_t> divideToZero(int64_t x, int64_t y) {
  if (y == 0 || (y == -1 && x == std::numeric_limits<int64_t>::min()))
    return std::nullopt;
  return x / y;
}

static std::optional<int64_t> remainder(int64_t x, int64_t y) {
  if (y == 0)
    return std::nullopt;
  return y == -1 ? 0 : x % y;
}

namespace {
/// Evaluates arith: `known` says whether the operation is one of those that
/// programs have, `value` is none when it overflows or divides by zero.
struct IndexResult {
  bool known = true;
  std::optional<int64_t> value;
};
} // namespace

static IndexResult evaluateBinary(Operation *op, int64_t x, int64_t y) {
  if (isa<arith::AddIOp>(op))
    return {true, checkedAdd(x, y)};
  if (isa<arith::SubIOp>(op))
    return {true, checkedSub(x, y)};
  if (isa<arith::MulIOp>(op))
    return {true, checkedMul(x, y)};
  if (isa<arith::DivSIOp>(op))
    return {true, divideToZero(x, y)};
  if (isa<arith::FloorDivSIOp>(op))
    return {true, checkedFloorDiv(x, y)};
  if (isa<arith::CeilDivSIOp>(op))
    return {true, checkedCeilDiv(x, y)};
  if (isa<arith::RemSIOp>(op))
    return {true, remainder(x, y)};
  if (isa<arith::MinSIOp>(op))
    return {true, std::min(x, y)};
  if (isa<arith::MaxSIOp>(op))
    return {true, std::max(x, y)};
  if (isa<arith::AndIOp>(op))
    return {true, x & y};
  if (isa<arith::OrIOp>(op))
    return {true, x | y};
  if (isa<arith::XOrIOp>(op))
    return {true, x ^ y};
  if (auto compareOp = dyn_cast<arith::CmpIOp>(op))
    return {true, compare(compareOp.getPredicate(), x, y)};
  return {false, std::nullopt};
}

static IndexResult evaluateArith(Operation *op, ArrayRef<Datum> operands) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = dyn_cast<IntegerAttr>(constant.getValue());
    if (!value)
      return {false, std::nullopt};
    return {true, value.getType().isInteger(1)
                      ? int64_t(!value.getValue().isZero())
                      : value.getValue().getSExtValue()};
  }
  auto operand = [&](unsigned i) { return std::get<int64_t>(operands[i]); };
  if (isa<arith::SelectOp>(op))
    return {true, operand(0) ? operand(1) : operand(2)};
  if (op->getNumOperands() == 2)
    return evaluateBinary(op, operand(0), operand(1));
  return {false, std::nullopt};
}

static LogicalResult checkRequire(Context &context, flatir::RequireOp op,
                                  int64_t lhs, int64_t rhs) {
  bool holds = op.getKind() == "at_most" ? lhs <= rhs
               : op.getKind() == "broadcastable"
                   ? lhs == rhs || lhs == 1 || rhs == 1
                   : lhs == rhs;
  if (holds)
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
  IndexResult result = evaluateArith(op, operands);
  if (!result.known)
    (void)context.fail(op, "the reference evaluator knows the arithmetic on "
                           "sizes that programs have; found '" +
                               op->getName().getStringRef() + "'");
  else if (!result.value)
    (void)context.fail(op, "arithmetic on sizes neither overflows nor divides "
                           "by zero; this does");
  return result.value;
}
