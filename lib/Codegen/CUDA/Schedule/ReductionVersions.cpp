//===- ReductionVersions.cpp - Reductions down few columns ----------------===//
//
// Columns, of a number that is known at run time only -> kernels for the few
// that rows are folded for, read by whole vectors, and for more of them.
//
//===----------------------------------------------------------------------===//

#include "Versions.h"

#include "Codegen/CUDA/MemoryBound/Reduction.h"
#include "Codegen/Emit/KernelSizes.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Whether rows are folded for at most `columns` columns.
static bool foldsFor(kernel::FuncOp kernel, const CudaChip &chip,
                     AffineExpr size, int64_t columns) {
  setGuard(kernel, size, {1, columns});
  std::optional<ReductionPlan> plan = planReduction(kernel, chip);
  kernel.removeGuardAttr();
  return plan && plan->fold > 1;
}

void codegen::chooseReductionVersions(kernel::FuncOp kernel,
                                      const CudaChip &chip,
                                      SymbolTable &symbols) {
  if (!mayHaveVersions(kernel) ||
      kernel.getRoot() != kernel::FusionRoot::Reduce)
    return;
  std::optional<ReductionPlan> plan = planReduction(kernel, chip);
  if (!plan || plan->kind != ReductionPlan::Kind::Columns)
    return;
  linalg::GenericOp op = plan->ops.front();
  AffineExpr size = extentExpr(op, loopDims(op).parallel);
  if (!size || isa<AffineConstantExpr>(size))
    return;
  std::optional<kernel::SizeRange> range = sizeRange(kernel, size);
  if (!range || range->values.lo < 1)
    return;
  auto folds = [&](int64_t end) { return foldsFor(kernel, chip, size, end); };
  SmallVector<int64_t> ends = llvm::filter_to_vector(foldedColumns, folds);
  SmallVector<RowRange> ranges = cutBehind(ends, range->values);
  if (ranges.size() < 2)
    return;
  for (kernel::FuncOp each :
       makeVersions(kernel, size, ranges, range->opt, symbols)) {
    bool isFolded = planReduction(each, chip)->fold > 1;
    reportVersion(each, "reduction", "columns",
                  isFolded ? "vectors have several rows"
                           : "threads have columns");
  }
}
