//===- Reduction.h - Reductions whose blocks share outputs ------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. How the blocks of a GPU divide a reduction, of
// any dimensions and of static or dynamic sizes.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_REDUCTION_H
#define TRIPY_LIB_CODEGEN_CUDA_REDUCTION_H

#include "Codegen/CUDA/Common/EmitCUDA.h"

#include <array>

namespace tripy::codegen {

/// A block computes a part of some neighbouring outputs, a strip. Its threads
/// are `height` rows of `width`. Where parts are several, the blocks of a strip
/// write what they have to memory, and the one that is last joins it, always in
/// the same order.
struct ReductionPlan {
  enum class Kind : uint8_t {
    /// Neighbouring threads have neighbouring outputs.
    Columns,
    /// The last dimensions are reduced and short, as is one before them:
    /// neighbouring threads read on along memory, `group` of them for each
    /// output.
    Groups,
    /// Neighbouring threads read on along memory for one output: `height` of
    /// them, and a block has `width` outputs.
    Rows,
  };

  /// All of one iteration space; none reads what another computes.
  llvm::SmallVector<mlir::linalg::GenericOp> ops;
  Kind kind = Kind::Columns;
  /// Element i of the space is element i of each operand: dimensions that lie
  /// together and are all reduced, or all kept, are one.
  bool isInOrder = false;
  /// The loops of each dimension of the space as it is divided.
  struct Dim {
    llvm::SmallVector<unsigned> loops;
    bool isReduced = false;
  };
  llvm::SmallVector<Dim> dims;
  /// The whole space is one run of elements.
  bool isFlat = false;
  /// Rows of Columns that a run of vectors has: a row alone is none. Rows are
  /// the first dimension, columns the second, and there is one strip, of
  /// `outputs()` columns, or fewer where their number is dynamic.
  int64_t fold = 1;
  /// Elements of a load. They are of one output, but with Columns.
  int64_t vectorSize = 1;
  int64_t width = 1, height = 1, group = 1;
  /// Loads of a thread before it combines what they bring.
  int64_t inFlight = 8;
  /// Steps of a thread that are worth a part of their own.
  int64_t worthSteps = 4;
  /// Blocks that fill the GPU, and parts of a strip that are joined at once.
  int64_t blocks = 1, fewParts = 1;
  /// Strips, and steps that all parts of one make: -1 when sizes are dynamic.
  int64_t strips = -1, steps = -1;

  int64_t threads() const;
  /// Outputs of a strip.
  int64_t outputs() const {
    return kind == Kind::Columns ? width * vectorSize / fold : width / group;
  }
  /// Parts that each of a known number of strips has at most: one where two
  /// would be more than fill the GPU, as joining them costs more than some
  /// multiprocessors without a block.
  int64_t maxParts() const {
    return std::max<int64_t>(1, blocks / std::max<int64_t>(1, strips));
  }
  /// Whether a strip may have parts.
  bool mayShare() const;
  /// Most partial results that are in memory at a time, for each reduction.
  int64_t maxPartials() const;
  /// Bytes for partial results, and for a counter of each strip.
  llvm::SmallVector<int64_t> workspace() const;
};

/// Whether the steps of `op` may be taken in any shape: each operand's element
/// is that of the same number in row-major order.
bool isInOrder(mlir::linalg::GenericOp op);

/// Columns of a dynamic number up to which rows are folded: at most a quarter
/// of a block's threads, and half of these, so that few are without a column.
inline constexpr std::array<int64_t, 2> foldedColumns = {32, 64};

/// How the reductions of `kernel` are divided; none where they have emitters of
/// their own, which have one block, or the blocks of a cluster, for each
/// output.
std::optional<ReductionPlan> planReduction(kernel::FuncOp kernel,
                                           const CudaChip &chip);

/// `plan` is of the kernel.
void emitCUDAReduction(CUDAKernel &kernel, const ReductionPlan &plan);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_REDUCTION_H
