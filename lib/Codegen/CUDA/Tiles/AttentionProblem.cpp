//===- AttentionProblem.cpp - Which attention becomes tiles, and how ------===//

#include "AttentionTiles.h"

#include "tripy/Codegen/AttentionCosts.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::tiles;

std::optional<AttentionSchedule> tiles::parseAttentionTile(StringRef text) {
  AttentionSchedule schedule;
  auto [queries, keys] = text.split('x');
  if (queries.getAsInteger(10, schedule.queries) ||
      keys.getAsInteger(10, schedule.keys))
    return std::nullopt;
  if (schedule.queries == 192) {
    schedule.producerRegisters = 32;
    schedule.consumerRegisters = 160;
  }
  return schedule.brokenRule() ? std::nullopt : std::optional(schedule);
}

/// Columns in shared memory: whole panels of 128 or 64 bytes; TMA fills them up
/// with zeros.
static int64_t paddedColumns(int64_t columns) {
  return llvm::alignTo(columns, 32);
}

int64_t tiles::boxColumns(int64_t padded) { return padded % 64 == 0 ? 64 : 32; }

/// Whether strides are multiples of 16 bytes, and one column follows the other.
static bool suitsTMA(const StridedOperand &operand) {
  auto one = dyn_cast<AffineConstantExpr>(operand.strides.back());
  if (!one || one.getValue() != 1 || operand.offsets.back() % 8 != 0)
    return false;
  return llvm::all_of(ArrayRef(operand.strides).drop_back(),
                      [](AffineExpr stride) { return stride.isMultipleOf(8); });
}

std::optional<AttentionProblem> AttentionProblem::find(KernelEmission &e,
                                                       const CudaChip &chip,
                                                       std::string &why) {
  auto refuse = [&](StringRef reason) {
    why = reason;
    return std::nullopt;
  };
  AttentionProblem problem;
  problem.op = e.attention();
  if (!problem.op || !chip.hasWgmma())
    return refuse("the GPU has no wgmma");
  auto query = cast<RankedTensorType>(problem.op.getQuery().getType());
  auto value = cast<RankedTensorType>(problem.op.getValue().getType());
  auto key = cast<RankedTensorType>(problem.op.getKey().getType());
  if (!query.getElementType().isF16() && !query.getElementType().isBF16())
    return refuse("elements are not of 16 bits");
  if (problem.op.getLengths())
    return refuse("lengths are in memory");
  int64_t depth = query.getShape().back(), width = value.getShape().back();
  if (depth % 8 != 0 || width % 8 != 0 || depth > 256 || width > 256)
    return refuse("the head size is no multiple of 8");
  problem.depth = paddedColumns(depth);
  problem.width = paddedColumns(width);
  problem.batchRank = query.getRank() - 3;
  if (problem.batchRank > 2)
    return refuse("there are more than two batch dimensions");
  if (key.getDimSize(key.getRank() - 2) == 0)
    return refuse("there are no keys");
  for (auto [operand, tensor] :
       {std::pair(&problem.query, problem.op.getQuery()),
        std::pair(&problem.key, problem.op.getKey()),
        std::pair(&problem.value, problem.op.getValue())}) {
    std::optional<StridedOperand> found = StridedOperand::find(e, tensor);
    if (!found)
      return refuse("an operand is computed in the kernel");
    if (!suitsTMA(*found))
      return refuse("rows of an operand are no multiples of 16 bytes apart");
    *operand = *found;
  }
  return problem;
}

int64_t AttentionProblem::sharedBytes(const AttentionSchedule &schedule) const {
  int64_t bytes = schedule.queryStages * schedule.queries * depth * 2 +
                  schedule.stages * schedule.keys * (depth + width) * 2;
  int64_t stages = schedule.queryStages + 2 * schedule.stages;
  return bytes + stages * 2 * tile::barrierBytes;
}

