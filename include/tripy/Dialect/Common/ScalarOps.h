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

#include <array>

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
/// Remainder of floats with the divisor's sign; exact. No kernel computes it in
/// f64.
mlir::Value createModF(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::ValueRange operands);
/// -1, 0 or 1; NaN and zeros stay themselves.
mlir::Value createSignF(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::ValueRange operands);
mlir::Value createSignI(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::ValueRange operands);
/// Shifts of integers; an amount that is negative, or the width or more, shifts
/// all bits out. To the right the sign comes in.
mlir::Value createShiftLeft(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::ValueRange operands);
mlir::Value createShiftRight(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::ValueRange operands);
/// Not, bit by bit.
mlir::Value createBitwiseNot(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::ValueRange operands);
/// -x and |x| of integers; the lowest value stays itself.
mlir::Value createNegI(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::ValueRange operands);
mlir::Value createAbsI(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::ValueRange operands);
/// Of i1, as 0 and 1: not x; x / y, which is true unless x is 0 and y is 1; and
/// the remainder, x where y is 0.
mlir::Value createNotI1(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::ValueRange operands);
mlir::Value createDivI1(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::ValueRange operands);
mlir::Value createModI1(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::ValueRange operands);

/// Whether `combiner`, of two operands, gives the other one where one is
/// `value`: 0 for a sum, of either sign. A reduction may then start from
/// `value` once or many times.
bool isNeutral(mlir::Operation *combiner, mlir::TypedAttr value);

/// Converts `value` to `to` (for a vector: a vector of the same shape):
/// - float to float rounds once, to nearest even; too large gives infinity, and
///   NaN in f8E4M3FN, which has no infinity;
/// - float to integer drops the fraction, saturates, and makes NaN 0;
/// - integer to float rounds once; integer to integer keeps the low bits;
/// - to i1 is x != 0 (NaN is true), from i1 is 0 or 1.
/// Both are element types of tensors.
mlir::Value createCast(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value, mlir::Type to);
/// A float as an f32 that rounds to any float of 16 bits and less as the float
/// itself does.
mlir::Value createRoundable(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value value);

/// A block of Philox 4x32-10: four words (i32) from a counter of four and a key
/// of two. J. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011.
std::array<mlir::Value, 4> createPhilox(mlir::OpBuilder &b, mlir::Location loc,
                                        std::array<mlir::Value, 4> counter,
                                        std::array<mlir::Value, 2> key);

// Operations of arith have no unsigned types: they compute with signless
// integers, where an unsigned one is widened to a signed one that has all its
// values. Narrowed again, sums, products and quotients keep the low bits.

/// The signed integer that numbers of the unsigned type `element` are computed
/// in; other types are their own.
mlir::Type signedTypeOf(mlir::Type element);
/// A number of an unsigned type in signedTypeOf(), and back, keeping the low
/// bits; numbers of other types as they are.
mlir::Value createSigned(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value value);
mlir::Value createUnsigned(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value value, mlir::Type to);

/// f32, or a vector of f32 of the shape of `type`.
mlir::Type f32Like(mlir::Type type);
/// A function of floats on integers: computed in f32, rounded toward zero.
template <typename OpT>
mlir::Value createInF32(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::ValueRange operands) {
  llvm::SmallVector<mlir::Value> wide;
  for (mlir::Value operand : operands)
    wide.push_back(createCast(b, loc, operand, f32Like(operand.getType())));
  return createCast(b, loc, create<OpT>(b, loc, wide),
                    operands.front().getType());
}

} // namespace tripy::scalar

#endif // TRIPY_DIALECT_COMMON_SCALAROPS_H
