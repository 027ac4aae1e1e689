//===- AttentionMasks.cpp - What hides keys from queries ------------------===//

#include "AttentionMasks.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

#include <set>

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

using flatir::ComparisonDirection;

/// Elements of a constant that are looked at.
static constexpr int64_t maxLookedAt = int64_t(1) << 22;

static double numberOf(Attribute value) {
  if (auto real = dyn_cast<FloatAttr>(value))
    return real.getValueAsDouble();
  auto integer = cast<IntegerAttr>(value);
  if (integer.getType().isInteger(1))
    return integer.getValue().getBoolValue() ? 1 : 0;
  return integer.getValue().roundToDouble(
      !integer.getType().isUnsignedInteger());
}

std::optional<double> fusion::splatNumber(Value tensor) {
  while (auto *op = tensor.getDefiningOp()) {
    if (!isa<flatir::BroadcastOp, flatir::ReshapeOp, flatir::TransposeOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  auto constant = tensor.getDefiningOp<flatir::ConstantOp>();
  auto values =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!values || values.empty() || !values.isSplat())
    return std::nullopt;
  auto number = values.getSplatValue<Attribute>();
  if (!isa<FloatAttr, IntegerAttr>(number))
    return std::nullopt;
  return numberOf(number);
}

//===-- sums of sizes -----------------------------------------------------===//

/// How far sums of sizes and of positions are followed back.
static constexpr unsigned maxDepth = 12;

void LinearSize::add(OpFoldResult size, int64_t times) {
  add(size, times, maxDepth);
}

void LinearSize::add(OpFoldResult size, int64_t times, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(size)) {
    number += *constant * times;
    return;
  }
  auto value = cast<Value>(size);
  Operation *op = depth > 0 ? value.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
    sizes[value] += times;
    return;
  }
  add(op->getOperand(0), times, depth - 1);
  add(op->getOperand(1), isa<arith::AddIOp>(op) ? times : -times, depth - 1);
}

void LinearSize::add(const LinearSize &other, int64_t times) {
  number += other.number * times;
  for (auto [value, factor] : other.sizes)
    sizes[value] += factor * times;
}

std::optional<int64_t> LinearSize::constant() const {
  if (llvm::any_of(sizes, [](auto &each) { return each.second != 0; }))
    return std::nullopt;
  return number;
}

//===-- views -------------------------------------------------------------===//

static bool isView(Operation *op) {
  return isa_and_nonnull<flatir::BroadcastOp, flatir::ReshapeOp,
                         flatir::TransposeOp>(op);
}

/// Dimensions of a reshape's result for those of its input, -1 for dimensions
/// of size 1; none where it does more than to add or drop these.
static std::optional<SmallVector<int64_t>> behindReshape(flatir::ReshapeOp op) {
  ArrayRef<int64_t>
      from = cast<RankedTensorType>(op.getInput().getType()).getShape(),
      to = cast<RankedTensorType>(op.getResult().getType()).getShape();
  SmallVector<int64_t> places;
  size_t at = 0;
  for (int64_t size : from) {
    while (size != 1 && at < to.size() && to[at] == 1)
      ++at;
    if (size == 1) {
      places.push_back(-1);
      continue;
    }
    if (at == to.size() || to[at] != size)
      return std::nullopt;
    places.push_back(static_cast<int64_t>(at++));
  }
  if (!llvm::all_of(to.drop_front(at), [](int64_t size) { return size == 1; }))
    return std::nullopt;
  // Two dynamic sizes may trade factors.
  if (llvm::count_if(from, ShapedType::isDynamic) > 1)
    return std::nullopt;
  return places;
}

/// The factors of a view's result for those of its input.
static std::optional<SmallVector<int64_t>>
throughView(Operation *op, ArrayRef<int64_t> factors,
            const TensorSizes &sizes) {
  SmallVector<int64_t> result(rankOf(op->getResult(0)), 0);
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  if (auto broadcast = dyn_cast<flatir::BroadcastOp>(op)) {
    for (auto [i, dim] : llvm::enumerate(broadcast.getDims())) {
      // Whether another dimension is repeated is known at run time alone.
      if (factors[i] != 0 && from.isDynamicDim(i) &&
          sizes.get(op->getOperand(0))[i] != sizes.get(op->getResult(0))[dim])
        return std::nullopt;
      if (from.getDimSize(i) != 1)
        result[dim] = factors[i];
    }
  } else if (auto transpose = dyn_cast<flatir::TransposeOp>(op)) {
    for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
      result[i] = factors[dim];
  } else {
    auto places = behindReshape(cast<flatir::ReshapeOp>(op));
    if (!places)
      return std::nullopt;
    for (auto [i, place] : llvm::enumerate(*places))
      if (place >= 0)
        result[place] = factors[i];
  }
  return result;
}

