//===- Machine.h - State of a running kernel --------------------*- C++ -*-===//
//
// A launch runs clusters, a cluster runs its blocks together, a block has
// warps, and a warp executes decoded instructions for 32 lanes at a time.
//
// Registers of a warp: for each register 32 consecutive values, one per lane;
// a predicate is one mask of 32 bits. Constants and fixed special registers
// lie broadcast behind the declared registers, so that every source operand
// is an offset.
//
// Divergence: lanes that execute together are `active` at `pc`; every other
// lane has its own lanePc. The lanes with the smallest pc run first, so that
// lanes meet again where control flow joins. `blocked` lanes wait at their pc
// for other lanes or for an event and are tried again later.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_MACHINE_H
#define TRIPY_LIB_EMULATOR_MACHINE_H

#include "Ptx.h"
#include "Units/AsyncCopy.h"
#include "Units/MemorySpace.h"
#include "Units/Mma.h"
#include "Units/Wgmma.h"

#include <bit>
#include <cstring>
#include <deque>
#include <random>

namespace tripy::emulator {

/// How a warp goes on after an instruction.
enum class Next : uint8_t {
  Continue, // to pc + 1
  Flow,     // the handler has set pc and active
  Block,    // the lanes in warp.parked wait at this pc, others go on
  Passed,   // pc + 1, but not before the barrier in warp.wait is through
  Yield,    // pc + 1, and let the other warps run first, or other clusters
  NextWarp, // pc + 1, and let the other warps of the cluster run first
  Fault,    // launch.error is set
};

struct Warp;
struct Instruction;
using Handler = Next (*)(Warp &, const Instruction &, uint32_t mask);

struct Instruction {
  Handler run = nullptr;
  uint32_t dst = 0, a = 0, b = 0, c = 0, d = 0; // offsets of registers
  int32_t guard = -1;                           // offset, -1: none
  bool guardNegated = false;
  bool wideAddress = true; // the address register has 64 bits
  Space space = Space::Generic;
  bool cluster = false;  // .shared::cluster
  uint8_t bytes = 0;     // of one element in memory
  uint8_t count = 1;     // elements of a vector
  uint8_t flags = 0;     // the handler's own
  int64_t immediate = 0; // offset of an address, target of a branch, ...
  uint32_t list = 0;     // first of its registers in Body::lists
  uint32_t extra = 0;    // index into a table of Body
  uint32_t line = 0;
};

struct WgmmaForm {
  WgmmaShape shape;
  bool registersA = false;
  uint32_t accumulators = 0; // index into lists
  uint32_t sourceA = 0;      // offset of the descriptor, or index into lists
};

/// mma.sync: the registers of D, A, B, C one after the other in lists.
struct MmaForm {
  MmaShape shape;
  uint32_t d = 0, a = 0, b = 0, c = 0;
};

/// `[register + offset]`
struct AddressForm {
  uint32_t reg = 0;
  bool wide = true;
  int64_t offset = 0;
};

/// The operands of an asynchronous copy, as far as it has them.
struct CopyForm {
  AddressForm to, from, mbarrier;
  bool toCluster = false;            // .shared::cluster destination
  std::vector<uint32_t> coordinates; // registers
  bool multicast = false, sized = false, bypassL1 = false;
  uint32_t mask = 0, bytes = 0, sourceBytes = 0; // registers
};

/// A decoded kernel.
struct Body {
  std::vector<Instruction> code;
  std::vector<std::string> opcodes; // as written, for messages
  std::vector<uint32_t> lists;
  std::vector<WgmmaForm> wgmmas;
  std::vector<MmaForm> mmas;
  std::vector<CopyForm> copies;
  std::vector<Constant> constants;
  struct FixedRegister {
    Special special;
    uint32_t offset;
    uint8_t bytes;
  };
  std::vector<FixedRegister> specials;
  uint32_t registerBytes = 0, localBytes = 0, dynamicAlignment = 1;
  uint32_t scratch = 0; // a register that nobody reads
  /// Shared address at which dynamic shared memory begins.
  uint32_t dynamicBase = 0;
};

/// The first address of shared memory: 0 is no address.
constexpr uint32_t sharedStart = 1024;
/// Bits of a shared::cluster address above the offset: rank + 1, or 0 for the
/// executing block itself.
constexpr uint32_t rankShift = 24;
/// Generic addresses of shared and local memory. Host addresses are lower.
constexpr uint64_t sharedWindow = uint64_t(1) << 56;
constexpr uint64_t localWindow = uint64_t(2) << 56;
constexpr uint32_t allLanes = ~0u;
constexpr uint32_t noPc = ~0u;

struct Block;
struct Cluster;
struct Launch;

/// What a warp waits for, for the scheduler and for reports.
enum class WaitKind : uint8_t { None, Retry, Barrier, Warpgroup };

struct Warp {
  Block *block = nullptr;
  uint32_t index = 0;
  uint8_t *registers = nullptr;
  std::vector<uint8_t> local;

