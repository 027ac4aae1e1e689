//===- CodeOptions.cpp - Options of code generation -----------------------===//

#include "tripy/Pipelines/Pipelines.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tripy;

static constexpr StringLiteral when[] = {"never", "estimated", "always"};
static constexpr StringLiteral tileForms[] = {"off", "auto", "all"};

static const TextOption texts[] = {
    {"gemm-tile",
     &CodeOptions::gemmTile,
     Level::Schedules,
     {},
     "TILE",
     "for measurements: the tile of tensor-core kernels, such as 128x256, "
     "64x64,cluster=4, 128x256,stream, 128x128,pingpong,overlap or "
     "16x64,split=2,swapAB"},
    {"gemm-prologues", &CodeOptions::gemmPrologues, Level::Dispatches, when,
     "WHEN",
     "for measurements: tensor-core kernels compute element-wise left operands "
     "never, always, or where that is estimated to pay (estimated, the "
     "default)"},
    {"attention", &CodeOptions::attention, Level::Dispatches, when, "WHEN",
     "for measurements: products with a softmax between them become attention "
     "never, always, or where that is estimated to pay (estimated, the "
     "default)"},
    {"kernel-tiles", &CodeOptions::kernelTiles, Level::Tiles, tileForms,
     "off|auto|all",
     "for measurements: kernels at the tile level, none, where they should be "
     "faster (default), all that can"},
    {"attention-tile",
     &CodeOptions::attentionTile,
     Level::Schedules,
     {},
     "TILE",
     "for measurements: queries and keys of a tile of attention, such as "
     "128x176"},
    {"attention-split",
     &CodeOptions::attentionSplit,
     Level::Schedules,
     {},
     "SPLIT",
     "for measurements: blocks that divide the keys of attention with few "
     "queries, 0 for the model's number, such as 8 or "
     "8,keys=16,warps=4,stages=3"},
    {"tuning-file",
     &CodeOptions::tuningFile,
     Level::Schedules,
     {},
     "FILE",
     "take the tiles of tensor-core kernels from what was measured; default: "
     "$TRIPY_TUNING_FILE, else none"},
    {"tuning-device",
     &CodeOptions::tuningDevice,
     Level::Schedules,
     {},
     "NAME",
     "the GPU that they are for, such as \"NVIDIA H200\"; default: the only "
     "one that FILE has any for"},
};
static const SwitchOption switches[] = {
    {"no-overlap", &CodeOptions::overlap, Level::Kernels,
     "for measurements: GPU kernels start when the one in front of them ended"},
    {"no-prefetch", &CodeOptions::prefetch, Level::Kernels,
     "for measurements: until then they prefetch nothing that those may "
     "write"},
};

ArrayRef<TextOption> tripy::textOptions() { return texts; }
ArrayRef<SwitchOption> tripy::switchOptions() { return switches; }

std::optional<std::string> TextOption::valuesOtherThan(StringRef value) const {
  if (values.empty() || is_contained(values, value))
    return std::nullopt;
  return join(values.drop_back(), ", ") + " or " + values.back().str();
}
