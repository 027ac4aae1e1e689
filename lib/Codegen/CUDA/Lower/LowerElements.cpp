//===- LowerElements.cpp - Elements at the places of fragments ------------===//

#include "Codegen/CUDA/Contractions/OperandSource.h"
#include "Lowering.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::tiles;

/// This thread's first row of a fragment.
Index TileLowering::fragmentRow() {
  Index t = math.rem(thread, math.constant(tile::groupThreads));
  Index warp = math.div(t, math.constant(32));
  Index lane = math.rem(t, math.constant(32));
  return math.add(math.mul(warp, math.constant(16)),
                  math.div(lane, math.constant(4)));
}

/// This thread's first column.
Index TileLowering::fragmentColumn() {
  return math.mul(math.rem(thread, math.constant(4)), math.constant(2));
}

namespace {
/// The keys that a row of scores sees by its place, counted from a thread's
/// first column on; i32, and perhaps negative. Null where there is no bound.
struct SeenKeys {
  Value begin, end;

  /// Whether the key of `column` is one of them; null where all are.
  Value has(OpBuilder &b, Location loc, Value column) const {
    Value inside;
    if (end)
      inside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, end, column);
    if (!begin)
      return inside;
    Value from =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, begin, column);
    return inside ? arith::AndIOp::create(b, loc, inside, from).getResult()
                  : from;
  }
};
} // namespace

/// Of the row of `query`, from the key `first` on; of keys before `within`,
/// where that is given. `seen`: its place hides none.
static SeenKeys seenKeys(OpBuilder &b, Location loc, AttentionSpace *space,
                         Value query, Value first, Value within, bool seen,
                         Value queries, Value keys) {
  SeenKeys found{Value(), within};
  // The key that is `more` after the row's own.
  auto placeOf = [&](int64_t more) -> Value {
    Value by = arith::ConstantOp::create(
        b, loc, b.getI32IntegerAttr(static_cast<int32_t>(more)));
    Value key = arith::AddIOp::create(b, loc, query, by);
    if (space->op.getCausal() != kernel::Causal::BottomRight)
      return key;
    return arith::AddIOp::create(b, loc, key,
                                 arith::SubIOp::create(b, loc, keys, queries));
  };
  if (std::optional<int64_t> behind = space->op.getKeysAfter();
      behind && !seen) {
    Value end = placeOf(*behind + 1);
    found.end =
        within ? arith::MinSIOp::create(b, loc, within, end).getResult() : end;
  }
  if (std::optional<int64_t> before = space->op.getWindowLeft();
      before && !seen)
    found.begin = placeOf(-*before);
  for (Value *key : {&found.begin, &found.end})
    if (*key)
      *key = arith::SubIOp::create(b, loc, *key, first);
  return found;
}

TileLowering::Registers TileLowering::score(tile::ScoreOp op) {
  bool mayBeEmpty = op.getWithin() && space->op.getMask() &&
                    !IndexMath::constantOf(space->keys);
  if (!mayBeEmpty)
    return scoreKeys(op);
  // Without keys, there is no mask to read.
  Value any =
      kernel.compare(arith::CmpIPredicate::ne, space->keys, math.constant(0));
  return kernel.valuesWhere(any, count(op.getResult().getType()),
                            space->minusInfinity(),
                            [&] { return scoreKeys(op); });
}

TileLowering::Registers TileLowering::scoreKeys(tile::ScoreOp op) {
  RankedTensorType type = op.getResult().getType();
  SmallVector<Index> at;
  for (Value index : op.getAt())
    at.push_back(toIndex(scalar(index)));
  // Blocks of keys begin at even ones, for loads of pairs.
  math.setFactor(math.value(at.back()), 2);
  Index firstKey = math.add(at.pop_back_val(), fragmentColumn());
  Index firstQuery = math.add(at.pop_back_val(), fragmentRow());
  Index head = at.pop_back_val();
  AttentionSpace::Block block;
  block.batch = at;
  block.limit = space->keys;
  bool reads = static_cast<bool>(space->op.getMask());
  Value within = op.getWithin() ? scalar(op.getWithin()) : Value();
  SmallVector<SeenKeys> seen;
  SmallVector<AttentionSpace::Row> rows;
  for (int64_t half = 0; half < 2; ++half) {
    Index query = math.add(firstQuery, math.constant(8 * half));
    seen.push_back(seenKeys(b, loc, &*space, toI32(query), toI32(firstKey),
                            within, op.getSeen(), toI32(space->queries),
                            toI32(space->keys)));
    if (reads)
      query = math.min(query, math.sub(space->queries, math.constant(1)));
    rows.push_back({head, query});
  }
  Registers scores = of(op.getInput());
  Elements masks;
  for (auto [i, value] : llvm::enumerate(scores)) {
    auto [row, column] = tile::placeOf(type, static_cast<int64_t>(i));
    Value inside = seen[row / 8].has(b, loc, i32(column));
    Index key = math.add(firstKey, math.constant(column));
    // What lies beyond the end is not read.
    if (reads && within)
      key = math.min(key, math.sub(space->keys, math.constant(1)));
    // Neighbours are read together, where both are there.
    Value mask = space->op.getMask();
    bool together = reads && !within;
    if (together && i % 2 == 0)
      masks =
          e.elements.emit(mask, space->ofQuery(block, rows[row / 8], key), 2);
    if (together)
      e.elements.bindSource(mask,
                            [own = masks[i % 2]](ArrayRef<Index>, int64_t) {
                              return Elements{own};
                            });
    if (!op.getUnscaled())
      value = space->scaled(block, rows[row / 8], key, value);
    value = space->unlessHidden(block, rows[row / 8], key, value, inside,
                                /*isOfAll=*/true);
    if (together)
      e.elements.unbindSource(mask);
  }
  return scores;
}

void TileLowering::store(tile::StoreOp op) {
  RankedTensorType type = op.getInput().getType();
  const Registers values = of(op.getInput());
  SmallVector<Index> at;
  for (Value index : op.getAt())
    at.push_back(toIndex(scalar(index)));
  Index first = math.add(at.pop_back_val(), fragmentRow());
  Index column = fragmentColumn();
  for (int64_t half = 0; half < 2; ++half) {
    Index query = math.add(first, math.constant(8 * half));
    Value inside =
        kernel.compare(arith::CmpIPredicate::ult, query, space->queries);
    e.when(inside, [&] {
      for (int64_t i = 2 * half; i < static_cast<int64_t>(values.size());
           i += 4) {
        int64_t behind = tile::placeOf(type, i).second;
        if (behind >= space->width)
          break;
        SmallVector<Index> place(at);
        place.append({query, math.add(column, math.constant(behind))});
        Elements pair(ArrayRef(values).slice(i, 2));
        bindNeighbours(kernel, space->op.getResult(), pair, place);
        e.emitResults(place, 2);
      }
    });
  }
}
