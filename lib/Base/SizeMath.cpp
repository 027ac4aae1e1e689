//===- SizeMath.cpp - Arithmetic on sizes and on their ranges -------------===//

#include "tripy/Base/SizeMath.h"
#include "tripy/Base/CheckedMath.h"

#include <algorithm>
#include <array>
#include <initializer_list>

using namespace tripy;

//===-- values ------------------------------------------------------------===//

std::optional<int64_t> tripy::evaluateSizeOp(SizeOp op, int64_t a, int64_t b) {
  switch (op) {
  case SizeOp::Constant:
  case SizeOp::Symbol:
    return std::nullopt;
  case SizeOp::Add:
    return checkedAdd(a, b);
  case SizeOp::Sub:
    return checkedSub(a, b);
  case SizeOp::Mul:
    return checkedMul(a, b);
  case SizeOp::FloorDiv:
    return checkedFloorDiv(a, b);
  case SizeOp::CeilDiv:
    return checkedCeilDiv(a, b);
  case SizeOp::Mod:
    return checkedMod(a, b);
  case SizeOp::Min:
    return std::min(a, b);
  case SizeOp::Max:
    return std::max(a, b);
  case SizeOp::Broadcast:
    return a == 1 ? b : a;
  case SizeOp::Equal:
    return a == b ? 1 : 0;
  case SizeOp::Div:
    return checkedDiv(a, b);
  case SizeOp::Rem:
    return checkedRem(a, b);
  case SizeOp::And:
    return a & b;
  case SizeOp::Or:
    return a | b;
  case SizeOp::Xor:
    return a ^ b;
  }
  return std::nullopt;
}

bool tripy::isCommutative(SizeOp op) {
  switch (op) {
  case SizeOp::Add:
  case SizeOp::Mul:
  case SizeOp::Min:
  case SizeOp::Max:
  case SizeOp::Equal:
  case SizeOp::And:
  case SizeOp::Or:
  case SizeOp::Xor:
    return true;
  default:
    return false;
  }
}

//===-- ranges ------------------------------------------------------------===//

namespace {
/// Holds the exact sum, product or quotient of two numbers of 64 bits.
using Wide = __int128;
struct WideInterval {
  Wide lo, hi;
};
} // namespace

static constexpr int64_t lowest = anySize.lo, highest = anySize.hi;

