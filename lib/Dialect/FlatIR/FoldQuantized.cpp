//===- FoldQuantized.cpp - Canonical forms around quantize, dequantize ----===//
//
// docs/rationale/quantization.md has the reasons, and bounds on what a product
// of quantized operands changes.
//
//===----------------------------------------------------------------------===//

#include "tripy/Dialect/FlatIR/Quantized.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::flatir;

//===-- quantize(dequantize) ----------------------------------------------===//

/// Whether quantizing q * s by s gives q for each q of type `quantized`, where
/// q * s is rounded to `scaled`: nothing overflows or loses bits to
/// underflow. f8E5M2 has infinities, which quantize to numbers.
static bool isReversible(const APFloat &scale, Type quantized, Type scaled) {
  if (!scale.isFiniteNonZero() || isa<Float8E5M2Type>(quantized))
    return false;
  bool isInteger = isa<IntegerType>(quantized);
  double size = std::abs(scale.convertToDouble());
  double largest = isInteger ? 128 : largestOf(cast<FloatType>(quantized)),
         smallest = 0;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(scaled).getFloatSemantics();
  if (!isInteger)
    smallest = APFloat::getSmallestNormalized(semantics).convertToDouble() *
               0x1p9; // The smallest number of f8E4M3FN is 2^-9.
  return size * largest <= largestOf(cast<FloatType>(scaled)) &&
         size >= smallest;
}

static bool areReversible(const Scales &scales, Type quantized, Type scaled) {
  auto values = dyn_cast_or_null<DenseElementsAttr>(scales.constant());
  return values &&
         llvm::all_of(values.getValues<APFloat>(), [&](APFloat value) {
           bool inexact;
           value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                         &inexact);
           return isReversible(value, quantized, scaled);
         });
}

namespace {
/// quantize(dequantize(q, s), s) -> q, for constant scales of ordinary size.
struct DropRoundTrip : OpRewritePattern<CompositeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CompositeOp op,
                                PatternRewriter &rewriter) const override {
    auto quantized = matchQuantize(op);
    auto inner =
        quantized ? matchDequantize(quantized->elements) : std::nullopt;
    if (!inner || inner->elements.getType() != op->getResult(0).getType() ||
        !inner->scales.equals(quantized->scales))
      return rewriter.notifyMatchFailure(
          op, "not a quantize of what was dequantized by the same scale");
    if (!areReversible(inner->scales, elementTypeOf(inner->elements),
                       elementTypeOf(quantized->elements)))
      return rewriter.notifyMatchFailure(
          op, "the scale is no constant, or some elements overflow");
    rewriter.replaceOp(op, inner->elements);
    return success();
  }
};

//===-- views of dequantize -----------------------------------------------===//

/// Where a view puts the dimension that has scales of its own, and the scales
/// that remain.
struct MovedScales {
  int64_t dim = -1;
  Value vector;
};

