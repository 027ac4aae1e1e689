//===- AttentionSpace.cpp - Queries, keys and scores of a kernel ----------===//

#include "AttentionSpace.h"

#include "ResultViews.h"
#include "tripy/Codegen/Math.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

using arith::CmpIPredicate;

AttentionSpace::AttentionSpace(KernelEmission &emission)
    : op(emission.attention()), e(&emission), math(emission.math) {
  ArrayRef<Index> query = e->elements.sizesOf(op.getQuery());
  ArrayRef<Index> key = e->elements.sizesOf(op.getKey());
  ArrayRef<Index> value = e->elements.sizesOf(op.getValue());
  size_t batch = query.size() - 3;
  depth = *IndexMath::constantOf(query.back());
  width = *IndexMath::constantOf(value.back());
  group = std::max<int64_t>(1, op.getGroupSize());
  heads = math.div(query[batch], math.constant(group));
  queries = query[batch + 1];
  rows = math.mul(queries, math.constant(group));
  keys = key[batch + 1];
}

static bool isBias(Value mask) {
  return mask && !getElementTypeOrSelf(mask).isInteger(1);
}

ExponentScale ExponentScale::of(kernel::AttentionOp op) {
  double scale = op.getScale().convertToDouble() * llvm::numbers::log2e;
  using Limits = std::numeric_limits<float>;
  ExponentScale found;
  // The largest product has the largest score, but for those that a number
  // takes the place of. Products with 0 or infinity are NaN where keys are
  // hidden, or products equal.
  found.isLate = scale >= Limits::min() && scale <= Limits::max() &&
                 !isBias(op.getMask()) && !op.getHidden() && !op.getCap();
  double exact = found.isLate ? scale : llvm::numbers::log2e;
  found.factor = static_cast<float>(exact);
  auto query = cast<RankedTensorType>(op.getQuery().getType());
  const double largest = 65504, depth = double(query.getShape().back());
  found.isBounded = query.getElementType().isF16() && found.isLate &&
                    largest * largest * depth * exact < Limits::max();
  return found;
}

AffineExpr AttentionSpace::numBlocks(int64_t rowsEach) const {
  SmallVector<AffineExpr> sizes =
      ResultViews::of(e->yielded()[0]).sizesOfSource(e->sizeExprs(0));
  size_t batch = sizes.size() - 3;
  AffineExpr blocks = KernelEmission::product(ArrayRef(sizes).take_front(batch),
                                              e->kernel.getContext());
  return blocks * sizes[batch].floorDiv(group) *
         (sizes[batch + 1] * group).ceilDiv(rowsEach);
}

AttentionSpace::Block AttentionSpace::blockAt(Index number, int64_t rowsEach) {
  SmallVector<Index> sizes(e->elements.sizesOf(op.getQuery()));
  sizes.truncate(sizes.size() - 3);
  sizes.push_back(heads);
  sizes.push_back(math.ceilDiv(rows, math.constant(rowsEach)));
  SmallVector<Index> at = math.delinearize(number, sizes);
  Block block;
  Index rowBlock = at.pop_back_val();
  // Blocks with most keys begin first: the short ones fill the end.
  if (op.getCausal() != kernel::Causal::None && group == 1)
    rowBlock = math.sub(math.sub(sizes.back(), math.constant(1)), rowBlock);
  block.firstRow = math.mul(rowBlock, math.constant(rowsEach));
  block.keyHead = at.pop_back_val();
  block.batch = std::move(at);
  block.limit = keys;
  if (op.getLengths()) {
    Value length = e->elements.emitOne(op.getLengths(), block.batch);
    Value zero =
        arith::ConstantOp::create(e->b, e->loc, e->b.getI32IntegerAttr(0));
    length = arith::MaxSIOp::create(e->b, e->loc, length, zero);
    length =
        arith::IndexCastOp::create(e->b, e->loc, e->b.getIndexType(), length);
    block.limit = math.min(length, keys);
  }
  placeKeys(block, rowsEach);
  return block;
}

/// Keys before the one that is `keys` after the own key of `query`; 0 where
/// that is before the first.
Index AttentionSpace::pastOwnKey(const Block &block, Index query,
                                 int64_t keys) {
  Index past = math.add(query, math.constant(std::max<int64_t>(keys, 0)));
  Index before = math.constant(std::max<int64_t>(-keys, 0));
  // No number is negative.
  if (op.getCausal() == kernel::Causal::BottomRight) {
    past = math.add(past, block.limit);
    before = math.add(before, queries);
  } else if (keys >= 0) {
    return past;
  }
  return math.sub(math.max(past, before), before);
}

/// Where heads share keys, a block may have the first query of any, and the
/// last.
void AttentionSpace::placeKeys(Block &block, int64_t rowsEach) {
  Index first = math.constant(0), end = queries;
  if (group == 1) {
    first = block.firstRow;
    end = math.min(math.add(first, math.constant(rowsEach)), queries);
  }
  block.begin = block.firstOfAll = math.constant(0);
  block.end = block.endOfAll = block.limit;
  if (std::optional<int64_t> behind = op.getKeysAfter()) {
    block.end = pastOwnKey(block, end, *behind);
    block.endOfAll = pastOwnKey(block, first, *behind + 1);
    if (op.getCausal() != kernel::Causal::BottomRight) {
      block.end = math.min(block.limit, block.end);
      block.endOfAll = math.min(block.limit, block.endOfAll);
    }
  }
  if (std::optional<int64_t> before = op.getWindowLeft()) {
    block.begin = pastOwnKey(block, first, -*before);
    block.firstOfAll = pastOwnKey(block, end, -*before - 1);
  }
}

