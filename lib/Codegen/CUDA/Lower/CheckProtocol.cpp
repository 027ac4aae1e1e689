//===- CheckProtocol.cpp - Roles of tile functions against each other -----===//
//
// Each warp group of a block is an agent: what its code does with rings and
// ordered barriers is listed by running its index arithmetic and loops on
// numbers, for some sizes where these are arguments, and at most three tiles.
// Then the agents take their steps as far as barriers let them, where a barrier
// compares parities as the hardware does and the check knows the true rounds.
//
//===----------------------------------------------------------------------===//

#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tripy {
#define GEN_PASS_DEF_TILECHECKPROTOCOLPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;

namespace {
/// A number, or a stage, a parity, and the round that they stand for.
struct KnownValue {
  int64_t number = 0, parity = 0, round = 0;
};

/// What an agent does with a stage or a turn.
struct ProtocolStep {
  Operation *op;
  /// The ring or ordered barrier.
  Value object;
  /// Stage and parity; member.
  KnownValue at;
};

/// A warp group of a role.
struct ProtocolAgent {
  tile::RoleOp role;
  int64_t number;
  std::vector<ProtocolStep> steps;
  size_t next = 0;
};

/// Lists the steps of an agent.
class StepLister {
public:
  /// Where tiles are counted (tile.for_tiles), a block has `tiles`.
  StepLister(tile::FuncOp function, int64_t size, int64_t tiles)
      : tiles(tiles) {
    for (BlockArgument argument : function.getBody().getArguments())
      values[argument] = {size};
  }
  /// False where it meets what it cannot compute.
  bool run(Block &block, ProtocolAgent &agent, unsigned depth = 0);
  bool runOne(Operation &op, ProtocolAgent &agent, unsigned depth = 0);
  void set(Value value, KnownValue known) { values[value] = known; }

private:
  bool runLoop(scf::ForOp loop, ProtocolAgent &agent, unsigned depth);
  bool runTiles(tile::ForTilesOp loop, ProtocolAgent &agent);
  std::optional<int64_t> compute(Operation *op);
  int64_t number(Value value) { return values[value].number; }

  int64_t tiles;
  llvm::DenseMap<Value, KnownValue> values;
  size_t allRounds = 0;
};

/// The state of a ring's stages: rounds that were filled and released, arrivals
/// of the current release, and who has waited for what.
struct StageState {
  int64_t filled = 0, emptied = 0, arrivals = 0;
  llvm::DenseMap<const ProtocolAgent *, int64_t> waited, released;
};
} // namespace

/// Tiles that a block has in the check.
static constexpr int64_t maxTiles = 3;
/// Steps of an agent, and rounds of its loops: a kernel with more is not
/// checked.
static constexpr size_t maxSteps = 1 << 16;

/// Index arithmetic is of 64 bits and wraps.
std::optional<int64_t> StepLister::compute(Operation *op) {
  auto at = [&](unsigned i) {
    return static_cast<uint64_t>(number(op->getOperand(i)));
  };
  return llvm::TypeSwitch<Operation *, std::optional<uint64_t>>(op)
      .Case([](arith::ConstantOp constant) -> std::optional<uint64_t> {
        auto value = dyn_cast<IntegerAttr>(constant.getValue());
        return value ? value.getValue().sextOrTrunc(64).getZExtValue() : 0;
      })
      .Case([&](arith::AddIOp) { return at(0) + at(1); })
      .Case([&](arith::SubIOp) { return at(0) - at(1); })
      .Case([&](arith::MulIOp) { return at(0) * at(1); })
      .Case([&](arith::DivUIOp) { return at(1) == 0 ? 0 : at(0) / at(1); })
      .Case([&](arith::RemUIOp) { return at(1) == 0 ? 0 : at(0) % at(1); })
      .Case([&](arith::MinUIOp) { return std::min(at(0), at(1)); })
      .Case([&](arith::MaxUIOp) { return std::max(at(0), at(1)); })
      // The first of two blocks.
      .Case([](gpu::BlockIdOp) { return uint64_t(0); })
      .Case([](gpu::GridDimOp) { return uint64_t(2); })
      .Default([](Operation *) { return std::nullopt; });
}

