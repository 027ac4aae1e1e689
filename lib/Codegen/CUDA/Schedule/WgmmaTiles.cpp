//===- WgmmaTiles.cpp - How contractions on tensor cores are cut ----------===//

#include "WgmmaCosts.h"

#include "Codegen/Emit/ContractionSpace.h"
#include "tripy/Codegen/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

int64_t WgmmaSchedule::extent(ArrayRef<unsigned> loops, int64_t unknown) const {
  return staticExtent(op(), loops, unknown);
}

//===-- rules -------------------------------------------------------------===//

namespace {
/// A row of the table of tiles.
struct Tile {
  int64_t m, n;
  bool pingPong;
};
} // namespace

static constexpr Tile tiles[] = {
    {128, 256, false}, {128, 192, false}, {128, 160, true},  {128, 128, true},
    {128, 128, false}, {128, 112, false}, {128, 64, false},  {64, 256, false},
    {64, 192, false},  {64, 128, false},  {64, 64, false},   {128, 192, true},
    {128, 96, true},   {128, 64, true},   {64, 256, true},   {64, 192, true},
    {64, 128, true},   {64, 64, true},    {128, 160, false}, {128, 96, false},
    {64, 96, false},   {64, 96, true},    {192, 96, false},  {192, 128, false}};

/// Blocks beside each other share A, those below each other B. More of them
/// share k-blocks where one row of tiles makes all blocks read the same few
/// lines of the L2 cache at once, and where rows begin within lines
/// (bench/results/notes-gemm.md 43).
static constexpr Cluster besideEachOther[] = {{1, 1}, {1, 2}, {1, 4}};
static constexpr Cluster pairs[] = {{1, 1}, {2, 1}, {1, 2}};
static constexpr Cluster ofBrokenRows[] = {{1, 1}, {2, 1}, {1, 2},
                                           {2, 2}, {2, 4}, {4, 2}};

/// What all costs are of.
static const CudaChip &chip() { return wgmmaChip(); }

/// Sums of a tile, with padding, that fit into shared memory twice, as they are
/// sent and as they arrive.
static constexpr int64_t maxSplitKElements = 128 * (192 + 4);
/// A split is taken when it promises this share of the time or less, and so is
/// stream-K.
static constexpr double splitGain = 0.99, streamKGain = 0.97;
/// The same of a split of a very long K: tiles that leave it whole are faster
/// than the model expects. Without swapAB, 272x3072x24576 takes 86.0 us in two
/// parts and 76.2 whole, 408 rows 121 and 110 (bench/results/notes-gemm.md,
/// 46).
static constexpr double longSplitGain = 0.91;

static double splitGainOf(const WgmmaProblem &of) {
  return of.hasVeryLongK() ? longSplitGain : splitGain;
}
/// What stream-K takes of the expected time with swapAB and two consumers,
/// where rows begin within lines. 300x3000x6216 takes 28.2 us with
/// 160x128,cluster=2x4,stream,swapAB and 30.6 with 160x64,cluster=2x4,swapAB,
/// where the model expects 1.06 times as much of the former
/// (bench/results/notes-gemm.md, 43 and 49).
static constexpr double brokenLineStream = 0.9;
/// The same of a residual in boxes of 64 bytes: 4096x5120x640 took 57.3 us with
/// 128x160, 54.3 with 128x192, where the model expected less.
static constexpr double narrowGain = 0.95;
/// Bytes of a short K.
static constexpr int64_t shortBytes = 512;
/// Scalar operations of a function beside the accumulators of 256 columns: silu
/// (27) fits, log and gelu spill 8 bytes.
static constexpr int64_t maxIn256 = 32;

/// Clusters that are worth a thought.
static ArrayRef<Cluster> clustersFor(const Tile &tile, const WgmmaProblem &of) {
  if (of.m <= tile.m)
    return besideEachOther;
  return of.breaksLines() ? ArrayRef<Cluster>(ofBrokenRows)
                          : ArrayRef<Cluster>(pairs);
}

/// Whether the part of a k-block that one of `blocks` blocks copies is made of
/// whole swizzle atoms, or of whole boxes of 64 rows.
static bool canShare(const WgmmaOperand &operand, int64_t rows,
                     int64_t blocks) {
  return rows % (blocks * (operand.kMajor ? 8 : 64)) == 0;
}

