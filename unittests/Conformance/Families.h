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
/// dot with 1 to 8 rows or columns, and layers of a network on few rows; fewer
/// sizes where they are not for a GPU.
std::vector<Case> fewRowCases(bool onGPU);
/// Programs of trace whose lowering makes composites, or much else.
std::vector<Case> traceCases();
/// gather, embedding, pad, argmax, argmin, cumsum.
std::vector<Case> indexingCases();
/// flip, roll, tile, repeat, tril, triu, pads with a mode; scatter,
/// update_slice.
std::vector<Case> arrangeCases();
/// sort, topk, and random numbers.
std::vector<Case> orderCases();
/// quantize and dequantize by scales of every form, and products between them.
std::vector<Case> quantizeCases();
/// window, and the operations of trace that are made of it; resize and norms
/// over channels.
std::vector<Case> windowCases();
/// Attention: heads of several sizes, shared ones, masks and lengths.
std::vector<Case> attentionCases();
/// Programs whose contractions share kernels.
std::vector<Case> fusionCases();
/// The example of each operation of trace, at every element type that its
/// rules accept: one program for an operation.
std::vector<Case> exampleCases();
/// A random program whose every operation is exact: integers, truth values,
/// and correctly rounded f32.
Case randomCase(uint64_t seed);

/// The element types of tensors.
std::vector<DType> storedTypes();
/// Those that all operations compute with: without floats of 8 bits, which are
/// moved, converted and contracted alone.
std::vector<DType> allTypes();

} // namespace tripy::conformance

#endif // TRIPY_UNITTESTS_CONFORMANCE_FAMILIES_H
