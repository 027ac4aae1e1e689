//===- OpInfo.h - What the fusion pass knows of an operation ----*- C++ -*-===//
//
// Classes of flatir operations, their scalar costs, and estimates of bytes.
// Internal to the fusion pass.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_FUSION_OPINFO_H
#define TRIPY_CODEGEN_FUSION_OPINFO_H

#include "tripy/Conversion/TensorSizes.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tripy::fusion {

enum class OpClass {
  Data,        ///< a constant that lies in memory: an input of kernels
  Creation,    ///< splat constant, iota, from_index: made where needed
  Layout,      ///< broadcast, reshape, transpose, slice
  Convert,     ///< another element type
  Elementwise, ///< scalar functions, compare, select
  Join,        ///< concatenate, gather, window, a dot that contracts nothing
  Reduce,
  Scan,
  Sort,
  Dot,
  Attention,
  Plugin, ///< a kernel that the user brings
};

OpClass classOf(mlir::Operation *op);

/// Whether `op` is of flatir, arithmetic on tensors that flatir lacks, or what
/// takeAttention() and splitSorts() make.
bool isProgramOp(mlir::Operation *op);

/// Creation, layout and convert: never worth a trip through memory.
bool isCheap(mlir::Operation *op);
/// Everything but data and seeds: computed element by element from any
/// position.
bool isLoopType(mlir::Operation *op);
/// A kernel is built around it: a reduction, scan, contraction, attention or
/// plugin.
bool isSeed(mlir::Operation *op);
/// Element-wise over one shape: operands and result.
bool isPointwise(mlir::Operation *op);
/// What a gemm emitter reads operands through: layout with static positive
/// strides, and converts.
bool isGemmOperandView(mlir::Operation *op);

/// Scalar operations for one element, a multiplication being 1.
int64_t scalarCost(mlir::Operation *op);
/// Whether one element costs as much as tens of multiplications.
bool isExpensive(mlir::Operation *op);

/// A word for the operation in names and remarks: "exp", "sum", "dot".
llvm::StringRef shortName(mlir::Operation *op);

/// Estimates of sizes: those of the profile's `opt`.
class Estimates {
public:
  /// Reads the profiles of `function` and evaluates its size arithmetic, which
  /// lies at the start of its block.
  void read(mlir::func::FuncOp function);

  int64_t elements(const TensorSizes::Sizes &shape) const;
  int64_t bytes(mlir::Value tensor, const TensorSizes &sizes) const;
  /// Of a contraction.
  int64_t multiplications(flatir::DotOp dot, const TensorSizes &sizes) const;

private:
  int64_t valueOf(mlir::Value size) const;
  std::optional<int64_t> evaluate(mlir::Operation *op) const;

  llvm::DenseMap<mlir::Value, int64_t> known;
};

} // namespace tripy::fusion

#endif // TRIPY_CODEGEN_FUSION_OPINFO_H
