//===- LowerRings.cpp - Shared memory and barriers of tiles ---------------===//

#include "Lowering.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::tiles;

PlacedRing TileLowering::placed(Value ring) {
  auto op = ring.getDefiningOp<tile::RingOp>();
  tile::RingType type = op.getResult().getType();
  return {static_cast<int64_t>(*op.getAt()),
          static_cast<int64_t>(*op.getBarriers()), type.getStages()};
}

/// The barrier that says that a stage is full, or empty.
Value TileLowering::barrierAt(Value ring, Value stage, bool empty) {
  PlacedRing place = placed(ring);
  int64_t first =
      place.barriers + (empty ? place.stages * tile::barrierBytes : 0);
  return pointer(add(add(base, i32(first)), mul(stage, tile::barrierBytes)));
}

/// Where a view of a stage lies: behind all stages of the views before it.
Value TileLowering::stageAt(Value ring, Value stage, size_t view) {
  PlacedRing place = placed(ring);
  ArrayRef<tile::SmemType> types =
      cast<tile::RingType>(ring.getType()).getViews();
  int64_t at = place.at;
  for (tile::SmemType before : types.take_front(view))
    at += place.stages * before.getBytes();
  Value first = add(base, i32(at));
  return place.stages == 1 ? first
                           : add(first, mul(stage, types[view].getBytes()));
}

void TileLowering::initialiseBarriers() {
  Value first =
      kernel.compare(arith::CmpIPredicate::eq, thread, math.constant(0));
  e.when(first, [&] {
    for (auto ring : function.getBody().getOps<tile::RingOp>())
      for (int64_t stage = 0; stage < ring.getResult().getType().getStages();
           ++stage) {
        auto initialise = [&](bool empty, int64_t arrivals) {
          NVVM::MBarrierInitOp::create(
              b, loc, barrierAt(ring.getResult(), i32(stage), empty),
              i32(arrivals), Value());
        };
        initialise(/*empty=*/false, 1);
        initialise(/*empty=*/true, asSigned(ring.getReaders()));
      }
    NVVM::FenceMbarrierInitOp::create(b, loc);
  });
  kernel.barrier();
}

TileLowering::Registers TileLowering::nextPosition(Value ring,
                                                   const Registers &position) {
  int64_t stages = placed(ring).stages;
  Value flipped = arith::XOrIOp::create(b, loc, position[1], i32(1));
  if (stages == 1)
    return {position[0], flipped};
  Value following = add(position[0], i32(1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      following, i32(stages));
  return {arith::SelectOp::create(b, loc, wraps, i32(0), following),
          arith::SelectOp::create(b, loc, wraps, flipped, position[1])};
}

void TileLowering::copyBox(Value to, Value map, ValueRange box, Value barrier) {
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b, loc, clusterPointer(b, loc, to), map, box, barrier, ValueRange(),
      Value(), Value(), NVVM::TMALoadMode::TILE, false,
      NVVM::CTAGroupKindAttr(), Value());
}

