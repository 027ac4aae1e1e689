//===- AttentionSplit.cpp - How blocks divide the keys of few queries -----===//
//
// The model: keys and values are read once, at the memory's rate, which blocks
// on all multiprocessors reach together. A block alone has as many bytes as its
// copies under way bring in the time of one. Blocks that share a tile cost the
// time of an atomic operation behind a fence, and of one more round of loads,
// in which the last of them reads what the others have.
//
//===----------------------------------------------------------------------===//

#include "Codegen/CUDA/Contractions/AttentionPanel.h"
#include "Codegen/CUDA/Contractions/SplitAttention.h"

#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using mma::Panel;

std::optional<AttentionSplitWish> codegen::parseAttentionSplit(StringRef text) {
  AttentionSplitWish wish;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  if (parts.front().getAsInteger(10, wish.splits) || wish.splits < 0)
    return std::nullopt;
  for (StringRef part : ArrayRef(parts).drop_front()) {
    auto [name, number] = part.split('=');
    int64_t *field = name == "keys"     ? &wish.keys
                     : name == "warps"  ? &wish.warps
                     : name == "stages" ? &wish.stages
                                        : nullptr;
    if (!field || number.getAsInteger(10, *field) || *field < 1)
      return std::nullopt;
  }
  return wish;
}

/// Parts of one tile at most: the last block joins them.
static constexpr int64_t maxSplits = 64;
/// Blocks of a cluster at most, and what the first receives from the others.
static constexpr int64_t maxClusterSplits = 8, maxReceivedBytes = 16 << 10;
/// Of a warp's ring, which shared memory has no room for.
static constexpr int64_t maxStages = 64;
/// Bytes that each block has of the system's in shared memory.
static constexpr int64_t reservedBytes = 1024;
/// Columns up to which a warp has registers for 32 rows.
static constexpr int64_t pairColumns = 128;
/// Bytes of copies that a multiprocessor has under way: more than its part of
/// the memory's rate times the time of a copy, some 21 bytes a cycle times 1500
/// cycles.
static constexpr int64_t bytesUnderWay = 64 << 10;

int64_t AttentionSplit::maxParts() const {
  // Where the launch chooses, tiles that have parts are fewer than `slots`, and
  // blocks fewer than twice that.
  return tiles >= 0 ? tiles * splits : 2 * slots;
}

int64_t AttentionSplit::sumBytes() const {
  return llvm::alignTo(maxParts() * rows * width * 4, 16);
}

SmallVector<int64_t> AttentionSplit::workspace() const {
  if (!mayShare() || joinsInCluster)
    return {};
  return {sumBytes() + maxParts() * rows * 2 * 4,
          (tiles >= 0 ? tiles : slots) * 4};
}

/// Shared memory of a block at most.
static int64_t blockBytesOf(const CudaChip &chip) {
  return std::min(chip.sharedBytes - reservedBytes, chip.blockSharedBytes);
}

/// Whether `splits` of each tile can be the blocks of a cluster: the first has
/// room for what it receives, and all clusters run at the same time. A cluster
/// starts where a group of multiprocessors has room for all of its blocks, and
/// one that has to wait waits for whole blocks.
static bool mayBeCluster(const AttentionSplit &plan, const CudaChip &chip,
                         int64_t splits) {
  AttentionSplit some = plan;
  some.splits = splits;
  int64_t resident = plan.slots / chip.multiprocessors;
  return plan.tiles >= 0 && splits > 1 && splits <= maxClusterSplits &&
         chip.hasClusters() && some.receivedBytes() <= maxReceivedBytes &&
         plan.sharedBytes + some.receivedBytes() <= blockBytesOf(chip) &&
         plan.tiles <= chip.clustersAtOnce(splits) * resident;
}

/// Of the time that the fullest multiprocessors take longer than all on
/// average, the part that the others do not make up for: 32 heads of 32768 keys
/// take 135.5 us with 7 blocks for each, 122.6 with 16 (an H200).
static constexpr double unevenShare = 0.45;

