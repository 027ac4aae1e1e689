//===- ProductBounds.cpp - Upper bounds of products of sizes --------------===//

#include "ProductBounds.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace tripy;
using namespace tripy::kernel;

/// Factors and operations that are looked at, and quotients that are cancelled
/// one after the other; a product of more is bounded by its range alone.
static constexpr size_t maxVisited = 64;
static constexpr unsigned maxCancelled = 16;

/// Multiplies `into` by an expression; false when that may be negative, or is
/// too large to look at.
bool ProductBounds::multiply(TableIndex expr, Product &into) const {
  llvm::SmallVector<TableIndex> pending = {expr};
  for (size_t visited = 0; !pending.empty(); ++visited) {
    TableIndex next = pending.pop_back_val();
    if (visited == maxVisited || ranges[next].lo < 0)
      return false;
    const SizeExpr &made = exprs[next];
    if (ranges[next].isPoint()) {
      std::optional<int64_t> scale =
          evaluateSizeOp(SizeOp::Mul, into.scale, ranges[next].lo);
      if (!scale)
        return false;
      into.scale = *scale;
    } else if (made.op == SizeOp::Mul) {
      pending.append({made.a, made.b});
    } else if (limited.contains(next)) {
      pending.push_back(ranges[made.a].isPoint() ? made.b : made.a);
    } else {
      into.factors.push_back(next);
    }
  }
  return true;
}

/// Saturates.
int64_t ProductBounds::rangeOf(const Product &product) const {
  Interval maximum{product.scale, product.scale};
  for (TableIndex factor : product.factors)
    maximum = boundSizeOp(SizeOp::Mul, maximum,
                          {ranges[factor].hi, ranges[factor].hi})
                  .values;
  return maximum.hi;
}

/// Replaces x / d and d, of all factors, by x. False when d is not there.
bool ProductBounds::cancel(Product &product, size_t quotient) const {
  const SizeExpr &made = exprs[product.factors[quotient]];
  if (made.op != SizeOp::FloorDiv || ranges[made.b].lo < 1)
    return false;
  TableIndex divisor = made.b;
  // max(d, 1), which keeps from dividing by zero, is at least d.
  const SizeExpr &larger = exprs[divisor];
  if (larger.op == SizeOp::Max)
    for (auto [other, one] :
         {std::pair(larger.a, larger.b), std::pair(larger.b, larger.a)})
      if (ranges[one].isPoint(1) && ranges[other].lo >= 0)
        divisor = other;
  Product divided, rest = product;
  if (!multiply(divisor, divided) || divided.scale < 1)
    return false;
  rest.factors.erase(rest.factors.begin() + quotient);
  for (TableIndex factor : divided.factors) {
    auto *found = llvm::find(rest.factors, factor);
    if (found == rest.factors.end())
      return false;
    rest.factors.erase(found);
  }
  // The scale holds this many divisors, rounded up.
  rest.scale = *evaluateSizeOp(SizeOp::CeilDiv, rest.scale, divided.scale);
  if (!multiply(made.a, rest))
    return false;
  product = std::move(rest);
  return true;
}

bool ProductBounds::cancelOne(Product &product) const {
  for (size_t i = 0; i < product.factors.size(); ++i)
    if (cancel(product, i))
      return true;
  return false;
}

int64_t ProductBounds::of(TableIndex expr) const {
  int64_t maximum = ranges[expr].hi;
  Product product;
  if (!multiply(expr, product))
    return maximum;
  for (unsigned i = 0; i < maxCancelled && cancelOne(product); ++i)
    maximum = std::min(maximum, rangeOf(product));
  return maximum;
}
