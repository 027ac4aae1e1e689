//===- VerifyForm.cpp - What emitters take for granted --------------------===//
//
// Kernels that the pipeline makes have the form of docs/rationale/fusion.md.
// IR that was written by hand may verify and have another: it is refused here.
//
//===----------------------------------------------------------------------===//

#include "tripy/Codegen/KernelEmission.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using tripy::kernel::Hero;

Operation *codegen::combinerOf(linalg::GenericOp op) {
  BlockArgument accumulator = op.getBlock()->getArguments().back();
  if (!accumulator.hasOneUse() || op.getNumDpsInits() != 1)
    return nullptr;
  Operation *combiner = *accumulator.user_begin();
  bool yielded =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp() == combiner;
  bool known = isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
                   arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp,
                   arith::MinSIOp, arith::AndIOp, arith::OrIOp>(combiner);
  return yielded && known ? combiner : nullptr;
}

static LogicalResult verifyGeneric(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics())
    return op.emitOpError("must work on tensors to be part of a kernel");
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return op.emitOpError("indexing maps must be projected permutations to "
                            "be part of a kernel; found ")
             << AffineMapAttr::get(map);
  if (op.getNumReductionLoops() == 0)
    return success();
  if (!codegen::combinerOf(op))
    return op.emitOpError("a reduction must combine its accumulator once, with "
                          "a sum, product, maximum, minimum, and, or, and "
                          "yield the result");
  Operation *start = op.getDpsInits().front().getDefiningOp();
  if (!isa_and_nonnull<linalg::FillOp, arith::ConstantOp>(start))
    return op.emitOpError("a reduction must start from a linalg.fill");
  return success();
}

/// The scan of a kernel: alone, and as the hero.
static LogicalResult verifyScan(kernel::FuncOp kernel, kernel::ScanOp op,
                                size_t reductions) {
  if (kernel.getHero() != Hero::Scan || reductions > 0)
    return op.emitOpError("must be the hero of its kernel, which has no "
                          "reduction; found hero '")
           << stringifyHero(kernel.getHero()) << "' and " << reductions
           << " reductions";
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Type element = type.getElementType();
  if (!element.isF32() && !element.isInteger(32) && !element.isInteger(64))
    return op.emitOpError("sums are of f32, i32 or i64; found ") << element;
  for (Type result : kernel.getFunctionType().getResults())
    if (failed(verifyCompatibleShape(result, type)))
      return op.emitOpError("results of its kernel must have its shape; found ")
             << result;
  return success();
}

/// Rows come first, and all reductions are over the rows' columns.
static LogicalResult verifyRows(kernel::FuncOp kernel,
                                MutableArrayRef<linalg::GenericOp> reductions) {
  unsigned rank = reductions.front().getNumParallelLoops();
  for (linalg::GenericOp op : reductions) {
    auto isParallel = [](utils::IteratorType type) {
      return type == utils::IteratorType::parallel;
    };
    auto loops = op.getIteratorTypesArray();
    if (op.getNumParallelLoops() != rank ||
        !llvm::all_of(ArrayRef(loops).take_front(rank), isParallel))
      return op.emitOpError("reductions of a row kernel must keep the same "
                            "leading dimensions; found ")
             << op.getNumParallelLoops() << " of them, the first keeps "
             << rank;
  }
  for (Type result : kernel.getFunctionType().getResults())
    if (cast<RankedTensorType>(result).getRank() < rank)
      return kernel.emitOpError("results of a row kernel must have its ")
             << rank << " leading dimensions; found " << result;
  return success();
}

/// A thread or work item computes the same element of all results.
static LogicalResult verifyOneShape(kernel::FuncOp kernel) {
  ArrayRef<Type> results = kernel.getFunctionType().getResults();
  for (Type result : results)
    if (failed(verifyCompatibleShape(result, results.front())))
      return kernel.emitOpError("results must have one shape; found ")
             << results.front() << " and " << result;
  return success();
}

LogicalResult codegen::verifyForm(kernel::FuncOp kernel) {
  SmallVector<linalg::GenericOp> reductions;
  SmallVector<kernel::ScanOp> scans;
  for (Operation &op : kernel.getBody().front()) {
    if (auto scan = dyn_cast<kernel::ScanOp>(op))
      scans.push_back(scan);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      continue;
    if (failed(verifyGeneric(generic)))
      return failure();
    if (generic.getNumReductionLoops() > 0)
      reductions.push_back(generic);
  }
  if (kernel.getFunctionType().getNumResults() == 0)
    return kernel.emitOpError("must have a result to become code");
  if (scans.size() > 1)
    return scans[1].emitOpError("must be the only scan of its kernel; found ")
           << scans.size();
  if (!scans.empty() &&
      failed(verifyScan(kernel, scans.front(), reductions.size())))
    return failure();
  Hero hero = kernel.getHero();
  if (hero == Hero::Gemm)
    return success(); // ContractionSpace.cpp checks the rest.
  if (hero == Hero::Row && !reductions.empty())
    return verifyRows(kernel, reductions);
  size_t most = hero == Hero::Reduce ? 1 : 0;
  if (reductions.size() > most)
    return reductions[most].emitOpError("is one reduction too many in a ")
           << stringifyHero(hero) << " kernel, which may have " << most;
  return verifyOneShape(kernel);
}
