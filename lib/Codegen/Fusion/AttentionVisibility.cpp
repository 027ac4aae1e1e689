//===- AttentionVisibility.cpp - Which keys the queries of attention see --===//
//
// What hides keys by how far they are from each query is a causal mask or a
// window of the kernel; the rest is a mask.
//
//===----------------------------------------------------------------------===//

#include "AttentionBuilder.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Takes that a query sees the keys up to `offset` after the one of its
/// number: a causal mask, or a window's right side.
bool AttentionBuilder::readKeysAfter(LinearSize offset) {
  LinearSize fromEnd = offset;
  fromEnd.add(axes.sizeOf(pattern.keys[0]), -1);
  fromEnd.add(axes.sizeOf(*seen.queries), 1);
  std::optional<int64_t> behind = offset.constant();
  auto causal = behind == 0               ? kernel::Causal::TopLeft
                : fromEnd.constant() == 0 ? kernel::Causal::BottomRight
                                          : kernel::Causal::None;
  if (causal == kernel::Causal::None &&
      (!behind || *behind < 0 || *behind > kernel::AttentionOp::maxWindow))
    return false;
  // Both count from the same key, or the second one is left to the mask.
  bool isFromEnd = causal == kernel::Causal::BottomRight;
  if (seen.causal != kernel::Causal::None)
    return (seen.causal == kernel::Causal::BottomRight) == isFromEnd;
  if (isFromEnd && (seen.left || seen.right))
    return false;
  if (causal != kernel::Causal::None) {
    seen.causal = causal;
    seen.right.reset();
    return true;
  }
  seen.right = std::min(*behind, seen.right.value_or(*behind));
  return true;
}

/// Takes that a query sees the keys from `offset` before the one of its number
/// on: a window's left side.
bool AttentionBuilder::readKeysBefore(LinearSize offset) {
  if (seen.causal == kernel::Causal::BottomRight) {
    offset.add(axes.sizeOf(pattern.keys[0]), 1);
    offset.add(axes.sizeOf(*seen.queries), -1);
  }
  std::optional<int64_t> before = offset.constant();
  if (!before || *before < 0 || *before > kernel::AttentionOp::maxWindow)
    return false;
  seen.left = std::min(*before, seen.left.value_or(*before));
  return true;
}

/// Whether each of `rows` queries sees one of `columns` keys for certain.
static bool seesSomeKey(const Visibility &seen, OpFoldResult rows,
                        OpFoldResult columns) {
  auto m = getConstantIntValue(rows), n = getConstantIntValue(columns);
  bool hasOwn = rows == columns || (m && n && *m <= *n);
  return hasOwn || (!seen.left && seen.causal != kernel::Causal::BottomRight);
}

/// Takes a condition that hides keys by how far they are after each query, or
/// before it; false for others.
bool AttentionBuilder::readCondition(const Condition &condition,
                                     const DimAxes &dims, bool areAfter) {
  std::optional<HalfSpace> half =
      halfSpaceOf(condition, program.sizes, program.constantMasks);
  if (!half)
    return false;
  if (llvm::all_of(half->factors, [](int64_t factor) { return factor == 0; }))
    return half->offset.constant().value_or(-1) >= 0;
  std::optional<unsigned> query;
  int64_t ofQuery = 0, ofKey = 0;
  for (auto [factor, list] : llvm::zip(half->factors, dims)) {
    Axes own = axes.flat(list);
    if (factor == 0 || own.empty())
      continue;
    if (own.size() != 1)
      return false;
    if (ofKey == 0 && pattern.keys == own)
      ofKey = factor;
    else if (!query && llvm::is_contained(pattern.rows, own[0])) {
      query = own[0];
      ofQuery = factor;
    } else
      return false;
  }
  if (!query || ofKey != (areAfter ? -1 : 1) || ofQuery != -ofKey ||
      (seen.queries && seen.queries != query))
    return false;
  // Those that share keys are a group of static size.
  for (unsigned axis : pattern.rows)
    if (axis != *query && !getConstantIntValue(axes.sizeOf(axis)))
      return false;
  std::optional<unsigned> before = seen.queries;
  seen.queries = query;
  if (areAfter ? readKeysAfter(half->offset) : readKeysBefore(half->offset)) {
    seen.seesSome =
        seesSomeKey(seen, axes.sizeOf(*query), axes.sizeOf(pattern.keys[0]));
    return true;
  }
  seen.queries = before;
  return false;
}

