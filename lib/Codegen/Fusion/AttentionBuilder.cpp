//===- AttentionBuilder.cpp - kernel.attention of what was found ----------===//

#include "AttentionBuilder.h"

#include "tripy/Codegen/Math.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"

#include <cmath>

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

Location AttentionBuilder::locate() {
  SmallVector<Location> places;
  for (Operation *op : pattern.replaced)
    places.push_back(op->getLoc());
  return inserted(fuseLocations(places),
                  {"attention", "compute scores block by block, and store "
                                "none"});
}

//===-- shapes ------------------------------------------------------------===//

OpFoldResult AttentionBuilder::product(ArrayRef<unsigned> list) {
  int64_t number = 1;
  Value rest;
  for (unsigned axis : list) {
    OpFoldResult size = axes.sizeOf(axis);
    if (std::optional<int64_t> constant = getConstantIntValue(size)) {
      number *= *constant;
      continue;
    }
    auto value = cast<Value>(size);
    rest =
        rest ? arith::MulIOp::create(b, loc, rest, value).getResult() : value;
  }
  if (!rest)
    return b.getIndexAttr(number);
  if (number == 1)
    return rest;
  Value factor = arith::ConstantIndexOp::create(b, loc, number);
  return arith::MulIOp::create(b, loc, rest, factor).getResult();
}

SizeList AttentionBuilder::with(OpFoldResult heads, OpFoldResult rows,
                                OpFoldResult columns) {
  SizeList sizes(batch);
  sizes.append({heads, rows, columns});
  return sizes;
}

/// Queries are one axis of those that the keys lack, the others heads.
std::string AttentionBuilder::chooseRows() {
  Axes all = pattern.rows;
  auto isDynamic = [&](unsigned axis) {
    return !getConstantIntValue(axes.sizeOf(axis));
  };
  if (seen.queries) {
    queries = {*seen.queries};
  } else if (!all.empty()) {
    auto *dynamic = llvm::find_if(all, isDynamic);
    queries = {dynamic == all.end() ? all.back() : *dynamic};
  }
  for (unsigned axis : all)
    if (!llvm::is_contained(queries, axis))
      groups.push_back(axis);
  if (llvm::any_of(groups, isDynamic))
    return "the number of heads that share keys is dynamic";
  return "";
}

std::string AttentionBuilder::chooseHeads() {
  if (std::string why = chooseRows(); !why.empty())
    return why;
  outer = pattern.batch;
  // Heads that share keys are the kernel's heads; else any dimension is.
  if (groups.empty() && !outer.empty())
    heads = {outer.pop_back_val()};
  batch = axes.sizesOf(outer);
  for (const Axes &list : {pattern.depth, pattern.width}) {
    std::optional<int64_t> size = getConstantIntValue(product(list));
    if (!size || *size > kernel::AttentionOp::maxHeadSize)
      return "heads of " +
             (size ? std::to_string(*size) + " numbers"
                   : std::string("dynamic size")) +
             " are not supported, at most " +
             std::to_string(kernel::AttentionOp::maxHeadSize) + " are";
  }
  return "";
}

/// Tells the sizes of a new tensor.
static Value tellSizes(Operation *op, OpBuilder &b, Program &program) {
  program.sizes.infer(op, b);
  program.composites[op] = b.getStringAttr("attention");
  return op->getResult(0);
}

Value AttentionBuilder::known(Operation *op) {
  return tellSizes(op, b, program);
}

static RankedTensorType typeOf(const SizeList &sizes, Type element) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element);
}

static SmallVector<Value> dynamicOf(const SizeList &sizes) {
  SmallVector<Value> values;
  for (OpFoldResult size : sizes)
    if (!getConstantIntValue(size))
      values.push_back(cast<Value>(size));
  return values;
}

Value fusion::reshapedTo(Value tensor, const SizeList &sizes, OpBuilder &b,
                         Location loc, Program &program) {
  RankedTensorType type = typeOf(sizes, elementTypeOf(tensor));
  if (tensor.getType() == type && program.sizes.get(tensor) == sizes)
    return tensor;
  auto reshape =
      flatir::ReshapeOp::create(b, loc, type, tensor, dynamicOf(sizes));
  return tellSizes(reshape, b, program);
}

Value AttentionBuilder::reshaped(Value tensor, const SizeList &sizes) {
  return reshapedTo(tensor, sizes, b, loc, program);
}

Value fusion::reshapedFrom(Value tensor) {
  while (auto reshape = tensor.getDefiningOp<flatir::ReshapeOp>()) {
    if (!reshape.getType().hasStaticShape() ||
        !reshape.getInput().getType().hasStaticShape())
      break;
    tensor = reshape.getInput();
  }
  return tensor;
}