/// The rule that a tile breaks with stream-K.
static StringRef brokenStreamK(const WgmmaSchedule &schedule,
                               const WgmmaProblem &of, const WgmmaTile &tile) {
  if (!tile.streamK)
    return {};
  // A tile of 64 columns reads 128 bytes from each row of the matrix, and such
  // scattered reads are slow: 28672 columns of a matrix of 8192 rows take 133
  // us, but 113 us with tiles of 128 columns.
  if (tile.swapAB && of.m <= maxSwapABRows && tile.n < 128 &&
      !schedule.b.front().kMajor)
    return "with stream-K and swapAB, a B that is contiguous along N has tiles "
           "of 128 columns or more";
  if (!of.known)
    return "with stream-K, all sizes are static";
  // Whole waves need no cut.
  if (clustersOf(tile, of) % sharesOf(tile, of).workers == 0)
    return "with stream-K, the tiles are not a whole number of waves";
  return {};
}

/// The rule that a tile breaks which overlaps.
static StringRef brokenOverlap(const WgmmaProblem &of, const WgmmaTile &tile) {
  if (!tile.overlap)
    return {};
  if (!of.splitsSectors)
    return "tiles that overlap have 16-bit results whose rows are not a "
           "multiple of 32 bytes, and an epilogue that reads no more than one "
           "tensor like the result";
  if (tile.n / of.parts < 2 * sectorColumns)
    return "tiles that overlap have 32 columns of each contraction or more";
  return {};
}

/// The rule that a tile breaks which has a norm in its epilogue.
static StringRef brokenNorm(const WgmmaSchedule &schedule,
                            const WgmmaProblem &of, const WgmmaTile &tile) {
  if (!schedule.hasNorm())
    return {};
  if (tile.split > 1 || tile.streamK || tile.swapAB || tile.overlap)
    return "with a norm in the epilogue, there is no split-K, stream-K, swapAB "
           "or overlap";
  if (tile.clusterM > 1 ||
      int64_t(llvm::divideCeil(of.n, tile.n)) != tile.clusterN)
    return "with a norm in the epilogue, the blocks of a cluster have all "
           "columns of the same rows";
  int64_t box = tile.n % schedule.boxColumns == 0 ? schedule.boxColumns
                                                  : schedule.boxColumns / 2;
  if (tile.n % box != 0 || of.n % box != 0 ||
      (box < schedule.boxColumns && schedule.boxColumns != 64))
    return "with a norm in the epilogue, columns are a multiple of those of a "
           "TMA box";
  return {};
}

