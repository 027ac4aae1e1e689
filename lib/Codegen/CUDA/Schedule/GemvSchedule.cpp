//===- GemvSchedule.cpp - How contractions with few rows are cut ----------===//
//
// The matrix has to stream at the bandwidth of memory. By Little's law, this
// needs bandwidth times latency bytes in flight. So
//
//   threads wanted = multiprocessors x bytesInFlight (Machines.td)
//                    / bytes in flight of a thread
//
// where a thread with one sum has 64 bytes in flight (64 registers let 1024
// threads be resident), and a thread with more sums 128. Where the columns
// alone do not give as many threads, K is split: first between the warps of a
// block, then between up to eight blocks of a cluster, as long as each still
// has one round of accesses. What is left of K after whole rounds is one masked
// round.
//
//===----------------------------------------------------------------------===//

#include "Codegen/CUDA/Contractions/Gemv.h"
#include "Codegen/CUDA/Contractions/WgmmaGemm.h"

#include "Codegen/Emit/ContractionSpace.h"
#include "Codegen/Emit/KernelSizes.h"
#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Common/TensorTypes.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

static constexpr int64_t maxBlocks = 8, blockThreads = 256;
/// Shared memory for the sums of the parts of K; those of a cluster's blocks
/// have 8 KB beside it, and a block 48 KB in all.
static constexpr int64_t maxPartBytes = 32 * 1024;
/// Columns of a thread, and its sums, at most.
static constexpr int64_t maxEach = 16, maxSums = 128;
/// Elements of all vectors where a block computes them, at most.
static constexpr int64_t maxVectorElements = 16 * 1024;
/// Threads of a multiprocessor that have registers for a round of accesses.
static constexpr int64_t residentThreads = 1024;
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

/// Whether `op` may be computed along with `first`: the same loops. findRoles()
/// sees to it that dynamic sizes are the same.
static bool sameLoops(linalg::GenericOp first, linalg::GenericOp op) {
  SmallVector<int64_t> sizes = first.getStaticLoopRanges();
  return op.getStaticLoopRanges() == sizes &&
         op.getIndexingMapsArray() == first.getIndexingMapsArray() &&
         op.getIteratorTypesArray() == first.getIteratorTypesArray() &&
         op.getResultTypes() == first.getResultTypes();
}

/// Finds the reductions of `kernel`: those that others read are of rows.
static void findReductions(kernel::FuncOp kernel, GemvSchedule &schedule) {
  SmallVector<linalg::GenericOp> all;
  llvm::SmallPtrSet<Operation *, 8> read;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    all.push_back(op);
    for (Value input : op.getDpsInputs())
      for (Value from : computedFrom(input))
        if (Operation *made = from.getDefiningOp())
          read.insert(made);
  }
  for (linalg::GenericOp op : all)
    (read.contains(op) ? schedule.ofRows : schedule.ops).push_back(op);
}