//===-- positions ---------------------------------------------------------===//

/// Factors of the elements of a constant's dimensions, where they are linear.
template <typename T>
static std::optional<HalfSpace> linear(ArrayRef<int64_t> shape,
                                       ArrayRef<T> values) {
  HalfSpace found;
  found.factors.assign(shape.size(), 0);
  found.offset.number = values[0];
  int64_t stride = 1;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    if (shape[dim] > 1)
      found.factors[dim] = values[stride] - values[0];
    stride *= shape[dim];
  }
  SmallVector<int64_t> index(shape.size(), 0);
  for (T value : values) {
    int64_t expected = found.offset.number;
    for (auto [factor, i] : llvm::zip(found.factors, index))
      expected += factor * i;
    if (value != expected)
      return std::nullopt;
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
  return found;
}

static std::optional<HalfSpace> positionsOfConstant(flatir::ConstantOp op) {
  auto values = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!values || values.empty() || values.getNumElements() > maxLookedAt)
    return std::nullopt;
  if (!isa<IntegerType>(values.getElementType()))
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (const APInt &value : values.getValues<APInt>()) {
    if (value.getSignificantBits() > 32)
      return std::nullopt;
    numbers.push_back(value.getSExtValue());
  }
  return linear<int64_t>(values.getType().getShape(), numbers);
}

/// A tensor of integers as a linear function of its dimensions' positions.
static std::optional<HalfSpace>
positionsOf(Value tensor, const TensorSizes &sizes, unsigned depth = maxDepth) {
  Operation *op = tensor.getDefiningOp();
  auto element = dyn_cast<IntegerType>(elementTypeOf(tensor));
  if (!op || !element || element.getWidth() < 32 || element.isUnsigned())
    return std::nullopt;
  HalfSpace found;
  found.factors.assign(rankOf(tensor), 0);
  if (auto iota = dyn_cast<flatir::IotaOp>(op)) {
    found.factors[static_cast<int64_t>(iota.getDim())] = 1;
    return found;
  }
  if (auto constant = dyn_cast<flatir::ConstantOp>(op))
    return positionsOfConstant(constant);
  if (auto size = dyn_cast<flatir::FromIndexOp>(op)) {
    found.offset.add(size.getValue(), 1);
    return found;
  }
  if (auto convert = dyn_cast<flatir::ConvertOp>(op))
    return positionsOf(convert.getInput(), sizes, depth);
  if (isView(op)) {
    auto inner = positionsOf(op->getOperand(0), sizes, depth);
    auto factors =
        inner ? throughView(op, inner->factors, sizes) : std::nullopt;
    if (!factors)
      return std::nullopt;
    return HalfSpace{*factors, inner->offset};
  }
  if (auto slice = dyn_cast<flatir::SliceOp>(op)) {
    auto inner = positionsOf(slice.getInput(), sizes, depth);
    if (!inner)
      return std::nullopt;
    size_t dynamic = 0;
    for (auto [i, offset] : llvm::enumerate(slice.getStaticOffsets())) {
      OpFoldResult first =
          ShapedType::isDynamic(offset)
              ? OpFoldResult(slice.getOffsets()[dynamic++])
              : OpFoldResult(Builder(op->getContext()).getIndexAttr(offset));
      if (inner->factors[i] != 0)
        inner->offset.add(first, inner->factors[i]);
      inner->factors[i] *= slice.getStrides()[i];
    }
    return inner;
  }
  if (depth == 0 || !isa<flatir::AddOp, flatir::SubOp>(op))
    return std::nullopt;
  auto left = positionsOf(op->getOperand(0), sizes, depth - 1);
  auto right =
      left ? positionsOf(op->getOperand(1), sizes, depth - 1) : std::nullopt;
  if (!right)
    return std::nullopt;
  int64_t sign = isa<flatir::AddOp>(op) ? 1 : -1;
  for (auto [to, from] : llvm::zip(left->factors, right->factors))
    to += sign * from;
  left->offset.add(right->offset, sign);
  return left;
}