/// view(dequantize(q, s)) -> dequantize(view(q), s): views of 8 bits are
/// smaller, and a product finds its dequantized operand.
template <typename ViewTy> struct MoveDequantize : OpRewritePattern<ViewTy> {
  using OpRewritePattern<ViewTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(ViewTy op,
                                PatternRewriter &rewriter) const override {
    auto inner = matchDequantize(op.getInput());
    if (!inner || !inner->scales.isKnown() || !op.getInput().hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "not the only view of a dequantized tensor with simple scales");
    if (isa<BroadcastOp>(op) &&
        !llvm::all_of(op->getUsers(), llvm::IsaPred<DotOp>))
      return rewriter.notifyMatchFailure(
          op,
          "a product would read copies for free, others would compute each");
    MovedScales moved;
    if (inner->scales.dim >= 0) {
      std::optional<MovedScales> found = follow(op, inner->scales, rewriter);
      if (!found)
        return rewriter.notifyMatchFailure(
            op, "the dimension of the scales is not one of the result's");
      moved = *found;
    }
    IRMapping map;
    map.map(op.getInput(), inner->elements);
    Operation *view = rewriter.clone(*op, map);
    auto type = withElementType(op.getType(), elementTypeOf(inner->elements));
    view->getResult(0).setType(type);
    SmallVector<Value> sizes;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        sizes.push_back(DimOp::create(
            rewriter,
            inserted(op.getLoc(), {"scale", "read a size of the elements"}),
            view->getResult(0), rewriter.getI64IntegerAttr(i)));
    Value scales = inner->scales.spreadTo(
        rewriter, op.getLoc(), type.getShape(), sizes, moved.dim, moved.vector);
    auto composite = op.getInput().template getDefiningOp<CompositeOp>();
    rewriter.replaceOp(
        op, cloneDequantize(rewriter, composite, view->getResult(0), scales));
    return success();
  }

private:
  static std::optional<MovedScales> follow(TransposeOp op, const Scales &scales,
                                           OpBuilder &) {
    return MovedScales{llvm::find(op.getPermutation(), scales.dim) -
                           op.getPermutation().begin(),
                       {}};
  }
  static std::optional<MovedScales> follow(BroadcastOp op, const Scales &scales,
                                           OpBuilder &) {
    return MovedScales{op.getDims()[scales.dim], {}};
  }
  static std::optional<MovedScales> follow(ReshapeOp op, const Scales &scales,
                                           OpBuilder &);
  static std::optional<MovedScales> follow(SliceOp op, const Scales &scales,
                                           OpBuilder &b);
};
} // namespace

/// The dimension of the result that has the same elements in front of it, and
/// the same size.
template <>
std::optional<MovedScales>
MoveDequantize<ReshapeOp>::follow(ReshapeOp op, const Scales &scales,
                                  OpBuilder &) {
  auto from = cast<RankedTensorType>(op.getInput().getType());
  RankedTensorType to = op.getType();
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return std::nullopt;
  auto before = [](RankedTensorType type, int64_t dim) {
    int64_t count = 1;
    for (int64_t size : type.getShape().take_front(dim))
      count = saturatingMul(count, size);
    return count;
  };
  int64_t size = from.getDimSize(scales.dim);
  for (int64_t dim = 0; dim < to.getRank(); ++dim)
    if (size != 0 && to.getDimSize(dim) == size &&
        before(to, dim) == before(from, scales.dim))
      return MovedScales{dim, {}};
  return std::nullopt;
}

template <>
std::optional<MovedScales> MoveDequantize<SliceOp>::follow(SliceOp op,
                                                           const Scales &scales,
                                                           OpBuilder &b) {
  int64_t dim = scales.dim, offset = op.getStaticOffsets()[dim];
  auto vector = cast<RankedTensorType>(scales.source.getType());
  int64_t size = op.getType().getDimSize(dim);
  // A vector of one number is that of all indices.
  if (vector.getDimSize(0) == 1)
    return MovedScales{dim, {}};
  if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(size) ||
      vector.isDynamicDim(0))
    return std::nullopt;
  Location loc = inserted(op.getLoc(), {"scale", "take the scales of a slice"});
  Value part = SliceOp::create(
      b, loc, RankedTensorType::get({size}, vector.getElementType()),
      scales.source, ValueRange(), ValueRange(), ArrayRef<int64_t>{offset},
      ArrayRef<int64_t>{op.getStrides()[dim]});
  return MovedScales{dim, part};
}

//===-- products ----------------------------------------------------------===//

/// Terms that a sum of products of i8 may have: 2^17 of 2^14 are 2^31.
static constexpr int64_t maxTerms = (int64_t(1) << 17) - 1;

