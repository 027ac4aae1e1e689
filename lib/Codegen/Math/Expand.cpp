//===- Expand.cpp - Which op expands to what, as patterns and a pass ------===//
#include "Expr.h"

#include "tripy/Codegen/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy::codegen;
using namespace tripy::codegen::mathexpr;

//===-- one operation -----------------------------------------------------===//

using UnaryExpansion = Expr (*)(Expr, const MathOptions &);

static UnaryExpansion unaryExpansion(Operation *op) {
  return TypeSwitch<Operation *, UnaryExpansion>(op)
      .Case([](math::ExpOp) { return expandExp; })
      .Case([](math::Exp2Op) { return expandExp2; })
      .Case([](math::LogOp) { return expandLog; })
      .Case([](math::Log2Op) { return expandLog2; })
      .Case([](math::TanhOp) { return expandTanh; })
      .Case([](math::ErfOp) { return expandErf; })
      .Case([](math::SinOp) { return expandSin; })
      .Case([](math::CosOp) { return expandCos; })
      .Case([](math::TanOp) { return expandTan; })
      .Case([](math::RsqrtOp) { return expandRsqrt; })
      .Case([](math::ExpM1Op) { return expandExpm1; })
      .Case([](math::Log1pOp) { return expandLog1p; })
      .Case([](math::Log10Op) { return expandLog10; })
      .Case([](math::CbrtOp) { return expandCbrt; })
      .Case([](math::SinhOp) { return expandSinh; })
      .Case([](math::CoshOp) { return expandCosh; })
      .Case([](math::AsinhOp) { return expandAsinh; })
      .Case([](math::AcoshOp) { return expandAcosh; })
      .Case([](math::AtanhOp) { return expandAtanh; })
      .Case([](math::AsinOp) { return expandAsin; })
      .Case([](math::AcosOp) { return expandAcos; })
      .Case([](math::AtanOp) { return expandAtan; })
      .Default(UnaryExpansion());
}

using WideUnaryExpansion = Expr (*)(Expr);

static WideUnaryExpansion wideUnaryExpansion(Operation *op) {
  return TypeSwitch<Operation *, WideUnaryExpansion>(op)
      .Case([](math::ExpOp) { return expandWideExp; })
      .Case([](math::Exp2Op) { return expandWideExp2; })
      .Case([](math::LogOp) { return expandWideLog; })
      .Case([](math::Log2Op) { return expandWideLog2; })
      .Case([](math::TanhOp) { return expandWideTanh; })
      .Case([](math::ErfOp) { return expandWideErf; })
      .Case([](math::SinOp) { return expandWideSin; })
      .Case([](math::CosOp) { return expandWideCos; })
      .Case([](math::TanOp) { return expandWideTan; })
      .Case([](math::RsqrtOp) -> WideUnaryExpansion {
        return [](Expr x) { return 1.0 / x.unary<math::SqrtOp>(); };
      })
      .Case([](math::ExpM1Op) { return expandWideExpm1; })
      .Case([](math::Log1pOp) { return expandWideLog1p; })
      .Case([](math::Log10Op) { return expandWideLog10; })
      .Case([](math::CbrtOp) { return expandWideCbrt; })
      .Case([](math::SinhOp) { return expandWideSinh; })
      .Case([](math::CoshOp) { return expandWideCosh; })
      .Case([](math::AsinhOp) { return expandWideAsinh; })
      .Case([](math::AcoshOp) { return expandWideAcosh; })
      .Case([](math::AtanhOp) { return expandWideAtanh; })
      .Case([](math::AsinOp) { return expandWideAsin; })
      .Case([](math::AcosOp) { return expandWideAcos; })
      .Case([](math::AtanOp) { return expandWideAtan; })
      .Default(WideUnaryExpansion());
}

using WideBinaryExpansion = Expr (*)(Expr, Expr);

static WideBinaryExpansion wideBinaryExpansion(Operation *op) {
  return TypeSwitch<Operation *, WideBinaryExpansion>(op)
      .Case([](math::PowFOp) { return expandWidePow; })
      .Case([](math::Atan2Op) { return expandWideAtan2; })
      .Case([](arith::RemFOp) { return expandWideRemainder; })
      .Default(WideBinaryExpansion());
}