//===-- conditions --------------------------------------------------------===//

/// A choice between numbers, compared with a number: the choice's condition,
/// or its negation; none where both give the same.
static std::optional<Condition> comparedChoice(flatir::CompareOp op) {
  std::optional<double> number = splatNumber(op.getRhs());
  std::optional<Choice> choice = number ? choiceOf(op.getLhs()) : std::nullopt;
  if (!choice)
    return std::nullopt;
  auto holds = [&](double value) {
    switch (op.getDirection()) {
    case ComparisonDirection::Eq:
      return value == *number;
    case ComparisonDirection::Ne:
      return value != *number;
    case ComparisonDirection::Lt:
      return value < *number;
    case ComparisonDirection::Le:
      return value <= *number;
    case ComparisonDirection::Gt:
      return value > *number;
    case ComparisonDirection::Ge:
      return value >= *number;
    }
    llvm_unreachable("all comparisons are above");
  };
  bool ifTrue = holds(choice->ifTrue);
  if (ifTrue == holds(choice->ifFalse))
    return std::nullopt;
  Condition condition = choice->condition;
  condition.isNegated ^= !ifTrue;
  return condition;
}

/// Whether this, or its negation, says that an absolute value is at most some
/// number, or less than it.
static bool isBand(flatir::CompareOp op, bool isNegated) {
  ComparisonDirection direction = op.getDirection();
  bool isLess = direction == ComparisonDirection::Le ||
                direction == ComparisonDirection::Lt;
  bool isMore = direction == ComparisonDirection::Ge ||
                direction == ComparisonDirection::Gt;
  return op.getLhs().getDefiningOp<flatir::AbsOp>() &&
         (isNegated ? isMore : isLess);
}

namespace {
/// Goes from a condition to those that it is a conjunction of.
class Conditions {
public:
  void visit(Value tensor, SmallVector<Operation *> views, bool isNegated);
  SmallVector<Condition> found;

private:
  /// A condition that is met again says nothing more.
  std::set<std::tuple<const void *, std::vector<Operation *>, bool>> visited;
};
} // namespace

void Conditions::visit(Value tensor, SmallVector<Operation *> views,
                       bool isNegated) {
  if (!visited
           .insert({tensor.getAsOpaquePointer(),
                    {views.begin(), views.end()},
                    isNegated})
           .second)
    return;
  Operation *op = tensor.getDefiningOp();
  if (isView(op)) {
    views.insert(views.begin(), op);
    return visit(op->getOperand(0), views, isNegated);
  }
  if (auto negation = dyn_cast_or_null<flatir::LogicalNotOp>(op))
    return visit(negation->getOperand(0), views, !isNegated);
  if (isNegated ? isa_and_nonnull<flatir::LogicalOrOp>(op)
                : isa_and_nonnull<flatir::LogicalAndOp>(op)) {
    visit(op->getOperand(0), views, isNegated);
    return visit(op->getOperand(1), views, isNegated);
  }
  bool isBounded = isa_and_nonnull<flatir::ConstantOp>(op);
  if (auto compare = dyn_cast_or_null<flatir::CompareOp>(op)) {
    isBounded = isBand(compare, isNegated);
    if (std::optional<Condition> inner = comparedChoice(compare)) {
      llvm::append_range(inner->views, views);
      return visit(inner->leaf, inner->views, isNegated ^ inner->isNegated);
    }
  }
  if (!isBounded)
    return found.push_back({tensor, std::move(views), isNegated, Bound::All});
  for (Bound bound : {Bound::Upper, Bound::Lower})
    found.push_back({tensor, views, isNegated, bound});
}

SmallVector<Condition> fusion::conditionsOf(Value tensor, bool isNegated) {
  Conditions conditions;
  conditions.visit(tensor, {}, isNegated);
  return std::move(conditions.found);
}

/// What a tensor is a view of, and the views, innermost first.
static std::pair<Operation *, SmallVector<Operation *>>
behindViews(Value tensor) {
  SmallVector<Operation *> views;
  Operation *op = tensor.getDefiningOp();
  while (isView(op)) {
    views.insert(views.begin(), op);
    op = op->getOperand(0).getDefiningOp();
  }
  return {op, views};
}

