//===- PlanScanTiles.cpp - The tiles of running sums ----------------------===//

#include "ScanEmission.h"
#include "ScanTiles.h"

#include "Codegen/Emit/KernelSizes.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Registers for the sums of a thread.
static constexpr int64_t maxRegisters = 16;
/// Threads of a block, usually and of long rows, and blocks of a
/// multiprocessor from which on a thread has more vectors.
static constexpr int64_t usualThreads = 256, minThreads = 64, maxThreads = 512,
                         minBlocks = 2;
/// The length of rows above which a block has one: of 4096x2048 f32 it takes
/// 18.3 us, and 21.3 where it may have several; of 20000x300 f16 26 and 7.9 (an
/// H200, 2026-11-29). Those of a known length have warps above the first.
static constexpr int64_t maxShort = 256, maxDynamicShort = 512;
/// Threads that a multiprocessor has registers for where a block has one row of
/// whole vectors: ptxas needs 40 for that, of elements of up to 32 bits.
static constexpr int64_t residentOfWhole = 1536;

int64_t ScanTiles::rowsOf(int64_t columns) const {
  if (hasOneRow)
    return 1;
  int64_t rows = std::max<int64_t>(1, room() / std::max<int64_t>(1, columns));
  return rows < unit() ? rows : rows - rows % vectorSize;
}

/// Chooses the threads of a block and the vectors of each for `rows` rows of
/// `columns` elements: the best use of the threads where a tile has rows.
static void chooseTile(ScanTiles &plan, int64_t rows, int64_t columns,
                       int64_t maxVectors, const CudaChip &chip) {
  double vectors = double(rows) * double(columns) / double(plan.vectorSize);
  double full = double(minBlocks * chip.multiprocessors);
  plan.vectors = std::clamp<int64_t>(
      static_cast<int64_t>(vectors / full / usualThreads), 1, maxVectors);
  int64_t usual = usualThreads;
  while (usual > minThreads && vectors / double(usual) < full / minBlocks)
    usual /= 2;
  for (;; ++plan.vectors) {
    double best = 0;
    for (int64_t threads = minThreads; threads <= maxThreads; threads += 32) {
      ScanTiles some = plan;
      some.threads = threads;
      if (columns > some.room())
        continue;
      double used =
          double(some.rowsOf(columns) * columns) / double(some.tile());
      used -= double(std::abs(threads - usual)) / (16 * maxThreads);
      if (used <= best)
        continue;
      best = used;
      plan.threads = threads;
    }
    if (best > 0)
      return;
    if (plan.vectors == maxVectors)
      break;
  }
  plan.threads = maxThreads;
}

std::optional<ScanTiles> codegen::planScanTiles(kernel::FuncOp kernel,
                                                const CudaChip &chip) {
  std::optional<ExpectedScan> scan = expectedScan(kernel);
  if (!scan || scan->dim + 1 != static_cast<size_t>(scan->type.getRank()) ||
      !scan->length || !scan->outer || *scan->length < 1 ||
      !ElementEmitter::hasRuns(kernel.getBody().front(), /*inOrder=*/true))
    return std::nullopt;
  ScanTiles plan;
  plan.vectorSize = vectorSizeOf(kernel);
  int64_t columns = scan->type.getShape().back();
  plan.longest = sizeRange(kernel, scan->size)->values.hi;
  plan.hasOneRow =
      *scan->length >
      (ShapedType::isDynamic(columns) ? maxDynamicShort : maxShort);
  bool isWhole =
      !ShapedType::isDynamic(columns) && columns % plan.vectorSize == 0;
  plan.maxLead = isWhole ? 0 : plan.vectorSize - 1;
  if (plan.hasOneRow && isWhole && scan->words() == 1)
    plan.residentThreads = residentOfWhole;

  if (ShapedType::isDynamic(columns) && plan.longest <= maxScanOfThread)
    return std::nullopt;
  // Short rows of whole vectors have lanes of their own.
  if (!plan.hasOneRow && !ShapedType::isDynamic(columns) &&
      std::gcd(columns, plan.vectorSize) * 2 >= plan.vectorSize)
    return std::nullopt;
  int64_t most =
      std::max<int64_t>(1, maxRegisters / (plan.vectorSize * scan->words()));
  chooseTile(plan, *scan->outer, *scan->length, most, chip);
  return plan;
}
