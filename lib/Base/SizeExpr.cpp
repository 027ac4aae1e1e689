//===- SizeExpr.cpp - Values and ranges of size expressions ---------------===//

#include "tripy/Base/SizeExpr.h"
#include "tripy/Base/CheckedMath.h"
#include "tripy/Base/Text.h"

#include <algorithm>

using namespace tripy;

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
  }
  return std::nullopt;
}

/// Bounds an op whose extremes are at corners of the operands' ranges: each
/// operand alone, the other fixed, is monotonic.
static std::optional<Interval> boundByCorners(SizeOp op, Interval a,
                                              Interval b) {
  std::optional<Interval> bounds;
  for (int64_t x : {a.lo, a.hi})
    for (int64_t y : {b.lo, b.hi}) {
      std::optional<int64_t> value = evaluateSizeOp(op, x, y);
      if (!value)
        return std::nullopt;
      if (!bounds)
        bounds = Interval{*value, *value};
      bounds->lo = std::min(bounds->lo, *value);
      bounds->hi = std::max(bounds->hi, *value);
    }
  return bounds;
}

static Interval boundMod(Interval a, Interval b) {
  if (a.isPoint() && b.isPoint()) {
    int64_t value = *checkedMod(a.lo, b.lo);
    return {value, value};
  }
  if (b.lo > 0) // Small dividends are their own remainders.
    return a.lo >= 0 && a.hi < b.lo ? a : Interval{0, b.hi - 1};
  return {b.lo + 1, 0};
}

static Interval boundBroadcast(Interval a, Interval b) {
  if (!a.contains(1))
    return a;
  if (a.isPoint())
    return b;
  // Either b, when a is 1, or an a other than 1.
  Interval rest = {a.lo == 1 ? 2 : a.lo, a.hi == 1 ? 0 : a.hi};
  return {std::min(rest.lo, b.lo), std::max(rest.hi, b.hi)};
}

std::optional<Interval> tripy::boundSizeOp(SizeOp op, Interval a, Interval b) {
  switch (op) {
  case SizeOp::Constant:
  case SizeOp::Symbol:
    return std::nullopt;
  case SizeOp::Add:
  case SizeOp::Sub:
  case SizeOp::Mul:
  case SizeOp::Min:
  case SizeOp::Max:
    return boundByCorners(op, a, b);
  case SizeOp::FloorDiv:
  case SizeOp::CeilDiv:
    if (b.contains(0))
      return std::nullopt;
    return boundByCorners(op, a, b);
  case SizeOp::Mod:
    if (b.contains(0))
      return std::nullopt;
    return boundMod(a, b);
  case SizeOp::Broadcast:
    return boundBroadcast(a, b);
  case SizeOp::Equal:
    if (a.hi < b.lo || b.hi < a.lo)
      return Interval{0, 0};
    if (a.isPoint() && b.isPoint())
      return Interval{1, 1};
    return Interval{0, 1};
  }
  return std::nullopt;
}

Result<std::vector<Interval>> tripy::boundSizes(const Program &program) {
  std::vector<Interval> bounds;
  bounds.reserve(program.exprs.size());
  for (const SizeExpr &expr : program.exprs) {
    size_t number = bounds.size();
    if (expr.op == SizeOp::Constant) {
      bounds.push_back({expr.value, expr.value});
      continue;
    }
    if (expr.op == SizeOp::Symbol) {
      if (expr.a >= program.symbols.size())
        return Status(Code::Malformed,
                      concat("size expression ", number,
                             ": the symbol must be one of ",
                             program.symbols.size(), ", but is ", expr.a));
      const SizeSymbol &symbol = program.symbols[expr.a];
      bounds.push_back({symbol.min, symbol.max});
      continue;
    }
    if (uint8_t(expr.op) < uint8_t(SizeOp::Constant) ||
        uint8_t(expr.op) > uint8_t(SizeOp::Equal))
      return Status(Code::Malformed,
                    concat("size expression ", number, ": unknown operation ",
                           unsigned(expr.op)));
    if (expr.a >= number || expr.b >= number)
      return Status(Code::Malformed,
                    concat("size expression ", number,
                           ": operands must come before it, but are ", expr.a,
                           " and ", expr.b));
    std::optional<Interval> bound =
        boundSizeOp(expr.op, bounds[expr.a], bounds[expr.b]);
    if (!bound)
      return Status(Code::Malformed,
                    concat("size expression ", number,
                           ": may overflow or divide by zero for sizes that "
                           "the profile allows"));
    bounds.push_back(*bound);
  }
  return bounds;
}

Status tripy::evaluateSizes(const Program &program,
                            std::span<const int64_t> symbols,
                            std::span<int64_t> values) {
  if (symbols.size() != program.symbols.size() ||
      values.size() != program.exprs.size())
    return Status(Code::Internal, "the number of sizes does not match");
  for (size_t i = 0; i < values.size(); ++i) {
    const SizeExpr &expr = program.exprs[i];
    if (expr.op == SizeOp::Constant) {
      values[i] = expr.value;
      continue;
    }
    if (expr.op == SizeOp::Symbol) {
      values[i] = symbols[expr.a];
      continue;
    }
    std::optional<int64_t> value =
        evaluateSizeOp(expr.op, values[expr.a], values[expr.b]);
    if (!value)
      return Status(Code::Malformed, concat("size expression ", i,
                                            " overflows or divides by zero"));
    values[i] = *value;
  }
  return Status::ok();
}
