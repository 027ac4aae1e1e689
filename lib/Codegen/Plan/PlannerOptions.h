//===- PlannerOptions.h - What the planner knows of the emitters -*- C++ -*-==//
//
// What a device's emitters can take, so that no kernel is formed that runs
// slower than its parts. Internal to the planner.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_PLAN_PLANNEROPTIONS_H
#define TRIPY_CODEGEN_PLAN_PLANNEROPTIONS_H

#include "tripy/Dialect/FlatIR/FlatIR.h"

namespace tripy::fusion {

struct PlannerOptions {
  /// Contractions of f16, bf16 and f8, and of f32 where TF32 is allowed, run on
  /// tensor cores where they can.
  bool tensorCores = false;
  /// Contractions that one kernel computes side by side, for one result or for
  /// several: in general, and on tensor cores.
  int64_t paired = 1, tensorPaired = 1;
  /// Contractions with at most so many rows have kernels of their own kind,
  /// bound by memory, which take several of one shape.
  int64_t vectorRows = 0;

  bool isVector(flatir::DotOp dot) const { return rowsOf(dot) <= vectorRows; }
  bool onTensorCores(flatir::DotOp dot) const {
    mlir::Type element = elementTypeOf(dot.getLhs());
    bool has = element.isF16() || element.isBF16() ||
               llvm::isa<mlir::Float8E4M3FNType>(element) ||
               (element.isF32() && dot.getAllowTF32());
    return tensorCores && has && !isVector(dot);
  }
  /// Contractions that one kernel with `dot` may have.
  int64_t pairedFor(flatir::DotOp dot) const {
    return onTensorCores(dot) ? tensorPaired : paired;
  }
  /// Whether all of them must have one shape.
  bool needsOneShape(flatir::DotOp dot) const {
    return onTensorCores(dot) || isVector(dot);
  }

private:
  /// Rows or columns of the result in a batch, whichever are fewer.
  static int64_t rowsOf(flatir::DotOp dot) {
    llvm::ArrayRef<int64_t> shape = dot.getResult().getType().getShape();
    size_t batch = dot.getLhsBatch().size();
    size_t left = rankOf(dot.getLhs()) - dot.getLhsContract().size();
    auto product = [](llvm::ArrayRef<int64_t> sizes) {
      int64_t rows = 1;
      for (int64_t size : sizes)
        rows = mlir::ShapedType::isDynamic(size)
                   ? std::numeric_limits<int64_t>::max()
                   : saturatingMul(rows, size);
      return rows;
    };
    return std::min(product(shape.slice(batch, left - batch)),
                    product(shape.drop_front(left)));
  }
};

} // namespace tripy::fusion

#endif // TRIPY_CODEGEN_PLAN_PLANNEROPTIONS_H