/// The contractions of `kernel`, if they can be computed together.
static bool findContractions(kernel::FuncOp kernel, GemvSchedule &schedule) {
  findReductions(kernel, schedule);
  if (schedule.ops.empty() || schedule.ops.size() > 4)
    return false;
  linalg::GenericOp first = schedule.ops.front();
  for (linalg::GenericOp op : schedule.ops)
    if (op != first && !sameLoops(first, op))
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

/// Product of the sizes of `loops`, at most 2^30; of dynamic ones what is
/// expected, or `unknown`.
static int64_t extent(linalg::GenericOp op, ArrayRef<unsigned> loops,
                      int64_t unknown) {
  return std::min(int64_t(1) << 30, expectedExtent(op, loops, unknown));
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
static bool findRoles(GemvSchedule &schedule) {
  linalg::GenericOp op = schedule.ops.front();
  auto dims = linalg::inferContractionDims(op);
  if (failed(dims) || dims->k.empty())
    return false;
  schedule.batch.assign(dims->batch.begin(), dims->batch.end());
  schedule.rows.assign(dims->m.begin(), dims->m.end());
  schedule.columns.assign(dims->n.begin(), dims->n.end());
  schedule.k.assign(dims->k.begin(), dims->k.end());
  kernel::SizeRange rows = extentRange(op, schedule.rows, maxVectorRows + 1);
  kernel::SizeRange columns =
      extentRange(op, schedule.columns, maxVectorRows + 1);
  if (columns.values.hi < rows.values.hi) {
    std::swap(schedule.rows, schedule.columns);
    std::swap(rows, columns);
    schedule.matrix = 0;
  }
  schedule.rowCount = rows.values.hi;
  schedule.leastRows = rows.values.lo;
  schedule.expectedRows = rows.opt;
  // The first row stands for those that are not there.
  if (schedule.rowCount > maxVectorRows || schedule.leastRows == 0)
    return false;
  // The other dynamic sizes are those of the vectors that all share.
  if (schedule.ops.size() > 1 &&
      llvm::any_of(schedule.columns, [&](unsigned loop) {
        return ShapedType::isDynamic(op.getStaticLoopRanges()[loop]);
      }))
    return false;
  // Several contractions share the vectors, not the matrix.
  for (linalg::GenericOp other : schedule.ops)
    if (other.getOperand(1 - schedule.matrix) !=
        op.getOperand(1 - schedule.matrix))
      return false;
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(schedule.matrix));
  AffineDimExpr last = nullptr;
  if (map.getNumResults() > 0)
    last = dyn_cast<AffineDimExpr>(map.getResults().back());
  schedule.alongK = true;
  if (!last)
    return true;
  unsigned loop = last.getPosition();
  schedule.alongK = !llvm::is_contained(schedule.columns, loop);
  if (llvm::is_contained(schedule.k, loop))
    moveToEnd(schedule.k, loop);
  else if (!schedule.alongK)
    moveToEnd(schedule.columns, loop);
  else
    return true;
  int64_t inner = op.getStaticLoopRanges()[loop];
  int64_t maximum = 16;
  for (linalg::GenericOp other : schedule.ops)
    maximum =
        std::min(maximum, 16 / sourceBytes(other.getOperand(schedule.matrix)));
  while (!ShapedType::isDynamic(inner) && schedule.vectorSize < maximum &&
         inner % (2 * schedule.vectorSize) == 0)
    schedule.vectorSize *= 2;
  return true;
}

/// Whether what `op` reads of reductions, or of what is computed from them, is
/// of the same row as its own element, rows being the first `rowRank` loops.
static bool keepsRows(linalg::GenericOp op, unsigned rowRank) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!readsReduction(input->get()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(input);
    auto shape = cast<RankedTensorType>(input->get().getType()).getShape();
    if (map.getNumResults() < rowRank)
      return false;
    for (unsigned i = 0; i < rowRank; ++i) {
      auto loop = dyn_cast<AffineDimExpr>(map.getResult(i));
      if (shape[i] != 1 && (!loop || loop.getPosition() != i))
        return false;
    }
  }
  return true;
}

/// Whether only what computes one of `values` reads `value`.
static bool isReadWithin(Value value, const llvm::SetVector<Value> &values) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user->getNumResults() == 1 && values.contains(user->getResult(0));
  });
}