/// The rule that a tile breaks: the columns of each contraction in it are whole
/// pieces of the epilogue and of the copies, and k-blocks can be shared or
/// split.
static StringRef brokenRule(const WgmmaSchedule &schedule,
                            const WgmmaProblem &of, const WgmmaTile &tile) {
  if (StringRef rule = codegen::brokenRule(tile); !rule.empty())
    return rule;
  int64_t part = tile.n / schedule.parts();
  int64_t piece = schedule.b.front().kMajor && !tile.swapAB ? 16 : 64;
  if (tile.swapAB && !schedule.a.kMajor)
    return "with swapAB, A is contiguous along K: other copies have 64 rows";
  if (tile.swapAB && tile.pingPong && !of.storesAcross(tile))
    return "with swapAB, ping-pong is for tiles of more than 32 rows, and one "
           "contraction whose results TMA stores, in 16 bits";
  if (tile.n % schedule.parts() != 0 || part % piece != 0)
    return "the columns of each contraction in a tile are a multiple of 16, "
           "and "
           "of 64 with swapAB or a B that is contiguous along N";
  if (!schedule.hasColumns(tile.swapAB ? tile.m : tile.n))
    return "the instruction for i8 has a multiple of 16 columns above 24";
  if (tile.clusterM > 1 &&
      2 * int64_t(llvm::divideCeil(of.m, tile.m)) <= tile.clusterM)
    return "more than half of a cluster's blocks have rows";
  if (tile.clusterM > 1 && !canShare(schedule.b.front(), part, tile.clusterM))
    return "each block of a cluster copies a multiple of 8 columns of B, or of "
           "64 where it is contiguous along N";
  if (tile.clusterN > 1 &&
      2 * int64_t(llvm::divideCeil(of.n, part)) <= tile.clusterN)
    return "more than half of a cluster's blocks have columns";
  if (tile.clusterN > 1 && !schedule.hasNorm() &&
      !canShare(schedule.a, tile.m, tile.clusterN))
    return "each block of a cluster copies a multiple of 8 rows of A, or of 64 "
           "where it is contiguous along M";
  // An A that is computed needs registers, twice as many for two groups of rows
  // and more for a costly function; and two k-blocks, as below.
  if (schedule.prologue.input &&
      (tile.pingPong || tile.streamK || tile.swapAB ||
       (tile.n > 192 && schedule.prologue.cost > maxIn256)))
    return "with a prologue there is no ping-pong, stream-K or swapAB, and if "
           "it "
           "is costly, tiles have at most 192 columns";
  if (StringRef rule = brokenStreamK(schedule, of, tile); !rule.empty())
    return rule;
  if (StringRef rule = brokenOverlap(of, tile); !rule.empty())
    return rule;
  if (StringRef rule = brokenNorm(schedule, of, tile); !rule.empty())
    return rule;
  // Two sets of sums need registers as well.
  if (schedule.promotes() &&
      (tile.pingPong || tile.n > 192 || (tile.swapAB && tile.m > 64)))
    return "f8 accumulators have registers for 192 columns, with swapAB for 64 "
           "rows, and no ping-pong";
  if (tile.split == 1)
    return {};
  // Blocks that split K have one tile each, and two k-blocks where the last
  // stands behind the loop.
  int64_t kBlocks = schedule.prologue.input ? 2 : 1;
  if (!of.knownK || of.k / schedule.tileK() < kBlocks * tile.split)
    return "with split-K, each block has a k-block";
  if (tile.m * (tile.n + 4) > maxSplitKElements)
    return "with split-K, shared memory has room for 128 x 192 partial sums";
  return {};
}

static bool suits(const WgmmaSchedule &schedule, const WgmmaProblem &of,
                  const WgmmaTile &tile) {
  return brokenRule(schedule, of, tile).empty();
}

//===-- choices -----------------------------------------------------------===//

/// Bytes of the ring of a block that has `bytes` of shared memory.
static int64_t roomForRing(const WgmmaSchedule &schedule, int64_t bytes) {
  int64_t ofConsumer = schedule.stagingBytes() + schedule.exchangeAreaBytes();
  int64_t others = 1024 + schedule.consumers() * ofConsumer;
  return bytes - chip().reservedBytes - others;
}

/// Stages of the ring. Blocks for few rows need little shared memory, so
/// several would share a multiprocessor. Where all run at the same time, each
/// gets one of its own, or those that begin while a kernel ends crowd where
/// there is room first: 84 us for a feed-forward layer of 8 rows, not 71. Of
/// more of them two share one, so that one reads while the other joins sums or
/// begins: 24.9 us for 8x11008x4096, not 26.5. Rings of wider tiles are too
/// large for that.
static int64_t stagesOf(const WgmmaSchedule &schedule, const WgmmaTile &tile,
                        const WgmmaProblem &of) {
  bool few = tile.swapAB && tile.m <= maxSwapABRows;
  bool two =
      few && tile.n == 64 &&
      (tile.streamK || clustersOf(tile, of) > residentClusters(tile.cluster()));
  int64_t room = roomForRing(schedule, chip().sharedBytes / (two ? 2 : 1));
  return std::min<int64_t>(few ? 16 : 8, room / schedule.stageBytes());
}

/// Stages that the ring does not give up for more buffers.
static constexpr int64_t sourceStages = 4;

/// Gives the boxes of results two buffers, and those of a source as many as
/// leave room for `stages`, at most those of a tile; where warps bring it, one
/// or two.
static void giveBoxBuffers(WgmmaSchedule &schedule, int64_t stages) {
  bool byWarps = schedule.readsSourceByWarps();
  int64_t least = byWarps ? 1 : schedule.boxesLike(minBoxBuffers);
  schedule.boxBuffers = least;
  if (!schedule.readsSource() && !byWarps)
    return;
  int64_t boxes =
      byWarps
          ? std::min<int64_t>(2, schedule.rowGroups() * schedule.storesOfWarp())
          : std::min(schedule.boxesLike(maxBoxBuffers), schedule.boxesOfTile());
  for (int64_t buffers = boxes; buffers > least; --buffers) {
    schedule.boxBuffers = buffers;
    if (stages * schedule.stageBytes() <=
        roomForRing(schedule, chip().sharedBytes))
      return;
  }
  schedule.boxBuffers = least;
}

