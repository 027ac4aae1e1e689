//===- Fractions.h - Factors of resize as fractions -------------*- C++ -*-===//
//
// Sizes and positions are computed in integers: a factor counts as a fraction.
// The rules of trace.resize and its lowering use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_TRACE_FRACTIONS_H
#define TRIPY_DIALECT_TRACE_FRACTIONS_H

#include "mlir/IR/BuiltinAttributes.h"

#include <cstdint>

namespace tripy::trace {

struct Fraction {
  int64_t numerator = 1, denominator = 1;
};

/// The fraction of the smallest denominator among the convergents of `value`
/// that f32 cannot tell from it. `value` is from 2^-20 to 2^20; numerator and
/// denominator are below 2^28.
Fraction nearestFraction(double value);

/// The numbers of a list of f64.
llvm::SmallVector<double> scalesOf(mlir::ArrayAttr scales);

} // namespace tripy::trace

#endif // TRIPY_DIALECT_TRACE_FRACTIONS_H
