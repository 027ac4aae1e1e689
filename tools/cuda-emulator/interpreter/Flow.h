//===- Flow.h - Which lanes run where ---------------------------*- C++ -*-===//
#ifndef TRIPY_LIB_EMULATOR_FLOW_H
#define TRIPY_LIB_EMULATOR_FLOW_H

#include "Machine.h"

namespace tripy::emulator {

/// Makes the lanes with the smallest pc active; none when all are blocked.
void selectLanes(Warp &warp);
/// Sets the pc at which lanes that stop being active go on.
void leaveAt(Warp &warp, uint32_t lanes, uint32_t pc);

/// Brings the lanes of `members` together at the instruction that is being
/// executed: adds those that wait here to `mask` and makes them active. False
/// when some are missing: return block().
bool gather(Warp &warp, uint32_t members, uint32_t &mask);
/// The lanes of the mask wait at this instruction; `reason` is for reports.
inline Next block(Warp &warp, uint32_t mask, const char *reason) {
  warp.parked = mask;
  warp.reason = reason;
  return Next::Block;
}

/// For instructions of the whole warp: waits until all lanes are here.
inline bool gatherAll(Warp &warp, uint32_t &mask) {
  return gather(warp, warp.alive(), mask);
}

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_FLOW_H
