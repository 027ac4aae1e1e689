//===- AttentionWarp.cpp - Attention in the registers of a warp -----------===//

#include "AttentionWarp.h"

#include "tripy/Codegen/Math.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

AttentionWarp::AttentionWarp(CUDAKernel &kernel, AttentionSpace &space,
                             ElementType elementType, int64_t fragments,
                             int64_t keys)
    : space(space), fragments(fragments), keys(keys), depth(space.depth),
      width(space.width), kernel(kernel), e(kernel.e), math(e.math), words(e),
      elementType(elementType), exponents(ExponentScale::of(space.op)),
      queryLines{true, elementType, depth.lineBytes},
      valueLines{false, elementType, width.lineBytes} {}

AttentionWarp::State AttentionWarp::start() {
  State state;
  state.sums.assign(fragments * width.read / fragmentColumns * 4,
                    space.number(0));
  state.maxima.assign(ownRows(), space.minusInfinity());
  state.totals.assign(ownRows(), space.number(0));
  return state;
}

SmallVector<Value> AttentionWarp::pack(const State &state) const {
  SmallVector<Value> all(state.sums);
  llvm::append_range(all, state.maxima);
  llvm::append_range(all, state.totals);
  return all;
}

AttentionWarp::State AttentionWarp::unpack(ValueRange all) const {
  State state;
  auto take = [&](SmallVector<Value> &to, int64_t count) {
    llvm::append_range(to, all.take_front(count));
    all = all.drop_front(count);
  };
  take(state.sums, fragments * width.read / fragmentColumns * 4);
  take(state.maxima, ownRows());
  take(state.totals, ownRows());
  return state;
}

void AttentionWarp::locate(const AttentionSpace::Block &ofBlock, Value address,
                           Index warpRow) {
  block = ofBlock;
  query = address;
  lane = math.rem(kernel.threadId(), constant(32));
  Index first =
      math.add(math.add(block.firstRow, warpRow), math.div(lane, constant(4)));
  for (int64_t row = 0; row < ownRows(); ++row) {
    Index own = math.add(first, constant(8 * row));
    Value isRow = kernel.compare(arith::CmpIPredicate::ult, own, space.rows);
    rows.push_back(space.rowAt(block, kernel.clampTo(isRow, own)));
  }
  Value none = words.constant(0);
  readers.emplace_back(kernel, queryLines, true, 0, words.of(warpRow));
  readers.emplace_back(kernel, queryLines, false, 0, none);
  readers.emplace_back(kernel, valueLines, false, keys * depth.lineBytes, none);
}

//===-- copies ------------------------------------------------------------===//

void AttentionWarp::startQuery(int64_t count, int64_t threads) {
  PanelCopy copy(kernel, space.op.getQuery(), depth, queryLines, count,
                 kernel.threadId(), threads);
  copy.start(query, math.sub(space.rows, block.firstRow),
             [&](Index row, Index column) {
               AttentionSpace::Row from =
                   space.rowAt(block, math.add(block.firstRow, row));
               return space.ofQuery(block, from, column);
             });
}

bool AttentionWarp::hasSteadyKeys(Index first) {
  auto copy = [&](Value tensor, const Panel &panel, Lines lines) {
    return PanelCopy(kernel, tensor, panel, lines, keys, constant(0), 1);
  };
  SmallVector<Index> at = space.ofKey(block, first, constant(0));
  return copy(space.op.getKey(), depth, queryLines).hasSteady(at) ||
         copy(space.op.getValue(), width, valueLines).hasSteady(at);
}

void AttentionWarp::startKeys(Value stage, Index first, Index end, Index thread,
                              int64_t threads, Copied which) {
  // None, where all keys are before `first`.
  Index valid = math.sub(math.max(end, first), first);
  auto place = [&](Index row, Index column) {
    return space.ofKey(block, math.add(first, row), column);
  };
  PanelCopy(kernel, space.op.getKey(), depth, queryLines, keys, thread, threads)
      .start(stage, valid, place, which);
  PanelCopy(kernel, space.op.getValue(), width, valueLines, keys, thread,
            threads)
      .start(words.add(stage, keys * depth.lineBytes), valid, place, which);
  if (which != Copied::Steady)
    NVVM::CpAsyncCommitGroupOp::create(e.b, e.loc);
}

