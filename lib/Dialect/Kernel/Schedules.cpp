//===- Schedules.cpp - What all schedules have to be ----------------------===//
//
// Whether a schedule suits a kernel and a GPU, code generation knows.
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::kernel;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

static LogicalResult verifyTile(EmitError emitError, ArrayRef<int64_t> tile) {
  if (tile.size() == 2 && tile[0] > 0 && tile[1] > 0)
    return success();
  auto diagnostic = emitError()
                    << "a tile has a positive number of rows and of columns; "
                       "found [";
  llvm::interleaveComma(tile, diagnostic);
  return diagnostic << "]";
}

static LogicalResult verifyPositive(EmitError emitError,
                                    ArrayRef<int64_t> numbers) {
  for (int64_t number : numbers)
    if (number <= 0)
      return emitError() << "the numbers of a schedule are positive; found "
                         << number;
  return success();
}

LogicalResult WgmmaScheduleAttr::verify(EmitError emitError,
                                        ArrayRef<int64_t> tile, int64_t stages,
                                        Consumers consumers, int64_t clusterM,
                                        int64_t clusterN, int64_t splitK,
                                        bool streamK, bool swapAB, bool overlap,
                                        Origin from) {
  return failure(
      failed(verifyTile(emitError, tile)) ||
      failed(verifyPositive(emitError, {stages, clusterM, clusterN, splitK})));
}

LogicalResult MmaScheduleAttr::verify(EmitError emitError,
                                      ArrayRef<int64_t> tile, int64_t stages,
                                      int64_t kBytes, int64_t tailSplitK,
                                      int64_t resident, Origin from) {
  return failure(failed(verifyTile(emitError, tile)) ||
                 failed(verifyPositive(
                     emitError, {stages, kBytes, tailSplitK, resident})));
}

LogicalResult SimtScheduleAttr::verify(EmitError emitError,
                                       ArrayRef<int64_t> tile, int64_t threads,
                                       int64_t stages, int64_t k,
                                       int64_t splitK, int64_t tailSplitK,
                                       int64_t resident, Origin from) {
  return failure(failed(verifyTile(emitError, tile)) ||
                 failed(verifyPositive(emitError, {threads, stages, k, splitK,
                                                   tailSplitK, resident})));
}

LogicalResult GemvScheduleAttr::verify(EmitError emitError, int64_t width,
                                       int64_t groups, int64_t parts,
                                       int64_t columns, int64_t depth,
                                       int64_t vector, int64_t cluster,
                                       int64_t resident, Origin from) {
  return verifyPositive(emitError, {width, groups, parts, columns, depth,
                                    vector, cluster, resident});
}

LogicalResult AttentionScheduleAttr::verify(EmitError emitError,
                                            ArrayRef<int64_t> tile,
                                            int64_t stages, int64_t queryStages,
                                            int64_t producer, int64_t consumer,
                                            Origin from) {
  return failure(failed(verifyTile(emitError, tile)) ||
                 failed(verifyPositive(
                     emitError, {stages, queryStages, producer, consumer})));
}

LogicalResult SplitAttentionScheduleAttr::verify(EmitError emitError,
                                                 int64_t splits, int64_t keys,
                                                 int64_t warps, int64_t stages,
                                                 Origin from) {
  return verifyPositive(emitError, {splits, keys, warps, stages});
}

LogicalResult GuardAttr::verify(EmitError emitError, AffineMap size,
                                int64_t least, int64_t most) {
  if (size.getNumDims() != 0 || size.getNumResults() != 1)
    return emitError() << "a guard has one size, of symbols; found "
                       << AffineMapAttr::get(size);
  if (least < 0 || least > most)
    return emitError() << "a guard has 0 <= least <= most; found " << least
                       << " and " << most;
  return success();
}

LogicalResult kernel::verifySchedule(FuncOp op) {
  if (std::optional<GuardAttr> guard = op.getGuard())
    if (guard->getSize().getNumSymbols() != countSizes(op))
      return op.emitOpError(
                 "guard must have a symbol for each index argument, ")
             << countSizes(op) << "; found "
             << AffineMapAttr::get(guard->getSize());
  std::optional<Attribute> schedule = op.getSchedule();
  if (!schedule)
    return success();
  FusionRoot root =
      isa<AttentionScheduleAttr, SplitAttentionScheduleAttr>(*schedule)
          ? FusionRoot::Attention
          : FusionRoot::Gemm;
  if (op.getRoot() == root)
    return success();
  return op.emitOpError("schedule must be for the kernel's fusion root, ")
         << stringifyFusionRoot(op.getRoot()) << "; found one for "
         << stringifyFusionRoot(root);
}

SmallVector<FuncOp> kernel::versionsOf(FuncOp kernel,
                                       const SymbolTable &symbols) {
  SmallVector<FuncOp> found;
  if (std::optional<ArrayAttr> names = kernel.getVersions())
    for (Attribute name : *names) {
      auto version =
          symbols.lookup<FuncOp>(cast<FlatSymbolRefAttr>(name).getValue());
      if (version && version != kernel &&
          version.getFunctionType() == kernel.getFunctionType() &&
          version.getSizeArgs() == kernel.getSizeArgs())
        found.push_back(version);
    }
  return found;
}
