//===- MmaSchedule.cpp - When and how mma.sync is used --------------------===//

#include "Codegen/CUDA/Contractions/Mma.h"
#include "Codegen/Emit/KernelSizes.h"

#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

/// Tiles with 128 results in a thread leave room for one block, those with 64
/// for two blocks of 256 threads. A warp's rows and columns are powers of two.
static constexpr Tile tiles[] = {
    {2, 4, 4, 8, 1, 0}, // 128 x 256, 256 threads
    {2, 4, 4, 4, 2, 1}, // 128 x 128
    {1, 4, 4, 4, 3, 2}, // 64 x 128, 128 threads
    {2, 2, 4, 4, 3, 2}, // 128 x 64
    {2, 2, 2, 4, 4, 3}, // 64 x 64
    {2, 2, 1, 4, 6, 4}, // 32 x 64
    {1, 4, 1, 4, 6, 4}, // 16 x 128
};

/// K-blocks in the ring.
static constexpr int64_t minStages = 3, maxStages = 5;
/// Part of the memory that rings and the L1 cache share which is the cache's,
/// where rows along K begin within lines: the next k-block reads the rest of a
/// line. 48 x 1500x64x1500 takes 98 us with a third, 112 with a fifth, and 136
/// with next to nothing (bench/results/notes-gemm.md, 40).
static constexpr double cacheShare = 1.0 / 3;
/// Pieces of the next k-block that a thread keeps in registers at most: in
/// words, and element by element.
static constexpr int64_t maxHeld = 6, maxHeldElements = 4;

/// What the instruction multiplies in `op`; none when it is not for it.
static std::optional<ElementType> elementTypeFor(linalg::GenericOp op,
                                                 const CudaChip &chip) {
  Type sum = elementTypeOf(op.getResult(0));
  if (!chip.hasMma() || op.getNumDpsInputs() != 2 ||
      !(sum.isF32() || sum.isInteger(32)))
    return std::nullopt;
  for (Value input : op.getInputs())
    if (!isa<RankedTensorType>(input.getType()))
      return std::nullopt;
  Type element = elementTypeOf(op.getInputs()[0]);
  if (element != elementTypeOf(op.getInputs()[1]))
    return std::nullopt;
  if (sum.isInteger(32))
    return element.isSignlessInteger(8) ? std::optional(ElementType::S8)
                                        : std::nullopt;
  if (element.isF16())
    return ElementType::F16;
  if (element.isBF16())
    return ElementType::BF16;
  if (element.isF32())
    return op->hasAttr(allowTF32AttrName) ? ElementType::TF32
                                          : ElementType::F32;
  if (isFloat8(element) && chip.hasMmaOfF8())
    return isa<Float8E4M3FNType>(element) ? ElementType::E4M3
                                          : ElementType::E5M2;
  return std::nullopt;
}

/// Cycles of a multiprocessor for one block, without those in which it waits.
static double cyclesOf(const Tile &tile, const Extent &of,
                       const CudaChip &chip) {
  double m = tile.m(), n = tile.n(), bytes = of.bytes;
  double products =
      m * n * bytes / 2 * double(of.instructions) / double(chip.products);
  double warps = double(tile.threads()) / 32;
  double reads = warps * double(tile.warpM() + tile.warpN()) + m + n;
  double shared = reads * bytes / chip.sharedRate;
  double cache = (m + n) * bytes / chip.mmaL2Bytes;
  // What is not the limit is not hidden completely.
  double cycles = 0.8 * std::max({products, shared, cache}) +
                  0.2 * (products + shared + cache);
  // Storing what was computed.
  return double(of.k) * cycles + m * n / chip.mmaStoredElements;
}

/// Columns of a tile's part for each of the contractions side by side.
static int64_t columnsOf(const Tile &tile, const Extent &of) {
  return tile.n() / tile.fragmentsN * (tile.fragmentsN / of.parts);
}

static int64_t tilesOf(const Tile &tile, const Extent &of) {
  return countTiles(of.batch, llvm::divideCeil(of.m, tile.m()),
                    llvm::divideCeil(of.n, columnsOf(tile, of)));
}

