//===- TransposedConvolution.cpp - Lowers transposed convolutions ---------===//
//
// An element p of the result takes the products of the input's elements i and
// the taps k of the weight with
//
//   p + low = i * stride + k * dilation
//
// Results whose p + low leave the same remainder, the phase, by the stride need
// the same taps, each stride / gcd(stride, dilation)-th one, and of neighbours
// in the input. So each phase is an ordinary convolution of the input, and
// nothing is multiplied by the zeros between the input's elements. Phases with
// equally many taps next to each other are one convolution, whose output
// channels are those of all of them: at most two for each dimension without a
// dilation. Then the phases are put side by side, and the result is cut out.
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "Convolving.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tripy;

using Dims = SmallVector<int64_t>;

/// Convolutions that a transposed one becomes at most. Without dilations there
/// are at most 8; with them as many as taps in front of the stride.
static constexpr size_t maxConvolutions = 16;

namespace {
/// Phases first, ..., first + count - 1 of a dimension, which have their taps
/// at the same distances from their first ones: firstTap and those behind it.
struct Phases {
  int64_t first, count;
  int64_t firstTap, tapStep;
  Sliding sliding;
};

/// One dimension of the result: `stride` phases, of which the listed ones have
/// taps; the others are zeros. Without steps there is one phase.
struct PhasedDim {
  int64_t stride = 1;
  SmallVector<Phases> parts;
  /// Elements of the result in each phase.
  Size count;
  /// Elements in front of the result's first one.
  int64_t skipped = 0;
};

/// Lowers one transposed convolution.
class Transposed {
public:
  Transposed(const Convolved &of, SmallVector<Sliding> sliding, Lowering &b)
      : b(b), of(of), sliding(std::move(sliding)) {}

  Value lower(RankedTensorType type);

private:
  void findSizes();
  Size countOutputs(int64_t i);
  void turnWeight();
  PhasedDim phasesOf(int64_t i);
  PhasedDim withZeros(int64_t i);
  void findPhases();
  size_t countConvolutions() const;
  bool isPhased() const;
  Value tapsOf(ArrayRef<const Phases *> parts);
  Value convolve(ArrayRef<const Phases *> parts);
  Value zeros(Value like, int64_t dim, int64_t count);
  Value join(SmallVector<const Phases *> parts);
  Value interleave(Value phases);

  Lowering &b;
  /// The weight is (g * c, o, k...), and then (g * o, c, k...).
  Convolved of;
  /// What the user wrote.
  SmallVector<Sliding> sliding;
  SmallVector<PhasedDim> dims;
  Size allOutputs;
  /// The result's spatial sizes.
  SizeList counts;
};
} // namespace

//===-- sizes -------------------------------------------------------------===//

