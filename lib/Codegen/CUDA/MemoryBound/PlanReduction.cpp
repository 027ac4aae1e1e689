//===- PlanReduction.cpp - How blocks divide a reduction ------------------===//
//
// The model: a block of 256 threads with 8 loads of 16 bytes each asks for 32
// KB at a time, which arrive some 0.8 us later, and the memory is saturated by
// one such block on each multiprocessor; four are on the way at a time, so that
// one loads while another combines. Blocks that share outputs cost the time of
// an atomic operation behind a fence and of one more round of loads, some 1.5
// us, in which the last of them reads what the others have.
//
// So an output's steps are divided until the GPU is full or threads have but a
// few. Strips of outputs are narrow enough that the block that joins them has
// 16 partial results for each of its threads; where that cannot be, it has more
// as the steps are more.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "RowPlan.h"

#include "Codegen/Emit/KernelSizes.h"

#include "tripy/Codegen/Passes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using Kind = ReductionPlan::Kind;

/// Threads of a block.
static constexpr int64_t reductionThreads = 256;
/// Bytes of the widest load.
static constexpr int64_t wideAccess = 16;
/// Partial results that a thread of the last block joins at most.
static constexpr int64_t partialsOfThread = 16;
/// Bytes side by side that a strip of columns has at least: two sectors of the
/// L2 cache.
static constexpr int64_t stripBytes = 64;
/// Threads, at most, that read on along memory for one output in Groups.
static constexpr int64_t longestGroup = 64;
/// Threads, for each of the blocks that fill the GPU, from which on more of
/// them do not pay (bench/results/notes-memory-bound.md, "few steps").
static constexpr int64_t enoughThreads = 128;
/// Steps that such a thread makes at most.
static constexpr int64_t maxFewSteps = 16;
/// Columns of so many rows are no work to share.
static constexpr int64_t shortColumn = 256;
/// Blocks from which on clusters are as fast as the blocks of a reduction,
/// whose loads of odd rows are of single elements. On an H200, us: a sum of 3 x
/// 50257 bf16 1.65, not 2.09, of 16 x 33001 1.56, not 2.96, of 10 x
/// 130001 2.37, not 3.25; of 3 x 65536 1.95, not 2.06; of one row, the same.
static constexpr int64_t blocksOfClusters = 9;
/// Loads of a whole row that a warp makes: more are for a block.
static constexpr int64_t loadsOfWarp = 16;

int64_t ReductionPlan::threads() const {
  return llvm::alignTo(width * height, 32);
}

bool ReductionPlan::mayShare() const {
  if (strips >= 0 && maxParts() <= 1)
    return false;
  return steps < 0 || steps > worthSteps * height;
}

int64_t ReductionPlan::maxPartials() const {
  // Strips that have parts are fewer than the blocks that fill the GPU, and
  // have three times as many parts at most (partsOf()).
  int64_t all = strips >= 0 ? strips * maxParts() : 3 * blocks;
  return all * outputs();
}

SmallVector<int64_t> ReductionPlan::workspace() const {
  if (!mayShare())
    return {};
  int64_t bytes = 0;
  for (linalg::GenericOp op : ops) {
    Type type =
        cast<RankedTensorType>(op.getResult(0).getType()).getElementType();
    Type stored =
        ElementEmitter::storageType(ElementEmitter::computeType(type));
    int64_t size = llvm::divideCeil(stored.getIntOrFloatBitWidth(), 8);
    bytes += llvm::alignTo(maxPartials() * size, 16);
  }
  int64_t counters = strips >= 0 ? strips : blocks;
  return {bytes, counters * 4};
}

//===----------------------------------------------------------------------===//
// What is reduced
//===----------------------------------------------------------------------===//

/// Whether element i of `tensor` depends on elements i of arguments alone, in
/// row-major order.
static bool hasElementsInOrder(Value tensor) {
  llvm::SetVector<Value> pending;
  pending.insert(tensor);
  for (size_t i = 0; i < pending.size(); ++i) {
    if (isa<BlockArgument>(pending[i]))
      continue;
    auto op = pending[i].getDefiningOp<linalg::GenericOp>();
    if (!op || op.getNumReductionLoops() > 0 ||
        !op.getIndexingMapsArray().back().isIdentity())
      return false;
    for (Operation &scalar : *op.getBlock())
      if (isa<linalg::IndexOp, tensor::ExtractOp>(scalar))
        return false;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (map.getNumResults() == 0)
        continue;
      if (!map.isIdentity())
        return false;
      pending.insert(input->get());
    }
  }
  return true;
}

bool codegen::isInOrder(linalg::GenericOp op) {
  for (Operation &scalar : *op.getBlock())
    if (isa<linalg::IndexOp, tensor::ExtractOp>(scalar))
      return false;
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return op.getMatchingIndexingMap(input).isIdentity() &&
           hasElementsInOrder(input->get());
  });
}

