//===- BuildGemm.cpp - Contractions as tile functions ---------------------===//
//
// One thread copies k-blocks of both operands; consumers multiply them, and
// store what the kernel computes from the sums. Two consumers share a tile, 64
// rows each, or take tiles in turn (ping-pong): one multiplies while the other
// stores. Blocks are persistent.
//
// Contractions of one A lie side by side: a k-block of B has the columns of all
// of them, and so has a tile of sums.
//
//===----------------------------------------------------------------------===//

#include "GemmTiles.h"
#include "StridedOperand.h"

#include "Codegen/CUDA/Contractions/WgmmaEmitter.h"
#include "tripy/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::tiles;

/// Registers of a thread beside its sums, at least.
static constexpr int64_t otherRegisters = 24;
/// Bytes of a stage's row: one swizzle atom.
static constexpr int64_t swizzle = 128;

static wgmma::RoleRegisters registersOf(const WgmmaSchedule &schedule) {
  if (auto moved = wgmma::roleRegisters(schedule.consumers()))
    return *moved;
  int64_t each = tile::registersOfThread(2 * tile::groupThreads);
  return {each, each};
}

std::optional<std::string>
tiles::whyNoGemmTiles(const WgmmaSchedule &schedule) {
  if (schedule.type != NVVM::WGMMATypes::f16 &&
      schedule.type != NVVM::WGMMATypes::bf16)
    return "elements are not f16 or bf16";
  if (schedule.prologue.input)
    return "A has a prologue";
  if (schedule.swapAB || schedule.splitsK() || schedule.streamK)
    return "the schedule uses swapAB, split-K or stream-K";
  if (schedule.cluster() > 1)
    return "the schedule uses clusters";
  if (schedule.overlap)
    return "the schedule uses tiles that overlap";
  if (schedule.store == WgmmaStore::TMA && schedule.source >= 0)
    return "the epilogue loads a residual with TMA";
  if (schedule.rowsA < schedule.tileM)
    return "A has fewer rows than a tile";
  if (schedule.extent(schedule.k, 0) <= 0)
    return "K is dynamic";
  if (schedule.tileN % 64 != 0 && !schedule.b.front().kMajor)
    return "the tile's columns are not a multiple of 64, and B is contiguous "
           "along N";
  if (schedule.rowGroups() * schedule.tileN / 2 + otherRegisters >
      registersOf(schedule).consumer)
    return "a consumer has too few registers for its accumulators";
  return std::nullopt;
}

namespace {
class GemmTilesBuilder {
public:
  GemmTilesBuilder(KernelEmission &e, const WgmmaSchedule &schedule)
      : e(e), b(e.b), loc(WgmmaSchedule(schedule).op().getLoc()),
        schedule(schedule),
        element(cast<RankedTensorType>(
                    WgmmaSchedule(schedule).op().getInputs()[0].getType())
                    .getElementType()) {}
  void build();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  tile::SmemType kBlock(const WgmmaOperand &operand, int64_t rows) {
    SmallVector<int64_t> shape = {rows, schedule.tileK()};
    if (!operand.kMajor)
      std::swap(shape[0], shape[1]);
    return tile::SmemType::get(b.getContext(), shape, element, swizzle);
  }
  Value sizeOf(ArrayRef<unsigned> loops);
  void makeMaps();
  void makeMemory();
  Value overTiles(Value first, int64_t step, Value start,
                  llvm::function_ref<Value(ValueRange tile, Value pos)> body);
  SmallVector<Value> coordinates(const WgmmaOperand &operand, ValueRange tile,
                                 Value row, Value k);
  Value produceTile(ValueRange tile, Value start);
  Value multiplyTile(Value number, Value &pos);
  void produce();
  void consume(Value number);
  void store(Value sums, ValueRange tile);
  tile::RoleOp role(StringRef name, int64_t groups, int64_t registers,
                    bool oneThread);

