//===- ScalarBuilders.cpp - The table of scalar functions: computation ----===//

#include "tripy/Dialect/Common/ScalarFns.h"
#include "tripy/Dialect/Common/ScalarOps.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace tripy;
using namespace tripy::scalar;

#define GET_SCALAR_BUILDERS
#define GET_SCALAR_READINGS
#include "tripy/Dialect/Common/ScalarFns.inc"

Reading scalar::readingOf(mlir::Operation *op) { return readingOfFloat(op); }

/// The operands in types that arith computes with.
static llvm::SmallVector<mlir::Value> asSigned(mlir::OpBuilder &builder,
                                               mlir::Location loc,
                                               mlir::ValueRange operands) {
  return llvm::map_to_vector(operands, [&](mlir::Value operand) {
    return createSigned(builder, loc, operand);
  });
}

mlir::Value scalar::build(ScalarFn fn, mlir::OpBuilder &builder,
                          mlir::Location loc, mlir::ValueRange operands) {
  mlir::Type element = mlir::getElementTypeOrSelf(operands.front().getType());
  if (!isDefined(fn, element))
    return {};
  if (llvm::isa<mlir::FloatType>(element))
    return buildFloat(fn, builder, loc, operands);
  if (element.isInteger(1))
    return buildBool(fn, builder, loc, operands);
  llvm::SmallVector<mlir::Value> numbers = asSigned(builder, loc, operands);
  mlir::Value result = buildInt(fn, builder, loc, numbers);
  return createUnsigned(builder, loc, result, operands.front().getType());
}

/// i1 compares as 0 and 1: signed predicates would see 0 and -1.
static mlir::arith::CmpIPredicate
asUnsigned(mlir::arith::CmpIPredicate signedOne) {
  using Predicate = mlir::arith::CmpIPredicate;
  switch (signedOne) {
  case Predicate::slt:
    return Predicate::ult;
  case Predicate::sle:
    return Predicate::ule;
  case Predicate::sgt:
    return Predicate::ugt;
  case Predicate::sge:
    return Predicate::uge;
  default:
    return signedOne;
  }
}

mlir::Value scalar::build(ComparisonFn fn, mlir::OpBuilder &builder,
                          mlir::Location loc, mlir::ValueRange operands) {
  mlir::Type element = mlir::getElementTypeOrSelf(operands.front().getType());
  const ComparisonInfo &info = infoOf(fn);
  if (llvm::isa<mlir::FloatType>(element))
    return mlir::arith::CmpFOp::create(builder, loc, info.floatPredicate,
                                       operands[0], operands[1]);
  llvm::SmallVector<mlir::Value> numbers = asSigned(builder, loc, operands);
  return mlir::arith::CmpIOp::create(
      builder, loc,
      element.isInteger(1) ? asUnsigned(info.intPredicate) : info.intPredicate,
      numbers[0], numbers[1]);
}
