//===- MmaSchedule.cpp - When and how mma.sync is used --------------------===//

#include "Codegen/CUDA/Contractions/Mma.h"
#include "Codegen/Emit/KernelSizes.h"

#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Tripy/Provenance.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

/// Tiles with 128 results in a thread leave room for one block, those with 64
/// for two blocks of 256 threads. A warp's rows and columns are powers of two.
static constexpr Tile tiles[] = {
    {2, 4, 4, 8, 1}, // 128 x 256, 256 threads
    {2, 4, 4, 4, 2}, // 128 x 128
    {1, 4, 4, 4, 3}, // 64 x 128, 128 threads
    {2, 2, 4, 4, 3}, // 128 x 64
    {2, 2, 2, 4, 4}, // 64 x 64
    {2, 2, 1, 4, 6}, // 32 x 64
    {1, 4, 1, 4, 6}, // 16 x 128
};

namespace {
/// The sizes of one group of contractions; what is dynamic is a guess.
struct Extent {
  int64_t batch, m, n, k, parts, bytes;
};
} // namespace

/// K-blocks in the ring at most.
static constexpr int64_t maxStages = 5;
/// Pieces of the next k-block that a thread keeps in registers at most.
static constexpr int64_t maxHeld = 4;

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
  if (element.isF32() && op->hasAttr(allowTF32AttrName))
    return ElementType::TF32;
  if (isFloat8(element) && chip.hasMmaOfF8())
    return isa<Float8E4M3FNType>(element) ? ElementType::E4M3
                                          : ElementType::E5M2;
  return std::nullopt;
}