/// Registers of a consumer's thread beside fragments: addresses, positions,
/// rows.
static constexpr int64_t otherRegisters = 32;

/// Scores, half as many words of powers, sums.
int64_t
AttentionProblem::registersNeeded(const AttentionSchedule &schedule) const {
  return schedule.keys / 2 + schedule.keys / 4 + width / 2 + otherRegisters;
}

std::optional<std::string> AttentionSchedule::brokenRule() const {
  if (queries % 64 != 0 || queries < 64 || queries > 192)
    return "a tile has 64, 128 or 192 queries";
  if (keys % 16 != 0 || keys < 16 || keys > 256)
    return "keys are a multiple of 16 up to 256";
  if (stages < 2 || stages > 16 || queryStages < 1 || queryStages > 2)
    return "there are 2 to 16 stages of keys, and 1 or 2 of queries";
  for (int64_t registers : {producerRegisters, consumerRegisters})
    if (registers < 24 || registers > 240 || registers % 8 != 0)
      return "a role's threads have a multiple of 8 registers, 24 to 240";
  int64_t groups = 1 + consumers();
  if (producerRegisters + consumers() * consumerRegisters >
      groups * tile::registersOfThread(groups * tile::groupThreads))
    return "all roles together have at most the registers that a block begins "
           "with";
  return std::nullopt;
}

std::optional<std::string>
AttentionProblem::whyNot(const AttentionSchedule &schedule,
                         const CudaChip &chip) const {
  if (std::optional<std::string> rule = schedule.brokenRule())
    return rule;
  if (sharedBytes(schedule) + chip.reservedBytes > chip.sharedBytes)
    return "its stages do not fit in shared memory";
  if (registersNeeded(schedule) > schedule.consumerRegisters)
    return "a consumer has too few registers for its scores and accumulators";
  return std::nullopt;
}

void AttentionProblem::refine(AttentionSchedule &schedule,
                              const CudaChip &chip) const {
  auto fits = [&](const AttentionSchedule &other) {
    return sharedBytes(other) + chip.reservedBytes <= chip.sharedBytes;
  };
  AttentionSchedule more = schedule;
  more.queryStages = 2;
  if (fits(more))
    schedule = more;
  more = schedule;
  more.stages = 3;
  if (fits(more))
    schedule = more;
  // A block of 384 threads has 168 registers for each. Half of what is moved
  // stays in reserve.
  for (int64_t moved : {16, 8})
    if (schedule.consumers() <= 2 && registersNeeded(schedule) + moved / 2 <=
                                         schedule.consumerRegisters - moved) {
      schedule.consumerRegisters -= moved;
      schedule.producerRegisters += 2 * moved;
      return;
    }
}

/// Queries of 192 that tiles have for every 100 that there are: three consumers
/// hide more of each other's exponentials, but not that much.
static constexpr int64_t maxPercent = 105;

/// The tiles of FlashAttention-3, where registers and memory have room for
/// them: for small heads 192 queries, for heads of 128 and many keys 176 of
/// them.
AttentionSchedule AttentionProblem::usual(const CudaChip &chip) const {
  AttentionSchedule schedule;
  auto sizeOf = [](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return type.getDimSize(type.getRank() - 2);
  };
  int64_t queries = sizeOf(op.getQuery()), keys = sizeOf(op.getKey());
  if (!ShapedType::isDynamic(queries) && queries <= 64)
    schedule.queries = 64;
  AttentionSchedule three = *parseAttentionTile("192x128");
  if (!ShapedType::isDynamic(queries) && depth <= 64 && width <= 64 &&
      int64_t(llvm::alignTo(queries, three.queries)) * 100 <=
          queries * maxPercent)
    schedule = three;
  if (ShapedType::isDynamic(keys))
    return fitted(schedule, chip);
  auto costOf = [&](int64_t block) {
    return llvm::divideCeil(keys, block) * (block + chip.attentionKeys);
  };
  AttentionSchedule wide = schedule;
  wide.keys = 176;
  // A mask cuts larger blocks more often. Less than a hundredth is no reason.
  if (!op.isBanded() && depth > 64 && !whyNot(wide, chip) &&
      costOf(176) * 100 < costOf(schedule.keys) * 99)
    return wide;
  schedule.keys =
      std::min<int64_t>(schedule.keys, llvm::alignTo(keys, int64_t(16)));
  return fitted(schedule, chip);
}

