//===- RowPlan.cpp - Threads of a row -------------------------------------===//
//
// What limits row kernels besides the bandwidth, measured on an H200:
//
// * The GPU starts 0.83 blocks in a nanosecond, whatever their size, and moves
//   4.2 KB in that time: a block that moves less than 5 KB is limited by its
//   start. Short rows share blocks, and very short ones share warps.
// * A lane without columns asks for nothing: rows of 24 vectors have 8 lanes
//   with three each, not 32 with one or none. So do threads of a block: 160
//   vectors are one of each of five warps.
// * A row of its own multiprocessor is loaded and stored at some 50 bytes a
//   nanosecond. Where rows are fewer than multiprocessors, the blocks of a
//   cluster share them, if that gains more than the exchanges of results cost.
//
// Rows that wide vectors do not divide are read as such vectors over their ends
// (RowRuns.cpp) or by narrow accesses, and have few lanes or many, by a count
// of instructions and of lines of the L1 cache. That count was not measured.
//
//===----------------------------------------------------------------------===//

#include "RowPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace tripy;
using namespace tripy::codegen;

/// Lanes of a warp.
static constexpr int64_t lanes = 32;
/// Longest row of a warp, and of one that many warps reduce and nobody writes:
/// more loads are in flight, and fewer blocks start.
static constexpr int64_t longestOfWarp = 1024, longestReducedOfWarp = 2048;
/// Rows of a multiprocessor up to which blocks have rows of this many vectors
/// of a lane: warps would be too few to hide what they wait for. On an H100,
/// f32: softmax of 1024 x 1024 3.75 us, not 5.43; two sums of 904 x 1024 3.53,
/// not 5.46. With 4 vectors of a lane blocks gain or lose.
static constexpr int64_t fewRowsOfEach = 16, manyVectors = 8;
/// Threads of a block of short rows.
static constexpr int64_t minThreads = 64, maxThreads = 512;
/// And where few rows are expected, but there may be many.
static constexpr int64_t minGrowing = 128;
/// Threads of a block that loops over a row, at least.
static constexpr int64_t minLooping = 128;
/// Part of the lanes that may be without columns.
static constexpr double idleLanes = 0.15;
/// Pieces of a lane, at most, where fewer lanes leave none idle.
static constexpr int64_t piecesOfLane = 5;
/// Bytes side by side that the lanes of a row ask for at once, at least.
static constexpr int64_t bytesSideBySide = 64;

/// Where rows are written too, more threads have fewer elements each: 65.3 us
/// for a softmax of 8192 x 8192, not 66.2.
static constexpr int64_t fewElements = 16, threadsOfFewElements = 512;

/// Of blocks of a cluster: 32 for each of fewer threads, so that a processor
/// has two blocks, and one loads while the other waits for its cluster. With
/// the row in shared memory there are more blocks, of fewer threads.
static constexpr int64_t clusterThreads = 512;
static constexpr int64_t stagedThreads = 256;
/// What more blocks must leave of the time: the figures are rough.
static constexpr double worthSharing = 0.75;

/// Threads of a multiprocessor up to which each has 64 registers at least.
static constexpr int64_t maxToldThreads = 1024;

/// Registers of a multiprocessor, and those that a thread has besides loads.
static constexpr int64_t registersOfAll = 64 * 1024, otherRegisters = 8;

/// Elements of an access: rows have whole ones.
static int64_t vectorOf(const RowFacts &facts) {
  int64_t size = facts.inner > 0 ? facts.vectorSize : 1;
  while (facts.inner % size != 0)
    size /= 2;
  return size;
}

int64_t RowPlan::vectorsOf(int64_t columns) const {
  int64_t factor = anyColumns ? 1 : std::gcd(vectorSize, columns);
  int64_t before = overEnds ? vectorSize - factor : 0;
  return llvm::divideCeil(columns + before, vectorSize);
}

static int64_t piecesFor(const RowPlan &plan, int64_t columns) {
  return llvm::divideCeil(plan.vectorsOf(columns), plan.threads);
}

/// Lanes of a short row: the most of which few are idle, if that leaves no lane
/// with many pieces; else all.
static int64_t lanesOf(const RowFacts &facts, int64_t vectorSize) {
  int64_t vectors = llvm::divideCeil(*facts.columns, vectorSize);
  int64_t most = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(vectors));
  int64_t bytes =
      vectorSize * facts.bytes / std::max<int64_t>(1, *facts.columns);
  for (int64_t count = most; count > 0; count /= 2) {
    int64_t pieces = llvm::divideCeil(vectors, count);
    if (pieces > piecesOfLane || count * bytes < bytesSideBySide)
      break;
    if (count * pieces <= vectors * (1 + idleLanes))
      return count;
  }
  return most;
}

