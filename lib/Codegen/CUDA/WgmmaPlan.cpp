//===- WgmmaPlan.cpp - When and how tensor cores are used -----------------===//

#include "WgmmaGemm.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Multiprocessors that tiles are spread over: those of an H100 or H200.
static constexpr int64_t multiprocessors = 132;

static int64_t tensorNumber(kernel::FuncOp kernel, BlockArgument argument) {
  int64_t number = 0;
  for (BlockArgument other :
       kernel.getBody().getArguments().take_front(argument.getArgNumber()))
    number += isa<RankedTensorType>(other.getType());
  return number;
}

/// Whether loops `dims` are the results [first, first + size) of `map`, in
/// order.
static bool standAt(AffineMap map, unsigned first, ArrayRef<unsigned> dims) {
  for (auto [i, dim] : llvm::enumerate(dims)) {
    auto expr = dyn_cast<AffineDimExpr>(map.getResult(first + i));
    if (!expr || expr.getPosition() != dim)
      return false;
  }
  return true;
}

/// Recognises [batch, outer..., k] and [batch, k, outer].
static std::optional<WgmmaOperand>
recognise(kernel::FuncOp kernel, linalg::GenericOp op, unsigned number,
          ArrayRef<unsigned> batch, ArrayRef<unsigned> outer,
          ArrayRef<unsigned> k) {
  OpOperand &operand = op->getOpOperand(number);
  auto argument = dyn_cast<BlockArgument>(operand.get());
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!argument || !type || batch.size() > 1 || k.size() != 1 ||
      map.getNumResults() != batch.size() + outer.size() + 1)
    return std::nullopt;
  if (!type.getElementType().isF16() && !type.getElementType().isBF16())
    return std::nullopt;
  int64_t inner = type.getShape().back();
  if (ShapedType::isDynamic(inner) || inner % 8 != 0 || inner == 0)
    return std::nullopt;
  if (!standAt(map, 0, batch))
    return std::nullopt;
  WgmmaOperand found{tensorNumber(kernel, argument), true, !batch.empty()};
  unsigned first = batch.size();
  if (standAt(map, first, outer) && standAt(map, first + outer.size(), k))
    return found;
  found.kMajor = false;
  if (outer.size() == 1 && standAt(map, first, k) &&
      standAt(map, first + 1, outer))
    return found;
  return std::nullopt;
}

/// Product of the static sizes of loops; dynamic ones count as `unknown`.
static int64_t extent(linalg::GenericOp op, ArrayRef<unsigned> loops,
                      int64_t unknown) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t product = 1;
  for (unsigned loop : loops)
    product *= ShapedType::isDynamic(ranges[loop]) ? unknown : ranges[loop];
  return product;
}

namespace {
/// A way to cut a contraction.
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
    {128, 256, false, 1, 1}, {128, 128, true, 2, 2}, {128, 128, false, 2, 2},
    {128, 64, false, 1, 1},  {64, 256, false, 1, 4}, {64, 128, false, 1, 4},
    {64, 64, false, 1, 4}};

/// Cycles of one tile: arithmetic at 2048 multiply-adds a cycle, or traffic
/// from the L2 cache at 48 bytes a cycle, whichever is larger; then the
/// epilogue at 5 elements a cycle, which consumers that take turns hide, while
/// their main loop is 15 % slower.
static double cyclesOf(const Tile &tile, bool oneRow, bool oneWave, int64_t k) {
  double arithmetic = double(tile.m) * tile.n * k / 2048;
  double rowsA = double(tile.m) / (oneRow ? tile.sharingA : 1);
  double rowsB = double(tile.n) / (oneRow ? 1 : tile.sharingB);
  double mainLoop = std::max(arithmetic, (rowsA + rowsB) * k * 2 / 48);
  double epilogue = double(tile.m) * tile.n / 5;
  return tile.pingPong && !oneWave ? std::max(1.15 * mainLoop, epilogue)
                                   : mainLoop + epilogue;
}

/// Whether the part of a slice that one of `blocks` blocks copies is made of
/// whole swizzle atoms, or of whole boxes of 64 rows.
static bool canShare(const WgmmaOperand &operand, int64_t rows,
                     int64_t blocks) {
  return rows / blocks % (operand.kMajor ? 8 : 64) == 0;
}

static void useTile(WgmmaPlan &plan, const Tile &tile, bool oneRow) {
  plan.tileM = tile.m;
  plan.tileN = tile.n;
  plan.pingPong = tile.pingPong;
  plan.sharesA =
      oneRow && tile.sharingA > 1 && canShare(plan.a, tile.m, tile.sharingA);
  if (plan.sharesA)
    plan.cluster = tile.sharingA;
  else if (!oneRow && canShare(plan.b, tile.n, tile.sharingB))
    plan.cluster = tile.sharingB;
  else
    plan.cluster = 1;
}

/// Picks the tile with the least number of waves times cycles.
static void chooseTile(WgmmaPlan &plan) {
  int64_t m = extent(plan.op, plan.m, 4096), n = extent(plan.op, plan.n, 4096);
  int64_t k = extent(plan.op, plan.k, 4096);
  int64_t batch = extent(plan.op, plan.batch, 1);
  double best = 0;
  for (const Tile &tile : tiles) {
    int64_t rows = llvm::divideCeil(m, tile.m);
    int64_t count = rows * llvm::divideCeil(n, tile.n) * batch;
    int64_t waves = llvm::divideCeil(count, multiprocessors);
    double cost = waves * cyclesOf(tile, rows <= 1, waves <= 1, k);
    if (best != 0 && cost >= best)
      continue;
    best = cost;
    useTile(plan, tile, rows <= 1);
  }
  int64_t stageBytes = (plan.tileM + plan.tileN) * 128;
  int64_t epilogueBytes = plan.consumers() * 64 * 68 * 4;
  plan.stages =
      std::min<int64_t>(8, (227 * 1024 - 1024 - epilogueBytes) / stageBytes);
}

std::optional<WgmmaPlan> codegen::planWgmma(kernel::FuncOp kernel) {
  WgmmaPlan plan;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
    if (op.getNumReductionLoops() > 0)
      plan.op = op;
  auto dims = linalg::inferContractionDims(plan.op);
  if (failed(dims))
    return std::nullopt;
  plan.batch.assign(dims->batch.begin(), dims->batch.end());
  plan.m.assign(dims->m.begin(), dims->m.end());
  plan.n.assign(dims->n.begin(), dims->n.end());
  plan.k.assign(dims->k.begin(), dims->k.end());
  auto element = cast<RankedTensorType>(plan.op.getResult(0).getType());
  // A row of the result is cut into runs of 8 elements.
  int64_t columns = extent(plan.op, plan.n, 1);
  if (!element.getElementType().isF32() || plan.n.size() != 1 ||
      columns % 8 != 0 || plan.m.empty())
    return std::nullopt;
  auto a = recognise(kernel, plan.op, 0, plan.batch, plan.m, plan.k);
  auto b = recognise(kernel, plan.op, 1, plan.batch, plan.n, plan.k);
  if (!a || !b)
    return std::nullopt;
  plan.a = *a;
  plan.b = *b;
  chooseTile(plan);
  return plan;
}