/// Whether `op` keeps its parallel loops in their order.
static bool keepsOrder(linalg::GenericOp op) {
  SmallVector<unsigned> parallel = loopDims(op).parallel;
  AffineMap map = op.getIndexingMapsArray().back();
  if (map.getNumResults() != parallel.size())
    return false;
  return llvm::all_of(llvm::zip(map.getResults(), parallel), [](auto pair) {
    auto dim = dyn_cast<AffineDimExpr>(std::get<0>(pair));
    return dim && dim.getPosition() == std::get<1>(pair);
  });
}

/// The reductions of `kernel`, if its results have one element for each output
/// and the reductions can be made at once.
static SmallVector<linalg::GenericOp> reductionsOf(kernel::FuncOp kernel) {
  SmallVector<linalg::GenericOp> ops;
  kernel::FusionRoot root = kernel.getRoot();
  if (root != kernel::FusionRoot::Row && root != kernel::FusionRoot::Reduce)
    return {};
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
    if (op.getNumReductionLoops() > 0)
      ops.push_back(op);
  if (ops.empty())
    return {};
  auto iterators = ops.front().getIteratorTypesArray();
  for (linalg::GenericOp op : ops) {
    if (!keepsOrder(op) || !combinerOf(op) ||
        op.getIteratorTypesArray() != iterators)
      return {};
    for (Value input : op.getDpsInputs())
      for (Value from : computedFrom(input))
        if (llvm::is_contained(ops, from.getDefiningOp()))
          return {};
  }
  // Sizes but 1.
  SmallVector<int64_t> outputs, loops = ops.front().getStaticLoopRanges();
  for (unsigned loop : loopDims(ops.front()).parallel)
    outputs.push_back(loops[loop]);
  llvm::erase(outputs, 1);
  for (Type result : kernel.getFunctionType().getResults()) {
    SmallVector<int64_t> shape(cast<RankedTensorType>(result).getShape());
    llvm::erase(shape, 1);
    if (shape.size() != outputs.size())
      return {};
  }
  return ops;
}

//===----------------------------------------------------------------------===//
// How it is divided
//===----------------------------------------------------------------------===//

namespace {
/// The iteration space of a reduction.
struct Space {
  /// A dimension; its size is -1 where that is dynamic.
  struct Dim {
    int64_t size = 1;
    /// What divides it in any case.
    int64_t factor = 1;
    bool isReduced = false;
  };
  SmallVector<Dim> dims;
  /// Points for each output, outputs, and points of the dimensions at the end
  /// that are reduced.
  int64_t points = 1, outputs = 1, trailing = 1;
  /// Outputs that are expected, 0 where nothing is known of them, and the most.
  int64_t expected = 0, most = 0;
  bool endsReduced = false, isApart = false;
  /// Bytes of an element in memory.
  int64_t bytes = 4;
};
} // namespace

/// A product that is dynamic where a factor is.
static int64_t times(int64_t a, int64_t b) {
  return a < 0 || b < 0 ? -1 : a * b;
}

/// Fills in `plan.dims`.
static Space spaceOf(ReductionPlan &plan, int64_t widest) {
  linalg::GenericOp op = plan.ops.front();
  Space space;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isReduced = type == utils::IteratorType::reduction;
    int64_t size = ShapedType::isDynamic(sizes[loop]) ? -1 : sizes[loop];
    bool joins = plan.isInOrder && !plan.dims.empty();
    // Dimensions of size 1 are of either kind.
    if (joins && space.dims.back().size == 1)
      space.dims.back().isReduced = isReduced;
    joins &= !plan.dims.empty() &&
             (space.dims.back().isReduced == isReduced || size == 1);
    if (!joins) {
      space.dims.push_back({1, 1, isReduced});
      plan.dims.emplace_back();
    }
    space.dims.back().size = times(space.dims.back().size, size);
    space.dims.back().factor *= std::max<int64_t>(1, size);
    plan.dims.back().loops.push_back(loop);
  }
  for (auto [dim, sized] : llvm::zip(plan.dims, space.dims))
    dim.isReduced = sized.isReduced;
  for (Space::Dim dim : space.dims) {
    int64_t &count = dim.isReduced ? space.points : space.outputs;
    count = times(count, dim.size);
  }
  kernel::SizeRange range =
      extentRange(op, loopDims(op).parallel, /*unknown=*/0);
  space.expected = range.opt;
  space.most = range.values.hi;
  size_t last = 0;
  for (Space::Dim dim : llvm::reverse(space.dims)) {
    if (!dim.isReduced)
      break;
    space.trailing = times(space.trailing, dim.size);
    ++last;
  }
  space.endsReduced = last > 0;
  space.isApart = space.endsReduced &&
                  llvm::any_of(ArrayRef(space.dims).drop_back(last),
                               [](Space::Dim dim) { return dim.isReduced; });
  space.bytes = 16 / widest;
  return space;
}