/// Of a block of one row: whole warps, of which few threads have no columns.
static int64_t threadsOfBlock(const RowFacts &facts, const RowPlan &plan) {
  int64_t size = llvm::PowerOf2Ceil(*facts.columns);
  int64_t threads = std::clamp<int64_t>(size / 32, 128, 1024);
  if (facts.writesRows)
    threads =
        std::max(threads, std::min(size / fewElements, threadsOfFewElements));
  int64_t vectors = plan.vectorsOf(*facts.columns);
  int64_t pieces = llvm::divideCeil(vectors, threads);
  auto warpsOf = [&](int64_t count) -> int64_t {
    return llvm::alignTo(llvm::divideCeil(vectors, count), lanes);
  };
  threads = warpsOf(pieces);
  // One piece less, if that leaves fewer threads idle.
  if (pieces > 1 && warpsOf(pieces - 1) <= 1024 &&
      warpsOf(pieces - 1) * (pieces - 1) < threads * pieces)
    threads = warpsOf(pieces - 1);
  return threads;
}

//===----------------------------------------------------------------------===//
// Rows whose vectors are less than half as wide as accesses can be
//===----------------------------------------------------------------------===//

/// Instructions of a thread: for each element, of a reduction and of a result,
/// and more where vectors go over ends and it may be outside; for a load by
/// index; for an exchange between lanes, and one of a block; and besides.
static constexpr int64_t ofReduction = 3, ofResult = 4, ofMask = 1,
                         ofIndexed = 4, ofExchange = 2, ofBlock = 20,
                         ofRow = 40;
/// Single elements that a lane reads of a row.
static constexpr int64_t singlesOfLane = 16;
/// Bytes of a line of the L1 cache, which looks up one in a cycle.
static constexpr int64_t lineBytes = 128;
/// Part of what is not busy longest that the rest does not hide.
static constexpr double exposed = 0.25;
/// What the figures are rough by.
static constexpr double roughly = 1.05;
/// Of the vectors that have some of a row, the part that is the row's at least.
static constexpr double usedOfVectors = 0.5;

/// Cycles of a multiprocessor for a row, by what is busy: memory, the
/// schedulers, and the L1 cache.
static double cyclesOf(const RowPlan &plan, const RowFacts &facts,
                       const CudaChip &chip) {
  int64_t v = plan.vectorSize, pieces = piecesFor(plan, *facts.columns);
  int64_t lanesOfRow = std::min(plan.threads, lanes);
  int64_t rowsOfWarp = lanes / lanesOfRow;
  int64_t edges = plan.overEnds ? std::min<int64_t>(pieces, 2) * v : 0;
  // A row begins and ends in the same piece, or in others.
  int64_t mask = pieces == 1 ? 2 * ofMask : ofMask;
  int64_t written = facts.writesRows ? 1 : 0;
  int64_t indexed = pieces * (plan.overEnds ? v : 1) * facts.sharedInputs;
  int64_t stores = written * (pieces + edges);
  int64_t instructions =
      pieces * v * (ofReduction * facts.reductions + ofResult * written) +
      edges * (mask + facts.reductions + mask * written) +
      pieces * facts.rowInputs + indexed * (plan.overEnds ? ofIndexed : 1) +
      stores + ofExchange * facts.reductions * llvm::Log2_64(lanesOfRow) +
      ofRow + (plan.threads > lanes ? ofBlock * facts.reductions : 0);
  int64_t bytes = v * facts.elementBytes;
  // Of the rows of a warp, an access touches a part of each.
  auto lines = [&](int64_t wide) {
    double all =
        static_cast<double>(rowsOfWarp * *facts.columns * facts.elementBytes) /
            lineBytes +
        1;
    double each = static_cast<double>(lanesOfRow * wide) / lineBytes + 1;
    return std::min(all, static_cast<double>(rowsOfWarp) * each);
  };
  double lookups =
      static_cast<double>(pieces * (facts.rowInputs + written)) * lines(bytes) +
      static_cast<double>(indexed + written * edges) *
          lines(plan.overEnds ? facts.elementBytes : bytes);
  double warps = static_cast<double>(std::max(plan.threads, lanes)) /
                 static_cast<double>(lanes * rowsOfWarp);
  double busy[] = {static_cast<double>(facts.bytes * chip.multiprocessors) /
                       chip.memoryBytes,
                   warps * static_cast<double>(instructions) /
                       static_cast<double>(chip.schedulers),
                   warps * lookups};
  double longest = *llvm::max_element(busy);
  return longest + exposed * (busy[0] + busy[1] + busy[2] - longest);
}

