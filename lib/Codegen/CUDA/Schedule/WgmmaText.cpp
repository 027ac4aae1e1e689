//===- WgmmaText.cpp - Tiles and contractions as text ---------------------===//
//
// What options, remarks and tuning files name: tiles of the kernels on tensor
// cores ("128x256,cluster=2") and the contractions they are chosen for.
//
//===----------------------------------------------------------------------===//

#include "Codegen/CUDA/Contractions/WgmmaGemm.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

std::string WgmmaTile::str() const {
  std::string text = std::to_string(m) + "x" + std::to_string(n);
  if (pingPong)
    text += ",pingpong";
  if (clusterN > 1)
    text +=
        ",cluster=" + std::to_string(clusterM) + "x" + std::to_string(clusterN);
  else if (clusterM > 1)
    text += ",cluster=" + std::to_string(clusterM);
  if (split > 1)
    text += ",split=" + std::to_string(split);
  if (streamK)
    text += ",stream";
  if (swapAB)
    text += ",swapAB";
  if (overlap)
    text += ",overlap";
  return text;
}

StringRef codegen::brokenRule(const WgmmaTile &tile) {
  if (tile.swapAB ? tile.m < 8 || tile.m > 256 || tile.m % 8 != 0
                  : tile.m != 64 && tile.m != 128 && tile.m != 192)
    return "a tile has 64, 128 or 192 rows, with swapAB a multiple of 8 up to "
           "256";
  if (tile.n < 16 || tile.n > 256 || tile.n % (tile.swapAB ? 64 : 16) != 0)
    return "a tile has a multiple of 16 columns up to 256, with swapAB of 64";
  if (tile.m == 192 && !tile.swapAB && (tile.pingPong || tile.n > 192))
    return "three consumers of 64 rows are cooperative, and have registers for "
           "192 columns";
  if (tile.swapAB && !tile.pingPong && !fitsSwapAB(tile.m, tile.n))
    return "with swapAB, a consumer has registers for 128 x 160 accumulators, "
           "and three of them for 192 rows";
  if (tile.pingPong && tile.m * tile.n > maxPingPongElements)
    return "a ping-pong consumer has registers for 128 x 192 accumulators";
  auto isBlocks = [](int64_t blocks) { return blocks >= 1 && blocks <= 8; };
  if (!isBlocks(tile.clusterM) || !isBlocks(tile.clusterN) ||
      !isBlocks(tile.split) || tile.cluster() > 8)
    return "a cluster has at most 8 blocks";
  if (tile.split > 1 && (tile.cluster() != tile.split || tile.pingPong))
    return "with split-K, blocks share no k-blocks, and consumers are "
           "cooperative";
  if (tile.overlap &&
      (tile.swapAB || tile.split > 1 || tile.streamK || tile.clusterN > 1))
    return "tiles that overlap use neither split-K, stream-K nor swapAB, and "
           "share no k-blocks of A";
  if (tile.streamK && (tile.split > 1 || tile.pingPong))
    return "with stream-K, there is no split-K and consumers are cooperative";
  return {};
}

/// "4" or "4x2".
static bool parseCluster(StringRef text, WgmmaTile &tile) {
  auto [clusterM, clusterN] = text.split('x');
  return !clusterM.getAsInteger(10, tile.clusterM) &&
         (clusterN.empty() || !clusterN.getAsInteger(10, tile.clusterN));
}

std::optional<WgmmaTile> codegen::parseWgmmaTile(StringRef text) {
  WgmmaTile tile;
  auto [size, rest] = text.split(',');
  auto [m, n] = size.split('x');
  if (m.getAsInteger(10, tile.m) || n.getAsInteger(10, tile.n))
    return std::nullopt;
  while (!rest.empty()) {
    auto [word, more] = rest.split(',');
    if (word == "pingpong")
      tile.pingPong = true;
    else if (word == "stream")
      tile.streamK = true;
    else if (word == "swapAB")
      tile.swapAB = true;
    else if (word == "overlap")
      tile.overlap = true;
    else if (!(word.consume_front("cluster=") && parseCluster(word, tile)) &&
             !(word.consume_front("split=") &&
               !word.getAsInteger(10, tile.split)))
      return std::nullopt;
    rest = more;
  }
  return brokenRule(tile).empty() ? std::optional(tile) : std::nullopt;
}

std::optional<std::string>
codegen::describeContraction(const WgmmaSchedule &schedule) {
  SmallVector<int64_t> ranges = schedule.op().getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return std::nullopt;
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string text = NVVM::stringifyWGMMATypes(schedule.type).str() + " " +
                     number(schedule.extent(schedule.m, 1)) + "x" +
                     number(schedule.extent(schedule.n, 1)) + "x" +
                     number(schedule.extent(schedule.k, 1));
  text += schedule.a.kMajor ? " n" : " t";
  text += schedule.b.front().kMajor ? "t" : "n";
  text += " batch=" + number(schedule.extent(schedule.batch, 1)) +
          " parts=" + number(schedule.parts()) + " store=";
  // A box has 128 bytes in a row.
  text += schedule.boxColumns ? "tma" + number(128 * 8 / schedule.boxColumns)
                              : std::string("threads");
  if (schedule.source >= 0)
    text += "+source";
  return schedule.prologue.input
             ? text + " prologue=" + number(schedule.prologue.cost)
             : text;
}