/// The result's size in spatial dimension `i`.
Size Transposed::countOutputs(int64_t i) {
  const Sliding &one = sliding[i];
  SizeMath &math = b.math;
  Size size = b.sizesOf(of.input)[2 + i];
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

void Transposed::findSizes() {
  SizeMath &math = b.math;
  SizeList from = b.sizesOf(of.input), taps = b.sizesOf(of.weight);
  Size groups = math.constant(of.groups);
  b.require(
      "equal", from[1], taps[0],
      "the input of 'conv_transpose' has the channels of the weight's dimension"
      " 0");
  b.require("equal", math.mul(math.floorDiv(taps[0], groups), groups), taps[0],
            "the groups of 'conv_transpose' divide its channels");
  allOutputs = math.mul(taps[1], groups);
  requireBias(of.bias, allOutputs, b);
  for (size_t i = 0; i < sliding.size(); ++i)
    counts.push_back(countOutputs(i));
}

//===-- phases ------------------------------------------------------------===//

/// The phases of dimension `i`, where elements of the input stay neighbours.
PhasedDim Transposed::phasesOf(int64_t i) {
  const Sliding &one = sliding[i];
  PhasedDim dim;
  dim.stride = one.stride;
  int64_t common = std::gcd(one.stride, one.dilation);
  int64_t step = one.stride / common;
  // Element q of phase r is the result's element q * stride + r - low, so that
  // the first of all has this q, and the last, for an input of one element:
  int64_t first = llvm::divideFloorSigned(one.low, one.stride);
  int64_t last = llvm::divideFloorSigned(
      one.extent() + one.outputPadding - one.high - 1, one.stride);
  dim.skipped = one.low - first * one.stride;
  dim.count =
      b.math.add(b.sizesOf(of.input)[2 + i], b.math.constant(last - first));
  for (int64_t tap = 0; tap < std::min(step, one.window); ++tap) {
    // It multiplies the input's element q - tap * dilation / stride, and the
    // next of its taps that which lies dilation / common in front of it.
    Phases phases{tap * one.dilation % one.stride, 1, tap, step, {}};
    Sliding &own = phases.sliding;
    own.window = llvm::divideCeil(one.window - tap, step);
    own.dilation = -(one.dilation / common);
    own.low = tap * one.dilation / one.stride - first;
    own.high = last - first - own.low;
    bool isNext = !dim.parts.empty() && one.dilation == 1 &&
                  dim.parts.back().sliding.window == own.window;
    if (isNext)
      ++dim.parts.back().count;
    else
      dim.parts.push_back(phases);
  }
  llvm::sort(dim.parts, [](const Phases &x, const Phases &y) {
    return x.first < y.first;
  });
  return dim;
}

/// Dimension `i` with its elements a stride apart and zeros between them. A
/// window is read from its end.
PhasedDim Transposed::withZeros(int64_t i) {
  const Sliding &one = sliding[i];
  PhasedDim dim;
  dim.count = counts[i];
  Sliding own;
  own.window = one.window;
  own.dilation = -one.dilation;
  own.low = -one.low;
  own.high = one.outputPadding - one.high;
  own.interior = one.stride;
  dim.parts.push_back({0, 1, 0, 1, own});
  return dim;
}

void Transposed::findPhases() {
  for (size_t i = 0; i < sliding.size(); ++i) {
    const Sliding &one = sliding[i];
    size_t most = one.dilation == 1 ? 2 : std::min(one.stride, one.window);
    bool isPhased =
        one.stride > 1 && countConvolutions() * most <= maxConvolutions;
    dims.push_back(isPhased ? phasesOf(i) : withZeros(i));
  }
}

size_t Transposed::countConvolutions() const {
  size_t count = 1;
  for (const PhasedDim &dim : dims)
    count *= dim.parts.size();
  return count;
}

bool Transposed::isPhased() const {
  return llvm::any_of(dims,
                      [](const PhasedDim &dim) { return dim.stride > 1; });
}

//===-- tensors -----------------------------------------------------------===//

/// The weight of an ordinary convolution: (g * c, o, k...) to (g * o, c, k...).
void Transposed::turnWeight() {
  SizeList taps = b.sizesOf(of.weight);
  if (of.groups == 1) {
    Dims order{1, 0};
    llvm::append_range(order, llvm::seq<int64_t>(2, taps.size()));
    of.weight = reorder(of.weight, order, "put the output channels first", b);
    return;
  }
  Size groups = b.math.constant(of.groups);
  Size channels = b.math.floorDiv(taps[0], groups);
  SizeList split{groups, channels}, joined{allOutputs, channels};
  llvm::append_range(split, ArrayRef(taps).drop_front());
  llvm::append_range(joined, ArrayRef(taps).drop_front(2));
  Value rows = reshapeInConvolution(of.weight, split,
                                    "split the weight's channels in groups", b);
  Dims order{0, 2, 1};
  llvm::append_range(order, llvm::seq<int64_t>(3, split.size()));
  rows = reorder(rows, order, "put the output channels first", b);
  of.weight = reshapeInConvolution(rows, joined,
                                   "join the output channels of all groups", b);
}

/// The taps of some phases: (g * o * phases, c, k...).
Value Transposed::tapsOf(ArrayRef<const Phases *> parts) {
  int64_t rank = static_cast<int64_t>(parts.size());
  SmallVector<Sliding> taps;
  SizeList counts, sizes{allOutputs, b.sizesOf(of.weight)[1]};
  Dims order{rank};
  for (auto [i, part] : llvm::enumerate(parts)) {
    Sliding one;
    one.window = part->sliding.window;
    one.dilation = part->tapStep;
    one.low = -part->firstTap;
    taps.push_back(one);
    counts.push_back(b.math.constant(part->count));
    sizes[0] = b.math.mul(sizes[0], counts.back());
    sizes.push_back(b.math.constant(one.window));
    order.push_back(rank + 2 + static_cast<int64_t>(i));
  }
  order.push_back(rank + 1);
  llvm::append_range(order, llvm::seq<int64_t>(0, rank));
  TypedAttr zero = b.getBuilder().getZeroAttr(elementTypeOf(of.weight));
  Value windows = slideWindows(of.weight, taps, counts, zero, b);
  windows = reorder(windows, order, "put the phases behind the outputs", b);
  return reshapeInConvolution(windows, sizes, "make the phases output channels",
                              b);
}

/// (n, g * o, phases..., counts...) of some phases.
Value Transposed::convolve(ArrayRef<const Phases *> parts) {
  SmallVector<Sliding> sliding;
  SizeList each, sizes{b.sizesOf(of.input)[0], allOutputs};
  for (auto [dim, part] : llvm::zip(dims, parts)) {
    sliding.push_back(part->sliding);
    each.push_back(dim.count);
    sizes.push_back(b.math.constant(part->count));
  }
  Convolved own = of;
  own.weight = tapsOf(parts);
  own.bias = {};
  if (countConvolutions() > 1)
    own.reason = "multiply the taps of some of the result's elements";
  llvm::append_range(sizes, each);
  return reshapeInConvolution(Convolving(own, sliding, each, b).lower(), sizes,
                              "take the phases apart", b);
}

/// Zeros of the shape of `like`, but for `count` along `dim`.
Value Transposed::zeros(Value like, int64_t dim, int64_t count) {
  SizeList sizes = b.sizesOf(like);
  sizes[dim] = b.math.constant(count);
  Type element = elementTypeOf(like);
  return b.broadcast({b.scalar(0, element), "zeros", -1}, ArrayRef<int64_t>(),
                     typeWith(sizes, element), sizes);
}

/// (n, g * o, phases..., counts...) of all phases of the dimensions behind
/// `parts`.
Value Transposed::join(SmallVector<const Phases *> parts) {
  size_t at = parts.size();
  if (at == dims.size())
    return convolve(parts);
  const PhasedDim &dim = dims[at];
  auto phaseDim = static_cast<int64_t>(2 + at);
  SmallVector<Value> pieces;
  int64_t next = 0;
  auto fillTo = [&](Value like, int64_t phase) {
    if (phase > next)
      pieces.push_back(zeros(like, phaseDim, phase - next));
  };
  for (const Phases &part : dim.parts) {
    parts.push_back(&part);
    Value piece = join(parts);
    parts.pop_back();
    fillTo(piece, part.first);
    pieces.push_back(piece);
    next = part.first + part.count;
  }
  fillTo(pieces.back(), dim.stride);
  if (pieces.size() == 1)
    return pieces.front();
  SizeList sizes = b.sizesOf(pieces.front());
  sizes[phaseDim] = b.math.constant(dim.stride);
  Value joined = b.step<flatir::ConcatenateOp>(
      "join the phases of dimension " + Twine(2 + at),
      typeWith(sizes, elementTypeOf(of.input)), pieces, phaseDim);
  b.setSizes(joined, sizes);
  return joined;
}

/// (n, g * o, phases..., counts...) to the result: a phase's elements lie a
/// stride apart.
Value Transposed::interleave(Value phases) {
  auto rank = static_cast<int64_t>(dims.size());
  SizeList sizes(ArrayRef(b.sizesOf(phases)).take_front(2));
  Box box{SizeList(2, b.math.constant(0)), sizes, Dims(2, 1)};
  Dims order{0, 1};
  for (auto [i, dim] : llvm::enumerate(dims)) {
    llvm::append_range(order, Dims{2 + rank + int64_t(i), 2 + int64_t(i)});
    sizes.push_back(b.math.mul(dim.count, b.math.constant(dim.stride)));
    box.offsets.push_back(b.math.constant(dim.skipped));
    box.sizes.push_back(counts[i]);
    box.strides.push_back(1);
  }
  Value result = reorder(phases, order, "put the phases behind positions", b);
  result =
      reshapeInConvolution(result, sizes, "put the phases side by side", b);
  return takeBox(typeWith(box.sizes, elementTypeOf(result)), result, box, b,
                 "cut out the result");
}

Value Transposed::lower(RankedTensorType type) {
  findSizes();
  turnWeight();
  findPhases();
  if (!isPhased()) {
    SmallVector<Sliding> backwards;
    for (const PhasedDim &dim : dims)
      backwards.push_back(dim.parts.front().sliding);
    return giveShape(Convolving(of, backwards, counts, b).lower(), type, b);
  }
  Value result = interleave(join({}));
  if (of.bias) {
    Value wide = b.broadcast({of.bias, "the bias", 2}, 1,
                             cast<RankedTensorType>(result.getType()),
                             b.sizesOf(result));
    result = b.step<flatir::AddOp>("add the bias", result, wide);
  }
  return giveShape(result, type, b);
}

// trace.conv_transpose -> flatir.window, flatir.dot; flatir.concatenate;
// flatir.slice; flatir.add
Lowered tripy::lowerConvTranspose(trace::ConvTransposeOp op,
                                  trace::ConvTransposeOp::Adaptor in,
                                  Lowering &b) {
  ArrayRef<int64_t> window = op.getWeight().getType().getShape().drop_front(2);
  SmallVector<Sliding> sliding = slidingOf(in, window);
  for (auto [one, padding] : llvm::zip(sliding, in.getOutputPadding()))
    one.outputPadding = padding;
  Convolved of{in.getInput(),     in.getWeight(),
               in.getBias(),      asSigned(in.getGroups()),
               in.getAllowTF32(), ""};
  return {Transposed(of, sliding, b).lower(op.getType())};
}
