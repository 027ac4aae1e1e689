//===- Races.h - Accesses of shared memory that nothing orders --*- C++ -*-===//
//
// Vector clocks of warps. Each byte of shared memory remembers who wrote it
// last and up to two warps that read it since; an access that is not ordered
// after those by a barrier is a race. Lanes of one warp count as ordered, and
// so does everything before and after atomics on shared memory: the checker
// never reports an ordered access, but does not see every race.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_RACES_H
#define TRIPY_LIB_EMULATOR_RACES_H

#include "Machine.h"

namespace tripy::emulator {

class RaceChecker {
public:
  using Clock = std::vector<uint32_t>; // per warp of the cluster

  RaceChecker(uint32_t blocks, uint32_t warpsPerBlock, uint32_t sharedBytes);

  /// Checks and records an access of a lane; false when a race is reported.
  bool access(Warp &warp, const Instruction &i, uint32_t lane, Block &target,
              uint32_t offset, uint32_t bytes, Access how);

  /// What the warp did so far becomes part of `into`.
  void release(Warp &warp, Clock &into);
  /// What is in `from` happened before what the warp does next.
  void acquire(Warp &warp, const Clock &from);

  /// The clocks of barriers and mbarriers, by any address that stands for
  /// them.
  Clock &clockOf(const void *object) { return clocks[object]; }
  void releaseTo(Warp &warp, const void *object) {
    release(warp, clocks[object]);
  }
  void acquireFrom(Warp &warp, const void *object) {
    acquire(warp, clocks[object]);
  }

  /// Accesses of the units (through SharedSpace) are made in the name of this
  /// warp and instruction; null: they are not checked.
  Warp *agent = nullptr;
  const Instruction *agentInstruction = nullptr;
  /// The agent's clock when it issued the copy.
  Clock agentClock;
  Status unitAccess(Block &target, uint32_t offset, uint32_t bytes, Access how);
  Clock current(Warp &warp) { return warpClocks[indexOf(warp)]; }

private:
  struct Shadow {
    uint32_t writeClock = 0, readClock = 0, otherClock = 0;
    uint16_t writer = 0, reader = 0, other = 0;
    uint32_t writeLine = 0, readLine = 0;
  };
  uint32_t indexOf(const Warp &warp) const {
    return warp.block->rank * warpsPerBlock + warp.index;
  }
  /// The earlier access that `clock` is not ordered after; null when none.
  const char *conflict(const Shadow &shadow, const Clock &clock, uint32_t self,
                       bool writes, uint32_t &other, uint32_t &line) const;
  void record(Shadow &shadow, const Clock &clock, uint32_t self, bool writes,
              uint32_t line);
  std::string raceText(const char *earlier, uint32_t other, uint32_t line,
                       uint32_t offset, bool writes) const;

  uint32_t warpsPerBlock;
  std::vector<Clock> warpClocks;
  std::map<const void *, Clock> clocks;
  std::vector<std::vector<Shadow>> shadows; // per block and byte
};

/// Accesses of the units are made in the name of a warp while this lives.
class AgentScope {
public:
  AgentScope(Warp &warp, const Instruction &instruction)
      : AgentScope(warp, instruction, {}) {
    if (races)
      races->agentClock = races->current(warp);
  }
  AgentScope(Warp &warp, const Instruction &instruction,
             RaceChecker::Clock clock)
      : races(warp.block->cluster->races.get()) {
    if (!races)
      return;
    races->agent = &warp;
    races->agentInstruction = &instruction;
    races->agentClock = std::move(clock);
  }
  ~AgentScope() {
    if (races)
      races->agent = nullptr;
  }
  AgentScope(const AgentScope &) = delete;
  AgentScope &operator=(const AgentScope &) = delete;

private:
  RaceChecker *races;
};

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_RACES_H