/// The tensor with its axes in this order, as one of these sizes.
Value AttentionBuilder::arranged(Value tensor, const DimAxes &dims,
                                 const Axes &order, const SizeList &sizes) {
  Axes from = axes.flat(dims);
  tensor = reshaped(reshapedFrom(tensor), axes.sizesOf(from));
  SmallVector<int64_t> permutation;
  for (unsigned axis : order)
    permutation.push_back(llvm::find(from, axis) - from.begin());
  if (!llvm::is_sorted(permutation)) {
    RankedTensorType type = typeOf(axes.sizesOf(order), elementTypeOf(tensor));
    tensor =
        known(flatir::TransposeOp::create(b, loc, type, tensor, permutation));
  }
  return reshaped(tensor, sizes);
}

static Axes joined(std::initializer_list<Axes> lists) {
  Axes all;
  for (const Axes &list : lists)
    llvm::append_range(all, list);
  return all;
}

/// A tensor of one number for each score, as the kernel has scores.
Value AttentionBuilder::ofScores(Value tensor, const DimAxes &dims) {
  OpFoldResult rows = groups.empty() ? product(heads) : product(groups);
  return arranged(tensor, dims,
                  joined({outer, heads, groups, queries, pattern.keys}),
                  with(rows, product(queries), product(pattern.keys)));
}

//===-- mask and bias -----------------------------------------------------===//

Value AttentionBuilder::splat(double value, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  auto number = b.getFloatAttr(type.getElementType(), value);
  if (type.hasStaticShape())
    return flatir::ConstantOp::create(b, loc,
                                      DenseElementsAttr::get(type, number));
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value one = flatir::ConstantOp::create(
      b, loc, DenseElementsAttr::get(scalar, number));
  return known(flatir::BroadcastOp::create(
      b, loc, type, one, program.sizes.dynamic(like), ArrayRef<int64_t>()));
}

/// All conditions that are left, as one tensor; null where there are none.
Value AttentionBuilder::visible() {
  Value all;
  for (auto &[condition, dims] : seen.conditions) {
    Value each = condition.leaf;
    if (condition.isNegated)
      each = known(flatir::LogicalNotOp::create(b, loc, each));
    for (Operation *view : condition.views) {
      IRMapping mapping;
      mapping.map(view->getOperand(0), each);
      Operation *copy = b.clone(*view, mapping);
      copy->setLoc(loc);
      auto type = cast<RankedTensorType>(view->getResult(0).getType());
      copy->getResult(0).setType(type.clone(b.getI1Type()));
      each = known(copy);
    }
    each = ofScores(each, dims);
    all = all ? known(flatir::LogicalAndOp::create(b, loc, all, each)) : each;
  }
  return all;
}

Value AttentionBuilder::inF32(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType().isF32())
    return tensor;
  return known(
      flatir::ConvertOp::create(b, loc, type.clone(b.getF32Type()), tensor));
}

/// The sum of all biases; null where there are none.
Value AttentionBuilder::bias() {
  Value sum;
  for (const ScoreBias &bias : pattern.biases) {
    Value each = ofScores(bias.tensor.tensor, bias.tensor.dims);
    bool isPlain = bias.factor == 1 && pattern.biases.size() == 1;
    if (!isPlain)
      each = inF32(each);
    if (bias.factor != 1)
      each =
          known(flatir::MulOp::create(b, loc, each, splat(bias.factor, each)));
    sum = sum ? known(flatir::AddOp::create(b, loc, sum, each)) : each;
  }
  return sum;
}

//===-- operands ----------------------------------------------------------===//

/// The tensor on what `inner` gives for the operation below its views; null
/// where it gives nothing.
Value AttentionBuilder::rebuilt(Value tensor,
                                llvm::function_ref<Value(Operation *)> inner) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return {};
  if (!isa<flatir::TransposeOp, flatir::ReshapeOp, flatir::SliceOp,
           flatir::BroadcastOp>(op))
    return inner(op);
  Value source = rebuilt(op->getOperand(0), inner);
  if (!source)
    return {};
  IRMapping mapping;
  mapping.map(op->getOperand(0), source);
  Operation *copy = b.clone(*op, mapping);
  auto type = cast<RankedTensorType>(tensor.getType());
  copy->getResult(0).setType(type.clone(elementTypeOf(source)));
  return known(copy);
}

/// What a constant is multiplied with: the scores' scale takes it over.
Value AttentionBuilder::unscaled(Value tensor) {
  while (true) {
    Value inner = rebuilt(tensor, [&](Operation *op) -> Value {
      if (!isa<flatir::MulOp, flatir::DivOp>(op))
        return {};
      bool isFirst = isa<flatir::MulOp>(op) && splatNumber(op->getOperand(0));
      std::optional<double> number =
          splatNumber(op->getOperand(isFirst ? 0 : 1));
      if (!number || *number == 0 || !std::isfinite(*number))
        return {};
      pattern.scale *= isa<flatir::MulOp>(op) ? *number : 1 / *number;
      pattern.replaced.insert(op);
      return op->getOperand(isFirst ? 1 : 0);
    });
    if (!inner)
      return tensor;
    tensor = inner;
  }
}

/// What was converted from `element`; null where it was not.
Value AttentionBuilder::narrowed(Value tensor, Type element) {
  return rebuilt(tensor, [&](Operation *op) -> Value {
    auto convert = dyn_cast<flatir::ConvertOp>(op);
    return convert && elementTypeOf(convert.getInput()) == element
               ? convert.getInput()
               : Value();
  });
}

