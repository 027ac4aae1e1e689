//===- ScalarOperations.h - What bodies of linalg may compute ---*- C++ -*-===//
//
// Private to lib/Compiler. The operations on scalars that kernels can compute,
// by type: those that Tripy's own builders make (ScalarFns.td, ScalarOps.h). No
// second list is written: the builders are asked.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_COMPILER_SCALAROPERATIONS_H
#define TRIPY_LIB_COMPILER_SCALAROPERATIONS_H

#include "mlir/IR/Builders.h"

#include <set>
#include <vector>

namespace tripy {

/// The element types of tensors, in the order of the table in DType.h.
llvm::SmallVector<mlir::Type> tensorElementTypes(mlir::MLIRContext *context);

class ScalarOperations {
public:
  /// Calls every builder for every element type.
  explicit ScalarOperations(mlir::MLIRContext *context);

  /// Whether a builder makes an operation of this name, and whether it does for
  /// these operand and result types.
  bool knowsName(mlir::Operation *op) const;
  bool knows(mlir::Operation *op) const;

private:
  void record(mlir::Block &block);

  std::set<const void *> names;
  /// Name, operand types, null, result types.
  std::set<std::vector<const void *>> operations;
};

} // namespace tripy

#endif // TRIPY_LIB_COMPILER_SCALAROPERATIONS_H
