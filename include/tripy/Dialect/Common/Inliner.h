//===- Inliner.h - Operations that may be inlined ---------------*- C++ -*-===//
//
// For the dialects of programs, whose operations mean the same wherever they
// stand, so that MLIR's inliner may move them. Layer dialects.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_COMMON_INLINER_H
#define TRIPY_DIALECT_COMMON_INLINER_H

#include "mlir/Transforms/InliningUtils.h"

namespace tripy {

struct InlineAnywhere : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool,
                       mlir::IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(mlir::Region *, mlir::Region *, bool,
                       mlir::IRMapping &) const final {
    return true;
  }
};

} // namespace tripy

#endif // TRIPY_DIALECT_COMMON_INLINER_H