/// Tiles that may be faster than the usual one, and the share of its cycles
/// that they are taken for: the model is no better than that.
static constexpr StringRef otherTiles[] = {
    "64x64",   "64x96",   "64x128", "64x176", "128x64", "128x80",
    "128x128", "128x176", "192x64", "192x96", "192x128"};
static constexpr double otherShare = 0.92;
/// Queries of all heads whose tiles are counted to compare them, where a causal
/// mask makes them different.
static constexpr int64_t maxCausalQueries = int64_t(1) << 21;

AttentionSchedule AttentionProblem::choose(const CudaChip &chip) const {
  AttentionSchedule best = usual(chip);
  std::optional<Sizes> sizes = known();
  if (!sizes ||
      (isCausal() && sizes->heads * sizes->queries > maxCausalQueries))
    return best;
  double least = cycles(best, *sizes, chip) * otherShare;
  for (StringRef text : otherTiles) {
    AttentionSchedule other = *parseAttentionTile(text);
    if (whyNot(other, chip))
      continue;
    double cost = cycles(other, *sizes, chip);
    if (cost >= least)
      continue;
    least = cost;
    best = other;
  }
  return best;
}

/// With as many keys as are legal.
AttentionSchedule AttentionProblem::fitted(AttentionSchedule schedule,
                                           const CudaChip &chip) const {
  while (schedule.keys > 16 && whyNot(schedule, chip))
    schedule.keys -= 16;
  return schedule;
}

//===----------------------------------------------------------------------===//
// What tiles cost
//===----------------------------------------------------------------------===//

std::optional<AttentionProblem::Sizes> AttentionProblem::known() const {
  Sizes sizes{1, 0, 0};
  auto read = [](AffineExpr size, int64_t &to) {
    auto constant = dyn_cast<AffineConstantExpr>(size);
    to = constant ? constant.getValue() : 0;
    return constant && to > 0;
  };
  for (AffineExpr size : ArrayRef(query.sizes).drop_back(2)) {
    int64_t own = 0;
    if (!read(size, own))
      return std::nullopt;
    sizes.heads *= own;
  }
  if (!read(query.sizes[batchRank + 1], sizes.queries) ||
      !read(key.sizes[batchRank + 1], sizes.keys))
    return std::nullopt;
  return sizes;
}

/// What the block with most work has of it, in blocks of keys, when tiles of
/// `section` heads are walked together.
double AttentionProblem::maxWork(const AttentionSchedule &schedule,
                                 const Sizes &sizes, int64_t section,
                                 const CudaChip &chip) const {
  int64_t tiles = llvm::divideCeil(sizes.queries, schedule.queries);
  int64_t shift = op.getCausal() == kernel::Causal::BottomRight
                      ? sizes.keys - sizes.queries
                      : 0;
  std::optional<int64_t> behind = op.getKeysAfter(),
                         before = op.getWindowLeft();
  auto costOf = [&](int64_t tile) {
    int64_t first = tile * schedule.queries + shift;
    int64_t last = std::min((tile + 1) * schedule.queries, sizes.queries);
    int64_t end = sizes.keys, begin = 0;
    if (behind)
      end = std::clamp<int64_t>(last + shift + *behind, 1, sizes.keys);
    if (before)
      begin = std::clamp<int64_t>(first - *before, 0, end - 1);
    int64_t skipped = begin / schedule.keys;
    return chip.attentionTile +
           double(int64_t(llvm::divideCeil(end, schedule.keys)) - skipped);
  };
  int64_t blocks = chip.multiprocessors;
  // A window in the middle is not cut.
  if (!isCausal())
    return double(llvm::divideCeil(tiles * sizes.heads, blocks)) *
           costOf(tiles / 2);
  std::vector<double> work(blocks);
  int64_t number = 0;
  for (int64_t first = 0; first < sizes.heads; first += section) {
    int64_t own = std::min(section, sizes.heads - first);
    for (int64_t tile = tiles; tile-- > 0;)
      for (int64_t head = 0; head < own; ++head, ++number) {
        int64_t at = number % blocks;
        work[number / blocks % 2 ? blocks - 1 - at : at] += costOf(tile);
      }
  }
  return *llvm::max_element(work);
}

