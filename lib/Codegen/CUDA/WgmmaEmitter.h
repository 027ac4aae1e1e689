//===- WgmmaEmitter.h - Emission of one tensor-core kernel ------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. WgmmaGemm.cpp has the ring of slices, the
// producer and the kernel's frame, WgmmaConsumer.cpp the consumers and their
// epilogue.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_WGMMAEMITTER_H
#define TRIPY_LIB_CODEGEN_CUDA_WGMMAEMITTER_H

#include "WgmmaGemm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tripy::codegen::wgmma {

/// Elements of a slice of K: 128 bytes, one swizzle atom.
inline constexpr int64_t tileK = 64;
/// K of one instruction.
inline constexpr int64_t stepK = 16;
/// Rows of tiles that are walked together, for locality in the L2 cache.
inline constexpr int64_t groupRows = 16;
/// Blocks of the grid: one for each multiprocessor of an H100 or H200.
inline constexpr int64_t wgmmaBlocks = 132;
/// Floats of a row of the staging area: 64 and padding against conflicts.
inline constexpr int64_t stagingRow = 68;

/// A position in the ring of slices: the slot, and the parity of its round.
struct RingPosition {
  mlir::Value slot, parity; // i32
};

class WgmmaEmitter {
public:
  WgmmaEmitter(KernelEmission &e, const WgmmaPlan &plan, mlir::Value mapA,
               mlir::Value mapB)
      : e(e), math(e.math), b(e.b), loc(e.loc), plan(plan), mapA(mapA),
        mapB(mapB) {}

  void emit(mlir::LLVM::GlobalOp shared);
  int64_t sharedBytes() const {
    return plan.stages * (sliceA() + sliceB() + 16) +
           plan.consumers() * 64 * stagingRow * 4;
  }

private:
  int64_t sliceA() const { return plan.tileM * tileK * 2; }
  int64_t sliceB() const { return plan.tileN * tileK * 2; }
  int64_t stagingAt() const { return plan.stages * (sliceA() + sliceB()); }
  int64_t barriersAt() const {
    return stagingAt() + plan.consumers() * 64 * stagingRow * 4;
  }

  mlir::Value i32(int64_t value) {
    return mlir::arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddIOp::create(b, loc, x, y);
  }
  mlir::Value mul(mlir::Value x, int64_t y) {
    return mlir::arith::MulIOp::create(b, loc, x, i32(y));
  }
  mlir::Value toI32(Index index) {
    return mlir::arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                            math.value(index));
  }
  /// Shared memory at a byte address.
  mlir::Value pointer(mlir::Value address) {
    return mlir::LLVM::IntToPtrOp::create(
        b, loc, mlir::LLVM::LLVMPointerType::get(b.getContext(), 3), address);
  }
  mlir::Value fullBarrier(mlir::Value slot) {
    return pointer(add(add(base, i32(barriersAt())), mul(slot, 8)));
  }
  mlir::Value emptyBarrier(mlir::Value slot) {
    return pointer(
        add(add(base, i32(barriersAt() + 8 * plan.stages)), mul(slot, 8)));
  }
  void waitFor(mlir::Value barrier, mlir::Value parity);
  RingPosition next(RingPosition position);
  RingPosition skip(RingPosition position, mlir::Value slices);
  Index sizeOf(llvm::ArrayRef<unsigned> dims) {
    llvm::SmallVector<Index> factors;
    for (unsigned dim : dims)
      factors.push_back(sizes[dim]);
    return math.product(factors);
  }

  void initialiseBarriers();
  void forEachTile(Index first, int64_t turns, RingPosition start,
                   llvm::function_ref<RingPosition(RingPosition)> body);
  Index divideTiles(Index a, Index divisor);
  void locate(Index tile);
  void produce();
  RingPosition produceTile(RingPosition position);
  void copySlice(RingPosition position, Index k);
  void copyOperand(const WgmmaOperand &operand, mlir::Value map, mlir::Value at,
                   mlir::Value full, mlir::Value k, Index first, int64_t rows,
                   bool shared);
  void consume();
  RingPosition consumeTile(RingPosition position);
  llvm::SmallVector<mlir::Value> multiplySlice(mlir::Value slot,
                                               mlir::ValueRange accumulators);
  mlir::NVVM::WGMMATypes number();
  mlir::Value descriptor(const WgmmaOperand &operand, mlir::Value address);
  void release(mlir::Value slot, mlir::Value condition);
  void emitEpilogue(mlir::Value accumulators, int64_t group);
  void stage(mlir::Value accumulators, int64_t chunk);
  void finishChunk(int64_t chunk, int64_t group);
  void finishRun(Index inTile, Index staged, Index column, Index atN);
  void syncConsumer();
  void syncCluster();
  void awaitTurn();
  void passTurn();

  KernelEmission &e;
  IndexMath &math;
  mlir::OpBuilder &b;
  mlir::Location loc;
  WgmmaPlan plan;
  mlir::Value mapA, mapB;
  llvm::SmallVector<Index> sizes;
  mlir::Value base;       ///< address of shared memory, i32
  Index thread;           ///< of the block
  mlir::Value consumer;   ///< number of this consumer, i32
  Index rank;             ///< of this block in its cluster
  Index groupsM, groupsN; ///< tiles, or groups of tiles of a cluster
  Index tileBatch, rowBegin, columnBegin; ///< of the current tile
};

} // namespace tripy::codegen::wgmma

#endif // TRIPY_LIB_CODEGEN_CUDA_WGMMAEMITTER_H