/// Tiles of all groups that are left behind whole waves, as far as is known.
static int64_t expectedTail(const Schedule &schedule, const Problem &problem) {
  int64_t tiles = 0;
  for (const Extent &of : problem.extents)
    tiles += schedule.tail.left(tilesOf(schedule.tile, of));
  return tiles;
}

int64_t Problem::tailTiles(const Schedule &schedule) const {
  if (!dynamicSizes)
    return std::max<int64_t>(1, expectedTail(schedule, *this));
  int64_t tiles = 0;
  for (const Extent &of : largest)
    tiles += schedule.tail.maxLeft(tilesOf(schedule.tile, of));
  return tiles;
}

/// `blocks` that have one of `parts` of K each. None overtakes the others.
static double timeOfBlocks(double blocks, int64_t parts,
                           const Schedule &schedule, const Problem &problem,
                           double kBlockCycles) {
  const CudaChip &chip = problem.chip;
  double cycles = 0, waiting = 0;
  for (const Extent &of : problem.extents) {
    Extent part(of);
    part.k = llvm::divideCeil(of.k, parts);
    cycles = std::max(cycles, cyclesOf(schedule.tile, part, chip));
    double kBlocks =
        double(llvm::divideCeil(part.k * of.bytes, schedule.rowBytes));
    waiting = std::max(waiting, kBlocks * kBlockCycles + chip.mmaStartCycles);
  }
  double cards = double(chip.multiprocessors);
  return std::max(std::ceil(blocks / cards) * cycles,
                  std::ceil(blocks / cards / double(schedule.resident)) *
                      std::max(waiting, cycles));
}

/// K in bytes from which on, and tiles of 64 x 64 of a multiprocessor between
/// which, short copies are what a product takes its time for: blocks are too
/// few to hide each other's, and small tiles are enough for all
/// multiprocessors. They copy k-blocks of 128 bytes of a row, which pass faster
/// than those of 64. 8 x 1500x64x1500, f16: 18.7 us with tiles of 32x64 and
/// such k-blocks, 37.4 with 128x64 and 64 bytes; 24 and 59 of them are as fast
/// with 128x64 (bench/results/notes-gemm.md, 45).
static constexpr int64_t longK = 2048, minTiles = 1, maxTiles = 2;

static bool isFewAndLong(const Problem &problem) {
  if (problem.dynamicSizes || problem.shortKBlocks || problem.hasF32() ||
      problem.shortCopies == std::array<int64_t, 2>())
    return false;
  const Tile *square = llvm::find_if(
      tiles, [](const Tile &tile) { return tile.m() == 64 && tile.n() == 64; });
  int64_t count = 0;
  for (const Extent &of : problem.extents) {
    if (of.k * of.bytes < longK || of.parts > square->fragmentsN)
      return false;
    count += tilesOf(*square, of);
  }
  return count >= minTiles * problem.chip.multiprocessors &&
         count <= maxTiles * problem.chip.multiprocessors;
}

/// Cycles in which short copies bring the operands of `blocks` that run at the
/// same time.
static double copyCycles(double blocks, const Schedule &schedule,
                         const Problem &problem) {
  const CudaChip &chip = problem.chip;
  double cycles = 0;
  for (const Extent &of : problem.extents) {
    auto cyclesOf = [&](int64_t rows, int64_t copied) {
      double rate = chip.mmaWordBytes * double(copied) / 4;
      return copied == 0 ? 0 : double(rows * of.k * of.bytes) / rate;
    };
    cycles = std::max(cycles,
                      cyclesOf(schedule.tile.m(), problem.shortCopies[0]) +
                          cyclesOf(schedule.tile.n(), problem.shortCopies[1]));
  }
  return std::ceil(blocks / double(chip.multiprocessors)) * cycles;
}

