//===- MergedLocations.h - Lines of operations that became one --*- C++ -*-===//
//
// MLIR's merging of equal operations keeps the location of one of them, and its
// folding none at all. These keep all lines. All dialects and everything above
// them may use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_TRIPY_MERGEDLOCATIONS_H
#define TRIPY_DIALECT_TRIPY_MERGEDLOCATIONS_H

#include "mlir/IR/PatternMatch.h"

namespace tripy {

/// Listens while common subexpressions are eliminated. apply() gives each
/// operation that is left the lines of all that it stands for.
class MergedLocations : public mlir::RewriterBase::Listener {
public:
  using Listener::notifyOperationReplaced;
  void notifyOperationReplaced(mlir::Operation *op,
                               mlir::Operation *kept) override;
  void notifyOperationErased(mlir::Operation *op) override;
  void apply();

private:
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Location>> merged;
};

/// Knows the lines of a function's constants by their values, for folding to
/// forget them.
class ConstantLocations {
public:
  explicit ConstantLocations(mlir::Operation *function);
  /// Gives constants without location all lines of their value.
  void restore(mlir::Operation *function) const;

private:
  using Key = std::pair<mlir::Attribute, mlir::Type>;
  llvm::DenseMap<Key, llvm::SmallVector<mlir::Location>> lines;
};

} // namespace tripy

#endif // TRIPY_DIALECT_TRIPY_MERGEDLOCATIONS_H
