//===- WgmmaCosts.cpp - What tiles on tensor cores cost -------------------===//
//
// A model of the machine, fitted to measurements (bench/results/notes-gemm.md):
// its constants are in Machines.td.
//
//===----------------------------------------------------------------------===//

#include "WgmmaCosts.h"

#include "tripy/Codegen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// What all costs are of.
static const CudaChip &chip() { return wgmmaChip(); }

/// Counts the operations of the epilogue on one element. Of a norm, what it
/// computes once for a row counts for nothing, and it has no function.
static void countEpilogue(const WgmmaSchedule &schedule, WgmmaProblem &of) {
  Operation *input =
      schedule.hasNorm() ? schedule.norm.input.getDefiningOp() : nullptr;
  unsigned rank = schedule.op().getNumParallelLoops();
  schedule.op()->getParentOp()->walk([&](Operation *op) {
    auto body = dyn_cast<linalg::GenericOp>(op->getParentOp());
    if (!body || schedule.prologue.ops.contains(body) ||
        llvm::is_contained(schedule.ops, body))
      return;
    bool ofNorm = input && input->isBeforeInBlock(body);
    if (ofNorm && (body.getNumLoops() < rank || isa<linalg::YieldOp>(op)))
      return;
    bool isFunction = isa<arith::DivFOp>(op) ||
                      isa_and_nonnull<math::MathDialect>(op->getDialect());
    of.operations += isFunction ? 8 : 1;
    of.hasFunction |= isFunction && !ofNorm;
  });
}

WgmmaProblem::WgmmaProblem(const WgmmaSchedule &schedule)
    : m(schedule.range(schedule.m, 4096).opt),
      n(schedule.extent(schedule.n, 4096)),
      k(schedule.range(schedule.k, 4096).opt),
      batch(schedule.range(schedule.batch, 1).opt), parts(schedule.parts()),
      elementBytes(schedule.elementBytes), boxes(schedule.boxColumns != 0),
      mayStoreByWarps(schedule.mayStoreByWarps),
      splitsSectors(mayStoreByWarps && n * 2 % sectorBytes != 0),
      hasSource(schedule.source >= 0),
      transposesBoxes(schedule.transposesBoxes()),
      sourceColumns(hasSource ? schedule.boxColumns : 0),
      known(schedule.extent(schedule.m, 0) > 0 &&
            schedule.extent(schedule.batch, 0) > 0 &&
            schedule.extent(schedule.k, 0) > 0),
      knownK(schedule.extent(schedule.k, 0) > 0 &&
             schedule.extent(schedule.m, 1) > 0 &&
             schedule.extent(schedule.batch, 1) > 0),
      maxRows(schedule.range(schedule.m, 4096).values.hi),
      reductions(schedule.norm.reductions.size()) {
  auto requests = [](const WgmmaOperand &operand) {
    return operand.rowBytes % 128 != 0 ? chip().brokenLines : 1;
  };
  auto breaksSectors = [](const WgmmaOperand &operand) {
    return operand.kMajor && operand.rowBytes < 128 &&
           operand.rowBytes % sectorBytes != 0;
  };
  breaksSectorsOfA = breaksSectors(schedule.a);
  breaksSectorsOfB = breaksSectors(schedule.b.front());
  isAlongN = !schedule.b.front().kMajor;
  requestsOfA = requests(schedule.a);
  for (const WgmmaOperand &b : schedule.b)
    requestsOfB = std::max(requestsOfB, requests(b));
  countEpilogue(schedule, *this);
  mayBeLoaded = !schedule.hasNorm();
  if (schedule.hasNorm())
    results = schedule.op()
                  ->getParentOfType<kernel::FuncOp>()
                  .getFunctionType()
                  .getNumResults();
  if (schedule.prologue.input)
    prologue = schedule.prologue.cost + chip().prologueInstructions;
}

//===-- main loops --------------------------------------------------------===//

/// Cycles of joining the parts of K: a block sends the others what they finish.
static double splitKReductionCycles(const WgmmaTile &tile) {
  double sent = double(tile.m) * tile.n * 4 * (tile.split - 1) / tile.split;
  return chip().splitStart +
         std::min(sent * sent / chip().splitBytes, sent / chip().splitRate);
}

/// Bytes that memory delivers to `blocks` multiprocessors in a cycle.
static double memoryRate(int64_t blocks) {
  return std::min({chip().memoryBytes,
                   chip().memoryBytesBase + chip().memoryBytesEach * blocks,
                   chip().memoryBytesOne * blocks});
}

