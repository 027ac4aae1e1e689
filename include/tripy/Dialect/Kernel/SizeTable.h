//===- SizeTable.h - Index arithmetic as size expressions -------*- C++ -*-===//
//
// Reads the `index` arithmetic of a program's function as the size expressions
// of Base/Program.h, each with the range that the profile allows. Equal
// expressions are one. What can overflow or divide by zero becomes a condition,
// under which the ranges hold. For kernel-plan and Target.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_KERNEL_SIZETABLE_H
#define TRIPY_DIALECT_KERNEL_SIZETABLE_H

#include "tripy/Base/Program.h"
#include "tripy/Base/SizeExpr.h"
#include "tripy/Dialect/Common/SizeOps.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <set>

namespace tripy::kernel {

/// That the operation which `kind` stands for has a value for these operands.
struct SizeCondition {
  CheckKind kind;
  Index a, b;
  mlir::Location loc;
  std::string message;
};

class SizeTable {
public:
  /// A symbol for each dynamic dimension of the arguments, from their profiles
  /// and dimension names. Every such argument has a profile.
  void addInputs(mlir::FunctionOpInterface function);
  /// The expression of a dimension of an argument, static or dynamic.
  Index inputSize(unsigned input, unsigned dim) const {
    return inputSizes[input][dim];
  }

  Index constant(int64_t value);
  /// Adds a condition when the result may overflow or divide by zero for sizes
  /// that the profile allows.
  Index binary(SizeOp op, Index a, Index b);
  /// a * b * ..., 1 for none.
  Index product(llvm::ArrayRef<Index> factors);
  /// `expr`, or 0 where it would be negative: for what is a size by nature.
  Index clampToSize(Index expr);
  /// `expr` with symbol i standing for symbols[i]; none as for binary().
  std::optional<Index> evaluate(mlir::AffineExpr expr,
                                llvm::ArrayRef<Index> symbols);
  Interval bounds(Index expr) const { return ranges[expr]; }

  /// Adds a condition of one of the kinds that CheckKindInfo::op is for, unless
  /// it is there or holds for all sizes. An empty `message` becomes the rule.
  void require(CheckKind kind, Index a, Index b, llvm::StringRef message = "");
  /// The conditions that were added since the last call.
  std::vector<SizeCondition> takeConditions();
  /// What conditions are added for.
  void setLocation(mlir::Location loc) { location = loc; }
  std::optional<int64_t> constantOf(Index expr) const;

  void bind(mlir::Value value, Index expr) { values[value] = expr; }
  /// Reads `op` when it is arithmetic on index values or kernel.input_size;
  /// operands are visited before. Others are left alone.
  void visit(mlir::Operation *op);
  /// The expression of a visited value. Emits an error at the value's
  /// definition when it has none.
  mlir::FailureOr<Index> lookup(mlir::Value value) const;

  const std::vector<SizeSymbol> &symbolList() const { return symbols; }
  const std::vector<SizeExpr> &exprList() const { return exprs; }

private:
  Index add(SizeExpr expr, Interval range);
  Index define(SizeOp op, Index a, Index b, Interval range);
  std::optional<Index> simplify(SizeOp op, Index a, Index b);
  Index compare(mlir::arith::CmpIPredicate predicate, Index a, Index b);
  Index select(Index condition, Index x, Index y);
  std::optional<Index> arithmetic(mlir::Operation *op);
  Index negation(Index truth);
  std::optional<Index> valueOf(mlir::Value value) const;

  std::vector<SizeSymbol> symbols;
  std::vector<SizeExpr> exprs;
  std::vector<Interval> ranges;
  llvm::DenseMap<std::tuple<unsigned, Index, Index>, Index> binaries;
  std::map<int64_t, Index> constants;
  /// Minima of a product and a constant that is never less.
  llvm::DenseSet<Index> limited;
  std::set<std::tuple<CheckKind, Index, Index>> required;
  std::vector<SizeCondition> conditions;
  std::optional<mlir::Location> location;
  llvm::DenseMap<mlir::Value, Index> values;
  std::vector<std::vector<Index>> inputSizes;
};

} // namespace tripy::kernel

#endif // TRIPY_DIALECT_KERNEL_SIZETABLE_H
