//===- Convolution.cpp - Lowers convolutions of trace ---------------------===//
//
// A convolution is a contraction over the channels and a window:
//
//   result[g, o, (n, p...)] =
//       weight[g, o, (c, k...)] . windows[g, (c, k...), (n, p...)]
//
// The batch is a part of the columns, so that each group is one product of
// matrices, and windows lie in memory as the input does, along its last
// dimension. Where each element is a window there is nothing to slide: the
// batch then stays in front, and a product reads the input as it is. With one
// channel in each group there is nothing to contract but the window, which is
// a sum over its positions.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

using Dims = SmallVector<int64_t>;

static Dims range(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq(begin, end));
}

namespace {
/// Lowers one convolution, transposed or not.
class Convolving {
public:
  Convolving(Value input, Value weight, Value bias,
             SmallVector<Sliding> sliding, int64_t groups, bool transposed,
             bool allowTF32, Lowering &b)
      : b(b), input(input), weight(weight), bias(bias),
        sliding(std::move(sliding)), groups(groups), transposed(transposed),
        allowTF32(allowTF32), spatial(this->sliding.size()),
        element(elementTypeOf(input)) {}

  /// The result, of type `type`.
  Value lower(RankedTensorType type);

private:
  void findSizes();
  Size countOutputs(int64_t i);
  Value reshape(Value tensor, const SizeList &sizes, StringRef what);
  Value transpose(Value tensor, ArrayRef<int64_t> permutation, StringRef what);
  Value slide(Value tensor);
  Value weightRows();
  Value weightTaps();
  Value addBias(Value result, ArrayRef<int64_t> dims);
  Value contract(Value lhs, Value rhs, int64_t batchRank);
  Value multiplyElements();
  Value multiplyWindows();
  Value sumWindows();

  Lowering &b;
  Value input, weight, bias;
  SmallVector<Sliding> sliding;
  int64_t groups;
  bool transposed, allowTF32;
  int64_t spatial;
  Type element;
  /// Sizes: the batch, the channels and output channels of a group, all output
  /// channels, and the result's spatial sizes.
  Size batch, channels, outputs, allOutputs;
  SizeList counts;
};
} // namespace

//===-- sizes -------------------------------------------------------------===//

/// The result's size in spatial dimension `i`.
Size Convolving::countOutputs(int64_t i) {
  const Sliding &one = sliding[i];
  Size size = b.sizesOf(input)[2 + i];
  if (!transposed)
    return countWindows(size, one, /*ceilMode=*/false, 2 + i, b);
  SizeMath &math = b.math;
  b.require("at_most", math.constant(1), size,
            "dimension " + Twine(2 + i) + " of 'conv_transpose' is not empty");
  Size reached =
      math.mul(math.sub(size, math.constant(1)), math.constant(one.stride));
  Size count =
      math.add(reached, math.constant(one.extent() + one.outputPadding -
                                      one.low - one.high));
  b.require("at_most", math.constant(1), count,
            "the result of 'conv_transpose' has a size of at least 1 in "
            "dimension " +
                Twine(2 + i));
  return count;
}

void Convolving::findSizes() {
  SizeMath &math = b.math;
  SizeList from = b.sizesOf(input), taps = b.sizesOf(weight);
  Size count = math.constant(groups);
  std::string name = b.sourceName().str();
  batch = from[0];
  if (transposed) {
    b.require("equal", from[1], taps[0],
              "the input of '" + name +
                  "' has the channels of the weight's dimension 0");
    channels = math.floorDiv(taps[0], count);
    b.require("equal", math.mul(channels, count), taps[0],
              "the groups of '" + name + "' divide its channels");
    outputs = taps[1];
    allOutputs = math.mul(outputs, count);
  } else {
    channels = taps[1];
    b.require("equal", from[1], math.mul(channels, count),
              "the input of '" + name +
                  "' has groups times the channels of the weight's dimension "
                  "1");
    allOutputs = taps[0];
    outputs = math.floorDiv(allOutputs, count);
    b.require("equal", math.mul(outputs, count), allOutputs,
              "the groups of '" + name + "' divide its output channels");
  }
  if (bias)
    b.require("equal", allOutputs, b.sizesOf(bias)[0],
              "the bias of '" + name +
                  "' has a number for each output channel");
  for (int64_t i = 0; i < spatial; ++i)
    counts.push_back(countOutputs(i));
}

//===-- operands ----------------------------------------------------------===//

Value Convolving::reshape(Value tensor, const SizeList &sizes, StringRef what) {
  Why why{"convolution", (what + " for '" + b.sourceName() + "'").str()};
  return b.reshape(tensor, sizes, typeWith(sizes, elementTypeOf(tensor)), why);
}