/// Share of the peak that main loops reach. A GPU that does little but multiply
/// lowers its clock, and what is not arithmetic takes fewer cycles then:
/// 2335x6144x2048 takes 95.0 us with 128x192,pingpong and 85.9 with
/// 128x128,pingpong, of which less was expected of the former
/// (bench/results/notes-gemm.md, 49).
static double reachedBy(const WgmmaProblem &of) {
  double light = chip().lightIntensity, full = chip().loadedIntensity;
  if (!of.mayBeLoaded || !of.boxes || of.parts > 1 || of.hasFunction ||
      of.breaksLines())
    return chip().wgmmaReached;
  double intensity =
      1 / (1 / double(of.m) + 1 / double(of.n) + 1 / double(of.k));
  double load = std::clamp((intensity - light) / (full - light), 0.0, 1.0);
  return chip().wgmmaReached +
         load * (chip().loadedReached - chip().wgmmaReached);
}

double codegen::reachedShare(const WgmmaSchedule &schedule) {
  return reachedBy(WgmmaProblem(schedule));
}

/// Cycles of a tile's arithmetic, with that of an A which is computed.
static double arithmeticOf(const WgmmaTile &tile, const WgmmaProblem &of) {
  double bytes = double(of.k) * of.elementBytes / tile.split;
  int64_t columns =
      tile.swapAB ? std::max(tile.m, chip().leastColumns) : tile.m;
  double multiplying = double(columns) * tile.n * bytes /
                       (2 * double(chip().peakProducts) * reachedBy(of));
  if (of.prologue == 0)
    return multiplying;
  double instructions = double(32 * chip().schedulers);
  double computing =
      tile.m * bytes / of.elementBytes * of.prologue / instructions;
  double wait = tile.m == 64 ? bytes / 128 * chip().prologueWait : 0;
  return std::max(multiplying, computing) +
         std::min(multiplying, computing) * chip().prologueExposed + wait;
}

/// Tiles side by side.
static int64_t columnsOfTiles(const WgmmaTile &tile, const WgmmaProblem &of) {
  return tilesAcross(of.n, tile.n / of.parts, tile.stepN(of.parts));
}

/// Lines that each k-block of a block asks the L2 cache for, when `blocks` of
/// them run; those of rows that begin within a line count more. Blocks below
/// each other read the same columns of B at about the same time, those beside
/// each other the same rows of A, and the more read a line, the less each of
/// them takes: measured was the square root for B, whose readers follow each
/// other, the fourth root for A, and less for a B whose rows begin within lines
/// (notes-gemm.md 36, 43).
static double sharedLines(const WgmmaTile &tile, const WgmmaProblem &of,
                          double blocks) {
  double clusters = blocks / tile.cluster();
  double rows = llvm::divideCeil(llvm::divideCeil(of.m, tile.m), tile.clusterM);
  double columns = llvm::divideCeil(columnsOfTiles(tile, of), tile.clusterN);
  double below = std::min({double(wgmma::groupRows), rows, clusters});
  double beside = std::clamp(clusters / below, 1.0, columns);
  double ofA = of.reductions > 0 ? tile.m : tile.m / double(tile.clusterN);
  double ofB = tile.n / double(tile.clusterM);
  return of.requestsOfA * ofA / std::pow(beside * tile.clusterN, 0.25) +
         of.requestsOfB * ofB /
             std::pow(below * tile.clusterM, of.requestsOfB > 1 ? 0.3 : 0.5);
}

/// The time of what runs side by side: about that of the longest, more where
/// others take as long.
static double together(std::initializer_list<double> times) {
  double sum = 0;
  for (double time : times)
    sum += std::pow(time, 5);
  return std::pow(sum, 0.2);
}

/// Cycles of the main loop of a tile of a block: arithmetic, what it takes from
/// the L2 cache, what arrives, and what `blocks` of them read from memory at
/// the same time, a `share` of all.
static double mainLoopCycles(const WgmmaTile &tile, const WgmmaProblem &of,
                             int64_t blocks, double share) {
  double bytes = double(of.k) * of.elementBytes / tile.split;
  double kBlock =
      chip().kBlockStart + double(tile.m + tile.n) * 128 / chip().kBlockBytes;
  double asked = sharedLines(tile, of, blocks) * bytes;
  // Both blocks of a row may miss the same lines of A.
  double missed = columnsOfTiles(tile, of) == 2 && tile.clusterN == 1
                      ? chip().missedTwice * of.bytesOfA()
                      : 0;
  double rows = (of.breaksSectorsOfA ? double(tile.m) / tile.clusterN : 0) +
                (of.breaksSectorsOfB ? double(tile.n) / tile.clusterM : 0);
  double mainLoop =
      rows * chip().brokenSectorCycles +
      together({arithmeticOf(tile, of), asked * blocks / chip().wgmmaL2Bytes,
                (tile.m + tile.n) * bytes / chip().arrivingBytes,
                bytes / 128 * kBlock,
                (of.bytes() + missed) * share / memoryRate(blocks)});
  if (tile.split > 1 && (tile.m == 64 || of.breaksLines()) &&
      of.k >= chip().longSplitK)
    return mainLoop * chip().longSplitWait;
  if (tile.clusterM * tile.clusterN == 1 || of.reductions > 0)
    return mainLoop;
  if (tile.clusterN > 1 && tile.m == 64 && !of.breaksLines() &&
      (of.isAlongN || of.hasVeryLongK()))
    return mainLoop * chip().sharedRowWait;
  bool isPair = tile.clusterM == 2 && tile.clusterN == 1 && !of.breaksLines();
  return mainLoop * (isPair ? chip().pairWait : chip().clusterWait);
}

