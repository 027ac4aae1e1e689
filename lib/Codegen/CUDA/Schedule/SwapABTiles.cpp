//===- SwapABTiles.cpp - Tiles with swapAB --------------------------------===//
//
// With swapAB, rows are the columns of the instruction, of which it has any
// multiple of 8: for few rows, and for some more, cut into equal parts, where
// tiles of 64 or 128 rows would multiply many that are not there.
//
//===----------------------------------------------------------------------===//

#include "WgmmaCosts.h"

#include "tripy/Codegen/Passes.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Rows from and up to which swapAB is tried because tiles of 64 rows would
/// multiply rows beyond the end, where rows begin within lines: then it pays to
/// share k-blocks.
static constexpr int64_t oddRows[] = {65, 512}, oddColumns[] = {64, 128};
static constexpr Cluster oddClusters[] = {{1, 1}, {1, 2}, {1, 4},
                                          {2, 1}, {2, 2}, {2, 4}};

/// Tiles with swapAB for a number of rows that others do not divide. Where rows
/// of the result are no multiple of 16 bytes, other tiles store them by warps,
/// and these word by word, each behind what is read for it: 377x15234x40 with a
/// residual took 51.6 us (PyTorch 20.4; bench/results/notes-gemm.md 43).
static void forEachOdd(const WgmmaProblem &of, bool cuts,
                       llvm::function_ref<void(const WgmmaTile &)> use) {
  if (!of.knownK || !of.breaksLines() || !of.boxes || of.maxRows > oddRows[1] ||
      of.m < oddRows[0] || of.m % 64 == 0)
    return;
  int64_t parts = llvm::divideCeil(of.m, 256);
  int64_t rows = llvm::alignTo(llvm::divideCeil(of.m, parts), 32);
  for (int64_t columns : oddColumns)
    for (Cluster cluster : oddClusters) {
      WgmmaTile tile{rows, columns, false, cluster.clusterM, cluster.clusterN};
      tile.swapAB = true;
      tile.streamK = cuts;
      use(tile);
    }
}

/// Numbers of rows from which they are cut evenly: 257x8192x8192 takes 82 us
/// with three rows of tiles of 128x192, the last of which has one row, and 64
/// with two of 136x128; 1335x4096x8192 154 with 128x128, and 135 with 112x192
/// (bench/results/notes-gemm.md, 48, 49 and 51).
static constexpr int64_t evenRows = 129;
/// Up to so many, the most that there may be are cut evenly, else those that
/// are expected.
static constexpr int64_t fewEvenRows = 640;
/// Rows of such tiles, of those that cut K and of the others.
static constexpr int64_t minCutRows = 48, minEvenRows = 64, maxEvenRows = 256;
static constexpr int64_t evenColumns[] = {128, 192, 256};
static constexpr Cluster evenClusters[] = {{1, 1}, {2, 1}, {1, 2}};

/// Those of them that cut K: pairs with stream-K, and a wave of 128 columns.
static void forEachEvenCut(const WgmmaSchedule &schedule,
                           const WgmmaProblem &of, int64_t rows,
                           llvm::function_ref<void(const WgmmaTile &)> use) {
  WgmmaTile tile{rows, evenColumns[0]};
  tile.swapAB = true;
  for (int64_t split : ArrayRef(splits).take_front(3)) {
    tile.split = split;
    if (clustersOf(tile, of) <= residentClusters(split) &&
        maySplit(schedule, of, tile))
      use(tile);
  }
  tile.split = 1;
  tile.clusterM = 2;
  tile.streamK = true;
  use(tile);
}

/// Sums for which a thread has registers beside an epilogue: with a function,
/// with sizes that are not known, and with a residual where consumers share a
/// tile. 128x192 in turns keeps 224 bytes of each thread in memory with silu
/// and dynamic rows, 160x256 48 with a residual.
static constexpr int64_t maxSumsOfFunction = 144, maxSumsOfUnknown = 168,
                         maxSumsOfSource = 152;

/// Whether a thread has the registers for a tile's sums and its epilogue.
static bool hasRegisters(const WgmmaTile &tile, const WgmmaProblem &of) {
  int64_t sums = tile.sumsAcross();
  return (!of.hasFunction || sums <= maxSumsOfFunction) &&
         (of.known || sums <= maxSumsOfUnknown) &&
         (!of.hasSource || tile.pingPong || sums <= maxSumsOfSource);
}

/// Those that do not.
static void forEachEvenWhole(const WgmmaProblem &of, int64_t rows,
                             llvm::function_ref<void(const WgmmaTile &)> use) {
  // Where rows begin within lines, it pays to share k-blocks.
  ArrayRef<Cluster> clusters(evenClusters);
  if (of.breaksLines())
    clusters = clusters.drop_front();
  for (int64_t columns : evenColumns)
    for (Cluster cluster : clusters)
      for (bool pingPong : {false, true}) {
        if (pingPong && !of.transposesBoxes)
          continue;
        // Blocks beside each other copy whole swizzle atoms.
        auto shared = int64_t(llvm::alignTo(rows, 8 * cluster.clusterN));
        WgmmaTile tile{shared, columns, pingPong, cluster.clusterM,
                       cluster.clusterN};
        tile.swapAB = true;
        if (hasRegisters(tile, of))
          use(tile);
      }
}

/// Tiles with swapAB for rows in equal parts. Those whose results threads
/// store, also where K is cut, are for rows that no others divide, and that
/// begin with lines.
static void forEachEven(const WgmmaSchedule &schedule, const WgmmaProblem &of,
                        bool cuts,
                        llvm::function_ref<void(const WgmmaTile &)> use) {
  if (!of.knownK || !of.boxes || of.parts > 1 || of.m < evenRows)
    return;
  if ((cuts || !of.transposesBoxes) && (of.breaksLines() || of.m % 128 == 0))
    return;
  int64_t all = of.maxRows <= fewEvenRows ? of.maxRows : of.m;
  int64_t least = cuts ? minCutRows : minEvenRows;
  for (int64_t rows = maxEvenRows; rows >= least; rows -= 8) {
    int64_t parts = llvm::divideCeil(all, rows);
    if (int64_t(llvm::alignTo(llvm::divideCeil(all, parts), 8)) != rows)
      continue;
    if (cuts)
      forEachEvenCut(schedule, of, rows, use);
    else
      forEachEvenWhole(of, rows, use);
  }
}

/// Columns of tiles for few rows, with swapAB.
static constexpr int64_t swapABColumns[] = {64, 128, 192, 256};
/// Tiles for few rows: those that cut K, or the others.
void codegen::forEachSwapAB(const WgmmaSchedule &schedule,
                            const WgmmaProblem &of, bool cuts,
                            llvm::function_ref<void(const WgmmaTile &)> use) {
  forEachOdd(of, cuts, use);
  forEachEven(schedule, of, cuts, use);
  if (!of.knownK || of.maxRows > maxSwapABRows)
    return;
  for (int64_t columns : swapABColumns) {
    int64_t rows = llvm::alignTo(std::max<int64_t>(1, of.m), 8);
    WgmmaTile tile{rows + (schedule.hasColumns(rows) ? 0 : 8), columns};
    tile.swapAB = true;
    for (int64_t clusterN : {1, 2}) {
      tile.clusterN = clusterN;
      tile.streamK = cuts;
      use(tile);
    }
    tile.clusterN = 1;
    tile.streamK = false;
    for (int64_t split : splits)
      if (tile.split = split; cuts && maySplit(schedule, of, tile))
        use(tile);
  }
}
