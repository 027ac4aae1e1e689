//===- Races.h - Accesses of shared memory that nothing orders --*- C++ -*-===//
//
// Vector clocks of warps. Each byte of shared memory remembers who wrote it
// last and up to two warps that read it since; an access that is not ordered
// after those by a barrier is a race. The bytes of a word share one memory
// until one of them is accessed alone. Lanes of one warp count as ordered, and
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

  /// Accesses of the units (through SharedSpace) are attributed to this warp
  /// and instruction; null: they are not checked.
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
    /// Index into `splits` + 1 of the shadows of the four bytes.
    uint16_t split = 0;
    uint32_t writeLine = 0, readLine = 0;
  };
  /// The shadows of neighbouring words, made with the first access: most of
  /// the shared memory of most kernels is never touched.
  static constexpr uint32_t pageWords = 256;
  using Page = std::array<Shadow, pageWords>;
  using Pages = std::vector<std::unique_ptr<Page>>;
  Shadow &shadowOf(uint32_t rank, uint32_t word);
  /// An access as the shadows see it.
  struct Event {
    const Clock &clock;
    uint32_t self = 0;
    bool writes = false;
    uint32_t line = 0;
  };
  struct Conflict {
    const char *earlier = nullptr; // "read", "written"; null: none
    uint32_t warp = 0, line = 0;
  };
  uint32_t indexOf(const Warp &warp) const {
    return warp.block->rank * warpsPerBlock + warp.index;
  }
  /// Checks and records; the bytes [offset, offset + bytes) of a block.
  Conflict touch(uint32_t rank, uint32_t offset, uint32_t bytes,
                 const Event &event);
  /// The same for bytes [first, last) of a word.
  Conflict touchBytes(Shadow &word, uint32_t first, uint32_t last,
                      const Event &event);
  static Conflict check(const Shadow &shadow, const Event &event);
  static void record(Shadow &shadow, const Event &event);
  std::string raceText(const Conflict &conflict, uint32_t offset,
                       bool writes) const;

  uint32_t warpsPerBlock = 0;
  std::vector<Clock> warpClocks;
  std::map<const void *, Clock> clocks;
  std::vector<Pages> shadows; // per block
  std::vector<std::array<Shadow, 4>> splits;
};

/// While this lives, accesses of the units are attributed to a warp.
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
