//===- WgmmaPlan.cpp - When and how tensor cores are used -----------------===//

#include "WgmmaGemm.h"

#include "tripy/Dialect/Tripy/Tripy.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Multiprocessors that tiles are spread over: those of an H100 or H200.
static constexpr int64_t multiprocessors = 132;

static int64_t tensorNumber(kernel::FuncOp kernel, BlockArgument argument) {
  int64_t number = 0;
  for (BlockArgument other :
       kernel.getBody().getArguments().take_front(argument.getArgNumber()))
    number += isa<RankedTensorType>(other.getType());
  return number;
}

/// Whether loops `dims` are the results [first, first + size) of `map`, in
/// order.
static bool standAt(AffineMap map, unsigned first, ArrayRef<unsigned> dims) {
  for (auto [i, dim] : llvm::enumerate(dims)) {
    auto expr = dyn_cast<AffineDimExpr>(map.getResult(first + i));
    if (!expr || expr.getPosition() != dim)
      return false;
  }
  return true;
}

/// The end of a part's dimension that is the buffer's, or one that only the
/// run-time size tells, at or before the buffer's.
static constexpr int64_t whole = -1, unknownEnd = -2;

/// Follows parts of tensors back to the argument that holds them, and says
/// where the part begins and ends in each dimension.
static BlockArgument findBuffer(Value tensor, SmallVectorImpl<int64_t> &begin,
                                SmallVectorImpl<int64_t> &end) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  begin.assign(rank, 0);
  end.assign(rank, whole);
  while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
    RankedTensorType from = slice.getSourceType(), to = slice.getType();
    if (from.getRank() != rank || to.getRank() != rank)
      return BlockArgument();
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t offset = slice.getStaticOffsets()[dim];
      int64_t size = slice.getStaticSizes()[dim];
      if (slice.getStaticStrides()[dim] != 1 || ShapedType::isDynamic(offset))
        return BlockArgument();
      // What an inner part ends at is nearer than what the outer one does.
      if (end[dim] >= 0)
        end[dim] += offset;
      else if (ShapedType::isDynamic(size))
        end[dim] = unknownEnd;
      else if (offset != 0 || size != from.getDimSize(dim))
        end[dim] = offset + size;
      begin[dim] += offset;
    }
    tensor = slice.getSource();
  }
  return dyn_cast<BlockArgument>(tensor);
}

/// Recognises [batch, outer..., k] and [batch, k, outer].
static std::optional<WgmmaOperand>
recognise(kernel::FuncOp kernel, const WgmmaPlan &plan, linalg::GenericOp op,
          unsigned number, ArrayRef<unsigned> outer) {
  OpOperand &operand = op->getOpOperand(number);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  unsigned first = plan.batch.size();
  if (!isa<RankedTensorType>(operand.get().getType()) || plan.k.size() != 1 ||
      map.getNumResults() != first + outer.size() + 1 ||
      !standAt(map, 0, plan.batch))
    return std::nullopt;
  SmallVector<int64_t> begin, end;
  BlockArgument argument = findBuffer(operand.get(), begin, end);
  if (!argument)
    return std::nullopt;
  auto type = cast<RankedTensorType>(argument.getType());
  int64_t inner = type.getShape().back();
  if (ShapedType::isDynamic(inner) || inner == 0 ||
      inner * plan.elementBytes % 16 != 0)
    return std::nullopt;
  WgmmaOperand found;
  found.buffer = tensorNumber(kernel, argument);
  found.batched = !plan.batch.empty();
  found.rowBytes = inner * plan.elementBytes;
  found.innerBegin = begin.back();
  found.innerEnd = end.back();
  found.kMajor =
      standAt(map, first, outer) && standAt(map, first + outer.size(), plan.k);
  // A part may be cut in its rows when they are one dimension. Rows beyond an
  // end that is not known are multiplied for nothing; K has to be known.
  for (size_t dim = 0; dim + 1 < begin.size(); ++dim) {
    bool rows = dim == first && begin.size() == first + 2;
    if (end[dim] == whole)
      continue;
    if (!rows || (end[dim] == unknownEnd && !found.kMajor))
      return std::nullopt;
    found.outerBegin = begin[dim];
    found.outerEnd = std::max(end[dim], whole);
  }
  if (end.back() == unknownEnd)
    return std::nullopt;
  if (found.kMajor)
    return found;
  // Instructions for elements of 16 bits alone read K across the rows.
  if (plan.elementBytes == 2 && outer.size() == 1 &&
      standAt(map, first, plan.k) && standAt(map, first + 1, outer))
    return found;
  return std::nullopt;
}

