//===- Pipelines.cpp - The passes from a program to launches --------------===//

#include "tripy/Pipelines/Pipelines.h"

#include "tripy/Pipelines/InlineCalls.h"
#include "tripy/Pipelines/LoadPlugins.h"

#include "tripy/Codegen/CudaChip.h"
#include "tripy/Codegen/Passes.h"
#include "tripy/Conversion/Passes.h"
#include "tripy/Dialect/Tripy/Tripy.h"
#include "tripy/Reference/Passes.h"
#include "tripy/Target/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tripy;

static void simplifyFunctions(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createSimplifyPass());
  functions.addPass(createMergePass());
}

/// trace, linalg -> flatir
static void addFlatIR(OpPassManager &pm) {
  pm.addPass(createLoadPluginsPass());
  pm.addPass(createInlineCallsPass());
  pm.addPass(createLinalgToFlatIRPass());
  pm.addPass(createTraceToFlatIRPass());
  simplifyFunctions(pm);
  pm.addNestedPass<func::FuncOp>(createFoldConstantsPass());
  simplifyFunctions(pm);
}

std::optional<Backends> tripy::parseBackends(StringRef text) {
  return llvm::StringSwitch<std::optional<Backends>>(text)
      .Case("own", Backends::Own)
      .Case("auto", Backends::Auto)
      .Case("libraries", Backends::Libraries)
      .Default(std::nullopt);
}

static bool hasTiles(const PipelineOptions &options) {
  return options.device == DeviceKind::CUDA &&
         codegen::CudaChip::of(options.chip).hasWgmma();
}

/// kernel.func on linalg -> the same with schedules
static void addSchedules(OpPassManager &pm, const PipelineOptions &options) {
  if (options.device == DeviceKind::CUDA && options.backends != Backends::Own) {
    LibraryCandidatesPassOptions candidates;
    candidates.chip = options.chip;
    candidates.tuningFile = options.tuningFile;
    candidates.tuningDevice = options.tuningDevice;
    candidates.always = options.backends == Backends::Libraries;
    pm.addPass(createLibraryCandidatesPass(candidates));
  }
  if (options.device != DeviceKind::CUDA)
    return;
  ChooseSchedulesPassOptions choose;
  choose.chip = options.chip;
  choose.tiles = options.kernelTiles;
  choose.gemmTile = options.gemmTile;
  choose.f32TensorCores = options.f32TensorCores;
  choose.attentionTile = options.attentionTile;
  choose.attentionSplit = options.attentionSplit;
  choose.tuningFile = options.tuningFile;
  choose.tuningDevice = options.tuningDevice;
  pm.addPass(createChooseSchedulesPass(choose));
  FuseNormsPassOptions fuse;
  fuse.chip = options.chip;
  pm.addPass(createFuseNormsPass(fuse));
}

/// kernel.func with schedules -> tile.func, where a kernel has that form
static void addTiles(OpPassManager &pm, const PipelineOptions &options) {
  if (!hasTiles(options))
    return;
  BuildTilesPassOptions build;
  build.chip = options.chip;
  build.tiles = options.kernelTiles;
  pm.addPass(createBuildTilesPass(build));
}

/// kernel.func on linalg and tile.func -> code
static void addEmission(OpPassManager &pm, const PipelineOptions &options) {
  ExpandMathPassOptions math;
  if (options.device == DeviceKind::CPU) {
    EmitCPUPassOptions emit;
    emit.vectorBits = options.vectorBits;
    emit.f16Conversion = options.f16Conversion;
    math.fma = options.fma;
    math.rounding = options.rounding;
    pm.addPass(createEmitCPUPass(emit));
    pm.addNestedPass<ModuleOp>(createExpandMathPass(math));
    return;
  }
  if (hasTiles(options)) {
    TilePlacePassOptions place;
    place.chip = options.chip;
    pm.addPass(createTilePlacePass(place));
    pm.addPass(createTileCheckProtocolPass());
  }
  EmitCUDAPassOptions emit;
  emit.chip = options.chip;
  emit.overlap = options.overlap;
  emit.prefetch = options.prefetch;
  pm.addPass(createEmitCUDAPass(emit));
  if (hasTiles(options)) {
    TileToNVVMPassOptions lower;
    lower.chip = options.chip;
    pm.addPass(createTileToNVVMPass(lower));
  }
  math.cuda = true;
  pm.addNestedPass<gpu::GPUModuleOp>(createExpandMathPass(math));
}

