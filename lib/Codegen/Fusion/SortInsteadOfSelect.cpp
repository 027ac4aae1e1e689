//===- SortInsteadOfSelect.cpp - Selections of many elements --------------===//
//
// A kernel that selects the first elements of a row keeps them in shared
// memory. More than fit there are the start of the row sorted whole.
//
//===----------------------------------------------------------------------===//

#include "OpInfo.h"
#include "Prepare.h"

#include "Codegen/Emit/SortOrder.h"
#include "tripy/Dialect/Tripy/Provenance.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

// sort(x) count = k -> slice(sort(x))
static void rewrite(flatir::SortOp sort, Program &program) {
  OpBuilder b(sort);
  RankedTensorType type = sort.getResult().getType();
  RankedTensorType whole = sort.getInput().getType().clone(b.getI32Type());
  auto all = flatir::SortOp::create(b, sort.getLoc(), whole, sort.getInput(),
                                    sort.getDescendingAttr(), IntegerAttr());
  program.sizes.set(all.getResult(), program.sizes.get(sort.getInput()));
  Location loc =
      inserted(sort.getLoc(), {"slice", "take the first of all positions: they "
                                        "are more than a kernel selects"});
  int64_t rank = type.getRank();
  auto slice = flatir::SliceOp::create(
      b, loc, type, all.getResult(), ValueRange(),
      program.sizes.dynamic(sort.getResult()), SmallVector<int64_t>(rank, 0),
      SmallVector<int64_t>(rank, 1));
  program.sizes.infer(slice, b);
  if (StringAttr name = program.composites.lookup(sort))
    program.composites[all] = program.composites[slice] = name;
  sort.getResult().replaceAllUsesWith(slice.getResult());
  program.composites.erase(sort);
  program.sizes.forget(sort.getResult());
  sort.erase();
}

void fusion::sortInsteadOfSelect(Program &program) {
  SmallVector<flatir::SortOp> sorts(
      program.function.getBody().front().getOps<flatir::SortOp>());
  for (flatir::SortOp sort : sorts)
    if (sort.getCount() && *sort.getCount() > uint64_t(codegen::maxSelected))
      rewrite(sort, program);
}