Value Convolving::transpose(Value tensor, ArrayRef<int64_t> permutation,
                            StringRef what) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(permutation.size())))
    return tensor;
  SizeList from = b.sizesOf(tensor), to;
  for (int64_t dim : permutation)
    to.push_back(from[dim]);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  SmallVector<int64_t> permuted;
  for (int64_t dim : permutation)
    permuted.push_back(shape[dim]);
  return b.step<flatir::TransposeOp>(
      what, RankedTensorType::get(permuted, elementTypeOf(tensor)), tensor,
      permutation);
}

/// Windows over the spatial dimensions: (k..., n, c, p...).
Value Convolving::slide(Value tensor) {
  TypedAttr zero = b.getBuilder().getZeroAttr(elementTypeOf(tensor));
  return slideWindows(tensor, sliding, counts, zero, transposed, b);
}

/// The weight as matrices: (g, o, (c, k...)), without g for one group.
Value Convolving::weightRows() {
  SizeList taps = b.sizesOf(weight);
  SizeList window(ArrayRef(taps).drop_front(2));
  Value rows = weight;
  if (transposed) {
    SizeList split{b.math.constant(groups), channels, outputs};
    llvm::append_range(split, window);
    rows = reshape(rows, split, "split the weight's channels in groups");
    Dims order{0, 2, 1};
    llvm::append_range(order, range(3, 3 + spatial));
    rows = transpose(rows, order, "put the output channels first");
  }
  SizeList sizes;
  if (groups > 1)
    sizes.push_back(b.math.constant(groups));
  sizes.push_back(outputs);
  window.push_back(channels);
  sizes.push_back(b.math.product(window));
  return reshape(rows, sizes, "make the weight a matrix");
}

/// The weight of groups of one channel: (o, k...).
Value Convolving::weightTaps() {
  SizeList sizes{allOutputs};
  llvm::append_range(sizes, ArrayRef(b.sizesOf(weight)).drop_front(2));
  return reshape(weight, sizes, "drop the weight's dimension of size 1");
}

/// Adds the bias to a result whose output channels are the dimensions `dims`:
/// one, or the groups and the channels of a group.
Value Convolving::addBias(Value result, ArrayRef<int64_t> dims) {
  if (!bias)
    return result;
  Value vector = bias;
  if (dims.size() > 1)
    vector = reshape(bias, {b.math.constant(groups), outputs},
                     "split the bias in groups");
  Value wide =
      b.broadcast({vector, "the bias", 2}, dims,
                  cast<RankedTensorType>(result.getType()), b.sizesOf(result));
  return b.insert<flatir::AddOp>(
      Why{"convolution", ("add the bias of '" + b.sourceName() + "'").str(), 2},
      result, wide);
}

//===-- products ----------------------------------------------------------===//

/// (batch..., o, k) . (batch..., k, p...) of `batchRank` batch dimensions.
Value Convolving::contract(Value lhs, Value rhs, int64_t batchRank) {
  Dims batches = range(0, batchRank), left{batchRank + 1}, right{batchRank};
  auto shape = flatir::dotShape(lhs, rhs, batches, batches, left, right);
  return b.primary<flatir::DotOp>(RankedTensorType::get(shape, element), lhs,
                                  rhs, batches, batches, left, right,
                                  allowTF32);
}

/// Each element is a window: (n, g, o, p...) = (n, g, o, c) . (n, g, c, p...).
Value Convolving::multiplyElements() {
  Value rows = weightRows();
  SizeList wide{batch}, columns{batch};
  llvm::append_range(wide, b.sizesOf(rows));
  rows = b.broadcast({rows, "the weight", 1}, range(1, wide.size()),
                     typeWith(wide, element), wide);
  if (groups > 1)
    columns.push_back(b.math.constant(groups));
  columns.push_back(channels);
  llvm::append_range(columns, counts);
  int64_t batchRank = static_cast<int64_t>(wide.size()) - 2;
  Value split = reshape(input, columns, "split the input's channels in groups");
  Dims outputDims =
      range(groups > 1 ? batchRank - 1 : batchRank, batchRank + 1);
  return addBias(contract(rows, split, batchRank), outputDims);
}

