//===- Movement.cpp - Lowers shape and layout changes of trace ------------===//

#include "Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace tripy;

//===-- reshape -----------------------------------------------------------===//

/// The values of two products, without the factors that they share; constants
/// are multiplied into one. Returns the shared factors that may be 0.
static SizeList cancelFactors(SizeList &a, SizeList &b, Lowering &lowering) {
  auto fold = [&](SizeList &list) {
    int64_t product = 1;
    llvm::erase_if(list, [&](Size size) {
      std::optional<int64_t> constant = getConstantIntValue(size);
      product = constant ? saturatingMul(product, *constant) : product;
      return constant.has_value();
    });
    return product;
  };
  int64_t x = fold(a), y = fold(b);
  SizeList shared;
  for (size_t i = a.size(); i-- > 0;)
    if (auto *it = llvm::find(b, a[i]); it != b.end()) {
      shared.push_back(a[i]);
      b.erase(it);
      a.erase(a.begin() + i);
    }
  int64_t common = std::max<int64_t>(std::gcd(x, y), 1);
  a.push_back(lowering.math.constant(x / common));
  b.push_back(lowering.math.constant(y / common));
  return shared;
}

/// The sizes of a reshape's result; -1 becomes what is left.
static SizeList reshapedSizes(ArrayRef<int64_t> staticSizes,
                              ValueRange dynamicSizes, Value input,
                              Lowering &b) {
  SizeList sizes = b.mixedSizes(staticSizes, dynamicSizes);
  Size *inferred = nullptr;
  SizeList from = b.sizesOf(input), to;
  for (auto [size, given] : llvm::zip(sizes, staticSizes))
    if (given == -1)
      inferred = &size;
    else
      to.push_back(size);
  b.requireSizes(to);
  SizeList shared = cancelFactors(from, to, b);
  Size whole = b.math.product(from), part = b.math.product(to);
  if (inferred) {
    // A part of 0 elements tells nothing; the check below decides.
    *inferred =
        b.math.floorDiv(whole, b.math.maximum(part, b.math.constant(1)));
    part = b.math.mul(part, *inferred);
    if (to.size() == 1 && getConstantIntValue(to.front()) == 1)
      return sizes;
  }
  // Where a shared size is 0, both shapes have 0 elements, whatever is left.
  if (whole != part)
    for (Size size : shared) {
      Size factor = b.math.minimum(size, b.math.constant(1));
      whole = b.math.mul(whole, factor);
      part = b.math.mul(part, factor);
    }
  b.require("equal", whole, part,
            "'reshape' keeps the number of elements, apart from sizes that "
            "both shapes share");
  return sizes;
}

// trace.reshape %a to [-1, %n] -> flatir.reshape, or %a
static Lowered lowerReshape(trace::ReshapeOp op, trace::ReshapeOp::Adaptor in,
                            Lowering &b) {
  auto type = op.getResult().getType();
  SizeList sizes =
      type.hasStaticShape() &&
              cast<RankedTensorType>(in.getInput().getType()).hasStaticShape()
          ? getAsIndexOpFoldResult(op.getContext(), type.getShape())
          : reshapedSizes(in.getStaticSizes(), in.getSizes(), in.getInput(), b);
  if (b.hasShape(in.getInput(), type, sizes))
    return {in.getInput()};
  return {b.primary<flatir::ReshapeOp>(type, in.getInput(),
                                       b.dynamicSizes(type, sizes))};
}

// trace.squeeze %a dims = [0] -> flatir.reshape, or %a
static Lowered lowerSqueeze(trace::SqueezeOp op, trace::SqueezeOp::Adaptor in,
                            Lowering &b) {
  if (in.getDims().empty())
    return {in.getInput()};
  auto type = op.getResult().getType();
  SizeList from = b.sizesOf(in.getInput()), to;
  llvm::SmallBitVector removed(from.size());
  for (int64_t dim : in.getDims())
    removed.set(normalizeDim(dim, from.size()));
  for (auto [i, size] : llvm::enumerate(from)) {
    if (removed[i])
      b.require("equal", size, b.math.constant(1),
                "dimension " + Twine(i) +
                    " of the input of 'squeeze' has "
                    "size 1");
    else
      to.push_back(size);
  }
  return {b.primary<flatir::ReshapeOp>(type, in.getInput(),
                                       b.dynamicSizes(type, to))};
}