namespace {
/// One operand of a product.
struct Factor {
  ScaledElements of;
  /// The dimension of the product that has scales of its own, or -1.
  int64_t dim = -1;
};

/// dot(dequantize(a, s), dequantize(b, t)) -> dot(a, b) * s * t, with scales
/// for no contracted dimension. Sums of i8 are exact in i32; sums of f8 are in
/// f32 and have to be rounded to 16 bits, see AbsorbConversions in FoldDot.cpp.
struct MultiplyQuantized : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Factor> left = factorOf(op, 0), right = factorOf(op, 1);
    if (!left || !right)
      return rewriter.notifyMatchFailure(
          op, "an operand is not dequantized by scales that the sum can have");
    Type element = elementTypeOf(left->of.elements);
    if (element != elementTypeOf(right->of.elements))
      return rewriter.notifyMatchFailure(op, "the quantized types differ");
    if (!suits(op, element))
      return rewriter.notifyMatchFailure(
          op, "sums of i8 may leave i32, or those of f8 are not rounded to 16 "
              "bits");
    rewrite(op, *left, *right, rewriter);
    return success();
  }

private:
  static std::optional<Factor> factorOf(DotOp op, unsigned operand);
  static bool suits(DotOp op, Type element);
  static void rewrite(DotOp op, const Factor &left, const Factor &right,
                      PatternRewriter &rewriter);
};
} // namespace

/// The dimension of a dot's result that dimension `dim` of an operand becomes;
/// -1 when it is contracted.
static int64_t resultDim(DotOp op, unsigned operand, int64_t dim) {
  ArrayRef<int64_t> batch = operand ? op.getRhsBatch() : op.getLhsBatch();
  ArrayRef<int64_t> contract =
      operand ? op.getRhsContract() : op.getLhsContract();
  if (llvm::is_contained(batch, dim))
    return llvm::find(batch, dim) - batch.begin();
  if (llvm::is_contained(contract, dim))
    return -1;
  Value value = op->getOperand(operand);
  SmallVector<int64_t> free = freeDims(rankOf(value), batch, contract);
  int64_t first = static_cast<int64_t>(batch.size());
  if (operand)
    first +=
        rankOf(op.getLhs()) - first - static_cast<int64_t>(contract.size());
  return first + (llvm::find(free, dim) - free.begin());
}

/// Whether products alone read a dequantized tensor of 16 bits, of which other
/// readers would see another rounding (docs/rationale/one-value.md).
static bool mayKeepPrecision(Value dequantized) {
  return elementTypeOf(dequantized).isF32() ||
         llvm::all_of(dequantized.getUsers(), llvm::IsaPred<DotOp>);
}

std::optional<Factor> MultiplyQuantized::factorOf(DotOp op, unsigned operand) {
  Value value = op->getOperand(operand);
  auto of = matchDequantize(value);
  if (!of || !of->scales.isKnown() || !mayKeepPrecision(value))
    return std::nullopt;
  Factor factor{*of};
  if (of->scales.dim < 0)
    return factor;
  factor.dim = resultDim(op, operand, of->scales.dim);
  return factor.dim < 0 ? std::nullopt : std::optional(factor);
}

bool MultiplyQuantized::suits(DotOp op, Type element) {
  Type result = elementTypeOf(op.getResult());
  if (isFloat8(element))
    return result.isF16() || result.isBF16();
  int64_t terms = 1;
  for (auto [l, r] : llvm::zip(op.getLhsContract(), op.getRhsContract())) {
    int64_t size = cast<RankedTensorType>(op.getLhs().getType()).getDimSize(l);
    if (ShapedType::isDynamic(size))
      size = cast<RankedTensorType>(op.getRhs().getType()).getDimSize(r);
    if (ShapedType::isDynamic(size))
      return false;
    terms = saturatingMul(terms, size);
  }
  return terms <= maxTerms;
}

/// Whether a sum of i8 can be multiplied by both scales in any order: constants
/// from 2^-40 to 2^40.
static bool areOrdinary(const Scales &scales) {
  auto values = dyn_cast_or_null<DenseElementsAttr>(scales.constant());
  return values && llvm::all_of(values.getValues<APFloat>(), [](APFloat value) {
           int exponent = ilogb(value); // Of zero and NaN it is extreme.
           return value.isZero() || (exponent >= -40 && exponent < 40);
         });
}

