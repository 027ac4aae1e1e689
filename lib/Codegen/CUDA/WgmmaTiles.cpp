//===- WgmmaTiles.cpp - How contractions on tensor cores are cut ----------===//

#include "WgmmaGemm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

int64_t WgmmaPlan::extent(ArrayRef<unsigned> loops, int64_t unknown) const {
  SmallVector<int64_t> ranges = op().getStaticLoopRanges();
  int64_t product = 1;
  for (unsigned loop : loops)
    product *= ShapedType::isDynamic(ranges[loop]) ? unknown : ranges[loop];
  return product;
}

//===-- text --------------------------------------------------------------===//

std::string WgmmaTile::str() const {
  std::string text = std::to_string(m) + "x" + std::to_string(n);
  if (pingPong)
    text += ",turns";
  if (cluster > 1)
    text += ",cluster=" + std::to_string(cluster);
  if (split > 1)
    text += ",split=" + std::to_string(split);
  return text;
}

/// Elements of a tile that one consumer has the registers for.
static constexpr int64_t mostInTurns = 128 * 192;

std::optional<WgmmaTile> codegen::parseWgmmaTile(StringRef text) {
  WgmmaTile tile;
  auto [size, rest] = text.split(',');
  auto [m, n] = size.split('x');
  if (m.getAsInteger(10, tile.m) || n.getAsInteger(10, tile.n))
    return std::nullopt;
  while (!rest.empty()) {
    auto [word, more] = rest.split(',');
    if (word == "turns")
      tile.pingPong = true;
    else if (!(word.consume_front("cluster=") &&
               !word.getAsInteger(10, tile.cluster)) &&
             !(word.consume_front("split=") &&
               !word.getAsInteger(10, tile.split)))
      return std::nullopt;
    rest = more;
  }
  bool suits = (tile.m == 64 || tile.m == 128) && tile.n >= 16 &&
               tile.n <= 256 && tile.n % 16 == 0 && tile.cluster >= 1 &&
               tile.cluster <= 8 && tile.split >= 1 && tile.split <= 8 &&
               (tile.split == 1 || (tile.cluster == 1 && !tile.pingPong)) &&
               (!tile.pingPong || tile.m * tile.n <= mostInTurns);
  return suits ? std::optional(tile) : std::nullopt;
}

std::optional<std::string> codegen::describeContraction(const WgmmaPlan &plan) {
  SmallVector<int64_t> ranges = plan.op().getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return std::nullopt;
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string text = NVVM::stringifyWGMMATypes(plan.type).str() + " " +
                     number(plan.extent(plan.m, 1)) + "x" +
                     number(plan.extent(plan.n, 1)) + "x" +
                     number(plan.extent(plan.k, 1));
  text += plan.a.kMajor ? " n" : " t";
  text += plan.b.front().kMajor ? "t" : "n";
  text += " batch=" + number(plan.extent(plan.batch, 1)) +
          " parts=" + number(plan.parts()) + " store=";
  // A box has 128 bytes in a row.
  return text + (plan.boxColumns ? "boxes" + number(128 * 8 / plan.boxColumns)
                                 : std::string("threads"));
}

//===-- costs -------------------------------------------------------------===//

namespace {
/// A row of the table of tiles.
struct Tile {
  int64_t m, n;
  bool pingPong;
  /// Blocks that share the slices of B, and of A where there is one row of
  /// tiles only.
  int64_t sharingB, sharingA;
};
} // namespace

/// Measured on an H200 (bench/results/notes-gemm.md): sharing pays with tiles
/// of 128 rows, and most where one row of tiles makes all blocks read the same
/// few lines of the L2 cache at once.
static constexpr Tile tiles[] = {
    {128, 256, false, 1, 1}, {128, 192, false, 1, 1}, {128, 128, true, 2, 2},
    {128, 128, false, 2, 2}, {128, 64, false, 1, 1},  {64, 256, false, 1, 4},
    {64, 192, false, 1, 4},  {64, 128, false, 1, 4},  {64, 64, false, 1, 4}};

/// Parts that K may be split into, and what joining them costs in cycles: two
/// waits for the cluster, and the tile through distributed shared memory at 32
/// bytes a cycle.
static constexpr int64_t splits[] = {2, 3, 4, 6, 8};
static double joinCycles(const WgmmaTile &tile) {
  return 1500 + double(tile.m) * tile.n * 4 / 32;
}
/// A split is taken when it promises this share of the time or less.
static constexpr double splitGain = 0.8;
/// Rows that begin within a line of the L2 cache cost more traffic.
static constexpr double brokenLines = 1.6;
/// Bytes that memory delivers to all multiprocessors in a cycle.
static constexpr double memoryBytes = 2450;

