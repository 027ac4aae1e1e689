//===- Launches.h - Launches of a planned program as gpu operations -------===//
//
// Private to KernelToGPU.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CONVERSION_KERNELTOGPU_LAUNCHES_H
#define TRIPY_LIB_CONVERSION_KERNELTOGPU_LAUNCHES_H

#include "tripy/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace tripy {

/// A tensor in device memory.
mlir::MemRefType memrefOf(mlir::RankedTensorType type);

/// Makes the body of a function on device memory from that of a planned one.
class LaunchLowering {
public:
  LaunchLowering(mlir::func::FuncOp planned, mlir::OpBuilder &builder)
      : planned(planned), b(builder) {}

  /// Where inputs, constants, outputs and the arena lie.
  llvm::SmallVector<mlir::Value> inputs, constants, outputs;
  mlir::Value arena;
  /// What launches wait for, and then the last one's token.
  mlir::Value token;

  /// Binds the planned function's arguments: tensors in memory, and sizes.
  void takeInputs(llvm::ArrayRef<mlir::BlockArgument> arguments);
  /// Arithmetic on sizes; other operations are skipped.
  mlir::LogicalResult lowerSize(mlir::Operation &op);
  /// Conditions on sizes, whose arithmetic is lowered.
  mlir::LogicalResult lowerRequire(kernel::RequireOp op);
  /// Buffers and launches; other operations are skipped.
  mlir::LogicalResult lowerLaunches(mlir::Operation &op);
  /// What `value` of the planned body became.
  mlir::Value size(mlir::Value value) { return mapping.lookup(value); }
  /// Ends the process with `message` unless `condition` holds.
  void require(mlir::Location loc, mlir::Value condition,
               const llvm::Twine &message);
  mlir::Value compare(mlir::Location loc, mlir::arith::CmpIPredicate predicate,
                      mlir::Value lhs, mlir::Value rhs);

private:
  mlir::LogicalResult lowerBuffer(kernel::BufferOp op);
  mlir::LogicalResult lowerLaunch(kernel::LaunchOp op);
  mlir::FailureOr<mlir::Value> tensorMap(kernel::LaunchOp op,
                                         kernel::FuncOp callee,
                                         kernel::TensorMapAttr map);
  mlir::Value pointer(mlir::Location loc, mlir::Value memref, int64_t offset);
  mlir::Value filledArray(mlir::Location loc, mlir::Type element,
                          llvm::ArrayRef<mlir::Value> values);

  mlir::func::FuncOp planned;
  mlir::OpBuilder &b;
  mlir::IRMapping mapping;
  unsigned rules = 0;
  /// Pointers of kernel.buffer's results.
  llvm::DenseMap<mlir::Value, mlir::Value> pointers;
};

} // namespace tripy

#endif // TRIPY_LIB_CONVERSION_KERNELTOGPU_LAUNCHES_H
