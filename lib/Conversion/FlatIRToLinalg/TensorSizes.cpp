//===- TensorSizes.cpp - Run-time sizes of tensors ------------------------===//

#include "tripy/Conversion/TensorSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

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

namespace {

/// Says a reified size in terms of sizes that are known. Operations of
/// `scratch` are dims of tensors, constants and sums.
class KnownSize {
public:
  KnownSize(Block &scratch, TensorSizes::Lookup sizesOf, OpBuilder &builder)
      : scratch(scratch), sizesOf(sizesOf), builder(builder) {}

  OpFoldResult operator()(OpFoldResult size, Location loc) {
    SmallVector<OpFoldResult> terms = termsOf(size);
    if (terms.size() == 1)
      return terms.front();
    Value sum;
    int64_t constant = 0;
    // Numbers are added last, so that equal sums are found again.
    for (OpFoldResult part : terms) {
      if (std::optional<int64_t> number = getConstantIntValue(part))
        constant += *number;
      else
        sum = sum ? addSizes(sum, cast<Value>(part), loc, builder)
                  : cast<Value>(part);
    }
    OpFoldResult number = builder.getIndexAttr(constant);
    if (!sum)
      return number;
    return constant == 0 ? sum : addSizes(sum, number, loc, builder);
  }

private:
  SmallVector<OpFoldResult> termsOf(OpFoldResult size) {
    auto value = dyn_cast<Value>(size);
    Operation *made = value ? value.getDefiningOp() : nullptr;
    if (!made || made->getBlock() != &scratch)
      return {size};
    if (auto dim = dyn_cast<tensor::DimOp>(made))
      return {sizesOf(dim.getSource())[*dim.getConstantIndex()]};
    if (std::optional<int64_t> number = getConstantIntValue(value))
      return {builder.getIndexAttr(*number)};
    auto add = cast<arith::AddIOp>(made);
    SmallVector<OpFoldResult> terms = termsOf(add.getLhs());
    terms.append(termsOf(add.getRhs()));
    return terms;
  }

  Block &scratch;
  TensorSizes::Lookup sizesOf;
  OpBuilder &builder;
};

} // namespace

SmallVector<TensorSizes::Sizes>
TensorSizes::inferResults(Operation *op, OpBuilder &builder, Lookup sizesOf) {
  auto reify = dyn_cast<ReifyRankedShapedTypeOpInterface>(op);
  // Arithmetic on tensors of upstream's dialects is element-wise.
  if (!reify)
    return {sizesOf(op->getOperand(0))};
  Block scratch;
  OpBuilder aside(op->getContext());
  aside.setInsertionPointToStart(&scratch);
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reify.reifyResultShapes(aside, shapes)))
    llvm_unreachable("an operation of flatir gives the sizes of its results");
  KnownSize known(scratch, sizesOf, builder);
  SmallVector<Sizes> results;
  for (const auto &shape : shapes) {
    Sizes &sizes = results.emplace_back();
    for (OpFoldResult size : shape)
      sizes.push_back(known(size, op->getLoc()));
  }
  return results;
}

void TensorSizes::infer(Operation *op, OpBuilder &builder) {
  infer(op, builder, [&](Value tensor) { return get(tensor); });
}

void TensorSizes::infer(Operation *op, OpBuilder &builder, Lookup sizesOf) {
  if (llvm::all_of(op->getResultTypes(), [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return !tensor || tensor.hasStaticShape();
      }))
    return;
  SmallVector<Sizes> lists = inferResults(op, builder, sizesOf);
  for (auto [result, list] : llvm::zip_equal(op->getResults(), lists)) {
    auto type = cast<RankedTensorType>(result.getType());
    // Operands may know more than the type says.
    for (auto [i, size] : llvm::enumerate(list))
      if (auto known = dyn_cast_if_present<Attribute>(size);
          known && type.isDynamicDim(i))
        size = arith::ConstantIndexOp::create(builder, op->getLoc(),
                                              cast<IntegerAttr>(known).getInt())
                   .getResult();
    set(result, list);
  }
}
