//===- AttentionPanel.h - Copies of queries, keys and values ----*- C++ -*-===//
//
// Private to lib/Codegen/CUDA: how MmaAttention.cpp brings rows of 16-bit
// operands to shared memory.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_ATTENTIONPANEL_H
#define TRIPY_LIB_CODEGEN_CUDA_ATTENTIONPANEL_H

#include "Mma.h"

namespace tripy::codegen::mma {

/// Threads of a block of attention, and its warps.
inline constexpr int64_t attentionThreads = 128, blockWarps = 4;
/// Numbers of a piece, and depth of an instruction.
inline constexpr int64_t perPiece = 8, perStep = 16;

/// Lines of shared memory, each with a row of an operand.
struct Panel {
  /// Numbers of a row, and how many of them are read: whole steps.
  int64_t columns, read, lineBytes;

  explicit Panel(int64_t columns)
      : columns(columns), read(llvm::alignTo(columns, perStep)) {
    // As many pieces as their permutation takes.
    int64_t pieces = read / perPiece;
    lineBytes = pieceBytes * (pieces <= 8 ? llvm::PowerOf2Ceil(pieces)
                                          : llvm::alignTo(pieces, 8));
  }
  int64_t pieces() const { return read / perPiece; }
};

/// What is copied: all, or that which no kernel in front writes, in front of
/// the wait for these, and the rest behind it.
enum class Copied { All, Steady, Rest };

/// Brings rows of an operand to lines of shared memory, zeros where there is
/// none.
class PanelCopy {
public:
  /// By `threads` threads, of which this one is number `thread`.
  PanelCopy(CUDAKernel &kernel, mlir::Value tensor, const Panel &panel,
            Lines lines, int64_t rows, Index thread, int64_t threads)
      : kernel(kernel), e(kernel.e), math(e.math), words(e), tensor(tensor),
        panel(panel), lines(lines), rows(rows), thread(thread),
        threads(threads) {}

  /// Indices of an element of row `row`.
  using Place =
      llvm::function_ref<llvm::SmallVector<Index>(Index row, Index column)>;
  /// Starts the copies of the rows, of which `valid` are there, to `address`.
  /// They have ended when the asynchronous copies have.
  void start(mlir::Value address, Index valid, Place place,
             Copied which = Copied::All);
  /// Whether Copied::Steady copies anything. `at`: the indices of any element.
  bool hasSteady(llvm::ArrayRef<Index> at);

private:
  struct Source {
    mlir::Value pointer;
    Index offset;
    /// What divides the offset.
    int64_t factor;
  };
  /// The source of a piece, or the two of which `isFirst` chooses one.
  struct Sources {
    Source first, second;
    mlir::Value isFirst;
    /// The second of two, or the only one.
    bool isSteady;
  };
  Source sourceOf(const ViewedElement &element);
  std::optional<Sources> find(llvm::ArrayRef<Index> at);
  int64_t widthOf(const std::optional<Sources> &sources);
  void copyPiece(Index row, Index column, mlir::Value to, mlir::Value valid,
                 Place place, Copied which);
  void copyAsync(const Source &source, int64_t width, Index column,
                 mlir::Value to, mlir::Value valid);
  void copyThrough(Index row, Index column, mlir::Value to, mlir::Value valid,
                   Place place);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  Words words;
  mlir::Value tensor;
  Panel panel;
  Lines lines;
  int64_t rows;
  Index thread;
  int64_t threads;
};

} // namespace tripy::codegen::mma

#endif // TRIPY_LIB_CODEGEN_CUDA_ATTENTIONPANEL_H
