//===- CpuFeatures.cpp - Features of this machine's processor -------------===//

#include "CpuFeatures.h"
#include "tripy/Base/Text.h"

#include <array>
#include <cstdint>
#include <fstream>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace tripy;
using namespace tripy::runtime;

namespace {

enum Register : uint8_t { EAX, EBX, ECX, EDX };

/// What the operating system must save for the feature's registers.
enum State : uint8_t { None, Ymm, Zmm, Tile };

/// Where the processor says that it has a feature.
struct FeatureBit {
  std::string_view name;
  uint32_t leaf, subleaf;
  Register reg;
  uint8_t bit;
  State state = None;
};

constexpr FeatureBit featureBits[] = {
    {"cmov", 1, 0, EDX, 15},
    {"cx8", 1, 0, EDX, 8},
    {"mmx", 1, 0, EDX, 23},
    {"fxsr", 1, 0, EDX, 24},
    {"sse", 1, 0, EDX, 25},
    {"sse2", 1, 0, EDX, 26},
    {"sse3", 1, 0, ECX, 0},
    {"pclmul", 1, 0, ECX, 1},
    {"ssse3", 1, 0, ECX, 9},
    {"fma", 1, 0, ECX, 12, Ymm},
    {"cx16", 1, 0, ECX, 13},
    {"sse4.1", 1, 0, ECX, 19},
    {"sse4.2", 1, 0, ECX, 20},
    {"crc32", 1, 0, ECX, 20},
    {"movbe", 1, 0, ECX, 22},
    {"popcnt", 1, 0, ECX, 23},
    {"aes", 1, 0, ECX, 25},
    {"xsave", 1, 0, ECX, 26},
    {"avx", 1, 0, ECX, 28, Ymm},
    {"f16c", 1, 0, ECX, 29, Ymm},
    {"rdrnd", 1, 0, ECX, 30},
    {"fsgsbase", 7, 0, EBX, 0},
    {"bmi", 7, 0, EBX, 3},
    {"avx2", 7, 0, EBX, 5, Ymm},
    {"bmi2", 7, 0, EBX, 8},
    {"avx512f", 7, 0, EBX, 16, Zmm},
    {"avx512dq", 7, 0, EBX, 17, Zmm},
    {"rdseed", 7, 0, EBX, 18},
    {"adx", 7, 0, EBX, 19},
    {"avx512ifma", 7, 0, EBX, 21, Zmm},
    {"clflushopt", 7, 0, EBX, 23},
    {"clwb", 7, 0, EBX, 24},
    {"avx512cd", 7, 0, EBX, 28, Zmm},
    {"sha", 7, 0, EBX, 29},
    {"avx512bw", 7, 0, EBX, 30, Zmm},
    {"avx512vl", 7, 0, EBX, 31, Zmm},
    {"avx512vbmi", 7, 0, ECX, 1, Zmm},
    {"avx512vbmi2", 7, 0, ECX, 6, Zmm},
    {"gfni", 7, 0, ECX, 8},
    {"vaes", 7, 0, ECX, 9, Ymm},
    {"vpclmulqdq", 7, 0, ECX, 10, Ymm},
    {"avx512vnni", 7, 0, ECX, 11, Zmm},
    {"avx512bitalg", 7, 0, ECX, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, ECX, 14, Zmm},
    {"avx512vp2intersect", 7, 0, EDX, 8, Zmm},
    {"amx-bf16", 7, 0, EDX, 22, Tile},
    {"avx512fp16", 7, 0, EDX, 23, Zmm},
    {"amx-tile", 7, 0, EDX, 24, Tile},
    {"amx-int8", 7, 0, EDX, 25, Tile},
    {"avxvnni", 7, 1, EAX, 4, Ymm},
    {"avx512bf16", 7, 1, EAX, 5, Zmm},
    {"avxifma", 7, 1, EAX, 23, Ymm},
    {"avxvnniint8", 7, 1, EDX, 4, Ymm},
    {"avxneconvert", 7, 1, EDX, 5, Ymm},
    {"sahf", 0x80000001, 0, ECX, 0},
    {"lzcnt", 0x80000001, 0, ECX, 5},
    {"sse4a", 0x80000001, 0, ECX, 6},
    {"prfchw", 0x80000001, 0, ECX, 8},
    {"64bit", 0x80000001, 0, EDX, 29},
};

#if defined(__x86_64__)
/// What cpuid says of a leaf; zeros of one that the processor does not have.
std::array<uint32_t, 4> readLeaf(uint32_t leaf, uint32_t subleaf) {
  std::array<uint32_t, 4> regs = {};
  if (!__get_cpuid_count(leaf, subleaf, &regs[EAX], &regs[EBX], &regs[ECX],
                         &regs[EDX]))
    return {};
  return regs;
}

/// Whether the operating system saves the registers of `state`. XCR0 tells;
/// reading it needs OSXSAVE.
bool isSaved(State state) {
  if (state == None)
    return true;
  if (!(readLeaf(1, 0)[ECX] >> 27 & 1))
    return false;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  uint32_t wanted = state == Ymm ? 0x6 : state == Zmm ? 0xe6 : 0x60000;
  return (low & wanted) == wanted;
}
#endif

bool hasFeature(std::string_view name) {
#if defined(__x86_64__)
  for (const FeatureBit &feature : featureBits)
    if (feature.name == name)
      return (readLeaf(feature.leaf, feature.subleaf)[feature.reg] >>
                  feature.bit &
              1) &&
             isSaved(feature.state);
#endif
  return false;
}

} // namespace

Status runtime::checkCpuFeatures(std::string_view features) {
#if !defined(__x86_64__)
  return Status(Code::ArchMismatch,
                "the executable holds x86-64 code, but this processor is of "
                "another kind; recompile it on this machine");
#endif
  while (!features.empty()) {
    std::string_view name = features.substr(0, features.find(','));
    features.remove_prefix(std::min(features.size(), name.size() + 1));
    if (!hasFeature(name))
      return Status(Code::ArchMismatch,
                    concat("the executable needs the processor feature '",
                           printable(name), "', but this processor (",
                           cpuName(),
                           ") does not have it; recompile with "
                           "another --cpu"));
  }
  return Status::ok();
}

std::string runtime::cpuName() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos)
      return printable(line.substr(colon + 2));
  }
  return "unknown CPU";
}
