//===- GemvPlan.cpp - How contractions with few rows are cut --------------===//
//
// The matrix has to stream at the bandwidth of the memory, which takes as many
// bytes in flight as bandwidth times latency: on an H200 4.2 TB/s x 0.8 us, 25
// KB for each of 132 multiprocessors. Twice that is asked for: waves are not
// full everywhere, and threads that add up have nothing in flight. Then
//
//   threads wanted = 132 x 48 KB / bytes in flight of a thread
//
// where a thread has 64 bytes in flight for one sum, when 64 registers let 1024
// threads be resident, and 128 for more. Where the columns alone do
// not give as many threads, K is cut: first between the warps of a block, then
// between up to eight blocks of a cluster, as long as each still has one
// round of accesses. What is left of K after whole rounds is one masked round.
//
//===----------------------------------------------------------------------===//

#include "Gemv.h"
#include "WgmmaGemm.h"

#include "tripy/Codegen/ContractionSpace.h"
#include "tripy/Codegen/Passes.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

static constexpr int64_t multiprocessors = 132;
static constexpr int64_t bytesInFlight = 48 * 1024;
static constexpr int64_t mostBlocks = 8, blockThreads = 256;
/// Shared memory for the sums of the parts of K; those of a cluster's blocks
/// have 8 KB beside it, and a block 48 KB in all.
static constexpr int64_t mostPartBytes = 32 * 1024;
/// What sizes that only a run knows count as.
static constexpr int64_t unknownSize = 4096;

//===----------------------------------------------------------------------===//
// What the contractions are
//===----------------------------------------------------------------------===//

static bool readsReduction(Value value) {
  return llvm::any_of(computedFrom(value), [](Value from) {
    auto generic = from.getDefiningOp<linalg::GenericOp>();
    return generic && generic.getNumReductionLoops() > 0;
  });
}

/// Whether `op` may be computed along with `first`: the same loops, of sizes
/// known to be the same.
static bool sameLoops(linalg::GenericOp first, linalg::GenericOp op) {
  SmallVector<int64_t> sizes = first.getStaticLoopRanges();
  return op.getStaticLoopRanges() == sizes &&
         !llvm::is_contained(sizes, ShapedType::kDynamic) &&
         op.getIndexingMapsArray() == first.getIndexingMapsArray() &&
         op.getIteratorTypesArray() == first.getIteratorTypesArray() &&
         op.getResultTypes() == first.getResultTypes();
}

/// The contractions of `kernel`, if they can be computed together.
static bool findContractions(kernel::FuncOp kernel, GemvPlan &plan) {
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
    if (op.getNumReductionLoops() > 0)
      plan.ops.push_back(op);
  if (plan.ops.empty() || plan.ops.size() > 4)
    return false;
  linalg::GenericOp first = plan.ops.front();
  for (linalg::GenericOp op : plan.ops)
    if (llvm::any_of(op.getDpsInputs(), readsReduction) ||
        (op != first && !sameLoops(first, op)))
      return false;
  // Products and sums are of one type.
  for (Value operand : first->getOperands())
    if (ElementEmitter::computeType(getElementTypeOrSelf(operand)) !=
        ElementEmitter::computeType(getElementTypeOrSelf(first.getResult(0))))
      return false;
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(first.getResult(0).getType()).getShape();
  return llvm::all_of(kernel.getFunctionType().getResults(), [&](Type type) {
    return cast<RankedTensorType>(type).getShape() == shape;
  });
}

/// Product of the sizes of `loops`, at most 2^30; dynamic ones count as
/// `unknown`.
static int64_t extent(linalg::GenericOp op, ArrayRef<unsigned> loops,
                      int64_t unknown) {
  return std::min(int64_t(1) << 30, staticExtent(op, loops, unknown));
}

/// Bytes of the narrowest elements that `value` is computed from.
static int64_t sourceBytes(Value value) {
  int64_t narrowest = 16;
  for (Value from : computedFrom(value))
    if (auto type = dyn_cast<RankedTensorType>(from.getType());
        type && isa<BlockArgument>(from))
      narrowest = std::min<int64_t>(
          narrowest, ElementEmitter::storageType(type.getElementType())
                             .getIntOrFloatBitWidth() /
                         8);
  return narrowest;
}

static void moveToEnd(SmallVector<unsigned> &loops, unsigned loop) {
  llvm::erase(loops, loop);
  loops.push_back(loop);
}