static double timeOf(const Schedule &schedule, const Problem &problem,
                     double kBlockCycles) {
  const CudaChip &chip = problem.chip;
  int64_t tiles = 0;
  for (const Extent &of : problem.extents)
    tiles += tilesOf(schedule.tile, of);
  if (problem.hasF32())
    return cyclesOfF32(schedule, tiles, expectedTail(schedule, problem),
                       problem);
  if (schedule.tail.parts == 1) {
    double time =
        timeOfBlocks(double(tiles), 1, schedule, problem, kBlockCycles);
    return isFewAndLong(problem)
               ? std::max(time, copyCycles(double(tiles), schedule, problem))
               : time;
  }
  int64_t tail = expectedTail(schedule, problem), parts = schedule.tail.parts;
  double whole = tiles == tail ? 0
                               : timeOfBlocks(double(tiles - tail), 1, schedule,
                                              problem, kBlockCycles);
  double left = timeOfBlocks(double(tail * parts), parts, schedule, problem,
                             kBlockCycles);
  // Each block leaves its sums, and the last one of a tile reads them all.
  double sums =
      double(schedule.tile.m() * schedule.tile.n()) / chip.tailElements;
  double blocks =
      std::ceil(double(tail * parts) / double(chip.multiprocessors));
  return chip.tails * (whole + left + blocks * sums) + chip.tailCycles +
         double(parts) * sums;
}

/// The rule that a tile breaks.
static StringRef brokenRule(const Tile &tile, const Problem &problem) {
  for (const Extent &of : problem.extents)
    if (of.parts > tile.fragmentsN)
      return "a warp of the tile has 8 columns or more of each contraction";
  int64_t pieces = (tile.m() + tile.n()) * 64 / pieceBytes / tile.threads();
  int64_t most = problem.byElements ? maxHeldElements : maxHeld;
  if (problem.hasF32() && tile.residentF32 == 0)
    return "threads have registers for both parts of f32";
  if (problem.shortKBlocks && (tile.resident == 1 || pieces > most))
    return "threads have registers for copies that pass through them";
  return {};
}

/// Blocks of a multiprocessor at most. Copies in words take a register for
/// each: threads with 128 registers, and 64 results, have none left.
static int64_t maxResident(const Tile &tile, const Problem &problem) {
  constexpr int64_t maxInWords = 4, maxThreads = 128;
  if (problem.hasF32())
    return tile.residentF32;
  if (problem.byElements ||
      (problem.shortKBlocks && tile.threads() > maxThreads))
    return tile.resident / 2;
  return problem.shortKBlocks ? std::min(tile.resident, maxInWords)
                              : tile.resident;
}

/// Stages of the ring, of which `one` has one.
static int64_t stagesThatFit(const Schedule &one, const CudaChip &chip) {
  int64_t room = std::min(chip.sharedBytes / one.resident - chip.reservedBytes,
                          chip.blockSharedBytes);
  if (one.tail.parts > 1)
    room -= tailSharedBytes;
  return room / one.sharedBytes();
}

static TailSplit tailOf(int64_t parts, const Schedule &schedule,
                        const CudaChip &chip) {
  // Sums have 4 bytes.
  int64_t partBytes = schedule.tile.m() * schedule.tile.n() * 4;
  return {parts, chip.multiprocessors * schedule.resident, partBytes};
}

static bool canSplitTail(const Schedule &schedule, const Problem &problem) {
  return schedule.tail.isLegal(problem.tailTiles(schedule));
}

static bool hasRoomForTail(const Schedule &schedule, const CudaChip &chip) {
  Schedule one(schedule);
  one.stages = 1;
  return schedule.stages <= stagesThatFit(one, chip);
}

/// Whether there is a tail whose K is long enough.
static bool hasTail(const Schedule &schedule, const Problem &problem) {
  const Extent &of = problem.extents.front();
  return expectedTail(schedule, problem) > 0 &&
         schedule.tail.parts * leastTailKBlocks * schedule.rowBytes <=
             of.k * of.bytes;
}

/// Stages that leave the cache its part.
static int64_t stagesBesideCache(const Schedule &one, const CudaChip &chip) {
  return int64_t(double(chip.sharedBytes) * (1 - cacheShare) /
                 double(one.resident * one.sharedBytes()));
}

