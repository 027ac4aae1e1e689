//===- Machine.cpp - The GPU that the emulator stands for -----------------===//

#include "Machine.h"

#include "tripy/Base/Text.h"

#include <charconv>
#include <cstdlib>
#include <string>

using namespace tripy;
using namespace tripy::emulatordriver;

/// A100, A40, L40S, H100, B200, B300 and RTX PRO 6000 Blackwell, by NVIDIA's
/// tables of compute capabilities.
static constexpr Architecture architectures[] = {
    {80, 108, 166912, 167936, 2048, 32, 40 << 20, 1410000, 1215000, 5120, 0},
    {86, 84, 101376, 102400, 1536, 16, 6 << 20, 1740000, 7251000, 384, 0},
    {89, 142, 101376, 102400, 1536, 24, 96 << 20, 2520000, 9001000, 384, 0},
    {90, 132, 232448, 233472, 2048, 32, 50 << 20, 1980000, 2619000, 5120, 16},
    {100, 148, 232448, 233472, 2048, 32, 126 << 20, 1965000, 3996000, 8192, 16},
    {103, 148, 232448, 233472, 2048, 32, 126 << 20, 1920000, 3996000, 8192, 16},
    {120, 188, 101376, 102400, 1536, 24, 128 << 20, 2617000, 14001000, 512, 8},
};

/// Reads all of `text` as a number; false when it is none.
template <typename Number>
static bool readNumber(std::string_view text, Number &number) {
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

static Result<const Architecture *> findArchitecture(std::string_view text) {
  std::string known;
  int number = 0;
  bool isNumber = readNumber(text, number);
  for (const Architecture &architecture : architectures) {
    if (isNumber && architecture.number == number)
      return &architecture;
    known += concat(known.empty() ? "" : ", ", architecture.number);
  }
  return Status(Code::InvalidArgument,
                concat("TRIPY_EMULATOR_ARCH must be one of ", known,
                       ", but is '", printable(text), "'"));
}

/// One word of TRIPY_EMULATOR_OPTIONS; false when it is unknown.
static bool readOption(std::string_view word, Machine &machine) {
  if (word == "no-races")
    machine.launch.checkRaces = false;
  else if (word == "no-uninitialized")
    machine.launch.checkUninitialized = false;
  else if (word == "early-async")
    machine.launch.lateAsync = false;
  else if (word == "interleave")
    machine.launch.interleave = true;
  else if (word == "no-overlap")
    machine.overlap = false;
  else if (word == "statistics")
    machine.statistics = true;
  else if (word.starts_with("budget="))
    return readNumber(word.substr(7), machine.launch.instructionBudget);
  else
    return word.empty();
  return true;
}

Result<Machine> Machine::fromEnvironment() {
  Machine machine;
  const char *arch = std::getenv("TRIPY_EMULATOR_ARCH");
  Result<const Architecture *> found = findArchitecture(arch ? arch : "90");
  if (!found)
    return found.status();
  machine.architecture = *found;
  machine.launch.sharedLimit =
      static_cast<uint32_t>(machine.architecture->sharedPerBlock);
  const char *options = std::getenv("TRIPY_EMULATOR_OPTIONS");
  std::string_view rest = options ? options : "";
  while (!rest.empty()) {
    size_t comma = rest.find(',');
    std::string_view word = rest.substr(0, comma);
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    if (!readOption(word, machine))
      return Status(Code::InvalidArgument,
                    concat("TRIPY_EMULATOR_OPTIONS: unknown word '",
                           printable(word), "'"));
  }
  return machine;
}

std::optional<int> Machine::attribute(int id) const {
  struct Row {
    /// CUdevice_attribute.
    int id;
    int value;
  };
  const Architecture &a = *architecture;
  const Row rows[] = {
      {1, maxThreadsPerBlock},          // MAX_THREADS_PER_BLOCK
      {2, maxBlockXY},                  // MAX_BLOCK_DIM_X
      {3, maxBlockXY},                  // MAX_BLOCK_DIM_Y
      {4, maxBlockZ},                   // MAX_BLOCK_DIM_Z
      {5, maxGridX},                    // MAX_GRID_DIM_X
      {6, maxGridYZ},                   // MAX_GRID_DIM_Y
      {7, maxGridYZ},                   // MAX_GRID_DIM_Z
      {8, defaultSharedPerBlock},       // MAX_SHARED_MEMORY_PER_BLOCK
      {9, 64 << 10},                    // TOTAL_CONSTANT_MEMORY
      {10, 32},                         // WARP_SIZE
      {12, 64 << 10},                   // MAX_REGISTERS_PER_BLOCK
      {13, a.clockKHz},                 // CLOCK_RATE
      {16, a.multiprocessors},          // MULTIPROCESSOR_COUNT
      {36, a.memoryClockKHz},           // MEMORY_CLOCK_RATE
      {37, a.memoryBits},               // GLOBAL_MEMORY_BUS_WIDTH
      {38, a.l2Bytes},                  // L2_CACHE_SIZE
      {39, a.threadsPerMultiprocessor}, // MAX_THREADS_PER_MULTIPROCESSOR
      {41, 1},                          // UNIFIED_ADDRESSING
      {75, a.number / 10},              // COMPUTE_CAPABILITY_MAJOR
      {76, a.number % 10},              // COMPUTE_CAPABILITY_MINOR
      {81, a.sharedPerMultiprocessor},  // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
      {82, 64 << 10},                   // MAX_REGISTERS_PER_MULTIPROCESSOR
      {97, a.sharedPerBlock},           // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
      {106, a.blocksPerMultiprocessor}, // MAX_BLOCKS_PER_MULTIPROCESSOR
      {111, 1024},                      // RESERVED_SHARED_MEMORY_PER_BLOCK
      {120, a.largestCluster > 0},      // CLUSTER_LAUNCH
      {127, a.largestCluster > 0},      // TENSOR_MAP_ACCESS_SUPPORTED
  };
  for (const Row &row : rows)
    if (row.id == id)
      return row.value;
  return std::nullopt;
}

bool Machine::runs(std::string_view target) const {
  if (!target.starts_with("sm_"))
    return false;
  target.remove_prefix(3);
  int number = 0;
  char suffix = target.empty() ? 0 : target.back();
  if (suffix == 'a' || suffix == 'f')
    target.remove_suffix(1);
  else
    suffix = 0;
  if (!readNumber(target, number) || number > architecture->number)
    return false;
  // 'a': this GPU alone; 'f': the family; none: all later ones.
  if (suffix == 'a')
    return number == architecture->number;
  return suffix != 'f' || number / 10 == architecture->number / 10;
}
