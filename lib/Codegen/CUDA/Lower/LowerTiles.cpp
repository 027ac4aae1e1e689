//===- LowerTiles.cpp - Tiles of persistent kernels, and their results ----===//
//
// Coordinates of tiles are made as sizes of the kernel are, so that what they
// are multiples of is known where elements are loaded and stored.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::tiles;

/// `value` of type index as the kernel's sizes are.
Index TileLowering::indexOf(Value value) {
  if (auto known = indices.find(value); known != indices.end())
    return known->second;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return math.constant(cast<IntegerAttr>(constant.getValue()).getInt());
  return toIndex(scalar(value));
}

/// Where tile `number` begins: bands of rows are walked column by column.
void TileLowering::placeTile(tile::ForTilesOp loop, Index number) {
  Index tileRows = math.constant(asSigned(loop.getTileRows()));
  Index tileColumns = math.constant(asSigned(loop.getTileColumns()));
  Index tilesM = math.ceilDiv(indexOf(loop.getRows()), tileRows);
  Index tilesN = math.ceilDiv(indexOf(loop.getColumns()), tileColumns);
  auto divide = [&](Index a, Index divisor) {
    return IndexMath::constantOf(divisor)
               ? math.div(a, divisor)
               : toIndex(divideHidden(toI32(a), toI32(divisor)));
  };
  Index plane = math.mul(tilesM, tilesN);
  bool single = IndexMath::constantOf(indexOf(loop.getBatches())) == 1;
  Index batch = single ? math.constant(0) : divide(number, plane);
  Index inPlane = math.sub(number, math.mul(batch, plane));
  Index bandRows = math.constant(asSigned(loop.getBand()));
  Index band = math.mul(bandRows, tilesN);
  Index bands = divide(inPlane, band);
  Index firstRow = math.mul(bands, bandRows);
  Index rows = math.min(bandRows, math.sub(tilesM, firstRow));
  Index inBand = math.sub(inPlane, math.mul(bands, band));
  Index column = divide(inBand, rows);
  Index row = math.add(firstRow, math.sub(inBand, math.mul(column, rows)));
  Index at[] = {batch, math.mul(row, tileRows), math.mul(column, tileColumns)};
  for (auto [argument, index] : llvm::zip(loop.getBody().getArguments(), at)) {
    indices[argument] = index;
    registers[argument] = {toI32(index)};
  }
}

LogicalResult TileLowering::lowerTiles(tile::ForTilesOp loop) {
  Index tiles = math.ceilDiv(indexOf(loop.getRows()),
                             math.constant(asSigned(loop.getTileRows())));
  Index columns = math.ceilDiv(indexOf(loop.getColumns()),
                               math.constant(asSigned(loop.getTileColumns())));
  Index all = math.mul(indexOf(loop.getBatches()), math.mul(tiles, columns));
  int64_t blocks = function.getGrid().getSingleConstantResult();
  Index begin = math.add(
      block, math.mul(indexOf(loop.getFirst()), math.constant(blocks)));
  SmallVector<Value> initial;
  for (Value value : loop.getInits())
    llvm::append_range(initial, of(value));
  LogicalResult result = success();
  SmallVector<Value> end = e.reduceLoop(
      begin, all, math.constant(blocks * asSigned(loop.getStep())), initial,
      [&](Index number, ValueRange carried) {
        placeTile(loop, number);
        spread(loop.getBody().getArguments().drop_front(3), carried);
        Block &body = loop.getBody().front();
        result = lowerBlock(body);
        SmallVector<Value> next;
        for (Value value : body.getTerminator()->getOperands())
          llvm::append_range(next, of(value));
        return next;
      });
  spread(loop.getResults(), end);
  return result;
}

//===----------------------------------------------------------------------===//
// Results of contractions
//===----------------------------------------------------------------------===//