/// Whether no score is as low as `number`, by far: a power relative to such a
/// score is 1, and one of `number` is 0. A bias may be any number.
bool AttentionBuilder::isBeyondScores(double number) const {
  if (!pattern.biases.empty())
    return false;
  if (number <= nearOverflow)
    return true;
  constexpr double largest = 65504, maxPowers = 128;
  if (!elementTypeOf(pattern.query.tensor).isF16())
    return false;
  // A cap makes no score larger.
  double bound = largest * largest * std::abs(pattern.scale);
  for (unsigned axis : pattern.depth) {
    std::optional<int64_t> size = getConstantIntValue(axes.sizeOf(axis));
    if (!size)
      return false;
    bound *= static_cast<double>(*size);
  }
  return number < -bound - maxPowers;
}

/// Takes what hides keys by their place; the others are left to the mask.
void AttentionBuilder::takePlaces(ArrayRef<HiddenKeys> all) {
  SmallVector<bool> isRead(all.size(), false);
  // A causal mask says which key is a query's own: windows count from it.
  for (bool areAfter : {true, false})
    for (auto [isRead, each] : llvm::zip(isRead, all))
      isRead = isRead || readCondition(each.condition, each.dims, areAfter);
  for (auto [isRead, each] : llvm::zip(isRead, all))
    if (!isRead)
      leaveToMask(each);
}

/// Both bounds of a band are one condition, or one bias.
void AttentionBuilder::leaveToMask(const HiddenKeys &keys) {
  if (lastLeft == keys.origin)
    return;
  lastLeft = keys.origin;
  if (keys.bias)
    pattern.biases.push_back(*keys.bias);
  else
    seen.conditions.push_back({keys.condition, keys.dims});
}

/// Conditions of all that hides keys: fills, and biases that do nothing else.
/// Those are taken from the pattern.
std::vector<HiddenKeys> AttentionBuilder::takeHiddenKeys() {
  std::vector<HiddenKeys> all;
  unsigned origin = 0;
  auto add = [&](Value tensor, bool isNegated, ArrayRef<Operation *> views,
                 const DimAxes &dims, double number) {
    for (Condition &each : conditionsOf(tensor, isNegated)) {
      llvm::append_range(each.views, views);
      origin += each.bound != Bound::Lower;
      all.push_back({each, dims, number, origin, std::nullopt});
    }
  };
  for (const ScoreFill &fill : pattern.fills)
    add(fill.tensor.tensor, !fill.isSeenWhereTrue, {}, fill.tensor.dims,
        fill.fill);
  SmallVector<ScoreBias> added;
  for (const ScoreBias &bias : pattern.biases) {
    const auto &[tensor, dims] = bias.tensor;
    std::optional<Choice> choice = choiceOf(tensor);
    if (choice && choice->ifTrue != 0) {
      std::swap(choice->ifTrue, choice->ifFalse);
      choice->condition.isNegated ^= true;
    }
    if (choice && choice->ifTrue == 0 && pattern.fills.empty() &&
        choice->ifFalse * bias.factor == -infinity) {
      add(choice->condition.leaf, choice->condition.isNegated,
          choice->condition.views, dims, -infinity);
      continue;
    }
    // Elements of a constant of floats are seen by their place, or stay.
    choice = constantChoiceOf(tensor, program.constantMasks);
    double low = choice ? choice->ifFalse * bias.factor : 0;
    if (low > nearOverflow) {
      added.push_back(bias);
      continue;
    }
    ++origin;
    for (Bound bound : {Bound::Upper, Bound::Lower}) {
      choice->condition.bound = bound;
      all.push_back({choice->condition, dims, low, origin, bias});
    }
  }
  pattern.biases = std::move(added);
  return all;
}

/// A finite number hides as minus infinity does where no visible score is as
/// low, and each query has one. Else it stays: as a number that is added, or
/// one that takes the place of scores, of all that are hidden then.
void AttentionBuilder::readFills() {
  std::vector<HiddenKeys> all = takeHiddenKeys();
  SmallVector<ScoreBias> others(pattern.biases);
  takePlaces(all);
  auto isFinite = [](const HiddenKeys &keys) {
    return std::isfinite(keys.number);
  };
  bool isRead =
      seen.conditions.empty() && pattern.biases.size() == others.size();
  if (llvm::none_of(all, isFinite) ||
      (isRead && seen.seesSome &&
       llvm::all_of(all, [&](const HiddenKeys &keys) {
         return isBeyondScores(keys.number);
       })))
    return;
  seen = Visibility();
  lastLeft.reset();
  pattern.biases = std::move(others);
  std::vector<HiddenKeys> infinite;
  for (const HiddenKeys &keys : all) {
    if (!isFinite(keys))
      infinite.push_back(keys);
    else if (keys.bias)
      leaveToMask(keys);
  }
  if (pattern.fills.empty() || std::isinf(pattern.fills.front().fill))
    return takePlaces(infinite);
  seen.hidden = pattern.fills.front().fill;
  for (const HiddenKeys &keys : all)
    if (!keys.bias || !isFinite(keys))
      leaveToMask(keys);
}