/// The threads of the plan's rows with the fewest cycles. A row of few lanes is
/// for many rows, which keep all schedulers busy.
static double chooseThreads(RowPlan &plan, const RowFacts &facts,
                            const CudaChip &chip) {
  if (*facts.columns > longestOfWarp) {
    plan.threads = threadsOfBlock(facts, plan);
    return cyclesOf(plan, facts, chip);
  }
  int64_t vectors = plan.vectorsOf(*facts.columns);
  int64_t busy = chip.multiprocessors * chip.schedulers * lanes;
  std::optional<double> fewest;
  RowPlan tried = plan;
  for (tried.threads = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(vectors));
       tried.threads > 0; tried.threads /= 2) {
    int64_t pieces = piecesFor(tried, *facts.columns);
    bool isLong =
        plan.vectorSize == 1 ? pieces > singlesOfLane : pieces > piecesOfLane;
    if (fewest &&
        (isLong || (facts.rows && *facts.rows * tried.threads < busy)))
      break;
    double cycles = cyclesOf(tried, facts, chip);
    if (!fewest || cycles < *fewest) {
      fewest = cycles;
      plan.threads = tried.threads;
    }
  }
  return *fewest;
}

/// Threads and width of the accesses: whole vectors over the ends of rows, or
/// what fits in rows. Where it makes no difference, there are more bytes on the
/// way with vectors.
static void planNarrow(RowPlan &plan, const RowFacts &facts,
                       const CudaChip &chip) {
  RowPlan over = plan;
  over.overEnds = true;
  over.vectorSize = facts.vectorSize;
  double cycles = chooseThreads(plan, facts, chip);
  double used =
      static_cast<double>(*facts.columns) /
      static_cast<double>(over.vectorsOf(*facts.columns) * over.vectorSize);
  if (facts.hasRuns && used >= usedOfVectors &&
      chooseThreads(over, facts, chip) <= cycles * roughly)
    plan = over;
}

/// Rows of a block where a warp or a part of it has a row.
static int64_t rowsOfBlock(const RowFacts &facts, const RowPlan &plan,
                           const CudaChip &chip) {
  int64_t needed = llvm::PowerOf2Ceil(llvm::divideCeil(
      chip.blockStartBytes, std::max<int64_t>(1, facts.bytes)));
  int64_t rows =
      std::clamp(needed, std::max<int64_t>(1, minThreads / plan.threads),
                 maxThreads / plan.threads);
  // Fewer rows in a block, as long as multiprocessors are without one.
  int64_t least = facts.mayGrow ? minGrowing : lanes;
  while (facts.rows && rows * plan.threads > least &&
         *facts.rows < rows * chip.multiprocessors)
    rows /= 2;
  return rows;
}

/// Blocks that share a row while multiprocessors have none.
static int64_t blocksOfFewRows(const RowFacts &facts, const CudaChip &chip) {
  if (!facts.rows)
    return 1;
  auto nanoseconds = [&](int64_t blocks) {
    double bytes = static_cast<double>(facts.bytes) / chip.rowBytesPerNs;
    int64_t passes = facts.reductions + (facts.writesRows ? 1 : 0);
    double elements =
        static_cast<double>(*facts.columns * passes) * chip.rowElementNs;
    double exchanges =
        blocks == 1 ? 0
                    : chip.exchangeNs * static_cast<double>(facts.reductions);
    return std::max(bytes, elements) / static_cast<double>(blocks) + exchanges;
  };
  int64_t best = 1;
  for (int64_t blocks = 2; blocks <= maxBlocksOfRow; blocks *= 2)
    if (*facts.rows * blocks <= chip.multiprocessors &&
        nanoseconds(blocks) < nanoseconds(best) * worthSharing)
      best = blocks;
  return best;
}

/// Blocks of the cluster that has a row: as many as its length needs, and more
/// where rows are few.
static int64_t blocksOf(const RowFacts &facts, const CudaChip &chip) {
  int64_t parts = *facts.columns > longestRow
                      ? llvm::divideCeil(*facts.columns, longestPart)
                      : 1;
  return std::max<int64_t>(
      std::min<int64_t>(maxBlocksOfRow, llvm::PowerOf2Ceil(parts)),
      blocksOfFewRows(facts, chip));
}