/// Product of the static sizes of loops; dynamic ones count as `unknown`.
static int64_t extent(linalg::GenericOp op, ArrayRef<unsigned> loops,
                      int64_t unknown) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t product = 1;
  for (unsigned loop : loops)
    product *= ShapedType::isDynamic(ranges[loop]) ? unknown : ranges[loop];
  return product;
}

namespace {
/// A way to cut a contraction.
struct Tile {
  int64_t m, n;
  bool pingPong;
  /// Blocks that share the slices of B, and of A where there is one row of
  /// tiles only.
  int64_t sharingB, sharingA;
};
} // namespace

/// Measured on an H200 (bench/results/notes-gemm.md): sharing pays with tiles
/// of 128 rows, and most where one row of tiles makes all blocks read the same
/// few lines of the L2 cache at once.
static constexpr Tile tiles[] = {
    {128, 256, false, 1, 1}, {128, 192, false, 1, 1}, {128, 128, true, 2, 2},
    {128, 128, false, 2, 2}, {128, 64, false, 1, 1},  {64, 256, false, 1, 4},
    {64, 192, false, 1, 4},  {64, 128, false, 1, 4},  {64, 64, false, 1, 4}};

/// Parts that K may be split into, and what joining them costs in cycles: two
/// waits for the cluster, and the tile through distributed shared memory at 32
/// bytes a cycle.
static constexpr int64_t splits[] = {2, 3, 4, 6, 8};
static double joinCycles(const WgmmaTile &tile) {
  return 1500 + double(tile.m) * tile.n * 4 / 32;
}
/// A split is taken when it promises this share of the time or less.
static constexpr double splitGain = 0.8;
/// Rows that begin within a line of the L2 cache cost more traffic.
static constexpr double brokenLines = 1.6;
/// Bytes that memory delivers to all multiprocessors in a cycle.
static constexpr double memoryBytes = 2450;

namespace {
/// What the choice of a tile depends on.
struct Problem {
  int64_t m, n, k, batch, parts, elementBytes;
  bool boxes;
  /// The number of tiles is, when the kernel is compiled.
  bool known;
  double traffic = 1;

  explicit Problem(const WgmmaPlan &plan, bool boxes)
      : m(extent(plan.op(), plan.m, 4096)), n(extent(plan.op(), plan.n, 4096)),
        k(extent(plan.op(), plan.k, 4096)),
        batch(extent(plan.op(), plan.batch, 1)), parts(plan.parts()),
        elementBytes(plan.elementBytes), boxes(boxes),
        known(extent(plan.op(), plan.m, 0) * extent(plan.op(), plan.batch, 0) >
              0) {
    for (const WgmmaOperand &b : plan.b)
      if (b.rowBytes % 128 != 0 || plan.a.rowBytes % 128 != 0)
        traffic = brokenLines;
  }

  /// Blocks share A where there is one row of tiles, else B.
  bool oneRow(const WgmmaTile &tile) const { return m <= tile.m; }

  /// Cycles that reading the operands from memory takes at least.
  double floor() const {
    double elements = double(m) * k + double(n) * parts * k;
    return batch * elements * elementBytes / memoryBytes;
  }
};
} // namespace