bool StepLister::runLoop(scf::ForOp loop, ProtocolAgent &agent,
                         unsigned depth) {
  int64_t step = number(loop.getStep());
  if (step <= 0)
    return false;
  SmallVector<KnownValue> carried;
  for (Value value : loop.getInitArgs())
    carried.push_back(values[value]);
  int64_t rounds = 0, end = number(loop.getUpperBound());
  bool isLast = false;
  for (int64_t i = number(loop.getLowerBound()); i < end && !isLast;
       isLast = llvm::AddOverflow(i, step, i)) {
    // The outermost loop is that over tiles.
    if (depth == 0 && ++rounds > maxTiles)
      break;
    if (++allRounds > maxSteps || agent.steps.size() > maxSteps)
      return false;
    values[loop.getInductionVar()] = {i};
    for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), carried))
      values[argument] = value;
    if (!run(*loop.getBody(), agent, depth + 1))
      return false;
    for (auto [value, operand] :
         llvm::zip(carried, loop.getBody()->getTerminator()->getOperands()))
      value = values[operand];
  }
  for (auto [result, value] : llvm::zip(loop.getResults(), carried))
    values[result] = value;
  return true;
}

/// Where a tile lies is of no matter.
bool StepLister::runTiles(tile::ForTilesOp loop, ProtocolAgent &agent) {
  SmallVector<KnownValue> carried;
  for (Value value : loop.getInits())
    carried.push_back(values[value]);
  Block &body = loop.getBody().front();
  for (int64_t i = number(loop.getFirst()); i < tiles;
       i += asSigned(loop.getStep())) {
    for (auto [argument, value] :
         llvm::zip(body.getArguments().drop_front(3), carried))
      values[argument] = value;
    if (!run(body, agent, /*depth=*/1))
      return false;
    for (auto [value, operand] :
         llvm::zip(carried, body.getTerminator()->getOperands()))
      value = values[operand];
  }
  for (auto [result, value] : llvm::zip(loop.getResults(), carried))
    values[result] = value;
  return true;
}

bool StepLister::runOne(Operation &op, ProtocolAgent &agent, unsigned depth) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return runLoop(loop, agent, depth);
  if (auto loop = dyn_cast<tile::ForTilesOp>(op))
    return runTiles(loop, agent);
  if (auto start = dyn_cast<tile::RingStartOp>(op)) {
    values[start.getResult()] = {0, 0};
  } else if (auto next = dyn_cast<tile::RingNextOp>(op)) {
    KnownValue at = values[next.getPos()];
    bool wraps = at.number + 1 == next.getRing().getType().getStages();
    values[next.getResult()] = {wraps ? 0 : at.number + 1,
                                wraps ? 1 - at.parity : at.parity,
                                at.round + wraps};
  } else if (auto skip = dyn_cast<tile::RingSkipOp>(op)) {
    KnownValue at = values[skip.getPos()];
    int64_t stages = skip.getRing().getType().getStages();
    int64_t total = at.number + std::max<int64_t>(0, number(skip.getCount()));
    values[skip.getResult()] = {total % stages,
                                (at.parity + total / stages) % 2,
                                at.round + total / stages};
  } else if (auto none = dyn_cast<tile::RingNoneOp>(op)) {
    values[none.getResult()] = {-1, 0};
  } else if (auto release = dyn_cast<tile::RingReleaseOp>(op);
             release && values[release.getPos()].number < 0) {
    // One that arrives where there is no stage is a step, and is wrong.
    if (!release.getIfAny())
      agent.steps.push_back({&op, release.getRing(), {-1, 0}});
  } else if (isa<tile::RingFillOp, tile::RingWaitOp, tile::RingReleaseOp,
                 tile::OrderWaitOp, tile::OrderPassOp>(op)) {
    agent.steps.push_back({&op, op.getOperand(0), values[op.getOperand(1)]});
  } else if (op.getNumRegions() > 0) {
    return false;
  } else if (op.getNumResults() == 1 &&
             op.getResult(0).getType().isIntOrIndex()) {
    if (std::optional<int64_t> known = compute(&op))
      values[op.getResult(0)] = {*known};
  }
  return true;
}

