//===- FlatIRRules.cpp - Predicates of flatir's rules ---------------------===//
//
// The functions that the rules in the .td files name, and the generated checks
// that call them.
//
//===----------------------------------------------------------------------===//

#include "ResultShape.h"

#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Tripy/Plugin.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::flatir;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Whether two sizes may be equal at run time.
static bool mayAgree(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

static bool areAscendingDims(ArrayRef<int64_t> dims, int64_t count,
                             int64_t rank) {
  if (static_cast<int64_t>(dims.size()) != count)
    return false;
  int64_t previous = -1;
  for (int64_t dim : dims) {
    if (dim <= previous || dim >= rank)
      return false;
    previous = dim;
  }
  return true;
}

static bool canBroadcastTo(Value input, Value result, ArrayRef<int64_t> dims) {
  ArrayRef<int64_t> from = shapeOf(input), to = shapeOf(result);
  for (auto [i, dim] : llvm::enumerate(dims))
    if (from[i] != 1 && !mayAgree(from[i], to[dim]))
      return false;
  return true;
}

static bool sameVolume(Value input, Value result) {
  auto from = cast<RankedTensorType>(input.getType());
  auto to = cast<RankedTensorType>(result.getType());
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return true;
  return from.getNumElements() == to.getNumElements();
}

static bool isPermutedType(Value input, Value result,
                           ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(shapeOf(input)[dim]);
  return result.getType() == RankedTensorType::get(shape, elementTypeOf(input));
}

/// True when no index is known to fall outside the input.
static bool sliceInside(Value input, Value result, ArrayRef<int64_t> offsets,
                        ArrayRef<int64_t> strides) {
  constexpr int64_t limit = int64_t(1) << 41;
  for (auto [from, count, offset, stride] :
       llvm::zip(shapeOf(input), shapeOf(result), offsets, strides)) {
    if (ShapedType::isDynamic(count) || count == 0 ||
        ShapedType::isDynamic(offset))
      continue;
    if (offset < 0 || offset > limit)
      return false;
    int64_t last;
    if (llvm::MulOverflow<int64_t>(count - 1, stride, last) ||
        llvm::AddOverflow<int64_t>(offset, last, last) || last < 0)
      return false;
    if (!ShapedType::isDynamic(from) && (offset >= from || last >= from))
      return false;
  }
  return true;
}

static bool isConcatenatedType(ValueRange inputs, int64_t dim, Value result) {
  SmallVector<int64_t> shape(shapeOf(inputs.front()));
  int64_t sum = 0;
  for (Value input : inputs) {
    for (auto [i, size] : llvm::enumerate(shapeOf(input)))
      if (static_cast<int64_t>(i) != dim && ShapedType::isDynamic(shape[i]))
        shape[i] = size;
    int64_t size = shapeOf(input)[dim];
    sum = ShapedType::isDynamic(sum) || ShapedType::isDynamic(size)
              ? ShapedType::kDynamic
              : sum + size;
  }
  shape[dim] = sum;
  if (elementTypeOf(result) != elementTypeOf(inputs.front()) ||
      shapeOf(result).size() != shape.size())
    return false;
  return llvm::all_of(llvm::zip(shape, shapeOf(result)), [](auto pair) {
    return mayAgree(std::get<0>(pair), std::get<1>(pair));
  });
}

static bool isGatheredType(Value input, Value index, int64_t dim,
                           Value result) {
  SmallVector<int64_t> shape(shapeOf(input).take_front(dim));
  llvm::append_range(shape, shapeOf(index));
  llvm::append_range(shape, shapeOf(input).drop_front(dim + 1));
  return result.getType() == RankedTensorType::get(shape, elementTypeOf(input));
}

//===-- sorting -----------------------------------------------------------===//

/// Whether positions in a row fit i32.
static bool hasPositions(Value input) {
  int64_t size = shapeOf(input).back();
  return ShapedType::isDynamic(size) ||
         size <= std::numeric_limits<int32_t>::max();
}

static bool isCountOf(Value input, uint64_t count) {
  int64_t size = shapeOf(input).back();
  return count <= uint64_t(std::numeric_limits<int32_t>::max()) &&
         (ShapedType::isDynamic(size) || asSigned(count) <= size);
}

static bool isSortedType(Value input, std::optional<uint64_t> count,
                         Value result) {
  SmallVector<int64_t> shape(shapeOf(input));
  if (count)
    shape.back() = asSigned(*count);
  Type i32 = IntegerType::get(input.getContext(), 32);
  return result.getType() == RankedTensorType::get(shape, i32);
}

//===-- windows -----------------------------------------------------------===//

/// Keeps (count - 1) * stride and the like, of up to 2^40 elements, below 2^62.
static constexpr int64_t maxWindowOffset = int64_t(1) << 61;

static bool areWithin(ArrayRef<int64_t> list, int64_t low, int64_t high) {
  return llvm::all_of(list, [&](int64_t n) { return low <= n && n <= high; });
}

static constexpr int64_t maxWindowStep = int64_t(1) << 20;

static bool areSteps(ArrayRef<int64_t> steps) {
  return areWithin(steps, 1, maxWindowStep);
}

static bool areDilations(ArrayRef<int64_t> steps) {
  return areWithin(steps, -maxWindowStep, maxWindowStep) &&
         !llvm::is_contained(steps, 0);
}

static bool haveSize(size_t size,
                     std::initializer_list<ArrayRef<int64_t>> lists) {
  return llvm::all_of(
      lists, [&](ArrayRef<int64_t> list) { return list.size() == size; });
}

static bool isWindowedType(Value input, Value result, ArrayRef<int64_t> dims,
                           ArrayRef<int64_t> window) {
  ArrayRef<int64_t> from = shapeOf(input), to = shapeOf(result);
  if (to.size() != from.size() + window.size() ||
      to.take_front(window.size()) != window)
    return false;
  for (auto [i, size] : llvm::enumerate(from))
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)) &&
        !mayAgree(size, to[window.size() + i]))
      return false;
  return true;
}

