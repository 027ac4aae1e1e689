//===- BuildAttention.cpp - Attention as a tile function ------------------===//
//
// The order is that of FlashAttention-3. One thread copies queries, then keys
// and values block by block, from the last keys to the first: what a causal
// mask hides comes first. Each consumer has 64 queries. It starts the products
// of the next keys before it multiplies the powers of the last ones with their
// values, and computes the next powers while that is under way. With two
// consumers, one multiplies while the other computes exponentials.
//
// Blocks are persistent: the producer is a tile ahead where stages are free.
//
//===----------------------------------------------------------------------===//

#include "AttentionTilesBuilder.h"

#include "tripy/Codegen/Math.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::tiles;

AttentionTilesBuilder::AttentionTilesBuilder(KernelEmission &e,
                                             const AttentionProblem &problem,
                                             const AttentionSchedule &schedule,
                                             const CudaChip &chip)
    : e(e), b(e.b), loc(problem.op.getLoc()), problem(problem),
      schedule(schedule), chip(chip), op(problem.op),
      element(elementTypeOf(op.getQuery())),
      group(std::max<int64_t>(1, op.getGroupSize())),
      exponents(ExponentScale::of(op)) {}

//===----------------------------------------------------------------------===//
// Types, sizes and memory
//===----------------------------------------------------------------------===//

RankedTensorType AttentionTilesBuilder::fragment(int64_t columns, Type element,
                                                 tile::FragKind kind) {
  auto layout = tile::FragAttr::get(b.getContext(), kind, -1, false);
  return RankedTensorType::get({tile::groupRows, columns}, element, layout);
}

RankedTensorType AttentionTilesBuilder::rowsType(bool partial) {
  auto layout =
      tile::FragAttr::get(b.getContext(), tile::FragKind::WgmmaD, 1, partial);
  return RankedTensorType::get({tile::groupRows}, b.getF32Type(), layout);
}

Value AttentionTilesBuilder::splat(RankedTensorType type, double value) {
  return arith::ConstantOp::create(
      b, loc, SplatElementsAttr::get(type, b.getF32FloatAttr(float(value))));
}

/// The dimensions of a tensor map are those of the operand, innermost first.
Value AttentionTilesBuilder::makeMap(const StridedOperand &operand,
                                     int64_t rows, int64_t columns) {
  MLIRContext *context = b.getContext();
  unsigned symbols = function.getBody().getNumArguments();
  int64_t swizzle = boxColumns(columns) * 2;
  SmallVector<AffineExpr> dims, strides;
  SmallVector<int64_t> box;
  for (int64_t dim = operand.sizes.size() - 1; dim >= 0; --dim) {
    dims.push_back(operand.sizes[dim] + operand.offsets[dim]);
    if (!box.empty())
      strides.push_back(operand.strides[dim] * 2);
    box.push_back(box.empty() ? swizzle / 2 : box.size() == 1 ? rows : 1);
  }
  auto map = kernel::TensorMapAttr::get(
      context, operand.tensor, AffineMap::get(0, symbols, dims, context),
      AffineMap::get(0, symbols, strides, context), box, swizzle);
  auto type = tile::MapType::get(context, {rows, columns}, element, swizzle);
  return tile::MapOp::create(b, loc, type, map);
}

Value AttentionTilesBuilder::makeRing(int64_t stages, int64_t rows,
                                      int64_t columns, int64_t readers) {
  MLIRContext *context = b.getContext();
  int64_t swizzle = boxColumns(columns) * 2;
  auto view = tile::SmemType::get(context, {rows, columns}, element, swizzle);
  auto type = tile::RingType::get(context, stages, view);
  return tile::RingOp::create(b, loc, type, readers, IntegerAttr(),
                              IntegerAttr());
}

void AttentionTilesBuilder::makeSizes() {
  ArrayRef<AffineExpr> sizes(problem.query.sizes);
  ValueRange own = function.getBody().getArguments();
  for (int64_t i = 0; i < problem.batchRank; ++i)
    batch.push_back(valueOf(b, loc, sizes[i], own));
  heads = valueOf(b, loc, sizes[problem.batchRank], own);
  queries = valueOf(b, loc, sizes[problem.batchRank + 1], own);
  keys = valueOf(b, loc, problem.key.sizes[problem.batchRank + 1], own);
  queryTiles = ceilDiv(queries, schedule.queries);
  allHeads = heads;
  for (Value size : batch)
    allHeads = binary<arith::MulIOp>(allHeads, size);
  tiles = binary<arith::MulIOp>(queryTiles, allHeads);
}

