//===- RowPlan.h - Threads of a row -----------------------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. How many threads, warps or blocks have a row,
// and how many rows a block has, by number and length of the rows.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_ROWPLAN_H
#define TRIPY_LIB_CODEGEN_CUDA_ROWPLAN_H

#include "tripy/Codegen/CudaChip.h"
#include "tripy/Dialect/Kernel/SizeRange.h"

#include <optional>
#include <vector>

namespace tripy::codegen {

/// Longest row whose elements stay in registers of one block: 32 for each of
/// 1024 threads.
inline constexpr int64_t longestRow = 32 * 1024;
/// Blocks of a cluster that has a row, at most, and the columns of each.
inline constexpr int64_t maxBlocksOfRow = 8, longestPart = 16 * 1024;

/// Pieces that a loop over a row loads before it uses them: a thread has 64
/// bytes on the way, or 16 of single elements.
inline constexpr int64_t unrolledVectors = 4, unrolledElements = 8;

/// What is known of the rows of a kernel.
struct RowFacts {
  /// Rows that are expected; unknown ones are taken for many.
  std::optional<int64_t> rows;
  /// There may be many more of them.
  bool mayGrow = false;
  /// Columns, or as many as are expected; nothing where that is not known.
  std::optional<int64_t> columns;
  /// Columns that are expected where nothing else is known of them.
  std::optional<int64_t> expectedColumns;
  /// Columns of a dynamic number, at most; 0 where it is static.
  int64_t maxColumns = 0;
  /// Last dimension of a row, or what is known to divide it; 0 or 1: unknown.
  int64_t inner = 0;
  /// Elements of the widest access.
  int64_t vectorSize = 1;
  /// Rows follow each other in the tensors: vectors may go over their ends.
  bool hasRuns = false;
  /// Bytes of the smallest element.
  int64_t elementBytes = 1;
  /// Tensors of rows that are read, and those of which rows share elements.
  int64_t rowInputs = 0, sharedInputs = 0;
  /// Bytes of a row in memory, read and written, of all tensors of rows.
  int64_t bytes = 0;
  /// Reductions, each of which waits for the one before.
  int64_t reductions = 1;
  /// Whether a result has rows, not one element for each.
  bool writesRows = false;
};

struct RowPlan {
  /// `threads` of one row, which are a part of a warp, a warp or all of a block
  /// of one row, or all of a cluster's `blocks`.
  int64_t threads = 256, rowsPerBlock = 1, blocks = 1, vectorSize = 1;
  /// Pieces of `vectorSize` columns of each thread, as many as the most columns
  /// need; 0 when loops are needed.
  int64_t pieces = 0;
  /// Vectors are those of the tensors, and may go over the ends of rows.
  bool overEnds = false;
  /// Rows may have any number of columns up to the most.
  bool anyColumns = false;

  /// blocksAtOnce().
  int64_t atOnce = 0;

  /// Vectors that have some of a row of `columns`, at most.
  int64_t vectorsOf(int64_t columns) const;
  int64_t blockThreads() const { return threads * rowsPerBlock / blocks; }
  /// Blocks of a multiprocessor that the assembler is told of, which are fewer
  /// than there is room for and may have more registers; 0: none.
  int64_t toldBlocks(const RowFacts &facts) const;
};

/// Whether rows may be so many that small blocks would be too many.
bool mayGrow(const kernel::SizeRange &rows, const CudaChip &chip);

/// `hasClusters`: blocks may share a row. A plan with several blocks may be
/// changed by planStaged().
RowPlan planRows(const RowFacts &facts, const CudaChip &chip, bool hasClusters);

/// Threads and pieces of a row that lies in the shared memory of the plan's
/// blocks.
void planStaged(RowPlan &plan, const RowFacts &facts);

/// Blocks that take first loads to the caches ahead of time: all that fit.
int64_t firstWave(const RowPlan &plan, const CudaChip &chip);

/// Numbers of rows after each of which planRows() may decide otherwise, in
/// order.
std::vector<int64_t> rowLimits(const CudaChip &chip);
/// Numbers of columns after each of which rows of a dynamic number of them are
/// planned anew, in order.
std::vector<int64_t> columnLimits();

/// Blocks of a multiprocessor, where `rows` are so few that all blocks start at
/// once and none hides what another one waits for; else 0.
int64_t blocksAtOnce(const RowPlan &plan, std::optional<int64_t> rows,
                     const CudaChip &chip);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_ROWPLAN_H