/// The form of the kernel's contractions as what stores the tile `op` has it.
static FailureOr<WgmmaSchedule> scheduleOf(Operation *op,
                                           kernel::FuncOp kernel) {
  std::optional<WgmmaSchedule> schedule = recogniseWgmma(kernel);
  if (!schedule || schedule->isInteger())
    return op->emitError("the kernel ")
           << kernel.getSymName()
           << " has no contractions of floats that wgmma computes";
  auto loop = cast<tile::ForTilesOp>(op->getParentOp());
  schedule->tileM = asSigned(loop.getTileRows());
  schedule->tileN = asSigned(loop.getTileColumns()) * schedule->parts();
  auto sums = cast<RankedTensorType>(op->getOperand(0).getType());
  if (sums.getDimSize(1) != schedule->tileN)
    return op->emitError("a tile has the columns of ")
           << schedule->parts() << " contractions side by side, "
           << schedule->tileN << "; found " << sums.getDimSize(1);
  schedule->pingPong = !op->hasAttr("cooperative");
  schedule->source = -1;
  auto boxes = dyn_cast<tile::StoreBoxesOp>(op);
  if (!boxes)
    return *schedule;
  schedule->store = WgmmaStore::TMA;
  if (!schedule->boxColumns ||
      boxes.getMaps().size() != kernel.getFunctionType().getNumResults())
    return op->emitError("boxes are of results that TMA can store, one map "
                         "each");
  auto map = cast<tile::MapType>(boxes.getMaps().front().getType());
  schedule->boxRowBytes = map.getSwizzle();
  schedule->boxBuffers = schedule->boxesLike(minBoxBuffers);
  if (schedule->partN() % (schedule->boxColumns * map.getSwizzle() / 128) != 0)
    return op->emitError("a tile's columns are a multiple of a box's");
  return *schedule;
}

/// What results are in terms of sums, where the function stores some.
LogicalResult TileLowering::openEpilogue() {
  Operation *store = nullptr;
  function.walk([&](Operation *op) {
    if (isa<tile::StoreBoxesOp, tile::StoreRowsOp>(op))
      store = op;
  });
  // Read once, in front of the roles.
  block = kernel.blockId();
  if (!store)
    return success();
  FailureOr<WgmmaSchedule> schedule = scheduleOf(store, e.kernel);
  if (failed(schedule))
    return failure();
  FailureOr<ContractionSpace> space = ContractionSpace::of(schedule->op(), e);
  if (failed(space))
    return failure();
  // The results' maps follow those of the operands.
  SmallVector<Value> own(schedule->operandMaps());
  if (auto boxes = dyn_cast<tile::StoreBoxesOp>(store)) {
    auto all = llvm::to_vector(function.getBody().getOps<tile::MapOp>());
    for (Value map : boxes.getMaps())
      own.push_back(maps[llvm::find(all, map.getDefiningOp<tile::MapOp>()) -
                         all.begin()]);
  }
  epilogue = std::make_unique<wgmma::WgmmaEmitter>(e, *schedule, *space, own,
                                                   ValueRange());
  epilogue->openEpilogue(base, thread);
  return success();
}

void TileLowering::storeSums(Operation *op, Value sums, Value staging) {
  auto loop = cast<tile::ForTilesOp>(op->getParentOp());
  ArrayRef<Value> values = of(sums);
  int64_t groups =
      cast<RankedTensorType>(sums.getType()).getDimSize(0) / tile::groupRows;
  size_t ofGroup = values.size() / groups;
  SmallVector<Value> packed;
  for (int64_t group = 0; group < groups; ++group)
    packed.push_back(pack(values.slice(group * ofGroup, ofGroup)));
  auto place = staging.getDefiningOp<tile::StagingOp>();
  auto role = op->getParentOfType<tile::RoleOp>();
  ValueRange at = loop.getBody().getArguments();
  epilogue->storeAt(packed, indices[at[0]], indices[at[1]], indices[at[2]],
                    scalar(role.getBody().getArgument(0)),
                    static_cast<int64_t>(*place.getAt()));
}
