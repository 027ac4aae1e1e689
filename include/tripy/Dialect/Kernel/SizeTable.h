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
  TableIndex a, b;
  mlir::Location loc;
  std::string message;
};

class SizeTable {
public:
  /// A symbol for each dynamic dimension of the arguments, and for each that is
  /// itself a size, from their profiles and dimension names. Every such
  /// argument has a profile.
  void addInputs(mlir::FunctionOpInterface function);
  /// The expression of a dimension of an argument, static or dynamic; of a size
  /// (dim 0), its value.
  TableIndex inputSize(unsigned input, unsigned dim) const {
    return inputSizes[input][dim];
  }

  TableIndex constant(int64_t value);
  /// Adds a condition when the result may overflow or divide by zero for sizes
  /// that the profile allows.
  TableIndex binary(SizeOp op, TableIndex a, TableIndex b);
  /// a * b * ..., 1 for none.
  TableIndex product(llvm::ArrayRef<TableIndex> factors);
  /// `expr`, or 0 where it would be negative: for what is a size by nature.
  TableIndex clampToSize(TableIndex expr);
  /// `expr` with symbol i standing for symbols[i]; none as for binary().
  std::optional<TableIndex> evaluate(mlir::AffineExpr expr,
                                     llvm::ArrayRef<TableIndex> symbols);
  Interval bounds(TableIndex expr) const { return ranges[expr]; }

  /// Adds a condition of one of the kinds that CheckKindInfo::op is for, unless
  /// it is there or holds for all sizes. An empty `message` becomes the rule.
  void require(CheckKind kind, TableIndex a, TableIndex b,
               llvm::StringRef message = "");
  /// The conditions that were added since the last call.
  std::vector<SizeCondition> takeConditions();
  /// What conditions are added for.
  void setLocation(mlir::Location loc) { location = loc; }
  std::optional<int64_t> constantOf(TableIndex expr) const;

  void bind(mlir::Value value, TableIndex expr) { values[value] = expr; }
  /// Reads `op` when it is arithmetic on index values or kernel.input_size;
  /// operands are visited before. Others are left alone.
  void visit(mlir::Operation *op);
  /// The expression of a visited value. Emits an error at the value's
  /// definition when it has none.
  mlir::FailureOr<TableIndex> lookup(mlir::Value value) const;
  /// The same, or nothing where it has none.
  std::optional<TableIndex> valueOf(mlir::Value value) const;

  const std::vector<SizeSymbol> &symbolList() const { return symbols; }
  const std::vector<SizeExpr> &exprList() const { return exprs; }

private:
  TableIndex addSymbol(mlir::FunctionOpInterface function, unsigned input,
                       unsigned dim);
  TableIndex add(SizeExpr expr, Interval range);
  TableIndex define(SizeOp op, TableIndex a, TableIndex b, Interval range);
  std::optional<TableIndex> simplify(SizeOp op, TableIndex a, TableIndex b);
  TableIndex compare(mlir::arith::CmpIPredicate predicate, TableIndex a,
                     TableIndex b);
  TableIndex select(TableIndex condition, TableIndex x, TableIndex y);
  std::optional<TableIndex> arithmetic(mlir::Operation *op);
  TableIndex negation(TableIndex truth);

  std::vector<SizeSymbol> symbols;
  std::vector<SizeExpr> exprs;
  std::vector<Interval> ranges;
  llvm::DenseMap<std::tuple<unsigned, TableIndex, TableIndex>, TableIndex>
      binaries;
  std::map<int64_t, TableIndex> constants;
  /// Minima of a product and a constant that is never less.
  llvm::DenseSet<TableIndex> limited;
  std::set<std::tuple<CheckKind, TableIndex, TableIndex>> required;
  std::vector<SizeCondition> conditions;
  std::optional<mlir::Location> location;
  llvm::DenseMap<mlir::Value, TableIndex> values;
  std::vector<std::vector<TableIndex>> inputSizes;
};

} // namespace tripy::kernel

#endif // TRIPY_DIALECT_KERNEL_SIZETABLE_H