/// The form for f64; null when the operation needs none.
static Value expandWide(Operation *op, ValueRange operands,
                        ImplicitLocOpBuilder &b) {
  Expr x(b, operands[0]);
  if (WideUnaryExpansion unary = wideUnaryExpansion(op))
    return unary(x).get();
  if (WideBinaryExpansion binary = wideBinaryExpansion(op))
    return binary(x, Expr(b, operands[1])).get();
  return Value();
}

bool tripy::codegen::hasF64Form(Operation *op) {
  return op->getName().getDialectNamespace() != "math" ||
         wideUnaryExpansion(op) || wideBinaryExpansion(op) ||
         isa<math::SqrtOp, math::AbsFOp, math::FloorOp, math::CeilOp,
             math::RoundOp, math::RoundEvenOp, math::TruncOp, math::FmaOp,
             math::CopySignOp>(op);
}

using BinaryExpansion = Expr (*)(Expr, Expr, const MathOptions &);

static BinaryExpansion binaryExpansion(Operation *op) {
  return TypeSwitch<Operation *, BinaryExpansion>(op)
      .Case([](math::PowFOp) { return expandPow; })
      .Case([](math::Atan2Op) { return expandAtan2; })
      .Case([](arith::RemFOp) { return expandRemainder; })
      .Default(BinaryExpansion());
}

Value tripy::codegen::expandMath(Operation *op, ValueRange operands,
                                 OpBuilder &b, Location loc,
                                 const MathOptions &options) {
  if (getElementTypeOrSelf(operands.front().getType()).isF64()) {
    ImplicitLocOpBuilder builder(loc, b);
    return expandWide(op, operands, builder);
  }
  for (Value operand : operands)
    if (!getElementTypeOrSelf(operand.getType()).isF32())
      return Value();
  UnaryExpansion unary = unaryExpansion(op);
  BinaryExpansion binary = binaryExpansion(op);
  if (!unary && !binary && !isa<arith::DivFOp>(op))
    return Value();
  if (operands.size() != op->getNumOperands())
    return Value();
  ImplicitLocOpBuilder builder(loc, b);
  if (Value hardware = approximate(op, operands, builder, options))
    return hardware;
  if (unary)
    return unary(Expr(builder, operands[0]), options).get();
  if (binary)
    return binary(Expr(builder, operands[0]), Expr(builder, operands[1]),
                  options)
        .get();
  return Value();
}

//===-- accuracy ----------------------------------------------------------===//

static std::optional<Accuracy> accuracyOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isF16())
    return Accuracy::F16;
  if (element.isBF16())
    return Accuracy::BF16;
  return std::nullopt;
}

/// True for f32 arithmetic that passes a relative error on and no further use:
/// comparisons, conversions to integers, floor and its kin are not.
static bool passesOn(Operation *op) {
  if (isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp,
          math::RoundEvenOp>(op))
    return false;
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

/// What the users inside `op`'s own function say.
static Accuracy accuracyOfUsers(Operation *op) {
  // More users than this are not looked at.
  constexpr size_t limit = 64;
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> worklist{op};
  std::optional<Accuracy> direct;
  bool isDirect = true;
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    for (Operation *user : next->getUsers()) {
      if (!seen.insert(user).second)
        continue;
      std::optional<Accuracy> rounded;
      if (isa<arith::TruncFOp>(user))
        rounded = accuracyOf(user->getResult(0).getType());
      if (rounded && next == op) {
        isDirect = isDirect && (!direct || direct == rounded);
        direct = rounded;
      } else if (!rounded) {
        if (!passesOn(user) || seen.size() > limit)
          return Accuracy::F32;
        isDirect = false;
        worklist.push_back(user);
      }
    }
  }
  if (seen.empty())
    return Accuracy::F32;
  return isDirect && direct ? *direct : Accuracy::Feeds16;
}

