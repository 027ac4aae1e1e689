//===- Scheduler.cpp - Runs warps, blocks and clusters ----------*- C++ -*-===//
#include "Flow.h"
#include "Races.h"

#include "tripy/Base/Text.h"

#include <algorithm>

namespace tripy::emulator {

Cluster::Cluster() = default;
Cluster::~Cluster() = default;

Next faultAt(Warp &warp, const Instruction &i, uint32_t lane,
             std::string_view text, Code code) {
  Launch &launch = launchOf(warp);
  if (!launch.error.isOk())
    return Next::Fault;
  const Block &block = *warp.block;
  std::string who = concat("warp ", warp.index);
  if (lane < 32) {
    uint32_t thread = warp.index * 32 + lane;
    auto [x, y, z] = launch.shape.block;
    who = concat("thread (", thread % x, ", ", thread / x % y, ", ",
                 thread / x / y, ")");
  }
  size_t index = &i - launch.body.code.data();
  launch.error =
      Status(code, concat("kernel '", launch.function.name, "', PTX line ",
                          i.line, " (", launch.body.opcodes[index],
                          "), block (", block.id[0], ", ", block.id[1], ", ",
                          block.id[2], "), ", who, ": ", text));
  return Next::Fault;
}

namespace {
/// Warp instructions of one turn, and of a cluster before others run too.
constexpr uint32_t turnLength = 2048;
constexpr uint64_t clusterTurn = 1 << 22;
/// Clusters that may be resident together: as many as a large GPU has
/// multiprocessors.
constexpr size_t residentClusters = 132;

enum class Turn { Idle, Polled, Ran };

/// Lanes that blocked are tried again. False when the warp still waits for a
/// barrier.
bool resume(Warp &warp) {
  if (warp.wait == WaitKind::Barrier) {
    if (warp.block->barriers[warp.waitBarrier].generation ==
        warp.waitGeneration)
      return false;
    if (RaceChecker *races = warp.block->cluster->races.get())
      races->acquireFrom(warp, &warp.block->barriers[warp.waitBarrier]);
  } else if (warp.wait == WaitKind::Warpgroup) {
    if (warp.block->warpgroups[warp.index / 4].generation ==
        warp.waitGeneration)
      return false;
    if (RaceChecker *races = warp.block->cluster->races.get())
      races->acquireFrom(warp, &warp.block->warpgroups[warp.index / 4]);
  }
  warp.wait = WaitKind::None;
  if (warp.blocked) {
    leaveAt(warp, warp.active, warp.pc);
    warp.blocked = 0;
    selectLanes(warp);
  }
  return true;
}

void blockLanes(Warp &warp) {
  leaveAt(warp, warp.active & ~warp.parked, warp.pc + 1);
  leaveAt(warp, warp.parked, warp.pc);
  warp.blocked |= warp.parked;
  selectLanes(warp);
}

/// Joins the active lanes with those that wait at this pc.
void meetLanes(Warp &warp) {
  if (warp.pc < warp.nextPending)
    return;
  leaveAt(warp, warp.active, warp.pc);
  selectLanes(warp);
}

Turn takeTurn(Warp &warp) {
  if (!resume(warp))
    return Turn::Idle;
  Launch &launch = launchOf(warp);
  const Instruction *code = launch.body.code.data();
  LaunchStatistics &statistics = launch.statistics;
  bool progress = false;
  for (uint32_t left = turnLength; left; --left) {
    const Instruction &i = code[warp.pc];
    uint32_t mask = warp.active;
    if (i.guard >= 0)
      mask &=
          i.guardNegated ? ~warp.predicate(i.guard) : warp.predicate(i.guard);
    Next next = Next::Continue;
    if (mask) {
      ++statistics.warpInstructions;
      statistics.laneInstructions += std::popcount(mask);
      next = i.run(warp, i, mask);
    }
    switch (next) {
    case Next::Continue:
      ++warp.pc;
      break;
    case Next::Flow:
      if (warp.done)
        return Turn::Ran;
      break;
    case Next::Yield:
    case Next::NextWarp:
      ++warp.pc;
      meetLanes(warp);
      return next == Next::Yield ? Turn::Polled : Turn::Ran;
    case Next::Passed:
      ++warp.pc;
      return Turn::Ran;
    case Next::Block:
      blockLanes(warp);
      break;
    case Next::Fault:
      return Turn::Ran;
    }
    if (!warp.active) {
      warp.wait = WaitKind::Retry;
      return progress ? Turn::Ran : Turn::Idle;
    }
    progress |= next != Next::Block;
    meetLanes(warp);
  }
  return Turn::Ran;
}

/// Completes one of the copies that are under way, in no particular order.
bool completeCopy(Cluster &cluster) {
  if (cluster.pending.empty())
    return false;
  Launch &launch = *cluster.launch;
  size_t index = launch.random() % cluster.pending.size();
  PendingCopy copy = std::move(cluster.pending[index]);
  cluster.pending.erase(cluster.pending.begin() + index);
  Status status = copy.run();
  if (!status.isOk() && launch.error.isOk())
    launch.error =
        Status(status.code(),
               concat("kernel '", launch.function.name, "', PTX line ",
                      copy.line, ", asynchronous copy: ", status.message()));
  return true;
}

void reportDeadlock(Cluster &cluster) {
  Launch &launch = *cluster.launch;
  std::string text = concat("kernel '", launch.function.name, "': deadlock");
  uint32_t shown = 0;
  for (auto &block : cluster.blocks)
    for (Warp &warp : block->warps)
      if (!warp.done && shown++ < 16)
        text +=
            concat("; block (", block->id[0], ", ", block->id[1], ", ",
                   block->id[2], ") warp ", warp.index, " ", waitText(warp));
  if (shown > 16)
    text += concat("; and ", shown - 16, " more");
  launch.error = Status(Code::LaunchFailed, std::move(text));
}

/// Gives each warp of the cluster a turn. False when the warps only polled
/// memory: what the cluster waits for must come from elsewhere.
bool runRound(Cluster &cluster) {
  Launch &launch = *cluster.launch;
  bool ran = false, polled = false;
  for (auto &block : cluster.blocks)
    for (Warp &warp : block->warps) {
      if (warp.done)
        continue;
      // Warps are not always in step.
      if (launch.options.interleave && launch.random() % 4 == 0) {
        polled = true;
        continue;
      }
      Turn turn = takeTurn(warp);
      if (!launch.error.isOk())
        return true;
      ran |= turn == Turn::Ran;
      polled |= turn == Turn::Polled;
    }
  bool copies = !cluster.pending.empty();
  // Copies arrive when no warp can go on, or eventually when the warps only
  // poll for them.
  if (!ran || (copies && launch.random() % 64 == 0))
    copies = completeCopy(cluster);
  if (!ran && !polled && !copies)
    reportDeadlock(cluster);
  if (launch.statistics.warpInstructions > launch.options.instructionBudget &&
      launch.error.isOk())
    launch.error = Status(Code::LimitExceeded,
                          concat("kernel '", launch.function.name,
                                 "': still running after ",
                                 launch.statistics.warpInstructions,
                                 " warp instructions: an endless loop?"));
  return ran || copies;
}

bool isDone(const Cluster &cluster) {
  for (auto &block : cluster.blocks)
    if (block->liveWarps)
      return false;
  return true;
}

/// Special registers that say where a block is in its cluster, and that in the
/// grid.
uint32_t clusterValue(const Launch &launch, const Block &block,
                      Special special) {
  const auto &grid = launch.shape.grid, &size = launch.cluster;
  auto axis = [&](Special first) {
    return uint32_t(special) - uint32_t(first);
  };
  using enum Special;
  switch (special) {
  case ClusterCtaidX:
  case ClusterCtaidY:
  case ClusterCtaidZ:
    return block.id[axis(ClusterCtaidX)] % size[axis(ClusterCtaidX)];
  case ClusterNctaidX:
  case ClusterNctaidY:
  case ClusterNctaidZ:
    return size[axis(ClusterNctaidX)];
  case ClusterCtarank:
    return block.rank;
  case ClusterNctarank:
    return size[0] * size[1] * size[2];
  case ClusteridX:
  case ClusteridY:
  case ClusteridZ:
    return block.id[axis(ClusteridX)] / size[axis(ClusteridX)];
  case NclusteridX:
  case NclusteridY:
  case NclusteridZ:
    return grid[axis(NclusteridX)] / size[axis(NclusteridX)];
  case IsExplicitCluster:
    return launch.explicitCluster;
  default:
    return 0; // %gridid: there is one grid
  }
}

uint32_t fixedValue(Launch &launch, const Block &block, const Warp &warp,
                    Special special, uint32_t lane) {
  const auto &grid = launch.shape.grid, &threads = launch.shape.block;
  uint32_t thread = warp.index * 32 + lane;
  auto axis = [&](Special first) {
    return uint32_t(special) - uint32_t(first);
  };
  using enum Special;
  switch (special) {
  case TidX:
    return thread % threads[0];
  case TidY:
    return thread / threads[0] % threads[1];
  case TidZ:
    return thread / threads[0] / threads[1];
  case NtidX:
  case NtidY:
  case NtidZ:
    return threads[axis(NtidX)];
  case CtaidX:
  case CtaidY:
  case CtaidZ:
    return block.id[axis(CtaidX)];
  case NctaidX:
  case NctaidY:
  case NctaidZ:
    return grid[axis(NctaidX)];
  case LaneId:
    return lane;
  case WarpId:
    return warp.index;
  case NwarpId:
    return launch.warps;
  case SmId:
    return (block.id[0] / launch.cluster[0]) % 132;
  case NsmId:
    return 132;
  case WarpSize:
    return 32;
  case LanemaskEq:
    return 1u << lane;
  case LanemaskLt:
    return (1u << lane) - 1;
  case LanemaskLe:
    return (2u << lane) - 1;
  case LanemaskGt:
    return ~((2u << lane) - 1);
  case LanemaskGe:
    return ~((1u << lane) - 1);
  case DynamicSmemSize:
    return launch.shape.sharedBytes;
  case TotalSmemSize:
    return block.shared.size();
  default:
    return clusterValue(launch, block, special);
  }
}

void fill(uint8_t *to, uint32_t bytes, uint64_t value, uint32_t lane) {
  std::memcpy(to + lane * bytes, &value, bytes);
}

/// Constants and special registers; what is not written yet is poison.
void initialiseRegisters(Launch &launch, Block &block, Warp &warp) {
  const Body &body = launch.body;
  for (const Constant &constant : body.constants) {
    if (constant.bytes == 0)
      warp.predicate(constant.offset) = constant.value;
    for (uint32_t lane = 0; lane < 32; ++lane)
      fill(warp.registers + constant.offset, constant.bytes, constant.value,
           lane);
  }
  for (const auto &fixed : body.specials)
    for (uint32_t lane = 0; lane < 32; ++lane)
      fill(warp.registers + fixed.offset, fixed.bytes,
           fixedValue(launch, block, warp, fixed.special, lane), lane);
}

/// Memory of a block: of one that is done, where there is one, since asking the
/// system for it costs more than most kernels.
std::vector<uint8_t> takeBytes(Launch &launch, size_t size, uint8_t value) {
  std::vector<uint8_t> bytes;
  if (!launch.spare.empty()) {
    bytes = std::move(launch.spare.back());
    launch.spare.pop_back();
  }
  bytes.assign(size, value);
  return bytes;
}

/// Keeps the memory of a cluster that is done.
void giveBack(Launch &launch, Cluster &cluster) {
  for (std::unique_ptr<Block> &block : cluster.blocks)
    // Taken in the other order.
    for (auto *bytes : {&block->registers, &block->written, &block->shared})
      launch.spare.push_back(std::move(*bytes));
}

std::unique_ptr<Block> makeBlock(Cluster &cluster, uint32_t rank) {
  Launch &launch = *cluster.launch;
  const Body &body = launch.body;
  auto block = std::make_unique<Block>();
  block->cluster = &cluster;
  block->rank = rank;
  uint32_t x = launch.cluster[0], y = launch.cluster[1];
  block->id = {cluster.id[0] * x + rank % x, cluster.id[1] * y + rank / x % y,
               cluster.id[2] * launch.cluster[2] + rank / x / y};
  uint32_t shared = body.dynamicBase - sharedStart + launch.shape.sharedBytes;
  block->shared = takeBytes(launch, shared, 0xFD);
  block->written =
      takeBytes(launch, launch.options.checkUninitialized ? shared : 0, 0);
  block->space = std::make_unique<SharedSpace>(*block);
  block->registers =
      takeBytes(launch, uint64_t(body.registerBytes) * launch.warps + 64, 0xFD);
  uint64_t base = reinterpret_cast<uint64_t>(block->registers.data());
  auto *registers = reinterpret_cast<uint8_t *>((base + 63) & ~uint64_t(63));
  block->warps.resize(launch.warps);
  block->warpgroups.resize((launch.warps + 3) / 4);
  block->liveWarps = launch.warps;
  for (uint32_t index = 0; index < launch.warps; ++index) {
    Warp &warp = block->warps[index];
    warp.block = block.get();
    warp.index = index;
    warp.registers = registers + uint64_t(body.registerBytes) * index;
    warp.local.assign(32 * body.localBytes, 0xFD);
    uint32_t lanes = std::min(32u, launch.threads - index * 32);
    warp.initial = lanes == 32 ? allLanes : (1u << lanes) - 1;
    initialiseRegisters(launch, *block, warp);
    selectLanes(warp);
  }
  return block;
}

std::unique_ptr<Cluster> makeCluster(Launch &launch, uint64_t index) {
  auto cluster = std::make_unique<Cluster>();
  cluster->launch = &launch;
  uint32_t x = launch.shape.grid[0] / launch.cluster[0];
  uint32_t y = launch.shape.grid[1] / launch.cluster[1];
  cluster->id = {uint32_t(index % x), uint32_t(index / x % y),
                 uint32_t(index / x / y)};
  uint32_t blocks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  for (uint32_t rank = 0; rank < blocks; ++rank)
    cluster->blocks.push_back(makeBlock(*cluster, rank));
  uint32_t shared = cluster->blocks[0]->shared.size();
  if (launch.options.checkRaces && shared)
    cluster->races =
        std::make_unique<RaceChecker>(blocks, launch.warps, shared);
  return cluster;
}
} // namespace

Status runGrid(Launch &launch) {
  uint64_t count = 1, next = 0;
  for (uint32_t axis = 0; axis < 3; ++axis)
    count *= launch.shape.grid[axis] / launch.cluster[axis];
  std::deque<std::unique_ptr<Cluster>> resident;
  while (launch.error.isOk() && (next < count || !resident.empty())) {
    // Clusters run one after the other; one that takes long yields to the
    // others, because it may be waiting for them.
    if (resident.empty() ||
        (next < count && resident.size() < residentClusters))
      resident.push_front(makeCluster(launch, next++));
    Cluster &cluster = *resident.front();
    uint64_t turn =
        launch.options.interleave ? launch.random() % turnLength : clusterTurn;
    uint64_t end = launch.statistics.warpInstructions + turn;
    while (launch.error.isOk() && !isDone(cluster) &&
           launch.statistics.warpInstructions < end && runRound(cluster))
      continue;
    while (launch.error.isOk() && isDone(cluster) && completeCopy(cluster))
      continue;
    if (isDone(cluster))
      giveBack(launch, cluster);
    else
      resident.push_back(std::move(resident.front()));
    resident.pop_front();
    if (launch.options.interleave && !resident.empty())
      std::swap(resident.front(), resident[launch.random() % resident.size()]);
  }
  return launch.error;
}

} // namespace tripy::emulator