/// Whether what a tile with swapAB adds is in its costs: of more rows than few,
/// and not where rows begin within lines, for which other factors are fitted.
static bool hasSwapABCosts(const WgmmaTile &tile, const WgmmaProblem &of) {
  return tile.swapAB && tile.m > maxSwapABRows && !of.breaksLines();
}

/// Cycles in which threads store `elements` of results that lie across a tile,
/// and read what lies like them.
static double acrossCycles(const WgmmaTile &tile, const WgmmaProblem &of,
                           double elements) {
  if (!hasSwapABCosts(tile, of) || of.storesAcross(tile))
    return 0;
  return elements / chip().swapABElements +
         (of.hasSource ? elements / chip().threadSources : 0);
}

/// The epilogue stores elements, in boxes or by threads, and has operations.
static double epilogueCycles(const WgmmaTile &tile, const WgmmaProblem &of) {
  // Boxes have 64 or 128 bytes in a row, of f32 and with stream-K 128.
  int64_t part = tile.n / of.parts;
  bool boxes = of.boxes && part % 32 == 0 && !tile.overlap;
  if (of.sourceColumns && part % 32 != 0 && !of.mayStoreByWarps)
    return double(tile.m) * tile.n / chip().threadSources;
  double stored = !boxes          ? chip().threadElements
                  : tile.pingPong ? chip().pingPongElements
                                  : chip().boxElements;
  double exchanges = tile.clusterN > 1 ? of.reductions : 0;
  return double(tile.m) * tile.n *
             (double(of.results) / stored +
              of.operations / chip().epilogueOperations) +
         exchanges * chip().rowExchangeCycles +
         acrossCycles(tile, of, double(tile.m) * tile.n);
}

/// Cycles in which the L2 cache takes the rows of a tile that TMA does not
/// store: whole sectors where tiles overlap, else run by run of as many columns
/// as go through shared memory together.
static double rowCycles(const WgmmaTile &tile, const WgmmaProblem &of) {
  if (tile.overlap) {
    double tiles = double(columnsOfTiles(tile, of));
    double windows = llvm::divideCeil(tile.n / of.parts, windowColumns);
    double start = chip().windowStart * (of.n % 2 != 0 && tiles > 1 ? 2 : 1);
    double sectors = tile.m * of.parts *
                     (double(of.n) / tiles + windows * start) /
                     chip().sectorElements;
    return of.hasSource ? sectors * chip().windowSource : sectors;
  }
  if (of.boxes || tile.split > 1 || tile.swapAB)
    return 0;
  int64_t part = tile.n / of.parts;
  double runs = part % 64 == 0 ? 1 : part % 32 == 0 ? 1.2 : 1.7;
  return runs * tile.m * (tile.n + chip().rowStart * of.parts) /
         chip().rowElements;
}

/// Cycles of what follows the main loop of a tile.
static double tailCycles(const WgmmaTile &tile, const WgmmaProblem &of) {
  if (tile.split == 1)
    return epilogueCycles(tile, of);
  double elements = double(tile.m) * tile.n / tile.split;
  // Threads read a residual behind the sums. With swapAB that is little for few
  // rows, and for more in acrossCycles().
  double source =
      of.sourceColumns && !tile.swapAB ? elements / chip().threadSources : 0;
  return splitKReductionCycles(tile) + source +
         acrossCycles(tile, of, elements) +
         elements * of.operations / chip().epilogueOperations;
}