/// Blocks of a multiprocessor: as many as it has room for, or as all tiles need
/// if their rings are to have longer k-blocks.
static int64_t residentOf(const Tile &tile, const Problem &problem) {
  int64_t most = maxResident(tile, problem), count = 0;
  for (const Extent &of : problem.extents)
    count += tilesOf(tile, of);
  int64_t needed = llvm::divideCeil(count, problem.chip.multiprocessors);
  return isFewAndLong(problem) ? std::clamp<int64_t>(needed, 1, most) : most;
}

/// Stages of f32 that wait for memory, and results of the largest tiles whose
/// k-blocks may have 128 bytes of a row: larger ones take 1.15 times as long
/// with these (bench/results/notes-gemm.md, 53).
static constexpr int64_t maxStagesF32 = 6, maxResultsOfLong = 4096;

/// The schedules of a tile that the model chooses from; none when it breaks a
/// rule, or the ring has no room.
static SmallVector<Schedule> plansOf(const Tile &tile, const Problem &problem) {
  if (!brokenRule(tile, problem).empty())
    return {};
  int64_t resident = residentOf(tile, problem);
  // What lies behind the end of K is filled with zeros, piece by piece.
  bool isShort = llvm::all_of(
      problem.extents, [](const Extent &of) { return of.k * of.bytes <= 64; });
  SmallVector<Schedule> plans;
  for (int64_t rowBytes : {128, 64}) {
    Schedule schedule{tile, resident, rowBytes, 1};
    bool isLong = rowBytes > 64, isF32 = problem.hasF32();
    if (isLong && (isShort || problem.shortKBlocks ||
                   (isF32 && tile.m() * tile.n() > maxResultsOfLong)))
      continue;
    int64_t fit = stagesThatFit(schedule, problem.chip);
    int64_t stages = std::min(fit, isF32 ? maxStagesF32 : maxStages);
    int64_t besideCache = problem.readsThroughCache && !isF32
                              ? stagesBesideCache(schedule, problem.chip)
                              : stages;
    if (stages < minStages || (isLong && besideCache < minStages))
      continue;
    schedule.stages = std::clamp(besideCache, minStages, stages);
    plans.push_back(schedule);
    if (!isF32)
      break;
    // The model says what stages are worth; of the same, the least.
    while (--schedule.stages >= minStages)
      plans.push_back(schedule);
  }
  return plans;
}

/// Blocks of a multiprocessor from which on their padded rings would leave too
/// little to the L1 cache, where copies pass through it.
static constexpr int64_t maxBesideCache = 2;

int64_t mma::sharedBytes(const Schedule &schedule, const Problem &problem) {
  const CudaChip &chip = problem.chip;
  uint64_t blocks = problem.tailTiles(schedule) * (schedule.tail.parts - 1);
  for (const Extent &of :
       problem.dynamicSizes ? problem.largest : problem.extents)
    blocks = llvm::SaturatingAdd<uint64_t>(blocks, tilesOf(schedule.tile, of));
  uint64_t cards = chip.multiprocessors;
  auto needed = static_cast<int64_t>(llvm::divideCeil(blocks, cards));
  // Code for any card of an architecture runs on cards with other numbers of
  // multiprocessors and less shared memory.
  if (!chip.isSpecific || needed == 0 || needed >= schedule.resident ||
      (problem.readsThroughCache && needed > maxBesideCache))
    return schedule.sharedBytes();
  int64_t more = chip.sharedBytes / (needed + 1) + pieceBytes;
  return std::max(schedule.sharedBytes(),
                  std::min<int64_t>(llvm::alignDown(more, pieceBytes),
                                    chip.blockSharedBytes));
}

double mma::expectedCycles(const Schedule &schedule, const Problem &problem) {
  const CudaChip &chip = problem.chip;
  return timeOf(schedule, problem,
                problem.shortKBlocks ? chip.mmaRegisterKBlockCycles
                                     : chip.mmaKBlockCycles);
}