/// Whether the vectors are all rows of a tensor of static shape, with the
/// reductions of `schedule`, and nothing else reads these.
static bool areRows(const GemvSchedule &schedule) {
  auto type = cast<RankedTensorType>(schedule.vectors().getType());
  linalg::GenericOp first = schedule.ofRows.front();
  unsigned rowRank = first.getNumParallelLoops();
  ArrayRef<int64_t> shape = type.getShape();
  auto product = [](ArrayRef<int64_t> sizes) {
    return llvm::accumulate(sizes, int64_t(1), saturatingMul);
  };
  linalg::GenericOp op = schedule.ops.front();
  if (!type.hasStaticShape() || rowRank >= shape.size() ||
      staticExtent(op, schedule.batch, /*unknown=*/0) != 1 ||
      schedule.leastRows != schedule.rowCount ||
      product(shape.take_front(rowRank)) != schedule.rowCount ||
      product(shape.drop_front(rowRank)) != staticExtent(op, schedule.k, 0) ||
      product(shape) > maxVectorElements)
    return false;
  for (linalg::GenericOp other : schedule.ops)
    if (readsReduction(other.getOperand(schedule.matrix)))
      return false;
  for (linalg::GenericOp row : schedule.ofRows) {
    auto iterators = row.getIteratorTypesArray();
    if (row.getStaticLoopRanges() != shape ||
        row.getNumParallelLoops() != rowRank ||
        llvm::any_of(ArrayRef(iterators).take_front(rowRank),
                     [](utils::IteratorType type) {
                       return type != utils::IteratorType::parallel;
                     }))
      return false;
  }
  llvm::SetVector<Value> from = computedFrom(schedule.vectors());
  for (Value value : from)
    if (auto made = value.getDefiningOp<linalg::GenericOp>())
      if (!keepsRows(made, rowRank) ||
          (value != schedule.vectors() && readsReduction(value) &&
           !isReadWithin(value, from)))
        return false;
  return true;
}

/// The contractions of `kernel` and how their operands lie in memory.
static bool findProblem(kernel::FuncOp kernel, GemvSchedule &schedule) {
  return findContractions(kernel, schedule) && findRoles(schedule) &&
         (schedule.ofRows.empty() || areRows(schedule));
}

//===----------------------------------------------------------------------===//
// How they are cut
//===----------------------------------------------------------------------===//

namespace {
/// Sizes of the contraction, and what the choice needs of it.
struct Sizes {
  const CudaChip &chip;
  int64_t batch = 1, columns = 1, k = 1, accessBytes = 1;
  /// Blocks that a cluster may have.
  int64_t maxBlocks = 1;
};
} // namespace

/// Bytes that a thread has in flight.
static int64_t bytesEach(const GemvSchedule &schedule, const Sizes &sizes) {
  return schedule.contractions() * schedule.depth * sizes.accessBytes *
         (schedule.alongK ? schedule.columnsEach : 1);
}

/// Threads that have enough bytes in flight together.
static int64_t wantedThreads(const GemvSchedule &schedule, const Sizes &sizes) {
  return sizes.chip.multiprocessors * sizes.chip.bytesInFlight /
         bytesEach(schedule, sizes);
}

/// A masked round needs more registers.
static int64_t lastDepthOf(const GemvSchedule &schedule) {
  return schedule.contractions() * schedule.sumsEach() > 32
             ? std::max<int64_t>(1, schedule.depth / 2)
             : schedule.depth;
}

static int64_t tiles(const GemvSchedule &schedule, const Sizes &sizes) {
  return llvm::divideCeil(sizes.columns, schedule.tile()) * sizes.batch;
}

/// Registers that a thread of a kernel needs in which all of K is in flight.
static constexpr int64_t fewRegisters = 40;

/// Room for as many threads as give 64 KB in flight, and their registers: the
/// sums and some 64 more; but for no more blocks than there are, and as many of
/// the kernel behind, which loads its matrix while this one ends.
static void limitRegisters(GemvSchedule &schedule, const Sizes &sizes) {
  constexpr int64_t bytes = 64 * 1024, others = 64;
  int64_t sums = schedule.contractions() * schedule.sumsEach();
  int64_t threads =
      std::min<int64_t>({residentThreads, bytes / bytesEach(schedule, sizes),
                         sizes.chip.registers / (sums + others)});
  int64_t there = 2 * llvm::divideCeil(tiles(schedule, sizes) * schedule.blocks,
                                       sizes.chip.multiprocessors);
  schedule.residentBlocks =
      std::clamp<int64_t>(threads / schedule.threads(), 1, there);
  // Where kernels overlap.
  if (sizes.chip.hasClusters() && sums == 1 &&
      schedule.step(schedule.depth) >= sizes.k &&
      there * schedule.threads() * fewRegisters <= sizes.chip.registers)
    schedule.residentBlocks = there;
  schedule.lastDepth = lastDepthOf(schedule);
}

