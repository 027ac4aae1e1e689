//===- WgmmaWarpStores.cpp - Rows that TMA cannot store -------------------===//
//
// TMA stores rows whose size is a multiple of 16 bytes. Others, of 16-bit
// results whose epilogue reads no tensor like the result, are stored by warps:
// a warp computes the epilogue where its sums are, writes 16 rows of a box to
// shared memory, and stores them row by row. In between, no warp waits for
// another one.
//
//===----------------------------------------------------------------------===//

#include "WgmmaEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::wgmma;

/// Rows of a box that a warp has, and its stores that are under way together.
static constexpr int64_t warpRows = 16, storesTogether = 8;

/// Whether the kernel reads a tensor with the result's shape, but for A and B.
static bool readsLikeResult(kernel::FuncOp kernel,
                            const WgmmaSchedule &schedule) {
  Type result = kernel.getFunctionType().getResult(0);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(result).getShape();
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getShape() != shape)
      continue;
    for (Operation *user : argument.getUsers()) {
      auto generic = dyn_cast<linalg::GenericOp>(user);
      if (!generic || (!llvm::is_contained(schedule.ops, generic) &&
                       !schedule.prologue.ops.contains(generic)))
        return true;
    }
  }
  return false;
}

bool WgmmaEmitter::storesByWarps() {
  if (schedule.store != WgmmaStore::Threads || schedule.boxRowBytes != 128 ||
      schedule.partN() % 16 != 0)
    return false;
  for (Type type : e.kernel.getFunctionType().getResults()) {
    Type element = cast<RankedTensorType>(type).getElementType();
    if (!element.isF16() && !element.isBF16())
      return false;
  }
  for (unsigned result = 0; result < e.numResults(); ++result)
    if (!rowDistance(result))
      return false;
  return !readsLikeResult(e.kernel, schedule);
}

/// Bytes of a row of a box: 64 elements and 16 bytes, so that 8 rows lie in
/// different banks.
static constexpr int64_t pitch = 128 + 16;

/// Boxes have 64 columns, or as many as divide the tile.
void WgmmaEmitter::storeByWarps(Value accumulators, int64_t group) {
  int64_t columns = std::gcd(schedule.partN(), int64_t(64));
  Value box =
      add(add(base, i32(stagingBegin)), mul(consumer, schedule.stagingBytes()));
  separateFromWait();
  // What follows from the thread is computed here, and takes no registers from
  // the main loop.
  Index known = thread;
  thread = arith::IndexCastUIOp::create(b, loc, b.getIndexType(),
                                        keepHere({toI32(thread)}).front())
               .getResult();
  for (int64_t column = 0; column < schedule.partN(); column += columns)
    for (unsigned result = 0; result < e.numResults(); ++result) {
      NVVM::SyncWarpOp::create(b, loc, i32(-1));
      writeBox(accumulators, group, result, column, {columns, box, pitch});
      NVVM::SyncWarpOp::create(b, loc, i32(-1));
      storeRows(result, group, column, {columns, box, pitch});
    }
  thread = known;
}

/// Where instructions that read the sums follow the wait for them in one basic
/// block, with others around, the assembler takes them for readers of sums that
/// are not there yet, and serialises the matrix instructions (C7514). This is
/// what storeBox() begins with: a branch that stays one, and a barrier. The
/// consumer has asked for no copies that it would wait for.
void WgmmaEmitter::separateFromWait() {
  e.when(isFirstOfConsumer(), [&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, 0, b.getUnitAttr());
  });
  syncConsumer();
}

/// Elements between a row of result `result` and the next one, where all are as
/// far apart.
std::optional<int64_t> WgmmaEmitter::rowDistance(unsigned result) {
  if (schedule.m.size() != 1)
    return std::nullopt;
  SmallVector<Index> point(schedule.op().getNumLoops(), math.constant(0));
  point[schedule.m.front()] = math.constant(1);
  return IndexMath::constantOf(
      math.linearize(space.resultAt(point), e.results[result].sizes));
}

/// Stores this warp's rows of a box: neighbouring lanes have neighbours of a
/// row, as many each as one access covers at every row. All places of a lane,
/// in the box and in memory, are at constant distances from its first ones,
/// which are parts of the instructions: with addresses of their own, elements
/// took 16 instructions each.
void WgmmaEmitter::storeRows(unsigned result, int64_t group, int64_t column,
                             const Box &box) {
  const Memory &memory = e.results[result];
  int64_t vectorSize = std::min(runSize(), box.columns);
  int64_t lanes = std::min<int64_t>(box.columns / vectorSize, 32);
  Index t = math.rem(thread, math.constant(128));
  Index lane = math.rem(t, math.constant(32));
  Index laneRow = math.add(
      math.mul(math.div(t, math.constant(32)), math.constant(warpRows)),
      math.div(lane, math.constant(lanes)));
  Index laneColumn =
      math.mul(math.rem(lane, math.constant(lanes)), math.constant(vectorSize));
  Value from = pointer(add(add(box.place, mul(toI32(laneRow), box.rowBytes)),
                           mul(toI32(laneColumn), 2)));
  Index atM = math.add(math.add(rowBegin, groupRow(group)), laneRow);
  Index atN =
      math.add(math.add(columnBegin, math.constant(column)), laneColumn);
  Value to = elementAt(memory.pointer, memory.elementType,
                       math.linearize(resultAt(atM, atN), memory.sizes));
  auto vector = VectorType::get({vectorSize}, memory.elementType);
  SmallVector<RowStore> stores;
  for (int64_t next = 0; next < box.columns; next += lanes * vectorSize) {
    Value rows = rowsFrom(atM, math.add(atN, math.constant(next)));
    for (int64_t row = 0; row < warpRows; row += 32 / lanes) {
      Value place = elementAt(from, memory.elementType,
                              math.constant(row * box.rowBytes / 2 + next));
      stores.push_back(
          {LLVM::LoadOp::create(b, loc, vector, place, 2 * vectorSize),
           row * *rowDistance(result) + next,
           arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, rows,
                                 i32(row))});
      if (stores.size() == storesTogether)
        finishStores(stores, to);
    }
  }
  finishStores(stores, to);
}

/// Rows that the result has from row `atM` on; none beyond the last column.
Value WgmmaEmitter::rowsFrom(Index atM, Index atN) {
  Value rows = arith::SubIOp::create(b, loc, toI32(space.sizeOf(schedule.m)),
                                     toI32(atM));
  return arith::SelectOp::create(b, loc, isBelow(atN, space.sizeOf(schedule.n)),
                                 rows, i32(0));
}

Value WgmmaEmitter::elementAt(Value pointer, Type element, Index number) {
  Value index =
      arith::IndexCastOp::create(b, loc, b.getI64Type(), math.value(number));
  return LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer,
                             ValueRange{index});
}

void WgmmaEmitter::finishStores(SmallVectorImpl<RowStore> &stores, Value to) {
  for (const RowStore &store : stores)
    e.when(store.inside, [&] {
      auto vector = cast<VectorType>(store.elements.getType());
      Value place =
          elementAt(to, vector.getElementType(), math.constant(store.distance));
      LLVM::StoreOp::create(b, loc, store.elements, place,
                            2 * vector.getNumElements());
    });
  stores.clear();
}