/// Cycles of a schedule; where all tiles wait for memory as long, the work
/// decides, and then that of a block, and then shared memory.
static auto keyOf(const Schedule &schedule, const Problem &problem) {
  double block = 0;
  for (const Extent &of : problem.extents)
    block = std::max(block, cyclesOf(schedule.tile, of, problem.chip));
  double work = timeOf(schedule, problem, problem.chip.mmaKBlockCycles);
  double time = problem.byElements ? work : expectedCycles(schedule, problem);
  return std::tuple(time, work, block, schedule.sharedBytes());
}

std::optional<Schedule> mma::chooseSchedule(const Problem &problem,
                                            TileSize asked, double *cycles) {
  std::optional<Schedule> best;
  std::tuple<double, double, double, int64_t> least;
  bool isAsked = llvm::any_of(tiles, [&](const Tile &tile) {
    return tile.m() == asked.m && tile.n() == asked.n &&
           !plansOf(tile, problem).empty();
  });
  for (const Tile &tile : tiles) {
    if (isAsked && (tile.m() != asked.m || tile.n() != asked.n))
      continue;
    int64_t maxParts = isAsked || isFewAndLong(problem) ? 1 : maxTailParts;
    for (Schedule schedule : plansOf(tile, problem))
      for (int64_t parts = 1; parts <= maxParts; ++parts) {
        schedule.tail = tailOf(parts, schedule, problem.chip);
        if (parts > 1 &&
            (!canSplitTail(schedule, problem) || !hasTail(schedule, problem) ||
             !hasRoomForTail(schedule, problem.chip)))
          continue;
        auto key = keyOf(schedule, problem);
        if (best && key >= least)
          continue;
        best = schedule;
        least = key;
      }
  }
  if (cycles && best)
    *cycles = expectedCycles(*best, problem);
  return best;
}

std::optional<Schedule> mma::readSchedule(kernel::MmaScheduleAttr attribute,
                                          const Problem &problem,
                                          StringRef &rule) {
  const Tile *tile = llvm::find_if(tiles, [&](const Tile &each) {
    return each.m() == attribute.getTile()[0] &&
           each.n() == attribute.getTile()[1];
  });
  auto refuse = [&](StringRef text) {
    rule = text;
    return std::nullopt;
  };
  if (tile == std::end(tiles))
    return refuse("a tile is 128x256, 128x128, 64x128, 128x64, 64x64, 32x64 or "
                  "16x128");
  if (StringRef broken = brokenRule(*tile, problem); !broken.empty())
    return refuse(broken);
  if (attribute.getResident() > maxResident(*tile, problem))
    return refuse("a multiprocessor has registers for its blocks");
  if (attribute.getKBytes() != 64 &&
      (attribute.getKBytes() != 128 || problem.shortKBlocks))
    return refuse("a k-block has 64 or 128 bytes of each row, and 64 where "
                  "copies pass through registers");
  Schedule schedule{*tile, attribute.getResident(), attribute.getKBytes(), 1};
  schedule.tail = tailOf(attribute.getTailSplitK(), schedule, problem.chip);
  if (attribute.getStages() < 2)
    return refuse("the ring has 2 stages or more");
  if (attribute.getStages() > stagesThatFit(schedule, problem.chip))
    return refuse("shared memory has room for the rings of all blocks of a "
                  "multiprocessor");
  schedule.stages = attribute.getStages();
  if (!canSplitTail(schedule, problem))
    return refuse("a tail has up to 16 parts of each tile, of 32 MB together");
  return schedule;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// How k-blocks of an operand come to shared memory: in pieces of 16 bytes past
/// the L1 cache, in shorter ones through it, and through registers.
enum class Copies : uint8_t { PastCache, ThroughCache, InWords, ByElements };
} // namespace

/// The tensor that an operand is or is a part of.
static Value inMemory(OpOperand &operand) {
  auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
  return slice ? slice.getSource() : operand.get();
}