/// More parts, at most eight, where all of a known K is in flight at once then,
/// in as many threads as are resident; a part has `have` of them.
static void takeAllOfK(GemvSchedule &schedule, const Sizes &sizes,
                       int64_t have) {
  linalg::GenericOp op = schedule.ops.front();
  if (staticExtent(op, schedule.k, /*unknown=*/0) == 0)
    return;
  GemvSchedule split = schedule;
  while (split.parts < 8 && split.step(split.depth) < sizes.k)
    split.parts *= 2;
  if (split.step(split.depth) >= sizes.k &&
      have * split.parts * split.blocks <=
          residentThreads * sizes.chip.multiprocessors)
    schedule.parts = split.parts;
  if (schedule.step(schedule.depth) >= sizes.k)
    schedule.depth = llvm::divideCeil(sizes.k, schedule.step(1));
}

/// Matrices whose rows lie along K.
static void cutAlongK(GemvSchedule &schedule, const Sizes &sizes) {
  int64_t accesses = llvm::divideCeil(sizes.k, schedule.vectorSize);
  schedule.width = std::min<int64_t>(32, llvm::PowerOf2Ceil(accesses));
  // The vectors come from the L1 cache once for all columns of a thread.
  int64_t sums = schedule.sums();
  schedule.columnsEach = sums <= 2 ? 1 : sums <= 4 ? 2 : sums <= 8 ? 4 : 2;
  schedule.columnsEach = std::min<int64_t>(schedule.columnsEach,
                                           llvm::PowerOf2Ceil(sizes.columns));
  int64_t inFlight = sums == 1 ? 64 : 128;
  int64_t each =
      schedule.contractions() * schedule.columnsEach * sizes.accessBytes;
  // Narrow accesses are more, within what registers hold.
  int64_t maximum = 32 / (schedule.contractions() * schedule.columnsEach);
  schedule.depth =
      std::clamp<int64_t>(inFlight / each, 1, std::min<int64_t>(16, maximum));
  while (schedule.depth > 1 && schedule.width * schedule.depth / 2 >= accesses)
    schedule.depth /= 2;

  int64_t wanted = wantedThreads(schedule, sizes);
  int64_t have = llvm::divideCeil(sizes.columns, schedule.columnsEach) *
                 schedule.width * sizes.batch;
  int64_t split = accesses / (schedule.width * schedule.depth);
  while (schedule.parts < 8 && have * schedule.parts < wanted &&
         schedule.parts * 2 <= split)
    schedule.parts *= 2;
  while (schedule.blocks < sizes.maxBlocks &&
         have * schedule.parts * schedule.blocks < wanted &&
         schedule.parts * schedule.blocks * 2 <= split)
    schedule.blocks *= 2;
  takeAllOfK(schedule, sizes, have);
  // Few threads a block spread over all multiprocessors evenly.
  schedule.groups =
      std::max<int64_t>(1, blockThreads / (schedule.width * schedule.parts));
  while (schedule.groups > 1 && schedule.threads() > 64 &&
         (tiles(schedule, sizes) * schedule.blocks <
              2 * sizes.chip.multiprocessors ||
          schedule.tile() * schedule.sums() > 2048))
    schedule.groups /= 2;
}

