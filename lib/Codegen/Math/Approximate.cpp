//===- Approximate.cpp - The GPU's approximations, for 16-bit results -----===//
//
// Errors by the PTX manual, relative unless noted: ex2 2^-22.5, rsqrt 2^-22.9,
// rcp 1 ULP of f32, tanh 2^-11. All of them keep denormals but those named ftz.
// They are scalar instructions, as all PTX; vectors take the f32 form.
//
//===----------------------------------------------------------------------===//
#include "Expr.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tripy::codegen::mathexpr {

/// One PTX instruction on f32 registers.
static Expr instruction(ArrayRef<Expr> operands, StringRef mnemonic) {
  ImplicitLocOpBuilder &b = operands.front().builder();
  SmallVector<Value> values;
  std::string text = (mnemonic + " $0").str();
  std::string constraints = "=f";
  for (auto [i, operand] : llvm::enumerate(operands)) {
    values.push_back(operand.get());
    text += ", $" + std::to_string(i + 1);
    constraints += ",f";
  }
  auto op = LLVM::InlineAsmOp::create(
      b, b.getF32Type(), values, text + ";", constraints,
      /*has_side_effects=*/false, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      ArrayAttr());
  return Expr(b, op.getResult(0));
}

/// Without denormals, the instruction needs no scaling before and after it.
static Expr exp2Approximate(Expr x, bool flush) {
  return instruction(x, flush ? "ex2.approx.ftz.f32" : "ex2.approx.f32");
}

/// 1 / x for x of magnitude 2^-126 to 2^126, 0 and infinity. An intrinsic, so
/// that the reciprocals of one divisor are one.
static Expr reciprocal(Expr x) {
  ImplicitLocOpBuilder &b = x.builder();
  auto op = LLVM::CallIntrinsicOp::create(
      b, b.getF32Type(), b.getStringAttr("llvm.nvvm.rcp.approx.ftz.f"),
      ValueRange{x.get()});
  return Expr(b, op.getResult(0));
}

/// x / y through the reciprocal of y, which neighbours often share. Very small
/// and very large y are scaled, lest the reciprocal overflow or be flushed.
static Expr quotient(Expr x, Expr y) {
  Expr a = y.abs();
  Expr isSmall = a.compare(arith::CmpFPredicate::OLT, 0x1p-64);
  Expr isLarge = a.compare(arith::CmpFPredicate::OGT, 0x1p64);
  Expr scale = select(isSmall, 0x1p64, select(isLarge, 0x1p-64, x.number(1.0)));
  return x * reciprocal(y * scale) * scale;
}

/// Whether `value` is a power, which is not negative, as it is now or was
/// expanded.
static bool isPower(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto text = dyn_cast_if_present<LLVM::InlineAsmOp>(op))
    return text.getAsmString().starts_with("ex2.approx");
  return isa_and_present<math::ExpOp, math::Exp2Op>(op);
}

/// e where `y` is 1 + e and e is a power: silu and sigmoid divide by such.
static std::optional<Expr> powerBesideOne(Expr y) {
  auto sum = y.get().getDefiningOp<arith::AddFOp>();
  for (bool swapped : {false, true}) {
    FloatAttr one;
    if (sum && isPower(sum->getOperand(swapped)) &&
        matchPattern(sum->getOperand(!swapped), m_Constant(&one)) &&
        one.getValue().isExactlyValue(1.0))
      return Expr(y.builder(), sum->getOperand(swapped));
  }
  return std::nullopt;
}

/// x / (1 + e): no divisor is small, and one scale keeps the reciprocals of the
/// large ones from being flushed. The scaled sum has the same bits.
static Expr quotientByOnePlus(Expr x, Expr e) {
  return x * 0x1p-4 * reciprocal(fma(e, 0x1p-4, 0x1p-4));
}

/// 1 / (1 + exp(-2 x)), which is (1 + tanh(x)) / 2: nothing cancels. Past the
/// range of exp it is 0 and 1.
static Expr logisticOfTwice(Expr x) {
  return reciprocal(exp2Approximate(x * -0x1.715476p+1, true) + 1.0);
}

/// tanh to a few ULP of f32.
static Expr tanhFeeding16(Expr x) {
  Expr a = x.abs(), z = a * a;
  // "tanh"
  Expr q = polynomial(z, {-0x1.55554ap-2, 0x1.110ceep-3, -0x1.b91e7ep-5,
                          0x1.58e518p-6, -0x1.9921a2p-8});
  Expr small = fma(q * z, a, a);
  Expr exp = exp2Approximate(a * 0x1.715476p+1, true);
  Expr large = fma(reciprocal(exp + 1.0), -2.0, 1.0);
  Expr isLarge = a.compare(arith::CmpFPredicate::OGE, 0.55);
  return select(isLarge, large, small).binary<math::CopySignOp>(x);
}

/// tanh for f16: the error that the manual allows tanh.approx adds up to 1.5
/// ULP there.
static Expr tanh16(Expr x) {
  Expr a = x.abs();
  // "tanh-fast"
  Expr small = polynomial(a * a, {1.0, -0x1.552670p-2, 0x1.03c02ap-3}) * a;
  Expr exp = exp2Approximate(a * 0x1.715476p+1, true);
  Expr large = fma(reciprocal(exp + 1.0), -2.0, 1.0);
  Expr isLarge = a.compare(arith::CmpFPredicate::OGE, 0.3);
  return select(isLarge, large, small).binary<math::CopySignOp>(x);
}

static std::optional<Expr> approximateUnary(Operation *op, Expr x,
                                            const MathOptions &options) {
  if (isa<math::ExpOp>(op))
    return exp2Approximate(x * 0x1.715476p+0, options.flushDenormals);
  if (isa<math::Exp2Op>(op))
    return exp2Approximate(x, options.flushDenormals);
  if (isa<math::RsqrtOp>(op))
    return instruction(x, "rsqrt.approx.f32");
  if (isa<math::TanhOp>(op) && options.accuracy == Accuracy::F16)
    return tanh16(x);
  if (isa<math::TanhOp>(op) && options.accuracy == Accuracy::BF16)
    return instruction(x, "tanh.approx.f32");
  if (isa<math::TanhOp>(op) && options.accuracy == Accuracy::Feeds16)
    return tanhFeeding16(x);
  return std::nullopt;
}

Value approximate(Operation *op, ValueRange operands, ImplicitLocOpBuilder &b,
                  const MathOptions &options) {
  if (!options.cuda || options.accuracy == Accuracy::F32 ||
      !operands.front().getType().isF32())
    return Value();
  if (isa<arith::DivFOp>(op)) {
    Expr x(b, operands[0]), y(b, operands[1]);
    if (std::optional<Expr> power = powerBesideOne(y))
      return quotientByOnePlus(x, *power).get();
    return quotient(x, y).get();
  }
  std::optional<Expr> result =
      approximateUnary(op, Expr(b, operands.front()), options);
  return result ? result->get() : Value();
}

Value onePlusTanh(Value x, ImplicitLocOpBuilder &b) {
  return (logisticOfTwice(Expr(b, x)) * 2.0).get();
}

} // namespace tripy::codegen::mathexpr
