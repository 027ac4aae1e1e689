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
#include "tripy/Base/SizeMath.h"
#include "tripy/Base/Status.h"

#include <span>
#include <string>
#include <vector>

namespace tripy {

/// Bounds of every expression over the profile's ranges. Errors: Malformed
/// with the number of the first expression that breaks a rule (unknown op,
/// operand that does not come first, unknown symbol, possible overflow or
/// division by zero that no check excludes). Symbols have lo <= hi. Ranges hold
/// for sizes for which all checks do.
Result<std::vector<Interval>> boundSizes(const Program &program);

/// Evaluates all expressions for `symbols` (one value for each of
/// Program::symbols) into `values` (one for each of Program::exprs). Allocates
/// nothing on success. What overflows or divides by zero becomes 0: a verified
/// program has a check for it, which fails.
Status evaluateSizes(const Program &program, std::span<const int64_t> symbols,
                     std::span<int64_t> values);

/// "3" or "0 to 5", for messages.
std::string formatRange(Interval range);

} // namespace tripy

#endif // TRIPY_BASE_SIZEEXPR_H
