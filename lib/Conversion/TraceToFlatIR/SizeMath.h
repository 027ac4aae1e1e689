//===- SizeMath.h - Arithmetic on sizes -------------------------*- C++ -*-===//
//
// Index arithmetic that keeps equal sizes one SSA value: it folds what the
// ranges of sizes decide, and builds each operation once per block. Used in
// this folder alone.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CONVERSION_TRACETOFLATIR_SIZEMATH_H
#define TRIPY_LIB_CONVERSION_TRACETOFLATIR_SIZEMATH_H

#include "tripy/Base/SizeMath.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <tuple>

namespace tripy {

/// A size, or another index: a constant, or a value.
using Size = mlir::OpFoldResult;
using SizeList = llvm::SmallVector<mlir::OpFoldResult>;

/// The values that an index may have.
using SizeRange = Interval;

/// The range that follows from how `size` is computed.
SizeRange rangeOf(Size size);

/// Whether a <= b follows from how they are computed.
bool isAtMost(Size a, Size b);

/// Whether `whole` is the size that `part` and others were broadcast to.
bool isBroadcastOf(Size whole, Size part);

/// The operations built so far, by block, kind and operands.
using BuiltSizes = std::map<
    std::tuple<mlir::Block *, int, const void *, const void *, const void *>,
    mlir::Value>;

/// Builds arithmetic at the insertion point of a FlatIRBuilder.
class SizeMath {
public:
  SizeMath(FlatIRBuilder &builder, BuiltSizes &built)
      : builder(builder), built(built) {}

  Size constant(int64_t value);
  Size add(Size a, Size b);
  Size sub(Size a, Size b);
  Size mul(Size a, Size b);
  Size minimum(Size a, Size b);
  Size maximum(Size a, Size b);
  /// Quotients of sizes that are not negative, by a divisor of at least 1.
  Size floorDiv(Size a, Size b);
  Size ceilDiv(Size a, Size b);
  /// test == 1 ? then : otherwise.
  Size ifOne(Size test, Size then, Size otherwise);
  /// test < 0 ? then : otherwise.
  Size ifNegative(Size test, Size then, Size otherwise);
  Size product(llvm::ArrayRef<Size> sizes);
  /// `size`, limited to low..high.
  Size clamp(Size size, Size low, Size high) {
    return minimum(maximum(size, low), high);
  }

  /// `size` as a value.
  mlir::Value value(Size size);

private:
  template <typename OpTy, typename... Args>
  mlir::Value build(int kind, mlir::Value a, mlir::Value b, mlir::Value c,
                    Args &&...args);
  Size select(mlir::arith::CmpIPredicate predicate, Size test, int64_t with,
              Size then, Size otherwise);

  FlatIRBuilder &builder;
  BuiltSizes &built;
};

} // namespace tripy

#endif // TRIPY_LIB_CONVERSION_TRACETOFLATIR_SIZEMATH_H