//===-- a block of keys ---------------------------------------------------===//

/// 4 products of a thread for each 16 rows and 8 keys.
SmallVector<Value> AttentionWarp::multiplyScores(Value stage) {
  int64_t ofFragment = keys / fragmentColumns * 4;
  SmallVector<Value> products(fragments * ofFragment, space.number(0));
  for (int64_t step = 0; step < depth.read / perStep; ++step) {
    SmallVector<SmallVector<Value>> a;
    for (int64_t fragment = 0; fragment < fragments; ++fragment)
      a.push_back(readers[0].read(query, step, fragment * fragmentRows, 4));
    for (int64_t key = 0; key < keys; key += 2 * fragmentColumns) {
      SmallVector<Value> b = readers[1].read(stage, step, key, 4);
      for (int64_t fragment = 0; fragment < fragments; ++fragment)
        for (int64_t half : {0, 1})
          multiplyAdd(
              e, elementType, a[fragment], ArrayRef(b).slice(2 * half, 2),
              MutableArrayRef(products).slice(
                  fragment * ofFragment + (key / fragmentColumns + half) * 4,
                  4));
    }
  }
  return products;
}

/// Lanes that have the columns of one row of a fragment.
static constexpr int64_t rowLanes = 4;

/// products -> scores, of the keys from `first` on. `areOfAll`: all rows see
/// them, as far as the mask does not hide them.
void AttentionWarp::takeScores(Index first, bool areOfAll,
                               MutableArrayRef<Value> scores) {
  Index pair = math.mul(math.rem(lane, constant(4)), constant(2));
  int64_t ofFragment = keys / fragmentColumns * 4;
  for (auto [i, score] : llvm::enumerate(scores)) {
    int64_t number = static_cast<int64_t>(i);
    int64_t behind = number % ofFragment / 4 * fragmentColumns + number % 2;
    Index key = math.add(first, math.add(pair, constant(behind)));
    Value inside;
    if (!areOfAll) {
      inside = kernel.compare(arith::CmpIPredicate::ult, key, block.end);
      key = kernel.clampTo(inside, key);
    }
    const AttentionSpace::Row &row = rows[rowOf(i, keys)];
    if (!exponents.isLate)
      score = space.scaled(block, row, key, score);
    score = space.unlessHidden(block, row, key, score, inside, areOfAll);
  }
}

/// The exponent's factor in a row.
Value AttentionWarp::factorOf(Value max) {
  Value own = space.number(exponents.factor);
  if (!exponents.isBounded)
    return own;
  auto unless = [&](arith::CmpFPredicate isHuge, double limit, Value other) {
    Value condition = arith::CmpFOp::create(
        e.b, e.loc, isHuge, max, space.number(limit / exponents.factor));
    return arith::SelectOp::create(e.b, e.loc, condition,
                                   space.number(exactFactor(exponents.factor)),
                                   other);
  };
  Value below = unless(arith::CmpFPredicate::OGE, maxRoundedProduct, own);
  return unless(arith::CmpFPredicate::OLE, -maxRoundedProduct, below);
}

/// What powers are relative to: the maximum, or its product with the scale
/// where products are bounded.
AttentionWarp::Reference AttentionWarp::referenceOf(Value max) {
  Value reference = space.reference(max);
  Value scale = factorOf(reference);
  if (exponents.isBounded)
    reference = arith::MulFOp::create(e.b, e.loc, reference, scale);
  return {reference, scale};
}