/// Cycles of one tile of a block, in the `last` wave or one before. Ping-pong
/// consumers hide the epilogue behind the next tile, but the L2 cache does not
/// take broken rows as fast while it delivers operands.
static double cyclesOf(const WgmmaTile &tile, const WgmmaProblem &of,
                       int64_t blocks, double share, bool last) {
  double mainLoop = mainLoopCycles(tile, of, blocks, share);
  double epilogue = tailCycles(tile, of), rows = rowCycles(tile, of);
  double next = last ? 0 : chip().tileStart;
  if (!tile.pingPong || last)
    return mainLoop + std::max(epilogue, rows) + next;
  // Windows keep the warps busy: less of them is hidden (notes-gemm.md 47).
  double degree = tile.overlap ? 1.8 : 3;
  double both =
      std::pow(std::pow(mainLoop, degree) + std::pow(rows, degree), 1 / degree);
  return std::max(both, (mainLoop + epilogue) / 2) + next;
}

int64_t codegen::clustersOf(const WgmmaTile &tile, const WgmmaProblem &of) {
  int64_t rows = llvm::alignTo(llvm::divideCeil(of.m, tile.m), tile.clusterM);
  int64_t columns = llvm::alignTo(columnsOfTiles(tile, of), tile.clusterN);
  return rows * columns * of.batch * tile.split / tile.cluster();
}

StreamKShares codegen::sharesOf(const WgmmaTile &tile, const WgmmaProblem &of) {
  return StreamKShares(clustersOf(tile, of),
                       llvm::divideCeil(of.k, 128 / of.elementBytes),
                       residentClusters(tile.cluster()));
}

/// Cycles of the contraction in equal shares: parts of waves, the sums that
/// every worker leaves, and those that the owner of a tile reads.
static double streamKCost(const WgmmaTile &tile, const WgmmaProblem &of) {
  StreamKShares shares = sharesOf(tile, of);
  double waves = shares.whole + double(shares.cut) / shares.workers;
  double moved = double(tile.m) * tile.n * 4 / chip().sumBytes;
  int64_t blocks = shares.workers * tile.cluster();
  double apart = tile.swapAB ? 1 : chip().streamApart;
  return apart * waves * mainLoopCycles(tile, of, blocks, 1 / waves) +
         std::ceil(waves) *
             std::max(epilogueCycles(tile, of), rowCycles(tile, of)) +
         moved + shares.sharers() * (chip().flagCycles + moved);
}

/// Cycles of the contraction: waves of blocks.
static double wavesCost(const WgmmaTile &tile, const WgmmaProblem &of) {
  bool shares = tile.clusterM * tile.clusterN > 1 && of.reductions == 0;
  double start = shares ? chip().clusterStart : 0;
  if (tile.clusterM * tile.clusterN > 2)
    start *= 2;
  if (tile.streamK)
    return start + streamKCost(tile, of);
  int64_t clusters = std::max<int64_t>(1, clustersOf(tile, of));
  int64_t resident = std::min(residentClusters(tile.cluster()), clusters);
  int64_t waves = llvm::divideCeil(clusters, resident);
  int64_t last = clusters - (waves - 1) * resident;
  auto wave = [&](int64_t count, bool isLast) {
    return cyclesOf(tile, of, count * tile.cluster(),
                    double(count) / double(clusters), isLast);
  };
  if (tile.split == 1 || waves == 1)
    return start + double(waves - 1) * wave(resident, false) + wave(last, true);
  // While some blocks join, others read, and those that join wait for some that
  // began later.
  int64_t blocks = resident * tile.cluster();
  double reading = of.bytes() / memoryRate(blocks);
  double tail = tailCycles(tile, of) + chip().flagCycles;
  double working =
      double(waves) * (mainLoopCycles(tile, of, blocks, /*share=*/0) + tail);
  return start + std::max(reading + tail, working);
}

/// The same, or what memory takes for operands and results, if that is longer.
/// The longer the pieces of rows, the faster it takes them.
double codegen::wgmmaCycles(const WgmmaTile &tile, const WgmmaProblem &of) {
  double piece = double(tile.n) / double(of.parts);
  bool across = tile.swapAB && !of.storesAcross(tile);
  double pieces = across ? 1 : 1 + chip().pieceStart / piece;
  double cycles = wavesCost(tile, of);
  bool cuts = tile.streamK || (tile.split > 1 && of.isAlongN);
  if (hasSwapABCosts(tile, of) || (!cuts && of.storesAcross(tile)))
    cycles *= cuts ? chip().swapABCutWait : chip().swapABWait;
  return std::max(cycles, (of.bytes() + of.resultBytes() * pieces) /
                              chip().memoryBytes);
}

double codegen::rowKernelCycles(const WgmmaProblem &of) {
  double bytes = 2.0 * double(of.batch) * of.m * of.n * of.elementBytes;
  return chip().rowKernelStart + bytes / chip().wgmmaL2Bytes;
}