StringRef codegen::brokenRule(const WgmmaSchedule &schedule,
                              const WgmmaTile &tile) {
  return ::brokenRule(schedule, WgmmaProblem(schedule), tile);
}

/// Rows of a swizzle atom, which divide those of boxes at the end of dynamic
/// rows.
static constexpr int64_t dynamicEdge = 8;

/// Rows of the boxes that copy an operand's rows of the last tile, where it
/// goes beyond the end of `rows` (0: not known) and that is worth boxes of
/// their own; else 0. A block of the cluster copies a `slice` of the `tile`,
/// and tiles begin `step` rows apart.
static int64_t edgeOf(const WgmmaOperand &operand, int64_t rows, int64_t tile,
                      int64_t step, int64_t slice) {
  if (rows <= 0) {
    int64_t edge = operand.kMajor ? dynamicEdge : 64;
    return slice % edge == 0 && tile > edge ? edge : 0;
  }
  int64_t left = rows - (tilesAcross(rows, tile, step) - 1) * step;
  if (left == tile)
    return 0;
  if (!operand.kMajor)
    return slice % 64 == 0 && int64_t(llvm::alignTo(left, 64)) < tile ? 64 : 0;
  int64_t edge = left % slice == 0 ? slice : llvm::alignTo(left % slice, 8);
  return edge == slice && int64_t(llvm::alignTo(left, slice)) == tile ? 0
                                                                      : edge;
}

/// Says how the last tiles of rows and of columns are copied.
static void cutEdges(WgmmaSchedule &schedule) {
  schedule.edgeA =
      schedule.rowsA == schedule.tileM
          ? edgeOf(schedule.a, schedule.extent(schedule.m, 0), schedule.tileM,
                   schedule.tileM, schedule.copiedA())
          : 0;
  schedule.edgeB =
      edgeOf(schedule.b.front(), schedule.extent(schedule.n, 0),
             schedule.partN(), schedule.stepN(), schedule.copiedB());
}

/// Rows of the boxes that a tile of `rows` rows with swapAB is stored in. The
/// last one may overlap the one before it, of which it has the same. Each box
/// takes the time of some more rows.
static int64_t rowsOfBoxes(int64_t rows) {
  constexpr int64_t perBox = 8, maxRows = 64;
  auto cost = [&](int64_t box) {
    return llvm::divideCeil(rows, box) * (box + perBox);
  };
  int64_t best = std::min(rows, maxRows);
  for (int64_t box = best; box > 0; box -= 8)
    if (cost(box) <= cost(best))
      best = box;
  return best;
}

void codegen::cutInto(WgmmaSchedule &schedule, const WgmmaTile &tile) {
  WgmmaProblem of(schedule);
  schedule.tileM = tile.m;
  schedule.tileN = tile.n;
  // A box has rows, even where there are none.
  int64_t rows = llvm::alignTo(std::clamp<int64_t>(of.maxRows, 1, tile.m),
                               8 * (schedule.hasNorm() ? 1 : tile.clusterN));
  schedule.rowsA = schedule.a.kMajor ? std::min(tile.m, rows) : tile.m;
  schedule.pingPong = tile.pingPong;
  schedule.clusterM = tile.clusterM;
  schedule.clusterN = tile.clusterN;
  schedule.split = tile.split;
  schedule.streamK = tile.streamK;
  schedule.swapAB = tile.swapAB;
  schedule.overlap = tile.overlap;
  bool halfBoxes = !schedule.overlap && schedule.boxColumns == 64 &&
                   schedule.partN() % 64 == 32;
  schedule.boxRowBytes = halfBoxes ? 64 : 128;
  schedule.boxRows = schedule.swapAB ? rowsOfBoxes(schedule.tileM) : 64;
  bool whole = schedule.source < 0 || !schedule.streamK;
  bool byThreads = schedule.swapAB && !of.storesAcross(tile);
  schedule.store =
      schedule.boxColumns && !schedule.splitsK() && !byThreads &&
              !schedule.overlap && whole &&
              (halfBoxes || schedule.partN() % schedule.boxColumns == 0)
          ? WgmmaStore::TMA
          : WgmmaStore::Threads;
  cutEdges(schedule);
  giveBoxBuffers(schedule, /*stages=*/0);
  schedule.stages = stagesOf(schedule, tile, of);
  bool reads = schedule.readsSource() || schedule.readsSourceByWarps();
  if (!reads || schedule.stages >= sourceStages)
    return;
  giveBoxBuffers(schedule, sourceStages);
  schedule.stages = stagesOf(schedule, tile, of);
}

