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
     "for experiments: the schedule of tensor-core kernels, such as 128x256, "
     "64x64,cluster=4, 128x256,stream, 128x128,pingpong,overlap or "
     "16x64,split=2,swapAB"},
    {"gemm-prologues", &CodeOptions::gemmPrologues, Level::Dispatches, when,
     "WHEN",
     "for experiments: fuse the element-wise producer of the left operand into "
     "tensor-core kernels as a prologue never, always, or where a cost model "
     "expects it to be faster (estimated, the default)"},
    {"attention", &CodeOptions::attention, Level::Dispatches, when, "WHEN",
     "for experiments: fuse two matrix products with a softmax between them "
     "into one attention kernel never, always, or where a cost model expects "
     "it to be faster (estimated, the default)"},
    {"kernel-tiles", &CodeOptions::kernelTiles, Level::Tiles, tileForms,
     "off|auto|all",
     "for experiments: which kernels become tile functions: none, those "
     "expected to be faster that way (auto, the default), or all that can"},
    {"attention-tile",
     &CodeOptions::attentionTile,
     Level::Schedules,
     {},
     "TILE",
     "for experiments: the tile of attention kernels, queries x keys, such as "
     "128x176"},
    {"attention-split",
     &CodeOptions::attentionSplit,
     Level::Schedules,
     {},
     "SPLIT",
     "for experiments: the number of blocks that split the keys of attention "
     "with few queries, such as 8 or 8,keys=16,warps=4,stages=3; 0: the cost "
     "model's choice"},
    {"tuning-file",
     &CodeOptions::tuningFile,
     Level::Schedules,
     {},
     "FILE",
     "use the measured schedules of tensor-core kernels in this tuning file; "
     "default: $TRIPY_TUNING_FILE, else none"},
    {"tuning-device",
     &CodeOptions::tuningDevice,
     Level::Schedules,
     {},
     "NAME",
     "use the tuning records of this GPU, such as \"NVIDIA H200\"; needed if "
     "FILE has records of several GPUs for one contraction"},
};
static const SwitchOption switches[] = {
    {"no-f32-tensor-cores", &CodeOptions::f32TensorCores, Level::Schedules,
     "multiply f32 by fused multiply-adds alone, not as sums of TF32 numbers "
     "on "
     "tensor cores (docs/accuracy.md)"},
    {"no-overlap", &CodeOptions::overlap, Level::Kernels,
     "for experiments: no programmatic dependent launch: a GPU kernel starts "
     "only when its predecessor has ended"},
    {"no-prefetch", &CodeOptions::prefetch, Level::Kernels,
     "for experiments: GPU kernels that start early do not prefetch what their "
     "predecessors may write"},
};

ArrayRef<TextOption> tripy::textOptions() { return texts; }
ArrayRef<SwitchOption> tripy::switchOptions() { return switches; }

std::optional<std::string> TextOption::valuesOtherThan(StringRef value) const {
  if (values.empty() || is_contained(values, value))
    return std::nullopt;
  return join(values.drop_back(), ", ") + " or " + values.back().str();
}