static void planWarps(RowPlan &plan, const RowFacts &facts,
                      const CudaChip &chip) {
  if (plan.threads > lanes)
    plan.threads = *facts.columns <= longestOfWarp
                       ? lanesOf(facts, plan.vectorSize)
                       : lanes;
  plan.rowsPerBlock = rowsOfBlock(facts, plan, chip);
  plan.pieces = piecesFor(plan, *facts.columns);
}

/// Whether so many warps reduce rows that each has one of some length.
static bool fillsWithWarps(const RowFacts &facts, const RowPlan &plan,
                           const CudaChip &chip) {
  return !facts.writesRows && facts.rows &&
         *facts.columns <= longestReducedOfWarp && plan.vectorSize > 1 &&
         *facts.rows >= chip.multiprocessors * lanes;
}

/// Whether rows that would be long ones of a warp are too few for that.
static bool isFewForWarps(const RowFacts &facts, const RowPlan &plan,
                          const CudaChip &chip) {
  return facts.rows && *facts.rows <= fewRowsOfEach * chip.multiprocessors &&
         plan.vectorsOf(*facts.columns) >= manyVectors * lanes &&
         plan.vectorSize * facts.elementBytes == 16;
}

/// Elements that a thread keeps in registers.
static constexpr int64_t elementsOfThread = longestRow / 1024;

/// Threads by the most columns, where these fit in registers: versions are for
/// twice as many as the fewest. Loops are by the columns that are expected.
static RowPlan planDynamic(const RowFacts &known, const CudaChip &chip) {
  RowPlan plan;
  plan.anyColumns = true;
  bool fits = known.maxColumns <= longestRow;
  RowFacts facts = known;
  if (fits)
    facts.columns = known.maxColumns;
  plan.vectorSize = vectorOf(facts);
  if (plan.vectorSize < facts.vectorSize && facts.hasRuns) {
    plan.overEnds = true;
    plan.vectorSize = facts.vectorSize;
  }
  auto isAtMost = [&](int64_t rowsOfEach) {
    return facts.rows && *facts.rows <= rowsOfEach * chip.multiprocessors;
  };
  bool hasWarps =
      *facts.columns <= longestOfWarp &&
      (*facts.columns <= longestOfWarp / 2 || !isAtMost(fewRowsOfEach));
  plan.threads =
      hasWarps ? lanesOf(facts, plan.vectorSize) : threadsOfBlock(facts, plan);
  auto pieces = [&] { return piecesFor(plan, facts.maxColumns); };
  // Rows over ends may have a vector more. Of few, threads have few elements.
  int64_t vectors = std::max<int64_t>(1, elementsOfThread / plan.vectorSize);
  if (plan.overEnds)
    ++vectors;
  if (!hasWarps && isAtMost(2))
    vectors = 2;
  while (fits && plan.threads < 1024 && pieces() > vectors)
    plan.threads = std::min<int64_t>(2 * plan.threads, 1024);
  if (plan.threads <= lanes)
    plan.rowsPerBlock = rowsOfBlock(facts, plan, chip);
  if (fits) {
    plan.pieces = pieces();
  } else {
    // Loops have vectors within rows.
    plan.overEnds = false;
    plan.vectorSize = vectorOf(facts);
  }
  return plan;
}

/// Threads of a block that loops over a row: whole warps, of which few are
/// without columns in the last round of those that are expected. Where all rows
/// run at the same time with twice as many as usual, they may have these, and
/// one round where that is enough.
static int64_t threadsOfLoop(const RowFacts &facts, const RowPlan &plan,
                             const CudaChip &chip) {
  if (facts.expectedColumns.value_or(0) == 0)
    return plan.threads;
  int64_t round = plan.vectorSize > 1 ? unrolledVectors : unrolledElements;
  int64_t vectors = llvm::divideCeil(*facts.expectedColumns, plan.vectorSize);
  bool isFew =
      !facts.mayGrow && facts.rows &&
      *facts.rows <= chip.multiprocessors * chip.maxResident(2 * plan.threads);
  int64_t most = isFew ? 2 * plan.threads : plan.threads;
  int64_t rounds = llvm::divideCeil(vectors, round * most);
  int64_t needed = llvm::divideCeil(vectors, round * rounds);
  return llvm::alignTo(std::clamp(needed, minLooping, most), lanes);
}