bool StepLister::run(Block &block, ProtocolAgent &agent, unsigned depth) {
  return llvm::all_of(block,
                      [&](Operation &op) { return runOne(op, agent, depth); });
}

namespace {
class ProtocolCheck {
public:
  explicit ProtocolCheck(tile::FuncOp function) : function(function) {}
  /// With `size` for each size that is an argument, and `tiles` of a block.
  LogicalResult run(int64_t size, int64_t tiles);

private:
  enum class Progress { Done, Waits, Wrong };
  Progress take(ProtocolAgent &agent);
  Progress fill(ProtocolAgent &agent, const ProtocolStep &step);
  Progress wait(ProtocolAgent &agent, const ProtocolStep &step);
  Progress release(ProtocolAgent &agent, const ProtocolStep &step);
  Progress wrong(ProtocolAgent &agent, Operation *op, const Twine &what);
  StageState &stageOf(const ProtocolStep &step) {
    return stages[{step.object.getAsOpaquePointer(), step.at.number}];
  }

  tile::FuncOp function;
  std::vector<ProtocolAgent> agents;
  /// By ring and number.
  std::map<std::pair<const void *, int64_t>, StageState> stages;
  /// Turns that were passed on and not taken, of each member.
  std::map<std::pair<const void *, int64_t>, int64_t> turns;
};
} // namespace

ProtocolCheck::Progress ProtocolCheck::wrong(ProtocolAgent &agent,
                                             Operation *op, const Twine &what) {
  op->emitError("warp group ")
      << agent.number << " of role '" << agent.role.getName() << "' " << what;
  return Progress::Wrong;
}

/// A barrier lets a wait for parity p pass while the phase of the other parity
/// is the current one.
static bool passes(int64_t phases, int64_t parity) {
  return phases % 2 != parity;
}

ProtocolCheck::Progress ProtocolCheck::fill(ProtocolAgent &agent,
                                            const ProtocolStep &step) {
  StageState &stage = stageOf(step);
  // The first round finds the stage empty.
  if (!passes(stage.emptied, 1 - step.at.parity))
    return Progress::Waits;
  if (stage.filled > stage.emptied)
    return wrong(agent, step.op, "fills a stage that was not released");
  ++stage.filled;
  return Progress::Done;
}

ProtocolCheck::Progress ProtocolCheck::wait(ProtocolAgent &agent,
                                            const ProtocolStep &step) {
  StageState &stage = stageOf(step);
  if (!passes(stage.filled, step.at.parity))
    return Progress::Waits;
  // Ping-pong consumers have some rounds each.
  int64_t &waited = stage.waited[&agent];
  if (stage.filled != step.at.round + 1 || waited >= stage.filled)
    return wrong(agent, step.op,
                 "waits for a round of a stage that is not the next");
  waited = stage.filled;
  return Progress::Done;
}