/// Cycles of a multiprocessor for one block, without those in which it waits.
static double cyclesOf(const Tile &tile, const Extent &of,
                       const CudaChip &chip) {
  double m = tile.m(), n = tile.n(), bytes = of.bytes;
  double products = m * n * bytes / 2 / double(chip.products);
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

static double timeOf(const Schedule &schedule, ArrayRef<Extent> groups,
                     const CudaChip &chip) {
  const Tile &tile = schedule.tile;
  double blocks = 0, cycles = 0, waiting = 0;
  for (const Extent &of : groups) {
    int64_t columns = tile.n() / tile.fragmentsN * (tile.fragmentsN / of.parts);
    blocks += double(of.batch) * double(llvm::divideCeil(of.m, tile.m())) *
              double(llvm::divideCeil(of.n, columns));
    cycles = std::max(cycles, cyclesOf(tile, of, chip));
    double kBlocks =
        double(llvm::divideCeil(of.k * of.bytes, schedule.rowBytes));
    waiting =
        std::max(waiting, kBlocks * chip.mmaKBlockCycles + chip.mmaStartCycles);
  }
  double cards = double(chip.multiprocessors);
  return std::max(std::ceil(blocks / cards) * cycles,
                  std::ceil(blocks / cards / double(schedule.resident)) *
                      std::max(waiting, cycles));
}

/// The schedule of a tile; none when the ring or copies have no room.
static std::optional<Schedule> planOf(const Tile &tile, const CudaChip &chip,
                                      bool shortKBlocks) {
  int64_t resident = tile.resident;
  int64_t pieces = (tile.m() + tile.n()) * 64 / pieceBytes / tile.threads();
  if (shortKBlocks && (resident == 1 || pieces > maxHeld))
    return std::nullopt;
  if (shortKBlocks)
    resident /= 2;
  int64_t room = chip.sharedBytes / resident - chip.reservedBytes;
  for (int64_t rowBytes : {128, 64}) {
    Schedule schedule{tile, resident, rowBytes, 1};
    schedule.stages = std::min(room / schedule.sharedBytes(), maxStages);
    if (schedule.stages >= 3 && (rowBytes == 64 || !shortKBlocks))
      return schedule;
  }
  return std::nullopt;
}

static bool isTile(const Tile &tile, const TileSize &wanted) {
  return tile.m() == wanted.m && tile.n() == wanted.n;
}

/// The schedule that the model expects to take least time, or the one with the
/// tile that is `wanted`, if any has it. `shortKBlocks`: copies take registers.
/// None when no tile has room for a group's parts.
static std::optional<Schedule> chooseSchedule(ArrayRef<Extent> groups,
                                              const CudaChip &chip,
                                              bool shortKBlocks,
                                              const TileSize &wanted) {
  std::optional<Schedule> best;
  double least = 0;
  for (const Tile &tile : tiles) {
    bool hasRoom = llvm::all_of(
        groups, [&](const Extent &of) { return of.parts <= tile.fragmentsN; });
    std::optional<Schedule> schedule = planOf(tile, chip, shortKBlocks);
    if (!schedule || !hasRoom)
      continue;
    if (isTile(tile, wanted))
      return schedule;
    double time = timeOf(*schedule, groups, chip);
    if (best && time >= least)
      continue;
    best = schedule;
    least = time;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Whether k-blocks of an operand pass through registers, at a guess: parts of
/// rows that are aligned to less than 4 bytes, what is not in memory, and bytes
/// across K, which no instruction transposes.
static bool takesRegisters(linalg::GenericOp op, OpOperand &operand,
                           const ContractionSpace &space,
                           ElementType elementType) {
  auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
  Value tensor = slice ? slice.getSource() : operand.get();
  auto type = cast<RankedTensorType>(tensor.getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!isa<BlockArgument>(tensor) || map.getNumResults() == 0)
    return true;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  bool isAlongK = last && llvm::is_contained(space.k, last.getPosition());
  int64_t inner = type.getShape().back();
  return ShapedType::isDynamic(inner) ||
         inner * bytesOf(elementType) % 4 != 0 ||
         (bytesOf(elementType) == 1 && !isAlongK);
}

/// Says which tile was chosen, and why.
static void report(CUDAKernel &kernel, const Schedule &schedule) {
  kernel::FuncOp function = kernel.e.kernel;
  auto options = remark::RemarkOpts::name("tile").category("gemm").function(
      function.getSymName());
  auto remark = remark::passed(placeOf(function.getLoc()), options);
  if (!remark)
    return;
  const Tile &tile = schedule.tile;
  bool isWanted = isTile(tile, kernel.wantedTile);
  remark << remark::add(
      "{0}", llvm::formatv("tile {0}x{1} with mma.sync, {2} stages: {3}",
                           tile.m(), tile.n(), schedule.stages,
                           isWanted ? "asked for" : "by the model")
                 .str());
}

std::optional<Schedule>
mma::scheduleMma(CUDAKernel &kernel, ArrayRef<ContractionGroup> groups,
                 ArrayRef<ContractionSpace> spaces,
                 SmallVectorImpl<ElementType> &elementTypes) {
  SmallVector<Extent> extents;
  bool shortKBlocks = false;
  for (auto [group, space] : llvm::zip(groups, spaces)) {
    linalg::GenericOp op = group.ops.front();
    std::optional<ElementType> elementType = elementTypeFor(op, kernel.chip);
    // All of a group have one A, and B of its type.
    bool isOne = llvm::all_of(group.ops, [&](linalg::GenericOp other) {
      return elementTypeFor(other, kernel.chip) == elementType;
    });
    if (!elementType || !isOne || space.m.empty() || space.n.empty() ||
        space.k.empty())
      return std::nullopt;
    for (linalg::GenericOp other : group.ops)
      for (OpOperand &operand : other->getOpOperands().take_front(2))
        shortKBlocks |= takesRegisters(other, operand, space, *elementType);
    elementTypes.push_back(*elementType);
    extents.push_back({expectedExtent(op, space.batch, typicalExtent),
                       expectedExtent(op, space.m, typicalExtent),
                       expectedExtent(op, space.n, typicalExtent),
                       expectedExtent(op, space.k, typicalExtent),
                       int64_t(group.ops.size()), bytesOf(*elementType)});
  }
  std::optional<Schedule> schedule =
      chooseSchedule(extents, kernel.chip, shortKBlocks, kernel.wantedTile);
  if (schedule)
    report(kernel, *schedule);
  return schedule;
}
