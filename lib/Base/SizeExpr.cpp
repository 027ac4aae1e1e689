//===- SizeExpr.cpp - Values and ranges of size expressions ---------------===//

#include "tripy/Base/SizeExpr.h"
#include "tripy/Base/Text.h"

#include <set>
#include <tuple>
#include <utility>

using namespace tripy;

/// The operations that a program's checks require to have a value, by the kind
/// of the check and the operands.
using Conditions = std::set<std::tuple<CheckKind, TableIndex, TableIndex>>;

static std::tuple<CheckKind, TableIndex, TableIndex>
keyOf(const CheckKindInfo &info, TableIndex a, TableIndex b) {
  if (isCommutative(*info.op) && a > b)
    std::swap(a, b);
  return {info.kind, a, b};
}

static Conditions conditionsOf(const Program &program) {
  Conditions conditions;
  for (const SizeCheck &check : program.checks)
    if (const CheckKindInfo *info = findCheckKind(check.kind); info && info->op)
      conditions.insert(keyOf(*info, check.a, check.b));
  return conditions;
}

Result<std::vector<Interval>> tripy::boundSizes(const Program &program) {
  std::vector<Interval> bounds;
  bounds.reserve(program.exprs.size());
  Conditions conditions = conditionsOf(program);
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
        uint8_t(expr.op) > uint8_t(SizeOp::Xor))
      return Status(Code::Malformed,
                    concat("size expression ", number, ": unknown operation ",
                           unsigned(expr.op)));
    if (expr.a >= number || expr.b >= number)
      return Status(Code::Malformed,
                    concat("size expression ", number,
                           ": operands must come before it, but are ", expr.a,
                           " and ", expr.b));
    SizeBound bound = boundSizeOp(expr.op, bounds[expr.a], bounds[expr.b]);
    const CheckKindInfo *condition = conditionOf(expr.op);
    if (bound.mayFail &&
        !(condition && conditions.contains(keyOf(*condition, expr.a, expr.b))))
      return Status(Code::Malformed,
                    concat("size expression ", number,
                           ": may overflow or divide by zero for sizes that "
                           "the profile allows, and no check excludes it"));
    bounds.push_back(bound.values);
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
    values[i] =
        evaluateSizeOp(expr.op, values[expr.a], values[expr.b]).value_or(0);
  }
  return Status::ok();
}

std::string tripy::formatRange(Interval range) {
  return range.isPoint() ? concat(range.lo)
                         : concat(range.lo, " to ", range.hi);
}
