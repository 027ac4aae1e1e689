//===- Expr.h - Formulas over arith and math values -------------*- C++ -*-===//
//
// A value with operators, so that an expansion reads like its formula. Works
// alike on scalars and on vectors. Internal to lib/Codegen/Math.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_MATH_EXPR_H
#define TRIPY_LIB_CODEGEN_MATH_EXPR_H

#include "tripy/Codegen/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tripy::codegen::mathexpr {

/// A float or integer value, or vector of such, and the builder that extends
/// its formula. Operands of an operator have one type; a C++ number takes the
/// other operand's type.
class Expr {
public:
  Expr(mlir::ImplicitLocOpBuilder &b, mlir::Value value)
      : b(&b), value(value) {}

  mlir::Value get() const { return value; }
  mlir::ImplicitLocOpBuilder &builder() const { return *b; }
  bool isFloat() const {
    return llvm::isa<mlir::FloatType>(getElementTypeOrSelf(value.getType()));
  }
  /// `element`, or the vector of it with this value's shape.
  mlir::Type typeOf(mlir::Type element) const {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(value.getType()))
      return vector.clone(element);
    return element;
  }
  mlir::Type f32() const { return typeOf(b->getF32Type()); }
  mlir::Type f64() const { return typeOf(b->getF64Type()); }
  mlir::Type i32() const { return typeOf(b->getI32Type()); }
  mlir::Type i64() const { return typeOf(b->getI64Type()); }

  /// A constant of this value's type.
  Expr number(double x) const { return constant(value.getType(), x); }
  Expr bits(int64_t x) const {
    mlir::Type type = value.getType();
    mlir::TypedAttr attr =
        b->getIntegerAttr(mlir::getElementTypeOrSelf(type), x);
    return Expr(*b, splat(type, attr));
  }

  template <typename OpT> Expr unary() const {
    return Expr(*b, OpT::create(*b, value).getResult());
  }
  template <typename OpT> Expr binary(Expr other) const {
    return Expr(*b, OpT::create(*b, value, other.value).getResult());
  }
  template <typename OpT> Expr convert(mlir::Type to) const {
    return Expr(*b, OpT::create(*b, to, value).getResult());
  }

  Expr abs() const { return unary<mlir::math::AbsFOp>(); }
  Expr floor() const { return unary<mlir::math::FloorOp>(); }
  /// The f32 or f64 as the integer of its bits, and back.
  Expr asInt() const {
    bool wide = mlir::getElementTypeOrSelf(value.getType()).isF64();
    return convert<mlir::arith::BitcastOp>(wide ? i64() : i32());
  }
  Expr asFloat() const {
    bool wide = mlir::getElementTypeOrSelf(value.getType()).isInteger(64);
    return convert<mlir::arith::BitcastOp>(wide ? f64() : f32());
  }
  Expr toF64() const { return convert<mlir::arith::ExtFOp>(f64()); }
  Expr toF32() const { return convert<mlir::arith::TruncFOp>(f32()); }

  Expr compare(mlir::arith::CmpFPredicate predicate, Expr other) const {
    return Expr(*b,
                mlir::arith::CmpFOp::create(*b, predicate, value, other.value));
  }
  Expr compare(mlir::arith::CmpFPredicate predicate, double other) const {
    return compare(predicate, number(other));
  }
  Expr compareInt(mlir::arith::CmpIPredicate predicate, int64_t other) const {
    return Expr(*b, mlir::arith::CmpIOp::create(*b, predicate, value,
                                                bits(other).value));
  }

private:
  Expr constant(mlir::Type type, double x) const {
    mlir::TypedAttr attr = b->getFloatAttr(mlir::getElementTypeOrSelf(type), x);
    return Expr(*b, splat(type, attr));
  }
  mlir::Value splat(mlir::Type type, mlir::TypedAttr attr) const {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      attr = mlir::DenseElementsAttr::get(vector, attr);
    return mlir::arith::ConstantOp::create(*b, attr);
  }

  mlir::ImplicitLocOpBuilder *b;
  mlir::Value value;
};