  KernelEmission &e;
  OpBuilder &b;
  Location loc;
  WgmmaSchedule schedule;
  Type element;
  tile::FuncOp function;
  Value mapA, ring, order, staging, batches, rows, columns;
  SmallVector<Value> mapsB, resultMaps;
};
} // namespace

/// The product of sizes of the contraction's loops, which its result has.
Value GemmTilesBuilder::sizeOf(ArrayRef<unsigned> loops) {
  AffineMap map = schedule.op().getIndexingMapsArray().back();
  AffineExpr product = e.constantExpr(1);
  for (auto [expr, size] : llvm::zip(map.getResults(), e.sizeExprs(0)))
    if (llvm::is_contained(loops, cast<AffineDimExpr>(expr).getPosition()))
      product = product * size;
  return valueOf(b, loc, product, function.getBody().getArguments());
}

void GemmTilesBuilder::makeMaps() {
  FunctionType type = e.kernel.getFunctionType();
  unsigned inputs =
      llvm::count_if(type.getInputs(), llvm::IsaPred<RankedTensorType>);
  SmallVector<kernel::TensorMapAttr> maps =
      wgmmaTensorMaps(e, schedule, inputs);
  auto make = [&](kernel::TensorMapAttr map, ArrayRef<int64_t> shape,
                  Type elementType) -> Value {
    auto result = tile::MapType::get(b.getContext(), shape, elementType,
                                     map.getSwizzle());
    return tile::MapOp::create(b, loc, result, map);
  };
  mapA = make(maps[0], kBlock(schedule.a, schedule.tileM).getShape(), element);
  for (auto [i, operand] : llvm::enumerate(schedule.b))
    mapsB.push_back(make(
        maps[1 + i], kBlock(operand, schedule.partN()).getShape(), element));
  for (auto [i, map] :
       llvm::enumerate(ArrayRef(maps).drop_front(1 + schedule.parts())))
    resultMaps.push_back(
        make(map, {map.getBox()[1], map.getBox()[0]},
             cast<RankedTensorType>(type.getResult(i)).getElementType()));
}

void GemmTilesBuilder::makeMemory() {
  MLIRContext *context = b.getContext();
  tile::SmemType views[] = {kBlock(schedule.a, schedule.tileM),
                            kBlock(schedule.b.front(), schedule.tileN)};
  int64_t readers = 4 * (schedule.pingPong ? 1 : schedule.consumers());
  ring = tile::RingOp::create(
      b, loc, tile::RingType::get(context, schedule.stages, views), readers,
      IntegerAttr(), IntegerAttr());
  staging = tile::StagingOp::create(
      b, loc,
      tile::StagingType::get(context, schedule.consumers(),
                             schedule.stagingBytes()),
      IntegerAttr(), IntegerAttr());
  if (schedule.pingPong)
    order = tile::OrderOp::create(
        b, loc, tile::OrderType::get(context, schedule.consumers()),
        IntegerAttr());
}

/// Tiles of this block from its tile number `first` on, every `step`-th.
Value GemmTilesBuilder::overTiles(
    Value first, int64_t step, Value start,
    llvm::function_ref<Value(ValueRange, Value)> body) {
  auto loop = tile::ForTilesOp::create(
      b, loc, TypeRange(start.getType()), batches, rows, columns, first,
      ValueRange(start), schedule.tileM, schedule.partN(), step,
      wgmma::groupRows);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&loop.getBody());
  for (int i = 0; i < 3; ++i)
    block->addArgument(b.getIndexType(), loc);
  block->addArgument(start.getType(), loc);
  ValueRange arguments = block->getArguments();
  Value end = body(arguments.take_front(3), arguments.back());
  tile::YieldOp::create(b, loc, end);
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

