//===- WgmmaText.cpp - Tiles and contractions as text ---------------------===//
//
// What options, remarks and tuning files name: tiles of the kernels on tensor
// cores ("128x256,cluster=2") and the contractions they are chosen for.
//
//===----------------------------------------------------------------------===//

#include "WgmmaGemm.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

std::string WgmmaTile::str() const {
  std::string text = std::to_string(m) + "x" + std::to_string(n);
  if (pingPong)
    text += ",turns";
  if (wide > 1)
    text += ",cluster=" + std::to_string(tall) + "x" + std::to_string(wide);
  else if (tall > 1)
    text += ",cluster=" + std::to_string(tall);
  if (split > 1)
    text += ",split=" + std::to_string(split);
  if (streams)
    text += ",stream";
  if (swapped)
    text += ",swap";
  return text;
}

/// "4" or "4x2".
static bool parseCluster(StringRef text, WgmmaTile &tile) {
  auto [tall, wide] = text.split('x');
  return !tall.getAsInteger(10, tile.tall) &&
         (wide.empty() || !wide.getAsInteger(10, tile.wide));
}

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
    else if (word == "stream")
      tile.streams = true;
    else if (word == "swap")
      tile.swapped = true;
    else if (!(word.consume_front("cluster=") && parseCluster(word, tile)) &&
             !(word.consume_front("split=") &&
               !word.getAsInteger(10, tile.split)))
      return std::nullopt;
    rest = more;
  }
  bool rows = tile.swapped ? tile.m >= 8 && tile.m <= 256 && tile.m % 8 == 0
                           : tile.m == 64 || tile.m == 128;
  bool suits =
      rows && tile.n >= 16 && tile.n <= 256 &&
      tile.n % (tile.swapped ? 64 : 16) == 0 &&
      !(tile.swapped && (tile.pingPong || !fitsSwapped(tile.m, tile.n))) &&
      tile.tall >= 1 && tile.wide >= 1 && tile.split >= 1 && tile.tall <= 8 &&
      tile.wide <= 8 && tile.split <= 8 && tile.cluster() <= 8 &&
      (tile.split == 1 || (tile.cluster() == tile.split && !tile.pingPong)) &&
      (!tile.streams || (tile.split == 1 && !tile.pingPong)) &&
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
  text += plan.boxColumns ? "boxes" + number(128 * 8 / plan.boxColumns)
                          : std::string("threads");
  if (plan.source >= 0)
    text += "+source";
  return plan.prologue.input ? text + " prologue=" + number(plan.prologue.cost)
                             : text;
}