std::optional<Choice> fusion::choiceOf(Value tensor) {
  auto [op, views] = behindViews(tensor);
  if (auto convert = dyn_cast_or_null<flatir::ConvertOp>(op)) {
    if (elementTypeOf(convert.getInput()).isInteger(1))
      return Choice{{convert.getInput(), views, false}, 1, 0};
    // Converted numbers may be rounded: the type of the choice decides.
    return std::nullopt;
  }
  auto select = dyn_cast_or_null<flatir::SelectOp>(op);
  if (!select)
    return std::nullopt;
  std::optional<double> ifTrue = splatNumber(select.getInput()),
                        ifFalse = splatNumber(select.getOther());
  if (!ifTrue || !ifFalse)
    return std::nullopt;
  return Choice{{select.getCondition(), views, false}, *ifTrue, *ifFalse};
}

std::optional<Choice> fusion::constantChoiceOf(Value tensor,
                                               ConstantMasks &constants) {
  auto [op, views] = behindViews(tensor);
  auto constant = dyn_cast_or_null<flatir::ConstantOp>(op);
  std::optional<double> low =
      constant ? constants.lowOf(constant) : std::nullopt;
  if (!low)
    return std::nullopt;
  return Choice{{constant, views, false}, 0, *low};
}

//===-- constants ---------------------------------------------------------===//

static DenseElementsAttr maskOf(flatir::ConstantOp op) {
  auto values = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!values || values.isSplat() || values.getNumElements() > maxLookedAt)
    return {};
  unsigned width = values.getElementType().getIntOrFloatBitWidth();
  bool isKnown =
      values.getElementType().isInteger(1) ||
      (isa<FloatType>(values.getElementType()) && (width == 16 || width == 32));
  return isKnown ? values : DenseElementsAttr();
}

/// The bits of floats of 16 or 32 bits.
static void forBits(DenseElementsAttr floats,
                    llvm::function_ref<void(uint32_t)> body) {
  ArrayRef<char> raw = floats.getRawData();
  size_t bytes = floats.getElementType().getIntOrFloatBitWidth() / 8;
  for (size_t at = 0; at < raw.size(); at += bytes) {
    uint32_t bits = 0;
    std::memcpy(&bits, raw.data() + at, bytes);
    body(bits);
  }
}

/// The bits of a number without its sign.
static uint32_t magnitude(uint32_t bits, Type element) {
  return bits & ((uint32_t(1) << (element.getIntOrFloatBitWidth() - 1)) - 1);
}

std::optional<double> ConstantMasks::lowOf(flatir::ConstantOp op) {
  DenseElementsAttr values = maskOf(op);
  auto element =
      values ? dyn_cast<FloatType>(values.getElementType()) : nullptr;
  if (!element)
    return std::nullopt;
  auto [known, isNew] = lows.try_emplace(values);
  if (!isNew)
    return known->second;
  std::optional<uint32_t> low;
  bool isOne = true;
  forBits(values, [&](uint32_t bits) {
    if (magnitude(bits, element) == 0)
      return;
    isOne &= bits == low.value_or(bits);
    low = bits;
  });
  if (!isOne || !low)
    return std::nullopt;
  APFloat number(element.getFloatSemantics(), APInt(element.getWidth(), *low));
  if (!number.isNaN())
    known->second = number.convertToDouble();
  return known->second;
}

/// Truth values, and whether floats are 0.
static SmallVector<bool> truthsOf(DenseElementsAttr values) {
  if (values.getElementType().isInteger(1))
    return SmallVector<bool>(values.getValues<bool>());
  SmallVector<bool> truths;
  truths.reserve(values.getNumElements());
  forBits(values, [&](uint32_t bits) {
    truths.push_back(magnitude(bits, values.getElementType()) == 0);
  });
  return truths;
}

static std::optional<ConstantMasks::Band> readBand(DenseElementsAttr values,
                                                   bool isNegated) {
  ConstantMasks::Band band;
  ArrayRef<int64_t> shape = values.getType().getShape();
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size != 1)
      band.dims.push_back(static_cast<int64_t>(dim));
  if (band.dims.size() < 2)
    return std::nullopt;
  band.dims.erase(band.dims.begin(), band.dims.end() - 2);
  int64_t rows = shape[band.dims[0]], columns = shape[band.dims[1]];
  SmallVector<bool> seen = truthsOf(values);
  for (size_t i = rows * columns; i < seen.size(); ++i)
    if (seen[i] != seen[i - rows * columns])
      return std::nullopt;
  auto at = [&](int64_t row, int64_t column) {
    return seen[row * columns + column] != isNegated;
  };
  // The ends, from rows that have them inside.
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column + 1 < columns; ++column) {
      if (at(row, column) && !at(row, column + 1))
        band.last = column - row;
      if (!at(row, column) && at(row, column + 1))
        band.first = column + 1 - row;
    }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (at(row, column) != ((!band.first || column >= row + *band.first) &&
                              (!band.last || column <= row + *band.last)))
        return std::nullopt;
  return band;
}

