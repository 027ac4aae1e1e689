//===- SizeExpr.h - Values and ranges of size expressions -------*- C++ -*-===//
//
// Evaluates the size expressions of a Program for given symbol values, and
// bounds them over all values that the profile allows. Base only; used by the
// verifier, the runtime and the compiler.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_SIZEEXPR_H
#define TRIPY_BASE_SIZEEXPR_H

#include "tripy/Base/Program.h"
#include "tripy/Base/Status.h"

#include <optional>
#include <span>
#include <vector>

namespace tripy {

/// All integers from lo to hi, both included; lo <= hi.
struct Interval {
  int64_t lo = 0, hi = 0;
  bool contains(int64_t value) const { return lo <= value && value <= hi; }
  bool isPoint() const { return lo == hi; }
};

/// Value of a two-operand `op`; none on overflow, a zero divisor, or an op
/// that has no two operands.
std::optional<int64_t> evaluateSizeOp(SizeOp op, int64_t a, int64_t b);

/// Values that `op` can have for operands in `a` and `b`; none when it can
/// overflow or divide by zero for some of them.
std::optional<Interval> boundSizeOp(SizeOp op, Interval a, Interval b);

/// Bounds of every expression over the profile's ranges. Errors: Malformed
/// with the number of the first expression that breaks a rule (unknown op,
/// operand that does not come first, unknown symbol, possible overflow or
/// division by zero). Symbols have lo <= hi.
Result<std::vector<Interval>> boundSizes(const Program &program);

/// Evaluates all expressions for `symbols` (one value for each of
/// Program::symbols) into `values` (one for each of Program::exprs). Allocates
/// nothing on success. Errors: Malformed on overflow or division by zero, which
/// a verified program has for no allowed symbol values.
Status evaluateSizes(const Program &program, std::span<const int64_t> symbols,
                     std::span<int64_t> values);

} // namespace tripy

#endif // TRIPY_BASE_SIZEEXPR_H
