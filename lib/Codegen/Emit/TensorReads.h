//===- TensorReads.h - How a kernel's bodies read tensors -------*- C++ -*-===//
//
// For loop kernels that read across a tensor's contiguous dimension.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_TENSORREADS_H
#define TRIPY_CODEGEN_TENSORREADS_H

#include "KernelEmission.h"

#include "llvm/ADT/MapVector.h"

namespace tripy::codegen {

/// The tensors that a kernel's results are computed from, each with the map
/// from an element of the result to the one that is read; a null map for
/// tensors that are read in several ways, or not by a map.
llvm::MapVector<mlir::Value, mlir::AffineMap> readsOf(KernelEmission &e);

/// What `tensor` is a view of, if nothing but views lie between; else null.
mlir::Value memoryBehind(mlir::Value tensor);

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_TENSORREADS_H