ProtocolCheck::Progress ProtocolCheck::release(ProtocolAgent &agent,
                                               const ProtocolStep &step) {
  StageState &stage = stageOf(step);
  int64_t &released = stage.released[&agent];
  if (step.at.number < 0 || stage.waited[&agent] != step.at.round + 1 ||
      released > step.at.round)
    return wrong(agent, step.op, "releases a stage that it did not wait for");
  released = step.at.round + 1;
  auto ring = step.object.getDefiningOp<tile::RingOp>();
  // Each of its warps arrives.
  stage.arrivals += tile::groupThreads / 32;
  if (stage.arrivals > asSigned(ring.getReaders()))
    return wrong(agent, step.op, "releases a stage that has fewer readers");
  if (stage.arrivals == asSigned(ring.getReaders())) {
    stage.arrivals = 0;
    ++stage.emptied;
  }
  return Progress::Done;
}

ProtocolCheck::Progress ProtocolCheck::take(ProtocolAgent &agent) {
  const ProtocolStep &step = agent.steps[agent.next];
  const void *object = step.object.getAsOpaquePointer();
  return llvm::TypeSwitch<Operation *, Progress>(step.op)
      .Case([&](tile::RingFillOp) { return fill(agent, step); })
      .Case([&](tile::RingWaitOp) { return wait(agent, step); })
      .Case([&](tile::RingReleaseOp) { return release(agent, step); })
      .Case([&](tile::OrderWaitOp) {
        int64_t &turn = turns[{object, step.at.number}];
        if (turn == 0)
          return Progress::Waits;
        --turn;
        return Progress::Done;
      })
      .Case([&](tile::OrderPassOp pass) {
        int64_t members = pass.getOrder().getType().getMembers();
        int64_t next = (static_cast<uint64_t>(step.at.number) + 1) % members;
        int64_t &turn = turns[{object, next}];
        if (++turn > 1)
          return wrong(agent, step.op, "passes a turn that was not taken yet");
        return Progress::Done;
      })
      .Default([](Operation *) { return Progress::Done; });
}

LogicalResult ProtocolCheck::run(int64_t size, int64_t tiles) {
  for (auto order : function.getBody().getOps<tile::OrderOp>())
    turns[{order.getResult().getAsOpaquePointer(), 0}] = 1;
  for (auto role : function.getBody().getOps<tile::RoleOp>())
    for (int64_t i = 0; i < asSigned(role.getGroups()); ++i) {
      StepLister lister(function, size, tiles);
      ProtocolAgent agent{role, i, {}, 0};
      for (Operation &op : function.getBody().front()) {
        if (isa<tile::RoleOp>(op))
          break;
        ProtocolAgent none{role, i, {}, 0};
        lister.runOne(op, none);
      }
      lister.set(role.getBody().getArgument(0), {i});
      // Code with branches is not known by numbers alone, and long loops take
      // too long.
      if (!lister.run(role.getBody().front(), agent))
        return success();
      agents.push_back(std::move(agent));
    }
  for (bool moved = true; moved;) {
    moved = false;
    for (ProtocolAgent &agent : agents)
      while (agent.next < agent.steps.size()) {
        Progress progress = take(agent);
        if (progress == Progress::Wrong)
          return failure();
        if (progress == Progress::Waits)
          break;
        ++agent.next;
        moved = true;
      }
  }
  for (ProtocolAgent &agent : agents)
    if (agent.next < agent.steps.size()) {
      wrong(agent, agent.steps[agent.next].op, "waits for ever");
      return failure();
    }
  return success();
}

namespace {
struct TileCheckProtocolPass
    : tripy::impl::TileCheckProtocolPassBase<TileCheckProtocolPass> {
  using TileCheckProtocolPassBase::TileCheckProtocolPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<tile::FuncOp>()) {
      bool isStatic = function.getBody().getNumArguments() == 0;
      // One block of a loop, a few, and many.
      SmallVector<int64_t> sizes = {1, 130, 1000};
      bool counts =
          function
              .walk([](tile::ForTilesOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
      for (int64_t size : isStatic ? ArrayRef(sizes).take_front(1) : sizes)
        for (int64_t tiles = counts ? 0 : maxTiles; tiles <= maxTiles; ++tiles)
          if (failed(ProtocolCheck(function).run(size, tiles)))
            return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
