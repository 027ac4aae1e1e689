//===- MmaF32Costs.cpp - What f32 on tensor cores costs -------------------===//
//
// A block's k-block takes the cycles of its instructions where other blocks of
// the multiprocessor work meanwhile. A block that is alone waits for barriers
// and latencies as well, and for memory where the ring has few stages.
// Machines.td says what the constants were fitted to.
//
//===----------------------------------------------------------------------===//

#include "Codegen/CUDA/Contractions/Mma.h"

#include "llvm/Support/MathExtras.h"

using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

namespace {
/// Cycles of a block: those that it keeps the multiprocessor at work, and those
/// that it takes when it is alone there.
struct BlockCycles {
  double work = 0, alone = 0;
};
} // namespace

/// Cycles of one value of K in a tile.
static double depthCycles(const Tile &tile, const Extent &of,
                          const Problem &problem) {
  const CudaChip &chip = problem.chip;
  double m = tile.m(), n = tile.n(), warps = double(tile.threads()) / 32;
  double products = m * n * double(of.bytes) / 2 * double(of.instructions) /
                    (double(chip.products) * chip.f32Reached);
  double fragments = warps * double(tile.warpM() + tile.warpN());
  auto shortCopies = [&](double rows, int64_t bytes) {
    constexpr double word = 4;
    return bytes == 0 ? 0
                      : rows * double(of.bytes) * word /
                            (chip.f32WordBytes * double(bytes));
  };
  double computed = products + chip.f32FragmentCycles * fragments +
                    chip.f32NumberCycles * (m + n);
  double copied = shortCopies(m, problem.shortCopies[0]) +
                  shortCopies(n, problem.shortCopies[1]);
  return std::max(computed, copied) +
         chip.f32WordsExposed * std::min(computed, copied);
}

/// Of a block that has one of `parts` of K.
static BlockCycles blockCycles(const Schedule &schedule, int64_t parts,
                               const Problem &problem) {
  const CudaChip &chip = problem.chip;
  const Tile &tile = schedule.tile;
  // Copies through registers are not under way while others are multiplied.
  double arrival = problem.shortKBlocks
                       ? chip.mmaRegisterKBlockCycles
                       : chip.f32ArrivalCycles / double(schedule.stages - 1);
  double stored = double(tile.m() * tile.n()) * chip.f32StoredCycles;
  BlockCycles most;
  for (const Extent &of : problem.extents) {
    int64_t depth = schedule.rowBytes / of.bytes;
    double kBlocks =
        double(llvm::divideCeil(llvm::divideCeil(of.k, parts), depth));
    double kBlock = double(depth) * depthCycles(tile, of, problem);
    double alone = problem.shortKBlocks
                       ? arrival + kBlock
                       : std::max(arrival, chip.f32KBlockCycles + kBlock);
    most.work = std::max(most.work, kBlocks * kBlock + stored);
    most.alone =
        std::max(most.alone, kBlocks * alone + stored + chip.f32BlockCycles);
  }
  return most;
}

/// Cycles of `blocks`, of which a multiprocessor has `resident` at once.
static double cyclesOfBlocks(int64_t blocks, int64_t resident,
                             BlockCycles block, const CudaChip &chip) {
  if (blocks == 0)
    return 0;
  int64_t each = llvm::divideCeil(blocks, chip.multiprocessors);
  int64_t waves = llvm::divideCeil(each, resident);
  double before =
      double(waves - 1) * std::max(block.alone, double(resident) * block.work);
  double last = double(each - (waves - 1) * resident) * block.work;
  return std::max(
      {double(each) * block.work, double(waves) * block.alone, before + last});
}

double mma::cyclesOfF32(const Schedule &schedule, int64_t tiles, int64_t tail,
                        const Problem &problem) {
  const CudaChip &chip = problem.chip;
  int64_t parts = schedule.tail.parts, resident = schedule.resident;
  if (parts == 1)
    return chip.f32StartCycles +
           cyclesOfBlocks(tiles, resident, blockCycles(schedule, 1, problem),
                          chip);
  double whole = cyclesOfBlocks(tiles - tail, resident,
                                blockCycles(schedule, 1, problem), chip);
  double left = cyclesOfBlocks(tail * parts, resident,
                               blockCycles(schedule, parts, problem), chip);
  // Each block leaves its sums, and the last one of a tile reads them all.
  double sums =
      double(schedule.tile.m() * schedule.tile.n()) / chip.f32TailElements;
  double each = double(llvm::divideCeil(tail * parts, chip.multiprocessors));
  return chip.f32StartCycles + chip.f32TailCycles + whole + left +
         (each + double(parts)) * sums;
}