Accuracy tripy::codegen::requiredAccuracy(Operation *op) {
  if (op->hasAttr(withinF16Name))
    return Accuracy::BF16;
  Accuracy local = accuracyOfUsers(op);
  bool feeds16 = op->hasAttr(feeds16Name) || op->hasAttr(feedsF16Name);
  return local == Accuracy::F32 && feeds16 ? Accuracy::Feeds16 : local;
}

//===-- patterns ----------------------------------------------------------===//

/// f32 -> bf16 to nearest even, in integer arithmetic.
static Value truncateToBF16(Expr x) {
  ImplicitLocOpBuilder &b = x.builder();
  Expr bits = x.asInt();
  auto upper = [](Expr v) { return v.binary<arith::ShRUIOp>(v.bits(16)); };
  Expr rounded = addBits(bits, 0x7fff) + (upper(bits) & 1);
  // A NaN must not round to infinity: it becomes quiet instead.
  Expr quiet = bits | bits.bits(0x400000);
  Expr isNaN = x.compare(arith::CmpFPredicate::UNO, x);
  return upper(select(isNaN, quiet, rounded))
      .convert<arith::TruncIOp>(x.typeOf(b.getI16Type()))
      .convert<arith::BitcastOp>(x.typeOf(b.getBF16Type()))
      .get();
}

namespace {

template <typename OpT> struct Expand : OpRewritePattern<OpT> {
  Expand(MLIRContext *context, bool cuda, bool fast16)
      : OpRewritePattern<OpT>(context), cuda(cuda), fast16(fast16) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    MathOptions options{cuda, Accuracy::F32};
    std::optional<Accuracy> narrow = accuracyOf(op.getType());
    if (fast16)
      options.accuracy = narrow ? *narrow : requiredAccuracy(op);
    options.flushDenormals =
        options.accuracy == Accuracy::F16 || op->hasAttr(feedsF16Name);
    SmallVector<Value> operands(op->getOperands());
    if (narrow)
      for (Value &operand : operands)
        operand = arith::ExtFOp::create(
            rewriter, op.getLoc(), withElement(operand, rewriter.getF32Type()),
            operand);
    Value result = expandMath(op, operands, rewriter, op.getLoc(), options);
    if (!result && narrow)
      result = widened(op, operands, rewriter);
    if (!result)
      return rewriter.notifyMatchFailure(op, "needs no expansion");
    if (narrow)
      result = rounded(op, result, rewriter);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Type withElement(Value value, Type element) {
    if (auto shaped = dyn_cast<ShapedType>(value.getType()))
      return shaped.clone(element);
    return element;
  }

  /// The same operation on f32 operands.
  static Value widened(OpT op, ValueRange operands, OpBuilder &b) {
    return OpT::create(b, op.getLoc(), operands).getResult();
  }

  Value rounded(OpT op, Value result, OpBuilder &builder) const {
    ImplicitLocOpBuilder b(op.getLoc(), builder);
    if (!cuda && accuracyOf(op.getType()) == Accuracy::BF16)
      return truncateToBF16(Expr(b, result));
    return arith::TruncFOp::create(b, op.getType(), result);
  }

  bool cuda, fast16;
};

/// math.ipowi => a product for each bit of the exponent.
struct ExpandIntegerPower : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op,
        expandIntegerPower(Expr(b, op.getLhs()), Expr(b, op.getRhs())).get());
    return success();
  }
};

/// arith.truncf f32 -> bf16 => integer arithmetic.
struct TruncateToBF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isBF16() ||
        !getElementTypeOrSelf(op.getIn().getType()).isF32() ||
        op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
            arith::RoundingMode::to_nearest_even)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, truncateToBF16(Expr(b, op.getIn())));
    return success();
  }
};

/// -x of i16 => PTX of 32 bits, which LLVM does not make 16 again. The
/// assembler takes the result of neg.s16 to fit in 16 bits where it is widened:
/// -(-32768) was 32768 on an H200, and is -32768.
struct NegateI16 : OpRewritePattern<arith::SubIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SubIOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isInteger(16) || !matchPattern(op.getLhs(), m_Zero()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value wide = arith::ExtSIOp::create(b, b.getI32Type(), op.getRhs());
    auto negated = LLVM::InlineAsmOp::create(
        b, b.getI32Type(), wide, "sub.s32 $0, 0, $1;", "=r,r",
        /*has_side_effects=*/false, /*is_align_stack=*/false,
        LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
        ArrayAttr());
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(),
                                                 negated.getResult(0));
    return success();
  }
};

} // namespace