/// Outermost first: the batch, then K inside or outside of rows.
SmallVector<Value> GemmTilesBuilder::coordinates(const WgmmaOperand &operand,
                                                 ValueRange tile, Value row,
                                                 Value k) {
  auto from = [&](Value at, int64_t begin) -> Value {
    return begin == 0
               ? at
               : arith::AddIOp::create(b, loc, at, constant(begin)).getResult();
  };
  SmallVector<Value> at;
  if (operand.batched)
    at.push_back(tile[0]);
  row = from(row, operand.rowBegin());
  k = from(k, operand.kBegin());
  at.append({operand.kMajor ? row : k, operand.kMajor ? k : row});
  return at;
}

Value GemmTilesBuilder::produceTile(ValueRange tile, Value start) {
  auto loop = scf::ForOp::create(
      b, loc, constant(0), constant(schedule.extent(schedule.k, 0)),
      constant(schedule.tileK()), ValueRange(start),
      [&](OpBuilder &, Location, Value k, ValueRange carried) {
        SmallVector<Value> maps = {mapA};
        SmallVector<Value> at = coordinates(schedule.a, tile, tile[1], k);
        for (auto [map, operand] : llvm::zip(mapsB, schedule.b)) {
          maps.push_back(map);
          llvm::append_range(at, coordinates(operand, tile, tile[2], k));
        }
        tile::RingFillOp::create(b, loc, ring, carried[0], maps, at, Value());
        Value next =
            tile::RingNextOp::create(b, loc, start.getType(), ring, carried[0]);
        scf::YieldOp::create(b, loc, next);
      });
  return loop.getResult(0);
}

