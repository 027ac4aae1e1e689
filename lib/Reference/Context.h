//===- Context.h - Limits and errors of one evaluation ----------*- C++ -*-===//
//
// Private to lib/Reference: what the evaluation of each operation needs
// besides its operands.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_REFERENCE_CONTEXT_H
#define TRIPY_LIB_REFERENCE_CONTEXT_H

#include "tripy/Reference/Evaluator.h"

#include "mlir/IR/Operation.h"

#include <optional>
#include <variant>

namespace tripy::reference {

/// What an SSA value holds: a tensor, or an index (or i1, as 0 and 1).
using Datum = std::variant<int64_t, Tensor>;

/// Limits that are left, and whether errors are told. Everything that returns
/// none or failure has reported why.
class Context {
public:
  Context(const EvaluateOptions &options, bool quiet)
      : options(options), quiet(quiet), live(std::make_shared<uint64_t>(0)) {}

  /// An uninitialised tensor that a value of `op` is computed into.
  std::optional<Tensor> allocate(mlir::Operation *op, DType dtype,
                                 llvm::ArrayRef<int64_t> shape);
  /// Accounts for scalar operations before they are done.
  mlir::LogicalResult spend(mlir::Operation *op, uint64_t steps);
  mlir::LogicalResult fail(mlir::Operation *op, const llvm::Twine &message);

  /// Counts the bytes of the tensors that are alive.
  const std::shared_ptr<uint64_t> &meter() const { return live; }

private:
  EvaluateOptions options;
  bool quiet;
  std::shared_ptr<uint64_t> live;
  uint64_t steps = 0;
};

/// Evaluates an operation without regions, of flatir or arith.
mlir::FailureOr<llvm::SmallVector<Datum>>
evaluateOp(Context &context, mlir::Operation *op,
           llvm::ArrayRef<Datum> operands);

//===-- families ----------------------------------------------------------===//
// Each returns none, having told why, when `op` is not of the family or fails.

/// Whether the operation is of the family.
bool isIndexOp(mlir::Operation *op);
bool isElementwiseOp(mlir::Operation *op);
bool isMovementOp(mlir::Operation *op);
bool isReductionOp(mlir::Operation *op);

/// arith on index, flatir.dim, flatir.require (no result: 0).
std::optional<int64_t> evaluateIndex(Context &context, mlir::Operation *op,
                                     llvm::ArrayRef<Datum> operands);
/// The rows of ScalarFns.td, compare, select, convert.
std::optional<Tensor> evaluateElementwise(Context &context, mlir::Operation *op,
                                          llvm::ArrayRef<Datum> operands);
/// constant, iota, from_index, and everything that only moves elements.
std::optional<Tensor> evaluateMovement(Context &context, mlir::Operation *op,
                                       llvm::ArrayRef<Datum> operands);
/// window.
std::optional<Tensor> evaluateWindow(Context &context, mlir::Operation *op,
                                     llvm::ArrayRef<Datum> operands);
/// random_bits.
std::optional<Tensor> evaluateRandomBits(Context &context, mlir::Operation *op,
                                         llvm::ArrayRef<Datum> operands);
/// sort.
std::optional<Tensor> evaluateSort(Context &context, mlir::Operation *op,
                                   llvm::ArrayRef<Datum> operands);
/// reduce, scan and dot.
std::optional<Tensor> evaluateReduction(Context &context, mlir::Operation *op,
                                        llvm::ArrayRef<Datum> operands);

//===-- strides -----------------------------------------------------------===//

/// Distances, in elements, between neighbours along each dimension.
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// Walks over a box of elements in row-major order of `shape`, keeping the
/// offset of the element that `strides` give.
class BoxWalker {
public:
  BoxWalker(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
            int64_t offset = 0)
      : shape(shape), strides(strides), index(shape.size(), 0), at(offset) {}
  int64_t offset() const { return at; }
  /// Goes to the next element; after the last, to the first.
  void next() {
    for (size_t dim = shape.size(); dim-- > 0;) {
      at += strides[dim];
      if (++index[dim] < shape[dim])
        return;
      at -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
  }

private:
  llvm::ArrayRef<int64_t> shape, strides;
  llvm::SmallVector<int64_t, 8> index;
  int64_t at;
};

} // namespace tripy::reference

#endif // TRIPY_LIB_REFERENCE_CONTEXT_H
