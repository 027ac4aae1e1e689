//===- HostTarget.cpp - Processors that host code is made for -------------===//

#include "tripy/Target/HostTarget.h"

#include "tripy/Base/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace tripy;
using namespace tripy::target;

/// The features that a compiler uses by itself in code such as ours. Others
/// (encryption, matrix tiles) would only make an executable pickier than it
/// needs to be. Not avx512bf16, whose conversions flush denormals.
static constexpr llvm::StringLiteral usedFeatures[] = {
    "sse3",     "ssse3",    "sse4.1",   "sse4.2",    "popcnt",
    "avx",      "f16c",     "fma",      "avx2",      "bmi",
    "bmi2",     "lzcnt",    "movbe",    "avx512f",   "avx512dq",
    "avx512cd", "avx512bw", "avx512vl", "avx512vbmi"};

bool HostTarget::has(std::string_view feature) const {
  return llvm::is_contained(features, feature);
}

unsigned HostTarget::vectorBits() const {
  return has("avx512f") && has("avx512vl") ? 512 : has("avx") ? 256 : 128;
}

std::string HostTarget::arch() const { return llvm::join(features, ","); }

static const llvm::Target *x86Target(const llvm::Triple &triple) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  std::string error;
  return llvm::TargetRegistry::lookupTarget(triple, error);
}

Result<HostTarget> target::findHostTarget(const std::string &cpu) {
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  const llvm::Target *target = x86Target(triple);
  if (!target)
    return Status(Code::Unsupported, "this LLVM makes no x86-64 code");
  bool native = cpu == "native";
  std::string name = cpu, extra;
  if (native) {
    if (llvm::Triple(llvm::sys::getProcessTriple()).getArch() !=
        llvm::Triple::x86_64)
      return Status(Code::Unsupported,
                    "host code is made for x86-64 only, and this machine is of "
                    "another kind; name a processor with --cpu");
    name = llvm::sys::getHostCPUName().str();
    for (const auto &[feature, enabled] : llvm::sys::getHostCPUFeatures())
      extra += concat(extra.empty() ? "" : ",", enabled ? "+" : "-",
                      std::string_view(feature));
  }
  std::unique_ptr<llvm::MCSubtargetInfo> plain(
      target->createMCSubtargetInfo(triple, "x86-64", ""));
  bool known = plain->isCPUStringValid(name);
  if (!known && !native) {
    ClosestName closest(cpu);
    closest.consider("native");
    for (const llvm::SubtargetSubTypeKV &row :
         plain->getAllProcessorDescriptions())
      closest.consider(row.Key);
    return Status(Code::InvalidArgument,
                  concat("a processor must be 'native' or one that LLVM knows, "
                         "such as x86-64-v3, but is '",
                         printable(cpu), "'", closest.suggestion()));
  }
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, known ? name : "x86-64", extra));
  if (!info->checkFeatures("+64bit"))
    return Status(Code::InvalidArgument,
                  concat("a processor must run 64-bit code; '", printable(cpu),
                         "' does not"));
  HostTarget host{known ? name : "x86-64", {}};
  for (llvm::StringRef feature : usedFeatures)
    if (info->checkFeatures(("+" + feature).str()))
      host.features.push_back(feature.str());
  return host;
}
