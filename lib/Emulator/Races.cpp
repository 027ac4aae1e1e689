//===- Races.cpp - Accesses of shared memory that nothing orders *- C++ -*-===//
#include "Races.h"

#include "tripy/Base/Text.h"

#include <algorithm>

namespace tripy::emulator {

RaceChecker::RaceChecker(uint32_t blocks, uint32_t warpsPerBlock,
                         uint32_t sharedBytes)
    : warpsPerBlock(warpsPerBlock) {
  uint32_t warps = blocks * warpsPerBlock;
  warpClocks.assign(warps, Clock(warps, 0));
  for (uint32_t warp = 0; warp < warps; ++warp)
    warpClocks[warp][warp] = 1;
  shadows.assign(blocks, std::vector<Shadow>(sharedBytes));
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

const char *RaceChecker::conflict(const Shadow &shadow, const Clock &clock,
                                  uint32_t self, bool writes, uint32_t &other,
                                  uint32_t &line) const {
  if (shadow.writeClock && shadow.writer != self &&
      shadow.writeClock > clock[shadow.writer]) {
    other = shadow.writer;
    line = shadow.writeLine;
    return "written";
  }
  if (!writes)
    return nullptr;
  line = shadow.readLine;
  if (shadow.readClock && shadow.reader != self &&
      shadow.readClock > clock[shadow.reader]) {
    other = shadow.reader;
    return "read";
  }
  if (shadow.otherClock && shadow.other != self &&
      shadow.otherClock > clock[shadow.other]) {
    other = shadow.other;
    return "read";
  }
  return nullptr;
}

void RaceChecker::record(Shadow &shadow, const Clock &clock, uint32_t self,
                         bool writes, uint32_t line) {
  if (writes) {
    shadow = Shadow();
    shadow.writer = self;
    shadow.writeClock = clock[self];
    shadow.writeLine = line;
    return;
  }
  // The second reader is kept while the first is not ordered before.
  if (shadow.readClock && shadow.reader != self &&
      shadow.readClock > clock[shadow.reader]) {
    shadow.other = self;
    shadow.otherClock = clock[self];
    return;
  }
  shadow.reader = self;
  shadow.readClock = clock[self];
  shadow.readLine = line;
}

std::string RaceChecker::raceText(const char *earlier, uint32_t other,
                                  uint32_t line, uint32_t offset,
                                  bool writes) const {
  return concat("race: ", writes ? "writes" : "reads", " shared memory at ",
                hexadecimal(sharedStart + offset), ", which warp ",
                other % warpsPerBlock, " of block ", other / warpsPerBlock,
                " of the cluster has ", earlier, " at PTX line ", line,
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
  const Clock &clock = warpClocks[self];
  bool writes = how == Access::Write;
  Shadow *shadow = shadows[target.rank].data() + offset;
  for (uint32_t byte = 0; byte < bytes; ++byte) {
    uint32_t other = 0, line = 0;
    if (const char *earlier =
            conflict(shadow[byte], clock, self, writes, other, line)) {
      faultAt(warp, i, lane,
              raceText(earlier, other, line, offset + byte, writes));
      return false;
    }
    record(shadow[byte], clock, self, writes, i.line);
  }
  return true;
}

Status RaceChecker::unitAccess(Block &target, uint32_t offset, uint32_t bytes,
                               Access how) {
  if (!agent || how == Access::ReadWrite)
    return Status::ok();
  uint32_t self = indexOf(*agent);
  bool writes = how == Access::Write;
  Shadow *shadow = shadows[target.rank].data() + offset;
  for (uint32_t byte = 0; byte < bytes; ++byte) {
    uint32_t other = 0, line = 0;
    if (const char *earlier =
            conflict(shadow[byte], agentClock, self, writes, other, line))
      return Status(Code::LaunchFailed,
                    raceText(earlier, other, line, offset + byte, writes));
    record(shadow[byte], agentClock, self, writes, agentInstruction->line);
  }
  return Status::ok();
}

} // namespace tripy::emulator
