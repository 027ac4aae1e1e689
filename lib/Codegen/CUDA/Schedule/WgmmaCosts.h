//===- WgmmaCosts.h - What tiles on tensor cores cost -----------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_WGMMACOSTS_H
#define TRIPY_LIB_CODEGEN_CUDA_WGMMACOSTS_H

#include "Codegen/CUDA/Contractions/WgmmaGemm.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tripy::codegen {

/// What the choice of a tile depends on.
struct WgmmaProblem {
  int64_t m, n, k, batch, parts, elementBytes;
  /// Of columns that TMA stores, and of those that it reads a residual in.
  bool boxes;
  /// Whether warps may store rows, and whether these begin within sectors of
  /// the L2 cache.
  bool mayStoreByWarps, splitsSectors;
  /// Whether the epilogue reads a tensor where it stores the result.
  bool hasSource;
  /// WgmmaSchedule::transposesBoxes().
  bool transposesBoxes;
  int64_t sourceColumns;
  /// Instructions for an element of A, where it is computed on the way.
  double prologue = 0;
  /// Whether the number of tiles is, when the kernel is compiled, and whether
  /// that of k-blocks is, of tiles that are not known to be none.
  bool known, knownK;
  /// Rows that there may be.
  int64_t maxRows;
  /// Requests to the L2 cache for each line of rows: more than 1 where rows
  /// begin within lines.
  double requestsOfA = 1, requestsOfB = 1;
  /// Whether B lies along N.
  bool isAlongN = false;
  /// Whether rows of each are shorter than a line of the L2 cache and begin
  /// within its sectors.
  bool breaksSectorsOfA = false, breaksSectorsOfB = false;
  /// Of the epilogue, on one element, and whether functions are among them.
  double operations = 0;
  bool hasFunction = false;
  /// Tensors that are stored, and reductions of a norm in the epilogue: blocks
  /// side by side then share no k-blocks.
  int64_t results = 1, reductions = 0;
  /// Whether the clock under load counts. It is not known of norms in the
  /// epilogue.
  bool mayBeLoaded = true;

  bool storesAcross(const WgmmaTile &tile) const {
    return tile.storesAcross(transposesBoxes, hasSource);
  }

  explicit WgmmaProblem(const WgmmaSchedule &schedule);

  bool hasVeryLongK() const { return k * elementBytes > 20 * 1024; }
  bool breaksLines() const { return requestsOfA > 1 || requestsOfB > 1; }
  double bytesOfA() const { return double(batch) * m * k * elementBytes; }
  /// Bytes of the operands.
  double bytes() const {
    return bytesOfA() + double(batch) * n * parts * k * elementBytes;
  }
  /// Bytes of the results, and of a residual.
  double resultBytes() const {
    double result = double(batch) * m * n * elementBytes;
    return double(results + (hasSource ? 1 : 0)) * result;
  }
};

/// Blocks that share k-blocks: those beside each other A, those below each
/// other B.
struct Cluster {
  int64_t clusterM, clusterN;
};

/// Clusters that the tiles make work for, where clusters are whole.
int64_t clustersOf(const WgmmaTile &tile, const WgmmaProblem &of);
/// How stream-K shares the tiles out.
StreamKShares sharesOf(const WgmmaTile &tile, const WgmmaProblem &of);
/// The tile of the least cost of a problem that is the schedule's.
std::optional<WgmmaCandidate> chooseTile(const WgmmaSchedule &schedule,
                                         const WgmmaProblem &of);
/// Cycles of the contraction, from the first copy to the last result.
double wgmmaCycles(const WgmmaTile &tile, const WgmmaProblem &of);
/// Calls `use` with the tiles with swapAB that are worth a thought: those that
/// cut K, or the others.
void forEachSwapAB(const WgmmaSchedule &schedule, const WgmmaProblem &of,
                   bool cuts, llvm::function_ref<void(const WgmmaTile &)> use);
/// Whether a split is worth a thought: one wave, or few rows, and k-blocks
/// enough for each block.
bool maySplit(const WgmmaSchedule &schedule, const WgmmaProblem &of,
              const WgmmaTile &tile);
/// Parts that K may be split into.
inline constexpr int64_t splits[] = {2, 3, 4, 6, 8};
/// Cycles of a kernel behind it that reads the result and stores as much.
double rowKernelCycles(const WgmmaProblem &of);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_WGMMACOSTS_H