/// (g, o, (n, p...)) = (g, o, (c, k...)) . (g, (c, k...), (n, p...)).
Value Convolving::multiplyWindows() {
  Value windows = slide(input);
  Dims order{spatial + 1};
  llvm::append_range(order, range(0, spatial + 1));
  llvm::append_range(order, range(spatial + 2, 2 * spatial + 2));
  windows = transpose(windows, order, "put channels and windows first");
  Value rows = weightRows();
  SizeList columns, positions{batch};
  llvm::append_range(positions, counts);
  if (groups > 1)
    columns.push_back(b.math.constant(groups));
  columns.push_back(b.sizesOf(rows).back());
  columns.push_back(b.math.product(positions));
  Value matrix = reshape(windows, columns, "make the windows columns");
  int64_t batchRank = groups > 1;
  Value product =
      addBias(contract(rows, matrix, batchRank), range(0, batchRank + 1));
  if (getConstantIntValue(batch) == int64_t(1))
    return product;
  SizeList apart{allOutputs};
  llvm::append_range(apart, positions);
  Value result = reshape(product, apart, "take the columns apart");
  Dims back{1, 0};
  llvm::append_range(back, range(2, spatial + 2));
  return transpose(result, back, "put the batch first");
}

/// One channel in each group: the sum of windows times weights.
Value Convolving::sumWindows() {
  Value channelsOf = input;
  SizeList from = b.sizesOf(input);
  if (getConstantIntValue(outputs) != int64_t(1)) {
    SizeList wide(from);
    wide.insert(wide.begin() + 2, outputs);
    Dims dims{0, 1};
    llvm::append_range(dims, range(3, 3 + spatial));
    channelsOf = b.broadcast({input, "each channel", 0}, dims,
                             typeWith(wide, element), wide);
    from[1] = allOutputs;
    channelsOf =
        reshape(channelsOf, from, "give each output channel its own input");
  }
  Type sum = accumulatorOf(element);
  Value windows = slide(b.convert(channelsOf, sum, "compute in 32 bits"));
  Dims order = range(1, spatial + 1);
  order.push_back(0);
  Value taps = transpose(b.convert(weightTaps(), sum, "compute in 32 bits"),
                         order, "put the window first");
  Dims dims = range(0, spatial);
  dims.push_back(spatial + 1);
  Value wide = b.broadcast({taps, "the weight", 1}, dims,
                           cast<RankedTensorType>(windows.getType()),
                           b.sizesOf(windows));
  Value products =
      b.step<flatir::MulOp>("multiply by the weight", windows, wide);
  Dims reduced = range(0, spatial);
  Value result = b.primary<flatir::ReduceOp>(
      reducedType(products.getType(), reduced, /*keepdim=*/false),
      flatir::ReduceKind::Sum, products, reduced);
  return addBias(b.convert(result, element, "round the result once"), Dims{1});
}

Value Convolving::lower(RankedTensorType type) {
  findSizes();
  bool isPointwise = llvm::all_of(
      sliding, [](const Sliding &one) { return one.isIdentity(); });
  bool isDepthwise = groups > 1 && getConstantIntValue(channels) == int64_t(1);
  Value result = isDepthwise   ? sumWindows()
                 : isPointwise ? multiplyElements()
                               : multiplyWindows();
  SizeList sizes{batch, allOutputs};
  llvm::append_range(sizes, counts);
  Why why{"convolution",
          ("give the result of '" + b.sourceName() + "' its shape").str()};
  return b.reshape(result, sizes, type, why);
}

// trace.convolution -> flatir.window, flatir.dot; flatir.add
static Lowered lowerConvolution(trace::ConvolutionOp op,
                                trace::ConvolutionOp::Adaptor in, Lowering &b) {
  ArrayRef<int64_t> window = op.getWeight().getType().getShape().drop_front(2);
  return {Convolving(in.getInput(), in.getWeight(), in.getBias(),
                     slidingOf(in, window), asSigned(in.getGroups()),
                     /*transposed=*/false, in.getAllowTF32(), b)
              .lower(op.getType())};
}

// trace.conv_transpose -> flatir.window, flatir.dot; flatir.add
static Lowered lowerConvTranspose(trace::ConvTransposeOp op,
                                  trace::ConvTransposeOp::Adaptor in,
                                  Lowering &b) {
  ArrayRef<int64_t> window = op.getWeight().getType().getShape().drop_front(2);
  SmallVector<Sliding> sliding = slidingOf(in, window);
  for (auto [one, padding] : llvm::zip(sliding, in.getOutputPadding()))
    one.outputPadding = padding;
  return {Convolving(in.getInput(), in.getWeight(), in.getBias(), sliding,
                     asSigned(in.getGroups()),
                     /*transposed=*/true, in.getAllowTF32(), b)
              .lower(op.getType())};
}

void tripy::addConvolutionPatterns(PatternAdder &adder) {
  adder.add<trace::ConvolutionOp>(lowerConvolution)
      .add<trace::ConvTransposeOp>(lowerConvTranspose);
}