StringRef codegen::setStages(WgmmaSchedule &schedule, int64_t stages) {
  int64_t stageBytes = schedule.stageBytes();
  if (stages < 2)
    return "the ring has 2 stages or more";
  giveBoxBuffers(schedule, stages);
  if (stages > roomForRing(schedule, chip().sharedBytes) / stageBytes)
    return "the ring fits in shared memory";
  // Sums are sent from there.
  if (schedule.splitsK() &&
      stages * stageBytes < schedule.tileM * schedule.sumBytesOfRow())
    return "with split-K, the ring has room for the tile's partial sums";
  schedule.stages = stages;
  return {};
}

bool codegen::maySplit(const WgmmaSchedule &schedule, const WgmmaProblem &of,
                       const WgmmaTile &tile) {
  bool oneWave = clustersOf(tile, of) <= residentClusters(tile.split);
  return (oneWave || tile.swapAB) && of.k >= 4 * tile.split * schedule.tileK();
}

/// Whether the model knows enough of a tile. One of 128x64 in turns was faster
/// than wider ones where K is short, and slower for 4096x512x2048. Of several
/// contractions, tiles of 96 columns store short pieces of rows.
static bool isTrusted(const Tile &tile, const WgmmaProblem &of) {
  if (of.parts > 1 && tile.n == 96)
    return false;
  return !tile.pingPong || tile.n > 64 ||
         (of.knownK && of.k * of.elementBytes <= shortBytes);
}

/// Tiles of clusters that have all columns.
static void forEachOfRows(const WgmmaProblem &of,
                          llvm::function_ref<void(const WgmmaTile &)> use) {
  for (int64_t blocks = 1; blocks <= 8; ++blocks) {
    int64_t columns = llvm::alignTo(llvm::divideCeil(of.n, blocks), 32);
    for (int64_t rows : {64, 128})
      for (bool pingPong : {false, true})
        if (columns <= 256 &&
            (!pingPong || rows * columns <= maxPingPongElements))
          use({rows, columns, pingPong, 1, blocks});
  }
}

/// Calls `use` with the tiles of the table, then with those that cut K.
static void forEachOwnTile(const WgmmaSchedule &schedule,
                           const WgmmaProblem &of,
                           llvm::function_ref<void(const WgmmaTile &)> use) {
  if (schedule.hasNorm())
    return forEachOfRows(of, use);
  for (const Tile &row : tiles)
    for (Cluster cluster : clustersFor(row, of)) {
      WgmmaTile tile{row.m, row.n, row.pingPong, cluster.clusterM,
                     cluster.clusterN};
      if (!isTrusted(row, of))
        continue;
      use(tile);
      tile.overlap = of.splitsSectors;
      if (tile.overlap && tile.clusterN == 1)
        use(tile);
    }
  forEachSwapAB(schedule, of, /*cuts=*/false, use);
  for (const Tile &row : tiles)
    for (int64_t split : splits)
      if (WgmmaTile tile{row.m, row.n, false, 1, 1, split};
          !row.pingPong && isTrusted(row, of) && maySplit(schedule, of, tile))
        use(tile);
  for (const Tile &row : tiles)
    if (!row.pingPong && isTrusted(row, of))
      for (Cluster cluster : clustersFor(row, of))
        use({row.m, row.n, false, cluster.clusterM, cluster.clusterN, 1,
             /*streamK=*/true});
  forEachSwapAB(schedule, of, /*cuts=*/true, use);
}

double codegen::expectedCycles(const WgmmaSchedule &schedule,
                               const WgmmaTile &tile) {
  return wgmmaCycles(tile, WgmmaProblem(schedule));
}

