//===- BuildConsumer.cpp - A consumer of attention's keys -----------------===//

#include "AttentionTilesBuilder.h"

#include "tripy/Codegen/Math.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::tiles;

/// products -> scores, but for a scale that the exponent takes in.
Value AttentionTilesBuilder::scored(const TilePlace &at, Value products,
                                    Value query, Value number, bool masked) {
  bool readsMask = static_cast<bool>(op.getMask());
  if (!masked && exponents.isLate && !readsMask)
    return products;
  SmallVector<Value> place(at.batch);
  place.append({at.head, query, firstKey(at, number)});
  return tile::ScoreOp::create(b, loc, products.getType(), products, place,
                               masked && isRagged() ? keys : Value(),
                               exponents.isLate, !masked || !isBanded());
}

/// The maximum, or 0 where no key is seen; times the factor where that may be
/// fused.
RowReference AttentionTilesBuilder::referenceOf(Value maximum) {
  auto type = cast<RankedTensorType>(maximum.getType());
  Value none = splat(type, -std::numeric_limits<double>::infinity());
  Value isNone =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, maximum, none);
  Value reference =
      arith::SelectOp::create(b, loc, isNone, splat(type, 0), maximum);
  Value scale = splat(type, exponents.factor);
  if (!exponents.isBounded)
    return {reference, scale};
  auto unless = [&](arith::CmpFPredicate isHuge, double limit, Value other) {
    Value condition = arith::CmpFOp::create(
        b, loc, isHuge, reference, splat(type, limit / exponents.factor));
    return arith::SelectOp::create(
        b, loc, condition, splat(type, exactFactor(exponents.factor)), other);
  };
  scale = unless(arith::CmpFPredicate::OGE, maxRoundedProduct, scale);
  scale = unless(arith::CmpFPredicate::OLE, -maxRoundedProduct, scale);
  return {binary<arith::MulFOp>(reference, scale), scale};
}

Value AttentionTilesBuilder::exponent(Value scores, const RowReference &of,
                                      bool isMaximum) {
  if (!exponents.isBounded)
    return binary<arith::MulFOp>(binary<arith::SubFOp>(scores, of.maximum),
                                 of.scale);
  // The product of the maximum was rounded.
  if (isMaximum)
    return binary<arith::SubFOp>(binary<arith::MulFOp>(scores, of.scale),
                                 of.maximum);
  Value negated = arith::NegFOp::create(b, loc, of.maximum);
  return math::FmaOp::create(b, loc, scores, of.scale, negated);
}

/// The largest power of a row is 1, or near it: what is below the normal f32
/// may be 0.
Value AttentionTilesBuilder::powerOf(Value scores, const RowReference &of,
                                     bool isMaximum) {
  auto power = math::Exp2Op::create(b, loc, exponent(scores, of, isMaximum));
  power->setAttr(feedsF16Name, b.getUnitAttr());
  return power;
}

/// The powers of a block of scores.
Value AttentionTilesBuilder::powerOfAll(Value scores, const RowReference &of) {
  auto type = cast<RankedTensorType>(scores.getType());
  auto beside = [&](Value ofRows) -> Value {
    return tile::BroadcastOp::create(b, loc, type, ofRows);
  };
  return powerOf(scores, {beside(of.maximum),
                          exponents.isBounded ? beside(of.scale)
                                              : splat(type, exponents.factor)});
}

/// The scores and powers of the last keys.
void AttentionTilesBuilder::startTile(const TilePlace &at, Value query,
                                      Value queries, State &state) {
  RankedTensorType scores = fragment(schedule.keys, b.getF32Type());
  auto pending = tile::PendingType::get(b.getContext(), scores);
  Value keyView = awaitStage(keyRing, state.keyPos);
  Value started = tile::MmaAsyncOp::create(b, loc, pending, queries, keyView,
                                           Value(), false);
  Value products =
      tile::MmaWaitOp::create(b, loc, scores, started, 0, ValueRange());
  tile::RingReleaseOp::create(b, loc, keyRing, state.keyPos);
  state.keyPos = tile::RingNextOp::create(b, loc, state.keyPos.getType(),
                                          keyRing, state.keyPos);
  bool masked = isBanded() || isRagged();
  Value score = scored(at, products, query, constant(0), masked);
  state.maximum = tile::ReduceOp::create(b, loc, rowsType(false),
                                         tile::ReduceKind::Max, score);
  Value power = powerOfAll(score, referenceOf(state.maximum));
  state.total = tile::ReduceOp::create(b, loc, rowsType(true),
                                       tile::ReduceKind::Add, power);
  RankedTensorType half = fragment(schedule.keys, element);
  Value narrow = arith::TruncFOp::create(b, loc, half, power);
  state.powers = tile::RelabelOp::create(
      b, loc, fragment(schedule.keys, element, tile::FragKind::WgmmaA), narrow);
  state.sums = splat(fragment(problem.width, b.getF32Type()), 0);
}

