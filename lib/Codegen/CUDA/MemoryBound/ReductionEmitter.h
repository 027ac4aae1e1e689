//===- ReductionEmitter.h - Code of one shared reduction --------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. EmitCUDAReduction.cpp has a thread's steps,
// JoinReduction.cpp what threads and blocks do with each other's sums.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_REDUCTIONEMITTER_H
#define TRIPY_LIB_CODEGEN_CUDA_REDUCTIONEMITTER_H

#include "Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tripy::codegen {

/// Emits one reduction.
class ReductionEmitter {
public:
  ReductionEmitter(CUDAKernel &kernel, const ReductionPlan &plan)
      : kernel(kernel), plan(plan), e(kernel.e), math(e.math),
        first(plan.ops.front()) {}
  void emit();

private:
  void measure();
  std::optional<mlir::AffineExpr> exprOf(Index size);
  mlir::AffineExpr partsOf(mlir::AffineExpr strips, mlir::AffineExpr steps);
  void configure();
  void locate();
  void locateOutput();
  llvm::SmallVector<Index> pointOf(Index step);
  /// What a step reads: for each reduction, its operands.
  using Read = llvm::SmallVector<llvm::SmallVector<Elements>>;
  Read fetch(llvm::ArrayRef<Index> point, int64_t count);
  /// `count` accumulators of each reduction, and what was read for them.
  Elements add(const Read &read, llvm::ArrayRef<Index> point,
               mlir::ValueRange totals, int64_t count);
  Elements addSteps(Index from, int64_t count, bool checks,
                    mlir::ValueRange totals);
  bool mayLeave(int64_t least, int64_t most);
  Elements stepThrough();
  void loadFirst();
  Elements addOne(mlir::Value takes, Index place, mlir::ValueRange totals);
  void addRest(Elements &totals);
  llvm::SmallVector<mlir::Value> addRestOfRows(mlir::ValueRange values);
  void collapse(Elements &totals);
  llvm::SmallVector<mlir::Value> reduceBlock(mlir::ValueRange totals);
  /// Threads as rows of `width`: `x` of row `y`.
  struct Grid {
    Index x, y;
    int64_t width, height;
  };
  /// What a thread has of the sums of its warp's rows.
  struct Share {
    Elements values;
    /// Of the first of them.
    Index column;
    /// Whether no other thread has them, or null if so.
    mlir::Value writes;
  };
  Share addRowsOfWarp(mlir::linalg::GenericOp op, mlir::ValueRange mine,
                      const Grid &grid);
  void addRowsOf(mlir::linalg::GenericOp op, const Memory &shared, int64_t rows,
                 int64_t columns);
  Memory addRows(mlir::linalg::GenericOp op, const llvm::Twine &name,
                 mlir::ValueRange mine, const Grid &grid);
  Memory addFolded(mlir::linalg::GenericOp op, llvm::StringRef name,
                   mlir::ValueRange mine);
  void addGroup(mlir::linalg::GenericOp op, const Memory &shared);
  mlir::Value ownOf(const Memory &shared, int64_t apart);
  Memory partialsOf(unsigned number, mlir::Type type);
  mlir::Value isLast(mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> joinParts(mlir::ValueRange values);
  void write(mlir::ValueRange values);
  mlir::Value isBelow(Index a, Index b) {
    return kernel.compare(mlir::arith::CmpIPredicate::ult, a, b);
  }

  CUDAKernel &kernel;
  const ReductionPlan &plan;
  KernelEmission &e;
  IndexMath &math;
  mlir::linalg::GenericOp first;
  /// Sizes of the loops, and of the dimensions that the plan has for them.
  llvm::SmallVector<Index> loops, sizes;
  /// Dimensions that are kept, that are reduced, and in which threads step.
  llvm::SmallVector<unsigned> kept, reduced, stepped;
  /// Sizes of what steps are counted in, and of the loops of outputs.
  llvm::SmallVector<Index> box, outputSizes;
  Index steps, outputs, strips, parts;
  Index unfolded; ///< rows of all columns, not of folds
  Index thread, strip, part, x, y;
  /// This thread's steps: those from `begin` to `end`, `stride` apart.
  Index begin, end, stride;
  /// Where this thread's first element is in the dimensions but for its steps.
  llvm::SmallVector<Index> base;
  /// The output that it writes, counted in the strip, and whether it writes.
  Index own;
  mlir::Value owns;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_REDUCTIONEMITTER_H
