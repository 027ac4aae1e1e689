//===- RowVersions.cpp - Row kernels for few and for many rows ------------===//
//
// Rows, of a number that is known at run time only -> kernels for the numbers
// that planRows() decides alike for: where few rows are long, the blocks of a
// cluster share each, where they are short, blocks have few of them. Where rows
// are not written, very few of them are a reduction whose blocks share outputs.
// Rows of which the first extreme element is looked for have plans of their
// own. Of a dynamic number of columns -> kernels for few of them and for many.
//
//===----------------------------------------------------------------------===//

#include "Versions.h"

#include "Codegen/CUDA/MemoryBound/FirstPlace.h"
#include "Codegen/CUDA/MemoryBound/Reduction.h"
#include "Codegen/CUDA/MemoryBound/RowEmitter.h"
#include "Codegen/Emit/KernelSizes.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {
/// What of a kernel differs with the number of rows.
struct RowForm {
  /// Blocks of any number share a row's elements.
  bool isReduction = false;
  RowPlan plan;
  /// Instead of the plan, where the first places of extremes are looked for.
  std::optional<FirstPlacePlan> places;

  bool isLike(const RowForm &other) const;
  std::string text() const;
};

/// The rows of a kernel.
struct Rows {
  /// Their number; where that of the columns is dynamic, the latter.
  AffineExpr size;
  kernel::SizeRange range;
  bool hasAnyColumns = false;
  /// What is known of them but for their number.
  RowFacts facts;
  /// Of what is looked for in them; null: nothing is.
  Type element;

  static std::optional<Rows> of(kernel::FuncOp kernel);
  RowForm formOf(kernel::FuncOp kernel, const CudaChip &chip);
  SmallVector<RowRange> split(kernel::FuncOp kernel, const CudaChip &chip);
  SmallVector<RowRange> splitColumns();
};
} // namespace

/// Rows of a block that are twice as many as planned cost little.
bool RowForm::isLike(const RowForm &other) const {
  if (isReduction || other.isReduction)
    return isReduction == other.isReduction;
  if (places || other.places)
    return places && other.places && places->threads == other.places->threads &&
           other.places->rowsPerBlock <= 2 * places->rowsPerBlock;
  return plan.blocks == other.plan.blocks &&
         plan.threads == other.plan.threads &&
         other.plan.rowsPerBlock <= 2 * plan.rowsPerBlock;
}

std::string RowForm::text() const {
  auto block = [](int64_t threads, int64_t rows) {
    return "a block of " + std::to_string(threads) + " threads has " +
           std::to_string(rows) + (rows == 1 ? " row" : " rows");
  };
  if (isReduction)
    return "blocks share a row as long as multiprocessors are without one";
  if (places)
    return block(places->blockThreads(), places->rowsPerBlock);
  if (plan.blocks > 1)
    return "a cluster of " + std::to_string(plan.blocks) + " blocks has a row";
  return block(plan.blockThreads(), plan.rowsPerBlock);
}

/// Of a tensor: its elements, where dynamic dimensions count as 1.
static int64_t staticElements(RankedTensorType type) {
  int64_t count = 1;
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      count *= size;
  return count;
}

/// RowEmitter::facts(), as far as types tell.
static RowFacts factsOf(kernel::FuncOp kernel,
                        ArrayRef<linalg::GenericOp> reductions) {
  RowFacts facts;
  facts.columns = 1;
  linalg::GenericOp first = reductions.front();
  SmallVector<int64_t> sizes = first.getStaticLoopRanges();
  for (unsigned loop : loopDims(first).reduction) {
    if (ShapedType::isDynamic(sizes[loop]))
      return {};
    *facts.columns *= sizes[loop];
    facts.inner = sizes[loop];
  }
  facts.vectorSize = vectorSizeOf(kernel);
  facts.hasRuns = true;
  facts.reductions = passesOf(reductions).size();
  facts.elementBytes = 16;
  auto count = [&](Type type, bool isInput) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return;
    int64_t bits = ElementEmitter::storageType(tensor.getElementType())
                       .getIntOrFloatBitWidth();
    facts.elementBytes =
        std::min<int64_t>(facts.elementBytes, llvm::divideCeil(bits, 8));
    bool isRow =
        !tensor.hasStaticShape() && staticElements(tensor) >= *facts.columns;
    if (isRow)
      facts.bytes += llvm::divideCeil(*facts.columns * bits, 8);
    if (isInput)
      ++(isRow ? facts.rowInputs : facts.sharedInputs);
    else
      facts.writesRows |= isRow;
  };
  for (Type input : kernel.getFunctionType().getInputs())
    count(input, /*isInput=*/true);
  for (Type result : kernel.getFunctionType().getResults())
    count(result, /*isInput=*/false);
  if (!facts.writesRows && llvm::all_of(reductions, isInOrder))
    facts.inner = *facts.columns;
  return facts;
}