namespace {
/// What the choice of a tile depends on.
struct Problem {
  int64_t m, n, k, batch, parts, elementBytes;
  bool boxes;
  /// The number of tiles is, when the kernel is compiled.
  bool known;
  double traffic = 1;

  explicit Problem(const WgmmaPlan &plan)
      : m(plan.extent(plan.m, 4096)), n(plan.extent(plan.n, 4096)),
        k(plan.extent(plan.k, 4096)), batch(plan.extent(plan.batch, 1)),
        parts(plan.parts()), elementBytes(plan.elementBytes),
        boxes(plan.boxColumns != 0),
        known(plan.extent(plan.m, 0) * plan.extent(plan.batch, 0) > 0) {
    for (const WgmmaOperand &b : plan.b)
      if (b.rowBytes % 128 != 0 || plan.a.rowBytes % 128 != 0)
        traffic = brokenLines;
  }

  /// Blocks share A where there is one row of tiles, else B.
  bool oneRow(const WgmmaTile &tile) const { return m <= tile.m; }

  /// Cycles that reading the operands from memory takes at least.
  double floor() const {
    double elements = double(m) * k + double(n) * parts * k;
    return batch * elements * elementBytes / memoryBytes;
  }
};
} // namespace

/// Cycles of one tile: arithmetic at 4096 bytes times columns a cycle (2048
/// multiply-adds of 16 bits), or traffic from the L2 cache at 48 bytes a cycle,
/// whichever is larger; then the epilogue at 5 elements a cycle, or at 15 with
/// stored boxes. Consumers that take turns hide it, while their main loop is 15
/// % slower.
static double cyclesOf(const WgmmaTile &tile, const Problem &of,
                       int64_t waves) {
  double bytes = double(of.k) * of.elementBytes / tile.split;
  double elements = double(tile.m) * tile.n;
  double arithmetic = elements * bytes / 4096;
  double rowsA = double(tile.m) / (of.oneRow(tile) ? tile.cluster : 1);
  double rowsB = double(tile.n) / (of.oneRow(tile) ? 1 : tile.cluster);
  double mainLoop =
      std::max({arithmetic, (rowsA + rowsB) * bytes * of.traffic / 48,
                of.floor() / waves});
  if (tile.split > 1)
    return mainLoop + joinCycles(tile) + elements / tile.split / 5;
  double epilogue = elements / (of.boxes ? 15 : 5);
  return tile.pingPong && waves > 1 ? std::max(1.15 * mainLoop, epilogue)
                                    : mainLoop + epilogue;
}

/// Cycles of the contraction: waves of blocks, where clusters are whole.
static double costOf(const WgmmaTile &tile, const Problem &of) {
  int64_t rows = llvm::divideCeil(of.m, tile.m);
  int64_t columns = llvm::divideCeil(of.n, tile.n / of.parts);
  (of.oneRow(tile) ? columns : rows) =
      llvm::alignTo(of.oneRow(tile) ? columns : rows, tile.cluster);
  int64_t size = std::max(tile.cluster, tile.split);
  int64_t clusters = rows * columns * of.batch * tile.split / size;
  int64_t waves = llvm::divideCeil(clusters, residentClusters(size));
  return waves * cyclesOf(tile, of, waves);
}

/// Whether the part of a slice that one of `blocks` blocks copies is made of
/// whole swizzle atoms, or of whole boxes of 64 rows.
static bool canShare(const WgmmaOperand &operand, int64_t rows,
                     int64_t blocks) {
  return rows % (blocks * (operand.kMajor ? 8 : 64)) == 0;
}

/// Whether the tile suits: the columns of each contraction in it are whole
/// pieces of the epilogue and of the copies, and slices can be shared or split.
static bool suits(const WgmmaPlan &plan, const Problem &of,
                  const WgmmaTile &tile) {
  int64_t part = tile.n / plan.parts();
  int64_t piece = plan.b.front().kMajor ? 16 : 64;
  if (tile.n % plan.parts() != 0 || part % piece != 0)
    return false;
  if (tile.cluster > 1) {
    bool oneRow = of.oneRow(tile);
    int64_t tiles =
        oneRow ? llvm::divideCeil(of.n, part) : llvm::divideCeil(of.m, tile.m);
    if (tiles < tile.cluster ||
        !(oneRow ? canShare(plan.a, tile.m, tile.cluster)
                 : canShare(plan.b.front(), part, tile.cluster)))
      return false;
  }
  // Blocks that split K have one tile each.
  return tile.split == 1 || (of.known && of.k / plan.tileK() >= tile.split);
}

