//===- HostTarget.h - Processors that host code is made for -----*- C++ -*-===//
//
// Chooses a processor and its features. Layer target; for the pipelines, which
// need the width of vectors, and for host code.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TARGET_HOSTTARGET_H
#define TRIPY_TARGET_HOSTTARGET_H

#include "tripy/Base/Status.h"

#include <string>
#include <vector>

namespace tripy::target {

/// A processor that code is made for: x86-64.
struct HostTarget {
  /// LLVM's name: code is scheduled for it.
  std::string cpu;
  /// The features that the code may use beyond plain x86-64, as LLVM and
  /// Image::arch name them, sorted as in LLVM's tables.
  std::vector<std::string> features;

  bool has(std::string_view feature) const;
  /// Bits of the widest vectors: 128, 256 or 512.
  unsigned vectorBits() const;
  /// "avx2,fma,..." for Image::arch.
  std::string arch() const;
};

/// `cpu` is "native" (the machine that compiles) or one of LLVM's names, such
/// as "x86-64-v3" or "sapphirerapids". Errors: InvalidArgument (unknown name,
/// with the nearest one), Unsupported ("native" on another architecture, or a
/// build of LLVM without X86).
Result<HostTarget> findHostTarget(const std::string &cpu);

} // namespace tripy::target

#endif // TRIPY_TARGET_HOSTTARGET_H