bool AttentionTilesBuilder::isRagged() {
  auto known =
      dyn_cast<AffineConstantExpr>(problem.key.sizes[problem.batchRank + 1]);
  return !known || known.getValue() % schedule.keys != 0;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The query tile and the head of all batches' of a tile. Queries of a head
/// follow each other, so that blocks read its keys at the same time. With a
/// causal mask those that see most keys come first, of `section` heads.
std::pair<Value, Value> AttentionTilesBuilder::splitTile(Value tile) {
  auto split = [&](Value number, Value by) -> std::pair<Value, Value> {
    Value quotient = binary<arith::DivUIOp>(number, by);
    return {quotient,
            binary<arith::SubIOp>(number, binary<arith::MulIOp>(quotient, by))};
  };
  if (!isCausal()) {
    auto [head, queryTile] = split(tile, queryTiles);
    return {queryTile, head};
  }
  Value size = binary<arith::MulIOp>(queryTiles, constant(section));
  auto [number, inSection] = split(tile, size);
  Value first = binary<arith::MulIOp>(number, constant(section));
  // The last section may have fewer heads.
  Value own =
      section == 1
          ? constant(1)
          : binary<arith::MinUIOp>(constant(section),
                                   binary<arith::SubIOp>(allHeads, first));
  auto [before, head] = split(inSection, own);
  return {binary<arith::SubIOp>(binary<arith::SubIOp>(queryTiles, constant(1)),
                                before),
          binary<arith::AddIOp>(first, head)};
}

AttentionTilesBuilder::TilePlace AttentionTilesBuilder::placeOf(Value tile) {
  TilePlace at;
  auto [queryTile, rest] = splitTile(tile);
  at.firstQuery = binary<arith::MulIOp>(queryTile, constant(schedule.queries));
  auto take = [&](Value size) {
    Value above = binary<arith::DivUIOp>(rest, size);
    Value own = binary<arith::SubIOp>(rest, binary<arith::MulIOp>(above, size));
    rest = above;
    return own;
  };
  at.head = batch.empty() ? rest : take(heads);
  at.keyHead =
      group == 1 ? at.head : binary<arith::DivUIOp>(at.head, constant(group));
  at.batch.resize(batch.size());
  for (size_t i = batch.size(); i-- > 0;)
    at.batch[i] = i == 0 ? rest : take(batch[i]);
  placeKeys(at);
  return at;
}

/// Keys before the one that is `keys` after the own key of `query`; 0 where
/// that is before the first.
Value AttentionTilesBuilder::pastOwnKey(Value query, int64_t keys) {
  Value past = query, before;
  if (keys > 0)
    past = binary<arith::AddIOp>(past, constant(keys));
  if (keys < 0)
    before = constant(-keys);
  if (op.getCausal() == kernel::Causal::BottomRight) {
    past = binary<arith::AddIOp>(past, this->keys);
    before = before ? binary<arith::AddIOp>(before, queries) : queries;
  }
  if (!before)
    return past;
  return binary<arith::SubIOp>(binary<arith::MaxUIOp>(past, before), before);
}

void AttentionTilesBuilder::placeKeys(TilePlace &at) {
  Value last = at.firstQuery;
  if (isBanded())
    last = binary<arith::MinUIOp>(
        binary<arith::AddIOp>(at.firstQuery, constant(schedule.queries)),
        queries);
  // Keys before the first that no query sees, and that some query does not.
  Value end = keys, all = keys;
  if (std::optional<int64_t> behind = op.getKeysAfter()) {
    auto limited = [&](Value number) {
      return op.getCausal() == kernel::Causal::BottomRight
                 ? number
                 : binary<arith::MinUIOp>(keys, number);
    };
    end = limited(pastOwnKey(last, *behind));
    all = limited(pastOwnKey(at.firstQuery, *behind + 1));
  }
  // One block at least, of hidden keys.
  Value blocks =
      binary<arith::MaxUIOp>(ceilDiv(end, schedule.keys), constant(1));
  at.lastBlock = binary<arith::SubIOp>(blocks, constant(1));
  at.blocks = blocks;
  auto left = [&](Value block) {
    return binary<arith::SubIOp>(blocks, binary<arith::MinUIOp>(block, blocks));
  };
  at.masked = left(binary<arith::DivUIOp>(all, constant(schedule.keys)));
  std::optional<int64_t> before = op.getWindowLeft();
  if (!before)
    return;
  Value begin = pastOwnKey(at.firstQuery, -*before);
  Value first = binary<arith::DivUIOp>(begin, constant(schedule.keys));
  at.blocks = binary<arith::SubIOp>(
      blocks, binary<arith::MinUIOp>(first, at.lastBlock));
  Value firstOfAll = pastOwnKey(last, -*before - 1);
  at.whole = left(ceilDiv(firstOfAll, schedule.keys));
}

void AttentionTilesBuilder::overTiles(
    ArrayRef<Value> initial,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  Value block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  Value blocks = gpu::GridDimOp::create(b, loc, gpu::Dimension::x);
  if (!isCausal()) {
    scf::ForOp::create(b, loc, block, tiles, blocks, initial,
                       [&](OpBuilder &, Location, Value tile, ValueRange args) {
                         scf::YieldOp::create(b, loc, body(tile, args));
                       });
    return;
  }
  // Every other round goes through the blocks from the last to the first: who
  // had the longest tile has the shortest next.
  Value mirrored =
      binary<arith::SubIOp>(binary<arith::SubIOp>(blocks, constant(1)), block);
  Value twice = binary<arith::MulIOp>(blocks, constant(2));
  // Tiles of this block: one of each round, and perhaps one of the last.
  auto below = [&](Value first) {
    Value left =
        binary<arith::SubIOp>(binary<arith::MaxUIOp>(tiles, first), first);
    Value above =
        binary<arith::AddIOp>(left, binary<arith::SubIOp>(twice, constant(1)));
    return binary<arith::DivUIOp>(above, twice);
  };
  Value count = binary<arith::AddIOp>(
      below(block), below(binary<arith::AddIOp>(blocks, mirrored)));
  scf::ForOp::create(b, loc, constant(0), count, constant(1), initial,
                     [&](OpBuilder &, Location, Value round, ValueRange args) {
                       Value odd = binary<arith::RemUIOp>(round, constant(2));
                       Value start = binary<arith::MulIOp>(round, blocks);
                       Value turned = binary<arith::MulIOp>(odd, mirrored);
                       Value straight = binary<arith::MulIOp>(
                           binary<arith::SubIOp>(constant(1), odd), block);
                       Value tile = binary<arith::AddIOp>(
                           start, binary<arith::AddIOp>(turned, straight));
                       scf::YieldOp::create(b, loc, body(tile, args));
                     });
}

SmallVector<Value>
AttentionTilesBuilder::coordinates(const StridedOperand &operand,
                                   const TilePlace &at, Value head, Value row) {
  SmallVector<Value> all(at.batch);
  all.append({head, row, constant(0)});
  for (auto [coordinate, offset] : llvm::zip(all, operand.offsets))
    if (offset != 0)
      coordinate = binary<arith::AddIOp>(coordinate, constant(offset));
  return all;
}

/// The first key of the block that is `number` blocks before the last one.
Value AttentionTilesBuilder::firstKey(const TilePlace &at, Value number) {
  return binary<arith::MulIOp>(binary<arith::SubIOp>(at.lastBlock, number),
                               constant(schedule.keys));
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

void AttentionTilesBuilder::produce() {
  bool mayBeEmpty =
      !isa<AffineConstantExpr>(problem.key.sizes[problem.batchRank + 1]);
  Value any = mayBeEmpty
                  ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                          keys, constant(0))
                        .getResult()
                  : Value();
  auto fill = [&](Value ring, Value pos, Value map, ArrayRef<Value> at,
                  Value where) -> Value {
    tile::RingFillOp::create(b, loc, ring, pos, map, at, where);
    return tile::RingNextOp::create(b, loc, pos.getType(), ring, pos);
  };
  auto posType = tile::PosType::get(b.getContext());
  auto start = [&](Value ring) -> Value {
    return tile::RingStartOp::create(b, loc, posType, ring);
  };
  overTiles({start(queryRing), start(keyRing), start(valueRing)},
            [&](Value tile, ValueRange positions) -> SmallVector<Value> {
              TilePlace at = placeOf(tile);
              auto fillKeys = [&](Value pos, Value number) {
                return fill(keyRing, pos, keyMap,
                            coordinates(problem.key, at, at.keyHead,
                                        firstKey(at, number)),
                            any);
              };
              auto fillValues = [&](Value pos, Value number) {
                return fill(valueRing, pos, valueMap,
                            coordinates(problem.value, at, at.keyHead,
                                        firstKey(at, number)),
                            any);
              };
              Value query =
                  fill(queryRing, positions[0], queryMap,
                       coordinates(problem.query, at, at.head, at.firstQuery),
                       Value());
              Value key = fillKeys(positions[1], constant(0));
              auto loop = scf::ForOp::create(
                  b, loc, constant(1), at.blocks, constant(1),
                  ValueRange{key, positions[2]},
                  [&](OpBuilder &, Location, Value number, ValueRange args) {
                    Value next = fillKeys(args[0], number);
                    Value before = binary<arith::SubIOp>(number, constant(1));
                    Value value = fillValues(args[1], before);
                    scf::YieldOp::create(b, loc, ValueRange{next, value});
                  });
              Value last = binary<arith::SubIOp>(at.blocks, constant(1));
              return {query, loop.getResult(0),
                      fillValues(loop.getResult(1), last)};
            });
}

/// Head sizes up to which the ordered barrier pays, as in FlashAttention-3.
static constexpr int64_t maxOrderedSize = 128;

void AttentionTilesBuilder::build() {
  OpBuilder::InsertionGuard guard(b);
  MLIRContext *context = b.getContext();
  b.setInsertionPointAfter(e.kernel);
  unsigned symbols = llvm::count_if(e.kernel.getFunctionType().getInputs(),
                                    [](Type type) { return type.isIndex(); });
  ArrayRef<AffineExpr> sizes(problem.query.sizes);
  AffineExpr grid = KernelEmission::product(sizes.drop_back(2), context) *
                    sizes[problem.batchRank + 1].ceilDiv(schedule.queries);
  auto known = dyn_cast<AffineConstantExpr>(grid);
  if (!known || known.getValue() > chip.multiprocessors)
    grid = e.constantExpr(chip.multiprocessors);
  StringRef name = e.kernel.getSymName();
  function = tile::FuncOp::create(b, loc, (name + "_tiles").str(), name,
                                  AffineMap::get(0, symbols, grid, context),
                                  IntegerAttr());
  Block *body = b.createBlock(&function.getBody());
  for (unsigned i = 0; i < symbols; ++i)
    body->addArgument(b.getIndexType(), loc);
  queryMap = makeMap(problem.query, schedule.queries, problem.depth);
  keyMap = makeMap(problem.key, schedule.keys, problem.depth);
  valueMap = makeMap(problem.value, schedule.keys, problem.width);
  int64_t readers = 4 * schedule.consumers();
  queryRing =
      makeRing(schedule.queryStages, schedule.queries, problem.depth, readers);
  keyRing = makeRing(schedule.stages, schedule.keys, problem.depth, readers);
  valueRing = makeRing(schedule.stages, schedule.keys, problem.width, readers);
  // Beyond, products take so long that exponentials are hidden in any case.
  if (schedule.consumers() > 1 &&
      std::max(problem.depth, problem.width) <= maxOrderedSize)
    order = tile::OrderOp::create(
        b, loc, tile::OrderType::get(context, schedule.consumers()),
        IntegerAttr());
  makeSizes();
  section = problem.sectionHeads(schedule, chip);
  tile::AwaitPredecessorsOp::create(b, loc);
  auto role = [&](StringRef name, int64_t groups, int64_t registers,
                  bool oneThread) {
    auto made =
        tile::RoleOp::create(b, loc, name, groups, registers, oneThread);
    Block *block = b.createBlock(&made.getBody());
    block->addArgument(b.getIndexType(), loc);
    return made;
  };
  auto producer = role("producer", 1, schedule.producerRegisters, true);
  produce();
  b.setInsertionPointAfter(producer);
  auto consumer =
      role("consumer", schedule.consumers(), schedule.consumerRegisters, false);
  consume(consumer.getBody().getArgument(0));
}

void tiles::buildAttention(KernelEmission &e, const AttentionProblem &problem,
                           const AttentionSchedule &schedule,
                           const CudaChip &chip) {
  AttentionTilesBuilder(e, problem, schedule, chip).build();
}
