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
  Interval range = sizes.bounds(*size);
  int64_t next = std::max<int64_t>(1, range.lo);
  for (kernel::GuardAttr guard : guards) {
    bool isNext = guard == guards.front() ? guard.getLeast() <= next
                                          : guard.getLeast() == next;
    if (!isNext)
      return first.emitOpError("guards must leave out no size and have none in "
                               "common; found one from ")
             << guard.getLeast() << " where " << next << " is next";
    if (guard.getMost() >= range.hi)
      next = range.hi;
    else
      next = guard.getMost() + 1;
  }
  if (next < range.hi || guards.back().getMost() < range.hi)
    return first.emitOpError("guards must leave out no size up to ")
           << range.hi << "; found the last at " << guards.back().getMost();
  return success();
}
