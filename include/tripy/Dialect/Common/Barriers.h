//===- Barriers.h - Barriers in a form that can be read back ----*- C++ -*-===//
//
// MLIR prints `nvvm.barrier ... loc(...)`, and its parser takes the location
// for the attribute that may stand there. A program's text has locations, so
// code has the intrinsic in the operation's place, which is what it becomes.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_COMMON_BARRIERS_H
#define TRIPY_DIALECT_COMMON_BARRIERS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tripy {

/// nvvm.barrier, without a reduction -> llvm.call_intrinsic
inline void useBarrierIntrinsics(mlir::Operation *root) {
  root->walk([](mlir::NVVM::BarrierOp barrier) {
    if (barrier.getReductionOp())
      return;
    mlir::OpBuilder b(barrier);
    mlir::Value id = barrier.getBarrierId(),
                count = barrier.getNumberOfThreads();
    if (!id)
      id = mlir::LLVM::ConstantOp::create(b, barrier.getLoc(), b.getI32Type(),
                                          b.getI32IntegerAttr(0));
    llvm::SmallVector<mlir::Value, 2> operands = {id};
    if (count)
      operands.push_back(count);
    mlir::LLVM::CallIntrinsicOp::create(
        b, barrier.getLoc(),
        b.getStringAttr(count ? "llvm.nvvm.barrier.cta.sync.aligned.count"
                              : "llvm.nvvm.barrier.cta.sync.aligned.all"),
        operands);
    barrier.erase();
  });
}

} // namespace tripy

#endif // TRIPY_DIALECT_COMMON_BARRIERS_H
