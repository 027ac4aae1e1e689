//===- Positions.h - Positions along dimensions as data ---------*- C++ -*-===//
#ifndef TRIPY_LIB_CONVERSION_TRACETOFLATIR_POSITIONS_H
#define TRIPY_LIB_CONVERSION_TRACETOFLATIR_POSITIONS_H

#include "Lowering.h"

namespace tripy {

/// 0, 1, 2, ... as i64, `count` of them, in a tensor whose type shows `shown`.
mlir::Value positionsAlong(Size count, int64_t shown, Lowering &b);

/// A size in every element of a tensor of the type of `like`.
mlir::Value sizeLike(Size size, mlir::Value like, Lowering &b);

/// Indices of a dimension of `size` elements as i64; negative ones are counted
/// from its end.
mlir::Value fromFront(mlir::Value index, Size size, Lowering &b);

/// `padOp` of `input`, whose widths are known not to be negative, with "edge",
/// "reflect" or "wrap".
mlir::Value padByMode(trace::PadOp padOp, mlir::Value input,
                      llvm::StringRef mode, llvm::ArrayRef<Size> low,
                      llvm::ArrayRef<Size> high, Lowering &b);

} // namespace tripy

#endif // TRIPY_LIB_CONVERSION_TRACETOFLATIR_POSITIONS_H