/// Cycles of one tile: arithmetic at 4096 bytes times columns a cycle (2048
/// multiply-adds of 16 bits), or traffic from the L2 cache at 48 bytes a cycle,
/// whichever is larger; then the epilogue at 5 elements a cycle, or at 15 with
/// stored boxes. Consumers that take turns hide it, while their main loop is 15
/// % slower.
static double cyclesOf(const WgmmaTile &tile, const Problem &of,
                       int64_t waves) {
  double bytes = double(of.k) * of.elementBytes / tile.split;
  double elements = double(tile.m) * tile.n;
  double arithmetic = elements * bytes / 4096;
  double rowsA = double(tile.m) / (of.oneRow(tile) ? tile.cluster : 1);
  double rowsB = double(tile.n) / (of.oneRow(tile) ? 1 : tile.cluster);
  double mainLoop =
      std::max({arithmetic, (rowsA + rowsB) * bytes * of.traffic / 48,
                of.floor() / waves});
  if (tile.split > 1)
    return mainLoop + joinCycles(tile) + elements / tile.split / 5;
  double epilogue = elements / (of.boxes ? 15 : 5);
  return tile.pingPong && waves > 1 ? std::max(1.15 * mainLoop, epilogue)
                                    : mainLoop + epilogue;
}

/// Cycles of the contraction: waves of blocks, where clusters are whole.
static double costOf(const WgmmaTile &tile, const Problem &of) {
  int64_t rows = llvm::divideCeil(of.m, tile.m);
  int64_t columns = llvm::divideCeil(of.n, tile.n / of.parts);
  (of.oneRow(tile) ? columns : rows) =
      llvm::alignTo(of.oneRow(tile) ? columns : rows, tile.cluster);
  int64_t blocks = rows * columns * of.batch * tile.split;
  int64_t waves = llvm::divideCeil(blocks, multiprocessors);
  return waves * cyclesOf(tile, of, waves);
}

/// Whether the part of a slice that one of `blocks` blocks copies is made of
/// whole swizzle atoms, or of whole boxes of 64 rows.
static bool canShare(const WgmmaOperand &operand, int64_t rows,
                     int64_t blocks) {
  return rows / blocks % (operand.kMajor ? 8 : 64) == 0;
}

/// Whether the tile suits: the columns of each contraction in it are whole
/// pieces of the epilogue and of the copies, and slices can be shared or split.
static bool suits(const WgmmaPlan &plan, const Problem &of,
                  const WgmmaTile &tile) {
  int64_t part = tile.n / plan.parts();
  int64_t piece = plan.b.front().kMajor ? 16 : 64;
  if (tile.n % plan.parts() != 0 || part % piece != 0)
    return false;
  if (tile.cluster > 1) {
    bool oneRow = of.oneRow(tile);
    int64_t tiles =
        oneRow ? llvm::divideCeil(of.n, part) : llvm::divideCeil(of.m, tile.m);
    if (tiles < tile.cluster ||
        !(oneRow ? canShare(plan.a, tile.m, tile.cluster)
                 : canShare(plan.b.front(), part, tile.cluster)))
      return false;
  }
  // Blocks that split K have one tile each.
  return tile.split == 1 || (of.known && of.k / plan.tileK() >= tile.split);
}

static void useTile(WgmmaPlan &plan, const Problem &of, const WgmmaTile &tile) {
  plan.tileM = tile.m;
  plan.tileN = tile.n;
  plan.pingPong = tile.pingPong;
  plan.splitsK = tile.split > 1;
  plan.cluster = plan.splitsK ? tile.split : tile.cluster;
  plan.sharesA = !plan.splitsK && tile.cluster > 1 && of.oneRow(tile);
}

/// Picks the tile of least cost.
static bool chooseTile(WgmmaPlan &plan, const Problem &of) {
  std::optional<WgmmaTile> best;
  auto consider = [&](const WgmmaTile &tile, double gain) {
    if (suits(plan, of, tile) &&
        (!best || costOf(tile, of) < gain * costOf(*best, of)))
      best = tile;
  };
  for (const Tile &tile : tiles)
    for (int64_t cluster : {int64_t(1), tile.sharingA, tile.sharingB}) {
      WgmmaTile shared{tile.m, tile.n, tile.pingPong, cluster, 1};
      if (cluster == (of.oneRow(shared) ? tile.sharingA : tile.sharingB) ||
          cluster == 1)
        consider(shared, 1);
    }
  for (const Tile &tile : tiles)
    for (int64_t split : splits) {
      WgmmaTile parts{tile.m, tile.n, false, 1, split};
      int64_t blocks = llvm::divideCeil(of.m, tile.m) *
                       llvm::divideCeil(of.n, tile.n / of.parts) * of.batch;
      if (!tile.pingPong && blocks * split <= multiprocessors &&
          of.k >= 4 * split * plan.tileK())
        consider(parts, best && best->split == 1 ? splitGain : 1);
    }
  if (best)
    useTile(plan, of, *best);
  return best.has_value();
}

