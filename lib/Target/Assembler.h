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
#include <span>
#include <string>
#include <vector>

namespace tripy::target {

struct AssembledCode {
  std::vector<uint8_t> cubin;
  /// What the assembler said: registers and memory of each kernel, warnings.
  std::string log;
};

/// Assembles `ptx` for `chip`. Errors: NotFound (no assembler; says where it
/// was looked for), Malformed (the assembler's own words), Io.
Result<AssembledCode> assemblePTX(const std::string &ptx,
                                  const std::string &chip);

/// Whether assemblePart() and linkParts() can be used: with nvJitLink of CUDA
/// 12.4 or later.
bool canAssembleParts(const std::string &chip);

/// One of several texts whose kernels don't refer to each other's symbols, and
/// the cubin of all. May run on several threads. The code of each kernel is the
/// same as when they are assembled together. Errors: as assemblePTX().
Result<AssembledCode> assemblePart(const std::string &ptx,
                                   const std::string &chip);
Result<AssembledCode> linkParts(std::span<const AssembledCode> parts,
                                const std::string &chip);

/// Changes whenever another assembler would run, or the same one with other
/// options: kind, path, size and time of what is installed. Empty when there
/// is none. Loads nothing.
std::string assemblerIdentity();

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_ASSEMBLER_H
