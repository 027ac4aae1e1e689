//===- Control.cpp - Branches and the end of threads ------------*- C++ -*-===//
#include "Decoder.h"
#include "Flow.h"

namespace tripy::emulator {

void selectLanes(Warp &warp) {
  uint32_t candidates = warp.alive() & ~warp.blocked;
  warp.active = 0;
  warp.nextPending = noPc;
  uint32_t first = noPc;
  eachLane(candidates,
           [&](uint32_t lane) { first = std::min(first, warp.lanePc[lane]); });
  eachLane(candidates, [&](uint32_t lane) {
    if (warp.lanePc[lane] == first)
      warp.active |= 1u << lane;
    else
      warp.nextPending = std::min(warp.nextPending, warp.lanePc[lane]);
  });
  warp.pc = first;
}

void leaveAt(Warp &warp, uint32_t lanes, uint32_t pc) {
  eachLane(lanes, [&](uint32_t lane) { warp.lanePc[lane] = pc; });
}

namespace {
Next branch(Warp &warp, const Instruction &i, uint32_t mask) {
  auto target = uint32_t(i.immediate);
  if (mask == warp.active) {
    warp.pc = target;
  } else {
    leaveAt(warp, mask, target);
    leaveAt(warp, warp.active & ~mask, warp.pc + 1);
    selectLanes(warp);
  }
  return Next::Flow;
}

/// brx.idx: list has `extra` targets, a is the index.
Next branchIndexed(Warp &warp, const Instruction &i, uint32_t mask) {
  const uint32_t *targets = launchOf(warp).body.lists.data() + i.list;
  const uint32_t *index = warp.reg<uint32_t>(i.a);
  Next next = Next::Flow;
  eachLane(mask, [&](uint32_t lane) {
    if (index[lane] < i.extra)
      leaveAt(warp, 1u << lane, targets[index[lane]]);
    else
      next = faultAt(warp, i, lane, "the index is beyond the list of targets");
  });
  leaveAt(warp, warp.active & ~mask, warp.pc + 1);
  selectLanes(warp);
  return next;
}

Next leave(Warp &warp, const Instruction &i, uint32_t mask) {
  // What the thread still copies is complete when it ends.
  Status status;
  eachLane(mask, [&](uint32_t lane) {
    for (auto *groups : {&warp.copies[lane], &warp.bulks[lane]})
      if (*groups && status.isOk())
        status = (*groups)->finish();
  });
  if (!status.isOk())
    return faultAt(warp, i, 32, status);
  leaveAt(warp, warp.active & ~mask, warp.pc + 1);
  warp.exited |= mask;
  // Lanes that waited for these check again.
  warp.blocked = 0;
  selectLanes(warp);
  if (!warp.alive()) {
    warp.done = true;
    warpExited(warp);
  }
  return Next::Flow;
}

Next trap(Warp &warp, const Instruction &i, uint32_t mask) {
  return faultAt(warp, i, std::countr_zero(mask), "the kernel stops itself");
}
Next nothing(Warp &, const Instruction &, uint32_t) { return Next::Continue; }
Next pause(Warp &, const Instruction &, uint32_t) { return Next::Yield; }
Next passOn(Warp &, const Instruction &, uint32_t) { return Next::NextWarp; }

bool bra(Decoder &decoder) {
  decoder.take("uni");
  return decoder.operands(1, 1) && decoder.label(0, decoder.out.immediate) &&
         decoder.set(&branch);
}
bool brx(Decoder &decoder) {
  Instruction &out = decoder.out;
  bool known = decoder.take("idx");
  decoder.take("uni");
  return known && decoder.operands(2, 2) && decoder.source(0, 4, out.a) &&
         decoder.branchTargets(1, out.list, out.extra) &&
         decoder.set(&branchIndexed);
}
bool ret(Decoder &decoder) {
  decoder.take("uni");
  return decoder.operands(0, 0) && decoder.set(&leave);
}
bool trapOf(Decoder &decoder) {
  return decoder.operands(0, 0) && decoder.set(&trap);
}
bool sleep(Decoder &decoder) {
  return decoder.take("u32") && decoder.operands(1, 1) &&
         decoder.source(0, 4, decoder.out.a) && decoder.set(&pause);
}
/// Fences: memory is coherent here, and every access is in order. Around those
/// that are about other blocks, these run too.
bool fence(Decoder &decoder) {
  bool wide = false;
  for (std::string_view part :
       {"mbarrier_init", "proxy", "acq_rel", "sc", "acquire", "release",
        "alias", "async", "async::generic", "tensormap::generic", "global",
        "shared::cta", "shared::cluster", "sync_restrict::shared::cta",
        "sync_restrict::shared::cluster", "shared", "cta", "cluster"})
    decoder.take(part);
  for (std::string_view part : {"gpu", "sys", "gl"})
    wide |= decoder.take(part);
  while (!decoder.takePrefix("async.").empty())
    continue;
  return decoder.operands(0, 2) && decoder.set(wide ? &pause : &passOn);
}
/// An error of a preceding launch is not this kernel's: its text is kept as it
/// is.
Next waitForGrids(Warp &warp, const Instruction &i, uint32_t mask) {
  Launch &launch = launchOf(warp);
  Status status = awaitPredecessors(launch);
  if (status.isOk())
    return Next::Continue;
  launch.error = status;
  return Next::Fault;
}
bool gridDependency(Decoder &decoder) {
  int which = decoder.takeOneOf({"wait", "launch_dependents"});
  return which >= 0 && decoder.operands(0, 0) &&
         decoder.set(which == 0 ? &waitForGrids : &nothing);
}
bool registerLimit(Decoder &decoder) {
  int64_t count = 0;
  bool known = decoder.takeOneOf({"inc", "dec"}) >= 0 && decoder.take("sync") &&
               decoder.take("aligned") && decoder.take("u32") &&
               decoder.operands(1, 1) && decoder.integer(0, count);
  if (known && (count < 24 || count > 256 || count % 8))
    return decoder.fail("a register count is a multiple of 8 from 24 to 256");
  return known && decoder.set(&nothing);
}
bool hint(Decoder &decoder) {
  return decoder.operands(0, 1) && decoder.set(&nothing);
}
} // namespace

void addControlOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  table["bra"] = bra;
  table["brx"] = brx;
  table["ret"] = table["exit"] = ret;
  table["trap"] = trapOf;
  table["brkpt"] = table["pmevent"] = hint;
  table["nanosleep"] = sleep;
  table["fence"] = table["membar"] = fence;
  table["griddepcontrol"] = gridDependency;
  table["setmaxnreg"] = registerLimit;
}

} // namespace tripy::emulator