static bool canSlide(Value input, Value result, ArrayRef<int64_t> dims) {
  return llvm::is_contained(shapeOf(result), 0) ||
         llvm::none_of(dims,
                       [&](int64_t dim) { return shapeOf(input)[dim] == 0; });
}

static bool canTake(Value input, Value index, int64_t dim) {
  return shapeOf(input)[dim] != 0 || dynamicCount(shapeOf(index)) ||
         llvm::is_contained(shapeOf(index), 0);
}

static bool dotDimsValid(Value operand, ArrayRef<int64_t> batch,
                         ArrayRef<int64_t> contract) {
  int64_t rank = shapeOf(operand).size();
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : llvm::concat<const int64_t>(batch, contract)) {
    if (dim < 0 || dim >= rank || seen[dim])
      return false;
    seen.set(dim);
  }
  return true;
}

static bool dotDimsAgree(Value lhs, Value rhs, ArrayRef<int64_t> lhsDims,
                         ArrayRef<int64_t> rhsDims) {
  return llvm::all_of(llvm::zip(lhsDims, rhsDims), [&](auto pair) {
    return mayAgree(shapeOf(lhs)[std::get<0>(pair)],
                    shapeOf(rhs)[std::get<1>(pair)]);
  });
}

SmallVector<int64_t> flatir::freeDims(int64_t rank, ArrayRef<int64_t> batch,
                                      ArrayRef<int64_t> contract) {
  SmallVector<int64_t> free;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contract, dim))
      free.push_back(dim);
  return free;
}

SmallVector<int64_t> flatir::dotShape(Value lhs, Value rhs,
                                      ArrayRef<int64_t> lhsBatch,
                                      ArrayRef<int64_t> rhsBatch,
                                      ArrayRef<int64_t> lhsContract,
                                      ArrayRef<int64_t> rhsContract) {
  ArrayRef<int64_t> left = shapeOf(lhs), right = shapeOf(rhs);
  SmallVector<int64_t> shape;
  for (auto [l, r] : llvm::zip(lhsBatch, rhsBatch))
    shape.push_back(ShapedType::isDynamic(left[l]) ? right[r] : left[l]);
  for (int64_t dim : freeDims(left.size(), lhsBatch, lhsContract))
    shape.push_back(left[dim]);
  for (int64_t dim : freeDims(right.size(), rhsBatch, rhsContract))
    shape.push_back(right[dim]);
  return shape;
}

TypedAttr flatir::identityOf(ReduceKind kind, Type type) {
  Builder b(type.getContext());
  if (auto number = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = number.getFloatSemantics();
    switch (kind) {
    case ReduceKind::Max:
      return b.getFloatAttr(type, APFloat::getInf(semantics, true));
    case ReduceKind::Min:
      return b.getFloatAttr(type, APFloat::getInf(semantics, false));
    default:
      return b.getFloatAttr(type, kind == ReduceKind::Prod ? 1.0 : 0.0);
    }
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  bool isUnsigned = tripy::isUnsigned(type);
  switch (kind) {
  case ReduceKind::Max:
    return b.getIntegerAttr(type, APSInt::getMinValue(bits, isUnsigned));
  case ReduceKind::Min:
    return b.getIntegerAttr(type, APSInt::getMaxValue(bits, isUnsigned));
  case ReduceKind::Prod:
  case ReduceKind::And:
    return b.getIntegerAttr(type, APInt(bits, 1));
  case ReduceKind::Sum:
  case ReduceKind::Or:
    return b.getIntegerAttr(type, APInt(bits, 0));
  }
  llvm_unreachable("all kinds are covered");
}

static bool areTensorsAndSizes(TypeRange types) {
  return llvm::all_of(types, [](Type type) {
    return isa<IndexType>(type) || isTensorType(type);
  });
}

static bool yieldsTypes(Region &body, TypeRange types) {
  // The terminator's own verification comes later: it may be another operation.
  auto yield = dyn_cast<YieldOp>(body.front().back());
  return yield && yield.getOperandTypes() == types;
}

#include "tripy/Dialect/FlatIR/FlatIRContracts.cpp.inc"
