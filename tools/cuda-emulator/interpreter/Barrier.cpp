//===- Barrier.cpp - Barriers of blocks and clusters ------------*- C++ -*-===//
//
// bar and barrier count whole warps: the lanes of a warp meet first. Arrivals
// release what the warp did to those who wait.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"
#include "Flow.h"
#include "Races.h"

namespace tripy::emulator {

namespace {
constexpr uint8_t arriveOnly = 1, hasCount = 2;

bool isComplete(const Block &block, const NamedBarrier &barrier) {
  if (!barrier.whole)
    return barrier.arrived == barrier.expected;
  for (const Warp &warp : block.warps)
    if (!warp.done && !(barrier.members >> warp.index & 1))
      return false;
  return true;
}

void nextGeneration(NamedBarrier &barrier) {
  barrier.arrived = barrier.members = 0;
  ++barrier.generation;
}

/// The barrier that the operands name, checked; null after a fault.
NamedBarrier *barrierOf(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t lane = std::countr_zero(mask);
  uint32_t id = warp.reg<uint32_t>(i.a)[lane];
  uint32_t threads = i.flags & hasCount ? warp.reg<uint32_t>(i.b)[lane] : 0;
  bool whole = !(i.flags & hasCount);
  std::string wrong;
  if (id >= 16)
    wrong = concat("there is no barrier ", id);
  else if (!whole && (threads == 0 || threads % 32 ||
                      threads / 32 > warp.block->warps.size()))
    wrong = concat("barrier ", id, " for ", threads,
                   " threads: not a number of warps of the block");
  NamedBarrier *barrier = &warp.block->barriers[id % 16];
  bool fresh = barrier->arrived == 0;
  if (wrong.empty() && !fresh &&
      (barrier->whole != whole ||
       (!whole && barrier->expected != threads / 32)))
    wrong = concat("barrier ", id, " is waited for with another count");
  if (wrong.empty() && barrier->members >> warp.index & 1)
    wrong = concat("the warp comes twice to barrier ", id,
                   " before the others have come");
  if (!wrong.empty()) {
    faultAt(warp, i, 32, wrong);
    return nullptr;
  }
  barrier->whole = whole;
  barrier->expected = threads / 32;
  warp.waitBarrier = id;
  return barrier;
}

Next barrier(Warp &warp, const Instruction &i, uint32_t mask) {
  if (!gatherAll(warp, mask))
    return block(warp, mask, "the other threads of its warp");
  NamedBarrier *barrier = barrierOf(warp, i, mask);
  if (!barrier)
    return Next::Fault;
  RaceChecker *races = warp.block->cluster->races.get();
  if (races)
    races->releaseTo(warp, barrier);
  ++barrier->arrived;
  barrier->members |= 1u << warp.index;
  uint64_t generation = barrier->generation;
  bool complete = isComplete(*warp.block, *barrier);
  if (complete)
    nextGeneration(*barrier);
  if (i.flags & arriveOnly)
    return Next::Continue;
  if (complete) {
    if (races)
      races->acquireFrom(warp, barrier);
    return Next::Continue;
  }
  warp.wait = WaitKind::Barrier;
  warp.waitGeneration = generation;
  return Next::Passed;
}

// --- clusters ---

void completeCluster(Cluster &cluster) {
  bool any = false;
  for (auto &block : cluster.blocks)
    for (Warp &warp : block->warps) {
      if (!warp.done && warp.clusterArrival != cluster.phase)
        return;
      any |= warp.clusterArrival == cluster.phase;
    }
  cluster.phase += any;
}

Next clusterArrive(Warp &warp, const Instruction &i, uint32_t mask) {
  if (!gatherAll(warp, mask))
    return block(warp, mask, "the other threads of its warp");
  Cluster &cluster = *warp.block->cluster;
  if (warp.clusterArrival >= 0)
    return faultAt(warp, i, 32,
                   "arrives at the barrier of the cluster twice without a "
                   "wait");
  warp.clusterArrival = cluster.phase;
  if (cluster.races)
    cluster.races->releaseTo(warp, &cluster);
  completeCluster(cluster);
  return Next::Continue;
}

Next clusterWait(Warp &warp, const Instruction &i, uint32_t mask) {
  if (!gatherAll(warp, mask))
    return block(warp, mask, "the other threads of its warp");
  Cluster &cluster = *warp.block->cluster;
  if (warp.clusterArrival < 0)
    return faultAt(warp, i, 32,
                   "waits for the barrier of the cluster without an arrival");
  if (cluster.phase == warp.clusterArrival)
    return block(warp, mask, "the barrier of the cluster");
  warp.clusterArrival = -1;
  if (cluster.races)
    cluster.races->acquireFrom(warp, &cluster);
  return Next::Continue;
}

bool clusterBarrier(Decoder &decoder) {
  bool arrives = decoder.takeOneOf({"arrive", "wait"}) == 0;
  decoder.takeOneOf({"release", "relaxed", "acquire"});
  decoder.take("aligned");
  return decoder.operands(0, 0) &&
         decoder.set(arrives ? &clusterArrive : &clusterWait);
}

bool blockBarrier(Decoder &decoder) {
  if (decoder.head() == "barrier" && decoder.take("cluster"))
    return clusterBarrier(decoder);
  if (decoder.head() == "bar" &&
      decoder.statement.opcode.starts_with("bar.warp"))
    return decodeWarpBarrier(decoder);
  decoder.take("cta");
  int kind = decoder.takeOneOf({"sync", "arrive"});
  decoder.take("aligned");
  Instruction &out = decoder.out;
  bool counted = decoder.count() == 2;
  out.flags = (kind == 1 ? arriveOnly : 0) | (counted ? hasCount : 0);
  if (kind == 1 && !counted)
    return decoder.fail("an arrival needs a thread count");
  return kind >= 0 && decoder.operands(1, 2) && decoder.source(0, 4, out.a) &&
         (!counted || decoder.source(1, 4, out.b)) && decoder.set(&barrier);
}
} // namespace

void warpExited(Warp &warp) {
  Block &block = *warp.block;
  --block.liveWarps;
  for (NamedBarrier &barrier : block.barriers)
    if (barrier.arrived && barrier.whole && isComplete(block, barrier))
      nextGeneration(barrier);
  completeCluster(*block.cluster);
}

std::string waitText(Warp &warp) {
  const Body &body = launchOf(warp).body;
  if (warp.wait == WaitKind::Barrier) {
    const NamedBarrier &at = warp.block->barriers[warp.waitBarrier];
    return concat("waits at line ", body.code[warp.pc - 1].line,
                  " for barrier ", warp.waitBarrier, " (", at.arrived, " of ",
                  at.whole ? warp.block->liveWarps : at.expected,
                  " warps are there)");
  }
  if (warp.wait == WaitKind::Warpgroup)
    return concat("waits at line ", body.code[warp.pc - 1].line,
                  " for the other warps of its warpgroup");
  uint32_t pc = warp.pc;
  if (warp.blocked)
    pc = warp.lanePc[std::countr_zero(warp.blocked)];
  return concat("waits at line ", body.code[pc].line, " (", body.opcodes[pc],
                ") for ", warp.reason);
}

void addBarrierOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  table["bar"] = table["barrier"] = blockBarrier;
}

} // namespace tripy::emulator