/// Heads whose keys and values stay in the L2 cache together.
int64_t AttentionProblem::maxHeads(const Sizes &sizes,
                                   const CudaChip &chip) const {
  int64_t group = std::max<int64_t>(1, op.getGroupSize());
  int64_t bytes = sizes.keys * (depth + width) * 2;
  return std::clamp<int64_t>(chip.keptBytes * group / bytes, 1, sizes.heads);
}

/// Cycles in which TMA copies a key and its value, where it takes long: a row
/// is whole boxes and a part of one.
double AttentionProblem::copyCycles(const CudaChip &chip) const {
  double cycles = 0;
  for (Value tensor : {op.getKey(), op.getValue()}) {
    int64_t columns =
        cast<RankedTensorType>(tensor.getType()).getShape().back();
    int64_t box = boxColumns(paddedColumns(columns));
    if (columns > box && columns % box != 0)
      cycles += chip.attentionPartialRow;
  }
  return cycles;
}

/// Cycles of all tiles, or what memory takes, if that is longer.
double AttentionProblem::cycles(const AttentionSchedule &schedule,
                                const Sizes &sizes,
                                const CudaChip &chip) const {
  double block = attentionBlockCycles(chip, schedule.queries, schedule.keys,
                                      depth + width);
  block = std::max(block, double(schedule.keys) * copyCycles(chip));
  int64_t most = maxHeads(sizes, chip);
  double work = maxWork(schedule, sizes, most, chip);
  for (int64_t section = 1; isCausal() && section < most; section *= 2)
    work = std::min(work, maxWork(schedule, sizes, section, chip));
  int64_t group = std::max<int64_t>(1, op.getGroupSize());
  auto rows = double(sizes.heads) *
              (double(sizes.queries) + double(sizes.keys) / double(group));
  double bytes = rows * double(depth + width) * 2;
  return double(chip.attentionLaunchCycles) +
         std::max(work * block, bytes / chip.memoryBytes);
}

std::optional<double>
AttentionProblem::expectedCycles(const AttentionSchedule &schedule,
                                 const CudaChip &chip) const {
  std::optional<Sizes> sizes = known();
  return sizes ? std::optional(cycles(schedule, *sizes, chip)) : std::nullopt;
}

/// Tiles that are looked at to choose a section.
static constexpr int64_t maxTilesPriced = int64_t(1) << 22;

/// The number that leaves the block with most work the least of it.
int64_t AttentionProblem::sectionHeads(const AttentionSchedule &schedule,
                                       const CudaChip &chip) const {
  std::optional<Sizes> sizes = known();
  if (!sizes)
    return 1;
  int64_t tiles = llvm::divideCeil(sizes->queries, schedule.queries);
  int64_t most = maxHeads(*sizes, chip), best = 1;
  if (most * tiles * sizes->heads > maxTilesPriced)
    return 1;
  double least = 0;
  for (int64_t section = 1; section <= most; ++section) {
    double longest = maxWork(schedule, *sizes, section, chip);
    if (section == 1 || longest < least) {
      least = longest;
      best = section;
    }
  }
  return best;
}