/// Tells rows from columns, and finds how the matrix lies in memory.
static bool findRoles(GemvPlan &plan) {
  linalg::GenericOp op = plan.ops.front();
  auto dims = linalg::inferContractionDims(op);
  if (failed(dims) || dims->k.empty())
    return false;
  plan.batch.assign(dims->batch.begin(), dims->batch.end());
  plan.rows.assign(dims->m.begin(), dims->m.end());
  plan.columns.assign(dims->n.begin(), dims->n.end());
  plan.k.assign(dims->k.begin(), dims->k.end());
  int64_t m = extent(op, plan.rows, mostVectorRows + 1);
  int64_t n = extent(op, plan.columns, mostVectorRows + 1);
  if (n < m) {
    std::swap(plan.rows, plan.columns);
    plan.matrix = 0;
  }
  plan.rowCount = std::min(m, n);
  if (plan.rowCount > mostVectorRows || plan.rowCount == 0)
    return false;
  // Several contractions share the vectors, not the matrix.
  for (linalg::GenericOp other : plan.ops)
    if (other.getOperand(1 - plan.matrix) != op.getOperand(1 - plan.matrix))
      return false;
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(plan.matrix));
  AffineDimExpr last = nullptr;
  if (map.getNumResults() > 0)
    last = dyn_cast<AffineDimExpr>(map.getResults().back());
  plan.alongK = true;
  if (!last)
    return true;
  unsigned loop = last.getPosition();
  plan.alongK = !llvm::is_contained(plan.columns, loop);
  if (llvm::is_contained(plan.k, loop))
    moveToEnd(plan.k, loop);
  else if (!plan.alongK)
    moveToEnd(plan.columns, loop);
  else
    return true;
  int64_t inner = op.getStaticLoopRanges()[loop];
  int64_t most = 16;
  for (linalg::GenericOp other : plan.ops)
    most = std::min(most, 16 / sourceBytes(other.getOperand(plan.matrix)));
  while (!ShapedType::isDynamic(inner) && plan.lanes < most &&
         inner % (2 * plan.lanes) == 0)
    plan.lanes *= 2;
  return true;
}

//===----------------------------------------------------------------------===//
// How they are cut
//===----------------------------------------------------------------------===//

namespace {
/// Sizes of the contraction, and what the choice needs of it.
struct Sizes {
  int64_t batch, columns, k, accessBytes;
  /// Blocks that a cluster may have.
  int64_t mostBlocks;
};
} // namespace

/// Bytes that a thread has in flight.
static int64_t bytesEach(const GemvPlan &plan, const Sizes &sizes) {
  return plan.contractions() * plan.depth * sizes.accessBytes *
         (plan.alongK ? plan.columnsEach : 1);
}

/// Threads that have enough bytes in flight together.
static int64_t wantedThreads(const GemvPlan &plan, const Sizes &sizes) {
  return multiprocessors * bytesInFlight / bytesEach(plan, sizes);
}

/// Room for as many threads as give 64 KB in flight, and their registers: the
/// sums and some 64 more.
static void limitRegisters(GemvPlan &plan, const Sizes &sizes) {
  constexpr int64_t registers = 64 * 1024, bytes = 64 * 1024, others = 64;
  int64_t sums = plan.contractions() * plan.sumsEach();
  int64_t threads = std::min<int64_t>(
      {1024, bytes / bytesEach(plan, sizes), registers / (sums + others)});
  plan.residentBlocks = std::max<int64_t>(1, threads / plan.threads());
  // A masked round needs more.
  plan.lastDepth =
      sums > 32 ? std::max<int64_t>(1, plan.depth / 2) : plan.depth;
}

static int64_t tiles(const GemvPlan &plan, const Sizes &sizes) {
  return llvm::divideCeil(sizes.columns, plan.tile()) * sizes.batch;
}

/// Matrices whose rows lie along K.
static void cutAlongK(GemvPlan &plan, const Sizes &sizes) {
  int64_t accesses = llvm::divideCeil(sizes.k, plan.lanes);
  plan.width = std::min<int64_t>(32, llvm::PowerOf2Ceil(accesses));
  // The vectors come from the L1 cache once for all columns of a thread.
  int64_t sums = plan.sums();
  plan.columnsEach = sums <= 2 ? 1 : sums <= 4 ? 2 : sums <= 8 ? 4 : 2;
  plan.columnsEach =
      std::min<int64_t>(plan.columnsEach, llvm::PowerOf2Ceil(sizes.columns));
  int64_t inFlight = sums == 1 ? 64 : 128;
  int64_t each = plan.contractions() * plan.columnsEach * sizes.accessBytes;
  // Narrow accesses are more, within what registers hold.
  int64_t most = 32 / (plan.contractions() * plan.columnsEach);
  plan.depth =
      std::clamp<int64_t>(inFlight / each, 1, std::min<int64_t>(16, most));
  while (plan.depth > 1 && plan.width * plan.depth / 2 >= accesses)
    plan.depth /= 2;

  int64_t wanted = wantedThreads(plan, sizes);
  int64_t have = llvm::divideCeil(sizes.columns, plan.columnsEach) *
                 plan.width * sizes.batch;
  int64_t split = accesses / (plan.width * plan.depth);
  while (plan.parts < 8 && have * plan.parts < wanted &&
         plan.parts * 2 <= split)
    plan.parts *= 2;
  while (plan.blocks < sizes.mostBlocks &&
         have * plan.parts * plan.blocks < wanted &&
         plan.parts * plan.blocks * 2 <= split)
    plan.blocks *= 2;
  // Few threads a block spread over all multiprocessors evenly.
  plan.groups = std::max<int64_t>(1, blockThreads / (plan.width * plan.parts));
  while (plan.groups > 1 && plan.threads() > 64 &&
         (tiles(plan, sizes) * plan.blocks < 2 * multiprocessors ||
          plan.tile() * plan.sums() > 2048))
    plan.groups /= 2;
}

