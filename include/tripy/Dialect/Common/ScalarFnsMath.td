//===- ScalarFnsMath.td - Rows of functions that are less common *- tablegen -*-===//
//
// Included by ScalarFns.td, whose classes it uses: powers and logarithms of
// other bases, inverse and hyperbolic functions, rounding, and bits.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_COMMON_SCALARFNSMATH
#define TRIPY_DIALECT_COMMON_SCALARFNSMATH

//===-- exponentials and logarithms ---------------------------------------===//

def FnExp2 : UnaryFn<"exp2", "Exp2"> {
  let floatForm = "scalar::create<::mlir::math::Exp2Op>";
  let floatReference = "std::exp2(x)";
  let reading = "Continuous";
  let ulp = 2;
  let summary = "Element-wise power of 2";
}
def FnExpm1 : UnaryFn<"expm1", "Expm1"> {
  let floatForm = "scalar::create<::mlir::math::ExpM1Op>";
  let floatReference = "std::expm1(x)";
  let reading = "Continuous";
  let ulp = 2;
  let summary = "Element-wise exp(x) - 1";
  let description = "Near 0, where `exp(x) - 1` would cancel, as exact as elsewhere.";
}
def FnLog2 : UnaryFn<"log2", "Log2"> {
  let floatForm = "scalar::create<::mlir::math::Log2Op>";
  let floatReference = "std::log2(x)";
  let reading = "Continuous";
  let ulp = 2;
  let low = "0.01";
  let summary = "Element-wise logarithm to base 2";
}
def FnLog10 : UnaryFn<"log10", "Log10"> {
  let floatForm = "scalar::create<::mlir::math::Log10Op>";
  let floatReference = "std::log10(x)";
  let reading = "Continuous";
  let ulp = 1;
  let low = "0.01";
  let summary = "Element-wise logarithm to base 10";
}
def FnLog1p : UnaryFn<"log1p", "Log1p"> {
  let floatForm = "scalar::create<::mlir::math::Log1pOp>";
  let floatReference = "std::log1p(x)";
  let ulp = 1;
  let low = "-0.99";
  let summary = "Element-wise natural logarithm of 1 + x";
  let description = "Near 0, where `1 + x` would be rounded, as exact as elsewhere.";
}
def FnCbrt : UnaryFn<"cbrt", "Cbrt"> {
  let floatForm = "scalar::create<::mlir::math::CbrtOp>";
  let floatReference = "std::cbrt(x)";
  let reading = "Continuous";
  let ulp = 1;
  let summary = "Element-wise cube root";
  let description = "Of negative numbers, too.";
}

//===-- trigonometric and hyperbolic functions ----------------------------===//

def FnTan : UnaryFn<"tan", "Tan"> {
  let floatForm = "scalar::create<::mlir::math::TanOp>";
  let floatReference = "std::tan(x)";
  let ulp = 4;
  let summary = "Element-wise tangent, x in radians";
}
def FnAsin : UnaryFn<"asin", "Asin"> {
  let floatForm = "scalar::create<::mlir::math::AsinOp>";
  let floatReference = "std::asin(x)";
  let ulp = 1;
  let low = "-1.0";
  let high = "1.0";
  let summary = "Element-wise inverse sine, in radians";
  let description = "Between -pi/2 and pi/2; NaN outside of [-1, 1].";
}
def FnAcos : UnaryFn<"acos", "Acos"> {
  let floatForm = "scalar::create<::mlir::math::AcosOp>";
  let floatReference = "std::acos(x)";
  let ulp = 1;
  let low = "-1.0";
  let high = "1.0";
  let summary = "Element-wise inverse cosine, in radians";
  let description = "Between 0 and pi; NaN outside of [-1, 1].";
}
def FnAtan : UnaryFn<"atan", "Atan"> {
  let floatForm = "scalar::create<::mlir::math::AtanOp>";
  let floatReference = "std::atan(x)";
  let reading = "Continuous";
  let ulp = 1;
  let summary = "Element-wise inverse tangent, in radians";
  let description = "Between -pi/2 and pi/2.";
}
def FnAtan2 : BinaryFn<"atan2", "Atan2"> {
  let floatForm = "scalar::create<::mlir::math::Atan2Op>";
  let floatReference = "std::atan2(x, y)";
  let ulp = 1;
  let summary = "Element-wise angle of the point (rhs, lhs), in radians";
  let description = [{
    The inverse tangent of `lhs / rhs` in the quadrant of the point, between -pi
    and pi. Special cases as in C's `atan2`.
  }];
}
def FnSinh : UnaryFn<"sinh", "Sinh"> {
  let floatForm = "scalar::create<::mlir::math::SinhOp>";
  let floatReference = "std::sinh(x)";
  let reading = "Continuous";
  let ulp = 1;
  let summary = "Element-wise hyperbolic sine";
}
def FnCosh : UnaryFn<"cosh", "Cosh"> {
  let floatForm = "scalar::create<::mlir::math::CoshOp>";
  let floatReference = "std::cosh(x)";
  let reading = "Continuous";
  let ulp = 1;
  let summary = "Element-wise hyperbolic cosine";
}
def FnAsinh : UnaryFn<"asinh", "Asinh"> {
  let floatForm = "scalar::create<::mlir::math::AsinhOp>";
  let floatReference = "std::asinh(x)";
  let reading = "Continuous";
  let ulp = 1;
  let summary = "Element-wise inverse hyperbolic sine";
}
def FnAcosh : UnaryFn<"acosh", "Acosh"> {
  let floatForm = "scalar::create<::mlir::math::AcoshOp>";
  let floatReference = "std::acosh(x)";
  let ulp = 1;
  let low = "1.0";
  let high = "9.0";
  let summary = "Element-wise inverse hyperbolic cosine";
  let description = "NaN below 1.";
}
def FnAtanh : UnaryFn<"atanh", "Atanh"> {
  let floatForm = "scalar::create<::mlir::math::AtanhOp>";
  let floatReference = "std::atanh(x)";
  let ulp = 1;
  let low = "-0.99";
  let high = "0.99";
  let summary = "Element-wise inverse hyperbolic tangent";
  let description = "Infinite at -1 and 1, NaN beyond.";
}