/// 2^(scale (score - maximum)). `isMaximum`: the score is one that powers were
/// relative to; its product was rounded.
Value AttentionWarp::powerOf(Value score, const Reference &to, bool isMaximum) {
  Value exponent, reference = to.value, scale = to.scale;
  if (!exponents.isBounded) {
    Value behind = arith::SubFOp::create(e.b, e.loc, score, reference);
    exponent = arith::MulFOp::create(e.b, e.loc, behind, scale);
  } else if (isMaximum) {
    Value product = arith::MulFOp::create(e.b, e.loc, score, scale);
    exponent = arith::SubFOp::create(e.b, e.loc, product, reference);
  } else {
    Value negated = arith::NegFOp::create(e.b, e.loc, reference);
    exponent = math::FmaOp::create(e.b, e.loc, score, scale, negated);
  }
  auto power = math::Exp2Op::create(e.b, e.loc, exponent);
  power->setAttr(feeds16Name, e.b.getUnitAttr());
  return power;
}

/// scores -> powers; what was summed is multiplied as the maximum grows.
void AttentionWarp::takePowers(State &state, MutableArrayRef<Value> scores) {
  SmallVector<Reference> references;
  SmallVector<Value> factors;
  for (int64_t row = 0; row < ownRows(); ++row) {
    Value max = state.maxima[row];
    auto larger = [&](Value a, Value b) -> Value {
      return arith::MaximumFOp::create(e.b, e.loc, a, b);
    };
    for (auto [i, score] : llvm::enumerate(scores))
      if (rowOf(i, keys) == row)
        max = larger(max, score);
    max = kernel.overLanes(max, rowLanes, larger);
    references.push_back(referenceOf(max));
    factors.push_back(rescale(state.maxima[row], references[row]));
    state.maxima[row] = max;
    state.totals[row] =
        arith::MulFOp::create(e.b, e.loc, state.totals[row], factors[row]);
  }
  for (auto [i, score] : llvm::enumerate(scores)) {
    int64_t row = rowOf(i, keys);
    score = powerOf(score, references[row], false);
    state.totals[row] = add(state.totals[row], score);
  }
  for (auto [i, sum] : llvm::enumerate(state.sums))
    sum = arith::MulFOp::create(e.b, e.loc, sum, factors[rowOf(i, width.read)]);
}

/// Two neighbours as the instruction takes them.
Value AttentionWarp::packPair(Value low, Value high) {
  Type element = elementTypeOf(space.op.getQuery());
  SmallVector<Value> both{e.elements.narrow(low, element),
                          e.elements.narrow(high, element)};
  Value pair = vector::FromElementsOp::create(
      e.b, e.loc, VectorType::get({2}, element), both);
  return LLVM::BitcastOp::create(e.b, e.loc, e.b.getI32Type(), pair);
}

void AttentionWarp::addValues(State &state, Value stage,
                              ArrayRef<Value> powers) {
  int64_t ofFragment = keys / fragmentColumns * 4;
  int64_t sumsOfFragment = width.read / fragmentColumns * 4;
  for (int64_t step = 0; step < keys / perStep; ++step) {
    SmallVector<SmallVector<Value>> a(fragments);
    for (int64_t fragment = 0; fragment < fragments; ++fragment)
      for (int64_t i = 0; i < 8; i += 2) {
        int64_t at = fragment * ofFragment + step * 8 + i;
        a[fragment].push_back(packPair(powers[at], powers[at + 1]));
      }
    for (int64_t column = 0; column < width.read;
         column += 2 * fragmentColumns) {
      SmallVector<Value> b = readers[2].read(stage, step, column, 4);
      for (int64_t fragment = 0; fragment < fragments; ++fragment)
        for (int64_t half : {0, 1})
          multiplyAdd(e, elementType, a[fragment],
                      ArrayRef(b).slice(2 * half, 2),
                      MutableArrayRef(state.sums)
                          .slice(fragment * sumsOfFragment +
                                     (column / fragmentColumns + half) * 4,
                                 4));
    }
  }
}

void AttentionWarp::take(State &state, Value stage, Index first,
                         bool areOfAll) {
  SmallVector<Value> scores = multiplyScores(stage);
  takeScores(first, areOfAll, scores);
  takePowers(state, scores);
  addValues(state, stage, scores);
}

SmallVector<Value> AttentionWarp::rowTotals(const State &state) {
  SmallVector<Value> totals;
  for (Value total : state.totals)
    totals.push_back(kernel.overLanes(
        total, rowLanes, [&](Value a, Value b) { return add(a, b); }));
  return totals;
}
