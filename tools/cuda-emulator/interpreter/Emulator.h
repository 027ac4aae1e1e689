//===- Emulator.h - Runs the compiler's PTX without a GPU -------*- C++ -*-===//
//
// An interpreter of the PTX that the CUDA target emits. It executes kernels on
// the host, warp by warp, and reports what a GPU would not: accesses
// out of bounds, races on shared memory, missing waits, deadlocks.
//
//   Memory memory;
//   Result<std::unique_ptr<Module>> module = Module::parse(ptx, memory);
//   const Function *kernel = (*module)->find("add");
//   Status status = launch(*kernel, shape, parameters, memory, {});
//
// Nothing here is thread-safe: one thread uses a Memory, its modules and
// launches at a time. Base only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_EMULATOR_EMULATOR_H
#define TRIPY_EMULATOR_EMULATOR_H

#include "tripy/Base/Status.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tripy::emulator {

/// "0x7f00"; for messages.
std::string hexadecimal(uint64_t value);

/// One range of device memory, live or freed.
struct Allocation {
  uint64_t address = 0, bytes = 0;
  /// What it is for messages: "allocation", "variable 'weights'", ...
  std::string what;
};

/// Device memory. Addresses are host addresses, so that the host may read and
/// write live allocations directly; every access of a kernel is checked
/// against the live allocations.
class Memory {
public:
  Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory();

  /// New memory, 512-byte aligned and filled with the poison byte 0xFD
  /// (neither zero nor a small number in any type). 0 bytes are
  /// InvalidArgument; more than the limit is DeviceOutOfMemory.
  Result<uint64_t> allocate(uint64_t bytes,
                            std::string_view what = "allocation");
  /// Makes memory that the caller owns (pinned host memory) reachable.
  Status adopt(void *address, uint64_t bytes, std::string_view what);
  /// Frees an allocation, or forgets an adopted range. NotFound when `address`
  /// is not the start of a live one.
  Status free(uint64_t address);

  /// True when all of [address, address + bytes) lies in one live allocation.
  bool contains(uint64_t address, uint64_t bytes) const {
    return find(address, bytes) != nullptr;
  }
  /// The live allocation that holds the whole range, or null.
  const Allocation *find(uint64_t address, uint64_t bytes) const;
  /// Where `address` is, for messages: "16 bytes after the end of the
  /// allocation of 64 bytes at 0x...", "in freed memory: ...".
  std::string describe(uint64_t address) const;

  uint64_t liveBytes() const { return live; }
  /// Bytes that may be live at once; no limit by default.
  void setLimit(uint64_t bytes) { limit = bytes; }

private:
  struct Entry {
    Allocation range;
    bool owned = true;
  };
  std::map<uint64_t, Entry> entries;
  /// The latest freed ranges, for messages about use after free.
  std::vector<Allocation> freed;
  uint64_t live = 0, limit = ~uint64_t(0);
  mutable const Allocation *latest = nullptr;
};

/// One kernel parameter in .param space.
struct Parameter {
  std::string name;
  uint32_t offset = 0, bytes = 0, alignment = 1;
};

/// The decoded body of a kernel; known to the interpreter only.
struct Body;

/// A kernel (.entry) of a module.
struct Function {
  std::string name;
  std::vector<Parameter> parameters;
  /// Size of .param space.
  uint32_t parameterBytes = 0;
  /// Shared memory declared with a size; dynamic shared memory follows it.
  uint32_t staticSharedBytes = 0;
  /// Registers of a thread as declared in PTX: not what ptxas allocates.
  uint32_t registers = 0;
  /// .maxntid multiplied out, 1024 without it.
  uint32_t maxThreads = 1024;
  /// .reqntid; all 0 without it.
  std::array<uint32_t, 3> requiredBlock = {0, 0, 0};
  /// .reqnctapercluster; all 0 without it.
  std::array<uint32_t, 3> requiredCluster = {0, 0, 0};
  /// .explicitcluster: must be launched with a cluster.
  bool explicitCluster = false;
  std::shared_ptr<const Body> body;
};

/// A .global or .const variable of a module.
struct Variable {
  std::string name;
  uint64_t address = 0, bytes = 0;
};

/// A parsed PTX module. Its variables live in the Memory it was parsed into,
/// which must outlive it.
class Module {
public:
  /// Malformed for what is not PTX, Unsupported for an instruction or a form
  /// that the emulator does not know; both name the line.
  static Result<std::unique_ptr<Module>> parse(std::string_view ptx,
                                               Memory &memory);
  ~Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  /// Null when there is none. The pointers live as long as the module.
  const Function *find(std::string_view name) const;
  const Variable *findVariable(std::string_view name) const;
  const std::vector<Function> &functions() const { return kernels; }
  /// As in ".target sm_90a": "sm_90a".
  const std::string &target() const { return targetName; }

private:
  friend class Parser;
  explicit Module(Memory &memory) : memory(memory) {}
  Memory &memory;
  std::vector<Function> kernels;
  std::vector<Variable> variables;
  std::string targetName;
};

struct LaunchShape {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  /// Blocks of a cluster; all 0: what the kernel requires, else 1 x 1 x 1
  /// without an explicit cluster.
  std::array<uint32_t, 3> cluster = {0, 0, 0};
  /// Dynamic shared memory.
  uint32_t sharedBytes = 0;
};

struct LaunchOptions {
  /// Two threads touch the same byte of shared memory, one writes, and no
  /// barrier orders them: LaunchFailed.
  bool checkRaces = true;
  /// Reading bytes of shared memory that nobody wrote: LaunchFailed.
  bool checkUninitialized = true;
  /// Asynchronous copies and matrix results arrive as late as the program
  /// allows (true), or at once.
  bool lateAsync = true;
  /// Clusters take turns in random order, a few thousand instructions each,
  /// instead of one after the other.
  bool interleave = false;
  /// Warp instructions that one launch may execute: beyond it the launch is
  /// stopped with LimitExceeded (an endless loop).
  uint64_t instructionBudget = uint64_t(4) << 30;
  /// Shared memory of one block, in bytes (static and dynamic together).
  uint32_t sharedLimit = 232448;
  /// Completes the preceding launches, which this one may overlap with: called
  /// once, when a thread first executes griddepcontrol.wait, or after the
  /// kernel when none does. Its failure ends the launch.
  std::function<Status()> predecessors = nullptr;
};

/// What a launch did.
struct LaunchStatistics {
  uint64_t warpInstructions = 0, laneInstructions = 0;
};

/// Runs a kernel to its end. `parameters` is .param space. The statuses:
/// InvalidArgument (a shape or parameters the kernel cannot be launched with),
/// LaunchFailed (what the kernel did wrong: the message names kernel, PTX
/// line, block, thread, address), LimitExceeded.
Status launch(const Function &function, const LaunchShape &shape,
              std::span<const uint8_t> parameters, Memory &memory,
              const LaunchOptions &options = {},
              LaunchStatistics *statistics = nullptr);

} // namespace tripy::emulator

#endif // TRIPY_EMULATOR_EMULATOR_H