void tripy::codegen::populateMathExpansionPatterns(RewritePatternSet &patterns,
                                                   bool cuda, bool fast16) {
  MLIRContext *context = patterns.getContext();
  patterns
      .add<Expand<math::ExpOp>, Expand<math::Exp2Op>, Expand<math::LogOp>,
           Expand<math::Log2Op>, Expand<math::TanhOp>, Expand<math::ErfOp>,
           Expand<math::SinOp>, Expand<math::CosOp>, Expand<math::TanOp>,
           Expand<math::PowFOp>, Expand<math::RsqrtOp>, Expand<arith::DivFOp>>(
          context, cuda, fast16);
  patterns
      .add<Expand<math::ExpM1Op>, Expand<math::Log1pOp>, Expand<math::Log10Op>,
           Expand<math::CbrtOp>, Expand<math::SinhOp>, Expand<math::CoshOp>,
           Expand<math::AsinhOp>, Expand<math::AcoshOp>, Expand<math::AtanhOp>,
           Expand<math::AsinOp>, Expand<math::AcosOp>, Expand<math::AtanOp>,
           Expand<math::Atan2Op>, Expand<arith::RemFOp>>(context, cuda, fast16);
  patterns.add<ExpandIntegerPower>(context);
  // Only widened: LLVM has them for f32 alone on every device.
  patterns.add<Expand<math::SqrtOp>, Expand<math::FloorOp>,
               Expand<math::CeilOp>, Expand<math::RoundOp>,
               Expand<math::RoundEvenOp>, Expand<math::TruncOp>>(context, cuda,
                                                                 fast16);
  if (cuda)
    patterns.add<NegateI16>(context);
  else
    patterns.add<TruncateToBF16>(context);
}

//===-- pass --------------------------------------------------------------===//

namespace tripy {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

/// 1 + tanh(x), the heart of gelu, without the cancellation near -1.
static void rewriteOnePlusTanh(Operation *root) {
  SmallVector<arith::AddFOp> found;
  root->walk([&](arith::AddFOp add) {
    for (bool swapped : {false, true}) {
      auto tanh = add->getOperand(swapped).getDefiningOp<math::TanhOp>();
      FloatAttr one;
      if (tanh && tanh->hasOneUse() && tanh.getType().isF32() &&
          matchPattern(add->getOperand(!swapped), m_Constant(&one)) &&
          one.getValue().isExactlyValue(1.0) &&
          requiredAccuracy(add) != Accuracy::F32) {
        found.push_back(add);
        return;
      }
    }
  });
  for (arith::AddFOp add : found) {
    Value lhs = add.getLhs(), rhs = add.getRhs();
    auto tanh = lhs.getDefiningOp<math::TanhOp>();
    if (!tanh)
      tanh = rhs.getDefiningOp<math::TanhOp>();
    OpBuilder builder(add);
    ImplicitLocOpBuilder b(add.getLoc(), builder);
    add.replaceAllUsesWith(onePlusTanh(tanh.getOperand(), b));
    add.erase();
    tanh.erase();
  }
}

namespace {

struct ExpandMathPass : tripy::impl::ExpandMathPassBase<ExpandMathPass> {
  using ExpandMathPassBase::ExpandMathPassBase;

  void runOnOperation() override {
    if (cuda && fast16)
      rewriteOnePlusTanh(getOperation());
    RewritePatternSet patterns(&getContext());
    populateMathExpansionPatterns(patterns, cuda, fast16);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (fma && rounding)
      return;
    // A walk of its own: it sees what the first one made.
    RewritePatternSet baseline(&getContext());
    populateBaselinePatterns(baseline, fma, rounding);
    walkAndApplyPatterns(getOperation(), std::move(baseline));
  }
};

} // namespace