RowPlan codegen::planRows(const RowFacts &facts, const CudaChip &chip,
                          bool hasClusters) {
  RowPlan plan;
  plan.vectorSize = vectorOf(facts);
  if (!facts.columns || *facts.columns == 0) {
    if (!facts.columns)
      plan.threads = threadsOfLoop(facts, plan, chip);
    return plan;
  }
  if (facts.maxColumns > 0)
    return planDynamic(facts, chip);
  if (2 * plan.vectorSize < facts.vectorSize)
    planNarrow(plan, facts, chip);
  if (!isFewForWarps(facts, plan, chip) &&
      (*facts.columns <= longestOfWarp || fillsWithWarps(facts, plan, chip))) {
    planWarps(plan, facts, chip);
    return plan;
  }
  if (hasClusters)
    plan.blocks = blocksOf(facts, chip);
  if (plan.blocks > 1) {
    plan.threads = clusterThreads * plan.blocks;
    if (*facts.columns <= longestPart * plan.blocks) {
      plan.pieces = piecesFor(plan, *facts.columns);
      // Few threads without columns. Others were measured as they are.
      int64_t needed = llvm::divideCeil(plan.vectorsOf(*facts.columns),
                                        plan.pieces * plan.blocks);
      if (plan.overEnds)
        plan.threads = llvm::alignTo(needed, lanes) * plan.blocks;
    } else {
      plan.overEnds = false;
      plan.vectorSize = vectorOf(facts);
    }
    return plan;
  }
  if (*facts.columns > longestRow) {
    plan.threads = 1024;
    // Loops have vectors within rows.
    plan.overEnds = false;
    plan.vectorSize = vectorOf(facts);
    return plan;
  }
  plan.threads = threadsOfBlock(facts, plan);
  plan.pieces = piecesFor(plan, *facts.columns);
  return plan;
}

void codegen::planStaged(RowPlan &plan, const RowFacts &facts) {
  int64_t part = llvm::divideCeil(*facts.columns, plan.blocks);
  plan.threads =
      (part > longestPart ? clusterThreads : stagedThreads) * plan.blocks;
  plan.pieces = piecesFor(plan, *facts.columns);
}

/// Rows of a multiprocessor up to which blocks may be small whatever their
/// number is, and how many times as many as are expected are much more.
static constexpr int64_t fewOfEach = 4, manyTimes = 4;

bool codegen::mayGrow(const kernel::SizeRange &rows, const CudaChip &chip) {
  return !rows.isStatic() &&
         rows.values.hi >= fewOfEach * chip.multiprocessors &&
         rows.values.hi / manyTimes > rows.opt;
}

std::vector<int64_t> codegen::rowLimits(const CudaChip &chip) {
  std::vector<int64_t> limits = {fewRowsOfEach * chip.multiprocessors};
  // Blocks of a cluster, for as many rows as there are multiprocessors for, and
  // of a reduction, while multiprocessors have none.
  for (int64_t blocks = 1; blocks <= maxBlocksOfRow; ++blocks) {
    limits.push_back(chip.multiprocessors / blocks);
    limits.push_back((chip.multiprocessors - 1) / blocks);
  }
  // Rows of a block, while multiprocessors have none.
  for (int64_t rows = 2; rows <= maxThreads; rows *= 2)
    limits.push_back(rows * chip.multiprocessors - 1);
  llvm::sort(limits);
  limits.erase(llvm::unique(limits), limits.end());
  return limits;
}

std::vector<int64_t> codegen::columnLimits() {
  return {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, longestRow};
}

int64_t codegen::firstWave(const RowPlan &plan, const CudaChip &chip) {
  return chip.multiprocessors * chip.maxResident(plan.blockThreads());
}

int64_t RowPlan::toldBlocks(const RowFacts &facts) const {
  int64_t threads = atOnce * blockThreads();
  // Of rows that are not written, as many registers as hold the loads.
  int64_t words = pieces * llvm::divideCeil(vectorSize * facts.elementBytes, 4);
  bool fits =
      !facts.writesRows && threads * (words + otherRegisters) <= registersOfAll;
  // What a thread keeps of rows that it writes would be spilled.
  bool isFull = facts.writesRows && pieces * vectorSize > elementsOfThread;
  return pieces > 0 && !isFull && (threads <= maxToldThreads || fits) ? atOnce
                                                                      : 0;
}

int64_t codegen::blocksAtOnce(const RowPlan &plan, std::optional<int64_t> rows,
                              const CudaChip &chip) {
  if (!rows)
    return 0;
  int64_t blocks = llvm::divideCeil(*rows, plan.rowsPerBlock) * plan.blocks;
  int64_t each = llvm::divideCeil(blocks, chip.multiprocessors);
  return each <= chip.maxResident(plan.blockThreads()) ? each : 0;
}
