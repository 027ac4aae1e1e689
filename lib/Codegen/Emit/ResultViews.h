//===- ResultViews.h - Results that are written in another order -*- C++
//-*-===//
//
// An attention's result may leave its kernel through permutations and reshapes
// that keep its rows whole: heads are joined where they are written. What they
// do to an index, and to sizes.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_RESULTVIEWS_H
#define TRIPY_CODEGEN_RESULTVIEWS_H

#include "ElementEmitter.h"

#include "mlir/IR/AffineExpr.h"

namespace tripy::codegen {

/// The views that make a result of what a kernel computes; `views` are none for
/// a result that is no view of an attention's.
struct ResultViews {
  /// What the kernel computes, over the shape that it goes through.
  mlir::Value source;
  /// From there on.
  llvm::SmallVector<mlir::Operation *> views;

  static ResultViews of(mlir::Value result);

  /// Where the element of the source at `at` is in the result.
  llvm::SmallVector<Index> place(llvm::ArrayRef<Index> at,
                                 ElementEmitter &elements,
                                 IndexMath &math) const;
  /// Sizes of the source, where the result's are `sizes`.
  llvm::SmallVector<mlir::AffineExpr>
  sizesOfSource(llvm::ArrayRef<mlir::AffineExpr> sizes) const;
};

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_RESULTVIEWS_H