/// Whether TMA can store the results: rows of 16-bit or 32-bit floats, in the
/// order of the contraction's, and nothing to read that has as many elements
/// (which threads read better in runs of a row).
static bool canStoreBoxes(kernel::FuncOp kernel, const WgmmaPlan &plan) {
  int64_t columns = extent(plan.op(), plan.n, 1);
  int64_t bits = 0;
  for (Type result : kernel.getFunctionType().getResults()) {
    auto type = cast<RankedTensorType>(result);
    int64_t width =
        type.getElementType().isFloat() ? type.getElementTypeBitWidth() : 0;
    if ((width != 16 && width != 32) || (bits != 0 && width != bits))
      return false;
    bits = width;
  }
  if (columns * bits / 8 % 16 != 0)
    return false;
  // The rows of the result are loops m in order, after the batch.
  AffineMap map = plan.op().getIndexingMapsArray().back();
  SmallVector<unsigned> order(plan.batch);
  llvm::append_range(order, plan.m);
  llvm::append_range(order, plan.n);
  if (map.getNumResults() != order.size() || !standAt(map, 0, order))
    return false;
  for (auto [number, argument] :
       llvm::enumerate(kernel.getBody().getArguments())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    int64_t tensor = type ? tensorNumber(kernel, argument) : -1;
    bool operand = tensor == plan.a.buffer ||
                   llvm::any_of(plan.b, [&](const WgmmaOperand &b) {
                     return b.buffer == tensor;
                   });
    if (type && !operand &&
        (!type.hasStaticShape() || type.getNumElements() > 2 * columns))
      return false;
  }
  return true;
}

/// The instruction's name of what it multiplies; nothing for other types.
static std::optional<NVVM::WGMMATypes> instructionType(linalg::GenericOp op) {
  auto left = dyn_cast<RankedTensorType>(op.getInputs()[0].getType());
  auto right = dyn_cast<RankedTensorType>(op.getInputs()[1].getType());
  if (!left || !right || left.getElementType() != right.getElementType())
    return std::nullopt;
  Type element = left.getElementType();
  if (element.isF16())
    return NVVM::WGMMATypes::f16;
  if (element.isBF16())
    return NVVM::WGMMATypes::bf16;
  if (isa<Float8E4M3FNType>(element))
    return NVVM::WGMMATypes::e4m3;
  if (element.isF32() && op->hasAttr(allowTF32AttrName))
    return NVVM::WGMMATypes::tf32;
  return std::nullopt;
}

static bool sameLoops(ArrayRef<unsigned> loops,
                      const SmallVectorImpl<unsigned> &found) {
  return llvm::equal(loops, found);
}

/// Takes over the contractions of `kernel`; false when they are not of one
/// size, of one type, with one A.
static bool takeContractions(kernel::FuncOp kernel, WgmmaPlan &plan) {
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    auto dims = linalg::inferContractionDims(op);
    if (failed(dims) || op.getNumDpsInputs() != 2)
      return false;
    std::optional<NVVM::WGMMATypes> type = instructionType(op);
    auto result = cast<RankedTensorType>(op.getResult(0).getType());
    if (!type || !result.getElementType().isF32())
      return false;
    if (plan.ops.empty()) {
      plan.batch.assign(dims->batch.begin(), dims->batch.end());
      plan.m.assign(dims->m.begin(), dims->m.end());
      plan.n.assign(dims->n.begin(), dims->n.end());
      plan.k.assign(dims->k.begin(), dims->k.end());
      plan.type = *type;
      auto element = cast<RankedTensorType>(op.getInputs()[0].getType());
      plan.elementBytes = element.getElementTypeBitWidth() / 8;
    } else {
      linalg::GenericOp first = plan.op();
      if (*type != plan.type || op.getInputs()[0] != first.getInputs()[0] ||
          result != first.getResult(0).getType() ||
          op.getIndexingMapsArray()[0] != first.getIndexingMapsArray()[0] ||
          op.getIndexingMapsArray()[2] != first.getIndexingMapsArray()[2] ||
          !sameLoops(dims->batch, plan.batch) || !sameLoops(dims->m, plan.m) ||
          !sameLoops(dims->n, plan.n) || !sameLoops(dims->k, plan.k))
        return false;
    }
    plan.ops.push_back(op);
  }
  return !plan.ops.empty() && plan.ops.size() <= 4;
}

