//===- Guards.cpp - Which version of a kernel is launched -----------------===//

#include "Guards.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using tripy::kernel::SizeTable;

std::optional<TableIndex> codegen::evaluateGuard(kernel::GuardAttr guard,
                                                 SizeTable &sizes,
                                                 ArrayRef<TableIndex> symbols) {
  std::optional<TableIndex> size =
      sizes.evaluate(guard.getSize().getResult(0), symbols);
  if (!size)
    return std::nullopt;
  TableIndex within = sizes.binary(
      SizeOp::Min,
      sizes.binary(SizeOp::Max, *size, sizes.constant(guard.getLeast())),
      sizes.constant(guard.getMost()));
  return sizes.binary(SizeOp::Equal, within, *size);
}

/// Whether `kernel`, which may be planned for a part of its sizes, is planned
/// for those of `range` that its guard lets through. A guard about several
/// index arguments narrows none of them.
static bool isPlannedFor(kernel::FuncOp kernel, const Interval &range) {
  kernel::GuardAttr guard = kernel.getGuardAttr();
  kernel::SizesAttr sizes = kernel.getSizesAttr();
  auto symbol = dyn_cast<AffineSymbolExpr>(guard.getSize().getResult(0));
  int64_t least = std::max(range.lo, guard.getLeast());
  int64_t most = std::min(range.hi, guard.getMost());
  if (!symbol || !sizes || least > most)
    return true;
  unsigned number = symbol.getPosition();
  return sizes.getMin()[number] <= least && sizes.getMax()[number] >= most;
}

LogicalResult codegen::checkGuards(ArrayRef<kernel::FuncOp> launched,
                                   SizeTable &sizes,
                                   ArrayRef<TableIndex> symbols) {
  kernel::FuncOp first = launched.front();
  if (launched.size() == 1 && !first.getGuard())
    return success();
  SmallVector<kernel::GuardAttr> guards;
  for (kernel::FuncOp each : launched) {
    std::optional<kernel::GuardAttr> guard = each.getGuard();
    if (!guard || guard->getSize() != first.getGuardAttr().getSize())
      return each.emitOpError("guard must be about one size in all versions of "
                              "a kernel");
    guards.push_back(*guard);
  }
  llvm::sort(guards, [](kernel::GuardAttr a, kernel::GuardAttr b) {
    return a.getLeast() < b.getLeast();
  });
  std::optional<TableIndex> size =
      sizes.evaluate(guards.front().getSize().getResult(0), symbols);
  // Those of other calls may begin earlier and end later.
  Interval range = sizes.bounds(*size);
  int64_t next = std::max<int64_t>(1, range.lo);
  for (kernel::GuardAttr guard : guards) {
    bool isNext = guard == guards.front() ? guard.getLeast() <= next
                                          : guard.getLeast() == next;
    if (!isNext)
      return first.emitOpError("guards must leave out no size and have none in "
                               "common; found one from ")
             << guard.getLeast() << " where " << next << " is next";
    next = llvm::SaturatingAdd<uint64_t>(guard.getMost(), 1);
  }
  if (guards.back().getMost() < range.hi)
    return first.emitOpError("guards must leave out no size up to ")
           << range.hi << "; found the last at " << guards.back().getMost();
  for (kernel::FuncOp each : launched)
    if (!isPlannedFor(each, range))
      return each.emitOpError("sizes must be all that the guard lets through");
  return success();
}
