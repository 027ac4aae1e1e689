//===- IndexMath.cpp - Folding index arithmetic ---------------------------===//

#include "IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

using Index = IndexMath::Index;

/// The factor reported for 0, which every number divides.
static constexpr int64_t allFactors = int64_t(1) << 30;

std::optional<int64_t> IndexMath::constantOf(Index index) {
  return getConstantIntValue(index);
}

Value IndexMath::value(Index index) {
  if (auto held = dyn_cast<Value>(index))
    return held;
  const void *key = cast<Attribute>(index).getAsOpaquePointer();
  for (auto &scope : llvm::reverse(scopes))
    if (auto it = scope.find({0, key, nullptr}); it != scope.end())
      return it->second;
  Value made = arith::ConstantIndexOp::create(builder, loc, *constantOf(index));
  scopes.back()[{0, key, nullptr}] = made;
  return made;
}

/// Whether `value` is what narrowed() gave, or a division of that.
static bool isNarrowed(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto wide = dyn_cast<arith::IndexCastUIOp>(op))
      return wide.getIn().getType().isInteger(32);
    if (!isa<arith::DivUIOp, arith::RemUIOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// `Op` of 32 bits by a number that is no power of two: LLVM has one of 64 bits
/// where it knows high bits to be zero by other means than a conversion. Null
/// where `a` or `by` is wide.
template <typename Op> Value IndexMath::narrowDivision(Index a, Index by) {
  auto value = dyn_cast<Value>(a);
  if (!value || !isNarrowed(value) || !isNarrow(by))
    return Value();
  std::optional<int64_t> divisor = constantOf(by);
  if (divisor && (*divisor <= 0 || llvm::isPowerOf2_64(*divisor)))
    return Value();
  Type type = builder.getI32Type();
  auto low = [&](Value wide) -> Value {
    return arith::IndexCastUIOp::create(builder, loc, type, wide);
  };
  Value dividend = low(value);
  Value made = Op::create(
      builder, loc, dividend,
      divisor ? arith::ConstantOp::create(builder, loc,
                                          builder.getI32IntegerAttr(*divisor))
              : low(cast<Value>(by)));
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      made);
}

template <typename Op>
Index IndexMath::build(int kind, Index a, Index b, bool commutes) {
  const void *left = a.getOpaqueValue(), *right = b.getOpaqueValue();
  if (commutes && right < left)
    std::swap(left, right);
  for (auto &scope : llvm::reverse(scopes))
    if (auto it = scope.find({kind, left, right}); it != scope.end())
      return it->second;
  Value made;
  if constexpr (std::is_same_v<Op, arith::DivUIOp> ||
                std::is_same_v<Op, arith::RemUIOp>)
    made = narrowDivision<Op>(a, b);
  if (!made) {
    Value lhs = value(a), rhs = value(b);
    made = Op::create(builder, loc, lhs, rhs);
  }
  if constexpr (std::is_same_v<Op, arith::DivUIOp> ||
                std::is_same_v<Op, arith::RemUIOp>)
    if (keep && !constantOf(b))
      made = keep(made);
  scopes.back()[{kind, left, right}] = made;
  return made;
}

int64_t IndexMath::factorOf(Index index) const {
  if (std::optional<int64_t> constant = constantOf(index))
    return *constant % allFactors == 0 ? allFactors : std::abs(*constant);
  auto it = known.factors.find(cast<Value>(index));
  return it == known.factors.end() ? 1 : it->second;
}

int64_t IndexMath::leastOf(Index index) const {
  if (std::optional<int64_t> constant = constantOf(index))
    return *constant;
  return known.leasts.lookup(cast<Value>(index));
}

static std::optional<SizeOp> sizeOpOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<SizeOp>>(op)
      .Case([](arith::AddIOp) { return SizeOp::Add; })
      .Case([](arith::MulIOp) { return SizeOp::Mul; })
      .Case([](arith::DivUIOp) { return SizeOp::Div; })
      .Case([](arith::MinUIOp) { return SizeOp::Min; })
      .Case([](arith::MaxUIOp) { return SizeOp::Max; })
      .Default(std::nullopt);
}

/// How many operations a size is computed with whose range is found.
static constexpr unsigned maxDepth = 8;