std::optional<WgmmaTile> codegen::parseWgmmaTile(StringRef text) {
  WgmmaTile tile;
  auto [size, rest] = text.split(',');
  auto [m, n] = size.split('x');
  if (m.getAsInteger(10, tile.m) || n.getAsInteger(10, tile.n))
    return std::nullopt;
  while (!rest.empty()) {
    auto [word, more] = rest.split(',');
    if (word == "turns")
      tile.pingPong = true;
    else if (!(word.consume_front("cluster=") &&
               !word.getAsInteger(10, tile.cluster)) &&
             !(word.consume_front("split=") &&
               !word.getAsInteger(10, tile.split)))
      return std::nullopt;
    rest = more;
  }
  bool suits = (tile.m == 64 || tile.m == 128) && tile.n >= 16 &&
               tile.n <= 256 && tile.n % 16 == 0 && tile.cluster >= 1 &&
               tile.cluster <= 8 && tile.split >= 1 && tile.split <= 8 &&
               (tile.split == 1 || (tile.cluster == 1 && !tile.pingPong)) &&
               (!tile.pingPong || tile.m * tile.n <= 128 * 128);
  return suits ? std::optional(tile) : std::nullopt;
}

std::optional<WgmmaPlan> codegen::planWgmma(kernel::FuncOp kernel,
                                            std::optional<WgmmaTile> wanted) {
  WgmmaPlan plan;
  if (!takeContractions(kernel, plan) || plan.n.size() != 1 || plan.m.empty())
    return std::nullopt;
  // The columns' number decides how results are stored.
  if (extent(plan.op(), plan.n, 0) == 0)
    return std::nullopt;
  auto a = recognise(kernel, plan, plan.op(), 0, plan.m);
  if (!a)
    return std::nullopt;
  plan.a = *a;
  for (linalg::GenericOp op : plan.ops) {
    auto b = recognise(kernel, plan, op, 1, plan.n);
    if (!b || (!plan.b.empty() && b->kMajor != plan.b.front().kMajor))
      return std::nullopt;
    plan.b.push_back(*b);
  }
  // Coordinates of copies and numbers of tiles have 32 bits.
  for (const auto &dims : {plan.batch, plan.m, plan.n, plan.k})
    if (extent(plan.op(), dims, 0) > INT32_MAX)
      return std::nullopt;
  bool boxes = canStoreBoxes(kernel, plan);
  Problem of(plan, boxes);
  if (wanted && suits(plan, of, *wanted))
    useTile(plan, of, *wanted);
  else if (!chooseTile(plan, of))
    return std::nullopt;
  auto result = cast<RankedTensorType>(kernel.getFunctionType().getResult(0));
  int64_t boxColumns =
      boxes ? 128 * 8 / int64_t(result.getElementTypeBitWidth()) : 1;
  if (boxes && !plan.splitsK && plan.partN() % boxColumns == 0)
    plan.store = WgmmaStore::Boxes;
  int64_t stageBytes = (plan.tileM + plan.tileN) * 128;
  int64_t epilogueBytes = plan.consumers() * plan.stagingBytes();
  plan.stages =
      std::min<int64_t>(8, (227 * 1024 - 1024 - epilogueBytes) / stageBytes);
  return plan;
}