Interval tripy::unite(Interval a, Interval b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

/// Values of 64 bits, and whether some or all of the exact ones have more.
static SizeBound limit(WideInterval exact) {
  SizeBound bound;
  bound.alwaysFails = exact.lo > highest || exact.hi < lowest;
  bound.mayFail = exact.lo < lowest || exact.hi > highest;
  bound.values = anySize;
  if (!bound.alwaysFails)
    bound.values = {int64_t(std::max<Wide>(exact.lo, lowest)),
                    int64_t(std::min<Wide>(exact.hi, highest))};
  return bound;
}

/// The extremes of what is monotonic in each operand alone.
template <typename Function>
static WideInterval corners(Interval a, Interval b, Function function) {
  auto [lo, hi] = std::minmax(
      {function(Wide(a.lo), Wide(b.lo)), function(Wide(a.lo), Wide(b.hi)),
       function(Wide(a.hi), Wide(b.lo)), function(Wide(a.hi), Wide(b.hi))});
  return {lo, hi};
}

static Wide divide(SizeOp op, Wide a, Wide b) {
  Wide quotient = a / b;
  bool exact = a % b == 0, negative = (a < 0) != (b < 0);
  if (op == SizeOp::FloorDiv)
    return quotient - (!exact && negative ? 1 : 0);
  if (op == SizeOp::CeilDiv)
    return quotient + (!exact && !negative ? 1 : 0);
  return quotient;
}

/// Bounds over the divisors that are not 0, by the range that `bound` gives for
/// those below and those above.
template <typename Bound>
static SizeBound boundBySign(Interval divisors, Bound bound) {
  std::optional<WideInterval> exact;
  auto add = [&](int64_t lo, int64_t hi) {
    if (lo > hi)
      return;
    WideInterval part = bound(Interval{lo, hi});
    exact = exact ? WideInterval{std::min(exact->lo, part.lo),
                                 std::max(exact->hi, part.hi)}
                  : part;
  };
  add(divisors.lo, std::min<int64_t>(divisors.hi, -1));
  add(std::max<int64_t>(divisors.lo, 1), divisors.hi);
  if (!exact)
    return {anySize, true, true};
  SizeBound result = limit(*exact);
  result.mayFail |= divisors.contains(0);
  return result;
}

static SizeBound boundQuotient(SizeOp op, Interval a, Interval b) {
  return boundBySign(b, [&](Interval divisors) {
    return corners(a, divisors,
                   [&](Wide x, Wide y) { return divide(op, x, y); });
  });
}

/// The divisors have one sign.
static WideInterval boundRest(SizeOp op, Interval a, Interval divisors) {
  if (a.isPoint() && divisors.isPoint()) {
    int64_t value = *evaluateSizeOp(op, a.lo, divisors.lo);
    return {value, value};
  }
  bool negative = divisors.hi < 0;
  Wide least = negative ? -Wide(divisors.hi) : Wide(divisors.lo);
  Wide maximum = negative ? -Wide(divisors.lo) : Wide(divisors.hi);
  // Dividends closer to 0 than every divisor are their own remainders, as far
  // as signs agree.
  bool small = a.lo > -least && a.hi < least;
  WideInterval rest = {std::max<Wide>(a.lo, 1 - maximum),
                       std::min<Wide>(a.hi, maximum - 1)};
  if (op == SizeOp::Mod) {
    if (small && (negative ? a.hi <= 0 : a.lo >= 0))
      return {a.lo, a.hi};
    if (negative)
      return {a.hi <= 0 ? rest.lo : 1 - maximum, 0};
    return {0, a.lo >= 0 ? rest.hi : maximum - 1};
  }
  if (small)
    return {a.lo, a.hi};
  return {a.lo < 0 ? rest.lo : 0, a.hi > 0 ? rest.hi : 0};
}

/// 2^k - 1 for the least k with -2^k <= value < 2^k.
static int64_t maskOf(int64_t value) {
  uint64_t magnitude = value < 0 ? ~uint64_t(value) : uint64_t(value);
  int64_t mask = 0;
  while (uint64_t(mask) < magnitude)
    mask = mask * 2 + 1;
  return mask;
}

static Interval complement(Interval a) { return {~a.hi, ~a.lo}; }

static Interval boundAnd(Interval a, Interval b) {
  int64_t mask = std::max(maskOf(a.lo), maskOf(b.lo));
  int64_t lo = a.lo >= 0 || b.lo >= 0 ? 0 : -mask - 1;
  // x & y is at most each operand that is not negative.
  if (a.lo >= 0 && b.lo >= 0)
    return {lo, std::min(a.hi, b.hi)};
  if (a.lo >= 0 || b.lo >= 0)
    return {lo, a.lo >= 0 ? a.hi : b.hi};
  return {lo, std::max(a.hi, b.hi)};
}

static Interval boundXor(Interval a, Interval b) {
  int64_t mask = std::max(std::max(maskOf(a.lo), maskOf(a.hi)),
                          std::max(maskOf(b.lo), maskOf(b.hi)));
  bool sameSign = (a.lo >= 0 && b.lo >= 0) || (a.hi < 0 && b.hi < 0);
  bool otherSign = (a.lo >= 0 && b.hi < 0) || (a.hi < 0 && b.lo >= 0);
  return {sameSign ? 0 : -mask - 1, otherSign ? -1 : mask};
}

static Interval boundBits(SizeOp op, Interval a, Interval b) {
  if (a.isPoint() && b.isPoint()) {
    int64_t value = *evaluateSizeOp(op, a.lo, b.lo);
    return {value, value};
  }
  if (op == SizeOp::And)
    return boundAnd(a, b);
  if (op == SizeOp::Or) // x | y = ~(~x & ~y)
    return complement(boundAnd(complement(a), complement(b)));
  return boundXor(a, b);
}

static Interval boundBroadcast(Interval a, Interval b) {
  if (!a.contains(1))
    return a;
  if (a.isPoint())
    return b;
  // Either b, when a is 1, or an a other than 1.
  Interval rest = {a.lo == 1 ? 2 : a.lo, a.hi == 1 ? 0 : a.hi};
  return unite(rest, b);
}

static Interval boundEqual(Interval a, Interval b) {
  if (a.hi < b.lo || b.hi < a.lo)
    return {0, 0};
  if (a.isPoint() && b.isPoint())
    return {1, 1};
  return {0, 1};
}

SizeBound tripy::boundSizeOp(SizeOp op, Interval a, Interval b) {
  switch (op) {
  case SizeOp::Constant:
  case SizeOp::Symbol:
    break;
  case SizeOp::Add:
    return limit({Wide(a.lo) + b.lo, Wide(a.hi) + b.hi});
  case SizeOp::Sub:
    return limit({Wide(a.lo) - b.hi, Wide(a.hi) - b.lo});
  case SizeOp::Mul:
    return limit(corners(a, b, [](Wide x, Wide y) { return x * y; }));
  case SizeOp::Min:
    return {{std::min(a.lo, b.lo), std::min(a.hi, b.hi)}};
  case SizeOp::Max:
    return {{std::max(a.lo, b.lo), std::max(a.hi, b.hi)}};
  case SizeOp::FloorDiv:
  case SizeOp::CeilDiv:
  case SizeOp::Div:
    return boundQuotient(op, a, b);
  case SizeOp::Mod:
  case SizeOp::Rem:
    return boundBySign(
        b, [&](Interval divisors) { return boundRest(op, a, divisors); });
  case SizeOp::Broadcast:
    return {boundBroadcast(a, b)};
  case SizeOp::Equal:
    return {boundEqual(a, b)};
  case SizeOp::And:
  case SizeOp::Or:
  case SizeOp::Xor:
    return {boundBits(op, a, b)};
  }
  return {anySize, true, true};
}

//===-- conditions --------------------------------------------------------===//

static constexpr std::array checkKinds = {
    CheckKindInfo{CheckKind::Equal, "equal", std::nullopt, ""},
    CheckKindInfo{CheckKind::Broadcastable, "broadcastable", std::nullopt, ""},
    CheckKindInfo{CheckKind::LessEqual, "at_most", std::nullopt, ""},
    CheckKindInfo{CheckKind::Sum, "sum", SizeOp::Add,
                  "the sum of two sizes must fit 64 bits"},
    CheckKindInfo{CheckKind::Difference, "difference", SizeOp::Sub,
                  "the difference of two sizes must fit 64 bits"},
    CheckKindInfo{CheckKind::Product, "product", SizeOp::Mul,
                  "the product of two sizes must fit 64 bits"},
    CheckKindInfo{CheckKind::Quotient, "quotient", SizeOp::Div,
                  "a size must be divided by another number than 0, and the "
                  "quotient must fit 64 bits"},
    CheckKindInfo{CheckKind::Remainder, "remainder", SizeOp::Rem,
                  "the remainder of a size must be that of a division by "
                  "another number than 0"},
};

std::span<const CheckKindInfo> tripy::checkKindTable() { return checkKinds; }

const CheckKindInfo *tripy::findCheckKind(CheckKind kind) {
  for (const CheckKindInfo &info : checkKinds)
    if (info.kind == kind)
      return &info;
  return nullptr;
}

const CheckKindInfo *tripy::findCheckKind(std::string_view name) {
  for (const CheckKindInfo &info : checkKinds)
    if (info.name == name)
      return &info;
  return nullptr;
}

const CheckKindInfo *tripy::conditionOf(SizeOp op) {
  switch (op) {
  case SizeOp::Add:
    return findCheckKind(CheckKind::Sum);
  case SizeOp::Sub:
    return findCheckKind(CheckKind::Difference);
  case SizeOp::Mul:
    return findCheckKind(CheckKind::Product);
  case SizeOp::FloorDiv:
  case SizeOp::CeilDiv:
  case SizeOp::Div:
    return findCheckKind(CheckKind::Quotient);
  case SizeOp::Mod:
  case SizeOp::Rem:
    return findCheckKind(CheckKind::Remainder);
  default:
    return nullptr;
  }
}

bool tripy::holds(CheckKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case CheckKind::Equal:
    return a == b;
  case CheckKind::Broadcastable:
    return a == b || a == 1 || b == 1;
  case CheckKind::LessEqual:
    return a <= b;
  default: {
    const CheckKindInfo *info = findCheckKind(kind);
    return info && info->op && evaluateSizeOp(*info->op, a, b);
  }
  }
}

std::optional<bool> tripy::decide(CheckKind kind, Interval a, Interval b) {
  bool disjoint = a.hi < b.lo || b.hi < a.lo;
  bool same = a.isPoint() && a == b;
  auto answer = [](bool always, bool never) {
    return always  ? std::optional(true)
           : never ? std::optional(false)
                   : std::nullopt;
  };
  switch (kind) {
  case CheckKind::Equal:
    return answer(same, disjoint);
  case CheckKind::Broadcastable:
    return answer(same || a.isPoint(1) || b.isPoint(1),
                  disjoint && !a.contains(1) && !b.contains(1));
  case CheckKind::LessEqual:
    return answer(a.hi <= b.lo, a.lo > b.hi);
  default: {
    const CheckKindInfo *info = findCheckKind(kind);
    if (!info || !info->op)
      return std::nullopt;
    SizeBound bound = boundSizeOp(*info->op, a, b);
    return answer(!bound.mayFail, bound.alwaysFails);
  }
  }
}
