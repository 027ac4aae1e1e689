//===- SimtSchedule.cpp - Tiles of contractions on CUDA cores -------------===//

#include "Codegen/CUDA/Contractions/SimtGemm.h"
#include "Codegen/Emit/KernelSizes.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::simt;

/// Static shared memory that two blocks of 256 threads leave to each other, and
/// to the L1 cache.
static constexpr int64_t ringBytes = 40 * 1024;
/// Bytes of results that a thread keeps in registers: 128 of them, or all 255.
static constexpr int64_t registerBytes = 256, wideRegisterBytes = 512;
/// Warps are 32 x 64 where tiles allow: 8 lanes store 32 neighbours.
static constexpr Tile tiles[] = {
    {2, 2, 8, 4, 2, 4}, // 128 x 128, 128 threads with 8 x 16 each
    {4, 2, 4, 8, 2, 2}, // 128 x 128, 256 threads
    {4, 1, 4, 8, 2, 2}, // 128 x 64, 128 threads
    {2, 2, 4, 8, 2, 2}, // 64 x 128
    {2, 2, 4, 8, 2, 1}, // 64 x 64
    {2, 2, 4, 8, 1, 1}, // 32 x 64
    {1, 4, 4, 8, 1, 1}, // 16 x 128
    {4, 1, 8, 4, 1, 1}, // 128 x 16
};

/// Wide tiles are for numbers of 32 bits that are copied past the registers, K
/// first, and have no edges: results, fragments and addresses take all
/// registers. 2696 us for 4096^3 on an H200, where 8 x 8 elements a thread take
/// 2754; of a B that lies along N they take 2705, and wide tiles 2780; at edges
/// (4093^3) 2802 and 2937.
static bool canBeWide(const Tile &tile, const Demand &demand) {
  return demand.bytes == 4 && demand.isAlongK && !demand.throughRegisters &&
         !demand.dynamicRows && !demand.dynamicSizes &&
         llvm::all_of(demand.groups, [&](const Extent &extent) {
           return extent.m % tile.m() == 0 && extent.n % tile.n() == 0;
         });
}

/// Blocks of a cluster can share K when their partial results fit the ring and
/// can be divided among them.
static bool canSplit(const Schedule &schedule, int64_t split) {
  return split == 1 || (schedule.partialSize() <= schedule.ringSize() &&
                        schedule.tile.runs() % split == 0);
}

/// Blocks that may share K. All groups of a kernel have one cluster size; one
/// cut of K suits one.
static int64_t maxSplit(const Demand &demand) {
  return demand.chip->hasClusters() && demand.groups.size() == 1 ? 8 : 1;
}

static TailSplit tailOf(int64_t parts, const Schedule &schedule,
                        const CudaChip &chip) {
  int64_t resident =
      std::max<int64_t>(1, schedule.resident / schedule.tile.threads());
  return {parts, chip.multiprocessors * resident,
          schedule.partialSize() * schedule.bytes};
}

/// Tiles of a group.
static int64_t tilesOf(const Schedule &schedule, const Extent &extent) {
  return countTiles(extent.batch, llvm::divideCeil(extent.m, schedule.tile.m()),
                    llvm::divideCeil(extent.n, schedule.tile.n()));
}
static int64_t tilesOf(const Schedule &schedule, const Demand &demand) {
  int64_t tiles = 0;
  for (const Extent &extent : demand.groups)
    tiles += tilesOf(schedule, extent);
  return tiles;
}

/// What is left of each group behind its whole waves, as far as is known.
static int64_t expectedTail(const Schedule &schedule, const Demand &demand) {
  int64_t tiles = 0;
  for (const Extent &extent : demand.groups)
    tiles += schedule.tail.left(tilesOf(schedule, extent));
  return tiles;
}

