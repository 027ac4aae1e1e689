//===- SortOrder.h - Numbers in the order of a sort -------------*- C++ -*-===//
//
// Elements as unsigned integers, keys, that compare as flatir.sort orders the
// elements. For the emitters of sorts.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_SORTORDER_H
#define TRIPY_CODEGEN_SORTORDER_H

#include "mlir/IR/Builders.h"

namespace tripy::codegen {

/// Positions that a kernel selects without sorting whole rows; a sort with a
/// larger count is a sort of all and a slice.
constexpr int64_t maxSelected = 2048;

/// Keys of elements of one type in one direction.
class SortOrder {
public:
  /// `element` is the tensor's element type.
  SortOrder(mlir::Type element, bool descending)
      : element(element), descending(descending) {}

  /// i64 for elements of 64 bits, i32 for all others.
  mlir::IntegerType keyType() const;
  /// The upper bits of a key that can differ between two elements; the others
  /// are equal in all keys.
  int64_t significantBits() const;
  /// The key of `value`, which is in the compute type of the element type.
  mlir::Value key(mlir::OpBuilder &b, mlir::Location loc,
                  mlir::Value value) const;
  /// Whether (key, position) `a` comes before `b`.
  static mlir::Value precedes(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::Value aKey, mlir::Value aPosition,
                              mlir::Value bKey, mlir::Value bPosition);

private:
  mlir::Value ascendingKey(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value value) const;

  mlir::Type element;
  bool descending;
};

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_SORTORDER_H
