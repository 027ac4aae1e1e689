//===- Chips.cpp - The NVIDIA GPUs that code is made for ------------------===//
//
// The figures are those of the CUDA C++ Programming Guide, "Compute
// Capabilities"; multiprocessors and products those of the architectures'
// white papers: A100 and Orin, A40, L40, H100, RTX 5090. Peak products are
// those of T4, A100, Orin, A40, RTX 6000 Ada, H100, B200 and RTX PRO 6000,
// without sparsity.
//
//===----------------------------------------------------------------------===//

#include "tripy/Base/Chips.h"

#include "tripy/Base/Text.h"

using namespace tripy;

/// 8.4 is the oldest PTX version used: with it, wgmma and TMA are complete.
/// A cluster of 16 blocks is more than each GPU of a kind must be able to run,
/// but sm_90 and sm_100 can. What was never measured is taken as on an H100.
static constexpr Chip chips[] = {
    {"sm_75", 84, 64, 1, 132, 228, 1024, 512, 64},
    {"sm_80", 84, 163, 1, 108, 164, 1024, 1024, 64},
    {"sm_86", 84, 99, 1, 84, 100, 512, 512, 128},
    {"sm_87", 84, 163, 1, 108, 164, 1024, 1024, 128},
    {"sm_89", 84, 99, 1, 142, 100, 512, 512, 128},
    {"sm_90", 84, 227, 16, 132, 228, 1024, 2048, 128},
    {"sm_90a", 84, 227, 16, 132, 228, 1024, 2048, 128},
    {"sm_100", 86, 227, 16, 132, 228, 1024, 4096, 128},
    {"sm_100a", 86, 227, 16, 132, 228, 1024, 4096, 128},
    {"sm_103", 88, 227, 16, 132, 228, 1024, 4096, 128},
    {"sm_103a", 88, 227, 16, 132, 228, 1024, 4096, 128},
    {"sm_120", 87, 99, 8, 142, 100, 512, 512, 128},
    {"sm_120a", 87, 99, 8, 142, 100, 512, 512, 128},
};

const Chip *tripy::findChip(std::string_view name) {
  for (const Chip &chip : chips)
    if (chip.name == name)
      return &chip;
  return nullptr;
}

Result<const Chip *> tripy::getChip(std::string_view name) {
  if (const Chip *chip = findChip(name))
    return chip;
  ClosestName closest(name);
  std::string known;
  for (const Chip &chip : chips) {
    closest.consider(chip.name);
    known += (known.empty() ? "" : ", ") + std::string(chip.name);
  }
  return Status(Code::InvalidArgument,
                concat("a GPU architecture must be one of ", known,
                       ", but is '", printable(name), "'",
                       closest.suggestion()));
}
