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

/// The elements of a result of `op`, an expression of one index argument;
/// null where they are of none or of several.
static AffineExpr elementsOf(linalg::GenericOp op, unsigned symbols,
                             unsigned &symbol) {
  AffineExpr elements =
      extentExpr(op, llvm::to_vector(llvm::seq<unsigned>(op.getNumLoops())));
  if (!elements)
    return {};
  unsigned found = 0;
  for (unsigned each = 0; each < symbols; ++each)
    if (elements.isFunctionOfSymbol(each)) {
      symbol = each;
      ++found;
    }
  return found == 1 ? elements : AffineExpr();
}

/// The largest size of `range` with fewer than `limit` elements; one less than
/// its smallest where there is none. Elements grow with the size.
static int64_t lastBelow(AffineExpr elements, unsigned symbols, unsigned symbol,
                         const Interval &range, int64_t limit) {
  MLIRContext *context = elements.getContext();
  auto isBelow = [&](int64_t size) {
    AffineExpr known = elements.replace(getAffineSymbolExpr(symbol, context),
                                        getAffineConstantExpr(size, context));
    auto count = dyn_cast<AffineConstantExpr>(known);
    return count && count.getValue() < limit;
  };
  int64_t below = range.lo - 1, above = range.hi + 1;
  while (above - below > 1) {
    int64_t middle = below + (above - below) / 2;
    (isBelow(middle) ? below : above) = middle;
  }
  return below;
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
  opt[symbol] = std::clamp(opt[symbol], least[symbol], most[symbol]);
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
  unsigned count = kernel.getSizes()->getOpt().size(), symbol = 0;
  AffineExpr elements = elementsOf(*across, count, symbol);
  if (!elements)
    return;
  AffineExpr size = getAffineSymbolExpr(symbol, kernel.getContext());
  std::optional<kernel::SizeRange> range = sizeRange(kernel, size);
  if (!range || range->values.hi > std::numeric_limits<int32_t>::max())
    return;
  SmallVector<int64_t> ends =
      llvm::map_to_vector(transposeTileLimits(chip), [&](int64_t limit) {
        return lastBelow(elements, count, symbol, range->values, limit);
      });
  llvm::append_range(ends, ArrayRef{range->opt - 1, range->opt});
  if (range->opt <= maxShort)
    for (int64_t end = 1; end <= maxShort; end += end < maxEach ? 1 : end)
      ends.push_back(end);
  llvm::sort(ends);
  SmallVector<RowRange> ranges;
  int64_t least = range->values.lo;
  for (int64_t end : ends)
    if (least <= end && end < range->values.hi) {
      ranges.push_back({least, end});
      least = end + 1;
    }
  ranges.push_back({least, range->values.hi});
  if (ranges.size() < 2)
    return;
  for (kernel::FuncOp each :
       makeVersions(kernel, size, ranges, range->opt, symbols)) {
    narrow(each, symbol);
    reportVersion(each, "loop", "indices of a dimension",
                  "tiles are planned for that many");
  }
}