/// What `blocks` that all run at once take, in the time of one.
static double unevenness(const CudaChip &chip, int64_t blocks) {
  if (blocks <= chip.multiprocessors)
    return 1;
  int64_t all = llvm::alignTo(blocks, uint64_t(chip.multiprocessors));
  return 1 + unevenShare * (double(all) / double(blocks) - 1);
}

namespace {
/// Bytes a cycle of a block and of all blocks together.
struct CopyRates {
  double alone, ofAll;
};
} // namespace

/// Cycles in which `blocks` that all run at once bring `bytes` each.
static double waveCycles(const AttentionSplit &plan, const CudaChip &chip,
                         int64_t blocks, double bytes, CopyRates rates) {
  int64_t crowd = std::clamp(blocks, chip.multiprocessors, plan.slots);
  double alone = rates.alone * double(chip.multiprocessors) / double(crowd);
  return bytes / std::min(alone, rates.ofAll / double(blocks));
}

/// The same of any number: a block that follows another one begins while others
/// of its multiprocessor still copy.
static double copyCycles(const AttentionSplit &plan, const CudaChip &chip,
                         int64_t blocks, double bytes, CopyRates rates) {
  if (blocks <= plan.slots)
    return unevenness(chip, blocks) *
           waveCycles(plan, chip, blocks, bytes, rates);
  int64_t waves = blocks / plan.slots, last = blocks % plan.slots;
  double cycles =
      double(waves) * waveCycles(plan, chip, plan.slots, bytes, rates);
  if (last > 0)
    cycles += waveCycles(plan, chip, last, bytes, rates);
  double follow = chip.attentionFollowCycles * double(chip.multiprocessors) /
                  double(plan.slots);
  return cycles + (double(blocks) / double(plan.slots) - 1) * follow;
}

/// Cycles in which `blocks` multiply their rows with `keys` each. Where several
/// tiles read the same keys, these come from the L2 cache, and products are
/// what takes the time.
static double productCycles(const AttentionSplit &plan, const CudaChip &chip,
                            int64_t blocks, double keys, int64_t columns) {
  if (plan.allRows <= oneTileRows)
    return 0;
  double block =
      keys * double(plan.tileRows() * columns) / chip.attentionSplitProducts;
  int64_t each = llvm::divideCeil(blocks, chip.multiprocessors);
  int64_t waves = llvm::divideCeil(blocks, plan.slots);
  return block *
         std::max(double(waves), double(each) * chip.attentionSplitPair);
}

/// Cycles of a launch with `splits` of each tile's `keys`, of some columns in
/// key and value.
static double cyclesOf(const AttentionSplit &plan, const CudaChip &chip,
                       int64_t splits, int64_t keys, int64_t columns) {
  int64_t blocks = plan.tiles * splits;
  int64_t roundKeys = plan.warps * plan.keys;
  int64_t rounds = llvm::divideCeil(
      llvm::divideCeil(llvm::divideCeil(keys, plan.keys), splits), plan.warps);
  // Beyond its keys a block copies nothing, but takes the time of a round.
  double own = blocks > plan.slots ? double(keys) / double(splits)
                                   : double(rounds * roundKeys);
  bool isCluster = mayBeCluster(plan, chip, splits);
  bool areSlow = splits > 1 && !isCluster && 2 * blocks > chip.multiprocessors;
  double alone = areSlow ? chip.attentionJoinedBytes : chip.attentionBlockBytes;
  double ofAll = isCluster && splits > 2 ? chip.attentionClusterBytes
                                         : chip.attentionMemoryBytes;
  double join = 0;
  if (splits > 1)
    join =
        (isCluster ? chip.attentionClusterCycles : chip.attentionJoinCycles) +
        chip.attentionPartCycles * double(splits);
  double copies =
      copyCycles(plan, chip, blocks, own * double(columns * 2), {alone, ofAll});
  double products = productCycles(plan, chip, blocks, own, columns);
  return chip.attentionCopyCycles + std::max(copies, products) + join;
}

