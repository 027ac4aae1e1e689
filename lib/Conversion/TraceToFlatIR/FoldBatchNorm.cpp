//===- FoldBatchNorm.cpp - Norms that are part of a convolution -----------===//
//
// batch_norm multiplies each channel by a number and adds another, and so does
// a convolution with other weights, transposed or not. Of f32 and f64 alone:
// weights of 16 bits would be rounded a second time, and the norm costs nothing
// in an epilogue that computes in f32.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tripy/Dialect/Tripy/Provenance.h"
#include "tripy/Reference/Tensor.h"

using namespace mlir;
using namespace tripy;

/// The elements of a constant of floats; none for other values.
static std::optional<SmallVector<double>> elementsOf(Value value) {
  auto op =
      value ? value.getDefiningOp<trace::ConstantOp>() : trace::ConstantOp();
  std::optional<reference::Tensor> tensor =
      op ? reference::readConstant(op.getValue()) : std::nullopt;
  if (!tensor)
    return std::nullopt;
  SmallVector<double> elements(tensor->elements());
  for (int64_t i = 0, n = tensor->elements(); i < n; ++i)
    elements[i] = tensor->toDouble(i);
  return elements;
}

namespace {
/// result = input * factor + addend, channel by channel.
struct Affine {
  SmallVector<double> factor, addend;
};
} // namespace

/// What the norm does; none unless its parameters are constants that make
/// finite numbers.
static std::optional<Affine> affineOf(trace::BatchNormOp op) {
  auto mean = elementsOf(op.getMean()), variance = elementsOf(op.getVariance());
  auto weight = elementsOf(op.getWeight()), bias = elementsOf(op.getBias());
  if (!mean || !variance || !weight || !bias)
    return std::nullopt;
  Affine affine;
  double eps = op.getEps().convertToDouble();
  for (auto [m, v, w, b] : llvm::zip(*mean, *variance, *weight, *bias)) {
    double factor = w / std::sqrt(v + eps);
    if (!std::isfinite(factor) || !std::isfinite(m) || !std::isfinite(b))
      return std::nullopt;
    affine.factor.push_back(factor);
    affine.addend.push_back(b - m * factor);
  }
  return affine;
}

/// Inserts a constant of floats of 32 or 64 bits.
static Value makeConstant(OpBuilder &b, Location loc, RankedTensorType type,
                          ArrayRef<double> values) {
  SmallVector<APFloat> elements;
  for (double value : values) {
    bool inexact;
    elements.emplace_back(value);
    elements.back().convert(
        cast<FloatType>(type.getElementType()).getFloatSemantics(),
        APFloat::rmNearestTiesToEven, &inexact);
  }
  return trace::ConstantOp::create(b, loc, type,
                                   DenseElementsAttr::get(type, elements));
}

/// The output channel that a number of the weight (o, c, k...) is for.
static size_t channelOf(trace::ConvolutionOp op, size_t i) {
  ArrayRef<int64_t> shape = op.getWeight().getType().getShape();
  return i / ShapedType::getNumElements(shape.drop_front(1));
}

/// The same for the weight (c, o, k...), whose output channels are those of the
/// group that c is in.
static size_t channelOf(trace::ConvTransposeOp op, size_t i) {
  ArrayRef<int64_t> shape = op.getWeight().getType().getShape();
  size_t taps = ShapedType::getNumElements(shape.drop_front(2));
  size_t outputs = shape[1], channels = shape[0] / op.getGroups();
  return i / taps / outputs / channels * outputs + i / taps % outputs;
}

// batch_norm(convolution(x, w, b)) -> convolution(x, w f, b f + a)
template <typename OpTy> static bool fold(trace::BatchNormOp op) {
  auto convolution = op.getInput().getDefiningOp<OpTy>();
  Type element = elementTypeOf(op.getInput());
  if (!convolution || !convolution->hasOneUse() ||
      !(element.isF32() || element.isF64()))
    return false;
  auto weights = elementsOf(convolution.getWeight());
  std::optional<Affine> affine = affineOf(op);
  if (!weights || !affine || affine->factor.empty())
    return false;
  size_t channels = affine->factor.size();
  SmallVector<double> biases(channels, 0.0);
  if (convolution.getBias()) {
    auto given = elementsOf(convolution.getBias());
    if (!given)
      return false;
    biases = *given;
  }
  for (size_t i = 0; i < weights->size(); ++i)
    (*weights)[i] *= affine->factor[channelOf(convolution, i)];
  for (size_t i = 0; i < channels; ++i)
    biases[i] = biases[i] * affine->factor[i] + affine->addend[i];
  OpBuilder b(op);
  Location why = inserted(
      op.getLoc(),
      {"batch_norm", "make 'batch_norm' a part of the convolution's weights"});
  auto type = cast<RankedTensorType>(convolution.getWeight().getType());
  Value weight = makeConstant(b, why, type, *weights);
  Value bias = makeConstant(
      b, why, RankedTensorType::get(static_cast<int64_t>(channels), element),
      biases);
  auto folded =
      OpTy::create(b, fuseLocations({convolution.getLoc(), op.getLoc()}),
                   TypeRange(convolution.getType()),
                   ValueRange{convolution.getInput(), weight, bias},
                   convolution->getAttrs());
  op.replaceAllUsesWith(folded.getResult());
  op.erase();
  convolution.erase();
  return true;
}

/// Erases what only folded operations read.
static void eraseUnused(ModuleOp module) {
  SmallVector<trace::ConstantOp> unused;
  module.walk([&](trace::ConstantOp op) {
    if (op->use_empty())
      unused.push_back(op);
  });
  for (trace::ConstantOp op : unused)
    op.erase();
}

void tripy::foldBatchNorms(ModuleOp module) {
  SmallVector<trace::BatchNormOp> norms;
  module.walk([&](trace::BatchNormOp op) { norms.push_back(op); });
  bool changed = false;
  for (trace::BatchNormOp op : norms)
    changed |=
        fold<trace::ConvolutionOp>(op) || fold<trace::ConvTransposeOp>(op);
  if (changed)
    eraseUnused(module);
}
