//===- ScalarOperations.h - What kernels compute on numbers -----*- C++ -*-===//
//
// The operations on numbers that kernels can compute, by type: those that
// Tripy's own builders make (ScalarFns.td, ScalarOps.h), and bitwise arithmetic
// of integers. No second list is written: the builders are asked. All dialects
// and everything above them may use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_COMMON_SCALAROPERATIONS_H
#define TRIPY_DIALECT_COMMON_SCALAROPERATIONS_H

#include "tripy/Dialect/Common/ScalarFns.h"

#include <map>
#include <set>
#include <vector>

namespace tripy {

/// The element types of tensors, in the order of the table in DType.h.
llvm::SmallVector<mlir::Type> tensorElementTypes(mlir::MLIRContext *context);
/// "f32, f16, bf16, ... or i1".
std::string describeElementTypes(mlir::MLIRContext *context);

class ScalarOperations {
public:
  /// Calls every builder for every element type.
  explicit ScalarOperations(mlir::MLIRContext *context);

  /// Whether kernels compute an operation of this name, and whether they do for
  /// these operand and result types. Operations on tensors are looked up by
  /// their element types, and index as i64.
  bool knowsName(mlir::Operation *op) const;
  bool knows(mlir::Operation *op) const;

  /// The function of the table that is `op` and nothing else; none for others.
  std::optional<scalar::ScalarFn> functionOf(mlir::Operation *op) const;

private:
  /// Name, operand types, null, result types.
  using Key = std::vector<const void *>;
  static Key keyOf(mlir::Operation *op);

  void record(mlir::Block &block);
  void recordFunction(scalar::ScalarFn fn, mlir::Block &block);

  std::set<const void *> names;
  std::set<Key> operations;
  std::map<Key, scalar::ScalarFn> functions;
};

} // namespace tripy

#endif // TRIPY_DIALECT_COMMON_SCALAROPERATIONS_H
