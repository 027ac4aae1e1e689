//===- RowPlan.cpp - Threads of a row -------------------------------------===//
//
// What limits row kernels besides the bandwidth, measured on an H200:
//
// * The GPU starts 0.83 blocks in a nanosecond, whatever their size, and moves
//   4.2 KB in that time: a block that moves less than 5 KB is limited by its
//   start. Short rows share blocks, and very short ones share warps.
// * A lane without columns asks for nothing: rows of 24 vectors have 8 lanes
//   with three each, not 32 with one or none.
// * A row of its own multiprocessor is loaded and stored at some 50 bytes a
//   nanosecond. Where rows are fewer than multiprocessors, the blocks of a
//   cluster share them, if that gains more than the exchanges of results cost.
//
//===----------------------------------------------------------------------===//

#include "RowPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace tripy;
using namespace tripy::codegen;

/// Lanes of a warp.
static constexpr int64_t lanes = 32;
/// Longest row of a warp, and of one that many warps reduce and nobody writes:
/// more loads are in flight, and fewer blocks start.
static constexpr int64_t longestOfWarp = 1024, longestReducedOfWarp = 2048;
/// Threads of a block of short rows.
static constexpr int64_t minThreads = 64, maxThreads = 512;
/// And where few rows are expected, but there may be many.
static constexpr int64_t minGrowing = 128;
/// Part of the lanes that may be without columns.
static constexpr double idleLanes = 0.15;
/// Pieces of a lane, at most, where fewer lanes leave none idle.
static constexpr int64_t piecesOfLane = 5;
/// Bytes side by side that the lanes of a row ask for at once, at least.
static constexpr int64_t bytesSideBySide = 64;

/// Where rows are written too, more threads have fewer elements each: 65.3 us
/// for a softmax of 8192 x 8192, not 66.2.
static constexpr int64_t fewElements = 16, threadsOfFewElements = 512;

/// Of blocks of a cluster: 32 for each of fewer threads, so that a processor
/// has two blocks, and one loads while the other waits for its cluster. With
/// the row in shared memory there are more blocks, of fewer threads.
static constexpr int64_t clusterThreads = 512;
static constexpr int64_t stagedThreads = 256;
/// What more blocks must leave of the time: the figures are rough.
static constexpr double worthSharing = 0.75;

/// Threads of a multiprocessor up to which each has 64 registers at least.
static constexpr int64_t maxToldThreads = 1024;

/// Elements of an access: rows have whole ones.
static int64_t vectorOf(const RowFacts &facts) {
  int64_t size = facts.inner > 0 ? facts.vectorSize : 1;
  while (facts.inner % size != 0)
    size /= 2;
  return size;
}

static int64_t piecesFor(const RowPlan &plan, int64_t columns) {
  return llvm::divideCeil(columns, plan.threads * plan.vectorSize);
}

/// Lanes of a short row: the most of which few are idle, if that leaves no lane
/// with many pieces; else all.
static int64_t lanesOf(const RowFacts &facts, int64_t vectorSize) {
  int64_t vectors = llvm::divideCeil(*facts.columns, vectorSize);
  int64_t most = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(vectors));
  int64_t bytes =
      vectorSize * facts.bytes / std::max<int64_t>(1, *facts.columns);
  for (int64_t count = most; count > 0; count /= 2) {
    int64_t pieces = llvm::divideCeil(vectors, count);
    if (pieces > piecesOfLane || count * bytes < bytesSideBySide)
      break;
    if (count * pieces <= vectors * (1 + idleLanes))
      return count;
  }
  return most;
}

/// Rows of a block where a warp or a part of it has a row.
static int64_t rowsOfBlock(const RowFacts &facts, const RowPlan &plan,
                           const CudaChip &chip) {
  int64_t needed = llvm::PowerOf2Ceil(llvm::divideCeil(
      chip.blockStartBytes, std::max<int64_t>(1, facts.bytes)));
  int64_t rows =
      std::clamp(needed, std::max<int64_t>(1, minThreads / plan.threads),
                 maxThreads / plan.threads);
  // Fewer rows in a block, as long as multiprocessors are without one.
  int64_t least = facts.mayGrow ? minGrowing : lanes;
  while (facts.rows && rows * plan.threads > least &&
         *facts.rows < rows * chip.multiprocessors)
    rows /= 2;
  return rows;
}

