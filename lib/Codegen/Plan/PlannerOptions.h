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
  /// Contractions of f16 and bf16 run on tensor cores where they can.
  bool tensorCores = false;
  /// Contractions that meet in one result and that one kernel computes side by
  /// side, elsewhere and on tensor cores.
  int64_t paired = 1, tensorPaired = 1;

  bool onTensorCores(flatir::DotOp dot) const {
    mlir::Type element = elementTypeOf(dot.getLhs());
    return tensorCores && (element.isF16() || element.isBF16());
  }
  int64_t pairedFor(flatir::DotOp dot) const {
    return onTensorCores(dot) ? tensorPaired : paired;
  }
};

} // namespace tripy::fusion

#endif // TRIPY_CODEGEN_PLAN_PLANNEROPTIONS_H