/// Matrices whose rows lie along the columns of the result.
static void cutAlongColumns(GemvSchedule &schedule, const Sizes &sizes) {
  while (schedule.vectorSize > 1 && schedule.sums() * schedule.vectorSize > 64)
    schedule.vectorSize /= 2;
  int64_t accesses = llvm::divideCeil(sizes.columns, schedule.vectorSize);
  schedule.width = std::min<int64_t>(32, llvm::PowerOf2Ceil(accesses));
  schedule.depth = schedule.sums() <= 2 ? 8 : 4;
  // Long runs of a row are best for the memory, as long as there are tiles for
  // all multiprocessors; 128 bytes are the least.
  while (schedule.width > 8 && tiles(schedule, sizes) * sizes.maxBlocks <
                                   sizes.chip.multiprocessors - 4)
    schedule.width /= 2;
  int64_t rounds = llvm::divideCeil(sizes.k, schedule.depth);
  schedule.parts = std::min<int64_t>(blockThreads / schedule.width,
                                     llvm::PowerOf2Ceil(rounds));
  int64_t wanted = wantedThreads(schedule, sizes);
  int64_t have = tiles(schedule, sizes) * schedule.width;
  while (schedule.blocks < sizes.maxBlocks &&
         have * schedule.parts * schedule.blocks < wanted &&
         schedule.parts * schedule.blocks * 2 <= rounds)
    schedule.blocks *= 2;
  if (have * schedule.parts * schedule.blocks < wanted &&
      schedule.parts * schedule.blocks * 2 <= rounds)
    schedule.parts *= 2;
  // A row of each contraction meets in shared memory at once.
  linalg::GenericOp first = schedule.ops.front();
  Type number =
      ElementEmitter::computeType(getElementTypeOrSelf(first.getResult(0)));
  int64_t partBytes = schedule.contractions() * schedule.tile() *
                      number.getIntOrFloatBitWidth() / 8;
  while (schedule.parts * partBytes > maxPartBytes)
    schedule.parts /= 2;
  // Whole warps.
  schedule.parts = std::max<int64_t>(schedule.parts, 32 / schedule.width);
}

/// Whether the kernel has a form for tensor cores that is faster, with swapAB.
static bool suitsTensorCores(kernel::FuncOp kernel,
                             const GemvSchedule &schedule) {
  linalg::GenericOp op = schedule.ops.front();
  auto known = [&](ArrayRef<unsigned> loops) {
    return std::min(int64_t(1) << 30, staticExtent(op, loops, /*unknown=*/0));
  };
  Type element = getElementTypeOrSelf(op.getOperand(1));
  FewRows few{schedule.expectedRows,
              known(schedule.batch),
              known(schedule.columns),
              known(schedule.k),
              int64_t(element.getIntOrFloatBitWidth()),
              schedule.alongK};
  if (schedule.matrix != 1 || !few.suitsTensorCores(wgmmaChip()))
    return false;
  std::optional<WgmmaSchedule> found = recogniseWgmma(kernel);
  std::optional<WgmmaCandidate> chosen =
      found ? chooseTile(*found) : std::nullopt;
  return chosen && chosen->tile.swapAB;
}

std::optional<GemvSchedule> codegen::scheduleGemv(kernel::FuncOp kernel,
                                                  const CudaChip &chip) {
  GemvSchedule schedule;
  if (kernel.getRoot() != kernel::FusionRoot::Gemm ||
      !findProblem(kernel, schedule) ||
      (chip.hasWgmma() && suitsTensorCores(kernel, schedule)))
    return std::nullopt;
  linalg::GenericOp op = schedule.ops.front();
  Sizes sizes{chip};
  sizes.batch = std::max<int64_t>(1, extent(op, schedule.batch, 1));
  sizes.columns =
      std::max<int64_t>(1, extent(op, schedule.columns, unknownSize));
  sizes.k = std::max<int64_t>(1, extent(op, schedule.k, unknownSize));
  sizes.maxBlocks = chip.hasClusters() ? maxBlocks : 1;
  sizes.accessBytes =
      schedule.vectorSize * sourceBytes(op.getOperand(schedule.matrix));
  if (schedule.alongK)
    cutAlongK(schedule, sizes);
  else
    cutAlongColumns(schedule, sizes);
  limitRegisters(schedule, sizes);
  return schedule;
}