AttentionSpace::Row AttentionSpace::rowAt(const Block &block, Index row) {
  if (group == 1)
    return {block.keyHead, row};
  return {math.add(math.mul(block.keyHead, math.constant(group)),
                   math.div(row, queries)),
          math.rem(row, queries)};
}

SmallVector<Index> AttentionSpace::ofQuery(const Block &block, const Row &row,
                                           Index column) const {
  SmallVector<Index> at(block.batch);
  at.append({row.head, row.query, column});
  return at;
}

SmallVector<Index> AttentionSpace::ofKey(const Block &block, Index key,
                                         Index column) const {
  SmallVector<Index> at(block.batch);
  at.append({block.keyHead, key, column});
  return at;
}

Value AttentionSpace::compare(CmpIPredicate predicate, Index a, Index b) {
  Value lhs = math.value(a), rhs = math.value(b);
  return arith::CmpIOp::create(e->b, e->loc, predicate, lhs, rhs);
}

/// Null where a query sees all keys.
Value AttentionSpace::isSeen(const Block &block, const Row &row, Index key,
                             Value inside, bool isOfAll) {
  Value seen = inside;
  auto add = [&](Value more) {
    seen = seen ? arith::AndIOp::create(e->b, e->loc, seen, more).getResult()
                : more;
  };
  // As in the decomposition: no number is negative.
  Index place = key, own = row.query;
  if (op.getCausal() == kernel::Causal::BottomRight) {
    place = math.add(key, queries);
    own = math.add(row.query, block.limit);
  }
  std::optional<int64_t> behind = op.getKeysAfter();
  if (behind && !isOfAll)
    add(compare(CmpIPredicate::ule, place,
                math.add(own, math.constant(*behind))));
  std::optional<int64_t> before = op.getWindowLeft();
  if (before && !isOfAll)
    add(compare(CmpIPredicate::uge, math.add(place, math.constant(*before)),
                own));
  if (op.getMask() && !hasBias() && !op.getHidden())
    add(e->elements.emitOne(op.getMask(), ofQuery(block, row, key)));
  return seen;
}

bool AttentionSpace::hasBias() { return isBias(op.getMask()); }

Value AttentionSpace::scaled(const Block &block, const Row &row, Index key,
                             Value product) {
  double scale = op.getScale().convertToDouble();
  double cap = op.getCap() ? op.getCap()->convertToDouble() : 1;
  Value score =
      arith::MulFOp::create(e->b, e->loc, product, number(scale / cap));
  if (op.getCap()) {
    auto capped = math::TanhOp::create(e->b, e->loc, score);
    if (op->hasAttr(withinF16Name))
      capped->setAttr(withinF16Name, e->b.getUnitAttr());
    score = arith::MulFOp::create(e->b, e->loc, capped, number(cap));
  }
  if (!hasBias())
    return score;
  Value bias = e->elements.emitOne(op.getMask(), ofQuery(block, row, key));
  if (bias.getType().isF64())
    bias = arith::TruncFOp::create(e->b, e->loc, score.getType(), bias);
  return arith::AddFOp::create(e->b, e->loc, score, bias);
}

Value AttentionSpace::unlessHidden(const Block &block, const Row &row,
                                   Index key, Value score, Value inside,
                                   bool isOfAll) {
  if (std::optional<APFloat> hidden = op.getHidden()) {
    Value isSeen = e->elements.emitOne(op.getMask(), ofQuery(block, row, key));
    score = arith::SelectOp::create(e->b, e->loc, isSeen, score,
                                    number(hidden->convertToDouble()));
  }
  Value seen = isSeen(block, row, key, inside, isOfAll);
  if (!seen)
    return score;
  return arith::SelectOp::create(e->b, e->loc, seen, score, minusInfinity());
}

Value AttentionSpace::number(double value) {
  return arith::ConstantOp::create(e->b, e->loc,
                                   e->b.getF32FloatAttr(float(value)));
}

Value AttentionSpace::minusInfinity() {
  return number(-std::numeric_limits<double>::infinity());
}

Value AttentionSpace::reference(Value max) {
  Value isNone = arith::CmpFOp::create(e->b, e->loc, arith::CmpFPredicate::OEQ,
                                       max, minusInfinity());
  return arith::SelectOp::create(e->b, e->loc, isNone, number(0), max);
}

Value AttentionSpace::larger(Value max, Value score) {
  Value isLarger = arith::CmpFOp::create(e->b, e->loc,
                                         arith::CmpFPredicate::OGT, score, max);
  return arith::SelectOp::create(e->b, e->loc, isLarger, score, max);
}

Value AttentionSpace::divisor(Value sum) {
  // 0 / 0 is NaN; without keys the result is 0 all the same.
  if (op.getEmptyIsNaN() && IndexMath::constantOf(keys).value_or(0) > 0)
    return sum;
  Value isNone =
      op.getEmptyIsNaN()
          ? compare(CmpIPredicate::eq, keys, math.constant(0))
          : arith::CmpFOp::create(e->b, e->loc, arith::CmpFPredicate::OEQ, sum,
                                  number(0))
                .getResult();
  return arith::SelectOp::create(e->b, e->loc, isNone, number(1), sum);
}

Value AttentionSpace::exp(Value value) {
  auto power = math::ExpOp::create(e->b, e->loc, value);
  if (elementTypeOf(op.getQuery()).getIntOrFloatBitWidth() == 16)
    power->setAttr(feeds16Name, e->b.getUnitAttr());
  return power;
}
