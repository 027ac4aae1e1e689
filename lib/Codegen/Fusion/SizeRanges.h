//===- SizeRanges.h - What sizes are by the profile -------------*- C++ -*-===//
//
// The ranges of a program's sizes and what they are where its inputs have the
// sizes of the profile's `opt`. Internal to the fusion pass.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_FUSION_SIZERANGES_H
#define TRIPY_CODEGEN_FUSION_SIZERANGES_H

#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Kernel/SizeRange.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tripy::fusion {

using kernel::SizeRange;

class SizeRanges {
public:
  /// Reads the profiles of `function` and its size arithmetic. Nothing is known
  /// of a function with a dynamic argument that has no profile.
  void read(mlir::func::FuncOp function);

  std::optional<SizeRange> of(mlir::Value size) const;
  /// Of the index values among `inputs`; null where one of them is unknown, or
  /// there are none.
  kernel::SizesAttr of(mlir::ValueRange inputs) const;

private:
  llvm::DenseMap<mlir::Value, SizeRange> known;
};

} // namespace tripy::fusion

#endif // TRIPY_CODEGEN_FUSION_SIZERANGES_H