void GemmTilesBuilder::produce() {
  auto position = tile::PosType::get(b.getContext());
  Value start = tile::RingStartOp::create(b, loc, position, ring);
  overTiles(constant(0), 1, start,
            [&](ValueRange tile, Value pos) { return produceTile(tile, pos); });
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

/// The sums of a tile, from stages at `pos` on, which moves.
Value GemmTilesBuilder::multiplyTile(Value number, Value &pos) {
  MLIRContext *context = b.getContext();
  auto layout = tile::FragAttr::get(context, tile::FragKind::WgmmaD, -1, false);
  int64_t ownRows = schedule.rowGroups() * tile::groupRows;
  auto fragment =
      RankedTensorType::get({ownRows, schedule.tileN}, b.getF32Type(), layout);
  auto pending = tile::PendingType::get(context, fragment);
  Type position = pos.getType();
  Value none = tile::RingNoneOp::create(b, loc, position, ring);
  Value zero = tile::ZeroOp::create(b, loc, pending);
  bool isShared = ownRows < schedule.tileM;
  auto loop = scf::ForOp::create(
      b, loc, constant(0), constant(schedule.extent(schedule.k, 0)),
      constant(schedule.tileK()), ValueRange{pos, none, zero},
      [&](OpBuilder &, Location, Value, ValueRange carried) {
        ArrayRef<tile::SmemType> types =
            cast<tile::RingType>(ring.getType()).getViews();
        auto views = tile::RingWaitOp::create(
            b, loc, TypeRange{types[0], types[1]}, ring, carried[0]);
        Value left = views.getResult(0);
        tile::SmemType own = kBlock(schedule.a, ownRows);
        if (isShared && schedule.a.kMajor)
          left = tile::RowsOp::create(b, loc, own, left, number);
        else if (isShared)
          left = tile::ColumnsOp::create(b, loc, own, left, number);
        Value sums = tile::MmaAsyncOp::create(
            b, loc, pending, left, views.getResult(1), carried[2],
            !schedule.a.kMajor, !schedule.b.front().kMajor);
        // The k-block before this one has been read by now.
        tile::MmaRetireOp::create(b, loc, 1);
        tile::RingReleaseOp::create(b, loc, ring, carried[1], true);
        Value next =
            tile::RingNextOp::create(b, loc, position, ring, carried[0]);
        scf::YieldOp::create(b, loc, ValueRange{next, carried[0], sums});
      });
  // The other consumer's products queue up behind the last ones of this.
  if (order)
    tile::OrderPassOp::create(b, loc, order, number);
  Value sums = tile::MmaWaitOp::create(b, loc, fragment, loop.getResult(2), 0,
                                       ValueRange());
  tile::RingReleaseOp::create(b, loc, ring, loop.getResult(1), true);
  pos = loop.getResult(0);
  return sums;
}

void GemmTilesBuilder::store(Value sums, ValueRange tile) {
  bool cooperative = !schedule.pingPong;
  if (schedule.store == WgmmaStore::TMA)
    tile::StoreBoxesOp::create(b, loc, sums, tile[0], tile[1], tile[2], staging,
                               resultMaps, cooperative);
  else
    tile::StoreRowsOp::create(b, loc, sums, tile[0], tile[1], tile[2], staging,
                              cooperative);
}

void GemmTilesBuilder::consume(Value number) {
  auto position = tile::PosType::get(b.getContext());
  Value start = tile::RingStartOp::create(b, loc, position, ring);
  Value kBlocks, first = constant(0);
  if (order) {
    // The k-blocks of the other consumer's tiles lie between.
    kBlocks = constant(
        llvm::divideCeil(schedule.extent(schedule.k, 0), schedule.tileK()));
    first = number;
    Value before = arith::MulIOp::create(b, loc, number, kBlocks);
    start = tile::RingSkipOp::create(b, loc, position, ring, start, before);
  }
  overTiles(first, order ? 2 : 1, start, [&](ValueRange tile, Value pos) {
    // The parity of a barrier says nothing about a round that is not the next.
    if (order)
      tile::OrderWaitOp::create(b, loc, order, number);
    Value sums = multiplyTile(number, pos);
    store(sums, tile);
    if (order)
      pos = tile::RingSkipOp::create(b, loc, position, ring, pos, kBlocks);
    return pos;
  });
  if (schedule.store == WgmmaStore::TMA)
    tile::StoreWaitOp::create(b, loc);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

tile::RoleOp GemmTilesBuilder::role(StringRef name, int64_t groups,
                                    int64_t registers, bool oneThread) {
  auto made = tile::RoleOp::create(b, loc, name, groups, registers, oneThread);
  Block *block = b.createBlock(&made.getBody());
  block->addArgument(b.getIndexType(), loc);
  return made;
}

void GemmTilesBuilder::build() {
  OpBuilder::InsertionGuard guard(b);
  MLIRContext *context = b.getContext();
  b.setInsertionPointAfter(e.kernel);
  unsigned symbols = llvm::count_if(e.kernel.getFunctionType().getInputs(),
                                    llvm::IsaPred<IndexType>);
  AffineExpr grid = e.constantExpr(residentClusters(1));
  StringRef name = e.kernel.getSymName();
  function = tile::FuncOp::create(b, loc, (name + "_tiles").str(), name,
                                  AffineMap::get(0, symbols, grid, context),
                                  IntegerAttr());
  Block *body = b.createBlock(&function.getBody());
  for (unsigned i = 0; i < symbols; ++i)
    body->addArgument(b.getIndexType(), loc);
  makeMaps();
  makeMemory();
  batches = sizeOf(schedule.batch);
  rows = sizeOf(schedule.m);
  columns = sizeOf(schedule.n);
  tile::AwaitPredecessorsOp::create(b, loc);
  wgmma::RoleRegisters registers = registersOf(schedule);
  tile::RoleOp producer = role("producer", 1, registers.producer, true);
  produce();
  b.setInsertionPointAfter(producer);
  tile::RoleOp consumer =
      role("consumer", schedule.consumers(), registers.consumer, false);
  consume(consumer.getBody().getArgument(0));
}

void tiles::buildGemm(KernelEmission &e, const WgmmaSchedule &schedule) {
  // Stages are filled by whole boxes, at the end as well.
  WgmmaSchedule whole(schedule);
  whole.edgeA = whole.edgeB = 0;
  GemmTilesBuilder(e, whole).build();
}