namespace {
/// Builds what replaces a product.
class ScaledProduct {
public:
  ScaledProduct(DotOp op, PatternRewriter &rewriter)
      : op(op), b(rewriter), type(op.getType()), wide(b.getF32Type()) {}

  Value build(const Factor &left, const Factor &right);

private:
  template <typename OpTy, typename... Args>
  Value insert(StringRef reason, Args &&...args) {
    return OpTy::create(b, inserted(op.getLoc(), {"scale", reason.str()}),
                        std::forward<Args>(args)...);
  }
  Value convert(Value from, Type to, StringRef reason) {
    return elementTypeOf(from) == to
               ? from
               : insert<ConvertOp>(reason, withElementType(from.getType(), to),
                                   from);
  }
  Value sumOf(Value left, Value right);
  Value spread(const Factor &factor, ValueRange sizes) {
    return convert(factor.of.scales.spreadTo(b, op.getLoc(), type.getShape(),
                                             sizes, factor.dim),
                   wide, "scale the sum in 32 bits");
  }
  void order(Value &small, Value &large);

  DotOp op;
  PatternRewriter &b;
  RankedTensorType type;
  Type wide;
};
} // namespace

Value ScaledProduct::sumOf(Value left, Value right) {
  Type sum = isFloat8(elementTypeOf(left)) ? wide : b.getI32Type();
  if (isInt4(elementTypeOf(left)))
    for (Value *factor : {&left, &right})
      *factor =
          convert(*factor, b.getI8Type(), "multiply elements of 4 bits as i8");
  return DotOp::create(b, op.getLoc(), type.clone(sum), left, right,
                       op.getLhsBatch(), op.getRhsBatch(), op.getLhsContract(),
                       op.getRhsContract(), false);
}

/// Puts the scale of smaller size first. A sum that is not 0 is at least 1, so
/// that this product loses nothing to underflow, and overflows only where the
/// result does.
void ScaledProduct::order(Value &small, Value &large) {
  StringRef reason = "multiply by the smaller scale first";
  Value left = insert<AbsOp>(reason, small),
        right = insert<AbsOp>(reason, large);
  Value isOrdered =
      insert<CompareOp>(reason, withElementType(left.getType(), b.getI1Type()),
                        ComparisonDirection::Le, left, right);
  Value first = insert<SelectOp>(reason, isOrdered, small, large);
  large = insert<SelectOp>(reason, isOrdered, large, small);
  small = first;
}

Value ScaledProduct::build(const Factor &left, const Factor &right) {
  Value sum = sumOf(left.of.elements, right.of.elements);
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(insert<DimOp>("read a size of the product", sum,
                                    b.getI64IntegerAttr(i)));
  sum = convert(sum, wide, "scale the sum in 32 bits");
  Value first = spread(left, sizes), second = spread(right, sizes);
  if (!areOrdinary(left.of.scales) || !areOrdinary(right.of.scales))
    order(first, second);
  for (Value scale : {first, second})
    sum = insert<MulOp>("multiply the sum by the scale", sum, scale);
  return convert(sum, type.getElementType(), "round the result once");
}

void MultiplyQuantized::rewrite(DotOp op, const Factor &left,
                                const Factor &right,
                                PatternRewriter &rewriter) {
  rewriter.replaceOp(op, ScaledProduct(op, rewriter).build(left, right));
}

//===-- the list ----------------------------------------------------------===//

void FlatIRDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add<DropRoundTrip, MoveDequantize<TransposeOp>,
               MoveDequantize<ReshapeOp>, MoveDequantize<BroadcastOp>,
               MoveDequantize<SliceOp>, MultiplyQuantized>(getContext());
}