//===-- rounding and sign -------------------------------------------------===//

def FnRound : UnaryFn<"round", "Round"> {
  let floatForm = "scalar::create<::mlir::math::RoundEvenOp>";
  let floatReference = "std::nearbyint(x)";
  let summary = "Element-wise nearest integer";
  let description = "Of two that are as near, the even one.";
}
def FnTrunc : UnaryFn<"trunc", "Trunc"> {
  let floatForm = "scalar::create<::mlir::math::TruncOp>";
  let floatReference = "std::trunc(x)";
  let summary = "Element-wise integer part";
  let description = "Rounds toward zero.";
}
def FnSign : UnaryFn<"sign", "Sign"> {
  let floatForm = "scalar::createSignF";
  let intForm = "scalar::createSignI";
  let floatReference = "signOf(x)";
  let intReference = "(x > 0) - (x < 0)";
  let summary = "Element-wise sign: -1, 0 or 1";
  let description = "NaN and zeros of both signs stay themselves.";
}

//===-- bits --------------------------------------------------------------===//

def FnLogicalXor : BinaryFn<"logical_xor", "LogicalXor"> {
  let boolForm = "scalar::create<::mlir::arith::XOrIOp>";
  let boolReference = "x != y";
  let summary = "Element-wise exclusive disjunction";
}
def FnBitwiseAnd : BinaryFn<"bitwise_and", "BitwiseAnd"> {
  let intForm = "scalar::create<::mlir::arith::AndIOp>";
  let intReference = "x & y";
  let summary = "Element-wise conjunction of bits";
}
def FnBitwiseOr : BinaryFn<"bitwise_or", "BitwiseOr"> {
  let intForm = "scalar::create<::mlir::arith::OrIOp>";
  let intReference = "x | y";
  let summary = "Element-wise disjunction of bits";
}
def FnBitwiseXor : BinaryFn<"bitwise_xor", "BitwiseXor"> {
  let intForm = "scalar::create<::mlir::arith::XOrIOp>";
  let intReference = "x ^ y";
  let summary = "Element-wise exclusive disjunction of bits";
}
def FnBitwiseNot : UnaryFn<"bitwise_not", "BitwiseNot"> {
  let intForm = "scalar::createBitwiseNot";
  let intReference = "~x";
  let summary = "Element-wise negation of bits";
}
def FnShiftLeft : BinaryFn<"shift_left", "ShiftLeft"> {
  let intForm = "scalar::createShiftLeft";
  let intReference = "shiftLeft(x, y, bits)";
  let summary = "Element-wise shift of bits to the left";
  let description = [{
    Zeros come in from the right. A shift by a negative amount, or by as many
    bits as there are or more, gives 0, on every device.
  }];
}
def FnShiftRight : BinaryFn<"shift_right", "ShiftRight"> {
  let intForm = "scalar::createShiftRight";
  let intReference = "shiftRight(x, y, bits)";
  let summary = "Element-wise shift of bits to the right";
  let description = [{
    The sign bit comes in from the left: a division by a power of 2 that rounds
    toward minus infinity. A shift by a negative amount, or by as many bits as
    there are or more, gives 0, or -1 for negative numbers, on every device.
  }];
}

defvar UnaryMathFns = [FnExp2, FnExpm1, FnLog2, FnLog10, FnLog1p, FnCbrt,
                       FnTan, FnAsin, FnAcos, FnAtan, FnSinh, FnCosh, FnAsinh,
                       FnAcosh, FnAtanh, FnRound, FnTrunc, FnSign,
                       FnBitwiseNot];
defvar BinaryMathFns = [FnAtan2, FnLogicalXor, FnBitwiseAnd, FnBitwiseOr,
                        FnBitwiseXor, FnShiftLeft, FnShiftRight];

#endif // TRIPY_DIALECT_COMMON_SCALARFNSMATH
