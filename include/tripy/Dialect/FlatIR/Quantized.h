//===- Quantized.h - quantize and dequantize in flatir ----------*- C++ -*-===//
//
// Both are composites of two tensors of one shape: elements and their scales. A
// rewrite looks at the region as well as at the name, so that a composite that
// only has the name is left alone.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_FLATIR_QUANTIZED_H
#define TRIPY_DIALECT_FLATIR_QUANTIZED_H

#include "tripy/Dialect/FlatIR/FlatIR.h"

namespace tripy::flatir {

inline constexpr llvm::StringLiteral quantizeName = "quantize";
inline constexpr llvm::StringLiteral dequantizeName = "dequantize";

/// The largest number of a float type, which is not infinite.
double largestOf(mlir::FloatType type);

/// What the scales of a tensor's elements are.
struct Scales {
  /// Of the tensor's shape.
  mlir::Value spread;
  /// A number of rank 0, or a vector of dimension `dim`; null when `splat` is
  /// the scale, or when scales have another form.
  mlir::Value source;
  int64_t dim = -1;
  mlir::Attribute splat;

  static Scales of(mlir::Value spread);
  /// Whether they are one number, or one for each index of a dimension.
  bool isKnown() const { return source || splat; }
  /// Whether both are the same for a tensor of their shape.
  bool equals(const Scales &other) const;
  /// The constant that has all scales, or null.
  mlir::Attribute constant() const;
  /// Scales of a tensor of another shape, whose dimension `newDim` is `dim`:
  /// `sizes` are its dynamic ones. `vector` replaces the source.
  mlir::Value spreadTo(mlir::OpBuilder &b, mlir::Location parent,
                       llvm::ArrayRef<int64_t> shape, mlir::ValueRange sizes,
                       int64_t newDim, mlir::Value vector = {}) const;
};

/// Elements and scales of a composite, if it is q * s or x / s.
struct ScaledElements {
  mlir::Value elements;
  Scales scales;
};
std::optional<ScaledElements> matchDequantize(mlir::Value value);
std::optional<ScaledElements> matchQuantize(CompositeOp op);

/// A dequantize of other elements and scales, of one shape, that does what `op`
/// does.
mlir::Value cloneDequantize(mlir::OpBuilder &b, CompositeOp op,
                            mlir::Value elements, mlir::Value scales);

} // namespace tripy::flatir

#endif // TRIPY_DIALECT_FLATIR_QUANTIZED_H
