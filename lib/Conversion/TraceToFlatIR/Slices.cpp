//===- Slices.cpp - Lowers slices and splits of trace ---------------------===//

#include "Boxes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

Value tripy::takeBox(RankedTensorType type, Value input, const Box &box,
                     Lowering &b, StringRef reason) {
  bool whole = b.hasShape(input, type, box.sizes) &&
               llvm::all_of(box.strides, [](int64_t s) { return s == 1; }) &&
               llvm::all_of(box.offsets, [](Size offset) {
                 return isConstantIntValue(offset, 0);
               });
  if (whole)
    return input;
  SmallVector<Value> dynamicOffsets;
  SmallVector<int64_t> staticOffsets;
  ArrayRef<int64_t> from = cast<RankedTensorType>(input.getType()).getShape();
  for (auto [size, offset] : llvm::zip(from, box.offsets)) {
    std::optional<int64_t> known = getConstantIntValue(offset);
    // Behind the last element nothing is taken, from wherever.
    if (known && !ShapedType::isDynamic(size) && *known >= size)
      known = 0;
    staticOffsets.push_back(known.value_or(ShapedType::kDynamic));
    if (!known)
      dynamicOffsets.push_back(cast<Value>(offset));
  }
  SmallVector<Value> sizes = b.dynamicSizes(type, box.sizes);
  if (!reason.empty())
    return b.step<flatir::SliceOp>(reason, type, input, dynamicOffsets, sizes,
                                   staticOffsets, box.strides);
  return b.primary<flatir::SliceOp>(type, input, dynamicOffsets, sizes,
                                    staticOffsets, box.strides);
}

/// A bound as an index: from the front, and within the dimension. Backwards,
/// -1 stands for the place before the first element.
static Size clampBound(Size bound, Size size, bool backwards, SizeMath &math) {
  Size low = math.constant(backwards ? -1 : 0);
  Size high = backwards ? math.sub(size, math.constant(1)) : size;
  SizeRange range = rangeOf(bound);
  if (boundSizeOp(SizeOp::Add, range, rangeOf(size)).values.hi < 0)
    return low;
  Size front = bound;
  if (range.lo < 0) {
    // Added only where it is negative, where the sum cannot overflow.
    Size negative = math.minimum(bound, math.constant(-1));
    front = math.ifNegative(bound, math.add(negative, size), bound);
  }
  return math.clamp(front, low, high);
}

/// Appends the box of one dimension: start:stop:step.
static void appendRange(Size start, Size stop, int64_t step, Size size,
                        Box &box, SizeMath &math) {
  bool backwards = step < 0;
  Size first = clampBound(start, size, backwards, math);
  Size last = clampBound(stop, size, backwards, math);
  Size span = backwards ? math.sub(first, last) : math.sub(last, first);
  Size count = math.ceilDiv(math.maximum(span, math.constant(0)),
                            math.constant(std::abs(step)));
  // Without elements the offset is not looked at, but stays inside.
  box.offsets.push_back(math.maximum(first, math.constant(0)));
  box.sizes.push_back(count);
  box.strides.push_back(step);
}

/// Whether a dimension of one element is removed behind the slice, as for x[5].
static bool isIndex(trace::SliceOp op, int64_t dim) {
  return llvm::any_of(op.getResult().getUsers(), [&](Operation *user) {
    auto squeeze = dyn_cast<trace::SqueezeOp>(user);
    return squeeze && llvm::any_of(squeeze.getDims(), [&](int64_t removed) {
             return normalizeDim(removed, rankOf(op.getResult())) == dim;
           });
  });
}

/// An index is inside of its dimension. The check of the squeeze would say so,
/// too, but name neither the index nor the size.
static void requireInside(Size start, Size stop, int64_t dim, Size size,
                          Lowering &b) {
  std::optional<int64_t> index = getConstantIntValue(start),
                         behind = getConstantIntValue(stop);
  auto last = dyn_cast<Value>(stop);
  auto sum = last ? last.getDefiningOp<arith::AddIOp>() : nullptr;
  if (sum && Size(sum.getLhs()) == start &&
      getConstantIntValue(sum.getRhs()) == 1)
    b.require("at_most", start, b.math.sub(size, b.math.constant(1)),
              "the index of dimension " + Twine(dim) +
                  " must be at most its size minus 1");
  if (!index || !behind ||
      (*index == -1 ? *behind <= 0 : *behind != *index + 1))
    return;
  int64_t needed = *index < 0 ? -*index : *index + 1;
  b.require("at_most", b.math.constant(needed), size,
            "index " + Twine(*index) + " must be inside of dimension " +
                Twine(dim) + ", whose size must be at least " + Twine(needed));
}

// trace.slice %a [%i] to [%j] by [-1] -> flatir.slice, or %a
static Lowered lowerSlice(trace::SliceOp op, trace::SliceOp::Adaptor in,
                          Lowering &b) {
  SizeList starts = b.mixedSizes(in.getStaticStarts(), in.getStarts());
  SizeList stops = b.mixedSizes(in.getStaticStops(), in.getStops());
  Box box;
  for (auto [start, stop, step, size] :
       llvm::zip(starts, stops, in.getSteps(), b.sizesOf(in.getInput()))) {
    if (int64_t dim = box.sizes.size(); step == 1 && isIndex(op, dim))
      requireInside(start, stop, dim, size, b);
    appendRange(start, stop, step, size, box, b.math);
  }
  return {takeBox(op.getResult().getType(), in.getInput(), box, b)};
}

/// Checks that the parts' sizes are together the dimension's.
static void requireSum(ArrayRef<int64_t> sizes, Size whole, int64_t dim,
                       Lowering &b) {
  int64_t sum = 0;
  for (int64_t size : sizes)
    sum = saturatingAdd(sum, size);
  b.require("equal", b.math.constant(sum), whole,
            "the sizes of 'split' sum to dimension " + Twine(dim));
}

// trace.split %a dim = 1 -> flatir.slice for each part
static Lowered lowerSplit(trace::SplitOp op, trace::SplitOp::Adaptor in,
                          Lowering &b) {
  SizeList whole = b.sizesOf(in.getInput());
  int64_t dim = normalizeDim(asSigned(in.getDim()), whole.size());
  Size size = whole[dim], zero = b.math.constant(0);
  Size share;
  if (in.getSizes())
    requireSum(*in.getSizes(), size, dim, b);
  else
    share = b.math.ceilDiv(size, b.math.constant(asSigned(*in.getParts())));
  Lowered results;
  Size next = zero;
  for (auto [i, result] : llvm::enumerate(op.getResults_())) {
    Box box = Box::whole(whole, b.math);
    box.offsets[dim] = next;
    Size &taken = box.sizes[dim];
    if (in.getSizes())
      taken = b.math.constant((*in.getSizes())[i]);
    else // The first share is never larger than the whole.
      taken = i ? b.math.minimum(b.math.sub(size, next), share) : share;
    results.push_back(takeBox(cast<RankedTensorType>(result.getType()),
                              in.getInput(), box, b));
    if (i + 1 == op->getNumResults())
      break;
    next = in.getSizes() ? b.math.add(next, taken)
                         : b.math.minimum(b.math.add(next, share), size);
  }
  return results;
}

void tripy::addSlicePatterns(PatternAdder &adder) {
  adder.add<trace::SliceOp>(lowerSlice).add<trace::SplitOp>(lowerSplit);
}