static int64_t blocksOf(const Schedule &schedule, const Demand &demand) {
  int64_t tiles = tilesOf(schedule, demand);
  return schedule.tail.parts == 1 ? tiles * schedule.split
                                  : tiles + expectedTail(schedule, demand) *
                                                (schedule.tail.parts - 1);
}

//===----------------------------------------------------------------------===//
// Tails
//===----------------------------------------------------------------------===//

int64_t Demand::tailTiles(const Schedule &schedule) const {
  if (!dynamicSizes)
    return std::max<int64_t>(1, expectedTail(schedule, *this));
  int64_t tiles = 0;
  for (const Extent &extent : largest)
    tiles += schedule.tail.maxLeft(tilesOf(schedule, extent));
  return tiles;
}

/// Whether the tail can be split. Wide tiles have whole waves alone.
static bool canSplitTail(const Schedule &schedule, const Demand &demand) {
  bool isPlain = schedule.split == 1 && !schedule.tile.isWide();
  return (schedule.tail.parts == 1 || isPlain) &&
         schedule.tail.isLegal(demand.tailTiles(schedule));
}
/// Whether there is a tail whose K is long enough.
static bool hasTail(const Schedule &schedule, const Demand &demand) {
  return expectedTail(schedule, demand) > 0 &&
         schedule.tail.parts * leastTailKBlocks * schedule.depth <=
             demand.groups.front().k;
}

/// Registers of a thread beside its sums.
static constexpr int64_t otherRegisters = 60;

/// Blocks of a multiprocessor, by the registers that they take.
static int64_t blocksAtOnce(const Schedule &schedule, const CudaChip &chip) {
  int64_t sums = schedule.paired * schedule.tile.runs() * quad;
  int64_t registers = llvm::alignTo(
      llvm::divideCeil(sums * schedule.bytes, 4) + otherRegisters, 8);
  int64_t ofBlock = registers * schedule.tile.threads();
  int64_t least =
      std::max<int64_t>(1, schedule.resident / schedule.tile.threads());
  // Wide tiles and dynamic rows leave no more.
  return schedule.resident < 512 ? least
                                 : std::max(least, chip.registers / ofBlock);
}

/// The longest K of all groups.
static int64_t longestK(const Demand &demand) {
  int64_t k = 0;
  for (const Extent &extent : demand.groups)
    k = std::max<int64_t>(k, extent.k);
  return k;
}

/// The part of the results of all tiles that is not beyond an edge, and stored.
static double storedPart(const Schedule &schedule, const Demand &demand) {
  double results = 0, ofTiles = 0;
  for (const Extent &extent : demand.groups) {
    results += double(extent.batch) * double(extent.m) * double(extent.n);
    ofTiles += double(tilesOf(schedule, extent)) *
               double(schedule.tile.m() * schedule.tile.n());
  }
  return ofTiles == 0 ? 1 : results / ofTiles;
}

/// Cycles that a multiprocessor takes for a block that has one of `parts` of K.
/// Other blocks multiply while one stores its results.
static double cyclesOfPart(const Schedule &schedule, const Demand &demand,
                           int64_t parts) {
  const CudaChip &chip = *demand.chip;
  const Tile &tile = schedule.tile;
  bool areOdd = demand.dynamicColumns ||
                llvm::any_of(demand.groups, [](const Extent &extent) {
                  return extent.n % quad != 0;
                });
  int64_t kBlocks = llvm::divideCeil(
      llvm::divideCeil(longestK(demand), schedule.depth), parts);
  int64_t products = tile.m() * tile.n() * schedule.paired;
  int64_t copied = tile.m() + tile.n() * schedule.paired;
  double ofK = double(products) * chip.simtProductCycles +
               double(copied) * chip.simtNumberCycles;
  double cycles = double(kBlocks * schedule.depth) * ofK;
  if (demand.throughRegisters)
    cycles = std::max(cycles, double(kBlocks) * chip.simtRegisterKBlockCycles);
  double runs = double(tile.threads() * tile.runs() * schedule.paired) *
                storedPart(schedule, demand);
  double ofRun = chip.simtRunCycles * (areOdd ? chip.simtOddRows : 1);
  return cycles + runs * ofRun / double(blocksAtOnce(schedule, chip));
}

