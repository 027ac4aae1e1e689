//===- GemmEmitter.h - Host code of contractions ----------------*- C++ -*-===//
//
// Private to lib/Codegen/CPU. EmitCPUGemm.cpp has the tiles and the register
// block, GemmPanels.cpp how operands come to it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CPU_GEMMEMITTER_H
#define TRIPY_LIB_CODEGEN_CPU_GEMMEMITTER_H

#include "EmitCPU.h"
#include "SlidingWindow.h"

#include "Codegen/Emit/ContractionSpace.h"

namespace tripy::codegen {

/// Sizes of the blocking, in elements.
struct Blocking {
  int64_t tileM, tileN, tileK;
  /// The register block: rows x vectors of columns.
  int64_t rows, vectors, width;
  int64_t columns() const { return vectors * width; }
};

/// Rows [row, row + count) of an operand, K from kBegin on, and where they go:
/// panel[k][row], `width` of which are a strip.
struct PanelStrip {
  mlir::linalg::GenericOp from;
  unsigned operand;
  llvm::ArrayRef<unsigned> outer;
  Index row, count, kBegin, kCount;
  int64_t width;
  const Memory &panel;
  /// Of element (0, 0) in the panel.
  Index base;
};

/// Emits the contractions of a gemm kernel that are computed together.
class GemmEmitter {
public:
  GemmEmitter(KernelEmission &e, const CPUItems &items,
              const ContractionGroup &group, ContractionSpace space)
      : e(e), math(e.math), items(items), group(group), op(group.ops.front()),
        dims(std::move(space)) {
    chooseBlocking();
  }

  /// Emits the work items from `first` on.
  void emit(Index first);
  /// Their number, in the code and in the launch grid.
  Index numItems() const;
  mlir::AffineExpr numItemsExpr() const;
  /// Bytes of scratch that a worker needs.
  int64_t scratchBytes() const;

private:
  void chooseRegisterBlock();
  void chooseBlocking();
  void emitTile(Index item);
  bool startsInRegisters();
  bool alwaysPacks();
  void multiplyPacked();
  void multiplyFewRows(mlir::linalg::GenericOp contraction, const Memory &tile);
  void multiplyAlongK(mlir::linalg::GenericOp contraction, const Memory &tile);
  mlir::Value sumOver(mlir::linalg::GenericOp contraction,
                      llvm::ArrayRef<unsigned> loops,
                      llvm::SmallVector<Index> &point, mlir::Value sum);
  mlir::Value factor(mlir::linalg::GenericOp from, unsigned operand,
                     llvm::ArrayRef<Index> point);
  bool isAlongK(mlir::linalg::GenericOp from, unsigned operand);
  const Memory *memoryBehind(mlir::linalg::GenericOp from, unsigned operand);
  bool liesInRows();
  Index offsetOf(mlir::linalg::GenericOp from, unsigned operand,
                 llvm::ArrayRef<Index> point);
  mlir::Value factorInPlace(mlir::linalg::GenericOp from, unsigned operand,
                            llvm::ArrayRef<Index> point);
  mlir::Value addressOf(mlir::linalg::GenericOp from, unsigned operand,
                        llvm::ArrayRef<Index> point);
  void prefetchNext(mlir::linalg::GenericOp contraction, Index nStrip,
                    Index mStrip, Index mStrips, Index kBegin);
  int64_t innermostOf(mlir::linalg::GenericOp from, unsigned operand);
  /// `body` for `count` positions from `first` on in the common space of
  /// `loops`, with their numbers from 0 on. The innermost loop runs along the
  /// last of `loops` alone, so that it can be vectorised; of a single loop,
  /// within runs of `inner` positions.
  void forRuns(
      llvm::ArrayRef<unsigned> loops, Index first, Index count,
      llvm::ArrayRef<Index> point,
      llvm::function_ref<void(llvm::ArrayRef<Index> point, Index number)> body,
      int64_t inner = 1);
  void emitKBlock(Index kBegin);
  void pack(mlir::linalg::GenericOp from, unsigned operand,
            llvm::ArrayRef<unsigned> outer, Index first, Index valid,
            int64_t strip, Index kBegin, const Memory &panel);
  void store(const PanelStrip &strip, Index k, Index row, mlir::Value element);
  std::optional<SlidingWindow> slidingWindow(mlir::linalg::GenericOp from);
  void packWindows(const PanelStrip &strip, const SlidingWindow &window);
  void packStrip(const PanelStrip &strip);
  void packAlongK(const PanelStrip &strip, Index firstRow, Index rows,
                  Index firstK, Index count);
  void packAcrossK(const PanelStrip &strip);
  bool canTranspose(const PanelStrip &strip);
  void packTransposed(const PanelStrip &strip, Index rows, Index count);
  mlir::Value loadVector(const PanelStrip &strip, llvm::ArrayRef<Index> point);
  llvm::SmallVector<mlir::Value> transpose(llvm::SmallVector<mlir::Value> rows);
  void multiply(mlir::linalg::GenericOp contraction, Index kBegin, Index kCount,
                const Memory &tile);
  llvm::SmallVector<llvm::SmallVector<Index>> rowsInPlace(Index mStrip);
  void microKernel(mlir::linalg::GenericOp contraction, Index mStrip,
                   Index nStrip, Index kBegin, Index kCount,
                   const Memory &tile);
  void emitEpilogue();
  mlir::Value scratchAt(int64_t bytes);

  KernelEmission &e;
  IndexMath &math;
  const CPUItems &items;
  const ContractionGroup &group;
  /// The first of the group: its loops are those of all.
  mlir::linalg::GenericOp op;
  ContractionSpace dims;
  Blocking blocking;
  /// The first operand is read where it lies.
  bool inPlaceA = false;
  /// The second operands are windows, packed as vectors.
  bool slides = false;
  mlir::Type number;
  mlir::VectorType vectorType;
  /// [tileM / rows][tileK][rows], [tileN / columns][tileK][columns], and
  /// [tileM][tileN] for each contraction.
  Memory panelA, panelB;
  llvm::SmallVector<Memory> tiles;
  llvm::SmallVector<Index> batchLoops;
  Index mBegin, nBegin, mValid, nValid;
  /// Of the element that the epilogue reads.
  Index tileOffset;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CPU_GEMMEMITTER_H
