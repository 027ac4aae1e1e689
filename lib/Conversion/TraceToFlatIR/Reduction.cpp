//===- Reduction.cpp - Lowers reductions and norms of trace ---------------===//

#include "Reductions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

using flatir::ReduceKind;

/// Dimensions, counted from the front and ascending; none stands for all.
static SmallVector<int64_t> sortedDims(ArrayRef<int64_t> dims, int64_t rank) {
  SmallVector<int64_t> sorted;
  for (int64_t dim : dims)
    sorted.push_back(normalizeDim(dim, rank));
  if (dims.empty())
    sorted = leadingDims(rank);
  llvm::sort(sorted);
  return sorted;
}

/// The dimensions that a reduction leaves.
static SmallVector<int64_t> keptDims(ArrayRef<int64_t> dims, int64_t rank) {
  return llvm::to_vector(
      llvm::make_filter_range(llvm::seq<int64_t>(0, rank), [&](int64_t dim) {
        return !llvm::is_contained(dims, dim);
      }));
}

static RankedTensorType reducedTypeOf(Value input, ArrayRef<int64_t> dims) {
  return reducedType(input.getType(), dims, /*keepdim=*/false);
}

Value tripy::reduceStep(const Twine &reason, ReduceKind kind, Value input,
                        ArrayRef<int64_t> dims, Lowering &b) {
  if (dims.empty())
    return input;
  return b.step<flatir::ReduceOp>(reason, reducedTypeOf(input, dims), kind,
                                  input, dims);
}

Value tripy::spread(Value reduced, StringRef what, Value like,
                    ArrayRef<int64_t> dims, Lowering &b) {
  auto type = cast<RankedTensorType>(like.getType());
  return b.broadcast({reduced, what.str(), -1}, keptDims(dims, type.getRank()),
                     type, b.sizesOf(like));
}

/// How many elements a reduction over `dims` combines.
static Size countOf(Value input, ArrayRef<int64_t> dims, Lowering &b) {
  SizeList sizes = b.sizesOf(input), reduced;
  for (int64_t dim : dims)
    reduced.push_back(sizes[dim]);
  return b.math.product(reduced);
}

/// A count as a tensor of the shape and element type of `like`.
static Value countTensor(Size count, Value like, Lowering &b) {
  if (std::optional<int64_t> known = getConstantIntValue(count))
    return b.splat(static_cast<double>(*known), like);
  auto type = cast<RankedTensorType>(like.getType());
  Value scalar = b.step<flatir::FromIndexOp>(
      "provide the number of elements",
      RankedTensorType::get({}, type.getElementType()), b.math.value(count));
  return b.broadcast({scalar, "the number of elements", -1},
                     ArrayRef<int64_t>(), type, b.sizesOf(like));
}

/// Drops, or keeps with size 1, the reduced dimensions.
static Value keepDims(Value reduced, Value input, ArrayRef<int64_t> dims,
                      bool keepdim, RankedTensorType type, Lowering &b) {
  if (!keepdim)
    return reduced;
  SizeList sizes = b.sizesOf(input);
  for (int64_t dim : dims)
    sizes[dim] = b.math.constant(1);
  return b.reshape(reduced, sizes, type,
                   {"keepdim", ("keep the reduced dimensions of '" +
                                b.sourceName() + "' with size 1")
                                   .str()});
}

//===-- sum, prod, max, min, all, any -------------------------------------===//

// trace.<reduction> %a keepdim -> flatir.reduce; flatir.reshape, or %a
template <typename OpTy, ReduceKind kind>
static Lowered lowerReduction(OpTy op, typename OpTy::Adaptor in, Lowering &b) {
  Value input = in.getInput();
  SmallVector<int64_t> dims = sortedDims(in.getDims(), rankOf(input));
  if (dims.empty())
    return {input};
  Value reduced = b.primary<flatir::ReduceOp>(reducedTypeOf(input, dims), kind,
                                              input, dims);
  return {keepDims(reduced, input, dims, in.getKeepdim(),
                   op.getResult().getType(), b)};
}

//===-- mean, var ---------------------------------------------------------===//

Value tripy::meanStep(Value input, ArrayRef<int64_t> dims, Lowering &b) {
  Value sum = reduceStep("sum the elements", ReduceKind::Sum, input, dims, b);
  return b.step<flatir::DivOp>("divide the sum by the number of elements", sum,
                               countTensor(countOf(input, dims, b), sum, b));
}

