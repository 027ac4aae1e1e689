//===- Software16.h - 16-bit floats in integer arithmetic -------*- C++ -*-===//
//
// For processors without instructions for them. The floats are i16 throughout:
// of constants of a 16-bit float type, LLVM makes calls of a library.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_EMIT_SOFTWARE16_H
#define TRIPY_LIB_CODEGEN_EMIT_SOFTWARE16_H

#include "mlir/IR/Builders.h"

namespace tripy::codegen {

/// i16, the bits of a number of `element` (f16 or bf16) -> f32, exactly; a NaN
/// becomes quiet.
mlir::Value widenBits(mlir::OpBuilder &b, mlir::Location loc, mlir::Value bits,
                      mlir::Type element);

/// What widenBits() made `number` from, when it is a bf16: rounding gives the
/// same bits. Null where that cannot be told.
mlir::Value widenedBF16(mlir::Value number);

/// f32 -> i16, the bits of the nearest number of `element`, ties to even; a NaN
/// becomes quiet and keeps its upper bits.
mlir::Value roundToBits(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value number, mlir::Type element);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_EMIT_SOFTWARE16_H
