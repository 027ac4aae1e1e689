//===- SizeFailure.cpp - Sizes for which a condition fails ----------------===//
//
// Halves the range of one size after the other, the smaller half first, until
// ranges decide. Ranges hold what the runtime computes: an operation without a
// value is 0 there.
//
//===----------------------------------------------------------------------===//

#include "tripy/Base/SizeFailure.h"

#include "tripy/Base/NameTable.h"
#include "tripy/Base/SizeMath.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

using namespace tripy;

SizeFailureSearch::SizeFailureSearch(const Program &program, uint64_t budget)
    : program(program), budget(budget), symbolsOf(program.checks.size()),
      exprStamps(program.exprs.size()), symbolStamps(program.symbols.size()),
      ranges(program.exprs.size()), values(program.exprs.size()) {
  std::vector<std::string_view> names;
  for (const SizeSymbol &symbol : program.symbols)
    names.push_back(symbol.name);
  NameTable index(names);
  for (TableIndex i = 0; i < program.symbols.size(); ++i) {
    const SizeSymbol &symbol = program.symbols[i];
    TableIndex first = names[i].empty() ? i : *index.find(names[i]);
    firstOfName.push_back(first);
    symbolRanges.push_back({symbol.min, symbol.max});
    // What all of a name allow.
    Interval &common = symbolRanges[first];
    common = {std::max(common.lo, symbol.min), std::min(common.hi, symbol.max)};
  }
  std::vector<TableIndex> exprs;
  for (size_t i = 0; i < program.checks.size(); ++i) {
    ++stamp;
    exprs.clear();
    for (TableIndex operand : {program.checks[i].a, program.checks[i].b})
      collect(operand, exprs, symbolsOf[i]);
    if (!spend(exprs.size()))
      break;
  }
}

bool SizeFailureSearch::spend(uint64_t evaluations) {
  bool enough = evaluations <= budget;
  budget -= enough ? evaluations : budget;
  return enough;
}

//===-- what matters ------------------------------------------------------===//

void SizeFailureSearch::collect(TableIndex expr, std::vector<TableIndex> &exprs,
                                std::vector<TableIndex> &symbols) {
  std::vector<TableIndex> pending = {expr};
  while (!pending.empty()) {
    TableIndex next = pending.back();
    pending.pop_back();
    if (std::exchange(exprStamps[next], stamp) == stamp)
      continue;
    exprs.push_back(next);
    const SizeExpr &made = program.exprs[next];
    if (made.op == SizeOp::Symbol) {
      TableIndex first = firstOfName[made.a];
      if (std::exchange(symbolStamps[first], stamp) != stamp)
        symbols.push_back(first);
    } else if (made.op != SizeOp::Constant) {
      pending.insert(pending.end(), {made.a, made.b});
    }
  }
}

namespace {
/// Sets of symbols that conditions have in common.
class SymbolSets {
public:
  explicit SymbolSets(size_t count) : parents(count) {
    std::iota(parents.begin(), parents.end(), 0u);
  }
  TableIndex find(TableIndex symbol) {
    while (parents[symbol] != symbol)
      symbol = parents[symbol] = parents[parents[symbol]];
    return symbol;
  }
  void unite(const std::vector<TableIndex> &symbols) {
    for (TableIndex symbol : symbols)
      parents[find(symbol)] = find(symbols.front());
  }

private:
  std::vector<TableIndex> parents;
};
} // namespace

SizeFailureSearch::Problem SizeFailureSearch::relevantTo(size_t check) {
  SymbolSets sets(program.symbols.size());
  for (size_t i = 0; i <= check; ++i)
    sets.unite(symbolsOf[i]);
  Problem problem;
  ++stamp;
  for (size_t i = 0; i <= check; ++i) {
    const std::vector<TableIndex> &own = symbolsOf[check],
                                  &other = symbolsOf[i];
    bool shares = !own.empty() && !other.empty() &&
                  sets.find(own.front()) == sets.find(other.front());
    if (i != check && !shares)
      continue;
    problem.checks.push_back(i);
    for (TableIndex operand : {program.checks[i].a, program.checks[i].b})
      collect(operand, problem.exprs, problem.symbols);
  }
  std::sort(problem.exprs.begin(), problem.exprs.end());
  std::sort(problem.symbols.begin(), problem.symbols.end());
  return problem;
}

