//===- SizeOps.h - Which operations compute sizes ---------------*- C++ -*-===//
//
// The one list of `arith` operations that programs may apply to sizes, and what
// they mean: exact arithmetic of 64 bits. The compiler, the reference evaluator
// and docs/sizes.md go by it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_COMMON_SIZEOPS_H
#define TRIPY_DIALECT_COMMON_SIZEOPS_H

#include "tripy/Base/SizeMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace tripy {

/// How an operation computes its result.
enum class SizeForm {
  Constant, ///< a number, true or false
  Binary,   ///< SizeOpRow::op of two operands
  Compare,  ///< true or false, of two numbers
  Select,   ///< one of two values
  Cast,     ///< the number 0 or 1 for false or true
};

/// What operands and results are: numbers (index), truth values (i1), or
/// either.
enum class SizeTypes { Numbers, Truths, Both };

/// One operation of the list.
struct SizeOpRow {
  llvm::StringLiteral name;
  SizeForm form;
  /// For SizeForm::Binary.
  SizeOp op = SizeOp::Constant;
  SizeTypes types = SizeTypes::Numbers;
  /// Whether operands may not be negative.
  bool isUnsigned = false;
  /// The result in words, for the documentation.
  llvm::StringLiteral meaning = "";
};

/// The whole list.
llvm::ArrayRef<SizeOpRow> sizeOpRows();

/// The row of an operation that computes a size or a truth value as the list
/// says; null for all others.
const SizeOpRow *findSizeOp(mlir::Operation *op);

/// Whether `type` is that of a size or a truth value.
bool isSizeType(mlir::Type type);

/// Whether operands and results are scalars without a fraction, and there are
/// some: arithmetic on sizes, in the list or not.
bool isSizeArithmetic(mlir::Operation *op);

/// Emits an error for arithmetic on sizes that is not in the list.
llvm::LogicalResult checkSizeOp(mlir::Operation *op);

/// Whether the operands of this operation may not be negative: those of
/// unsigned arithmetic, which sizes have only where it agrees with signed one.
bool takesUnsigned(mlir::Operation *op);
/// The rule that says so.
inline constexpr llvm::StringLiteral unsignedRule =
    "operands of unsigned arithmetic on sizes must not be negative";

/// A comparison as both signed and unsigned ones mean it.
bool compareSizes(mlir::arith::CmpIPredicate predicate, int64_t a, int64_t b);

/// The value of an arith.constant, 0 or 1 for truth values; none for others.
std::optional<int64_t> constantSize(mlir::Operation *op);

/// The range of the result of an operation of the list, given those of its
/// operands; anySize for all others.
Interval boundSize(mlir::Operation *op, llvm::ArrayRef<Interval> operands);

/// The table of docs/sizes.md.
std::string sizeOpTable();

} // namespace tripy

#endif // TRIPY_DIALECT_COMMON_SIZEOPS_H
