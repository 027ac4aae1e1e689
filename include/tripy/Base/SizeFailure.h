//===- SizeFailure.h - Sizes for which a condition fails --------*- C++ -*-===//
//
// Which sizes, of those that a program's profile allows, its conditions refuse
// at run time. The answer is that of the runtime's own arithmetic. Base only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_SIZEFAILURE_H
#define TRIPY_BASE_SIZEFAILURE_H

#include "tripy/Base/Program.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace tripy {

struct SizeFailure {
  enum Outcome {
    Never,     ///< the condition holds for all sizes, or others fail before it
    Fails,     ///< it is the first one to fail for `sizes`
    Undecided, ///< the search was given up
  };
  Outcome outcome = Never;
  /// Symbols, in order, and their values: the smallest ones of the first
  /// symbol, with these the smallest ones of the second, and so on. Symbols
  /// that are missing do not matter.
  std::vector<std::pair<TableIndex, int64_t>> sizes;
  /// What the condition compares then.
  int64_t a = 0, b = 0;
};

/// Searches for sizes that break the conditions of one program, of which only
/// symbols, exprs and checks are looked at; boundSizes() has no error for it.
/// Symbols of one name have one value.
class SizeFailureSearch {
public:
  /// Evaluations of expressions that all calls of find() may take together.
  static constexpr uint64_t defaultBudget = 5'000'000;

  /// `program` outlives this object.
  explicit SizeFailureSearch(const Program &program,
                             uint64_t budget = defaultBudget);
  /// For check number `check`.
  SizeFailure find(size_t check);

private:
  /// What matters for one check.
  struct Problem {
    /// Itself, and before it those that share sizes with it; in order.
    std::vector<size_t> checks;
    /// Expressions that they need; in order.
    std::vector<TableIndex> exprs;
    /// First symbols of the names that these need; in order.
    std::vector<TableIndex> symbols;
  };
  /// Takes evaluations from the budget; false when there are not as many.
  bool spend(uint64_t evaluations);
  Problem relevantTo(size_t check);
  /// Adds what `expr` is computed from, unless `stamp` has it.
  void collect(TableIndex expr, std::vector<TableIndex> &exprs,
               std::vector<TableIndex> &symbols);
  /// Whether the last check of a problem is the first one to fail: for no size
  /// in the current ranges, for all, or that is open.
  enum Verdict { Holds, FailsHere, Open };
  Verdict judge(const Problem &problem);
  /// The same for ranges of one value each, as the runtime computes it.
  Verdict judgePoint(const Problem &problem);

  const Program &program;
  uint64_t budget;
  /// For each symbol, the first one of its name, or itself.
  std::vector<TableIndex> firstOfName;
  /// For each check: the first symbols of the names that decide it.
  std::vector<std::vector<TableIndex>> symbolsOf;
  /// By expression and by symbol: the last collection that found it.
  std::vector<uint32_t> exprStamps, symbolStamps;
  uint32_t stamp = 0;
  /// Of each first symbol; of each expression.
  std::vector<Interval> symbolRanges, ranges;
  /// Of each expression, where ranges have one value each.
  std::vector<int64_t> values;
};

} // namespace tripy

#endif // TRIPY_BASE_SIZEFAILURE_H