/// The scores of block `number`, and the products of the powers before it.
void AttentionTilesBuilder::takeKeys(const TilePlace &at, Value query,
                                     Value queries, Value number, Value member,
                                     State &state, bool masked) {
  MLIRContext *context = b.getContext();
  RankedTensorType scores = fragment(schedule.keys, b.getF32Type());
  auto sums = cast<RankedTensorType>(state.sums.getType());
  Value keyView = awaitStage(keyRing, state.keyPos);
  if (order)
    tile::OrderWaitOp::create(b, loc, order, member);
  Value next =
      tile::MmaAsyncOp::create(b, loc, tile::PendingType::get(context, scores),
                               queries, keyView, Value(), false);
  Value valueView = awaitStage(valueRing, state.valuePos);
  Value started = tile::MmaAsyncOp::create(
      b, loc, tile::PendingType::get(context, sums), state.powers, valueView,
      state.sums, false, true);
  if (order)
    tile::OrderPassOp::create(b, loc, order, member);
  Value products =
      tile::MmaWaitOp::create(b, loc, scores, next, 1, ValueRange());
  tile::RingReleaseOp::create(b, loc, keyRing, state.keyPos);
  Value score = scored(at, products, query, number, masked);
  Value largest = tile::ReduceOp::create(b, loc, rowsType(false),
                                         tile::ReduceKind::Max, score);
  Value maximum = binary<arith::MaximumFOp>(state.maximum, largest);
  RowReference reference = referenceOf(maximum);
  Value rescale = powerOf(state.maximum, reference, /*isMaximum=*/true);
  Value power = powerOfAll(score, reference);
  power = tile::HoldOp::create(b, loc, power);
  Value added = tile::ReduceOp::create(b, loc, rowsType(true),
                                       tile::ReduceKind::Add, power);
  Value ofLane = tile::RelabelOp::create(b, loc, rowsType(true), rescale);
  state.total = tile::HoldOp::create(
      b, loc, math::FmaOp::create(b, loc, state.total, ofLane, added));
  Value done = tile::MmaWaitOp::create(b, loc, sums, started, 0,
                                       ValueRange{state.powers});
  tile::RingReleaseOp::create(b, loc, valueRing, state.valuePos);
  Value narrow =
      arith::TruncFOp::create(b, loc, fragment(schedule.keys, element), power);
  state.powers =
      tile::RelabelOp::create(b, loc, state.powers.getType(), narrow);
  state.sums = binary<arith::MulFOp>(
      done, tile::BroadcastOp::create(b, loc, sums, rescale));
  state.maximum = maximum;
  state.keyPos = tile::RingNextOp::create(b, loc, state.keyPos.getType(),
                                          keyRing, state.keyPos);
  state.valuePos = tile::RingNextOp::create(b, loc, state.valuePos.getType(),
                                            valueRing, state.valuePos);
}

AttentionTilesBuilder::State
AttentionTilesBuilder::loopOver(const TilePlace &at, Value query, Value queries,
                                Value member, Value from, Value to,
                                const State &state, bool masked) {
  auto pack = [](const State &state) {
    return SmallVector<Value>{state.powers, state.sums,   state.maximum,
                              state.total,  state.keyPos, state.valuePos};
  };
  auto unpack = [](ValueRange all) {
    return State{all[0], all[1], all[2], all[3], all[4], all[5]};
  };
  auto loop = scf::ForOp::create(
      b, loc, from, to, constant(1), pack(state),
      [&](OpBuilder &, Location, Value number, ValueRange carried) {
        State next = unpack(carried);
        takeKeys(at, query, queries, number, member, next, masked);
        scf::YieldOp::create(b, loc, pack(next));
      });
  return unpack(loop.getResults());
}