inline Expr operator+(Expr x, Expr y) {
  return x.isFloat() ? x.binary<mlir::arith::AddFOp>(y)
                     : x.binary<mlir::arith::AddIOp>(y);
}
inline Expr operator-(Expr x, Expr y) {
  return x.isFloat() ? x.binary<mlir::arith::SubFOp>(y)
                     : x.binary<mlir::arith::SubIOp>(y);
}
inline Expr operator*(Expr x, Expr y) {
  return x.binary<mlir::arith::MulFOp>(y);
}
inline Expr operator/(Expr x, Expr y) {
  return x.binary<mlir::arith::DivFOp>(y);
}
inline Expr operator-(Expr x) { return x.unary<mlir::arith::NegFOp>(); }
inline Expr operator+(Expr x, double y) { return x + x.number(y); }
inline Expr operator-(Expr x, double y) { return x - x.number(y); }
inline Expr operator*(Expr x, double y) { return x * x.number(y); }
inline Expr operator/(double x, Expr y) { return y.number(x) / y; }
inline Expr operator-(double x, Expr y) { return y.number(x) - y; }

/// Integers only; `>>` keeps the sign.
inline Expr operator&(Expr x, Expr y) {
  return x.binary<mlir::arith::AndIOp>(y);
}
inline Expr operator^(Expr x, Expr y) {
  return x.binary<mlir::arith::XOrIOp>(y);
}
inline Expr operator|(Expr x, Expr y) {
  return x.binary<mlir::arith::OrIOp>(y);
}
inline Expr operator&(Expr x, int64_t y) { return x & x.bits(y); }
inline Expr operator<<(Expr x, int64_t y) {
  return x.binary<mlir::arith::ShLIOp>(x.bits(y));
}
inline Expr operator>>(Expr x, int64_t y) {
  return x.binary<mlir::arith::ShRSIOp>(x.bits(y));
}
inline Expr addBits(Expr x, int64_t y) { return x + x.bits(y); }
inline Expr subBits(Expr x, int64_t y) { return x - x.bits(y); }

/// x * y + z, rounded once.
inline Expr fma(Expr x, Expr y, Expr z) {
  return Expr(x.builder(), mlir::math::FmaOp::create(x.builder(), x.get(),
                                                     y.get(), z.get()));
}
inline Expr fma(Expr x, double y, Expr z) { return fma(x, x.number(y), z); }
inline Expr fma(Expr x, double y, double z) {
  return fma(x, x.number(y), x.number(z));
}
inline Expr fma(Expr x, Expr y, double z) { return fma(x, y, x.number(z)); }

inline Expr select(Expr condition, Expr x, Expr y) {
  return Expr(x.builder(), mlir::arith::SelectOp::create(
                               x.builder(), condition.get(), x.get(), y.get()));
}
inline Expr select(Expr condition, double x, Expr y) {
  return select(condition, y.number(x), y);
}

/// min(x, limit) and max(x, limit); NaN stays NaN. `limit` is not zero, so that
/// both forms give the same bits.
Expr atMost(Expr x, double limit, const MathOptions &options);
Expr atLeast(Expr x, double limit, const MathOptions &options);

/// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule in fma.
Expr polynomial(Expr x, llvm::ArrayRef<double> coefficients);

/// Adding and subtracting this rounds an f32 of magnitude below 2^22 to the
/// nearest integer, which then stands in the low bits of the sum.
inline constexpr double roundF32 = 0x1.8p23;
/// The same for f64 of magnitude below 2^51.
inline constexpr double roundF64 = 0x1.8p52;

/// x 2^n for an f32 x in [1/2, 2) and an i32 n in [-250, 250]: rounds once,
/// also where the result is denormal, and overflows to infinity.
Expr scaleByPowerOfTwo(Expr x, Expr n);