const std::optional<ConstantMasks::Band> &
ConstantMasks::bandOf(flatir::ConstantOp op, bool isNegated) {
  static const std::optional<Band> none;
  DenseElementsAttr values = maskOf(op);
  if (!values)
    return none;
  auto [known, isNew] = (isNegated ? others : bands).try_emplace(values);
  if (isNew)
    known->second = readBand(values, isNegated);
  return known->second;
}

static std::optional<HalfSpace> positionsOfBand(flatir::ConstantOp op,
                                                const Condition &condition,
                                                ConstantMasks &constants) {
  const std::optional<ConstantMasks::Band> &band =
      constants.bandOf(op, condition.isNegated);
  if (!band)
    return std::nullopt;
  HalfSpace found;
  found.factors.assign(rankOf(op), 0);
  bool isUpper = condition.bound == Bound::Upper;
  std::optional<int64_t> end = isUpper ? band->last : band->first;
  if (!end)
    return found;
  found.factors[band->dims[0]] = isUpper ? 1 : -1;
  found.factors[band->dims[1]] = isUpper ? -1 : 1;
  found.offset.number = isUpper ? *end : -*end;
  return found;
}

static HalfSpace negated(const HalfSpace &positions) {
  HalfSpace found;
  for (int64_t factor : positions.factors)
    found.factors.push_back(-factor);
  found.offset.add(positions.offset, -1);
  return found;
}

/// left - right >= 0, > 0, <= 0 or < 0, or the opposite.
static std::optional<HalfSpace> compared(flatir::CompareOp op,
                                         const Condition &condition,
                                         const TensorSizes &sizes) {
  bool isNegated = condition.isNegated;
  Value lhs = op.getLhs();
  if (condition.bound != Bound::All)
    lhs = lhs.getDefiningOp()->getOperand(0);
  auto left = positionsOf(lhs, sizes);
  auto right = left ? positionsOf(op.getRhs(), sizes) : std::nullopt;
  if (!right)
    return std::nullopt;
  // Beyond, positions in 32 bits may wrap around.
  constexpr int64_t largestOffset = int64_t(1) << 30;
  for (const HalfSpace &side : {*left, *right})
    if (std::abs(side.offset.number) > largestOffset)
      return std::nullopt;
  // x >= -c is -x <= c.
  if (condition.bound == Bound::Lower)
    *left = negated(*left);
  for (auto [to, from] : llvm::zip(left->factors, right->factors))
    to -= from;
  left->offset.add(right->offset, -1);
  ComparisonDirection direction = op.getDirection();
  bool isLess = direction == ComparisonDirection::Le ||
                direction == ComparisonDirection::Lt;
  bool isStrict = direction == ComparisonDirection::Lt ||
                  direction == ComparisonDirection::Gt;
  if (direction == ComparisonDirection::Eq ||
      direction == ComparisonDirection::Ne)
    return std::nullopt;
  HalfSpace found = isLess ? negated(*left) : *left;
  if (isStrict)
    found.offset.number -= 1;
  if (isNegated) {
    found = negated(found);
    found.offset.number -= 1;
  }
  return found;
}

std::optional<HalfSpace> fusion::halfSpaceOf(const Condition &condition,
                                             const TensorSizes &sizes,
                                             ConstantMasks &constants) {
  Operation *op = condition.leaf.getDefiningOp();
  std::optional<HalfSpace> found;
  if (auto constant = dyn_cast_or_null<flatir::ConstantOp>(op))
    found = positionsOfBand(constant, condition, constants);
  else if (auto compare = dyn_cast_or_null<flatir::CompareOp>(op))
    found = compared(compare, condition, sizes);
  for (Operation *view : condition.views) {
    if (!found)
      return std::nullopt;
    auto factors = throughView(view, found->factors, sizes);
    if (!factors)
      return std::nullopt;
    found->factors = *factors;
  }
  return found;
}