/// Whether columns of a dynamic number are few, and may be no whole vectors.
static bool hasFewColumns(const ReductionPlan &plan, const Space &space,
                          int64_t widest) {
  return space.outputs < 0 && space.most > 0 &&
         space.most <= foldedColumns.back() && plan.vectorSize < widest;
}

/// Rows whose elements are whole vectors, where those of one are not: a run of
/// rows and columns that lie together, and columns few enough for one strip.
/// The first row of all has no other dimension in front.
static int64_t foldOf(const ReductionPlan &plan, const Space &space,
                      int64_t widest) {
  if (!plan.isInOrder || space.dims.size() != 2 || space.endsReduced)
    return 1;
  if (hasFewColumns(plan, space, widest))
    return space.points < 0 || space.points >= 8 * widest ? widest : 1;
  if (space.outputs <= 0)
    return 1;
  int64_t fold = widest / std::gcd(widest, space.outputs);
  bool fits = space.outputs * fold / widest <= reductionThreads &&
              space.outputs <= reductionThreads;
  return fits && (space.points < 0 || space.points >= 8 * fold) ? fold : 1;
}

/// Strips of columns: as narrow as the block that joins their parts needs it,
/// and as wide as memory does.
static void divideColumns(ReductionPlan &plan, const Space &space) {
  int64_t v = plan.vectorSize;
  if (plan.fold > 1) {
    plan.width =
        (space.outputs < 0 ? space.most : space.outputs) * plan.fold / v;
    plan.height = reductionThreads / plan.width;
    plan.steps = space.points < 0 ? -1 : space.points / plan.fold;
    plan.strips = 1;
    return;
  }
  int64_t least = llvm::divideCeil(stripBytes, space.bytes * v);
  if (space.outputs < 0 && space.expected == 0) {
    plan.width = llvm::divideCeil(2 * stripBytes, space.bytes * v);
  } else {
    int64_t vectors = std::max<int64_t>(1, space.most / v);
    int64_t joined = reductionThreads * partialsOfThread;
    // Of a dynamic number there may be fewer.
    int64_t usual = space.outputs < 0 ? space.expected / 4 : space.expected;
    // strips * parts fill the GPU, and parts * outputs are what is joined.
    while (least * 2 * v <= reductionThreads &&
           least * least * 4 * v * v * plan.blocks <= joined * usual)
      least *= 2;
    plan.width = std::min(least, vectors);
    // One strip of whatever width saves the join of a second.
    if (space.outputs >= 0 && vectors * v <= 64)
      plan.width = vectors;
  }
  plan.width = std::min(plan.width, reductionThreads / v);
  plan.height = std::max<int64_t>(1, reductionThreads / plan.width);
  plan.steps = space.points;
  plan.strips =
      space.outputs < 0
          ? -1
          : llvm::divideCeil(space.outputs, plan.width * plan.vectorSize);
}

/// Outputs of a block of Groups. Neighbouring outputs fill a warp, unless each
/// multiprocessor has a block only with fewer. Of many outputs, those of few
/// steps have fewer threads each.
static int64_t outputsOfGroups(const ReductionPlan &plan, const Space &space,
                               const CudaChip &chip) {
  int64_t count = std::max<int64_t>(1, 32 / plan.group);
  if (space.outputs <= 0)
    return count;
  while (count > 1 && space.outputs >= chip.multiprocessors &&
         int64_t(llvm::divideCeil(space.outputs, count)) < chip.multiprocessors)
    count /= 2;
  if (plan.steps > 0) {
    int64_t height = llvm::PowerOf2Ceil(plan.steps);
    int64_t enough = plan.blocks * enoughThreads;
    while (height > 1 && 2 * plan.steps <= maxFewSteps * height &&
           space.outputs * plan.group * height / 2 >= enough)
      height /= 2;
    count = std::max(count, reductionThreads / (plan.group * height));
  }
  return std::min(count, space.outputs);
}

static void divideGroups(ReductionPlan &plan, const Space &space,
                         const CudaChip &chip) {
  plan.group = space.trailing / plan.vectorSize;
  plan.steps = space.points < 0 ? -1 : space.points / space.trailing;
  int64_t count = outputsOfGroups(plan, space, chip);
  plan.width = plan.group * count;
  plan.height = reductionThreads / plan.width;
  plan.strips = space.outputs < 0 ? -1 : llvm::divideCeil(space.outputs, count);
}