std::optional<WgmmaCandidate>
codegen::chooseTile(const WgmmaSchedule &schedule) {
  return chooseTile(schedule, WgmmaProblem(schedule));
}

std::optional<WgmmaCandidate> codegen::chooseTile(const WgmmaSchedule &schedule,
                                                  const WgmmaProblem &of) {
  std::optional<WgmmaCandidate> best;
  double uncut = 0; // the least cost of a tile that leaves K whole
  // Where a tile of few rows suits, none of 64 or 128 is worth its padding.
  bool few = false;
  if (of.maxRows <= maxSwapABRows)
    forEachSwapAB(schedule, of, /*cuts=*/false, [&](const WgmmaTile &tile) {
      few |= suits(schedule, of, tile);
    });
  forEachOwnTile(schedule, of, [&](const WgmmaTile &tile) {
    if (!suits(schedule, of, tile) || (few && !tile.swapAB))
      return;
    double cost = wgmmaCycles(tile, of);
    if (of.sourceColumns && tile.n / of.parts % of.sourceColumns != 0)
      cost /= narrowGain;
    if (tile.streamK && tile.swapAB && of.breaksLines() &&
        swapABConsumers(tile.m, tile.n) == 2)
      cost *= brokenLineStream;
    bool cuts = tile.split > 1 || tile.streamK;
    double gain = tile.streamK ? streamKGain : splitGainOf(of);
    if (best && (cost >= best->cycles || (cuts && cost >= gain * uncut)))
      return;
    best = {tile, cost};
    if (!cuts)
      uncut = cost;
  });
  return best;
}

/// Tiles of the table's sizes, and larger ones, with other ways to share
/// k-blocks or ping-pong. The model knows less of these.
static SmallVector<WgmmaTile> furtherTiles() {
  static constexpr Cluster shapes[] = {{1, 1}, {2, 1}, {1, 2}, {4, 1},
                                       {1, 4}, {2, 2}, {4, 2}, {2, 4}};
  SmallVector<WgmmaTile> found = {
      {128, 192, true}, {128, 192, true, 2}, {192, 192}};
  for (const Tile &row : tiles)
    for (bool pingPong : {false, true})
      for (Cluster cluster : shapes)
        if (!pingPong || row.m * row.n <= maxPingPongElements)
          found.push_back(
              {row.m, row.n, pingPong, cluster.clusterM, cluster.clusterN});
  return found;
}

SmallVector<WgmmaCandidate> codegen::listTiles(const WgmmaSchedule &schedule,
                                               unsigned limit) {
  WgmmaProblem of(schedule);
  SmallVector<WgmmaCandidate> all;
  llvm::StringSet<> known;
  auto add = [&](const WgmmaTile &tile) {
    if (suits(schedule, of, tile) && known.insert(tile.str()).second)
      all.push_back({tile, wgmmaCycles(tile, of)});
  };
  auto sortFrom = [&](size_t first) {
    llvm::sort(all.begin() + first, all.end(), [](auto &a, auto &b) {
      return std::pair(a.cycles, a.tile.str()) <
             std::pair(b.cycles, b.tile.str());
    });
  };
  forEachOwnTile(schedule, of, add);
  // Of tiles for few rows there are as many.
  size_t own = std::partition(all.begin(), all.end(),
                              [](auto &each) { return !each.tile.swapAB; }) -
               all.begin();
  for (const WgmmaTile &tile : furtherTiles())
    add(tile);
  sortFrom(own);
  // Of each size the two that promise most: else one size takes all places.
  llvm::StringMap<unsigned> ofSize;
  all.erase(std::remove_if(all.begin() + own, all.end(),
                           [&](const WgmmaCandidate &each) {
                             WgmmaTile size{each.tile.m, each.tile.n};
                             return ++ofSize[size.str()] > 2;
                           }),
            all.end());
  sortFrom(0);
  std::optional<WgmmaCandidate> chosen = chooseTile(schedule);
  if (!chosen)
    return {};
  auto *at = llvm::find_if(all, [&](const WgmmaCandidate &each) {
    return each.tile.str() == chosen->tile.str();
  });
  std::rotate(all.begin(), at, at + 1);
  if (all.size() > limit)
    all.truncate(limit);
  return all;
}
