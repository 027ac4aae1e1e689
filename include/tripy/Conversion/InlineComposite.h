//===- InlineComposite.h - From composites to primitives --------*- C++ -*-===//
//
// Replaces a flatir.composite by the operations of its region. Conversion and
// Codegen use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CONVERSION_INLINECOMPOSITE_H
#define TRIPY_CONVERSION_INLINECOMPOSITE_H

#include "tripy/Dialect/FlatIR/FlatIR.h"

namespace tripy {

/// Moves the operations of `composite`'s region before it, replaces its
/// results and erases it. Each moved operation is shown to `moved` (with the
/// composite still there); nested composites are moved as they are. An
/// operation whose location has no reason gets one: "decompose '<name>'".
void inlineComposite(flatir::CompositeOp composite,
                     llvm::function_ref<void(mlir::Operation *)> moved);

/// Inlines all composites of `block`, nested ones too; `moved` gets each
/// primitive and the name of the outermost composite that it comes from.
void inlineComposites(
    mlir::Block &block,
    llvm::function_ref<void(mlir::Operation *, mlir::StringAttr)> moved);

} // namespace tripy

#endif // TRIPY_CONVERSION_INLINECOMPOSITE_H
