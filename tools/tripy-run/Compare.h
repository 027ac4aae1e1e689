//===- Compare.h - An output against its reference --------------*- C++ -*-===//
//
// Private to tripy-run and its tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYRUN_COMPARE_H
#define TRIPY_TOOLS_TRIPYRUN_COMPARE_H

#include "tripy/Runtime/TensorView.h"

#include <string>
#include <string_view>

namespace tripy::run {

/// Empty when every element a of `found` and b of `wanted` satisfies
/// |a - b| <= atol + rtol * |b|; infinities equal themselves, NaN equals NaN
/// only. Else one sentence: how many differ, and the worst. Element types may
/// differ, shapes may not.
std::string compareTensors(std::string_view name,
                           const runtime::TensorView &found,
                           const runtime::TensorView &wanted, double rtol,
                           double atol);

/// The sentence for two shapes that differ.
std::string describeShapes(std::string_view name, const runtime::Shape &found,
                           const runtime::Shape &wanted);

} // namespace tripy::run

#endif // TRIPY_TOOLS_TRIPYRUN_COMPARE_H
