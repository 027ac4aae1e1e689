//===- Assembler.h - From PTX to a cubin ------------------------*- C++ -*-===//
//
// Private to lib/Target. Finds and runs NVIDIA's assembler: nvJitLink in this
// process, or else ptxas.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_TARGET_ASSEMBLER_H
#define TRIPY_LIB_TARGET_ASSEMBLER_H

#include "tripy/Base/Status.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tripy::target {

struct AssembledCode {
  std::vector<uint8_t> cubin;
  /// What the assembler said: registers and memory of each kernel, warnings.
  std::string log;
  /// What it says that each kernel took.
  std::vector<std::pair<std::string, double>> seconds;
};

/// Assembles `ptx` for `chip` with ptxas, or with nvJitLink where there is no
/// ptxas: nvJitLink makes relocatable code of PTX and ignores setmaxnreg, so
/// that kernels with roles are slower. Called from several threads, for parts
/// of a program that become a cubin each: parts to be linked to one would have
/// to be relocatable, too. Errors: NotFound (no assembler; says where it was
/// looked for), Malformed (the assembler's own words), Io.
Result<AssembledCode> assemblePTX(const std::string &ptx,
                                  const std::string &chip);

/// Changes whenever another assembler would run, or the same one with other
/// options: kind, path, size and time of what is installed. Empty when there
/// is none. Loads nothing.
std::string assemblerIdentity();

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_ASSEMBLER_H
