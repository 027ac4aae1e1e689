//===- Families.h - What conformance covers ---------------------*- C++ -*-===//
//
// Lists of generated programs, family by family. For the conformance tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_CONFORMANCE_FAMILIES_H
#define TRIPY_UNITTESTS_CONFORMANCE_FAMILIES_H

#include "ProgramBuilder.h"

namespace tripy::conformance {

/// Every row of ScalarFns.td, for all its types: random values of its interval
/// and special values, at static and dynamic sizes; also every comparison.
std::vector<Case> rowCases();
/// convert between all pairs of types.
std::vector<Case> convertCases();
/// iota, from_index, constant, broadcast, reshape, transpose, slice,
/// concatenate, select.
std::vector<Case> movementCases();
std::vector<Case> reduceCases();
std::vector<Case> dotCases();
/// dot with 1 to 8 rows or columns, and layers of a network on few rows.
std::vector<Case> fewRowCases();
/// Programs of trace whose lowering makes composites, or much else.
std::vector<Case> traceCases();
/// gather, embedding, pad, argmax, argmin, cumsum.
std::vector<Case> indexingCases();
/// Programs whose contractions share kernels.
std::vector<Case> fusionCases();
/// A random program whose every operation is exact: integers, truth values,
/// and correctly rounded f32.
Case randomCase(uint64_t seed);

/// The element types of tensors.
inline constexpr DType allTypes[] = {DType::F32, DType::F16, DType::BF16,
                                     DType::I32, DType::I64, DType::Bool};
/// With those that are moved, converted and contracted alone.
inline constexpr DType storedTypes[] = {DType::F32,     DType::F16, DType::BF16,
                                        DType::I32,     DType::I64, DType::Bool,
                                        DType::F8E4M3FN};

} // namespace tripy::conformance

#endif // TRIPY_UNITTESTS_CONFORMANCE_FAMILIES_H
