//===- SimtSchedule.cpp - Tiles of contractions on CUDA cores -------------===//

#include "Codegen/CUDA/Contractions/SimtGemm.h"

#include "llvm/Support/MathExtras.h"

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

/// Cycles that a multiprocessor takes for one block with `k` values of K.
static double cyclesOf(const Tile &tile, int64_t paired, int64_t k,
                       const CudaChip &chip) {
  double warps = double(tile.threads()) / 32;
  double quads = double(tile.quadsN) * paired, reads = tile.quadsM + quads;
  // Instructions of a warp for one k, counted in the machine code: products,
  // reads of shared memory, copies. A scheduler issues one a cycle.
  double issued = 16 * tile.quadsM * quads + 1.05 * reads + 3.4;
  // Shared memory takes 2 cycles for a quad of each lane.
  double schedulers = double(chip.schedulers);
  double cycles = std::max(issued * std::max(warps, schedulers) / schedulers,
                           2 * reads * warps);
  // The first k-blocks, and storing what was computed.
  return k * cycles + chip.simtStartCycles +
         chip.simtRunCycles * tile.runs() * paired;
}

/// Blocks of a cluster can share K when their partial results fit the ring and
/// can be divided among them.
static bool canSplit(const Schedule &schedule, int64_t split) {
  return split == 1 || (schedule.partialSize() <= schedule.ringSize() &&
                        schedule.tile.runs() % split == 0);
}

static std::optional<double> timeOf(const Schedule &schedule,
                                    const Demand &demand) {
  const CudaChip &chip = *demand.chip;
  int64_t blocks = 0, k = 0;
  for (const Extent &extent : demand.groups) {
    blocks += extent.batch * llvm::divideCeil(extent.m, schedule.tile.m()) *
              llvm::divideCeil(extent.n, schedule.tile.n()) * schedule.split;
    k = std::max<int64_t>(k, extent.k);
  }
  // The 4 warps of a wide tile alone leave a multiprocessor idle at barriers.
  if (schedule.tile.isWide() && blocks <= chip.multiprocessors)
    return std::nullopt;
  int64_t kBlocks =
      llvm::divideCeil(llvm::divideCeil(k, schedule.depth), schedule.split);
  double waves = double(llvm::divideCeil(blocks, chip.multiprocessors));
  double cycles =
      cyclesOf(schedule.tile, schedule.paired, kBlocks * schedule.depth, chip);
  // Partial results travel through the cluster.
  if (schedule.split > 1)
    cycles += chip.simtSplitCycles +
              double(schedule.partialSize()) / chip.simtSplitElements;
  return waves * cycles;
}

/// The schedule of a tile without a division of K; none when it takes too many
/// registers or too much shared memory.
static std::optional<Schedule> planOf(const Tile &tile, const Demand &demand) {
  Schedule schedule{tile, demand.paired, demand.bytes};
  // The smallest tiles are for what needs more registers than there are.
  bool isSmallest = tile.quadsM * tile.quadsN == 1;
  int64_t sums = demand.paired * tile.runs() * quad * demand.bytes;
  int64_t maximum = tile.isWide() ? wideRegisterBytes : registerBytes;
  if ((sums > maximum && !isSmallest) ||
      (tile.isWide() && !canBeWide(tile, demand)))
    return std::nullopt;
  if (demand.throughRegisters ||
      2 * schedule.stageSize() * schedule.bytes > ringBytes)
    schedule.depth = 8;
  if (demand.dynamicRows || tile.isWide())
    schedule.resident = 256;
  schedule.stages =
      std::min<int64_t>(ringBytes / (schedule.stageSize() * schedule.bytes), 4);
  if (schedule.stages < 2)
    return std::nullopt;
  return schedule;
}

std::optional<Schedule>
tripy::codegen::simt::chooseSchedule(const Demand &demand) {
  std::optional<Schedule> best;
  double least = 0;
  for (const Tile &tile : tiles) {
    std::optional<Schedule> schedule = planOf(tile, demand);
    if (!schedule)
      continue;
    // All groups of a kernel have one cluster size; one cut of K suits one.
    int64_t maximum = demand.hasClusters && demand.groups.size() == 1 ? 8 : 1;
    for (schedule->split = 1; schedule->split <= maximum;
         schedule->split *= 2) {
      if (!canSplit(*schedule, schedule->split))
        continue;
      std::optional<double> time = timeOf(*schedule, demand);
      if (!time || (best && *time >= least))
        continue;
      best = schedule;
      least = *time;
    }
  }
  return best;
}
