//===- Reductions.h - Steps of norms and of softmax -------------*- C++ -*-===//
//
// What the norms over trailing dimensions, those over channels, and attention
// share. Used in this folder alone.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CONVERSION_TRACETOFLATIR_REDUCTIONS_H
#define TRIPY_LIB_CONVERSION_TRACETOFLATIR_REDUCTIONS_H

#include "Lowering.h"

namespace tripy {

/// A reduction of a decomposition; the input, when there are no dimensions.
mlir::Value reduceStep(const llvm::Twine &reason, flatir::ReduceKind kind,
                       mlir::Value input, llvm::ArrayRef<int64_t> dims,
                       Lowering &b);
/// Broadcasts what a reduction over `dims` left to the shape of `like`.
mlir::Value spread(mlir::Value reduced, llvm::StringRef what, mlir::Value like,
                   llvm::ArrayRef<int64_t> dims, Lowering &b);
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