Value tripy::centerStep(Value input, ArrayRef<int64_t> dims, Lowering &b) {
  Value mean = meanStep(input, dims, b);
  return b.step<flatir::SubOp>("subtract the mean", input,
                               spread(mean, "the mean", input, dims, b));
}

/// The last operation of mean and var: quotient = sum / count, the user's own,
/// then rounded and reshaped.
static Lowered finishQuotient(Value sum, Size count, Value input,
                              ArrayRef<int64_t> dims, bool keepdim,
                              RankedTensorType type, Lowering &b) {
  Value quotient = b.primary<flatir::DivOp>(sum, countTensor(count, sum, b));
  quotient =
      b.convert(quotient, type.getElementType(), "round the result once");
  return {keepDims(quotient, input, dims, keepdim, type, b)};
}

// trace.mean %a -> flatir.reduce sum; flatir.div by the number of elements
static Lowered lowerMean(trace::MeanOp op, trace::MeanOp::Adaptor in,
                         Lowering &b) {
  Value input = in.getInput();
  SmallVector<int64_t> dims = sortedDims(in.getDims(), rankOf(input));
  Type element = elementTypeOf(input);
  bool isFloat = isa<FloatType>(element);
  Value wide =
      isFloat
          ? b.convert(input, accumulatorOf(element), "compute in 32 bits")
          : b.convert(input, b.getBuilder().getI64Type(), "compute in 64 bits");
  Value sum = reduceStep("sum the elements", ReduceKind::Sum, wide, dims, b);
  return finishQuotient(sum, countOf(input, dims, b), input, dims,
                        in.getKeepdim(), op.getResult().getType(), b);
}

// trace.var %a -> the mean of the squared distances from the mean
static Lowered lowerVar(trace::VarOp op, trace::VarOp::Adaptor in,
                        Lowering &b) {
  Value input = in.getInput();
  SmallVector<int64_t> dims = sortedDims(in.getDims(), rankOf(input));
  Value wide = b.convert(input, accumulatorOf(elementTypeOf(input)),
                         "compute in 32 bits");
  Value centered = centerStep(wide, dims, b);
  Value squares = b.step<flatir::MulOp>("square the distances from the mean",
                                        centered, centered);
  Value sum = reduceStep("sum the squares", ReduceKind::Sum, squares, dims, b);
  Size count =
      b.math.maximum(b.math.sub(countOf(input, dims, b),
                                b.math.constant(asSigned(in.getCorrection()))),
                     b.math.constant(0));
  return finishQuotient(sum, count, input, dims, in.getKeepdim(),
                        op.getResult().getType(), b);
}

//===-- softmax -----------------------------------------------------------===//

// trace.softmax %a -> composite { exp(a - max) / sum(exp(a - max)) }
static Lowered lowerSoftmax(trace::SoftmaxOp op, trace::SoftmaxOp::Adaptor in,
                            Lowering &b) {
  int64_t dim = normalizeDim(asSigned(in.getDim()), rankOf(in.getInput()));
  OpBuilder &builder = b.getBuilder();
  NamedAttribute config =
      builder.getNamedAttr("dim", builder.getI64IntegerAttr(dim));
  return {b.composite("softmax", config, in.getInput(), [&](ValueRange args) {
    Type element = elementTypeOf(args[0]);
    Value x = b.convert(args[0], accumulatorOf(element), "compute in 32 bits");
    Value max =
        reduceStep("find the largest element", ReduceKind::Max, x, dim, b);
    Value centered = b.step<flatir::SubOp>(
        "subtract the largest element, so that exp cannot overflow,", x,
        spread(max, "the largest element", x, dim, b));
    Value power = b.step<flatir::ExpOp>("compute exp", centered);
    Value sum = reduceStep("sum the powers", ReduceKind::Sum, power, dim, b);
    Value result =
        b.step<flatir::DivOp>("divide by the sum of the powers", power,
                              spread(sum, "the sum", x, dim, b));
    return b.convert(result, element, "round the result once");
  })};
}

//===-- layer_norm, rms_norm ----------------------------------------------===//

Value tripy::inverseRootStep(Value input, ArrayRef<int64_t> dims, double eps,
                             Lowering &b) {
  Value squares = b.step<flatir::MulOp>("square the elements", input, input);
  Value mean = meanStep(squares, dims, b);
  Value shifted = b.step<flatir::AddOp>("add eps", mean, b.splat(eps, mean));
  return b.step<flatir::RsqrtOp>("compute 1 / sqrt", shifted);
}

