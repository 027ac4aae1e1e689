//===- KernelEmission.h - State of one kernel's emission --------*- C++ -*-===//
//
// What the CPU and CUDA emitters share: a kernel's tensors bound to pointers,
// its reductions, and its sizes as expressions of the launch grid.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_KERNELEMISSION_H
#define TRIPY_CODEGEN_KERNELEMISSION_H

#include "ElementEmitter.h"

namespace tripy::codegen {

class KernelEmission {
public:
  /// `pointers`: one !llvm.ptr for each tensor argument and then each result;
  /// `sizes`: one index value for each index argument.
  KernelEmission(kernel::FuncOp kernel, mlir::OpBuilder &builder,
                 const EmitterOptions &options)
      : kernel(kernel), b(builder), loc(kernel.getLoc()), math(builder, loc),
        elements(math, options) {}

  mlir::LogicalResult bind(mlir::ValueRange pointers, mlir::ValueRange sizes);

  /// The sizes of last dimensions that are known at run time only.
  llvm::SmallVector<mlir::Value> innerSizes();
  /// Whether all of `sizes` are multiples of `factor`, a power of two.
  mlir::Value areMultiples(mlir::ValueRange sizes, int64_t factor);
  /// Emits `body`, for a place where that holds, and where none of `sizes` is
  /// below `least`: accesses are as wide as it allows.
  void withMultiples(mlir::ValueRange sizes, int64_t factor, int64_t least,
                     llvm::function_ref<void()> body);
  /// A version of the code, of which `sizes` are multiples of `factor`, and
  /// none is below `least`.
  struct Version {
    int64_t factor = 1, least = 1;
  };
  /// Emits `body` for each of `versions` and for any sizes; at run time the
  /// first whose condition holds is executed.
  void versions(mlir::ValueRange sizes, llvm::ArrayRef<Version> versions,
                llvm::function_ref<void(Version)> body);

  unsigned numResults() { return yielded().size(); }
  mlir::OperandRange yielded() {
    return kernel.getBody().front().getTerminator()->getOperands();
  }
  /// The reductions and contractions of the body, in order.
  llvm::SmallVector<mlir::linalg::GenericOp> reductions();
  /// The running sums of the body; null when there are none.
  kernel::ScanOp scan();
  /// The attention of the body; null when there is none.
  kernel::AttentionOp attention();
  /// The sort of the body; null when there is none.
  kernel::SortOp sort();
  /// The plugin that is all of the body; null when there is none.
  kernel::PluginOp plugin() { return pluginOf(kernel); }
  static kernel::PluginOp pluginOf(kernel::FuncOp kernel);
  /// What the body is built around: the fusion root chosen, or, where a size of
  /// 0 left none of it, what is element-wise.
  kernel::FusionRoot root();
  /// True when every element of every tensor depends only on elements of the
  /// same position, so that the shape may be flattened.
  bool isPointwise();

  /// Emits element `index` (and following elements) of all results and stores
  /// it.
  void emitResults(llvm::ArrayRef<Index> index, int64_t vectorSize = 1);
  /// The same for the results `numbers` alone.
  void emitResults(llvm::ArrayRef<unsigned> numbers,
                   llvm::ArrayRef<Index> index, int64_t vectorSize = 1);
  void emitResult(unsigned number, llvm::ArrayRef<Index> index,
                  int64_t vectorSize = 1);

  /// The scalar that `reduction` starts from, in its compute type.
  mlir::Value initialValue(mlir::linalg::GenericOp reduction);

  /// Sizes of result `number`, or of an argument, as expressions of the
  /// kernel's index arguments (symbols).
  llvm::SmallVector<mlir::AffineExpr> sizeExprs(unsigned result);
  /// The same for tensor `number` of the arguments and then the results.
  llvm::SmallVector<mlir::AffineExpr> tensorSizeExprs(unsigned number);
  mlir::AffineExpr constantExpr(int64_t value) {
    return mlir::getAffineConstantExpr(value, kernel.getContext());
  }
  static mlir::AffineExpr product(llvm::ArrayRef<mlir::AffineExpr> factors,
                                  mlir::MLIRContext *context);
  /// Sets the kernel's launch configuration; `grid` has up to three sizes.
  void setConfig(llvm::ArrayRef<mlir::AffineExpr> grid,
                 llvm::ArrayRef<int64_t> block, int64_t scratch,
                 llvm::ArrayRef<int64_t> cluster = {1, 1, 1},
                 llvm::ArrayRef<kernel::TensorMapAttr> tensorMaps = {},
                 llvm::ArrayRef<int64_t> workspace = {});

  /// A loop over [begin, end) whose body gets the index; elements computed in
  /// it are its own.
  void loop(Index begin, Index end, Index step,
            llvm::function_ref<void(Index)> body);
  /// The same, carrying values.
  llvm::SmallVector<mlir::Value> reduceLoop(
      Index begin, Index end, Index step, mlir::ValueRange initial,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(Index,
                                                        mlir::ValueRange)>
          body);
  /// `body` where `condition` holds, `otherwise` elsewhere.
  void when(mlir::Value condition, llvm::function_ref<void()> body,
            llvm::function_ref<void()> otherwise = nullptr);

  /// One step of `reduction` at the point `loops`: combines `accumulator` with
  /// the element there.
  mlir::Value step(mlir::linalg::GenericOp reduction,
                   llvm::ArrayRef<Index> loops, mlir::Value accumulator);
  /// Combines two partial results of `reduction`.
  mlir::Value combine(mlir::linalg::GenericOp reduction, mlir::Value lhs,
                      mlir::Value rhs);

  kernel::FuncOp kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexMath math;
  ElementEmitter elements;
  llvm::SmallVector<Memory> results;
};

/// Loops of a reduction or contraction by what they are.
struct LoopDims {
  llvm::SmallVector<unsigned> parallel, reduction;
};
LoopDims loopDims(mlir::linalg::GenericOp op);

/// Sizes of the iteration space of `op`.
llvm::SmallVector<Index> loopSizes(mlir::linalg::GenericOp op,
                                   ElementEmitter &elements);

/// The iteration point of element `result` of `op`'s (permuted) result;
/// reduction loops are 0.
llvm::SmallVector<Index> loopsOfResult(mlir::linalg::GenericOp op,
                                       llvm::ArrayRef<Index> result,
                                       IndexMath &math);

/// The operation of a reduction's body that takes the accumulator, when it is
/// all that does, is yielded, and is a sum, product, maximum, minimum, and, or;
/// otherwise null.
mlir::Operation *combinerOf(mlir::linalg::GenericOp reduction);

/// Whether `kernel` has the form that the emitters read (docs/rationale/
/// fusion.md); reports what has not. To be asked before any emission.
mlir::LogicalResult verifyForm(kernel::FuncOp kernel);

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_KERNELEMISSION_H
