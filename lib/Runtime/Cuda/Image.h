//===- Image.h - Choosing and checking GPU code -----------------*- C++ -*-===//
//
// Which image of a program a GPU can run, and whether a cubin's tables stay
// inside it. Private to Runtime/Cuda.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_CUDA_IMAGE_H
#define TRIPY_RUNTIME_CUDA_IMAGE_H

#include "tripy/Base/Program.h"
#include "tripy/Base/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tripy::cuda {

/// An architecture name: "sm_90a" is 90 with suffix 'a'.
struct Arch {
  int number = 0;
  /// 'a': exactly this GPU; 'f': this and later GPUs of its family; 0: all.
  char suffix = 0;
};

/// Reads "sm_90a" or "compute_90a"; none when `text` is no architecture.
std::optional<Arch> parseArch(std::string_view text);

/// The name of a GPU's own target for the compiler: "sm_90a", "sm_89".
std::string nativeArch(int major, int minor);

/// The best image of `program` for a GPU: machine code made for it before
/// PTX, and the closest of either; with `only`, the best of that kind. Where
/// the code is split over several images of one architecture, the first.
/// Errors: ArchMismatch, naming the GPU, what the program has, and how to
/// compile it anew.
Result<const Image *> chooseImage(const Program &program, int major, int minor,
                                  std::string_view gpuName,
                                  std::optional<ImageKind> only = std::nullopt);

/// Ok when the headers, sections and segments of the ELF file stay inside
/// `bytes`: the driver's loader is not asked to find that out. Malformed
/// otherwise.
Status checkCubin(std::span<const uint8_t> bytes);

} // namespace tripy::cuda

#endif // TRIPY_RUNTIME_CUDA_IMAGE_H
