//===- ScanVersions.cpp - Running sums of few and of many elements --------===//
//
// A running sum along a dimension whose size is known at run time only ->
// kernels for the sizes that have the same form: blocks that share the
// dimension, threads or warps that have a row in registers, or blocks that go
// over it. Each range of lengths in registers is a kernel, which has
// registers for the longest.
//
//===----------------------------------------------------------------------===//

#include "Versions.h"

#include "Codegen/CUDA/MemoryBound/ScanColumns.h"
#include "Codegen/CUDA/MemoryBound/ScanEmission.h"
#include "Codegen/CUDA/MemoryBound/ScanParts.h"
#include "Codegen/CUDA/MemoryBound/ScanRows.h"
#include "Codegen/Emit/KernelSizes.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Sizes that blocks may begin to share the dimension at: powers of two.
static constexpr int64_t minShared = 256, maxShared = int64_t(1) << 24;

namespace {
enum class ScanForm { Shared, Registers, Threads, Blocks };
} // namespace

/// How `kernel` is emitted for the sizes of its guard.
static ScanForm formOf(kernel::FuncOp kernel, const CudaChip &chip) {
  if (planScanParts(kernel, chip) || planScanColumns(kernel, chip))
    return ScanForm::Shared;
  if (planScanRows(kernel, chip))
    return ScanForm::Registers;
  ExpectedScan scan = *expectedScan(kernel);
  bool isShort = scan.innerShape().empty() &&
                 sizeRange(kernel, scan.size)->values.hi <= maxScanOfThread;
  return isShort ? ScanForm::Threads : ScanForm::Blocks;
}

static StringRef textOf(ScanForm form) {
  switch (form) {
  case ScanForm::Shared:
    return "blocks share the elements";
  case ScanForm::Registers:
    return "the lanes of a warp have a row in registers";
  case ScanForm::Threads:
    return "a thread has a row";
  case ScanForm::Blocks:
    return "a block goes over the elements";
  }
  llvm_unreachable("all forms are above");
}

/// Sizes after each of which the form may be another one, below `last`.
static SmallVector<int64_t> endsOf(kernel::FuncOp kernel,
                                   const ExpectedScan &scan, int64_t least,
                                   int64_t last) {
  bool areRows = scan.innerShape().empty();
  SmallVector<int64_t> ends;
  if (areRows)
    ends = scanRowLimits(kernel);
  // A dimension in front of others is shared from the power itself on.
  for (int64_t size = minShared; size <= maxShared; size *= 2)
    if (!areRows || 2 * ends.back() <= size)
      ends.push_back(areRows ? size : size - 1);
  llvm::erase_if(ends, [&](int64_t end) { return end < least || end >= last; });
  ends.push_back(last);
  return ends;
}

static SmallVector<std::pair<RowRange, ScanForm>>
splitSizes(kernel::FuncOp kernel, const CudaChip &chip,
           const ExpectedScan &scan, const kernel::SizeRange &range) {
  SmallVector<std::pair<RowRange, ScanForm>> found;
  int64_t least = std::max<int64_t>(1, range.values.lo);
  for (int64_t end : endsOf(kernel, scan, least, range.values.hi)) {
    setGuard(kernel, scan.size, {least, end});
    ScanForm form = formOf(kernel, chip);
    kernel.removeGuardAttr();
    if (!found.empty() && found.back().second == form &&
        form != ScanForm::Registers)
      found.back().first.most = end;
    else
      found.push_back({{least, end}, form});
    least = end + 1;
  }
  return found;
}

void codegen::chooseScanVersions(kernel::FuncOp kernel, const CudaChip &chip,
                                 SymbolTable &symbols) {
  std::optional<ExpectedScan> scan;
  if (mayHaveVersions(kernel))
    scan = expectedScan(kernel);
  if (!scan || isa<AffineConstantExpr>(scan->size))
    return;
  std::optional<kernel::SizeRange> range = sizeRange(kernel, scan->size);
  // The blocks of each version are counted for the longest rows of all, with
  // which it may have one of each.
  std::optional<kernel::SizeRange> rows = sizeRange(kernel, scan->outerSize);
  if (!rows || rows->values.hi > std::numeric_limits<int32_t>::max())
    return;
  if (!range || range->values.hi <= std::max<int64_t>(1, range->values.lo))
    return;
  SmallVector<std::pair<RowRange, ScanForm>> found =
      splitSizes(kernel, chip, *scan, *range);
  if (found.size() < 2)
    return;
  SmallVector<RowRange> ranges =
      llvm::map_to_vector(found, [](const auto &each) { return each.first; });
  SmallVector<kernel::FuncOp> made =
      makeVersions(kernel, scan->size, ranges, range->opt, symbols);
  for (auto [each, what] : llvm::zip_equal(made, found))
    reportVersion(each, "scan", "elements", textOf(what.second));
}