/// With a split tail: whole waves, then the parts of the tiles that are left.
static double cyclesOfTail(const Schedule &schedule, const Demand &demand) {
  const CudaChip &chip = *demand.chip;
  int64_t tail = expectedTail(schedule, demand);
  int64_t parts = tail * schedule.tail.parts;
  int64_t ofEach = (tilesOf(schedule, demand) - tail) / chip.multiprocessors;
  double waves = double(ofEach) * cyclesOfPart(schedule, demand, 1);
  double sums = double(schedule.partialSize()) / chip.tailElements;
  double left = double(llvm::divideCeil(parts, chip.multiprocessors)) *
                (cyclesOfPart(schedule, demand, schedule.tail.parts) + sums);
  // The last block of a tile reads what all have left.
  double joined = chip.tailCycles + double(schedule.tail.parts) * sums;
  return chip.simtStartCycles +
         chip.tails * (waves + (parts > 0 ? left + joined : 0));
}

double simt::expectedCycles(const Schedule &schedule, const Demand &demand) {
  if (schedule.tail.parts > 1)
    return cyclesOfTail(schedule, demand);
  const CudaChip &chip = *demand.chip;
  int64_t blocks = blocksOf(schedule, demand);
  double cycles = cyclesOfPart(schedule, demand, schedule.split);
  // Partial results travel through the cluster.
  if (schedule.split > 1)
    cycles += chip.simtSplitCycles +
              double(schedule.partialSize()) / chip.simtSplitElements;
  if (schedule.split > 2)
    cycles *= chip.simtWideClusters;
  int64_t ofEach = llvm::divideCeil(blocks, chip.multiprocessors);
  // Clusters that do not get a multiprocessor for each block share some.
  if (ofEach == 1 &&
      blocks / schedule.split > chip.clustersAtOnce(schedule.split))
    ofEach = 2;
  return chip.simtStartCycles + double(ofEach) * cycles;
}

bool simt::leavesRoom(const Schedule &schedule, const Demand &demand) {
  int64_t resident = schedule.resident / schedule.tile.threads();
  return blocksOf(schedule, demand) < resident * demand.chip->multiprocessors;
}

/// The 4 warps of a wide tile alone leave a multiprocessor idle at barriers:
/// the last of three takes as long as two together. 8192x768x3072 took 1063 us,
/// with 128 x 64 783 (H100). So a multiprocessor has this many blocks or more.
static constexpr int64_t leastWideBlocks = 6;

static bool isTooFew(const Schedule &schedule, const Demand &demand) {
  return schedule.tile.isWide() &&
         tilesOf(schedule, demand) * schedule.split <
             leastWideBlocks * demand.chip->multiprocessors;
}

/// Whether threads have registers for a tile's sums.
static bool hasRegisters(const Tile &tile, const Demand &demand) {
  // The smallest tiles are for what needs more registers than there are.
  bool isSmallest = tile.quadsM * tile.quadsN == 1;
  int64_t sums = demand.paired * tile.runs() * quad * demand.bytes;
  int64_t maximum = tile.isWide() ? wideRegisterBytes : registerBytes;
  return (sums <= maximum || isSmallest) &&
         (!tile.isWide() || canBeWide(tile, demand));
}

/// Up to 3 k-blocks are all asked for at once; of more, stages beyond half of
/// them hold up the first: 96 products of 391x391x64 took 82.1 us with 4 stages
/// of 16, and 78.1 with 2; 100 of 1024x1024x64 330.7 and 318.9; but
/// 16x8104x40, 3 k-blocks, 3.4 with 4 and 3.7 with 2 (H100).
static int64_t worthStages(const Schedule &schedule, const Demand &demand) {
  int64_t kBlocks = llvm::divideCeil(longestK(demand), schedule.depth);
  return std::max<int64_t>(2, kBlocks <= 3 ? kBlocks : kBlocks / 2);
}