std::optional<Rows> Rows::of(kernel::FuncOp kernel) {
  OpBuilder b(kernel);
  KernelEmission emission(kernel, b, EmitterOptions());
  SmallVector<linalg::GenericOp> reductions = emission.reductions();
  if (kernel.getRoot() != kernel::FusionRoot::Row || reductions.empty())
    return std::nullopt;
  Rows rows;
  LoopDims dims = loopDims(reductions.front());
  rows.size = extentExpr(reductions.front(), dims.reduction);
  rows.hasAnyColumns = rows.size && !isa<AffineConstantExpr>(rows.size);
  if (!rows.hasAnyColumns) {
    rows.facts = factsOf(kernel, reductions);
    rows.size = extentExpr(reductions.front(), dims.parallel);
    if (findsFirstPlaces(reductions))
      rows.element = getElementTypeOrSelf(
          reductions.front().getDpsInputs().front().getType());
    if (!rows.facts.columns || *rows.facts.columns == 0)
      return std::nullopt;
  }
  if (!rows.size || isa<AffineConstantExpr>(rows.size))
    return std::nullopt;
  std::optional<kernel::SizeRange> range = sizeRange(kernel, rows.size);
  // Rows without columns have results, and no version is for none.
  if (!range || (rows.hasAnyColumns && range->values.lo < 1))
    return std::nullopt;
  rows.range = *range;
  return rows;
}

/// How `kernel`, which has a guard, will be emitted.
RowForm Rows::formOf(kernel::FuncOp kernel, const CudaChip &chip) {
  kernel::SizeRange within = *sizeRange(kernel, size);
  facts.rows = within.opt;
  facts.mayGrow = mayGrow(within, chip);
  RowForm form;
  form.isReduction = planReduction(kernel, chip).has_value();
  form.plan = planRows(facts, chip, chip.hasClusters());
  if (element)
    form.places = planFirstPlaces(facts, element, chip);
  return form;
}

SmallVector<RowRange> Rows::split(kernel::FuncOp kernel, const CudaChip &chip) {
  SmallVector<RowRange> ranges;
  std::optional<RowForm> before;
  int64_t least = std::max<int64_t>(1, range.values.lo);
  int64_t last = range.values.hi;
  std::vector<int64_t> ends = rowLimits(chip);
  llvm::erase_if(ends, [&](int64_t end) { return end < least || end >= last; });
  ends.push_back(last);
  for (int64_t end : ends) {
    setGuard(kernel, size, {end, end});
    RowForm form = formOf(kernel, chip);
    kernel.removeGuardAttr();
    if (before && before->isLike(form)) {
      ranges.back().most = end;
    } else {
      ranges.push_back({least, end});
      before = form;
    }
    least = end + 1;
  }
  return ranges;
}

/// Threads of a row are for a few times as many columns as are fewest.
SmallVector<RowRange> Rows::splitColumns() {
  SmallVector<RowRange> ranges;
  int64_t least = range.values.lo;
  for (int64_t end : columnLimits())
    if (least <= end && end < range.values.hi) {
      ranges.push_back({least, end});
      least = end + 1;
    }
  ranges.push_back({least, range.values.hi});
  return ranges;
}

void codegen::chooseRowVersions(kernel::FuncOp kernel, const CudaChip &chip,
                                SymbolTable &symbols) {
  std::optional<Rows> rows;
  if (mayHaveVersions(kernel))
    rows = Rows::of(kernel);
  if (!rows ||
      rows->range.values.hi <= std::max<int64_t>(1, rows->range.values.lo))
    return;
  SmallVector<RowRange> ranges =
      rows->hasAnyColumns ? rows->splitColumns() : rows->split(kernel, chip);
  if (ranges.size() < 2)
    return;
  for (kernel::FuncOp each :
       makeVersions(kernel, rows->size, ranges, rows->range.opt, symbols)) {
    if (!rows->hasAnyColumns)
      reportVersion(each, "row", "rows", rows->formOf(each, chip).text());
    else if (each.getGuard()->getMost() <= longestRow)
      reportVersion(each, "row", "columns", "a row stays in registers");
    else
      reportVersion(each, "row", "columns", "threads loop over a row");
  }
}
