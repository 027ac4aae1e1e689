//===- TensorSizes.cpp - Run-time sizes of tensors ------------------------===//

#include "tripy/Conversion/TensorSizes.h"

#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;

void TensorSizes::set(Value tensor, ArrayRef<OpFoldResult> known) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Sizes list(known);
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(size))
      list[i] = IntegerAttr::get(IndexType::get(type.getContext()), size);
  sizes[tensor] = std::move(list);
}

void TensorSizes::setDynamic(Value tensor, ValueRange dynamic) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Sizes list(type.getRank());
  size_t next = 0;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      list[i] = dynamic[next++];
  set(tensor, list);
}

TensorSizes::Sizes TensorSizes::get(Value tensor) const {
  auto it = sizes.find(tensor);
  if (it != sizes.end())
    return it->second;
  auto type = cast<RankedTensorType>(tensor.getType());
  assert(type.hasStaticShape() && "the sizes of this tensor are unknown");
  return getAsIndexOpFoldResult(type.getContext(), type.getShape());
}

SmallVector<Value> TensorSizes::dynamic(Value tensor) const {
  SmallVector<Value> values;
  for (OpFoldResult size : get(tensor))
    if (auto value = dyn_cast<Value>(size))
      values.push_back(value);
  return values;
}

/// `a + b`: found again when it is there already, so that equal sizes stay
/// one value.
static Value addSizes(Value a, OpFoldResult b, Location loc,
                      OpBuilder &builder) {
  Block *block = builder.getInsertionBlock();
  auto isThere = [&](Operation *op) {
    return op->getBlock() == block &&
           (builder.getInsertionPoint() == block->end() ||
            op->isBeforeInBlock(&*builder.getInsertionPoint()));
  };
  std::optional<int64_t> constant = getConstantIntValue(b);
  for (Operation *user : a.getUsers()) {
    auto add = dyn_cast<arith::AddIOp>(user);
    if (!add || add.getLhs() != a || !isThere(add))
      continue;
    if (constant ? getConstantIntValue(add.getRhs()) == constant
                 : OpFoldResult(add.getRhs()) == b)
      return add;
  }
  Value rhs = getValueOrCreateConstantIndexOp(builder, loc, b);
  return arith::AddIOp::create(builder, loc, a, rhs);
}

/// Sizes summed along the dimension; elsewhere those of the first input.
static TensorSizes::Sizes concatenated(flatir::ConcatenateOp op,
                                       const TensorSizes &sizes,
                                       OpBuilder &builder) {
  TensorSizes::Sizes result = sizes.get(op.getInputs().front());
  int64_t dim = static_cast<int64_t>(op.getDim());
  if (!op.getResult().getType().isDynamicDim(dim))
    return result;
  int64_t known = 0;
  Value sum;
  for (Value input : op.getInputs()) {
    OpFoldResult size = sizes.get(input)[dim];
    if (std::optional<int64_t> constant = getConstantIntValue(size)) {
      known += *constant;
      continue;
    }
    Value value = cast<Value>(size);
    sum = sum ? addSizes(sum, value, op.getLoc(), builder) : value;
  }
  OpFoldResult constant = builder.getIndexAttr(known);
  result[dim] = !sum         ? constant
                : known == 0 ? OpFoldResult(sum)
                             : addSizes(sum, constant, op.getLoc(), builder);
  return result;
}

/// Sizes of a dot's result: batch, left, right dimensions.
static TensorSizes::Sizes contracted(flatir::DotOp op,
                                     const TensorSizes &sizes) {
  TensorSizes::Sizes lhs = sizes.get(op.getLhs());
  TensorSizes::Sizes rhs = sizes.get(op.getRhs());
  TensorSizes::Sizes result;
  for (auto [l, r] : llvm::zip(op.getLhsBatch(), op.getRhsBatch()))
    result.push_back(isa<Value>(lhs[l]) ? lhs[l] : rhs[r]);
  for (int64_t dim :
       flatir::freeDims(lhs.size(), op.getLhsBatch(), op.getLhsContract()))
    result.push_back(lhs[dim]);
  for (int64_t dim :
       flatir::freeDims(rhs.size(), op.getRhsBatch(), op.getRhsContract()))
    result.push_back(rhs[dim]);
  return result;
}

/// Sizes that operands give: one for each dynamic dimension of the result.
static TensorSizes::Sizes declared(Value result, ValueRange operands) {
  auto type = cast<RankedTensorType>(result.getType());
  TensorSizes::Sizes list(type.getRank());
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size)) {
      list[i] = operands.front();
      operands = operands.drop_front();
    }
  return list;
}

TensorSizes::Sizes TensorSizes::inferResult(Operation *op, OpBuilder &builder) {
  return llvm::TypeSwitch<Operation *, Sizes>(op)
      .Case<flatir::BroadcastOp, flatir::ReshapeOp, flatir::SliceOp,
            flatir::IotaOp, flatir::RandomBitsOp, flatir::WindowOp>(
          [](auto shaped) {
            return declared(shaped.getResult(), shaped.getSizes());
          })
      .Case([&](flatir::TransposeOp transpose) {
        Sizes from = get(transpose.getInput()), to;
        for (int64_t dim : transpose.getPermutation())
          to.push_back(from[dim]);
        return to;
      })
      .Case([&](flatir::GatherOp gather) {
        Sizes from = get(gather.getInput()), at = get(gather.getIndex());
        auto *dim = from.begin() + static_cast<int64_t>(gather.getDim());
        from.insert(from.erase(dim), at.begin(), at.end());
        return from;
      })
      .Case([&](flatir::ReduceOp reduce) {
        Sizes to;
        for (auto [i, size] : llvm::enumerate(get(reduce.getInput())))
          if (!llvm::is_contained(reduce.getDims(), static_cast<int64_t>(i)))
            to.push_back(size);
        return to;
      })
      .Case([&](flatir::ConcatenateOp concat) {
        return concatenated(concat, *this, builder);
      })
      .Case([&](flatir::DotOp dot) { return contracted(dot, *this); })
      .Case([&](kernel::AttentionOp attention) {
        Sizes to = get(attention.getQuery());
        to.back() = get(attention.getValue()).back();
        return to;
      })
      // Element-wise: operands have the result's shape.
      .Default([&](Operation *other) { return get(other->getOperand(0)); });
}

/// Of all results, one after the other.
static void inferPlugin(flatir::PluginOp op, TensorSizes &sizes) {
  ValueRange given = op.getSizes();
  for (Value result : op.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    sizes.setDynamic(result, given.take_front(type.getNumDynamicDims()));
    given = given.drop_front(type.getNumDynamicDims());
  }
}

void TensorSizes::infer(Operation *op, OpBuilder &builder) {
  if (auto plugin = dyn_cast<flatir::PluginOp>(op))
    return inferPlugin(plugin, *this);
  assert(op->getNumResults() == 1 && "other primitives have one result");
  Value result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type || type.hasStaticShape())
    return;
  Sizes list = inferResult(op, builder);
  // Operands may know more than the type says.
  for (auto [i, size] : llvm::enumerate(list))
    if (auto known = dyn_cast_if_present<Attribute>(size);
        known && type.isDynamicDim(i))
      size = arith::ConstantIndexOp::create(builder, op->getLoc(),
                                            cast<IntegerAttr>(known).getInt())
                 .getResult();
  set(result, list);
}