static int64_t stagesThatFit(const Schedule &schedule) {
  return std::min<int64_t>(ringBytes / (schedule.stageSize() * schedule.bytes),
                           4);
}

/// Threads of a multiprocessor, by the registers that they need.
static int64_t maxResident(const Tile &tile, const Demand &demand) {
  return demand.dynamicRows || tile.isWide() ? 256 : 512;
}

/// The schedule of a tile without a division of K; none when it takes too many
/// registers or too much shared memory.
static std::optional<Schedule> planOf(const Tile &tile, const Demand &demand) {
  if (!hasRegisters(tile, demand))
    return std::nullopt;
  Schedule schedule{tile, demand.paired, demand.bytes};
  if (demand.throughRegisters ||
      2 * schedule.stageSize() * schedule.bytes > ringBytes)
    schedule.depth = 8;
  schedule.resident = maxResident(tile, demand);
  schedule.tail = tailOf(1, schedule, *demand.chip);
  schedule.stages =
      std::min(stagesThatFit(schedule), worthStages(schedule, demand));
  if (schedule.stages < 2)
    return std::nullopt;
  return schedule;
}

std::optional<Schedule> simt::chooseSchedule(const Demand &demand,
                                             double *cycles) {
  std::optional<Schedule> best;
  double least = 0;
  for (const Tile &tile : tiles) {
    std::optional<Schedule> schedule = planOf(tile, demand);
    if (!schedule)
      continue;
    auto consider = [&] {
      if (isTooFew(*schedule, demand))
        return;
      double time = expectedCycles(*schedule, demand);
      if (best && time >= least)
        return;
      best = schedule;
      least = time;
    };
    for (schedule->split = 1; schedule->split <= maxSplit(demand);
         schedule->split *= 2)
      if (canSplit(*schedule, schedule->split))
        consider();
    schedule->split = 1;
    for (schedule->tail.parts = 2; schedule->tail.parts <= maxTailParts;
         ++schedule->tail.parts)
      if (canSplitTail(*schedule, demand) && hasTail(*schedule, demand))
        consider();
  }
  if (cycles)
    *cycles = least;
  return best;
}

