//===- Versions.cpp - Kernels for few and for many rows -------------------===//

#include "Versions.h"

#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

bool codegen::mayHaveVersions(kernel::FuncOp kernel) {
  return !kernel.getGuard() && !kernel.getVersions() && kernel.getSizes();
}

void codegen::setGuard(kernel::FuncOp kernel, AffineExpr size, RowRange range) {
  unsigned symbols = llvm::count_if(kernel.getFunctionType().getInputs(),
                                    llvm::IsaPred<IndexType>);
  kernel.setGuardAttr(kernel::GuardAttr::get(kernel.getContext(),
                                             AffineMap::get(0, symbols, size),
                                             range.least, range.most));
}

SmallVector<RowRange> codegen::cutBehind(ArrayRef<int64_t> ends,
                                         const Interval &values) {
  SmallVector<RowRange> ranges;
  int64_t least = values.lo;
  for (int64_t end : ends)
    if (least <= end && end < values.hi) {
      ranges.push_back({least, end});
      least = end + 1;
    }
  ranges.push_back({least, values.hi});
  return ranges;
}

SmallVector<kernel::FuncOp> codegen::makeVersions(kernel::FuncOp kernel,
                                                  AffineExpr size,
                                                  ArrayRef<RowRange> ranges,
                                                  int64_t opt,
                                                  SymbolTable &symbols) {
  const RowRange *own = llvm::find_if(
      ranges, [&](const RowRange &range) { return opt <= range.most; });
  if (own == ranges.end())
    own = &ranges.back();
  SmallVector<kernel::FuncOp> made;
  SmallVector<Attribute> names;
  for (const RowRange &range : ranges) {
    if (&range == own) {
      made.push_back(kernel);
      continue;
    }
    kernel::FuncOp other = kernel.clone();
    other.setSymName((kernel.getSymName() + "_" + std::to_string(range.least) +
                      "_to_" + std::to_string(range.most))
                         .str());
    names.push_back(FlatSymbolRefAttr::get(
        symbols.insert(other, std::next(kernel->getIterator()))));
    made.push_back(other);
  }
  for (auto [each, range] : llvm::zip_equal(made, ranges))
    setGuard(each, size, range);
  kernel.setVersionsAttr(ArrayAttr::get(kernel.getContext(), names));
  return made;
}

void codegen::reportVersion(kernel::FuncOp kernel, StringRef category,
                            StringRef unit, const Twine &text) {
  auto options =
      remark::RemarkOpts::name("version").category(category).function(
          kernel.getSymName());
  if (auto remark = remark::passed(placeOf(kernel.getLoc()), options))
    remark << remark::add(
        "{0}", "for " + std::to_string(kernel.getGuard()->getLeast()) + " to " +
                   std::to_string(kernel.getGuard()->getMost()) + " " +
                   unit.str() + ": " + text.str());
}