static void divideRows(ReductionPlan &plan, const Space &space) {
  plan.steps = space.points < 0 ? -1 : space.points / plan.vectorSize;
  plan.height =
      plan.steps >= 0 && plan.steps <= 32 * loadsOfWarp ? 32 : reductionThreads;
  plan.width = reductionThreads / plan.height;
  plan.strips =
      space.outputs < 0 ? -1 : llvm::divideCeil(space.outputs, plan.width);
}

static void divide(ReductionPlan &plan, const Space &space,
                   const CudaChip &chip) {
  switch (plan.kind) {
  case Kind::Columns:
    divideColumns(plan, space);
    break;
  case Kind::Groups:
    divideGroups(plan, space, chip);
    break;
  case Kind::Rows:
    divideRows(plan, space);
    break;
  }
  if (plan.steps >= 0)
    plan.height = std::min<int64_t>(
        plan.height, llvm::PowerOf2Ceil(std::max<int64_t>(
                         plan.kind == Kind::Rows ? 32 : 1, plan.steps)));
  plan.fewParts = reductionThreads * partialsOfThread / plan.outputs();
  plan.inFlight = plan.vectorSize * space.bytes >= 8 ? 8 : 16;
}

/// Blocks of a multiprocessor: as many as have enough loads in flight, and
/// where these are of 16 bytes, half of those that it has room for. Else the
/// next kernel's blocks, which start early, wait for room, and most of them get
/// it where blocks end first: some multiprocessors then had twice the work of
/// others. A sum of 516096 x 56 f32 behind another one took 46.9 us, and takes
/// 33.8 (bench/results/notes-memory-bound.md).
static int64_t blocksOfEach(const ReductionPlan &plan, const Space &space,
                            const CudaChip &chip) {
  bool isWide =
      plan.kind == Kind::Columns && plan.vectorSize * space.bytes == wideAccess;
  return isWide ? std::max<int64_t>(1, chip.residentReductions / 2)
                : chip.residentReductions;
}

/// Whether the emitters that give each output one block, or a cluster, leave
/// the GPU idle.
static bool leavesIdle(linalg::GenericOp op, const Space &space,
                       const CudaChip &chip, int64_t vectorSize) {
  LoopDims dims = loopDims(op);
  Interval columns = extentRange(op, dims.reduction, 0).values;
  // Where nothing is known of them, none are expected.
  int64_t outputs = space.expected;
  // Columns are as many as are expected; rows have versions for few and for
  // many of them.
  if (space.isApart)
    return true;
  if (space.endsReduced) {
    // Rows of their emitter have a block each, and up to 8 if they are long.
    if (columns.lo > 0 && columns.hi <= longestRow)
      return false;
    bool isLoop =
        !chip.hasClusters() || space.points > maxBlocksOfRow * longestPart;
    int64_t blocks = isLoop ? 1 : llvm::divideCeil(space.points, longestPart);
    int64_t enough = isLoop ? chip.multiprocessors : blocksOfClusters;
    return space.points < 0 || outputs * blocks < enough;
  }
  // Where a thread or a few have a column there are many blocks, and clusters
  // of 8 blocks for each strip fill the GPU as well.
  if (space.points >= 0 && space.points <= shortColumn)
    return false;
  return space.dims.back().size < 0 ||
         outputs < chip.columnBlocks / 8 * columnVectors * vectorSize;
}

std::optional<ReductionPlan> codegen::planReduction(kernel::FuncOp kernel,
                                                    const CudaChip &chip) {
  ReductionPlan plan;
  plan.ops = reductionsOf(kernel);
  if (plan.ops.empty())
    return std::nullopt;
  int64_t widest = vectorSizeOf(kernel);
  plan.isInOrder = llvm::all_of(plan.ops, [](linalg::GenericOp each) {
    return codegen::isInOrder(each);
  });
  Space space = spaceOf(plan, widest);
  plan.vectorSize = std::gcd(widest, space.dims.back().factor);
  // A row kernel has the last dimensions alone.
  bool isRow = kernel.getRoot() == kernel::FusionRoot::Row;
  if ((isRow || !space.endsReduced) &&
      !leavesIdle(plan.ops.front(), space, chip, plan.vectorSize))
    return std::nullopt;
  if (!space.endsReduced)
    plan.kind = Kind::Columns;
  else if (space.isApart && space.trailing > 0 &&
           space.trailing / plan.vectorSize <= longestGroup)
    plan.kind = Kind::Groups;
  else
    plan.kind = Kind::Rows;
  plan.isFlat = plan.isInOrder && space.dims.size() == 1;
  plan.fold = foldOf(plan, space, widest);
  if (plan.isFlat || plan.fold > 1)
    plan.vectorSize = widest;
  plan.blocks = blocksOfEach(plan, space, chip) * chip.multiprocessors;
  divide(plan, space, chip);
  return plan;
}
