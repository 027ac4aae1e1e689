//===- LoopVersions.cpp - Loops that permute few and many elements --------===//
//
// A loop that reads a tensor across its contiguous dimension goes through tiles
// in shared memory, which are small where large ones would leave
// multiprocessors without work. Where one size is known at run time only ->
// kernels for few and for many elements, and one for the usual size, whose code
// is that of a static program. So is that of each of the shortest sizes, where
// short ones are usual: only dimensions of known sizes can be parts of a run
// (PermuteBox.h).
//
//===----------------------------------------------------------------------===//

#include "Versions.h"

#include "Codegen/CUDA/MemoryBound/TransposeTile.h"
#include "Codegen/Emit/KernelSizes.h"

#include <cmath>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Usual sizes up to this one are short. Each of the first ones has a version,
/// and each power of two behind them.
static constexpr int64_t maxShort = 64, maxEach = 8;

/// Whether `op` reads a tensor whose last dimension is not the last one of its
/// loops, which goes along another dimension of the tensor. Dimensions of one
/// element do not count.
static bool readsAcross(linalg::GenericOp op) {
  if (op.getNumReductionLoops() > 0)
    return false;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> loops;
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (extent != 1)
      loops.push_back(loop);
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    SmallVector<unsigned> own;
    for (AffineExpr at : op.getMatchingIndexingMap(operand).getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(at);
          dim && extents[dim.getPosition()] != 1)
        own.push_back(dim.getPosition());
    return own.size() > 1 && own.back() != loops.back() &&
           llvm::is_contained(own, loops.back());
  });
}

namespace {
/// The elements of a result, an expression of index argument `symbol` alone.
struct ElementCount {
  AffineExpr count;
  unsigned symbol;

  /// The largest size of `range` with fewer than `limit` elements; one less
  /// than its smallest where there is none. Elements grow with the size.
  int64_t lastBelow(const Interval &range, int64_t limit) const;
};
} // namespace

int64_t ElementCount::lastBelow(const Interval &range, int64_t limit) const {
  MLIRContext *context = count.getContext();
  auto isBelow = [&](int64_t size) {
    AffineExpr known = count.replace(getAffineSymbolExpr(symbol, context),
                                     getAffineConstantExpr(size, context));
    auto elements = dyn_cast<AffineConstantExpr>(known);
    return elements && elements.getValue() < limit;
  };
  int64_t below = range.lo - 1, above = range.hi + 1;
  while (above - below > 1) {
    int64_t middle = below + (above - below) / 2;
    (isBelow(middle) ? below : above) = middle;
  }
  return below;
}

/// Nothing where the elements are of no index argument or of several.
static std::optional<ElementCount> elementsOf(linalg::GenericOp op,
                                              unsigned symbols) {
  AffineExpr count =
      extentExpr(op, llvm::to_vector(llvm::seq<unsigned>(op.getNumLoops())));
  if (!count)
    return std::nullopt;
  auto isOf = [&](unsigned symbol) { return count.isFunctionOfSymbol(symbol); };
  auto all = llvm::seq<unsigned>(symbols);
  auto found = llvm::filter_to_vector(all, isOf);
  if (found.size() != 1)
    return std::nullopt;
  return ElementCount{count, found.front()};
}

/// Sizes that a version ends at, in ascending order. One is for all that have
/// few elements.
static SmallVector<int64_t> endsOf(const ElementCount &elements,
                                   const kernel::SizeRange &range,
                                   const CudaChip &chip) {
  int64_t few = elements.lastBelow(range.values, fewElements);
  SmallVector<int64_t> ends = {few, range.opt - 1, range.opt};
  for (int64_t limit : transposeTileLimits(chip))
    ends.push_back(elements.lastBelow(range.values, limit));
  if (range.opt <= maxShort)
    for (int64_t end = 1; end <= maxShort; end += end < maxEach ? 1 : end)
      ends.push_back(end);
  llvm::erase_if(ends, [&](int64_t end) { return end < few; });
  llvm::sort(ends);
  return ends;
}

/// Plans `kernel` for the sizes of its guard: index argument `symbol` has no
/// others.
static void narrow(kernel::FuncOp kernel, unsigned symbol) {
  kernel::SizesAttr sizes = *kernel.getSizes();
  SmallVector<int64_t> least(sizes.getMin()), opt(sizes.getOpt()),
      most(sizes.getMax());
  kernel::GuardAttr guard = *kernel.getGuard();
  least[symbol] = guard.getLeast();
  most[symbol] = guard.getMost();
  // The usual size where that is one of these; else tiles are for most of them,
  // not for the first or the last.
  if (opt[symbol] < guard.getLeast() || opt[symbol] > guard.getMost())
    opt[symbol] =
        std::llround(std::sqrt(double(std::max<int64_t>(1, guard.getLeast())) *
                               double(guard.getMost())));
  kernel.setSizesAttr(
      kernel::SizesAttr::get(kernel.getContext(), least, opt, most));
}

void codegen::chooseLoopVersions(kernel::FuncOp kernel, const CudaChip &chip,
                                 SymbolTable &symbols) {
  if (!mayHaveVersions(kernel) || kernel.getRoot() != kernel::FusionRoot::Loop)
    return;
  auto ops = kernel.getBody().getOps<linalg::GenericOp>();
  auto across = llvm::find_if(ops, readsAcross);
  if (across == ops.end())
    return;
  std::optional<ElementCount> elements =
      elementsOf(*across, kernel.getSizes()->getOpt().size());
  if (!elements)
    return;
  AffineExpr size = getAffineSymbolExpr(elements->symbol, kernel.getContext());
  std::optional<kernel::SizeRange> range = sizeRange(kernel, size);
  if (!range || range->values.hi > std::numeric_limits<int32_t>::max())
    return;
  SmallVector<RowRange> ranges =
      cutBehind(endsOf(*elements, *range, chip), range->values);
  if (ranges.size() < 2)
    return;
  for (kernel::FuncOp each :
       makeVersions(kernel, size, ranges, range->opt, symbols)) {
    narrow(each, elements->symbol);
    reportVersion(each, "loop", "indices of a dimension",
                  "tiles are planned for that many");
  }
}
