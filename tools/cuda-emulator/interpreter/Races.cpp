//===- Races.cpp - Accesses of shared memory that nothing orders *- C++ -*-===//
#include "Races.h"

#include "tripy/Base/Text.h"

#include <algorithm>

namespace tripy::emulator {

RaceChecker::RaceChecker(uint32_t blocks, uint32_t warpsPerBlock,
                         uint32_t sharedBytes) {
  this->warpsPerBlock = warpsPerBlock;
  uint32_t warps = blocks * warpsPerBlock;
  warpClocks.assign(warps, Clock(warps, 0));
  for (uint32_t warp = 0; warp < warps; ++warp)
    warpClocks[warp][warp] = 1;
  uint32_t words = (sharedBytes + 3) / 4;
  shadows.resize(blocks);
  for (Pages &pages : shadows)
    pages.resize((words + pageWords - 1) / pageWords);
}

RaceChecker::Shadow &RaceChecker::shadowOf(uint32_t rank, uint32_t word) {
  std::unique_ptr<Page> &page = shadows[rank][word / pageWords];
  if (!page)
    page = std::make_unique<Page>();
  return (*page)[word % pageWords];
}

void RaceChecker::acquire(Warp &warp, const Clock &from) {
  Clock &clock = warpClocks[indexOf(warp)];
  for (size_t index = 0; index < from.size(); ++index)
    clock[index] = std::max(clock[index], from[index]);
}

void RaceChecker::release(Warp &warp, Clock &into) {
  uint32_t self = indexOf(warp);
  Clock &clock = warpClocks[self];
  into.resize(clock.size());
  for (size_t index = 0; index < clock.size(); ++index)
    into[index] = std::max(into[index], clock[index]);
  ++clock[self];
}

RaceChecker::Conflict RaceChecker::check(const Shadow &shadow,
                                         const Event &event) {
  auto unordered = [&](uint32_t clock, uint32_t warp) {
    return clock && warp != event.self && clock > event.clock[warp];
  };
  if (unordered(shadow.writeClock, shadow.writer))
    return {"written", shadow.writer, shadow.writeLine};
  if (!event.writes)
    return {};
  if (unordered(shadow.readClock, shadow.reader))
    return {"read", shadow.reader, shadow.readLine};
  if (unordered(shadow.otherClock, shadow.other))
    return {"read", shadow.other, shadow.readLine};
  return {};
}

void RaceChecker::record(Shadow &shadow, const Event &event) {
  uint32_t now = event.clock[event.self];
  if (event.writes) {
    uint16_t split = shadow.split;
    shadow = Shadow();
    shadow.split = split;
    shadow.writer = event.self;
    shadow.writeClock = now;
    shadow.writeLine = event.line;
    return;
  }
  // The second reader is kept while the first is not ordered before.
  if (shadow.readClock && shadow.reader != event.self &&
      shadow.readClock > event.clock[shadow.reader]) {
    shadow.other = event.self;
    shadow.otherClock = now;
    return;
  }
  shadow.reader = event.self;
  shadow.readClock = now;
  shadow.readLine = event.line;
}

RaceChecker::Conflict RaceChecker::touchBytes(Shadow &word, uint32_t first,
                                              uint32_t last,
                                              const Event &event) {
  if (!word.split) {
    // Beyond this number, accesses of single bytes are not watched.
    if (splits.size() == UINT16_MAX)
      return {};
    splits.push_back({word, word, word, word});
    word.split = splits.size();
  }
  for (uint32_t byte = first; byte < last; ++byte) {
    Shadow &shadow = splits[word.split - 1][byte];
    if (Conflict conflict = check(shadow, event); conflict.earlier)
      return conflict;
    record(shadow, event);
  }
  return {};
}

RaceChecker::Conflict RaceChecker::touch(uint32_t rank, uint32_t offset,
                                         uint32_t bytes, const Event &event) {
  uint32_t end = offset + bytes;
  while (offset < end) {
    Shadow &word = shadowOf(rank, offset / 4);
    uint32_t first = offset % 4, last = std::min(4u, first + (end - offset));
    Conflict conflict;
    if (word.split || last - first < 4) {
      conflict = touchBytes(word, first, last, event);
    } else {
      conflict = check(word, event);
      record(word, event);
    }
    if (conflict.earlier)
      return conflict;
    offset += last - first;
  }
  return {};
}

std::string RaceChecker::raceText(const Conflict &conflict, uint32_t offset,
                                  bool writes) const {
  return concat("race: ", writes ? "writes" : "reads", " shared memory at ",
                hexadecimal(sharedStart + offset), ", which warp ",
                conflict.warp % warpsPerBlock, " of block ",
                conflict.warp / warpsPerBlock, " of the cluster has ",
                conflict.earlier, " at PTX line ", conflict.line,
                " without a barrier between");
}

bool RaceChecker::access(Warp &warp, const Instruction &i, uint32_t lane,
                         Block &target, uint32_t offset, uint32_t bytes,
                         Access how) {
  if (how == Access::ReadWrite) {
    // Atomics order what comes before and after them.
    acquireFrom(warp, this);
    releaseTo(warp, this);
    return true;
  }
  uint32_t self = indexOf(warp);
  bool writes = how == Access::Write;
  Conflict conflict = touch(target.rank, offset, bytes,
                            {warpClocks[self], self, writes, i.line});
  if (!conflict.earlier)
    return true;
  faultAt(warp, i, lane, raceText(conflict, offset, writes));
  return false;
}

Status RaceChecker::unitAccess(Block &target, uint32_t offset, uint32_t bytes,
                               Access how) {
  if (!agent || how == Access::ReadWrite)
    return Status::ok();
  bool writes = how == Access::Write;
  Conflict conflict =
      touch(target.rank, offset, bytes,
            {agentClock, indexOf(*agent), writes, agentInstruction->line});
  return conflict.earlier
             ? Status(Code::LaunchFailed, raceText(conflict, offset, writes))
             : Status::ok();
}

} // namespace tripy::emulator