Value tripy::normalize(Value x, Value y, ArrayRef<int64_t> dims, double eps,
                       Lowering &b) {
  Value scale = inverseRootStep(y, dims, eps, b);
  return b.step<flatir::MulOp>("normalize", x,
                               spread(scale, "the scale", x, dims, b));
}

/// Broadcasts a weight or bias, in 32 bits, to the shape of `x`.
static Value spreadWeight(Value weight, StringRef what, int64_t operand,
                          Value x, Lowering &b) {
  Value wide = b.convert(weight, elementTypeOf(x), "compute in 32 bits");
  return b.broadcast({wide, what.str(), operand},
                     cast<RankedTensorType>(x.getType()), b.sizesOf(x));
}

/// The trailing dimensions that a weight has. Their sizes agree, which is
/// checked where only run-time sizes tell.
static SmallVector<int64_t> trailingDims(Value input, Value weight,
                                         StringRef what, Lowering &b) {
  int64_t rank = rankOf(input), count = rankOf(weight);
  SizeList from = b.sizesOf(input), to = b.sizesOf(weight);
  for (int64_t i = 0; i < count; ++i)
    b.require("equal", from[rank - count + i], to[i],
              what + " of '" + b.sourceName() + "' has, in dimension " +
                  Twine(i) + ", the size of the input's dimension " +
                  Twine(rank - count + i));
  return llvm::to_vector(llvm::seq(rank - count, rank));
}

// trace.layer_norm -> composite { (x - mean) / sqrt(var + eps) * w + b }
static Lowered lowerLayerNorm(trace::LayerNormOp op,
                              trace::LayerNormOp::Adaptor in, Lowering &b) {
  Value input = in.getInput();
  SmallVector<int64_t> dims =
      trailingDims(input, in.getWeight(), "the weight", b);
  trailingDims(input, in.getBias(), "the bias", b);
  double eps = in.getEps().convertToDouble();
  NamedAttribute config(op.getEpsAttrName(), in.getEpsAttr());
  return {b.composite(
      "layer_norm", config, {input, in.getWeight(), in.getBias()},
      [&](ValueRange args) {
        Type element = elementTypeOf(args[0]);
        Value x =
            b.convert(args[0], accumulatorOf(element), "compute in 32 bits");
        Value centered = centerStep(x, dims, b);
        Value normal = normalize(centered, centered, dims, eps, b);
        Value scaled =
            b.step<flatir::MulOp>("multiply by the weight", normal,
                                  spreadWeight(args[1], "the weight", 1, x, b));
        Value shifted = b.step<flatir::AddOp>(
            "add the bias", scaled, spreadWeight(args[2], "the bias", 2, x, b));
        return b.convert(shifted, element, "round the result once");
      })};
}

// trace.rms_norm -> composite { x / sqrt(mean(x^2) + eps) * w }
static Lowered lowerRMSNorm(trace::RMSNormOp op, trace::RMSNormOp::Adaptor in,
                            Lowering &b) {
  Value input = in.getInput();
  SmallVector<int64_t> dims =
      trailingDims(input, in.getWeight(), "the weight", b);
  double eps = in.getEps().convertToDouble();
  NamedAttribute config(op.getEpsAttrName(), in.getEpsAttr());
  return {b.composite(
      "rms_norm", config, {input, in.getWeight()}, [&](ValueRange args) {
        Type element = elementTypeOf(args[0]);
        Value x =
            b.convert(args[0], accumulatorOf(element), "compute in 32 bits");
        Value normal = normalize(x, x, dims, eps, b);
        Value scaled =
            b.step<flatir::MulOp>("multiply by the weight", normal,
                                  spreadWeight(args[1], "the weight", 1, x, b));
        return b.convert(scaled, element, "round the result once");
      })};
}

//===-- argmax, argmin, cumsum --------------------------------------------===//

