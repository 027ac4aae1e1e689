//===- SizeTable.h - Index arithmetic as size expressions -------*- C++ -*-===//
//
// Reads the `index` arithmetic of a program's function as the size expressions
// of Base/Program.h, each with the range that the profile allows. Equal
// expressions are one. For kernel-plan and Target.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_KERNEL_SIZETABLE_H
#define TRIPY_DIALECT_KERNEL_SIZETABLE_H

#include "tripy/Base/Program.h"
#include "tripy/Base/SizeExpr.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace tripy::kernel {

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
  /// None when the result may overflow or divide by zero for sizes that the
  /// profile allows.
  std::optional<Index> binary(SizeOp op, Index a, Index b);
  /// a * b * ..., 1 for none.
  std::optional<Index> product(llvm::ArrayRef<Index> factors);
  /// `expr`, or 0 where it would be negative: for what is a size by nature.
  Index clampToSize(Index expr);
  /// `expr` with symbol i standing for symbols[i]; none as for binary().
  std::optional<Index> evaluate(mlir::AffineExpr expr,
                                llvm::ArrayRef<Index> symbols);
  Interval bounds(Index expr) const { return ranges[expr]; }
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
  std::optional<Index> simplify(SizeOp op, Index a, Index b);
  std::optional<Index> compare(mlir::Operation *op);
  std::optional<Index> select(mlir::Operation *op);
  std::optional<Index> divide(SizeOp op, Index a, Index b, bool truncates);
  std::optional<Index> arithmetic(mlir::Operation *op);
  std::optional<Index> logic(mlir::Operation *op, Index a, Index b);
  std::optional<Index> negation(Index truth);
  std::optional<Index> valueOf(mlir::Value value) const;

  std::vector<SizeSymbol> symbols;
  std::vector<SizeExpr> exprs;
  std::vector<Interval> ranges;
  llvm::DenseMap<std::tuple<unsigned, Index, Index>, Index> binaries;
  llvm::DenseMap<int64_t, Index> constants;
  llvm::DenseMap<mlir::Value, Index> values;
  std::vector<std::vector<Index>> inputSizes;
};

} // namespace tripy::kernel

#endif // TRIPY_DIALECT_KERNEL_SIZETABLE_H