//===-- ranges ------------------------------------------------------------===//

SizeFailureSearch::Verdict SizeFailureSearch::judge(const Problem &problem) {
  for (TableIndex number : problem.exprs) {
    const SizeExpr &expr = program.exprs[number];
    Interval &range = ranges[number];
    if (expr.op == SizeOp::Constant) {
      range = {expr.value, expr.value};
    } else if (expr.op == SizeOp::Symbol) {
      range = symbolRanges[firstOfName[expr.a]];
    } else {
      SizeBound bound = boundSizeOp(expr.op, ranges[expr.a], ranges[expr.b]);
      range = bound.alwaysFails ? Interval{0, 0}
              : bound.mayFail   ? unite(bound.values, {0, 0})
                                : bound.values;
    }
  }
  for (size_t number : problem.checks) {
    const SizeCheck &check = program.checks[number];
    std::optional<bool> held =
        decide(check.kind, ranges[check.a], ranges[check.b]);
    if (!held.has_value())
      return Open;
    // Where an earlier one fails, the last one is not the first to.
    if (!*held)
      return number == problem.checks.back() ? FailsHere : Holds;
  }
  return Holds;
}

SizeFailureSearch::Verdict
SizeFailureSearch::judgePoint(const Problem &problem) {
  for (TableIndex number : problem.exprs) {
    const SizeExpr &expr = program.exprs[number];
    values[number] =
        expr.op == SizeOp::Constant ? expr.value
        : expr.op == SizeOp::Symbol
            ? symbolRanges[firstOfName[expr.a]].lo
            : evaluateSizeOp(expr.op, values[expr.a], values[expr.b])
                  .value_or(0);
  }
  for (size_t number : problem.checks) {
    const SizeCheck &check = program.checks[number];
    if (!holds(check.kind, values[check.a], values[check.b]))
      return number == problem.checks.back() ? FailsHere : Holds;
  }
  return Holds;
}

//===-- the search --------------------------------------------------------===//

SizeFailure SizeFailureSearch::find(size_t check) {
  SizeFailure failure;
  failure.outcome = SizeFailure::Undecided;
  if (!spend(program.symbols.size() + check + 1))
    return failure;
  Problem problem = relevantTo(check);
  using Box = std::vector<Interval>;
  Box whole;
  for (TableIndex symbol : problem.symbols)
    whole.push_back(symbolRanges[symbol]);
  bool isEmpty = std::any_of(whole.begin(), whole.end(), [](Interval range) {
    return range.lo > range.hi;
  });
  // What is on top is smaller than all below it. Without a size that all of a
  // name allow, no call gets as far as conditions.
  std::vector<Box> pending;
  if (!isEmpty)
    pending.push_back(whole);
  Verdict verdict = Holds;
  while (!pending.empty() && verdict != FailsHere &&
         spend(problem.exprs.size() + 1)) {
    Box box = std::move(pending.back());
    pending.pop_back();
    for (size_t i = 0; i < box.size(); ++i)
      symbolRanges[problem.symbols[i]] = box[i];
    auto open = std::find_if(box.begin(), box.end(),
                             [](Interval range) { return !range.isPoint(); });
    bool isPoint = open == box.end();
    verdict = isPoint ? judgePoint(problem) : judge(problem);
    if (isPoint || verdict == Holds)
      continue;
    // Where all of it fails its smallest corner is wanted.
    verdict = Open;
    int64_t middle = std::midpoint(open->lo, open->hi);
    Box upper = box;
    upper[size_t(open - box.begin())].lo = middle + 1;
    open->hi = middle;
    pending.push_back(std::move(upper));
    pending.push_back(std::move(box));
  }
  if (verdict == FailsHere) {
    failure.outcome = SizeFailure::Fails;
    for (TableIndex symbol : problem.symbols)
      failure.sizes.push_back({symbol, symbolRanges[symbol].lo});
    failure.a = values[program.checks[check].a];
    failure.b = values[program.checks[check].b];
  } else if (pending.empty()) {
    failure.outcome = SizeFailure::Never;
  }
  for (size_t i = 0; i < whole.size(); ++i)
    symbolRanges[problem.symbols[i]] = whole[i];
  return failure;
}