//===-- choices -----------------------------------------------------------===//

bool codegen::cutInto(WgmmaPlan &plan, const WgmmaTile &tile) {
  Problem of(plan);
  if (!suits(plan, of, tile))
    return false;
  plan.tileM = tile.m;
  plan.tileN = tile.n;
  plan.pingPong = tile.pingPong;
  plan.splitsK = tile.split > 1;
  plan.cluster = plan.splitsK ? tile.split : tile.cluster;
  plan.sharesA = !plan.splitsK && tile.cluster > 1 && of.oneRow(tile);
  bool halfBoxes = plan.boxColumns == 64 && plan.partN() % 64 == 32;
  plan.boxRowBytes = halfBoxes ? 64 : 128;
  plan.store = plan.boxColumns && !plan.splitsK &&
                       (halfBoxes || plan.partN() % plan.boxColumns == 0)
                   ? WgmmaStore::Boxes
                   : WgmmaStore::Threads;
  int64_t stageBytes = (plan.tileM + plan.tileN) * 128;
  int64_t epilogueBytes = plan.consumers() * plan.stagingBytes();
  plan.stages =
      std::min<int64_t>(8, (227 * 1024 - 1024 - epilogueBytes) / stageBytes);
  return true;
}

/// Whether a split is worth a thought: one wave, and slices enough for each
/// block.
static bool maySplit(const WgmmaPlan &plan, const Problem &of,
                     const WgmmaTile &tile) {
  int64_t clusters = llvm::divideCeil(of.m, tile.m) *
                     llvm::divideCeil(of.n, tile.n / of.parts) * of.batch;
  return clusters <= residentClusters(tile.split) &&
         of.k >= 4 * tile.split * plan.tileK();
}

/// Calls `use` with the tiles of the table, those that split K last.
static void forEachOwnTile(const WgmmaPlan &plan, const Problem &of,
                           llvm::function_ref<void(const WgmmaTile &)> use) {
  for (const Tile &row : tiles) {
    WgmmaTile tile{row.m, row.n, row.pingPong, 1, 1};
    use(tile);
    tile.cluster = of.oneRow(tile) ? row.sharingA : row.sharingB;
    if (tile.cluster > 1)
      use(tile);
  }
  for (const Tile &row : tiles)
    for (int64_t split : splits)
      if (WgmmaTile tile{row.m, row.n, false, 1, split};
          !row.pingPong && maySplit(plan, of, tile))
        use(tile);
}

std::optional<WgmmaCandidate> codegen::chooseTile(const WgmmaPlan &plan) {
  Problem of(plan);
  std::optional<WgmmaCandidate> best;
  forEachOwnTile(plan, of, [&](const WgmmaTile &tile) {
    if (!suits(plan, of, tile))
      return;
    bool splitsFirst = tile.split > 1 && best && best->tile.split == 1;
    double cost = costOf(tile, of);
    if (!best || cost < (splitsFirst ? splitGain : 1) * best->cycles)
      best = {tile, cost};
  });
  return best;
}

/// Tiles of the table's sizes with other ways to share slices or take turns.
/// The model knows less of these.
static SmallVector<WgmmaTile> furtherTiles() {
  SmallVector<WgmmaTile> found;
  for (const Tile &row : tiles)
    for (bool turns : {false, true})
      for (int64_t cluster : {1, 2, 4})
        if (!turns || row.m * row.n <= 128 * 128)
          found.push_back({row.m, row.n, turns, cluster, 1});
  return found;
}

SmallVector<WgmmaCandidate> codegen::listTiles(const WgmmaPlan &plan,
                                               unsigned limit) {
  Problem of(plan);
  SmallVector<WgmmaCandidate> all;
  llvm::StringSet<> known;
  auto add = [&](const WgmmaTile &tile) {
    if (suits(plan, of, tile) && known.insert(tile.str()).second)
      all.push_back({tile, costOf(tile, of)});
  };
  auto sortFrom = [&](size_t first) {
    llvm::sort(all.begin() + first, all.end(), [](auto &a, auto &b) {
      return std::pair(a.cycles, a.tile.str()) <
             std::pair(b.cycles, b.tile.str());
    });
  };
  forEachOwnTile(plan, of, add);
  size_t own = all.size();
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
  std::optional<WgmmaCandidate> chosen = chooseTile(plan);
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
