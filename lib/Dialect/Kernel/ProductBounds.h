//===- ProductBounds.h - Upper bounds of products of sizes ------*- C++ -*-===//
//
// The sizes of a reshaped tensor are a quotient and what it was divided by:
// [(a * b * c) / m, m]. By their ranges alone the product may be a * b * c * m;
// but (x / m) * m is at most x. Private to lib/Dialect/Kernel.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_DIALECT_KERNEL_PRODUCTBOUNDS_H
#define TRIPY_LIB_DIALECT_KERNEL_PRODUCTBOUNDS_H

#include "tripy/Base/Program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace tripy::kernel {

class ProductBounds {
public:
  /// `limited` are the expressions min(x, n) that always equal x.
  ProductBounds(llvm::ArrayRef<SizeExpr> exprs, llvm::ArrayRef<Interval> ranges,
                const llvm::DenseSet<TableIndex> &limited)
      : exprs(exprs), ranges(ranges), limited(limited) {}

  /// An upper bound of an expression: the least of that of its range and those
  /// that follow where quotients meet their divisors among its factors.
  int64_t of(TableIndex expr) const;

private:
  /// A constant, at least 0, times factors that are never negative.
  struct Product {
    int64_t scale = 1;
    llvm::SmallVector<TableIndex> factors;
  };

  bool multiply(TableIndex expr, Product &into) const;
  int64_t rangeOf(const Product &product) const;
  bool cancelOne(Product &product) const;
  bool cancel(Product &product, size_t quotient) const;

  llvm::ArrayRef<SizeExpr> exprs;
  llvm::ArrayRef<Interval> ranges;
  const llvm::DenseSet<TableIndex> &limited;
};

} // namespace tripy::kernel

#endif // TRIPY_LIB_DIALECT_KERNEL_PRODUCTBOUNDS_H