/// `result`, and 0 where no key is seen, whatever the values are; NaN where the
/// operation says so and there are keys.
Value AttentionTilesBuilder::unlessEmpty(Value result, Value total) {
  auto sums = cast<RankedTensorType>(result.getType());
  Value none = splat(sums, 0);
  if (op.getEmptyIsNaN()) {
    // 0 / 0
    if (isa<AffineConstantExpr>(problem.key.sizes[problem.batchRank + 1]))
      return result;
    Value isNone = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, keys,
                                         constant(0));
    return arith::SelectOp::create(b, loc, isNone, none, result);
  }
  auto row = cast<RankedTensorType>(total.getType());
  Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, total,
                                       splat(row, 0));
  auto truths =
      RankedTensorType::get(sums.getShape(), b.getI1Type(), sums.getEncoding());
  Value isNoneOfAll = tile::BroadcastOp::create(b, loc, truths, isNone);
  return arith::SelectOp::create(b, loc, isNoneOfAll, none, result);
}

/// The last products, divided by the sum of the powers.
void AttentionTilesBuilder::finishTile(const TilePlace &at, Value query,
                                       State &state) {
  auto sums = cast<RankedTensorType>(state.sums.getType());
  Value valueView = awaitStage(valueRing, state.valuePos);
  Value started = tile::MmaAsyncOp::create(
      b, loc, tile::PendingType::get(b.getContext(), sums), state.powers,
      valueView, state.sums, false, true);
  Value done = tile::MmaWaitOp::create(b, loc, sums, started, 0,
                                       ValueRange{state.powers});
  tile::RingReleaseOp::create(b, loc, valueRing, state.valuePos);
  state.valuePos = tile::RingNextOp::create(b, loc, state.valuePos.getType(),
                                            valueRing, state.valuePos);
  RankedTensorType row = rowsType(false);
  Value total =
      tile::ReduceOp::create(b, loc, row, tile::ReduceKind::Add, state.total);
  auto inverse = arith::DivFOp::create(b, loc, splat(row, 1), total);
  inverse->setAttr(feeds16Name, b.getUnitAttr());
  Value result = binary<arith::MulFOp>(
      done, tile::BroadcastOp::create(b, loc, sums, inverse));
  result = unlessEmpty(result, total);
  SmallVector<Value> place(at.batch);
  place.append({at.head, query});
  tile::StoreOp::create(b, loc, result, place);
}

void AttentionTilesBuilder::consume(Value member) {
  auto posType = tile::PosType::get(b.getContext());
  auto start = [&](Value ring) -> Value {
    return tile::RingStartOp::create(b, loc, posType, ring);
  };
  auto whole = cast<tile::RingType>(queryRing.getType()).getView();
  auto own =
      tile::SmemType::get(b.getContext(), {tile::groupRows, whole.getColumns()},
                          element, whole.getSwizzle());
  overTiles(
      {start(queryRing), start(keyRing), start(valueRing)},
      [&](Value tile, ValueRange positions) -> SmallVector<Value> {
        TilePlace at = placeOf(tile);
        Value query = binary<arith::AddIOp>(
            at.firstQuery,
            binary<arith::MulIOp>(member, constant(tile::groupRows)));
        Value queryView = awaitStage(queryRing, positions[0]);
        Value queries = tile::RowsOp::create(b, loc, own, queryView, member);
        State state;
        state.keyPos = positions[1];
        state.valuePos = positions[2];
        startTile(at, query, queries, state);
        Value from = constant(1);
        auto take = [&](Value to, bool masked) {
          state = loopOver(at, query, queries, member, from, to, state, masked);
          from = to;
        };
        auto upTo = [&](Value block) {
          Value to = binary<arith::MaxUIOp>(block, from);
          return at.whole ? binary<arith::MinUIOp>(to, at.blocks) : to;
        };
        if (isBanded())
          take(upTo(at.masked), /*masked=*/true);
        take(at.whole ? upTo(at.whole) : at.blocks, /*masked=*/false);
        if (at.whole)
          take(at.blocks, /*masked=*/true);
        tile::RingReleaseOp::create(b, loc, queryRing, positions[0]);
        Value nextQuery =
            tile::RingNextOp::create(b, loc, posType, queryRing, positions[0]);
        finishTile(at, query, state);
        return {nextQuery, state.keyPos, state.valuePos};
      });
}