/// The first index, along `dim`, of the element that `kind` chooses, NaN being
/// the first choice.
static Value firstIndex(ReduceKind kind, Value x, int64_t dim, Lowering &b) {
  using flatir::ComparisonDirection;
  Type flag = b.getBuilder().getI1Type(), index = b.getBuilder().getI32Type();
  auto type = cast<RankedTensorType>(x.getType());
  auto compare = [&](const Twine &reason, ComparisonDirection direction,
                     Value with) {
    return b.step<flatir::CompareOp>(reason, type.clone(flag), direction, x,
                                     with);
  };
  Value extreme = reduceStep("find the element", kind, x, dim, b);
  Value found = compare("find its places", ComparisonDirection::Eq,
                        spread(extreme, "the element", x, dim, b));
  if (isa<FloatType>(type.getElementType()))
    found = b.step<flatir::LogicalOrOp>(
        "choose NaN before numbers", found,
        compare("find NaN", ComparisonDirection::Ne, x));
  Value places =
      b.step<flatir::IotaOp>("number the elements", type.clone(index),
                             b.dynamicSizes(type, b.sizesOf(x)), dim);
  Value none = b.splat(std::numeric_limits<int32_t>::max(), x, index);
  Value candidates = b.step<flatir::SelectOp>("leave out all other places",
                                              found, places, none);
  return reduceStep("take the first place", ReduceKind::Min, candidates, dim,
                    b);
}

// trace.argmax %a -> composite { min of the indices where a is max(a) }
template <typename OpTy, ReduceKind kind>
static Lowered lowerArgReduction(OpTy op, typename OpTy::Adaptor in,
                                 Lowering &b) {
  Value input = in.getInput();
  int64_t dim = 0;
  SizeList sizes = b.sizesOf(input);
  SmallVector<int64_t> dims = sortedDims({}, sizes.size());
  if (in.getDim()) {
    dim = normalizeDim(asSigned(*in.getDim()), sizes.size());
    dims = {dim};
  } else {
    // All elements, in row-major order.
    sizes = {b.math.product(sizes)};
    auto flat = RankedTensorType::get(
        getConstantIntValue(sizes[0]).value_or(ShapedType::kDynamic),
        elementTypeOf(input));
    input = b.reshape(input, sizes, flat,
                      {"flatten", "put all elements of '" +
                                      b.sourceName().str() + "' in a row"});
  }
  b.require("at_most", b.math.constant(1), sizes[dim],
            "'" + b.sourceName() + "' has an element to choose");
  b.require("at_most", sizes[dim],
            b.math.constant(std::numeric_limits<int32_t>::max()),
            "'" + b.sourceName() +
                "' has at most 2^31 - 1 elements to choose "
                "from");
  sizes.erase(sizes.begin() + dim);
  RankedTensorType type =
      reducedTypeOf(input, dim).clone(b.getBuilder().getI32Type());
  OpBuilder &builder = b.getBuilder();
  NamedAttribute config =
      builder.getNamedAttr("dim", builder.getI64IntegerAttr(dim));
  Value result = b.composite(
      b.sourceName(), config, input,
      [&](ValueRange args) { return firstIndex(kind, args[0], dim, b); }, type,
      sizes);
  return {keepDims(result, in.getInput(), dims, in.getKeepdim(),
                   op.getResult().getType(), b)};
}

// trace.cumsum %a -> flatir.scan
static Lowered lowerCumSum(trace::CumSumOp op, trace::CumSumOp::Adaptor in,
                           Lowering &b) {
  int64_t dim = normalizeDim(asSigned(in.getDim()), rankOf(in.getInput()));
  return {
      b.primary<flatir::ScanOp>(in.getInput().getType(), in.getInput(), dim)};
}

void tripy::addReductionPatterns(PatternAdder &adder) {
  adder.add<trace::SumOp>(lowerReduction<trace::SumOp, ReduceKind::Sum>)
      .add<trace::ProdOp>(lowerReduction<trace::ProdOp, ReduceKind::Prod>)
      .add<trace::MaxOp>(lowerReduction<trace::MaxOp, ReduceKind::Max>)
      .add<trace::MinOp>(lowerReduction<trace::MinOp, ReduceKind::Min>)
      .add<trace::AllOp>(lowerReduction<trace::AllOp, ReduceKind::And>)
      .add<trace::AnyOp>(lowerReduction<trace::AnyOp, ReduceKind::Or>)
      .add<trace::MeanOp>(lowerMean)
      .add<trace::VarOp>(lowerVar)
      .add<trace::ArgMaxOp>(lowerArgReduction<trace::ArgMaxOp, ReduceKind::Max>)
      .add<trace::ArgMinOp>(lowerArgReduction<trace::ArgMinOp, ReduceKind::Min>)
      .add<trace::CumSumOp>(lowerCumSum)
      .add<trace::SoftmaxOp>(lowerSoftmax)
      .add<trace::LayerNormOp>(lowerLayerNorm)
      .add<trace::RMSNormOp>(lowerRMSNorm);
}
