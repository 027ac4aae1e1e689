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

#include "Convolving.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

using Dims = SmallVector<int64_t>;

static Dims range(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq(begin, end));
}

//===-- operands ----------------------------------------------------------===//

Value tripy::reshapeInConvolution(Value tensor, const SizeList &sizes,
                                  StringRef what, Lowering &b) {
  Why why{"convolution", (what + " for '" + b.sourceName() + "'").str()};
  return b.reshape(tensor, sizes, typeWith(sizes, elementTypeOf(tensor)), why);
}

Value tripy::reorder(Value tensor, ArrayRef<int64_t> order, StringRef what,
                     Lowering &b) {
  if (llvm::equal(order, llvm::seq<int64_t>(order.size())))
    return tensor;
  // Sizes may be known that the type does not tell.
  auto type = cast<RankedTensorType>(tensor.getType());
  SizeList from = b.sizesOf(tensor), to;
  Dims shape;
  for (int64_t dim : order) {
    to.push_back(from[dim]);
    shape.push_back(type.getDimSize(dim));
  }
  Value result =
      b.step<flatir::TransposeOp>(what, type.clone(shape), tensor, order);
  b.setSizes(result, to);
  return result;
}

/// Windows over the spatial dimensions: (k..., n, c, p...).
Value Convolving::slide(Value tensor) {
  TypedAttr zero = b.getBuilder().getZeroAttr(elementTypeOf(tensor));
  return slideWindows(tensor, sliding, counts, zero, b);
}

/// The weight as matrices: (g, o, (c, k...)), without g for one group.
Value Convolving::weightRows() {
  SizeList columns(ArrayRef(b.sizesOf(weight)).drop_front()), sizes;
  if (groups > 1)
    sizes.push_back(b.math.constant(groups));
  sizes.push_back(outputs);
  sizes.push_back(b.math.product(columns));
  return reshapeInConvolution(weight, sizes, "make the weight a matrix", b);
}

/// The weight of groups of one channel: (o, k...).
Value Convolving::weightTaps() {
  SizeList sizes{allOutputs};
  llvm::append_range(sizes, ArrayRef(b.sizesOf(weight)).drop_front(2));
  return reshapeInConvolution(weight, sizes,
                              "drop the weight's dimension of size 1", b);
}

/// Adds the bias to a result whose output channels are the dimensions `dims`:
/// one, or the groups and the channels of a group.
Value Convolving::addBias(Value result, ArrayRef<int64_t> dims) {
  if (!bias)
    return result;
  Value vector = bias;
  if (dims.size() > 1)
    vector = reshapeInConvolution(bias, {b.math.constant(groups), outputs},
                                  "split the bias in groups", b);
  Value wide =
      b.broadcast({vector, "the bias", 2}, dims,
                  cast<RankedTensorType>(result.getType()), b.sizesOf(result));
  return b.insert<flatir::AddOp>(
      Why{"convolution", ("add the bias of '" + b.sourceName() + "'").str(), 2},
      result, wide);
}

//===-- products ----------------------------------------------------------===//

/// The user's operation, or one of those that it becomes.
template <typename OpTy, typename... Args>
Value Convolving::product(Args &&...args) {
  return reason.empty() ? b.primary<OpTy>(std::forward<Args>(args)...)
                        : b.step<OpTy>(reason, std::forward<Args>(args)...);
}

