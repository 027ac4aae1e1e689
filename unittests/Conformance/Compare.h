//===- Compare.h - Results against the reference ----------------*- C++ -*-===//
//
// For the conformance tests, those that replay compiled programs without the
// compiler, too: depends on Base only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_CONFORMANCE_COMPARE_H
#define TRIPY_UNITTESTS_CONFORMANCE_COMPARE_H

#include "tripy/Base/DType.h"

#include <cstdint>
#include <string>

namespace tripy::conformance {

/// How far a result may be from the reference; any one of the bounds suffices.
/// All zero: equal bits, but for NaN.
struct Tolerance {
  unsigned ulp = 0;
  double relative = 0, absolute = 0;
};

/// Of a few roundings of an element type, for results near 1; `wide` of f32.
Tolerance roundings(DType dtype, double wide = 1e-5);

/// What is wrong with `found`, in one line with the first such element; empty
/// when all `count` elements are within the tolerance. Infinities and NaN match
/// only themselves; without a tolerance 0 and -0 differ. Integers are within
/// `absolute`.
std::string compareElements(DType dtype, int64_t count, const void *found,
                            const void *expected, const Tolerance &tolerance);

} // namespace tripy::conformance

#endif // TRIPY_UNITTESTS_CONFORMANCE_COMPARE_H
