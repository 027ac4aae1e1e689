//===- ScalarOps.h - Scalar bodies defined for every input ------*- C++ -*-===//
//
// Builders of arith operations that element-wise rows (ScalarFns.td) name. No
// input is undefined: division by zero and casts out of range have values, the
// same on every device. Operands are scalars, or vectors of one shape. For the
// conversions and the code generators.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_COMMON_SCALAROPS_H
#define TRIPY_DIALECT_COMMON_SCALAROPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/ValueRange.h"

namespace tripy::scalar {

/// An operation that is defined for every input already, of one result whose
/// type follows from the operands.
template <typename OpT>
mlir::Value create(mlir::OpBuilder &b, mlir::Location loc,
                   mlir::ValueRange operands) {
  return OpT::create(b, loc, operands)->getResult(0);
}

/// Signed quotient toward zero. x / 0 is -1, and the lowest value divided by -1
/// is itself.
mlir::Value createDivSI(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::ValueRange operands);
/// Signed quotient toward minus infinity; x // 0 is -1, and the lowest value
/// divided by -1 is itself.
mlir::Value createFloorDivSI(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::ValueRange operands);
/// Remainder with the divisor's sign; x mod 0 is x.
mlir::Value createModSI(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::ValueRange operands);
/// floor(x / y) of floats, with IEEE 754's infinities and NaN.
mlir::Value createFloorDivF(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::ValueRange operands);
/// -x and |x| of integers; the lowest value stays itself.
mlir::Value createNegI(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::ValueRange operands);
mlir::Value createAbsI(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::ValueRange operands);
/// Not, of i1.
mlir::Value createNotI1(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::ValueRange operands);

/// Whether createCast() knows `element`: f32, f16, bf16, f64, f8E4M3FN, i1, and
/// signless integers of 8, 16, 32 and 64 bits.
bool isCastable(mlir::Type element);

/// Converts `value` to `to` (for a vector: a vector of the same shape):
/// - float to float rounds once, to nearest even; too large gives infinity, and
///   NaN in f8E4M3FN, which has no infinity;
/// - float to integer drops the fraction, saturates, and makes NaN 0;
/// - integer to float rounds once; integer to integer keeps the low bits;
/// - to i1 is x != 0 (NaN is true), from i1 is 0 or 1.
/// Both element types must be castable.
mlir::Value createCast(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value, mlir::Type to);

} // namespace tripy::scalar

#endif // TRIPY_DIALECT_COMMON_SCALAROPS_H
