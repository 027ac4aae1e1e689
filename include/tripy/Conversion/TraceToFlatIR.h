//===- TraceToFlatIR.h - Makes trace programs explicit ----------*- C++ -*-===//
//
// The patterns of --trace-to-flatir, for passes that convert more at once.
// Conversion and everything above it may use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CONVERSION_TRACETOFLATIR_H
#define TRIPY_CONVERSION_TRACETOFLATIR_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <memory>

namespace tripy {

/// The lowering of trace to flatir for one dialect conversion. It lives as long
/// as the patterns.
class TraceLowering {
public:
  TraceLowering();
  ~TraceLowering();

  /// Adds a pattern for each operation of trace. They are for operations that
  /// are converted in the order of their block.
  void populatePatterns(mlir::RewritePatternSet &patterns);

  struct State;

private:
  std::unique_ptr<State> state;
};

/// Adds a condition on two sizes that `source` needs, of a kind that
/// flatir.require has, at the place of the builder.
using AddSizeCondition = llvm::function_ref<void(
    mlir::OpBuilder &b, mlir::Operation *source, llvm::StringRef kind,
    mlir::Value lhs, mlir::Value rhs, llvm::StringRef message)>;

/// Adds a condition for each operation on sizes of `function` that can overflow
/// or divide by zero for sizes that the profiles allow, or is unsigned and may
/// get negative operands.
void guardSizes(mlir::FunctionOpInterface function, AddSizeCondition add);

/// Adds flatir.require.
void addFlatIRCondition(mlir::OpBuilder &b, mlir::Operation *source,
                        llvm::StringRef kind, mlir::Value lhs, mlir::Value rhs,
                        llvm::StringRef message);

} // namespace tripy

#endif // TRIPY_CONVERSION_TRACETOFLATIR_H
