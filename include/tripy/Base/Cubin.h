//===- Cubin.h - What a CUDA binary says of itself --------------*- C++ -*-===//
//
// Reads the header and the symbols of machine code for NVIDIA GPUs, an ELF file
// of 64 bits, whatever its bytes are. Standard library only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_CUBIN_H
#define TRIPY_BASE_CUBIN_H

#include "tripy/Base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tripy {

struct CubinInfo {
  /// 90 for sm_90 and sm_90a: the file does not tell them apart.
  uint32_t architecture = 0;
  /// Names of the functions that a program can launch, in the file's order.
  std::vector<std::string> functions;
};

/// Errors: Malformed, when a part that is needed is missing or lies outside.
Result<CubinInfo> readCubin(std::span<const uint8_t> bytes);

} // namespace tripy

#endif // TRIPY_BASE_CUBIN_H