/// Zeros in a stage, by this thread alone.
void TileLowering::clear(Value start, int64_t bytes) {
  auto type = VectorType::get({4}, b.getI32Type());
  Value zeros = arith::ConstantOp::create(b, loc, type, b.getZeroAttr(type));
  e.loop(math.constant(0), math.constant(bytes), math.constant(16),
         [&](Index at) {
           LLVM::StoreOp::create(b, loc, zeros, pointer(add(start, toI32(at))),
                                 16);
         });
  // Matrix instructions read them.
  NVVM::FenceProxyOp::create(
      b, loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

TileLowering::Registers TileLowering::skipPositions(tile::RingSkipOp op) {
  const Registers &at = of(op.getPos());
  int64_t stages = placed(op.getRing()).stages;
  Value total = add(at[0], scalar(op.getCount()));
  Value rounds = arith::DivUIOp::create(b, loc, total, i32(stages));
  Value odd = arith::AndIOp::create(b, loc, rounds, i32(1));
  return {arith::RemUIOp::create(b, loc, total, i32(stages)),
          arith::XOrIOp::create(b, loc, at[1], odd)};
}

/// Starts the copies of a stage, whose first view begins at `start`: a box for
/// each panel that a map brings, in the order of the bytes of the views.
void TileLowering::copyMaps(tile::RingFillOp op, Value stage, Value start,
                            Value full) {
  ArrayRef<tile::SmemType> types = op.getRing().getType().getViews();
  size_t view = 0, rank = op.getCoords().size() / op.getMaps().size();
  int64_t filled = 0;
  for (auto [number, map] : llvm::enumerate(op.getMaps())) {
    auto type = cast<tile::MapType>(map.getType());
    auto part = tile::SmemType::get(type.getContext(), type.getShape(),
                                    type.getElementType(), type.getSwizzle());
    SmallVector<Value> box;
    for (Value coordinate :
         llvm::reverse(op.getCoords().slice(number * rank, rank)))
      box.push_back(scalar(coordinate));
    Value first = box.front();
    for (int64_t panel = 0; panel < part.getPanels(); ++panel) {
      SmallVector<Value> own(box);
      if (panel > 0)
        own.front() = add(first, i32(panel * part.getPanelColumns()));
      copyBox(add(start, i32(filled + panel * part.getPanelBytes())),
              scalar(map), own, full);
    }
    filled += part.getBytes();
    if (filled == types[view].getBytes() && number + 1 < op.getMaps().size()) {
      filled = 0;
      start = stageAt(op.getRing(), stage, ++view);
    }
  }
}

void TileLowering::fill(tile::RingFillOp op) {
  Registers at = of(op.getPos());
  Value ring = op.getRing();
  Value other = arith::XOrIOp::create(b, loc, at[1], i32(1));
  awaitPhase(b, loc, barrierAt(ring, at[0], /*empty=*/true), other);
  Value full = barrierAt(ring, at[0], /*empty=*/false);
  Value start = stageAt(ring, at[0]);
  auto expect = [&](int64_t bytes) {
    NVVM::MBarrierArriveExpectTxOp::create(b, loc, Type(), full, i32(bytes),
                                           NVVM::MemScopeKind::CTA, false,
                                           Value());
  };
  auto copy = [&] {
    expect(op.getRing().getType().getStageBytes());
    copyMaps(op, at[0], start, full);
  };
  if (!op.getWhere())
    return copy();
  Value where = scalar(op.getWhere());
  e.when(where, copy);
  Value always = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  e.when(arith::XOrIOp::create(b, loc, where, always), [&] {
    for (auto [number, view] :
         llvm::enumerate(op.getRing().getType().getViews()))
      clear(stageAt(ring, at[0], number), view.getBytes());
    expect(0);
  });
}

/// One lane of each warp says so.
void TileLowering::release(tile::RingReleaseOp op) {
  Index lane = math.rem(thread, math.constant(32));
  Value first =
      kernel.compare(arith::CmpIPredicate::eq, lane, math.constant(0));
  Value stage = of(op.getPos())[0];
  if (op.getIfAny()) {
    Value any =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, stage, i32(0));
    first = arith::AndIOp::create(b, loc, first, any);
  }
  Value barrier = barrierAt(op.getRing(), stage, /*empty=*/true);
  e.when(first, [&] {
    NVVM::MBarrierArriveOp::create(b, loc, b.getI64Type(), barrier, Value(),
                                   NVVM::MemScopeKind::CTA, false);
  });
}

//===----------------------------------------------------------------------===//
// Ordered barriers
//===----------------------------------------------------------------------===//

/// A member's barrier has its own threads, which wait, and those of the member
/// before it, which arrive.
static constexpr int64_t turnThreads = 2 * tile::groupThreads;

void TileLowering::waitTurn(Value order, Value member) {
  auto op = order.getDefiningOp<tile::OrderOp>();
  Value number = add(member, i32(asSigned(*op.getFirst())));
  NVVM::BarrierOp::create(b, loc, Type(), number, i32(turnThreads),
                          NVVM::BarrierReductionAttr(), Value());
}

void TileLowering::passTurn(Value order, Value member) {
  auto op = order.getDefiningOp<tile::OrderOp>();
  int64_t members = op.getResult().getType().getMembers();
  Value next = add(member, i32(1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                      i32(members));
  next = arith::SelectOp::create(b, loc, wraps, i32(0), next);
  Value number = add(next, i32(asSigned(*op.getFirst())));
  NVVM::BarrierArriveOp::create(b, loc, number, i32(turnThreads));
}

/// The last member lets the first one start.
void TileLowering::startOrders(tile::RoleOp role) {
  Value member = scalar(role.getBody().getArgument(0));
  for (auto order : function.getBody().getOps<tile::OrderOp>()) {
    bool isUsed = llvm::any_of(order->getUsers(), [&](Operation *user) {
      return role->isProperAncestor(user);
    });
    if (!isUsed)
      continue;
    int64_t last = order.getResult().getType().getMembers() - 1;
    Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         member, i32(last));
    e.when(isLast, [&] { passTurn(order.getResult(), member); });
  }
}