int64_t GemvSchedule::sharedBytes() const {
  linalg::GenericOp first = ops.front();
  Type number =
      ElementEmitter::computeType(getElementTypeOrSelf(first.getResult(0)));
  int64_t rows = rowsAtOnce(number) * parts + (blocks > 1 ? rowCount : 0);
  int64_t bytes =
      rows * contractions() * tile() * number.getIntOrFloatBitWidth() / 8;
  if (ofRows.empty())
    return bytes;
  // 32 partial results of each reduction lie beside them.
  auto type = cast<RankedTensorType>(vectors().getType());
  Type element = ElementEmitter::storageType(type.getElementType());
  return bytes + 32 * 8 * int64_t(ofRows.size()) +
         type.getNumElements() * int64_t(element.getIntOrFloatBitWidth()) / 8;
}

/// The rule that what was read breaks.
static StringRef brokenRule(const GemvSchedule &schedule, int64_t maxVector,
                            const CudaChip &chip) {
  auto isPower = [](int64_t number, int64_t maximum) {
    return llvm::isPowerOf2_64(number) && number <= maximum;
  };
  if (!isPower(schedule.width, 32))
    return "the threads along the matrix are a power of two up to 32";
  if (!isPower(schedule.vectorSize, maxVector))
    return "an access has a power of two of elements, up to 16 bytes, that "
           "divides the matrix's rows";
  if (schedule.depth > 16)
    return "a thread has at most 16 accesses in flight";
  if (!schedule.alongK && (schedule.groups > 1 || schedule.columnsEach > 1))
    return "where the matrix is contiguous along the result's columns, there "
           "is one group, and a thread's columns are those of an access";
  if (schedule.groups > 1024 || schedule.parts > 1024 ||
      schedule.threads() > 1024 || schedule.threads() % 32 != 0)
    return "a block has whole warps, of 1024 threads at most";
  if (schedule.residentBlocks > chip.residentThreads / schedule.threads())
    return "a multiprocessor has room for the threads of its blocks";
  if (!isPower(schedule.blocks, chip.hasClusters() ? maxBlocks : 1))
    return "a cluster has 1, 2, 4 or 8 blocks, and 1 where the GPU has none";
  if (schedule.columnsEach > maxEach ||
      schedule.contractions() * schedule.sumsEach() > maxSums)
    return "a thread has registers for 128 accumulators";
  if (schedule.sharedBytes() > maxPartBytes + 16 * 1024)
    return "shared memory has room for the partial sums of all parts: 48 KB";
  return {};
}

std::optional<GemvSchedule>
codegen::readGemvSchedule(kernel::FuncOp kernel,
                          kernel::GemvScheduleAttr attribute,
                          const CudaChip &chip, StringRef &rule) {
  GemvSchedule schedule;
  rule = "the kernel's contractions have at most eight rows or columns, and "
         "are alike";
  if (!findProblem(kernel, schedule))
    return std::nullopt;
  int64_t maxVector = schedule.vectorSize;
  schedule.width = attribute.getWidth();
  schedule.groups = attribute.getGroups();
  schedule.parts = attribute.getParts();
  schedule.columnsEach = attribute.getColumns();
  schedule.depth = attribute.getDepth();
  schedule.vectorSize = attribute.getVector();
  schedule.blocks = attribute.getCluster();
  schedule.residentBlocks = attribute.getResident();
  rule = ::brokenRule(schedule, maxVector, chip);
  if (!rule.empty())
    return std::nullopt;
  schedule.lastDepth = lastDepthOf(schedule);
  return schedule;
}