// trace.unsqueeze %a dim = 0 -> flatir.reshape
static Lowered lowerUnsqueeze(trace::UnsqueezeOp op,
                              trace::UnsqueezeOp::Adaptor in, Lowering &b) {
  auto type = op.getResult().getType();
  SizeList sizes = b.sizesOf(in.getInput());
  int64_t dim = normalizeDim(asSigned(in.getDim()), sizes.size() + 1);
  sizes.insert(sizes.begin() + dim, b.math.constant(1));
  return {b.primary<flatir::ReshapeOp>(type, in.getInput(),
                                       b.dynamicSizes(type, sizes))};
}

//===-- permute, transpose ------------------------------------------------===//

static Lowered transposed(Type type, Value input, ArrayRef<int64_t> permutation,
                          Lowering &b) {
  if (llvm::is_sorted(permutation))
    return {input};
  return {b.primary<flatir::TransposeOp>(type, input, permutation)};
}

// trace.permute %a [1, 0] -> flatir.transpose, or %a
static Lowered lowerPermute(trace::PermuteOp op, trace::PermuteOp::Adaptor in,
                            Lowering &b) {
  SmallVector<int64_t> permutation;
  for (int64_t dim : in.getPermutation())
    permutation.push_back(normalizeDim(dim, in.getPermutation().size()));
  return transposed(op.getResult().getType(), in.getInput(), permutation, b);
}

// trace.transpose %a dims = 0, 1 -> flatir.transpose, or %a
static Lowered lowerTranspose(trace::TransposeOp op,
                              trace::TransposeOp::Adaptor in, Lowering &b) {
  int64_t rank = rankOf(in.getInput());
  SmallVector<int64_t> permutation = leadingDims(rank);
  std::swap(permutation[normalizeDim(asSigned(in.getDim0()), rank)],
            permutation[normalizeDim(asSigned(in.getDim1()), rank)]);
  return transposed(op.getResult().getType(), in.getInput(), permutation, b);
}

//===-- expand ------------------------------------------------------------===//

// trace.expand %a to [2, -1] -> flatir.broadcast, or %a
static Lowered lowerExpand(trace::ExpandOp op, trace::ExpandOp::Adaptor in,
                           Lowering &b) {
  auto type = op.getResult().getType();
  SizeList to = b.mixedSizes(in.getStaticSizes(), in.getSizes());
  SizeList from = b.sizesOf(in.getInput());
  size_t added = to.size() - from.size();
  for (auto [i, size] : llvm::enumerate(from)) {
    Size &target = to[added + i];
    if (in.getStaticSizes()[added + i] == -1) {
      target = size;
      continue;
    }
    Size expanded = b.math.ifOne(size, target, size);
    b.require("equal", expanded, target,
              "dimension " + Twine(i) +
                  " of the input of 'expand' has size 1 "
                  "or the size expanded to");
  }
  b.requireSizes(to);
  if (b.hasShape(in.getInput(), type, to))
    return {in.getInput()};
  return {b.primary<flatir::BroadcastOp>(
      type, in.getInput(), b.dynamicSizes(type, to),
      llvm::to_vector(
          llvm::seq<int64_t>(added, static_cast<int64_t>(to.size()))))};
}

//===-- concatenate -------------------------------------------------------===//

// trace.concatenate %a, %b -> flatir.concatenate, or %a
static Lowered lowerConcatenate(trace::ConcatenateOp op,
                                trace::ConcatenateOp::Adaptor in, Lowering &b) {
  ValueRange inputs = in.getInputs();
  if (inputs.size() == 1)
    return {inputs.front()};
  auto type = op.getResult().getType();
  int64_t dim = normalizeDim(asSigned(in.getDim()), type.getRank());
  SizeList sizes = b.sizesOf(inputs.front());
  for (auto [n, input] : llvm::enumerate(inputs.drop_front()))
    for (auto [i, size] : llvm::enumerate(b.sizesOf(input))) {
      if (static_cast<int64_t>(i) == dim) {
        sizes[i] = b.math.add(sizes[i], size);
        continue;
      }
      b.require("equal", sizes[i], size,
                "inputs 0 and " + Twine(n + 1) +
                    " of 'concatenate' have equal sizes in dimension " +
                    Twine(i));
    }
  auto result = b.primary<flatir::ConcatenateOp>(type, inputs, dim);
  for (auto [i, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(i))
      size = b.math.value(size);
  b.setSizes(result, sizes);
  return {result};
}

void tripy::addMovementPatterns(PatternAdder &adder) {
  adder.add<trace::ReshapeOp>(lowerReshape)
      .add<trace::SqueezeOp>(lowerSqueeze)
      .add<trace::UnsqueezeOp>(lowerUnsqueeze)
      .add<trace::PermuteOp>(lowerPermute)
      .add<trace::TransposeOp>(lowerTranspose)
      .add<trace::ExpandOp>(lowerExpand)
      .add<trace::ConcatenateOp>(lowerConcatenate);
}