/// Queries and keys of 16 bits that were converted for their product: it is in
/// f32 either way.
void AttentionBuilder::dropConversions() {
  Type element = elementTypeOf(pattern.value.tensor);
  Value *operands[] = {&pattern.query.tensor, &pattern.key.tensor};
  Value found[2];
  for (auto [i, operand] : llvm::enumerate(operands)) {
    found[i] = elementTypeOf(*operand) == element ? *operand
                                                  : narrowed(*operand, element);
    if (!found[i])
      return;
  }
  for (auto [i, operand] : llvm::enumerate(operands))
    *operand = found[i];
}

//===-- the operation -----------------------------------------------------===//

/// Brings the attention's result to the product's shape and type.
void AttentionBuilder::replaceBy(Value attention) {
  Value old = pattern.product.getResult();
  auto type = cast<RankedTensorType>(attention.getType());
  Type element = elementTypeOf(old);
  if (!element.isF32())
    attention = known(
        flatir::ConvertOp::create(b, loc, type.clone(element), attention));
  DimAxes dims{outer, heads, groups, queries, pattern.width};
  Axes order = axes.flat(pattern.result);
  SizeList from = axes.sizesOf(order), to = program.sizes.get(old), joined = to;
  // 8x4 heads -> 1x32: each of two reshapes keeps rows whole, so that the
  // kernel stores them where they belong.
  if (from.size() == to.size() && from != to)
    llvm::erase_if(
        joined, [](OpFoldResult size) { return isConstantIntValue(size, 1); });
  attention = arranged(attention, dims, order, joined);
  attention = reshaped(attention, to);
  if (attention.getType() != old.getType())
    attention = known(flatir::ReshapeOp::create(
        b, loc, old.getType(), attention, program.sizes.dynamic(old)));
  old.replaceAllUsesWith(attention);
}

std::string AttentionBuilder::rewrite() {
  readFills();
  if (std::string why = chooseHeads(); !why.empty())
    return why;
  dropConversions();
  Type element = elementTypeOf(pattern.query.tensor);
  if (elementTypeOf(pattern.value.tensor) != element ||
      elementTypeOf(pattern.key.tensor) != element ||
      !(element.isF32() || element.isF16() || element.isBF16()))
    return "queries, keys and values are of different types";
  bool hasBias = !pattern.biases.empty(), isFinite = std::isfinite(seen.hidden);
  if (hasBias && isFinite && seen.hidden > nearOverflow)
    return "a bias is added to scores that a finite number hides";
  pattern.query.tensor = unscaled(pattern.query.tensor);
  pattern.key.tensor = unscaled(pattern.key.tensor);
  Value mask = visible(), added = bias();
  if (mask && added) {
    // A number near overflow stays the same whatever score it is added to.
    if (isFinite)
      added = inF32(added);
    added = known(flatir::SelectOp::create(b, loc, mask, added,
                                           splat(seen.hidden, added)));
    mask = {};
    isFinite = false;
  }
  OpFoldResult ofQuery = groups.empty() ? product(heads) : product(groups);
  OpFoldResult ofKey =
      groups.empty() ? product(heads) : OpFoldResult(b.getIndexAttr(1));
  SizeList sizes = with(ofQuery, product(queries), product(pattern.width));
  Value q = arranged(pattern.query.tensor, pattern.query.dims,
                     joined({outer, heads, groups, queries, pattern.depth}),
                     with(ofQuery, product(queries), product(pattern.depth)));
  Value k =
      arranged(pattern.key.tensor, pattern.key.dims,
               joined({outer, heads, pattern.keys, pattern.depth}),
               with(ofKey, product(pattern.keys), product(pattern.depth)));
  Value v =
      arranged(pattern.value.tensor, pattern.value.dims,
               joined({outer, heads, pattern.keys, pattern.width}),
               with(ofKey, product(pattern.keys), product(pattern.width)));
  bool isSure = seen.seesSome && !mask && !hasBias;
  auto side = [&](std::optional<int64_t> keys) {
    return keys ? b.getI64IntegerAttr(*keys) : IntegerAttr();
  };
  auto attention = kernel::AttentionOp::create(
      b, loc, typeOf(sizes, b.getF32Type()), q, k, v, mask ? mask : added,
      Value(), kernel::CausalAttr::get(b.getContext(), seen.causal),
      side(seen.left), side(seen.right), b.getF64FloatAttr(pattern.scale),
      pattern.cap ? b.getF64FloatAttr(*pattern.cap) : FloatAttr(),
      isFinite ? b.getF64FloatAttr(seen.hidden) : FloatAttr(),
      /*emptyIsNaN=*/!isSure && !isFinite ? b.getUnitAttr() : UnitAttr());
  if (pattern.isCapRounded)
    attention->setAttr(codegen::withinF16Name, b.getUnitAttr());
  program.sizes.set(attention, sizes);
  program.composites[attention] = b.getStringAttr("attention");
  replaceBy(attention);
  return "";
}
