//===- KernelSizes.cpp - Sizes that kernels are planned for ---------------===//

#include "KernelSizes.h"

#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Common/SizeOps.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using kernel::SizeRange;

static SizeRange constantRange(int64_t value) {
  return {{value, value}, value};
}

/// `range`, as far as the kernel is launched for it, where it is of what the
/// kernel's guard is about.
static SizeRange withinGuard(kernel::FuncOp kernel, AffineExpr size,
                             SizeRange range) {
  std::optional<kernel::GuardAttr> guard = kernel.getGuard();
  if (!guard || size != guard->getSize().getResult(0))
    return range;
  int64_t least = std::max(range.values.lo, guard->getLeast());
  int64_t most = std::min(range.values.hi, guard->getMost());
  if (least > most)
    return range; // It is never launched.
  if (range.opt >= least && range.opt <= most)
    return {{least, most}, range.opt};
  // Few rows take the time of reading the matrix, whatever their number is, and
  // tiles of a narrow range have room for the most. Of a wide range where none
  // are expected, rows in the middle of their magnitudes count.
  int64_t usual = most;
  if (most > maxSwapABRows && most >= 2 * least)
    usual = std::llround(
        std::sqrt(double(std::max<int64_t>(least, 1)) * double(most)));
  return {{least, most}, std::clamp(usual, least, most)};
}

/// `size` where the index arguments have the values `numbers`.
static std::optional<int64_t> evaluate(AffineExpr size,
                                       ArrayRef<int64_t> numbers) {
  SmallVector<AffineExpr> constants;
  for (int64_t number : numbers)
    constants.push_back(getAffineConstantExpr(number, size.getContext()));
  auto value =
      dyn_cast<AffineConstantExpr>(size.replaceDimsAndSymbols({}, constants));
  return value ? std::optional(value.getValue()) : std::nullopt;
}

std::optional<SizeRange> codegen::sizeRange(kernel::FuncOp kernel,
                                            AffineExpr size) {
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    return constantRange(constant.getValue());
  kernel::SizesAttr sizes = kernel.getSizesAttr();
  if (!sizes)
    return std::nullopt;
  std::optional<int64_t> opt = evaluate(size, sizes.getOpt());
  if (!opt)
    return std::nullopt;
  Interval values = {evaluate(size, sizes.getMin()).value_or(0),
                     evaluate(size, sizes.getMax()).value_or(anySize.hi)};
  return withinGuard(kernel, size, {values, *opt});
}

std::optional<int64_t> codegen::expectedSize(kernel::FuncOp kernel,
                                             AffineExpr size) {
  std::optional<SizeRange> range = sizeRange(kernel, size);
  return range ? std::optional(range->opt) : std::nullopt;
}

std::optional<int64_t> codegen::onlyValue(kernel::FuncOp kernel,
                                          unsigned number) {
  kernel::SizesAttr sizes = kernel.getSizesAttr();
  if (!sizes)
    return std::nullopt;
  int64_t least = sizes.getMin()[number];
  bool isOne =
      least == sizes.getMax()[number] && llvm::isInt<32>(least) && least >= 0;
  return isOne ? std::optional(least) : std::nullopt;
}

/// Of argument number `argument`, an index, of the kernel.
static std::optional<SizeRange> rangeOfArgument(kernel::FuncOp kernel,
                                                unsigned argument) {
  kernel::SizesAttr sizes = kernel.getSizesAttr();
  if (!sizes)
    return std::nullopt;
  auto before = kernel.getFunctionType().getInputs().take_front(argument);
  auto number = llvm::count_if(before, llvm::IsaPred<IndexType>);
  return SizeRange{{sizes.getMin()[number], sizes.getMax()[number]},
                   sizes.getOpt()[number]};
}

/// How many operations on sizes are followed back.
static constexpr unsigned maxDepth = 12;

static std::optional<SizeRange> rangeOf(Value tensor, int64_t dim,
                                        unsigned depth = maxDepth);

static std::optional<SizeRange> rangeOf(OpFoldResult size, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return constantRange(*constant);
  auto value = cast<Value>(size);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto kernel = dyn_cast<kernel::FuncOp>(argument.getOwner()->getParentOp());
    return kernel ? rangeOfArgument(kernel, argument.getArgNumber())
                  : std::nullopt;
  }
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> number = dim.getConstantIndex();
    return number ? rangeOf(dim.getSource(), *number, depth) : std::nullopt;
  }
  const SizeOpRow *row = findSizeOp(op);
  if (depth == 0 || !row || row->form != SizeForm::Binary)
    return std::nullopt;
  std::optional<SizeRange> a =
      rangeOf(OpFoldResult(op->getOperand(0)), depth - 1);
  std::optional<SizeRange> b =
      rangeOf(OpFoldResult(op->getOperand(1)), depth - 1);
  if (!a || !b)
    return std::nullopt;
  std::optional<int64_t> opt = evaluateSizeOp(row->op, a->opt, b->opt);
  if (!opt)
    return std::nullopt;
  return SizeRange{boundSizeOp(row->op, a->values, b->values).values, *opt};
}

static SizeRange multiply(const SizeRange &a, const SizeRange &b) {
  return {{saturatingMul(a.values.lo, b.values.lo),
           saturatingMul(a.values.hi, b.values.hi)},
          saturatingMul(a.opt, b.opt)};
}