std::optional<kernel::SizeRange> IndexMath::rangeOf(Index index,
                                                    unsigned depth) const {
  if (std::optional<int64_t> constant = constantOf(index))
    return kernel::SizeRange{{*constant, *constant}, *constant};
  auto value = cast<Value>(index);
  if (auto found = known.ranges.find(value); found != known.ranges.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  std::optional<SizeOp> kind = op ? sizeOpOf(op) : std::nullopt;
  if (depth == 0 || !kind)
    return std::nullopt;
  auto operandOf = [&](unsigned number) {
    Attribute constant;
    Value operand = op->getOperand(number);
    if (matchPattern(operand, m_Constant(&constant)))
      return rangeOf(Index(constant), depth - 1);
    return rangeOf(Index(operand), depth - 1);
  };
  std::optional<kernel::SizeRange> a = operandOf(0), b = operandOf(1);
  if (!a || !b)
    return std::nullopt;
  SizeBound bound = boundSizeOp(*kind, a->values, b->values);
  std::optional<int64_t> opt = evaluateSizeOp(*kind, a->opt, b->opt);
  if (bound.mayFail || !opt)
    return std::nullopt;
  return kernel::SizeRange{bound.values, *opt};
}

std::optional<kernel::SizeRange> IndexMath::rangeOf(Index index) const {
  return rangeOf(index, maxDepth);
}

std::optional<int64_t> IndexMath::expectedOf(Index index) const {
  std::optional<kernel::SizeRange> range = rangeOf(index);
  return range ? std::optional(range->opt) : std::nullopt;
}

bool IndexMath::isNarrow(Index index) const {
  std::optional<kernel::SizeRange> range = rangeOf(index);
  return range && range->values.lo >= 0 && range->values.hi <= UINT32_MAX;
}

Index IndexMath::add(Index a, Index b) {
  std::optional<int64_t> ca = constantOf(a), cb = constantOf(b);
  if (ca && cb)
    return constant(*ca + *cb);
  if (ca && *ca == 0)
    return b;
  if (cb && *cb == 0)
    return a;
  int64_t factor = std::gcd(factorOf(a), factorOf(b));
  Index sum = build<arith::AddIOp>(1, a, b, /*commutes=*/true);
  setFactor(cast<Value>(sum), factor);
  return sum;
}

Index IndexMath::sub(Index a, Index b) {
  std::optional<int64_t> ca = constantOf(a), cb = constantOf(b);
  if (ca && cb)
    return constant(*ca - *cb);
  if (cb && *cb == 0)
    return a;
  int64_t factor = std::gcd(factorOf(a), factorOf(b));
  Index difference = build<arith::SubIOp>(2, a, b, false);
  setFactor(cast<Value>(difference), factor);
  return difference;
}

/// A factor of `factor` that is not above `allFactors`: its power of two, where
/// it is itself.
static int64_t cappedFactor(int64_t factor) {
  return factor <= allFactors ? factor : std::min(allFactors, factor & -factor);
}

Index IndexMath::mul(Index a, Index b) {
  std::optional<int64_t> ca = constantOf(a), cb = constantOf(b);
  if (ca && cb)
    return constant(*ca * *cb);
  if ((ca && *ca == 0) || (cb && *cb == 0))
    return constant(0);
  if (ca && *ca == 1)
    return b;
  if (cb && *cb == 1)
    return a;
  Index result = build<arith::MulIOp>(3, a, b, true);
  setFactor(cast<Value>(result), cappedFactor(cappedFactor(factorOf(a)) *
                                              cappedFactor(factorOf(b))));
  // More than a run of elements says nothing more.
  auto leastOfFactor = [&](Index index) {
    return std::min(allFactors, leastOf(index));
  };
  if (int64_t least = leastOfFactor(a) * leastOfFactor(b))
    setLeast(cast<Value>(result), std::min(allFactors, least));
  return result;
}

Index IndexMath::div(Index a, Index b) {
  std::optional<int64_t> ca = constantOf(a), cb = constantOf(b);
  if (cb && *cb == 1)
    return a;
  if (ca && cb && *cb != 0)
    return constant(*ca / *cb);
  if (ca && *ca == 0)
    return a;
  return build<arith::DivUIOp>(4, a, b, false);
}

Index IndexMath::rem(Index a, Index b) {
  std::optional<int64_t> ca = constantOf(a), cb = constantOf(b);
  if (cb && *cb == 1)
    return constant(0);
  if (ca && cb && *cb != 0)
    return constant(*ca % *cb);
  int64_t factor = std::gcd(factorOf(a), factorOf(b));
  Index remainder = build<arith::RemUIOp>(5, a, b, false);
  setFactor(cast<Value>(remainder), factor);
  return remainder;
}

Index IndexMath::ceilDiv(Index a, Index b) {
  std::optional<int64_t> ca = constantOf(a), cb = constantOf(b);
  if (cb && *cb == 1)
    return a;
  if (ca && cb && *cb != 0)
    return constant((*ca + *cb - 1) / *cb);
  return div(add(a, sub(b, constant(1))), b);
}

Index IndexMath::min(Index a, Index b) {
  std::optional<int64_t> ca = constantOf(a), cb = constantOf(b);
  if (ca && cb)
    return constant(std::min(*ca, *cb));
  return build<arith::MinUIOp>(6, a, b, true);
}

Index IndexMath::max(Index a, Index b) {
  std::optional<int64_t> ca = constantOf(a), cb = constantOf(b);
  if (ca && cb)
    return constant(std::max(*ca, *cb));
  if (ca && *ca == 0)
    return b;
  if (cb && *cb == 0)
    return a;
  return build<arith::MaxUIOp>(7, a, b, true);
}

Index IndexMath::product(ArrayRef<Index> list) {
  Index result = constant(1);
  for (Index factor : list)
    result = mul(result, factor);
  return result;
}

Index IndexMath::evaluate(AffineExpr expr, ArrayRef<Index> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto known = dyn_cast<AffineConstantExpr>(expr))
    return constant(known.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Index lhs = evaluate(binary.getLHS(), dims);
  Index rhs = evaluate(binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return add(lhs, rhs);
  case AffineExprKind::Mul:
    return mul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return div(lhs, rhs);
  case AffineExprKind::CeilDiv:
    return ceilDiv(lhs, rhs);
  default:
    return rem(lhs, rhs);
  }
}

Index IndexMath::linearize(ArrayRef<Index> indices, ArrayRef<Index> sizes) {
  // Indices that a delinearization gave and that follow each other are one
  // again, whatever is in front of them.
  SmallVector<std::pair<Index, Index>> joined;
  for (auto [index, size] : llvm::zip_equal(indices, sizes)) {
    joined.push_back({index, size});
    while (joined.size() == 2 || (joinsInside && joined.size() > 2)) {
      auto [high, outer] = joined[joined.size() - 2];
      auto [low, inner] = joined.back();
      auto it = splits.find({high.getOpaqueValue(), low.getOpaqueValue()});
      if (it == splits.end() || it->second.size != inner)
        break;
      joined.pop_back();
      joined.back() = {it->second.whole, mul(outer, inner)};
    }
  }
  Index offset = constant(0);
  for (auto [number, part] : llvm::enumerate(joined))
    offset =
        number == 0 ? part.first : add(mul(offset, part.second), part.first);
  return offset;
}

Index IndexMath::join(Index high, Index low, Index size) {
  Index whole = add(mul(high, size), low);
  joins[whole.getOpaqueValue()] = {high, low, size};
  return whole;
}

/// `linear`, which is below the product of `sizes`, with the high bits zero for
/// all to see where that is below 2^32: a division of 32 bits takes a GPU a
/// quarter of one of 64. One size divides nothing: addresses of neighbours stay
/// one register and constants, where each would be a register of its own.
Index IndexMath::narrowed(Index linear, ArrayRef<Index> sizes) {
  int64_t count = 1;
  if (!narrowDivisions || sizes.size() < 2)
    return linear;
  for (Index size : sizes) {
    std::optional<kernel::SizeRange> known = rangeOf(size);
    if (!known || known->values.lo < 0 || known->values.hi <= 0 ||
        count > UINT32_MAX / known->values.hi)
      return linear;
    count *= known->values.hi;
  }
  auto number = dyn_cast<Value>(linear);
  if (!number || joins.contains(linear.getOpaqueValue()))
    return linear;
  const Key key{8, linear.getOpaqueValue(), nullptr};
  Value wide;
  for (auto &scope : llvm::reverse(scopes))
    if (auto it = scope.find(key); !wide && it != scope.end())
      wide = it->second;
  if (!wide) {
    Value low = arith::IndexCastUIOp::create(builder, loc, builder.getI32Type(),
                                             number);
    wide =
        arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), low);
    scopes.back()[key] = wide;
  }
  setFactor(wide, factorOf(linear));
  return wide;
}

SmallVector<Index> IndexMath::delinearize(Index linear, ArrayRef<Index> sizes,
                                          bool joinedAgain) {
  SmallVector<Index> indices(sizes.size());
  Index rest = joinedAgain ? linear : narrowed(linear, sizes);
  for (size_t i = sizes.size(); i-- > 0;) {
    if (i == 0) {
      indices[0] = rest;
      break;
    }
    auto joined = joins.find(rest.getOpaqueValue());
    if (joined != joins.end() && joined->second.size == sizes[i]) {
      indices[i] = joined->second.low;
      rest = joined->second.high;
      continue;
    }
    Index quotient = div(rest, sizes[i]);
    Index remainder = rem(rest, sizes[i]);
    if (constantOf(sizes[i]) != int64_t(1))
      splits[{quotient.getOpaqueValue(), remainder.getOpaqueValue()}] = {
          rest, sizes[i]};
    indices[i] = remainder;
    rest = quotient;
  }
  return indices;
}