namespace {
/// An attention with few queries. Sizes: of its tensors, with all rows of a
/// head of keys; -1 where they are not known. Keys: as many as are read at
/// most.
struct FewQueries {
  int64_t rows, keys, depth, width, heads;

  static std::optional<FewQueries> find(kernel::FuncOp kernel);
  int64_t columns() const {
    return std::max(Panel(depth).read, Panel(width).read);
  }
  /// Bytes of a key and its value in shared memory, and of what else is there
  /// with it or behind it.
  int64_t lineBytes() const {
    return Panel(depth).lineBytes + Panel(width).lineBytes;
  }
  int64_t sharedBytes(const AttentionSplit &plan) const {
    int64_t ring = plan.warps * plan.stages * plan.keys * lineBytes();
    int64_t joined =
        plan.warps * plan.tileRows() * (Panel(width).read + 8 + 2) * 4;
    return std::max(plan.tileRows() * Panel(depth).lineBytes + ring, joined);
  }
};
} // namespace

std::optional<FewQueries> FewQueries::find(kernel::FuncOp kernel) {
  if (kernel.getRoot() != kernel::FusionRoot::Attention)
    return std::nullopt;
  auto ops = kernel.getBody().front().getOps<kernel::AttentionOp>();
  if (ops.empty())
    return std::nullopt;
  kernel::AttentionOp op = *ops.begin();
  auto query = cast<RankedTensorType>(op.getQuery().getType());
  auto key = cast<RankedTensorType>(op.getKey().getType());
  auto value = cast<RankedTensorType>(op.getValue().getType());
  Type element = query.getElementType();
  int64_t rank = query.getRank(), queries = query.getDimSize(rank - 2);
  int64_t group = std::max<int64_t>(1, op.getGroupSize());
  if ((!element.isF16() && !element.isBF16()) ||
      ShapedType::isDynamic(queries) || queries == 0 ||
      queries * group > maxSplitRows)
    return std::nullopt;
  int64_t heads = 1;
  for (int64_t size : query.getShape().drop_back(2))
    heads = ShapedType::isDynamic(size) || heads < 0 ? -1 : heads * size;
  int64_t keys = key.getDimSize(rank - 2);
  if (ShapedType::isDynamic(keys))
    keys = -1;
  if (op.getWindowLeft() && op.getKeysAfter()) {
    int64_t seen = *op.getWindowLeft() + queries + *op.getKeysAfter();
    keys = keys < 0 ? seen : std::min(keys, seen);
  }
  return FewQueries{queries * group, keys, query.getShape().back(),
                    value.getShape().back(), heads < 0 ? -1 : heads / group};
}

/// As many stages as bring enough at a time, of two blocks of a multiprocessor
/// if these fit.
static void chooseStages(AttentionSplit &plan, const FewQueries &problem,
                         const CudaChip &chip, int64_t blockBytes) {
  constexpr int64_t least = 3, most = 8;
  plan.stages = least;
  int64_t half = chip.sharedBytes / 2 - reservedBytes;
  bool isPair = problem.sharedBytes(plan) <= half;
  int64_t stageBytes = plan.warps * plan.keys * problem.lineBytes();
  int64_t enough =
      1 + llvm::divideCeil(bytesUnderWay / (isPair ? 2 : 1), stageBytes);
  plan.stages = std::clamp(enough, least, most);
  while (plan.stages > 2 &&
         problem.sharedBytes(plan) > (isPair ? half : blockBytes))
    --plan.stages;
}

