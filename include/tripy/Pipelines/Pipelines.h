//===- Pipelines.h - The passes from a program to launches ------*- C++ -*-===//
//
// One place that knows the order of passes. The compiler runs parts of it,
// `tripy-opt --tripy-cpu` and `--tripy-cuda` all of it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_PIPELINES_H
#define TRIPY_PIPELINES_PIPELINES_H

#include "tripy/Base/Program.h"

#include "mlir/Pass/PassManager.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tripy {

/// What a program consists of after each part of the pipeline.
enum class Level {
  Trace,      ///< what the user wrote
  FlatIR,     ///< explicit primitives and composites, folded
  Dispatches, ///< kernel.dispatch
  Linalg,     ///< kernel.func on linalg, and kernel.call
  Schedules,  ///< the same, and how contractions and attention are cut
  Tiles,      ///< the same, and tile.func of kernels that have one
  Kernels,    ///< code over pointers in @host_code or @device_code
  Plan,       ///< kernel.launch
  LLVM,       ///< code in LLVM's dialect
};

/// The name that a user knows a level by.
constexpr std::string_view levelName(Level level) {
  switch (level) {
  case Level::Trace:
    return "trace";
  case Level::FlatIR:
    return "flatir";
  case Level::Dispatches:
    return "dispatches";
  case Level::Linalg:
    return "linalg";
  case Level::Schedules:
    return "schedules";
  case Level::Tiles:
    return "tiles";
  case Level::Kernels:
    return "kernels";
  case Level::Plan:
    return "plan";
  case Level::LLVM:
    return "llvm";
  }
}

/// What may compute contractions on CUDA.
enum class Backends {
  Own,       ///< this project's kernels alone
  Auto,      ///< libraries too, where the model of costs prefers them
  Libraries, ///< libraries wherever they can
};

/// Reads "own", "auto" or "libraries".
std::optional<Backends> parseBackends(llvm::StringRef text);

/// How code is generated: what compilations, pipelines and printed programs
/// have in common. textOptions() and switchOptions() name the fields.
struct CodeOptions {
  DeviceKind device = DeviceKind::CPU;
  /// CUDA: architecture.
  std::string chip = "sm_90a";
  /// CUDA: tile of tensor-core kernels, "128x256"; empty: chosen by size.
  std::string gemmTile;
  /// CUDA: when tensor-core kernels compute element-wise left operands.
  std::string gemmPrologues = "estimated";
  /// When products with a softmax between them become attention.
  std::string attention = "estimated";
  /// CUDA: which kernels have tile functions.
  std::string kernelTiles = "auto";
  /// CUDA: products of f32 may be sums of products of TF32 on tensor cores
  /// (docs/accuracy.md).
  bool f32TensorCores = true;
  /// CUDA: tile of attention, "128x176"; empty: chosen by size.
  std::string attentionTile;
  /// CUDA: blocks that divide the keys of attention of few queries,
  /// "8,keys=16"; empty: chosen by size.
  std::string attentionSplit;
  /// CUDA: a file of measured tiles (docs/tuning.md), and the GPU that they are
  /// wanted for: "NVIDIA H200". Without device, that of all its records.
  std::string tuningFile, tuningDevice;
  /// CUDA: kernels start before their predecessors ended, and until then bring
  /// what they read first to the L2 cache (docs/overlap.md).
  bool overlap = true, prefetch = true;
  /// CUDA: a library takes a kernel's place where it is there at run time
  /// (docs/libraries.md).
  Backends backends = Backends::Own;
};

/// An option of code generation: its name in tripy-compile, in --tripy-cuda and
/// in what is printed of a level.
struct TextOption {
  std::string_view name;
  std::string CodeOptions::*field;
  /// The first level that it changes nothing behind.
  Level until;
  /// What it may be; none: any text.
  llvm::ArrayRef<llvm::StringLiteral> values;
  /// What stands for its value in a list of options, and what it does.
  std::string_view placeholder, summary;

  /// "off, auto or all", or nothing where `value` is one of them.
  std::optional<std::string> valuesOtherThan(llvm::StringRef value) const;
};
/// An option that turns something off.
struct SwitchOption {
  std::string_view name;
  bool CodeOptions::*field;
  Level until;
  std::string_view summary;
};
llvm::ArrayRef<TextOption> textOptions();
llvm::ArrayRef<SwitchOption> switchOptions();

struct PipelineOptions : CodeOptions {
  /// CPU: width of the processor's vectors.
  unsigned vectorBits = 256;
  /// CPU: instructions that it has; without them, others compute the same.
  bool f16Conversion = true, fma = true, rounding = true;
};

/// Adds the passes that lead from level `from` to level `to`.
void buildPipeline(mlir::OpPassManager &pm, Level from, Level to,
                   const PipelineOptions &options);

/// Canonicalizes a function; arithmetic on sizes stays exact.
std::unique_ptr<mlir::Pass> createSimplifyPass();
/// Makes equal operations of a function one, which names the lines of all.
std::unique_ptr<mlir::Pass> createMergePass();
/// Registers tripy-simplify and tripy-cse.
void registerSimplifyPasses();

/// Registers tripy-cpu and tripy-cuda: from trace (or flatir) to launches.
void registerTripyPipelines();

} // namespace tripy

#endif // TRIPY_PIPELINES_PIPELINES_H
