//===- Place.cpp - Rings in shared memory, numbers of barriers ------------===//

#include "Lowering.h"

#include "tripy/Codegen/CudaChip.h"
#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Tile/Tile.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/IR/Builders.h"

namespace tripy {
#define GEN_PASS_DEF_TILEPLACEPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::tiles;

/// Registers of a thread beside its fragments, at least.
static constexpr int64_t otherRegisters = 24;

/// Registers of a thread that hold `value`.
static int64_t registersOf(Value value) {
  Type type = value.getType();
  if (auto pending = dyn_cast<tile::PendingType>(type))
    type = pending.getFragment();
  // Constants are immediate operands.
  if (!tile::isFragment(type) ||
      (value.getDefiningOp() &&
       value.getDefiningOp()->hasTrait<OpTrait::ConstantLike>()))
    return 0;
  auto fragment = cast<RankedTensorType>(type);
  int64_t elements = tile::elementsPerThread(fragment);
  return llvm::divideCeil(
      elements * std::max(fragment.getElementTypeBitWidth(), 16u), 32);
}

/// Whether a product or what waits for it finds its fragments in registers.
static LogicalResult checkRegisters(tile::RoleOp role) {
  Liveness liveness(role);
  int64_t limit = asSigned(role.getRegisters()) - otherRegisters;
  WalkResult result = role.walk([&](tile::MmaAsyncOp op) {
    const LivenessBlockInfo *block = liveness.getLiveness(op->getBlock());
    int64_t registers = 0;
    // The sums are in the place of what is added to.
    for (Value live : block->currentlyLiveValues(op))
      if (live != op.getAcc())
        registers += registersOf(live);
    if (registers <= limit)
      return WalkResult::advance();
    op.emitError("role '") << role.getName() << "' has "
                           << asSigned(role.getRegisters())
                           << " registers a thread, and " << registers
                           << " of fragments are live here besides "
                           << otherRegisters << " for other values";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct TilePlacePass : tripy::impl::TilePlacePassBase<TilePlacePass> {
  using TilePlacePassBase::TilePlacePassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<tile::FuncOp>())
      if (failed(place(function, CudaChip::of(chip))))
        return signalPassFailure();
  }
};
} // namespace

LogicalResult tiles::place(tile::FuncOp function, const CudaChip &chip) {
  Builder b(function.getContext());
  int64_t bytes = 0;
  Region &body = function.getBody();
  for (auto ring : body.getOps<tile::RingOp>()) {
    tile::RingType type = ring.getResult().getType();
    bytes = llvm::alignTo(bytes, tile::stageAlignment);
    ring.setAtAttr(b.getI64IntegerAttr(bytes));
    bytes += type.getStages() * type.getStageBytes();
  }
  // Number 0 is the whole block's.
  int64_t named = 1;
  for (auto staging : body.getOps<tile::StagingOp>()) {
    tile::StagingType type = staging.getResult().getType();
    staging.setAtAttr(b.getI64IntegerAttr(bytes));
    staging.setBarrierAttr(b.getI64IntegerAttr(named));
    bytes += type.getGroups() * type.getBytes();
    named += type.getGroups();
  }
  for (auto ring : body.getOps<tile::RingOp>()) {
    ring.setBarriersAttr(b.getI64IntegerAttr(bytes));
    bytes += 2 * ring.getResult().getType().getStages() * tile::barrierBytes;
  }
  for (auto order : body.getOps<tile::OrderOp>()) {
    order.setFirstAttr(b.getI64IntegerAttr(named));
    named += order.getResult().getType().getMembers();
  }
  if (named > tile::namedBarriers)
    return function.emitError("a block has ")
           << tile::namedBarriers << " named barriers; found " << named;
  int64_t room = chip.sharedBytes - chip.reservedBytes;
  if (bytes > room)
    return function.emitError("a block has ")
           << room << " bytes of shared memory; found " << bytes;
  for (auto role : body.getOps<tile::RoleOp>())
    if (failed(checkRegisters(role)))
      return failure();
  function.setSharedAttr(b.getI64IntegerAttr(bytes));
  return success();
}
