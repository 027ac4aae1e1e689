//===- ScanEmission.h - What emitters of running sums share -----*- C++ -*-===//
//
// Private to lib/Codegen/CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SCANEMISSION_H
#define TRIPY_LIB_CODEGEN_CUDA_SCANEMISSION_H

#include "PartSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tripy::codegen {

/// A kernel that a running sum is the root of, and the sizes expected of its
/// result; those that are not known are nothing.
struct ExpectedScan {
  kernel::ScanOp op;
  size_t dim = 0;
  mlir::RankedTensorType type;
  /// Of the index arguments of the kernel: the size of the dimension summed
  /// along, and the product of those before it.
  mlir::AffineExpr size, outerSize;
  /// The products of the dimensions before and behind the one summed along, and
  /// that one.
  std::optional<int64_t> outer, inner, length;

  llvm::ArrayRef<int64_t> innerShape() const {
    return type.getShape().drop_front(dim + 1);
  }
  /// Words of 8 bytes for each sum of a part: 32 bits of it in each.
  int64_t words() const {
    return llvm::divideCeil(type.getElementTypeBitWidth(), 32);
  }
};

/// Elements of a row, of a number that is known at run time only, up to which a
/// thread has all.
inline constexpr int64_t maxScanOfThread = 4;

/// None for kernels of another root.
std::optional<ExpectedScan> expectedScan(kernel::FuncOp kernel);

/// A kernel's running sum, and arithmetic on its elements.
class ScanEmission {
protected:
  explicit ScanEmission(CUDAKernel &kernel)
      : kernel(kernel), e(kernel.e), math(e.math), op(e.scan()),
        type(mlir::cast<mlir::RankedTensorType>(op.getResult().getType())
                 .getElementType()) {}

  mlir::Value add(mlir::Value lhs, mlir::Value rhs) {
    if (mlir::isa<mlir::FloatType>(type))
      return mlir::arith::AddFOp::create(e.b, e.loc, lhs, rhs);
    return mlir::arith::AddIOp::create(e.b, e.loc, lhs, rhs);
  }
  mlir::Value zero() {
    return mlir::arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(type));
  }
  mlir::Value shuffleUp(mlir::Value value, int32_t distance) {
    return kernel.shuffle(value, distance, mlir::gpu::ShuffleMode::UP);
  }
  /// The sum over the `lanes` of a row up to this one.
  mlir::Value sumOverWarp(mlir::Value value) {
    for (int32_t distance = 1; distance < lanes; distance *= 2) {
      mlir::Value before = shuffleUp(value, distance);
      mlir::Value inside = kernel.compare(mlir::arith::CmpIPredicate::uge, lane,
                                          math.constant(distance));
      value = kernel.select(inside, add(before, value), value);
    }
    return value;
  }
  /// Computes and stores the results at `at`, where the sums are `sums`.
  void finish(llvm::ArrayRef<Index> at, const Elements &sums) {
    e.elements.bindSource(
        op.getResult(), [sums](llvm::ArrayRef<Index>, int64_t n) {
          return n == int64_t(sums.size()) ? sums : Elements(n, sums.front());
        });
    e.emitResults(at, sums.size());
  }
  /// The same from element `first` of the results on, in row-major order.
  void finishRun(Index first, const Elements &sums) {
    e.elements.bindRun(op.getResult(), first, sums);
    for (auto [memory, result] : llvm::zip(e.results, e.yielded())) {
      Memory flat = memory;
      flat.sizes = {math.product(memory.sizes)};
      e.elements.store(flat, {first},
                       e.elements.emitRun(result, first, sums.size()));
    }
  }

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  kernel::ScanOp op;
  mlir::Type type;
  /// Of a row that shares a warp: its lanes. This thread's lane.
  int64_t lanes = 32;
  Index lane;
};

/// A running sum whose rows are cut into parts, each row into as many, with a
/// block for each. A row is the steps of some columns that lie side by side.
class PartedScan : protected ScanEmission {
protected:
  PartedScan(CUDAKernel &kernel, const PartLayout &layout)
      : ScanEmission(kernel), dim(op.getDim()), layout(layout),
        partSums(kernel, layout, type) {}

  /// `size`, and 1 for 0.
  mlir::AffineExpr atLeastOne(mlir::AffineExpr size) {
    return size + e.constantExpr(1).floorDiv(size + 1);
  }
  /// The product of the sizes before the dimension that is summed along.
  mlir::AffineExpr outerCount();
  /// Finds `outerSizes`, `innerSizes` and `length`.
  void findSizes();
  /// Sets the launch: for each of `count` rows as many parts as `most` allows,
  /// of whole tiles of `tile` steps. `rows`: what `count` is the product of.
  void setParts(mlir::AffineExpr count, mlir::AffineExpr most, int64_t tile,
                llvm::ArrayRef<Index> rows);
  /// Finds this thread's place in the block, and waits for the kernels before.
  void start();
  /// Finds the row and the part of this block.
  void takePart();
  /// Tiles of `tile` steps that a part has.
  Index tilesOfPart(int64_t tile) {
    return math.ceilDiv(math.ceilDiv(length, math.constant(tile)), parts);
  }
  /// `body` where rows have several parts.
  void whereShared(llvm::function_ref<void()> body);
  /// The `count` values of `body` where rows have several parts, else zeros.
  llvm::SmallVector<mlir::Value>
  valuesWhereShared(int64_t count, llvm::function_ref<Elements()> body);
  llvm::SmallVector<mlir::Value> zeros(int64_t count) {
    return llvm::SmallVector<mlir::Value>(count, zero());
  }

  size_t dim;
  llvm::SmallVector<Index> outerSizes, innerSizes;
  /// Steps of a row.
  Index length;
  Index thread, warp;
  /// All blocks, the number of this one, its row, the parts of the row, and the
  /// place of its own among them.
  Index blocks, number, row, parts, rank;
  /// Whether rows have several parts; null where all have.
  mlir::Value isShared;
  bool mayShare = true;
  const PartLayout layout;
  PartSums partSums;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_SCANEMISSION_H
