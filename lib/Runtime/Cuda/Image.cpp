//===- Image.cpp - Choosing and checking GPU code -------------------------===//

#include "Image.h"

#include "tripy/Base/Text.h"

#include <charconv>

using namespace tripy;
using namespace tripy::cuda;

std::optional<Arch> cuda::parseArch(std::string_view text) {
  for (std::string_view prefix : {"sm_", "compute_"})
    if (text.starts_with(prefix)) {
      text.remove_prefix(prefix.size());
      Arch arch;
      auto [end, error] =
          std::from_chars(text.data(), text.data() + text.size(), arch.number);
      text.remove_prefix(static_cast<size_t>(end - text.data()));
      if (error != std::errc() || arch.number < 10 || arch.number > 9999)
        return std::nullopt;
      if (text == "a" || text == "f")
        arch.suffix = text[0];
      else if (!text.empty())
        return std::nullopt;
      return arch;
    }
  return std::nullopt;
}

std::string cuda::nativeArch(int major, int minor) {
  // From 9.0 on, the target with all features of a GPU has the suffix.
  return concat("sm_", major * 10 + minor, major >= 9 ? "a" : "");
}

/// How well a GPU of compute capability `gpu` (90 for 9.0) runs `image`: 0 not
/// at all, higher is better.
static int fitness(const Image &image, int gpu) {
  std::optional<Arch> arch = parseArch(image.arch);
  if (!arch || arch->number > gpu)
    return 0;
  bool exact = arch->number == gpu;
  bool family = arch->number / 10 == gpu / 10;
  bool runs = image.kind == ImageKind::Cubin ? family : true;
  if (arch->suffix == 'a')
    runs = exact;
  if (arch->suffix == 'f')
    runs = family;
  if (!runs)
    return 0;
  int special = arch->suffix == 'a' ? 2 : arch->suffix == 'f' ? 1 : 0;
  int machineCode = image.kind == ImageKind::Cubin ? 100'000 : 0;
  return machineCode + arch->number * 4 + special;
}

Result<const Image *> cuda::chooseImage(const Program &program, int major,
                                        int minor, std::string_view gpuName,
                                        std::optional<ImageKind> only) {
  const Image *best = nullptr;
  int bestFitness = 0;
  std::string present;
  for (const Image &image : program.images) {
    if (image.kind == ImageKind::HostCode || (only && image.kind != *only))
      continue;
    int fit = fitness(image, major * 10 + minor);
    if (fit > bestFitness) {
      best = &image;
      bestFitness = fit;
    }
    std::string_view kind =
        image.kind == ImageKind::PTX ? "PTX for " : "machine code for ";
    std::string own = concat(kind, printable(image.arch, 16), ", ");
    // A program may hold several images of one architecture.
    if (present.size() < 200 && present.find(own) == std::string::npos)
      present += own;
  }
  if (best)
    return best;
  present.resize(present.size() - (present.empty() ? 0 : 2));
  return Status(Code::ArchMismatch,
                concat("the program does not run on ", gpuName,
                       " (compute capability ", major, ".", minor,
                       "): it holds ", present.empty() ? "no code" : present,
                       ": compile it anew with --target=cuda:",
                       nativeArch(major, minor)));
}

namespace {

uint64_t load(std::span<const uint8_t> bytes, uint64_t at, uint32_t width) {
  uint64_t value = 0;
  for (uint32_t i = width; i-- > 0;)
    value = value << 8 | bytes[at + i];
  return value;
}

bool inside(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

Status badCubin(const char *what) {
  return Status(Code::Malformed,
                concat("the machine code of a CUDA program is a 64-bit ELF "
                       "file whose parts lie inside it, found ",
                       what));
}

} // namespace

Status cuda::checkCubin(std::span<const uint8_t> bytes) {
  constexpr uint64_t headerSize = 64, sectionSize = 64, segmentSize = 56;
  constexpr uint32_t noBits = 8;
  if (bytes.size() < headerSize || load(bytes, 0, 4) != 0x464c457f ||
      bytes[4] != 2 || bytes[5] != 1)
    return badCubin("no such header");
  uint64_t segments = load(bytes, 32, 8), sections = load(bytes, 40, 8);
  uint64_t segmentCount = load(bytes, 56, 2), sectionCount = load(bytes, 60, 2);
  if ((segmentCount && load(bytes, 54, 2) != segmentSize) ||
      (sectionCount && load(bytes, 58, 2) != sectionSize))
    return badCubin("tables of another layout");
  if (!inside(segments, segmentCount * segmentSize, bytes.size()) ||
      !inside(sections, sectionCount * sectionSize, bytes.size()))
    return badCubin("a table outside");
  if (sectionCount == 0 || load(bytes, 62, 2) >= sectionCount)
    return badCubin("no section names");
  for (uint64_t i = 0; i < segmentCount; ++i) {
    uint64_t at = segments + i * segmentSize;
    if (!inside(load(bytes, at + 8, 8), load(bytes, at + 32, 8), bytes.size()))
      return badCubin("a segment outside");
  }
  for (uint64_t i = 0; i < sectionCount; ++i) {
    uint64_t at = sections + i * sectionSize;
    if (load(bytes, at + 4, 4) == noBits)
      continue;
    if (!inside(load(bytes, at + 24, 8), load(bytes, at + 32, 8), bytes.size()))
      return badCubin("a section outside");
  }
  return Status::ok();
}