/// 2^f for f32 |f| <= 1/2.
Expr exp2Fraction(Expr f);
/// (exp(r) - 1 - r) / r^2 for f32 |r| <= ln(2) / 2.
Expr expTail(Expr r);

/// x = m 2^e with m in [2/3, 4/3), for positive finite f32 x, denormals too.
struct Split {
  /// f32.
  Expr m;
  /// i32.
  Expr e;
};
Split splitExponent(Expr x);

/// The special cases of pow, `result` being that of finite positive |x|.
Expr finishPow(Expr x, Expr y, Expr result);

// One expansion each; operands and results are f32 or vectors of f32.
Expr expandExp(Expr x, const MathOptions &options);
Expr expandExp2(Expr x, const MathOptions &options);
Expr expandLog(Expr x, const MathOptions &options);
Expr expandLog2(Expr x, const MathOptions &options);
Expr expandTanh(Expr x, const MathOptions &options);
Expr expandErf(Expr x, const MathOptions &options);
Expr expandSin(Expr x, const MathOptions &options);
Expr expandCos(Expr x, const MathOptions &options);
Expr expandTan(Expr x, const MathOptions &options);
Expr expandPow(Expr x, Expr y, const MathOptions &options);
Expr expandRsqrt(Expr x, const MathOptions &options);
Expr expandExpm1(Expr x, const MathOptions &options);
Expr expandLog1p(Expr x, const MathOptions &options);
Expr expandLog10(Expr x, const MathOptions &options);
Expr expandCbrt(Expr x, const MathOptions &options);
Expr expandSinh(Expr x, const MathOptions &options);
Expr expandCosh(Expr x, const MathOptions &options);
Expr expandAsinh(Expr x, const MathOptions &options);
Expr expandAcosh(Expr x, const MathOptions &options);
Expr expandAtanh(Expr x, const MathOptions &options);
Expr expandAsin(Expr x, const MathOptions &options);
Expr expandAcos(Expr x, const MathOptions &options);
Expr expandAtan(Expr x, const MathOptions &options);
/// The angle of the point (x, y).
Expr expandAtan2(Expr y, Expr x, const MathOptions &options);
/// C's fmod: exact, with the sign of x.
Expr expandRemainder(Expr x, Expr y, const MathOptions &options);
/// x to the power y, for integers of one type: as the row of `pow` says.
Expr expandIntegerPower(Expr x, Expr y);

// The same of f64.
Expr expandWideExp(Expr x);
Expr expandWideExp2(Expr x);
Expr expandWideLog(Expr x);
Expr expandWideLog2(Expr x);
Expr expandWideTanh(Expr x);
Expr expandWideErf(Expr x);
Expr expandWideSin(Expr x);
Expr expandWideCos(Expr x);
Expr expandWideTan(Expr x);
Expr expandWidePow(Expr x, Expr y);
Expr expandWideExpm1(Expr x);
Expr expandWideLog1p(Expr x);
Expr expandWideLog10(Expr x);
Expr expandWideCbrt(Expr x);
Expr expandWideSinh(Expr x);
Expr expandWideCosh(Expr x);
Expr expandWideAsinh(Expr x);
Expr expandWideAcosh(Expr x);
Expr expandWideAtanh(Expr x);
Expr expandWideAsin(Expr x);
Expr expandWideAcos(Expr x);
Expr expandWideAtan(Expr x);
Expr expandWideAtan2(Expr y, Expr x);
Expr expandWideRemainder(Expr x, Expr y);

/// The hardware form that `options` allow for `op` on scalars, or null.
mlir::Value approximate(mlir::Operation *op, mlir::ValueRange operands,
                        mlir::ImplicitLocOpBuilder &b,
                        const MathOptions &options);

/// 1 + tanh(x) of an f32 for results that end in 16 bits, on CUDA.
mlir::Value onePlusTanh(mlir::Value x, mlir::ImplicitLocOpBuilder &b);

} // namespace tripy::codegen::mathexpr

#endif // TRIPY_LIB_CODEGEN_MATH_EXPR_H
