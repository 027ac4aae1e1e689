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

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_ASSEMBLER_H
