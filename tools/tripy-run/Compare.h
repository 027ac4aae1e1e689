//===- Compare.h - An output against its reference --------------*- C++ -*-===//
//
// Private to tripy-run and its tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYRUN_COMPARE_H
#define TRIPY_TOOLS_TRIPYRUN_COMPARE_H

#include "Json.h"
#include "tripy/Runtime/TensorView.h"

#include <string>
#include <string_view>

namespace tripy::run {

/// How an output and its reference differ. `text` is one sentence: that the
/// output is within the tolerance, with the largest error, or how many elements
/// differ, with the worst.
struct Comparison {
  bool matches = false;
  std::string text;
  uint64_t elements = 0, different = 0;
  /// The largest |a - b|; infinity where only one is infinite or NaN.
  double largestError = 0;
};

/// Every element a of `found` and b of `wanted` shall satisfy
/// |a - b| <= atol + rtol * |b|; infinities equal themselves, NaN equals NaN
/// only. Element types may differ, shapes may not.
Comparison compareTensors(std::string_view name,
                          const runtime::TensorView &found,
                          const runtime::TensorView &wanted, double rtol,
                          double atol);

/// The sentence for two shapes that differ.
std::string describeShapes(std::string_view name, const runtime::Shape &found,
                           const runtime::Shape &wanted);

/// One object: output, matches, elements, different, largest_error, text.
void writeComparison(Json &json, std::string_view name,
                     const Comparison &comparison);

} // namespace tripy::run

#endif // TRIPY_TOOLS_TRIPYRUN_COMPARE_H