  uint32_t pc = 0, active = 0;
  /// The smallest pc of lanes that could run but are not active.
  uint32_t nextPending = noPc;
  uint32_t exited = 0, blocked = 0, parked = 0;
  std::array<uint32_t, 32> lanePc = {};
  uint32_t carry = 0; // CC.CF of the lanes
  bool done = false;

  WaitKind wait = WaitKind::None;
  uint32_t waitBarrier = 0;
  uint64_t waitGeneration = 0;
  /// Why the warp last waited.
  const char *reason = "";
  /// Phase of the cluster barrier at which the warp arrived; -1: did not.
  int64_t clusterArrival = -1;

  std::array<std::unique_ptr<AsyncGroups>, 32> copies, bulks;

  template <typename T> T *reg(uint32_t offset) {
    return reinterpret_cast<T *>(registers + offset);
  }
  uint32_t &predicate(uint32_t offset) { return *reg<uint32_t>(offset); }
  uint32_t alive() const { return initial & ~exited; }
  /// The lanes that exist.
  uint32_t initial = 0;
};

/// bar.sync and bar.arrive; counts in warps.
struct NamedBarrier {
  /// Without a count, all warps of the block that have not exited.
  bool whole = false;
  uint32_t arrived = 0, expected = 0;
  uint64_t generation = 0;
  /// Warps that arrived in this generation.
  uint32_t members = 0;
};

class RaceChecker;

/// Shared memory of a block as the units see it.
class SharedSpace final : public MemorySpace {
public:
  explicit SharedSpace(Block &block) : block(block) {}
  Status access(uint64_t address, uint64_t bytes, Access how,
                uint8_t *&place) override;
  uint8_t *writtenFlags(uint64_t address) override;

private:
  Block &block;
};

class GlobalSpace final : public MemorySpace {
public:
  explicit GlobalSpace(Memory &memory) : memory(memory) {}
  Status access(uint64_t address, uint64_t bytes, Access how,
                uint8_t *&place) override;

private:
  Memory &memory;
};

/// wgmma instructions of a warpgroup that were issued and are not complete.
struct WgmmaQueue {
  struct Operation {
    const Instruction *instruction = nullptr;
    uint64_t descriptorA = 0, descriptorB = 0;
    bool scaleD = true;
    std::vector<uint32_t> registersA;
    uint32_t issued = 0; // warps, as a mask
  };
  struct Accumulator {
    std::vector<uint32_t> values;
    uint32_t pending = 0;  // operations
    uint32_t captured = 0; // warps whose registers are in values
  };
  std::deque<Operation> operations;
  std::map<uint32_t, Accumulator> accumulators; // by first register
  std::array<uint64_t, 4> issued = {};          // operations per warp
  std::array<std::deque<uint64_t>, 4> groups;   // `issued` at each commit
  uint64_t retired = 0;
  // The warps that have come to the same wait.
  uint32_t waiting = 0;
  uint64_t generation = 0, waitTarget = 0;
};

struct Block {
  Cluster *cluster = nullptr;
  uint32_t rank = 0;
  std::array<uint32_t, 3> id = {};
  std::vector<uint8_t> shared, written;
  std::vector<uint8_t> registers;
  std::vector<Warp> warps;
  std::array<NamedBarrier, 16> barriers;
  std::vector<WgmmaQueue> warpgroups;
  std::unique_ptr<SharedSpace> space;
  uint32_t liveWarps = 0;
};

/// A copy that runs on its own: complete as late as possible.
struct PendingCopy {
  std::function<Status()> run;
  uint32_t line = 0;
};

struct Cluster {
  Launch *launch = nullptr;
  std::array<uint32_t, 3> id = {};
  std::vector<std::unique_ptr<Block>> blocks;
  int64_t phase = 0;
  std::vector<PendingCopy> pending;
  std::unique_ptr<RaceChecker> races; // null when not asked for
  Cluster();
  ~Cluster();
};

struct Launch {
  const Function &function;
  const Body &body;
  const LaunchShape &shape;
  const LaunchOptions &options;
  Memory &memory;
  std::vector<uint8_t> parameters; // 64-byte aligned part of it is used
  uint8_t *parameterBase = nullptr;
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  bool explicitCluster = false;
  /// LaunchOptions::predecessors was called.
  bool predecessorsDone = false;
  uint32_t threads = 0, warps = 0;
  Status error;
  LaunchStatistics statistics;
  std::minstd_rand random{1};
  /// The latest allocation that was accessed.
  uint64_t cachedStart = 0, cachedEnd = 0;
  GlobalSpace global{memory};
  /// Memory of blocks that are done, for those that come.
  std::vector<std::vector<uint8_t>> spare;
  /// Executes when no warp can go on.
  uint64_t clock() const { return statistics.warpInstructions; }
};

inline Launch &launchOf(Warp &warp) { return *warp.block->cluster->launch; }

/// Records the first error, with kernel, line, block and thread; lane 32: the
/// warp as a whole.
Next faultAt(Warp &warp, const Instruction &instruction, uint32_t lane,
             std::string_view text, Code code = Code::LaunchFailed);
inline Next faultAt(Warp &warp, const Instruction &instruction, uint32_t lane,
                    const Status &status) {
  return faultAt(warp, instruction, lane, status.message(), status.code());
}

/// The address operand of a lane: register + offset.
inline uint64_t addressOf(Warp &warp, const Instruction &i, uint32_t lane) {
  uint64_t base = i.wideAddress ? warp.reg<uint64_t>(i.a)[lane]
                                : warp.reg<uint32_t>(i.a)[lane];
  return base + i.immediate;
}

inline uint64_t addressOf(Warp &warp, const AddressForm &form, uint32_t lane) {
  uint64_t base = form.wide ? warp.reg<uint64_t>(form.reg)[lane]
                            : warp.reg<uint32_t>(form.reg)[lane];
  return base + form.offset;
}

/// Host addresses of what the lanes of `mask` access: `bytes` each, aligned to
/// their size, of which the last `unused` are not touched. False when the
/// launch has failed.
bool resolveLanes(Warp &warp, const Instruction &instruction, uint32_t mask,
                  uint32_t bytes, Access how, std::array<uint8_t *, 32> &places,
                  uint32_t unused = 0);

/// The block that a shared address means, and the offset in it; null when
/// there is none. `address` may be generic.
Block *sharedTarget(Block &block, uint64_t address, uint32_t &offset);

/// Completes the launches before this one, once.
Status awaitPredecessors(Launch &launch);
/// Runs all clusters.
Status runGrid(Launch &launch);
/// Runs one warp until it waits or its turn is over; true when it did
/// something.
bool runWarp(Warp &warp, uint32_t turn);

/// Calls f(lane) for each lane of the mask.
template <typename F> inline void eachLane(uint32_t mask, F f) {
  for (; mask; mask &= mask - 1)
    f(std::countr_zero(mask));
}

// Barriers (Barrier.cpp).
/// A warp that is done counts as arrived where all warps are waited for.
void warpExited(Warp &warp);
/// Describes what the warp waits for.
std::string waitText(Warp &warp);

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_MACHINE_H