/// How those of `operand` do, at a guess: through registers come parts of rows
/// that are aligned to less than 4 bytes, what is not in memory, and bytes
/// across K, which no instruction transposes.
static Copies copiesOf(linalg::GenericOp op, OpOperand &operand,
                       const ContractionLoops &loops, ElementType elementType) {
  Value tensor = inMemory(operand);
  auto type = cast<RankedTensorType>(tensor.getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!isa<BlockArgument>(tensor) || map.getNumResults() == 0)
    return Copies::ByElements;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  bool isAlongK = last && llvm::is_contained(loops.k, last.getPosition());
  int64_t inner = type.getShape().back(), bytes = bytesOf(elementType);
  if (ShapedType::isStatic(inner) && inner * bytes % 4 == 0 &&
      (bytes > 1 || isAlongK))
    return inner * bytes % 16 == 0 || !isAlongK ? Copies::PastCache
                                                : Copies::ThroughCache;
  ArrayRef<unsigned> outer =
      operand.getOperandNumber() == 0 ? loops.m : loops.n;
  bool isContiguous = last && (last.getPosition() == loops.k.back() ||
                               last.getPosition() == outer.back());
  bool isPlain = map.isProjectedPermutation() && isContiguous &&
                 isa<BlockArgument>(operand.get());
  return bytes == 2 && isPlain ? Copies::InWords : Copies::ByElements;
}

/// Bytes of the copies of an operand past the registers; 0: 16.
static int64_t shortCopyBytes(OpOperand &operand, ElementType elementType) {
  auto type = cast<RankedTensorType>(inMemory(operand).getType());
  assert(!ShapedType::isDynamic(type.getShape().back()) &&
         "copies are as wide as every row allows");
  int64_t rowBytes = type.getShape().back() * bytesOf(elementType);
  return rowBytes % 16 == 0 ? 0 : rowBytes % 8 == 0 ? 8 : 4;
}

std::optional<Problem> Problem::find(ArrayRef<ContractionGroup> groups,
                                     ArrayRef<ContractionLoops> loops,
                                     const CudaChip &chip) {
  Problem problem(chip);
  for (auto [group, of] : llvm::zip_equal(groups, loops)) {
    linalg::GenericOp op = group.ops.front();
    std::optional<ElementType> elementType = elementTypeFor(op, chip);
    // All of a group have one A, and B of its type.
    bool isOne = llvm::all_of(group.ops, [&](linalg::GenericOp other) {
      return elementTypeFor(other, chip) == elementType;
    });
    if (!elementType || !isOne || of.m.empty() || of.n.empty() || of.k.empty())
      return std::nullopt;
    for (linalg::GenericOp other : group.ops)
      for (OpOperand &operand : other->getOpOperands().take_front(2)) {
        Copies copies = copiesOf(other, operand, of, *elementType);
        problem.readsThroughCache |= copies != Copies::PastCache;
        // Of 16-bit elements across K, those that are short are not the limit.
        if (copies == Copies::ThroughCache ||
            (copies == Copies::PastCache && elementType == ElementType::F32))
          problem.shortCopies[operand.getOperandNumber()] =
              shortCopyBytes(operand, *elementType);
        problem.shortKBlocks |=
            copies == Copies::InWords || copies == Copies::ByElements;
        problem.byElements |= copies == Copies::ByElements;
      }
    problem.dynamicSizes |= op.hasDynamicShape();
    problem.elementTypes.push_back(*elementType);
    problem.extents.push_back({expectedExtent(op, of.batch, typicalExtent),
                               expectedExtent(op, of.m, typicalExtent),
                               expectedExtent(op, of.n, typicalExtent),
                               expectedExtent(op, of.k, typicalExtent),
                               int64_t(group.ops.size()), bytesOf(*elementType),
                               instructionsOf(*elementType)});
    problem.largest.push_back(
        {extentRange(op, of.batch, typicalExtent).values.hi,
         extentRange(op, of.m, typicalExtent).values.hi,
         extentRange(op, of.n, typicalExtent).values.hi,
         extentRange(op, of.k, typicalExtent).values.hi,
         int64_t(group.ops.size()), bytesOf(*elementType),
         instructionsOf(*elementType)});
  }
  return problem;
}
