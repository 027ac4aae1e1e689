//===- Evaluator.h - Runs flatir programs, slowly and exactly ---*- C++ -*-===//
//
// The executable specification of flatir: what constant folding computes, and
// what compiled programs are compared with. Layer reference.
//
// Floats are computed in double and rounded once to the result's element type
// by every operation; sums and contractions accumulate in double. Integers
// wrap around. A composite is what its region says.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_REFERENCE_EVALUATOR_H
#define TRIPY_REFERENCE_EVALUATOR_H

#include "tripy/Reference/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tripy::reference {

/// Bounds of an evaluation: a program that would exceed one is refused with an
/// error at the operation that does.
struct EvaluateOptions {
  /// Bytes of all tensors alive at one time, the inputs not counted.
  uint64_t maxBytes = uint64_t(4) << 30;
  /// Scalar operations of the whole program; about 10^8 to 10^9 take a second.
  uint64_t maxSteps = uint64_t(1) << 38;
};

/// Runs `function`, of flatir, arith on index, and func.return, on inputs of
/// its argument types (of an index: an i64 of rank 0); dynamic sizes are those
/// of the inputs. Checks inputs
/// against types, profiles and named dimensions. Emits one error, located at
/// the operation (or at the function, for its inputs), and fails when an input
/// does not fit, a `flatir.require` does not hold, sizes disagree, a limit is
/// exceeded, or the function contains something else. A program of trace is
/// lowered first (--trace-to-flatir), by the caller.
///
///   FailureOr<SmallVector<Tensor>> results = evaluate(main, {x, w});
///   if (failed(results))
///     return failure(); // the context's diagnostic handler has the text
mlir::FailureOr<llvm::SmallVector<Tensor>>
evaluate(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs,
         const EvaluateOptions &options = {});

/// Evaluates one operation of flatir, whose operands are tensors only and as
/// in `operands`. Emits nothing: fails when the operation cannot be evaluated
/// within `options`.
mlir::FailureOr<llvm::SmallVector<Tensor>>
evaluateQuietly(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                const EvaluateOptions &options = {});

} // namespace tripy::reference

#endif // TRIPY_REFERENCE_EVALUATOR_H