/// `splits`, and what it depends on.
static void chooseSplits(AttentionSplit &plan, const FewQueries &problem,
                         const CudaChip &chip) {
  int64_t resident = std::clamp<int64_t>(
      chip.sharedBytes / (plan.sharedBytes + reservedBytes), 1, 2);
  plan.slots = chip.multiprocessors * resident;
  int64_t most = maxSplits;
  if (problem.keys >= 0)
    most = std::clamp<int64_t>(
        llvm::divideCeil(problem.keys, plan.keys * plan.warps), 1, maxSplits);
  plan.splits = most;
  if (problem.heads <= 0 || problem.keys < 0)
    return;
  plan.tiles = problem.heads * llvm::divideCeil(problem.rows, plan.tileRows());
  plan.splits = 1;
  auto cycles = [&](int64_t splits) {
    return cyclesOf(plan, chip, splits, problem.keys,
                    problem.depth + problem.width);
  };
  // Less than 3 % is no reason for another block.
  for (int64_t splits = 2; splits <= most; ++splits)
    if (cycles(splits) < cycles(plan.splits) * 0.97)
      plan.splits = splits;
  plan.cycles = cycles(plan.splits);
}

FailureOr<std::optional<AttentionSplit>>
codegen::planSplitAttention(kernel::FuncOp kernel, const CudaChip &chip,
                            const AttentionSplitWish &wish) {
  std::optional<FewQueries> problem = FewQueries::find(kernel);
  if (!problem || !chip.hasMma())
    return std::optional<AttentionSplit>();
  AttentionSplit plan;
  bool isWide = problem->columns() > pairColumns;
  plan.fragments = problem->rows > 16 && !isWide ? 2 : 1;
  plan.rows = std::min(problem->rows, plan.tileRows());
  plan.allRows = problem->rows;
  plan.width = problem->width;
  plan.keys = problem->columns() <= 64 ? 32 : 16;
  if (wish.keys)
    plan.keys = wish.keys;
  if (wish.warps)
    plan.warps = wish.warps;
  if (wish.splits > maxSplits || wish.stages > maxStages)
    return kernel.emitError("a split of attention has at most 64 parts and 64 "
                            "stages; found ")
           << wish.splits << " and " << wish.stages;
  if (plan.keys % 16 != 0 || plan.keys > 64 || plan.warps > 8)
    return kernel.emitError("a split of attention has 16, 32, 48 or 64 keys at "
                            "a time and at most 8 warps; found ")
           << plan.keys << " and " << plan.warps;
  int64_t blockBytes = blockBytesOf(chip);
  chooseStages(plan, *problem, chip, blockBytes);
  if (wish.stages)
    plan.stages = wish.stages;
  plan.sharedBytes = problem->sharedBytes(plan);
  if (plan.sharedBytes > blockBytes || plan.stages < 2) {
    if (wish.keys || wish.warps || wish.stages)
      return kernel.emitError(
                 "a split of attention has 2 stages or more, which "
                 "fit in shared memory; found ")
             << plan.stages << " of "
             << plan.warps * plan.keys * problem->lineBytes() << " bytes";
    return std::optional<AttentionSplit>();
  }
  chooseSplits(plan, *problem, chip);
  if (wish.splits)
    plan.splits = wish.splits;
  plan.joinsInCluster = mayBeCluster(plan, chip, plan.splits);
  if (plan.joinsInCluster)
    plan.sharedBytes += plan.receivedBytes();
  return std::optional(plan);
}

std::optional<double> codegen::cyclesOfMmaAttention(kernel::FuncOp kernel,
                                                    const CudaChip &chip) {
  std::optional<FewQueries> problem = FewQueries::find(kernel);
  if (!problem || problem->heads <= 0 || problem->keys < 0)
    return std::nullopt;
  // EmitCUDAAttention.cpp: two blocks of 64 rows on a multiprocessor, 64 keys
  // at a time.
  constexpr int64_t rows = 64, keys = 64, columns = 128, resident = 2;
  int64_t blocks = problem->heads * llvm::divideCeil(problem->rows, rows);
  int64_t waves = llvm::divideCeil(blocks, resident * chip.multiprocessors);
  double wide = std::max(1.0, double(problem->columns()) / double(columns));
  return double(waves * llvm::divideCeil(problem->keys, keys)) *
             double(chip.attentionBlockCycles) * wide +
         double(chip.attentionLaunchCycles);
}