void tripy::buildPipeline(OpPassManager &pm, Level from, Level to,
                          const PipelineOptions &options) {
  auto passes = [&](Level level) { return from < level && level <= to; };
  if (passes(Level::FlatIR))
    addFlatIR(pm);
  if (passes(Level::Dispatches)) {
    FormDispatchesPassOptions fusion;
    bool cuda = options.device == DeviceKind::CUDA;
    const auto &chip = codegen::CudaChip::of(options.chip);
    fusion.tensorCores = cuda && chip.hasMma();
    fusion.tensorF8 = chip.hasMmaOfF8();
    // Columns of up to four contractions lie side by side in a tile.
    fusion.tensorPaired = fusion.tensorCores ? 4 : 1;
    if (cuda && chip.hasWgmma())
      fusion.tensorPrologues = options.gemmPrologues;
    fusion.attention = options.attention;
    fusion.windowsInProducts = fusion.onHost = !cuda;
    fusion.chip = options.chip;
    fusion.vectorRows = cuda ? codegen::maxVectorRows : 0;
    fusion.fewRowsOnTensorCores = cuda && chip.hasWgmma();
    fusion.reducesApart = cuda;
    if (cuda) {
      fusion.columnBlocks = chip.columnBlocks;
      fusion.columnBytesFull = chip.columnBytesFull;
      fusion.columnBytesEmpty = chip.columnBytesEmpty;
      fusion.rowBlocks = chip.rowBlocks;
      fusion.rowPartBytes = chip.rowPartBytes;
      fusion.clusterColumns = chip.hasClusters() ? chip.clusterColumns : 0;
      fusion.sortBlocks = chip.sortBlocks;
    } else {
      fusion.columnBlocks = fusion.rowBlocks = codegen::hostBlocks;
      fusion.columnBytesFull = fusion.columnBytesEmpty =
          codegen::hostColumnBytes;
      fusion.rowPartBytes = codegen::hostRowPartBytes;
    }
    pm.addPass(createUnpackI4Pass());
    pm.addPass(createFormDispatchesPass(fusion));
  }
  if (passes(Level::Linalg)) {
    pm.addPass(createOutlineDispatchesPass());
    pm.addPass(createFlatIRToLinalgPass());
    pm.addPass(createRoundValuesPass());
  }
  if (passes(Level::Schedules))
    addSchedules(pm, options);
  if (passes(Level::Tiles))
    addTiles(pm, options);
  if (passes(Level::Kernels))
    addEmission(pm, options);
  if (passes(Level::Plan))
    pm.addPass(createKernelPlanPass());
  if (passes(Level::LLVM)) {
    pm.addPass(createMergeEqualKernelsPass());
    pm.addPass(createCodeToLLVMPass());
  }
}

namespace {
/// What else --kernel-plan finds missing, after everything else was done.
struct VerifyProfiles : PassWrapper<VerifyProfiles, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyProfiles)

  StringRef getArgument() const override { return "tripy-verify-profiles"; }
  StringRef getDescription() const override {
    return "Reports arguments of dynamic shape without a profile";
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal() &&
          failed(verifyProfiles(function)))
        signalPassFailure();
    markAllAnalysesPreserved();
  }
};

struct CpuOptions : PassPipelineOptions<CpuOptions> {
  Option<unsigned> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Width of the processor's vectors in bits"),
      llvm::cl::init(256)};
};
struct CudaOptions : PassPipelineOptions<CudaOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("Architecture of the GPU"),
                           llvm::cl::init("sm_90a")};
  Option<Backends> backend{
      *this, "backend", llvm::cl::desc("What may compute contractions"),
      llvm::cl::init(Backends::Own),
      llvm::cl::values(clEnumValN(Backends::Own, "own", "own kernels alone"),
                       clEnumValN(Backends::Auto, "auto",
                                  "libraries where the model prefers them"),
                       clEnumValN(Backends::Libraries, "libraries",
                                  "libraries wherever they can"))};
  /// Of textOptions() and switchOptions().
  std::vector<std::unique_ptr<Option<std::string>>> texts;
  std::vector<std::unique_ptr<Option<bool>>> switches;

  CudaOptions() {
    CodeOptions defaults;
    for (const TextOption &row : textOptions())
      texts.push_back(std::make_unique<Option<std::string>>(
          *this, row.name, llvm::cl::desc(row.summary),
          llvm::cl::init(defaults.*row.field)));
    for (const SwitchOption &row : switchOptions())
      switches.push_back(std::make_unique<Option<bool>>(
          *this, row.name, llvm::cl::desc(row.summary), llvm::cl::init(false)));
  }

  PipelineOptions read() const {
    PipelineOptions options;
    options.device = DeviceKind::CUDA;
    options.chip = chip;
    options.backends = backend;
    for (auto [row, option] : llvm::zip(textOptions(), texts))
      options.*row.field = option->getValue();
    for (auto [row, option] : llvm::zip(switchOptions(), switches))
      options.*row.field = !*option;
    return options;
  }
};
} // namespace

void tripy::registerTripyPipelines() {
  PassRegistration<VerifyProfiles>();
  PassPipelineRegistration<CpuOptions>(
      "tripy-cpu", "From trace, flatir or linalg to launches of host code",
      [](OpPassManager &pm, const CpuOptions &given) {
        PipelineOptions options;
        options.vectorBits = given.vectorBits;
        pm.addPass(std::make_unique<VerifyProfiles>());
        buildPipeline(pm, Level::Trace, Level::Plan, options);
      });
  PassPipelineRegistration<CudaOptions>(
      "tripy-cuda", "From trace, flatir or linalg to launches of CUDA kernels",
      [](OpPassManager &pm, const CudaOptions &given) {
        pm.addPass(std::make_unique<VerifyProfiles>());
        buildPipeline(pm, Level::Trace, Level::Plan, given.read());
      });
}