/// Matrices whose rows lie along the columns of the result.
static void cutAlongColumns(GemvPlan &plan, const Sizes &sizes) {
  while (plan.lanes > 1 && plan.sums() * plan.lanes > 64)
    plan.lanes /= 2;
  int64_t accesses = llvm::divideCeil(sizes.columns, plan.lanes);
  plan.width = std::min<int64_t>(32, llvm::PowerOf2Ceil(accesses));
  plan.depth = plan.sums() <= 2 ? 8 : 4;
  // Long runs of a row are best for the memory, as long as there are tiles for
  // all multiprocessors; 128 bytes are the least.
  while (plan.width > 8 &&
         tiles(plan, sizes) * sizes.mostBlocks < multiprocessors - 4)
    plan.width /= 2;
  int64_t rounds = llvm::divideCeil(sizes.k, plan.depth);
  plan.parts =
      std::min<int64_t>(blockThreads / plan.width, llvm::PowerOf2Ceil(rounds));
  int64_t wanted = wantedThreads(plan, sizes);
  int64_t have = tiles(plan, sizes) * plan.width;
  while (plan.blocks < sizes.mostBlocks &&
         have * plan.parts * plan.blocks < wanted &&
         plan.parts * plan.blocks * 2 <= rounds)
    plan.blocks *= 2;
  if (have * plan.parts * plan.blocks < wanted &&
      plan.parts * plan.blocks * 2 <= rounds)
    plan.parts *= 2;
  // A row of each contraction meets in shared memory at once.
  linalg::GenericOp first = plan.ops.front();
  Type number =
      ElementEmitter::computeType(getElementTypeOrSelf(first.getResult(0)));
  int64_t partBytes =
      plan.contractions() * plan.tile() * number.getIntOrFloatBitWidth() / 8;
  while (plan.parts * partBytes > mostPartBytes)
    plan.parts /= 2;
  // Whole warps.
  plan.parts = std::max<int64_t>(plan.parts, 32 / plan.width);
}

/// Whether the kernel has a form for tensor cores that is faster, with A and B
/// in exchanged roles.
static bool suitsTensorCores(kernel::FuncOp kernel, const GemvPlan &plan) {
  linalg::GenericOp op = plan.ops.front();
  auto known = [&](ArrayRef<unsigned> loops) {
    return extent(op, loops, /*unknown=*/0);
  };
  Type element = getElementTypeOrSelf(op.getOperand(1));
  FewRows few{plan.rowCount,
              known(plan.batch),
              known(plan.columns),
              known(plan.k),
              int64_t(element.getIntOrFloatBitWidth()),
              plan.alongK};
  if (plan.matrix != 1 || !few.suitsTensorCores())
    return false;
  std::optional<WgmmaPlan> found = recogniseWgmma(kernel);
  return found && chooseTile(*found)->tile.swapped;
}

std::optional<GemvPlan> codegen::planGemv(kernel::FuncOp kernel,
                                          const CudaChip &chip) {
  GemvPlan plan;
  if (kernel.getHero() != kernel::Hero::Gemm ||
      !findContractions(kernel, plan) || !findRoles(plan) ||
      (chip.hasWgmma() && suitsTensorCores(kernel, plan)))
    return std::nullopt;
  linalg::GenericOp op = plan.ops.front();
  Sizes sizes;
  sizes.batch = std::max<int64_t>(1, extent(op, plan.batch, 1));
  sizes.columns = std::max<int64_t>(1, extent(op, plan.columns, unknownSize));
  sizes.k = std::max<int64_t>(1, extent(op, plan.k, unknownSize));
  sizes.mostBlocks = chip.hasClusters() ? mostBlocks : 1;
  sizes.accessBytes = plan.lanes * sourceBytes(op.getOperand(plan.matrix));
  if (plan.alongK)
    cutAlongK(plan, sizes);
  else
    cutAlongColumns(plan, sizes);
  limitRegisters(plan, sizes);
  return plan;
}