std::optional<Schedule> simt::readSchedule(kernel::SimtScheduleAttr attribute,
                                           const Demand &demand,
                                           StringRef &rule) {
  auto refuse = [&](StringRef text) {
    rule = text;
    return std::nullopt;
  };
  const Tile *tile = llvm::find_if(tiles, [&](const Tile &each) {
    return each.m() == attribute.getTile()[0] &&
           each.n() == attribute.getTile()[1] &&
           each.threads() == attribute.getThreads();
  });
  if (tile == std::end(tiles))
    return refuse("a tile is 128x128 with 128 or 256 threads, 128x64, 64x128, "
                  "64x64, 32x64, 16x128 or 128x16 with 128");
  if (!hasRegisters(*tile, demand))
    return refuse("threads have registers for the sums of all contractions of "
                  "a tile, and 128x128 with 128 threads is for 32-bit numbers "
                  "along K without edges");
  Schedule schedule{*tile, demand.paired, demand.bytes};
  schedule.depth = attribute.getK();
  if (schedule.depth != 8 && (schedule.depth != 16 || demand.throughRegisters))
    return refuse("a k-block has 8 or 16 elements of each row, and 8 where "
                  "copies pass through registers");
  schedule.stages = attribute.getStages();
  if (schedule.stages < 2 || schedule.stages > stagesThatFit(schedule))
    return refuse("the ring has 2 to 4 stages, and 40 KB at most");
  schedule.resident = attribute.getResident();
  if (schedule.resident > maxResident(*tile, demand))
    return refuse("a multiprocessor has registers for its threads");
  schedule.split = attribute.getSplitK();
  if (!llvm::isPowerOf2_64(schedule.split) || schedule.split > maxSplit(demand))
    return refuse("K is split into 1, 2, 4 or 8 parts, where a kernel has one "
                  "group of contractions and the GPU has clusters");
  if (!canSplit(schedule, schedule.split))
    return refuse("the ring has room for the sums of a block that splits K, "
                  "whose rows are shared out evenly");
  schedule.tail = tailOf(attribute.getTailSplitK(), schedule, *demand.chip);
  if (!canSplitTail(schedule, demand))
    return refuse(
        "a tail has up to 16 parts of each tile, of 32 MB together, "
        "where blocks form no clusters and tiles are not 128x128 with "
        "128 threads");
  return schedule;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The tensor that an operand is, or is a part of.
static Value wholeOf(Value operand) {
  auto slice = operand.getDefiningOp<tensor::ExtractSliceOp>();
  return slice ? slice.getSource() : operand;
}

/// Whether numbers of an operand pass through registers.
static bool hasConversions(linalg::GenericOp op) {
  return llvm::any_of(op.getInputs(), [&](Value operand) {
    return !isa<BlockArgument>(wholeOf(operand)) ||
           elementTypeOf(operand) != elementTypeOf(op.getResult(0));
  });
}

/// Whether rows of an operand are a dynamic distance apart: multiples of it
/// stay in registers.
static bool hasDynamicRows(linalg::GenericOp op) {
  return llvm::any_of(op.getInputs(), [&](Value operand) {
    auto type = cast<RankedTensorType>(wholeOf(operand).getType());
    return type.getRank() > 1 &&
           ShapedType::isDynamicShape(type.getShape().drop_front());
  });
}

/// Whether K, loop `k`, is the contiguous side of both operands.
static bool liesAlong(linalg::GenericOp op, unsigned k) {
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    ArrayRef<AffineExpr> places =
        op.getMatchingIndexingMap(operand).getResults();
    return !places.empty() && places.back().isFunctionOfDim(k);
  });
}

Demand Demand::of(ArrayRef<ContractionGroup> groups,
                  ArrayRef<ContractionLoops> loops, const CudaChip &chip) {
  Demand demand;
  demand.chip = &chip;
  for (auto [group, of] : llvm::zip_equal(groups, loops)) {
    linalg::GenericOp op = group.ops.front();
    demand.groups.push_back({expectedExtent(op, of.batch, typicalExtent),
                             expectedExtent(op, of.m, typicalExtent),
                             expectedExtent(op, of.n, typicalExtent),
                             expectedExtent(op, of.k, typicalExtent)});
    demand.largest.push_back(
        {extentRange(op, of.batch, typicalExtent).values.hi,
         extentRange(op, of.m, typicalExtent).values.hi,
         extentRange(op, of.n, typicalExtent).values.hi,
         extentRange(op, of.k, typicalExtent).values.hi});
    demand.paired = std::max<int64_t>(demand.paired, group.ops.size());
    Type type = elementTypeOf(op.getResult(0));
    int64_t bytes = type.getIntOrFloatBitWidth() / 8;
    if (bytes > demand.bytes) {
      demand.bytes = bytes;
      demand.widest = type;
    }
    demand.throughRegisters |= llvm::any_of(group.ops, hasConversions);
    demand.dynamicRows |= llvm::any_of(group.ops, hasDynamicRows);
    demand.dynamicSizes |= op.hasDynamicShape();
    demand.dynamicColumns |= llvm::any_of(of.n, [&](unsigned loop) {
      return ShapedType::isDynamic(op.getStaticLoopRanges()[loop]);
    });
    demand.isAlongK &= llvm::all_of(group.ops, [&, &of = of](auto each) {
      return !of.k.empty() && liesAlong(each, of.k.back());
    });
  }
  return demand;
}