/// Blocks that share a row while multiprocessors have none.
static int64_t blocksOfFewRows(const RowFacts &facts, const CudaChip &chip) {
  if (!facts.rows)
    return 1;
  auto nanoseconds = [&](int64_t blocks) {
    double bytes = static_cast<double>(facts.bytes) / chip.rowBytesPerNs;
    int64_t passes = facts.reductions + (facts.writesRows ? 1 : 0);
    double elements =
        static_cast<double>(*facts.columns * passes) * chip.rowElementNs;
    double exchanges =
        blocks == 1 ? 0
                    : chip.exchangeNs * static_cast<double>(facts.reductions);
    return std::max(bytes, elements) / static_cast<double>(blocks) + exchanges;
  };
  int64_t best = 1;
  for (int64_t blocks = 2; blocks <= maxBlocksOfRow; blocks *= 2)
    if (*facts.rows * blocks <= chip.multiprocessors &&
        nanoseconds(blocks) < nanoseconds(best) * worthSharing)
      best = blocks;
  return best;
}

/// Blocks that share a row.
static int64_t blocksOf(const RowFacts &facts, const CudaChip &chip) {
  int64_t parts = *facts.columns > longestRow
                      ? llvm::divideCeil(*facts.columns, longestPart)
                      : 1;
  return std::max<int64_t>(
      std::min<int64_t>(maxBlocksOfRow, llvm::PowerOf2Ceil(parts)),
      blocksOfFewRows(facts, chip));
}

static void planWarps(RowPlan &plan, const RowFacts &facts,
                      const CudaChip &chip) {
  plan.threads =
      *facts.columns <= longestOfWarp ? lanesOf(facts, plan.vectorSize) : lanes;
  plan.rowsPerBlock = rowsOfBlock(facts, plan, chip);
  plan.pieces = piecesFor(plan, *facts.columns);
}

/// Whether so many warps reduce rows that each has one of some length.
static bool fillsWithWarps(const RowFacts &facts, const RowPlan &plan,
                           const CudaChip &chip) {
  return !facts.writesRows && facts.rows &&
         *facts.columns <= longestReducedOfWarp && plan.vectorSize > 1 &&
         *facts.rows >= chip.multiprocessors * lanes;
}

RowPlan codegen::planRows(const RowFacts &facts, const CudaChip &chip,
                          bool hasClusters) {
  RowPlan plan;
  plan.vectorSize = vectorOf(facts);
  if (!facts.columns || *facts.columns == 0)
    return plan;
  if (*facts.columns <= longestOfWarp || fillsWithWarps(facts, plan, chip)) {
    planWarps(plan, facts, chip);
    return plan;
  }
  if (hasClusters)
    plan.blocks = blocksOf(facts, chip);
  if (plan.blocks > 1) {
    plan.threads = clusterThreads * plan.blocks;
    if (*facts.columns <= longestPart * plan.blocks)
      plan.pieces = piecesFor(plan, *facts.columns);
    return plan;
  }
  if (*facts.columns > longestRow) {
    plan.threads = 1024;
    return plan;
  }
  int64_t size = llvm::PowerOf2Ceil(*facts.columns);
  plan.threads = std::clamp<int64_t>(size / 32, 128, 1024);
  if (facts.writesRows)
    plan.threads = std::max(plan.threads,
                            std::min(size / fewElements, threadsOfFewElements));
  plan.pieces = piecesFor(plan, *facts.columns);
  return plan;
}

void codegen::planStaged(RowPlan &plan, const RowFacts &facts) {
  int64_t part = llvm::divideCeil(*facts.columns, plan.blocks);
  plan.threads =
      (part > longestPart ? clusterThreads : stagedThreads) * plan.blocks;
  plan.pieces = piecesFor(plan, *facts.columns);
}

int64_t codegen::firstWave(const RowPlan &plan, const CudaChip &chip) {
  return chip.multiprocessors * chip.maxResident(plan.blockThreads());
}

int64_t RowPlan::toldBlocks() const {
  return pieces > 0 && atOnce * blockThreads() <= maxToldThreads ? atOnce : 0;
}

int64_t codegen::blocksAtOnce(const RowPlan &plan, std::optional<int64_t> rows,
                              const CudaChip &chip) {
  if (!rows)
    return 0;
  int64_t blocks = llvm::divideCeil(*rows, plan.rowsPerBlock) * plan.blocks;
  int64_t each = llvm::divideCeil(blocks, chip.multiprocessors);
  return each <= chip.maxResident(plan.blockThreads()) ? each : 0;
}
