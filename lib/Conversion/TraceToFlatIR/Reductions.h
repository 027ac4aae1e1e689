//===- Reductions.h - Steps of norms ----------------------------*- C++ -*-===//
//
// What the norms over trailing dimensions and those over channels share. Used
// in this folder alone.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CONVERSION_TRACETOFLATIR_REDUCTIONS_H
#define TRIPY_LIB_CONVERSION_TRACETOFLATIR_REDUCTIONS_H

#include "Lowering.h"

namespace tripy {

/// The mean over `dims`, of the element type of `input`.
mlir::Value meanStep(mlir::Value input, llvm::ArrayRef<int64_t> dims,
                     Lowering &b);
/// 1 / sqrt(mean(squares of input) + eps), over `dims`.
mlir::Value inverseRootStep(mlir::Value input, llvm::ArrayRef<int64_t> dims,
                            double eps, Lowering &b);
/// input - mean(input), over `dims`.
mlir::Value centerStep(mlir::Value input, llvm::ArrayRef<int64_t> dims,
                       Lowering &b);
/// x / sqrt(mean(squares of y) + eps), over `dims`.
mlir::Value normalize(mlir::Value x, mlir::Value y,
                      llvm::ArrayRef<int64_t> dims, double eps, Lowering &b);

} // namespace tripy

#endif // TRIPY_LIB_CONVERSION_TRACETOFLATIR_REDUCTIONS_H