/// (batch..., o, k) . (batch..., k, p...) of `batchRank` batch dimensions.
Value Convolving::contract(Value lhs, Value rhs, int64_t batchRank) {
  Dims batches = range(0, batchRank), left{batchRank + 1}, right{batchRank};
  auto shape = flatir::dotShape(lhs, rhs, batches, batches, left, right);
  return product<flatir::DotOp>(RankedTensorType::get(shape, element), lhs, rhs,
                                batches, batches, left, right, allowTF32);
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
  Value split = reshapeInConvolution(input, columns,
                                     "split the input's channels in groups", b);
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
  windows = reorder(windows, order, "put channels and windows first", b);
  Value rows = weightRows();
  SizeList columns, positions{batch};
  llvm::append_range(positions, counts);
  if (groups > 1)
    columns.push_back(b.math.constant(groups));
  columns.push_back(b.sizesOf(rows).back());
  columns.push_back(b.math.product(positions));
  Value matrix =
      reshapeInConvolution(windows, columns, "make the windows columns", b);
  int64_t batchRank = groups > 1;
  Value product =
      addBias(contract(rows, matrix, batchRank), range(0, batchRank + 1));
  if (getConstantIntValue(batch) == int64_t(1))
    return product;
  SizeList apart{allOutputs};
  llvm::append_range(apart, positions);
  Value result =
      reshapeInConvolution(product, apart, "take the columns apart", b);
  Dims back{1, 0};
  llvm::append_range(back, range(2, spatial + 2));
  return reorder(result, back, "put the batch first", b);
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
    channelsOf = reshapeInConvolution(
        channelsOf, from, "give each output channel its own input", b);
  }
  Type sum = accumulatorOf(element);
  Value windows = slide(b.convert(channelsOf, sum, "compute in 32 bits"));
  Dims order = range(1, spatial + 1);
  order.push_back(0);
  Value taps = reorder(b.convert(weightTaps(), sum, "compute in 32 bits"),
                       order, "put the window first", b);
  Dims dims = range(0, spatial);
  dims.push_back(spatial + 1);
  Value wide = b.broadcast({taps, "the weight", 1}, dims,
                           cast<RankedTensorType>(windows.getType()),
                           b.sizesOf(windows));
  Value products =
      b.step<flatir::MulOp>("multiply by the weight", windows, wide);
  Dims reduced = range(0, spatial);
  Value result = product<flatir::ReduceOp>(
      reducedType(products.getType(), reduced, /*keepdim=*/false),
      flatir::ReduceKind::Sum, products, reduced);
  return addBias(b.convert(result, element, "round the result once"), Dims{1});
}

Convolving::Convolving(const Convolved &of, ArrayRef<Sliding> sliding,
                       ArrayRef<Size> counts, Lowering &b)
    : b(b), input(of.input), weight(of.weight), bias(of.bias), sliding(sliding),
      counts(counts), groups(of.groups), allowTF32(of.allowTF32),
      reason(of.reason), spatial(static_cast<int64_t>(sliding.size())),
      element(elementTypeOf(input)) {
  SizeList taps = b.sizesOf(weight);
  batch = b.sizesOf(input).front();
  allOutputs = taps[0];
  channels = taps[1];
  outputs = b.math.floorDiv(allOutputs, b.math.constant(groups));
}

Value Convolving::lower() {
  bool isPointwise = llvm::all_of(
      sliding, [](const Sliding &one) { return one.isIdentity(); });
  bool isDepthwise = groups > 1 && getConstantIntValue(channels) == int64_t(1);
  Value result = isDepthwise   ? sumWindows()
                 : isPointwise ? multiplyElements()
                               : multiplyWindows();
  SizeList sizes{batch, allOutputs};
  llvm::append_range(sizes, counts);
  return reshapeInConvolution(result, sizes, "take groups and positions apart",
                              b);
}

Value tripy::giveShape(Value result, RankedTensorType type, Lowering &b) {
  Why why{"convolution",
          ("give the result of '" + b.sourceName() + "' its shape").str()};
  return b.reshape(result, b.sizesOf(result), type, why);
}

// trace.convolution -> flatir.window, flatir.dot; flatir.add
static Lowered lowerConvolution(trace::ConvolutionOp op,
                                trace::ConvolutionOp::Adaptor in, Lowering &b) {
  SizeMath &math = b.math;
  Convolved of{in.getInput(),     in.getWeight(),
               in.getBias(),      asSigned(in.getGroups()),
               in.getAllowTF32(), ""};
  SizeList from = b.sizesOf(of.input), taps = b.sizesOf(of.weight), counts;
  Size groups = math.constant(of.groups);
  std::string name = b.sourceName().str();
  b.require("equal", from[1], math.mul(taps[1], groups),
            "the input of '" + name +
                "' has groups times the channels of the weight's dimension 1");
  b.require("equal", math.mul(math.floorDiv(taps[0], groups), groups), taps[0],
            "the groups of '" + name + "' divide its output channels");
  requireBias(of.bias, taps[0], b);
  SmallVector<Sliding> sliding =
      slidingOf(in, op.getWeight().getType().getShape().drop_front(2));
  for (auto [i, one] : llvm::enumerate(sliding))
    counts.push_back(
        countWindows(from[2 + i], one, /*ceilMode=*/false, 2 + i, b));
  Value result = Convolving(of, sliding, counts, b).lower();
  return {giveShape(result, op.getType(), b)};
}

void tripy::requireBias(Value bias, Size outputs, Lowering &b) {
  if (bias)
    b.require("equal", outputs, b.sizesOf(bias)[0],
              "the bias of '" + b.sourceName() +
                  "' has a number for each output channel");
}

void tripy::addConvolutionPatterns(PatternAdder &adder) {
  adder.add<trace::ConvolutionOp>(lowerConvolution)
      .add<trace::ConvTransposeOp>(lowerConvTranspose);
}
