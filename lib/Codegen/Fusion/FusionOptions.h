//===- FusionOptions.h - What fusion knows of the emitters ------*- C++ -*-===//
//
// What the emitters of a device support, so that no kernel is formed that would
// run slower than its parts. Internal to the fusion pass.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_FUSION_FUSIONOPTIONS_H
#define TRIPY_CODEGEN_FUSION_FUSIONOPTIONS_H

#include "SizeRanges.h"

#include "tripy/Base/Machines.h"
#include "tripy/Conversion/TensorSizes.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

namespace tripy::fusion {

/// TMA copies rows of a multiple of so many bytes.
constexpr int64_t tensorRowBytes = 16;
/// Whether rows of the tensor are known to be such.
bool hasTensorRows(mlir::Value tensor);

struct FusionOptions {
  /// Contractions of f16 and bf16, and of f32 where TF32 is allowed, run on
  /// tensor cores where they can; those of f8 as well.
  bool tensorCores = false, tensorF8 = true;
  /// Contractions that one kernel computes side by side, for one result or for
  /// several: in general, and on tensor cores.
  int64_t paired = 1, tensorPaired = 1;
  /// Contractions with at most so many rows have kernels of their own kind,
  /// bound by memory, which take several of one shape.
  int64_t vectorRows = 0;
  /// But those that tensor cores compute faster, as they are in memory.
  bool fewRowsOnTensorCores = false;
  /// Blocks that fill the device in a reduction down columns; with 0, none is
  /// computed in two steps. The bytes from which on that is worth a second
  /// kernel: where the blocks that share a strip of columns reach the memory's
  /// bandwidth, and where they do not.
  int64_t columnBlocks = 0, columnBytesFull = 0, columnBytesEmpty = 0;
  /// The same of reductions of rows, and the bytes of a row that are worth a
  /// block of their own.
  int64_t rowBlocks = 0, rowPartBytes = 1;
  /// Whether one kernel reduces dimensions that do not lie together as fast as
  /// the memory allows.
  bool reducesApart = false;
  /// Longest row that the blocks of a cluster share; 0: there are none.
  int64_t clusterColumns = 0;
  /// Whether kernels of contractions with many rows read windows where their
  /// right operand has them, instead of a tensor that they were written to.
  bool windowsInProducts = false;
  /// Blocks that fill the device in sorts of long rows; with 0, a block or work
  /// item sorts a row.
  int64_t sortBlocks = 0;
  /// When something is done: `Estimated` is where that is estimated to pay.
  enum class When { Never, Estimated, Always };
  /// Kernels on tensor cores compute the left operand, element by element.
  When tensorPrologues = When::Never;
  /// Products with a softmax between them become attention.
  When attention = When::Estimated;
  /// Kernels run on the host; else on this GPU.
  bool onHost = false;
  const Machine *machine = nullptr;
  /// Of the function that is planned, so that dynamic sizes count: as their
  /// maximum where a form of a kernel takes so many, and as their optimum where
  /// forms compete.
  const TensorSizes *sizes = nullptr;
  const SizeRanges *ranges = nullptr;

  bool isVector(flatir::DotOp dot) const;
  /// Whether `dot`, of few rows, is for tensor cores all the same.
  bool suitsTensorCores(flatir::DotOp dot) const;
  /// Whether the left operand has few rows, along K, so that tensor cores take
  /// it with swapAB.
  bool hasFewRows(flatir::DotOp dot) const;
  /// Whether `dot` runs on tensor cores, once its operands lie in memory in
  /// rows of a suitable size.
  bool onTensorCores(flatir::DotOp dot) const;
  /// Whether the kernel of `dot` slides the windows of its right operand.
  bool slidesWindows(flatir::DotOp dot, flatir::WindowOp windows) const;
  /// Contractions that one kernel with `dot` may have.
  int64_t pairedFor(flatir::DotOp dot) const {
    return onTensorCores(dot) ? tensorPaired : paired;
  }
  /// Whether all of them must have one shape.
  bool needsOneShape(flatir::DotOp dot) const {
    return onTensorCores(dot) || isVector(dot);
  }

private:
  SizeRange extentOf(mlir::Value tensor, int64_t begin, int64_t end) const;
  SizeRange rowsOf(flatir::DotOp dot) const;
};

} // namespace tripy::fusion

#endif // TRIPY_CODEGEN_FUSION_FUSIONOPTIONS_H
