//===- SizeRanges.cpp - What sizes are by the profile ---------------------===//

#include "SizeRanges.h"

#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Kernel/SizeTable.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <algorithm>

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// Whether each argument that is a size or has dynamic sizes has a profile for
/// them.
static bool hasProfiles(func::FuncOp function) {
  return llvm::all_of(function.getArguments(), [&](BlockArgument argument) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (tensor ? tensor.hasStaticShape() : !argument.getType().isIndex())
      return true;
    ProfileAttr profile = profileOf(function, argument.getArgNumber());
    return profile &&
           profile.getOpt().size() == (tensor ? size_t(tensor.getRank()) : 1);
  });
}

/// All expressions where the symbols have their optimum. What has no value, as
/// a division by zero, is as small as it may be.
static std::vector<int64_t> evaluateAtOpt(const kernel::SizeTable &table) {
  std::vector<int64_t> values;
  for (auto [number, expr] : llvm::enumerate(table.exprList())) {
    Interval range = table.bounds(number);
    std::optional<int64_t> value;
    if (expr.op == SizeOp::Constant)
      value = expr.value;
    else if (expr.op == SizeOp::Symbol)
      value = table.symbolList()[expr.a].opt;
    else
      value = evaluateSizeOp(expr.op, values[expr.a], values[expr.b]);
    values.push_back(std::clamp(value.value_or(range.lo), range.lo, range.hi));
  }
  return values;
}

void SizeRanges::read(func::FuncOp function) {
  known.clear();
  if (!hasProfiles(function))
    return;
  kernel::SizeTable table;
  table.addInputs(function);
  for (Operation &op : function.getBody().front()) {
    auto dim = dyn_cast<flatir::DimOp>(op);
    if (!dim) {
      table.visit(&op);
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(dim.getInput()))
      table.bind(dim.getResult(), table.inputSize(argument.getArgNumber(),
                                                  unsigned(dim.getDim())));
  }
  std::vector<int64_t> values = evaluateAtOpt(table);
  auto note = [&](Value size) {
    if (!size.getType().isIndex())
      return;
    if (std::optional<TableIndex> expr = table.valueOf(size))
      known[size] = {table.bounds(*expr), values[*expr]};
  };
  llvm::for_each(function.getArguments(), note);
  for (Operation &op : function.getBody().front())
    llvm::for_each(op.getResults(), note);
}

std::optional<SizeRange> SizeRanges::of(Value size) const {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return SizeRange{{*constant, *constant}, *constant};
  auto it = known.find(size);
  return it == known.end() ? std::nullopt : std::optional(it->second);
}

kernel::SizesAttr SizeRanges::of(ValueRange inputs) const {
  SmallVector<int64_t> min, opt, max;
  for (Value input : inputs) {
    if (!input.getType().isIndex())
      continue;
    std::optional<SizeRange> range = of(input);
    if (!range)
      return {};
    min.push_back(range->values.lo);
    opt.push_back(range->opt);
    max.push_back(range->values.hi);
  }
  if (opt.empty())
    return {};
  return kernel::SizesAttr::get(inputs.front().getContext(), min, opt, max);
}