/// Dimension `dim` of a tensor of a kernel's body.
static std::optional<SizeRange> rangeOf(Value tensor, int64_t dim,
                                        unsigned depth) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return constantRange(type.getDimSize(dim));
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto kernel = dyn_cast<kernel::FuncOp>(argument.getOwner()->getParentOp());
    if (!kernel)
      return std::nullopt;
    auto split = kernel::splitSizeArgs(kernel.getSizeArgs(),
                                       kernel.getFunctionType().getInputs(),
                                       kernel.getFunctionType().getResults());
    auto before = kernel.getFunctionType().getInputs().take_front(
        argument.getArgNumber());
    auto number = llvm::count_if(before, llvm::IsaPred<RankedTensorType>);
    return rangeOfArgument(kernel, split[number][type.getDynamicDimIndex(dim)]);
  }
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return rangeOf(empty.getMixedSizes()[dim], depth);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return rangeOf(expand.getMixedOutputShape()[dim], depth);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return rangeOf(cast.getSource(), dim, depth);
  if (auto structured = dyn_cast<DestinationStyleOpInterface>(op))
    return rangeOf(
        structured.getTiedOpOperand(llvm::cast<OpResult>(tensor))->get(), dim,
        depth);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (slice.getDroppedDims().any())
      return std::nullopt;
    return rangeOf(slice.getMixedSizes()[dim], depth);
  }
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  if (!collapse)
    return std::nullopt;
  SizeRange all = constantRange(1);
  // A name of its own: a temporary would be gone before the loop's first round.
  SmallVector<ReassociationIndices> parts = collapse.getReassociationIndices();
  for (int64_t part : parts[dim]) {
    std::optional<SizeRange> range = rangeOf(collapse.getSrc(), part, depth);
    if (!range)
      return std::nullopt;
    all = multiply(all, *range);
  }
  return all;
}

static std::optional<SizeRange> rangeOfLoop(linalg::GenericOp op,
                                            unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto place = dyn_cast<AffineDimExpr>(expr);
      if (!place || place.getPosition() != loop)
        continue;
      if (std::optional<SizeRange> range = rangeOf(operand.get(), dim))
        return range;
    }
  }
  return std::nullopt;
}

/// The index argument that dimension `dim` of a tensor is; nothing for others.
static std::optional<unsigned> argumentOf(Value tensor, int64_t dim) {
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto kernel = dyn_cast<kernel::FuncOp>(argument.getOwner()->getParentOp());
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!kernel || !type)
      return std::nullopt;
    auto split = kernel::splitSizeArgs(kernel.getSizeArgs(),
                                       kernel.getFunctionType().getInputs(),
                                       kernel.getFunctionType().getResults());
    auto before = kernel.getFunctionType().getInputs().take_front(
        argument.getArgNumber());
    auto number = llvm::count_if(before, llvm::IsaPred<RankedTensorType>);
    return split[number][type.getDynamicDimIndex(dim)];
  }
  Operation *op = tensor.getDefiningOp();
  if (auto structured = dyn_cast<DestinationStyleOpInterface>(op))
    return argumentOf(
        structured.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    if (auto size = dyn_cast<Value>(empty.getMixedSizes()[dim]))
      if (auto argument = dyn_cast<BlockArgument>(size))
        return argument.getArgNumber();
  return std::nullopt;
}

static std::optional<unsigned> argumentOfLoop(linalg::GenericOp op,
                                              unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto place = dyn_cast<AffineDimExpr>(expr);
      if (!place || place.getPosition() != loop || !type.isDynamicDim(dim))
        continue;
      if (std::optional<unsigned> argument = argumentOf(operand.get(), dim))
        return argument;
    }
  }
  return std::nullopt;
}

AffineExpr codegen::extentExpr(linalg::GenericOp op, ArrayRef<unsigned> loops) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto kernel = op->getParentOfType<kernel::FuncOp>();
  AffineExpr all = getAffineConstantExpr(1, op.getContext());
  for (unsigned loop : loops) {
    if (!ShapedType::isDynamic(sizes[loop])) {
      all = all * sizes[loop];
      continue;
    }
    std::optional<unsigned> argument = argumentOfLoop(op, loop);
    if (!argument || !kernel)
      return {};
    auto before = kernel.getFunctionType().getInputs().take_front(*argument);
    auto number = llvm::count_if(before, llvm::IsaPred<IndexType>);
    if (std::optional<int64_t> only = onlyValue(kernel, number))
      all = all * *only;
    else
      all = all * getAffineSymbolExpr(number, op.getContext());
  }
  return all;
}

SizeRange codegen::extentRange(linalg::GenericOp op, ArrayRef<unsigned> loops,
                               int64_t unknown) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SizeRange all = constantRange(1);
  for (unsigned loop : loops) {
    SizeRange range = constantRange(sizes[loop]);
    if (ShapedType::isDynamic(sizes[loop]))
      range =
          rangeOfLoop(op, loop).value_or(SizeRange{{0, anySize.hi}, unknown});
    all = multiply(all, range);
  }
  auto kernel = op->getParentOfType<kernel::FuncOp>();
  if (!kernel || !kernel.getGuard())
    return all;
  return withinGuard(kernel, extentExpr(op, loops), all);
}
