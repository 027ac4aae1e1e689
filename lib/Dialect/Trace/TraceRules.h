//===- TraceRules.h - Predicates and shapes that trace's rules name -------===//
//
// One section per family; defined in Infer/<Family>.cpp. Used in this folder
// alone.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_DIALECT_TRACE_TRACERULES_H
#define TRIPY_LIB_DIALECT_TRACE_TRACERULES_H

#include "tripy/Dialect/Trace/Trace.h"

namespace tripy::trace {

using Sizes = llvm::ArrayRef<int64_t>;

/// Whether two sizes may be equal at run time.
inline bool mayAgree(int64_t a, int64_t b) {
  return a == b || mlir::ShapedType::isDynamic(a) ||
         mlir::ShapedType::isDynamic(b);
}
inline Sizes shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

//===-- creation ----------------------------------------------------------===//

/// Static sizes >= 0; dynamic ones are not looked at.
bool sizesNotNegative(Sizes sizes);

//===-- movement ----------------------------------------------------------===//

/// As sizesNotNegative, but one may be -1.
bool sizesAllowInferred(Sizes sizes);
/// Whether a tensor may have these sizes, one of which may be -1.
bool canReshape(mlir::Value input, Sizes sizes);
Shape reshapedShape(mlir::Value input, Sizes sizes);

/// Whether -1 stands only where the input has a dimension, and no size is
/// below. There are at least as many sizes as dimensions.
bool expandSizesValid(mlir::Value input, Sizes sizes);
bool canExpand(mlir::Value input, Sizes sizes);
Shape expandedShape(mlir::Value input, Sizes sizes);

bool haveSizeOne(mlir::Value input, Sizes dims);
/// Whether dimension `dim` is static and the sum of `sizes`, none negative.
bool sumsTo(Sizes sizes, mlir::Value input, int64_t dim);
/// 1 <= parts <= 1024.
bool partsValid(int64_t parts);
/// Shape of the input with borders.
Shape paddedShape(mlir::Value input, Sizes low, Sizes high);
/// Shape of inputs that agree but in `dim`.
Shape concatenatedShape(mlir::ValueRange inputs, int64_t dim);

//===-- indexing ----------------------------------------------------------===//

/// Rank at most 8 and an allowed shape.
bool isAllowedTensor(Sizes sizes);
/// Shape of the input with the index's in the place of dimension `dim`.
Shape gatheredShape(mlir::Value input, mlir::Value index, int64_t dim);
/// Whether dimension `dim` is not empty, or nothing may be taken from it.
bool canTake(mlir::Value input, mlir::Value index, int64_t dim);

//===-- contraction -------------------------------------------------------===//

/// Whether the contracted dimensions of a matmul may agree.
bool canContract(mlir::Value lhs, mlir::Value rhs);
bool canBroadcastBatch(mlir::Value lhs, mlir::Value rhs);
Shape matmulShape(mlir::Value lhs, mlir::Value rhs);
bool lastDimsAgree(mlir::Value input, mlir::Value weight);
bool isBiasOf(mlir::Value bias, mlir::Value weight);
Shape linearShape(mlir::Value input, mlir::Value weight);

//===-- reduction and normalization ---------------------------------------===//

/// 0 <= correction <= 2^40.
bool isCorrection(int64_t correction);
/// Whether the weight has the sizes of the input's last dimensions.
bool isTrailingShape(mlir::Value weight, mlir::Value input);

/// How many elements argmax chooses from: `?` when unknown.
int64_t choices(mlir::Value input, std::optional<uint64_t> dim);
bool isArgCount(int64_t count);
mlir::Type argType(mlir::Value input, std::optional<uint64_t> dim,
                   bool keepdim);

} // namespace tripy::trace

#endif // TRIPY_LIB_DIALECT_TRACE_TRACERULES_H
